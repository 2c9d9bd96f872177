//! The twelve steps of a staged review (novel-checks §1) in order, with the rules and items of each.
//!
//! A step applies rules, items, or both; `checks` implements them. The durations help people to plan: fumi's own work
//! takes milliseconds, a model's judgement minutes.

use crate::checks::{
    RuleGroup,
    items::{EvaluationKind, item},
};

/// A phase of a staged review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewPhase {
    BasicQuality,
    StoryQuality,
    StructureQuality,
    ExpressionQuality,
}

impl ReviewPhase {
    /// Returns the name used in files and replies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BasicQuality => "basic_quality",
            Self::StoryQuality => "story_quality",
            Self::StructureQuality => "structure_quality",
            Self::ExpressionQuality => "expression_quality",
        }
    }
}

/// A step of a staged review.
#[derive(Clone, Copy, Debug)]
pub struct ReviewStep {
    /// The number from 1 to 12.
    pub id: u32,
    pub phase: ReviewPhase,
    /// The title in English.
    pub en: &'static str,
    /// The title in Japanese.
    pub ja: &'static str,
    /// The groups of rules that the step applies.
    pub groups: &'static [RuleGroup],
    /// The rules of those groups that the step applies; all if empty.
    pub rules: &'static [&'static str],
    /// The ids of the items that the step evaluates.
    pub items: &'static [&'static str],
    /// The approximate duration for a judge, in seconds.
    pub estimated_seconds: u32,
}

impl ReviewStep {
    /// Returns the number of items that need a judge.
    pub fn judged_items(&self) -> usize {
        let kinds = self.items.iter().filter_map(|id| item(id)).map(|item| item.page.kind);
        kinds.filter(|kind| *kind != EvaluationKind::Deterministic).count()
    }

    /// True if the step applies the rule, provided that the rule is in one of its groups.
    pub fn has_rule(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.contains(&rule)
    }
}

/// The rules about typing errors.
const TYPING: &[&str] = &[
    "doubled_particle",
    "repeated_word",
    "unknown_hiragana",
    "stray_voiced_mark",
    "decomposed_character",
    "replacement_character",
    "unbalanced_bracket",
    "assistant_remnant",
    "placeholder",
    "author_aside",
    "forbidden_expression",
    "overused_phrase",
    "misuse",
    "tautology",
    "ra_nuki",
    "sa_ire",
];

/// The rules about grammar and consistent spelling.
const SPELLING: &[&str] = &[
    "ellipsis",
    "dash",
    "half_width_mark",
    "space_after_mark",
    "period_before_bracket",
    "repeated_punctuation",
    "middle_dot_run",
    "long_vowel_run",
    "minus_sign",
    "arabic_digits",
    "half_width_kana",
    "half_width_bracket",
    "platform_character",
    "unread_ruby",
    "spelling_variant",
    "auxiliary_kanji",
    "double_honorific",
    "doubled_joshi",
    "ga_chain",
    "double_negative",
    "mixed_style",
    "i_nuki",
    "redundancy",
];

/// The rules about the layout and readability of a page.
const READING: &[&str] = &[
    "missing_indent",
    "indent_before_bracket",
    "leading_character",
    "long_paragraph",
    "single_sentence_paragraphs",
    "blank_lines",
    "trailing_space",
    "tab_character",
    "mixed_line_end",
    "kanji_run",
    "long_sentence",
    "comma_absence",
    "comma_excess",
];

