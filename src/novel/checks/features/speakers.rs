//! The speakers of lines: derived from the narration around a line and from turn-taking, each with a confidence.
//!
//! The content and style of a line are not used for that, so that speech styles can be compared with the speakers; the
//! speaker by character sheets is recorded separately. Words that narration quotes (「なし」としか書かない) are not
//! lines.

use std::{collections::BTreeSet, ops::Range};

use super::{Person, StorySegment, Subjects, speaker_by_sheet};
use crate::{
    checks::material::CheckMaterial,
    manuscript::{LineKind, ManuscriptPart, SpanKind, SpeechEnd, TextVoice},
    morphology::Morpheme,
};

/// The minimum confidence for conclusions from a speaker (novel-checks 2.3).
pub const SURE: f64 = 0.6;

/// Confidence if the narration attributes the line: 「…」とXは言った.
const QUOTED: f64 = 0.95;
/// Confidence if X is the subject of another sentence in the paragraph.
const SAME_PARAGRAPH: f64 = 0.8;
/// Confidence if X speaks in the paragraph before or after.
const SPEAKS_BESIDE: f64 = 0.7;
/// Confidence if X acts both before and after the line.
const ACTS_AROUND: f64 = 0.65;
/// Confidence if X acts beside the line: X is as often the listener.
const BESIDE: f64 = 0.45;
/// Confidence of a turn between two speakers, after a line with a known speaker.
const TURN: f64 = 0.8;
/// Confidence of a turn if the narration names more than two characters.
const TURN_OF_MANY: f64 = 0.6;
/// The loss of confidence with each further turn.
const FURTHER: f64 = 0.05;
/// The loss of confidence if narration precedes a turn, since the previous speaker may continue.
const AFTER_NARRATION: f64 = 0.25;
/// The maximum number of sentences of narration between two lines of one conversation.
const PAUSE: usize = 4;

/// The position of a line relative to the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinePosition {
    /// The first line, or in another scene than the previous one.
    #[default]
    Nothing,
    /// In the same paragraph, usually by the same speaker.
    InParagraph,
    /// In the next paragraph.
    Directly,
    /// After a paragraph of narration.
    Narration,
}

/// A line of speech with its speaker.
#[derive(Clone, Debug, Default)]
pub struct SpeechLine {
    /// The indices of its sentences in the text.
    pub sentences: Range<usize>,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    /// The index of the source line in which it begins.
    pub paragraph: usize,
    /// The quotations in 『』 within the line, as ranges of the visible text.
    pub quoted: Vec<Range<usize>>,
    /// The number of sentences of narration since the previous line.
    pub pause: usize,
    /// The index of its scene.
    pub scene: usize,
    /// The position relative to the previous line.
    pub follows: LinePosition,
    /// The most probable speaker by narration and turns.
    pub speaker: Option<Person>,
    /// The confidence in the speaker, from 0 to 1.
    pub confidence: f64,
    /// The speaker by the character sheets: the only character present whose pronouns or endings the line has.
    pub speaker_by_sheet: Option<usize>,
    /// True if narration in its paragraph or beside it mentions a person.
    pub is_shown: bool,
}

impl SpeechLine {
    /// Returns the speaker if the confidence is at least `confidence`.
    pub fn speaker(&self, confidence: f64) -> Option<&Person> {
        self.speaker.as_ref().filter(|_| self.confidence >= confidence)
    }

    /// Returns the speaker by narration and turns if the confidence suffices, else by the character sheets. Not for
    /// comparisons of speech styles with the sheets.
    pub fn likely_speaker(&self) -> Option<Person> {
        let sure = self.speaker(SURE).cloned();
        sure.or_else(|| self.speaker_by_sheet.map(Person::Member))
    }

    /// Iterates over its sentences, each as its words without quotations.
    pub fn own_words<'m>(&'m self, material: &'m CheckMaterial<'_>) -> impl Iterator<Item = Vec<&'m Morpheme<'m>>> {
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

/// The lines of speech of a text, in order.
#[derive(Clone, Debug, Default)]
pub struct Speakers {
    /// The lines in the order of the text.
    pub lines: Vec<SpeechLine>,
    /// For each scene, the characters of the settings whom its narration names, and a first-person narrator.
    pub present: Vec<BTreeSet<usize>>,
}

impl Speakers {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut lines = lines(material);
        let narration = ParagraphNarration::from_material(material);
        for at in 0..lines.len() {
            follow(&mut lines, at, &narration);
            assign_by_narration(material, &narration, &mut lines[at]);
        }
        let present = present(material);
        let nobody = BTreeSet::new();
        let mut from = 0;
        while from < lines.len() {
            let goes_on = |line: &SpeechLine| line.pause <= PAUSE && line.follows != LinePosition::Nothing;
            let length = 1 + lines[from + 1..].iter().take_while(|line| goes_on(line)).count();
            let present = present.get(lines[from].scene).unwrap_or(&nobody);
            assign_by_turns(&mut lines[from..from + length], present);
            from += length;
        }
        for line in &mut lines {
            let present = present.get(line.scene).unwrap_or(&nobody);
            line.speaker_by_sheet = speaker_by_sheet(material, line, present.iter().copied());
        }
        Self { lines, present }
    }
}

