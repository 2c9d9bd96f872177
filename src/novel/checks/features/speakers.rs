//! Who says a line: by the narration in its paragraph or beside it, and by taking turns, each with how sure that is.
//!
//! What a line says and how it says it is not asked here, so that manners of speech can be compared with whoever has them.
//! Words that narration quotes (「なし」としか書かない) are no lines.

use std::ops::Range;

use super::{Person, Subjects};
use crate::{
    checks::material::Material,
    manuscript::{Closing, Kind, LineKind, Part, Voice},
    morphology::Morpheme,
};

/// Below this nothing is concluded from a speaker (novel-checks 2.3).
pub const SURE: f64 = 0.6;

/// 「…」とXは言った.
const QUOTED: f64 = 0.95;
/// X is the subject of another sentence in the paragraph.
const SAME_PARAGRAPH: f64 = 0.8;
/// X speaks, in the paragraph before or after.
const SPEAKS_BESIDE: f64 = 0.7;
/// X does something there: as often the one who listens.
const BESIDE: f64 = 0.45;
/// Two who take turns, after a line whose speaker is known.
const TURN: f64 = 0.8;
/// What each further turn takes off, and each sentence of narration between two.
const FURTHER: f64 = 0.05;
/// How many sentences of narration may lie between two lines of one talk.
const PAUSE: usize = 4;

/// A line of speech.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Its sentences, as places in those of the text.
    pub sentences: Range<usize>,
    /// Where, in the visible text.
    pub visible: Range<usize>,
    /// The line of the source that it begins in.
    pub paragraph: usize,
    /// What it quotes in 『』, in the visible text.
    pub quoted: Vec<Range<usize>>,
    /// The sentences of narration between it and the line before.
    pub pause: usize,
    /// Whether a new scene begins before it.
    pub is_first_of_scene: bool,
    /// Who says it.
    pub speaker: Option<Person>,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// Whether narration in its paragraph or beside it mentions anybody.
    pub is_shown: bool,
}

impl Line {
    /// Who says it, if that is sure enough.
    #[must_use]
    pub fn speaker(&self, confidence: f64) -> Option<&Person> {
        self.speaker.as_ref().filter(|_| self.confidence >= confidence)
    }

    /// Its own words, without what it quotes, sentence by sentence.
    pub fn own_words<'m>(&'m self, material: &'m Material<'_>) -> impl Iterator<Item = Vec<&'m Morpheme<'m>>> {
        self.sentences.clone().map(move |at| {
            let words = material.words_of(at).iter();
            words.filter(|word| self.is_own(word.visible.start)).collect()
        })
    }

    fn is_own(&self, visible: usize) -> bool {
        let after = self.quoted.partition_point(|range| range.end <= visible);
        self.quoted.get(after).is_none_or(|range| visible < range.start)
    }

    fn is(&mut self, speaker: Person, confidence: f64) {
        if confidence > self.confidence {
            (self.speaker, self.confidence) = (Some(speaker), confidence);
        }
    }
}

/// The lines of a text, in order.
#[derive(Clone, Debug, Default)]
pub struct Speakers {
    /// All of them.
    pub lines: Vec<Line>,
}

impl Speakers {
    pub(in crate::checks) fn of(material: &Material<'_>) -> Self {
        let mut lines = lines(material);
        let narration = Beside::of(material);
        for line in &mut lines {
            by_narration(material, &narration, line);
        }
        let mut from = 0;
        while from < lines.len() {
            let goes_on = |line: &Line| line.pause <= PAUSE && !line.is_first_of_scene;
            let length = 1 + lines[from + 1..].iter().take_while(|line| goes_on(line)).count();
            by_turns(&mut lines[from..from + length]);
            from += length;
        }
        Self { lines }
    }

    /// The lines of some person, if that is sure enough.
    pub fn of_member(&self, member: usize, confidence: f64) -> impl Iterator<Item = &Line> {
        let is_own = move |line: &&Line| line.speaker(confidence) == Some(&Person::Member(member));
        self.lines.iter().filter(is_own)
    }
}

