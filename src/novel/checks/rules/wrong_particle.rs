//! Rule `wrong_particle`: finds が after what a verb acts on, and を before a verb without an object: 剣が抜いた, 椅子を座った.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::case_particles::CASE_PARTICLES, morphology::Morpheme};

/// Auxiliary verbs and suffixes after which が marks what is acted on: 剣が抜きたい, 剣が抜ける, 剣が抜いてある.
const OBJECT_IN_GA: [&str; 14] = [
    "たい",
    "やすい",
    "にくい",
    "づらい",
    "がたい",
    "難い",
    "ある",
    "そう",
    "れる",
    "られる",
    "せる",
    "させる",
    "得る",
    "うる",
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for at in 2..words.len() {
            if let Some(particle) = wrong_particle(words, at) {
                let place = &words[at - 2..=at];
                let expected = format!("{}{particle}{}", place[0].surface, place[2].surface);
                found.push(phrasing::at(material, place).with("expected", expected));
            }
        }
    }
}

/// Returns the particle that should be between the noun and the verb at `at`, if another one is.
fn wrong_particle(words: &[Morpheme<'_>], at: usize) -> Option<&'static str> {
    let [noun, particle, verb] = words.get(at - 2..=at)? else { return None };
    if !noun.has_parts(&["名詞"]) || !particle.has_parts(&["助詞", "格助詞"]) || !verb.has_parts(&["動詞", "自立"])
    {
        return None;
    }
    let (before, predicate) = (&words[..at - 2], Predicate::new(&words[at..]));
    match particle.surface {
        "が" if CASE_PARTICLES.is_only_object(noun.surface, verb.base) => {
            // 冷たい手が私を掴んだ; 剣が断った命: the object is elsewhere.
            let is_without_object = !before.iter().any(is_object) && !predicate.modifies_noun();
            (is_without_object && !predicate.has(&OBJECT_IN_GA)).then_some("を")
        }
        "を" => {
            let particle = CASE_PARTICLES.instead_of_object(verb.base)?;
            (predicate.owns_object() && !predicate.has(&["れる", "られる", "せる", "させる"])).then_some(particle)
        }
        _ => None,
    }
}

fn is_object(word: &Morpheme<'_>) -> bool {
    word.surface == "を" && word.has_parts(&["助詞", "格助詞"])
}

/// A verb with its auxiliary words, and the words after it.
struct Predicate<'w, 'a> {
    verb: &'w Morpheme<'a>,
    auxiliaries: &'w [Morpheme<'a>],
    rest: &'w [Morpheme<'a>],
}

impl<'w, 'a> Predicate<'w, 'a> {
    /// Reads the predicate that begins the words; there is at least the verb.
    fn new(words: &'w [Morpheme<'a>]) -> Self {
        let is_auxiliary = |word: &&Morpheme<'_>| {
            word.has_parts(&["助動詞"])
                || word.has_parts(&["動詞", "非自立"])
                || word.has_parts(&["動詞", "接尾"])
                || word.has_parts(&["形容詞", "非自立"])
                || word.has_parts(&["名詞", "接尾", "助動詞語幹"])
                || (word.has_parts(&["助詞", "接続助詞"]) && matches!(word.surface, "て" | "で"))
        };
        let count = words[1..].iter().take_while(is_auxiliary).count();
        Self { verb: &words[0], auxiliaries: &words[1..=count], rest: &words[1 + count..] }
    }

    fn has(&self, bases: &[&str]) -> bool {
        self.auxiliaries.iter().chain(self.rest.first()).any(|word| bases.contains(&word.base))
    }

    /// True if neither a clause nor the sentence ends after the predicate.
    fn modifies_noun(&self) -> bool {
        self.rest.first().is_some_and(|next| {
            !next.has_parts(&["記号"]) && !next.has_parts(&["助詞", "接続助詞"]) && !next.has_parts(&["助詞", "終助詞"])
        })
    }

    /// True if an object before the verb cannot belong to a later one: the sentence ends (椅子を座った。), or the next verb has
    /// an object of its own (椅子を座って、外を眺めた). In 本を寝転んで読む the object belongs to the second verb.
    fn owns_object(&self) -> bool {
        let mut rest = self.rest.iter().skip_while(|word| word.has_parts(&["助詞", "終助詞"]));
        let Some(next) = rest.next() else { return true };
        if next.has_parts(&["記号", "句点"]) {
            return true;
        }
        let form = self.verb.inflection.map_or("", |inflection| inflection.form);
        let continues = self.auxiliaries.last().map_or(form == "連用形", |last| matches!(last.surface, "て" | "で"));
        let next_object = rest.find(|word| is_object(word) || word.has_parts(&["動詞", "自立"]));
        continues && next.has_parts(&["記号", "読点"]) && next_object.is_some_and(is_object)
    }
}