/// Returns for each scene the characters of the settings whom its narration names, and a first-person narrator.
fn present(material: &CheckMaterial<'_>) -> Vec<BTreeSet<usize>> {
    let viewpoint = material.viewpoint();
    let scenes = material.scenes().scenes.iter();
    let named = |scene: &StorySegment| {
        let told = scene.sentences(material).filter(|at| material.sentences()[*at].voice != TextVoice::Dialogue);
        let words = told.flat_map(|at| material.words_of(at));
        let mut named: BTreeSet<usize> = words.filter_map(|word| material.names().member_named_by(word)).collect();
        named.extend(viewpoint.member.filter(|_| viewpoint.is_first_person));
        named
    };
    scenes.map(named).collect()
}

/// Sets the position of a line relative to the previous one.
fn follow(lines: &mut [SpeechLine], at: usize, beside: &ParagraphNarration) {
    let before = at.checked_sub(1).map(|before| (lines[before].scene, lines[before].paragraph));
    let Some((scene, paragraph)) = before else { return };
    let line = &mut lines[at];
    line.follows = if scene != line.scene {
        LinePosition::Nothing
    } else if paragraph == line.paragraph {
        LinePosition::InParagraph
    } else if beside.before[line.paragraph] == Some(paragraph) {
        LinePosition::Directly
    } else {
        LinePosition::Narration
    };
}

/// Returns the lines of a text, still without speakers.
fn lines(material: &CheckMaterial<'_>) -> Vec<SpeechLine> {
    let (manuscript, sentences) = (material.manuscript(), material.sentences());
    let visible = manuscript.visible();
    let mut lines: Vec<SpeechLine> = Vec::new();
    let (mut end, mut continues) = (0, false);
    let scenes = &material.scenes().scenes;
    for span in manuscript.spans() {
        let SpanKind::Dialogue(closing) = span.kind else {
            continue;
        };
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
        if let Some(last) =
            lines.last_mut().filter(|_| std::mem::replace(&mut continues, closing == SpeechEnd::Continues))
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
        let scene = scenes.partition_point(|scene| scene.visible().start <= range.start);
        lines.push(SpeechLine {
            paragraph: first.line,
            quoted,
            pause: between.filter(|sentence| sentence.is_story() && sentence.voice != TextVoice::Dialogue).count(),
            scene: scene.saturating_sub(1),
            sentences: own,
            visible: range,
            ..SpeechLine::default()
        });
    }
    lines
}

