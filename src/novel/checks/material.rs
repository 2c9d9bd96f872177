//! The input of all checks: a manuscript with its sentences and words, analysed once, and the context of its novel.
//!
//! Rules work on the visible text and report places of the source, converted with [`CheckMaterial::source_of`]. The ranges
//! that no fix may touch are kept here: rubies, notes, code, addresses and the novel's own names.

use std::{cell::OnceCell, ops::Range};

use super::{
    context::NovelContext,
    features::{
        Cast, CharacterNames, Feelings, Glossary, Ledger, Scenes, SensoryWord, Speakers, SpeechStyles, Subjects,
        TimePlaceMentions, Viewpoint, WordsOfScenes, sensory_words,
    },
    finding::Edit,
    metrics::TextMetrics,
    tuning::Tuning,
};
use crate::{
    manuscript::{
        CharacterCounts, LineKind, Manuscript, ManuscriptOptions, ManuscriptPart, SpanKind, TextVoice, is_kanji,
        is_one_run,
    },
    morphology::{Morpheme, Morphology, WordAnalysis, WordOrigin},
    text::{ManuscriptSentence, Sentences},
};

/// The maximum number of words that an inflected phrase has after its verb.
const WORDS_OF_ENDING: usize = 6;

/// A parsed text, from which a [`CheckMaterial`] borrows.
#[derive(Clone, Debug)]
pub struct AnalysedDraft {
    /// The text parsed into spans.
    pub manuscript: Manuscript,
    /// The sentences of the manuscript.
    pub sentences: Sentences,
}

impl AnalysedDraft {
    /// Parses a text into spans and sentences.
    pub fn read(text: impl Into<String>, reading: ManuscriptOptions) -> Self {
        let manuscript = Manuscript::read(text, reading);
        let sentences = Sentences::find(&manuscript);
        Self { manuscript, sentences }
    }
}

/// The analysed manuscript with lazily computed features.
#[derive(Debug)]
pub struct CheckMaterial<'a> {
    manuscript: &'a Manuscript,
    sentences: &'a Sentences,
    words: WordAnalysis<'a>,
    context: &'a NovelContext,
    tuning: &'a Tuning,
    /// The parts of the body by voice, as ranges of the source.
    voices: Vec<(Range<usize>, TextVoice)>,
    /// The source ranges that no fix may touch, in order, without overlaps.
    protected: Vec<Range<usize>>,
    /// The starts of rubies whose base has no opening mark, in order.
    bare_rubies: Vec<usize>,
    metrics: OnceCell<TextMetrics>,
    scenes: OnceCell<Scenes>,
    cast: OnceCell<Cast>,
    names: OnceCell<CharacterNames>,
    viewpoint: OnceCell<Viewpoint>,
    feelings: OnceCell<Feelings>,
    subjects: OnceCell<Subjects>,
    speakers: OnceCell<Speakers>,
    manners: OnceCell<SpeechStyles>,
    manners_before: OnceCell<Option<SpeechStyles>>,
    words_of_scenes: OnceCell<WordsOfScenes>,
    ledger: OnceCell<Ledger>,
    sensed: OnceCell<Vec<SensoryWord>>,
    glossary: OnceCell<Glossary>,
    whereabouts: OnceCell<TimePlaceMentions>,
}

/// A paragraph of the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prose {
    /// The index of its line in [`Manuscript::lines`].
    pub line: usize,
    /// The byte range in the source.
    pub source: Range<usize>,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
}

