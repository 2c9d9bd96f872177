//! The lexicon of case particles that a verb cannot have: 剣が抜く, 椅子を座る.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// The lexicon, loaded on first use.
pub static CASE_PARTICLES: LazyLock<CaseParticles> =
    LazyLock::new(|| CaseParticles::read(include_str!("case_particles.txt")));

/// Nouns and verbs in base form, as parts of the embedded file.
#[derive(Debug, Default)]
pub struct CaseParticles {
    /// Things on which verbs act and which hardly act themselves.
    things: HashSet<&'static str>,
    /// Verbs that act on any of these things.
    transitive: HashSet<&'static str>,
    /// Further verbs of which a noun is the object and never the subject.
    objects: HashMap<&'static str, HashSet<&'static str>>,
    /// Verbs without an object, with the particle that they take: に, が, or に／が.
    intransitive: HashMap<&'static str, &'static str>,
}

impl CaseParticles {
    /// Reads the file: `HEAD: WORD …`, of which lines with the same head continue each other.
    fn read(text: &'static str) -> Self {
        let mut lexicon = Self::default();
        for (head, words) in
            text.lines().filter_map(|line| line.split_once(": ")).filter(|(head, _)| !head.starts_with('#'))
        {
            let words = words.split(' ');
            match head {
                "things" => lexicon.things.extend(words),
                "transitive" => lexicon.transitive.extend(words),
                "に" | "が" | "に／が" => lexicon.intransitive.extend(words.map(|verb| (verb, head))),
                noun => lexicon.objects.entry(noun).or_default().extend(words),
            }
        }
        lexicon
    }

    /// True if a noun can be the object of a verb and not its subject: 剣, 抜く.
    pub fn is_only_object(&self, noun: &str, verb: &str) -> bool {
        (self.things.contains(noun) && self.transitive.contains(verb))
            || self.objects.get(noun).is_some_and(|verbs| verbs.contains(verb))
    }

    /// Returns the particle that a verb without an object takes: に, が, or に／が.
    pub fn instead_of_object(&self, verb: &str) -> Option<&'static str> {
        self.intransitive.get(verb).copied()
    }
}
