//! Acts on a real Chromium: what the page saw, compared with what a person's hand gives.

mod clicks;
mod drags;
mod evaluates;
mod fields;
mod files;
mod frames;
mod page;
mod patterns;
mod pictures;
mod secrets;
mod waits;
