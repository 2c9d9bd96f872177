//! Sentences of a manuscript: headings, narration, dialogue and thoughts are separate sentences.
//!
//! Every visible character except white space is in exactly one sentence. A sentence of narration continues after a
//! quotation that interrupts it (「行くのか？」と彼は言った。), so it may have several pieces; the quotation is a sentence of its
//! own. Apart from voices, the end of a sentence depends on its own paragraph alone. No dictionary is used.

use std::{iter::Peekable, ops::Range};

use crate::manuscript::{CharacterCounts, LineKind, Manuscript, ManuscriptPart, ManuscriptSpan, SpanKind, TextVoice};

/// Brackets within which a sentence does not end.
const BRACKETS: [(char, char); 9] = [
    ('「', '」'),
    ('『', '』'),
    ('（', '）'),
    ('(', ')'),
    ('【', '】'),
    ('〈', '〉'),
    ('《', '》'),
    ('〔', '〕'),
    ('［', '］'),
];

/// An uninterrupted piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencePiece {
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    /// The byte range in the source, including markup within the piece but not around it.
    pub source: Range<usize>,
}

/// One sentence, without the white space around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManuscriptSentence {
    /// The voice of the sentence.
    pub voice: TextVoice,
    /// The part of the manuscript that contains the sentence.
    pub part: ManuscriptPart,
    /// True if the sentence is a heading.
    pub is_heading: bool,
    /// The index of its paragraph in [`Manuscript::lines`].
    pub line: usize,
    /// Its pieces, in order; at least one.
    pub pieces: Vec<SentencePiece>,
}

impl ManuscriptSentence {
    /// Returns the range from start to end in the visible text. Quotations may lie in between.
    pub fn visible(&self) -> Range<usize> {
        let end = self.pieces.last().map_or(0, |piece| piece.visible.end);
        self.pieces.first().map_or(0, |piece| piece.visible.start)..end
    }

    /// Returns the range from start to end in the source. Quotations may lie in between.
    pub fn source(&self) -> Range<usize> {
        let end = self.pieces.last().map_or(0, |piece| piece.source.end);
        self.pieces.first().map_or(0, |piece| piece.source.start)..end
    }

    /// Returns the sentence's own text, without quotations in between.
    pub fn text(&self, manuscript: &Manuscript) -> String {
        let visible = manuscript.visible().text();
        self.pieces.iter().map(|piece| &visible[piece.visible.clone()]).collect()
    }

    /// Counts the sentence's own characters, without quotations in between.
    pub fn counts(&self, manuscript: &Manuscript) -> CharacterCounts {
        let visible = manuscript.visible().text();
        let pieces = self.pieces.iter();
        pieces.map(|piece| CharacterCounts::count(&visible[piece.visible.clone()])).sum()
    }

    /// True if the sentence belongs to the story: in the body, and not a heading.
    pub fn is_story(&self) -> bool {
        self.part == ManuscriptPart::Body && !self.is_heading
    }
}

/// The sentences of a manuscript, in the order in which they begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentences {
    all: Vec<ManuscriptSentence>,
}

impl Sentences {
    /// Finds the sentences in time proportional to the text.
    pub fn find(manuscript: &Manuscript) -> Self {
        let mut all = Vec::new();
        let mut voices = outermost_voices(manuscript.spans()).peekable();
        for (at, line) in manuscript.lines().iter().enumerate() {
            let is_heading = match line.kind {
                LineKind::Paragraph => false,
                LineKind::Heading { .. } => true,
                _ => continue,
            };
            let mut paragraph = SentenceSplitter {
                manuscript,
                sentence: ManuscriptSentence {
                    voice: TextVoice::Narration,
                    part: line.part,
                    is_heading,
                    line: at,
                    pieces: Vec::new(),
                },
                found: Vec::new(),
            };
            if is_heading {
                paragraph.heading(&line.content);
            } else {
                paragraph.prose(&line.content, &mut voices);
            }
            let mut found = paragraph.found;
            found.sort_by_key(|sentence| sentence.visible().start);
            all.append(&mut found);
        }
        Self { all }
    }

    pub fn all(&self) -> &[ManuscriptSentence] {
        &self.all
    }

    /// Returns the story's sentences of one voice, with their indices in [`Self::all`].
    pub fn story(&self, voice: TextVoice) -> impl Iterator<Item = (usize, &ManuscriptSentence)> {
        let sentences = self.all.iter().enumerate();
        sentences.filter(move |(_, sentence)| sentence.is_story() && sentence.voice == voice)
    }
}

/// Returns the voices that are not nested in another voice, in text order.
fn outermost_voices(spans: &[ManuscriptSpan]) -> impl Iterator<Item = (TextVoice, Range<usize>)> + '_ {
    let mut end = 0;
    spans.iter().filter_map(move |span| {
        let voice = match span.kind {
            SpanKind::Dialogue(_) => TextVoice::Dialogue,
            SpanKind::Thought(_) => TextVoice::Thought,
            _ => return None,
        };
        if span.range.start < end {
            return None;
        }
        end = span.range.end;
        Some((voice, span.range.clone()))
    })
}

