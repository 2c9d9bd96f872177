//! The US keyboard as data: the events of each key, with the names of the UI Events specification.
//!
//! A character without a key (kana, kanji, emoji) has no entry: such text is inserted, as by an input method.

/// A key with the values of its keyboard events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyboardKey {
    /// `KeyboardEvent.key`: `a`, `A`, `Enter`.
    pub(crate) key: &'static str,
    /// `KeyboardEvent.code`: the position on the keyboard, such as `KeyA`.
    pub(crate) code: &'static str,
    /// `KeyboardEvent.keyCode`, which older pages read.
    pub(crate) key_code: u32,
    /// The text that the key types; empty for keys that type nothing.
    pub(crate) text: &'static str,
    /// `KeyboardEvent.location`: 1 left, 2 right, 3 keypad, else 0.
    pub(crate) location: u32,
}

/// The left Shift key.
pub(crate) const SHIFT: KeyboardKey = held("Shift", "ShiftLeft", 16);
/// The left Control key.
pub(crate) const CONTROL: KeyboardKey = held("Control", "ControlLeft", 17);
/// The left Alt key.
pub(crate) const ALT: KeyboardKey = held("Alt", "AltLeft", 18);
/// The left Meta key.
pub(crate) const META: KeyboardKey = held("Meta", "MetaLeft", 91);

const fn held(key: &'static str, code: &'static str, key_code: u32) -> KeyboardKey {
    KeyboardKey { key, code, key_code, text: "", location: 1 }
}

/// The printing keys: code, key code, text without and with Shift.
#[rustfmt::skip]
const PRINTING: &[(&str, u32, &str, &str)] = &[
    ("KeyA", 65, "a", "A"), ("KeyB", 66, "b", "B"), ("KeyC", 67, "c", "C"), ("KeyD", 68, "d", "D"),
    ("KeyE", 69, "e", "E"), ("KeyF", 70, "f", "F"), ("KeyG", 71, "g", "G"), ("KeyH", 72, "h", "H"),
    ("KeyI", 73, "i", "I"), ("KeyJ", 74, "j", "J"), ("KeyK", 75, "k", "K"), ("KeyL", 76, "l", "L"),
    ("KeyM", 77, "m", "M"), ("KeyN", 78, "n", "N"), ("KeyO", 79, "o", "O"), ("KeyP", 80, "p", "P"),
    ("KeyQ", 81, "q", "Q"), ("KeyR", 82, "r", "R"), ("KeyS", 83, "s", "S"), ("KeyT", 84, "t", "T"),
    ("KeyU", 85, "u", "U"), ("KeyV", 86, "v", "V"), ("KeyW", 87, "w", "W"), ("KeyX", 88, "x", "X"),
    ("KeyY", 89, "y", "Y"), ("KeyZ", 90, "z", "Z"),
    ("Digit1", 49, "1", "!"), ("Digit2", 50, "2", "@"), ("Digit3", 51, "3", "#"), ("Digit4", 52, "4", "$"),
    ("Digit5", 53, "5", "%"), ("Digit6", 54, "6", "^"), ("Digit7", 55, "7", "&"), ("Digit8", 56, "8", "*"),
    ("Digit9", 57, "9", "("), ("Digit0", 48, "0", ")"),
    ("Minus", 189, "-", "_"), ("Equal", 187, "=", "+"), ("BracketLeft", 219, "[", "{"),
    ("BracketRight", 221, "]", "}"), ("Backslash", 220, "\\", "|"), ("Semicolon", 186, ";", ":"),
    ("Quote", 222, "'", "\""), ("Backquote", 192, "`", "~"), ("Comma", 188, ",", "<"),
    ("Period", 190, ".", ">"), ("Slash", 191, "/", "?"), ("Space", 32, " ", " "),
];

