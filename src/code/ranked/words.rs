//! Words of queries and identifiers: where they begin and end, their stems, and stop words (lists in `words.toml`).

use std::{collections::HashSet, sync::LazyLock};

use fumi_base::embedded;
use serde::{Deserialize, Deserializer};

use super::terms::Likeness;

/// The minimum length of a stem: shorter ones begin too many words.
const STEM: usize = 3;

/// The minimum length of a run of hiragana that is a word rather than an ending.
const HIRAGANA: usize = 4;

/// The lists of `words.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordLists {
    #[serde(deserialize_with = "split_words")]
    stop_words: HashSet<String>,
    #[serde(deserialize_with = "split_words")]
    endings: HashSet<String>,
    #[serde(deserialize_with = "split_words")]
    particles: HashSet<String>,
    #[serde(deserialize_with = "split_words")]
    function_parts: HashSet<String>,
    #[serde(deserialize_with = "split_words")]
    before_use: HashSet<String>,
    #[serde(deserialize_with = "split_words")]
    keywords: HashSet<String>,
    #[serde(deserialize_with = "split_words")]
    kinds: HashSet<String>,
}

static LISTS: LazyLock<WordLists> = LazyLock::new(|| embedded::toml("words.toml", include_str!("words.toml")));

/// Deserializes one text into its words.
pub(super) fn split_words<'de, D: Deserializer<'de>, C: FromIterator<String>>(from: D) -> Result<C, D::Error> {
    Ok(String::deserialize(from)?.split_whitespace().map(str::to_owned).collect())
}

/// The forms by which a word is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stem {
    /// The beginnings of the word's forms, in lower case.
    pub(super) forms: Vec<String>,
}

impl Stem {
    pub(super) fn exact(word: &str) -> Self {
        Self { forms: vec![word.to_owned()] }
    }

    /// Removes the endings of plural, -ing and -ed.
    pub(super) fn new(word: &str) -> Self {
        let word = word.to_lowercase();
        if !word.is_ascii() {
            return Self { forms: vec![word] };
        }
        let changes = word.strip_suffix('y').or_else(|| word.strip_suffix("ies")).or_else(|| word.strip_suffix("ied"));
        // `retry` and `retries`; `retrying` loses its ending first.
        let rest = without_ending(&word);
        let forms = match changes.or_else(|| rest.strip_suffix('y')).filter(|stem| stem.len() >= STEM) {
            Some(stem) => vec![format!("{stem}y"), format!("{stem}ie")],
            None => vec![rest.to_owned()],
        };
        Self { forms }
    }
}

fn without_ending(word: &str) -> &str {
    let has_vowel = |rest: &str| rest.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    for ending in ["ing", "ed"] {
        let rest = word.strip_suffix(ending).filter(|rest| rest.len() >= STEM && has_vowel(rest));
        if let Some(rest) = rest.filter(|rest| !rest.ends_with('e')) {
            return undoubled(rest);
        }
    }
    let rest = ["sses", "shes", "ches", "xes", "zes"]
        .iter()
        .find(|ending| word.ends_with(*ending))
        .map(|_| &word[..word.len() - 2])
        .or_else(|| word.strip_suffix('s').filter(|rest| !rest.ends_with(['s', 'u', 'i'])))
        .filter(|rest| rest.len() >= STEM)
        .unwrap_or(word);
    // `encode` is found as `encod`, which begins `encoding` too.
    rest.strip_suffix('e').filter(|stem| stem.len() > STEM && !stem.ends_with(['e', 'i'])).unwrap_or(rest)
}

/// Returns `strip` for `stripp`, but `call` for `call`.
fn undoubled(stem: &str) -> &str {
    let mut ends = stem.chars().rev();
    let doubled = ends.next().filter(|last| ends.next() == Some(*last));
    match doubled {
        Some('l' | 's' | 'z' | 'f' | 'd') | None => stem,
        Some(_) => &stem[..stem.len() - 1],
    }
}

/// True for a word that is left out of a query.
pub(super) fn is_stop_word(word: &str) -> bool {
    LISTS.stop_words.contains(&word.to_lowercase())
}

/// True if a name after this word is used, not defined.
pub(super) fn is_before_use(word: &str) -> bool {
    LISTS.before_use.contains(word)
}

/// True for a keyword before the name of a definition that is not a word of sentences.
pub(super) fn is_keyword(word: &str) -> bool {
    LISTS.keywords.contains(word)
}

/// True for the word for a kind of definition.
pub(super) fn is_kind(word: &str) -> bool {
    LISTS.kinds.contains(word)
}

/// The scripts that end a word where they change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Kanji,
    Katakana,
    Hiragana,
    Other,
}

impl Script {
    fn from_char(c: char) -> Option<Self> {
        match c {
            '\u{3041}'..='\u{309f}' => Some(Self::Hiragana),
            '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' => Some(Self::Katakana),
            '\u{3005}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Some(Self::Kanji),
            c if c.is_alphanumeric() || c == '_' => Some(Self::Other),
            _ => None,
        }
    }
}

