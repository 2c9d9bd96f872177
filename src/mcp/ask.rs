//! Sends a tool's question to the client's model and returns the answer: the protocol's part of a conversation.
//!
//! There are two ways, depending on the client. In the session era the model is asked (`sampling/createMessage`) while
//! the client's call waits. In the stateless era the client gets the question as an `InputRequired` result with an
//! encrypted state, and repeats its call with both. A client without sampling gets the question as the result, and its
//! host calls the tool that the question names. Rules for all models (tries, rejected answers, prompts) are in
//! `src/kernel/conversation.rs`.

#![expect(deprecated, reason = "the protocol deprecates sampling, and clients still offer it")]

use std::{sync::Arc, time::Duration};

use fumi_base::{project::Project, text::Locale};
use fumi_kernel::{
    Answerer, CallProgress, Caller, ToolError, ToolReply,
    catalogue::ToolEntry,
    conversation::{
        AnswerRejection, CallRunner, ModelAnswer, ModelQuestion, ModelText, NoAnswer, Prompt, Speaker, Submission,
        TRIES, TextModel,
    },
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, InputRequest,
        InputRequests, InputRequiredResult, InputResponses, SamplingMessage, Task,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};

use super::{
    era::STATELESS_SINCE,
    protocol_error::{McpError, to_protocol_error},
    request_slot::SlotHandle,
    request_state::{StateBinding, TTL},
};
use crate::app::App;

/// The timeout of one answer of the client's model.
pub(super) const PATIENCE: Duration = TTL;

/// The longest answer, in tokens: a chapter of 10,000 Japanese characters, with a margin. The client may allow less.
const ANSWER_TOKENS: u32 = 16_384;

/// The key of the question among the input requests. Only one is sent at a time.
const KEY: &str = "answer";

/// The stop reason of an answer that was cut off by the client's own limit.
const CUT: &str = "maxTokens";

/// The encrypted state: enough to submit the answer, or to have the tool ask again. The question itself is long, and
/// the tool knows it.
#[derive(Debug, Serialize, Deserialize)]
struct PendingQuestion {
    submit: Submission,
    #[serde(default)]
    wants_json: bool,
    /// The number of refused answers.
    #[serde(default)]
    refused: usize,
}

/// The result of a conversation.
#[derive(Debug)]
pub(super) enum ConversationOutcome {
    /// The tool's reply, which may be a question to the host.
    Reply(Box<ToolReply>),
    /// The client must answer before the tool can continue.
    Required(Box<InputRequiredResult>),
    /// The call continues as a task.
    Task(Box<Task>),
}

impl ConversationOutcome {
    /// Returns the error code of a failed call.
    pub(super) fn error_code(&self) -> Option<String> {
        match self {
            Self::Reply(reply) => reply.error_code(),
            Self::Required(_) | Self::Task(_) => None,
        }
    }
}

/// One call with all its questions and answers.
pub(super) struct Conversation<'a> {
    pub(super) app: &'a App,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) caller: &'a Caller,
    pub(super) project: Arc<Project>,
    pub(super) progress: CallProgress,
}

impl Conversation<'_> {
    /// Runs the call until it needs an answer that no model here can give.
    pub(super) async fn run(
        &self,
        entry: &ToolEntry,
        request: CallToolRequestParams,
    ) -> Result<ConversationOutcome, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let bound = StateBinding {
            principal: &self.caller.access.principal,
            project: self.project.root(),
            method: "tools/call",
            name: entry.spec.name,
            arguments: &arguments,
        };
        let talk = CallRunner {
            kernel: &self.app.kernel,
            catalogue: &self.app.catalogue,
            caller: self.caller,
            project: &self.project,
            cancel: &self.context.ct,
            progress: &self.progress,
        };
        let model = ClientModel(self);
        let author = |question: &ModelQuestion| -> Option<&dyn TextModel> {
            let client = || (self.samples() && !is_stateless(self.context)).then_some(&model as &dyn TextModel);
            self.app.provider_for(question).or_else(client)
        };
        // The session era has no request state, and ignores unknown fields.
        let state = request.request_state.filter(|_| is_stateless(self.context));
        let reply = match state {
            None => talk.run(entry, arguments.clone(), Answerer::Host).await,
            Some(state) => {
                let responses = request.input_responses.as_ref();
                match self.resume(&talk, &state, responses, &bound).await? {
                    Resumed::Reply(reply) => *reply,
                    Resumed::Required(required) => return Ok(required),
                }
            }
        };
        let reply = talk.continue_from(reply, author).await;
        Ok(match talk.question(&reply) {
            Some(question) if self.samples() && is_stateless(self.context) => self.require(&question, None, &bound),
            _ => ConversationOutcome::Reply(Box::new(reply)),
        })
    }

    /// Continues from a request state: submits the answer, or asks again.
    async fn resume(
        &self,
        talk: &CallRunner<'_>,
        state: &str,
        responses: Option<&InputResponses>,
        bound: &StateBinding<'_>,
    ) -> Result<Resumed, ErrorData> {
        let (open, used): (PendingQuestion, _) =
            self.app.seals.open(state, bound).await.map_err(|error| self.refuse(&error))?;
        let answer = answer(responses);
        let reply = match &answer {
            Some(answer) => talk.submit(&open.submit, open.wants_json, answer, Answerer::Sampling).await,
            None => talk.ask_again(&open.submit).await,
        };
        let reply = reply.ok_or_else(|| self.refuse(&McpError::RequestStateRefused { ttl: TTL }.into()))?;
        if reply.is_pool_full() {
            // The model's answer must not be lost because the server is busy.
            self.app.seals.release(used).await;
        }
        let Some((answer, refusal)) = answer.zip(AnswerRejection::from_reply(&reply, &open.submit.answer)) else {
            return Ok(Resumed::Reply(Box::new(reply)));
        };
        let refused = open.refused + 1;
        if refused >= TRIES {
            return Ok(Resumed::Reply(Box::new(talk.given_up(reply, &open.submit))));
        }
        // A refused answer changes nothing, so the tool asks the same again.
        let asked = talk.ask_again(&open.submit).await;
        Ok(match asked.as_ref().and_then(|reply| talk.question(reply)) {
            Some(question) => {
                let before = RefusedAnswer { answer, refusal, refused };
                Resumed::Required(self.require(&question, Some(before), bound))
            }
            None => Resumed::Reply(Box::new(reply)),
        })
    }

    fn samples(&self) -> bool {
        can_sample(self.app, self.context)
    }

    /// Returns the question as a result that the client answers by repeating its call.
    fn require(
        &self,
        question: &ModelQuestion,
        before: Option<RefusedAnswer>,
        bound: &StateBinding<'_>,
    ) -> ConversationOutcome {
        let locale = self.locale();
        let mut prompt = question.prompt(locale);
        let mut open =
            PendingQuestion { submit: question.submission().clone(), wants_json: question.wants_json(), refused: 0 };
        if let Some(RefusedAnswer { answer, refusal, refused }) = before {
            prompt = prompt.after(&answer, &refusal, locale);
            open.refused = refused;
        }
        let request = CreateMessageRequest::new(message(&prompt));
        let requests = InputRequests::from([(KEY.to_owned(), InputRequest::CreateMessage(request))]);
        let state = self.app.seals.seal(open, bound);
        ConversationOutcome::Required(Box::new(InputRequiredResult::new(Some(requests), Some(state))))
    }

    fn locale(&self) -> Locale {
        self.caller.locale
    }

    fn refuse(&self, error: &ToolError) -> ErrorData {
        to_protocol_error(error, self.caller.locale)
    }
}

