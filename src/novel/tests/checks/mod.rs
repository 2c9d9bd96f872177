//! Tests of the checks against their manual pages, against all available texts, and against properties of all texts.

mod basic;
mod corrections;
mod deference;
mod facts;
mod feelings;
mod guide;
mod hostile;
mod in_order;
mod items;
mod labelled;
mod made;
mod manners;
mod mends;
mod pages;
mod properties;
mod rhythm;
mod shuffled;
mod slips;
mod speakers;
mod stable;

use fumi_novel::{
    checks::{AnalysedDraft, CheckMaterial, NovelContext, Sample, Tuning},
    manuscript::ManuscriptOptions,
    morphology::{Ipadic, NameLexicon},
    project::{EpisodePlot, NovelSettings, YamlValue},
};

/// Returns the context of a sample.
pub(crate) fn context(sample: &Sample) -> NovelContext {
    let yaml = |text: &Option<String>| text.as_ref().map(|text| YamlValue::read("sample.yaml", text).expect("YAML"));
    let world: Vec<YamlValue> = [yaml(&sample.characters), yaml(&sample.terms)].into_iter().flatten().collect();
    NovelContext {
        settings: NovelSettings { style_preset: sample.preset, ..NovelSettings::default() },
        plot: sample.plot.as_ref().map(|plot| EpisodePlot::read("plot.yaml", plot).expect("a plot")),
        names: NameLexicon::of_settings(&world),
        world,
        corrections: sample.corrections.clone(),
        contradictions: sample.contradictions.clone(),
        ..NovelContext::default()
    }
}

/// Returns the tuning of a sample.
pub(crate) fn tuning(sample: &Sample) -> Tuning {
    Tuning { forbidden: sample.forbidden.clone(), ..Tuning::default() }
}

/// Runs a function with the material that rules receive.
pub(crate) fn with_material<T>(
    text: &str,
    context: &NovelContext,
    tuning: &Tuning,
    look: impl FnOnce(&CheckMaterial<'_>) -> T,
) -> T {
    let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
    look(&CheckMaterial::new(&draft, context, tuning, Ipadic::shared()))
}
