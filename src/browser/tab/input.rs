//! State that acts leave behind in a tab: an intercepted drag, and the emulated preferences.

use super::{Tab, TabState};
use crate::{
    devtools::{
        RawEvent,
        protocol::input::{DragData, DragIntercepted},
    },
    emulate::Emulation,
};

/// The intercepted drag and the emulated preferences of a tab.
#[derive(Debug, Default)]
pub(super) struct InputState {
    drag: Option<DragData>,
    emulation: Emulation,
}

impl TabState {
    pub(super) fn on_input_event(&mut self, event: &RawEvent) {
        if let Some(DragIntercepted { data }) = event.get() {
            self.input.drag = Some(data);
        }
    }
}

impl Tab {
    /// Discards an intercepted drag that was not continued.
    pub(crate) fn forget_drag(&self) {
        self.state().input.drag = None;
    }

    /// Waits until Chromium has intercepted a drag, and takes its data.
    pub(crate) async fn intercepted_drag(&self) -> DragData {
        self.until(|state| state.input.drag.take()).await
    }

    /// Sets the preferences that `more` contains. Returns all preferences that are set now.
    pub(crate) fn set_preferences(&self, more: Emulation) -> Emulation {
        let mut state = self.state();
        state.input.emulation = state.input.emulation.overridden_by(more);
        state.input.emulation
    }
}
