//! Metrics: what is measured of a text, once, for the rules, the items and the replies.
//!
//! Each file is one kind of measurement with its formulas and their sources; none of them judges.

mod lengths;

pub use lengths::{Lengths, MEDIUM, SHORT, Spread};

use super::material::Material;

/// Everything that is measured.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Lengths of sentences of narration.
    pub lengths: Lengths,
}

impl Metrics {
    pub(super) fn of(material: &Material<'_>) -> Self {
        Self {
            lengths: Lengths::of(material),
        }
    }
}
