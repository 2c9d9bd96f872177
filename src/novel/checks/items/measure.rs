//! The measurement of an item: a score from 0 to 1 with the measured value and the places that show it, or not
//! applicable.

use std::ops::Range;

use super::Item;
use crate::checks::Tuning;

/// The maximum number of places kept as evidence.
const PLACES: usize = 8;

/// The result of a measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// From 0 to 1; `None` if there is nothing to measure.
    pub score: Option<f64>,
    /// The measured value, in the unit of the page, if there is one.
    pub value: Option<f64>,
    /// The first places that show it, as byte ranges in the source.
    pub places: Vec<Range<usize>>,
}

impl Measure {
    /// Creates a measurement with a score, clamped to 0 to 1.
    pub fn from_score(score: f64) -> Self {
        Self {
            // Adding 0.0 turns -0.0 into 0.0.
            score: Some(score.clamp(0.0, 1.0) + 0.0),
            ..Self::default()
        }
    }

    /// Creates a measurement of a text that has nothing to measure.
    pub fn not_applicable() -> Self {
        Self::default()
    }

    /// Sets the measured value.
    pub fn with_value(mut self, value: f64) -> Self {
        self.value = Some(value);
        self
    }

    /// Adds places as evidence, up to a maximum.
    pub fn with_places(mut self, places: impl IntoIterator<Item = Range<usize>>) -> Self {
        self.places.extend(places);
        self.places.truncate(PLACES);
        self
    }
}

/// The thresholds of an item, as configured, else as on its page.
#[derive(Clone, Copy, Debug)]
pub struct ItemThresholds<'a> {
    pub(super) item: &'a Item,
    pub(super) tuning: &'a Tuning,
}

impl ItemThresholds<'_> {
    /// Returns a threshold of the item.
    pub fn threshold(&self, name: &str) -> f64 {
        self.tuning.threshold(self.item.name, &self.item.page.threshold, name)
    }

    /// Returns a threshold that is a count.
    pub fn limit(&self, name: &str) -> usize {
        self.tuning.limit(self.item.name, &self.item.page.threshold, name)
    }
}

/// Interpolates linearly from 0 at `none` to 1 at `full`, clamped; `none` may be the larger one.
pub fn ramp(value: f64, none: f64, full: f64) -> f64 {
    if (full - none).abs() < f64::EPSILON {
        return if value >= full { 1.0 } else { 0.0 };
    }
    ((value - none) / (full - none)).clamp(0.0, 1.0)
}

/// Returns 1 from `low` to `high`, falling to 0 over `slope` on either side.
pub fn trapezoid(value: f64, low: f64, high: f64, slope: f64) -> f64 {
    ramp(value, low - slope, low).min(ramp(value, high + slope, high))
}

/// Returns the number per 1,000 characters; 0 for an empty text.
pub fn per_thousand(count: usize, characters: usize) -> f64 {
    if characters == 0 { 0.0 } else { 1000.0 * count as f64 / characters as f64 }
}

/// Returns the share of `some` in `all`; 0 if both are 0.
pub fn share(some: usize, all: usize) -> f64 {
    some as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{ramp, trapezoid};

    #[test]
    fn ramp_interpolates_in_both_directions() {
        let shown = |scores: [f64; 3]| scores.map(|score| format!("{score:.2}"));
        let rising = [ramp(0.0, 1.0, 3.0), ramp(2.0, 1.0, 3.0), ramp(9.0, 1.0, 3.0)];
        assert_eq!(shown(rising), ["0.00", "0.50", "1.00"]);
        let falling = [ramp(2.0, 6.0, 2.0), ramp(4.0, 6.0, 2.0), ramp(7.0, 6.0, 2.0)];
        assert_eq!(shown(falling), ["1.00", "0.50", "0.00"]);
        let inside = [trapezoid(0.5, 0.4, 0.8, 0.2), trapezoid(0.3, 0.4, 0.8, 0.2), trapezoid(1.2, 0.4, 0.8, 0.2)];
        assert_eq!(shown(inside), ["1.00", "0.50", "0.00"]);
    }
}
