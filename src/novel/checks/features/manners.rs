//! How the characters of the settings speak in a text: which pronouns, how their sentences end, what they call each other.
//!
//! Only lines whose speaker is known count, each with how sure that is; what a line quotes in 『』 is somebody else's. It owns
//! what it says, so that the episode before can be compared. What is right is not known here.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use super::{Ending, Line, Member, Person, SURE};
use crate::{
    checks::material::Material,
    lexicons::PEOPLE,
    morphology::{Ipadic, Morpheme, Morphology},
};

/// What makes a name into an address.
const SUFFIXES: [&str; 13] = [
    "",
    "さん",
    "くん",
    "君",
    "ちゃん",
    "さま",
    "様",
    "先輩",
    "先生",
    "殿",
    "さん達",
    "っち",
    "兄さん",
];

/// Something that a character says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<T> {
    /// What.
    pub what: T,
    /// Where, in the visible text.
    pub visible: Range<usize>,
    /// How sure it is who speaks, in percent.
    pub percent: u8,
}

/// Whom a pronoun means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meant {
    /// Who speaks.
    First,
    /// Who is spoken to.
    Second,
}

/// A pronoun, by its reading: わたし and 私 are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pronoun {
    /// Whom it means.
    pub meant: Meant,
    /// In katakana.
    pub reading: String,
}

/// A name by which a character addresses another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Whom, as a place in the cast.
    pub to: usize,
    /// The form, with くん for 君 and さま for 様.
    pub form: String,
}

/// How one character speaks.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Pronouns.
    pub pronouns: Vec<Said<Pronoun>>,
    /// Endings of sentences.
    pub endings: Vec<Said<Ending>>,
    /// Addresses.
    pub addresses: Vec<Said<Address>>,
}

/// How all of them speak, in the order of the cast.
#[derive(Clone, Debug, Default)]
pub struct Manners {
    /// One for each character.
    pub of: Vec<Manner>,
    /// Who is named at all, by whomever.
    pub named: BTreeSet<usize>,
}

impl Manners {
    pub(in crate::checks) fn of(material: &Material<'_>) -> Self {
        let members = &material.cast().members;
        let forms = Forms::of(members);
        let own_endings: Vec<Vec<Ending>> = members.iter().map(own_endings).collect();
        let mut manners = Self {
            of: vec![Manner::default(); members.len()],
            named: material
                .words()
                .iter()
                .filter_map(|word| material.names().named(word))
                .collect(),
        };
        for line in &material.speakers().lines {
            if let Some(speaker) = line.likely().as_ref().and_then(Person::member) {
                for words in line.own_words(material) {
                    forms.addresses(
                        line,
                        &words,
                        speaker,
                        &members[speaker],
                        &mut manners.of[speaker].addresses,
                    );
                }
            }
            // Pronouns and endings are compared with the sheets, and may not be found by them.
            let Some(speaker) = line.speaker.as_ref().and_then(Person::member) else {
                continue;
            };
            let manner = &mut manners.of[speaker];
            for words in line.own_words(material) {
                let Some(visible) = range(&words) else { continue };
                if let Some(ending) = Ending::of(&words, &own_endings[speaker]) {
                    manner.endings.push(said(line, ending, visible));
                }
                pronouns(line, &words, &members[speaker], &mut manner.pronouns);
            }
        }
        manners
    }
}

/// The endings of a character that are in no class.
#[must_use]
pub fn own_endings(member: &Member) -> Vec<Ending> {
    let listed = member.endings.iter().map(|ending| Ending::of_listed(ending));
    listed.filter(|ending| matches!(ending, Ending::Own(_))).collect()
}

/// A confidence in percent.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a confidence is from 0 to 1"
)]
pub fn percent(confidence: f64) -> u8 {
    (confidence.clamp(0.0, 1.0) * 100.0).round() as u8
}

fn said<T>(line: &Line, what: T, visible: Range<usize>) -> Said<T> {
    Said {
        what,
        visible,
        percent: percent(line.confidence),
    }
}

