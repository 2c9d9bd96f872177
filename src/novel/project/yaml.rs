//! YAML written by people and models: parsing into types, with the position of every error and all unknown keys kept.
//!
//! The order of keys is kept. The parser's budget rejects documents that grow when parsed (aliases of aliases). This
//! module makes no full sentences.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor},
    ser::{SerializeMap, SerializeSeq},
};

use serde_path_to_error::Segment;
use serde_saphyr::Spanned;

use super::{book_settings::DATE, yomi::YOMI};
use crate::errors::project::ProjectError;

/// A YAML value without a fixed type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum YamlValue {
    /// An empty value.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    Text(String),
    List(Vec<YamlValue>),
    /// Pairs of keys and values, in the order of the file.
    Map(Vec<(YamlValue, YamlValue)>),
}

impl YamlValue {
    /// Parses the text of a file without a fixed type; `path` is used in errors.
    pub fn read(path: &str, text: &str) -> Result<Self, ProjectError> {
        read(path, text)
    }

    /// Returns the value of a key if this is a map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// Returns the entries of a list; a single value counts as a list of one, and an empty one as none.
    pub fn items(&self) -> Vec<&Self> {
        match self {
            Self::List(items) => items.iter().collect(),
            Self::Null => Vec::new(),
            one => vec![one],
        }
    }

    /// Converts the value to a type; the error describes the mismatch.
    pub(crate) fn to_type<T: DeserializeOwned>(&self) -> Result<T, String> {
        let text = serde_saphyr::to_string(self).map_err(|error| error.to_string())?;
        parse_as(&text).map_err(|fault| fault.reason)
    }

    /// Returns the text if this is a text value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns all texts and numbers in the value, one per line, without the keys of maps.
    pub fn words(&self) -> String {
        let mut lines = Vec::new();
        // The parser bounds the depth, so recursion would be safe too.
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            match value {
                Self::Null => {}
                Self::Bool(value) => lines.push(value.to_string()),
                Self::Int(value) => lines.push(value.to_string()),
                Self::Float(value) => lines.push(value.to_string()),
                Self::Text(text) => lines.push(text.trim().to_owned()),
                Self::List(items) => open.extend(items.iter().rev()),
                Self::Map(pairs) => open.extend(pairs.iter().rev().map(|(_, value)| value)),
            }
        }
        lines.join("\n")
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = YamlValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        // A number above the range of `i64` is kept as text with its digits.
        Ok(i64::try_from(value).map_or_else(|_| YamlValue::Text(value.to_string()), YamlValue::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<YamlValue, A::Error> {
        let mut map = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            map.push(pair);
        }
        Ok(YamlValue::Map(map))
    }
}

impl Serialize for YamlValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Map(pairs) => serialize_pairs(pairs, serializer),
        }
    }
}

fn serialize_pairs<S: Serializer>(pairs: &[(YamlValue, YamlValue)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (key, value) in pairs {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

/// The keys of a file that its type does not know, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownKeys(pub Vec<(YamlValue, YamlValue)>);

impl<'de> Deserialize<'de> for UnknownKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(AnyValue)? {
            YamlValue::Map(pairs) => Ok(Self(pairs)),
            _ => Ok(Self::default()),
        }
    }
}

impl Serialize for UnknownKeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_pairs(&self.0, serializer)
    }
}

/// Deserialises a field that may be empty in a file: `key_events:` without a value gives the default.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Deserialises a number as people write it: 4000, "001", 4,000字, 第１２話.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = match YamlValue::deserialize(deserializer)? {
        YamlValue::Null => return Ok(None),
        YamlValue::Int(number) => u32::try_from(number).ok(),
        YamlValue::Text(text) => number_in(&text),
        _ => None,
    };
    number.map(Some).ok_or_else(|| D::Error::custom("a whole number is required"))
}

/// Parses a number with an optional unit or counter.
pub(crate) fn number_in(text: &str) -> Option<u32> {
    let bare = text.trim().trim_start_matches('第').trim_end_matches(['字', '話', '章', '枚', '巻']);
    let half: String = bare
        .trim()
        .chars()
        .filter(|c| !matches!(c, ',' | '，' | '_'))
        .map(|c| if ('０'..='９').contains(&c) { char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c) } else { c })
        .collect();
    half.parse().ok()
}

/// Parses the text of a file; an empty file gives the default value.
pub(crate) fn read<T: DeserializeOwned + Default>(path: &str, text: &str) -> Result<T, ProjectError> {
    let is_empty = |line: &str| matches!(line.trim(), "" | "---" | "...") || line.trim_start().starts_with('#');
    if text.lines().all(is_empty) {
        return Ok(T::default());
    }
    parse_as(text).map_err(|fault| ProjectError::BrokenYaml {
        path: path.to_owned(),
        line: fault.line,
        column: fault.column,
        reason: fault.reason,
    })
}

/// A parse error with the position and the key to which it belongs.
struct YamlError {
    /// The line from 1; 0 if the position is unknown.
    line: usize,
    column: usize,
    /// The reason, preceded by the path of the key in backticks if it is known: `` `characters[0].name`: ... ``.
    reason: String,
}