/// Splits an identifier at case, underscores and digits.
pub(super) fn parts(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let characters: Vec<char> = word.chars().collect();
    for (at, c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let is_next_lower = characters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let begins = match before {
            Some(before) if before.is_ascii_alphabetic() && c.is_ascii_alphabetic() => {
                c.is_ascii_uppercase() && (before.is_ascii_lowercase() || is_next_lower)
            }
            Some(before) => before.is_ascii_digit() != c.is_ascii_digit(),
            None => true,
        };
        match parts.last_mut() {
            Some(part) if !begins && *c != '_' => part.push(*c),
            _ if *c != '_' => parts.push(c.to_string()),
            _ => parts.push(String::new()),
        }
    }
    parts.retain(|part| part.len() >= STEM);
    parts
}

/// Splits a text into its words as they are written: identifiers whole, Japanese into pairs of characters.
pub(super) fn spoken(text: &str) -> Vec<String> {
    let mut runs: Vec<(Script, String)> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        let script = Script::from_char(c);
        match (script, runs.last_mut()) {
            (Some(script), Some((_, run))) if last == Some(script) => run.push(c),
            (Some(script), _) => runs.push((script, c.to_string())),
            (None, _) => {}
        }
        last = script;
    }
    let mut words = Vec::new();
    for (script, run) in runs {
        match script {
            Script::Other => words.push(run),
            Script::Hiragana => words.extend(hiragana(&run).map(pairs).unwrap_or_default()),
            _ if is_stop_word(&run) => {}
            _ => words.extend(pairs(&run)),
        }
    }
    words
}

/// Returns a run of hiragana without the particles at its ends, or `None` if it only joins other words.
fn hiragana(run: &str) -> Option<&str> {
    let word = run.trim_matches(|c: char| LISTS.particles.contains(c.encode_utf8(&mut [0; 4]) as &str));
    let joins = || LISTS.function_parts.iter().any(|part| word.contains(part));
    (word.chars().count() >= HIRAGANA && !joins()).then_some(word)
}

fn pairs(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    if characters.len() < 3 {
        return vec![run.to_owned()];
    }
    characters.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// Compares an occurrence with the word around it, of which it is the beginning or a part.
pub(super) fn likeness(text: &str, start: usize, end: usize) -> Likeness {
    let (before, matched, after) = (
        text.get(..start).unwrap_or_default(),
        text.get(start..end).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    if !matched.is_ascii() {
        return Likeness::Whole;
    }
    let first = matched.chars().next().unwrap_or(' ');
    let begins = match before.chars().next_back() {
        Some(c) if c.is_ascii_alphabetic() => {
            first.is_ascii_uppercase() && (c.is_ascii_lowercase() || !is_upper(matched))
        }
        _ => true,
    };
    if begins && is_ending(matched, after) { Likeness::Whole } else { Likeness::Part }
}

fn is_upper(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_lowercase())
}

/// True if the word ends after the match, or after a usual ending.
fn is_ending(matched: &str, after: &str) -> bool {
    let is_capitals = matched.len() > 1 && is_upper(matched);
    let length = after
        .bytes()
        .take_while(|byte| if is_capitals { byte.is_ascii_uppercase() } else { byte.is_ascii_lowercase() })
        .count();
    let rest = after[..length].to_ascii_lowercase();
    let doubled = matched.chars().next_back().is_some_and(|last| rest.starts_with(last.to_ascii_lowercase()));
    let is_ending = |rest: &str| rest.is_empty() || LISTS.endings.contains(rest);
    is_ending(&rest) || (doubled && is_ending(&rest[1..]))
}

#[cfg(test)]
mod tests {
    use super::{Likeness, Stem, likeness, spoken};

    #[test]
    fn stems_begin_all_forms_of_a_word() {
        for (words, stem) in [
            ("file files", "file"),
            ("match matches matching matched", "match"),
            ("encode encodes encoding encoded", "encod"),
            ("strip stripped stripping", "strip"),
            ("call calls called calling", "call"),
            ("string strings", "string"),
            ("speed", "speed"),
            ("address addresses", "address"),
        ] {
            for word in words.split(' ') {
                assert_eq!(Stem::new(word).forms, [stem], "{word}");
            }
        }
        for word in ["retry", "retries", "retried", "retrying"] {
            assert_eq!(Stem::new(word).forms, ["retry", "retrie"], "{word}");
        }
    }

    #[test]
    fn japanese_is_cut_where_scripts_change() {
        assert_eq!(spoken("形態素の辞書"), ["形態", "態素", "辞書"]);
        assert_eq!(spoken("PDF をひらがなに変換しています"), ["PDF", "ひら", "らが", "がな", "変換"]);
        assert_eq!(spoken("os.path foo_bar"), ["os", "path", "foo_bar"]);
    }

    #[test]
    fn an_occurrence_is_a_word_or_a_part_of_one() {
        let like = |text: &str, part: &str| {
            let start = text.find(part).expect("it is there");
            likeness(text, start, start + part.len())
        };
        for (text, part) in
            [("getUserName", "User"), ("HTTPServer", "Server"), ("user_names", "name"), ("stripping", "strip")]
        {
            assert_eq!(like(text, part), Likeness::Whole, "{text}");
        }
        for (text, part) in [("filename", "name"), ("usernames", "user"), ("HTTPS", "HTTP")] {
            assert_eq!(like(text, part), if text == "HTTPS" { Likeness::Whole } else { Likeness::Part }, "{text}");
        }
    }
}
