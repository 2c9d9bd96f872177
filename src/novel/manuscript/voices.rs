//! Voices: dialogue, thoughts and narration, found by the brackets of the visible text.
//!
//! Brackets are paired within a paragraph and within an emphasis, so that spans never cross. Speech continues over
//! paragraphs if a later paragraph closes it before another speech begins. The speakers are not identified here.

use std::ops::Range;

use super::{LineKind, MarkupIssueKind, ParseResults, SourceLine, SpanKind, SpeechEnd, ThoughtBrackets};

/// The brackets that must be paired. The first three can enclose a voice.
const PAIRS: [(char, char); 7] =
    [('「', '」'), ('『', '』'), ('（', '）'), ('【', '】'), ('〈', '〉'), ('〔', '〕'), ('［', '］')];
const VOICES: usize = 3;

/// The largest number of lines over which speech may continue; `DEEPEST_SPEECH` limits its nesting depth. Beyond these,
/// a closing bracket is assumed to be missing.
const LONGEST_SPEECH: usize = 40;
const DEEPEST_SPEECH: usize = 8;

/// The maximum number of characters of a name before a message or a line of a play.
const LONGEST_NAME: usize = 8;

/// The next line in which a speech ends or begins, for each kind of bracket.
struct SpeechLookahead {
    closes: [Option<usize>; VOICES],
    opens: [Option<usize>; VOICES],
}

/// An opening bracket that is not yet closed.
#[derive(Clone, Copy)]
struct OpenBracket {
    bracket: usize,
    /// The byte offset of the bracket.
    typed: usize,
    /// The start of the voice in this paragraph: the bracket, or the beginning of a later paragraph.
    at: usize,
    voice: Option<SpeechVoice>,
    is_head: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SpeechVoice {
    Dialogue,
    Thought,
}

impl SpeechVoice {
    fn kind(self, closing: SpeechEnd) -> SpanKind {
        match self {
            Self::Dialogue => SpanKind::Dialogue(closing),
            Self::Thought => SpanKind::Thought(closing),
        }
    }
}

/// Finds the voices of all paragraphs.
pub(super) fn find(source: &str, thoughts: ThoughtBrackets, lines: &[SourceLine], found: &mut ParseResults) {
    let ahead = look_ahead(source, lines);
    let mut carried = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line.kind {
            LineKind::Paragraph => {}
            LineKind::Empty | LineKind::Notes => continue,
            _ => {
                // Only an inner bracket consumed by markup can be left open here.
                carried.clear();
                continue;
            }
        }
        if carried.is_empty() && is_spoken_line(&source[line.content.clone()]) {
            found.span(SpanKind::Dialogue(SpeechEnd::Closed), trimmed(source, line));
            continue;
        }
        let mut paragraph = BracketScanner::begin(thoughts, line, carried);
        paragraph.brackets(source, found, found.of_lines[at].clone());
        carried = paragraph.end(found, lines, at, &ahead);
        paragraph_narration(line, &paragraph.voices, found);
    }
}

