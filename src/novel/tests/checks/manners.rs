//! Tests of speech styles for characters whose sheets do not define one: the previous episode decides, otherwise the
//! first use.

use fumi_novel::{
    checks::{
        NovelContext, Tuning,
        items::{ITEMS, Measure},
    },
    morphology::NameLexicon,
    project::YamlValue,
};

use super::with_material;

const CAST: &str = "
characters:
  - { name: 直人, aliases: [] }
  - { name: 黒木, aliases: [] }
";

/// Measures an item of a text with a previous episode.
fn measured(item: &str, previous: Option<&str>, text: &str) -> Measure {
    let world = vec![YamlValue::read("sample.yaml", CAST).expect("YAML")];
    let context = NovelContext {
        names: NameLexicon::of_settings(&world),
        world,
        previous: previous.map(str::to_owned),
        episode: 2,
        ..NovelContext::default()
    };
    let item = ITEMS.iter().find(|known| known.name == item).expect("an item");
    with_material(text, &context, &Tuning::default(), |material| item.measured(material).expect("a measurement"))
}

#[test]
fn the_episode_before_says_which_pronoun_is_right() {
    let text = "「俺が行く」と直人は言った。\n「俺もだ」と直人は言った。\n「おれだって」と黒木が言った。\n";
    let alone = measured("pronoun_consistency", None, text);
    assert_eq!((alone.score, alone.value), (Some(1.0), Some(0.0)));
    let before = "「僕が行く」と直人は言った。\n「ぼくも」と直人は言った。\n「俺は残る」と黒木が言った。\n";
    let after = measured("pronoun_consistency", Some(before), text);
    assert_eq!((after.score, after.value), (Some(0.5), Some(2.0)), "直人 changes, 黒木 only his spelling");
}

#[test]
fn the_first_form_of_address_is_right_where_no_relation_is_listed() {
    let text =
        "「黒木さん、待って」と直人は言った。\n「黒木さま、頼む」と直人は言った。\n「黒木様、頼む」と直人は言った。\n";
    assert_eq!(measured("forms_of_address", None, text).value, Some(2.0));
    let before = "「黒木さま、お先に」と直人は言った。\n";
    assert_eq!(measured("forms_of_address", Some(before), text).value, Some(1.0));
    let about = "「黒木は来ない」と直人は言った。\n";
    assert_eq!(measured("forms_of_address", None, about), Measure::not_applicable());
}

#[test]
fn endings_are_those_of_the_episode_before() {
    let says = |line: &str| format!("「{line}」と直人は言った。\n").repeat(8);
    let before = says("もう行きます");
    let score = |text: &str| measured("speech_style_consistency", Some(&before), text).score;
    assert_eq!(score(&says("まだ待ちます")), Some(1.0));
    assert_eq!(score(&says("まだ待つぜ")), Some(0.0));
    assert_eq!(
        measured("speech_style_consistency", None, &says("まだ待つぜ")).score,
        None,
        "the right style is unknown"
    );
}