/// The sentences of one paragraph.
struct SentenceSplitter<'a> {
    manuscript: &'a Manuscript,
    /// The template with the properties common to all of them.
    sentence: ManuscriptSentence,
    found: Vec<ManuscriptSentence>,
}

impl SentenceSplitter<'_> {
    /// Adds a heading as one sentence, regardless of punctuation in it.
    fn heading(&mut self, line: &Range<usize>) {
        let words = self.visible_of(line);
        self.add(TextVoice::Narration, std::iter::once(words));
    }

    /// Splits each quotation by itself, and the narration between quotations as one text.
    fn prose(&mut self, line: &Range<usize>, voices: &mut Peekable<impl Iterator<Item = (TextVoice, Range<usize>)>>) {
        while voices.next_if(|(_, range)| range.end <= line.start).is_some() {}
        let mut narration = Vec::new();
        let mut rest = self.visible_of(line);
        while let Some((voice, range)) = voices.next_if(|(_, range)| range.start < line.end) {
            let heard = self.visible_of(&range);
            narration.push(rest.start..heard.start);
            rest.start = heard.end;
            self.split(voice, &[heard]);
        }
        narration.push(rest);
        self.split(TextVoice::Narration, &narration);
    }

    fn visible_of(&self, source: &Range<usize>) -> Range<usize> {
        let visible = self.manuscript.visible();
        visible.from_source(source.start)..visible.from_source(source.end)
    }

    /// Splits the text of one voice in this paragraph, given as ranges of the visible text.
    fn split(&mut self, voice: TextVoice, stretches: &[Range<usize>]) {
        let text = self.manuscript.visible().text();
        let characters: Vec<(usize, char)> = stretches
            .iter()
            .flat_map(|stretch| {
                let from = stretch.start;
                text[stretch.clone()].char_indices().map(move |(at, c)| (from + at, c))
            })
            .collect();
        let is_within = within_brackets(&characters, voice != TextVoice::Narration);
        let mut pieces = Vec::new();
        let mut at = 0;
        for stretch in stretches {
            let mut begin = stretch.start;
            while characters.get(at).is_some_and(|(place, _)| *place < stretch.end) {
                if is_within[at] || !ends_sentence(&characters, at) {
                    at += 1;
                    continue;
                }
                at += 1;
                // More end marks, closing brackets and trailing signs belong to the same end.
                while characters.get(at).is_some_and(|(place, c)| {
                    *place < stretch.end
                        && (is_end_mark(*c) || is_closer(*c) || is_trailing(&characters[at..], stretch.end))
                }) {
                    at += 1;
                }
                let end = characters.get(at).map_or(stretch.end, |(place, _)| (*place).min(stretch.end));
                pieces.push(begin..end);
                self.add(voice, std::mem::take(&mut pieces));
                begin = end;
            }
            pieces.push(begin..stretch.end);
        }
        self.add(voice, pieces);
    }

    /// Adds a sentence unless it is empty.
    fn add(&mut self, voice: TextVoice, pieces: impl IntoIterator<Item = Range<usize>>) {
        let visible = self.manuscript.visible();
        let pieces: Vec<SentencePiece> = pieces
            .into_iter()
            .filter_map(|piece| {
                let text = &visible.text()[piece.clone()];
                let start = piece.start + (text.len() - text.trim_start().len());
                let end = piece.end - (text.len() - text.trim_end().len());
                (start < end).then(|| SentencePiece {
                    visible: start..end,
                    // The end of a run differs from the start of the next one, because markup lies between them.
                    source: visible.to_source(start)..visible.to_source(end - 1) + 1,
                })
            })
            .collect();
        if !pieces.is_empty() {
            self.found.push(ManuscriptSentence { voice, pieces, ..self.sentence.clone() });
        }
    }
}

/// Returns, for each character, true if it is within a closed pair of brackets. The outermost brackets of dialogue are
/// not counted.
fn within_brackets(characters: &[(usize, char)], is_speech: bool) -> Vec<bool> {
    let mut changes = vec![0_i32; characters.len() + 1];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, (_, c)) in characters.iter().enumerate() {
        if let Some(bracket) = BRACKETS.iter().position(|(opening, _)| opening == c) {
            if at > 0 || !is_speech {
                open.push((bracket, at));
            }
        } else if let Some(bracket) = BRACKETS.iter().position(|(_, closing)| closing == c)
            && let Some(nearest) = open.iter().rev().take(BRACKETS.len()).position(|(other, _)| *other == bracket)
        {
            // Brackets opened in between and never closed are ignored.
            open.truncate(open.len() - nearest);
            if let Some((_, from)) = open.pop() {
                changes[from] += 1;
                changes[at + 1] -= 1;
            }
        }
    }
    let mut depth = 0;
    changes
        .iter()
        .take(characters.len())
        .map(|change| {
            depth += change;
            depth > 0
        })
        .collect()
}

