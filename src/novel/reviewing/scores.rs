//! The history of whole-episode reviews and their scores, read from a single listing of `.noveler/checks/scores/`.
//!
//! Each review is a small file whose name contains all data: checks that end at the same time do not overwrite each
//! other, and `status` opens no file: `00001_20260131_100000_0a1b2c3d_001_87.5_host_0123456789ab.json`.

use std::sync::Arc;

use fumi_base::{
    listing::list_last,
    project::{PathError, Project},
};

use super::{
    ReviewId,
    json_lines::json,
    review_files::ReviewFiles,
    review_store::{StepExecution, manifest_of},
};
use crate::{checks::items::EvaluationMethod, errors::reviewing::ReviewError, project::EpisodeId};

const FOLDER: &str = ".noveler/checks/scores";

/// The largest number of scores listed.
const SCORES: usize = 50_000;

/// The number of hash digits in a file name.
const DIGITS: usize = 12;

/// The part of a file name for a review without a score.
const UNJUDGED: &str = "unjudged";

/// A review of a whole episode, with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeScore {
    pub episode: EpisodeId,
    /// The id of the review, which contains its start time.
    pub review: ReviewId,
    /// The number of the execution within the review, from 1.
    pub execution: usize,
    /// The score from 0 to 100; `None` if the review was not judged.
    pub score: Option<f64>,
    /// The origin of the judgement; `not_evaluated` without one.
    pub method: String,
    /// The first digits of the manuscript's SHA-256 hash.
    pub manuscript: String,
}

impl EpisodeScore {
    /// True if the score is for the manuscript with this SHA-256 hash.
    pub fn is_of(&self, sha256: &str) -> bool {
        !self.manuscript.is_empty() && sha256.starts_with(&self.manuscript)
    }

    fn name(&self) -> String {
        let id = self.review.to_string();
        let id = id.trim_start_matches("check_");
        let (episode, execution) = (self.episode.number(), self.execution);
        let score = self.score.map_or_else(|| UNJUDGED.to_owned(), |score| score.to_string());
        format!("{episode:05}_{id}_{execution:03}_{score}_{}_{}.json", self.method, self.manuscript)
    }

    fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(".json")?.splitn(7, '_');
        let mut next = || parts.next();
        let episode = EpisodeId::new(next()?.parse().ok()?)?;
        let review = ReviewId::parse(&format!("check_{}_{}_{}", next()?, next()?, next()?))?;
        let execution = next()?.parse().ok()?;
        let score = match next()? {
            UNJUDGED => None,
            // NaN is a number to the parser, and would be every mean of which it is a part.
            score => Some(score.parse::<f64>().ok().filter(|score| score.is_finite())?),
        };
        let (method, manuscript) = next()?.rsplit_once('_')?;
        // Earlier versions scored a review without a judgement.
        let score = score.filter(|_| method != EvaluationMethod::Deterministic.name());
        Some(Self { episode, review, execution, score, method: method.to_owned(), manuscript: manuscript.to_owned() })
    }
}

/// Stores the score of an execution of a whole review.
pub(super) fn store_score(
    shelf: &ReviewFiles,
    episode: Option<EpisodeId>,
    review: &ReviewId,
    execution: usize,
    done: &StepExecution,
) -> Result<(), ReviewError> {
    let Some(episode) = episode else {
        return Ok(());
    };
    let noted = EpisodeScore {
        episode,
        review: review.clone(),
        execution,
        score: done.quality_score,
        method: done.method.clone(),
        manuscript: done.sha256.chars().take(DIGITS).collect(),
    };
    shelf.write(&format!("{FOLDER}/{}", noted.name()), &json(done))
}

/// Returns all reviews of whole episodes, by episode and then by time. File names of another form are skipped.
pub fn scores(project: &Arc<Project>) -> Result<Vec<EpisodeScore>, PathError> {
    let Some(folder) = project.find(FOLDER)? else {
        return Ok(Vec::new());
    };
    let (listed, _) = list_last(&folder, SCORES)?;
    let mut scores: Vec<EpisodeScore> = listed.iter().filter_map(|file| EpisodeScore::parse(&file.name)).collect();
    scores.sort_by(|one, other| {
        (one.episode, &one.review, one.execution).cmp(&(other.episode, &other.review, other.execution))
    });
    let (mut known, mut newest) = (Vec::with_capacity(scores.len()), None);
    for score in scores.into_iter().rev() {
        // A crash can leave the score of a review that was not completely written; only the newest of an episode can be
        // affected.
        let is_lost = || matches!(project.find(&manifest_of(&score.review)), Ok(None));
        if newest != Some(score.episode) && is_lost() {
            continue;
        }
        newest = Some(score.episode);
        known.push(score);
    }
    known.reverse();
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::EpisodeScore;
    use crate::{project::EpisodeId, reviewing::ReviewId};

    #[test]
    fn score_round_trips_through_its_file_name() {
        let score = EpisodeScore {
            episode: EpisodeId::new(12).expect("a number"),
            review: ReviewId::parse("check_20260131_100000_0a1b2c3d").expect("an id"),
            execution: 2,
            score: Some(87.5),
            method: "llm_sampling".to_owned(),
            manuscript: "0123456789ab".to_owned(),
        };
        assert_eq!(score.name(), "00012_20260131_100000_0a1b2c3d_002_87.5_llm_sampling_0123456789ab.json");
        assert_eq!(EpisodeScore::parse(&score.name()), Some(score.clone()));
        assert!(score.is_of("0123456789abcdef") && !score.is_of("1123456789abcdef"));
        let unjudged = EpisodeScore { score: None, method: "not_evaluated".to_owned(), ..score };
        assert_eq!(unjudged.name(), "00012_20260131_100000_0a1b2c3d_002_unjudged_not_evaluated_0123456789ab.json");
        assert_eq!(EpisodeScore::parse(&unjudged.name()), Some(unjudged.clone()));
        let earlier = EpisodeScore::parse("00012_20260131_100000_0a1b2c3d_002_95.1_deterministic_0123456789ab.json");
        assert_eq!(earlier.and_then(|review| review.score), None);
        for no in [
            "",
            "x.json",
            "00012_20260131_100000_0a1b2c3d_001_high_host_0123.json",
            "00012_20260131_100000_0a1b2c3d_001_NaN_host_0123.json",
        ] {
            assert_eq!(EpisodeScore::parse(no), None, "{no}");
        }
    }
}
