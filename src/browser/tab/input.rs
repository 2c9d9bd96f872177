//! What acts leave behind in a tab: a drag that Chromium holds back, and the preferences that were set.

use super::{State, Tab};
use crate::{
    devtools::{
        Event,
        protocol::input::{DragData, DragIntercepted},
    },
    emulate::Emulation,
};

/// What acts leave behind.
#[derive(Debug, Default)]
pub(super) struct Input {
    drag: Option<DragData>,
    emulation: Emulation,
}

impl State {
    pub(super) fn hear_input(&mut self, event: &Event) {
        if let Some(DragIntercepted { data }) = event.get() {
            self.input.drag = Some(data);
        }
    }
}

impl Tab {
    /// Forgets a drag that nobody carried on.
    pub(crate) fn forget_drag(&self) {
        self.state().input.drag = None;
    }

    /// Waits for a drag to be held back, and takes it.
    pub(crate) async fn held_back(&self) -> DragData {
        self.until(|state| state.input.drag.take()).await
    }

    /// All preferences, with what `more` names from now on.
    pub(crate) fn prefer(&self, more: Emulation) -> Emulation {
        let mut state = self.state();
        state.input.emulation = state.input.emulation.and(more);
        state.input.emulation
    }
}
