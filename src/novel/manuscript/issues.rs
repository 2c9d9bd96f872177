//! What is wrong with the markup of a manuscript: found while reading, told with its place.
//!
//! An issue never loses text: what is wrong stays in the text as it was typed. Whether prose is good is not asked here.

use std::{borrow::Cow, ops::Range};

use fumi_base::text::Text;

/// A fault of the markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// What is wrong.
    pub kind: IssueKind,
    /// Where, in bytes of the source.
    pub range: Range<usize>,
}

/// The faults of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueKind {
    /// 《 or 》 without the other one in its line: neither a ruby nor an emphasis.
    UnpairedRubyMark,
    /// 《…》 after nothing that a ruby could stand on.
    RubyWithoutBase,
    /// ｜…《》 or 《》 with nothing in it.
    EmptyRuby,
    /// An opening bracket that nothing closes.
    UnclosedBracket(char),
    /// A closing bracket that nothing opened.
    StrayBracket(char),
    /// ［＃ without its ］.
    UnclosedNote,
    /// A note about words that do not stand before it, or that stand across a ruby or an emphasis.
    NoteWithoutTarget,
    /// An emphasis that begins and does not end in its paragraph, or ends and did not begin.
    UnpairedEmphasis,
    /// A foreword that no heading and no line ends: it was taken to end at the first empty line.
    OpenForeword,
}

impl IssueKind {
    /// What is wrong and what would be right, in both languages.
    #[must_use]
    pub fn message(self) -> Text {
        let (en, ja): (Cow<'static, str>, Cow<'static, str>) = match self {
            Self::UnpairedRubyMark => (
                "《 or 》 has no partner in this line, so it is neither ruby nor emphasis. Add the other one, or write ｜ before a 《 that is meant as it stands.".into(),
                "この行に対になる《》がないため、ルビにも傍点にもなりません。もう一方を補うか、文字としての《なら直前に｜を付けてください。".into(),
            ),
            Self::RubyWithoutBase => (
                "Nothing before 《 can carry the ruby: without ｜ only kanji do. Write ｜ where the base begins.".into(),
                "《の直前にルビを振れる文字がありません。｜なしで振れるのは漢字だけです。ルビの始まりに｜を置いてください。".into(),
            ),
            Self::EmptyRuby => (
                "The ruby or its base is empty.".into(),
                "ルビ、またはルビを振る文字が空です。".into(),
            ),
            Self::UnclosedBracket(open) => (
                format!("{open} is not closed.").into(),
                format!("開き括弧 {open} が閉じられていません。").into(),
            ),
            Self::StrayBracket(close) => (
                format!("{close} closes nothing.").into(),
                format!("閉じ括弧 {close} に対応する開き括弧がありません。").into(),
            ),
            Self::UnclosedNote => (
                "The note ［＃ has no ］ in this line.".into(),
                "注記［＃を閉じる］が、この行にありません。".into(),
            ),
            Self::NoteWithoutTarget => (
                "The words that this note names do not stand before it in this line, or only a part of a ruby or an emphasis does.".into(),
                "注記が指す語句が同じ行の手前にないか、ルビや傍点の途中にかかっています。".into(),
            ),
            Self::UnpairedEmphasis => (
                "The emphasis has only a beginning or only an end in this paragraph.".into(),
                "強調の始まりと終わりが、この段落の中でそろっていません。".into(),
            ),
            Self::OpenForeword => (
                "Nothing says where the foreword ends, so its first empty line does. Begin the story with a heading or 【本文】.".into(),
                "前書きの終わりが示されていないため、最初の空行までを前書きとしました。本文の前に見出しか【本文】を置いてください。".into(),
            ),
        };
        Text { en, ja }
    }
}
