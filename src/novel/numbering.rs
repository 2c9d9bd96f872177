//! Episode numbers that differ from that of the file: in the heading of a manuscript, in a plot, in a recorded state.
//!
//! The name of a file decides which episode it is. The numbers inside are the author's to change, so nothing is written
//! here. A heading may count from the beginning of its chapter.

use std::{collections::BTreeMap, ops::Range};

use fumi_base::{
    encoding::{self, EncodingChoice},
    files,
    text::BilingualText,
};

use crate::{
    finishing::Chapters,
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    memory::{EpisodeState, state_path},
    project::{EpisodeFiles, EpisodeId, EpisodePlot, MANUSCRIPT_BYTES, NovelSurvey, read_yaml_text},
    publish::kanji_numbers::in_kanji,
};

/// A heading whose number differs from that of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherNumber {
    /// The range of the digits in the source.
    digits: Range<usize>,
    /// The number as the heading has it: 第二話.
    stated: String,
    /// The number of the file, written in the same way.
    expected: String,
    number: u32,
}

impl OtherNumber {
    /// Returns the number in the heading of a manuscript if it is not that of the file.
    pub(crate) fn find(manuscript: &Manuscript, episode: EpisodeId) -> Option<Self> {
        let lines = manuscript.lines().iter().filter(|line| line.part == ManuscriptPart::Title);
        let mut filled = lines.filter(|line| !manuscript.visible_in(&line.content).trim().is_empty());
        let content = filled.next()?.content.clone();
        let line = &manuscript.source()[content.clone()];
        let (before, rest) = line.split_once('第')?;
        let (digits, _) = rest.split_once('話')?;
        let (number, _) = EpisodeId::parse_stem(&format!("第{digits}話"))?;
        if number == episode || !before.chars().all(|c| c == '#' || c.is_whitespace()) {
            return None;
        }
        let start = content.start + before.len() + '第'.len_utf8();
        let expected = like(digits, episode.number());
        Some(Self {
            digits: start..start + digits.len(),
            stated: format!("第{digits}話"),
            expected: format!("第{expected}話"),
            number: number.number(),
        })
    }

    /// True if the number counts the episodes of the chapter that contains the episode, and the chapter is not the first.
    pub(crate) fn counts_from_chapter(&self, survey: &NovelSurvey, episode: EpisodeId) -> bool {
        let Some(first) = (episode.number() + 1).checked_sub(self.number).filter(|first| *first > 1) else {
            return false;
        };
        let Ok(chapters) = Chapters::read(survey) else { return false };
        let chapter = |number: u32| {
            let files = survey.episodes.get(&EpisodeId::new(number)?)?;
            chapters.heading_of(number, files).ok()?
        };
        chapter(first).is_some() && chapter(first) == chapter(episode.number()) && chapter(first - 1) != chapter(first)
    }

    /// Returns the source with the number of the file in its heading.
    pub(crate) fn corrected(&self, source: &str) -> String {
        let digits = self.expected.trim_start_matches('第').trim_end_matches('話');
        [&source[..self.digits.start], digits, &source[self.digits.end..]].concat()
    }

    /// Returns a remark about what was published instead.
    pub(crate) fn published(&self, path: &str) -> BilingualText {
        let Self { stated, expected, .. } = self;
        BilingualText::new(
            format!(
                "{path}: the heading has the number {stated}; the published files have that of the file, {expected}. Correct the heading too."
            ),
            format!(
                "{path} の見出しは「{stated}」ですが、公開用のファイルではファイル名に合わせて「{expected}」としました。原稿の見出しも直してください。"
            ),
        )
    }

    fn remark(&self, path: &str, episode: EpisodeId) -> BilingualText {
        let (stated, number) = (&self.stated, episode.number());
        BilingualText::new(
            format!("{path}: the heading has the number {stated}, but the file is that of episode {number}."),
            format!("{path} は第{number}話のファイルですが、見出しは「{stated}」です。"),
        )
    }
}

/// Writes a number with the digits of another: 12, ０１２ or 十二.
fn like(digits: &str, number: u32) -> String {
    let is_wide = |c: char| ('０'..='９').contains(&c);
    let width = digits.trim().chars().count();
    let padded = digits.trim().starts_with(['0', '０']);
    let plain = if padded { format!("{number:0width$}") } else { number.to_string() };
    if digits.chars().any(|c| c.is_ascii_digit()) {
        plain
    } else if digits.chars().any(is_wide) {
        let wide = |c: char| c.to_digit(10).and_then(|digit| char::from_u32('０' as u32 + digit)).unwrap_or(c);
        plain.chars().map(wide).collect()
    } else {
        in_kanji(number)
    }
}

