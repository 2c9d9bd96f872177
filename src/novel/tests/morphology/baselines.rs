//! Figures for 坊っちゃん measured with another program; ours agree within 3 %.

use fumi_novel::{
    manuscript::{CharacterCounts, TextVoice},
    text::{DialogueRatio, ScriptCounts, Sentences},
};

use super::bocchan;

fn float(count: usize) -> f64 {
    count as f64
}

fn is_near(what: &str, measured: f64, expected: f64) {
    let difference = (measured - expected).abs() / expected;
    println!("{what}: {measured:.4}, expected {expected}");
    assert!(difference <= 0.03, "{what}: {measured} is not {expected}");
}

#[test]
fn the_narration_of_bocchan_has_the_known_rhythm() {
    let manuscript = bocchan();
    let sentences = Sentences::find(&manuscript);
    let narration: Vec<_> = sentences.story(TextVoice::Narration).map(|(_, sentence)| sentence).collect();
    let lengths: Vec<f64> = narration.iter().map(|one| float(one.counts(&manuscript).characters)).collect();
    let number = float(lengths.len());
    let mean = lengths.iter().sum::<f64>() / number;
    let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / number;
    let share = |of: &dyn Fn(f64) -> bool| float(lengths.iter().filter(|length| of(**length)).count()) / number;
    is_near("sentences", number, 2197.0);
    is_near("mean", mean, 33.4);
    is_near("coefficient of variation", variance.sqrt() / mean, 0.64);
    is_near("to 20", share(&|length| length <= 20.0), 0.31);
    is_near("21 to 50", share(&|length| length > 20.0 && length <= 50.0), 0.52);
    is_near("over 50", share(&|length| length > 50.0), 0.17);
    let commas: usize = narration.iter().map(|one| one.text(&manuscript).matches('、').count()).sum();
    is_near("commas", float(commas) / number, 1.07);
}

/// The other program counts dialogue without its brackets; this crate always includes them.
#[test]
fn bocchan_speaks_as_much_as_is_known() {
    let manuscript = bocchan();
    let ratio = DialogueRatio::count(&manuscript);
    let brackets: usize = manuscript
        .voices()
        .into_iter()
        .filter(|(_, voice)| *voice == TextVoice::Dialogue)
        .map(|(range, _)| manuscript.visible_in(&range).matches(['「', '」', '『', '』']).count())
        .sum();
    is_near("without brackets", float(ratio.spoken.characters - brackets) / float(ratio.all.characters), 0.16);
    is_near("with brackets", ratio.by_characters().expect("a story"), 0.1696);
    is_near("by lines", ratio.by_lines().expect("a story"), 268.0 / 471.0);
    assert_eq!(ratio.spoken, manuscript.count_voice(TextVoice::Dialogue));
}

#[test]
fn scripts_and_voices_add_up() {
    let manuscript = bocchan();
    let all = ScriptCounts::of_story(&manuscript, None);
    let voices = [TextVoice::Narration, TextVoice::Dialogue, TextVoice::Thought];
    let each: usize = voices.iter().map(|voice| ScriptCounts::of_story(&manuscript, Some(*voice)).total()).sum();
    let sentences = Sentences::find(&manuscript);
    let story = sentences.all().iter().filter(|sentence| sentence.is_story());
    let counted: CharacterCounts = story.map(|sentence| sentence.counts(&manuscript)).sum();
    assert_eq!((all.total(), each), (88_260, 88_260));
    assert_eq!(counted.characters, 88_260);
    assert_eq!((all.kanji, all.digits), (24_985, 0));
}
