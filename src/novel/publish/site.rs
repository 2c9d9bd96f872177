//! The common parts of the two posting sites: plain lines, ruby with a bar, and escaping of signs.
//!
//! A line is first converted to tokens (letters and finished rubies) and then to text, because the bar before a letter
//! depends on its neighbours. Each site defines its own limits.

use std::ops::Range;

use super::{PublishLoss, PublishLossKind};
use crate::manuscript::{
    AozoraNote, Emphasis, InlineElement, LineKind, Manuscript, ManuscriptPart, SceneBreak, SpanKind,
};

/// The notation and the limits of a site.
pub(super) trait SiteNotation {
    /// The longest base and the longest ruby, in characters.
    const RUBY: (usize, usize);

    /// Signs that break a ruby.
    const BREAKS_RUBY: &'static [char];

    /// Writes the tokens of one line as text.
    fn line(tokens: &[LineToken], losses: &mut Vec<PublishLoss>) -> String;
}

/// An element of a line before it is written.
#[derive(Clone, Debug)]
pub(super) enum LineToken {
    /// A character of the text.
    Letter {
        c: char,
        /// The byte offset in the source.
        at: usize,
        is_dotted: bool,
    },
    /// A ruby in the notation of the site.
    Ruby { text: String, range: Range<usize>, is_dotted: bool },
}

/// Writes the lines of a part, without the empty lines around them; returns `None` if the part does not exist.
pub(super) fn part<S: SiteNotation>(
    manuscript: &Manuscript,
    part: ManuscriptPart,
    losses: &mut Vec<PublishLoss>,
) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut has_part = false;
    for line in manuscript.lines().iter().filter(|line| line.part == part) {
        has_part = true;
        let range = line.content.clone();
        match line.kind {
            LineKind::Empty => lines.push(String::new()),
            LineKind::Paragraph | LineKind::Heading { .. } => {
                if matches!(line.kind, LineKind::Heading { .. }) {
                    losses.push(PublishLoss { kind: PublishLossKind::Heading, range: range.clone() });
                }
                let tokens = tokens::<S>(manuscript, &range, losses);
                lines.push(S::line(&tokens, losses));
            }
            LineKind::SceneBreak(SceneBreak::Page) => {
                losses.push(PublishLoss { kind: PublishLossKind::PageBreak, range });
                lines.push(String::new());
            }
            LineKind::SceneBreak(_) => {
                let signs = manuscript.source()[range.clone()].trim_end();
                let letters: Vec<LineToken> = signs
                    .char_indices()
                    .map(|(at, c)| LineToken::Letter { c, at: range.start + at, is_dotted: false })
                    .collect();
                lines.push(S::line(&letters, losses));
            }
            LineKind::Notes => losses.push(PublishLoss { kind: PublishLossKind::Note, range }),
            LineKind::PartMark | LineKind::Verbatim => {}
        }
    }
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |at| at + 1);
    has_part.then(|| lines[first..last].iter().flat_map(|line| [line.as_str(), "\n"]).collect())
}

/// Adds a loss for each of the parts that the site has no place for.
pub(super) fn report_missing_parts(manuscript: &Manuscript, parts: &[ManuscriptPart], losses: &mut Vec<PublishLoss>) {
    for span in manuscript.spans() {
        if let SpanKind::Part(part) = span.kind
            && parts.contains(&part)
        {
            losses.push(PublishLoss { kind: PublishLossKind::Part(part), range: span.range.clone() });
        }
    }
}

/// Returns the heading of an episode as plain text, because both sites have plain titles.
pub(super) fn title(manuscript: &Manuscript, losses: &mut Vec<PublishLoss>) -> Option<String> {
    let spans = manuscript.spans();
    let title = spans.iter().find(|span| span.kind == SpanKind::Part(ManuscriptPart::Title))?;
    let is_mark = |kind: &SpanKind| matches!(kind, SpanKind::Ruby { .. } | SpanKind::Emphasis(_));
    let marks = spans.iter().take_while(|span| span.range.start < title.range.end);
    losses.extend(
        marks
            .filter(|span| is_mark(&span.kind))
            .map(|span| PublishLoss { kind: PublishLossKind::TitleMark, range: span.range.clone() }),
    );
    Some(manuscript.text_of(&title.range).trim().to_owned())
}

