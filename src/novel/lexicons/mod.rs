//! Lists of words and phrases that checks know, as data: each file says in its head how it was made.
//!
//! An entry matches by the base forms of its words, so 胸が痛む is found in 胸が痛んだ; spelled otherwise it is another entry.
//! Nothing is judged here.

mod forbidden;
mod phrases;

pub use forbidden::{FORBIDDEN, Forbidden, Limited, Unwanted, Where};
pub use phrases::{Hit, Phrases};
