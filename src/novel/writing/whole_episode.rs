//! Writing an episode in one step: one prompt with the whole plot, one text, judged by the same criteria as a finished
//! manuscript.
//!
//! No session is used: the arguments contain everything needed to repeat the prompt. Nothing is read or written here.

use fumi_base::{text::BilingualText, text::Locale};

use super::{
    criteria::{self, AnswerCriterion, MissedCriterion},
    material::{LengthRange, WritingMaterial},
    prompt::{self, PromptData, WrittenTexts},
    session::WritingSession,
    stages::{StageRoute, WritingStage},
    utc_time::{UtcTime, WritingSessionId},
    workflow::{CONTENT_BYTES, CitedFile},
};
use crate::{
    errors::writing::WritingError,
    project::{EpisodeId, EpisodePlot},
};

const PROMPT_EN: &str = include_str!("prompts/whole_episode.en.md");
const PROMPT_JA: &str = include_str!("prompts/whole_episode.ja.md");

#[derive(Debug)]
pub struct WholeEpisodeRequest<'a> {
    pub episode: EpisodeId,
    /// The material for the prompt and the criteria.
    pub material: &'a WritingMaterial,
    /// The approximate length in characters, if it differs from the plot's.
    pub target: Option<u32>,
    /// The language of the prompt.
    pub locale: Locale,
}

/// An accepted text.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeEpisodeText {
    /// The text, with a line feed at its end.
    pub text: String,
    /// The number of visible characters.
    pub characters: usize,
    /// The criteria that the text misses slightly.
    pub warnings: Vec<MissedCriterion>,
}

/// Parses a plot passed by a caller: YAML as in a plot file, or free text, which becomes the synopsis.
pub fn plot_of(content: &str) -> EpisodePlot {
    match EpisodePlot::read("plot_content", content) {
        Ok(plot) if plot != EpisodePlot::default() => plot,
        _ => EpisodePlot { synopsis: Some(content.trim().to_owned()), ..EpisodePlot::default() },
    }
}

impl WholeEpisodeRequest<'_> {
    /// Returns the prompt. `plot` is the complete text of the plot.
    pub fn instruction(&self, plot: &str, now: &UtcTime) -> String {
        let template = match self.locale {
            Locale::En => PROMPT_EN,
            Locale::Ja => PROMPT_JA,
        };
        let id = WritingSessionId::new(now, 0);
        let data = PromptData {
            session: &WritingSession::new(StageRoute::Draft, id, self.episode, self.target, now),
            stage: WritingStage::DRAFT,
            turn: 1,
            material: self.material,
            locale: self.locale,
            texts: &WrittenTexts::default(),
        };
        prompt::fill(template, &data, Some(plot.trim()))
    }

    /// Returns the files to read for the prompt.
    pub fn context(&self) -> &[CitedFile] {
        &self.material.references
    }

    /// Returns the criteria for the text.
    pub fn criteria(&self) -> Vec<AnswerCriterion> {
        let length = LengthRange::resolve(self.target, &self.material.plot, &self.material.settings);
        let mut criteria = vec![AnswerCriterion::Length { from: length.min as usize, to: length.max as usize }];
        if !self.material.cast.is_empty() {
            criteria.push(AnswerCriterion::Characters(self.material.cast.clone()));
        }
        criteria.push(AnswerCriterion::Remnants);
        criteria
    }

    /// Validates a text and returns it, or an error with the criteria that it misses.
    pub fn accept(&self, content: &str) -> Result<WholeEpisodeText, WritingError> {
        if content.len() > CONTENT_BYTES {
            return Err(WritingError::ContentTooLarge {
                what: BilingualText::new("The content", "内容"),
                size: content.len(),
                limit: CONTENT_BYTES,
            });
        }
        let content = criteria::without_fence(content);
        let text = format!("{}\n", content.trim_end());
        let misses = criteria::judge_text(&self.criteria(), content, &text, 0);
        let accepted = criteria::accept(misses, &[]).map_err(|misses| WritingError::TextMissed { misses })?;
        Ok(WholeEpisodeText { characters: criteria::characters(&text), text, warnings: accepted.minor })
    }
}
