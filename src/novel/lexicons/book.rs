//! The lexicon of the checks of a whole novel: forms of kanji, confused kanji, and words of recorded days.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use super::read;

/// The lexicon, loaded on first use.
pub static BOOK: LazyLock<BookLexicon> = LazyLock::new(|| BookLexicon::new(read("book", include_str!("book.toml"))));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BookFile {
    kanji_forms: Vec<String>,
    lookalikes: Vec<String>,
    birth_order: String,
    day_aspects: Vec<String>,
    own_subjects: Vec<String>,
    weekdays: String,
    light_words: Vec<String>,
}

#[derive(Debug)]
pub struct BookLexicon {
    /// For each form of a kanji, the first form of its group.
    forms: HashMap<char, char>,
    lookalikes: Vec<Vec<char>>,
    birth_order: Vec<char>,
    day_aspects: Vec<String>,
    own_subjects: Vec<String>,
    weekdays: Vec<char>,
    light_words: Vec<String>,
}

impl BookLexicon {
    fn new(file: BookFile) -> Self {
        let groups = file.kanji_forms.iter().filter_map(|group| Some((group, group.chars().next()?)));
        Self {
            forms: groups.flat_map(|(group, first)| group.chars().map(move |form| (form, first))).collect(),
            lookalikes: file.lookalikes.iter().map(|group| group.chars().collect()).collect(),
            birth_order: file.birth_order.chars().collect(),
            day_aspects: file.day_aspects,
            own_subjects: file.own_subjects,
            weekdays: file.weekdays.chars().collect(),
            light_words: file.light_words,
        }
    }

    /// Returns the text with one form for each kanji.
    pub fn with_one_form(&self, text: &str) -> String {
        text.chars().map(|c| self.forms.get(&c).copied().unwrap_or(c)).collect()
    }

    /// True if two kanji are confused in names.
    pub fn are_lookalikes(&self, one: char, other: char) -> bool {
        self.lookalikes.iter().any(|group| group.contains(&one) && group.contains(&other))
    }

    /// True if two kanji distinguish the names of brothers and sisters.
    pub fn are_birth_order(&self, one: char, other: char) -> bool {
        self.birth_order.contains(&one) && self.birth_order.contains(&other)
    }

    /// True if a fact with this subject and aspect tells the day of its episode.
    pub fn is_day_of_episode(&self, episode: u32, subject: &str, about: Option<&str>) -> bool {
        let subject = subject.trim();
        let is_own = subject
            .strip_prefix('第')
            .and_then(|rest| rest.strip_suffix('話'))
            .map_or_else(|| self.own_subjects.iter().any(|own| own == subject), |number| number.parse() == Ok(episode));
        is_own && about.is_none_or(|about| self.day_aspects.iter().any(|aspect| aspect == about.trim()))
    }

    /// Returns the position of a day in the week.
    pub fn weekday(&self, day: char) -> Option<usize> {
        self.weekdays.iter().position(|known| *known == day)
    }

    /// True if a word forms no phrase by itself.
    pub fn is_light(&self, base: &str) -> bool {
        self.light_words.iter().any(|word| word == base)
    }
}
