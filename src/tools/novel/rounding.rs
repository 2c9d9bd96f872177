//! Numbers as replies show them: more digits would pretend.

/// To one decimal.
pub(in crate::tools::novel) fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// To two decimals.
pub(in crate::tools::novel) fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
