//! Tests of the checks against their manual pages, against all available texts, and against properties of all texts.

mod basic;
mod feelings;
mod guide;
mod hostile;
mod items;
mod made;
mod manners;
mod pages;
mod properties;
mod rhythm;
mod shuffled;
mod speakers;
mod stable;

use fumi_novel::{
    checks::{Context, Draft, Material, Sample, Tuning},
    manuscript::Reading,
    morphology::{Ipadic, Lexicon},
    project::{Plot, Settings, Yaml},
};

/// Returns the context of a sample.
pub(crate) fn context(sample: &Sample) -> Context {
    let yaml = |text: &Option<String>| text.as_ref().map(|text| Yaml::read("sample.yaml", text).expect("YAML"));
    let world: Vec<Yaml> = [yaml(&sample.characters), yaml(&sample.terms)]
        .into_iter()
        .flatten()
        .collect();
    Context {
        settings: Settings {
            style_preset: sample.preset,
            ..Settings::default()
        },
        plot: sample
            .plot
            .as_ref()
            .map(|plot| Plot::read("plot.yaml", plot).expect("a plot")),
        names: Lexicon::of_settings(&world),
        world,
        ..Context::default()
    }
}

/// Returns the tuning of a sample.
pub(crate) fn tuning(sample: &Sample) -> Tuning {
    Tuning {
        forbidden: sample.forbidden.clone(),
        ..Tuning::default()
    }
}

/// Runs a function with the material that rules receive.
pub(crate) fn with_material<T>(
    text: &str,
    context: &Context,
    tuning: &Tuning,
    look: impl FnOnce(&Material<'_>) -> T,
) -> T {
    let draft = Draft::read(text, Reading::default());
    look(&Material::of(&draft, context, tuning, Ipadic::shared()))
}
