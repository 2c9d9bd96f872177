//! The glossary: characters, places and terms of the settings, the texts about each, and their mentions in the story.
//!
//! A character is one entry with all aliases. A mention is a whole word; a term that is also in the dictionary counts
//! only as a noun. The correct spelling is not checked here.

use std::collections::{HashMap, HashSet};

use crate::{
    checks::material::CheckMaterial,
    morphology::{NameKind, WordOrigin},
    project::YamlValue,
};

/// A character, place or term named in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlossaryEntry {
    /// The name as the settings write it.
    pub name: String,
    /// The kind of the named thing.
    pub kind: NameKind,
    /// The texts about it in the settings, one per line.
    pub said: Vec<String>,
    /// The spellings that the settings reject.
    pub avoid: Vec<String>,
}

impl GlossaryEntry {
    /// True if the entry is a place or a term, not a character.
    pub fn is_of_world(&self) -> bool {
        self.kind != NameKind::Person
    }
}

/// A mention of an entry in the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The index of the entry in [`Glossary::entries`].
    pub entry: usize,
    /// The index of the word in [`CheckMaterial::words`].
    pub word: usize,
    /// The index of the sentence in the text.
    pub sentence: usize,
}

/// The entries of the settings and their mentions.
#[derive(Clone, Debug, Default)]
pub struct Glossary {
    /// The entries in the order of the files.
    pub entries: Vec<GlossaryEntry>,
    /// The mentions in the order of the words.
    pub mentions: Vec<Mention>,
    /// The rules of the world.
    pub rules: Vec<String>,
    /// The indices of the entries by name and alias.
    by_name: HashMap<String, usize>,
}

impl Glossary {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut glossary = Self::read(&material.context().world);
        if glossary.entries.is_empty() {
            return glossary;
        }
        for (at, word) in material.words().iter().enumerate() {
            let Some(entry) = glossary.entry_named(word.surface) else {
                continue;
            };
            let is_term = glossary.entries[entry].kind == NameKind::Term && word.has_parts(&["名詞"]);
            if (word.origin == WordOrigin::Name || is_term) && material.sentences()[word.sentence].is_story() {
                glossary.mentions.push(Mention { entry, word: at, sentence: word.sentence });
            }
        }
        glossary
    }

    /// Reads the entries of the settings, without mentions.
    fn read(world: &[YamlValue]) -> Self {
        let mut glossary = Self::default();
        for file in world {
            for character in list(file, "characters") {
                let Some(at) = glossary.add(character, "name", NameKind::Person) else {
                    continue;
                };
                glossary.entries[at].said.extend(character.words().lines().map(str::to_owned));
                for alias in list(character, "aliases").filter_map(YamlValue::as_str) {
                    glossary.by_name.entry(alias.trim().to_owned()).or_insert(at);
                }
            }
            for place in file.get("place").into_iter().chain(list(file, "places")) {
                let spots = std::iter::once(place).chain(list(place, "spots"));
                for spot in spots {
                    let Some(at) = glossary.add(spot, "name", NameKind::Place) else {
                        continue;
                    };
                    glossary.entries[at].said.extend(text(spot, "note").map(str::to_owned));
                }
            }
            for term in list(file, "terms") {
                let Some(at) = glossary.add(term, "term", NameKind::Term) else {
                    continue;
                };
                let entry = &mut glossary.entries[at];
                entry.said.extend(text(term, "meaning").map(str::to_owned));
                entry.avoid.extend(list(term, "avoid").map(YamlValue::words).filter(|avoid| !avoid.is_empty()));
            }
            glossary.rules.extend(list(file, "rules").map(YamlValue::words));
        }
        glossary
    }

    fn add(&mut self, yaml: &YamlValue, key: &str, kind: NameKind) -> Option<usize> {
        let name = text(yaml, key)?.trim();
        if name.is_empty() {
            return None;
        }
        if let Some(known) = self.entry_named(name) {
            return Some(known);
        }
        let at = self.entries.len();
        self.by_name.insert(name.to_owned(), at);
        self.entries.push(GlossaryEntry { name: name.to_owned(), kind, said: Vec::new(), avoid: Vec::new() });
        Some(at)
    }

    /// Returns the index of the entry with a name or an alias.
    pub fn entry_named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// True if the settings have terms or places.
    pub fn has_world(&self) -> bool {
        self.entries.iter().any(GlossaryEntry::is_of_world)
    }

    /// Iterates over the mentions of terms and places.
    pub fn mentions_of_world(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| self.entries[mention.entry].is_of_world())
    }

    /// Iterates over the first mention of each entry.
    pub fn first_mentions(&self) -> impl Iterator<Item = &Mention> {
        let mut seen = HashSet::new();
        self.mentions.iter().filter(move |mention| seen.insert(mention.entry))
    }
}

fn list<'a>(yaml: &'a YamlValue, key: &str) -> impl Iterator<Item = &'a YamlValue> + use<'a> {
    let items = match yaml.get(key) {
        Some(YamlValue::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter()
}

fn text<'a>(yaml: &'a YamlValue, key: &str) -> Option<&'a str> {
    yaml.get(key).and_then(YamlValue::as_str)
}

#[cfg(test)]
mod tests {
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::{Ipadic, NameLexicon},
        project::YamlValue,
    };

    #[test]
    fn mentions_are_whole_words_of_any_alias() {
        let yaml = "characters:\n  - {name: 梶みちる, aliases: [みちる]}\nplace: {name: 帆待島, note: 風待ちの島}\n\
                    terms:\n  - {term: 井戸, meaning: 検潮井戸, avoid: [井戸穴]}\n";
        let world = vec![YamlValue::read("設定.yaml", yaml).expect("YAML")];
        let context = NovelContext { names: NameLexicon::of_settings(&world), world, ..NovelContext::default() };
        let (draft, tuning) = (
            AnalysedDraft::read(
                "# 井戸\n　梶みちるは帆待島に着いた。みちるは井戸を見た。井戸端。\n",
                ManuscriptOptions::default(),
            ),
            Tuning::default(),
        );
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let glossary = material.glossary();
        let named: Vec<&str> =
            glossary.mentions.iter().map(|mention| glossary.entries[mention.entry].name.as_str()).collect();
        assert_eq!(named, ["梶みちる", "帆待島", "梶みちる", "井戸"]);
        assert_eq!(glossary.first_mentions().count(), 3);
        assert_eq!(
            (glossary.entries[1].said.as_slice(), glossary.entries[2].avoid.as_slice()),
            (["風待ちの島".to_owned()].as_slice(), ["井戸穴".to_owned()].as_slice())
        );
    }
}
