//! The plot of an episode: known keys are typed, unknown keys are kept.
//!
//! Every key may be missing and lists may be empty, because a plot is written step by step. The quality of a plot is
//! not judged here.

use serde::{Deserialize, Serialize};

use super::yaml::{UnknownKeys, YamlValue, count, or_default, read};
use crate::errors::project::ProjectError;

/// The contents of a plot file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EpisodePlot {
    /// The number, title and purpose of the episode.
    #[serde(deserialize_with = "or_default")]
    pub episode_info: EpisodeInfo,
    /// The story in a few sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synopsis: Option<String>,
    /// The necessary events, in order: sentences, or maps that contain them.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub key_events: Vec<YamlValue>,
    /// The three acts.
    #[serde(deserialize_with = "or_default")]
    pub story_structure: StoryStructure,
    /// The characters that appear: names, or maps that contain them.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub characters: Vec<YamlValue>,
    /// The intended emotions.
    #[serde(skip_serializing_if = "is_null")]
    pub emotional_elements: YamlValue,
    /// Foreshadowing that is planted or paid off.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub foreshadowing: Vec<YamlValue>,
    /// The intended length and number of scenes.
    #[serde(deserialize_with = "or_default")]
    pub scene_structure: SceneStructure,
    /// Points to check before the episode is finished.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub quality_checkpoints: Vec<YamlValue>,
    /// All other keys of the file.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

/// The section `episode_info` of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EpisodeInfo {
    /// The number of the episode.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub episode_number: Option<u32>,
    /// The title of the episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The number of the chapter that contains the episode.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub chapter_number: Option<u32>,
    /// The theme of the episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// The function of the episode within the story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The emotion intended for the reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emotional_core: Option<String>,
    /// The viewpoint character and related data.
    #[serde(skip_serializing_if = "is_null")]
    pub viewpoint_info: YamlValue,
    /// All other keys of the section.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

/// The section `story_structure` of a plot: sentences, or maps that contain them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryStructure {
    #[serde(skip_serializing_if = "is_null")]
    pub setup: YamlValue,
    #[serde(skip_serializing_if = "is_null")]
    pub confrontation: YamlValue,
    #[serde(skip_serializing_if = "is_null")]
    pub resolution: YamlValue,
    /// All other keys of the section.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

/// The section `scene_structure` of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneStructure {
    /// The intended length of the manuscript, in characters.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub total_target_words: Option<u32>,
    /// The intended number of scenes.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub scene_count_target: Option<u32>,
    /// All other keys of the section.
    #[serde(flatten)]
    pub unknown: UnknownKeys,
}

fn is_null(value: &YamlValue) -> bool {
    *value == YamlValue::Null
}

impl EpisodePlot {
    /// Parses a plot; `path` is used in errors.
    pub fn read(path: &str, text: &str) -> Result<Self, ProjectError> {
        read(path, text)
    }

