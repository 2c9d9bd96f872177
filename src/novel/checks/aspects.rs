//! The aspects of a text that `check_story_structure` and `check_writing_expression` report, composed of rules and
//! items in `aspects.toml`.
//!
//! An aspect has no formula of its own. Its items are scored as a group ([`group_score`]), its rules count as much as one
//! item. `coverage` is the share of its parts that were evaluated.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::{
    Finding, Score,
    items::{Evaluation, EvaluationMethod, group_score, needs_judgement},
};

/// The highest score at which an item still counts as an issue of its aspect.
pub const LOW: f64 = 0.5;

/// An aspect of a text: a weighted set of rules and items.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aspect {
    /// The name in the specification.
    pub name: String,
    /// The weight in the overall score.
    pub weight: f64,
    /// The names of the rules whose findings lower the score.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The ids of the items that measure or judge the aspect.
    #[serde(default)]
    pub items: Vec<String>,
}

/// The parsed contents of `aspects.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AspectTables {
    /// The aspects of `check_story_structure`.
    pub structure: [Aspect; 5],
    /// The aspects of `check_writing_expression`.
    pub expression: [Aspect; 5],
}

/// The aspects, loaded on first use.
pub static ASPECTS: LazyLock<AspectTables> =
    LazyLock::new(|| embedded::toml("aspects.toml", include_str!("aspects.toml")));

/// The result of evaluating an aspect.
#[derive(Clone, Debug)]
pub struct AspectScore<'e> {
    pub aspect: &'static Aspect,
    /// From 0 to 100; `None` if no part was evaluated, or too few items are judged.
    pub score: Option<f64>,
    /// The share of the aspect's parts that were evaluated, from 0 to 1.
    pub coverage: f64,
    /// The method of the score: that of a judged item if there is one, else deterministic.
    pub method: EvaluationMethod,
    /// The evaluated items of the aspect.
    pub evaluations: Vec<&'e Evaluation>,
    /// True if too few of its items are judged for a score.
    needs_judgement: bool,
}

impl<'e> AspectScore<'e> {
    /// Scores an aspect from the findings of its rules and the evaluations of its items. `characters` is the length of
    /// the text.
    pub fn evaluate(aspect: &'static Aspect, findings: &[Finding], characters: usize, all: &'e [Evaluation]) -> Self {
        let own = all.iter().filter(|one| aspect.items.contains(&one.item.id) && one.can_have_score());
        let own: Vec<&Evaluation> = own.collect();
        let of_rules = (!aspect.rules.is_empty() && characters > 0).then(|| {
            let found = findings.iter().filter(|finding| aspect.rules.iter().any(|rule| rule == finding.rule));
            Score::from_findings(&found.cloned().collect::<Vec<_>>(), characters)
        });
        let evaluations: Vec<&Evaluation> = own.iter().copied().filter(|one| one.score.is_some()).collect();
        let score = score_with_rules(of_rules, &own);
        let parts = evaluations.len() + usize::from(of_rules.is_some());
        let total = own.len() + usize::from(!aspect.rules.is_empty());
        let judged =
            evaluations.iter().map(|one| one.method).find(|method| matches!(method, EvaluationMethod::Judged(_)));
        Self {
            aspect,
            score,
            coverage: parts as f64 / total.max(1) as f64,
            method: match (score, judged) {
                (None, _) => EvaluationMethod::NotEvaluated,
                (Some(_), Some(judged)) => judged,
                (Some(_), None) => EvaluationMethod::Deterministic,
            },
            evaluations,
            needs_judgement: needs_judgement(&own),
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

/// Returns the score of rules and items together, from 0 to 100: the rules count as much as one item. `None` if neither
/// was evaluated, or if the items need judgements.
pub fn score_with_rules(rules: Option<Score>, items: &[&Evaluation]) -> Option<f64> {
    if needs_judgement(items) {
        return None;
    }
    let count = items.iter().filter(|one| one.score.is_some()).count() as f64;
    match (rules, group_score(items).map(|score| 100.0 * score)) {
        (Some(rules), Some(items)) => Some((rules.0 + items * count) / (1.0 + count)),
        (rules, items) => rules.map(|score| score.0).or(items),
    }
}

/// Returns the overall score from 0 to 100, the mean of the aspects' scores weighted by weight times coverage (decision
/// 38), and the share of the total weight that this covers. The score is `None` while an aspect needs judgements.
pub fn overall_score(aspects: &[AspectScore<'_>]) -> (Option<f64>, f64) {
    let (mut sum, mut weights, mut all) = (0.0, 0.0, 0.0);
    for one in aspects {
        let weight = one.aspect.weight * one.coverage;
        sum += weight * one.score.unwrap_or_default();
        weights += weight;
        all += one.aspect.weight;
    }
    let has_score = weights > 0.0 && !aspects.iter().any(|one| one.needs_judgement);
    (has_score.then(|| sum / weights), if all > 0.0 { weights / all } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ASPECTS;
    use crate::checks::{
        RULES, RuleGroup,
        items::{EvaluationKind, item},
    };

    #[test]
    fn every_rule_of_expression_is_in_one_aspect_and_every_item_exists() {
        let rules: Vec<&str> = ASPECTS.expression.iter().flat_map(|aspect| &aspect.rules).map(String::as_str).collect();
        let group = RULES.iter().filter(|rule| rule.page.group == RuleGroup::Expression);
        assert_eq!(rules.iter().copied().collect::<BTreeSet<_>>(), group.map(|rule| rule.name).collect());
        assert_eq!(rules.iter().collect::<BTreeSet<_>>().len(), rules.len(), "a rule is in two aspects");
        for aspect in ASPECTS.structure.iter().chain(&ASPECTS.expression) {
            assert!(aspect.items.iter().all(|id| item(id).is_some()), "{}: {:?}", aspect.name, aspect.items);
        }
    }

    /// `check_writing_expression` asks for no judgement.
    #[test]
    fn no_item_of_expression_takes_a_judgement() {
        let items = ASPECTS.expression.iter().flat_map(|aspect| &aspect.items).filter_map(|id| item(id));
        let judged: Vec<&str> =
            items.filter(|item| item.page.kind != EvaluationKind::Deterministic).map(|item| item.name).collect();
        assert_eq!(judged, [""; 0]);
    }

    /// The reports of the tools take the aspects by their places.
    #[test]
    fn the_aspects_stand_in_the_order_of_the_reports() {
        let names: Vec<&str> =
            ASPECTS.structure.iter().chain(&ASPECTS.expression).map(|aspect| &*aspect.name).collect();
        let structure = "story_integration pacing_rhythm foreshadowing_recovery character_psychology_consistency \
            genre_appropriateness";
        let expression = "naturalness descriptive_power metaphor_rhetoric style_consistency readability";
        assert_eq!(names.join(" "), format!("{structure} {expression}"));
    }
}
