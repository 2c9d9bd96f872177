//! Mentions of times and places: words of the lexicons, times with a number, the places of the settings.
//!
//! A word counts wherever it occurs; whether a scene takes place there is not determined.

use std::ops::Range;

use crate::{
    checks::material::CheckMaterial,
    lexicons::SETTING,
    morphology::{Morpheme, NameKind, WordOrigin},
};

/// The beginnings of time counters.
const COUNTERS: [&str; 10] = ["時", "分", "秒", "日", "月", "年", "週", "か月", "ヶ月", "世紀"];

/// The mentions of times and places, as ranges of the visible text, in order.
#[derive(Clone, Debug, Default)]
pub struct TimePlaceMentions {
    /// The mentions of times.
    pub times: Vec<Range<usize>>,
    /// The mentions of places.
    pub places: Vec<Range<usize>>,
}

impl TimePlaceMentions {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut told = Self::default();
        for (at, _) in material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story()) {
            let words = material.words_of(at);
            let range = |hit: Range<usize>| words[hit.start].visible.start..words[hit.end - 1].visible.end;
            told.times.extend(SETTING.time.find(words).into_iter().map(|hit| range(hit.words)));
            told.times.extend(numbered(words).map(range));
            told.places.extend(SETTING.place.find(words).into_iter().map(|hit| range(hit.words)));
        }
        let glossary = material.glossary();
        let places = glossary.mentions.iter().filter(|mention| glossary.entries[mention.entry].kind == NameKind::Place);
        told.places.extend(places.map(|mention| material.words()[mention.word].visible.clone()));
        told.times.sort_by_key(|range| range.start);
        told.places.sort_by_key(|range| range.start);
        told
    }

    /// True if a mention of a time begins in a range of the visible text.
    pub fn mentions_time(&self, visible: &Range<usize>) -> bool {
        begins_in(&self.times, visible)
    }

    /// True if a mention of a place begins in a range of the visible text.
    pub fn mentions_place(&self, visible: &Range<usize>) -> bool {
        begins_in(&self.places, visible)
    }
}

fn begins_in(told: &[Range<usize>], visible: &Range<usize>) -> bool {
    let first = told.partition_point(|range| range.start < visible.start);
    told.get(first).is_some_and(|range| range.start < visible.end)
}

/// Iterates over numbers with a time counter: 八時, 九月, 三日後. Fractions such as 三分の一 do not count.
fn numbered<'w>(words: &'w [Morpheme<'_>]) -> impl Iterator<Item = Range<usize>> + 'w {
    let is_number = |word: &Morpheme<'_>| word.has_parts(&["名詞", "数"]) && word.origin != WordOrigin::Name;
    (0..words.len()).filter_map(move |at| {
        let word = &words[at];
        let mut digits = "〇一二三四五六七八九十百千0123456789０１２３４５６７８９".chars();
        if word.has_parts(&["名詞", "副詞可能"]) {
            // 一日 and 九月 are single words in the dictionary.
            let begins = word.surface.chars().next().is_some_and(|first| digits.any(|digit| digit == first));
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
    use super::TimePlaceMentions;
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    #[test]
    fn fractions_are_not_times() {
        let draft = AnalysedDraft::read(
            "　朝の台所。八時に起きた。九月三日だ。三分の一を食べ、十分に眠った。\n",
            ManuscriptOptions::default(),
        );
        let (context, tuning) = (NovelContext::default(), Tuning::default());
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let told = TimePlaceMentions::from_material(&material);
        let shown = |ranges: &[std::ops::Range<usize>]| {
            ranges.iter().map(|range| &material.text()[range.clone()]).collect::<Vec<_>>().join("/")
        };
        assert_eq!((shown(&told.times), shown(&told.places)), ("朝/八時/九月/三日".to_owned(), "台所".to_owned()));
    }
}
