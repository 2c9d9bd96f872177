//! The settings of a novel: title, author, style, length, book.
//!
//! Every key may be missing. The effects of a preset are defined where it is used.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{
    book_settings::BookSettings,
    yaml::{LENGTH, UnknownKeys, YamlValue, number_in, or_default, read},
    yomi::Yomi,
};
use crate::errors::project::ProjectError;

/// The contents of `プロジェクト設定.yaml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NovelSettings {
    /// The title of the novel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The reading of the title, by which books are sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_yomi: Option<Yomi>,
    /// The author's name as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The reading of the author's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_yomi: Option<Yomi>,
    /// The genre of the novel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// The publishing conventions that the novel follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style_preset: Option<StylePreset>,
    /// The intended length of an episode, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_length: Option<TargetLength>,
    /// The narrative point of view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pov: Option<String>,
    /// The stages by which episodes are written; without the key, the ten stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing_route: Option<WritingRoute>,
    /// A text whose style new episodes follow, as a path from the project root; without the key, the previous episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style_sample: Option<String>,
    /// The book of all finished episodes.
    #[serde(deserialize_with = "or_default")]
    pub book: BookSettings,
    /// All other keys of the file.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

impl NovelSettings {
    /// Parses the settings; `path` is used in errors.
    pub fn read(path: &str, text: &str) -> Result<Self, ProjectError> {
        read(path, text)
    }
}

/// A set of publishing conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum StylePreset {
    /// The conventions of printed paperbacks.
    Bunko,
    /// The conventions of 小説家になろう.
    Narou,
    /// The conventions of カクヨム.
    Kakuyomu,
    /// The project's own conventions.
    Custom,
}

/// The stages by which episodes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WritingRoute {
    /// Five stages.
    Short,
    /// Ten stages.
    TenStages,
}

/// A length in characters: `4000`, `3000-5000`, or `{min: 3000, max: 5000}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetLength {
    /// An approximate length.
    About(u32),
    /// A range of lengths, both ends included.
    Between(u32, u32),
}

impl<'de> Deserialize<'de> for TargetLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = YamlValue::deserialize(deserializer)?;
        let read = match &value {
            YamlValue::Int(number) => u32::try_from(*number).ok().map(Self::About),
            YamlValue::Text(text) => match text.split_once(['-', '~', '〜', '～', '–']) {
                Some((min, max)) => number_in(min).zip(number_in(max)).map(|(min, max)| Self::Between(min, max)),
                None => number_in(text).map(Self::About),
            },
            YamlValue::Map(_) => {
                let of = |key| match value.get(key) {
                    Some(YamlValue::Int(number)) => u32::try_from(*number).ok(),
                    _ => None,
                };
                of("min").zip(of("max")).map(|(min, max)| Self::Between(min, max))
            }
            _ => None,
        };
        read.filter(|length| !matches!(length, Self::Between(min, max) if min > max))
            .ok_or_else(|| D::Error::custom(LENGTH))
    }
}

impl Serialize for TargetLength {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::About(number) => serializer.serialize_u32(*number),
            Self::Between(min, max) => serializer.collect_str(&format_args!("{min}-{max}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NovelSettings, StylePreset, TargetLength};
    use crate::errors::project::ProjectError;

    #[test]
    fn settings_are_read_as_far_as_they_are_written() {
        let settings =
            NovelSettings::read("s.yaml", "title: 1984\nstyle_preset: narou\ntarget_length: 3,000〜5000字\n独自: 1\n");
        let settings = settings.expect("settings");
        assert_eq!(settings.title.as_deref(), Some("1984"));
        assert_eq!(settings.style_preset, Some(StylePreset::Narou));
        assert_eq!(settings.target_length, Some(TargetLength::Between(3_000, 5_000)));
        assert_eq!((settings.author, settings.unknown.0.len()), (None, 1));
        for (text, length) in [
            ("4000", Some(TargetLength::About(4_000))),
            ("{min: 1, max: 2}", Some(TargetLength::Between(1, 2))),
            ("[1, 2]", None),
            ("-5", None),
            ("5-1", None),
            ("たくさん", None),
        ] {
            let read = NovelSettings::read("s.yaml", &format!("target_length: {text}\n"));
            assert_eq!(read.ok().and_then(|settings| settings.target_length), length, "{text}");
        }
    }

    #[test]
    fn an_unknown_preset_is_refused_with_its_place_and_the_known_ones() {
        let refused = NovelSettings::read("s.yaml", "title: 題\nstyle_preset: 単行本\n");
        let Err(ProjectError::BrokenYaml { line, column, reason, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((line, column), (2, 15));
        assert!(reason.contains("kakuyomu"), "{reason}");
    }
}
