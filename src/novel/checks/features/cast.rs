//! The characters of a novel as its settings describe them: names, pronouns, forms of address, sentence endings.
//!
//! A detail that the files omit is empty, and checks draw no conclusion from it.

use fumi_base::text::Locale;

use crate::{
    morphology::{Ipadic, Morphology as _},
    project::YamlValue,
};

/// A character described in the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CastMember {
    /// The name in the settings.
    pub name: String,
    /// The other names of the character.
    pub aliases: Vec<String>,
    /// The pronouns that the character uses for themselves.
    pub first_person: Vec<String>,
    /// The pronouns that the character uses for others.
    pub second_person: Vec<String>,
    /// The endings of the character's sentences.
    pub endings: Vec<String>,
    /// The way of speaking in words, on one line.
    pub speech: String,
    /// Sample lines in the character's style.
    pub sample_lines: Vec<String>,
    /// The traits of the character.
    pub traits: Vec<String>,
    /// The forms of address: the name of the other character, and the correct forms.
    pub addresses: Vec<(String, Vec<String>)>,
    /// All texts about the character in the settings, one per line.
    pub words: String,
}

/// The largest number of sample lines of a character that are shown, and of characters of each.
const SAMPLE_LINES: usize = 3;
const SAMPLE_CHARACTERS: usize = 60;

impl CastMember {
    /// Describes how the character speaks, on one line: pronouns, endings, the way of speaking, sample lines. Empty if the
    /// settings say nothing about it.
    pub fn speech_line(&self, locale: Locale) -> String {
        let samples = self.sample_lines.iter().take(SAMPLE_LINES);
        let samples = samples.map(|line| format!("「{}」", line.chars().take(SAMPLE_CHARACTERS).collect::<String>()));
        let samples = samples.collect::<Vec<_>>().concat();
        let parts = [
            ("first person ", "一人称", self.first_person.join("/")),
            ("second person ", "二人称", self.second_person.join("/")),
            ("endings ", "語尾", self.endings.join("/")),
            ("", "", self.speech.clone()),
            ("", "", samples),
        ];
        let said = parts.into_iter().filter(|(.., value)| !value.is_empty());
        let said = said.map(|(en, ja, value)| format!("{}{value}", if locale == Locale::Ja { ja } else { en }));
        said.collect::<Vec<_>>().join(if locale == Locale::Ja { "。" } else { "; " })
    }
}

impl CastMember {
    /// Iterates over the name and the aliases of the character.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// All characters of the settings.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    /// The characters in the order of the files.
    pub members: Vec<CastMember>,
}

impl Cast {
    /// Reads the lists under `characters` in the files of the settings folder.
    pub fn from_settings(world: &[YamlValue]) -> Self {
        let lists = world.iter().filter_map(|file| file.get("characters"));
        let characters = lists.flat_map(YamlValue::items);
        Self { members: characters.filter_map(member).collect() }
    }

    /// Returns the character with this name or alias.
    pub fn member_named(&self, name: &str) -> Option<&CastMember> {
        self.members.iter().find(|member| member.names().any(|known| known == name))
    }
}

/// Returns the base forms of the content words in texts of the settings.
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

/// Verbs and nouns too general to describe a character.
const EMPTY: [&str; 14] =
    ["する", "ある", "いる", "なる", "言う", "見る", "こと", "もの", "人", "やる", "できる", "出る", "行く", "来る"];

fn member(yaml: &YamlValue) -> Option<CastMember> {
    let texts = |key: &str| yaml.get(key).map(texts).unwrap_or_default();
    let name = yaml.get("name")?.words();
    let relations = yaml.get("relations").map(YamlValue::items).unwrap_or_default();
    Some(CastMember {
        name: name.trim().to_owned(),
        aliases: texts("aliases"),
        first_person: texts("first_person"),
        second_person: texts("second_person"),
        endings: texts("endings"),
        speech: yaml.get("speech").map(|speech| speech.words().replace('\n', "・")).unwrap_or_default(),
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

/// Returns the texts of a list, or the parts of a text between separators such as 、.
fn texts(yaml: &YamlValue) -> Vec<String> {
    let words = yaml.items().into_iter().map(YamlValue::words);
    let parts = words.flat_map(|words| {
        let parts = words.split(['、', '，', ',', '/', '／']).map(|part| part.trim().to_owned());
        // A sentence in a list is one text, even with commas.
        if matches!(yaml, YamlValue::List(_)) { vec![words.trim().to_owned()] } else { parts.collect() }
    });
    parts.filter(|part| !part.is_empty()).collect()
}
