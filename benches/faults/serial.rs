//! Contradictions in serials: planted ones that are found, and those that are reported where there are none.
//!
//! Independent readers answered the question of `record_episode_state` for each episode, without the list of the planted
//! contradictions and without the other version. What fumi finds by comparing their facts is counted apart from what
//! they noted themselves.

use std::{fs, path::Path};

use fumi_novel::{
    checks::{Contradiction, features::Cast},
    memory::{EpisodeState, NotedContradiction, StoryFact, compare_with_earlier, facts_of_settings},
    project::YamlValue,
    writing::UtcTime,
};
use serde::Deserialize;

/// The serials: folder of the states, settings, and the list of planted contradictions.
const SERIALS: [(&str, &str, &[&str], Option<&str>); 3] = [
    (
        "霧鐘塔の鐘守, with ten contradictions",
        "planted",
        &["src/novel/tests/serial/characters.yaml"],
        Some("src/novel/tests/serial/planted.toml"),
    ),
    (
        "霧鐘塔の鐘守, clean",
        "clean",
        &["src/novel/tests/serial/characters.yaml"],
        None,
    ),
    (
        "潮のほまち (the sample novel), clean",
        "example",
        &[
            "examples/novel/30_設定集/キャラクター.yaml",
            "examples/novel/30_設定集/用語集.yaml",
            "examples/novel/30_設定集/世界観.yaml",
        ],
        None,
    ),
];

/// What was found in one serial.
#[derive(Debug)]
pub(crate) struct Serial {
    pub(crate) name: &'static str,
    pub(crate) episodes: usize,
    pub(crate) facts: usize,
    pub(crate) planted: usize,
    /// The planted contradictions that the comparison of facts finds, and its findings at other places.
    pub(crate) by_facts: (usize, usize),
    /// The same with the reader's own contradictions.
    pub(crate) with_reader: (usize, usize),
    /// The findings at other places, as lines of the report.
    pub(crate) wrong: Vec<String>,
}

#[derive(Deserialize)]
struct Answer {
    summary: String,
    facts: Vec<StoryFact>,
    contradictions: Vec<NotedContradiction>,
}

#[derive(Deserialize)]
struct PlantedFile {
    contradiction: Vec<Planted>,
}

#[derive(Debug, Deserialize)]
struct Planted {
    episode: u32,
    quote: String,
}

pub(crate) fn run(root: &Path) -> Vec<Serial> {
    SERIALS.iter().map(|serial| judge(root, *serial)).collect()
}

fn judge(root: &Path, (name, folder, settings, planted): (&'static str, &str, &[&str], Option<&str>)) -> Serial {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let world: Vec<YamlValue> = settings
        .iter()
        .map(|path| YamlValue::read(path, &read(path)).expect("YAML"))
        .collect();
    let cast = Cast::from_settings(&world);
    let sheets = facts_of_settings(&world, &cast);
    let states = states(root, folder);
    let planted: Vec<Planted> = planted.map_or_else(Vec::new, |path| {
        toml::from_str::<PlantedFile>(&read(path))
            .expect("a list of contradictions")
            .contradiction
    });
    let (mut by_facts, mut noted) = (Vec::new(), Vec::new());
    for (at, state) in states.iter().enumerate() {
        let found = compare_with_earlier(state, &states[..at], &sheets, &cast);
        by_facts.extend(found.into_iter().map(|one| (state.episode, one)));
        noted.extend(
            state
                .contradictions
                .iter()
                .map(|one| (state.episode, Contradiction::from(one))),
        );
    }
    let counts = |found: &[&(u32, Contradiction)]| {
        let hits = planted
            .iter()
            .filter(|one| found.iter().any(|finding| one.is_met_by(finding)))
            .count();
        (
            hits,
            found
                .iter()
                .filter(|finding| !planted.iter().any(|one| one.is_met_by(finding)))
                .count(),
        )
    };
    let all: Vec<&(u32, Contradiction)> = by_facts.iter().chain(&noted).collect();
    let is_wrong = |finding: &&&(u32, Contradiction)| !planted.iter().any(|one| one.is_met_by(finding));
    Serial {
        name,
        episodes: states.len(),
        facts: states.iter().map(|state| state.facts.len()).sum(),
        planted: planted.len(),
        by_facts: counts(&by_facts.iter().collect::<Vec<_>>()),
        with_reader: counts(&all),
        wrong: all
            .iter()
            .filter(is_wrong)
            .map(|(episode, one)| format!("- {name}, episode {episode}: {} ({})", one.quote, one.reason))
            .collect(),
    }
}

impl Planted {
    fn is_met_by(&self, (episode, found): &(u32, Contradiction)) -> bool {
        *episode == self.episode && (found.quote.contains(&self.quote) || self.quote.contains(found.quote.trim()))
    }
}

fn states(root: &Path, folder: &str) -> Vec<EpisodeState> {
    let folder = root.join("src/novel/tests/serial").join(folder);
    let mut states: Vec<EpisodeState> = Vec::new();
    for episode in 1.. {
        let Ok(text) = fs::read_to_string(folder.join(format!("state_{episode:02}.json"))) else {
            break;
        };
        let answer: Answer = serde_json::from_str(&text).expect("an answer");
        states.push(EpisodeState {
            session_id: None,
            episode,
            sha256: String::new(),
            method: "host".to_owned(),
            recorded_at: UtcTime::parse("2026-01-01T00:00:00Z").expect("a time"),
            summary: answer.summary,
            facts: answer.facts,
            contradictions: answer.contradictions,
        });
    }
    states
}
