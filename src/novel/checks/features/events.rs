//! Events of a plot against the scenes of a text: how many of an event's words stand in one scene.
//!
//! Words are nouns and verbs by their base forms; a character counts under any of their names. The words of an event may stand
//! there without the event, and an event may be told in other words: whether it happens is not known here.

use std::collections::HashMap;

use crate::{
    checks::{Draft, Material, morphology},
    manuscript::Reading,
    morphology::{Analysis, Morpheme, Origin},
};

/// Verbs that stand in every sentence and name nothing.
const LIGHT: [&str; 7] = ["する", "ある", "いる", "なる", "やる", "できる", "ない"];

/// Where the content words of a text stand.
#[derive(Clone, Debug, Default)]
pub struct WordsOfScenes {
    /// The sentences of each word, in order, each once.
    sentences: HashMap<String, Vec<usize>>,
    /// The scene of each sentence; none of what is no story.
    scene_of: Vec<Option<usize>>,
}

/// A sentence of a plot, looked for in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// As the plot has it.
    pub text: String,
    /// How many content words it has, each once.
    pub words: usize,
    /// How many of them stand in the scene that has the most.
    pub found: usize,
    /// That scene; none where no word stands anywhere.
    pub scene: Option<usize>,
    /// The sentence of the scene that has the most of them.
    pub sentence: Option<usize>,
}

impl Event {
    /// The share of its words that stand in one scene; 0 of an event without words.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an event is a sentence or two")]
    pub fn share(&self) -> f64 {
        self.found as f64 / self.words.max(1) as f64
    }

    /// Whether a share of its words stands in one scene.
    #[must_use]
    pub fn is_found(&self, share: f64) -> bool {
        self.words > 0 && self.share() + f64::EPSILON >= share
    }
}

impl WordsOfScenes {
    pub(in crate::checks) fn of(material: &Material<'_>) -> Self {
        let mut own = Self {
            sentences: HashMap::new(),
            scene_of: vec![None; material.sentences().len()],
        };
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

    /// Looks for a sentence of the plot.
    #[must_use]
    pub fn look_for(&self, material: &Material<'_>, text: &str) -> Event {
        let words = words_of_plot(material, text);
        // Of each scene how many words, of each sentence of it how many.
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
        let best = by_scene
            .into_iter()
            .max_by_key(|(scene, count)| (*count, std::cmp::Reverse(*scene)));
        let scene = best.map(|(scene, _)| scene);
        let in_scene = by_sentence.into_iter().filter(|(at, _)| self.scene_of[*at] == scene);
        let sentence = in_scene.max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)));
        Event {
            text: text.to_owned(),
            words: words.len(),
            found: best.map_or(0, |(_, count)| count),
            scene,
            sentence: sentence.map(|(at, _)| at),
        }
    }

    /// The words of a scene of some words, counted once each.
    #[must_use]
    pub fn shared(&self, words: &[String], scenes: usize) -> Vec<usize> {
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

    /// The sentences that hold a word; of a character also those where they call themselves something.
    fn places(&self, word: &str, material: &Material<'_>) -> Vec<usize> {
        let own = |word: &str| self.sentences.get(word).map(Vec::as_slice).unwrap_or_default();
        let member = material.cast().named(word);
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

/// The content words of a sentence of the plot, each once, as [`WordsOfScenes`] has them.
#[must_use]
pub fn words_of_plot(material: &Material<'_>, text: &str) -> Vec<String> {
    let draft = Draft::read(text, Reading::default());
    let names = &material.context().names;
    let analysis = Analysis::of(&draft.manuscript, &draft.sentences, names, morphology());
    let mut words: Vec<String> = content(analysis.words())
        .filter(|word| word.parts[1] != "代名詞")
        .map(|word| key(word, material))
        .collect();
    words.sort();
    words.dedup();
    words
}

/// Nouns and verbs that name something. Pronouns stand for characters.
fn content<'w, 'a>(words: &'w [Morpheme<'a>]) -> impl Iterator<Item = &'w Morpheme<'a>> {
    words.iter().filter(|word| {
        let is_named = word.is_content() && matches!(word.parts[0], "名詞" | "動詞");
        let is_read = word.is(&["名詞", "代名詞"]) || is_named;
        is_read && !LIGHT.contains(&word.base)
    })
}

/// A word's base form; of a character their first name.
fn key(word: &Morpheme<'_>, material: &Material<'_>) -> String {
    let member = if word.origin == Origin::Name {
        material.cast().named(word.surface)
    } else {
        None
    };
    member.map_or_else(|| word.base.to_owned(), |member| member.name.clone())
}
