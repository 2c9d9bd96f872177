//! The planner: from a query to the trigrams that every matching text contains.
//!
//! Invariant: every file that the query matches meets the [`Need`]; a need that leaves something out only costs time.
//! The expression is parsed with the matcher's own flags, case included: ignoring case does not always match more
//! (`[a-f--A-C]` matches `a` only with case). The planner knows no files and no segments.

use std::{collections::BTreeSet, convert::Infallible};

use regex_syntax::{
    ast::{self, Ast},
    hir::{Class, Hir, HirKind, Literal, Repetition, translate::TranslatorBuilder},
};

use super::trigrams::{Trigram, fold};
use crate::text_query::{CaseSensitivity, QuerySyntax, TextQueryOptions};

/// The maximum number of trigrams of one need. Beyond it parts are left out: more do not make candidates fewer.
const MOST_TRIGRAMS: usize = 256;

/// The maximum number of strings that may end at one place.
const MOST_ENDS: usize = 64;

/// The maximum total length of these strings, in bytes. Beyond it their trigrams are recorded, and only their last two bytes
/// are kept.
const MOST_END_BYTES: usize = 4_096;

/// The maximum number of strings of an expression that is written out.
const MOST_STRINGS: usize = 16;

/// The maximum length of one of these strings, in bytes.
const MOST_STRING_BYTES: usize = 64;

/// The maximum number of nodes that are visited to write out an expression.
const MOST_STRING_NODES: usize = 1_000;

/// The maximum number of characters of a class that is written out.
const MOST_CLASS_CHARS: usize = 64;

/// The maximum number of different folds of these characters.
const MOST_CLASS_FOLDS: usize = 8;

/// The maximum number of repetitions that are written out.
const MOST_REPETITIONS: u32 = 4;

/// A condition that the folded text of every matching file meets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Nothing in particular.
    Anything,
    /// All these trigrams and parts. No part is `Anything`, and there is at least one trigram or part.
    All(Vec<Trigram>, Vec<Need>),
    /// One of these parts, of which there are at least two. None is `Anything`.
    Any(Vec<Need>),
}

impl Need {
    /// Plans a query. One that does not compile needs nothing; [`crate::text_query::TextQuery::new`] reports it.
    pub(crate) fn new(options: &TextQueryOptions) -> Self {
        let mut planner = Planner::default();
        let parsed = match options.syntax {
            QuerySyntax::Regex => parse(&options.query, options.case),
            QuerySyntax::Literal => parse(&regex_syntax::escape(&options.query), options.case),
            QuerySyntax::Pcre2 => None,
            QuerySyntax::Pcre2Literal => {
                planner.add_pcre2_literal(&options.query);
                return planner.finish();
            }
        };
        match parsed {
            Some(hir) => {
                planner.add(&hir);
                planner.finish()
            }
            None => Self::Anything,
        }
    }
}

/// Parses an expression as `grep-regex` does, with the settings of [`crate::text_query`]. `None` if it is invalid.
fn parse(expression: &str, case: CaseSensitivity) -> Option<Hir> {
    // As in `grep-regex`, in a group: `)|(` is valid there.
    let expression = format!("(?:{expression})");
    let ast = ast::parse::ParserBuilder::new().build().parse(&expression).ok()?;
    let is_insensitive = match case {
        CaseSensitivity::Insensitive => true,
        CaseSensitivity::Sensitive => false,
        CaseSensitivity::Smart => {
            let Ok(letters) = ast::visit(&ast, LiteralLetters::default());
            letters.any && !letters.any_uppercase
        }
    };
    TranslatorBuilder::new()
        .utf8(false)
        .multi_line(true)
        .case_insensitive(is_insensitive)
        .build()
        .translate(&expression, &ast)
        .ok()
}

/// The literals of an expression, for smart case: `\w` is none, the ends of `[a-z]` are.
#[derive(Default)]
struct LiteralLetters {
    any: bool,
    any_uppercase: bool,
}

impl LiteralLetters {
    fn add(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.any_uppercase |= literal.c.is_uppercase();
    }
}

impl ast::Visitor for LiteralLetters {
    type Output = Self;
    type Err = Infallible;

