//! Through whose eyes an episode is told: from its plot, else from the settings, else from the first person of its narration.
//!
//! What nothing says is empty. Whether the text keeps to it is not asked here.

use crate::{checks::material::Material, lexicons::PEOPLE, manuscript::Voice};

/// How often the narration says 私 before it is told by an I: so often, and once in so many sentences.
const SAID: usize = 2;
const SENTENCES: usize = 50;

/// Whose eyes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewpoint {
    /// The character, as a place in the cast.
    pub member: Option<usize>,
    /// Whether an I tells it.
    pub is_first_person: bool,
}

impl Viewpoint {
    pub(in crate::checks) fn of(material: &Material<'_>) -> Self {
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
                said >= SAID && said * SENTENCES >= material.heard(Voice::Narration).count()
            }
        };
        let members = &material.cast().members;
        let named = |text: &str| {
            // The longest name: 梶 is in 梶みちる.
            let names = members
                .iter()
                .enumerate()
                .flat_map(|(at, member)| member.names().map(move |name| (at, name)));
            let there = names.filter(|(_, name)| !name.is_empty() && text.contains(name));
            there.max_by_key(|(_, name)| name.len()).map(|(at, _)| at)
        };
        let by_pronoun = || {
            let (pronoun, _) = pronouns
                .iter()
                .max_by_key(|(_, count)| *count)
                .filter(|_| is_first_person)?;
            let mut own = members
                .iter()
                .enumerate()
                .filter(|(_, member)| member.first_person.contains(pronoun));
            own.next().filter(|_| own.next().is_none()).map(|(at, _)| at)
        };
        Self {
            member: character.and_then(named).or_else(|| named(&said)).or_else(by_pronoun),
            is_first_person,
        }
    }

    /// Whether anybody's eyes are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.member.is_some() || self.is_first_person
    }
}

/// How often the narration says each pronoun of the first person.
fn pronouns(material: &Material<'_>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (_, _, words) in material.heard(Voice::Narration) {
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
