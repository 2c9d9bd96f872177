//! Calls into fumi's own world of a frame, where the script of `page/` lives out of the page's reach.

use std::sync::atomic::Ordering;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use super::{Frame, RemoteObject, Tab, frames::World};
use crate::{
    devtools::{
        CallError, Channel, Command,
        protocol::{
            page::CreateIsolatedWorld,
            runtime::{CallArgument, CallFunctionOn, Evaluate, Evaluated, RemoteObjectId},
        },
    },
    errors::BrowserError,
    page::SCRIPT,
};

/// The name of the world; pages cannot see it.
pub(super) const WORLD: &str = "fumi";

/// How often a world that ended before a call reached it is looked for again.
const ATTEMPTS: usize = 4;

/// One call of a function of `fumi`: tells the frame its prefix and the numbers that are used up, and gives back the last
/// number with the value. Own properties of `fumi` only.
const CALL: &str = "async function (name, frame, args) { fumi.frame(frame); \
    const value = await fumi[name](...(args ?? [])); return [fumi.frame().last, value ?? null]; }";

/// The same on an element, which is put before the arguments.
const CALL_ON: &str = "async function (name, frame, args) { fumi.frame(frame); \
    const value = await fumi[name](this, ...(args ?? [])); return [fumi.frame().last, value ?? null]; }";

/// What a frame's world is told with every call: how its refs begin, and the last number that is used up.
#[derive(Serialize)]
struct FrameNumbers<'a> {
    prefix: &'a str,
    after: u64,
}

impl Tab {
    /// Calls `fumi.FUNCTION(...args)` in fumi's world of a frame, awaits its promise and reads the value. `args` is a tuple.
    ///
    /// A dialog, a crash or a closed tab is an error; so is a page that does not answer in time. A world that ended before
    /// the call arrived is looked for again; one that ends during it is [`BrowserError::Protocol`].
    pub(crate) async fn ask<R: DeserializeOwned>(
        &self,
        frame: &Frame,
        function: &str,
        args: impl Serialize,
    ) -> Result<R, BrowserError> {
        let value = self.ask_raw(frame, None, function, args).await?;
        read(CallFunctionOn::METHOD, &value)
    }

    /// The same on an element, which the function gets as its first argument.
    pub(crate) async fn ask_on<R: DeserializeOwned>(
        &self,
        frame: &Frame,
        element: &RemoteObject,
        function: &str,
        args: impl Serialize,
    ) -> Result<R, BrowserError> {
        let value = self.ask_raw(frame, Some(&element.id), function, args).await?;
        read(CallFunctionOn::METHOD, &value)
    }

    async fn ask_raw(
        &self,
        frame: &Frame,
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
                    Err(Failure::Lost(error)) if attempts < ATTEMPTS && on.is_none() => {
                        tracing::trace!(%error, "a world ended before a call");
                        self.forget(frame, &world);
                    }
                    Err(Failure::Unprepared) if attempts < ATTEMPTS => prepare(&channel, &world).await?,
                    Err(failure) => return Err(failure.into()),
                    Ok(value) => return Ok(value),
                }
            }
        };
        self.unless_stopped(self.answered(work)).await
    }

    /// Bounds what the page's script may take by itself. Functions that wait on purpose are bounded by their own time as
    /// well, which is why this is generous.
    pub(super) async fn answered<T>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        let after = self.settings.answer;
        tokio::time::timeout(after, work).await.unwrap_or_else(|_| {
            Err(BrowserError::TooLate {
                what: fumi_base::text::Text::new("an answer of the page", "ページからの応答"),
                after,
            })
        })
    }

    /// Fumi's world of the frame's document, and the session to call it by. Between two documents it is waited for.
    pub(crate) async fn world(&self, frame: &Frame) -> Result<(Channel, World), BrowserError> {
        self.world_of(frame, |inner| inner.world.clone()).await
    }

    /// The page's own world of the frame's document, where its scripts run.
    pub(crate) async fn page_world(&self, frame: &Frame) -> Result<(Channel, World), BrowserError> {
        self.world_of(frame, |inner| inner.main.clone()).await
    }

    async fn world_of(
        &self,
        frame: &Frame,
        pick: impl Fn(&super::frames::Inner) -> Option<World>,
    ) -> Result<(Channel, World), BrowserError> {
        let look = |state: &mut super::State| {
            if let Some(stop) = state.stopped() {
                return Some(Err(stop));
            }
            if state.frames.get(&frame.id).is_none() {
                return Some(Err(gone(frame)));
            }
            let inner = frame.inner();
            pick(&inner).map(|world| Ok((inner.channel.clone(), world)))
        };
        let patience = std::time::Duration::from_millis(500);
        if let Ok(found) = tokio::time::timeout(patience, self.until(look)).await {
            return found;
        }
        // A document in which the script did not run, such as one that is still empty: its world is made by hand, and
        // its event brings it here.
        frame.channel().send(&CreateIsolatedWorld {
            frame_id: frame.id.clone(),
            world_name: WORLD,
        });
        self.until(look).await
    }

    fn forget(&self, frame: &Frame, world: &World) {
        let state = self.state();
        state.frames.world_ended(&world.unique);
        drop(state);
        tracing::trace!(frame = frame.number, "looks for another world");
    }
}

