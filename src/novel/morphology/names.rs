//! A novel's own names, from its settings: characters with their aliases, places and terms, each with its reading.
//!
//! The keys of an entry decide its kind, not the file that contains it; other entries are skipped. `analysis.rs`
//! decides where a text means a name.

use std::collections::HashMap;

use super::katakana;
use crate::{
    errors::project::ProjectError,
    plotting::read_yaml_files,
    project::{FolderRole, NovelSurvey, YamlValue},
};

/// The largest number of names in a lexicon; `LONGEST_NAME` is the longest name in characters. A larger file is not a
/// list of names.
const MOST_NAMES: usize = 5_000;
const LONGEST_NAME: usize = 40;

/// The kind of thing that bears a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A character of the novel.
    Person,
    /// A place of the novel.
    Place,
    /// A term of the glossary.
    Term,
}

/// A name from the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NovelName {
    /// The name as it is written.
    pub surface: String,
    /// The reading in katakana.
    pub reading: Option<String>,
    pub kind: NameKind,
}

/// The names of a novel, indexed by their first character.
#[derive(Clone, Debug, Default)]
pub struct NameLexicon {
    names: Vec<NovelName>,
    /// For each first character, indices in `names`, the longest name first.
    by_first: HashMap<char, Vec<usize>>,
}

impl NameLexicon {
    /// Collects the names in the settings of a project. Files that are not valid YAML are skipped.
    pub fn of_project(survey: &NovelSurvey) -> Result<Self, ProjectError> {
        Ok(Self::of_settings(&read_yaml_files(survey, FolderRole::World)?))
    }

    /// Collects names from the parsed settings files (`30_設定集`): `characters` with `name`, `reading` and `aliases`,
    /// `terms` with `term` and `reading`, and `place` with `name`, `reading` and `spots`.
    pub fn of_settings<'a>(files: impl IntoIterator<Item = &'a YamlValue>) -> Self {
        let mut lexicon = Self::default();
        for file in files {
            for character in list(file, "characters") {
                lexicon.entry(character, "name", NameKind::Person);
                for alias in list(character, "aliases") {
                    lexicon.add(alias.as_str().unwrap_or_default(), None, NameKind::Person);
                }
            }
            let places = file.get("place").into_iter().chain(list(file, "places"));
            for place in places {
                lexicon.entry(place, "name", NameKind::Place);
                for spot in list(place, "spots") {
                    lexicon.entry(spot, "name", NameKind::Place);
                }
            }
            for term in list(file, "terms") {
                lexicon.entry(term, "term", NameKind::Term);
            }
        }
        lexicon
    }

    fn entry(&mut self, yaml: &YamlValue, key: &str, kind: NameKind) {
        let text = |key| yaml.get(key).and_then(YamlValue::as_str);
        self.add(text(key).unwrap_or_default(), text("reading"), kind);
    }

    /// Adds a name. A known name keeps its kind, and takes the reading if it has none.
    pub fn add(&mut self, surface: &str, reading: Option<&str>, kind: NameKind) {
        let surface = surface.trim();
        let Some(first) = surface.chars().next() else { return };
        let length = surface.chars().count();
        if length > LONGEST_NAME || self.names.len() >= MOST_NAMES || surface.contains(char::is_control) {
            return;
        }
        let reading = reading
            .map(|reading| katakana(&reading.split_whitespace().collect::<String>()))
            .filter(|reading| !reading.is_empty());
        let same = self.by_first.entry(first).or_default();
        if let Some(known) = same.iter().find(|at| self.names[**at].surface == surface) {
            let known = &mut self.names[*known];
            known.reading = known.reading.take().or(reading);
            return;
        }
        let longer = same.partition_point(|at| self.names[*at].surface.chars().count() >= length);
        same.insert(longer, self.names.len());
        self.names.push(NovelName { surface: surface.to_owned(), reading, kind });
    }

    /// Returns all names, in the order of the settings.
    pub fn names(&self) -> &[NovelName] {
        &self.names
    }

    /// Returns the names with which a text begins, the longest first.
    pub(super) fn at_start_of<'l>(&'l self, text: &'l str) -> impl Iterator<Item = &'l NovelName> {
        let first = text.chars().next();
        let places = first.and_then(|first| self.by_first.get(&first));
        let names = places.into_iter().flatten().map(|at| &self.names[*at]);
        names.filter(move |name| text.starts_with(&name.surface))
    }
}

fn list<'a>(yaml: &'a YamlValue, key: &str) -> impl Iterator<Item = &'a YamlValue> {
    let items = match yaml.get(key) {
        Some(YamlValue::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter()
}

#[cfg(test)]
mod tests {
    use super::{NameKind, NameLexicon};
    use crate::project::YamlValue;

    #[test]
    fn names_are_found_by_first_character_longest_first() {
        let yaml = "characters:\n  - {name: 梶みちる, reading: かじ みちる, aliases: [梶, みちる]}\n  - 通行人\n\
                    place: {name: 帆待島, spots: [{name: 桟橋}]}\nterms:\n  - {term: 梶, reading: かじ}\n  - {term: ''}\n";
        let yaml = YamlValue::read("設定.yaml", yaml).expect("YAML");
        let lexicon = NameLexicon::of_settings([&yaml]);
        let all: Vec<_> = lexicon.names().iter().map(|name| name.surface.as_str()).collect();
        assert_eq!(all, ["梶みちる", "梶", "みちる", "帆待島", "桟橋"]);
        assert_eq!(lexicon.names()[0].reading.as_deref(), Some("カジミチル"));
        let found: Vec<_> = lexicon.at_start_of("梶みちるは").collect();
        assert_eq!(found.iter().map(|name| name.surface.as_str()).collect::<Vec<_>>(), ["梶みちる", "梶"]);
        assert_eq!((found[1].kind, found[1].reading.as_deref()), (NameKind::Person, Some("カジ")));
        assert_eq!(lexicon.at_start_of("").count(), 0);
    }
}
