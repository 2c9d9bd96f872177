//! Parser of the key or chord that a caller writes (`Enter`, `Control+a`, `Shift+Tab`, `あ`).
//!
//! A chord contains at most one key that is not a modifier. A word is not a key; its error suggests `browser_type`
//! instead.

use fumi_base::{nearest::nearest, text::BilingualText};

use super::keyboard::{self, KeyboardKey};
use crate::{devtools::protocol::input::Modifiers, errors::BrowserError};

/// A chord: modifiers that are held, and one key that is pressed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chord {
    /// The modifiers in the order in which they are pressed.
    pub(crate) held: Vec<KeyboardKey>,
    /// The key or character that is pressed while the modifiers are held.
    pub(crate) stroke: Stroke,
}

/// The input of one press.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// A key of the keyboard table.
    Key(KeyboardKey),
    /// A character that no key types; it is inserted as text.
    Text(String),
}

impl Chord {
    pub(crate) fn parse(written: &str) -> Result<Self, BrowserError> {
        let mut parts = parts(written);
        let last = parts.pop().unwrap_or_default();
        let mut held = Vec::new();
        for part in parts {
            match keyboard::key_by_name(&part) {
                Some(key) if modifier(&key).is_some() => held.push(key),
                _ => return Err(no_modifier(&part)),
            }
        }
        let stroke = match keyboard::key_by_name(&last) {
            Some(key) if held.iter().any(|held| held.key == "Shift") => Stroke::Key(keyboard::shifted(key)),
            Some(key) => Stroke::Key(key),
            None if last.chars().count() == 1 && held.is_empty() => Stroke::Text(last),
            None => return Err(no_key(&last)),
        };
        Ok(Self { held, stroke })
    }

    /// True if the chord may open a list or menu of the focused element.
    pub(crate) fn may_open(&self) -> bool {
        let Stroke::Key(key) = &self.stroke else { return true };
        let is_command = self.held.iter().any(|held| matches!(held.key, "Control" | "Meta"));
        let moves = matches!(key.key, "Tab" | "Escape" | "Home" | "End" | "PageUp" | "PageDown" | "ArrowLeft");
        self.paste_key().is_some() || !(is_command || moves || modifier(key).is_some())
    }

    /// True if the chord may scroll by a page or more, which Chromium does smoothly.
    pub(crate) fn may_scroll(&self) -> bool {
        let Stroke::Key(key) = &self.stroke else { return false };
        matches!(key.code, "PageDown" | "PageUp" | "End" | "Home" | "Space")
    }

    /// Returns what a browser does for the chord (`reload`, `back`, `forward`) and the code of its key, or `None` for a
    /// chord that only pages use.
    pub(crate) fn browser_command(&self) -> Option<(&'static str, &'static str)> {
        let Stroke::Key(key) = &self.stroke else { return None };
        let held = modifiers(&self.held);
        let is_held = |modifiers: &[Modifiers]| modifiers.contains(&held);
        let command = match key.code {
            "F5" if is_held(&[Modifiers::default(), Modifiers::CONTROL, Modifiers::SHIFT]) => "reload",
            "KeyR" if is_held(&[Modifiers::CONTROL, Modifiers::CONTROL.and(Modifiers::SHIFT)]) => "reload",
            "ArrowLeft" if is_held(&[Modifiers::ALT]) => "back",
            "ArrowRight" if is_held(&[Modifiers::ALT]) => "forward",
            _ => return None,
        };
        Some((command, key.code))
    }

    /// Returns the key to press in place of a paste shortcut (`Control+v`, `Control+Shift+v`, `Shift+Insert`), or
    /// `None` for any other chord. The key code is 0, because Chromium recognises paste shortcuts by their key code and
    /// would paste by itself. The price: pages that still read `keyCode` get 0.
    pub(crate) fn paste_key(&self) -> Option<KeyboardKey> {
        let Stroke::Key(key) = &self.stroke else { return None };
        let held = modifiers(&self.held);
        let pastes = match key.code {
            "KeyV" => held == Modifiers::CONTROL || held == Modifiers::CONTROL.and(Modifiers::SHIFT),
            "Insert" => held == Modifiers::SHIFT,
            _ => false,
        };
        pastes.then_some(KeyboardKey { key_code: 0, ..*key })
    }
}

