//! Rule `ending_repetition`: finds consecutive sentences of narration that end in the same two characters or in the
//! same form.

use std::{cmp::Reverse, ops::Range};

use super::{RuleReporter, sentence_run};
use crate::{
    checks::{CheckMaterial, Severity},
    manuscript::TextVoice,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (same_ending, same_class) = (found.limit("same_ending"), found.limit("same_class"));
    let endings = &material.metrics().endings;
    let heard = endings.same_last_characters.iter().filter(|run| run.len() >= same_ending);
    let heard = heard.map(|run| (run, endings.of_sentences[run.start].last_characters.as_str()));
    let formed = endings.same_class.iter().filter(|run| run.len() >= same_class);
    let formed = formed.map(|run| (run, endings.of_sentences[run.start].class.sound()));
    let runs = apart(heard.chain(formed).collect(), endings.of_sentences.len());
    let thousands = material.characters_in_voice(TextVoice::Narration) as f64 / 1_000.0;
    let severity = if runs.len() as f64 > found.threshold("rate") * thousands { Severity::Low } else { Severity::Info };
    for (run, value) in runs {
        found.push_with_severity(severity, sentence_run::finding(material, run).with("value", value));
    }
}

/// Returns the runs that share no sentence with a longer one, in order.
fn apart<'m>(mut runs: Vec<(&'m Range<usize>, &'m str)>, sentences: usize) -> Vec<(&'m Range<usize>, &'m str)> {
    runs.sort_by_key(|(run, _)| (Reverse(run.len()), run.start));
    let mut is_taken = vec![false; sentences];
    runs.retain(|(run, _)| {
        let own = &mut is_taken[(*run).clone()];
        let is_free = !own.contains(&true);
        own.fill(true);
        is_free
    });
    runs.sort_by_key(|(run, _)| run.start);
    runs
}
