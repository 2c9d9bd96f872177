//! Corrections of a proofreader: what is accepted, what the text is afterwards, and what is rejected for which reason.

use std::collections::BTreeSet;

use fumi_novel::{
    checks::RuleGroup,
    checks::{
        Correction, CorrectionError, CorrectionKind, FixLevel, FixRequest, NovelContext, Tuning, fix, ids, run_rules,
        verify_correction,
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
    // It would find one of the errors too.
    let tuning = Tuning { disabled: vec!["misconversion".to_owned()], ..Tuning::default() };
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