/// Converts a line to letters and rubies.
fn tokens<S: SiteNotation>(
    manuscript: &Manuscript,
    line: &Range<usize>,
    losses: &mut Vec<PublishLoss>,
) -> Vec<LineToken> {
    let mut tokens = Vec::new();
    let mut dots = 0_usize;
    for piece in manuscript.inlines(line) {
        match piece {
            InlineElement::Text(text, start) => letters(text, start, dots > 0, &mut tokens),
            InlineElement::Character(Some(c), range) => {
                tokens.push(LineToken::Letter { c, at: range.start, is_dotted: dots > 0 });
            }
            InlineElement::Character(None, range) => {
                tokens.push(LineToken::Letter { c: '※', at: range.start, is_dotted: dots > 0 });
                losses.push(PublishLoss { kind: PublishLossKind::UnknownCharacter, range });
            }
            InlineElement::Ruby { base, text, range } => {
                let is_dotted = dots > 0;
                match ruby_loss::<S>(&base, text) {
                    None => tokens.push(LineToken::Ruby { text: format!("|{base}《{text}》"), range, is_dotted }),
                    Some(kind) => {
                        letters(&base, range.start, is_dotted, &mut tokens);
                        letters(&format!("（{text}）"), range.start, is_dotted, &mut tokens);
                        losses.push(PublishLoss { kind, range });
                    }
                }
            }
            InlineElement::Begin(Emphasis::Dots, _) => dots += 1,
            InlineElement::End(Emphasis::Dots, _) => dots -= 1,
            InlineElement::Begin(emphasis, range) => {
                losses.push(PublishLoss { kind: PublishLossKind::Emphasis(emphasis), range });
            }
            // The loss of the emphasis or heading itself covers these.
            InlineElement::End(..) | InlineElement::Note(AozoraNote::Emphasis(_) | AozoraNote::Heading(_), _) => {}
            InlineElement::Note(_, range) => losses.push(PublishLoss { kind: PublishLossKind::Note, range }),
        }
    }
    tokens
}

fn letters(text: &str, start: usize, is_dotted: bool, tokens: &mut Vec<LineToken>) {
    tokens.extend(text.char_indices().map(|(at, c)| LineToken::Letter { c, at: start + at, is_dotted }));
}

/// Returns the reason why a ruby cannot be written as one on the site; `None` if it can.
fn ruby_loss<S: SiteNotation>(base: &str, ruby: &str) -> Option<PublishLossKind> {
    let (longest_base, longest_ruby) = S::RUBY;
    if let Some(sign) = base.chars().chain(ruby.chars()).find(|c| S::BREAKS_RUBY.contains(c)) {
        return Some(PublishLossKind::RubySign(sign));
    }
    (base.chars().count() > longest_base || ruby.chars().count() > longest_ruby)
        .then_some(PublishLossKind::RubyTooLong { base: longest_base, ruby: longest_ruby })
}

/// Adds a loss for every bar before a ruby of the same line, because the site may take the bar for the ruby's own.
pub(super) fn warn_of_bars(tokens: &[LineToken], losses: &mut Vec<PublishLoss>) {
    let is_ruby = |token: &LineToken| matches!(token, LineToken::Ruby { .. } | LineToken::Letter { c: '《', .. });
    let last_ruby = tokens.iter().rposition(is_ruby).unwrap_or(0);
    for token in &tokens[..last_ruby] {
        if let LineToken::Letter { c: c @ ('|' | '｜'), at, .. } = token {
            losses.push(PublishLoss { kind: PublishLossKind::Bar, range: *at..*at + c.len_utf8() });
        }
    }
}
