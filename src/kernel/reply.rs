//! The reply to a call, in every form, and the typed answer from which it is rendered.

use std::ops::Range;

use fumi_base::{text::Locale, tokens};
use serde_json::{Map, Value, json};

use super::{AnswerMaterial, Audience, NextPage, QuestionReply, Render, ReplacementCall, ResultForm};
use fumi_base::text::BilingualText;

/// A block of content beside the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A link to a resource that the client can read.
    Link {
        /// The URI of the resource.
        uri: String,
        /// The name of the resource.
        name: String,
        /// The media type of the resource.
        mime_type: String,
    },
    /// A label before the next block, if several calls have returned images.
    Label(String),
    /// An image in base64.
    Image {
        /// The bytes of the image in base64.
        data: String,
        /// The media type of the image.
        mime_type: String,
    },
}

/// The reply to a call, in every form.
#[derive(Clone, Debug)]
pub struct ToolReply {
    /// The result according to the tool's output schema, or the error object.
    pub structured: Value,
    /// The compact form for a model.
    pub text: String,
    pub blocks: Vec<Block>,
    /// The form in which the client gets the reply.
    pub form: ResultForm,
    /// True if the call failed.
    pub is_error: bool,
    /// Set if the reply is a question ([`super::QuestionReply`]): its parts that are not shown to a host.
    pub asked: Option<Box<QuestionContext>>,
    /// The call that replaces this one; its reply is the answer.
    pub instead: Option<Box<ReplacementCall>>,
    /// True if the answer came from the cache.
    pub cache_hit: bool,
    /// The time of the call in the server, in milliseconds.
    pub elapsed_ms: u64,
    /// The token usage of providers' models.
    pub usage: Option<TokenUsage>,
    /// Further facts about the call, for `_meta`.
    pub notes: Map<String, Value>,
    /// The structure before it was narrowed by the expectation, if a later step of a batch needs it. Never sent.
    pub unfiltered: Option<Box<Value>>,
    /// The fields that must not be left out, if a batch's reply may omit the result. Never sent.
    pub required: Option<Box<Value>>,
}

/// The parts of a question beside its structure, for a model that fumi asks itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionContext {
    /// The texts behind the references.
    pub material: Vec<AnswerMaterial>,
    /// The models that may answer.
    pub audience: Audience,
    /// The step as people read it.
    pub title: Option<BilingualText>,
}

/// The token usage of a provider's model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenUsage {
    /// The model, as it is configured.
    pub model: String,
    pub answers: u64,
    /// The tokens of the prompts.
    pub input_tokens: u64,
    /// The tokens of the answers.
    pub output_tokens: u64,
    /// True if the provider omitted a number, so that it is fumi's estimate.
    pub is_estimated: bool,
}

impl TokenUsage {
    /// Adds the usage of another answer.
    pub fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.is_estimated |= other.is_estimated;
    }
}

impl ToolReply {
    /// Creates a reply of two renderings and nothing else.
    fn plain(structured: Value, text: String) -> Self {
        Self {
            structured,
            text,
            blocks: Vec::new(),
            form: ResultForm::default(),
            is_error: false,
            asked: None,
            instead: None,
            cache_hit: false,
            elapsed_ms: 0,
            usage: None,
            notes: Map::new(),
            unfiltered: None,
            required: None,
        }
    }

    /// Creates the reply of a failed call.
    pub fn error(structured: Value, text: String) -> Self {
        Self { is_error: true, ..Self::plain(structured, text) }
    }

    /// True if the call got no permit of its pool: nothing has begun.
    pub fn is_pool_full(&self) -> bool {
        let stage = self.structured.pointer("/error/context/execution_stage");
        self.is_error && stage.is_some_and(|stage| stage == "queue")
    }

    /// Creates a reply with a question, for a host.
    pub fn question(ask: QuestionReply, locale: Locale) -> Self {
        let (structured, text) = (Rendered::structured(&ask), Rendered::text(&ask, locale));
        let asked = QuestionContext { material: ask.material, audience: ask.audience, title: ask.title };
        Self { asked: Some(Box::new(asked)), ..Self::plain(structured, text) }
    }

