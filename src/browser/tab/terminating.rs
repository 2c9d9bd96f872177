//! Scripts and patterns of a caller, which may never end: stopped when they are given up.

use serde::{Serialize, de::DeserializeOwned};

use super::{Frame, Tab};
use crate::{
    devtools::{Channel, protocol::scripts::TerminateExecution},
    errors::BrowserError,
};

/// A script that runs: stopped when it is given up, unless it waits at a dialog, after which it may go on.
pub(crate) struct Running<'a> {
    tab: &'a Tab,
    channel: Channel,
    is_over: bool,
}

impl<'a> Running<'a> {
    /// One that begins now in the process of this session.
    pub(crate) fn begin(tab: &'a Tab, channel: &Channel) -> Self {
        Self {
            tab,
            channel: channel.clone(),
            is_over: false,
        }
    }

    /// It ended by itself.
    pub(crate) fn ended(mut self) {
        self.is_over = true;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.tab.dialog().is_none() {
            self.channel.send(&TerminateExecution {});
        }
    }
}

impl Tab {
    /// [`Tab::ask`] with a pattern of the caller among the arguments: one that takes too long would keep the page busy for
    /// ever, since nothing else stops it.
    pub(crate) async fn ask_with_pattern<R: DeserializeOwned>(
        &self,
        frame: &Frame,
        function: &str,
        args: impl Serialize,
    ) -> Result<R, BrowserError> {
        let running = Running::begin(self, &frame.channel());
        let answer = self.ask(frame, function, args).await;
        if !matches!(answer, Err(BrowserError::TooLate { .. })) {
            running.ended();
        }
        answer
    }
}
