//! Typing into a field.
//!
//! At once: what the field holds is replaced by one trusted insertion, as a paste or an input method does it. Slowly: keys
//! go down and up for each character, after what the field holds, for pages that listen to keys.

use super::{
    Difference, Differing,
    chord::{Chord, Stroke},
    keyboard, keys,
};
use crate::{
    devtools::protocol::input::InsertText,
    errors::BrowserError,
    refusal::Said,
    tab::{Located, Tab},
    target::Target,
};

/// What is typed, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typing {
    /// The text. A line break is Enter where it is typed slowly.
    pub text: String,
    /// Key by key, after what the field holds; else at once, in its place.
    pub slowly: bool,
    /// Enter follows.
    pub submit: bool,
}

/// Characters between two waits for the page, so that a long text cannot fill the pipe ahead of it.
const BATCH: usize = 16;

impl Tab {
    /// Types into a field. What comes back says what the field holds instead.
    pub async fn type_text(&self, target: &Target, typing: &Typing) -> Result<Option<Differing>, BrowserError> {
        let (located, differing) = self.acting(self.type_in(target, typing, self.tells_popups())).await?;
        match located {
            // Enter may empty it, or lead elsewhere.
            Some(located) if !typing.submit => {
                self.note_opened(&Target::Written(located.reference.clone())).await;
                Ok(self.or_held(differing, &located, &typing.text, typing.slowly).await)
            }
            _ => Ok(differing),
        }
    }

    /// What was typed into, unless a dialog stands before it now, and what it had no room for.
    pub(super) async fn type_in(
        &self,
        target: &Target,
        typing: &Typing,
        is_told: bool,
    ) -> Result<(Option<Located>, Option<Differing>), BrowserError> {
        let beginning = Beginning {
            replace: !typing.slowly,
            is_told,
        };
        let (located, said) = self.locate_and(target, ("beginTyping", (beginning,)), None).await?;
        let said: Said<Begun> = match said {
            Some(said) => said,
            None => {
                self.ask(&located.frame, "beginTyping", (&located.reference, beginning))
                    .await?
            }
        };
        let begun = said.done(&located.called)?;
        let limit = begun.limit.filter(|limit| limit.is_too_small_for(&typing.text));
        let mut cut = limit.map(|limit| Differing::new(&located, Difference::Shortened(limit.max_length)));
        if begun.by_keys {
            self.strike("Control+a").await?;
        }
        match begun.kind {
            _ if typing.slowly => self.type_keys(&typing.text).await?,
            // A date or a colour takes its value whole, in one form; keys would depend on the locale.
            Kind::Formatted => cut = self.set(&located, &typing.text, is_told).await?.cut(&located),
            Kind::Text if typing.text.is_empty() => self.strike("Delete").await?,
            Kind::Text => {
                self.page().call(&InsertText { text: &typing.text }).await?;
            }
        }
        if typing.submit {
            self.strike("Enter").await?;
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
                match keyboard::typing(*character) {
                    Some(key) => keys::tap(self.page(), &key),
                    None => self.page().send(&InsertText {
                        text: character.encode_utf8(&mut [0; 4]),
                    }),
                }
            }
            let stroke = keyboard::typing(*last).map_or_else(|| Stroke::Text(last.to_string()), Stroke::Key);
            let held = Vec::new();
            keys::strike(self.page(), &Chord { held, stroke }).await?;
        }
        Ok(())
    }

    pub(super) async fn strike(&self, key: &str) -> Result<(), BrowserError> {
        keys::strike(self.page(), &Chord::parse(key)?).await
    }
}

#[derive(Clone, Copy, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Beginning {
    /// Whether all that the field holds is selected, so that what is typed replaces it.
    replace: bool,
    /// True if somebody is told of lists that open.
    is_told: bool,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    kind: Kind,
    /// What it holds is still to be selected.
    #[serde(default)]
    by_keys: bool,
    limit: Option<Limit>,
}

/// How much a field takes, in UTF-16 units.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Limit {
    /// All of it.
    max_length: usize,
    /// What is left.
    room: usize,
    /// Whether line breaks are part of the text.
    multiline: bool,
}

impl Limit {
    fn is_too_small_for(&self, text: &str) -> bool {
        let counts = |unit: &u16| self.multiline || ![u16::from(b'\n'), u16::from(b'\r')].contains(unit);
        text.replace("\r\n", "\n").encode_utf16().filter(counts).count() > self.room
    }
}

/// What kind of field has the focus now.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// It takes any text.
    Text,
    /// It takes values of one form: a date, a number, a colour.
    Formatted,
}
