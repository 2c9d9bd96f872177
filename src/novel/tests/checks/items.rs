//! Tests of every item against its manual page: the good text scores well above the bad one, and the misleading one is
//! not penalised.
//!
//! Judgements are scripted beside the text: the tests cover the verification of quotations and the arithmetic. One item
//! at a time: `ITEM=A31-004 cargo test --release -p fumi-novel --test it checks::items`.

use std::collections::HashSet;

use fumi_novel::{
    checks::{
        CheckMaterial, NovelContext, Tuning,
        items::{
            AcceptedJudgement, Evaluation, EvaluationKind, ITEMS, Item, ItemCategory, ItemSample, Judge, Judgement,
            JudgementError, SampleExpectation, category_scores, overall, verify,
        },
    },
    morphology::NameLexicon,
    project::{EpisodePlot, NovelSettings, YamlValue},
};

use super::with_material;

/// The smallest difference between the scores of the good and the bad text.
const ABOVE: f64 = 0.3;
/// The smallest score of a misleading text that must not be penalised.
const FINE: f64 = 0.7;

fn chosen() -> Vec<&'static Item> {
    let only = std::env::var("ITEM").unwrap_or_default();
    let items = ITEMS.iter().filter(|item| {
        let mut asked = only.split(',');
        only.is_empty() || asked.any(|name| name == item.name || name == item.id)
    });
    items.collect()
}

/// Returns the context of a sample.
fn context(sample: &ItemSample) -> NovelContext {
    let yaml = |text: &Option<String>| text.as_ref().map(|text| YamlValue::read("sample.yaml", text).expect("YAML"));
    let files = [yaml(&sample.characters), yaml(&sample.terms), yaml(&sample.world)];
    let world: Vec<YamlValue> = files.into_iter().flatten().collect();
    NovelContext {
        settings: NovelSettings {
            style_preset: sample.preset,
            genre: sample.genre.clone(),
            ..NovelSettings::default()
        },
        plot: sample.plot.as_ref().map(|plot| EpisodePlot::read("plot.yaml", plot).expect("a plot")),
        names: NameLexicon::of_settings(&world),
        world,
        ledger: yaml(&sample.ledger).into_iter().collect(),
        previous: sample.previous.clone(),
        next: None,
        episode: sample.episode.unwrap_or(1),
    }
}

/// Returns the scripted judgement of a sample, if it is accepted.
fn judged(
    item: &Item,
    material: &CheckMaterial<'_>,
    sample: &ItemSample,
) -> Result<Option<AcceptedJudgement>, JudgementError> {
    let Some(scripted) = &sample.judgement else {
        return Ok(None);
    };
    let judgement = Judgement { score: scripted.score, quotes: scripted.quotes.clone() };
    verify(item, material, &judgement)?;
    Ok(Some(AcceptedJudgement { by: Judge::Host, judgement }))
}

/// Evaluates a sample with its judgement and without it.
fn evaluated(item: &'static Item, sample: &ItemSample) -> (Result<Evaluation, JudgementError>, Evaluation) {
    with_material(&sample.text, &context(sample), &Tuning::default(), |material| {
        let measure = item.measured(material);
        let judged = judged(item, material, sample);
        let alone = Evaluation::new(item, measure.clone(), None);
        (judged.map(|judged| Evaluation::new(item, measure, judged)), alone)
    })
}