/// Why a call has no value.
enum Failure {
    /// There was no such world (any more), so nothing was done.
    Lost(CallError),
    /// The script is not there yet.
    Unprepared,
    Other(BrowserError),
}

impl From<Failure> for BrowserError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Lost(error) => Self::Protocol(error),
            Failure::Unprepared => Self::Script {
                what: "fumi".to_owned(),
                message: "the script of the page is missing".to_owned(),
            },
            Failure::Other(error) => error,
        }
    }
}

async fn call(
    tab: &Tab,
    frame: &Frame,
    channel: &Channel,
    world: &World,
    on: Option<&RemoteObjectId>,
    function: &str,
    args: &RawValue,
) -> Result<Box<RawValue>, Failure> {
    let numbers = FrameNumbers {
        prefix: &frame.prefix(),
        after: frame.inner().last_ref.max(tab.settings.refs.load(Ordering::Relaxed)),
    };
    let arguments = [raw(&function), raw(&numbers), Ok(args.to_owned())];
    let arguments = arguments
        .into_iter()
        .map(|value| value.map(argument))
        .collect::<Result<_, _>>();
    let command = CallFunctionOn {
        function_declaration: if on.is_some() { CALL_ON } else { CALL }.to_owned(),
        object_id: on.cloned(),
        unique_context_id: on.is_none().then(|| world.unique.clone()),
        arguments: arguments.map_err(Failure::Other)?,
        return_by_value: true,
        await_promise: true,
        ..CallFunctionOn::default()
    };
    let evaluated = channel.call(&command).await.map_err(|error| {
        if error.says("Cannot find context") || error.says("uniqueContextId not found") {
            Failure::Lost(error)
        } else {
            Failure::Other(error.into())
        }
    })?;
    let value = match value_of(function, evaluated) {
        Err(BrowserError::Script { message, .. }) if message.contains("fumi is not defined") => {
            return Err(Failure::Unprepared);
        }
        value => value.map_err(Failure::Other)?,
    };
    let (last, value): (u64, Box<RawValue>) = read(CallFunctionOn::METHOD, &value).map_err(Failure::Other)?;
    let mut inner = frame.inner();
    inner.last_ref = inner.last_ref.max(last);
    tab.settings.refs.fetch_max(last, Ordering::Relaxed);
    Ok(value)
}

/// Runs the script in a world that lacks it.
async fn prepare(channel: &Channel, world: &World) -> Result<(), BrowserError> {
    let script = Evaluate {
        expression: SCRIPT.to_owned(),
        unique_context_id: Some(world.unique.clone()),
        return_by_value: true,
        ..Evaluate::default()
    };
    value_of("fumi", channel.call(&script).await?).map(drop)
}

/// The value, or what was thrown as an error. `undefined` is `null`.
fn value_of(what: &str, evaluated: Evaluated) -> Result<Box<RawValue>, BrowserError> {
    if let Some(thrown) = evaluated.exception_details {
        let message = thrown.exception.and_then(|it| it.description).unwrap_or(thrown.text);
        return Err(BrowserError::Script {
            what: what.to_owned(),
            message,
        });
    }
    match evaluated.result.value {
        Some(value) => Ok(value),
        None => raw(&evaluated.result.unserializable_value),
    }
}

/// The world, the frame or the element went away under the call.
pub(super) fn gone(frame: &Frame) -> BrowserError {
    BrowserError::Stale {
        reference: match frame.number {
            0 => "the element".to_owned(),
            number => format!("f{number}"),
        },
        was: "an element of a document that is gone".to_owned(),
        nearest: Vec::new(),
    }
}

pub(super) fn argument(value: Box<RawValue>) -> CallArgument {
    CallArgument {
        value: Some(value),
        object_id: None,
    }
}

pub(super) fn raw(value: &impl Serialize) -> Result<Box<RawValue>, BrowserError> {
    let method = CallFunctionOn::METHOD;
    to_raw_value(value).map_err(|error| CallError::Unreadable { method, error }.into())
}

fn read<R: DeserializeOwned>(method: &'static str, value: &RawValue) -> Result<R, BrowserError> {
    serde_json::from_str(value.get()).map_err(|error| CallError::Unreadable { method, error }.into())
}
