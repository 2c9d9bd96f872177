//! The words of a manuscript: each sentence is analysed once, with the novel's names as words.
//!
//! Words follow the order of the sentences and never overlap; together they cover every visible character of the
//! sentences except half-width spaces. A name must lie on word boundaries: no dictionary word may cross its edges (りん
//! is not found in りんご), and the name is not part of a longer run of katakana or letters. Sentences are analysed in
//! stretches of bounded length, so that the time stays linear even for an endless sentence.

use std::ops::Range;

use super::{
    DictionaryWord, Morpheme, Morphology, NameKind, NameLexicon, NovelName, STAND_INS, WordEntry, WordOrigin,
    WordReader,
};
use crate::{
    manuscript::{Manuscript, VisibleText},
    text::{ManuscriptSentence, Sentences},
};

/// The largest number of characters analysed at once. Literary sentences have at most some hundreds; the Viterbi search
/// keeps every possible word of the stretch in memory.
pub const LONGEST_STRETCH: usize = 2_000;

/// The largest distance, in characters, by which a stretch may end early at a comma or space.
const SEARCHED_FOR_AN_END: usize = 200;

/// The placeholder for speech that interrupts a sentence: in 彼は「…」と言った, は and と are not one word はと.
const INTERRUPTION: &str = "「」";

/// The words of a manuscript, grouped by sentence.
#[derive(Clone, Debug)]
pub struct WordAnalysis<'a> {
    words: Vec<Morpheme<'a>>,
    /// For each sentence, the range of its words.
    of_sentences: Vec<Range<usize>>,
    cut: Vec<usize>,
}

impl<'a> WordAnalysis<'a> {
    /// Analyses the sentences of a manuscript in time proportional to the text.
    pub fn new(
        manuscript: &'a Manuscript,
        sentences: &Sentences,
        names: &'a NameLexicon,
        morphology: &'a dyn Morphology,
    ) -> Self {
        let mut gathering =
            WordCollector { visible: manuscript.visible(), names, reader: morphology.reader(), words: Vec::new() };
        let (mut of_sentences, mut cut) = (Vec::with_capacity(sentences.all().len()), Vec::new());
        for (at, sentence) in sentences.all().iter().enumerate() {
            let before = gathering.words.len();
            let stretches = stretches(manuscript.visible().text(), sentence);
            if stretches.len() > 1 {
                cut.push(at);
            }
            for stretch in &stretches {
                gathering.stretch(at, stretch);
            }
            of_sentences.push(before..gathering.words.len());
        }
        let mut words = gathering.words;
        words.shrink_to_fit();
        Self { words, of_sentences, cut }
    }

    /// Returns the words of all sentences.
    pub fn words(&self) -> &[Morpheme<'a>] {
        &self.words
    }

    /// Returns the words of a sentence, by its index in [`Sentences::all`]; empty for an unknown index.
    pub fn of_sentence(&self, sentence: usize) -> &[Morpheme<'a>] {
        let words = self.of_sentences.get(sentence).cloned();
        words.map_or(&[], |words| &self.words[words])
    }

    /// Returns the sentences that were too long to be analysed at once: words near the cuts may be wrong.
    pub fn cut(&self) -> &[usize] {
        &self.cut
    }
}

/// Splits a sentence's pieces into stretches that can be analysed at once.
fn stretches(visible: &str, sentence: &ManuscriptSentence) -> Vec<Vec<Range<usize>>> {
    let mut stretches = vec![Vec::new()];
    let mut room = LONGEST_STRETCH;
    for piece in &sentence.pieces {
        let mut rest = piece.visible.clone();
        while let Some(end) = cut_offset(&visible[rest.clone()], room) {
            if let Some(last) = stretches.last_mut() {
                last.push(rest.start..rest.start + end);
            }
            stretches.push(Vec::new());
            rest.start += end;
            room = LONGEST_STRETCH;
        }
        room -= visible[rest.clone()].chars().count();
        if let Some(last) = stretches.last_mut()
            && !rest.is_empty()
        {
            last.push(rest);
        }
    }
    stretches.retain(|stretch| !stretch.is_empty());
    stretches
}

/// Returns the offset at which a text must be cut to have at most `room` characters: after a comma or a space if one is
/// near. Returns `None` if the text fits.
fn cut_offset(text: &str, room: usize) -> Option<usize> {
    let (end, _) = text.char_indices().nth(room)?;
    let near = text[..end].char_indices().rev().take(SEARCHED_FOR_AN_END);
    let mut near = near.filter(|(_, c)| matches!(c, '、' | '，' | '…' | '―') || c.is_whitespace());
    Some(near.next().map_or(end, |(at, c)| at + c.len_utf8()))
}

