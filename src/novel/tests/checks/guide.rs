//! Tests that the tuning examples in docs/novel-checks.md are valid in both languages.
//!
//! The guide shows one tuning twice: as configuration and as settings of a novel. `docs/regenerate` makes the guide's
//! tables.

use std::{fs, path::Path};

use fumi_novel::{
    checks::{NovelContext, Tuning},
    project::NovelSettings,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    novel: Novel,
}

#[derive(Deserialize)]
struct Novel {
    checks: Tuning,
}

/// Returns the code blocks of a language in a document.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let open = format!("```{language}\n");
    let blocks = text.split(open.as_str()).skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_guides_examples_of_tuning_are_taken_and_say_the_same() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for name in ["novel-checks.md", "novel-checks.ja.md"] {
        let text = fs::read_to_string(docs.join(name)).expect("the guide");
        let [config] = blocks(&text, "toml")[..] else { panic!("{name}: one configuration") };
        let [settings] = blocks(&text, "yaml")[..] else { panic!("{name}: one example of settings") };
        let config: Config = toml::from_str(config).expect(name);
        config.novel.checks.check().expect(name);
        let context = NovelContext {
            settings: NovelSettings::read("settings.yaml", settings).expect(name),
            ..NovelContext::default()
        };
        assert_eq!(context.tuning().expect(name), config.novel.checks, "{name}");
        assert_ne!(config.novel.checks, Tuning::default(), "{name}");
    }
}
