//! Bilingual text: a message cannot exist in one language only.
//!
//! The language is chosen where the reader is known, never where the error occurs. There is no third language and no
//! fallback from one to the other: both are always present.

use std::borrow::{Borrow, Cow};

use serde::{Deserialize, Serialize};

use crate::template;

/// A language that a caller can ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    #[default]
    En,
    Ja,
}

impl Locale {
    /// Every locale, in the order in which both are shown side by side.
    pub const ALL: [Self; 2] = [Self::En, Self::Ja];

    /// Returns the BCP 47 primary tag: `en` or `ja`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }

    /// Parses an `Accept-Language` header or a `?lang=` value and returns its first supported language, by quality,
    /// then by order.
    ///
    /// Returns `None` if the caller named no supported language (`fr`, `*`, an empty value).
    pub fn negotiate(header: &str) -> Option<Self> {
        let mut best: Option<(f32, Self)> = None;
        for entry in header.split(',') {
            let mut parts = entry.split(';');
            let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let quality =
                parts.find_map(|part| part.trim().strip_prefix("q=").and_then(|q| q.parse().ok())).unwrap_or(1.0_f32);
            let locale = match tag.split(['-', '_']).next() {
                Some("en") => Self::En,
                Some("ja") => Self::Ja,
                _ => continue,
            };
            if quality > 0.0 && best.is_none_or(|(top, _)| quality > top) {
                best = Some((quality, locale));
            }
        }
        best.map(|(_, locale)| locale)
    }
}

/// One message in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BilingualText {
    pub en: Cow<'static, str>,
    pub ja: Cow<'static, str>,
}

impl BilingualText {
    /// Creates a message from its English and Japanese forms.
    pub fn new(en: impl Into<Cow<'static, str>>, ja: impl Into<Cow<'static, str>>) -> Self {
        Self { en: en.into(), ja: ja.into() }
    }

    /// Creates a message that is the same in both languages, such as a number or a name.
    pub fn same(value: impl Into<Cow<'static, str>>) -> Self {
        let value = value.into();
        Self { en: value.clone(), ja: value }
    }

    /// Creates a message that lists names, with the comma of each language.
    pub fn list<S: Borrow<str>>(names: &[S]) -> Self {
        Self::new(names.join(", "), names.join("、"))
    }

    /// Replaces each `{name}` by its fact. Braces inside a fact are never expanded again, and a name without a fact stays.
    pub fn fill(&self, facts: &[(&str, Self)]) -> Self {
        let fill = |locale| {
            template::fill(self.get(locale), ("{", "}"), |name| {
                let (_, fact) = facts.iter().find(|(known, _)| *known == name)?;
                Some(fact.get(locale).into())
            })
        };
        Self::new(fill(Locale::En), fill(Locale::Ja))
    }

    /// Returns the form of one language.
    pub fn get(&self, locale: Locale) -> &str {
        match locale {
            Locale::En => &self.en,
            Locale::Ja => &self.ja,
        }
    }

    /// Returns English and then Japanese, for a reader whose language is unknown.
    pub fn in_both(&self) -> String {
        if self.en == self.ja { self.en.clone().into_owned() } else { format!("{}\n{}", self.en, self.ja) }
    }
}

#[cfg(test)]
mod tests {
    use super::{BilingualText, Locale};

    #[test]
    fn the_header_decides_by_quality_then_by_order() {
        for (header, expected) in [
            ("ja", Some(Locale::Ja)),
            ("ja-JP,en;q=0.8", Some(Locale::Ja)),
            ("en;q=0.3, ja;q=0.9", Some(Locale::Ja)),
            ("fr, en-GB;q=0.5", Some(Locale::En)),
            ("ja;q=0, en", Some(Locale::En)),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(Locale::negotiate(header), expected, "{header:?}");
        }
    }

    #[test]
    fn facts_fill_once_and_only_where_named() {
        let facts = [("path", BilingualText::same("{nearest}")), ("nearest", BilingualText::list(&["b", "c"]))];
        let filled = BilingualText::same("No {path}; try {nearest}, or {\"a\": 1}").fill(&facts);
        assert_eq!(filled.en, "No {nearest}; try b, c, or {\"a\": 1}");
        assert_eq!(filled.ja, "No {nearest}; try b、c, or {\"a\": 1}");
    }

    #[test]
    fn both_languages_stand_on_lines_of_their_own_and_the_same_text_once() {
        let text = BilingualText::new("No such file.", "ファイルがありません。");
        assert_eq!(text.in_both(), "No such file.\nファイルがありません。");
        assert_eq!(BilingualText::same("a.md").in_both(), "a.md");
    }
}
