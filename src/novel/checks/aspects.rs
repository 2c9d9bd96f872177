//! The aspects of a text that `check_story_structure` and `check_writing_expression` report, composed of rules and
//! items.
//!
//! An aspect has no formula of its own. Its score is the mean of its parts: the score of its rules' findings, and each
//! of its items that was evaluated. An item that was not evaluated is not a part; `coverage` is the share of the parts
//! that were.

use super::{
    Finding, Score,
    items::{Evaluation, EvaluationMethod},
};

/// The highest score at which an item still counts as an issue of its aspect.
pub const LOW: f64 = 0.5;

/// An aspect of a text: a weighted set of rules and items.
#[derive(Clone, Copy, Debug)]
pub struct Aspect {
    /// The name in the specification.
    pub name: &'static str,
    /// The weight in the overall score.
    pub weight: f64,
    /// The names of the rules whose findings lower the score.
    pub rules: &'static [&'static str],
    /// The ids of the items that measure or judge the aspect.
    pub items: &'static [&'static str],
}

/// The aspects of `check_story_structure`, with their weights (novel-checks 2.3).
pub const STRUCTURE: [Aspect; 5] = [
    Aspect {
        name: "story_integration",
        weight: 0.25,
        rules: &[],
        items: &["A31-026", "A31-031", "A31-034", "A31-050", "A31-068"],
    },
    Aspect {
        name: "pacing_rhythm",
        weight: 0.2,
        rules: &[],
        items: &["A31-025", "A31-027", "A31-028", "A31-029", "A31-030", "A31-062"],
    },
    Aspect { name: "foreshadowing_recovery", weight: 0.2, rules: &[], items: &["A31-032", "A31-033"] },
    Aspect {
        name: "character_psychology_consistency",
        weight: 0.2,
        rules: &[],
        items: &["A31-005", "A31-008", "A31-013", "A31-014", "A31-016", "A31-017"],
    },
    Aspect { name: "genre_appropriateness", weight: 0.15, rules: &[], items: &["A31-022", "A31-058", "A31-067"] },
];

/// The aspects of `check_writing_expression` (novel-checks 2.4), of equal weight.
pub const EXPRESSION: [Aspect; 5] = [
    Aspect {
        name: "naturalness",
        weight: 1.0,
        rules: &[
            "doubled_joshi",
            "ga_chain",
            "double_negative",
            "ra_nuki",
            "sa_ire",
            "i_nuki",
            "double_honorific",
            "misuse",
            "tautology",
            "redundancy",
            "auxiliary_kanji",
        ],
        items: &[],
    },
    Aspect {
        name: "descriptive_power",
        weight: 1.0,
        rules: &["direct_emotion"],
        items: &["A31-001", "A31-002", "A31-003", "A31-037", "A31-038", "A31-055"],
    },
    Aspect {
        name: "metaphor_rhetoric",
        weight: 1.0,
        rules: &["cliche", "simile_excess"],
        items: &["A31-039", "A31-040"],
    },
    Aspect {
        name: "style_consistency",
        weight: 1.0,
        rules: &["mixed_style", "viewpoint_slip", "spelling_variant"],
        items: &["A31-044"],
    },
    Aspect {
        name: "readability",
        weight: 1.0,
        rules: &["kanji_run", "near_repetition", "demonstrative_cluster"],
        items: &["A31-043", "A31-046", "A31-047", "A31-064"],
    },
];

/// The result of evaluating an aspect.
#[derive(Clone, Debug)]
pub struct AspectScore<'e> {
    pub aspect: Aspect,
    /// From 0 to 100; `None` if no part was evaluated.
    pub score: Option<f64>,
    /// The share of the aspect's parts that were evaluated, from 0 to 1.
    pub coverage: f64,
    /// The method of the score: that of a judged item if there is one, else deterministic.
    pub method: EvaluationMethod,
    /// The evaluated items of the aspect.
    pub evaluations: Vec<&'e Evaluation>,
}

impl<'e> AspectScore<'e> {
    /// Scores an aspect from the findings of its rules and the evaluations of its items. `characters` is the length of
    /// the text.
    pub fn evaluate(aspect: Aspect, findings: &[Finding], characters: usize, all: &'e [Evaluation]) -> Self {
        let mut parts: Vec<f64> = Vec::new();
        let has_rules = !aspect.rules.is_empty();
        if has_rules && characters > 0 {
            let own: Vec<Finding> =
                findings.iter().filter(|finding| aspect.rules.contains(&finding.rule)).cloned().collect();
            parts.push(Score::from_findings(&own, characters).0 / 100.0);
        }
        let own = all.iter().filter(|one| aspect.items.contains(&one.item.id.as_str()));
        let evaluations: Vec<&Evaluation> = own.filter(|one| one.score.is_some()).collect();
        parts.extend(evaluations.iter().filter_map(|one| one.score));
        let total = aspect.items.len() + usize::from(has_rules);
        let judged =
            evaluations.iter().map(|one| one.method).find(|method| matches!(method, EvaluationMethod::Judged(_)));
        Self {
            aspect,
            score: (!parts.is_empty()).then(|| 100.0 * parts.iter().sum::<f64>() / parts.len() as f64),
            coverage: parts.len() as f64 / total.max(1) as f64,
            method: match (parts.is_empty(), judged) {
                (true, _) => EvaluationMethod::NotEvaluated,
                (false, Some(judged)) => judged,
                (false, None) => EvaluationMethod::Deterministic,
            },
            evaluations,
        }
    }

    /// Returns the items that score at most [`LOW`], the lowest first.
    pub fn low_items(&self) -> Vec<&'e Evaluation> {
        let mut low: Vec<&Evaluation> = self.evaluations.clone();
        low.retain(|one| one.score.is_some_and(|score| score <= LOW));
        low.sort_by(|one, other| one.score.partial_cmp(&other.score).unwrap_or(std::cmp::Ordering::Equal));
        low
    }
}

/// Returns the overall score from 0 to 100, the mean of the aspects' scores weighted by weight times coverage (decision
/// 38), and the share of the total weight that this covers.
pub fn overall_score(aspects: &[AspectScore<'_>]) -> (Option<f64>, f64) {
    let (mut sum, mut weights, mut all) = (0.0, 0.0, 0.0);
    for one in aspects {
        all += one.aspect.weight;
        let Some(score) = one.score else { continue };
        let weight = one.aspect.weight * one.coverage;
        sum += weight * score;
        weights += weight;
    }
    let coverage = if all > 0.0 { weights / all } else { 0.0 };
    ((weights > 0.0).then(|| sum / weights), coverage)
}