impl<'a> CheckMaterial<'a> {
    /// Analyses the words of a draft and prepares what rules share. Takes time linear in the length of the text.
    pub fn new(
        draft: &'a AnalysedDraft,
        context: &'a NovelContext,
        tuning: &'a Tuning,
        morphology: &'a dyn Morphology,
    ) -> Self {
        let AnalysedDraft { manuscript, sentences } = draft;
        let words = WordAnalysis::new(manuscript, sentences, &context.names, morphology);
        let protected = protected(manuscript, words.words());
        Self {
            manuscript,
            sentences,
            words,
            context,
            tuning,
            voices: manuscript.voices(),
            protected,
            bare_rubies: bare_rubies(manuscript),
            metrics: OnceCell::new(),
            scenes: OnceCell::new(),
            cast: OnceCell::new(),
            names: OnceCell::new(),
            viewpoint: OnceCell::new(),
            feelings: OnceCell::new(),
            subjects: OnceCell::new(),
            speakers: OnceCell::new(),
            manners: OnceCell::new(),
            manners_before: OnceCell::new(),
            words_of_scenes: OnceCell::new(),
            ledger: OnceCell::new(),
            sensed: OnceCell::new(),
            glossary: OnceCell::new(),
            whereabouts: OnceCell::new(),
        }
    }

