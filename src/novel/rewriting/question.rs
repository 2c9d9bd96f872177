//! The question for variants of a passage: the passage, the text around it, the facts about style, and the criteria.

use std::borrow::Cow;

use fumi_base::{
    template::fill,
    text::{BilingualText, Locale},
};

use super::{ManuscriptPassage, RewriteMode, StyleFacts, passage::line_feeds};
use crate::{checks::CheckMaterial, manuscript::Manuscript, project::EpisodeId};

/// The largest number of variants of one question.
pub const VARIANTS: usize = 5;

/// The numbers of paragraphs and of characters shown before and after the passage.
const PARAGRAPHS: usize = 2;
const AROUND: usize = 500;

/// The texts of a mode in both languages: what to do.
macro_rules! prompts {
    ($($mode:ident: $name:literal,)*) => {
        const fn task(mode: RewriteMode, locale: Locale) -> &'static str {
            match (mode, locale) {
                $(
                    (RewriteMode::$mode, Locale::En) => include_str!(concat!("prompts/", $name, ".en.md")),
                    (RewriteMode::$mode, Locale::Ja) => include_str!(concat!("prompts/", $name, ".ja.md")),
                )*
            }
        }
    };
}

prompts! {
    Rewrite: "rewrite",
    Expand: "expand",
    Tighten: "tighten",
}

/// A question for variants of a passage.
#[derive(Clone, Debug)]
pub struct RewriteQuestion<'a> {
    pub episode: EpisodeId,
    pub passage: &'a ManuscriptPassage,
    pub mode: RewriteMode,
    /// The wish of the caller.
    pub wish: Option<&'a str>,
    /// The number of variants.
    pub variants: usize,
}

impl RewriteQuestion<'_> {
    /// Returns the prompt.
    pub fn instruction(&self, material: &CheckMaterial<'_>, locale: Locale) -> String {
        let (before, after) = around(material.manuscript(), self.passage);
        let nearby = format!("{before}\n{}\n{after}", material.manuscript().visible_in(&self.passage.range));
        let style = StyleFacts::of_material(material, &nearby).lines(locale);
        let (template, wish, facts) = match locale {
            Locale::En => (include_str!("prompts/passage.en.md"), "The author's wish: ", "Facts about the style:\n"),
            Locale::Ja => (include_str!("prompts/passage.ja.md"), "作者の希望：", "文体と人物：\n"),
        };
        let optional = |head: &str, text: &str| match text.trim() {
            "" => String::new(),
            text => format!("\n{head}{text}\n"),
        };
        let (least, most) = self.mode.lengths(self.passage.characters);
        let value = |name: &str| -> Option<Cow<'_, str>> {
            Some(match name {
                "episode" => self.episode.number().to_string().into(),
                "task" => task(self.mode, locale).trim_end().into(),
                "wish" => optional(wish, self.wish.unwrap_or_default()).into(),
                "style" => optional(facts, &style).into(),
                "variants" => self.variants.to_string().into(),
                "characters" => self.passage.characters.to_string().into(),
                "least" => least.to_string().into(),
                "most" => most.to_string().into(),
                "before" => before.as_str().into(),
                "passage" => self.passage.text.as_str().into(),
                "after" => after.as_str().into(),
                _ => return None,
            })
        };
        fill(template.trim_end(), ("{", "}"), value)
    }

    /// Returns the criteria by which an answer is judged.
    pub fn criteria(&self) -> Vec<BilingualText> {
        let (variants, passage) = (self.variants, self.passage.characters);
        let (least, most) = self.mode.lengths(passage);
        vec![
            BilingualText::new(
                format!("{variants} texts, each different from the passage and from the others"),
                format!("案は {variants} つ。どれも元の箇所とも、ほかの案とも違うこと"),
            ),
            BilingualText::new(
                format!("{least} to {most} visible characters each (the passage has {passage})"),
                format!("どの案も可視文字で {least}〜{most} 字であること（元は {passage} 字）"),
            ),
            BilingualText::new(
                "ruby and notes of the passage are kept, brackets and marks are paired, and the text around it is read as before",
                "元のルビと注記を残し、括弧や記号の対を崩さず、前後の読まれ方を変えないこと",
            ),
            BilingualText::new(
                "no remarks of an assistant, numbers or headings around a text, and no code fence",
                "前置き・番号・見出しなど本文でない言葉と、コードの囲みがないこと",
            ),
        ]
    }
}

/// Returns the paragraphs before and after a passage, cut to a number of characters.
fn around(manuscript: &Manuscript, passage: &ManuscriptPassage) -> (String, String) {
    let source = manuscript.source();
    let (before, after) = (line_feeds(&source[..passage.range.start]), line_feeds(&source[passage.range.end..]));
    let is_text = |line: &&str| !line.trim().is_empty();
    // The rest of a paragraph from which the passage was taken is not counted.
    let count = |rest: Option<&str>| PARAGRAPHS + usize::from(rest.is_some_and(|rest| !rest.trim().is_empty()));
    let mut head: Vec<&str> =
        before.split('\n').rev().filter(is_text).take(count(before.split('\n').next_back())).collect();
    head.reverse();
    let tail: Vec<&str> = after.split('\n').filter(is_text).take(count(after.split('\n').next())).collect();
    let (head, tail) = (head.join("\n"), tail.join("\n"));
    let skipped = head.chars().count().saturating_sub(AROUND);
    (head.chars().skip(skipped).collect(), tail.chars().take(AROUND).collect())
}
