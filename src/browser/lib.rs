//! Drives a real Chromium over the `DevTools` protocol: its processes, one context for each client session, tabs,
//! snapshots with refs, input, and the events of a page.
//!
//! The interface consists of typed structs; this crate knows neither tools nor the protocol of clients. The JavaScript
//! that runs inside pages is in `page/`.

mod acts;
mod browser;
mod chromium;
mod clipboard;
mod context;
mod cookies;
#[allow(
    unreachable_pub,
    clippy::enum_variant_names,
    clippy::struct_field_names,
    reason = "the part of the protocol that the crate uses, with its names; only its errors are public"
)]
mod devtools;
mod diagnosis;
mod emulate;
pub mod errors;
mod guard;
mod page;
pub mod policy;
mod proxy;
mod reaper;
mod reset_reason;
mod running;
mod script_reply;
mod session;
mod settings;
mod snapshot;
mod tab;
mod tab_list;
mod tabs;
mod target;
mod views;

pub use acts::{
    Aim, ClickOptions, DropContent, FieldKind, FieldMismatch, FilledForm, FormError, FormField, MismatchKind,
    ModifierKey, PointerButton, Typing,
};
pub use browser::BrowserService;
pub use chromium::{Launch, ProcessExit};
pub use cookies::{Cookie, CookieFilter, CookieSameSite, NewCookie};
pub use diagnosis::{Crash, Diagnosis};
pub use emulate::{EmulatedMedium, Emulation, MotionPreference, PreferredColorScheme};
pub use errors::BrowserError;
pub use reset_reason::ResetReason;
pub use session::{BrowserSession, SessionGuard, SessionOwner};
pub use settings::BrowserSettings;
pub use snapshot::{PageChanges, PageSnapshot, PageSnapshotFormat, SnapshotRequest};
pub use tab::{
    Arrival, ArrivalNote, Chooser, ConsoleMessage, DownloadLimit, DownloadState, MessageLevel, PageDialog,
    PageDownload, PopupMode, RecordedRequest, RequestDetail, RequestFilter, RequestPart, Tab, TabObservation,
};
pub use tabs::{SessionTabs, TabInfo};
pub use target::Target;
pub use views::{
    ElementQuery, FoundElement, FoundElements, FoundLines, HtmlRequest, LineQuery, Screenshot, ScreenshotFormat,
    ScreenshotOptions, ScriptValue, Wait,
};

#[cfg(test)]
#[path = "tests/life/mod.rs"]
mod life;