/// Returns the quotations in 『』 within a line; all of a line that is itself in 『』.
fn quoted(text: &str, line: &Range<usize>) -> Vec<Range<usize>> {
    let mut quoted = Vec::new();
    let mut open = None;
    for (at, c) in text[line.clone()].char_indices() {
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

/// True if narration merely quotes the words: the sentence continues before and after them and has no verb of speech.
fn is_mention(material: &CheckMaterial<'_>, line: &Range<usize>, first: usize) -> bool {
    let around = first.checked_sub(1).map(|at| (at, &material.sentences()[at]));
    let around = around.filter(|(_, sentence)| {
        let visible = sentence.visible();
        sentence.voice == TextVoice::Narration && visible.start < line.start && line.end < visible.end
    });
    around.is_some_and(|(at, _)| !material.subjects().speaks(at))
}

/// The narration of a text by paragraph.
struct ParagraphNarration {
    /// For each source line, the indices of its sentences of narration.
    of_lines: Vec<Vec<usize>>,
    /// For each source line, true if its narration mentions a person.
    mentions: Vec<bool>,
    /// For each source line, the previous and the next paragraph.
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
}

impl ParagraphNarration {
    fn from_material(material: &CheckMaterial<'_>) -> Self {
        let lines = material.manuscript().lines();
        let mut of_lines = vec![Vec::new(); lines.len()];
        let mut mentions = vec![false; lines.len()];
        for (at, sentence) in material.sentences().iter().enumerate() {
            if sentence.is_story() && sentence.voice != TextVoice::Dialogue {
                of_lines[sentence.line].push(at);
                mentions[sentence.line] |= material.subjects().mentions_somebody(at);
            }
        }
        // A scene break separates its neighbours.
        let step = |last: &mut Option<usize>, at: usize| {
            let before = *last;
            match &lines[at].kind {
                LineKind::Paragraph if lines[at].part == ManuscriptPart::Body => *last = Some(at),
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
        Self { of_lines, mentions, before, after }
    }

    /// Returns the sentences of a paragraph if it consists of narration only.
    fn narration<'b>(&'b self, material: &CheckMaterial<'_>, line: Option<usize>) -> &'b [usize] {
        let sentences = line.map_or(&[][..], |line| &self.of_lines[line]);
        let speaks = |at: usize| {
            let next = material.sentences().get(at);
            next.is_some_and(|next| Some(next.line) == line && next.voice == TextVoice::Dialogue)
        };
        let (Some(first), Some(last)) = (sentences.first(), sentences.last()) else {
            return &[];
        };
        if first.checked_sub(1).is_some_and(speaks) || speaks(*last + 1) { &[] } else { sentences }
    }
}

/// Sets the speaker of a line from the narration around it.
fn assign_by_narration(material: &CheckMaterial<'_>, beside: &ParagraphNarration, line: &mut SpeechLine) {
    let subjects: &Subjects = material.subjects();
    let own = &beside.of_lines[line.paragraph];
    line.is_shown = beside.mentions[line.paragraph];
    // The sentences of narration after and before the line in its own paragraph.
    let sentence = |at: &usize| &material.sentences()[*at];
    let follows = own.get(own.partition_point(|at| sentence(at).visible().end <= line.visible.end));
    let precedes = own.partition_point(|at| sentence(at).visible().start < line.visible.start).checked_sub(1);
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
    let (above, below) = (before.last(), after.first());
    let person = |at: Option<&usize>| subjects.get(*at?);
    if let (Some(one), Some(other)) = (person(above), person(below))
        && one == other
    {
        line.is(one.clone(), ACTS_AROUND);
    }
    // Of several sentences above, the last one leads to the line; of several below, the first one may refer back to it:
    // そう言った.
    if let (Some(at), Some(person)) = (above, person(above)) {
        let leads = subjects.speaks(*at) && before.len() > 1;
        line.is(person.clone(), if leads { SPEAKS_BESIDE } else { BESIDE });
    }
    if let (Some(at), Some(person)) = (below, person(below)) {
        let tells = subjects.speaks(*at) && (after.len() > 1 || points_back(material.words_of(*at)));
        line.is(person.clone(), if tells { SPEAKS_BESIDE } else { BESIDE });
    }
}

/// True if a sentence refers to the speech before it: そう尋ねた, と言って.
fn points_back(words: &[Morpheme<'_>]) -> bool {
    let is_so = |word: &Morpheme<'_>| matches!(word.surface, "そう" | "そんな" | "それ");
    words.first().is_some_and(|word| word.surface == "と") || words.iter().any(is_so)
}

/// Assigns the remaining lines of a conversation between two speakers by turn-taking from lines with known speakers.
fn assign_by_turns(lines: &mut [SpeechLine], present: &BTreeSet<usize>) {
    let mut two: Vec<Person> = Vec::new();
    for line in lines.iter() {
        if let Some(person) = line.speaker(SPEAKS_BESIDE).filter(|person| !two.contains(person)) {
            two.push(person.clone());
        }
        if two.len() > 2 {
            return;
        }
    }
    // With one certain speaker, the other one is the only other character present, else the first other speaker
    // suggested for the lines.
    let mut turn = if present.len() > 2 { TURN_OF_MANY } else { TURN };
    if two.len() == 1 {
        let mut others = present.iter().map(|at| Person::Member(*at)).filter(|person| !two.contains(person));
        let other = others.next().filter(|_| others.next().is_none());
        let beside = || lines.iter().filter_map(|line| line.speaker.clone()).find(|person| !two.contains(person));
        if other.is_none() {
            turn = TURN_OF_MANY;
        }
        two.extend(other.or_else(beside));
    }
    let [one, other] = two.as_slice() else { return };
    let turned = |person: &Person| if person == one { other.clone() } else { one.clone() };
    let known: Vec<Option<(Person, f64)>> =
        lines.iter().map(|line| Some((line.speaker(SPEAKS_BESIDE)?.clone(), line.confidence))).collect();
    let mut guesses: Vec<[Option<(Person, f64)>; 2]> = vec![[None, None]; lines.len()];
    // Infers the speaker of a line from a neighbour with a known speaker.
    let passed = |(person, sure): (Person, f64), over: &SpeechLine| match over.follows {
        LinePosition::InParagraph => (person, sure.min(turn) - FURTHER),
        LinePosition::Directly => (turned(&person), sure.min(turn) - FURTHER),
        LinePosition::Narration | LinePosition::Nothing => (turned(&person), sure.min(turn) - AFTER_NARRATION),
    };
    let mut last: Option<(Person, f64)> = None;
    for at in 0..lines.len() {
        let guess = last.take().map(|known| passed(known, &lines[at]));
        last = known[at].clone().or_else(|| guess.clone());
        guesses[at][0] = guess;
    }
    last = None;
    for at in (0..lines.len()).rev() {
        let guess = last.take().map(|known| passed(known, &lines[at + 1]));
        last = known[at].clone().or_else(|| guess.clone());
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
        let sure = match &line.speaker {
            Some(speaker) if *speaker == person => sure + FURTHER,
            Some(_) => sure - 2.0 * FURTHER,
            None => sure,
        };
        line.is(person, sure.clamp(0.0, 1.0));
    }
}