/// Returns the range of a line without white space around its text.
fn trimmed(source: &str, line: &SourceLine) -> Range<usize> {
    let text = &source[line.content.clone()];
    let start = line.content.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

/// True for a line that is speech without the brackets of speech: a voice in 《》, a message after the 〈name〉 of its sender, a
/// line of a play after a name and two full-width spaces.
fn is_spoken_line(line: &str) -> bool {
    let text = line.trim();
    let is_name = |name: &str| !name.is_empty() && name.chars().count() <= LONGEST_NAME;
    let is_voice = || {
        let inner = text.strip_prefix('《').and_then(|rest| rest.strip_suffix('》'));
        inner.is_some_and(|inner| !inner.contains(['《', '》']))
    };
    let is_message = || {
        let sender = text.strip_prefix('〈').and_then(|rest| rest.split_once('〉'));
        sender.is_some_and(|(name, said)| is_name(name) && !said.is_empty() && !name.contains(['。', '、']))
    };
    let is_play = || {
        let part = line.split_once("　　").filter(|(name, said)| is_name(name) && !said.trim().is_empty());
        part.is_some_and(|(name, _)| name.chars().all(char::is_alphanumeric))
    };
    is_voice() || is_message() || is_play()
}

/// Adds the narration: the text between the outermost voices.
fn paragraph_narration(line: &SourceLine, voices: &[Range<usize>], found: &mut ParseResults) {
    let mut voices = voices.to_vec();
    voices.sort_by_key(|voice| (voice.start, std::cmp::Reverse(voice.end)));
    let mut at = line.content.start;
    let end = line.content.end..line.content.end;
    for voice in voices.into_iter().chain([end]) {
        if voice.start < at {
            continue; // within the one before
        }
        let gap = at..voice.start;
        if !found.visible.within(&gap).trim().is_empty() {
            found.span(SpanKind::Narration, gap);
        }
        at = voice.end;
    }
}

/// Returns, for each line, the nearest line from it on in which a speech from before ends, and the nearest one that
/// begins with a speech.
fn look_ahead(source: &str, lines: &[SourceLine]) -> Vec<SpeechLookahead> {
    let mut all = Vec::with_capacity(lines.len() + 1);
    let none = || SpeechLookahead { closes: [None; VOICES], opens: [None; VOICES] };
    all.push(none());
    for (at, line) in lines.iter().enumerate().rev() {
        let mut here = none();
        if !matches!(line.kind, LineKind::Paragraph | LineKind::Empty | LineKind::Notes) {
            all.push(here);
            continue;
        }
        let text = &source[line.content.clone()];
        let first = text.trim_start().chars().next();
        let (closes, opens) = all.last().map_or(([None; VOICES], [None; VOICES]), |next| (next.closes, next.opens));
        for (bracket, (open, close)) in PAIRS.iter().take(VOICES).enumerate() {
            let mut depth = 0_usize;
            let ends = text.chars().any(|c| {
                depth += usize::from(c == *open);
                c == *close && depth.checked_sub(1).map(|less| depth = less).is_none()
            });
            here.closes[bracket] = if ends { Some(at) } else { closes[bracket] };
            here.opens[bracket] = if first == Some(*open) { Some(at) } else { opens[bracket] };
        }
        all.push(here);
    }
    all.reverse();
    all
}

/// The brackets of one paragraph.
struct BracketScanner<'a> {
    thoughts: ThoughtBrackets,
    line: &'a SourceLine,
    open: Vec<OpenBracket>,
    /// For the paragraph and each enclosing emphasis: the number of brackets open before it, and the number open in it
    /// by kind.
    frames: Vec<(usize, [usize; PAIRS.len()])>,
    /// The number of open brackets that are voices.
    open_voices: usize,
    /// The last character that was not white space.
    last: Option<char>,
    /// The voices found outside any emphasis.
    voices: Vec<Range<usize>>,
}

impl<'a> BracketScanner<'a> {
    /// Starts a paragraph with the brackets left open by the one before.
    fn begin(thoughts: ThoughtBrackets, line: &'a SourceLine, carried: Vec<OpenBracket>) -> Self {
        let mut counts = [0; PAIRS.len()];
        let mut open = carried;
        for bracket in &mut open {
            bracket.at = line.content.start;
            counts[bracket.bracket] += 1;
        }
        Self {
            thoughts,
            line,
            open_voices: open.iter().filter(|bracket| bracket.voice.is_some()).count(),
            open,
            frames: vec![(0, counts)],
            last: None,
            voices: Vec::new(),
        }
    }

    /// Scans the visible characters. Brackets in the base of a ruby are ordinary text.
    fn brackets(&mut self, source: &str, found: &mut ParseResults, spans: Range<usize>) {
        let mut edges: Vec<(usize, bool)> = Vec::new();
        let mut bases: Vec<Range<usize>> = Vec::new();
        for span in &found.spans[spans] {
            match &span.kind {
                SpanKind::Emphasis(_) => edges.extend([(span.range.start, true), (span.range.end, false)]),
                SpanKind::Ruby { base, .. } => bases.push(base.clone()),
                _ => {}
            }
        }
        // At the same offset, ends sort before beginnings.
        edges.sort_unstable();
        let (mut edges, mut bases) = (edges.into_iter().peekable(), bases.into_iter().peekable());
        let visible = std::mem::take(&mut found.visible);
        for run in visible.runs_within(&self.line.content) {
            let text = visible.within(&run);
            for (at, c) in text.char_indices().map(|(at, c)| (run.start + at, c)) {
                while let Some((_, begins)) = edges.next_if(|(edge, _)| *edge <= at) {
                    self.edge(begins, found);
                }
                while bases.next_if(|base| base.end <= at).is_some() {}
                let is_word = bases.peek().is_some_and(|base| base.start <= at);
                // An unclosed note has been reported already.
                let is_word = is_word || (c == '［' && source[at..].starts_with("［＃"));
                if !is_word {
                    self.character(c, at, found);
                }
                if !c.is_whitespace() {
                    self.last = Some(c);
                }
            }
        }
        for (_, begins) in edges {
            self.edge(begins, found);
        }
        found.visible = visible;
    }

    /// Handles the beginning or end of an emphasis.
    fn edge(&mut self, begins: bool, found: &mut ParseResults) {
        if begins {
            self.frames.push((self.open.len(), [0; PAIRS.len()]));
        } else if let Some((before, _)) = self.frames.pop() {
            for bracket in self.open.split_off(before) {
                self.unclosed(bracket, found);
            }
        }
    }

    fn unclosed(&mut self, bracket: OpenBracket, found: &mut ParseResults) {
        self.open_voices -= usize::from(bracket.voice.is_some());
        let open = PAIRS[bracket.bracket].0;
        found.issue(MarkupIssueKind::UnclosedBracket(open), bracket.typed..bracket.typed + open.len_utf8());
    }

