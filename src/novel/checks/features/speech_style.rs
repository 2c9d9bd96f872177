//! The speech style of the characters: their pronouns, sentence endings and forms of address.
//!
//! Only lines with a known speaker count, each with the confidence of that; quotations in 『』 within a line do not
//! count. The data is owned, so that the previous episode can be compared. The correct style is not determined here.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use super::{CastMember, Person, SURE, SpeechEnding, SpeechLine};
use crate::{
    checks::material::CheckMaterial,
    lexicons::PEOPLE,
    morphology::{Ipadic, Morpheme, Morphology, katakana},
};

/// The suffixes that turn a name into a form of address.
const SUFFIXES: [&str; 13] =
    ["", "さん", "くん", "君", "ちゃん", "さま", "様", "先輩", "先生", "殿", "さん達", "っち", "兄さん"];

/// An observation in a character's speech, with its place and confidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeechObservation<T> {
    /// The observed value.
    pub value: T,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    /// The confidence in the speaker, in percent.
    pub percent: u8,
}

/// The grammatical person of a pronoun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PronounPerson {
    /// The speaker, such as 私.
    First,
    /// The person addressed, such as あなた.
    Second,
}

/// A pronoun, identified by its reading: わたし and 私 are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pronoun {
    /// The grammatical person.
    pub person: PronounPerson,
    /// The reading in katakana.
    pub reading: String,
}

/// A form of address for another character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The index of the addressed character in the cast.
    pub to: usize,
    /// The form, with くん for 君 and さま for 様.
    pub form: String,
}

/// The speech style of one character.
#[derive(Clone, Debug, Default)]
pub struct SpeechStyle {
    /// The pronouns in the character's lines.
    pub pronouns: Vec<SpeechObservation<Pronoun>>,
    /// The sentence endings in the character's lines.
    pub endings: Vec<SpeechObservation<SpeechEnding>>,
    /// The forms of address in the character's lines.
    pub addresses: Vec<SpeechObservation<Address>>,
}

/// The speech styles of all characters, in the order of the cast.
#[derive(Clone, Debug, Default)]
pub struct SpeechStyles {
    /// The speech style of each character.
    pub styles: Vec<SpeechStyle>,
    /// The characters named anywhere in the text.
    pub named: BTreeSet<usize>,
}

impl SpeechStyles {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let members = &material.cast().members;
        let forms = AddressForms::from_members(members);
        let own_endings: Vec<Vec<SpeechEnding>> = members.iter().map(own_endings).collect();
        let mut manners = Self {
            styles: vec![SpeechStyle::default(); members.len()],
            named: material.words().iter().filter_map(|word| material.names().member_named_by(word)).collect(),
        };
        for line in &material.speakers().lines {
            if let Some(speaker) = line.likely_speaker().as_ref().and_then(Person::member) {
                for words in line.own_words(material) {
                    forms.addresses(line, &words, speaker, &members[speaker], &mut manners.styles[speaker].addresses);
                }
            }
            // Pronouns and endings are compared with the character sheets, so a speaker derived from the sheets is not
            // used.
            let Some(speaker) = line.speaker.as_ref().and_then(Person::member) else {
                continue;
            };
            let manner = &mut manners.styles[speaker];
            for words in line.own_words(material) {
                let Some(visible) = range(&words) else { continue };
                if let Some(ending) = SpeechEnding::from_words(&words, &own_endings[speaker]) {
                    manner.endings.push(said(line, ending, visible));
                }
                pronouns(line, &words, &members[speaker], &mut manner.pronouns);
            }
        }
        manners
    }
}

/// Returns the listed endings of a character that belong to no class.
pub fn own_endings(member: &CastMember) -> Vec<SpeechEnding> {
    let listed = member.endings.iter().map(|ending| SpeechEnding::of_listed(ending));
    listed.filter(|ending| matches!(ending, SpeechEnding::Own(_))).collect()
}

/// Converts a confidence from 0 to 1 to percent.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a confidence is from 0 to 1")]
pub fn percent(confidence: f64) -> u8 {
    (confidence.clamp(0.0, 1.0) * 100.0).round() as u8
}

fn said<T>(line: &SpeechLine, what: T, visible: Range<usize>) -> SpeechObservation<T> {
    SpeechObservation { value: what, visible, percent: percent(line.confidence) }
}

