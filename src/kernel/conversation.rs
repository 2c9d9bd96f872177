//! Conversations: a call with all its questions and answers, the same for every edge and for every author of answers.
//!
//! Invariant: no text is invented, and no incomplete result is delivered. A tool runs again with each answer, so that
//! no permit of a pool is held while a model writes; an answer that the tool rejects is shown to its author with the
//! reason; if no text comes, the question itself is the result. Access to a model is not handled here: that is a
//! [`TextModel`].

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use fumi_base::{
    project::Project,
    text::{BilingualText, Locale},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    AnswerMaterial, Answerer, Audience, CallProgress, Caller, ToolError, ToolReply,
    catalogue::{Catalogue, ToolEntry},
    pipeline::{self, Call, Kernel},
    reply::{QuestionContext, TokenUsage},
};

/// The largest number of questions of one call. The longest known work asks about thirty.
const ROUNDS: usize = 64;

/// The maximum number of answers to one question; if all are rejected, a person must continue.
pub const TRIES: usize = 3;

/// The largest amount of material that a model gets, in characters: about five chapters. More would cost more than it
/// helps.
const MATERIAL: usize = 60_000;

/// The number of attempts to submit an answer when the pool is full, and the longest wait between them.
const SUBMIT_TRIES: usize = 3;
const MAX_SUBMIT_WAIT: Duration = Duration::from_secs(10);

/// The error code with which every domain rejects an answer that does not meet the criteria, without storing any of it.
const REJECTED: &str = "S005";

/// A text that a model is writing.
pub type ModelAnswer<'a> = Pin<Box<dyn Future<Output = Result<ModelText, NoAnswer>> + Send + 'a>>;

/// A model that fumi can ask for text.
pub trait TextModel: Send + Sync {
    /// Returns the kind of author that is recorded.
    fn answerer(&self) -> Answerer;

    /// Writes the requested text. May take minutes; dropping the future cancels the work.
    fn write<'a>(&'a self, prompt: &'a Prompt) -> ModelAnswer<'a>;
}

/// The text of an author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelText {
    pub text: String,
    /// The token usage, if it is billed.
    pub usage: Option<TokenUsage>,
}

/// The reason why an author returned no text.
#[derive(Clone, Debug)]
pub enum NoAnswer {
    /// No text is wanted or possible: the question goes to the host.
    Declined,
    /// The author failed with an error that the caller should see.
    Failed(ToolError),
}

/// The messages for an author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt(Vec<ConversationMessage>);

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMessage {
    /// The role of the message.
    pub speaker: Speaker,
    pub text: String,
}

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The message is from fumi.
    User,
    /// The message is an earlier answer of the author.
    Model,
}

/// The question of a reply.
#[derive(Clone, Debug, Deserialize)]
pub struct ModelQuestion {
    session_id: String,
    step: String,
    instruction: String,
    context: Vec<String>,
    acceptance_criteria: Vec<String>,
    response_schema: Value,
    submit: Submission,
    #[serde(skip)]
    asked: QuestionContext,
}

/// The call that submits an answer, without the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Submission {
    /// The name of a tool of the catalogue.
    pub tool: String,
    /// The arguments except the answer.
    pub arguments: Map<String, Value>,
    /// The name of the argument that takes the answer.
    pub answer: String,
}

impl ModelQuestion {
    /// Returns the models that may answer.
    pub fn audience(&self) -> Audience {
        self.asked.audience
    }

    /// Returns the call that submits the answer.
    pub fn submission(&self) -> &Submission {
        &self.submit
    }

    /// True if the answer is JSON.
    pub fn wants_json(&self) -> bool {
        self.response_schema["type"] != "string"
    }

    /// Returns a prompt with everything that a model needs, since it sees neither the tool nor the conversation, and
    /// cannot fetch anything.
    pub fn prompt(&self, locale: Locale) -> Prompt {
        let (context, criteria, form) = match locale {
            Locale::En => ("Context:", "The answer is judged by:", "Answer with JSON of this schema only:"),
            Locale::Ja => ("参照:", "回答の判定基準:", "次のスキーマに従う JSON だけを返してください:"),
        };
        let mut prompt = self.instruction.clone();
        // References are of no use to a model that gets the texts themselves.
        let context = (context, if self.asked.material.is_empty() { &*self.context } else { &[] });
        for (title, items) in [context, (criteria, &*self.acceptance_criteria)] {
            if !items.is_empty() {
                prompt.push_str(&format!("\n\n{title}\n- {}", items.join("\n- ")));
            }
        }
        if self.wants_json() {
            prompt.push_str(&format!("\n\n{form}\n{}", self.response_schema));
        }
        prompt.push_str(&material(&self.asked.material, locale));
        Prompt(vec![ConversationMessage { speaker: Speaker::User, text: prompt }])
    }

