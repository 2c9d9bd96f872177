//! The scripts of narration: shares of kanji, hiragana and katakana among these three.
//!
//! They are computed twice, with and without the names of the novel, since the author does not choose the script of a
//! name for the look of a page.

use super::share;
use crate::{checks::material::CheckMaterial, manuscript::TextVoice, morphology::WordOrigin, text::ScriptCounts};

/// The shares of the three scripts; zeros without letters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScriptShares {
    /// The number of letters of the three scripts.
    pub letters: usize,
    /// The share of kanji, 漢字.
    pub kanji: f64,
    /// The share of hiragana, ひらがな.
    pub hiragana: f64,
    /// The share of katakana, 片仮名.
    pub katakana: f64,
}

impl ScriptShares {
    /// Computes the shares from counts of characters by script.
    pub fn from_counts(scripts: &ScriptCounts) -> Self {
        let letters = scripts.kanji + scripts.hiragana + scripts.katakana;
        Self {
            letters,
            kanji: share(scripts.kanji, letters),
            hiragana: share(scripts.hiragana, letters),
            katakana: share(scripts.katakana, letters),
        }
    }
}

/// The scripts of narration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScriptMetrics {
    /// The number of characters by script.
    pub scripts: ScriptCounts,
    pub shares: ScriptShares,
    /// The shares without names of the novel.
    pub without_names: ScriptShares,
}

impl ScriptMetrics {
    pub(super) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let scripts = ScriptCounts::of_story(material.manuscript(), Some(TextVoice::Narration));
        let mut without = scripts;
        for (_, _, words) in material.sentences_in_voice(TextVoice::Narration) {
            for word in words.iter().filter(|word| word.origin == WordOrigin::Name) {
                let name = ScriptCounts::count(word.surface);
                // The words are part of the same text, so nothing is subtracted that was not counted.
                without.kanji = without.kanji.saturating_sub(name.kanji);
                without.hiragana = without.hiragana.saturating_sub(name.hiragana);
                without.katakana = without.katakana.saturating_sub(name.katakana);
            }
        }
        Self {
            scripts,
            shares: ScriptShares::from_counts(&scripts),
            without_names: ScriptShares::from_counts(&without),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::metrics::tests::{is_near, measured_with};

    #[test]
    fn script_shares_with_and_without_names() {
        let written = measured_with("　リンは山へ行く、１２回。「海だ」", &["リン"]).scripts;
        // リン 2, は へ く 3, 山 行 回 3.
        assert_eq!((written.shares.letters, written.without_names.letters), (8, 6));
        assert!(is_near(written.shares.katakana, 0.25) && is_near(written.without_names.katakana, 0.0));
        assert!(is_near(written.shares.kanji, 0.375) && is_near(written.without_names.kanji, 0.5));
    }
}
