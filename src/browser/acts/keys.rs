//! Pressing a key or a chord in the focused element, including the shortcuts of a browser: paste, reload, back, forward.

use std::sync::Arc;

use super::{
    chord::{Chord, Stroke, modifier, modifiers},
    keyboard::KeyboardKey,
    mouse::key_event,
};
use crate::{
    devtools::{
        Channel, EmptyReply,
        protocol::input::{InsertText, KeyEventType, Modifiers},
    },
    errors::BrowserError,
    tab::{Tab, TabFrame},
    target::Target,
};

impl Tab {
    /// Presses and releases a key or chord: `Enter`, `Control+a`, `Shift+Tab`, `ArrowDown`, or any single character.
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        let chord = Chord::parse(key)?;
        if let Some(key) = chord.paste_key() {
            self.acting(self.paste(&chord, &key)).await?;
        } else if let Some((command, key)) = chord.browser_command() {
            return self.acting(self.press_for_browser(&chord, command, key)).await;
        } else {
            let pressing = async {
                press_chord(self.page(), &chord).await?;
                if chord.may_scroll() {
                    self.until_scrolled().await;
                }
                Ok(())
            };
            self.acting(pressing).await?;
        }
        if chord.may_open() {
            self.detect_popup(&Target::Written(":focus".to_owned())).await;
        }
        Ok(())
    }

    /// Waits until no frame scrolls any more. A frame that does not answer is not waited for.
    async fn until_scrolled(&self) {
        let asked = self.query_all_frames(|frame| async move { self.ask::<EmptyReply>(&frame, "scrolled", ()).await });
        let _ = asked.await;
    }

    /// Presses a paste shortcut, and pastes the session's own clipboard in the frame that received the keys.
    async fn paste(&self, chord: &Chord, key: &KeyboardKey) -> Result<(), BrowserError> {
        let frames = self.await_key(key.code).await?;
        let held = press_modifiers(self.page(), &chord.held);
        self.page().call(&key_event(KeyEventType::RawKeyDown, key, held)).await?;
        let pasted = self.paste_where_pressed(frames).await;
        release(self.page(), chord, key, held).await?;
        match pasted {
            // The keys made the page navigate away, so there is nothing to paste into.
            Err(BrowserError::ChromiumRefused { .. } | BrowserError::ChromiumGone { .. }) => Ok(()),
            pasted => pasted,
        }
    }

    /// Presses keys that a browser takes for itself unless the page prevents it. Input from outside reaches the page
    /// only, so the browser's part is done here.
    async fn press_for_browser(
        &self,
        chord: &Chord,
        command: &'static str,
        key: &'static str,
    ) -> Result<(), BrowserError> {
        let frames = self.await_key(key).await?;
        press_chord(self.page(), chord).await?;
        if self.frame_of_keys(frames).await?.is_some() {
            let main = self.main();
            self.ask::<EmptyReply>(&main, "leave", (command,)).await?;
        }
        Ok(())
    }

    /// Makes all frames wait for the key with this code. Returns them.
    async fn await_key(&self, code: &'static str) -> Result<Vec<Arc<TabFrame>>, BrowserError> {
        let awaited =
            self.query_all_frames(|frame| async move { self.ask::<EmptyReply>(&frame, "awaitKeys", (code,)).await });
        Ok(awaited.await?.into_iter().map(|(frame, _)| frame).collect())
    }

    /// Returns the frame that received the awaited key, unless the page has prevented its default action.
    async fn frame_of_keys(&self, frames: Vec<Arc<TabFrame>>) -> Result<Option<Arc<TabFrame>>, BrowserError> {
        let came =
            self.query_frames(frames, |frame| async move { self.ask::<AwaitedKeyReply>(&frame, "keysCame", ()).await });
        Ok(came.await?.into_iter().find(|(_, came)| came.wanted).map(|(frame, _)| frame))
    }

    /// Pastes into the frame that received the keys only: other frames may belong to other sites and must not get the
    /// text.
    async fn paste_where_pressed(&self, frames: Vec<Arc<TabFrame>>) -> Result<(), BrowserError> {
        let wanting = self.frame_of_keys(frames).await?;
        if let (Some(frame), Some(text)) = (wanting, self.settings().clipboard.text()) {
            self.ask::<EmptyReply>(&frame, "paste", (text,)).await?;
        }
        Ok(())
    }
}

/// The answer of a frame about the awaited key.
#[derive(serde::Deserialize)]
struct AwaitedKeyReply {
    /// True if the key went down in this frame and the page did not prevent its default action.
    wanted: bool,
}

/// Sends all events of a chord at once and waits until the page has handled the last one.
pub(super) async fn press_chord(page: &Channel, chord: &Chord) -> Result<(), BrowserError> {
    let held = press_modifiers(page, &chord.held);
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
pub(super) fn press_modifiers(page: &Channel, keys: &[KeyboardKey]) -> Modifiers {
    keys.iter().fold(Modifiers::default(), |held, key| {
        let held = held.and(modifier(key).unwrap_or_default());
        page.send(&key_event(KeyEventType::RawKeyDown, key, held));
        held
    })
}

/// Releases the key and then the modifiers in reverse order. Waits until the page has handled the last event.
async fn release(page: &Channel, chord: &Chord, key: &KeyboardKey, held: Modifiers) -> Result<(), BrowserError> {
    let mut up = key_event(KeyEventType::KeyUp, key, held);
    for (before, key) in chord.held.iter().enumerate().rev() {
        page.send(&up);
        up = key_event(KeyEventType::KeyUp, key, modifiers(&chord.held[..before]));
    }
    page.call(&up).await?;
    Ok(())
}

/// Presses and releases one key without waiting.
pub(super) fn tap(page: &Channel, key: &KeyboardKey) {
    down(page, key, Modifiers::default());
    page.send(&key_event(KeyEventType::KeyUp, key, Modifiers::default()));
}

fn down(page: &Channel, key: &KeyboardKey, held: Modifiers) {
    // A modifier that is pressed alone counts as held while it is down.
    let held = held.and(modifier(key).unwrap_or_default());
    let types = !key.text.is_empty() && (held == Modifiers::default() || held == Modifiers::SHIFT);
    let kind = if types { KeyEventType::KeyDown } else { KeyEventType::RawKeyDown };
    page.send(&key_event(kind, key, held));
}
