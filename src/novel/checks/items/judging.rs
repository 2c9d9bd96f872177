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

/// Takes a judgement of an item, or says why not. A quotation stands in the text as a reader sees it, or as it is written;
/// line ends in it may differ. An item that compares the text with the settings takes quotations from them as well, beside at
/// least one from the text.
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
    let mut is_any_in_text = false;
    let settings: Vec<String> = if item.page.quotes_settings {
        material.context().world.iter().map(Yaml::words).collect()
    } else {
        Vec::new()
    };
    for quote in &judgement.quotes {
        let trimmed = quote.trim();
        if trimmed.chars().count() < SHORTEST {
            return Err(Refusal::TooShort(quote.clone()));
        }
        let is_there = |text: &str| text.contains(trimmed) || text.contains(&trimmed.replace("\r\n", "\n"));
        let is_in_text = is_there(material.text()) || is_there(material.manuscript().source());
        if !is_in_text && !settings.iter().any(|words| is_there(words)) {
            return Err(Refusal::NotInText(quote.clone()));
        }
        is_any_in_text |= is_in_text;
    }
    match judgement.quotes.first().filter(|_| !is_any_in_text) {
        Some(quote) => Err(Refusal::NotInText(quote.clone())),
        None => Ok(()),
    }
}
