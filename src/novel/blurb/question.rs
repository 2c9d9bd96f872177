//! The question for a blurb: its prompt, and the material on which the answer is based.
//!
//! Plans, outline and character sheets are cited; the summaries of the episodes and the opening of the first one are part
//! of the prompt, cut to a length. Files that cannot be read are left out.

use std::{borrow::Cow, fmt::Write as _, path::Path};

use fumi_base::{
    encoding::{self, EncodingChoice},
    errors::unless_unreadable,
    files,
    project::ProjectPath,
    template::fill,
    text::{BilingualText, Locale},
};

use super::{BlurbLimits, stored::path_of};
use crate::{
    errors::{blurb::BlurbError, project::ProjectError},
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart, SpanKind},
    memory::{self, EpisodeStates},
    plotting::files_of,
    project::{FolderRole, MANUSCRIPT_BYTES, NovelProject, NovelSettings, NovelSurvey, YamlValue, read_yaml},
    references::ContentHash,
    writing::CitedFile,
};

const PROMPT_EN: &str = include_str!("prompts/blurb.en.md");
const PROMPT_JA: &str = include_str!("prompts/blurb.ja.md");

/// The largest number of characters from the summaries of the episodes, and from the opening of the first one.
const SUMMARIES: usize = 4_000;
const OPENING: usize = 800;

/// The material for a blurb.
#[derive(Debug, Default)]
pub struct BlurbMaterial {
    settings: NovelSettings,
    /// The numbers and recorded summaries of the episodes, in order.
    summaries: Vec<(u32, String)>,
    /// The beginning of the first episode; empty if it is not written.
    opening: String,
    /// True if a blurb exists, which the answer replaces.
    has_blurb: bool,
    /// The files on which the answer is based, the most important first.
    pub references: Vec<CitedFile>,
    /// The manuscript of the first episode. The prompt has its beginning.
    pub first_episode: Option<CitedFile>,
    /// The errors of recorded states that could not be read.
    pub faults: Vec<ProjectError>,
}

impl BlurbMaterial {
    /// Collects the material. Returns an error if the novel has none.
    pub fn gather(novel: &NovelProject) -> Result<Self, BlurbError> {
        let survey = novel.survey_to_write()?;
        survey.require_novel(novel.names())?;
        let mut material = Self { settings: survey.settings.clone(), ..Self::default() };
        let own = path_of(novel, &survey);
        material.cite(
            &survey,
            FolderRole::Planning,
            &BilingualText::new("the plans of the novel", "企画書"),
            |file, _| file.shown() != own,
        )?;
        // A ledger of foreshadowing is about details that a blurb must not tell.
        let outline = BilingualText::new("the outline", "全体構成");
        material.cite(&survey, FolderRole::Management, &outline, |_, yaml| {
            yaml.is_none_or(|yaml| yaml.get("foreshadowing").is_none())
        })?;
        let characters = BilingualText::new("the characters", "登場人物");
        material.cite(&survey, FolderRole::World, &characters, |_, yaml| {
            yaml.is_none_or(|yaml| yaml.get("characters").is_some())
        })?;
        material.read_episodes(novel, &survey)?;
        if material.references.is_empty() && material.summaries.is_empty() && material.opening.is_empty() {
            return Err(BlurbError::BlurbWithoutMaterial { planning: novel.names().planning.clone() });
        }
        if let Some(file) = novel.project().find(&own)? {
            let what = BilingualText::new("the present blurb", "いまの紹介文");
            let cited = unless_unreadable(files::read(&file, MANUSCRIPT_BYTES))?;
            material.has_blurb = cited.is_some();
            material.references.extend(cited.map(|bytes| cite(&file, &bytes, what)));
        }
        Ok(material)
    }

    /// Cites the YAML and Markdown files of a folder that satisfy a condition, which is given the parsed YAML. A YAML
    /// file that cannot be parsed is left out.
    fn cite(
        &mut self,
        survey: &NovelSurvey,
        role: FolderRole,
        what: &BilingualText,
        is_wanted: impl Fn(&ProjectPath, Option<&YamlValue>) -> bool,
    ) -> Result<(), BlurbError> {
        for file in files_of(survey, role, &["md", "yaml", "yml"])? {
            let Some(bytes) = unless_unreadable(files::read(&file, MANUSCRIPT_BYTES))? else { continue };
            let path = file.shown();
            let is_prose = Path::new(&path).extension().is_some_and(|extension| extension == "md");
            let yaml = if is_prose { None } else { read_yaml::<YamlValue>(&path, &decoded(&bytes)).ok() };
            if (is_prose || yaml.is_some()) && is_wanted(&file, yaml.as_ref()) {
                self.references.push(cite(&file, &bytes, what.clone()));
            }
        }
        Ok(())
    }

