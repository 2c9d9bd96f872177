//! Rule `machine_prose`: finds the patterns that language models repeat, weighed by how dense they are.

use std::ops::Range;

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::{Severity, finding::Finding, material::CheckMaterial},
    lexicons::machine_prose::{MACHINE_PROSE, without_overlaps},
    manuscript::TextVoice,
    morphology::Morpheme,
};

/// Conjunctions within a hedged pair: 小さな、しかし確かな.
const HEDGES: [&str; 11] =
    ["しかし", "だが", "けれど", "けれども", "それでいて", "それでも", "でも", "だけど", "されど", "しかも", "なのに"];

/// The maximum number of words from the conjunction to the second word of a hedged pair.
const HEDGE_REACH: usize = 5;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let mut places = Vec::new();
    for (_, sentence, words) in material.sentences_in_voice(TextVoice::Narration) {
        let start = sentence.visible().start;
        let text = &material.text()[sentence.visible()];
        let patterns =
            MACHINE_PROSE.find_in_sentence(text).into_iter().map(|range| start + range.start..start + range.end);
        let mut own: Vec<Range<usize>> = patterns.collect();
        for words in stretches::stretches(words).iter().filter(|stretch| !stretch.is_quoted).map(|own| own.words) {
            own.extend(
                MACHINE_PROSE.find(words).into_iter().chain(hedges(words)).map(|hit| phrasing::visible(&words[hit])),
            );
        }
        places.extend(without_overlaps(own));
    }
    let thousands = (material.characters() as f64 / 1_000.0).max(1.0);
    let density = places.len() as f64 / thousands;
    if density < found.threshold("dense") {
        return;
    }
    let severity = if density >= found.threshold("very_dense") { Severity::Medium } else { Severity::Low };
    let count = places.len();
    for place in places {
        let finding = phrasing::whole(material, Finding::at(material.source_of(&place)));
        found.push_with_severity(severity, finding.with("count", count));
    }
}

/// The kinds of words that a hedged pair joins.
#[derive(PartialEq, Eq)]
enum Modifier {
    /// Before a noun: 小さな, 温かい.
    Adnominal,
    /// Before a verb: 静かに, 小さく.
    Adverbial,
}

/// Returns the hedged pairs among words, as ranges of their indices.
fn hedges<'w>(words: &'w [Morpheme<'_>]) -> impl Iterator<Item = Range<usize>> + 'w {
    let conjunctions = (2..words.len()).filter(|at| HEDGES.contains(&words[*at].surface));
    conjunctions.filter_map(|at| {
        let before = at.checked_sub(2).filter(|_| words[at - 1].has_parts(&["記号", "読点"]))?;
        let kind = modifier(&words[before])?;
        let reach = words.len().min(at + 1 + HEDGE_REACH);
        let after = (at + 1..reach).find(|after| modifier(&words[*after]).is_some_and(|own| own == kind))?;
        let start = before.saturating_sub(usize::from(words[before].surface.chars().count() == 1));
        Some(start..after + 1)
    })
}

fn modifier(word: &Morpheme<'_>) -> Option<Modifier> {
    let form = word.inflection.map_or("", |inflection| inflection.form);
    let is_adjective = word.has_parts(&["形容詞"]);
    if word.has_parts(&["連体詞"]) || (is_adjective && form == "基本形") || (word.base == "だ" && form == "体言接続")
    {
        return Some(Modifier::Adnominal);
    }
    let is_adverb = word.has_parts(&["助詞", "副詞化"]) || (is_adjective && form == "連用テ接続");
    is_adverb.then_some(Modifier::Adverbial)
}