fn range(words: &[&Morpheme<'_>]) -> Option<Range<usize>> {
    Some(words.first()?.visible.start..words.last()?.visible.end)
}

/// Returns the reading of a text of the settings in katakana; unknown words stay as written.
pub fn reading(text: &str) -> String {
    let mut words = Vec::new();
    Ipadic::shared().reader().read(text, &mut words);
    words.iter().map(|word| word.entry.reading.unwrap_or(&text[word.range.clone()])).map(katakana).collect()
}

/// Collects the pronouns of a sentence: those of the lexicon, and those of the speaker's own sheet.
fn pronouns(
    line: &SpeechLine,
    words: &[&Morpheme<'_>],
    member: &CastMember,
    found: &mut Vec<SpeechObservation<Pronoun>>,
) {
    let owned: Vec<Morpheme<'_>> = words.iter().map(|word| (*word).clone()).collect();
    let lists = [
        (PronounPerson::First, &PEOPLE.pronouns.first, &member.first_person),
        (PronounPerson::Second, &PEOPLE.pronouns.second, &member.second_person),
    ];
    for (meant, listed, own) in lists {
        for hit in listed.find(&owned) {
            let words = &owned[hit.words.clone()];
            // In 一平君 the 君 is a suffix of a name.
            if words[0].has_parts(&["名詞", "接尾"]) {
                continue;
            }
            let text: String = words.iter().map(|word| word.surface).collect();
            let visible = words[0].visible.start..words[words.len() - 1].visible.end;
            let single = singular(&text);
            let of_words = || words.iter().map(|word| katakana(word.reading.unwrap_or(word.surface))).collect();
            let reading = if single == text { of_words() } else { reading(single) };
            found.push(said(line, Pronoun { person: meant, reading }, visible));
        }
        // Words that are pronouns for this character only: うち, 自分.
        for own in own.iter().filter(|own| !listed.has(own)) {
            let same = owned.iter().filter(|word| word.surface == own);
            found.extend(
                same.map(|word| said(line, Pronoun { person: meant, reading: reading(own) }, word.visible.clone())),
            );
        }
    }
}

/// Returns the singular of a pronoun: 俺 for 俺ら.
fn singular(pronoun: &str) -> &str {
    let plural = ["たち", "達", "ら", "さま", "様"].into_iter().find_map(|plural| pronoun.strip_suffix(plural));
    plural.filter(|rest| rest.chars().count() > 0 && !matches!(pronoun, "我ら" | "われら" | "貴様")).unwrap_or(pronoun)
}

/// The forms by which characters can be addressed.
struct AddressForms {
    /// The character whom a form addresses; `None` if the form is ambiguous.
    of: HashMap<String, Option<usize>>,
    /// For each character, the forms listed on the sheet with the character whom each addresses.
    listed: Vec<HashMap<String, usize>>,
}

impl AddressForms {
    fn from_members(members: &[CastMember]) -> Self {
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
        let place = |name: &str| members.iter().position(|member| member.names().any(|known| known == name));
        let mut listed = Vec::new();
        for member in members {
            let mut own = HashMap::new();
            for (to, forms) in &member.addresses {
                let Some(to) = place(to) else { continue };
                for form in forms {
                    own.insert(normal(form), to);
                    // A pronoun such as あんた may address anybody.
                    if !PEOPLE.pronouns.second.has(form) && !PEOPLE.pronouns.third.has(form) {
                        add(normal(form), to);
                    }
                }
            }
            listed.push(own);
        }
        Self { of, listed }
    }

    /// Collects the forms of address of a sentence: at its beginning or end, set off by punctuation.
    fn addresses(
        &self,
        line: &SpeechLine,
        words: &[&Morpheme<'_>],
        speaker: usize,
        member: &CastMember,
        found: &mut Vec<SpeechObservation<Address>>,
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
            let to = self.listed[speaker].get(&form).copied().or_else(|| self.of.get(&form).copied().flatten());
            let is_oneself = member.names().any(|name| name == form);
            if let Some(to) = to.filter(|to| *to != speaker && !is_oneself)
                && let Some(visible) = range(part)
            {
                found.push(SpeechObservation {
                    value: Address { to, form },
                    visible,
                    percent: percent(line.confidence.max(SURE)),
                });
            }
        }
    }
}

/// The maximum number of words of a form of address.
const LONGEST: usize = 8;

/// Normalises the suffix of a form of address to kana.
pub fn normal(form: &str) -> String {
    let form = form.trim();
    let rest = |suffix| form.strip_suffix(suffix).filter(|rest: &&str| !rest.is_empty());
    match (rest("君"), rest("様")) {
        (Some(name), _) => format!("{name}くん"),
        (_, Some(name)) => format!("{name}さま"),
        _ => form.to_owned(),
    }
}
