//! The section `book` of the settings: the cover, the series and the colophon of the book of all finished episodes.
//!
//! Every key may be missing. An unknown key is an error, because a misspelt one would be missing from the printed book
//! without notice.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::yaml::{count, or_default};

/// The contents of the section `book`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BookSettings {
    /// The path of the cover image (PNG or JPEG) in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<String>,
    /// The series to which the book belongs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<BookSeries>,
    /// The publisher or circle (発行), for the colophon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The date of publication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublicationDate>,
    /// The edition as the colophon names it, such as 初版.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The statement of rights, such as © 2026 作者.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rights: Option<String>,
    /// True to leave out the forewords and afterwords that were written for a web site.
    #[serde(deserialize_with = "or_default")]
    pub omit_author_notes: bool,
}

/// A series of books.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookSeries {
    pub title: String,
    /// The number of the book in the series.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub volume: Option<u32>,
}

/// The date on which a book is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicationDate(pub Date);

/// The accepted form of a date, as an error text.
pub(super) const DATE: &str = "use a date of the calendar, such as 2026-01-31";

impl<'de> Deserialize<'de> for PublicationDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.trim().parse().map(Self).map_err(|_| D::Error::custom(DATE))
    }
}

impl Serialize for PublicationDate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::{BookSeries, BookSettings, PublicationDate};
    use crate::{
        errors::project::ProjectError,
        project::{NovelSettings, translate_reason},
    };

    #[test]
    fn a_book_is_described_as_far_as_its_settings_say() {
        let settings = NovelSettings::read(
            "s.yaml",
            "title_yomi: しおのほまち\nbook:\n  series: {title: 潮, volume: 第２巻}\n  published: 2026-02-01\n  \
             edition: 2\n  omit_author_notes: true\n",
        );
        let settings = settings.expect("settings");
        assert_eq!(settings.title_yomi.map(|yomi| yomi.to_sort_key()).as_deref(), Some("シオノホマチ"));
        let expected = BookSettings {
            series: Some(BookSeries { title: "潮".to_owned(), volume: Some(2) }),
            published: Some(PublicationDate(date(2026, 2, 1))),
            edition: Some("2".to_owned()),
            omit_author_notes: true,
            ..BookSettings::default()
        };
        assert_eq!(settings.book, expected);
        for text in ["title: 題\n", "book:\n", "book: {omit_author_notes: }\n"] {
            assert_eq!(NovelSettings::read("s.yaml", text).expect("settings").book, BookSettings::default(), "{text}");
        }
    }

    #[test]
    fn wrong_values_are_refused_with_their_place_and_the_right_form() {
        let refused = |text: &str| match NovelSettings::read("s.yaml", text) {
            Err(ProjectError::BrokenYaml { line, column, reason, .. }) => {
                format!("{line}:{column} {reason} / {}", translate_reason(&reason))
            }
            other => panic!("{text}: {other:?}"),
        };
        let kana = "write the reading in kana, such as しおのほまち";
        let kana_ja = "読みは、しおのほまち のように仮名で書きます";
        let keys = "keys with values are required here, such as `title: 題`";
        let keys_ja = "ここには「title: 題」のようなキーと値が必要です";
        let known = "cover, series, publisher, published, edition, rights, omit_author_notes";
        for (text, place, key, en, ja) in [
            ("title_yomi: 潮のほまち\n", "1:13", "title_yomi", kana, kana_ja),
            ("author_yomi: \"\"\n", "1:14", "author_yomi", kana, kana_ja),
            (
                "book:\n  published: 2026-02-30\n",
                "2:14",
                "book.published",
                "use a date of the calendar, such as 2026-01-31",
                "2026-01-31 のような、暦にある日付を書きます",
            ),
            (
                "book:\n  omit_author_notes: はい\n",
                "2:22",
                "book.omit_author_notes",
                "use true or false",
                "true か false を書きます",
            ),
            (
                "book:\n  covr: a.png\n",
                "2:9",
                "book.covr",
                &format!("unknown field `covr`, expected one of {known}"),
                &format!("「covr」というキーはなく、使えるのは {} です", known.replace(", ", "、")),
            ),
            ("book: {series: 潮}\n", "1:16", "book.series", keys, keys_ja),
            (
                "book:\n  series:\n    volume: 1\n",
                "3:5",
                "book.series",
                "missing field `title`",
                "「title」というキーが必要です",
            ),
            ("book: 潮\n", "1:7", "book", keys, keys_ja),
        ] {
            assert_eq!(refused(text), format!("{place} `{key}`: {en} / 「{key}」: {ja}"));
        }
    }
}
