//! How a tool's question reaches the client's model, and how the answer comes back.
//!
//! Three ways, by what the client can. In the session era its model is asked (`sampling/createMessage`) and the tool is
//! called again with the answer, while the client's call waits. In the stateless era the client gets the question as an
//! `InputRequired` result with a sealed state, and repeats its call with both. A client without sampling gets the question
//! as the result, and its host calls the tool that the question names. What the question says (which tool, which argument
//! takes the answer) is read off the reply, as any host would read it: after redaction. No answer is ever invented.

#![expect(deprecated, reason = "the protocol deprecates sampling, and clients still offer it")]

use std::{sync::Arc, time::Duration};

use fumi_base::{project::Project, text::Locale};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, InputRequest,
        InputRequests, InputRequiredResult, InputResponses, SamplingMessage,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    fault::{Fault, refused},
    seals::{Bound, TTL},
    sessions::STATELESS_SINCE,
};
use crate::{
    app::App,
    tool::{
        Caller, Progress, Reply, ToolError,
        catalogue::Entry,
        pipeline::{self, Call},
    },
};

/// How often the client's model is asked within one call. The longest known work asks some thirty times.
const ROUNDS: usize = 64;

/// How long the client's model may take for one answer.
const PATIENCE: Duration = TTL;

/// Longest answer, in tokens: a chapter of 10,000 Japanese characters, with room. The client may allow less.
const ANSWER_TOKENS: u32 = 16_384;

/// The name of the question among the input requests. There is one at a time.
const KEY: &str = "answer";

/// What is asked of the client's model.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Question {
    instruction: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    context: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    acceptance_criteria: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response_schema: Option<Value>,
    submit: Submit,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Submit {
    tool: String,
    arguments: Map<String, Value>,
    answer: String,
}

/// How a question gets to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The client's model is asked while the call waits.
    Sampling,
    /// The client gets the question, asks its model, and repeats its call.
    InputRequired,
    /// The question is the result.
    Host,
}

impl Way {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let samples = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.sampling.is_some());
        match (samples, is_stateless(context)) {
            (true, true) => Self::InputRequired,
            (true, false) => Self::Sampling,
            (false, _) => Self::Host,
        }
    }
}

fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= STATELESS_SINCE)
}

/// What came of a conversation.
#[derive(Debug)]
pub(super) enum Held {
    /// The tool's reply, which may be a question to the host.
    Reply(Reply),
    /// The client has to answer before the tool can go on.
    Required(Box<InputRequiredResult>),
}

impl Held {
    /// What the call failed with.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            Self::Reply(reply) => reply.fault(),
            Self::Required(_) => None,
        }
    }
}

/// One call with all that is asked and answered on the way.
pub(super) struct Conversation<'a> {
    pub(super) app: &'a App,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) caller: &'a Caller,
    pub(super) project: Arc<Project>,
    pub(super) progress: Progress,
}