    /// Returns the text parsed into spans.
    pub fn manuscript(&self) -> &'a Manuscript {
        self.manuscript
    }

    /// Returns the visible text.
    pub fn text(&self) -> &'a str {
        self.manuscript.visible().text()
    }

    /// Returns the sentences of the text.
    pub fn sentences(&self) -> &'a [ManuscriptSentence] {
        self.sentences.all()
    }

    /// Returns all words, sentence by sentence.
    pub fn words(&self) -> &[Morpheme<'a>] {
        self.words.words()
    }

    /// Returns the words of the sentence with this index.
    pub fn words_of(&self, sentence: usize) -> &[Morpheme<'a>] {
        self.words.of_sentence(sentence)
    }

    /// Iterates over the sentences of the story in one voice, each with its index and its words.
    pub fn sentences_in_voice(
        &self,
        voice: TextVoice,
    ) -> impl Iterator<Item = (usize, &'a ManuscriptSentence, &[Morpheme<'a>])> {
        let sentences = self.sentences.story(voice);
        sentences.map(|(at, sentence)| (at, sentence, self.words.of_sentence(at)))
    }

    /// Returns the last word of the inflected phrase in which a range of the source ends: た of おっしゃられた if the range
    /// ends after られ or within it. `None` if the range ends with the phrase.
    pub fn end_of_phrase(&self, end: usize) -> Option<&Morpheme<'a>> {
        let words = self.words();
        let at = words.partition_point(|word| word.source.end < end);
        let mut last = words.get(at).filter(|word| word.source.start < end && end <= word.source.end)?;
        for next in words[at + 1..].iter().take(WORDS_OF_ENDING) {
            if next.visible.start != last.visible.end || !next.continues(last) {
                break;
            }
            last = next;
        }
        (last.source.end > end).then_some(last)
    }

    /// Returns the context that the novel provides.
    pub fn context(&self) -> &'a NovelContext {
        self.context
    }

    /// Returns the configured changes to the checks.
    pub fn tuning(&self) -> &'a Tuning {
        self.tuning
    }

    /// True if the text has a kana or kanji. Rhythm and expression are only known for Japanese.
    pub fn is_japanese(&self) -> bool {
        let is_letter = |c| is_kanji(c) || matches!(c, 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ｦ'..='ﾝ');
        self.text().contains(is_letter)
    }

    /// Returns the metrics, computed on first use.
    pub fn metrics(&self) -> &TextMetrics {
        self.metrics.get_or_init(|| TextMetrics::from_material(self))
    }

    /// Returns the scenes and sections of the story.
    pub fn scenes(&self) -> &Scenes {
        self.scenes.get_or_init(|| Scenes::from_material(self))
    }

    /// Returns the characters of the novel.
    pub fn cast(&self) -> &Cast {
        self.cast.get_or_init(|| Cast::from_settings(&self.context.world))
    }

    /// Returns the lookup of the characters' names.
    pub fn names(&self) -> &CharacterNames {
        self.names.get_or_init(|| CharacterNames::from_cast(self.cast()))
    }

    /// Returns the viewpoint of the narration.
    pub fn viewpoint(&self) -> &Viewpoint {
        self.viewpoint.get_or_init(|| Viewpoint::from_material(self))
    }

    /// Returns the feelings named or shown in the story.
    pub fn feelings(&self) -> &Feelings {
        self.feelings.get_or_init(|| Feelings::from_material(self))
    }

    /// Returns the subjects of the sentences of narration.
    pub fn subjects(&self) -> &Subjects {
        self.subjects.get_or_init(|| Subjects::from_material(self))
    }

    /// Returns the lines of speech with their speakers.
    pub fn speakers(&self) -> &Speakers {
        self.speakers.get_or_init(|| Speakers::from_material(self))
    }

    /// Returns the speech style of each character.
    pub fn speech_styles(&self) -> &SpeechStyles {
        self.manners.get_or_init(|| SpeechStyles::from_material(self))
    }

    /// Returns the speech styles in the previous episode, or `None` if there is none. Analysed on first use.
    pub fn previous_speech_styles(&self) -> Option<&SpeechStyles> {
        let read = || {
            let draft = AnalysedDraft::read(self.context.previous.as_ref()?.as_str(), self.manuscript.reading());
            let context = NovelContext { plot: None, previous: None, ..self.context.clone() };
            Some(SpeechStyles::from_material(&CheckMaterial::new(&draft, &context, self.tuning, super::morphology())))
        };
        self.manners_before.get_or_init(read).as_ref()
    }

    /// Returns the index of the story's content words by scene, used to find events of the plot.
    pub fn words_of_scenes(&self) -> &WordsOfScenes {
        self.words_of_scenes.get_or_init(|| WordsOfScenes::from_material(self))
    }

    /// Returns the ledger of foreshadowing.
    pub fn ledger(&self) -> &Ledger {
        self.ledger.get_or_init(|| Ledger::from_files(&self.context.ledger))
    }

    /// Returns the sensory words of the story.
    pub fn sensory_words(&self) -> &[SensoryWord] {
        self.sensed.get_or_init(|| sensory_words::sensory_words(self))
    }

    /// Returns the names of the settings and their mentions in the story.
    pub fn glossary(&self) -> &Glossary {
        self.glossary.get_or_init(|| Glossary::from_material(self))
    }

    /// Returns the mentions of times and places in the story.
    pub fn time_place_mentions(&self) -> &TimePlaceMentions {
        self.whereabouts.get_or_init(|| TimePlaceMentions::from_material(self))
    }

    /// Returns the number of characters of the story, without headings.
    pub fn characters(&self) -> usize {
        let voices = self.voices.iter();
        let counts = voices.map(|(range, _)| CharacterCounts::count(self.manuscript.visible_in(range)));
        counts.map(|counts| counts.characters).sum()
    }

    pub fn characters_in_voice(&self, voice: TextVoice) -> usize {
        self.manuscript.count_voice(voice).characters
    }

    /// Iterates over the paragraphs of the story that have visible text, in order.
    pub fn paragraphs(&self) -> impl Iterator<Item = Prose> + '_ {
        let lines = self.manuscript.lines().iter().enumerate();
        let visible = self.manuscript.visible();
        lines.filter(|(_, line)| line.part == ManuscriptPart::Body && line.kind == LineKind::Paragraph).map(
            |(at, line)| Prose {
                line: at,
                source: line.content.clone(),
                visible: visible.from_source(line.content.start)..visible.from_source(line.content.end),
            },
        )
    }

    /// Converts a range of the visible text to the source. Markup within the range is included, markup around it is
    /// not.
    pub fn source_of(&self, visible: &Range<usize>) -> Range<usize> {
        let map = self.manuscript.visible();
        let start = map.to_source(visible.start);
        if visible.is_empty() {
            return start..start;
        }
        // The end of one run of visible text may differ from the start of the next one.
        start..map.to_source(visible.end - 1) + 1
    }

    /// Returns the voice at a byte of the source; narration outside the body.
    pub fn voice_at(&self, source: usize) -> TextVoice {
        let after = self.voices.partition_point(|(range, _)| range.end <= source);
        let here = self.voices.get(after).filter(|(range, _)| range.start <= source);
        here.map_or(TextVoice::Narration, |(_, voice)| *voice)
    }

    /// True if a range of the source contains markup.
    pub fn has_marks(&self, source: &Range<usize>) -> bool {
        let map = self.manuscript.visible();
        map.from_source(source.end) - map.from_source(source.start) != source.len()
    }

    /// True if an edit would extend the base of a ruby, or would give a base to a ruby mark without one. 12年《ねん》
    /// has its ruby on 年 only, but 一二年《ねん》 on all of it; 12《とし》 is not a ruby, but 一二《とし》 is.
    pub fn extends_ruby(&self, edit: &Edit) -> bool {
        let source = self.manuscript.source();
        let last = |text: &str| text.chars().next_back();
        let rest = &source[edit.range.end..];
        if rest.starts_with('《') && !rest.starts_with("《《") {
            return true;
        }
        let is_there = self.bare_rubies.binary_search(&edit.range.end).is_ok();
        is_there && {
            let base = rest.chars().next();
            let before = last(&edit.text).or_else(|| last(&source[..edit.range.start]));
            before.is_some_and(|before| is_one_run([before].into_iter().chain(base)))
        }
    }

    /// True if an edit would touch a protected range.
    pub fn is_protected(&self, edit: &Range<usize>) -> bool {
        let after = self.protected.partition_point(|range| range.end <= edit.start);
        self.protected[after..]
            .first()
            .is_some_and(|range| range.start < edit.end || (edit.is_empty() && range.start < edit.start))
    }
}

