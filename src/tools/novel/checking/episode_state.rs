//! The state of an episode by a reader: facts and contradictions, verified at the texts, stored, and requested from a
//! model or the host.

use fumi_base::text::{BilingualText, Locale};
use fumi_novel::{
    checks::items::{ComparedText, Judge},
    errors::reviewing::ReviewError,
    memory::{self, EpisodeState, FactError, NotedContradiction, Remembering, StoryFact, StoryFactKind},
    reviewing::{self, CheckedManuscript, ManuscriptReview},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    CheckContext, CheckJob, now,
    review_question::{AskedManuscript, ReviewQuestion},
};

/// The maximum length of the record of earlier episodes in the question, in characters.
const RECORD: usize = 16_000;

/// The maximum numbers of facts and contradictions in one answer.
const FACTS: usize = 100;
const CONTRADICTIONS: usize = 50;

/// The state of an episode.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct SubmittedState {
    /// What happens in the episode, in a few sentences.
    #[schemars(length(min = 10, max = 1000))]
    summary: String,
    /// What is true after the episode.
    #[schemars(length(min = 1, max = 100))]
    facts: Vec<SubmittedFact>,
    /// Passages that contradict others.
    #[schemars(length(max = 50))]
    #[serde(default)]
    contradictions: Vec<SubmittedContradiction>,
}

/// A fact with the passage that states it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
struct SubmittedFact {
    /// The kind of fact.
    kind: StoryFactKind,
    /// The person, place or thing.
    #[schemars(length(min = 1, max = 100))]
    subject: String,
    /// What is stated about it.
    #[schemars(length(max = 100))]
    about: Option<String>,
    /// The value.
    #[schemars(length(min = 1, max = 200))]
    value: String,
    /// The passage.
    #[schemars(length(min = 1, max = 200))]
    quote: String,
}

/// Two passages that cannot both be true.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
struct SubmittedContradiction {
    /// The passage of this episode.
    #[schemars(length(min = 1, max = 200))]
    quote: String,
    /// The episode of the other passage; 0 for the settings.
    episode: u32,
    /// The other passage.
    #[schemars(length(min = 1, max = 200))]
    other_quote: String,
    /// The reason in one sentence.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// A fact or a contradiction that was not accepted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct RejectedFact {
    quote: String,
    reason: String,
}

impl RejectedFact {
    /// Returns an answer with this fact, to be completed.
    pub(super) fn sample(&self) -> Value {
        let mut sample = sample();
        sample["facts"][0]["quote"] = json!(self.quote);
        sample
    }

    /// Formats it as one line.
    pub(super) fn line(&self, locale: Locale) -> String {
        match locale {
            Locale::En => format!("! rejected: {}", self.reason),
            Locale::Ja => format!("! 受け付けられません: {}", self.reason),
        }
    }
}

/// The state of a call, and whether one is requested.
#[derive(Clone, Debug)]
pub(super) struct StateReading {
    /// The state submitted with the call; `None` if the call submits no answer.
    pub(super) state: Option<SubmittedState>,
    pub(super) by: Judge,
    /// True if a state is requested.
    pub(super) asks: bool,
}

/// The result of accepting a state.
#[derive(Debug, Default)]
pub(super) struct AcceptedState {
    pub(super) facts: usize,
    pub(super) rejected: Vec<RejectedFact>,
}

/// Accepts the state of a call, stores it, and adds its contradictions to the context of the manuscript.
pub(super) fn accept_state(
    job: &CheckJob,
    reading: &StateReading,
    looked: &mut CheckedManuscript,
    review: &ManuscriptReview,
) -> Result<AcceptedState, ReviewError> {
    let Some(given) = &reading.state else { return Ok(AcceptedState::default()) };
    let manuscript = &looked.draft.manuscript;
    if given.summary.trim().is_empty() {
        let why = BilingualText::new("summary is empty.", "summary が空です。");
        return Err(ReviewError::FactsNotTaken { misses: vec![why] });
    }
    let (mut facts, mut contradictions, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for given in &given.facts {
        let fact = given.fact();
        match fact.verify(manuscript) {
            Ok(()) => facts.push(fact),
            Err(error) => refused.push((fact.quote.clone(), rejection_reason(&fact.quote, error))),
        }
    }
    for given in &given.contradictions {
        let noted = given.noted();
        let stands = |episode, quote: &str| reviewing::stands(&job.novel, job.episode, &looked.context, episode, quote);
        let is_itself = noted.episode == job.episode.number() && noted.quote.trim() == noted.other_quote.trim();
        if is_itself {
            refused.push((noted.quote.clone(), rejection_reason(&noted.quote, FactError::ItsOwnQuote)));
        } else if !stands(job.episode.number(), &noted.quote)? {
            refused.push((noted.quote.clone(), rejection_reason(&noted.quote, FactError::NotInText)));
        } else if !stands(noted.episode, &noted.other_quote)? {
            refused.push((noted.quote.clone(), rejection_reason(&noted.other_quote, FactError::OtherNotInText)));
        } else {
            contradictions.push(noted);
        }
    }
    if facts.is_empty() && !refused.is_empty() {
        return Err(ReviewError::FactsNotTaken { misses: refused.into_iter().map(|(_, why)| why).collect() });
    }
    // An answer to the same review adds to the facts that it had.
    let earlier = memory::states_until(job.novel.project(), job.episode)?.states.pop();
    let same =
        earlier.filter(|state| state.episode == job.episode.number() && state.session_id.as_ref() == Some(review.id()));
    let recorded = facts.len();
    if let Some(same) = same {
        facts
            .splice(0..0, same.facts.into_iter().filter(|fact| !given.facts.iter().any(|new| new.quote == fact.quote)));
        contradictions.splice(0..0, same.contradictions);
        contradictions.dedup();
    }
    let state = EpisodeState {
        session_id: Some(review.id().clone()),
        episode: job.episode.number(),
        sha256: looked.subject.sha256.clone(),
        method: reading.by.name().to_owned(),
        recorded_at: now(),
        summary: one_line(&given.summary),
        facts,
        contradictions,
    };
    job.reviews().keep_state(job.episode, &state)?;
    looked.add_contradictions(&job.novel, job.episode, Some(&state))?;
    let rejected = refused
        .into_iter()
        .map(|(quote, why)| RejectedFact { quote, reason: why.get(job.locale).to_owned() })
        .collect();
    Ok(AcceptedState { facts: recorded, rejected })
}

/// Replies and the record show a text in one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl SubmittedFact {
    fn fact(&self) -> StoryFact {
        StoryFact {
            kind: self.kind,
            subject: one_line(&self.subject),
            about: self.about.as_deref().map(one_line).filter(|about| !about.is_empty()),
            value: one_line(&self.value),
            quote: self.quote.clone(),
        }
    }
}

