//! The typed facts of an episode, and their verification against the manuscript.

use fumi_base::text::Locale;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    checks::{Contradiction, Severity},
    manuscript::Manuscript,
    reviewing::ReviewId,
    writing::UtcTime,
};

/// The state of an episode: what its reader noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeState {
    pub episode: u32,
    /// The review in which the state was recorded; `None` if the author wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<ReviewId>,
    /// The SHA-256 hash of the manuscript that was read.
    pub sha256: String,
    /// The origin of the facts: `host`, `llm_sampling` or `llm_provider`.
    pub method: String,
    pub recorded_at: UtcTime,
    /// The plot of the episode in a few sentences.
    pub summary: String,
    #[serde(default)]
    pub facts: Vec<StoryFact>,
    /// The contradictions that the reader noted.
    #[serde(default)]
    pub contradictions: Vec<NotedContradiction>,
}

/// Something that is true after an episode, with the passage that states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryFact {
    pub kind: StoryFactKind,
    /// The person, place or thing.
    pub subject: String,
    /// The aspect of the subject: 利き手, 段数, the person who is addressed; `None` if the kind says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    pub value: String,
    /// The passage, with or without its ruby.
    pub quote: String,
}

/// The kind of a fact, in the order in which the kinds are explained to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, fumi_base::Named)]
#[serde(rename_all = "snake_case")]
pub enum StoryFactKind {
    /// A lasting trait of a person or thing.
    Attribute,
    /// A count, size, age or date that stays the same.
    Number,
    /// The pronoun that a person uses for themselves.
    FirstPerson,
    /// The form in which the subject addresses the person in `about`.
    Address,
    /// The writing or the reading of a name.
    Name,
    /// The place of the subject at the end.
    Place,
    /// An injury or an illness, and death.
    Condition,
    /// A thing that the subject has at the end.
    Possession,
    /// A fact that the subject knows by now.
    Knowledge,
    /// The time at which the episode happens.
    Time,
    /// A promise that the subject gave.
    Promise,
    /// A question that the story has not answered yet.
    Question,
}

/// A contradiction that a reader noted: two passages that cannot both be true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedContradiction {
    /// The passage of this episode.
    pub quote: String,
    /// The episode of the other passage; 0 for the settings.
    pub episode: u32,
    /// The other passage.
    pub other_quote: String,
    /// The reason in one sentence.
    pub reason: String,
}

/// The reason for rejecting a fact or a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactError {
    /// A text that must not be empty is empty.
    Empty,
    /// The quotation is not in the manuscript.
    NotInText,
    /// The other quotation is not in the text that it names.
    OtherNotInText,
    /// A contradiction names one passage twice.
    ItsOwnQuote,
}

impl StoryFactKind {
    /// Returns the kind in words.
    pub const fn words(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::Attribute, Locale::Ja) => "特徴",
            (Self::Number, Locale::Ja) => "数",
            (Self::FirstPerson, Locale::Ja) => "一人称",
            (Self::Address, Locale::Ja) => "呼び方",
            (Self::Name, Locale::Ja) => "名前",
            (Self::Place, Locale::Ja) => "居場所",
            (Self::Condition, Locale::Ja) => "体調",
            (Self::Possession, Locale::Ja) => "持ち物",
            (Self::Knowledge, Locale::Ja) => "知っていること",
            (Self::Time, Locale::Ja) => "時",
            (Self::Promise, Locale::Ja) => "約束",
            (Self::Question, Locale::Ja) => "問い",
            (_, Locale::En) => self.name(),
        }
    }

    /// True if later episodes must not state another value without a reason.
    pub const fn is_lasting(self) -> bool {
        matches!(self, Self::Attribute | Self::Number | Self::FirstPerson | Self::Address | Self::Name)
    }
}

impl StoryFact {
    /// Returns the reason for which the fact cannot be accepted for a manuscript, if any.
    pub fn verify(&self, manuscript: &Manuscript) -> Result<(), FactError> {
        if [&self.subject, &self.value, &self.quote].iter().any(|text| text.trim().is_empty()) {
            return Err(FactError::Empty);
        }
        if is_quoted(manuscript, &self.quote) { Ok(()) } else { Err(FactError::NotInText) }
    }
}

impl NotedContradiction {
    /// True if a contradiction of facts is about the same passages.
    pub fn is_same(&self, known: &Contradiction) -> bool {
        let overlaps = |one: &str, other: &str| one.contains(other) || other.contains(one);
        known.episode == self.episode
            && overlaps(&known.quote, &self.quote)
            && overlaps(&known.other_quote, &self.other_quote)
    }
}

impl From<&NotedContradiction> for Contradiction {
    fn from(noted: &NotedContradiction) -> Self {
        let NotedContradiction { quote, episode, other_quote, reason } = noted.clone();
        Self { quote, episode, other_quote, reason, severity: Severity::High }
    }
}

/// True if the text, with or without its ruby, contains the quotation.
pub(crate) fn is_quoted(manuscript: &Manuscript, quote: &str) -> bool {
    let quote = quote.trim();
    !quote.is_empty() && (manuscript.visible().text().contains(quote) || manuscript.source().contains(quote))
}
