//! Tests of the acts with a real Chromium: the events that a page receives are compared with those of a person's input.

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
