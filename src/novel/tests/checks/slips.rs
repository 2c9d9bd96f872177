//! Tests of rules about slips of writing: what an author typed twice, left unfinished or pasted, and what only looks so.

use fumi_novel::checks::{NovelContext, RuleGroup, Tuning, run_rules};

use super::with_material;

/// Returns the texts that a rule finds.
fn found(rule: &str, text: &str) -> Vec<String> {
    with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
        let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("not cancelled");
        let own = findings.into_iter().filter(|finding| finding.rule == rule);
        own.map(|finding| text[finding.source].to_owned()).collect()
    })
}

/// Checks that a rule finds a part of each text, given as the text with the part in ⟦⟧.
fn finds(rule: &str, texts: &[&str]) {
    for marked in texts {
        let (before, rest) = marked.split_once('⟦').expect("a mark");
        let (part, after) = rest.split_once('⟧').expect("a mark");
        assert_eq!(found(rule, &format!("　{before}{part}{after}\n")), [part], "{rule}: {marked}");
    }
}

fn is_silent(rule: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(found(rule, &format!("{text}\n")), [""; 0], "{rule}: {text}");
    }
}

#[test]
fn words_typed_twice_are_found_across_a_few_others() {
    finds(
        "repeated_word",
        &[
            "姉は⟦そっと襖をそっと⟧開けた。",
            "⟦突然、犬が突然⟧吠えはじめた。",
            "彼は⟦もう一度地図をもう一度⟧広げた。",
            "⟦しかし、兄はしかし⟧動かなかった。",
            "⟦そのその⟧朝、雪が積もった。",
            "誰とも⟦一度も一度も⟧話さなかった。",
            "彼女は⟦壁の絵を壁の絵を⟧眺めていた。",
            "馬車は⟦峠を越えて峠を越え⟧、村に着いた。",
            "私は⟦手紙を書き、手紙を書い⟧て封をした。",
            "⟦私は笑って私は⟧席を立った。",
        ],
    );
}

#[test]
fn words_repeated_on_purpose_are_not_slips() {
    is_silent(
        "repeated_word",
        &[
            "　来る日も来る日も雨だった。",
            "　村人たちは手に手に松明を掲げている。",
            "　もっと水を、もっと薪を運べと彼は言った。",
            "　ゆっくり歩き、ゆっくり話す人だった。",
            "　走って走って、息が切れるまで走った。",
            "　母が、母が帰ってきた。",
            "　少年が庭へ出てきた\n　男が出てきて、笑った。",
            "　そっと開け、そっと閉める。",
            "　彼は笑い、彼女は泣いた。",
            "「塩を持て、塩を持て」",
        ],
    );
}

#[test]
fn halves_of_one_meaning_are_found_with_words_between() {
    finds(
        "tautology",
        &[
            "少年は⟦後ろへ大きく後ずさっ⟧た。",
            "母は⟦新しく着物を新調し⟧た。",
            "老人は⟦いきなり突然⟧立ち上がった。",
            "彼は⟦孤立感を感じ⟧ていた。",
            "会は⟦途中で急に中断さ⟧れた。",
            "彼女は⟦金髪の長い髪を⟧結んだ。",
            "⟦毎月一日ごとに⟧、男は現れた。",
            "⟦毎週日曜日ごとに⟧、老人は鳩を見に来た。",
            "冬の⟦沿線沿い⟧の町は静かだった。",
            "それは⟦誰もいない無人⟧の館だった。",
        ],
    );
}

#[test]
fn halves_that_belong_to_different_things_are_not_tautologies() {
    is_silent(
        "tautology",
        &[
            "　少年は後ろへ下がり、兵は後退した。",
            "　互いに手を握り合い、目を見つめ合う。",
            "　第六感を感じるより、五感を信じた。",
            "　旅の途中で雨に降られ、試合は中断された。",
            "　さらに一層、雪は深くなった。",
            "「後ろへ後ずさったんだ」",
            "　毎日三時間ごとに薬を飲み、毎晩一時間おきに目を覚ました。",
            "　海岸沿いの道を歩き、湖畔沿いの宿に泊まった。",
            "　金髪の彼女の髪を、風が乱した。",
            "　白髪混じりの髪を撫でた。",
        ],
    );
}

#[test]
fn the_half_to_keep_is_the_one_that_is_there() {
    for (text, single) in [
        ("　彼女は金髪の長い髪を結んだ。\n", "金髪"),
        ("　いちばん奥に、白髪の髪を伸ばした男がいた。\n", "白髪"),
        ("　毎月一日ごとに、男は現れた。\n", "毎月一日"),
        ("　毎晩ごとに、犬が吠えた。\n", "毎晩"),
    ] {
        let kept = with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
            let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("not cancelled");
            let facts =
                findings.into_iter().filter(|finding| finding.rule == "tautology").flat_map(|finding| finding.facts);
            facts.filter(|(name, _)| *name == "expected").map(|(_, value)| value).collect::<Vec<_>>()
        });
        assert_eq!(kept, [single], "{text}");
    }
}