    /// Creates a reply with the replacing call, for clients that do not follow it.
    pub fn instead(instead: ReplacementCall) -> Self {
        let arguments = Value::Object(instead.arguments.clone());
        let text = format!("→ {} {arguments}", instead.tool);
        let structured = json!({"success": true, "tool": instead.tool, "arguments": arguments});
        Self { instead: Some(Box::new(instead)), ..Self::plain(structured, text) }
    }

    /// Returns the public error code if the call failed.
    pub fn error_code(&self) -> Option<String> {
        let code = self.structured["error"]["code"].as_str().filter(|_| self.is_error);
        code.map(str::to_owned)
    }

    /// Returns the estimated tokens of what the client gets; of the larger rendering if it gets both, since clients
    /// differ in which one the model reads.
    pub fn tokens(&self) -> usize {
        tokens_of(&self.text, &self.structured, self.form)
    }

    /// Returns the estimated tokens of the structure alone, which a reply in text form does not contain.
    pub fn structure_tokens(&self) -> usize {
        tokens_of("", &self.structured, ResultForm::Structured)
    }

    /// Returns the `_meta` of the reply.
    pub fn meta(&self) -> Value {
        let mut meta = json!({
            "fumi/tokens": self.tokens(),
            "fumi/elapsed_ms": self.elapsed_ms,
        });
        if self.cache_hit {
            meta["cache_hit"] = json!(true);
        }
        for (name, value) in &self.notes {
            meta[name] = value.clone();
        }
        if let Some(usage) = &self.usage {
            meta["fumi/provider"] = json!({
                "model": usage.model,
                "answers": usage.answers,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "estimated": usage.is_estimated,
            });
        }
        meta
    }
}

/// A typed answer whose type is erased, for the cache and for delivery.
pub trait Rendered: Send + Sync {
    /// Returns the structured form.
    fn structured(&self) -> Value;
    /// Returns the text form.
    fn text(&self, locale: Locale) -> String;
    /// Calls [`Render::text_alone`] of the answer.
    fn text_alone(&self, locale: Locale) -> String;
    /// Calls [`Render::blocks`] of the answer.
    fn blocks(&self) -> Vec<Block>;
    /// Calls [`Render::rows`] of the answer.
    fn rows(&self) -> usize;
    /// Calls [`Render::page`] of the answer.
    fn page(&self, rows: Range<usize>) -> (Box<dyn Rendered>, usize);
    /// Calls [`Render::mark`] of the answer.
    fn mark(&mut self, next: &NextPage);
    /// Calls [`Render::keep_callable`] of the answer.
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool);
    /// Calls [`Render::is_bare`] of the answer.
    fn is_bare(&self) -> bool;
    /// Calls [`Render::required_fields`] of the answer.
    fn required_fields(&self) -> &'static [&'static str];
}

impl<T: Render> Rendered for T {
    fn structured(&self) -> Value {
        serde_json::to_value(self).expect("answers are plain structs with string keys")
    }
    fn text(&self, locale: Locale) -> String {
        Render::text(self, locale)
    }
    fn text_alone(&self, locale: Locale) -> String {
        Render::text_alone(self, locale)
    }
    fn blocks(&self) -> Vec<Block> {
        Render::blocks(self)
    }
    fn rows(&self) -> usize {
        Render::rows(self)
    }
    fn page(&self, rows: Range<usize>) -> (Box<dyn Rendered>, usize) {
        let (page, end) = Render::page(self, rows);
        (Box::new(page), end)
    }
    fn mark(&mut self, next: &NextPage) {
        Render::mark(self, next);
    }
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Render::keep_callable(self, can_call);
    }
    fn is_bare(&self) -> bool {
        Render::is_bare(self)
    }
    fn required_fields(&self) -> &'static [&'static str] {
        Render::required_fields(self)
    }
}

/// Returns the estimated tokens of what a client gets.
pub(super) fn tokens_of(text: &str, structured: &Value, form: ResultForm) -> usize {
    let text = || tokens::estimate(text);
    let structure = || tokens::estimate(&structured.to_string());
    match form {
        ResultForm::Both => text().max(structure()),
        ResultForm::Text => text(),
        ResultForm::Structured => structure(),
    }
}
