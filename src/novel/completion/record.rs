//! What `metadata.json` says of an episode: what it was made of, what was made of it, and what each format could not say.
//!
//! Invariant: only what is known stands in it. Quality is what somebody has judged of this very text, else `not_evaluated`.

use serde::{Deserialize, Serialize};

use crate::{
    project::{Plot, Settings, Yaml},
    writing::Moment,
};

/// The form of the file.
pub(super) const VERSION: u32 = 1;

/// The record of an episode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The form of the file.
    pub version: u32,
    /// Whether the files are all there.
    pub status: State,
    /// How far they are on their way to readers.
    pub publication_status: Publication,
    /// Its number.
    pub episode: u32,
    /// The title of the novel.
    pub title: String,
    /// The title of the episode; empty without one.
    pub episode_title: String,
    /// What the episode calls itself.
    pub heading: String,
    /// As printed.
    pub author: String,
    /// From the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// From the plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter_number: Option<u32>,
    /// From the settings and the plot.
    #[serde(default)]
    pub tags: Vec<String>,
    /// From the plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When this was made.
    pub created_at: Moment,
    /// What it was made of.
    pub manuscript: Source,
    /// What has been judged of it.
    #[serde(default)]
    pub quality: Quality,
    /// What was made.
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
}

/// Whether what a record names is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The machine stopped while an earlier version of fumi replaced files.
    Building,
    /// All of it is there.
    Completed,
}

/// How far an episode is on its way to readers. There is no other state: nothing is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Publication {
    /// Ready for somebody to post it.
    Prepared,
}

/// The manuscript that a record is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Relative to the project.
    pub path: String,
    /// Of its bytes.
    pub sha256: String,
    /// Their number.
    pub size_bytes: u64,
    /// Visible characters of the story.
    pub characters: usize,
    /// The same with white space, as 小説家になろう counts on request.
    pub characters_with_spaces: usize,
}

/// What has been judged of a manuscript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// By whom: `deterministic`, `host`, `llm_sampling`, `llm_provider`, or `not_evaluated`.
    pub method: String,
    /// From 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall_score: Option<f64>,
}

/// The method of what nobody has judged.
pub const NOT_EVALUATED: &str = "not_evaluated";

impl Default for Quality {
    fn default() -> Self {
        Self {
            method: NOT_EVALUATED.to_owned(),
            overall_score: None,
        }
    }
}

/// A file that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Which format it is.
    pub format: String,
    /// Relative to the project.
    pub path: String,
    /// Of its bytes.
    pub sha256: String,
    /// Their number.
    pub size_bytes: u64,
    /// What kind of file.
    pub content_type: String,
    /// Of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How much of the manuscript the format could not say.
    #[serde(default)]
    pub lost: usize,
    /// What, one entry a kind, the first that occurs first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Lost>,
}

/// A kind of thing that a format could not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// What happened, in English.
    pub en: String,
    /// In Japanese.
    pub ja: String,
    /// How often.
    pub count: usize,
    /// Where, as `line:column` from 1 in the manuscript; of the file in `Shift_JIS`, in the file in UTF-8 beside it. Not all if
    /// there are many.
    pub places: Vec<String>,
}

/// A text that YAML folded: where a line ended between two Japanese letters, no space belongs.
pub(super) fn unfolded(text: &str) -> String {
    let letters: Vec<char> = text.trim().chars().collect();
    let is_fold = |at: usize| {
        let between = at
            .checked_sub(1)
            .and_then(|before| letters.get(before))
            .zip(letters.get(at + 1));
        letters[at] == ' ' && between.is_some_and(|(before, after)| !before.is_ascii() && !after.is_ascii())
    };
    let kept = (0..letters.len()).filter(|at| !is_fold(*at));
    kept.map(|at| letters[at]).collect()
}

/// Keys under which people write tags.
const TAGS: [&str; 4] = ["tags", "タグ", "keywords", "キーワード"];

/// The tags of an episode: the genre, then those of the novel, then its own, each once.
pub(super) fn tags(settings: &Settings, plot: &Plot) -> Vec<String> {
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
        let is_tags = |key: &Yaml| key.as_str().is_some_and(|key| TAGS.contains(&key));
        for (_, value) in unknown.0.iter().filter(|(key, _)| is_tags(key)) {
            add(&value.words());
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::{Plot, Settings, tags, unfolded};

    #[test]
    fn folded_japanese_has_no_spaces_and_english_keeps_its_own() {
        let plot = Plot::read("p", "synopsis: >-\n  猫が来る。\n  the cat\n  goes 猫\n  。\n").expect("a plot");
        let synopsis = plot.synopsis.expect("a synopsis");
        assert_eq!(unfolded(&synopsis), "猫が来る。 the cat goes 猫。");
    }

    #[test]
    fn tags_come_from_everywhere_once() {
        let settings = Settings::read("s", "genre: 文芸\ntags: [潮, 離島]\nキーワード: 潮、記録\n").expect("settings");
        let plot = Plot::read("p", "tags:\n  - 盥\nepisode_info:\n  タグ: 離島, 秤\n").expect("a plot");
        assert_eq!(tags(&settings, &plot), ["文芸", "潮", "離島", "記録", "秤", "盥"]);
        assert_eq!(tags(&Settings::default(), &Plot::default()), [""; 0]);
    }
}