impl Conversation<'_> {
    /// Runs the call as far as the client's model can help it.
    pub(super) async fn hold(&self, entry: &Entry, request: CallToolRequestParams) -> Result<Held, ErrorData> {
        let way = Way::of(self.context);
        let arguments = request.arguments.unwrap_or_default();
        let bound = Bound {
            principal: &self.caller.access.principal,
            project: self.project.root(),
            method: "tools/call",
            name: entry.spec.name,
            arguments: &arguments,
        };
        // The session era has no such state, and ignores what it does not know.
        let state = request.request_state.filter(|_| is_stateless(self.context));
        let mut reply = match state {
            None => self.run(entry, arguments.clone()).await,
            Some(state) => {
                let (question, used): (Question, _) = self
                    .app
                    .seals
                    .open(&state, &bound)
                    .await
                    .map_err(|error| self.refuse(&error))?;
                match (answer(request.input_responses.as_ref()), way) {
                    (Some(answer), _) => {
                        let (tool, arguments) = self
                            .submission(question, &answer)
                            .ok_or_else(|| self.refuse(&Fault::StateRefused(TTL).into()))?;
                        let reply = self.run(tool, arguments).await;
                        if reply.is_refused_a_place() {
                            // The model's answer must not be lost because the server has no time.
                            self.app.seals.give_back(used).await;
                        }
                        reply
                    }
                    (None, Way::Host) => self.run(entry, arguments.clone()).await,
                    (None, _) => return Ok(self.require(question, &bound)),
                }
            }
        };
        for _ in 0..ROUNDS {
            let Some(question) = self.question(&reply) else { break };
            match way {
                Way::Host => break,
                Way::InputRequired => return Ok(self.require(question, &bound)),
                Way::Sampling => {
                    let Some(answer) = self.sample(&question).await else {
                        break;
                    };
                    let Some((tool, arguments)) = self.submission(question, &answer) else {
                        break;
                    };
                    reply = self.run(tool, arguments).await;
                }
            }
        }
        Ok(Held::Reply(reply))
    }

    async fn run(&self, entry: &Entry, arguments: Map<String, Value>) -> Reply {
        let call = Call {
            arguments,
            caller: self.caller.clone(),
            project: Arc::clone(&self.project),
            cancel: self.context.ct.clone(),
            progress: self.progress.clone(),
        };
        pipeline::run(&self.app.kernel, entry, call).await
    }

    /// What a reply asks, if the caller can reach the tool that takes the answer.
    fn question(&self, reply: &Reply) -> Option<Question> {
        if !reply.is_question {
            return None;
        }
        let question: Question = serde_json::from_value(reply.structured.clone())
            .inspect_err(|error| tracing::error!(%error, "a question that cannot be read"))
            .ok()?;
        self.find(&question.submit.tool)?;
        Some(question)
    }

    /// A tool that the caller can reach.
    fn find(&self, name: &str) -> Option<&Entry> {
        self.app.catalogue.find(&self.caller.access.scope, name)
    }

    /// The call that brings an answer back.
    fn submission(&self, question: Question, answer: &str) -> Option<(&Entry, Map<String, Value>)> {
        let entry = self.find(&question.submit.tool)?;
        let mut arguments = question.submit.arguments;
        let answer = match question.response_schema {
            // What is no JSON goes to the tool as it is: its own check says best what is wrong.
            Some(_) => serde_json::from_str(bare(answer)).unwrap_or_else(|_| Value::from(answer)),
            None => Value::from(answer),
        };
        arguments.insert(question.submit.answer, answer);
        Some((entry, arguments))
    }

    /// Asks the client's model and waits. `None` when it gives no text: declined, too late, or gone.
    async fn sample(&self, question: &Question) -> Option<String> {
        let asked = self.context.peer.create_message(self.message(question));
        let answered = tokio::select! {
            () = self.context.ct.cancelled() => return None,
            answered = tokio::time::timeout(PATIENCE, asked) => answered,
        };
        match answered {
            Ok(Ok(message)) => text(&message),
            Ok(Err(error)) => {
                tracing::info!(%error, "the client's model was asked and gave no answer");
                None
            }
            Err(_) => {
                tracing::info!("the client's model was asked and did not answer in time");
                None
            }
        }
    }

    /// The question as a result that the client answers by repeating its call.
    fn require(&self, question: Question, bound: &Bound<'_>) -> Held {
        let request = CreateMessageRequest::new(self.message(&question));
        let requests = InputRequests::from([(KEY.to_owned(), InputRequest::CreateMessage(request))]);
        let state = self.app.seals.seal(question, bound);
        Held::Required(Box::new(InputRequiredResult::new(Some(requests), Some(state))))
    }

    fn message(&self, question: &Question) -> CreateMessageRequestParams {
        let prompt = question.prompt(self.caller.locale.unwrap_or_default());
        CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], ANSWER_TOKENS)
    }

    fn refuse(&self, error: &ToolError) -> ErrorData {
        refused(error, self.caller.locale)
    }
}

impl Question {
    /// Everything that the model needs, since it sees neither the tool nor the conversation.
    fn prompt(&self, locale: Locale) -> String {
        let (context, criteria, form) = match locale {
            Locale::En => (
                "Context:",
                "The answer is judged by:",
                "Answer with JSON of this schema only:",
            ),
            Locale::Ja => (
                "参照:",
                "回答の判定基準:",
                "次のスキーマに従う JSON だけを返してください:",
            ),
        };
        let mut prompt = self.instruction.clone();
        for (title, items) in [(context, &self.context), (criteria, &self.acceptance_criteria)] {
            if !items.is_empty() {
                prompt.push_str(&format!("\n\n{title}\n- {}", items.join("\n- ")));
            }
        }
        if let Some(schema) = &self.response_schema {
            prompt.push_str(&format!("\n\n{form}\n{schema}"));
        }
        prompt
    }
}

/// The client's answer among its responses; others are none of ours.
fn answer(responses: Option<&InputResponses>) -> Option<String> {
    let message: CreateMessageResult = serde_json::from_value(responses?.get(KEY)?.clone()).ok()?;
    text(&message)
}

/// The text of a message. `None` when there is none.
fn text(message: &CreateMessageResult) -> Option<String> {
    let parts: Vec<_> = message
        .message
        .content
        .iter()
        .filter_map(|part| part.as_text())
        .map(|part| part.text.as_str())
        .collect();
    let text = parts.join("\n");
    (!text.trim().is_empty()).then_some(text)
}

/// An answer without the fence that models like to put around JSON.
fn bare(answer: &str) -> &str {
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
    use super::bare;

    #[test]
    fn a_fence_is_no_part_of_the_answer() {
        for (answer, expected) in [
            ("{}", "{}"),
            (" {} \n", "{}"),
            ("```json\n{}\n```", "{}"),
            ("```\n{}\n```", "{}"),
            ("```json\n{}", "```json\n{}"),
        ] {
            assert_eq!(bare(answer), expected);
        }
    }
}
