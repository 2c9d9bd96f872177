//! Judgements that were brought to a review: one line each, the newest of an item last.
//!
//! Two opinions of one item are averaged; where they differ by more than [`APART`] the item is unstable (novel-checks 2.6).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{kept::Review, lines};
use crate::{
    checks::items::{Judge, Judged, Judgement},
    errors::reviewing::ReviewError,
    writing::Moment,
};

/// How far two opinions may be apart (novel-checks 2.6).
const APART: f64 = 0.3;

/// How many opinions of an item count, the newest (novel-checks 2.6: k = 2 at most).
const OPINIONS: usize = 2;

/// A judgement, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgementLine {
    /// The item.
    pub item_id: String,
    /// From 0 to 1.
    pub score: f64,
    /// Exact parts of the text.
    pub quotes: Vec<String>,
    /// `host`, `llm_sampling` or `llm_provider`.
    pub method: String,
    /// When.
    pub judged_at: Moment,
    /// The manuscript that was judged.
    pub sha256: String,
}

/// The opinions of a review.
#[derive(Clone, Debug, Default)]
pub struct Opinions {
    /// By item.
    pub judged: BTreeMap<String, Judged>,
    /// Items of which two opinions are far apart.
    pub unstable: Vec<String>,
}

impl Review {
    /// Keeps judgements.
    pub fn keep_judgements(&self, judgements: &[JudgementLine]) -> Result<(), ReviewError> {
        if judgements.is_empty() {
            return Ok(());
        }
        lines::add(self.shelf(), &self.path("judgements.jsonl"), judgements)
    }

    /// What was judged of this very manuscript.
    pub fn opinions(&self, sha256: &str) -> Result<Opinions, ReviewError> {
        let all: Vec<JudgementLine> = lines::read(self.shelf(), &self.path("judgements.jsonl"))?;
        let own = all.into_iter().filter(|line| line.sha256 == sha256);
        Ok(Opinions::of(own))
    }
}

impl Opinions {
    /// Of judgements, the oldest first.
    #[must_use]
    pub fn of(lines: impl IntoIterator<Item = JudgementLine>) -> Self {
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

/// One judgement from several of the same item.
#[expect(clippy::cast_precision_loss, reason = "there are at most two")]
fn mean(lines: &[JudgementLine]) -> Option<Judged> {
    let last = lines.last()?;
    let by = match last.method.as_str() {
        "llm_sampling" => Judge::Sampling,
        "llm_provider" => Judge::Provider,
        _ => Judge::Host,
    };
    let score = lines.iter().map(|line| line.score).sum::<f64>() / lines.len() as f64;
    Some(Judged {
        by,
        judgement: Judgement {
            score,
            quotes: last.quotes.clone(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{JudgementLine, Opinions};
    use crate::writing::Moment;

    #[test]
    fn two_opinions_are_averaged_and_told_when_they_are_far_apart() {
        let line = |item: &str, score| JudgementLine {
            item_id: item.to_owned(),
            score,
            quotes: Vec::new(),
            method: "llm_sampling".to_owned(),
            judged_at: Moment::parse("2025-09-04T10:30:00Z").expect("a time"),
            sha256: String::new(),
        };
        let lines = [
            line("a", 0.0),
            line("a", 0.4),
            line("a", 0.6),
            line("b", 0.2),
            line("b", 0.9),
        ];
        let opinions = Opinions::of(lines);
        assert!((opinions.judged["a"].judgement.score - 0.5).abs() < 1e-9);
        assert_eq!(opinions.unstable, ["b"]);
    }
}
