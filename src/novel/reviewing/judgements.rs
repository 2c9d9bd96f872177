//! Judgements added to a review: one line each, the newest of an item last.
//!
//! The two newest opinions of an item are averaged; if they differ by more than [`APART`], the item is unstable
//! (novel-checks 2.6).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{json_lines, review_store::ManuscriptReview};
use crate::{
    checks::items::{AcceptedJudgement, Judge, Judgement},
    errors::reviewing::ReviewError,
    writing::UtcTime,
};

/// The largest difference of two opinions of a stable item (novel-checks 2.6).
const APART: f64 = 0.3;

/// The number of newest opinions of an item that count (novel-checks 2.6: k = 2 at most).
const OPINIONS: usize = 2;

/// A judgement as stored in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgementLine {
    /// The id of the judged item.
    pub item_id: String,
    /// The score from 0 to 1.
    pub score: f64,
    /// Exact quotations from the text.
    pub quotes: Vec<String>,
    /// The reason for the score; empty in judgements of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// The origin of the judgement: `host`, `llm_sampling` or `llm_provider`.
    pub method: String,
    pub judged_at: UtcTime,
    /// The SHA-256 hash of the judged manuscript.
    pub sha256: String,
}

/// The combined opinions of a review.
#[derive(Clone, Debug, Default)]
pub struct CombinedJudgements {
    /// The combined judgements by item.
    pub judged: BTreeMap<String, AcceptedJudgement>,
    /// Items whose two opinions differ too much.
    pub unstable: Vec<String>,
}

impl ManuscriptReview {
    /// Appends judgements to the review's file.
    pub fn keep_judgements(&self, judgements: &[JudgementLine]) -> Result<(), ReviewError> {
        if judgements.is_empty() {
            return Ok(());
        }
        json_lines::add(self.shelf(), &self.path("judgements.jsonl"), judgements)
    }

    /// Returns the combined judgements of the manuscript with this hash.
    pub fn opinions(&self, sha256: &str) -> Result<CombinedJudgements, ReviewError> {
        let all: Vec<JudgementLine> = json_lines::read(self.shelf(), &self.path("judgements.jsonl"))?;
        let own = all.into_iter().filter(|line| line.sha256 == sha256);
        Ok(CombinedJudgements::from_lines(own))
    }
}

impl CombinedJudgements {
    /// Combines judgements, which are given from oldest to newest.
    pub fn from_lines(lines: impl IntoIterator<Item = JudgementLine>) -> Self {
        let mut by_item: BTreeMap<String, Vec<JudgementLine>> = BTreeMap::new();
        for line in lines {
            by_item.entry(line.item_id.clone()).or_default().push(line);
        }
        let mut opinions = Self::default();
        for (item, mut lines) in by_item {
            let over = lines.len().saturating_sub(OPINIONS);
            lines.drain(..over);
            if let Some(judged) = mean(&lines) {
                let scores = || lines.iter().map(|line| line.score);
                let apart = scores().fold(f64::MIN, f64::max) - scores().fold(f64::MAX, f64::min);
                if apart > APART {
                    opinions.unstable.push(item.clone());
                }
                opinions.judged.insert(item, judged);
            }
        }
        opinions.unstable.sort();
        opinions
    }
}

/// Combines several judgements of the same item into one.
fn mean(lines: &[JudgementLine]) -> Option<AcceptedJudgement> {
    let last = lines.last()?;
    let by = match last.method.as_str() {
        "llm_sampling" => Judge::Sampling,
        "llm_provider" => Judge::Provider,
        _ => Judge::Host,
    };
    let score = lines.iter().map(|line| line.score).sum::<f64>() / lines.len() as f64;
    Some(AcceptedJudgement {
        by,
        judgement: Judgement { score, quotes: last.quotes.clone(), comment: last.comment.clone() },
    })
}

#[cfg(test)]
mod tests {
    use super::{CombinedJudgements, JudgementLine};
    use crate::writing::UtcTime;

    #[test]
    fn newest_two_opinions_are_averaged_and_unstable_items_listed() {
        let line = |item: &str, score| JudgementLine {
            item_id: item.to_owned(),
            score,
            quotes: Vec::new(),
            comment: String::new(),
            method: "llm_sampling".to_owned(),
            judged_at: UtcTime::parse("2025-09-04T10:30:00Z").expect("a time"),
            sha256: String::new(),
        };
        let lines = [line("a", 0.0), line("a", 0.4), line("a", 0.6), line("b", 0.2), line("b", 0.9)];
        let opinions = CombinedJudgements::from_lines(lines);
        assert!((opinions.judged["a"].judgement.score - 0.5).abs() < 1e-9);
        assert_eq!(opinions.unstable, ["b"]);
    }
}
