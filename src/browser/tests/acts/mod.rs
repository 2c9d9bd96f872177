//! Acts on a real Chromium: what the page saw, compared with what a person's hand gives.

mod clicks;
mod drags;
mod evaluates;
mod fields;
mod files;
mod page;
mod pictures;
mod secrets;
mod waits;
