//! The order of the times that the narration mentions: within a scene they move forward.
//!
//! Speech and paragraphs of memory are ignored. An hour without a half of the day is read as the next possible one, so
//! it never goes back; a morning after a night belongs to the next day. Durations are not checked.

use std::ops::Range;

use super::times::{DAY, HOUR, TimeExpression, TimeMeaning, time_expressions};
use crate::{checks::CheckMaterial, manuscript::TextVoice};

/// The minute of the day from which a following morning is the next day's: half past five, when evening becomes night.
const NIGHT: u32 = 17 * HOUR + 30;

/// A pair of times of which the later one in the text is the earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepBack {
    /// The previous time, as a byte range in the source.
    pub before: Range<usize>,
    /// The time that is too early, as a byte range in the source.
    pub after: Range<usize>,
}

/// The times of a text and their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chronology {
    /// The largest number of comparable times in one scene.
    pub most: usize,
    /// The places where time goes backwards.
    pub steps_back: Vec<StepBack>,
    /// All times that count, as byte ranges in the source.
    pub times: Vec<Range<usize>>,
}

/// The current time within a scene.
#[derive(Debug, Default)]
struct Clock {
    /// The earliest possible minute, and the place of that time in the source.
    hour: Option<(u32, Range<usize>)>,
    /// The last date, as month and day, and its place in the source.
    date: Option<((u32, u32), Range<usize>)>,
}

impl Chronology {
    /// Reads the narration scene by scene.
    pub fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut own = Self::default();
        for scene in &material.scenes().scenes {
            let mut clock = Clock::default();
            let before = own.times.len();
            let range = scene.sentences(material);
            let mut at = range.start;
            while at < range.end {
                let line = material.sentences()[at].line;
                let same =
                    material.sentences()[at..range.end].iter().take_while(|sentence| sentence.line == line).count();
                own.paragraph(material, at..at + same, &mut clock);
                at += same;
            }
            own.most = own.most.max(own.times.len() - before);
        }
        own
    }

    /// Reads a paragraph, unless it is a memory.
    fn paragraph(&mut self, material: &CheckMaterial<'_>, sentences: Range<usize>, clock: &mut Clock) {
        let narrated = sentences.filter(|at| material.sentences()[*at].voice == TextVoice::Narration);
        let told: Vec<(usize, Vec<TimeExpression>)> =
            narrated.map(|at| (at, time_expressions(material.words_of(at)))).collect();
        if told.iter().flat_map(|(_, told)| told).any(|told| told.meaning == TimeMeaning::Past) {
            return;
        }
        for (at, told) in told {
            let words = material.words_of(at);
            // 明日の朝, 九月三十日の午後四時: the rest of the sentence is about another day.
            let is_elsewhere = |told: &TimeExpression| {
                told.meaning == TimeMeaning::OtherTime
                    || (told.is_label && matches!(told.meaning, TimeMeaning::Date(..)))
            };
            let now = told.into_iter().take_while(|told| !is_elsewhere(told));
            for told in now.filter(|told| !told.is_label) {
                let place = words[told.words.start].source.start..words[told.words.end - 1].source.end;
                if told.meaning != TimeMeaning::NextPeriod {
                    self.times.push(place.clone());
                }
                if let Some(before) = clock.advance_to(told.meaning, &place) {
                    self.steps_back.push(StepBack { before, after: place });
                }
            }
        }
    }
}

