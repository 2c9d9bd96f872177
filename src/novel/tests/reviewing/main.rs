//! Reviews on the disk of a copy of the sample novel: what is looked at, what is kept, what is written back.
//!
//! What checks find is tried elsewhere; here an issue is whatever it is.

mod kept;
mod looked;
#[path = "../shared/sample.rs"]
mod sample;

use fumi_base::{errors::Teach, text::Locale};
use fumi_novel::{errors::reviewing::ReviewError, project::Episode, writing::Moment};

fn episode(number: u32) -> Episode {
    Episode::new(number).expect("a number")
}

fn at(seconds: u32) -> Moment {
    Moment::parse(&format!("2026-01-31T10:00:{seconds:02}Z")).expect("a time")
}

/// What a failure is called; its sentences have all their facts.
fn entry(error: &ReviewError) -> &'static str {
    let lesson = error.lesson();
    for locale in [Locale::En, Locale::Ja] {
        let said = lesson.message.get(locale);
        assert!(!said.is_empty() && !said.contains(['{', '}']), "{said}");
    }
    error.entry()
}
