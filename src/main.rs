//! fumi
fn main() {}
