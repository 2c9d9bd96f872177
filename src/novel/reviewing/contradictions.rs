//! The contradictions of an episode: those that its recorded facts make, and those that its reader noted.

use fumi_base::errors::unless_unreadable;

use super::ReviewStore;
use crate::{
    checks::{Contradiction, NovelContext, features::Cast},
    errors::reviewing::ReviewError,
    manuscript::{Manuscript, ManuscriptOptions},
    memory::{self, EpisodeState},
    project::{EpisodeId, NovelProject, YamlValue},
};

impl ReviewStore {
    /// Stores the state of an episode, in place of an earlier one.
    pub fn keep_state(&self, episode: EpisodeId, state: &EpisodeState) -> Result<(), ReviewError> {
        let text = serde_saphyr::to_string(state)
            .map_err(|error| ReviewError::Broken { path: memory::state_path(episode), reason: error.to_string() })?;
        self.shelf().write(&memory::state_path(episode), &text)
    }
}

/// Returns the contradictions of an episode. `own` is its state if it was recorded in this call. Empty if the episode has
/// no state.
pub fn contradictions(
    novel: &NovelProject,
    episode: EpisodeId,
    context: &NovelContext,
    own: Option<&EpisodeState>,
) -> Result<Vec<Contradiction>, ReviewError> {
    let states = memory::states(novel.project())?;
    let (earlier, rest): (Vec<EpisodeState>, Vec<EpisodeState>) =
        states.into_iter().partition(|state| state.episode < episode.number());
    let Some(own) = own.or_else(|| rest.iter().find(|state| state.episode == episode.number())) else {
        return Ok(Vec::new());
    };
    let cast = Cast::from_settings(&context.world);
    let settings = memory::facts_of_settings(&context.world, &cast);
    let mut found = memory::compare_with_earlier(own, &earlier, &settings, &cast);
    found.extend(own.contradictions.iter().map(|noted| Contradiction {
        quote: noted.quote.clone(),
        episode: noted.episode,
        other_quote: noted.other_quote.clone(),
        reason: noted.reason.clone(),
    }));
    // Both may have found the same.
    let mut kept: Vec<Contradiction> = Vec::new();
    for one in found {
        let is_known = kept.iter().any(|known| overlaps(&known.quote, &one.quote) && known.episode == one.episode);
        if !is_known && stands(novel, episode, context, one.episode, &one.other_quote)? {
            kept.push(one);
        }
    }
    Ok(kept)
}

fn overlaps(one: &str, other: &str) -> bool {
    one.contains(other) || other.contains(one)
}

/// True if the other passage of a contradiction is in the text that it names: an episode, or the settings.
pub fn stands(
    novel: &NovelProject,
    own: EpisodeId,
    context: &NovelContext,
    episode: u32,
    quote: &str,
) -> Result<bool, ReviewError> {
    let Some(other) = EpisodeId::new(episode) else {
        let words = context.world.iter().map(YamlValue::words);
        return Ok(words.into_iter().any(|words| words.contains(quote.trim())));
    };
    if other > own {
        return Ok(false);
    }
    let text = unless_unreadable(novel.manuscript_text(other))?;
    let is_there = |text: String| memory::is_quoted(&Manuscript::read(text, ManuscriptOptions::default()), quote);
    Ok(text.is_some_and(|decoded| is_there(decoded.text)))
}