    /// Returns a status text for the progress of the call.
    fn doing(&self) -> BilingualText {
        let title =
            self.asked.title.clone().unwrap_or_else(|| BilingualText::new(self.step.clone(), self.step.clone()));
        BilingualText::new(format!("{}: a model is writing", title.en), format!("{}: モデルが執筆中です", title.ja))
    }
}

/// Renders the material for an answer, as much as fits.
fn material(all: &[AnswerMaterial], locale: Locale) -> String {
    let mut room = MATERIAL;
    let mut out = String::new();
    for AnswerMaterial { title, text } in all {
        let shown = first(text, room, locale);
        room = room.saturating_sub(text.chars().count());
        out.push_str(&format!("\n\n<material title={}>\n{shown}\n</material>", Value::from(title.as_str())));
    }
    out
}

/// Returns the beginning of a text, with a note of the omitted length.
fn first(text: &str, room: usize, locale: Locale) -> String {
    let Some((at, _)) = text.char_indices().nth(room) else {
        return text.trim_end().to_owned();
    };
    let rest = text[at..].chars().count();
    let note = match locale {
        Locale::En => format!("[{rest} more characters are left out]"),
        Locale::Ja => format!("［以下 {rest} 文字を省略］"),
    };
    format!("{}\n{note}", &text[..at])
}

impl Prompt {
    /// Returns the messages; the first and the last are the user's.
    pub fn turns(&self) -> &[ConversationMessage] {
        &self.0
    }

    /// Returns the length of the prompt in characters.
    pub fn characters(&self) -> usize {
        self.0.iter().map(|turn| turn.text.chars().count()).sum()
    }

    /// Returns the prompt after a rejected answer: the author sees the answer again, with the reason.
    pub fn after(mut self, answer: &str, rejection: &AnswerRejection, locale: Locale) -> Self {
        // An older attempt adds nothing to the newer one.
        self.0.truncate(1);
        let said = match locale {
            Locale::En => format!(
                "This answer was rejected, and none of it was saved:\n{}\nCorrect it, and write the whole answer again.",
                rejection.0
            ),
            Locale::Ja => format!(
                "この回答は受け付けられず、何も保存されていません。\n{}\n指摘を直したうえで、回答の全体をもう一度書いてください。",
                rejection.0
            ),
        };
        let turn = |speaker, text| ConversationMessage { speaker, text };
        self.0.push(turn(Speaker::Model, first(answer, MATERIAL, locale)));
        self.0.push(turn(Speaker::User, said));
        self
    }
}

/// The reason why an answer was rejected, for its author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnswerRejection(String);

impl AnswerRejection {
    /// Returns the rejection, if the reply is one: by the tool's own judgement, or by the schema of the argument that takes
    /// the answer.
    pub fn from_reply(reply: &ToolReply, answer: &str) -> Option<Self> {
        let code = reply.error_code()?;
        let error = &reply.structured["error"];
        let problems = error["details"]["problems"].as_array();
        let is_malformed = problems.is_some_and(|problems| {
            let named = |problem: &Value| problem["parameter"].as_str().is_some_and(|name| name.starts_with(answer));
            problems.iter().any(named)
        });
        let message = error["message"].as_str().unwrap_or_default();
        (code == REJECTED || is_malformed).then(|| Self(message.to_owned()))
    }
}

/// A running call without its tool and arguments.
#[derive(Clone, Debug)]
pub struct CallRunner<'a> {
    /// The kernel on which calls run.
    pub kernel: &'a Kernel,
    /// The catalogue in which the tools that take answers are found.
    pub catalogue: &'a Catalogue,
    pub caller: &'a Caller,
    /// The project unless the arguments name another.
    pub project: &'a Arc<Project>,
    /// Cancelled when the client cancels.
    pub cancel: &'a CancellationToken,
    /// The progress that the work reports.
    pub progress: &'a CallProgress,
}

/// The result of one question.
enum QuestionOutcome {
    /// The answer was submitted; this is the reply.
    Reply(ToolReply),
    /// The conversation ends with this reply.
    End(ToolReply),
    /// The question was not answered.
    None,
}

impl<'a> CallRunner<'a> {
    /// Runs a call, and continues as long as an author can answer its questions.
    pub async fn call(
        &self,
        entry: &ToolEntry,
        arguments: Map<String, Value>,
        author: impl Fn(&ModelQuestion) -> Option<&'a dyn TextModel> + Send,
    ) -> ToolReply {
        let reply = self.run(entry, arguments, Answerer::Host).await;
        self.continue_from(reply, author).await
    }

