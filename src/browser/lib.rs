//! Drives a real Chromium over the `DevTools` protocol: its processes, one context for each client session, tabs,
//! snapshots with refs, input, and the events of a page.
//!
//! The interface consists of typed structs; this crate knows neither tools nor the protocol of clients. The JavaScript
//! that runs inside pages is in `page/`.

mod acts;
mod ageing;
mod browser;
mod chromium;
mod clipboard;
mod context;
mod cookies;
#[allow(
    unreachable_pub,
    clippy::enum_variant_names,
    clippy::struct_field_names,
    reason = "what the crate uses of the protocol, by its names; others see only its errors"
)]
mod devtools;
mod diagnosis;
mod emulate;
pub mod errors;
mod gate;
mod guard;
mod loss;
mod page;
pub mod policy;
mod refusal;
mod running;
mod session;
mod settings;
mod snapshot;
mod strip;
mod tab;
mod tabs;
mod target;
mod views;

pub use acts::{Aim, Button, Click, Difference, Differing, Dropping, Field, FieldKind, Modifier, Typing};
pub use browser::Browser;
pub use chromium::{Ended, Launch};
pub use cookies::{Cookie, CookieFilter, NewCookie, SameSite};
pub use diagnosis::{Crash, Diagnosis};
pub use emulate::{ColorScheme, Emulation, Media, ReducedMotion};
pub use errors::BrowserError;
pub use loss::Loss;
pub use session::{Owner, Session, Turn};
pub use settings::Settings;
pub use snapshot::{Changes, Snapshot, SnapshotFormat, SnapshotRequest};
pub use tab::{
    Arrival, Chooser, Dialog, Download, DownloadState, Facts, Level, Message, Note, Popups, Request, RequestDetail,
    RequestFilter, RequestPart, Stopped, Tab,
};
pub use tabs::{TabInfo, Tabs};
pub use target::Target;
pub use views::{
    Element, ElementQuery, Elements, Evaluated, Find, Found, HtmlRequest, ImageFormat, Picture, Shot, Wait,
};

#[cfg(test)]
#[path = "tests/life/mod.rs"]
mod life;