/// Parses a text as a type.
fn parse_as<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    // The path at which the text does not match the type; empty at the top.
    let mut steps = Vec::new();
    let parsed = serde_saphyr::with_deserializer_from_str_with_options(text, options(), |reader| {
        serde_path_to_error::deserialize(reader).map_err(|error| {
            steps = error.path().iter().cloned().collect();
            error.into_inner()
        })
    });
    parsed.map_err(|error| locate_error(text, &steps, error.without_snippet()))
}

/// Locates a parser error. In a text that is valid YAML, the path leads to the value whose type is wrong; otherwise the key
/// is found by the lines above the position.
fn locate_error(text: &str, steps: &[Segment], error: &serde_saphyr::Error) -> YamlError {
    let said = reason(error);
    let ((line, column), key) = if let Ok(whole) = parse_located(text) {
        (place_of(follow_path(&whole, steps).referenced), path_of(steps))
    } else {
        let place = error.location().map_or((0, 0), place_of);
        let place = open_quote_start(text, place).filter(|_| said == UNCLOSED).unwrap_or(place);
        (place, keys_at(text, place))
    };
    let is_shown = !key.is_empty() && key.chars().count() <= 120;
    YamlError { line, column, reason: if is_shown { format!("`{key}`: {said}") } else { said } }
}

/// A value with the positions of all values nested in it.
enum LocatedNode {
    Leaf,
    List(Vec<Spanned<LocatedNode>>),
    Map(Vec<(YamlValue, Spanned<LocatedNode>)>),
}

