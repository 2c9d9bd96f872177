//! Item A31-060: half the score for the viewpoint character within the first `name` (300) characters, half for a word
//! of their goal or weakness within the first `goal` (800).

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{
        CheckMaterial,
        features::head,
        items::{ItemThresholds, Measure},
    },
    lexicons::{DRAMA, PEOPLE},
    manuscript::TextVoice,
    morphology::{Morpheme, NameKind, WordOrigin},
};

/// The protagonist, and how a text refers to them.
struct Protagonist<'a> {
    names: Vec<&'a str>,
    is_first_person: bool,
}

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let Some(hero) = Protagonist::from_material(material) else {
        return Measure::not_applicable();
    };
    let words = material.words().iter().filter(|word| material.sentences()[word.sentence].is_story());
    let own: Vec<&Morpheme<'_>> = words.filter(|word| hero.is_named_by(material, word)).collect();
    let opening = head(material, gauge.limit("name"));
    let name = own.iter().find(|word| opening.contains(&word.visible.start)).map(|word| word.source.clone());
    let wish = wish(material, gauge, &hero, &own);
    let score = 0.5 * f64::from(u8::from(name.is_some()) + u8::from(wish.is_some()));
    Measure::from_score(score).with_value(score).with_places(name.into_iter().chain(wish))
}

impl<'a> Protagonist<'a> {
    fn from_material(material: &'a CheckMaterial<'_>) -> Option<Self> {
        let viewpoint = material.viewpoint();
        let member = viewpoint
            .member
            .or_else(|| (!viewpoint.is_first_person && !material.cast().members.is_empty()).then_some(0));
        let names = member.map(|member| material.cast().members[member].names().collect()).unwrap_or_default();
        let hero = Self { names, is_first_person: viewpoint.is_first_person };
        (viewpoint.is_known() || !hero.names.is_empty()).then_some(hero)
    }

    fn is_named_by(&self, material: &CheckMaterial<'_>, word: &Morpheme<'_>) -> bool {
        let is_narration = || material.sentences()[word.sentence].voice != TextVoice::Dialogue;
        let is_name = word.origin == WordOrigin::Name && self.names.contains(&word.surface);
        is_name || (self.is_first_person && PEOPLE.pronouns.first.has(word.base) && is_narration())
    }
}

/// Returns the range of the first word of a goal or a weakness that belongs to the protagonist.
fn wish(
    material: &CheckMaterial<'_>,
    gauge: &ItemThresholds<'_>,
    hero: &Protagonist<'_>,
    own: &[&Morpheme<'_>],
) -> Option<Range<usize>> {
    let opening = head(material, gauge.limit("goal"));
    let window = gauge.limit("window");
    let named: HashSet<usize> = own.iter().map(|word| word.sentence).collect();
    let others = lines_of_others(material, own);
    // True if the last paragraph of narration mentions the protagonist, and the line of that paragraph.
    let (mut beside, mut paragraph) = (false, usize::MAX);
    for (at, sentence) in material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story()) {
        if sentence.visible().start >= opening.end {
            break;
        }
        let is_spoken = sentence.voice == TextVoice::Dialogue;
        if !is_spoken {
            beside = (beside && paragraph == sentence.line) || named.contains(&at);
            paragraph = sentence.line;
        }
        let is_near = (at.saturating_sub(window)..=at + window).any(|near| named.contains(&near));
        // A first-person narrator is in every sentence that is not about another person.
        let is_told = hero.is_first_person && !is_spoken;
        let is_own_line = (is_told || (is_spoken && beside)) && !others.contains(&sentence.line);
        if !is_near && !is_own_line {
            continue;
        }
        let words = material.words_of(at);
        let hits = (0..words.len()).filter(|word| opening.contains(&words[*word].visible.start));
        let hit = hits.flat_map(|word| [DRAMA.goal.at(words, word), DRAMA.weakness.at(words, word)]).flatten().next();
        if let Some(hit) = hit {
            return Some(words[hit.words.start].source.start..words[hit.words.end - 1].source.end);
        }
    }
    None
}

/// Returns the source lines whose narration names another person: 「…」と槙が言った.
fn lines_of_others(material: &CheckMaterial<'_>, own: &[&Morpheme<'_>]) -> HashSet<usize> {
    let glossary = material.glossary();
    let own: HashSet<usize> = own.iter().map(|word| word.visible.start).collect();
    let people = glossary.mentions.iter().filter(|mention| glossary.entries[mention.entry].kind == NameKind::Person);
    let others = people.filter(|mention| {
        let sentence = &material.sentences()[mention.sentence];
        sentence.voice != TextVoice::Dialogue && !own.contains(&material.words()[mention.word].visible.start)
    });
    others.map(|mention| material.sentences()[mention.sentence].line).collect()
}
