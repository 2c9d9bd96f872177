//! The rules: each a Rust file that searches, and its manual page beside it. To add one: the two files, and its name in
//! the list.
//!
//! A rule only reports its findings with the edits that would fix them. What applies to all rules is decided in
//! [`RuleReporter::push`]: scope, severity, protected ranges, and that words in speech are never corrected.

mod passages;
mod phrasing;
mod raised_acts;
mod rates;
mod repeated_in_clause;
mod sentence_run;
mod signs;
mod stretches;
mod unwanted;
mod whole_text;

use std::sync::LazyLock;

pub(super) use near_repetition::repeated_words as rows_of_words;
pub(super) use simile_excess::similes;
pub(crate) use spelling_variant::spelling_occurrences;
pub(crate) use stretches::narration_stretches;

use super::{
    Severity,
    finding::{Finding, FixLevel},
    material::CheckMaterial,
    page::{RulePage, RuleScope},
};
use crate::manuscript::TextVoice;
use fumi_base::embedded;

/// The least number of findings of one kind that may be the narrator's style.
const HABIT: usize = 3;

/// A rule that searches a text for one kind of error.
#[derive(Debug)]
pub struct CheckRule {
    /// The name in snake case, also that of its page.
    pub name: &'static str,
    /// The parsed manual page.
    pub page: RulePage,
    check: fn(&CheckMaterial<'_>, &mut RuleReporter<'_, '_>),
}

/// Declares the rules; each is a module and a page of the same name.
macro_rules! rules {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// All rules, in the order of the list.
        pub static RULES: LazyLock<Vec<CheckRule>> = LazyLock::new(|| {
            vec![$(CheckRule::new(stringify!($name), include_str!(concat!(stringify!($name), ".toml")), $name::check),)*]
        });
    };
}

rules! {
    // The group `basic`.
    arabic_digits,
    assistant_remnant,
    author_aside,
    blank_lines,
    dash,
    decomposed_character,
    doubled_particle,
    ellipsis,
    forbidden_expression,
    half_width_bracket,
    half_width_kana,
    half_width_mark,
    indent_before_bracket,
    leading_character,
    long_paragraph,
    long_vowel_run,
    middle_dot_run,
    minus_sign,
    missing_indent,
    mixed_line_end,
    overused_phrase,
    period_before_bracket,
    placeholder,
    platform_character,
    repeated_punctuation,
    repeated_word,
    replacement_character,
    single_sentence_paragraphs,
    space_after_mark,
    stray_voiced_mark,
    tab_character,
    trailing_space,
    typo,
    unbalanced_bracket,
    unknown_hiragana,
    unread_ruby,
    western_punctuation,
    // The group `rhythm`.
    comma_absence,
    comma_excess,
    conjunction_excess,
    ending_repetition,
    long_sentence,
    long_sentence_run,
    monotonous_length,
    noun_ending_excess,
    phrase_repetition,
    same_sentence_head,
    script_balance,
    short_sentence_run,
    // The group `expression`.
    auxiliary_kanji,
    cliche,
    concord,
    demonstrative_cluster,
    direct_emotion,
    double_honorific,
    double_negative,
    doubled_joshi,
    ga_chain,
    humble_honorific,
    i_nuki,
    kanji_run,
    machine_prose,
    misconversion,
    missing_particle,
    misuse,
    mixed_style,
    near_repetition,
    okurigana,
    ra_nuki,
    redundancy,
    sa_ire,
    simile_excess,
    spelling_variant,
    tari,
    tautology,
    twisted_predicate,
    viewpoint_slip,
    wrong_particle,
    // The group `proofreading`.
    author_query,
    contradiction,
    correction,
}

impl CheckRule {
    fn new(name: &'static str, page: &str, check: fn(&CheckMaterial<'_>, &mut RuleReporter<'_, '_>)) -> Self {
        let page = embedded::toml(&format!("{name}.toml"), page);
        Self { name, page, check }
    }
}

pub fn rule(name: &str) -> Option<&'static CheckRule> {
    RULES.iter().find(|rule| rule.name == name)
}

pub(super) fn rule_of_finding(name: &str) -> &'static CheckRule {
    rule(name).expect("every finding names a listed rule")
}

