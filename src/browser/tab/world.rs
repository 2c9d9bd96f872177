//! Calls into fumi's own world of a frame, in which the script of `page/` runs out of the page's reach.

use std::sync::atomic::Ordering;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use super::{RemoteObjectGuard, Tab, TabFrame, frames::World};
use crate::{
    devtools::{
        CallError, Channel, ProtocolCommand,
        protocol::{
            page::CreateIsolatedWorld,
            runtime::{CallArgument, CallFunctionOn, EvaluateExpression, EvaluationResult, RemoteObjectId},
        },
    },
    errors::BrowserError,
    page::SCRIPT,
};

/// The name of the isolated world, which pages cannot see.
pub(super) const WORLD: &str = "fumi";

/// The maximum number of attempts of a call whose world ended before the call arrived.
const ATTEMPTS: usize = 4;

/// The code of one call of a function of `fumi`. Passes the frame's prefix and the last used ref number, and returns
/// the new last number with the value. Only own properties of `fumi` can be called.
const CALL: &str = "async function (name, frame, args) { fumi.frame(frame); \
    const value = await fumi[name](...(args ?? [])); return [fumi.frame().last, value ?? null]; }";

/// The code of the same call on an element, which becomes the first argument.
const CALL_ON: &str = "async function (name, frame, args) { fumi.frame(frame); \
    const value = await fumi[name](this, ...(args ?? [])); return [fumi.frame().last, value ?? null]; }";

/// The data that every call passes to a frame's world: the prefix of its refs and the last used ref number.
#[derive(Serialize)]
struct FrameNumbers<'a> {
    prefix: &'a str,
    after: u64,
}

impl Tab {
    /// Calls `fumi.FUNCTION(...args)` in fumi's world of a frame, awaits its promise and parses the value. `args` is a
    /// tuple.
    ///
    /// Returns an error for a dialog, a crash, a closed tab or a timeout. If the world ended before the call arrived,
    /// the call is repeated in the new world; if it ends during the call, the error is [`BrowserError::ChromiumRefused`].
    pub(crate) async fn ask<R: DeserializeOwned>(
        &self,
        frame: &TabFrame,
        function: &str,
        args: impl Serialize,
    ) -> Result<R, BrowserError> {
        let value = self.ask_raw(frame, None, function, args).await?;
        read(CallFunctionOn::METHOD, &value)
    }

    /// Calls a function as [`Tab::ask`] does, with an element as its first argument.
    pub(crate) async fn ask_on<R: DeserializeOwned>(
        &self,
        frame: &TabFrame,
        element: &RemoteObjectGuard,
        function: &str,
        args: impl Serialize,
    ) -> Result<R, BrowserError> {
        let value = self.ask_raw(frame, Some(&element.id), function, args).await?;
        read(CallFunctionOn::METHOD, &value)
    }

    async fn ask_raw(
        &self,
        frame: &TabFrame,
        on: Option<&RemoteObjectId>,
        function: &str,
        args: impl Serialize,
    ) -> Result<Box<RawValue>, BrowserError> {
        let args = raw(&args)?;
        let work = async {
            let mut attempts = 0;
            loop {
                attempts += 1;
                let (channel, world) = self.world(frame).await?;
                let called = call(self, frame, &channel, &world, on, function, &args).await;
                match called {
                    Err(WorldCallError::Lost(error)) if attempts < ATTEMPTS && on.is_none() => {
                        tracing::trace!(%error, "a world ended before a call");
                        self.forget(frame, &world);
                    }
                    Err(WorldCallError::Unprepared) if attempts < ATTEMPTS => load_script(&channel, &world).await?,
                    Err(failure) => return Err(failure.into()),
                    Ok(value) => return Ok(value),
                }
            }
        };
        self.unless_blocked(self.with_answer_timeout(work)).await
    }

    /// Applies the timeout for answers of the page's script. Functions that wait on purpose have their own time limit
    /// as well, which is why this one is generous.
    pub(super) async fn with_answer_timeout<T>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        let after = self.settings.answer;
        // On the heap, so that the futures of acts stay small.
        let mut work = Box::pin(work);
        if let Ok(done) = tokio::time::timeout(after, &mut work).await {
            return done;
        }
        // Chromium holds back all answers while a document is requested; the watch of `unresponsive.rs` ends that.
        if self.has_pending_document()
            && let Ok(done) = tokio::time::timeout(self.settings.commit, work).await
        {
            return done;
        }
        let what = fumi_base::text::BilingualText::new("an answer from the page", "ページからの応答");
        Err(BrowserError::BrowserTooLate { what, after })
    }

    /// Returns fumi's world of the frame's document, and the session to call it through. Waits for it between two
    /// documents.
    pub(crate) async fn world(&self, frame: &TabFrame) -> Result<(Channel, World), BrowserError> {
        self.world_of(frame, |inner| inner.world.clone()).await
    }

    /// Returns the page's own world of the frame's document, where its scripts run.
    pub(crate) async fn page_world(&self, frame: &TabFrame) -> Result<(Channel, World), BrowserError> {
        self.world_of(frame, |inner| inner.main.clone()).await
    }

    async fn world_of(
        &self,
        frame: &TabFrame,
        pick: impl Fn(&super::frames::FrameState) -> Option<World>,
    ) -> Result<(Channel, World), BrowserError> {
        let look = |state: &mut super::TabState| {
            if let Some(stop) = state.blocking_error() {
                return Some(Err(stop));
            }
            if state.frames.get(&frame.id).is_none() {
                return Some(Err(stale_frame(frame)));
            }
            let inner = frame.inner();
            pick(&inner).map(|world| Ok((inner.channel.clone(), world)))
        };
        let patience = std::time::Duration::from_millis(500);
        if let Ok(found) = tokio::time::timeout(patience, self.until(look)).await {
            return found;
        }
        // The script did not run in this document, for example because it is still empty. The world is created
        // explicitly, and its event reports it here.
        frame.channel().send(&CreateIsolatedWorld { frame_id: frame.id.clone(), world_name: WORLD });
        self.until(look).await
    }

    fn forget(&self, frame: &TabFrame, world: &World) {
        let state = self.state();
        state.frames.world_ended(&world.unique);
        drop(state);
        tracing::trace!(frame = frame.number, "looks for another world");
    }
}

