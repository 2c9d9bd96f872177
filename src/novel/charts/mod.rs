//! SVG pictures of a review: the quality radar, the rhythm strip, the tension curve and the trend of scores.
//!
//! Each picture is a pure function from measurements to a document: the same input gives the same bytes, below 40 kB
//! however long the novel is. `<desc>` repeats the picture's contents in words. This module neither measures nor writes
//! files.

mod curve;
mod radar;
mod strip;
mod svg;
#[cfg(test)]
mod tests;
mod trend;

pub use curve::curve;
pub use radar::radar;
pub use strip::strip;
pub use trend::trend;
