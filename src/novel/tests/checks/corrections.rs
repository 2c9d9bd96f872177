//! Corrections of a proofreader: what is accepted, what the text is afterwards, and what is rejected for which reason.

use std::collections::BTreeSet;

use fumi_novel::{
    checks::{
        Correction, CorrectionError, CorrectionKind, FixLevel, FixRequest, NovelContext, RULES, RuleGroup, Tuning, fix,
        ids, run_rules, verify_correction,
    },
    manuscript::ManuscriptOptions,
    morphology::Ipadic,
};
use proptest::prelude::*;

use super::with_material;

const TEXT: &str = "　兄は、以外な答えを返した。\n「すぐ帰るわ」\n　｜検潮所《けんちょうじょ》お出た。\n　右手を上げ、右手を下ろす。\n";

fn correction(quote: &str, new: &str) -> Correction {
    Correction {
        quote: quote.to_owned(),
        correction: (!new.is_empty()).then(|| new.to_owned()),
        kind: CorrectionKind::Typo,
        reason: "理由。".to_owned(),
    }
}

fn verified(text: &str, correction: &Correction) -> Result<(), CorrectionError> {
    with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
        verify_correction(material, correction)
    })
}

/// Returns the text after all corrections were applied by their ids.
fn applied(text: &str, corrections: Vec<Correction>) -> String {
    let context = NovelContext { corrections, ..NovelContext::default() };
    // The other rules would find some of the errors too.
    let others = RULES.iter().filter(|rule| rule.page.group != RuleGroup::Proofreading);
    let tuning = Tuning { disabled: others.map(|rule| rule.name.to_owned()).collect(), ..Tuning::default() };
    let named: BTreeSet<String> = with_material(text, &context, &tuning, |material| {
        let findings = run_rules(material, &[RuleGroup::Proofreading], &|| false).expect("not cancelled");
        ids(material, &findings).into_iter().map(|(id, _)| id).collect()
    });
    let (reading, morphology) = (ManuscriptOptions::default(), Ipadic::shared());
    let request = FixRequest { reading, context: &context, tuning: &tuning, morphology, level: FixLevel::Safe };
    fix(text, request, Some(&named), &|| false).expect("not cancelled").text
}

#[test]
fn accepted_corrections_replace_their_quotation_and_nothing_else() {
    for (quote, new, expected) in [
        ("以外な", "意外な", TEXT.replace("以外な", "意外な")),
        // In speech, and by deleting.
        ("帰るわ", "帰る", TEXT.replace("帰るわ", "帰る")),
        // Quoted without and with its ruby; the ruby itself.
        ("検潮所お出た", "検潮所を出た", TEXT.replace("お出た", "を出た")),
        ("》お出た", "》を出た", TEXT.replace("お出た", "を出た")),
        ("《けんちょうじょ》", "《けんちようじょ》", TEXT.replace("けんちょう", "けんちよう")),
        // An insertion.
        ("すぐ帰る", "すぐに帰る", TEXT.replace("すぐ帰る", "すぐに帰る")),
        ("右手を下ろす", "左手を下ろす", TEXT.replace("右手を下ろす", "左手を下ろす")),
    ] {
        let given = correction(quote, new);
        assert_eq!(verified(TEXT, &given), Ok(()), "{quote}");
        assert_eq!(applied(TEXT, vec![given]), expected, "{quote}");
    }
}

/// Each was refused, or changed something else, in the first version.
#[test]
fn ordinary_corrections_at_the_edges_of_lines_and_markup_are_accepted() {
    for (text, quote, new, expected) in [
        ("　母が来た\r\n　父は若い。\r\n", "母が来た", "母が来た。", "　母が来た。\r\n　父は若い。\r\n"),
        ("「帰る\r\n　父は\r\n", "「帰る", "「帰る」", "「帰る」\r\n　父は\r\n"),
        ("　だめだ…\n", "だめだ…", "だめだ……", "　だめだ……\n"),
        ("「行け！」\n", "行け！", "行け！！", "「行け！！」\n"),
        ("　いろな人がいた。\n", "いろな人", "いろいろな人", "　いろいろな人がいた。\n"),
        ("「そうなんだと妹は言った。\n", "そうなんだと", "そうなんだ」と", "「そうなんだ」と妹は言った。\n"),
        ("「行くぞ』と兄が言う。\n", "行くぞ』と", "行くぞ」と", "「行くぞ」と兄が言う。\n"),
        ("　彼は《《強調》》した。\n", "彼は強調", "彼は、強調", "　彼は、《《強調》》した。\n"),
        ("　刀《かたな》抜く。\n", "刀抜く", "刀を抜く", "　刀《かたな》を抜く。\n"),
    ] {
        let given = correction(quote, new);
        assert_eq!(verified(text, &given), Ok(()), "{quote} → {new}");
        assert_eq!(applied(text, vec![given]), expected, "{quote} → {new}");
    }
}

