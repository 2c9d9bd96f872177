//! The rubric for a judge: the open items and the question of each. It does not show measured values, which would
//! suggest a score.
//!
//! The text is sent once for all items of a review, not once per category, because a manuscript costs more tokens than
//! all rubrics together.

use std::fmt::Write as _;

use fumi_base::text::Locale;

use crate::{
    checks::items::{Evaluation, Item},
    project::EpisodeId,
};

const PROMPT_EN: &str = include_str!("prompts/judge.en.md");
const PROMPT_JA: &str = include_str!("prompts/judge.ja.md");

/// Returns the items for a judge: those that take a judgement and are not judged yet.
pub fn open_items(all: &[Evaluation]) -> Vec<&Evaluation> {
    all.iter().filter(|one| one.is_judgeable && one.judged.is_none()).collect()
}

/// Returns the questions of the items as Markdown.
pub fn rubric(items: &[&Evaluation], locale: Locale) -> String {
    let mut text = match locale {
        Locale::En => "# Rubric\n".to_owned(),
        Locale::Ja => "# 採点基準\n".to_owned(),
    };
    for one in items {
        let words = words(one.item, locale);
        // Writing to a `String` does not fail.
        let _ = write!(text, "\n## {} {}\n", one.item.id, words.title);
        text.push_str(words.rubric.as_deref().unwrap_or_default().trim());
        text.push('\n');
    }
    text
}

/// Returns the prompt for a judge.
pub fn instruction(episode: EpisodeId, items: &[&Evaluation], locale: Locale) -> String {
    let prompt = match locale {
        Locale::En => PROMPT_EN,
        Locale::Ja => PROMPT_JA,
    };
    prompt.replace("{episode}", &episode.number().to_string()).replace("{count}", &items.len().to_string())
}

/// Returns the texts of an item's page in a language.
pub fn words(item: &Item, locale: Locale) -> &crate::checks::items::ItemTexts {
    match locale {
        Locale::En => &item.page.en,
        Locale::Ja => &item.page.ja,
    }
}
