//! What a judge is given: which items, what each asks, and what was measured of it.
//!
//! The text goes out once for all items of a review, not once for each category: a manuscript costs more tokens than all rubrics
//! together.

use std::fmt::Write as _;

use fumi_base::text::Locale;

use crate::{
    checks::items::{Evaluation, Item, Kind},
    project::Episode,
};

const PROMPT_EN: &str = include_str!("prompts/judge.en.md");
const PROMPT_JA: &str = include_str!("prompts/judge.ja.md");

/// The items that a judge is asked of some evaluations: those that are not measured alone and that nobody has judged.
#[must_use]
pub fn open_items(all: &[Evaluation]) -> Vec<&Evaluation> {
    let open = |one: &&Evaluation| one.item.page.kind != Kind::Deterministic && one.judged.is_none();
    all.iter().filter(open).collect()
}

/// What each item asks, as Markdown.
#[must_use]
pub fn rubric(items: &[&Evaluation], locale: Locale) -> String {
    let mut text = match locale {
        Locale::En => "# Rubric\n".to_owned(),
        Locale::Ja => "# 採点基準\n".to_owned(),
    };
    for one in items {
        let words = words(one.item, locale);
        // Writing to a text does not fail.
        let _ = write!(text, "\n## {} {}\n", one.item.id, words.title);
        text.push_str(words.rubric.as_deref().unwrap_or_default().trim());
        text.push('\n');
        if let Some(prior) = one.measure.as_ref().and_then(|measure| measure.score) {
            let _ = match locale {
                Locale::En => writeln!(text, "(Measured: {prior:.2})"),
                Locale::Ja => writeln!(text, "（測定値: {prior:.2}）"),
            };
        }
    }
    text
}

/// What a judge is told.
#[must_use]
pub fn instruction(episode: Episode, items: &[&Evaluation], locale: Locale) -> String {
    let prompt = match locale {
        Locale::En => PROMPT_EN,
        Locale::Ja => PROMPT_JA,
    };
    let ids: Vec<&str> = items.iter().map(|one| one.item.id.as_str()).collect();
    prompt
        .replace("{episode}", &episode.number().to_string())
        .replace("{count}", &items.len().to_string())
        .replace("{items}", &ids.join(", "))
}

/// What the page of an item says in a language.
#[must_use]
pub fn words(item: &Item, locale: Locale) -> &crate::checks::items::ItemWords {
    match locale {
        Locale::En => &item.page.en,
        Locale::Ja => &item.page.ja,
    }
}
