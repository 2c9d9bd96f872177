//! Typing into a field.
//!
//! At once: one trusted insertion replaces the field's content, like a paste or an input method. Slowly: each character
//! is typed with key events after the existing content, for pages that listen to keys.

use super::{
    FieldMismatch, MismatchKind,
    chord::{Chord, Stroke},
    keyboard, keys,
};
use crate::{
    devtools::protocol::input::InsertText,
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{Located, Tab},
    target::Target,
};

/// The text to type and the way to type it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typing {
    /// The text. A line break presses Enter if the text is typed slowly.
    pub text: String,
    /// True to type key by key after the field's content; false to replace the content at once.
    pub slowly: bool,
    /// True to press Enter afterwards.
    pub submit: bool,
}

/// The number of characters between two waits for the page, so that a long text cannot fill the pipe ahead of it.
const BATCH: usize = 16;

impl Tab {
    /// Types into a field. Returns the difference if the field now contains something else.
    pub async fn type_text(&self, target: &Target, typing: &Typing) -> Result<Option<FieldMismatch>, BrowserError> {
        let (located, differing) = self.acting(self.type_in(target, typing, self.reports_popups())).await?;
        match located {
            // Enter may have emptied the field or navigated away.
            Some(located) if !typing.submit => {
                self.detect_popup(&Target::Written(located.reference.clone())).await;
                Ok(self.or_current_value(differing, &located, &typing.text, typing.slowly).await)
            }
            _ => Ok(differing),
        }
    }

    /// Types into a field. Returns the field and the difference if its `maxlength` cut the text. Within
    /// [`Tab::acting`], both are `None` if a dialog opened.
    pub(super) async fn type_in(
        &self,
        target: &Target,
        typing: &Typing,
        is_told: bool,
    ) -> Result<(Option<Located>, Option<FieldMismatch>), BrowserError> {
        let beginning = BeginTypingOptions { replace: !typing.slowly, is_told };
        let (located, said) = self.locate_and(target, ("beginTyping", (beginning,)), None).await?;
        let said: ScriptReply<BeginTypingReply> = match said {
            Some(said) => said,
            None => self.ask(&located.frame, "beginTyping", (&located.reference, beginning)).await?,
        };
        let begun = said.into_result(&located.called)?;
        let limit = begun.limit.filter(|limit| limit.is_too_small_for(&typing.text));
        let mut cut = limit.map(|limit| FieldMismatch::new(&located, MismatchKind::Shortened(limit.max_length)));
        if begun.by_keys {
            self.press_keys("Control+a").await?;
        }
        match begun.kind {
            _ if typing.slowly => self.type_keys(&typing.text).await?,
            // A date or a colour takes its whole value in one format; keys would depend on the locale.
            TypedFieldKind::Formatted => cut = self.set_value(&located, &typing.text, is_told).await?.cut(&located),
            TypedFieldKind::Text if typing.text.is_empty() => self.press_keys("Delete").await?,
            TypedFieldKind::Text => {
                self.page().call(&InsertText { text: &typing.text }).await?;
            }
        }
        if typing.submit {
            self.press_keys("Enter").await?;
        }
        Ok((Some(located), cut))
    }

    async fn type_keys(&self, text: &str) -> Result<(), BrowserError> {
        let text = text.replace("\r\n", "\n");
        let characters: Vec<char> = text.chars().collect();
        for batch in characters.chunks(BATCH) {
            let Some((last, rest)) = batch.split_last() else {
                break;
            };
            for character in rest {
                match keyboard::key_for_character(*character) {
                    Some(key) => keys::tap(self.page(), &key),
                    None => self.page().send(&InsertText { text: character.encode_utf8(&mut [0; 4]) }),
                }
            }
            let stroke = keyboard::key_for_character(*last).map_or_else(|| Stroke::Text(last.to_string()), Stroke::Key);
            let held = Vec::new();
            keys::press_chord(self.page(), &Chord { held, stroke }).await?;
        }
        Ok(())
    }

    pub(super) async fn press_keys(&self, key: &str) -> Result<(), BrowserError> {
        keys::press_chord(self.page(), &Chord::parse(key)?).await
    }
}

#[derive(Clone, Copy, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct BeginTypingOptions {
    /// True to select the field's content, so that the typed text replaces it.
    replace: bool,
    /// True if the page records popups that open, so that they can be reported.
    is_told: bool,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct BeginTypingReply {
    kind: TypedFieldKind,
    /// True if the content could not be selected by the script and must be selected with keys.
    #[serde(default)]
    by_keys: bool,
    limit: Option<LengthLimit>,
}

/// The length limit of a field, in UTF-16 units.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct LengthLimit {
    /// The total length that the field takes.
    max_length: usize,
    /// The length that is left.
    room: usize,
    /// True if line breaks are part of the text.
    multiline: bool,
}

impl LengthLimit {
    fn is_too_small_for(&self, text: &str) -> bool {
        let counts = |unit: &u16| self.multiline || ![u16::from(b'\n'), u16::from(b'\r')].contains(unit);
        text.replace("\r\n", "\n").encode_utf16().filter(counts).count() > self.room
    }
}

/// The kind of the field that has the focus now.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum TypedFieldKind {
    /// A field that takes any text.
    Text,
    /// A field that takes values of one format: a date, a number, a colour.
    Formatted,
}