/// The text given to the reader, with the origin of each part.
#[derive(Default)]
struct PreparedText<'a> {
    text: String,
    parts: Vec<PreparedPart<'a>>,
}

/// A part of a prepared text.
struct PreparedPart<'a> {
    /// The byte offset in the prepared text.
    start: usize,
    /// The range of the visible text that this part represents; empty for an interruption.
    visible: Range<usize>,
    name: Option<&'a NovelName>,
}

impl<'a> PreparedText<'a> {
    fn push(&mut self, text: &str, visible: Range<usize>, name: Option<&'a NovelName>) {
        if !text.is_empty() {
            self.parts.push(PreparedPart { start: self.text.len(), visible, name });
            self.text.push_str(text);
        }
    }

    /// Joins the pieces as they are, with [`INTERRUPTION`] between them.
    fn plain(visible: &str, stretch: &[Range<usize>]) -> Self {
        Self::with_names(visible, stretch, &[])
    }

    fn with_names(visible: &str, stretch: &[Range<usize>], meant: &[(Range<usize>, &'a NovelName)]) -> Self {
        let mut prepared = Self::default();
        let mut meant = meant.iter().peekable();
        for (nth, piece) in stretch.iter().enumerate() {
            if nth > 0 {
                prepared.push(INTERRUPTION, piece.start..piece.start, None);
            }
            let mut at = piece.start;
            while let Some((range, name)) = meant.next_if(|(range, _)| range.end <= piece.end) {
                prepared.push(&visible[at..range.start], at..range.start, None);
                let mut stand_in = [0; 4];
                prepared.push(stand_in_of(name.kind).encode_utf8(&mut stand_in), range.clone(), Some(name));
                at = range.end;
            }
            prepared.push(&visible[at..piece.end], at..piece.end, None);
        }
        prepared
    }

    /// Returns the parts that a word covers, each with the range of the visible text that belongs to the word.
    fn parts_of(&self, word: &Range<usize>) -> impl Iterator<Item = (Range<usize>, Option<&'a NovelName>)> {
        let first = self.parts.partition_point(|part| part.start <= word.start).saturating_sub(1);
        let (start, end) = (word.start, word.end);
        let parts = self.parts[first..].iter().enumerate();
        parts.take_while(move |(_, part)| part.start < end).filter_map(move |(nth, part)| {
            if part.visible.is_empty() || part.name.is_some() {
                return part.name.map(|name| (part.visible.clone(), Some(name)));
            }
            let next = self.parts.get(first + nth + 1).map_or(self.text.len(), |next| next.start);
            let from = start.max(part.start) - part.start;
            let to = end.min(next) - part.start;
            Some((part.visible.start + from..part.visible.start + to, None))
        })
    }
}

/// Returns the stand-in character for a kind of name.
fn stand_in_of(kind: NameKind) -> char {
    match kind {
        NameKind::Person => STAND_INS[0].0,
        NameKind::Place => STAND_INS[1].0,
        NameKind::Term => STAND_INS[2].0,
    }
}

/// Returns the part of speech of a name: that of its stand-in.
fn part_of_speech(kind: NameKind) -> &'static [&'static str; 3] {
    match kind {
        NameKind::Person => &["名詞", "固有名詞", STAND_INS[0].1],
        NameKind::Place => &["名詞", "固有名詞", STAND_INS[1].1],
        NameKind::Term => &["名詞", "固有名詞", STAND_INS[2].1],
    }
}

/// The state of collecting the words of all sentences.
struct WordCollector<'a> {
    visible: &'a VisibleText,
    names: &'a NameLexicon,
    reader: Box<dyn WordReader<'a> + 'a>,
    words: Vec<Morpheme<'a>>,
}

impl<'a> WordCollector<'a> {
    /// Analyses one stretch: first as it is, and if it contains names, a second time with their stand-ins.
    fn stretch(&mut self, sentence: usize, stretch: &[Range<usize>]) {
        let text = self.visible.text();
        let mut prepared = PreparedText::plain(text, stretch);
        let mut read = Vec::new();
        self.reader.read(&prepared.text, &mut read);
        if let Some(meant) = self.names_meant(stretch, &prepared, &read) {
            prepared = PreparedText::with_names(text, stretch, &meant);
            read.clear();
            self.reader.read(&prepared.text, &mut read);
        }
        for word in &read {
            for (visible, name) in prepared.parts_of(&word.range) {
                self.words.push(self.morpheme(sentence, visible, name, word.entry));
            }
        }
    }

