//! The corrections of the last proofreading of each episode, stored in `.noveler/checks/corrections/`, one a line.
//!
//! A new proofreading replaces those of the earlier one; an answer to the same review adds to them.

use serde::{Deserialize, Serialize};

use super::{
    ReviewId, ReviewStore,
    json_lines::{self, json},
    review_files::ReviewFiles,
};
use crate::{checks::Correction, errors::reviewing::ReviewError, project::EpisodeId, writing::UtcTime};

const FOLDER: &str = ".noveler/checks/corrections";

/// The maximum number of corrections of an episode; the oldest are dropped first.
const CORRECTIONS: usize = 500;

/// A correction as stored in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionLine {
    /// The review in which it was accepted.
    pub session_id: ReviewId,
    /// The origin of the correction: `host`, `llm_sampling` or `llm_provider`.
    pub method: String,
    pub accepted_at: UtcTime,
    pub correction: Correction,
}

impl ReviewStore {
    /// Stores the corrections of a review: beside those that it has, in place of those of other reviews. Of two with the
    /// same quotation the newer one is kept. Returns the corrections of the review, oldest first.
    pub fn add_corrections(
        &self,
        episode: EpisodeId,
        review: &ReviewId,
        new: Vec<CorrectionLine>,
    ) -> Result<Vec<CorrectionLine>, ReviewError> {
        let mut lines = read(self.shelf(), episode)?;
        lines.retain(|line| {
            line.session_id == *review && new.iter().all(|new| new.correction.quote != line.correction.quote)
        });
        lines.extend(new);
        let over = lines.len().saturating_sub(CORRECTIONS);
        lines.drain(..over);
        let text = lines.iter().fold(String::new(), |text, line| text + &json(line) + "\n");
        self.shelf().write(&path(episode), &text)?;
        Ok(lines)
    }
}

pub(super) fn read(shelf: &ReviewFiles, episode: EpisodeId) -> Result<Vec<CorrectionLine>, ReviewError> {
    json_lines::read(shelf, &path(episode))
}

fn path(episode: EpisodeId) -> String {
    format!("{FOLDER}/{:05}.jsonl", episode.number())
}