/// The lines as they stand, nobody saying them yet.
fn lines(material: &Material<'_>) -> Vec<Line> {
    let (manuscript, sentences) = (material.manuscript(), material.sentences());
    let visible = manuscript.visible();
    let mut lines: Vec<Line> = Vec::new();
    let (mut end, mut continues) = (0, false);
    let mut scenes = material
        .scenes()
        .scenes
        .iter()
        .map(|scene| scene.visible().start)
        .peekable();
    for span in manuscript.spans() {
        let Kind::Dialogue(closing) = span.kind else { continue };
        if span.range.start < end {
            continue;
        }
        end = span.range.end;
        let range = visible.from_source(span.range.start)..visible.from_source(span.range.end);
        let place = |at: usize| sentences.partition_point(|sentence| sentence.visible().start < at);
        let own = place(range.start)..place(range.end);
        let Some(first) = sentences.get(own.start).filter(|first| first.is_story()) else {
            continue;
        };
        let quoted = quoted(material.text(), &range);
        if let Some(last) = lines
            .last_mut()
            .filter(|_| std::mem::replace(&mut continues, closing == Closing::Continues))
        {
            last.visible.end = range.end;
            last.sentences.end = own.end;
            last.quoted.extend(quoted);
            continue;
        }
        if is_mention(material, &range, own.start) {
            continue;
        }
        let since = lines.last().map_or(0, |line| line.sentences.end);
        let between = sentences[since..own.start].iter();
        let mut is_first_of_scene = false;
        while scenes.next_if(|start| *start <= range.start).is_some() {
            is_first_of_scene = true;
        }
        lines.push(Line {
            paragraph: first.line,
            quoted,
            pause: between
                .filter(|sentence| sentence.is_story() && sentence.voice != Voice::Dialogue)
                .count(),
            is_first_of_scene,
            sentences: own,
            visible: range,
            ..Line::default()
        });
    }
    lines
}

/// What stands in 『』 within a line; a line that is 『』 itself quotes nothing.
fn quoted(text: &str, line: &Range<usize>) -> Vec<Range<usize>> {
    let mut quoted = Vec::new();
    let mut open = None;
    for (at, c) in text[line.clone()].char_indices().skip(1) {
        match (c, open) {
            ('『', None) => open = Some(line.start + at),
            ('』', Some(from)) => {
                quoted.push(from..line.start + at + c.len_utf8());
                open = None;
            }
            _ => {}
        }
    }
    quoted
}

/// Whether narration around it only quotes the words: it goes on before and after them, and nobody speaks in it.
fn is_mention(material: &Material<'_>, line: &Range<usize>, first: usize) -> bool {
    let around = first.checked_sub(1).map(|at| (at, &material.sentences()[at]));
    let around = around.filter(|(_, sentence)| {
        let visible = sentence.visible();
        sentence.voice == Voice::Narration && visible.start < line.start && line.end < visible.end
    });
    around.is_some_and(|(at, _)| !material.subjects().speaks(at))
}

/// The narration of a text by paragraph.
struct Beside {
    /// For each line of the source the sentences of narration in it, as places in those of the text.
    of_lines: Vec<Vec<usize>>,
    /// For each line of the source whether its narration mentions anybody.
    mentions: Vec<bool>,
    /// For each line of the source the next paragraph before it and after it.
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
}

impl Beside {
    fn of(material: &Material<'_>) -> Self {
        let lines = material.manuscript().lines();
        let mut of_lines = vec![Vec::new(); lines.len()];
        let mut mentions = vec![false; lines.len()];
        for (at, sentence) in material.sentences().iter().enumerate() {
            if sentence.is_story() && sentence.voice != Voice::Dialogue {
                of_lines[sentence.line].push(at);
                mentions[sentence.line] |= material.subjects().mentions_somebody(at);
            }
        }
        // Over a scene break nothing is beside anything.
        let step = |last: &mut Option<usize>, at: usize| {
            let before = *last;
            match &lines[at].kind {
                LineKind::Paragraph if lines[at].part == Part::Body => *last = Some(at),
                LineKind::Empty => {}
                _ => *last = None,
            }
            before
        };
        let mut last = None;
        let before: Vec<Option<usize>> = (0..lines.len()).map(|at| step(&mut last, at)).collect();
        let mut last = None;
        let mut after: Vec<Option<usize>> = (0..lines.len()).rev().map(|at| step(&mut last, at)).collect();
        after.reverse();
        Self {
            of_lines,
            mentions,
            before,
            after,
        }
    }

    /// The sentences of the paragraph, if it is narration alone.
    fn narration<'b>(&'b self, material: &Material<'_>, line: Option<usize>) -> &'b [usize] {
        let sentences = line.map_or(&[][..], |line| &self.of_lines[line]);
        let speaks = |at: usize| {
            let next = material.sentences().get(at);
            next.is_some_and(|next| Some(next.line) == line && next.voice == Voice::Dialogue)
        };
        let (Some(first), Some(last)) = (sentences.first(), sentences.last()) else {
            return &[];
        };
        if first.checked_sub(1).is_some_and(speaks) || speaks(*last + 1) {
            &[]
        } else {
            sentences
        }
    }
}

