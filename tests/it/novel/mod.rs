//! The novel tools on a copy of the sample novel, as their clients see them.

mod data;
