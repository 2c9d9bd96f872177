//! Shares of a text: its scripts, and its dialogue.
//!
//! Counts are of visible characters without white space. Shares are not judged here.

use std::ops::AddAssign;

use crate::manuscript::{CharacterCounts, LineKind, Manuscript, ManuscriptPart, TextVoice, is_counted, is_kanji};

/// Character counts by script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptCounts {
    /// Kanji (漢字), with 々 and other iteration marks.
    pub kanji: usize,
    /// Hiragana (ひらがな) with iteration marks.
    pub hiragana: usize,
    /// Katakana (カタカナ) of both widths, with ー.
    pub katakana: usize,
    /// Latin letters of both widths, with accents.
    pub latin: usize,
    /// Digits of both widths.
    pub digits: usize,
    /// All other characters: punctuation, brackets, signs, other scripts.
    pub marks: usize,
}

impl ScriptCounts {
    /// Counts the characters of a visible text.
    pub fn count(visible: &str) -> Self {
        let mut scripts = Self::default();
        for c in visible.chars().filter(|c| is_counted(*c)) {
            *scripts.of_character(c) += 1;
        }
        scripts
    }

    /// Counts the story: the body without its headings, or one voice of it.
    pub fn of_story(manuscript: &Manuscript, voice: Option<TextVoice>) -> Self {
        let mut scripts = Self::default();
        for (range, heard) in manuscript.voices() {
            if voice.is_none_or(|voice| voice == heard) {
                scripts += Self::count(manuscript.visible_in(&range));
            }
        }
        scripts
    }

    /// Returns the number of all characters.
    pub fn total(&self) -> usize {
        self.kanji + self.hiragana + self.katakana + self.latin + self.digits + self.marks
    }

    fn of_character(&mut self, c: char) -> &mut usize {
        match c {
            'ぁ'..='ゖ' | 'ゝ'..='ゟ' => &mut self.hiragana,
            'ァ'..='ヺ' | 'ー'..='ヿ' | 'ｦ'..='ﾟ' | '\u{31f0}'..='\u{31ff}' => &mut self.katakana,
            '0'..='9' | '０'..='９' => &mut self.digits,
            'A'..='Z' | 'a'..='z' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' => {
                &mut self.latin
            }
            c if is_kanji(c) => &mut self.kanji,
            _ => &mut self.marks,
        }
    }
}

impl AddAssign for ScriptCounts {
    fn add_assign(&mut self, other: Self) {
        self.kanji += other.kanji;
        self.hiragana += other.hiragana;
        self.katakana += other.katakana;
        self.latin += other.latin;
        self.digits += other.digits;
        self.marks += other.marks;
    }
}

/// The share of dialogue in a story, counted by characters and by lines; both are common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DialogueRatio {
    /// The characters within dialogue brackets, including the brackets.
    pub spoken: CharacterCounts,
    /// All characters of the story.
    pub all: CharacterCounts,
    /// The number of lines that begin with dialogue.
    pub spoken_lines: usize,
    /// The number of all lines of prose.
    pub lines: usize,
}

impl DialogueRatio {
    /// Counts the body without its headings.
    pub fn count(manuscript: &Manuscript) -> Self {
        let mut ratio = Self::default();
        for (range, voice) in manuscript.voices() {
            let counts = CharacterCounts::count(manuscript.visible_in(&range));
            ratio.all += counts;
            if voice == TextVoice::Dialogue {
                ratio.spoken += counts;
            }
        }
        for line in manuscript.lines() {
            if line.part != ManuscriptPart::Body || line.kind != LineKind::Paragraph {
                continue;
            }
            let text = manuscript.visible_in(&line.content).trim_start();
            ratio.lines += usize::from(!text.is_empty());
            ratio.spoken_lines += usize::from(text.starts_with(['「', '『']));
        }
        ratio
    }

    /// Returns the share of characters, from 0 to 1; `None` for an empty story.
    pub fn by_characters(&self) -> Option<f64> {
        share(self.spoken.characters, self.all.characters)
    }

    /// Returns the share of lines, from 0 to 1; `None` for an empty story.
    pub fn by_lines(&self) -> Option<f64> {
        share(self.spoken_lines, self.lines)
    }
}

/// Divides two counts, which are far below the 2⁵² that a float represents exactly.
fn share(some: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::{DialogueRatio, ScriptCounts};
    use crate::manuscript::{Manuscript, ManuscriptOptions};

    #[test]
    fn every_character_is_of_one_script() {
        let scripts = ScriptCounts::count("三ヶ月　ぶりのｶﾅ、ABＣ1２。é々");
        let expected = ScriptCounts { kanji: 3, hiragana: 3, katakana: 3, latin: 4, digits: 2, marks: 2 };
        assert_eq!((scripts, scripts.total()), (expected, 17));
    }

    #[test]
    fn speech_is_counted_by_characters_and_by_lines() {
        let text = "# 題\n\n　男は言った。\n「行く」\n\n「うん」と答えた。\n";
        let ratio = DialogueRatio::count(&Manuscript::read(text, ManuscriptOptions::default()));
        assert_eq!((ratio.spoken.characters, ratio.all.characters), (8, 19));
        assert_eq!((ratio.spoken_lines, ratio.lines), (2, 3));
        assert_eq!(ratio.all.with_spaces, 20);
        assert_eq!(DialogueRatio::default().by_lines(), None);
    }
}
