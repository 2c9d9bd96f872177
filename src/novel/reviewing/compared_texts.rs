//! The texts that a judge or a proofreader compares a manuscript with: settings, plot, the end of the previous episode, and
//! the worn devices of the genre.
//!
//! A question has only those that it needs, in one Markdown text.

use fumi_base::{errors::unless_unreadable, project::ProjectPath, text::Locale};

use crate::{
    checks::{NovelContext, items::ComparedText},
    errors::reviewing::ReviewError,
    lexicons,
    plotting::yaml_files,
    project::{EpisodeId, FolderRole, NovelProject, read_yaml_text},
};

/// The maximum length of all files together, in characters. A model is given 60,000 characters of material.
const FILES_CHARACTERS: usize = 24_000;

/// The length of the previous episode's end, in characters: about three pages.
const PREVIOUS_CHARACTERS: usize = 3_000;

/// Returns the texts that are needed, as far as the novel has them; `None` if it has none of them.
pub fn compared_texts(
    novel: &NovelProject,
    episode: EpisodeId,
    context: &NovelContext,
    needs: impl Fn(ComparedText) -> bool,
    locale: Locale,
) -> Result<Option<String>, ReviewError> {
    let mut sections = Vec::new();
    if needs(ComparedText::Settings) || needs(ComparedText::Plot) {
        let survey = novel.survey()?;
        let mut files = Vec::new();
        if needs(ComparedText::Plot) {
            files.extend(survey.episodes.get(&episode).into_iter().flat_map(|files| files.plots.iter().cloned()));
        }
        if needs(ComparedText::Settings) {
            files.extend(yaml_files(&survey, FolderRole::World)?);
        }
        let mut left = FILES_CHARACTERS;
        for path in files {
            sections.extend(file(&path, &mut left)?);
        }
    }
    if needs(ComparedText::Previous) {
        sections.extend(context.previous.as_deref().map(|text| previous(text, locale)));
    }
    if needs(ComparedText::Devices) {
        sections.extend(devices(context, locale));
    }
    Ok((!sections.is_empty()).then(|| sections.join("\n\n")))
}

/// Returns a file under its path, cut to the characters that are left; `None` if it cannot be read. `status` reports such
/// a file.
fn file(path: &ProjectPath, left: &mut usize) -> Result<Option<String>, ReviewError> {
    let Some(text) = unless_unreadable(read_yaml_text(path))? else {
        return Ok(None);
    };
    let cut = text.char_indices().nth(*left).map_or(text.as_str(), |(at, _)| &text[..at]);
    *left -= cut.chars().count();
    let dots = if cut.len() < text.len() { "\n…" } else { "" };
    Ok(Some(format!("# {}\n\n{}{dots}", path.shown(), cut.trim_end())))
}

fn previous(text: &str, locale: Locale) -> String {
    let title = match locale {
        Locale::En => "The end of the previous episode",
        Locale::Ja => "前の話の終わり",
    };
    let text = text.trim_end();
    let from = text.char_indices().rev().nth(PREVIOUS_CHARACTERS - 1).map_or(0, |(at, _)| at);
    format!("# {title}\n\n{}", &text[from..])
}

/// Returns the worn devices of the novel's genre; `None` if its settings name no genre with a list.
fn devices(context: &NovelContext, locale: Locale) -> Option<String> {
    let genre = lexicons::genre(context.settings.genre.as_deref()?)?;
    let title = match locale {
        Locale::En => format!("Worn devices of the genre: {}", genre.name.en),
        Locale::Ja => format!("ジャンルの使い古された仕掛け：{}", genre.name.ja),
    };
    let devices: Vec<String> = genre.tropes.iter().map(|device| format!("- {device}")).collect();
    Some(format!("# {title}\n\n{}", devices.join("\n")))
}
