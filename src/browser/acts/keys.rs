//! Pressing a key or a chord in whatever has the focus.

use super::{
    chord::{Chord, Stroke, modifier},
    keyboard::Key,
    mouse::key_event,
};
use crate::{
    devtools::{
        Channel,
        protocol::input::{InsertText, KeyEventType, Modifiers},
    },
    errors::BrowserError,
    tab::Tab,
};

impl Tab {
    /// Presses and releases: `Enter`, `Control+a`, `Shift+Tab`, `ArrowDown`, any single character.
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        let chord = Chord::parse(key)?;
        self.acting(strike(self.page(), &chord)).await
    }
}

/// Sends all events of a chord at once and waits until the page has handled the last one.
pub(super) async fn strike(page: &Channel, chord: &Chord) -> Result<(), BrowserError> {
    let mut held = Modifiers::default();
    let mut before = Vec::new();
    for key in &chord.held {
        before.push((key, held));
        held = held.and(modifier(key).unwrap_or_default());
        page.send(&key_event(KeyEventType::RawKeyDown, key, held));
    }
    match &chord.stroke {
        Stroke::Text(text) => {
            page.call(&InsertText { text }).await?;
            return Ok(());
        }
        Stroke::Key(key) => {
            down(page, key, held);
            let up = key_event(KeyEventType::KeyUp, key, held);
            if before.is_empty() {
                page.call(&up).await?;
                return Ok(());
            }
            page.send(&up);
        }
    }
    while let Some((key, held)) = before.pop() {
        let up = key_event(KeyEventType::KeyUp, key, held);
        if before.is_empty() {
            page.call(&up).await?;
        } else {
            page.send(&up);
        }
    }
    Ok(())
}

/// Presses and releases one key without waiting.
pub(super) fn tap(page: &Channel, key: &Key) {
    down(page, key, Modifiers::default());
    page.send(&key_event(KeyEventType::KeyUp, key, Modifiers::default()));
}

fn down(page: &Channel, key: &Key, held: Modifiers) {
    // A modifier that is pressed alone is held while it is down.
    let held = held.and(modifier(key).unwrap_or_default());
    let types = !key.text.is_empty() && (held == Modifiers::default() || held == Modifiers::SHIFT);
    let kind = if types {
        KeyEventType::KeyDown
    } else {
        KeyEventType::RawKeyDown
    };
    page.send(&key_event(kind, key, held));
}