impl Clock {
    /// Advances the clock to a time. Returns the place of the previous time if the new one is earlier.
    fn advance_to(&mut self, when: TimeMeaning, place: &Range<usize>) -> Option<Range<usize>> {
        match when {
            TimeMeaning::NextPeriod | TimeMeaning::Past | TimeMeaning::OtherTime => {
                *self = Self::default();
                None
            }
            TimeMeaning::Date(month, day) => {
                let last = self.date.replace(((month, day), place.clone()));
                let ((last_month, last_day), before) = last?;
                if (last_month, last_day) != (month, day) {
                    self.hour = None;
                }
                let is_new_year = last_month >= 10 && month <= 3;
                ((month, day) < (last_month, last_day) && !is_new_year).then_some(before)
            }
            TimeMeaning::Part(from, to) => self.take(from, to, place),
            TimeMeaning::Clock { minutes, part } => {
                let said = part.and_then(|(from, to)| {
                    let hours = (0..4).map(|half| minutes % DAY + half * DAY / 2);
                    hours.into_iter().find(|hour| (from..=to).contains(hour))
                });
                if let Some(minutes) = said {
                    return self.take(minutes, minutes, place);
                }
                let floor = self.hour.as_ref().map_or(0, |(floor, _)| *floor);
                let later = floor.saturating_sub(minutes).div_ceil(DAY / 2);
                self.hour = Some((minutes + later * DAY / 2, place.clone()));
                None
            }
        }
    }

    /// Advances the clock to a part of the day. Returns the place of the previous time if the part is earlier.
    fn take(&mut self, from: u32, to: u32, place: &Range<usize>) -> Option<Range<usize>> {
        let Some((floor, before)) = self.hour.take() else {
            self.hour = Some((from, place.clone()));
            return None;
        };
        let today = floor / DAY * DAY;
        let (from, to, is_back) = if to + today >= floor {
            (from + today, to + today, false)
        } else if from < DAY / 2 && floor - today >= NIGHT {
            (from + today + DAY, to + today + DAY, false)
        } else {
            (from + today, to + today, true)
        };
        // A wide part of the day does not move the clock unless it begins later.
        let now = if is_back { from } else { from.max(floor.min(to)) };
        self.hour = Some((now, place.clone()));
        is_back.then_some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::Chronology;
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    /// Returns the number of times that count, and the pairs that go back.
    fn read(text: &str) -> (usize, Vec<(String, String)>) {
        let (draft, context, tuning) =
            (AnalysedDraft::read(text, ManuscriptOptions::default()), NovelContext::default(), Tuning::default());
        let told = Chronology::from_material(&CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared()));
        let steps = told.steps_back.iter();
        let steps = steps.map(|step| (text[step.before.clone()].to_owned(), text[step.after.clone()].to_owned()));
        (told.times.len(), steps.collect())
    }

    fn step(before: &str, after: &str) -> Vec<(String, String)> {
        vec![(before.to_owned(), after.to_owned())]
    }

    #[test]
    fn steps_back_report_both_places() {
        assert_eq!(read("　午後三時に出た。\n　正午に着いた。\n"), (2, step("午後三時", "正午")));
        assert_eq!(read("　夕方、雨が降った。\n　朝、店を開けた。\n"), (2, step("夕方", "朝")));
        assert_eq!(read("　十五時二十分に出た。\n　午後二時半に着いた。\n"), (2, step("十五時二十分", "午後二時半")));
        assert_eq!(read("　九月三十日、船が着いた。\n　九月三日、人が来た。\n"), (2, step("九月三十日", "九月三日")));
    }

    #[test]
    fn possible_successions_are_not_steps_back() {
        for text in [
            "　夕方、車輪を外した。十時に坂を下りた。\n",
            "　夜、雨になった。\n　朝、やんだ。昼、また降った。\n",
            "　午後十一時に出た。午前一時に着いた。\n",
            "　午後三時に出た。\n　翌朝、七時に着いた。\n",
            "　十二月三十日、雪が降った。\n　一月二日、晴れた。\n",
        ] {
            assert_eq!(read(text).1, [], "{text}");
        }
    }

    #[test]
    fn memories_speech_and_labels_are_ignored() {
        for text in [
            "　午後三時に出た。\n　あれは二年前の冬で、朝の五時だった。\n",
            "　午後三時に出た。\n「朝の五時に来てくれ」\n",
            "　午後三時に出た。明日の朝には着く。\n",
            "　夜、記録を読んだ。九月三十日の午後四時に波が立っていた。\n",
            "　夜、二時の汽車の話をした。\n",
            "　午後三時に出た。\n\n＊＊＊\n\n　朝、雪が降った。\n",
        ] {
            assert_eq!(read(text).1, [], "{text}");
        }
    }
}
