//! Tests of speaker attribution and its certainty: by narration, by turns, and in undecidable cases.

use fumi_novel::{
    checks::{NovelContext, Tuning, features::Person},
    morphology::NameLexicon,
    project::YamlValue,
};

use super::with_material;

const CAST: &str = "
characters:
  - name: 早瀬直人
    aliases: [直人]
    first_person: 僕
    endings: [です]
  - name: 黒木
    aliases: []
    first_person: 俺
    endings: [ぜ]
";

/// Returns the lines of a text: the first characters, the speaker, and the certainty of each.
fn heard(text: &str) -> Vec<String> {
    let world = vec![YamlValue::read("sample.yaml", CAST).expect("YAML")];
    let context = NovelContext { names: NameLexicon::of_settings(&world), world, ..NovelContext::default() };
    with_material(text, &context, &Tuning::default(), |material| {
        let name = |person: &Person| match person {
            Person::Member(at) => material.cast().members[*at].name.clone(),
            Person::Role(role) => (*role).to_owned(),
            other => format!("{other:?}"),
        };
        let lines = material.speakers().lines.iter();
        lines
            .map(|line| {
                let said: String = material.text()[line.visible.clone()].chars().skip(1).take(2).collect();
                let speaker = line.speaker(0.6).map_or("?".to_owned(), name);
                let by_sheet = line
                    .speaker_by_sheet
                    .map_or(String::new(), |at| format!(" ({})", material.cast().members[at].name));
                format!("{said} {speaker}{by_sheet}")
            })
            .collect()
    })
}

#[test]
fn narration_beside_a_line_says_whose_it_is() {
    let text = "「行く」と直人は言った。\n　灯が消えた。黒木が笑った。\n「待て」\n";
    assert_eq!(heard(text), ["行く 早瀬直人", "待て 黒木"]);
    let text = "　雨だった。\n「帰る」\n　そう答えたのは黒木だった。黒木は傘を取った。\n";
    assert_eq!(heard(text), ["帰る ?"], "a character who acts beside a line may be the listener");
    assert_eq!(heard("「来た」\n　そう黒木は答えた。\n"), ["来た 黒木"]);
    assert_eq!(heard("「一つ」と黒木は言った。「二つ」\n"), ["一つ 黒木", "二つ 黒木"]);
    assert_eq!(heard("「あれ」と彼は言った。\n「直人」\n"), ["あれ Somebody", "直人 ?"]);
    assert_eq!(heard("　直人が来た。\n「やあ」と彼は言った。\n"), ["やあ 早瀬直人"]);
    assert_eq!(heard("「水を」と老人が言った。\n"), ["水を 老人"]);
}

#[test]
fn two_take_turns_until_somebody_acts_between() {
    let text = "　直人は黒木を待っていた。\n「遅い」と直人は言った。\n「悪い」\n「行こう」\n「ああ」\n";
    assert_eq!(heard(text), ["遅い 早瀬直人", "悪い 黒木", "行こ 早瀬直人", "ああ 黒木"]);
    let text = "「遅い」と直人は言った。\n　風が強くなった。\n「寒い」\n";
    assert_eq!(heard(text), ["遅い 早瀬直人", "寒い ?"]);
    let text = "「遅い」と直人は言った。\n\n＊＊＊\n\n「寒い」\n";
    assert_eq!(heard(text), ["遅い 早瀬直人", "寒い ?"]);
}

#[test]
fn speaker_by_speech_style_alone_is_uncertain() {
    let text = "　直人と黒木が向かい合っている。風が強い。\n「俺は行くぜ」\n「僕は残る」\n「そうか」\n「『俺は』か」\n";
    let lines = heard(text);
    assert_eq!(lines, ["俺は ? (黒木)", "僕は ? (早瀬直人)", "そう ?", "『俺 ?"]);
}

#[test]
fn quotations_in_narration_are_not_dialogue() {
    assert_eq!(heard("　直人は「なし」としか書いたことがない。\n「行く」\n"), ["行く ?"]);
}
