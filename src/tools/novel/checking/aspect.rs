//! Aspects and items in replies: scores with their method, and evidence and advice for what is low.

use fumi_base::text::Locale;
use fumi_novel::{
    checks::{
        aspects::AspectScore,
        items::{Evaluation, EvaluationMethod},
    },
    reviewing,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CheckContext, hundredths, issue::IssueReport, tenths};

/// The maximum number of evidence places shown for an item.
const PLACES: usize = 3;

/// The maximum length of an excerpt, in characters.
const EXCERPT: usize = 40;

/// An aspect of a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct AspectReport {
    /// From 0 to 100; absent if nothing was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    method: &'static str,
    /// The evaluated share of the aspect, from 0 to 1.
    coverage: f64,
    /// The findings of its rules, the most severe first.
    issues: Vec<IssueReport>,
    /// The items that contribute to the score, besides the issues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<AspectPart>,
    /// The items of the aspect with low scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    low_items: Vec<ItemReport>,
}

/// An item as a part of an aspect's score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct AspectPart {
    item_id: String,
    /// From 0 to 1.
    score: f64,
    method: &'static str,
    /// The measured number, in the unit of the item's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The line of the first place with evidence, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// An item that was evaluated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ItemReport {
    item_id: String,
    title: String,
    category: &'static str,
    /// From 0 to 1; absent if the item was not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    method: &'static str,
    /// The confidence in the score, from 0 to 1.
    confidence: f64,
    /// The measured number, in the unit of the item's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The places with evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<EvidencePlace>,
    /// Advice for the writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct EvidencePlace {
    /// The line, counted from 1; 0 for a quotation of the judge.
    line: usize,
    excerpt: String,
}

impl AspectReport {
    pub(super) fn from_score(seen: &CheckContext<'_>, one: &AspectScore<'_>) -> Self {
        let rules = one.aspect.rules;
        Self {
            score: one.score.map(tenths),
            method: one.method.name(),
            coverage: hundredths(one.coverage),
            issues: if rules.is_empty() {
                Vec::new()
            } else {
                seen.issues_of(|rule| rules.contains(&rule))
            },
            evidence: one
                .evaluations
                .iter()
                .filter_map(|item| AspectPart::from_evaluation(seen, item))
                .collect(),
            low_items: one
                .low_items()
                .into_iter()
                .map(|low| ItemReport::with_advice(seen, low))
                .collect(),
        }
    }

    pub(super) fn shown(&self) -> &[IssueReport] {
        &self.issues
    }

    /// Returns one line for the aspect, and a line for each low item.
    pub(super) fn lines(&self, name: &str) -> Vec<String> {
        let score = self.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let mut lines = vec![format!("{name} {score} ({}, {})", self.method, self.coverage)];
        if !self.evidence.is_empty() {
            let parts = self.evidence.iter().map(AspectPart::words).collect::<Vec<_>>();
            lines.push(format!("  {}", parts.join(", ")));
        }
        lines.extend(self.low_items.iter().map(|item| format!("  {}", item.line())));
        lines
    }
}

impl AspectPart {
    /// Returns the part for an item, or `None` if the item has no score.
    fn from_evaluation(seen: &CheckContext<'_>, one: &Evaluation) -> Option<Self> {
        Some(Self {
            item_id: one.item.id.clone(),
            score: hundredths(one.score?),
            method: one.method.name(),
            value: value(one),
            line: evidence(seen, one)
                .first()
                .map(|place| place.line)
                .filter(|line| *line > 0),
        })
    }

    /// Returns the item in the form `A31-028 0.85 (0.21)`.
    fn words(&self) -> String {
        let value = self.value.map_or_else(String::new, |value| format!(" ({value})"));
        format!("{} {}{value}", self.item_id, self.score)
    }
}

/// Returns the measured number behind a score, if there is one.
fn value(one: &Evaluation) -> Option<f64> {
    one.measure.as_ref()?.value.map(hundredths)
}

impl ItemReport {
    /// Returns an item with its evidence.
    pub(super) fn from_evaluation(seen: &CheckContext<'_>, one: &Evaluation) -> Self {
        Self {
            item_id: one.item.id.clone(),
            title: reviewing::words(one.item, seen.job.locale).title.clone(),
            category: one.item.category.name(),
            score: one.score.map(hundredths),
            method: one.method.name(),
            confidence: one.confidence,
            value: value(one),
            evidence: evidence(seen, one),
            advice: None,
        }
    }

    /// Returns an item with its evidence and advice for the writer.
    pub(super) fn with_advice(seen: &CheckContext<'_>, one: &Evaluation) -> Self {
        let advice = &reviewing::words(one.item, seen.job.locale).advice;
        Self {
            advice: Some(
                advice
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(joint(seen.job.locale)),
            ),
            ..Self::from_evaluation(seen, one)
        }
    }

    pub(super) fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    /// Returns the item as one line of text.
    pub(super) fn line(&self) -> String {
        let score = self.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let value = self.value.map_or_else(String::new, |value| format!(", {value}"));
        let advice = self.advice.as_deref().unwrap_or_default();
        let places: Vec<String> = self
            .evidence
            .iter()
            .map(|place| format!("{}:{}", place.line, place.excerpt))
            .collect();
        format!(
            "{} {} {score} ({}{value}) {advice} {}",
            self.item_id,
            self.title,
            self.method,
            places.join(" / ")
        )
        .trim_end()
        .to_owned()
    }
}

/// Returns the separator between joined lines of a page: Japanese has no spaces between them.
const fn joint(locale: Locale) -> &'static str {
    match locale {
        Locale::En => " ",
        Locale::Ja => "",
    }
}

/// Returns the quotations of the judge, or the measured places if the item was not judged.
fn evidence(seen: &CheckContext<'_>, one: &Evaluation) -> Vec<EvidencePlace> {
    let source = seen.material.manuscript().source();
    let cut = |text: &str| {
        let line = text.lines().next().unwrap_or_default();
        match line.char_indices().nth(EXCERPT) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line.to_owned(),
        }
    };
    if let (EvaluationMethod::Judged(_), Some(judged)) = (one.method, &one.judged) {
        let quotes = judged.judgement.quotes.iter().take(PLACES);
        return quotes
            .map(|quote| EvidencePlace {
                line: source
                    .find(quote.trim())
                    .map_or(0, |at| seen.material.manuscript().position(at).line),
                excerpt: cut(quote),
            })
            .collect();
    }
    let places = one.measure.iter().flat_map(|measure| &measure.places).take(PLACES);
    places
        .map(|place| EvidencePlace {
            line: seen.material.manuscript().position(place.start).line,
            excerpt: cut(&source[place.clone()]),
        })
        .collect()
}
