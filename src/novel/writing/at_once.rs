//! Writing an episode in one step: one prompt with the whole plot, one text, judged by the same criteria as a finished
//! manuscript.
//!
//! No session is used: the arguments contain everything needed to repeat the prompt. Nothing is read or written here.

use fumi_base::text::Locale;

use super::{
    criteria::{self, Criterion, Miss},
    material::{Length, Material},
    moment::{Moment, SessionId},
    prompt,
    session::Session,
    stages::{Route, Stage},
    workflow::{CONTENT_BYTES, Cited},
};
use crate::{
    errors::writing::WritingError,
    project::{Episode, Plot},
};

const PROMPT_EN: &str = include_str!("prompts/whole_episode.en.md");
const PROMPT_JA: &str = include_str!("prompts/whole_episode.ja.md");

/// A request for a whole episode.
#[derive(Debug)]
pub struct AtOnce<'a> {
    pub episode: Episode,
    /// The material for the prompt and the criteria.
    pub material: &'a Material,
    /// The approximate length in characters, if it differs from the plot's.
    pub target: Option<u32>,
    /// The language of the prompt.
    pub locale: Locale,
}

/// An accepted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeText {
    /// The text, with a line feed at its end.
    pub text: String,
    /// The number of visible characters.
    pub characters: usize,
}

/// Parses a plot passed by a caller: YAML as in a plot file, or free text, which becomes the synopsis.
#[must_use]
pub fn plot_of(content: &str) -> Plot {
    match Plot::read("plot_content", content) {
        Ok(plot) if plot != Plot::default() => plot,
        _ => Plot {
            synopsis: Some(content.trim().to_owned()),
            ..Plot::default()
        },
    }
}

impl AtOnce<'_> {
    /// Returns the prompt. `plot` is the complete text of the plot.
    #[must_use]
    pub fn instruction(&self, plot: &str, now: &Moment) -> String {
        let template = match self.locale {
            Locale::En => PROMPT_EN,
            Locale::Ja => PROMPT_JA,
        };
        let session = Session::along(Route::Draft, SessionId::new(now, 0), self.episode, self.target, now);
        let plot = plot.trim();
        prompt::fill(
            template,
            &session,
            Stage::DRAFT,
            1,
            self.material,
            self.locale,
            Some(plot),
        )
    }

    /// Returns the files to read for the prompt.
    #[must_use]
    pub fn context(&self) -> &[Cited] {
        &self.material.references
    }

    /// Returns the criteria for the text.
    #[must_use]
    pub fn criteria(&self) -> Vec<Criterion> {
        let length = Length::of(self.target, &self.material.plot, &self.material.settings);
        let mut criteria = vec![Criterion::Length {
            from: length.min as usize,
            to: length.max as usize,
        }];
        if !self.material.cast.is_empty() {
            criteria.push(Criterion::Characters(self.material.cast.clone()));
        }
        criteria.push(Criterion::Remnants);
        criteria
    }

    /// Validates a text and returns it, or an error with the criteria that it misses.
    pub fn take(&self, content: &str) -> Result<WholeText, WritingError> {
        if content.len() > CONTENT_BYTES {
            return Err(WritingError::TooLarge {
                what: "The content",
                what_ja: "内容",
                size: content.len(),
                limit: CONTENT_BYTES,
            });
        }
        let text = format!("{}\n", content.trim_end());
        let misses: Vec<Miss> = criteria::judge_text(&self.criteria(), content, &text, 0);
        if !misses.is_empty() {
            return Err(WritingError::CriteriaMissed {
                stage: Stage::DRAFT,
                turn: 1,
                misses,
            });
        }
        Ok(WholeText {
            characters: criteria::characters(&text),
            text,
        })
    }
}
