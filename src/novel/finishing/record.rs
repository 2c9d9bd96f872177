//! The contents of `metadata.json`: the source of an episode, the files made of it, and what each format could not
//! express.
//!
//! Invariant: the record contains only known facts. Quality is a judgement of exactly this text, otherwise
//! `not_evaluated`.

use serde::{Deserialize, Serialize};

use crate::{
    project::{EpisodePlot, NovelSettings, YamlValue},
    writing::UtcTime,
};

/// The version of the record's file format.
pub(super) const VERSION: u32 = 1;

/// The record of a finished episode, as stored in `metadata.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PublishRecord {
    /// The version of the file format.
    pub version: u32,
    /// The completeness of the listed files.
    pub status: RecordStatus,
    /// The stage of publication on the sites.
    pub publication_status: PublicationStatus,
    pub episode: u32,
    pub title: String,
    /// The title of the episode; empty if it has none.
    pub episode_title: String,
    /// The heading as the episode states it.
    pub heading: String,
    /// The author's name as printed.
    pub author: String,
    /// The genre from the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// The chapter number from the plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter_number: Option<u32>,
    /// The tags from the settings and the plot.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The summary with which the episode was written, else the synopsis of the plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The time at which the files were made; unchanged files keep their old time.
    pub created_at: UtcTime,
    /// The manuscript from which the files were made.
    pub manuscript: ManuscriptSource,
    /// The judgement of this text.
    #[serde(default)]
    pub quality: RecordedQuality,
    /// The files that were made.
    #[serde(default)]
    pub artifacts: Vec<PublishedFile>,
}

/// The completeness of the files that a record lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordStatus {
    /// Left by earlier versions of fumi if the machine stopped while files were replaced.
    Building,
    /// All listed files exist.
    Completed,
}

/// The stage of publication. It has only one value, because fumi does not post anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PublicationStatus {
    /// Ready to be posted by hand.
    Prepared,
}

/// The manuscript from which a record's files were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManuscriptSource {
    /// The path relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the manuscript's bytes.
    pub sha256: String,
    pub size_bytes: u64,
    /// The number of visible characters of the story, without white space.
    pub characters: usize,
    /// The number of characters including white space, as 小説家になろう counts on request.
    pub characters_with_spaces: usize,
    /// The number of sheets of manuscript paper (原稿用紙), by lines; 0 in records of earlier versions of fumi.
    #[serde(default)]
    pub manuscript_pages: usize,
}

/// A judgement of a manuscript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedQuality {
    /// The origin of the judgement: `deterministic`, `host`, `llm_sampling`, `llm_provider`, or `not_evaluated`.
    pub method: String,
    /// The overall score from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_score: Option<f64>,
}

/// The method of a text that was not judged.
pub const NOT_EVALUATED: &str = "not_evaluated";

impl Default for RecordedQuality {
    fn default() -> Self {
        Self { method: NOT_EVALUATED.to_owned(), overall_score: None }
    }
}

/// A published file as the record lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFile {
    /// The name of the format, such as `narou`.
    pub format: String,
    /// The path relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    pub size_bytes: u64,
    /// The media type of the file.
    pub content_type: String,
    /// The encoding of a text file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The number of places that the format could not express.
    #[serde(default)]
    pub lost: usize,
    /// Those places grouped by kind, in order of first occurrence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<FormatLoss>,
}

/// A kind of content that a format could not express.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatLoss {
    /// The description in English.
    pub en: String,
    /// The description in Japanese.
    pub ja: String,
    /// The number of occurrences.
    pub count: usize,
    /// The positions as `line:column`, from 1, in the manuscript; for the `Shift_JIS` file, in the UTF-8 file beside
    /// it. Only the first ones if there are many.
    pub places: Vec<String>,
}

/// Undoes YAML's line folding: removes the space that replaced a line break between two Japanese letters.
pub(super) fn unfold_japanese(text: &str) -> String {
    let letters: Vec<char> = text.trim().chars().collect();
    let is_fold = |at: usize| {
        let between = at.checked_sub(1).and_then(|before| letters.get(before)).zip(letters.get(at + 1));
        letters[at] == ' ' && between.is_some_and(|(before, after)| !before.is_ascii() && !after.is_ascii())
    };
    let kept = (0..letters.len()).filter(|at| !is_fold(*at));
    kept.map(|at| letters[at]).collect()
}

/// The keys under which authors write tags.
const TAGS: [&str; 4] = ["tags", "タグ", "keywords", "キーワード"];

/// Collects the tags of an episode: the genre, then the tags of the novel, then its own, each once.
pub(super) fn tags(settings: &NovelSettings, plot: &EpisodePlot) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let mut add = |words: &str| {
        for tag in words.split(['\n', ',', '、', '，']).map(str::trim) {
            if !tag.is_empty() && !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
    };
    add(settings.genre.as_deref().unwrap_or_default());
    for unknown in [&settings.unknown, &plot.episode_info.unknown, &plot.unknown] {
        let is_tags = |key: &YamlValue| key.as_str().is_some_and(|key| TAGS.contains(&key));
        for (_, value) in unknown.0.iter().filter(|(key, _)| is_tags(key)) {
            add(&value.words());
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::{EpisodePlot, NovelSettings, tags, unfold_japanese};

    #[test]
    fn folded_japanese_has_no_spaces_and_english_keeps_its_own() {
        let plot = EpisodePlot::read("p", "synopsis: >-\n  猫が来る。\n  the cat\n  goes 猫\n  。\n").expect("a plot");
        let synopsis = plot.synopsis.expect("a synopsis");
        assert_eq!(unfold_japanese(&synopsis), "猫が来る。 the cat goes 猫。");
    }

    #[test]
    fn tags_come_from_everywhere_once() {
        let settings =
            NovelSettings::read("s", "genre: 文芸\ntags: [潮, 離島]\nキーワード: 潮、記録\n").expect("settings");
        let plot = EpisodePlot::read("p", "tags:\n  - 盥\nepisode_info:\n  タグ: 離島, 秤\n").expect("a plot");
        assert_eq!(tags(&settings, &plot), ["文芸", "潮", "離島", "記録", "秤", "盥"]);
        assert_eq!(tags(&NovelSettings::default(), &EpisodePlot::default()), [""; 0]);
    }
}
