//! The scoring of items: from measurement and judgement to the score of an item, of its category, and of the whole
//! text.
//!
//! A judgement decides: in an item that is measured too, and in a group of items, it has a weight of [`JUDGEMENT`] and
//! the measurements have the rest. A hybrid item without a judgement has no score, only its measured value. A group has
//! a score if at least [`JUDGED_SHARE`] of its items that take a judgement have one (novel-editor §1).

use std::collections::BTreeMap;

use super::{AcceptedJudgement, EvaluationKind, ITEMS, Item, ItemCategory, Measure};
use crate::checks::{CheckMaterial, NovelContext};

/// The weight of judgements beside measurements (novel-editor §1.2). The rest is so small that an item judged under 0.4
/// stays low whatever is measured.
const JUDGEMENT: f64 = 0.85;

/// The smallest judged share of a group's items that take a judgement.
const JUDGED_SHARE: f64 = 0.5;

/// The origin of an item's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationMethod {
    /// The item was measured.
    Deterministic,
    /// The item was judged.
    Judged(super::Judge),
    /// The item lacks the judgement that it needs, has nothing to measure, or only shows a measured value.
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
    /// The measurement, if the item has one.
    pub measure: Option<Measure>,
    /// The judgement, if one was given.
    pub judged: Option<AcceptedJudgement>,
    /// True if the item takes a judgement and the novel has the texts that it compares with.
    pub is_judgeable: bool,
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
        all.push(Evaluation::new(item, material.context(), item.measured(material), judged.get(&item.id).cloned()));
    }
    Some(all)
}

impl Evaluation {
    /// Combines the measurement and the judgement of an item.
    pub fn new(
        item: &'static Item,
        context: &NovelContext,
        measure: Option<Measure>,
        judged: Option<AcceptedJudgement>,
    ) -> Self {
        let has_texts = item.page.compares_with.iter().all(|text| text.is_in(context));
        let is_judgeable = item.page.kind != EvaluationKind::Deterministic && (has_texts || judged.is_some());
        let measured = measure.as_ref().filter(|_| item.page.is_scored).and_then(|measure| measure.score);
        let judgement = judged.as_ref().map(|judged| (judged.judgement.score, EvaluationMethod::Judged(judged.by)));
        let (score, method) = match (item.page.kind, measured, judgement) {
            (EvaluationKind::Deterministic, Some(measured), _) => (Some(measured), EvaluationMethod::Deterministic),
            (EvaluationKind::Hybrid | EvaluationKind::Judged, measured, Some((judged, method))) => {
                (weighted_mean(Some(judged), measured), method)
            }
            _ => (None, EvaluationMethod::NotEvaluated),
        };
        Self { item, score, method, measure, judged, is_judgeable }
    }

    /// True if the item can have a score. Otherwise it only shows a measured value.
    pub fn can_have_score(&self) -> bool {
        match self.item.page.kind {
            EvaluationKind::Deterministic => self.item.page.is_scored,
            EvaluationKind::Hybrid | EvaluationKind::Judged => self.is_judgeable,
        }
    }
}

/// True if too few of the items that take a judgement have one for the group to have a score.
pub fn needs_judgement(items: &[&Evaluation]) -> bool {
    let judgeable = items.iter().filter(|one| one.is_judgeable);
    let judged = judgeable.clone().filter(|one| one.judged.is_some()).count();
    (judged as f64) < JUDGED_SHARE * judgeable.count() as f64
}

/// Returns the score of some items, from 0 to 1: the mean of the judged ones and that of the measured ones, weighted.
/// `None` if none was evaluated, or if the group needs judgements.
pub fn group_score(items: &[&Evaluation]) -> Option<f64> {
    if needs_judgement(items) {
        return None;
    }
    let mean_of = |is_judgeable: bool| {
        let of_kind = items.iter().filter(|one| one.is_judgeable == is_judgeable);
        mean(&of_kind.filter_map(|one| one.score).collect::<Vec<_>>())
    };
    weighted_mean(mean_of(true), mean_of(false))
}

fn weighted_mean(judged: Option<f64>, measured: Option<f64>) -> Option<f64> {
    match (judged, measured) {
        (Some(judged), Some(measured)) => Some(JUDGEMENT * judged + (1.0 - JUDGEMENT) * measured),
        (one, other) => one.or(other),
    }
}

fn mean(scores: &[f64]) -> Option<f64> {
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CategoryScore {
    pub category: ItemCategory,
    /// From 0 to the maximum of the category; `None` if too few of its items are judged.
    pub score: Option<f64>,
    /// The share of the category's items that can have a score and do.
    pub coverage: f64,
}

/// Returns the scores of all categories, in their order.
pub fn category_scores(all: &[Evaluation]) -> Vec<CategoryScore> {
    ItemCategory::ALL.map(|category| category_score(category, all)).to_vec()
}

fn category_score(category: ItemCategory, all: &[Evaluation]) -> CategoryScore {
    let own = all.iter().filter(|one| one.item.category == category && one.can_have_score());
    let own: Vec<&Evaluation> = own.collect();
    let evaluated = own.iter().filter(|one| one.score.is_some()).count();
    CategoryScore {
        category,
        score: group_score(&own).map(|score| f64::from(category.max()) * score),
        coverage: evaluated as f64 / own.len().max(1) as f64,
    }
}

/// Returns the overall score from 0 to 100, the mean of the categories weighted by their coverage (decision 38). `None`
/// unless each category has a score.
pub fn overall(categories: &[CategoryScore]) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for one in categories {
        sum += one.coverage * one.score? / f64::from(one.category.max());
        weights += one.coverage;
    }
    (weights > 0.0).then(|| 100.0 * sum / weights)
}
