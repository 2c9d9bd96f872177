//! Item A31-004: the largest change of valence between neighbouring sections. If the plot has an emotional journey,
//! that is 0.6 of the score and the order of its stages 0.4.

use crate::{
    checks::{
        CheckMaterial, NovelContext,
        features::{part_of, spearman},
        items::{ItemThresholds, Measure},
    },
    lexicons::EMOTION,
    manuscript::{Manuscript, ManuscriptOptions},
    morphology::{NameLexicon, WordAnalysis},
    project::YamlValue,
    text::Sentences,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let feelings = material.feelings();
    let sections = material.scenes().sections.iter();
    let felt =
        sections.filter_map(|section| Some((feelings.valence_in(&section.sentences(material))?, section.source())));
    let felt: Vec<(f64, _)> = felt.collect();
    if felt.len() < gauge.limit("minimum").max(2) {
        return Measure::not_applicable();
    }
    let step = |pair: &[(f64, _)]| {
        let difference = (pair[1].0 - pair[0].0).abs();
        let is_turn = pair[0].0 * pair[1].0 < 0.0 || difference >= gauge.threshold("level");
        if is_turn { difference.max(gauge.threshold("level")) } else { difference }
    };
    let widest = felt.windows(2).max_by(|one, other| step(one).total_cmp(&step(other)));
    let Some(widest) = widest else {
        return Measure::not_applicable();
    };
    let change = (step(widest) / gauge.threshold("level")).min(1.0);
    let places = widest.iter().map(|(_, source): &(f64, std::ops::Range<usize>)| source.clone());
    let score = match order(material, gauge) {
        Some(order) => {
            let weight = gauge.threshold("order_weight");
            (1.0 - weight) * change + weight * f64::midpoint(order, 1.0)
        }
        None => change,
    };
    Measure::from_score(score).with_value(step(widest)).with_places(places)
}

/// Returns the rank correlation of the text with the stages of the plot, from -1 to 1.
fn order(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Option<f64> {
    let stages = journey(material.context());
    let valences: Vec<Option<f64>> = stages.iter().map(|stage| valence(stage)).collect();
    let mut pairs = Vec::new();
    for (at, stage) in valences.iter().enumerate() {
        let part = part_of(material, at, stages.len());
        if let (Some(stage), Some(text)) = (stage, material.feelings().valence_in(&part)) {
            pairs.push((*stage, text));
        }
    }
    let known = valences.iter().flatten().count();
    (known >= gauge.limit("stages")).then(|| spearman(&pairs)).flatten()
}

fn journey(context: &NovelContext) -> Vec<String> {
    let elements = context.plot.as_ref().map(|plot| &plot.emotional_elements);
    match elements.and_then(|elements| elements.get("emotional_journey")) {
        Some(YamlValue::List(stages)) => stages.iter().map(YamlValue::words).collect(),
        _ => Vec::new(),
    }
}

/// Returns the mean valence of the words of a stage.
fn valence(stage: &str) -> Option<f64> {
    let (manuscript, names) = (Manuscript::read(stage, ManuscriptOptions::default()), NameLexicon::default());
    let sentences = Sentences::find(&manuscript);
    let analysis = WordAnalysis::new(&manuscript, &sentences, &names, crate::checks::morphology());
    let hits = EMOTION.words.find(analysis.words());
    let valences = hits.iter().map(|hit| f64::from(EMOTION.valence(hit.entry)));
    let (sum, count) = valences.fold((0.0, 0.0), |(sum, count), valence| (sum + valence, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