    /// Finds the names that are meant as names in a stretch; `None` without such names.
    fn names_meant(
        &self,
        stretch: &[Range<usize>],
        prepared: &PreparedText<'a>,
        read: &[DictionaryWord<'a>],
    ) -> Option<Vec<(Range<usize>, &'a NovelName)>> {
        if self.names.names().is_empty() {
            return None;
        }
        let plain = PlainAnalysis::new(prepared, read);
        let mut meant = Vec::new();
        for piece in stretch {
            let mut at = piece.start;
            while at < piece.end {
                let rest = &self.visible.text()[at..piece.end];
                let mut names = self.names.at_start_of(rest);
                let place = |name: &NovelName| at..at + name.surface.len();
                if let Some(name) = names.find(|name| plain.is_meant(&place(name), self.visible.text(), name.kind)) {
                    meant.push((place(name), name));
                    at = place(name).end;
                } else {
                    at += rest.chars().next().map_or(1, char::len_utf8);
                }
            }
        }
        (!meant.is_empty()).then_some(meant)
    }

    fn morpheme(
        &self,
        sentence: usize,
        visible: Range<usize>,
        name: Option<&'a NovelName>,
        entry: WordEntry<'a>,
    ) -> Morpheme<'a> {
        let surface = &self.visible.text()[visible.clone()];
        let entry = match name {
            // The entry comes from the novel's settings; next to unknown signs, the dictionary may join both into one
            // word.
            Some(name) => WordEntry {
                origin: WordOrigin::Name,
                parts: part_of_speech(name.kind),
                inflection: None,
                base: None,
                reading: name.reading.as_deref(),
            },
            // The author wrote a stand-in character in the text.
            None if STAND_INS.iter().any(|(stand_in, _)| surface.contains(*stand_in)) => WordEntry::UNKNOWN_SIGN,
            None => entry,
        };
        // The end of a run differs from the start of the next one, because markup lies between them.
        let last = visible.end.saturating_sub(1).max(visible.start);
        Morpheme {
            sentence,
            source: self.visible.to_source(visible.start)..self.visible.to_source(last) + 1,
            visible,
            surface,
            base: entry.base.unwrap_or(surface),
            reading: match entry.origin {
                WordOrigin::Dictionary => Some(entry.reading.unwrap_or(surface)),
                WordOrigin::Name | WordOrigin::Unknown => entry.reading,
            },
            parts: entry.parts,
            inflection: entry.inflection,
            origin: entry.origin,
        }
    }
}

/// The analysis of a stretch without names, used to decide where a name can be.
struct PlainAnalysis {
    /// The words in text order, with their origin.
    words: Vec<(Range<usize>, WordOrigin)>,
}

impl PlainAnalysis {
    fn new(prepared: &PreparedText<'_>, read: &[DictionaryWord<'_>]) -> Self {
        let mut words = Vec::with_capacity(read.len());
        for word in read {
            let parts = prepared.parts_of(&word.range);
            words.extend(parts.map(|(visible, _)| (visible, word.entry.origin)));
        }
        Self { words }
    }

    /// True if a name is meant at this position.
    fn is_meant(&self, place: &Range<usize>, text: &str, kind: NameKind) -> bool {
        let first = self.words.partition_point(|(word, _)| word.end <= place.start);
        let is_edge = |edge| self.is_edge(edge, text);
        // A term that is also an ordinary word stays that word, with its own part of speech.
        let is_ordinary =
            kind == NameKind::Term && self.words.get(first) == Some(&(place.clone(), WordOrigin::Dictionary));
        !is_ordinary && is_edge(place.start) && is_edge(place.end)
    }

    /// True if a word could begin or end at this position.
    fn is_edge(&self, edge: usize, text: &str) -> bool {
        let before = text[..edge].chars().next_back();
        let after = text[edge..].chars().next();
        if before.zip(after).is_some_and(|(before, after)| is_one_run(before, after)) {
            return false;
        }
        let word = self.words.partition_point(|(word, _)| word.end <= edge);
        let across = self.words.get(word).filter(|(word, _)| word.start < edge);
        // A guess about unknown kanji or hiragana may have wrong word boundaries.
        across.is_none_or(|(_, origin)| *origin == WordOrigin::Unknown)
    }
}

/// True if two adjacent characters certainly belong to one word.
fn is_one_run(before: char, after: char) -> bool {
    let is_katakana = |c: char| matches!(c, 'ァ'..='ヺ' | 'ー'..='ヾ' | 'ｦ'..='ﾟ');
    let is_letter = |c: char| matches!(c, 'A'..='Z' | 'a'..='z' | '0'..='9' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '０'..='９');
    (is_katakana(before) && is_katakana(after)) || (is_letter(before) && is_letter(after))
}
