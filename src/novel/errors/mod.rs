//! What novel tools can refuse: typed facts here, sentences in the `.toml` beside each file.
//!
//! [`project`] for files that are missing or broken, [`backup`] for copies of them, [`writing`] for stages and answers,
//! [`reviewing`] for what cannot be checked or fixed, [`completion`] for manuscripts that cannot be published, [`artifact`] for what is known by its hash, [`saving`] for files that shall
//! not be replaced. Broken markup of a manuscript is none of it: that is data (see [`crate::manuscript::IssueKind`]).

pub mod artifact;
pub mod backup;
pub mod completion;
pub mod project;
pub mod reviewing;
pub mod saving;
pub mod writing;
