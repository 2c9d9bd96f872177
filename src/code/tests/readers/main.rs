//! Elements against independent readers: what other programs say of real sources, compared line by line.
//!
//! A missing reader is a failure, not a skip. Truth never comes from our own output.

mod python;
