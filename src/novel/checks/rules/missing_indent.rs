//! Rule `missing_indent`: finds paragraphs of narration without the indent that the others have.

use super::{
    RuleReporter,
    signs::{is_closing, is_digit, is_latin, is_letter, is_numeral},
};
use crate::{
    checks::{ParagraphIndent, finding::Finding, material::CheckMaterial},
    manuscript::TextVoice,
};

/// Words at the head of a paragraph of a letter, which stand without an indent.
const LETTER: [&str; 12] =
    ["追伸", "追って", "拝啓", "前略", "謹啓", "敬具", "草々", "早々", "かしこ", "謹白", "二伸", "再伸"];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let setting = material.tuning().paragraph_indent;
    if setting == Some(ParagraphIndent::Never) {
        return;
    }
    let source = material.manuscript().source();
    let (mut indented, mut flush) = (0_usize, Vec::new());
    let mut follows_speech = false;
    for prose in material.paragraphs() {
        let text = &material.text()[prose.visible.clone()];
        let words = text.trim_start();
        let Some(first) = words.chars().next() else { continue };
        // と彼は言った continues the speech before it, and a bare number is a heading.
        let is_rest = std::mem::replace(&mut follows_speech, words.trim_end().ends_with(is_closing)) && first == 'と';
        let is_number = is_number(words);
        let at = prose.visible.start + (text.len() - words.len());
        let first_source = material.source_of(&(at..at + first.len_utf8()));
        let is_counted = !is_rest
            && !is_number
            && !LETTER.iter().any(|head| words.starts_with(head))
            && (is_letter(first) || is_latin(first) || is_digit(first))
            && material.voice_at(first_source.start) == TextVoice::Narration
            && !source[prose.source.clone()].starts_with("［＃");
        if is_counted && words.len() < text.len() {
            indented += 1;
        } else if is_counted {
            flush.push((prose.source.start, first_source));
        }
    }
    let all = indented + flush.len();
    let share = indented as f64 / all.max(1) as f64;
    let is_mixed =
        all >= found.limit("paragraphs") && (found.threshold("least")..=found.threshold("most")).contains(&share);
    if setting.is_none() && !is_mixed {
        return;
    }
    let is_clear = setting.is_some() || share >= found.threshold("enough_to_mend");
    for (start, first) in flush {
        let finding = Finding::at(first);
        found.push(if is_clear { finding.with_edit(start..start, "　") } else { finding });
    }
}

/// True if a paragraph is a bare number, or begins with a list number: 一）船.
fn is_number(words: &str) -> bool {
    let rest = words.trim_start_matches(|c| is_numeral(c) || is_latin(c)).trim_end();
    rest.is_empty() || (rest.len() < words.len() && rest.starts_with(['）', ')', '．', '.', '：', ':']))
}