    /// Runs one call, or the one that replaces it, and no conversation.
    pub async fn run(&self, entry: &ToolEntry, arguments: Map<String, Value>, answerer: Answerer) -> ToolReply {
        let reply = self.run_one(entry, arguments, answerer).await;
        let Some(instead) = reply.instead.as_deref() else {
            return reply;
        };
        match self.find(instead.tool) {
            Some(entry) => self.run_one(entry, instead.arguments.clone(), answerer).await,
            // The caller may not use the replacing tool; the reply shows the call.
            None => reply,
        }
    }

    async fn run_one(&self, entry: &ToolEntry, arguments: Map<String, Value>, answerer: Answerer) -> ToolReply {
        // Each call restarts the progress.
        self.progress.restart();
        let call = Call {
            arguments,
            caller: self.caller.clone(),
            answerer,
            project: Arc::clone(self.project),
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
            batch: None,
        };
        pipeline::run(self.kernel, self.catalogue, entry, call).await
    }

    /// Continues from a reply as long as it asks and an author can answer. An unanswered question is the result.
    pub async fn continue_from(
        &self,
        reply: ToolReply,
        author: impl Fn(&ModelQuestion) -> Option<&'a dyn TextModel> + Send,
    ) -> ToolReply {
        let (started, before) = (Instant::now(), reply.elapsed_ms);
        let mut reply = reply;
        let mut usage = reply.usage.take();
        for _ in 0..ROUNDS {
            let Some(question) = self.question(&reply) else { break };
            let Some(author) = author(&question) else { break };
            match self.ask_model(&question, author, &mut usage).await {
                QuestionOutcome::Reply(next) => reply = next,
                QuestionOutcome::End(last) => {
                    reply = last;
                    break;
                }
                QuestionOutcome::None => break,
            }
        }
        let since = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        reply.elapsed_ms = before.saturating_add(since);
        reply.usage = usage;
        reply
    }

    /// Has one question answered, with the allowed number of tries.
    async fn ask_model(
        &self,
        question: &ModelQuestion,
        author: &dyn TextModel,
        usage: &mut Option<TokenUsage>,
    ) -> QuestionOutcome {
        let locale = self.caller.locale;
        self.progress.set_step(question.doing());
        let mut prompt = question.prompt(locale);
        let mut refused: Option<ToolReply> = None;
        for _ in 0..TRIES {
            let written = tokio::select! {
                biased;
                () = self.cancel.cancelled() => Err(NoAnswer::Declined),
                written = author.write(&prompt) => written,
            };
            let ModelText { text, usage: took } = match written {
                Ok(written) => written,
                Err(NoAnswer::Declined) => break,
                Err(NoAnswer::Failed(error)) => return QuestionOutcome::End(self.failed(question, &error)),
            };
            count(usage, took);
            let Some(reply) = self.submit_with_retries(question, &text, author.answerer()).await else {
                break;
            };
            let Some(rejection) = AnswerRejection::from_reply(&reply, &question.submit.answer) else {
                return QuestionOutcome::Reply(reply);
            };
            tracing::info!(tool = question.submit.tool, "a model's answer was rejected");
            prompt = prompt.after(&text, &rejection, locale);
            refused = Some(reply);
        }
        match refused {
            Some(reply) => QuestionOutcome::End(self.given_up(reply, &question.submit)),
            None => QuestionOutcome::None,
        }
    }

    /// Submits an answer by its call. Returns `None` if the caller may not use its tool.
    pub async fn submit(
        &self,
        submission: &Submission,
        wants_json: bool,
        answer: &str,
        answerer: Answerer,
    ) -> Option<ToolReply> {
        let entry = self.find(&submission.tool)?;
        let mut arguments = submission.arguments.clone();
        // Some tools take JSON as a string.
        let takes_text = entry.input["properties"][&submission.answer]["type"] == "string";
        let answer = match wants_json {
            true if takes_text => Value::from(strip_code_fence(answer)),
            // Invalid JSON is passed to the tool unchanged: its own check explains the error best.
            true => serde_json::from_str(strip_code_fence(answer)).unwrap_or_else(|_| Value::from(answer)),
            false => Value::from(answer),
        };
        arguments.insert(submission.answer.clone(), answer);
        Some(self.run(entry, arguments, answerer).await)
    }

    /// Submits an answer, with retries if the pool is full: a text that a model wrote for minutes must not be lost
    /// because the server is busy.
    async fn submit_with_retries(
        &self,
        question: &ModelQuestion,
        answer: &str,
        answerer: Answerer,
    ) -> Option<ToolReply> {
        let submit = || self.submit(&question.submit, question.wants_json(), answer, answerer);
        let mut reply = submit().await?;
        for _ in 1..SUBMIT_TRIES {
            if !reply.is_pool_full() {
                break;
            }
            let wait = reply.structured["error"]["details"]["retry_after_ms"].as_u64();
            let wait = wait.map_or(MAX_SUBMIT_WAIT, Duration::from_millis).min(MAX_SUBMIT_WAIT);
            tokio::select! {
                () = self.cancel.cancelled() => break,
                () = tokio::time::sleep(wait) => {}
            }
            reply = submit().await?;
        }
        Some(reply)
    }