impl SubmittedContradiction {
    fn noted(&self) -> NotedContradiction {
        NotedContradiction {
            quote: self.quote.clone(),
            episode: self.episode,
            other_quote: self.other_quote.clone(),
            reason: one_line(&self.reason),
        }
    }
}

/// Returns the reason why a fact or a contradiction is not accepted.
fn rejection_reason(quote: &str, error: FactError) -> BilingualText {
    let shown: String = quote.chars().take(40).collect();
    let (en, ja) = match error {
        FactError::Empty => ("subject, value and quote must not be empty", "subject・value・quote は空にできません"),
        FactError::ItsOwnQuote => ("both passages are the same", "二つの箇所が同じです"),
        FactError::NotInText => ("it is not in the manuscript", "原稿にありません"),
        FactError::OtherNotInText => (
            "it is not in the episode or the settings that the contradiction names",
            "食い違いの相手として挙げた話または設定にありません",
        ),
    };
    BilingualText::new(format!("\"{shown}\": {en}."), format!("「{shown}」：{ja}。"))
}

/// Returns the question to a reader, if the call requests a state.
pub(super) fn state_question(
    seen: &CheckContext<'_>,
    reading: &StateReading,
) -> Result<Option<ReviewQuestion>, ReviewError> {
    if !reading.asks || seen.material.characters() == 0 {
        return Ok(None);
    }
    let job = seen.job;
    let criterion = match job.locale {
        Locale::En => "Every quote occurs in the manuscript, and every other_quote in the text that it names.",
        Locale::Ja => "quote はすべて原稿に、other_quote は挙げた話か設定に、一字一句そのまま存在する。",
    };
    let mut earlier = memory::states_until(job.novel.project(), job.episode)?.states;
    earlier.retain(|state| state.episode < job.episode.number());
    let title = match job.locale {
        Locale::En => "# Record of the earlier episodes",
        Locale::Ja => "# 前の話の記録",
    };
    let text = seen.material.text();
    let world = &seen.material.context().world;
    let asked = Remembering { characters: RECORD, with_quotes: true, named_in: Some(text), world, locale: job.locale };
    let record = memory::remembered(&earlier, asked).map(|text| format!("{title}\n\n{text}"));
    let needs = |text| matches!(text, ComparedText::Settings);
    let settings = reviewing::compared_texts(&job.novel, job.episode, seen.material.context(), needs, job.locale)?;
    let compared: Vec<String> = record.into_iter().chain(settings).collect();
    Ok(Some(ReviewQuestion {
        step: "record_state",
        title: BilingualText::new("Recording the state", "状態の記録"),
        instruction: memory::state_instruction(job.episode, job.locale),
        rubric: None,
        compared: (!compared.is_empty()).then(|| compared.join("\n\n")),
        items: Vec::new(),
        criterion: criterion.to_owned(),
        schema: answer_schema(),
        answer: ("state", sample()),
        manuscript: AskedManuscript::from_context(seen),
    }))
}

/// Returns an example of an answer, which shows its form.
fn sample() -> Value {
    json!({
        "summary": "…",
        "facts": [{"kind": "attribute", "subject": "…", "about": "…", "value": "…", "quote": "…"}],
        "contradictions": [],
    })
}

/// Returns the JSON schema of an answer.
fn answer_schema() -> Value {
    let text = |longest: usize| json!({"type": "string", "minLength": 1, "maxLength": longest});
    let kinds = StoryFactKind::ALL.map(StoryFactKind::name);
    let fact = json!({
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": kinds}, "subject": text(100),
            "about": {"type": "string", "maxLength": 100}, "value": text(200), "quote": text(200),
        },
        "required": ["kind", "subject", "value", "quote"], "additionalProperties": false,
    });
    let contradiction = json!({
        "type": "object",
        "properties": {
            "quote": text(200), "episode": {"type": "integer", "minimum": 0}, "other_quote": text(200),
            "reason": text(300),
        },
        "required": ["quote", "episode", "other_quote", "reason"], "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "summary": {"type": "string", "minLength": 10, "maxLength": 1000},
            "facts": {"type": "array", "minItems": 1, "maxItems": FACTS, "items": fact},
            "contradictions": {"type": "array", "maxItems": CONTRADICTIONS, "items": contradiction},
        },
        "required": ["summary", "facts", "contradictions"], "additionalProperties": false,
    })
}
