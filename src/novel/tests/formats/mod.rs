//! Tests of published formats against outside references: epubcheck, `Shift_JIS` decoders, and reading them back.

#![allow(clippy::disallowed_methods, reason = "epubcheck is a separate program; only tests start it")]

mod checked;
mod read_back;

use fumi_base::project::Project;
use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptSyntax},
    project::{NovelProject, ProjectNames},
    publish::WorkTitle,
};

/// Returns a novel of Aozora Bunko.
fn bocchan() -> (Manuscript, WorkTitle) {
    let syntax = ManuscriptSyntax::Aozora;
    let source = include_str!("../fixtures/bocchan.aozora.txt");
    let work = WorkTitle { title: "坊っちゃん".to_owned(), author: "夏目漱石".to_owned() };
    (Manuscript::read(source, ManuscriptOptions { syntax, ..ManuscriptOptions::default() }), work)
}

/// Returns the episodes of the sample novel as manuscripts.
fn sample() -> (Vec<(String, Manuscript)>, WorkTitle) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel");
    let project = NovelProject::new(Project::open(&root).expect("a project"), ProjectNames::default());
    let survey = project.survey().expect("a survey");
    let chapters = survey.episodes.iter().map(|(episode, files)| {
        let text = project.manuscript_text(*episode).expect("a text").text;
        let title = files.title.clone().unwrap_or_default();
        (title, Manuscript::read(text, ManuscriptOptions::default()))
    });
    let work = WorkTitle {
        title: survey.settings.title.clone().expect("a title"),
        author: survey.settings.author.clone().expect("an author"),
    };
    (chapters.collect(), work)
}

/// Returns an episode with every feature of a manuscript, including faults.
fn every_feature() -> (Manuscript, WorkTitle) {
    let source = include_str!("../fixtures/every-feature.md");
    let work = WorkTitle { title: "灯台と猫 <&> \"1\"".to_owned(), author: "作者 & 仲間".to_owned() };
    (Manuscript::read(source, ManuscriptOptions::default()), work)
}
