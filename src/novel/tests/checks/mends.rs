//! Tests of edits that rules propose: they leave words that are not meant alone, and keep the inflection right.

use fumi_novel::checks::{Edit, NovelContext, RuleGroup, Tuning, run_rules};

use super::with_material;

/// Returns a text with the edits of one rule made.
fn mended(rule: &str, text: &str) -> String {
    with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
        let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("not cancelled");
        let own = findings.into_iter().filter(|finding| finding.rule == rule);
        let mut edits: Vec<Edit> = own.flat_map(|finding| finding.edits).collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
        let mut mended = text.to_owned();
        for edit in &edits {
            mended.replace_range(edit.range.clone(), &edit.text);
        }
        mended
    })
}

#[test]
fn a_phrase_is_not_replaced_where_its_ending_would_have_to_change() {
    assert_eq!(mended("misuse", "　彼は二の舞を踏んだ。\n"), "　彼は二の舞を踏んだ。\n");
    assert_eq!(mended("misuse", "　彼は二の舞を踏む。\n"), "　彼は二の舞を演じる。\n");
}

#[test]
fn potential_forms_lose_the_syllable_that_was_added() {
    assert_eq!(mended("ra_nuki", "　字が書けれる。朝は起きれる。\n"), "　字が書ける。朝は起きられる。\n");
}

#[test]
fn kanji_that_write_another_word_are_not_unified() {
    for (kana, other) in [
        ("ときどき", "空の色は時々刻々と変わる"),
        ("いっそう", "地下一層に降りる"),
        ("ぜったい", "絶対零度の世界だ"),
        ("いちばん", "一番テーブルへ運ぶ"),
        ("ところどころ", "所々方々を歩いた"),
        ("すぐ", "心の直ぐな男だった"),
    ] {
        let text = format!("　{kana}思う。{kana}泣く。{kana}笑う。\n　{other}。\n");
        assert_eq!(mended("spelling_variant", &text), text);
    }
}

#[test]
fn faces_and_morse_code_keep_their_dots() {
    for text in ["　(・・;)という顔文字が届いた。\n", "　・・・　―　・・・\n"] {
        assert_eq!(mended("ellipsis", text), text);
    }
}

#[test]
fn messages_and_plays_are_speech() {
    for text in ["〈ゆい〉寝れるわけないじゃん\n", "姉　　もう寝れるわ。\n", "　《もう寝れると思われます。》\n"]
    {
        assert_eq!(mended("ra_nuki", text), text);
    }
}
