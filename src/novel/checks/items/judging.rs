//! Judgements: what a model or a person says of an item, taken only with quotations that stand in the text.

use super::{Item, Kind};
use crate::{checks::Material, project::Yaml};

/// How many characters a quotation has at least: shorter ones stand in every text.
const SHORTEST: usize = 4;

/// Who judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// Whoever called: a person, or the host's model.
    Host,
    /// The client's model.
    Sampling,
    /// A provider's model.
    Provider,
}

impl Judge {
    /// As `method` names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Sampling => "llm_sampling",
            Self::Provider => "llm_provider",
        }
    }
}

/// What somebody says of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// From 0 to 1.
    pub score: f64,
    /// Exact parts of the text.
    pub quotes: Vec<String>,
}

/// A judgement that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Who judged.
    pub by: Judge,
    /// What.
    pub judgement: Judgement,
}

/// Why a judgement is not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// There is no such item.
    NoItem,
    /// The item is measured and asks for none.
    NotAsked,
    /// The score is not from 0 to 1.
    Score(f64),
    /// It quotes nothing.
    NoQuotes,
    /// A quotation is too short to prove anything.
    TooShort(String),
    /// A quotation is not in the text.
    NotInText(String),
}

/// Takes a judgement of an item, or says why not. Quotations stand in the text as a reader sees it, or as it is written; beside
/// them some may stand in the settings, which the text is compared with.
pub fn verify(item: &Item, material: &Material<'_>, judgement: &Judgement) -> Result<(), Refusal> {
    if item.page.kind == Kind::Deterministic {
        return Err(Refusal::NotAsked);
    }
    if !(0.0..=1.0).contains(&judgement.score) {
        return Err(Refusal::Score(judgement.score));
    }
    if judgement.quotes.is_empty() {
        return Err(Refusal::NoQuotes);
    }
    let is_in = |text: &str, quote: &str| text.contains(quote) || text.contains(&quote.replace("\r\n", "\n"));
    let is_in_text = |quote: &str| is_in(material.text(), quote) || is_in(material.manuscript().source(), quote);
    let settings = || material.context().world.iter().map(Yaml::words);
    let is_in_settings = |quote: &str| settings().any(|words| is_in(&words, quote));
    let mut evidence = 0;
    for quote in &judgement.quotes {
        let trimmed = quote.trim();
        if trimmed.chars().count() < SHORTEST {
            return Err(Refusal::TooShort(quote.clone()));
        }
        if is_in_text(trimmed) {
            evidence += 1;
        } else if !is_in_settings(trimmed) {
            return Err(Refusal::NotInText(quote.clone()));
        }
    }
    // What is compared with the settings must stand in the text.
    if evidence == 0 {
        return Err(Refusal::NotInText(judgement.quotes[0].clone()));
    }
    Ok(())
}
