//! Rounding of numbers in replies: more digits would suggest a precision that the measures lack.

/// Rounds a number to one decimal.
pub(in crate::novel) fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Rounds a number to two decimals.
pub(in crate::novel) fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
