//! Pictures of a review, as SVG: the quality radar, the rhythm strip, the tension curve and the trend of scores.
//!
//! Each is a function from what was measured to a document: the same input gives the same bytes, below 40 kB however long the
//! novel is. What they show also stands in words in `<desc>`. Nothing is measured or written to a file here.

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
