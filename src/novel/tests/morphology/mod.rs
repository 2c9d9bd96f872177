//! Tests of sentences and words: invariants, a novel's names, and comparison with `MeCab`.
//!
//! Expected values come from the texts and from other programs, never from the code under test.

#![allow(clippy::disallowed_methods, reason = "MeCab is a separate program; only tests start it")]

mod baselines;
mod entries;
mod invariants;
mod ipadic;
mod names;
mod oracle;
mod words;

use fumi_base::project::Project;
use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptSyntax},
    morphology::NameLexicon,
    project::{NovelProject, ProjectNames},
};

/// Returns a novel of Aozora Bunko.
fn bocchan() -> Manuscript {
    let reading = ManuscriptOptions { syntax: ManuscriptSyntax::Aozora, ..ManuscriptOptions::default() };
    Manuscript::read(include_str!("../fixtures/bocchan.aozora.txt"), reading)
}

/// Returns the episodes of the sample novel and the names in its settings.
fn sample() -> (Vec<Manuscript>, NameLexicon) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel");
    let project = NovelProject::new(Project::open(&root).expect("a project"), ProjectNames::default());
    let survey = project.survey().expect("a survey");
    let text = |episode| project.manuscript_text(episode).expect("a text").text;
    let episodes = survey.episodes.keys().map(|episode| Manuscript::read(text(*episode), ManuscriptOptions::default()));
    let names = NameLexicon::of_project(&survey).expect("settings");
    (episodes.collect(), names)
}