fn range(words: &[&Morpheme<'_>]) -> Option<Range<usize>> {
    Some(words.first()?.visible.start..words.last()?.visible.end)
}

/// How a word of the settings is read, in katakana; as it is where nobody knows.
#[must_use]
pub fn reading(text: &str) -> String {
    let mut words = Vec::new();
    Ipadic::shared().reader().read(text, &mut words);
    words
        .iter()
        .map(|word| word.entry.reading.unwrap_or(&text[word.range.clone()]))
        .map(katakana)
        .collect()
}

fn katakana(text: &str) -> String {
    const BETWEEN: u32 = 'ァ' as u32 - 'ぁ' as u32;
    let kana = |c: char| {
        if ('ぁ'..='ゖ').contains(&c) {
            char::from_u32(c as u32 + BETWEEN).unwrap_or(c)
        } else {
            c
        }
    };
    text.chars().map(kana).collect()
}

/// The pronouns of a sentence: those of the lexicon, and those of the character's own sheet.
fn pronouns(line: &Line, words: &[&Morpheme<'_>], member: &Member, found: &mut Vec<Said<Pronoun>>) {
    let owned: Vec<Morpheme<'_>> = words.iter().map(|word| (*word).clone()).collect();
    let lists = [
        (Meant::First, &PEOPLE.pronouns.first, &member.first_person),
        (Meant::Second, &PEOPLE.pronouns.second, &member.second_person),
    ];
    for (meant, listed, own) in lists {
        for hit in listed.find(&owned) {
            let words = &owned[hit.words.clone()];
            // 一平君 is a name.
            if words[0].is(&["名詞", "接尾"]) {
                continue;
            }
            let text: String = words.iter().map(|word| word.surface).collect();
            let visible = words[0].visible.start..words[words.len() - 1].visible.end;
            let single = singular(&text);
            let of_words = || {
                words
                    .iter()
                    .map(|word| katakana(word.reading.unwrap_or(word.surface)))
                    .collect()
            };
            let reading = if single == text { of_words() } else { reading(single) };
            found.push(said(line, Pronoun { meant, reading }, visible));
        }
        // Words that are pronouns for this character alone: うち, 自分.
        for own in own.iter().filter(|own| !listed.has(own)) {
            let same = owned.iter().filter(|word| word.surface == own);
            found.extend(same.map(|word| {
                said(
                    line,
                    Pronoun {
                        meant,
                        reading: reading(own),
                    },
                    word.visible.clone(),
                )
            }));
        }
    }
}

/// 俺ら is what 俺 says of more than one.
fn singular(pronoun: &str) -> &str {
    let plural = ["たち", "達", "ら", "さま", "様"]
        .into_iter()
        .find_map(|plural| pronoun.strip_suffix(plural));
    plural
        .filter(|rest| rest.chars().count() > 0 && !matches!(pronoun, "我ら" | "われら" | "貴様"))
        .unwrap_or(pronoun)
}

/// The forms by which characters can be addressed.
struct Forms {
    /// Whom a form means; none where it may mean two.
    of: HashMap<String, Option<usize>>,
    /// For each character the forms that its sheet lists: for whom.
    listed: Vec<HashMap<String, usize>>,
}

impl Forms {
    fn of(members: &[Member]) -> Self {
        let mut of: HashMap<String, Option<usize>> = HashMap::new();
        let mut add = |form: String, to: usize| {
            let known = of.entry(form).or_insert(Some(to));
            if *known != Some(to) {
                *known = None;
            }
        };
        for (to, member) in members.iter().enumerate() {
            for name in member.names() {
                for suffix in SUFFIXES {
                    add(normal(&format!("{name}{suffix}")), to);
                }
            }
        }
        let place = |name: &str| {
            members
                .iter()
                .position(|member| member.names().any(|known| known == name))
        };
        let mut listed = Vec::new();
        for member in members {
            let mut own = HashMap::new();
            for (to, forms) in &member.addresses {
                let Some(to) = place(to) else { continue };
                for form in forms {
                    own.insert(normal(form), to);
                    // あんた is anybody.
                    if !PEOPLE.pronouns.second.has(form) && !PEOPLE.pronouns.third.has(form) {
                        add(normal(form), to);
                    }
                }
            }
            listed.push(own);
        }
        Self { of, listed }
    }

    /// The addresses of a sentence: at its beginning or end, set off by a mark.
    fn addresses(
        &self,
        line: &Line,
        words: &[&Morpheme<'_>],
        speaker: usize,
        member: &Member,
        found: &mut Vec<Said<Address>>,
    ) {
        let is_mark =
            |word: &&&Morpheme<'_>| word.parts[0] == "記号" || !word.surface.chars().any(char::is_alphanumeric);
        let marks = |words: &[&Morpheme<'_>]| words.iter().take_while(is_mark).count();
        let from = marks(words);
        let to = words.len() - words.iter().rev().take_while(is_mark).count();
        let Some(inner) = words.get(from..to).filter(|inner| !inner.is_empty()) else {
            return;
        };
        let first = inner.iter().position(|word| is_mark(&word)).unwrap_or(inner.len());
        let last = inner.iter().rposition(|word| is_mark(&word)).map_or(0, |at| at + 1);
        let mut parts = vec![&inner[..first]];
        if last > 0 {
            parts.push(&inner[last..]);
        }
        for part in parts.into_iter().filter(|part| (1..=LONGEST).contains(&part.len())) {
            let form = normal(&part.iter().map(|word| word.surface).collect::<String>());
            let to = self.listed[speaker]
                .get(&form)
                .copied()
                .or_else(|| self.of.get(&form).copied().flatten());
            let is_oneself = member.names().any(|name| name == form);
            if let Some(to) = to.filter(|to| *to != speaker && !is_oneself)
                && let Some(visible) = range(part)
            {
                found.push(Said {
                    what: Address { to, form },
                    visible,
                    percent: percent(line.confidence.max(SURE)),
                });
            }
        }
    }
}

/// How many words a form of address has at most.
const LONGEST: usize = 8;

/// A form of address, however its suffix is written.
#[must_use]
pub fn normal(form: &str) -> String {
    let form = form.trim();
    let rest = |suffix| form.strip_suffix(suffix).filter(|rest: &&str| !rest.is_empty());
    match (rest("君"), rest("様")) {
        (Some(name), _) => format!("{name}くん"),
        (_, Some(name)) => format!("{name}さま"),
        _ => form.to_owned(),
    }
}
