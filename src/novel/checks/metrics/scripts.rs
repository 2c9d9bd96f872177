//! Which scripts narration is written in: shares of kanji, hiragana and katakana among these three.
//!
//! They are counted twice: all of them, and without the names of the novel, which nobody chose for the look of a page.

use super::share;
use crate::{checks::material::Material, manuscript::Voice, morphology::Origin, text::Scripts};

/// Shares of the three scripts; zeros of no letters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScriptShares {
    /// How many letters of the three there are.
    pub letters: usize,
    /// 漢字.
    pub kanji: f64,
    /// ひらがな.
    pub hiragana: f64,
    /// 片仮名.
    pub katakana: f64,
}

impl ScriptShares {
    /// Of characters by script.
    #[must_use]
    pub fn of(scripts: &Scripts) -> Self {
        let letters = scripts.kanji + scripts.hiragana + scripts.katakana;
        Self {
            letters,
            kanji: share(scripts.kanji, letters),
            hiragana: share(scripts.hiragana, letters),
            katakana: share(scripts.katakana, letters),
        }
    }
}

/// What narration is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrittenIn {
    /// Characters by script.
    pub scripts: Scripts,
    /// Their shares.
    pub shares: ScriptShares,
    /// The shares without names of the novel.
    pub without_names: ScriptShares,
}

impl WrittenIn {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let scripts = Scripts::of_story(material.manuscript(), Some(Voice::Narration));
        let mut without = scripts;
        for (_, _, words) in material.heard(Voice::Narration) {
            for word in words.iter().filter(|word| word.origin == Origin::Name) {
                let name = Scripts::of(word.surface);
                // Words are of the same text, so nothing is taken away that was not counted.
                without.kanji = without.kanji.saturating_sub(name.kanji);
                without.hiragana = without.hiragana.saturating_sub(name.hiragana);
                without.katakana = without.katakana.saturating_sub(name.katakana);
            }
        }
        Self {
            scripts,
            shares: ScriptShares::of(&scripts),
            without_names: ScriptShares::of(&without),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::metrics::tests::{is_near, measured_with};

    #[test]
    fn shares_are_of_kanji_and_kana_with_and_without_names() {
        let written = measured_with("　リンは山へ行く、１２回。「海だ」", &["リン"]).scripts;
        // リン 2, は へ く 3, 山 行 回 3.
        assert_eq!((written.shares.letters, written.without_names.letters), (8, 6));
        assert!(is_near(written.shares.katakana, 0.25) && is_near(written.without_names.katakana, 0.0));
        assert!(is_near(written.shares.kanji, 0.375) && is_near(written.without_names.kanji, 0.5));
    }
}
