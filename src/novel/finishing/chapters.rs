//! The chapters (章) of a novel: which one contains an episode, and its heading in the book.
//!
//! An episode belongs to the chapter that its own plot numbers (`chapter_number`), else to the chapter plot that lists
//! it under `episodes`. A plot that cannot be read names no chapter: `status` reports it.

use std::collections::BTreeMap;

use fumi_base::errors::unless_unreadable;

use crate::{
    errors::project::ProjectError,
    plotting::read_yaml_files,
    project::{EpisodeFiles, EpisodePlot, FolderRole, NovelSurvey, YamlValue, number_in, read_yaml_text},
    publish::kanji_numbers::in_kanji,
};

/// The chapters of a novel.
pub(crate) struct Chapters {
    titles: BTreeMap<u32, String>,
    /// The headings of the chapters that list their episodes, by episode.
    by_episode: BTreeMap<u32, String>,
}

impl Chapters {
    pub(crate) fn read(survey: &NovelSurvey) -> Result<Self, ProjectError> {
        let mut chapters = Self { titles: BTreeMap::new(), by_episode: BTreeMap::new() };
        for plot in read_yaml_files(survey, FolderRole::ChapterPlots)? {
            let text = |key| plot.get(key).map(YamlValue::words).filter(|words| !words.trim().is_empty());
            let number = text("chapter_number").and_then(|number| number_in(&number));
            let title = text("title").unwrap_or_default();
            let Some(heading) = heading(number, title.trim()) else {
                continue;
            };
            if let Some(YamlValue::List(episodes)) = plot.get("episodes") {
                let numbers = episodes.iter().filter_map(listed_episode);
                chapters.by_episode.extend(numbers.map(|episode| (episode, heading.clone())));
            }
            chapters.titles.extend(number.map(|number| (number, title)));
        }
        Ok(chapters)
    }

    /// Returns the heading of the chapter that contains an episode.
    pub(crate) fn heading_of(&self, episode: u32, files: &EpisodeFiles) -> Result<Option<String>, ProjectError> {
        Ok(match own_number(files)? {
            Some(number) => heading(Some(number), self.titles.get(&number).map_or("", |title| title.trim())),
            None => self.by_episode.get(&episode).cloned(),
        })
    }
}

/// Returns the chapter number in the plot of an episode; `None` if the plot is missing or broken.
fn own_number(files: &EpisodeFiles) -> Result<Option<u32>, ProjectError> {
    let [plot] = files.plots.as_slice() else {
        return Ok(None);
    };
    let plot = read_yaml_text(plot).and_then(|text| EpisodePlot::read(&plot.shown(), &text));
    Ok(unless_unreadable(plot)?.and_then(|plot| plot.episode_info.chapter_number))
}

/// Returns the number of an episode in the list of a chapter plot: a number, or a map with one.
fn listed_episode(entry: &YamlValue) -> Option<u32> {
    let number = entry.get("number").or_else(|| entry.get("episode")).unwrap_or(entry);
    number_in(&number.words())
}

/// Titles that say by themselves which chapter they are.
const COMPLETE_TITLES: [&str; 9] =
    ["序章", "終章", "最終章", "プロローグ", "エピローグ", "幕間", "番外編", "はじめに", "おわりに"];

/// Returns the heading of a chapter: number and title, such as 第一章　灯台. A title that begins with 第一章 or 第二部
/// already, or names a prologue or an epilogue, is complete.
fn heading(number: Option<u32>, title: &str) -> Option<String> {
    let digits = |c: char| c.is_numeric() || "〇一二三四五六七八九十百".contains(c);
    let is_numbered = title.strip_prefix('第').is_some_and(|rest| {
        let after = rest.trim_start_matches(digits);
        after.len() < rest.len() && after.starts_with(['章', '部', '編', '篇', '幕', '巻'])
    });
    let is_complete = is_numbered || COMPLETE_TITLES.iter().any(|known| title.starts_with(known));
    match number.filter(|_| !is_complete).map(in_kanji) {
        Some(number) if title.is_empty() => Some(format!("第{number}章")),
        Some(number) => Some(format!("第{number}章　{title}")),
        None => Some(title.to_owned()).filter(|title| !title.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn headings_have_their_number_once() {
        for (number, title, expected) in [
            (Some(1), "灯台", Some("第一章　灯台")),
            (Some(12), "", Some("第十二章")),
            (Some(2), "第二部　冬", Some("第二部　冬")),
            (Some(3), "第三の男", Some("第三章　第三の男")),
            (Some(9), "エピローグ", Some("エピローグ")),
            (None, "潮", Some("潮")),
            (None, "", None),
        ] {
            assert_eq!(heading(number, title).as_deref(), expected, "{number:?} {title}");
        }
    }
}
