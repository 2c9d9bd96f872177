//! Judgements of items by a model or a person, accepted only with quotations that occur in the text.

use super::{ComparedText, EvaluationKind, Item};
use crate::{checks::CheckMaterial, project::YamlValue};

/// The minimum number of characters of a quotation; shorter ones occur in every text.
const SHORTEST: usize = 4;

/// The author of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, fumi_base::Named)]
pub enum Judge {
    /// The caller: a person, or the host's model.
    Host,
    /// The model of the client, through sampling.
    #[named("llm_sampling")]
    Sampling,
    /// The model of a configured provider.
    #[named("llm_provider")]
    Provider,
}

/// A judgement of an item, not yet verified.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The score, from 0 to 1.
    pub score: f64,
    /// Literal quotations from the text as evidence.
    pub quotes: Vec<String>,
    /// The reason for the score in one or two sentences; empty if the judge gave none.
    pub comment: String,
}

/// A judgement with its author, accepted by [`verify`].
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptedJudgement {
    pub by: Judge,
    pub judgement: Judgement,
}

/// The reason for rejecting a judgement.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgementError {
    /// The item does not exist.
    NoItem,
    /// The item is measured and takes no judgement.
    MeasuredOnly,
    /// The score is not from 0 to 1.
    ScoreOutOfRange(f64),
    /// The judgement has no quotations.
    NoQuotes,
    /// A quotation is too short as evidence.
    TooShort(String),
    /// A quotation does not occur in the text.
    NotInText(String),
}

/// Verifies a judgement of an item. A quotation must occur in the visible text or in the source; line ends within it
/// may differ. For an item that compares the text with the settings, quotations may also come from the settings, but at
/// least one must come from the text.
pub fn verify(item: &Item, material: &CheckMaterial<'_>, judgement: &Judgement) -> Result<(), JudgementError> {
    if item.page.kind == EvaluationKind::Deterministic {
        return Err(JudgementError::MeasuredOnly);
    }
    if !(0.0..=1.0).contains(&judgement.score) {
        return Err(JudgementError::ScoreOutOfRange(judgement.score));
    }
    if judgement.quotes.is_empty() {
        return Err(JudgementError::NoQuotes);
    }
    let mut is_any_in_text = false;
    let settings: Vec<String> = if item.page.compares_with.contains(&ComparedText::Settings) {
        material.context().world.iter().map(YamlValue::words).collect()
    } else {
        Vec::new()
    };
    for quote in &judgement.quotes {
        let trimmed = quote.trim();
        if trimmed.chars().count() < SHORTEST {
            return Err(JudgementError::TooShort(quote.clone()));
        }
        let is_there = |text: &str| text.contains(trimmed) || text.contains(&trimmed.replace("\r\n", "\n"));
        let is_in_text = is_there(material.text()) || is_there(material.manuscript().source());
        if !is_in_text && !settings.iter().any(|words| is_there(words)) {
            return Err(JudgementError::NotInText(quote.clone()));
        }
        is_any_in_text |= is_in_text;
    }
    match judgement.quotes.first().filter(|_| !is_any_in_text) {
        Some(quote) => Err(JudgementError::NotInText(quote.clone())),
        None => Ok(()),
    }
}
