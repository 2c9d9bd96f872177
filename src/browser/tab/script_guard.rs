//! Aborting of a caller's scripts and patterns, which may never end: dropping the guard terminates them.

use serde::{Serialize, de::DeserializeOwned};

use super::{Tab, TabFrame};
use crate::{
    devtools::{Channel, protocol::scripts::TerminateExecution},
    errors::BrowserError,
};

/// A guard of a running script: dropping it terminates the script, unless the script waits at a dialog, after which it
/// may go on.
#[must_use]
pub(crate) struct ScriptGuard<'a> {
    tab: &'a Tab,
    channel: Channel,
    is_over: bool,
}

impl<'a> ScriptGuard<'a> {
    /// Returns the guard of a script that starts now in the process of this session.
    pub(crate) fn begin(tab: &'a Tab, channel: &Channel) -> Self {
        tab.state().running_scripts += 1;
        Self { tab, channel: channel.clone(), is_over: false }
    }

    /// Marks the script as ended, so that dropping the guard does nothing.
    pub(crate) fn ended(mut self) {
        self.is_over = true;
    }
}

impl Drop for ScriptGuard<'_> {
    fn drop(&mut self) {
        self.tab.state().running_scripts -= 1;
        if !self.is_over && self.tab.dialog().is_none() {
            self.channel.send(&TerminateExecution {});
        }
    }
}

impl Tab {
    /// Calls a function as [`Tab::ask`] does, with a caller's pattern among the arguments. The call is terminated on
    /// timeout: a slow pattern would keep the page busy for ever, and nothing else stops it.
    pub(crate) async fn ask_with_pattern<R: DeserializeOwned>(
        &self,
        frame: &TabFrame,
        function: &str,
        args: impl Serialize,
    ) -> Result<R, BrowserError> {
        let running = ScriptGuard::begin(self, &frame.channel());
        let answer = self.ask(frame, function, args).await;
        if !matches!(answer, Err(BrowserError::BrowserTooLate { .. })) {
            running.ended();
        }
        answer
    }
}
