//! Rule `comma_excess`: finds sentences of narration with too many commas too close to each other. Commas of a list do
//! not count.

use std::ops::Range;

use super::RuleReporter;
use crate::{
    checks::{CheckMaterial, Finding, Severity, finding::Edit, metrics::is_comma},
    manuscript::is_kanji,
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (most, densest) = (found.limit("most"), found.limit("densest"));
    let metrics = material.metrics();
    let mut findings = Vec::new();
    for ((at, length), all) in metrics.lengths.sentences.iter().zip(&metrics.commas.of_sentences) {
        // This check is cheap and excludes most sentences.
        if *all <= most {
            continue;
        }
        let words = material.words_of(*at);
        let commas = counted(words);
        if commas.len() <= most || *length > densest * commas.len() {
            continue;
        }
        let needless = commas.iter().filter(|nth| is_needless(words, **nth));
        let needless = needless.map(|nth| words[*nth].source.clone());
        let mut finding =
            Finding::at(material.sentences()[*at].source()).with("count", commas.len()).with("limit", most);
        finding.edits = needless
            .filter(|comma: &Range<usize>| !material.is_protected(comma))
            .take(commas.len() - most)
            .map(|range| Edit { range, text: String::new() })
            .collect();
        findings.push((Severity::Low, finding));
    }
    found.push_habit(findings, metrics.lengths.sentences.len());
}

/// Returns the indices of the commas of a sentence that do not separate the members of a list.
fn counted(words: &[Morpheme<'_>]) -> Vec<usize> {
    let commas: Vec<usize> = (0..words.len()).filter(|at| words[*at].surface.starts_with(is_comma)).collect();
    let particles: Vec<Option<&str>> = commas.iter().map(|at| listing_particle(words, *at)).collect();
    let is_listed = |nth: usize| {
        let own = particles[nth];
        let beside = [nth.checked_sub(1), Some(nth + 1)].into_iter().flatten();
        own.is_some() && beside.into_iter().any(|other| particles.get(other) == Some(&own))
    };
    let among = commas.iter().enumerate();
    let apart = among.filter(|(nth, at)| !is_listed(*nth) && !is_between_nouns(words, **at));
    apart.map(|(_, at)| *at).collect()
}

/// True if the comma is between two nouns: 鍋、皿.
fn is_between_nouns(words: &[Morpheme<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &words[before]);
    let is_head = |word: &Morpheme<'_>| word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]);
    before.is_some_and(|word| word.has_parts(&["名詞"])) && words.get(at + 1).is_some_and(is_head)
}

/// Returns the listing particle before a comma, such as the も of 缶詰も、縄も.
fn listing_particle<'a>(words: &[Morpheme<'a>], at: usize) -> Option<&'a str> {
    let [noun, particle] = words.get(at.checked_sub(2)?..at)? else {
        return None;
    };
    let is_listing = particle.has_parts(&["助詞"])
        && matches!(
            particle.surface,
            "も" | "や" | "か" | "と" | "やら" | "だの" | "とか" | "なり" | "へ" | "から" | "まで"
        );
    (is_listing && noun.has_parts(&["名詞"])).then_some(particle.surface)
}

/// True if a comma follows the case particle を, に, で or へ, and no kana after it could be read together with them.
fn is_needless(words: &[Morpheme<'_>], at: usize) -> bool {
    let (before, after) = (&words[..at], &words[at + 1..]);
    let Some((case, before)) = before.split_last() else {
        return false;
    };
    let is_case = case.has_parts(&["助詞", "格助詞"]) && matches!(case.surface, "を" | "に" | "で" | "へ");
    let next = after.first().and_then(|word| word.surface.chars().next());
    let is_apart = next.is_some_and(|c| is_kanji(c) || ('ァ'..='ヺ').contains(&c));
    // 行く途中で, 着いた上に: a clause ends here, whatever the particle.
    let is_clause = matches!(before, [.., verb, noun] if noun.has_parts(&["名詞"]) && verb.inflection.is_some());
    // 一人は兄で、一人は弟だ: after the で of a copula another topic or subject follows.
    let clause = after.iter().take_while(|word| !word.surface.starts_with(is_comma));
    let is_copula = case.surface == "で"
        && clause.into_iter().any(|word| word.has_parts(&["助詞", "係助詞"]) || word.surface == "が");
    is_case && is_apart && !is_clause && !is_copula
}