/// The reason why a call has no value.
enum WorldCallError {
    /// The world does not exist (any more), so nothing was done.
    Lost(CallError),
    /// The script has not been loaded in this world yet.
    Unprepared,
    Other(BrowserError),
}

impl From<WorldCallError> for BrowserError {
    fn from(failure: WorldCallError) -> Self {
        match failure {
            WorldCallError::Lost(error) => error.into(),
            WorldCallError::Unprepared => {
                Self::ScriptThrew { what: "fumi".to_owned(), message: "the script of the page is missing".to_owned() }
            }
            WorldCallError::Other(error) => error,
        }
    }
}

async fn call(
    tab: &Tab,
    frame: &TabFrame,
    channel: &Channel,
    world: &World,
    on: Option<&RemoteObjectId>,
    function: &str,
    args: &RawValue,
) -> Result<Box<RawValue>, WorldCallError> {
    let numbers = FrameNumbers {
        prefix: &frame.prefix(),
        after: frame.inner().last_ref.max(tab.settings.refs.load(Ordering::Relaxed)),
    };
    let arguments = [raw(&function), raw(&numbers), Ok(args.to_owned())];
    let arguments = arguments.into_iter().map(|value| value.map(argument)).collect::<Result<_, _>>();
    let command = CallFunctionOn {
        function_declaration: if on.is_some() { CALL_ON } else { CALL }.to_owned(),
        object_id: on.cloned(),
        unique_context_id: on.is_none().then(|| world.unique.clone()),
        arguments: arguments.map_err(WorldCallError::Other)?,
        return_by_value: true,
        await_promise: true,
        ..CallFunctionOn::default()
    };
    let evaluated = channel.call(&command).await.map_err(|error| {
        if error.says("Cannot find context") || error.says("uniqueContextId not found") {
            WorldCallError::Lost(error)
        } else {
            WorldCallError::Other(error.into())
        }
    })?;
    let value = match value_of(function, evaluated) {
        Err(BrowserError::ScriptThrew { message, .. }) if message.contains("fumi is not defined") => {
            return Err(WorldCallError::Unprepared);
        }
        value => value.map_err(WorldCallError::Other)?,
    };
    let (last, value): (u64, Box<RawValue>) = read(CallFunctionOn::METHOD, &value).map_err(WorldCallError::Other)?;
    let mut inner = frame.inner();
    inner.last_ref = inner.last_ref.max(last);
    tab.settings.refs.fetch_max(last, Ordering::Relaxed);
    Ok(value)
}

/// Runs the script in a world that lacks it.
async fn load_script(channel: &Channel, world: &World) -> Result<(), BrowserError> {
    let script = EvaluateExpression {
        expression: SCRIPT.to_owned(),
        unique_context_id: Some(world.unique.clone()),
        return_by_value: true,
        ..EvaluateExpression::default()
    };
    value_of("fumi", channel.call(&script).await?).map(drop)
}

/// Returns the value, or the thrown exception as an error. `undefined` becomes `null`.
fn value_of(what: &str, evaluated: EvaluationResult) -> Result<Box<RawValue>, BrowserError> {
    if let Some(thrown) = evaluated.exception_details {
        let message = thrown.exception.and_then(|it| it.description).unwrap_or(thrown.text);
        return Err(BrowserError::ScriptThrew { what: what.to_owned(), message });
    }
    match evaluated.result.value {
        Some(value) => Ok(value),
        None => raw(&evaluated.result.unserializable_value),
    }
}

/// Returns the error for a world, frame or element that disappeared during the call.
pub(super) fn stale_frame(frame: &TabFrame) -> BrowserError {
    BrowserError::StaleRef {
        reference: match frame.number {
            0 => "the element".to_owned(),
            number => format!("f{number}"),
        },
        was: "an element of a document that is gone".to_owned(),
        nearest: Vec::new(),
    }
}

pub(super) fn argument(value: Box<RawValue>) -> CallArgument {
    CallArgument { value: Some(value), object_id: None }
}

pub(super) fn raw(value: &impl Serialize) -> Result<Box<RawValue>, BrowserError> {
    let method = CallFunctionOn::METHOD;
    to_raw_value(value).map_err(|error| CallError::Unreadable { method, error }.into())
}

fn read<R: DeserializeOwned>(method: &'static str, value: &RawValue) -> Result<R, BrowserError> {
    serde_json::from_str(value.get()).map_err(|error| CallError::Unreadable { method, error }.into())
}
