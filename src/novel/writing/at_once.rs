//! An episode in one go: one question with the whole plot in it, one text, judged by the same criteria as a finished manuscript.
//!
//! There is no session: what a question needs to be asked again is in its arguments. Nothing is read or written here.

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

/// A whole episode that is asked for.
#[derive(Debug)]
pub struct AtOnce<'a> {
    /// Which.
    pub episode: Episode,
    /// What it is written from.
    pub material: &'a Material,
    /// About how many characters, if not as the plot says.
    pub target: Option<u32>,
    /// The language of the question.
    pub locale: Locale,
}

/// A text that will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeText {
    /// It, with a line feed at its end.
    pub text: String,
    /// Its visible characters.
    pub characters: usize,
}

/// A plot as somebody passes it: YAML as in a plot file, or a text in their own words.
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
    /// What to write. `plot` is its text, whole.
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

    /// What to read beside it.
    #[must_use]
    pub fn context(&self) -> &[Cited] {
        &self.material.references
    }

    /// What the text has to be.
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

    /// Judges a text.
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