/// Returns remarks about headings and plots whose number differs from that of their file. Files that cannot be read are
/// left out; other remarks report them.
pub fn number_remarks(survey: &NovelSurvey) -> Vec<BilingualText> {
    let remarks = survey.episodes.iter().flat_map(|(episode, files)| {
        heading_remark(survey, *episode, files).into_iter().chain(plot_remark(*episode, files))
    });
    remarks.collect()
}

fn heading_remark(survey: &NovelSurvey, episode: EpisodeId, files: &EpisodeFiles) -> Option<BilingualText> {
    let [file] = files.manuscripts.as_slice() else { return None };
    let bytes = files::read(file, MANUSCRIPT_BYTES).ok()?;
    let text = encoding::decode(&bytes, EncodingChoice::Auto).text;
    // Only the beginning is parsed: a heading is the first line of a text, or follows its front matter.
    let (end, _) = text.char_indices().nth(HEAD).unwrap_or((text.len(), ' '));
    let head = Manuscript::read(&text[..end], ManuscriptOptions::default());
    let other = OtherNumber::find(&head, episode).filter(|other| !other.counts_from_chapter(survey, episode))?;
    Some(other.remark(&file.shown(), episode))
}

/// The number of characters from the beginning of a manuscript that contain its heading.
const HEAD: usize = 2_000;

fn plot_remark(episode: EpisodeId, files: &EpisodeFiles) -> Option<BilingualText> {
    let [file] = files.plots.as_slice() else { return None };
    let path = file.shown();
    let plot = EpisodePlot::read(&path, &read_yaml_text(file).ok()?).ok()?;
    let says = plot.episode_info.episode_number.filter(|says| *says != episode.number())?;
    let number = episode.number();
    Some(BilingualText::new(
        format!("{path}: episode_number is {says}, but the file is that of episode {number}."),
        format!("{path} は第{number}話のファイルですが、episode_number は {says} です。"),
    ))
}

/// Returns remarks about states that were recorded from the text that another episode has now. `hashes` contains the hash
/// of each manuscript.
pub(crate) fn state_remarks(states: &[EpisodeState], hashes: &BTreeMap<u32, String>) -> Vec<BilingualText> {
    let moved = states.iter().filter_map(|state| {
        let is_own = hashes.get(&state.episode).is_some_and(|hash| *hash == state.sha256);
        let now = hashes.iter().find(|(_, hash)| **hash == state.sha256).map(|(episode, _)| *episode);
        let now = now.filter(|_| !is_own)?;
        let path = state_path(EpisodeId::new(state.episode)?);
        Some(BilingualText::new(
            format!(
                "{path} records the text that is episode {now} now, but counts as the record of episode {}.",
                state.episode
            ),
            format!(
                "{path} は、いまの第{now}話の本文から作った記録ですが、第{}話の記録として扱われています。",
                state.episode
            ),
        ))
    });
    moved.collect()
}

#[cfg(test)]
mod tests {
    use super::{OtherNumber, like};
    use crate::{
        manuscript::{Manuscript, ManuscriptOptions},
        project::EpisodeId,
    };

    #[test]
    fn numbers_keep_their_digits() {
        for (digits, expected) in [("2", "13"), ("02", "13"), ("002", "013"), ("２", "１３"), ("二", "十三")] {
            assert_eq!(like(digits, 13), expected);
        }
    }

    #[test]
    fn only_the_number_of_a_heading_is_corrected() {
        let episode = EpisodeId::new(3).expect("a number");
        let read = |text: &str| Manuscript::read(text, ManuscriptOptions::default());
        let text = "# 第2話　第2話の幽霊\n\n　第2話を読んだ。\n";
        let other = OtherNumber::find(&read(text), episode).expect("another number");
        assert_eq!(other.corrected(text), "# 第3話　第2話の幽霊\n\n　第2話を読んだ。\n");
        for same in
            ["# 第三話　題\n\n　朝。\n", "# 題\n\n　第二話。\n", "　第二話を読んだ。\n", "# 続・第二話\n\n　朝。\n", ""]
        {
            assert_eq!(OtherNumber::find(&read(same), episode), None, "{same}");
        }
    }
}
