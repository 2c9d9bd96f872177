//! Losses: contents that a format cannot express, each with its position.
//!
//! No content is dropped without a loss, which states what was written instead. The reader decides whether a loss
//! matters.

use std::{borrow::Cow, ops::Range};

use fumi_base::text::BilingualText;

use crate::manuscript::{Emphasis, ManuscriptPart};

/// A part of the source that is written differently or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishLoss {
    pub kind: PublishLossKind,
    /// The byte range in the source.
    pub range: Range<usize>,
}

/// The kinds of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishLossKind {
    /// A ruby that is too long; it is written in parentheses.
    RubyTooLong {
        /// The longest base allowed, in characters.
        base: usize,
        /// The longest ruby allowed, in characters.
        ruby: usize,
    },
    /// A ruby with a sign that breaks it; it is written in parentheses.
    RubySign(char),
    /// An emphasis that the format lacks; the text is written plain.
    Emphasis(Emphasis),
    /// An emphasis that is not possible at this position; it is interrupted there.
    EmphasisPaused,
    /// A bar that the site may read as the beginning of a following ruby.
    Bar,
    /// A ruby or an emphasis in a title, which is plain text in the format.
    TitleMark,
    /// A heading that became a plain line.
    Heading,
    /// A heading of a level that the format lacks; it has the format's lowest level.
    HeadingLevel,
    /// A page break that became an empty line.
    PageBreak,
    /// An editor's note that was left out.
    Note,
    /// An unknown character, written as ※.
    UnknownCharacter,
    /// A character missing in the format's encoding; its code point is written.
    Unencodable(char),
    /// A control character that was left out.
    Control(char),
    /// A whole part for which the format has no place.
    Part(ManuscriptPart),
    /// A whole part that the novel's settings leave out.
    LeftOut(ManuscriptPart),
}

impl PublishLossKind {
    /// Returns a description of the loss, in both languages.
    pub fn message(self) -> BilingualText {
        let (en, ja): (Cow<'static, str>, Cow<'static, str>) = match self {
            Self::RubyTooLong { base, ruby } => (
                format!(
                    "The ruby was written in parentheses: the site allows {base} characters of base and {ruby} of ruby."
                )
                .into(),
                format!("ルビを括弧書きにしました。この投稿先では親文字 {base} 字、ルビ {ruby} 字までです。").into(),
            ),
            Self::RubySign(sign) => (
                format!("The ruby was written in parentheses: the sign {sign} breaks it on the site.").into(),
                format!("ルビを括弧書きにしました。記号 {sign} が入るとこの投稿先ではルビになりません。").into(),
            ),
            Self::Emphasis(emphasis) => {
                let (en, ja) = match emphasis {
                    Emphasis::Dots => ("Emphasis dots", "傍点"),
                    Emphasis::Line => ("A line beside the text", "傍線"),
                    Emphasis::Bold => ("Bold type", "太字"),
                    Emphasis::Italic => ("Italics", "斜体"),
                };
                (
                    format!("{en} cannot be written; only the text was kept.").into(),
                    format!("{ja}は表せないため、文字だけを残しました。").into(),
                )
            }
            Self::EmphasisPaused => (
                "Emphasis and ruby (or a double bracket) cannot be combined; the emphasis is interrupted there.".into(),
                "傍点はルビや二重山括弧と重ねられないため、その部分だけ傍点を外しました。".into(),
            ),
            Self::Bar => (
                "The bar may be read as the beginning of a ruby that follows in the line.".into(),
                "この縦線は、同じ行の後ろにあるルビの始まりと解釈されるおそれがあります。".into(),
            ),
            Self::TitleMark => (
                "Titles are plain text in this format; this mark was left out.".into(),
                "題名は文字だけになるため、この装飾は省きました。".into(),
            ),
            Self::Heading => {
                ("The heading was written as a plain line.".into(), "見出しは通常の行になりました。".into())
            }
            Self::HeadingLevel => (
                "The heading was written at the lowest level of this format.".into(),
                "見出しは、この形式で最も下の階層のものになりました。".into(),
            ),
            Self::PageBreak => {
                ("The page break was written as an empty line.".into(), "改ページは空行になりました。".into())
            }
            Self::Note => ("The note was left out.".into(), "注記を省きました。".into()),
            Self::UnknownCharacter => (
                "The character has no known code and was written as ※.".into(),
                "文字コードの分からない外字は※のままです。".into(),
            ),
            Self::Unencodable(c) => (
                format!("{c} (U+{:04X}) is not in the encoding and was written as a note with its code.", u32::from(c))
                    .into(),
                format!("{c}（U+{:04X}）はこの文字コードにないため、コードを示す外字注記にしました。", u32::from(c))
                    .into(),
            ),
            Self::Control(c) => (
                format!("The control character U+{:04X} was left out.", u32::from(c)).into(),
                format!("制御文字 U+{:04X} を省きました。", u32::from(c)).into(),
            ),
            Self::Part(part) => {
                let (en, ja) = part_name(part);
                (
                    format!("{en} has no place in this format and was left out.").into(),
                    format!("{ja}を置く場所がないため省きました。").into(),
                )
            }
            Self::LeftOut(part) => {
                let (en, ja) = part_name(part);
                (
                    format!("{en} was left out, as the settings say (book.omit_author_notes).").into(),
                    format!("設定（book.omit_author_notes）に従って、{ja}を省きました。").into(),
                )
            }
        };
        BilingualText { en, ja }
    }
}

/// Returns the name of a part at the beginning of an English sentence, and in Japanese.
const fn part_name(part: ManuscriptPart) -> (&'static str, &'static str) {
    match part {
        ManuscriptPart::Foreword => ("The foreword", "前書き"),
        ManuscriptPart::Afterword => ("The afterword", "後書き"),
        ManuscriptPart::Colophon => ("The colophon", "奥付"),
        ManuscriptPart::Front | ManuscriptPart::Legend | ManuscriptPart::Title | ManuscriptPart::Body => {
            ("A part", "一部")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Emphasis, ManuscriptPart, PublishLossKind};

    #[test]
    fn every_loss_has_a_message_in_both_languages() {
        for kind in [
            PublishLossKind::RubyTooLong { base: 10, ruby: 10 },
            PublishLossKind::RubySign('&'),
            PublishLossKind::Emphasis(Emphasis::Line),
            PublishLossKind::EmphasisPaused,
            PublishLossKind::Bar,
            PublishLossKind::TitleMark,
            PublishLossKind::Heading,
            PublishLossKind::HeadingLevel,
            PublishLossKind::PageBreak,
            PublishLossKind::Note,
            PublishLossKind::UnknownCharacter,
            PublishLossKind::Unencodable('🙂'),
            PublishLossKind::Control('\u{1}'),
            PublishLossKind::Part(ManuscriptPart::Foreword),
            PublishLossKind::LeftOut(ManuscriptPart::Afterword),
        ] {
            let said = kind.message();
            assert!(said.en.ends_with('.') && said.ja.ends_with('。'), "{said:?}");
        }
    }
}
