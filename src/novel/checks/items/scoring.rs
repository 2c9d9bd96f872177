//! The scoring of items: from measurement and judgement to the score of an item, of its category, and of the whole
//! text.
//!
//! Items have equal weight. The score of a hybrid item is 0.3 of its prior and 0.7 of its judgement; a prior alone has
//! a confidence of 0.5 (decisions 38, 39). A category's score is its maximum times the mean of its evaluated items;
//! `coverage` is their share.

use std::collections::BTreeMap;

use super::{AcceptedJudgement, EvaluationKind, ITEMS, Item, ItemCategory, Measure};
use crate::checks::CheckMaterial;

/// The weight of the measurement in the score of a hybrid item with a judgement (decision 39).
const PRIOR: f64 = 0.3;

/// The confidence of the measurement of a hybrid item without a judgement (decision 39).
const PRIOR_ALONE: f64 = 0.5;

/// The origin of an item's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationMethod {
    /// The item was measured.
    Deterministic,
    /// The item was judged.
    Judged(super::Judge),
    /// The item has neither a judgement nor anything to measure.
    NotEvaluated,
}

impl EvaluationMethod {
    /// Returns the serialised name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::Judged(judge) => judge.name(),
            Self::NotEvaluated => "not_evaluated",
        }
    }
}

/// The evaluation of an item.
#[derive(Clone, Debug)]
pub struct Evaluation {
    pub item: &'static Item,
    /// From 0 to 1; `None` if the item was not evaluated.
    pub score: Option<f64>,
    /// The origin of the score.
    pub method: EvaluationMethod,
    /// The confidence in the score, from 0 to 1.
    pub confidence: f64,
    /// The measurement, if the item has one.
    pub measure: Option<Measure>,
    /// The judgement, if one was given.
    pub judged: Option<AcceptedJudgement>,
}

/// Evaluates the items that `is_asked` selects. Judgements must be verified by the caller. Returns `None` if cancelled.
pub fn evaluate(
    material: &CheckMaterial<'_>,
    judged: &BTreeMap<String, AcceptedJudgement>,
    is_asked: impl Fn(&Item) -> bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<Vec<Evaluation>> {
    let mut all = Vec::with_capacity(ITEMS.len());
    for item in ITEMS.iter().filter(|item| is_asked(item)) {
        if is_cancelled() {
            return None;
        }
        all.push(Evaluation::new(item, item.measured(material), judged.get(&item.id).cloned()));
    }
    Some(all)
}

impl Evaluation {
    /// Combines the measurement and the judgement of an item.
    pub fn new(item: &'static Item, measure: Option<Measure>, judged: Option<AcceptedJudgement>) -> Self {
        let measured = measure.as_ref().and_then(|measure| measure.score);
        let judgement = judged.as_ref().map(|judged| (judged.judgement.score, EvaluationMethod::Judged(judged.by)));
        let (score, method, confidence) = match (item.page.kind, measured, judgement) {
            (EvaluationKind::Deterministic, Some(measured), _) => {
                (Some(measured), EvaluationMethod::Deterministic, 1.0)
            }
            (EvaluationKind::Hybrid, Some(prior), Some((judged, method))) => {
                (Some(PRIOR * prior + (1.0 - PRIOR) * judged), method, 1.0)
            }
            (EvaluationKind::Hybrid, Some(prior), None) => (Some(prior), EvaluationMethod::Deterministic, PRIOR_ALONE),
            (EvaluationKind::Hybrid | EvaluationKind::Judged, _, Some((judged, method))) => (Some(judged), method, 1.0),
            _ => (None, EvaluationMethod::NotEvaluated, 0.0),
        };
        Self { item, score, method, confidence, measure, judged }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CategoryScore {
    pub category: ItemCategory,
    /// From 0 to the maximum of the category; `None` if no item was evaluated.
    pub score: Option<f64>,
    /// The share of the category's items that were evaluated.
    pub coverage: f64,
}

/// Returns the scores of all categories, in their order.
pub fn category_scores(all: &[Evaluation]) -> Vec<CategoryScore> {
    ItemCategory::ALL.map(|category| category_score(category, all)).to_vec()
}

fn category_score(category: ItemCategory, all: &[Evaluation]) -> CategoryScore {
    let own = all.iter().filter(|one| one.item.category == category);
    let scores: Vec<f64> = own.clone().filter_map(|one| one.score).collect();
    let (evaluated, total) = (scores.len() as f64, own.count().max(1) as f64);
    CategoryScore {
        category,
        score: (!scores.is_empty()).then(|| f64::from(category.max()) * scores.iter().sum::<f64>() / evaluated),
        coverage: evaluated / total,
    }
}

/// Returns the overall score from 0 to 100, the mean of the categories weighted by their coverage (decision 38).
pub fn overall(categories: &[CategoryScore]) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for one in categories {
        let Some(score) = one.score else { continue };
        let max = f64::from(one.category.max());
        let weight = one.coverage;
        sum += weight * score / max;
        weights += weight;
    }
    (weights > 0.0).then(|| 100.0 * sum / weights)
}
