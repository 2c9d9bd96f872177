//! Rewriting a passage of a manuscript: where it is, the question for variants of it, what is verified in an answer, and
//! the text with the passage replaced.
//!
//! Nothing is stored between question, answer and choice: each is a function of the manuscript and of the quotation. A
//! quotation stands for a passage only if it occurs exactly once, so a manuscript that was edited in between is noticed.

mod passage;
mod question;
mod style;
mod variant;

pub use passage::{ManuscriptPassage, PassageError};
pub use question::{RewriteQuestion, VARIANTS};
pub use style::StyleFacts;
pub use variant::{NewText, RewriteMode, VariantError, put_in, verify_variant};

#[cfg(test)]
mod tests;
