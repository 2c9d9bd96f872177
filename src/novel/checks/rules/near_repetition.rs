//! Rule `near_repetition`: finds nouns and verbs that occur in several consecutive sentences.

use std::collections::{HashMap, HashSet};

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::material::CheckMaterial,
    manuscript::{SpanKind, TextVoice},
    morphology::{Morpheme, WordOrigin},
};

/// Words too common to count as repetitions.
const COMMON: [&str; 23] = [
    "する",
    "いる",
    "居る",
    "ある",
    "有る",
    "なる",
    "成る",
    "言う",
    "いう",
    "云う",
    "思う",
    "おもう",
    "見る",
    "みる",
    "行く",
    "いく",
    "来る",
    "くる",
    "やる",
    "できる",
    "出来る",
    "出る",
    "自分",
];

/// A word repeated in consecutive sentences.
#[derive(Debug)]
pub(in crate::checks) struct WordRepetition<'w, 'a> {
    /// The first occurrence of the word.
    pub first: &'w Morpheme<'a>,
    /// The number of consecutive sentences that contain it.
    pub sentences: usize,
}

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for row in repeated_words(material, found.limit("run")) {
        let finding = phrasing::at(material, std::slice::from_ref(row.first));
        found.push(finding.with("value", row.first.base).with("count", row.sentences));
    }
}

/// Returns the words that occur in at least `run` consecutive sentences, in order.
pub(in crate::checks) fn repeated_words<'w, 'a>(
    material: &'w CheckMaterial<'a>,
    run: usize,
) -> Vec<WordRepetition<'w, 'a>> {
    let mut rows: HashMap<&str, WordRepetition<'_, '_>> = HashMap::new();
    let mut ended: Vec<WordRepetition<'_, '_>> = Vec::new();
    let mut breaks = breaks(material).into_iter().peekable();
    for (at, sentence) in material.sentences().iter().enumerate() {
        let is_narration = sentence.is_story() && sentence.voice == TextVoice::Narration;
        let start = sentence.source().start;
        let mut is_parted = !is_narration;
        while breaks.next_if(|place| *place < start).is_some() {
            is_parted = true;
        }
        if is_parted {
            ended.extend(rows.drain().map(|(_, row)| row));
        }
        if !is_narration {
            continue;
        }
        let mut own: HashSet<&str> = HashSet::new();
        for word in stretches::unquoted(material.words_of(at)).filter(|word| is_looked_at(word)) {
            if own.insert(word.base) {
                rows.entry(word.base)
                    .and_modify(|row| row.sentences += 1)
                    .or_insert(WordRepetition { first: word, sentences: 1 });
            }
        }
        ended.extend(rows.extract_if(|base, _| !own.contains(base)).map(|(_, row)| row));
    }
    ended.extend(rows.into_values());
    ended.retain(|row| row.sentences >= run);
    ended.sort_by_key(|row| row.first.visible.start);
    ended
}

/// Returns the places in the source where scenes end.
fn breaks(material: &CheckMaterial<'_>) -> Vec<usize> {
    let spans = material.manuscript().spans().iter();
    let breaks = spans.filter(|span| matches!(span.kind, SpanKind::SceneBreak(_) | SpanKind::Heading { .. }));
    let mut places: Vec<usize> = breaks.map(|span| span.range.start).collect();
    places.sort_unstable();
    places
}

fn is_looked_at(word: &Morpheme<'_>) -> bool {
    let is_noun = word.has_parts(&["名詞"]) && !word.has_parts(&["名詞", "副詞可能"]);
    word.is_content()
        && word.origin != WordOrigin::Name
        && (is_noun || word.has_parts(&["動詞"]))
        && !COMMON.contains(&word.base)
}