/// The keys with names: name, code, key code, text, location.
#[rustfmt::skip]
const NAMED: &[(&str, &str, u32, &str, u32)] = &[
    ("Enter", "Enter", 13, "\r", 0), ("Tab", "Tab", 9, "", 0), ("Escape", "Escape", 27, "", 0),
    ("Backspace", "Backspace", 8, "", 0), ("Delete", "Delete", 46, "", 0), ("Insert", "Insert", 45, "", 0),
    ("ArrowUp", "ArrowUp", 38, "", 0), ("ArrowDown", "ArrowDown", 40, "", 0),
    ("ArrowLeft", "ArrowLeft", 37, "", 0), ("ArrowRight", "ArrowRight", 39, "", 0),
    ("Home", "Home", 36, "", 0), ("End", "End", 35, "", 0),
    ("PageUp", "PageUp", 33, "", 0), ("PageDown", "PageDown", 34, "", 0),
    ("CapsLock", "CapsLock", 20, "", 0), ("NumLock", "NumLock", 144, "", 0),
    ("ScrollLock", "ScrollLock", 145, "", 0), ("Pause", "Pause", 19, "", 0),
    ("PrintScreen", "PrintScreen", 44, "", 0), ("ContextMenu", "ContextMenu", 93, "", 0),
    ("F1", "F1", 112, "", 0), ("F2", "F2", 113, "", 0), ("F3", "F3", 114, "", 0), ("F4", "F4", 115, "", 0),
    ("F5", "F5", 116, "", 0), ("F6", "F6", 117, "", 0), ("F7", "F7", 118, "", 0), ("F8", "F8", 119, "", 0),
    ("F9", "F9", 120, "", 0), ("F10", "F10", 121, "", 0), ("F11", "F11", 122, "", 0), ("F12", "F12", 123, "", 0),
];

/// The keys of the keypad: key, code, key code, text. They type the same as other keys, from another location.
#[rustfmt::skip]
const KEYPAD: &[(&str, &str, u32, &str)] = &[
    ("0", "Numpad0", 96, "0"), ("1", "Numpad1", 97, "1"), ("2", "Numpad2", 98, "2"), ("3", "Numpad3", 99, "3"),
    ("4", "Numpad4", 100, "4"), ("5", "Numpad5", 101, "5"), ("6", "Numpad6", 102, "6"), ("7", "Numpad7", 103, "7"),
    ("8", "Numpad8", 104, "8"), ("9", "Numpad9", 105, "9"), ("*", "NumpadMultiply", 106, "*"),
    ("+", "NumpadAdd", 107, "+"), ("-", "NumpadSubtract", 109, "-"), (".", "NumpadDecimal", 110, "."),
    ("/", "NumpadDivide", 111, "/"), ("Enter", "NumpadEnter", 13, "\r"),
];

/// Alternative names that people and other tools use for keys.
const ALIASES: &[(&str, &str)] = &[
    ("Esc", "Escape"),
    ("Return", "Enter"),
    ("Del", "Delete"),
    ("Ins", "Insert"),
    ("Spacebar", " "),
    ("Up", "ArrowUp"),
    ("Down", "ArrowDown"),
    ("Left", "ArrowLeft"),
    ("Right", "ArrowRight"),
    ("PgUp", "PageUp"),
    ("PgDn", "PageDown"),
    ("Ctrl", "Control"),
    // Chromium runs on Linux or in a container here, where shortcuts use Control.
    ("ControlOrMeta", "Control"),
    ("CmdOrCtrl", "Control"),
    ("Command", "Meta"),
    ("Cmd", "Meta"),
    ("Option", "Alt"),
];

/// Returns the key that types this character on the US keyboard.
pub(crate) fn key_for_character(character: char) -> Option<KeyboardKey> {
    if matches!(character, '\n' | '\r') {
        return key_by_name("Enter");
    }
    if character == '\t' {
        return key_by_name("Tab");
    }
    let is = |text: &str| text.chars().eq([character]);
    PRINTING.iter().find_map(|&(code, key_code, plain, shifted)| {
        let key = [plain, shifted].into_iter().find(|key| is(key))?;
        Some(printing(code, key_code, key))
    })
}