/// Each was accepted in the first version: markup, kinds of lines or characters beside the quotation would change.
#[test]
fn corrections_that_would_change_markup_or_lines_are_rejected() {
    for (text, quote, new) in [
        ("　母は字下げ［＃「字下げ」に傍点］をした。\n", "母は字下げを", "母は字上げを"),
        ("　彼が来た。漢字《かんじ》を見る。\n", "来た。", "｜来た。"),
        ("　終わり\n　父は若い。\n", "　終わり", "【後書き】"),
        ("　終わり\n　父は若い。\n", "　終わり", "# 終わり"),
        ("　終わり\n　父は若い。\n", "　終わり", "＊＊＊"),
        ("　葛\u{e0100}の葉。\n", "葛", "桂"),
    ] {
        assert_eq!(verified(text, &correction(quote, new)), Err(CorrectionError::InMarkup), "{quote} → {new}");
    }
}

/// An id names one proposal: it stays when others of its line come or go.
#[test]
fn ids_of_corrections_depend_on_what_they_say() {
    let ids = |corrections: Vec<Correction>| -> BTreeSet<String> {
        let context = NovelContext { corrections, ..NovelContext::default() };
        with_material(TEXT, &context, &Tuning::default(), |material| {
            let findings = run_rules(material, &[RuleGroup::Proofreading], &|| false).expect("not cancelled");
            ids(material, &findings).into_iter().map(|(id, _)| id).collect()
        })
    };
    let (one, other) = (correction("右手を上げ", "左手を上げ"), correction("右手を下ろす", "左手を下ろす"));
    let (first, both) = (ids(vec![one.clone()]), ids(vec![one, other.clone()]));
    assert!(both.len() == 2 && first.is_subset(&both), "{first:?} {both:?}");
    assert!(first.is_disjoint(&ids(vec![other])));
    assert!(first.is_disjoint(&ids(vec![correction("右手を上げ", "両手を上げ")])));
}

#[test]
fn corrections_that_would_change_more_than_their_quotation_are_rejected() {
    let long = "あ".repeat(60);
    for (quote, new, expected) in [
        (" ", "意外", CorrectionError::NoQuote),
        ("どこにもない", "ここ", CorrectionError::NotInText),
        ("右手を", "左手を", CorrectionError::Ambiguous(2)),
        ("以外な", "以外な", CorrectionError::Unchanged),
        ("兄は", "兄は、", CorrectionError::Unchanged),
        ("以外な", "兄は、意外な", CorrectionError::RepeatsNeighbour("兄は、".to_owned())),
        ("以外な", "意外な答え", CorrectionError::RepeatsNeighbour("答え".to_owned())),
        ("以外な", &long, CorrectionError::TooLong(46)),
        ("以外な", "意外\nな", CorrectionError::NotOneLine),
        ("以外な", "意外\u{7}な", CorrectionError::NotOneLine),
        ("返した。\n「すぐ", "返す。\n「すぐ", CorrectionError::NotOneLine),
        ("以外な", "意\u{202e}外な", CorrectionError::NotOneLine),
        ("以外な", "｜意外な", CorrectionError::InMarkup),
        ("すぐ帰るわ", "すぐ「帰る", CorrectionError::Unbalanced('「')),
        // The base of a ruby, quoted without it.
        ("検潮所お出た", "観測所を出た", CorrectionError::InMarkup),
    ] {
        assert_eq!(verified(TEXT, &correction(quote, new)), Err(expected), "{quote} → {new}");
    }
    let silent = Correction { reason: " ".to_owned(), ..correction("以外な", "意外な") };
    assert_eq!(verified(TEXT, &silent), Err(CorrectionError::NoReason));
}

#[test]
fn corrections_of_one_sentence_are_applied_together_and_only_once() {
    let both = || vec![correction("兄は、以外", "兄は以外"), correction("答えを返した", "返事をした")];
    let once = applied(TEXT, both());
    assert_eq!(once, TEXT.replace("兄は、", "兄は").replace("答えを返した", "返事をした"));
    assert_eq!(applied(&once, both()), once);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever a model sends: an accepted correction leaves the visible text before and after its quotation as it was.
    #[test]
    fn any_accepted_correction_keeps_the_rest_of_the_text(
        text in "[兄あを、。「」『』｜《》|（）\\[\\]#＃\n　a*_<>!-]{0,40}",
        quote in "[兄あを、。「」｜《》\n　]{1,4}",
        new in "[兄い、。「」『』｜《》|（）#＃\n<>!*-]{0,6}",
    ) {
        let given = correction(&quote, &new);
        if verified(&text, &given).is_ok() && !new.is_empty() {
            let after = applied(&text, vec![given.clone()]);
            let visible = |source: &str| {
                let draft = fumi_novel::checks::AnalysedDraft::read(source, ManuscriptOptions::default());
                draft.manuscript.visible().text().to_owned()
            };
            let (before, after) = (visible(&text), visible(&after));
            if let Some(at) = before.find(quote.trim_matches('\n')) {
                let end = at + quote.trim_matches('\n').len();
                prop_assert!(after.starts_with(&before[..at]) && after.ends_with(&before[end..]), "{before:?} {after:?}");
            }
        }
    }
}
