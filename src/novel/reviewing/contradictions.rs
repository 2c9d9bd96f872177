//! The contradictions of an episode: those that its recorded facts make, and those that its reader noted.

use std::sync::Arc;

use fumi_base::errors::{UserError as _, unless_unreadable};

use super::{CheckedManuscript, ReviewStore, corrections, review_files::ReviewFiles};
use crate::{
    checks::{Contradiction, NovelContext, features::Cast},
    errors::reviewing::ReviewError,
    manuscript::{Manuscript, ManuscriptOptions},
    memory::{self, EpisodeState, EpisodeStates},
    project::{EpisodeId, NovelProject, YamlValue},
};

impl ReviewStore {
    /// Stores the state of an episode, in place of an earlier one.
    pub fn keep_state(&self, episode: EpisodeId, state: &EpisodeState) -> Result<(), ReviewError> {
        let text = serde_saphyr::to_string(state).map_err(|error| ReviewError::ReviewBroken {
            path: memory::state_path(episode),
            reason: error.to_string(),
        })?;
        self.shelf().write(&memory::state_path(episode), &text)
    }
}

impl CheckedManuscript {
    /// Adds what models found earlier: the corrections of the last proofreading and, from the recorded states, the
    /// contradictions.
    pub fn add_readings(&mut self, novel: &NovelProject, episode: EpisodeId) -> Result<(), ReviewError> {
        let corrections = corrections::read(&ReviewFiles::new(Arc::clone(novel.project()), None), episode);
        match corrections {
            Ok(lines) => self.context.corrections = lines.into_iter().map(|line| line.correction).collect(),
            Err(error) => self.add_fault(error)?,
        }
        self.add_contradictions(novel, episode, None)
    }

    /// Adds the contradictions. `own` is the state of the episode if it was recorded in this call.
    pub fn add_contradictions(
        &mut self,
        novel: &NovelProject,
        episode: EpisodeId,
        own: Option<&EpisodeState>,
    ) -> Result<(), ReviewError> {
        let EpisodeStates { states, faults } = match memory::states_until(novel.project(), episode) {
            Ok(states) => states,
            Err(error) => return self.add_fault(error.into()),
        };
        for fault in faults {
            self.add_fault(fault.into())?;
        }
        let number = episode.number();
        let (earlier, rest): (Vec<EpisodeState>, Vec<EpisodeState>) =
            states.into_iter().partition(|state| state.episode < number);
        let Some(own) = own.or_else(|| rest.iter().find(|state| state.episode == number)) else {
            return Ok(());
        };
        let world = &self.context.world;
        let cast = Cast::from_settings(world);
        let mut found = memory::compare_with_earlier(own, &earlier, &memory::facts_of_settings(world, &cast), &cast);
        // The reader may have noted what the facts show.
        let noted = own.contradictions.iter().filter(|noted| !found.iter().any(|known| noted.is_same(known)));
        let noted: Vec<Contradiction> = noted.map(Contradiction::from).collect();
        found.extend(noted);
        self.context.contradictions.clear();
        for one in found {
            if stands(novel, episode, &self.context, one.episode, &one.other_quote)? {
                self.context.contradictions.push(one);
            }
        }
        Ok(())
    }

    /// Records the error of a file that is left out. A system failure is returned: the file may be sound.
    fn add_fault(&mut self, error: ReviewError) -> Result<(), ReviewError> {
        if error.is_system_failure() {
            return Err(error);
        }
        self.faults.push(error);
        Ok(())
    }
}

/// True if the other passage of a contradiction is in the text that it names: an episode, or the settings.
pub fn stands(
    novel: &NovelProject,
    own: EpisodeId,
    context: &NovelContext,
    episode: u32,
    quote: &str,
) -> Result<bool, ReviewError> {
    if episode == 0 {
        let words = context.world.iter().map(YamlValue::words);
        return Ok(words.into_iter().any(|words| words.contains(quote.trim())));
    }
    let Some(other) = EpisodeId::new(episode).filter(|other| *other <= own) else {
        return Ok(false);
    };
    let text = unless_unreadable(novel.manuscript_text(other))?;
    let is_there = |text: String| memory::is_quoted(&Manuscript::read(text, ManuscriptOptions::default()), quote);
    Ok(text.is_some_and(|decoded| is_there(decoded.text)))
}
