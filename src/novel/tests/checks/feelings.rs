//! Tests of feelings that are named, negated or shown.

use fumi_novel::checks::{NovelContext, Tuning};

use super::with_material;

/// Returns the feelings that a text names, with ¬ if negated, and the gestures that it shows.
fn felt(text: &str) -> (Vec<String>, Vec<String>) {
    with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
        let feelings = material.feelings();
        let told = feelings.named.iter().map(|feeling| {
            let word = &material.text()[feeling.visible.clone()];
            format!("{}{word}", if feeling.is_negated { "¬" } else { "" })
        });
        let shown = feelings.shown.iter().map(|reaction| format!("{}:{}", reaction.gesture.0, reaction.gesture.1));
        (told.collect(), shown.collect())
    })
}

#[test]
fn a_feeling_is_denied_by_its_own_negation_alone() {
    let denied = ["嬉しくない。", "不安ではなかった。", "悲しいわけではない。", "心配せずに寝た。", "喜びはない。"];
    for text in denied {
        assert!(felt(text).0.iter().all(|word| word.starts_with('¬')), "{text}: {:?}", felt(text));
        assert_eq!(felt(text).0.len(), 1, "{text}");
    }
    for text in ["嬉しくてたまらない。", "悲しくて、声も出ない。", "不安になった。", "怒りに眠れない。"]
    {
        assert!(felt(text).0.iter().all(|word| !word.starts_with('¬')), "{text}: {:?}", felt(text));
        assert_eq!(felt(text).0.len(), 1, "{text}");
    }
}

#[test]
fn a_gesture_is_a_phrase_or_the_nearest_noun_with_its_verb() {
    assert_eq!(felt("唇を噛んだ。").1, ["唇:噛む"]);
    assert_eq!(felt("手を握り、声が小さく震えた。").1, ["声:震える"]);
    assert_eq!(felt("手を伸ばし、目を上げた。").1, Vec::<String>::new());
    // The phrase and the pair of words count as the same gesture, so that a tic is recognised in any form.
    assert_eq!(felt("手が震えた。手はまだ震えている。").1, ["手:震える", "手:震える"]);
}