/// Returns the bit of a modifier key.
pub(crate) fn modifier(key: &KeyboardKey) -> Option<Modifiers> {
    Some(match key.key {
        "Alt" => Modifiers::ALT,
        "Control" => Modifiers::CONTROL,
        "Meta" => Modifiers::META,
        "Shift" => Modifiers::SHIFT,
        _ => return None,
    })
}

/// Returns the bits of all modifiers among the keys.
pub(crate) fn modifiers(keys: &[KeyboardKey]) -> Modifiers {
    keys.iter().filter_map(modifier).fold(Modifiers::default(), Modifiers::and)
}

/// Splits a chord at its plus signs. A plus sign with nothing before it is the key itself (`Control++`).
fn parts(written: &str) -> Vec<String> {
    // A space alone is a key; spaces around a name are ignored.
    let trimmed = written.trim();
    let written = if trimmed.is_empty() { written } else { trimmed };
    let mut parts = Vec::new();
    let mut part = String::new();
    for character in written.chars() {
        if character == '+' && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(character);
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

fn no_modifier(part: &str) -> BrowserError {
    argument(
        format!("\"{part}\" cannot be held; Alt, Control, Meta, Shift and ControlOrMeta can, as in Control+a"),
        format!(
            "「{part}」は修飾キーではありません。押したままにできるのは Alt・Control・Meta・Shift・ControlOrMeta です（例: Control+a）"
        ),
    )
}

fn no_key(part: &str) -> BrowserError {
    let near = nearest(part, keyboard::names(), 3);
    let (en, ja) = if near.is_empty() {
        (
            "key names are Enter, Tab, Escape, ArrowDown, F5, a; use browser_type for text".to_owned(),
            "キーは Enter・Tab・Escape・ArrowDown・F5・a のように指定します。文章の入力には browser_type を使います"
                .to_owned(),
        )
    } else {
        let near = near.join(", ");
        (
            format!("similar keys: {near}; use browser_type for text"),
            format!("近いのは {near} です。文章の入力には browser_type を使います"),
        )
    };
    argument(format!("unknown key \"{part}\"; {en}"), format!("「{part}」というキーはありません。{ja}"))
}

fn argument(en: String, ja: String) -> BrowserError {
    BrowserError::BadBrowserArgument { argument: "key", reason: BilingualText::new(en, ja) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(chord: &str) -> String {
        let Chord { held, stroke } = Chord::parse(chord).expect("a chord");
        let last = match stroke {
            Stroke::Key(key) => format!("{}@{}", key.key, key.code),
            Stroke::Text(text) => text,
        };
        held.iter().map(|key| key.key).chain([last.as_str()]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn chords_are_modifiers_and_one_key() {
        assert_eq!(written("Enter"), "Enter@Enter");
        assert_eq!(written("Control+a"), "Control a@KeyA");
        assert_eq!(written("ControlOrMeta+Shift+p"), "Control Shift P@KeyP");
        assert_eq!(written("Control++"), "Control +@Equal");
        assert_eq!(written("+"), "+@Equal");
        assert_eq!(written(" "), " @Space");
        assert_eq!(written("A"), "A@KeyA");
        assert_eq!(written("あ"), "あ");
    }

    #[test]
    fn some_chords_are_for_the_browser() {
        let command = |chord: &str| Chord::parse(chord).expect("a chord").browser_command().map(|(command, _)| command);
        for (chord, expected) in [
            ("F5", Some("reload")),
            ("Control+r", Some("reload")),
            ("Control+Shift+R", Some("reload")),
            ("Alt+ArrowLeft", Some("back")),
            ("Alt+ArrowRight", Some("forward")),
            ("r", None),
            ("ArrowLeft", None),
            ("Alt+F5", None),
        ] {
            assert_eq!(command(chord), expected, "{chord}");
        }
    }

    #[test]
    fn a_wrong_name_teaches_the_nearest() {
        let reason = |chord: &str| match Chord::parse(chord) {
            Err(BrowserError::BadBrowserArgument { reason, .. }) => reason.en.into_owned(),
            other => panic!("{other:?}"),
        };
        assert!(reason("Entre").contains("similar keys: Enter"), "{}", reason("Entre"));
        assert!(reason("ArrowDwn").contains("ArrowDown"));
        assert!(reason("a+b").contains("\"a\" cannot be held"));
        assert!(reason("Control+あ").contains("unknown key"));
        assert!(reason("").contains("key names are"));
        assert!(reason("hello world").contains("browser_type"));
    }
}