/// Returns the starts of rubies without an opening mark, whose base is the preceding run of one script.
fn bare_rubies(manuscript: &Manuscript) -> Vec<usize> {
    let spans = manuscript.spans().iter();
    let bare = spans.filter(|span| match &span.kind {
        SpanKind::Ruby { base, .. } => base.start == span.range.start,
        _ => false,
    });
    bare.map(|span| span.range.start).collect()
}

/// Returns the ranges that no fix may touch: rubies, notes, code, addresses, names.
fn protected(manuscript: &Manuscript, words: &[Morpheme<'_>]) -> Vec<Range<usize>> {
    let spans = manuscript.spans().iter();
    let marked = spans.filter(|span| matches!(span.kind, SpanKind::Ruby { .. } | SpanKind::Note(_)));
    let mut ranges: Vec<Range<usize>> = marked.map(|span| span.range.clone()).collect();
    ranges.extend(words.iter().filter(|word| word.origin == WordOrigin::Name).map(|word| word.source.clone()));
    let source = manuscript.source();
    for begin in ["http://", "https://"] {
        for (at, _) in source.match_indices(begin) {
            let is_part = |c: char| c.is_ascii_graphic();
            let end = source[at..].find(|c: char| !is_part(c)).map_or(source.len(), |len| at + len);
            ranges.push(at..end);
        }
    }
    let mut fence = None;
    for line in manuscript.lines() {
        code(source, &line.content, &mut ranges);
        if source[line.content.clone()].trim_start().starts_with("```") {
            fence = match fence {
                None => Some(line.content.start),
                Some(from) => {
                    ranges.push(from..line.content.end);
                    None
                }
            };
        }
    }
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Adds the inline code of a line, from backtick to backtick.
fn code(source: &str, line: &Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let mut open = None;
    for (at, _) in source[line.clone()].match_indices('`') {
        open = match open {
            None => Some(at),
            Some(from) => {
                ranges.push(line.start + from..line.start + at + 1);
                None
            }
        };
    }
}