    /// Returns the plot as YAML, including unknown keys.
    ///
    /// # Panics
    /// Never: all values can be represented in YAML.
    pub fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("texts, numbers, lists and maps can be represented in YAML")
    }

    /// Returns the intended length in visible characters; `None` if it is missing or 0.
    pub fn target_words(&self) -> Option<u32> {
        self.scene_structure.total_target_words.filter(|words| *words > 0)
    }

    /// Returns the necessary events, one text each.
    pub fn events(&self) -> Vec<String> {
        self.key_events.iter().map(YamlValue::words).filter(|words| !words.is_empty()).collect()
    }

    /// Returns the names of the characters that appear.
    pub fn character_names(&self) -> Vec<String> {
        let name = |character: &YamlValue| match character {
            YamlValue::Text(name) => Some(name.trim().to_owned()),
            YamlValue::Map(pairs) => {
                let named = ["name", "名前"].iter().find_map(|key| character.get(key)?.as_str());
                // `- 梶みちる: 主人公` is a map with one key, the name.
                let only = pairs.first().filter(|_| pairs.len() == 1).and_then(|(key, _)| key.as_str());
                named.or(only).map(|name| name.trim().to_owned())
            }
            _ => None,
        };
        self.characters.iter().filter_map(name).filter(|name| !name.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::EpisodePlot;
    use crate::{errors::project::ProjectError, project::yaml::YamlValue};

    const PLOT: &str = "\
episode_info:
  episode_number: 1
  title: 灯台
  色: 青
synopsis: >-
  猫が
  鳴く。
key_events:
  - 猫が来る
  - event: 猫が去る
    scene: 2
characters:
  - 灯子
  - name: 猫
    age: 3
  - 船長: 脇役
scene_structure:
  total_target_words: 4000
  beats: [a, b]
foreshadowing:
独自: {鍵: [1, 2.5, true, ~]}
";

    #[test]
    fn a_plot_is_typed_and_loses_no_key() {
        let plot = EpisodePlot::read("p.yaml", PLOT).expect("a plot");
        assert_eq!(plot.episode_info.episode_number, Some(1));
        assert_eq!(plot.synopsis.as_deref(), Some("猫が 鳴く。"));
        assert_eq!(plot.events(), ["猫が来る", "猫が去る\n2"]);
        assert_eq!(plot.character_names(), ["灯子", "猫", "船長"]);
        assert_eq!(plot.scene_structure.total_target_words, Some(4000));
        assert!(plot.foreshadowing.is_empty());
        let (key, value) = &plot.unknown.0[0];
        assert_eq!(key.as_str(), Some("独自"));
        let kept =
            YamlValue::List(vec![YamlValue::Int(1), YamlValue::Float(2.5), YamlValue::Bool(true), YamlValue::Null]);
        assert_eq!(value.get("鍵"), Some(&kept));
        assert_eq!(plot.episode_info.unknown.0.len(), 1);
        assert_eq!(EpisodePlot::read("p.yaml", &plot.to_yaml()).expect("a plot"), plot, "{}", plot.to_yaml());
    }

    #[test]
    fn written_plots_parse_to_equal_plots() {
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let texts = "\\PC{0,20}|[-:#?{}\\[\\]&*!|>'\"%@`~, \\n　0-9a-z]{0,20}|true|null|~|1e3|0x1f|---|第1話: 題|\t|12_3|\\.inf|2026-01-31";
        proptest!(config, |(texts in prop::collection::vec(texts, 1..5))| {
            let value = |text: &String| YamlValue::Text(text.clone());
            let mut keys = texts.clone();
            keys.sort();
            keys.dedup();
            let plot = EpisodePlot {
                synopsis: Some(texts[0].clone()),
                key_events: texts.iter().map(value).collect(),
                emotional_elements: YamlValue::Map(keys.iter().map(|key| (value(key), value(key))).collect()),
                ..EpisodePlot::default()
            };
            let written = plot.to_yaml();
            prop_assert_eq!(EpisodePlot::read("p.yaml", &written).expect("a plot"), plot, "{}", written);
        });
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (written, number) in
            [("1", Some(1)), ("\"001\"", Some(1)), ("第１２話", Some(12)), ("\"4,000字\"", Some(4_000)), ("~", None)]
        {
            let plot = EpisodePlot::read("p.yaml", &format!("episode_info:\n  episode_number: {written}\n"));
            assert_eq!(plot.expect("a plot").episode_info.episode_number, number, "{written}");
        }
    }

    #[test]
    fn empty_file_is_an_empty_plot() {
        for text in ["", "\n# まだ\n", "---\n", "episode_info:\nkey_events: []\n"] {
            assert_eq!(EpisodePlot::read("p.yaml", text).expect("a plot"), EpisodePlot::default(), "{text:?}");
        }
    }

    #[test]
    fn parse_errors_have_line_column_and_key() {
        let texts = [
            "episode_info:\n  title: \"閉じない\n",
            "episode_info:\n\ttitle: 題\n",
            "synopsis: 題: 副題\n",
            "episode_info:\n  episode_number: 一\n",
            "scene_structure:\n  total_target_words: [1]\n",
            "key_events: 猫\n",
            "- 一覧\n",
            "synopsis: [閉じない\n",
            "synopsis: 一\nsynopsis: 二\n",
            "synopsis: *無い\n",
            "独自:\n  深い: [1, {\n",
        ];
        let faults = texts.map(|text| match EpisodePlot::read("p.yaml", text) {
            Err(ProjectError::BrokenYaml { line, column, reason, .. }) => format!("{line}:{column} {reason}"),
            other => panic!("{text:?}: {other:?}"),
        });
        assert_eq!(
            faults,
            [
                "2:10 `episode_info.title`: a quoted text is not closed",
                "2:2 `episode_info.title`: this line is indented with a tab; use spaces",
                "1:12 `synopsis`: this line has a second `: `; put the value in quotes",
                "2:19 `episode_info.episode_number`: a whole number is required",
                "2:23 `scene_structure.total_target_words`: a whole number is required",
                "1:13 `key_events`: a list is required here, one item per line after `- `",
                "1:1 keys with values are required here, such as `title: 題`",
                "1:11 `synopsis`: a single text is required here, not a list or keys",
                "2:1 `synopsis`: this key occurs twice at the same place",
                "1:11 `synopsis`: a value that begins with `*` must be in quotes",
                "2:11 `独自.深い`: a bracket is not closed",
            ]
        );
    }

    #[test]
    fn unclosed_quote_is_reported_at_its_start() {
        let texts = [
            "title: \"閉じない\nsynopsis: \"あらすじ\"\n",
            "title: '閉じない\n\n\nsynopsis: あらすじ\n",
            "title: \"閉じない",
            "synopsis: \"閉じた\"\nkey_events:\n  - 一\n  - \"閉じない: 二\ncharacters: []\n",
            "synopsis: \"閉じた\"\nkey_events:\n- \"閉じない\n- 二\n",
            "characters:\n  - name: 梶\n    role: \"閉じない\n    goal: \"閉じた\"\n",
            "characters:\n- name: \"閉じた\"\n- name: '閉じない\n  続き: \"二\"\nsynopsis: 一\n",
            "独自: {一: 1, 二: [3, 4], 三: \"閉じない\n",
        ];
        let faults = texts.map(|text| match EpisodePlot::read("p.yaml", text) {
            Err(ProjectError::BrokenYaml { line, column, reason, .. }) => {
                let (key, said) = reason.rsplit_once(": ").expect("a key");
                assert_eq!(said, "a quoted text is not closed", "{text:?}");
                format!("{line}:{column} {key}")
            }
            other => panic!("{text:?}: {other:?}"),
        });
        assert_eq!(
            faults,
            [
                "1:8 `title`",
                "1:8 `title`",
                "1:8 `title`",
                "4:5 `key_events`",
                "3:3 `key_events`",
                "3:11 `characters.role`",
                "3:9 `characters.name`",
                "1:26 `三`",
            ]
        );
    }

    #[test]
    fn documents_that_explode_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{}", level - 1);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", ")));
        }
        assert!(matches!(EpisodePlot::read("p.yaml", &bomb), Err(ProjectError::BrokenYaml { .. })));
        let deep = "[".repeat(100_000);
        assert!(matches!(EpisodePlot::read("p.yaml", &deep), Err(ProjectError::BrokenYaml { .. })));
    }
}