#[test]
fn answers_of_an_assistant_are_found_beside_the_story() {
    for line in [
        "　鐘が鳴った。いかがでしょうか。ほかに直したい点があればお知らせください。",
        "ご指摘ありがとうございます。文体のずれを修正しました。雨が降っていた。",
        "　彼女は**静かに**席を立った。",
        "### 場面３：港 霧が出ていた。",
        "　扉が閉まる。（約1500字）",
        "　扉が閉まる。【修正点】台詞を短くしました。",
        "　扉が閉まる。（以下、同様に続きます）",
    ] {
        assert_eq!(found("assistant_remnant", &format!("{line}\n")).len(), 1, "{line}");
    }
}

#[test]
fn people_who_answer_politely_are_not_assistants() {
    is_silent(
        "assistant_remnant",
        &[
            "「いかがでしょうか。ほかにご注文があればお知らせください」",
            "　給仕は、お味はいかがでしょうかと尋ねた。",
            "「ご希望に応じて調整いたします」と仕立屋は言った。",
            "　【ポイント】が十増えた。",
            "　＊＊＊",
            "　ご指摘ありがとうございます、と課長は頭を下げた。",
        ],
    );
}

#[test]
fn notes_of_the_author_are_found() {
    for line in [
        "　二人は別れた。※理由は後で書く",
        "　戦は一五??年に始まった。",
        "　彼は（車の種類、調べる）に乗った。",
        "　兄はＸＸ大学に通う。",
        "　丘に松がある。＜＜松の由来を書く＞＞",
        "　丘に松がある。＜＜枝ぶり、二、三行＞＞",
        "　仮名Bが手を上げた。",
        "　彼は「（ここ、粋な台詞）」と言った。",
    ] {
        assert_eq!(found("placeholder", &format!("{line}\n")).len(), 1, "{line}");
    }
}

#[test]
fn masks_that_the_story_speaks_of_are_no_placeholders() {
    is_silent(
        "placeholder",
        &[
            "　伏せ字だらけの手紙が届いた。そこには××とある。",
            "　検閲官の墨の跡。「××は××なり」。",
            "「××の××が来る」",
            "「××の×××が来る」",
            "　＜＜行くぞ＞＞と声がした。＜＜聞こえるか？＞＞",
            "　＜＜ここにいる＞＞＜＜名前を呼べ＞＞",
            "　＜＜一行は森に着いた＞＞",
            "　彼女は（本人確認）の欄に印をつけた。",
            "　西暦20XX年。",
        ],
    );
    assert_eq!(found("placeholder", "　彼は××県の生まれである。\n"), ["××"]);
}

#[test]
fn kana_left_out_or_added_are_wrong_okurigana() {
    finds(
        "okurigana",
        &[
            "返事は⟦短かか⟧った。",
            "⟦幼ない⟧妹がいる。",
            "気性が⟦異っ⟧ていた。",
            "約束を⟦忘て⟧いた。",
            "死者が⟦甦え⟧る。",
        ],
    );
    is_silent(
        "okurigana",
        &[
            "　進たちが集り、事が起り、気持ちを表わした。",
            "　顔を覆おうとして、喜びを装おう。",
            "　町は賑わい、抗がん剤が効いた。",
            "　その逆って、悟と司さんのことか。",
        ],
    );
}

#[test]
fn a_second_action_without_tari_is_found_in_every_link() {
    finds(
        "tari",
        &[
            "猫は⟦跳んだり、尾を追いながら⟧遊んだ。",
            "葉は⟦染まったり、落ち、⟧冬が来た。",
            "仕事は墨を⟦磨ったり、筆を洗うこと⟧だけだ。",
        ],
    );
    is_silent("tari", &["　本を読んだり何かした。", "　泣いたりしながら歩いた。", "　行ったり来たりしつつ待つ。"]);
}

#[test]
fn words_of_the_same_sound_are_known_by_what_stands_near() {
    finds(
        "misconversion",
        &[
            "人質は夜明けにようやく⟦開放⟧され、毛布にくるまれた。",
            "早起きは軍隊時代に身についた⟦週間⟧である。",
            "満員のスタジアムから⟦閑静⟧が湧き起こった。",
            "卵を⟦解い⟧て鍋に回し入れた。",
            "終電を逃し、その晩は先輩の下宿に⟦止め⟧てもらった。",
            "姉は野原で⟦積ん⟧だ花を編んだ。",
            "湖面は逆さまの雪山を⟦写し⟧ていた。",
        ],
    );
    is_silent(
        "misconversion",
        &[
            "　校庭は日曜日に開放され、子供たちが集まった。",
            "　雨が続いた一週間である。",
            "　閑静な住宅街に歓声が響いた。",
            "　縄を解いて鍋を置いた。",
            "　馬を止めて下宿を見上げた。",
            "　荷車に積んだ花が匂った。",
            "　鉛筆でノートに雪山の絵を写していた。",
            // The nouns of the clause beside it belong to another verb.
            "　身長を測り、時間を計り、塩を量り、解決を図り、委員会に諮った。",
            "　住まいを移し、文字を写し、水面に影を映す。",
            "　月の道が海の上に延びていく。",
            "　機械ごときが人を捉えられるものか。",
            "　麻酔から覚めた飯島は窓を見た。",
        ],
    );
}