/// Returns the key with this name, code (`KeyA`, `Numpad0`, `ShiftRight`) or alternative name (`Esc`). Case is ignored,
/// except for single characters.
pub(crate) fn key_by_name(name: &str) -> Option<KeyboardKey> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return key_for_character(character);
    }
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    if let Some((_, meant)) = ALIASES.iter().find(|(alias, _)| same(alias)) {
        return key_by_name(meant);
    }
    let held = [SHIFT, CONTROL, ALT, META];
    if let Some(key) = held.into_iter().find(|key| same(key.key) || same(key.code)) {
        return Some(key);
    }
    let by_name = NAMED.iter().find(|row| same(row.0) || same(row.1));
    if let Some(&(key, code, key_code, text, location)) = by_name {
        return Some(KeyboardKey { key, code, key_code, text, location });
    }
    if let Some(&(code, key_code, plain, _)) = PRINTING.iter().find(|row| same(row.0)) {
        return Some(printing(code, key_code, plain));
    }
    if let Some(&(key, code, key_code, text)) = KEYPAD.iter().find(|row| same(row.1)) {
        return Some(KeyboardKey { key, code, key_code, text, location: 3 });
    }
    // The modifiers on the right are known by their codes only.
    let left = held.into_iter().find(|key| same(&key.code.replace("Left", "Right")))?;
    let (code, key_code) = match left.key {
        "Shift" => ("ShiftRight", 16),
        "Control" => ("ControlRight", 17),
        "Alt" => ("AltRight", 18),
        _ => ("MetaRight", 92),
    };
    Some(KeyboardKey { code, key_code, location: 2, ..left })
}

/// Returns the same key with Shift held.
pub(crate) fn shifted(key: KeyboardKey) -> KeyboardKey {
    let with_shift = PRINTING.iter().find(|(code, _, plain, _)| *code == key.code && *plain == key.key);
    with_shift.map_or(key, |&(code, key_code, _, shifted)| printing(code, key_code, shifted))
}

/// Returns every name that a caller may write, for suggestions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let named = NAMED.iter().map(|row| row.0);
    let places = PRINTING.iter().map(|row| row.0).chain(KEYPAD.iter().map(|row| row.1));
    let held = [SHIFT, CONTROL, ALT, META].map(|key| key.key);
    named.chain(held).chain(places).chain(ALIASES.iter().map(|row| row.0))
}

fn printing(code: &'static str, key_code: u32, key: &'static str) -> KeyboardKey {
    KeyboardKey { key, code, key_code, text: key, location: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_character_has_a_key_that_types_it() {
        for character in ' '..='~' {
            let key = key_for_character(character).unwrap_or_else(|| panic!("{character:?} has no key"));
            assert_eq!((key.key, key.text), (&*character.to_string(), &*character.to_string()));
        }
        assert_eq!(key_for_character('あ'), None);
        assert_eq!(key_for_character('\n').map(|key| key.key), Some("Enter"));
    }

    #[test]
    fn names_places_and_aliases_are_found_in_any_case() {
        let code = |name: &str| key_by_name(name).map(|key| (key.key, key.code, key.location));
        assert_eq!(code("esc"), Some(("Escape", "Escape", 0)));
        assert_eq!(code("ENTER"), Some(("Enter", "Enter", 0)));
        assert_eq!(code("KeyQ"), Some(("q", "KeyQ", 0)));
        assert_eq!(code("Space"), Some((" ", "Space", 0)));
        assert_eq!(code("NumpadEnter"), Some(("Enter", "NumpadEnter", 3)));
        assert_eq!(code("ShiftRight"), Some(("Shift", "ShiftRight", 2)));
        assert_eq!(code("Entre"), None);
        assert_eq!(names().filter(|name| key_by_name(name).is_none()).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn shift_changes_what_is_typed_and_leaves_other_keys() {
        let with_shift = |name: &str| shifted(key_by_name(name).expect("a key")).key;
        assert_eq!([with_shift("a"), with_shift("1"), with_shift("Tab")], ["A", "!", "Tab"]);
    }
}