#[test]
fn good_texts_score_above_bad_ones_and_misleading_ones_are_not_blamed() {
    let mut faults = Vec::new();
    for item in chosen() {
        let mut say = |what: String| faults.push(format!("{} {}: {what}", item.id, item.name));
        let (page, kind) = (&item.page, item.page.kind);
        let [good, bad] = [&page.good, &page.bad].map(|sample| evaluated(item, sample));
        match (&good.0, &bad.0) {
            (Ok(good), Ok(bad)) => {
                let scores = (good.score, bad.score);
                if !matches!(scores, (Some(good), Some(bad)) if good >= bad + ABOVE) {
                    say(format!("good {:?}, bad {:?}", good.score, bad.score));
                }
            }
            refused => say(format!("a judgement was rejected: {refused:?}")),
        }
        let priors = (good.1.score, bad.1.score);
        if kind != EvaluationKind::Judged && !matches!(priors, (Some(good), Some(bad)) if good >= bad + ABOVE) {
            say(format!("measured: good {:?}, bad {:?}", priors.0, priors.1));
        }
        let (with, alone) = evaluated(item, &page.misleading);
        match page.misleading.expect {
            Some(SampleExpectation::Rejected) => {
                if !matches!(with, Err(JudgementError::NotInText(_))) {
                    say(format!("misleading: the judgement was accepted: {with:?}"));
                }
            }
            Some(SampleExpectation::NotApplicable) => {
                if alone.score.is_some() {
                    say(format!("misleading: measured {:?}", alone.score));
                }
            }
            Some(SampleExpectation::Fine) => {
                let score = with.as_ref().ok().and_then(|with| with.score);
                let is_fine = score.is_some_and(|score| score >= FINE);
                if !is_fine {
                    say(format!("misleading: {score:?}"));
                }
            }
            None => say("misleading: the expectation is missing".to_owned()),
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_item_has_a_page_that_says_all_that_it_must() {
    let mut faults = Vec::new();
    let mut names = HashSet::new();
    for item in ITEMS.iter() {
        let page = &item.page;
        assert!(names.insert(item.name) && names.insert(&item.id), "{} is listed twice", item.name);
        for words in [&page.en, &page.ja] {
            let all = [&words.title, &words.manual, &words.advice];
            if all.iter().any(|words| words.trim().is_empty()) || words.manual.chars().count() < 60 {
                faults.push(format!("{}: an empty text", item.id));
            }
            if words.rubric.is_some() != (page.kind != EvaluationKind::Deterministic) {
                faults.push(format!("{}: exactly the judged items need a rubric", item.id));
            }
        }
        for threshold in &page.threshold {
            if !(threshold.low..=threshold.high).contains(&threshold.value) || threshold.source.is_empty() {
                faults.push(format!("{}: threshold {}", item.id, threshold.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Four categories have 12 items each, two have 10; 35 items are measured, 22 measured and judged, 11 judged
/// (novel-checks 2.5).
#[test]
fn there_are_68_items() {
    let ids: Vec<String> = (1..=68).map(|number| format!("A31-{number:03}")).collect();
    assert_eq!(ITEMS.iter().map(|item| item.id.clone()).collect::<Vec<_>>(), ids);
    let of = |kind| ITEMS.iter().filter(|item| item.page.kind == kind).count();
    assert_eq!(
        [of(EvaluationKind::Deterministic), of(EvaluationKind::Hybrid), of(EvaluationKind::Judged)],
        [35, 22, 11]
    );
    for category in ItemCategory::ALL {
        let count = ITEMS.iter().filter(|item| item.category == category).count();
        assert_eq!(u32::try_from(count), Ok(category.max()), "{category:?}");
    }
}

#[test]
fn judgements_need_quotations_that_stand_in_the_text() {
    let of = |kind| ITEMS.iter().find(|item| item.page.kind == kind).expect("an item");
    let text = "　彼は戸を｜開《あ》けた。\n　風が入ってきた。\n";
    with_material(text, &NovelContext::default(), &Tuning::default(), |material| {
        let says = |kind, score, quotes: &[&str]| {
            let quotes = quotes.iter().map(|quote| (*quote).to_owned()).collect();
            verify(of(kind), material, &Judgement { score, quotes })
        };
        // A quotation may follow the visible text or the source.
        assert_eq!(says(EvaluationKind::Judged, 1.0, &["戸を開けた", "戸を｜開《あ》けた"]), Ok(()));
        let told = |quote: &str| Err(JudgementError::NotInText(quote.to_owned()));
        assert_eq!(says(EvaluationKind::Hybrid, 0.5, &["風が入ってきた", "風が出ていった"]), told("風が出ていった"));
        assert_eq!(says(EvaluationKind::Judged, 0.5, &[]), Err(JudgementError::NoQuotes));
        assert_eq!(says(EvaluationKind::Judged, 0.5, &["。"]), Err(JudgementError::TooShort("。".to_owned())));
        assert_eq!(says(EvaluationKind::Judged, 1.5, &["戸を開けた"]), Err(JudgementError::ScoreOutOfRange(1.5)));
        assert_eq!(says(EvaluationKind::Deterministic, 1.0, &["戸を開けた"]), Err(JudgementError::MeasuredOnly));
    });
}

/// A score is 0.3 of the measurement and 0.7 of the judgement; a category's score is its maximum times the mean;
/// categories are weighted by their evaluated share.
#[test]
fn scores_are_those_of_the_arithmetic() {
    use fumi_novel::checks::items::Measure;
    let item = |kind, category| {
        let found = ITEMS.iter().find(|item| item.page.kind == kind && item.category == category);
        found.expect("an item")
    };
    let judged =
        |score| Some(AcceptedJudgement { by: Judge::Sampling, judgement: Judgement { score, quotes: Vec::new() } });
    let hybrid = item(EvaluationKind::Hybrid, ItemCategory::Emotion);
    let both = Evaluation::new(hybrid, Some(Measure::from_score(0.5)), judged(1.0));
    assert_eq!((both.score, both.method.name(), both.confidence), (Some(0.85), "llm_sampling", 1.0));
    let prior = Evaluation::new(hybrid, Some(Measure::from_score(0.5)), None);
    assert_eq!((prior.score, prior.method.name(), prior.confidence), (Some(0.5), "deterministic", 0.5));
    let nobody = Evaluation::new(item(EvaluationKind::Judged, ItemCategory::Emotion), None, None);
    assert_eq!((nobody.score, nobody.method.name()), (None, "not_evaluated"));
    let world =
        Evaluation::new(item(EvaluationKind::Deterministic, ItemCategory::World), Some(Measure::from_score(1.0)), None);
    let scores = category_scores(&[prior, nobody, world]);
    assert_eq!((scores[0].score, scores[0].coverage), (Some(6.0), 0.5));
    assert_eq!((scores[4].score, scores[4].coverage), (Some(10.0), 1.0));
    // Half of one category has 0.5, and the whole of another has 1.
    let mean = overall(&scores).expect("something was evaluated");
    assert!((mean - 100.0 * (0.5 * 0.5 + 1.0) / 1.5).abs() < 1e-9, "{mean}");
}
