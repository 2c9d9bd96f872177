//! The foundation of fumi, used by every family of tools.
//!
//! It knows neither tools nor protocols. Paths come from [`project`], bytes from [`files`], bilingual texts from
//! [`text`], and error messages from [`errors`].

mod above;
pub mod audit;
pub mod cache;
pub mod changes;
pub mod errors;
pub mod expectation;
mod failpoints;
mod fair_queue;
pub mod files;
pub mod freshness;
pub mod listing;
mod meant;
mod mounts;
pub mod path_maps;
pub mod place;
pub mod pools;
pub mod project;
pub mod redact;
pub mod roots;
pub mod shares;
pub mod store;
pub mod system;
pub mod text;
pub mod tokens;
mod tree;
pub mod writers;
pub mod writing;
