//! The days of the episodes, as their states record them: days that go back, and days of the week that exclude each
//! other.
//!
//! Only facts about the day of their own episode are compared: a state does not say whether another time is remembered or
//! planned. Times of day are not compared either, since an episode may begin before another one ends.

use std::sync::LazyLock;

use fumi_base::text::BilingualText;
use regex_lite::Regex;

use super::{BookFindingKind, FoundInBook, QuotedPassages, occurrences};
use crate::{
    checks::{Severity, features::number},
    lexicons::BOOK,
    memory::{EpisodeState, StoryFact, StoryFactKind},
};

/// The largest step back, in days, that is hardly due to the turn of a year, so that it is reported as more severe.
const NEAR: i32 = 31;

/// The days before each month of a year with 366 days.
const BEFORE_MONTH: [i32; 12] = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("([〇一二三四五六七八九十0-9０-９]{1,3})月([〇一二三四五六七八九十0-9０-９]{1,3})日")
        .expect("a valid expression")
});

/// A recorded day of an episode.
#[derive(Debug)]
struct RecordedDay {
    episode: u32,
    /// The number of days since 1 January, in a year with 366 days.
    day: i32,
    /// The position in the week.
    weekday: Option<usize>,
    value: String,
    quote: String,
}

/// The days of all episodes, in their order.
#[derive(Debug, Default)]
pub(super) struct DayCheck {
    days: Vec<RecordedDay>,
}

impl DayCheck {
    pub(super) fn new<'s>(states: impl Iterator<Item = &'s EpisodeState>, quotes: &mut QuotedPassages) -> Self {
        let days: Vec<RecordedDay> =
            states.flat_map(|state| state.facts.iter().filter_map(|fact| recorded_day(state.episode, fact))).collect();
        for day in &days {
            quotes.want(day.episode, &day.quote);
        }
        Self { days }
    }

    pub(super) fn findings(&self, quotes: &QuotedPassages, focus: Option<u32>) -> Vec<FoundInBook> {
        let is_there = |day: &&RecordedDay| quotes.place(day.episode, &day.quote).is_some();
        let mut found = Vec::new();
        let (mut last, mut of_week): (Option<&RecordedDay>, Option<&RecordedDay>) = (None, None);
        for day in self.days.iter().filter(is_there) {
            let report = |severity, before: &RecordedDay, en: &str, ja: &str| FoundInBook {
                kind: BookFindingKind::Timeline,
                severity,
                message: BilingualText::new(
                    format!(
                        "Episode {} is on 「{}」, episode {} on 「{}」: {en}.",
                        before.episode, before.value, day.episode, day.value
                    ),
                    format!(
                        "第{}話は「{}」、第{}話は「{}」で、{ja}。",
                        before.episode, before.value, day.episode, day.value
                    ),
                ),
                seen: occurrences(
                    [before, day].into_iter().filter_map(|day| quotes.place(day.episode, &day.quote)),
                    focus,
                ),
            };
            let mut goes_back = false;
            if let Some(before) = last.filter(|before| before.episode != day.episode && before.day > day.day) {
                let back = before.day - day.day;
                // December before January is the turn of a year.
                let is_new_year = back > BEFORE_MONTH[11] / 2;
                goes_back = !is_new_year;
                if goes_back {
                    let severity = if back <= NEAR { Severity::Medium } else { Severity::Low };
                    found.push(report(severity, before, "the day goes back", "日付が戻っています"));
                } else {
                    of_week = None;
                }
            }
            let clashes = of_week.filter(|before| excludes(before, day));
            if let Some(before) = clashes {
                let (en, ja) =
                    ("their days of the week exclude each other within a year", "同じ年なら曜日が合いません");
                found.push(report(Severity::Medium, before, en, ja));
            }
            if !goes_back {
                last = Some(day);
                if day.weekday.is_some() && clashes.is_none() {
                    of_week = Some(day);
                }
            }
        }
        found
    }
}

fn recorded_day(episode: u32, fact: &StoryFact) -> Option<RecordedDay> {
    let is_own =
        fact.kind == StoryFactKind::Time && BOOK.is_day_of_episode(episode, &fact.subject, fact.about.as_deref());
    let date = DATE.captures(&fact.value).filter(|_| is_own)?;
    let whole = |at: usize| -> Option<i32> {
        let number = number(date.get(at)?.as_str())?;
        (1..=31).find(|whole| (f64::from(*whole) - number).abs() < f64::EPSILON)
    };
    let month = usize::try_from(whole(1)?).ok()?;
    let day = BEFORE_MONTH.get(month.checked_sub(1)?)? + whole(2)? - 1;
    let mut after = fact.value[date.get(0)?.end()..].chars();
    let weekday = after.clone().zip(after.by_ref().skip(1)).find(|(_, next)| *next == '曜');
    Some(RecordedDay {
        episode,
        day,
        weekday: weekday.and_then(|(day, _)| BOOK.weekday(day)),
        value: fact.value.clone(),
        quote: fact.quote.clone(),
    })
}

/// True if the recorded days of the week of two dates cannot both be right in one year, with or without 29 February.
fn excludes(before: &RecordedDay, after: &RecordedDay) -> bool {
    let (Some(one), Some(other)) = (before.weekday, after.weekday) else { return false };
    let of_week = |days: i32| usize::try_from(days.rem_euclid(7)).unwrap_or(0);
    let apart = after.day - before.day;
    let has_leap_day = (before.day.min(after.day) < BEFORE_MONTH[2]) != (before.day.max(after.day) < BEFORE_MONTH[2]);
    let fits = |days: i32| (one + of_week(days)) % 7 == other;
    !(fits(apart) || (has_leap_day && fits(apart - apart.signum())))
}
