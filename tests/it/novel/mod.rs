//! The novel tools on a copy of the sample novel, as seen by clients.

pub(crate) mod blurb;
mod book;
mod by_provider;
pub(crate) mod checking;
mod data;
mod enhanced;
mod feedback;
pub(crate) mod fencing;
mod finishing;
pub(crate) mod killed;
mod manners;
mod memory;
mod models;
mod plotting;
mod prompts;
mod proofreading;
mod readers;
mod refused;
mod renumbered;
mod restoring;
mod rewriting;
// Formatted as the benchmark that shares it.
#[rustfmt::skip]
pub(crate) mod script;
mod several;
mod short;
mod starting;
mod text_flow;
mod texts;
mod together;
mod told;
mod versions;
mod ways;
mod writing;

use std::path::PathBuf;

use fumi_config::{AuthorChoice, Config};

use crate::sample::{Sample, copy};

/// Returns a copy of the sample novel as published.
pub(crate) fn novel() -> Sample {
    let sample = Sample::empty();
    copy(&shipped(), &sample.root());
    sample
}

/// Returns the same without its first manuscript: the plot exists, and the text must be written.
pub(crate) fn unwritten() -> Sample {
    let sample = novel();
    std::fs::remove_file(sample.root().join(FIRST)).unwrap();
    sample
}

/// The manuscript of the first episode.
pub(crate) const FIRST: &str = "40_原稿/第001話_こぶとえくぼ.md";

/// Configures a provider on this machine.
pub(crate) fn with_provider(config: &mut Config, url: &str) {
    config.novel.author = AuthorChoice::Provider;
    url.clone_into(&mut config.novel.provider.base_url);
    "scripted".clone_into(&mut config.novel.provider.model);
}

/// The sample novel of the repository.
pub(crate) fn shipped() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/novel")
}