    fn character(&mut self, c: char, at: usize, found: &mut ParseResults) {
        if let Some(bracket) = PAIRS.iter().position(|(open, _)| *open == c) {
            let voice = self.voice(bracket);
            self.open_voices += usize::from(voice.is_some());
            self.open.push(OpenBracket { bracket, typed: at, at, voice, is_head: self.last.is_none() });
            if let Some((_, counts)) = self.frames.last_mut() {
                counts[bracket] += 1;
            }
        } else if let Some(bracket) = PAIRS.iter().position(|(_, close)| *close == c) {
            self.close(bracket, at + c.len_utf8(), found);
        }
    }

    /// Returns the voice that a bracket opens here; `None` if the bracket is not a voice.
    fn voice(&self, bracket: usize) -> Option<SpeechVoice> {
        let is_within = self.open_voices > 0;
        let is_head = self.last.is_none_or(|last| "。！？!?…―」』）♪".contains(last));
        match PAIRS[bracket].0 {
            '「' => Some(SpeechVoice::Dialogue),
            '『' if is_within => Some(SpeechVoice::Dialogue),
            '『' if is_head && self.thoughts == ThoughtBrackets::DoubleQuotes => Some(SpeechVoice::Thought),
            '『' if is_head => Some(SpeechVoice::Dialogue),
            '（' if is_head && !is_within && self.thoughts == ThoughtBrackets::Parentheses => {
                Some(SpeechVoice::Thought)
            }
            _ => None,
        }
    }

    fn close(&mut self, bracket: usize, end: usize, found: &mut ParseResults) {
        let Some((_, counts)) = self.frames.last_mut().filter(|(_, counts)| counts[bracket] > 0) else {
            let close = PAIRS[bracket].1;
            found.issue(MarkupIssueKind::StrayBracket(close), end - close.len_utf8()..end);
            return;
        };
        let mut inner = Vec::new();
        let mut own = None;
        while let Some(open) = self.open.pop() {
            counts[open.bracket] -= 1;
            if open.bracket == bracket {
                own = Some(open);
                break;
            }
            inner.push(open);
        }
        for open in inner {
            self.unclosed(open, found);
        }
        if let Some(own) = own
            && let Some(voice) = own.voice
        {
            self.open_voices -= 1;
            self.push(voice.kind(SpeechEnd::Closed), own.at..end, found);
        }
    }

    fn push(&mut self, kind: SpanKind, range: Range<usize>, found: &mut ParseResults) {
        if self.frames.len() <= 1 {
            self.voices.push(range.clone());
        }
        found.span(kind, range);
    }

    /// Handles the brackets still open at the end of the paragraph. Returns them if the speech continues in the next
    /// paragraph; otherwise reports them as unclosed.
    fn end(
        &mut self,
        found: &mut ParseResults,
        lines: &[SourceLine],
        at: usize,
        ahead: &[SpeechLookahead],
    ) -> Vec<OpenBracket> {
        let end = self.line.content.end;
        let open = std::mem::take(&mut self.open);
        let Some(outer) = open.first().copied() else {
            return Vec::new();
        };
        let next = &ahead[at + 1];
        let spoken = outer.voice.filter(|_| outer.bracket < VOICES);
        let goes_on = spoken.is_some() && open.len() <= DEEPEST_SPEECH && {
            let closes = next.closes[outer.bracket].filter(|line| *line <= at + LONGEST_SPEECH);
            closes.is_some_and(|line| next.opens[outer.bracket].is_none_or(|open| line < open))
        };
        if goes_on {
            for bracket in &open {
                if let Some(voice) = bracket.voice.filter(|_| bracket.at < end) {
                    self.push(voice.kind(SpeechEnd::Continues), bracket.at..end, found);
                }
            }
            return open;
        }
        // By an old convention, each paragraph of a speech begins with the bracket and only the last one closes it.
        let following = at + 1 + usize::from(lines.get(at + 1).is_some_and(|line| line.kind == LineKind::Empty));
        let is_repeated = spoken.is_some() && next.opens[outer.bracket] == Some(following);
        for (depth, bracket) in open.into_iter().enumerate() {
            match spoken.filter(|_| depth == 0 && (bracket.is_head || bracket.at == self.line.content.start)) {
                Some(voice) => {
                    if !is_repeated {
                        let sign = PAIRS[bracket.bracket].0;
                        found.issue(
                            MarkupIssueKind::UnclosedBracket(sign),
                            bracket.typed..bracket.typed + sign.len_utf8(),
                        );
                    }
                    if bracket.at < end {
                        self.push(voice.kind(SpeechEnd::Open), bracket.at..end, found);
                    }
                }
                None => self.unclosed(bracket, found),
            }
        }
        Vec::new()
    }
}
