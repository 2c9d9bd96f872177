//! Tests of rhythm rules beyond their manual pages: the evidence of findings about a whole text, the aggressive fixes,
//! and the figures for 坊っちゃん measured with another program (novel-checks §1).

use fumi_novel::{
    checks::{
        AnalysedDraft, CheckMaterial, CheckRule, FixLevel, FixRequest, NovelContext, RULES, RuleGroup, Tuning, fix,
        run_rules,
    },
    manuscript::{ManuscriptOptions, ManuscriptSyntax, ThoughtBrackets},
    morphology::Ipadic,
};

use super::{context, tuning, with_material};

const AOZORA: ManuscriptOptions =
    ManuscriptOptions { syntax: ManuscriptSyntax::Aozora, thoughts: ThoughtBrackets::Parentheses };

#[test]
fn findings_about_a_whole_text_rest_on_what_their_pages_say() {
    let whole = RULES.iter().filter(|rule| rule.page.group == RuleGroup::Rhythm && rule.page.bad.count.is_some());
    for rule in whole {
        let sample = &rule.page.bad;
        with_material(&sample.text, &context(sample), &tuning(sample), |material| {
            let findings = run_rules(material, &[RuleGroup::Rhythm], &|| false).expect("not cancelled");
            let own = findings.iter().filter(|finding| finding.rule == rule.name);
            let evidence: Vec<&str> =
                own.flat_map(|finding| &finding.evidence).map(|place| &sample.text[place.clone()]).collect();
            assert_eq!(evidence, sample.finds, "{}", rule.name);
        });
    }
}

#[test]
fn aggressive_fixes_are_those_of_the_pages() {
    let is_aggressive = |rule: &&CheckRule| rule.page.fix == Some(FixLevel::Aggressive);
    for rule in RULES.iter().filter(|rule| rule.page.group == RuleGroup::Rhythm).filter(is_aggressive) {
        let sample = &rule.page.bad;
        let context = context(sample);
        let others = RULES.iter().map(|rule| rule.name.to_owned());
        let tuning = Tuning { disabled: others.filter(|name| name != rule.name).collect(), ..tuning(sample) };
        let fixing = FixRequest {
            reading: ManuscriptOptions::default(),
            context: &context,
            tuning: &tuning,
            morphology: Ipadic::shared(),
            level: FixLevel::Aggressive,
        };
        let fixed = fix(&sample.text, fixing, None, &|| false).expect("not cancelled");
        assert_eq!(Some(&fixed.text), sample.fixed.as_ref(), "{}", rule.name);
        assert_eq!(fixed.original_text(), sample.text, "{}", rule.name);
        let again = fix(&fixed.text, fixing, None, &|| false).expect("not cancelled");
        assert_eq!(again.text, fixed.text, "{}", rule.name);
    }
}

#[test]
fn aggressive_fixes_of_bocchan_settle_and_can_be_undone() {
    let text = include_str!("../fixtures/bocchan.aozora.txt");
    let others = RULES.iter().filter(|rule| rule.page.group != RuleGroup::Rhythm);
    // Thresholds so low that many sentences are fixed.
    let low = [
        ("long_sentence.longest", 45.0),
        ("comma_excess.most", 2.0),
        ("long_sentence.style_share", 1.0),
        ("comma_excess.style_share", 1.0),
    ];
    let tuning = Tuning {
        disabled: others.map(|rule| rule.name.to_owned()).collect(),
        thresholds: low.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Tuning::default()
    };
    let context = NovelContext::default();
    let fixing = FixRequest {
        reading: AOZORA,
        context: &context,
        tuning: &tuning,
        morphology: Ipadic::shared(),
        level: FixLevel::Aggressive,
    };
    let fixed = fix(text, fixing, None, &|| false).expect("not cancelled");
    assert!(fixed.applied.len() > 30, "{} changes", fixed.applied.len());
    assert_eq!(fixed.original_text(), text);
    let again = fix(&fixed.text, fixing, None, &|| false).expect("not cancelled");
    assert_eq!(again.applied, []);
}

#[test]
fn bocchan_measures_what_is_known_of_it() {
    let draft = AnalysedDraft::read(include_str!("../fixtures/bocchan.aozora.txt"), AOZORA);
    let (context, tuning) = (NovelContext::default(), Tuning::default());
    let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
    let metrics = material.metrics();
    let shares = metrics.lengths.shares;
    let figures = [
        ("mean", metrics.lengths.spread.mean, 33.4),
        ("variation", metrics.lengths.spread.variation(), 0.64),
        ("short", shares[0], 0.31),
        ("medium", shares[1], 0.52),
        ("long", shares[2], 0.17),
        ("commas", metrics.commas.spread.mean, 1.07),
        ("many commas", metrics.commas.many, 0.0665),
        ("phrases within 1,000 words", metrics.words.repeated_share(1_000), 0.011),
        ("phrases of the book", metrics.words.repeated_share(usize::MAX), 0.036),
    ];
    for (what, measured, known) in figures {
        assert!((measured - known).abs() <= 0.05 * known, "{what}: {measured} is not {known}");
    }
}