    /// Repeats the question by making the same call without an answer.
    pub async fn ask_again(&self, submission: &Submission) -> Option<ToolReply> {
        let entry = self.find(&submission.tool)?;
        Some(self.run(entry, submission.arguments.clone(), Answerer::Host).await)
    }

    /// Returns the question of a reply, if the caller may use the tool that takes the answer.
    pub fn question(&self, reply: &ToolReply) -> Option<ModelQuestion> {
        let asked = reply.asked.as_deref()?;
        let mut question = ModelQuestion::deserialize(&reply.structured)
            .inspect_err(|error| tracing::error!(%error, "a question that cannot be read"))
            .ok()?;
        question.asked = asked.clone();
        self.find(&question.submit.tool)?;
        Some(question)
    }

    /// Returns a tool that the caller may use.
    fn find(&self, name: &str) -> Option<&'a ToolEntry> {
        self.catalogue.find(&self.caller.access.scope, name)
    }

    /// Adds the way to continue to the reply of the last rejection.
    pub fn given_up(&self, mut reply: ToolReply, submission: &Submission) -> ToolReply {
        let arguments = Value::Object(submission.arguments.clone());
        let text = BilingualText::new(
            format!(
                "{TRIES} answers were rejected. Make this call without {} to get the question again:",
                submission.answer
            ),
            format!(
                "{TRIES} 回の回答がすべて受け付けられませんでした。次の呼び出しを {} なしで行うと、もう一度問いが返ります:",
                submission.answer
            ),
        );
        reply.text.push_str(&format!("\n{}\n{} {arguments}", text.get(self.caller.locale), submission.tool));
        let error = &mut reply.structured["error"];
        error["details"]["tries"] = json!(TRIES);
        error["guidance"]["suggested_action"] = json!(submission.tool);
        error["guidance"]["parameters"] = arguments;
        reply
    }

    /// Returns the error of an author, with the call that asks the question again.
    fn failed(&self, question: &ModelQuestion, error: &ToolError) -> ToolReply {
        tracing::warn!(tool = question.submit.tool, code = error.code(), "no text was received for a question");
        let submit = &question.submit;
        let arguments = Value::Object(submit.arguments.clone());
        let mut error = error.clone().with_guidance(&submit.tool, &arguments);
        for (name, value) in [("session_id", &question.session_id), ("step", &question.step)] {
            error = error.with_detail(name, json!(value));
        }
        error.reply(&submit.tool, &submit.arguments, self.caller, &self.kernel.redactor)
    }
}

/// Adds the usage of one answer to the total.
fn count(usage: &mut Option<TokenUsage>, took: Option<TokenUsage>) {
    match (usage, took) {
        (Some(usage), Some(took)) => usage.add(&took),
        (usage @ None, took) => *usage = took,
        (Some(_), None) => {}
    }
}

/// Removes the code fence that models often put around JSON.
fn strip_code_fence(answer: &str) -> &str {
    let answer = answer.trim();
    answer
        .strip_prefix("```json")
        .or_else(|| answer.strip_prefix("```"))
        .and_then(|rest| rest.strip_suffix("```"))
        .unwrap_or(answer)
        .trim()
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{AnswerMaterial, MATERIAL, first, material, strip_code_fence};

    #[test]
    fn code_fence_is_stripped_from_answer() {
        for (answer, expected) in [
            ("{}", "{}"),
            (" {} \n", "{}"),
            ("```json\n{}\n```", "{}"),
            ("```\n{}\n```", "{}"),
            ("```json\n{}", "```json\n{}"),
        ] {
            assert_eq!(strip_code_fence(answer), expected);
        }
    }

    #[test]
    fn material_beyond_budget_is_cut_with_note() {
        assert_eq!(first("日本語", 3, Locale::Ja), "日本語");
        assert_eq!(first("日本語", 2, Locale::Ja), "日本\n［以下 1 文字を省略］");
        let text = |size: usize| AnswerMaterial { title: "a \"b\"".to_owned(), text: "字".repeat(size) };
        let shown = material(&[text(MATERIAL - 1), text(2), text(5)], Locale::En);
        let of = |part: &str| shown.matches(part).count();
        assert_eq!((of("<material title=\"a \\\"b\\\"\">"), of("</material>")), (3, 3));
        assert_eq!(of("字"), MATERIAL);
        assert!(shown.contains("字\n[1 more characters are left out]") && shown.contains("\n[5 more characters"));
    }
}
