//! Runs: maximal sequences of katakana or of kanji, used to find names missing from the settings.
//!
//! A run is known if the dictionary or the settings have words in it of more than one character. Kanji numbers are
//! known. The meaning of a run is not determined.

use std::ops::Range;

use crate::{
    checks::material::CheckMaterial,
    manuscript::is_kanji,
    morphology::{Morpheme, WordOrigin},
};

/// The script of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Katakana, including ー.
    Katakana,
    /// Kanji, including 々.
    Kanji,
}

/// A maximal sequence of one script in the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptRun {
    /// The script of all its characters.
    pub script: Script,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    pub characters: usize,
    /// The index of its sentence.
    pub sentence: usize,
    /// True if the run contains a name of the settings.
    pub has_name: bool,
    /// True if the dictionary or the settings know the run.
    pub is_known: bool,
    /// The ranges of the visible text that are dictionary words of two or more characters, or suffixes of these.
    pub ordinary: Vec<Range<usize>>,
}

/// Returns the script of a character; `None` if it cannot be part of a run.
pub fn script(c: char) -> Option<Script> {
    match c {
        'ァ'..='ヺ' | 'ー'..='ヾ' => Some(Script::Katakana),
        c if is_kanji(c) => Some(Script::Kanji),
        _ => None,
    }
}

/// Returns the runs of the story, in the order of its sentences.
pub fn runs(material: &CheckMaterial<'_>) -> Vec<ScriptRun> {
    let mut runs = Vec::new();
    for (at, sentence) in material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story()) {
        let words = material.words_of(at);
        let mut word = 0;
        for piece in &sentence.pieces {
            let text = &material.text()[piece.visible.clone()];
            let mut open: Option<ScriptRun> = None;
            let end = (text.len(), '\n');
            for (offset, c) in text.char_indices().chain(std::iter::once(end)) {
                let script = script(c);
                if let Some(run) = open.take_if(|run| Some(run.script) != script) {
                    runs.push(known(run, words, &mut word));
                }
                let Some(script) = script else { continue };
                let place = piece.visible.start + offset;
                let run = open.get_or_insert(ScriptRun {
                    script,
                    visible: place..place,
                    characters: 0,
                    sentence: at,
                    has_name: false,
                    is_known: false,
                    ordinary: Vec::new(),
                });
                run.visible.end = place + c.len_utf8();
                run.characters += 1;
            }
        }
    }
    runs
}

/// Completes a run with the properties of its words. `from` is the index of the next word, carried over from run to
/// run.
fn known(mut run: ScriptRun, words: &[Morpheme<'_>], from: &mut usize) -> ScriptRun {
    while words.get(*from).is_some_and(|word| word.visible.end <= run.visible.start) {
        *from += 1;
    }
    let within = words[*from..].iter().take_while(|word| word.visible.start < run.visible.end);
    let (mut unknown, mut number) = (false, false);
    for word in within {
        run.has_name |= word.origin == WordOrigin::Name;
        number |= word.has_parts(&["名詞", "数"]);
        unknown |= word.origin == WordOrigin::Unknown;
        // In 文学者, 文学 is ordinary and so is its suffix 者.
        let goes_on =
            word.has_parts(&["名詞", "接尾"]) && run.ordinary.last().is_some_and(|last| last.end == word.visible.start);
        if word.origin == WordOrigin::Dictionary && (goes_on || word.surface.chars().nth(1).is_some()) {
            run.ordinary.push(word.visible.clone());
        }
    }
    run.is_known = run.has_name
        || number
        || match run.script {
            Script::Katakana => !unknown,
            Script::Kanji => !unknown && !run.ordinary.is_empty(),
        };
    run
}

#[cfg(test)]
mod tests {
    use super::runs;
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    #[test]
    fn known_runs_contain_known_words() {
        let draft =
            AnalysedDraft::read("　ザルカ式の扉を文学者と二十年も戸賀崎で見たラジオ。\n", ManuscriptOptions::default());
        let (context, tuning) = (NovelContext::default(), Tuning::default());
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let shown: Vec<(&str, bool)> =
            runs(&material).iter().map(|run| (&material.text()[run.visible.clone()], run.is_known)).collect();
        let expected = [
            ("ザルカ", false),
            ("式", false),
            ("扉", false),
            ("文学者", true),
            ("二十年", true),
            ("戸賀崎", false),
            ("見", false),
            ("ラジオ", true),
        ];
        assert_eq!(shown, expected);
    }
}
