//! Mentions of times and places: words of the lexicons, times with a number, the places of the settings.
//!
//! A word counts wherever it occurs; whether a scene takes place there is not determined.

use std::ops::Range;

use crate::{
    checks::material::Material,
    lexicons::SETTING,
    morphology::{Morpheme, NameKind, Origin},
};

/// The beginnings of time counters.
const COUNTERS: [&str; 10] = ["時", "分", "秒", "日", "月", "年", "週", "か月", "ヶ月", "世紀"];

/// The mentions of times and places, as ranges of the visible text, in order.
#[derive(Clone, Debug, Default)]
pub struct Whereabouts {
    /// The mentions of times.
    pub times: Vec<Range<usize>>,
    /// The mentions of places.
    pub places: Vec<Range<usize>>,
}

impl Whereabouts {
    pub(in crate::checks) fn of(material: &Material<'_>) -> Self {
        let mut told = Self::default();
        for (at, _) in material
            .sentences()
            .iter()
            .enumerate()
            .filter(|(_, sentence)| sentence.is_story())
        {
            let words = material.words_of(at);
            let range = |hit: Range<usize>| words[hit.start].visible.start..words[hit.end - 1].visible.end;
            told.times
                .extend(SETTING.time.find(words).into_iter().map(|hit| range(hit.words)));
            told.times.extend(numbered(words).map(range));
            told.places
                .extend(SETTING.place.find(words).into_iter().map(|hit| range(hit.words)));
        }
        let glossary = material.glossary();
        let places = glossary
            .mentions
            .iter()
            .filter(|mention| glossary.entries[mention.entry].kind == NameKind::Place);
        told.places
            .extend(places.map(|mention| material.words()[mention.word].visible.clone()));
        told.times.sort_by_key(|range| range.start);
        told.places.sort_by_key(|range| range.start);
        told
    }

    /// True if a mention of a time begins in a range of the visible text.
    #[must_use]
    pub fn tells_when(&self, visible: &Range<usize>) -> bool {
        begins_in(&self.times, visible)
    }

    /// True if a mention of a place begins in a range of the visible text.
    #[must_use]
    pub fn tells_where(&self, visible: &Range<usize>) -> bool {
        begins_in(&self.places, visible)
    }
}

fn begins_in(told: &[Range<usize>], visible: &Range<usize>) -> bool {
    let first = told.partition_point(|range| range.start < visible.start);
    told.get(first).is_some_and(|range| range.start < visible.end)
}

/// Iterates over numbers with a time counter: 八時, 九月, 三日後. Fractions such as 三分の一 do not count.
fn numbered<'w>(words: &'w [Morpheme<'_>]) -> impl Iterator<Item = Range<usize>> + 'w {
    let is_number = |word: &Morpheme<'_>| word.is(&["名詞", "数"]) && word.origin != Origin::Name;
    (0..words.len()).filter_map(move |at| {
        let word = &words[at];
        let mut digits = "〇一二三四五六七八九十百千0123456789０１２３４５６７８９".chars();
        if word.is(&["名詞", "副詞可能"]) {
            // 一日 and 九月 are single words in the dictionary.
            let begins = word
                .surface
                .chars()
                .next()
                .is_some_and(|first| digits.any(|digit| digit == first));
            let ends = COUNTERS.iter().any(|counter| word.surface.ends_with(counter));
            return (begins && ends && word.surface != "十分").then_some(at..at + 1);
        }
        let next = words.get(at + 1)?;
        let is_counter =
            is_number(word) && !is_number(next) && COUNTERS.iter().any(|counter| next.surface.starts_with(counter));
        let is_fraction = next.surface.starts_with("分の")
            || next.surface == "分"
                && words.get(at + 2).is_some_and(|word| word.surface == "の")
                && words.get(at + 3).is_some_and(is_number);
        (is_counter && !is_fraction).then_some(at..at + 2)
    })
}

#[cfg(test)]
mod tests {
    use super::Whereabouts;
    use crate::{
        checks::{Context, Draft, Material, Tuning},
        manuscript::Reading,
        morphology::Ipadic,
    };

    #[test]
    fn times_have_words_or_numbers_and_a_share_is_none() {
        let draft = Draft::read(
            "　朝の台所。八時に起きた。九月三日だ。三分の一を食べ、十分に眠った。\n",
            Reading::default(),
        );
        let (context, tuning) = (Context::default(), Tuning::default());
        let material = Material::of(&draft, &context, &tuning, Ipadic::shared());
        let told = Whereabouts::of(&material);
        let shown = |ranges: &[std::ops::Range<usize>]| {
            ranges
                .iter()
                .map(|range| &material.text()[range.clone()])
                .collect::<Vec<_>>()
                .join("/")
        };
        assert_eq!(
            (shown(&told.times), shown(&told.places)),
            ("朝/八時/九月/三日".to_owned(), "台所".to_owned())
        );
    }
}