/// True if the character at an index ends a sentence: 。．！？ and the half-width marks. A point within a number does not.
fn ends_sentence(characters: &[(usize, char)], at: usize) -> bool {
    let (_, c) = characters[at];
    let is_number = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|(_, c)| is_digit(*c));
    is_end_mark(c) && !(c == '．' && is_number(at.checked_sub(1)) && is_number(Some(at + 1)))
}

fn is_end_mark(c: char) -> bool {
    matches!(c, '。' | '．' | '！' | '？' | '!' | '?' | '‼' | '⁇' | '⁈' | '⁉' | '｡')
}

fn is_closer(c: char) -> bool {
    BRACKETS.iter().any(|(_, closing)| *closing == c) || matches!(c, '”' | '〟' | '’')
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

/// True if only signs follow up to the end of a range: え？……　is one sentence, え？……そうか。 is two.
fn is_trailing(characters: &[(usize, char)], end: usize) -> bool {
    let rest = characters.iter().take_while(|(place, _)| *place < end);
    // Each step through a run of signs looks ahead, so the length of a run is limited.
    let mut signs = rest.take(SIGNS + 1).map(|(_, c)| *c);
    let mut count = 0;
    signs.all(|c| {
        count += 1;
        count <= SIGNS
            && (is_closer(c)
                || is_end_mark(c)
                || matches!(c, '…' | '‥' | '―' | '—' | '─' | '・' | '♪' | '♡' | '♥' | '☆' | '★' | '～' | '〜'))
    })
}

/// The largest number of signs that may trail a sentence.
const SIGNS: usize = 12;

#[cfg(test)]
mod tests {
    use super::Sentences;
    use crate::manuscript::{Manuscript, ManuscriptOptions, TextVoice};

    /// Returns the sentences of a text, each with the letter of its voice.
    fn cut(text: &str) -> Vec<String> {
        let manuscript = Manuscript::read(text, ManuscriptOptions::default());
        let sentences = Sentences::find(&manuscript);
        let show = |sentence: &super::ManuscriptSentence| {
            let voice = match sentence.voice {
                _ if sentence.is_heading => '#',
                TextVoice::Narration => 'N',
                TextVoice::Dialogue => 'D',
                TextVoice::Thought => 'T',
            };
            let pieces = sentence.pieces.iter();
            let pieces = pieces.map(|piece| &manuscript.visible().text()[piece.visible.clone()]);
            format!("{voice} {}", pieces.collect::<Vec<_>>().join("|"))
        };
        sentences.all().iter().map(show).collect()
    }

    #[test]
    fn sentence_end_includes_trailing_marks_and_brackets() {
        assert_eq!(cut("　行った。帰った！？　寝た"), ["N 行った。", "N 帰った！？", "N 寝た"]);
        assert_eq!(cut("まさか……。そう――だ。"), ["N まさか……。", "N そう――だ。"]);
        assert_eq!(cut("円周率は３．１４だ。"), ["N 円周率は３．１４だ。"]);
        assert_eq!(cut("え？……"), ["N え？……"]);
        assert_eq!(cut("え？……そうか。"), ["N え？", "N ……そうか。"]);
    }

    #[test]
    fn narration_goes_on_after_speech_that_interrupts_it() {
        assert_eq!(
            cut("彼は「行くのか？　本当に？」と言った。「うん」"),
            ["N 彼は|と言った。", "D 「行くのか？", "D 本当に？」", "D 「うん」"]
        );
        assert_eq!(cut("帰った。「ただいま」と言う。"), ["N 帰った。", "D 「ただいま」", "N と言う。"]);
    }

    #[test]
    fn nothing_ends_within_brackets() {
        assert_eq!(cut("本（一九〇六年。初版）を読む。次。"), ["N 本（一九〇六年。初版）を読む。", "N 次。"]);
        assert_eq!(cut("「『行け。すぐに。』と言った。以上」"), ["D 「『行け。すぐに。』と言った。", "D 以上」"]);
        assert_eq!(cut("本（開いたまま。次。"), ["N 本（開いたまま。", "N 次。"]);
    }

    #[test]
    fn thoughts_headings_and_paragraphs_are_their_own() {
        assert_eq!(
            cut("# 第一話。始まり\n\n（まずい。逃げよう）\n走る"),
            ["# 第一話。始まり", "T （まずい。", "T 逃げよう）", "N 走る"]
        );
        assert_eq!(cut("|今日《きょう》は《《晴れ》》だ。明日も。"), ["N 今日は晴れだ。", "N 明日も。"]);
    }

    #[test]
    fn pieces_map_to_the_source() {
        let source = "|今日《きょう》。|明日《あす》。";
        let manuscript = Manuscript::read(source, ManuscriptOptions::default());
        let sentences = Sentences::find(&manuscript);
        let places: Vec<&str> = sentences.all().iter().map(|one| &source[one.source()]).collect();
        assert_eq!(places, ["今日《きょう》。", "明日《あす》。"]);
    }
}
