//! Tests of every item against its manual page: the good text scores well above the bad one, and the misleading one is
//! not penalised.
//!
//! Judgements are scripted beside the text: the tests cover the verification of quotations and the arithmetic. One item
//! at a time: `ITEM=A31-004 cargo test --release -p fumi-novel --test it checks::items`.

use std::collections::HashSet;

use fumi_novel::{
    checks::{
        CheckMaterial, NovelContext, Tuning,
        aspects::LOW,
        items::{
            AcceptedJudgement, Evaluation, EvaluationKind, ITEMS, Item, ItemCategory, ItemSample, Judge, Judgement,
            JudgementError, Measure, SampleExpectation, category_scores, overall, verify,
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
        corrections: Vec::new(),
        contradictions: Vec::new(),
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
    let judgement = Judgement { score: scripted.score, quotes: scripted.quotes.clone(), ..Judgement::default() };
    verify(item, material, &judgement)?;
    Ok(Some(AcceptedJudgement { by: Judge::Host, judgement }))
}

/// Returns the score of the measurement alone.
fn measured(evaluation: &Evaluation) -> Option<f64> {
    evaluation.measure.as_ref()?.score
}

/// Evaluates a sample with its judgement and without it.
fn evaluated(item: &'static Item, sample: &ItemSample) -> (Result<Evaluation, JudgementError>, Evaluation) {
    with_material(&sample.text, &context(sample), &Tuning::default(), |material| {
        let measure = item.measured(material);
        let judged = judged(item, material, sample);
        let alone = Evaluation::new(item, material.context(), measure.clone(), None);
        (judged.map(|judged| Evaluation::new(item, material.context(), measure, judged)), alone)
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
                // Without a judgement only the measurement counts, whether it makes a score or not.
                let score = |one: &Evaluation| one.score.or_else(|| measured(one));
                let scores = (score(good), score(bad));
                if !matches!(scores, (Some(good), Some(bad)) if good >= bad + ABOVE) {
                    say(format!("good {:?}, bad {:?}", good.score, bad.score));
                }
            }
            refused => say(format!("a judgement was rejected: {refused:?}")),
        }
        let priors = (measured(&good.1), measured(&bad.1));
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
                if measured(&alone).is_some() {
                    say(format!("misleading: measured {:?}", measured(&alone)));
                }
            }
            Some(SampleExpectation::Fine) => {
                let judged = with.as_ref().ok().filter(|with| with.judged.is_some()).and_then(|with| with.score);
                let score = judged.or_else(|| measured(&alone));
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
            verify(of(kind), material, &Judgement { score, quotes, ..Judgement::default() })
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

#[test]
fn a_judgement_decides_and_without_one_there_is_no_total() {
    let of =
        |category| move |kind| ITEMS.iter().filter(move |item| item.page.kind == kind && item.category == category);
    // With settings, a plot and a previous episode every item that takes a judgement can be judged.
    let context = NovelContext {
        world: vec![YamlValue::read("sample.yaml", "name: 潮").expect("YAML")],
        plot: Some(EpisodePlot::default()),
        previous: Some("　潮が引いた。\n".to_owned()),
        ..NovelContext::default()
    };
    let judged =
        |score| Some(AcceptedJudgement { by: Judge::Sampling, judgement: Judgement { score, ..Judgement::default() } });
    let one = |item, measured: Option<f64>, score: Option<f64>| {
        Evaluation::new(item, &context, measured.map(Measure::from_score), score.and_then(judged))
    };
    let emotion = of(ItemCategory::Emotion);
    let hybrid =
        ITEMS.iter().find(|item| item.page.is_scored && item.page.kind == EvaluationKind::Hybrid).expect("an item");
    let both = one(hybrid, Some(0.5), Some(1.0));
    assert_eq!((both.score, both.method.name()), (Some(0.925), "llm_sampling"));
    let alone = one(hybrid, Some(0.5), None);
    assert_eq!((alone.score, alone.method.name()), (None, "not_evaluated"));
    // An item that is judged under 0.4 stays low.
    assert!(one(hybrid, Some(1.0), Some(0.39)).score.is_some_and(|score| score <= LOW));

    let all = |measured: f64, score: Option<f64>| {
        let items = ITEMS.iter().map(|item| {
            let measured = (item.page.kind != EvaluationKind::Judged).then_some(measured);
            one(item, measured, score)
        });
        items.collect::<Vec<_>>()
    };
    let total = |measured, score| overall(&category_scores(&all(measured, score)));
    assert_eq!(total(1.0, None), None);
    // Whatever is measured, a text that is judged low stays low and one that is judged high stays high.
    let (low, high) = (total(1.0, Some(0.33)).expect("a total"), total(0.0, Some(0.9)).expect("a total"));
    assert!(low < 50.0 && high > 60.0, "{low} {high}");

    // A category has a score if half of its items that take a judgement have one.
    let [first, second] = [0, 1].map(|at| emotion(EvaluationKind::Judged).nth(at).expect("an item"));
    let [none, some] =
        [None, Some(0.8)].map(|score| category_scores(&[one(first, None, score), one(second, None, None)])[0]);
    assert_eq!((none.score, none.coverage), (None, 0.0));
    assert_eq!((some.score.map(f64::round), some.coverage), (Some(10.0), 0.5));
}

/// Measures an item on a text, with the characters of a sheet.
fn measured_on(id: &str, characters: Option<&str>, text: &str) -> Measure {
    let item = ITEMS.iter().find(|item| item.id == id).expect("an item");
    let sample = ItemSample {
        text: text.to_owned(),
        characters: characters.map(str::to_owned),
        previous: None,
        ..item.page.good.clone()
    };
    let (_, alone) = evaluated(item, &sample);
    alone.measure.expect("a measured item")
}

#[test]
fn a_character_who_is_seen_before_the_name_is_told_is_introduced() {
    let sheet = "characters:\n  - name: 銀次\n    aliases: []\n    traits: [灰色の毛並み, 片方の耳が欠けている]\n  - name: 三雲なお\n    aliases: [なお]\n";
    let text = "　灯台の下に猫がいた。灰色の猫だった。片方の耳が欠けていた。\n　呼んでも来ない。\n「銀次」と、誰かが呼んだ。\n　銀次は振り向いて歩きだした。\n";
    assert_eq!(measured_on("A31-021", Some(sheet), text).score, Some(1.0));
    // A description of another character, named last, does not introduce this one.
    let other = "　三雲なおは灰色の上着を着ていた。片方の耳が赤い。\n　扉が開いた。\n　銀次は振り向いて歩きだした。\n";
    let sheet = format!("{sheet}  - name: 堀\n    aliases: []\n");
    let other = other.replace("三雲なお", "堀");
    let measure = measured_on("A31-021", Some(&sheet), &other);
    assert!(measure.score.is_some_and(|score| score < 1.0), "{measure:?}");
}

#[test]
fn prose_without_figures_has_no_score_for_their_rate() {
    let plain = "　船は三日で着いた。荷を下ろし、綱を巻き、男たちは帰った。\n".repeat(8);
    assert_eq!(measured_on("A31-039", None, &plain).score, None);
    let one = format!("{plain}　波の音は小枝を踏んだような音だった。\n{}", plain.repeat(5));
    assert_eq!(measured_on("A31-039", None, &one).score, Some(1.0));
}