/// The result of resuming from a request state.
enum Resumed {
    Reply(Box<ToolReply>),
    Required(ConversationOutcome),
}

/// A refused answer, which the model sees again.
struct RefusedAnswer {
    answer: String,
    refusal: AnswerRejection,
    refused: usize,
}

/// True if the client's model may be asked and the client supports it.
pub(super) fn can_sample(app: &App, context: &RequestContext<RoleServer>) -> bool {
    let client = context.client_capabilities();
    app.config.novel.author.asks_clients() && client.is_some_and(|client| client.sampling.is_some())
}

fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= STATELESS_SINCE)
}

/// The client's model, asked while its call waits.
struct ClientModel<'a>(&'a Conversation<'a>);

impl TextModel for ClientModel<'_> {
    fn answerer(&self) -> Answerer {
        Answerer::Sampling
    }

    /// Returns `Declined` without a text: the user refused, or the answer is late, missing or cut off.
    fn write<'a>(&'a self, prompt: &'a Prompt) -> ModelAnswer<'a> {
        Box::pin(async move {
            let rest = self.0.context.extensions.get::<http::request::Parts>();
            let rest = rest.and_then(|parts| parts.extensions.get::<SlotHandle>());
            let _resting = rest.and_then(SlotHandle::release);
            let asked = self.0.context.peer.create_message(message(prompt));
            let text = match tokio::time::timeout(PATIENCE, asked).await {
                Ok(Ok(message)) => text(&message),
                Ok(Err(error)) => {
                    tracing::info!(%error, "the client's model returned no answer");
                    None
                }
                Err(_) => {
                    tracing::info!("the client's model did not answer in time");
                    None
                }
            };
            let text = text.ok_or(NoAnswer::Declined)?;
            Ok(ModelText { text, usage: None })
        })
    }
}

/// Converts a prompt to a sampling request.
pub(super) fn message(prompt: &Prompt) -> CreateMessageRequestParams {
    let turns = prompt.turns().iter().map(|turn| match turn.speaker {
        Speaker::User => SamplingMessage::user_text(turn.text.clone()),
        Speaker::Model => SamplingMessage::assistant_text(turn.text.clone()),
    });
    CreateMessageRequestParams::new(turns.collect(), ANSWER_TOKENS)
}

/// Returns the client's answer among its responses; other keys are ignored.
fn answer(responses: Option<&InputResponses>) -> Option<String> {
    let message: CreateMessageResult = serde_json::from_value(responses?.get(KEY)?.clone()).ok()?;
    text(&message)
}

/// Returns the text of a message. Returns `None` if it has no text or was cut off: half a chapter is not usable.
pub(super) fn text(message: &CreateMessageResult) -> Option<String> {
    if message.stop_reason.as_deref() == Some(CUT) {
        tracing::info!("the answer of the client's model was cut off at its token limit");
        return None;
    }
    let parts: Vec<_> =
        message.message.content.iter().filter_map(|part| part.as_text()).map(|part| part.text.as_str()).collect();
    let text = parts.join("\n");
    (!text.trim().is_empty()).then_some(text)
}
