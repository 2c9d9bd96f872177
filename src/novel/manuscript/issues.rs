//! Issues of a manuscript's markup, found while parsing, each with its position.
//!
//! An issue never loses text: broken markup stays in the text as typed. The quality of the prose is not judged here.

use std::{borrow::Cow, ops::Range};

use fumi_base::text::BilingualText;

/// An issue of the markup with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkupIssue {
    pub kind: MarkupIssueKind,
    /// The byte range in the source.
    pub range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkupIssueKind {
    /// 《 or 》 without a partner in its line: neither a ruby nor an emphasis.
    UnpairedRubyMark,
    /// 《…》 without a preceding text that could be its base.
    RubyWithoutBase,
    /// ｜…《》 or 《》 without content.
    EmptyRuby,
    /// An opening bracket that is never closed.
    UnclosedBracket(char),
    /// A closing bracket without an opening one.
    StrayBracket(char),
    /// ［＃ without its closing ］.
    UnclosedNote,
    /// A note whose target words do not precede it, or extend across a ruby or an emphasis.
    NoteWithoutTarget,
    /// An emphasis without an end in its paragraph, or an end without a beginning.
    UnpairedEmphasis,
    /// A foreword without an explicit end: it was taken to end at the first empty line.
    OpenForeword,
}

impl MarkupIssueKind {
    /// Returns a description of the issue and of its correction, in both languages.
    pub fn message(self) -> BilingualText {
        let (en, ja): (Cow<'static, str>, Cow<'static, str>) = match self {
            Self::UnpairedRubyMark => (
                "《 or 》 has no partner in this line, so it is neither ruby nor emphasis. Add the other one, or write ｜ before a literal 《.".into(),
                "この行に対になる《》がないため、ルビにも傍点にもなりません。もう一方を補うか、文字としての《なら直前に｜を付けてください。".into(),
            ),
            Self::RubyWithoutBase => (
                "The text before 《 cannot carry a ruby: without ｜ only kanji can. Write ｜ where the base begins.".into(),
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
                format!("{close} has no opening bracket.").into(),
                format!("閉じ括弧 {close} に対応する開き括弧がありません。").into(),
            ),
            Self::UnclosedNote => (
                "The note ［＃ is not closed with ］ in this line.".into(),
                "注記［＃を閉じる］が、この行にありません。".into(),
            ),
            Self::NoteWithoutTarget => (
                "The words that this note names do not precede it in this line, or they cover only a part of a ruby or an emphasis.".into(),
                "注記が指す語句が同じ行の手前にないか、ルビや傍点の途中にかかっています。".into(),
            ),
            Self::UnpairedEmphasis => (
                "The emphasis has only a beginning or only an end in this paragraph.".into(),
                "強調の始まりと終わりが、この段落の中でそろっていません。".into(),
            ),
            Self::OpenForeword => (
                "The end of the foreword is not marked, so it was taken to end at its first empty line. Begin the story with a heading or 【本文】.".into(),
                "前書きの終わりが示されていないため、最初の空行までを前書きとしました。本文の前に見出しか【本文】を置いてください。".into(),
            ),
        };
        BilingualText { en, ja }
    }
}