    fn finish(self) -> Result<Self, Infallible> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Literal(literal) = ast {
            self.add(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Infallible> {
        match item {
            ast::ClassSetItem::Literal(literal) => self.add(literal),
            ast::ClassSetItem::Range(range) => {
                self.add(&range.start);
                self.add(&range.end);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Collects the need of the part of an expression that was visited.
struct Planner {
    /// The possible folded texts since the last gap: in every match, one of them ends at the current place.
    ends: BTreeSet<Vec<u8>>,
    trigrams: BTreeSet<Trigram>,
    parts: Vec<Need>,
    /// The number of trigrams that may still be added.
    room: usize,
}

impl Default for Planner {
    fn default() -> Self {
        Self::with_room(MOST_TRIGRAMS)
    }
}

impl Planner {
    fn with_room(room: usize) -> Self {
        Self { ends: only_empty(), trigrams: BTreeSet::new(), parts: Vec::new(), room }
    }

    fn add(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(Literal(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) => self.append(text),
                Err(_) => self.gap(),
            },
            HirKind::Class(class) => match class_folds(class) {
                Some(folds) => self.multiply(&folds),
                None => self.gap(),
            },
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.add(part)),
            HirKind::Alternation(parts) => match strings_of(hir) {
                Some(strings) => self.multiply(&strings),
                None => self.add_alternation(parts),
            },
            HirKind::Repetition(repetition) => self.add_repetition(repetition),
        }
    }

    /// Appends a text to each end.
    fn append(&mut self, text: &str) {
        let mut folded = Vec::new();
        fold(text.as_bytes(), &mut folded);
        // In pieces, so that a long text after many ends is not copied for each of them.
        for piece in folded.chunks(MOST_STRING_BYTES) {
            self.multiply(&BTreeSet::from([piece.to_vec()]));
        }
    }

    /// Appends each of some folded strings to each end.
    fn multiply(&mut self, strings: &BTreeSet<Vec<u8>>) {
        if self.is_too_much(strings) {
            self.record_ends();
            // The next trigram begins with the last two bytes.
            self.ends = self.ends.iter().map(|end| end[end.len().saturating_sub(2)..].to_vec()).collect();
            if self.is_too_much(strings) {
                self.ends = only_empty();
            }
        }
        self.ends = product(&self.ends, strings);
    }

    fn is_too_much(&self, strings: &BTreeSet<Vec<u8>>) -> bool {
        let bytes = |strings: &BTreeSet<Vec<u8>>| strings.iter().map(Vec::len).sum::<usize>();
        let (ends, others) = (self.ends.len(), strings.len());
        ends * others > MOST_ENDS || bytes(&self.ends) * others + bytes(strings) * ends > MOST_END_BYTES
    }

    fn add_alternation(&mut self, parts: &[Hir]) {
        self.record_ends();
        let share = self.room / parts.len();
        let mut needs = BTreeSet::new();
        for part in parts {
            let mut planner = Self::with_room(share);
            planner.add(part);
            needs.insert(planner.finish());
        }
        self.add_any(needs);
        self.ends = only_empty();
    }

    fn add_repetition(&mut self, repetition: &Repetition) {
        let (min, max) = (repetition.min, repetition.max);
        match strings_of(&repetition.sub) {
            Some(mut strings) if (min, max) == (0, Some(1)) => {
                strings.insert(Vec::new());
                self.multiply(&strings);
            }
            Some(strings) if min > 0 => {
                for _ in 0..min.min(MOST_REPETITIONS) {
                    self.multiply(&strings);
                }
                if max != Some(min) || min > MOST_REPETITIONS {
                    self.record_ends();
                    // However many there are, the last one ends here.
                    self.ends = strings;
                }
            }
            None if min > 0 => {
                self.add(&repetition.sub);
                self.gap();
            }
            _ => self.gap(),
        }
    }

    /// Ends the strings, because any text may follow.
    fn gap(&mut self) {
        self.record_ends();
        self.ends = only_empty();
    }

    /// Records what the ends require: the trigrams that all of them contain, and the others as one alternative for each end.
    /// The ends stay as they are.
    fn record_ends(&mut self) {
        if self.room == 0 {
            return;
        }
        let each: Vec<BTreeSet<Trigram>> = self.ends.iter().map(|end| Trigram::of_folded(end).collect()).collect();
        let Some((first, others)) = each.split_first() else {
            return;
        };
        let shared: BTreeSet<Trigram> =
            first.iter().filter(|gram| others.iter().all(|other| other.contains(gram))).copied().collect();
        for gram in &shared {
            if self.room > 0 && self.trigrams.insert(*gram) {
                self.room -= 1;
            }
        }
        let share = self.room / each.len();
        let needs = each
            .iter()
            .map(|grams| conjunction(grams.difference(&shared).copied().take(share).collect(), Vec::new()))
            .collect();
        self.add_any(needs);
    }

    fn add_any(&mut self, needs: BTreeSet<Need>) {
        if needs.contains(&Need::Anything) {
            return;
        }
        self.room = self.room.saturating_sub(needs.iter().map(trigrams_in).sum());
        let mut needs: Vec<Need> = needs.into_iter().collect();
        match (needs.pop(), needs.is_empty()) {
            (Some(Need::All(trigrams, parts)), true) => {
                self.trigrams.extend(trigrams);
                self.parts.extend(parts);
            }
            (Some(one), true) => self.parts.push(one),
            (Some(last), false) => {
                needs.push(last);
                self.parts.push(Need::Any(needs));
            }
            (None, _) => {}
        }
    }

    fn finish(mut self) -> Need {
        self.record_ends();
        conjunction(self.trigrams.into_iter().collect(), self.parts)
    }

    /// Plans a literal for PCRE2. Its tables of cases may be of another version of Unicode, so letters beyond ASCII are
    /// left out, except those of scripts that have no case and will get none.
    fn add_pcre2_literal(&mut self, text: &str) {
        for c in text.chars() {
            // Kana, Han and their punctuation up to Yi; Hangul; the planes of Han. Not full-width letters.
            let has_no_case = matches!(c, '\u{3000}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}')
                || matches!(c, '\u{20000}'..='\u{3FFFF}');
            if c.is_ascii() || has_no_case {
                self.append(c.encode_utf8(&mut [0; 4]));
            } else {
                self.gap();
            }
        }
    }
}

fn only_empty() -> BTreeSet<Vec<u8>> {
    BTreeSet::from([Vec::new()])
}

/// Joins trigrams and parts.
fn conjunction(trigrams: Vec<Trigram>, mut parts: Vec<Need>) -> Need {
    match (trigrams.is_empty(), parts.len()) {
        (true, 0) => Need::Anything,
        (true, 1) => parts.remove(0),
        _ => Need::All(trigrams, parts),
    }
}

fn trigrams_in(need: &Need) -> usize {
    match need {
        Need::Anything => 0,
        Need::All(trigrams, parts) => trigrams.len() + parts.iter().map(trigrams_in).sum::<usize>(),
        Need::Any(parts) => parts.iter().map(trigrams_in).sum(),
    }
}

/// Returns each string of the first set followed by each of the second.
fn product(firsts: &BTreeSet<Vec<u8>>, seconds: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
    firsts.iter().flat_map(|first| seconds.iter().map(move |second| [first.as_slice(), second].concat())).collect()
}

/// Returns the folds of a class's characters, if they are few.
fn class_folds(class: &Class) -> Option<BTreeSet<Vec<u8>>> {
    let members: Vec<char> = match class {
        Class::Unicode(class) => {
            let size = class.iter().map(regex_syntax::hir::ClassUnicodeRange::len).sum::<usize>();
            (size <= MOST_CLASS_CHARS).then(|| class.iter().flat_map(|range| range.start()..=range.end()).collect())?
        }
        // A byte beyond ASCII may be a part of a character, which is not folded alone.
        Class::Bytes(class) if class.is_ascii() => class
            .iter()
            .flat_map(|range| range.start()..=range.end())
            .take(MOST_CLASS_CHARS + 1)
            .map(char::from)
            .collect(),
        Class::Bytes(_) => return None,
    };
    let mut folds = BTreeSet::new();
    for member in &members {
        let mut folded = Vec::new();
        fold(member.encode_utf8(&mut [0; 4]).as_bytes(), &mut folded);
        folds.insert(folded);
        if folds.len() > MOST_CLASS_FOLDS {
            return None;
        }
    }
    // An empty class matches no text: to require nothing is simpler, and still correct.
    (!folds.is_empty() && members.len() <= MOST_CLASS_CHARS).then_some(folds)
}

/// Returns the folded strings that an expression matches, if they are few and short.
fn strings_of(hir: &Hir) -> Option<BTreeSet<Vec<u8>>> {
    strings_within(hir, &mut { MOST_STRING_NODES })
}

/// Does the work of [`strings_of`]. Of `nodes`, those that are visited are taken, so that the work is bounded however
/// deep expressions are nested.
fn strings_within(hir: &Hir, nodes: &mut usize) -> Option<BTreeSet<Vec<u8>>> {
    *nodes = nodes.checked_sub(1)?;
    let strings = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => only_empty(),
        HirKind::Literal(Literal(bytes)) if bytes.len() <= MOST_STRING_BYTES => {
            let mut folded = Vec::new();
            fold(std::str::from_utf8(bytes).ok()?.as_bytes(), &mut folded);
            BTreeSet::from([folded])
        }
        HirKind::Literal(_) => return None,
        HirKind::Class(class) => class_folds(class)?,
        HirKind::Capture(capture) => strings_within(&capture.sub, nodes)?,
        HirKind::Concat(parts) => {
            let mut strings = only_empty();
            for part in parts {
                strings = limited(product(&strings, &strings_within(part, nodes)?))?;
            }
            strings
        }
        HirKind::Alternation(parts) => {
            let mut strings = BTreeSet::new();
            for part in parts {
                strings.extend(strings_within(part, nodes)?);
                strings = limited(strings)?;
            }
            strings
        }
        HirKind::Repetition(repetition) => {
            let (min, max) = (repetition.min, repetition.max?);
            let once = strings_within(&repetition.sub, nodes)?;
            if (min, max) == (0, 1) {
                let mut strings = once;
                strings.insert(Vec::new());
                strings
            } else if min == max && min <= MOST_REPETITIONS {
                let mut strings = only_empty();
                for _ in 0..min {
                    strings = limited(product(&strings, &once))?;
                }
                strings
            } else {
                return None;
            }
        }
    };
    limited(strings)
}

fn limited(strings: BTreeSet<Vec<u8>>) -> Option<BTreeSet<Vec<u8>>> {
    (strings.len() <= MOST_STRINGS && strings.iter().all(|string| string.len() <= MOST_STRING_BYTES)).then_some(strings)
}

#[cfg(test)]
mod tests;
