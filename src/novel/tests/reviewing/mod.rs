//! Tests of reviews in a copy of the sample novel: read manuscripts, stored results, written fixes.
//!
//! The findings of checks are tested elsewhere; the issues here are arbitrary.

mod kept;
mod looked;

use crate::sample;
use fumi_base::{errors::UserError, text::Locale};
use fumi_novel::{errors::reviewing::ReviewError, project::EpisodeId, writing::UtcTime};

fn episode(number: u32) -> EpisodeId {
    EpisodeId::new(number).expect("a number")
}

fn at(seconds: u32) -> UtcTime {
    UtcTime::parse(&format!("2026-01-31T10:00:{seconds:02}Z")).expect("a time")
}

/// Returns the catalogue entry of an error and checks that its sentences are complete.
fn entry(error: &ReviewError) -> &'static str {
    let lesson = error.error_message();
    for locale in [Locale::En, Locale::Ja] {
        let said = lesson.message.get(locale);
        assert!(!said.is_empty() && !said.contains(['{', '}']), "{said}");
    }
    error.entry()
}
