//! Tests of published formats against outside references: epubcheck, `Shift_JIS` decoders, and reading them back.

#![allow(
    clippy::disallowed_methods,
    reason = "epubcheck is a program of its own; only tests start one"
)]

mod checked;
mod read_back;

use fumi_base::project::Project;
use fumi_novel::{
    manuscript::{Manuscript, Reading, Syntax},
    project::{Names, NovelProject},
    publish::Work,
};

/// Returns a novel of Aozora Bunko.
fn bocchan() -> (Manuscript, Work) {
    let syntax = Syntax::Aozora;
    let source = include_str!("../fixtures/bocchan.aozora.txt");
    let work = Work {
        title: "坊っちゃん".to_owned(),
        author: "夏目漱石".to_owned(),
    };
    (
        Manuscript::read(
            source,
            Reading {
                syntax,
                ..Reading::default()
            },
        ),
        work,
    )
}

/// Returns the episodes of the sample novel as manuscripts.
fn sample() -> (Vec<(String, Manuscript)>, Work) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/novel");
    let project = NovelProject::new(Project::open(&root).expect("a project"), Names::default());
    let survey = project.survey().expect("a survey");
    let chapters = survey.episodes.iter().map(|(episode, files)| {
        let text = project.manuscript_text(*episode).expect("a text").text;
        let title = files.title.clone().unwrap_or_default();
        (title, Manuscript::read(text, Reading::default()))
    });
    let work = Work {
        title: survey.settings.title.clone().expect("a title"),
        author: survey.settings.author.clone().expect("an author"),
    };
    (chapters.collect(), work)
}

/// Returns an episode with every feature of a manuscript, including faults.
fn every_feature() -> (Manuscript, Work) {
    let source = include_str!("../fixtures/every-feature.md");
    let work = Work {
        title: "灯台と猫 <&> \"1\"".to_owned(),
        author: "作者 & 仲間".to_owned(),
    };
    (Manuscript::read(source, Reading::default()), work)
}
