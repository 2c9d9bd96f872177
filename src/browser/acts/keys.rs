//! Pressing a key or a chord in the focused element, including paste shortcuts.

use std::sync::Arc;

use super::{
    chord::{Chord, Stroke, modifier, modifiers},
    keyboard::Key,
    mouse::key_event,
};
use crate::{
    devtools::{
        Channel, Nothing,
        protocol::input::{InsertText, KeyEventType, Modifiers},
    },
    errors::BrowserError,
    tab::{Frame, Tab},
    target::Target,
};

impl Tab {
    /// Presses and releases a key or chord: `Enter`, `Control+a`, `Shift+Tab`, `ArrowDown`, or any single character.
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        let chord = Chord::parse(key)?;
        match chord.pasting() {
            Some(key) => self.acting(self.paste(&chord, &key)).await?,
            None => self.acting(strike(self.page(), &chord)).await?,
        }
        if chord.may_open() {
            self.note_opened(&Target::Written(":focus".to_owned())).await;
        }
        Ok(())
    }

    /// Presses a paste shortcut, and pastes the session's own clipboard in the frame that received the keys.
    async fn paste(&self, chord: &Chord, key: &Key) -> Result<(), BrowserError> {
        let awaited = self.in_frames(|frame| async move { self.ask::<Nothing>(&frame, "awaitKeys", ()).await });
        let frames = awaited.await?.into_iter().map(|(frame, _)| frame).collect();
        let held = hold(self.page(), &chord.held);
        self.page()
            .call(&key_event(KeyEventType::RawKeyDown, key, held))
            .await?;
        let pasted = self.paste_into_one_of(frames).await;
        release(self.page(), chord, key, held).await?;
        match pasted {
            // The keys made the page navigate away, so there is nothing to paste into.
            Err(BrowserError::Protocol(_)) => Ok(()),
            pasted => pasted,
        }
    }

    /// Pastes into the frame that received the keys only: other frames may belong to other sites and must not get the
    /// text.
    async fn paste_into_one_of(&self, frames: Vec<Arc<Frame>>) -> Result<(), BrowserError> {
        let came = self.among(
            frames,
            |frame| async move { self.ask::<Came>(&frame, "keysCame", ()).await },
        );
        let wanting = came.await?.into_iter().find(|(_, came)| came.wanted);
        if let (Some((frame, _)), Some(text)) = (wanting, self.settings().clipboard.text()) {
            self.ask::<Nothing>(&frame, "paste", (text,)).await?;
        }
        Ok(())
    }
}

/// The answer of a frame about the keys.
#[derive(serde::Deserialize)]
struct Came {
    /// True if the keys went down in this frame and the page lets them paste.
    wanted: bool,
}

/// Sends all events of a chord at once and waits until the page has handled the last one.
pub(super) async fn strike(page: &Channel, chord: &Chord) -> Result<(), BrowserError> {
    let held = hold(page, &chord.held);
    match &chord.stroke {
        Stroke::Text(text) => {
            page.call(&InsertText { text }).await?;
            Ok(())
        }
        Stroke::Key(key) => {
            down(page, key, held);
            release(page, chord, key, held).await
        }
    }
}

/// Presses modifiers in order, without waiting. They stay held.
pub(super) fn hold(page: &Channel, keys: &[Key]) -> Modifiers {
    keys.iter().fold(Modifiers::default(), |held, key| {
        let held = held.and(modifier(key).unwrap_or_default());
        page.send(&key_event(KeyEventType::RawKeyDown, key, held));
        held
    })
}

/// Releases the key and then the modifiers in reverse order. Waits until the page has handled the last event.
async fn release(page: &Channel, chord: &Chord, key: &Key, held: Modifiers) -> Result<(), BrowserError> {
    let mut up = key_event(KeyEventType::KeyUp, key, held);
    for (before, key) in chord.held.iter().enumerate().rev() {
        page.send(&up);
        up = key_event(KeyEventType::KeyUp, key, modifiers(&chord.held[..before]));
    }
    page.call(&up).await?;
    Ok(())
}

/// Presses and releases one key without waiting.
pub(super) fn tap(page: &Channel, key: &Key) {
    down(page, key, Modifiers::default());
    page.send(&key_event(KeyEventType::KeyUp, key, Modifiers::default()));
}

fn down(page: &Channel, key: &Key, held: Modifiers) {
    // A modifier that is pressed alone counts as held while it is down.
    let held = held.and(modifier(key).unwrap_or_default());
    let types = !key.text.is_empty() && (held == Modifiers::default() || held == Modifiers::SHIFT);
    let kind = if types {
        KeyEventType::KeyDown
    } else {
        KeyEventType::RawKeyDown
    };
    page.send(&key_event(kind, key, held));
}