impl<'de> Deserialize<'de> for LocatedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = LocatedNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<LocatedNode, E> {
        Ok(LocatedNode::Leaf)
    }

    fn visit_bool<E>(self, _: bool) -> Result<LocatedNode, E> {
        Ok(LocatedNode::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<LocatedNode, E> {
        Ok(LocatedNode::Leaf)
    }

    fn visit_u64<E>(self, _: u64) -> Result<LocatedNode, E> {
        Ok(LocatedNode::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<LocatedNode, E> {
        Ok(LocatedNode::Leaf)
    }

    fn visit_str<E>(self, _: &str) -> Result<LocatedNode, E> {
        Ok(LocatedNode::Leaf)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<LocatedNode, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(LocatedNode::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<LocatedNode, A::Error> {
        let mut map = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            map.push(pair);
        }
        Ok(LocatedNode::Map(map))
    }
}

/// Follows a path and returns its value, or the last value that exists on the way.
fn follow_path<'a>(whole: &'a Spanned<LocatedNode>, steps: &[Segment]) -> &'a Spanned<LocatedNode> {
    let mut at = whole;
    for step in steps {
        let next = match (&at.value, step) {
            (LocatedNode::List(items), Segment::Seq { index }) => items.get(*index),
            (LocatedNode::Map(pairs), Segment::Map { key }) => {
                let pair = pairs.iter().find(|(name, _)| name.words() == *key);
                pair.map(|(_, value)| value)
            }
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// Formats a path as `characters[0].name`.
fn path_of(steps: &[Segment]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Segment::Seq { index } => path.push_str(&format!("[{index}]")),
            Segment::Map { key } if path.is_empty() => path.clone_from(key),
            Segment::Map { key } => path.push_str(&format!(".{key}")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    path
}

fn place_of(place: serde_saphyr::Location) -> (usize, usize) {
    (usize_of(place.line()), usize_of(place.column()))
}

/// Returns the start of a quoted text that is still open at the end of the lines above a position. Those lines are
/// parsed alone, because for a text that ends inside a quote the parser reports where the quote begins.
fn open_quote_start(text: &str, (line, _): (usize, usize)) -> Option<(usize, usize)> {
    let above: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let error = parse_located(text[..above].trim_end()).err()?;
    let error = error.without_snippet();
    let place = error.location().map(place_of)?;
    (reason(error) == UNCLOSED).then_some(place)
}

/// Returns the path of the key that contains a position, by the indents of the lines above it: `episode_info.title`.
fn keys_at(text: &str, (line, column): (usize, usize)) -> String {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let Some((own, above)) = lines.split_last() else {
        return String::new();
    };
    let until: String = own.chars().take(column.saturating_sub(1)).collect();
    // If the key itself is wrong, it follows the reported position.
    let own_key = last_key(&until).or_else(|| last_key(own.split_inclusive(':').next()?));
    let mut keys: Vec<String> = own_key.into_iter().collect();
    let mut depth = indent(own);
    for line in above.iter().rev().filter(|line| !line.trim().is_empty()) {
        if indent(line) < depth
            && let Some(key) = last_key(line)
        {
            depth = indent(line);
            keys.push(key);
        }
    }
    keys.reverse();
    keys.join(".")
}

/// Returns the number of bytes before a line's key or text: the first key of a list item is as deep as the item's other
/// keys.
fn indent(line: &str) -> usize {
    let mut rest = line.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    line.len() - rest.len()
}

/// Returns the last key of a line, that is, the text before a colon.
fn last_key(line: &str) -> Option<String> {
    // Splits the line at the separators of inline lists and maps; the last part that contains a key decides.
    line.rsplit([',', '{', '[']).find_map(|part| {
        let part = part.trim_end();
        let (key, _) = part.split_once(": ").or_else(|| Some((part.strip_suffix(':')?, "")))?;
        let key = key.trim_start().trim_start_matches("- ").trim();
        // A colon inside a quoted text does not follow a key.
        let is_text = key.starts_with(['"', '\'']) && (key.len() < 2 || !key.ends_with(['"', '\'']));
        let key = key.trim_matches(['"', '\'']);
        (!is_text && !key.is_empty() && !key.starts_with('#')).then(|| key.to_owned())
    })
}

/// The accepted forms of a length, as an error text.
pub(super) const LENGTH: &str = "use 4000, 3000-5000 or {min: 3000, max: 5000}";

/// The error for which the parser reports where it could not continue instead of the start of the quoted text.
const UNCLOSED: &str = "a quoted text is not closed";

/// Plain texts for parser messages: the beginning of the message, then English and Japanese.
const PLAIN: [(&str, &str, &str); 17] = [
    (
        "expected sequence start",
        "a list is required here, one item per line after `- `",
        "ここには一覧が必要です（一行に一件ずつ、行頭に「- 」を付けます）",
    ),
    (
        "expected mapping start",
        "keys with values are required here, such as `title: 題`",
        "ここには「title: 題」のようなキーと値が必要です",
    ),
    (
        "expected string scalar",
        "a single text is required here, not a list or keys",
        "ここには文章を一つ書きます（一覧やキーは置けません）",
    ),
    ("a whole number is required", "a whole number is required", "整数が必要です"),
    (LENGTH, LENGTH, "4000、3000-5000、{min: 3000, max: 5000} のいずれかの形で書きます"),
    (YOMI, YOMI, "読みは、しおのほまち のように仮名で書きます"),
    (DATE, DATE, "2026-01-31 のような、暦にある日付を書きます"),
    ("invalid boolean", "use true or false", "true か false を書きます"),
    ("invalid indentation in multiline quoted scalar", UNCLOSED, "引用符が閉じていません"),
    ("unclosed quote", UNCLOSED, "引用符が閉じていません"),
    (
        "tabs disallowed",
        "this line is indented with a tab; use spaces",
        "タブで字下げしています。字下げは半角スペースだけです",
    ),
    (
        "mapping values are not allowed",
        "this line has a second `: `; put the value in quotes",
        "この行に「: 」が二つあります。値を引用符で囲みます",
    ),
    ("duplicate mapping key", "this key occurs twice at the same place", "同じ場所に同じキーが二つあります"),
    (
        "reference to unknown value",
        "a value that begins with `*` must be in quotes",
        "「*」で始まる値は引用符で囲みます",
    ),
    ("unclosed bracket", "a bracket is not closed", "括弧が閉じていません"),
    ("unexpected end of input", "the text ends too early", "途中で終わっています"),
    ("it has bytes that are not valid", "it has bytes that are not valid UTF-8", "UTF-8 の文字でないバイトがあります"),
];

/// Translates a reason into Japanese; a reason without a plain text is quoted as the parser gave it.
pub(crate) fn translate_reason(reason: &str) -> String {
    let (key, said) = match reason.strip_prefix('`').and_then(|rest| rest.split_once("`: ")) {
        Some((key, said)) => (format!("「{key}」: "), said),
        None => (String::new(), reason),
    };
    let plain = PLAIN.iter().find(|(_, en, _)| *en == said).map(|(.., ja)| (*ja).to_owned());
    let plain = plain.or_else(|| translate_key_error(said));
    key + &plain.unwrap_or_else(|| format!("YAML として誤りがあります（{said}）"))
}

/// Translates the parser's message about a key that is missing or unknown.
fn translate_key_error(said: &str) -> Option<String> {
    if let Some(missing) = said.strip_prefix("missing field ") {
        return Some(format!("「{}」というキーが必要です", missing.trim_matches('`')));
    }
    let (key, known) = said.strip_prefix("unknown field `")?.split_once("`, expected one of ")?;
    Some(format!("「{key}」というキーはなく、使えるのは {} です", known.replace('`', "").replace(", ", "、")))
}

/// Parses a text as values with positions.
fn parse_located(text: &str) -> Result<Spanned<LocatedNode>, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, options())
}

/// Returns the options of YAML 1.2: `off`, `on`, `yes` and `no` are texts, because they occur as keys, names and answers.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! { strict_booleans: true }
}

fn usize_of(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or_default()
}

/// Returns the parser's message on one line, without the position.
fn reason(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::MessageFormatter as _;
    let said = serde_saphyr::UserMessageFormatter.format_message(error);
    let line: String = said.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect();
    let plain = PLAIN.iter().find(|(begins, ..)| line.starts_with(begins));
    plain.map_or_else(|| line.trim_end_matches('.').to_owned(), |(_, en, _)| (*en).to_owned())
}
