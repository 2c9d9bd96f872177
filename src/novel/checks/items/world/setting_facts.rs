//! Item A31-050: of the sentences that state an age, a number or a colour also stated in the settings, the share that
//! agrees.

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{
        CheckMaterial,
        features::{Fact, StatedFacts, number},
        items::{ItemThresholds, Measure},
    },
    lexicons::PEOPLE,
    manuscript::TextVoice,
    morphology::NameKind,
    project::YamlValue,
};

/// Phrases that refer to another time.
const OTHER_TIMES: [&str; 12] =
    ["当時", "昔", "かつて", "年前", "ころの", "頃の", "ころは", "頃は", "ころに", "頃に", "だったころ", "だった頃"];

/// A fact that the settings state about an entry of the glossary.
struct SettingFact {
    entry: usize,
    fact: Fact,
}

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let window = gauge.limit("window");
    let known = known(material, window);
    if known.is_empty() {
        return Measure::not_applicable();
    }
    let glossary = material.glossary();
    let mut mentions = glossary.mentions.iter().peekable();
    let mut last_person = None;
    let (mut right, mut wrong): (Vec<Range<usize>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    for (at, sentence) in material.sentences().iter().enumerate() {
        // The entries that the sentence names, and the positions of the characters among them.
        let mut named = HashSet::new();
        let mut people = Vec::new();
        while let Some(mention) = mentions.next_if(|mention| mention.sentence <= at) {
            named.insert(mention.entry);
            if glossary.entries[mention.entry].kind == NameKind::Person {
                people.push((material.words()[mention.word].visible.start, mention.entry));
            }
        }
        let before = last_person;
        last_person = people.last().map(|(_, entry)| *entry).or(before);
        let text = sentence.text(material.manuscript());
        if !sentence.is_story()
            || sentence.voice != TextVoice::Narration
            || OTHER_TIMES.iter().any(|time| text.contains(time))
        {
            continue;
        }
        let words = material.words_of(at);
        for place in StatedFacts::of_sentence(material, at, window).places {
            let start = words[place.words.start].visible.start;
            let last = people.partition_point(|(person, _)| *person < start).checked_sub(1);
            let owner = last.map(|last| people[last].1).or(before);
            let about = |entry: usize| match &place.fact {
                Fact::Number { .. } => named.contains(&entry),
                Fact::Colour { .. } => owner == Some(entry),
            };
            let asked = known.iter().filter(|known| about(known.entry) && is_same_thing(&known.fact, &place.fact));
            let agrees: Vec<bool> = asked.map(|known| agree(&known.fact, &place.fact)).collect();
            if agrees.contains(&true) {
                right.push(sentence.source());
            } else if !agrees.is_empty()
                && (matches!(place.fact, Fact::Number { .. }) || PEOPLE.kin_and_roles.find(words).is_empty())
            {
                // The differently coloured thing may belong to an unnamed person.
                wrong.push(sentence.source());
            }
        }
    }
    let all = right.len() + wrong.len();
    if all == 0 {
        return Measure::not_applicable();
    }
    Measure::from_score(right.len() as f64 / all as f64)
        .with_value(wrong.len() as f64)
        .with_places(wrong)
        .with_places(right)
}

/// Returns the facts of the settings.
fn known(material: &CheckMaterial<'_>, window: usize) -> Vec<SettingFact> {
    let glossary = material.glossary();
    let mut known = Vec::new();
    for (entry, own) in glossary.entries.iter().enumerate() {
        let is_person = own.kind == NameKind::Person;
        let facts = own.said.iter().flat_map(|line| StatedFacts::of_line(line, window).places);
        // The text about a character has numbers of other things; the age is under its own key.
        let facts = facts.filter(|place| is_person == matches!(place.fact, Fact::Colour { .. }));
        known.extend(facts.map(|place| SettingFact { entry, fact: place.fact }));
    }
    for rule in &glossary.rules {
        let named = glossary.entries.iter().enumerate().filter(|(_, entry)| entry.is_of_world());
        let first = named.filter_map(|(at, entry)| Some((rule.find(&entry.name)?, at))).min();
        let Some((_, entry)) = first else { continue };
        let facts = StatedFacts::of_line(rule, window).places.into_iter();
        let numbers = facts.filter(|place| matches!(place.fact, Fact::Number { .. }));
        known.extend(numbers.map(|place| SettingFact { entry, fact: place.fact }));
    }
    known.extend(ages(material));
    known
}

fn ages(material: &CheckMaterial<'_>) -> Vec<SettingFact> {
    let files = material.context().world.iter();
    let lists = files.filter_map(|file| file.get("characters"));
    let characters = lists.flat_map(|list| if let YamlValue::List(all) = list { all.as_slice() } else { &[] });
    let ages = characters.filter_map(|character| {
        let age = character.get("age")?.words();
        Some(SettingFact {
            entry: material.glossary().entry_named(character.get("name")?.words().trim())?,
            fact: Fact::Number {
                of: None,
                value: number(age.trim().trim_end_matches(['歳', '才']))?,
                unit: "歳".to_owned(),
            },
        })
    });
    ages.collect()
}

/// True if two facts are about the same property of the same thing.
fn is_same_thing(known: &Fact, told: &Fact) -> bool {
    match (known, told) {
        (Fact::Number { of, unit, .. }, Fact::Number { of: told_of, unit: told, .. }) => {
            unit == told && (of == told_of || of.is_none() || told_of.is_none())
        }
        (Fact::Colour { of, .. }, Fact::Colour { of: told, .. }) => of == told,
        _ => false,
    }
}

/// True if two facts have the same value.
fn agree(known: &Fact, told: &Fact) -> bool {
    match (known, told) {
        (Fact::Number { value, .. }, Fact::Number { value: told, .. }) => (value - told).abs() < 1e-9,
        (Fact::Colour { colour, .. }, Fact::Colour { colour: told, .. }) => colour == told,
        _ => false,
    }
}