/// Returns the findings of selected rules, without disabled ones, in the order of the text.
pub(super) fn run_selected_rules(material: &CheckMaterial<'_>, is_asked: impl Fn(&CheckRule) -> bool) -> Vec<Finding> {
    let rules = RULES.iter().filter(|rule| is_asked(rule) && !material.tuning().is_disabled(rule.name));
    let mut findings: Vec<Finding> = rules.flat_map(|rule| run_rule(rule, material)).collect();
    findings.sort_by_key(|finding| finding.source.start);
    findings
}

/// Runs a rule and returns its findings.
pub(crate) fn run_rule(rule: &'static CheckRule, material: &CheckMaterial<'_>) -> Vec<Finding> {
    let mut found = RuleReporter { rule, material, findings: Vec::new() };
    (rule.check)(material, &mut found);
    found.findings
}

/// The findings of one rule so far.
#[derive(Debug)]
pub struct RuleReporter<'m, 'a> {
    rule: &'static CheckRule,
    material: &'m CheckMaterial<'a>,
    findings: Vec<Finding>,
}

impl RuleReporter<'_, '_> {
    /// Returns a threshold of the rule, as configured, else as on its page.
    pub fn threshold(&self, name: &str) -> f64 {
        self.material.tuning().threshold(self.rule.name, &self.rule.page.threshold, name)
    }

    /// Returns a threshold that is a count.
    pub fn limit(&self, name: &str) -> usize {
        self.material.tuning().limit(self.rule.name, &self.rule.page.threshold, name)
    }

    /// Reports a finding with the severity of the page.
    pub fn push(&mut self, finding: Finding) {
        let severity = self.rule.page.severity;
        self.push_with_severity(severity, finding);
    }

    /// Reports a finding if it is within the scope of the rule. Removes its edits if they are not allowed there.
    pub fn push_with_severity(&mut self, severity: Severity, mut finding: Finding) {
        let voice = self.material.voice_at(finding.source.start);
        let is_looked_at = match self.rule.page.scope {
            RuleScope::All => true,
            RuleScope::Narration => voice == TextVoice::Narration,
            RuleScope::Dialogue => voice == TextVoice::Dialogue,
        };
        if !is_looked_at {
            return;
        }
        finding.rule = self.rule.name;
        finding.severity = severity;
        if !self.allows(&finding) {
            finding.edits.clear();
        }
        if finding.confidence == 0.0 {
            finding.confidence = self.rule.page.fix.map_or(0.0, confidence);
        }
        self.findings.push(finding);
    }

    /// Reports findings that may belong to the narrator's style: if they are at least [`HABIT`] and at least the threshold
    /// `style_share` of `units` (the sentences or paragraphs of narration), all are `info`. With a preset for the screen
    /// they keep their severities, because such readers tire of long passages in any style.
    pub fn push_habit(&mut self, findings: Vec<(Severity, Finding)>, units: usize) {
        if self.material.context().is_on_screen() {
            for (severity, finding) in findings {
                self.push_with_severity(severity, finding);
            }
        } else {
            self.push_manner(findings, units);
        }
    }

    /// Reports findings that may belong to the narrator's manner of speaking, whatever the reader reads on: as
    /// [`Self::push_habit`] does without a preset for the screen.
    pub fn push_manner(&mut self, findings: Vec<(Severity, Finding)>, units: usize) {
        let share = self.threshold("style_share");
        let is_style = findings.len() >= HABIT && findings.len() as f64 >= share * units as f64;
        for (severity, finding) in findings {
            self.push_with_severity(if is_style { Severity::Info } else { severity }, finding);
        }
    }

    /// True if all edits of a finding are allowed: words of speech and protected ranges must not change.
    fn allows(&self, finding: &Finding) -> bool {
        let Some(level) = self.rule.page.fix else { return false };
        if level == FixLevel::Named {
            // The edit of a proofreader's correction was verified at its place when the correction was accepted.
            return true;
        }
        finding.edits.iter().all(|edit| {
            let is_speech = self.material.voice_at(edit.range.start) != TextVoice::Narration;
            // Only signs are fixed across markup: replacing half of an emphasised word would leave the other half.
            let is_word = level != FixLevel::Safe;
            let is_kept = is_word && (is_speech || self.material.has_marks(&edit.range));
            !is_kept && !self.material.is_protected(&edit.range) && !self.material.extends_ruby(edit)
        })
    }
}

/// Returns the default confidence of a fix of a level (novel-checks 2.7).
const fn confidence(level: FixLevel) -> f64 {
    match level {
        FixLevel::Safe => 0.98,
        FixLevel::Standard => 0.88,
        FixLevel::Aggressive | FixLevel::Named => 0.6,
    }
}
