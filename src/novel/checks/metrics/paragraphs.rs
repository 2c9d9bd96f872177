//! The lengths of paragraphs with narration, in visible characters, including speech within them.
//!
//! Paragraphs of speech only are left out, since on a screen every utterance is a paragraph.

use super::lengths::Spread;
use crate::{
    checks::material::CheckMaterial,
    manuscript::{CharacterCounts, TextVoice},
};

/// The coefficient of variation at which paragraphs count as varied enough (novel-checks 2.2).
const VARIED: f64 = 0.6;

/// The lengths of paragraphs with narration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParagraphLengths {
    /// For each paragraph, the index of its line in [`crate::manuscript::Manuscript::lines`] and its number of
    /// characters.
    pub lengths: Vec<(usize, usize)>,
    /// The mean and deviation of the lengths.
    pub spread: Spread,
    /// 100·min(1, CV/0.6) (novel-checks 2.2); `None` for fewer than two paragraphs.
    pub variation_score: Option<f64>,
}

impl ParagraphLengths {
    pub(super) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let mut lines: Vec<usize> =
            material.sentences_in_voice(TextVoice::Narration).map(|(_, sentence, _)| sentence.line).collect();
        lines.dedup();
        let manuscript = material.manuscript();
        let length =
            |line: &usize| CharacterCounts::count(manuscript.visible_in(&manuscript.lines()[*line].content)).characters;
        let lengths: Vec<(usize, usize)> = lines.iter().map(|line| (*line, length(line))).collect();
        let spread = Spread::from_numbers(lengths.iter().map(|(_, length)| *length as f64));
        Self {
            variation_score: (spread.count > 1).then(|| 100.0 * (spread.variation() / VARIED).min(1.0)),
            lengths,
            spread,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::metrics::tests::{is_near, measured};

    #[test]
    fn speech_paragraphs_are_excluded() {
        let paragraphs = measured("　朝だ。夜だ。\n「おはよう」\n「ああ」と言う。\n").paragraphs;
        assert_eq!(paragraphs.lengths, [(0, 6), (2, 8)]);
        // The mean is 7 and the deviation 1: (1/7)/0.6.
        let score = paragraphs.variation_score.expect("two paragraphs");
        assert!(is_near(score, 100.0 / 7.0 / 0.6), "{score}");
    }
}
