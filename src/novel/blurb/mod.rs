//! The blurb of a novel: the text that presents it to readers, with its catchphrase and its tags.
//!
//! One question for the whole novel; its answer is verified by the limits of the sites and stored as a file of the
//! planning folder, which the author may edit. Whether a text tells too much of the story cannot be verified: only the
//! prompt forbids it. The module does not know who writes the text, and posts nothing.

mod criteria;
mod limits;
mod question;
mod stored;

pub use criteria::{criteria, missed_criteria, validate_answer};
pub use limits::{BlurbLimits, LengthLimits, SITES, SiteLimits, TagLimits, sites_of_preset};
pub use question::BlurbMaterial;
pub(crate) use stored::description;
pub use stored::{FILE, NovelBlurb, StoredBlurb, existing, store_blurb};