    /// Reads the recorded summaries, and the opening of the first episode that has a manuscript.
    fn read_episodes(&mut self, novel: &NovelProject, survey: &NovelSurvey) -> Result<(), BlurbError> {
        if let Some(last) = survey.episodes.keys().next_back() {
            let EpisodeStates { states, faults } = memory::states_until(novel.project(), *last)?;
            self.summaries = states.into_iter().map(|state| (state.episode, state.summary)).collect();
            self.faults = faults;
        }
        let first = survey.episodes.values().find_map(|files| match files.manuscripts.as_slice() {
            [file] => Some(file),
            _ => None,
        });
        let Some(file) = first else { return Ok(()) };
        let Some(bytes) = unless_unreadable(files::read(file, MANUSCRIPT_BYTES))? else { return Ok(()) };
        let manuscript = Manuscript::read(decoded(&bytes), ManuscriptOptions::default());
        let bodies = manuscript.spans().iter().filter(|span| span.kind == SpanKind::Part(ManuscriptPart::Body));
        let body: String = bodies.map(|span| manuscript.visible_in(&span.range)).collect();
        let mut opening: String = body.trim_matches('\n').chars().take(OPENING).collect();
        opening.truncate(opening.trim_end().len());
        self.opening = opening;
        let what = BilingualText::new("the first episode", "最初の話の原稿");
        self.first_episode = Some(cite(file, &bytes, what));
        Ok(())
    }

    /// Returns the prompt.
    pub fn instruction(&self, limits: &BlurbLimits, locale: Locale) -> String {
        let (prompt, none, and) = match locale {
            Locale::En => (PROMPT_EN, "not decided", " and "),
            Locale::Ja => (PROMPT_JA, "未定", "と"),
        };
        let own = |text: &Option<String>| text.clone().unwrap_or_else(|| none.to_owned());
        let sites: Vec<&str> = limits.sites.iter().map(|site| site.name()).collect();
        let value = |name: &str| -> Option<Cow<'_, str>> {
            Some(match name {
                "novel" => own(&self.settings.title).into(),
                "genre" => own(&self.settings.genre).into(),
                "sites" => sites.join(and).into(),
                "least" => limits.blurb.min.to_string().into(),
                "most" => limits.blurb.max.to_string().into(),
                "catchphrase" => limits.catchphrase.to_string().into(),
                "tags" => limits.tags.count.to_string().into(),
                "tag" => limits.tags.length.to_string().into(),
                "summaries" => self.story(locale).into(),
                "opening" => self.shown_opening(locale).into(),
                "before" => self.shown_before(locale).into(),
                _ => return None,
            })
        };
        fill(prompt.trim_end(), ("{", "}"), value)
    }

    /// Returns the summaries from the first episode on, as many as there is room for, followed by an empty line. The
    /// later ones are left out because a blurb presents the beginning.
    fn story(&self, locale: Locale) -> String {
        let mut lines = String::new();
        let mut left = self.summaries.len();
        for (episode, summary) in &self.summaries {
            let line = match locale {
                Locale::En => format!("- Episode {episode}: {}\n", summary.trim()),
                Locale::Ja => format!("- 第{episode}話：{}\n", summary.trim()),
            };
            if lines.chars().count() + line.chars().count() > SUMMARIES {
                break;
            }
            lines.push_str(&line);
            left -= 1;
        }
        if lines.is_empty() {
            return lines;
        }
        if left > 0 {
            // Writing to a `String` cannot fail.
            let _ = match locale {
                Locale::En => writeln!(lines, "- … ({left} more)"),
                Locale::Ja => writeln!(lines, "- …（ほか {left} 話）"),
            };
        }
        match locale {
            Locale::En => format!("What happens in the episodes:\n{lines}\n"),
            Locale::Ja => format!("各話のあらすじ：\n{lines}\n"),
        }
    }

    fn shown_opening(&self, locale: Locale) -> String {
        let opening = &self.opening;
        match locale {
            _ if opening.is_empty() => String::new(),
            Locale::En => {
                format!("The opening of the first episode, for its tone:\n<opening>\n{opening}\n</opening>\n\n")
            }
            Locale::Ja => format!("最初の話の書き出し（語り口の参考に）：\n<opening>\n{opening}\n</opening>\n\n"),
        }
    }

    fn shown_before(&self, locale: Locale) -> &'static str {
        match locale {
            _ if !self.has_blurb => "",
            Locale::En => "The present blurb is among the material; write a better one.\n\n",
            Locale::Ja => "いまの紹介文も資料にあります。それよりよいものを書いてください。\n\n",
        }
    }
}

fn cite(file: &ProjectPath, bytes: &[u8], what: BilingualText) -> CitedFile {
    CitedFile { path: file.shown(), sha256: ContentHash::from_bytes(bytes).digits().to_owned(), what }
}

fn decoded(bytes: &[u8]) -> String {
    encoding::decode(bytes, EncodingChoice::Auto).text
}
