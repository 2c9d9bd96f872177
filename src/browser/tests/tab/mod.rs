//! A tab of a real Chromium against small pages.

mod chromium;
mod frames;
mod site;
