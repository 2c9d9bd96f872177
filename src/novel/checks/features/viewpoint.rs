//! The viewpoint of an episode: from its plot, else from the settings, else from the first person of its narration.
//!
//! It is empty if none of them names one. Whether the text keeps to it is not checked here.

use crate::{checks::material::CheckMaterial, lexicons::PEOPLE, manuscript::TextVoice};

/// The minimum first-person pronouns for a first-person narration: this many in all, and one per this many sentences.
const SAID: usize = 2;
const SENTENCES: usize = 50;

/// The viewpoint from which an episode is narrated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewpoint {
    /// The viewpoint character, by index in the cast.
    pub member: Option<usize>,
    /// True if the narration is in the first person.
    pub is_first_person: bool,
}

impl Viewpoint {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let context = material.context();
        let of_plot = context.plot.as_ref().map(|plot| &plot.episode_info.viewpoint_info);
        let character = of_plot.and_then(|info| info.get("character")?.as_str());
        let said = context.pov();
        let pronouns = pronouns(material);
        let is_first_person = match (said.contains("一人称"), said.contains("三人称")) {
            (true, false) => true,
            (false, true) => false,
            _ => {
                let said: usize = pronouns.iter().map(|(_, count)| count).sum();
                said >= SAID && said * SENTENCES >= material.sentences_in_voice(TextVoice::Narration).count()
            }
        };
        let members = &material.cast().members;
        let named = |text: &str| {
            // Takes the longest name: 梶 is part of 梶みちる.
            let names = members.iter().enumerate().flat_map(|(at, member)| member.names().map(move |name| (at, name)));
            let there = names.filter(|(_, name)| !name.is_empty() && text.contains(name));
            there.max_by_key(|(_, name)| name.len()).map(|(at, _)| at)
        };
        let by_pronoun = || {
            let (pronoun, _) = pronouns.iter().max_by_key(|(_, count)| *count).filter(|_| is_first_person)?;
            let mut own = members.iter().enumerate().filter(|(_, member)| member.first_person.contains(pronoun));
            own.next().filter(|_| own.next().is_none()).map(|(at, _)| at)
        };
        Self { member: character.and_then(named).or_else(|| named(&said)).or_else(by_pronoun), is_first_person }
    }

    /// True if a viewpoint character or a first-person narration is known.
    pub fn is_known(&self) -> bool {
        self.member.is_some() || self.is_first_person
    }
}

/// Counts the first-person pronouns of the narration.
fn pronouns(material: &CheckMaterial<'_>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (_, _, words) in material.sentences_in_voice(TextVoice::Narration) {
        for hit in PEOPLE.pronouns.first.find(words) {
            let pronoun = &PEOPLE.pronouns.first.entries()[hit.entry];
            match counts.iter_mut().find(|(known, _)| known == pronoun) {
                Some((_, count)) => *count += 1,
                None => counts.push((pronoun.clone(), 1)),
            }
        }
    }
    counts
}
