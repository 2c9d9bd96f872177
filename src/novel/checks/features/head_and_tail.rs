//! The first and the last characters of a story, as ranges of the visible text.
//!
//! White space and headings do not count. If the story is shorter, the range covers all of it.

use std::ops::Range;

use crate::{checks::material::CheckMaterial, manuscript::is_counted};

/// Returns the range of the first `characters` characters of the story.
pub fn head(material: &CheckMaterial<'_>, characters: usize) -> Range<usize> {
    let text = material.text();
    let mut left = characters;
    let mut range = None;
    for paragraph in material.paragraphs() {
        let from = range.as_ref().map_or(paragraph.visible.start, |range: &Range<usize>| range.start);
        for (at, c) in text[paragraph.visible.clone()].char_indices().filter(|(_, c)| is_counted(*c)) {
            if left == 0 {
                return from..range.map_or(from, |range| range.end);
            }
            left -= 1;
            range = Some(from..paragraph.visible.start + at + c.len_utf8());
        }
    }
    range.unwrap_or(0..0)
}

/// Returns the range of the last `characters` characters of the story.
pub fn tail(material: &CheckMaterial<'_>, characters: usize) -> Range<usize> {
    let text = material.text();
    let mut left = characters;
    let mut range = None;
    let paragraphs: Vec<_> = material.paragraphs().collect();
    for paragraph in paragraphs.iter().rev() {
        let to = range.as_ref().map_or(paragraph.visible.end, |range: &Range<usize>| range.end);
        for (at, _) in text[paragraph.visible.clone()].char_indices().rev().filter(|(_, c)| is_counted(*c)) {
            if left == 0 {
                return range.unwrap_or(to..to);
            }
            left -= 1;
            range = Some(paragraph.visible.start + at..to);
        }
    }
    range.unwrap_or(0..0)
}

#[cfg(test)]
mod tests {
    use super::{head, tail};
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    #[test]
    fn head_and_tail_skip_headings_and_spaces() {
        let draft = AnalysedDraft::read("# 題\n\n　春が来た。\n　夏　も来た。\n", ManuscriptOptions::default());
        let (context, tuning) = (NovelContext::default(), Tuning::default());
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let shown = |range: std::ops::Range<usize>| material.text()[range].trim().replace('\n', "/");
        assert_eq!(shown(head(&material, 3)), "春が来");
        assert_eq!(shown(head(&material, 7)), "春が来た。/　夏　も");
        assert_eq!(shown(tail(&material, 4)), "も来た。");
        assert_eq!(shown(tail(&material, 6)), "。/　夏　も来た。");
        assert_eq!(shown(head(&material, 99)), shown(tail(&material, 99)));
    }
}
