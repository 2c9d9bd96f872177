//! The facts about style that a passage is rewritten with: point of view, conventions, the characters in and around it.
//!
//! Only facts of the project are given; what its files leave out is not guessed.

use std::fmt::Write as _;

use fumi_base::text::Locale;

use crate::{
    checks::{CheckMaterial, features::CastMember},
    project::StylePreset,
};

/// The largest number of characters that are described.
const MEMBERS: usize = 8;

/// The largest number of letters of a fact.
const LETTERS: usize = 400;

/// The style of a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyleFacts {
    /// The point of view as the plot or the settings describe it.
    pov: String,
    is_first_person: bool,
    preset: Option<StylePreset>,
    members: Vec<CastMember>,
}

impl StyleFacts {
    /// Returns the facts for a text. `nearby` has the passage and the paragraphs around it: the characters whose names
    /// it contains are described, and the viewpoint character.
    pub fn of_material(material: &CheckMaterial<'_>, nearby: &str) -> Self {
        let viewpoint = material.viewpoint();
        let is_named = |member: &CastMember| member.names().any(|name| !name.is_empty() && nearby.contains(name));
        let members = material.cast().members.iter().enumerate();
        let told = members.filter(|(at, member)| viewpoint.member == Some(*at) || is_named(member));
        Self {
            pov: material.context().pov(),
            is_first_person: viewpoint.is_first_person,
            preset: material.context().settings.style_preset,
            members: told.map(|(_, member)| member.clone()).take(MEMBERS).collect(),
        }
    }

    /// Formats the facts as a list; empty if there are none.
    pub fn lines(&self, locale: Locale) -> String {
        let mut text = String::new();
        let mut fact = |(en, ja): (&str, &str), value: &str| {
            if !value.trim().is_empty() {
                let value: String =
                    value.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LETTERS).collect();
                // Writing to a `String` does not fail.
                let _ = match locale {
                    Locale::En => writeln!(text, "- {en}: {value}"),
                    Locale::Ja => writeln!(text, "- {ja}：{value}"),
                };
            }
        };
        fact(("point of view", "視点"), &self.pov);
        if self.is_first_person && !self.pov.contains("一人称") {
            let value = match locale {
                Locale::En => "the first person",
                Locale::Ja => "一人称",
            };
            fact(("narration", "語り"), value);
        }
        fact(("conventions", "表記の流儀"), self.preset.map_or("", StylePreset::name));
        for member in &self.members {
            fact(("character", "人物"), &described(member, locale));
        }
        text.trim_end().to_owned()
    }
}

/// Describes a character in one line.
fn described(member: &CastMember, locale: Locale) -> String {
    let speech = member.speech_line(locale);
    match (speech.is_empty(), locale) {
        (true, _) => member.name.clone(),
        (false, Locale::En) => format!("{} ({speech})", member.name),
        (false, Locale::Ja) => format!("{}（{speech}）", member.name),
    }
}
