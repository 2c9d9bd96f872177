//! Pressing a key or a chord in whatever has the focus.

use super::{
    chord::{Chord, Stroke, modifier},
    keyboard::Key,
    mouse::key_event,
};
use crate::{
    clipboard::Copied,
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
        match chord.pasting() {
            Some(chord) => self.acting(self.paste(&chord)).await,
            None => self.acting(strike(self.page(), &chord)).await,
        }
    }

    /// Presses keys for pasting and pastes what this session has copied, where they went down.
    async fn paste(&self, keys: &Chord) -> Result<(), BrowserError> {
        let watched = self.in_frames(|frame| async move { self.ask::<Watched>(&frame, "watchKeys", ()).await });
        let mut frames = Vec::new();
        for (frame, watched) in watched.await? {
            self.keep_copied(watched.copied);
            frames.push(frame);
        }
        strike(self.page(), keys).await?;
        let Some(text) = self.settings().clipboard.text() else {
            return Ok(());
        };
        let text = &text;
        let pasted = self.among(frames, |frame| async move {
            self.ask::<Pasted>(&frame, "paste", (text,)).await
        });
        match pasted.await {
            // The keys made the page leave: there is nothing to paste into.
            Err(BrowserError::Protocol(_)) => Ok(()),
            pasted => pasted.map(drop),
        }
    }

    /// Keeps for the session what a page says was copied in it.
    pub(crate) fn keep_copied(&self, copied: Option<Copied>) {
        if let Some(copied) = copied {
            self.settings().clipboard.keep(copied);
        }
    }
}

#[derive(serde::Deserialize)]
struct Watched {
    #[serde(default)]
    copied: Option<Copied>,
}

#[derive(serde::Deserialize)]
struct Pasted {}

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
