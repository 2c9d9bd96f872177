//! Pressing a key or a chord in whatever has the focus.

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
    /// Presses and releases: `Enter`, `Control+a`, `Shift+Tab`, `ArrowDown`, any single character.
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

    /// Presses keys for pasting, and pastes what this session has copied where they went down.
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
            // The keys made the page leave: there is nothing to paste into.
            Err(BrowserError::Protocol(_)) => Ok(()),
            pasted => pasted,
        }
    }

    /// Only the frame in which the keys went down gets the text: it is of no concern to others, which may be of other sites.
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

/// What a frame knows of the keys.
#[derive(serde::Deserialize)]
struct Came {
    /// They went down there, and the page wants them to paste.
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

/// Presses modifiers, the first one first, without waiting; they are held then.
pub(super) fn hold(page: &Channel, keys: &[Key]) -> Modifiers {
    keys.iter().fold(Modifiers::default(), |held, key| {
        let held = held.and(modifier(key).unwrap_or_default());
        page.send(&key_event(KeyEventType::RawKeyDown, key, held));
        held
    })
}

/// Releases the key and then the modifiers, the last one first; waits until the page has handled it.
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