/// The steps, in order.
pub const STEPS: [ReviewStep; 12] = [
    ReviewStep {
        id: 1,
        phase: ReviewPhase::BasicQuality,
        en: "Typing errors and leftovers",
        ja: "誤字脱字・書き残し",
        groups: &[RuleGroup::Basic, RuleGroup::Expression],
        rules: TYPING,
        items: &["A31-048"],
        estimated_seconds: 5,
    },
    ReviewStep {
        id: 2,
        phase: ReviewPhase::BasicQuality,
        en: "Grammar and consistent spelling",
        ja: "文法・表記統一",
        groups: &[RuleGroup::Basic, RuleGroup::Expression],
        rules: SPELLING,
        items: &["A31-044", "A31-045"],
        estimated_seconds: 5,
    },
    ReviewStep {
        id: 3,
        phase: ReviewPhase::BasicQuality,
        en: "Basic readability",
        ja: "読みやすさの基礎",
        groups: &[RuleGroup::Basic, RuleGroup::Rhythm, RuleGroup::Expression],
        rules: READING,
        items: &["A31-064", "A31-065"],
        estimated_seconds: 5,
    },
    ReviewStep {
        id: 4,
        phase: ReviewPhase::StoryQuality,
        en: "Consistency of the characters",
        ja: "キャラクターの一貫性",
        groups: &[],
        rules: &[],
        items: &[
            "A31-008", "A31-013", "A31-014", "A31-015", "A31-016", "A31-017", "A31-018", "A31-019", "A31-020",
            "A31-021", "A31-023", "A31-024",
        ],
        estimated_seconds: 90,
    },
    ReviewStep {
        id: 5,
        phase: ReviewPhase::StoryQuality,
        en: "Agreement with the plot",
        ja: "プロットとの整合",
        groups: &[],
        rules: &[],
        items: &["A31-026", "A31-031", "A31-034", "A31-035", "A31-036"],
        estimated_seconds: 60,
    },
    ReviewStep {
        id: 6,
        phase: ReviewPhase::StoryQuality,
        en: "The world and its rules",
        ja: "世界観",
        groups: &[],
        rules: &[],
        items: &[
            "A31-049", "A31-050", "A31-051", "A31-052", "A31-053", "A31-054", "A31-055", "A31-056", "A31-057",
            "A31-058",
        ],
        estimated_seconds: 90,
    },
    ReviewStep {
        id: 7,
        phase: ReviewPhase::StructureQuality,
        en: "Setup, development, turn, resolution",
        ja: "起承転結",
        groups: &[],
        rules: &[],
        items: &["A31-025", "A31-027", "A31-028", "A31-062"],
        estimated_seconds: 45,
    },
    ReviewStep {
        id: 8,
        phase: ReviewPhase::StructureQuality,
        en: "Foreshadowing",
        ja: "伏線",
        groups: &[],
        rules: &[],
        items: &["A31-032", "A31-033", "A31-063"],
        estimated_seconds: 30,
    },
    ReviewStep {
        id: 9,
        phase: ReviewPhase::StructureQuality,
        en: "Scene changes",
        ja: "シーン転換",
        groups: &[],
        rules: &[],
        items: &["A31-029", "A31-030", "A31-038"],
        estimated_seconds: 30,
    },
    ReviewStep {
        id: 10,
        phase: ReviewPhase::ExpressionQuality,
        en: "Expression",
        ja: "文章表現",
        groups: &[RuleGroup::Expression],
        rules: &[],
        items: &[
            "A31-001", "A31-002", "A31-003", "A31-004", "A31-005", "A31-006", "A31-007", "A31-009", "A31-010",
            "A31-011", "A31-012", "A31-037", "A31-039", "A31-040", "A31-046", "A31-047",
        ],
        estimated_seconds: 120,
    },
    ReviewStep {
        id: 11,
        phase: ReviewPhase::ExpressionQuality,
        en: "Rhythm",
        ja: "リズム",
        groups: &[RuleGroup::Rhythm],
        rules: &[],
        items: &["A31-022", "A31-041", "A31-042", "A31-043"],
        estimated_seconds: 10,
    },
    ReviewStep {
        id: 12,
        phase: ReviewPhase::ExpressionQuality,
        en: "Overall quality",
        ja: "総合品質認定",
        groups: &RuleGroup::ALL,
        rules: &[],
        items: &["A31-059", "A31-060", "A31-061", "A31-066", "A31-067", "A31-068"],
        estimated_seconds: 60,
    },
];

pub fn review_step(id: u32) -> Option<&'static ReviewStep> {
    STEPS.iter().find(|step| step.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::STEPS;
    use crate::checks::{RULES, items::ITEMS};

    #[test]
    fn every_item_is_evaluated_in_one_step_and_every_rule_in_one_before_the_last() {
        assert!(STEPS.iter().zip(1..).all(|(step, number)| step.id == number));
        let mut seen = BTreeSet::new();
        for id in STEPS.iter().flat_map(|step| step.items) {
            assert!(seen.insert((*id).to_owned()), "{id} is in two steps");
        }
        let all: BTreeSet<String> = ITEMS.iter().map(|item| item.id.clone()).collect();
        assert_eq!(seen, all);
        for rule in RULES.iter() {
            let mut steps = STEPS[..11].iter();
            assert!(
                steps.any(|step| step.groups.contains(&rule.page.group) && step.has_rule(rule.name)),
                "{}",
                rule.name
            );
        }
        for step in &STEPS {
            for name in step.rules {
                let known = RULES.iter().find(|rule| rule.name == *name);
                assert!(known.is_some_and(|rule| step.groups.contains(&rule.page.group)), "{}: {name}", step.id);
            }
        }
    }
}
