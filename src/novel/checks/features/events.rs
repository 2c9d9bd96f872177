//! Matching of plot events to scenes: the number of an event's content words that occur in one scene.
//!
//! Content words are nouns and verbs by their base forms; a character counts under any of their names. The words of an
//! event may occur without the event, and an event may be narrated in other words: whether it happens is unknown.

use std::collections::HashMap;

use crate::{
    checks::{AnalysedDraft, CheckMaterial, morphology},
    manuscript::ManuscriptOptions,
    morphology::{Morpheme, WordAnalysis, WordOrigin},
};

/// Verbs that occur in every sentence and identify nothing.
const LIGHT: [&str; 7] = ["する", "ある", "いる", "なる", "やる", "できる", "ない"];

/// An index from the content words of a text to its sentences and scenes.
#[derive(Clone, Debug, Default)]
pub struct WordsOfScenes {
    /// The sentences of each word, in order, each once.
    sentences: HashMap<String, Vec<usize>>,
    /// The scene of each sentence; `None` outside the story.
    scene_of: Vec<Option<usize>>,
}

/// A sentence of the plot with its best match in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotEvent {
    /// The sentence as written in the plot.
    pub text: String,
    /// The number of distinct content words.
    pub words: usize,
    /// The number of them in the scene that has the most.
    pub found: usize,
    /// The scene that has the most of them; `None` if no word occurs.
    pub scene: Option<usize>,
    /// The sentence of that scene that has the most of them.
    pub sentence: Option<usize>,
}

impl PlotEvent {
    /// Returns the share of the words that occur in one scene; 0 without words.
    pub fn share(&self) -> f64 {
        self.found as f64 / self.words.max(1) as f64
    }

    /// True if at least `share` of the words occur in one scene.
    pub fn is_found(&self, share: f64) -> bool {
        self.words > 0 && self.share() + f64::EPSILON >= share
    }
}

impl WordsOfScenes {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut own = Self { sentences: HashMap::new(), scene_of: vec![None; material.sentences().len()] };
        for (scene, stretch) in material.scenes().scenes.iter().enumerate() {
            for at in stretch.sentences(material) {
                own.scene_of[at] = Some(scene);
                for word in content(material.words_of(at)) {
                    let known = own.sentences.entry(key(word, material)).or_default();
                    if known.last() != Some(&at) {
                        known.push(at);
                    }
                }
            }
        }
        own
    }

    /// Finds the scene that best matches a sentence of the plot.
    pub fn match_event(&self, material: &CheckMaterial<'_>, text: &str) -> PlotEvent {
        let words = words_of_plot(material, text);
        // The number of matching words per sentence and per scene.
        let mut by_sentence: HashMap<usize, usize> = HashMap::new();
        let mut by_scene: HashMap<usize, usize> = HashMap::new();
        for word in &words {
            let mut last = None;
            for at in self.places(word, material) {
                *by_sentence.entry(at).or_default() += 1;
                let scene = self.scene_of[at];
                if let (true, Some(scene)) = (scene != last, scene) {
                    *by_scene.entry(scene).or_default() += 1;
                }
                last = scene;
            }
        }
        let best = by_scene.into_iter().max_by_key(|(scene, count)| (*count, std::cmp::Reverse(*scene)));
        let scene = best.map(|(scene, _)| scene);
        let in_scene = by_sentence.into_iter().filter(|(at, _)| self.scene_of[*at] == scene);
        let sentence = in_scene.max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)));
        PlotEvent {
            text: text.to_owned(),
            words: words.len(),
            found: best.map_or(0, |(_, count)| count),
            scene,
            sentence: sentence.map(|(at, _)| at),
        }
    }

    /// Returns for each scene the number of the given words that occur in it, each counted once.
    pub fn shared_words_by_scene(&self, words: &[String], scenes: usize) -> Vec<usize> {
        let mut shared = vec![0; scenes];
        for word in words {
            let mut last = None;
            for at in self.sentences.get(word).into_iter().flatten() {
                let scene = self.scene_of[*at];
                if let (true, Some(scene)) = (scene != last, scene) {
                    shared[scene] += 1;
                }
                last = scene;
            }
        }
        shared
    }

    /// Returns the sentences with a word. For a character, includes those with the character's first-person pronouns.
    fn places(&self, word: &str, material: &CheckMaterial<'_>) -> Vec<usize> {
        let own = |word: &str| self.sentences.get(word).map(Vec::as_slice).unwrap_or_default();
        let member = material.cast().member_named(word);
        let called = member.map(|member| member.first_person.as_slice()).unwrap_or_default();
        if called.is_empty() {
            return own(word).to_vec();
        }
        let mut all: Vec<usize> = own(word).to_vec();
        all.extend(called.iter().flat_map(|word| own(word)));
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Returns the content words of a sentence of the plot, each once, in the form used by [`WordsOfScenes`].
pub fn words_of_plot(material: &CheckMaterial<'_>, text: &str) -> Vec<String> {
    let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
    let names = &material.context().names;
    let analysis = WordAnalysis::new(&draft.manuscript, &draft.sentences, names, morphology());
    let mut words: Vec<String> =
        content(analysis.words()).filter(|word| word.parts[1] != "代名詞").map(|word| key(word, material)).collect();
    words.sort();
    words.dedup();
    words
}

/// Returns the nouns and verbs that identify something. Pronouns are included, since they refer to characters.
fn content<'w, 'a>(words: &'w [Morpheme<'a>]) -> impl Iterator<Item = &'w Morpheme<'a>> {
    words.iter().filter(|word| {
        let is_named = word.is_content() && matches!(word.parts[0], "名詞" | "動詞");
        let is_read = word.has_parts(&["名詞", "代名詞"]) || is_named;
        is_read && !LIGHT.contains(&word.base)
    })
}

/// Returns the base form of a word; for a character, the main name.
fn key(word: &Morpheme<'_>, material: &CheckMaterial<'_>) -> String {
    let member = if word.origin == WordOrigin::Name { material.cast().member_named(word.surface) } else { None };
    member.map_or_else(|| word.base.to_owned(), |member| member.name.clone())
}