/// What the narration around a line says of who speaks.
fn by_narration(material: &Material<'_>, beside: &Beside, line: &mut Line) {
    let subjects: &Subjects = material.subjects();
    let own = &beside.of_lines[line.paragraph];
    line.is_shown = beside.mentions[line.paragraph];
    // What follows the line in its own paragraph, and what goes before it.
    let sentence = |at: &usize| &material.sentences()[*at];
    let follows = own.get(own.partition_point(|at| sentence(at).visible().end <= line.visible.end));
    let precedes = own
        .partition_point(|at| sentence(at).visible().start < line.visible.start)
        .checked_sub(1);
    let precedes = precedes.map(|at| own[at]);
    let piece_after = |at: &usize| {
        let pieces = &sentence(at).pieces;
        pieces
            .get(pieces.partition_point(|piece| piece.visible.start < line.visible.end))
            .map(|piece| piece.visible.start)
    };
    if let Some((at, from)) = follows.and_then(|at| Some((*at, piece_after(at)?)))
        && let Some(person) = subjects.get(at)
    {
        let is_quoted = material.text()[from..].starts_with(['と', 'っ']);
        line.is(person.clone(), if is_quoted { QUOTED } else { SAME_PARAGRAPH });
    }
    if let Some(person) = precedes.and_then(|at| subjects.get(at)) {
        line.is(person.clone(), SAME_PARAGRAPH);
    }
    let before = beside.narration(material, beside.before[line.paragraph]);
    let after = beside.narration(material, beside.after[line.paragraph]);
    line.is_shown |= before.last().is_some_and(|at| subjects.mentions_somebody(*at));
    line.is_shown |= after.first().is_some_and(|at| subjects.mentions_somebody(*at));
    for at in before.last().into_iter().chain(after.first()) {
        let Some(person) = subjects.get(*at) else { continue };
        let speaks = subjects.speaks(*at);
        if line.speaker.as_ref() == Some(person) && line.confidence < SPEAKS_BESIDE {
            // Both sides say the same.
            line.confidence = SPEAKS_BESIDE;
        }
        line.is(person.clone(), if speaks { SPEAKS_BESIDE } else { BESIDE });
    }
}

/// Fills up a talk between two: between lines whose speakers are known, the turns.
fn by_turns(lines: &mut [Line]) {
    let mut two: Vec<Person> = Vec::new();
    for line in lines.iter() {
        if let Some(person) = line.speaker(SPEAKS_BESIDE).filter(|person| !two.contains(person)) {
            two.push(person.clone());
        }
        if two.len() > 2 {
            return;
        }
    }
    // With one sure speaker, whoever is beside the other lines is the other.
    if two.len() == 1 {
        let other = lines
            .iter()
            .filter_map(|line| line.speaker.clone())
            .find(|person| !two.contains(person));
        two.extend(other);
    }
    let [one, other] = two.as_slice() else { return };
    let turned = |person: &Person| if person == one { other.clone() } else { one.clone() };
    let known: Vec<Option<(Person, f64)>> = lines
        .iter()
        .map(|line| Some((line.speaker(SPEAKS_BESIDE)?.clone(), line.confidence)))
        .collect();
    let mut guesses: Vec<[Option<(Person, f64)>; 2]> = vec![[None, None]; lines.len()];
    let cost = |line: &Line| FURTHER + FURTHER * f64::from(u32::try_from(line.pause).unwrap_or(u32::MAX));
    let mut last: Option<(Person, f64)> = None;
    for at in 0..lines.len() {
        let guess = last
            .take()
            .map(|(person, sure)| (turned(&person), sure - cost(&lines[at])));
        last = known[at]
            .clone()
            .map(|(person, sure)| (person, sure.min(TURN)))
            .or_else(|| guess.clone());
        guesses[at][0] = guess;
    }
    last = None;
    for at in (0..lines.len()).rev() {
        let guess = last.take().map(|(person, sure)| (turned(&person), sure));
        last = known[at]
            .clone()
            .map(|(person, sure)| (person, sure.min(TURN)))
            .or_else(|| guess.clone());
        last = last.map(|(person, sure)| (person, sure - cost(&lines[at])));
        guesses[at][1] = guess;
    }
    for (at, line) in lines.iter_mut().enumerate() {
        if known[at].is_some() {
            continue;
        }
        let (person, sure) = match &guesses[at] {
            [Some(one), Some(other)] if one.0 == other.0 => (one.0.clone(), one.1.max(other.1)),
            [Some(one), Some(other)] if one.1 >= other.1 => (one.0.clone(), one.1 - 0.3),
            [Some(_), Some(guess)] => (guess.0.clone(), guess.1 - 0.3),
            [Some(guess), None] | [None, Some(guess)] => guess.clone(),
            [None, None] => continue,
        };
        let agrees = line.speaker.as_ref() == Some(&person);
        let sure = if agrees {
            sure.max(SPEAKS_BESIDE)
        } else if line.speaker.is_some() {
            sure - 0.1
        } else {
            sure
        };
        line.is(person, sure.clamp(0.0, 1.0));
    }
}
