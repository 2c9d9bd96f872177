//! A tab of a real Chromium against small pages.

mod chromium;
mod dialogs;
mod frames;
mod navigation;
mod site;
mod snapshots;
mod traffic;
