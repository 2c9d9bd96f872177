//! The errors of the novel tools: typed facts here, sentences in the `.toml` file beside each module.
//!
//! [`project`] for missing or broken files, [`backup`] for backups, [`writing`] for stages and answers, [`reviewing`]
//! for checks and fixes, [`rewriting`] for passages, [`blurb`] for the presentation of a novel, [`completion`] for
//! manuscripts that cannot be published, [`artifact`] for hash references, [`versions`] for texts to compare, [`saving`]
//! for files that must not be replaced. Broken markup of a manuscript is not an error but data (see
//! [`crate::manuscript::MarkupIssueKind`]).

pub mod artifact;
pub mod backup;
pub mod blurb;
pub mod completion;
pub mod project;
pub mod reviewing;
pub mod rewriting;
pub mod saving;
pub mod versions;
pub mod writing;
