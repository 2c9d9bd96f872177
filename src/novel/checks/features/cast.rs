//! Who is in the novel, as its settings say: names, how they call themselves and others, how their sentences end.
//!
//! What the files do not say is empty, and then nothing is concluded from it.

use crate::{
    morphology::{Ipadic, Morphology as _},
    project::Yaml,
};

/// A character of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// As the settings call them.
    pub name: String,
    /// What else they go by.
    pub aliases: Vec<String>,
    /// What they call themselves.
    pub first_person: Vec<String>,
    /// What they call others.
    pub second_person: Vec<String>,
    /// How their sentences end.
    pub endings: Vec<String>,
    /// Lines that they could say.
    pub sample_lines: Vec<String>,
    /// What they are like.
    pub traits: Vec<String>,
    /// How they address others: whom, and the forms that are right.
    pub addresses: Vec<(String, Vec<String>)>,
    /// Everything the settings say of them, a line each.
    pub words: String,
}

impl Member {
    /// Their name and what else they go by.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// The characters of the settings.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    /// In the order of the files.
    pub members: Vec<Member>,
}

impl Cast {
    /// From the files of the settings folder: what stands under `characters`.
    #[must_use]
    pub fn of(world: &[Yaml]) -> Self {
        let lists = world.iter().filter_map(|file| file.get("characters"));
        let characters = lists.flat_map(items);
        Self {
            members: characters.filter_map(member).collect(),
        }
    }

    /// Whoever goes by a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Member> {
        self.members
            .iter()
            .find(|member| member.names().any(|known| known == name))
    }
}

/// The base forms of the words that carry meaning in some texts of the settings.
#[must_use]
pub fn content_words(texts: &[String]) -> Vec<String> {
    let mut reader = Ipadic::shared().reader();
    let mut words = Vec::new();
    let mut bases = Vec::new();
    for text in texts {
        words.clear();
        reader.read(text, &mut words);
        for word in &words {
            let parts = word.entry.parts;
            let is_content = matches!(parts[0], "名詞" | "形容詞" | "動詞")
                && !matches!(parts[1], "非自立" | "接尾" | "代名詞" | "数" | "副詞可能");
            let base = word.entry.base.unwrap_or(&text[word.range.clone()]);
            if is_content && !EMPTY.contains(&base) {
                bases.push(base.to_owned());
            }
        }
    }
    bases
}

/// Verbs and nouns that describe nobody.
const EMPTY: [&str; 14] = [
    "する",
    "ある",
    "いる",
    "なる",
    "言う",
    "見る",
    "こと",
    "もの",
    "人",
    "やる",
    "できる",
    "出る",
    "行く",
    "来る",
];

fn member(yaml: &Yaml) -> Option<Member> {
    let texts = |key: &str| yaml.get(key).map(texts).unwrap_or_default();
    let name = yaml.get("name")?.words();
    let relations = yaml.get("relations").map(items).unwrap_or_default();
    Some(Member {
        name: name.trim().to_owned(),
        aliases: texts("aliases"),
        first_person: texts("first_person"),
        second_person: texts("second_person"),
        endings: texts("endings"),
        sample_lines: texts("sample_lines"),
        traits: texts("traits"),
        addresses: relations
            .iter()
            .filter_map(|relation| {
                let forms = relation.get("address").map(self::texts).unwrap_or_default();
                Some((relation.get("to")?.words(), forms))
            })
            .collect(),
        words: yaml.words(),
    })
    .filter(|member| !member.name.is_empty())
}

/// The entries of a list; a single value is a list of one.
fn items(yaml: &Yaml) -> Vec<&Yaml> {
    match yaml {
        Yaml::List(items) => items.iter().collect(),
        Yaml::Null => Vec::new(),
        one => vec![one],
    }
}

/// The texts of a list, or a text with 、 between its parts.
fn texts(yaml: &Yaml) -> Vec<String> {
    let words = items(yaml).into_iter().map(Yaml::words);
    let parts = words.flat_map(|words| {
        let parts = words
            .split(['、', '，', ',', '/', '／'])
            .map(|part| part.trim().to_owned());
        // A sentence is one text, whatever commas it has.
        if matches!(yaml, Yaml::List(_)) {
            vec![words.trim().to_owned()]
        } else {
            parts.collect()
        }
    });
    parts.filter(|part| !part.is_empty()).collect()
}
