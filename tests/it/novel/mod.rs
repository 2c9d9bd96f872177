//! The novel tools on a copy of the sample novel, as their clients see them.

mod by_provider;
mod prompts;
