//! The arithmetic of the items: from measurement and judgement to a score, from scores to categories and one number.
//!
//! Weights are 1. A hybrid item is 0.3 of its prior and 0.7 of its judgement; a prior alone counts at confidence 0.5
//! (decisions 38, 39). A category's score is its maximum times the mean of what was evaluated; `coverage` says how much that is.

use std::collections::BTreeMap;

use super::{Category, ITEMS, Item, Judged, Kind, Measure};
use crate::checks::Material;

/// How much of a hybrid item's score its measurement is, where there is a judgement (decision 39).
const PRIOR: f64 = 0.3;

/// How much is to be believed of a measurement that a judgement should decide (decision 39).
const PRIOR_ALONE: f64 = 0.5;

/// How an item came to its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// It was measured.
    Deterministic,
    /// It was judged.
    Judged(super::Judge),
    /// Nobody judged it, or there is nothing to measure.
    NotEvaluated,
}

impl Method {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::Judged(judge) => judge.name(),
            Self::NotEvaluated => "not_evaluated",
        }
    }
}

/// What came of an item.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The item.
    pub item: &'static Item,
    /// From 0 to 1; none where it is not evaluated.
    pub score: Option<f64>,
    /// How.
    pub method: Method,
    /// How much is to be believed of it, from 0 to 1.
    pub confidence: f64,
    /// What was measured, if anything was.
    pub measure: Option<Measure>,
    /// What was judged, if anybody did.
    pub judged: Option<Judged>,
}

/// Evaluates the items that are asked for. Judgements are taken as they are: whoever brings them has verified them. `None` when the token says to
/// stop.
#[must_use]
pub fn evaluate(
    material: &Material<'_>,
    judged: &BTreeMap<String, Judged>,
    is_asked: impl Fn(&Item) -> bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<Vec<Evaluation>> {
    let mut all = Vec::with_capacity(ITEMS.len());
    for item in ITEMS.iter().filter(|item| is_asked(item)) {
        if is_cancelled() {
            return None;
        }
        all.push(Evaluation::of(
            item,
            item.measured(material),
            judged.get(&item.id).cloned(),
        ));
    }
    Some(all)
}

impl Evaluation {
    /// Of a measurement and a judgement.
    #[must_use]
    pub fn of(item: &'static Item, measure: Option<Measure>, judged: Option<Judged>) -> Self {
        let measured = measure.as_ref().and_then(|measure| measure.score);
        let judgement = judged
            .as_ref()
            .map(|judged| (judged.judgement.score, Method::Judged(judged.by)));
        let (score, method, confidence) = match (item.page.kind, measured, judgement) {
            (Kind::Deterministic, Some(measured), _) => (Some(measured), Method::Deterministic, 1.0),
            (Kind::Hybrid, Some(prior), Some((judged, method))) => {
                (Some(PRIOR * prior + (1.0 - PRIOR) * judged), method, 1.0)
            }
            (Kind::Hybrid, Some(prior), None) => (Some(prior), Method::Deterministic, PRIOR_ALONE),
            (Kind::Hybrid | Kind::Judged, _, Some((judged, method))) => (Some(judged), method, 1.0),
            _ => (None, Method::NotEvaluated, 0.0),
        };
        Self {
            item,
            score,
            method,
            confidence,
            measure,
            judged,
        }
    }
}

/// The score of a category.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CategoryScore {
    /// Which.
    pub category: Category,
    /// From 0 to the maximum; none where nothing was evaluated.
    pub score: Option<f64>,
    /// How many of its items were evaluated, as a share.
    pub coverage: f64,
}

/// The scores of the categories, in their order.
#[must_use]
pub fn category_scores(all: &[Evaluation]) -> Vec<CategoryScore> {
    Category::ALL.map(|category| category_score(category, all)).to_vec()
}

#[expect(clippy::cast_precision_loss, reason = "there are 68 items")]
fn category_score(category: Category, all: &[Evaluation]) -> CategoryScore {
    let own = all.iter().filter(|one| one.item.category == category);
    let scores: Vec<f64> = own.clone().filter_map(|one| one.score).collect();
    let (evaluated, total) = (scores.len() as f64, own.count().max(1) as f64);
    CategoryScore {
        category,
        score: (!scores.is_empty()).then(|| f64::from(category.max()) * scores.iter().sum::<f64>() / evaluated),
        coverage: evaluated / total,
    }
}

/// One number from 0 to 100: the mean of the categories, each weighted by its coverage (decision 38).
#[must_use]
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
