//! STUB of the browser's domain: signatures only.
#![allow(
    missing_docs,
    clippy::unused_async,
    clippy::must_use_candidate,
    clippy::missing_panics_doc
)]

use std::{path::PathBuf, sync::Arc, time::Duration};

use fumi_base::{
    errors::{Book, Teach},
    project::{BOOK, ProjectPath},
};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// STUB.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    #[error("a dialog is open")]
    DialogOpen { kind: String, message: String },
    #[error("a stub")]
    Stub,
}

impl Teach for BrowserError {
    fn entry(&self) -> &'static str {
        "FILE_NOT_FOUND"
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

type Done<T = ()> = Result<T, BrowserError>;

#[derive(Clone, Debug, Default)]
pub struct Settings;

#[derive(Debug)]
pub struct Browser;

#[derive(Clone, Debug, Default)]
pub struct Owner {
    pub principal: String,
    pub mcp_session: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// Where Chromium lies; none was found without.
    pub path: Option<PathBuf>,
    pub version: Option<String>,
    pub flags: Vec<String>,
    pub running: bool,
    pub contexts: usize,
    pub tabs: usize,
    pub memory_bytes: Option<u64>,
    pub last_crash: Option<String>,
}

impl Browser {
    pub fn new(_settings: Settings) -> Arc<Self> {
        Arc::new(Self)
    }
    pub async fn session(self: &Arc<Self>, _owner: &Owner, _handle: Option<&str>) -> Done<Arc<Session>> {
        Err(BrowserError::Stub)
    }
    pub async fn close(&self, _owner: &Owner, _handle: &str) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn diagnose(&self) -> Diagnosis {
        Diagnosis::default()
    }
}

#[derive(Debug)]
pub struct Session(Arc<Mutex<Tabs>>);

pub type Turn = OwnedMutexGuard<Tabs>;

impl Session {
    pub fn handle(&self) -> &str {
        "stub"
    }
    pub async fn alone(&self) -> Turn {
        Arc::clone(&self.0).lock_owned().await
    }
}

#[derive(Debug)]
pub struct Tabs;

#[derive(Clone, Debug)]
pub struct TabInfo {
    pub index: usize,
    pub title: String,
    pub url: String,
    pub current: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Cookie {
    pub name: String,
    pub value: String,
    pub url: Option<String>,
    pub domain: Option<String>,
    pub path: Option<String>,
    /// Unix seconds; a session's cookie without.
    pub expires: Option<f64>,
    pub http_only: bool,
    pub secure: bool,
    pub same_site: Option<SameSite>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameSite {
    Strict,
    Lax,
    None,
}

/// Which cookies are meant; all of the context without any.
#[derive(Clone, Debug, Default)]
pub struct CookieFilter {
    pub name: Option<String>,
    pub url: Option<String>,
    pub domain: Option<String>,
    pub path: Option<String>,
}

impl Tabs {
    pub async fn current(&mut self) -> Done<Arc<Tab>> {
        Err(BrowserError::Stub)
    }
    pub fn list(&self) -> Vec<TabInfo> {
        Vec::new()
    }
    pub async fn open(&mut self, _url: Option<&str>) -> Done {
        Ok(())
    }
    pub async fn select(&mut self, _index: usize) -> Done {
        Ok(())
    }
    pub async fn close(&mut self, _index: Option<usize>) -> Done {
        Ok(())
    }
    pub async fn cookies(&mut self, _filter: &CookieFilter) -> Done<Vec<Cookie>> {
        Ok(Vec::new())
    }
    pub async fn set_cookie(&mut self, _cookie: &Cookie) -> Done {
        Ok(())
    }
    /// How many were deleted.
    pub async fn delete_cookies(&mut self, _filter: &CookieFilter) -> Done<usize> {
        Ok(0)
    }
    pub async fn clear_cookies(&mut self) -> Done<usize> {
        Ok(0)
    }
}

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A ref, a CSS selector, `text=...` or `role=button[name="Save"]`.
    Written(String),
    Role {
        role: String,
        name: Option<String>,
    },
    Text {
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    Target(Target),
    Point(f64, f64),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Button {
    #[default]
    Left,
    Right,
    Middle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    Alt,
    Control,
    ControlOrMeta,
    Meta,
    Shift,
}

#[derive(Clone, Debug, Default)]
pub struct Click {
    pub button: Button,
    pub double: bool,
    pub modifiers: Vec<Modifier>,
}

#[derive(Clone, Debug)]
pub struct Typing {
    pub text: String,
    pub slowly: bool,
    pub submit: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Drop {
    pub paths: Vec<ProjectPath>,
    /// Media type and data.
    pub data: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Option<String>,
    pub target: Target,
    pub kind: Option<FieldKind>,
    pub value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Textbox,
    Checkbox,
    Radio,
    Combobox,
    Slider,
}

#[derive(Clone, Debug)]
pub struct Arrival {
    pub url: String,
    pub title: String,
    pub status: Option<u16>,
    pub redirects: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotFormat {
    #[default]
    Aria,
    Text,
    Html,
}

#[derive(Clone, Debug, Default)]
pub struct SnapshotRequest {
    pub target: Option<Target>,
    pub depth: Option<u32>,
    /// Characters.
    pub max_length: Option<usize>,
    pub format: SnapshotFormat,
    pub boxes: bool,
}

#[derive(Clone, Debug)]
pub struct Snapshot {
    /// With its marks, where something was cut.
    pub text: String,
    pub cut: bool,
}

#[derive(Clone, Debug)]
pub struct Changes {
    /// Empty where nothing changed.
    pub text: String,
    /// Whether this is the whole snapshot, since there was none before or the difference would be larger.
    pub whole: bool,
    pub cut: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageFormat {
    #[default]
    Png,
    Jpeg,
    Webp,
}

#[derive(Clone, Debug, Default)]
pub struct Shot {
    pub target: Option<Target>,
    pub full_page: bool,
    pub format: ImageFormat,
    /// 1 to 100; not for PNG.
    pub quality: Option<u8>,
    pub max_width: Option<u32>,
    pub max_height: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct Picture {
    pub bytes: Vec<u8>,
    pub mime: &'static str,
    pub width: u32,
    pub height: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Wait {
    pub time: Option<Duration>,
    pub text: Option<String>,
    pub text_gone: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Find {
    Text(String),
    Regex(String),
}

#[derive(Clone, Debug)]
pub struct ElementQuery {
    pub text: Option<String>,
    pub role: Option<String>,
    pub tag_name: Option<String>,
    pub attributes: Vec<(String, String)>,
    pub max_results: usize,
}

#[derive(Clone, Debug)]
pub struct Elements {
    pub found: Vec<Element>,
    pub total: usize,
}

#[derive(Clone, Debug)]
pub struct Element {
    pub reference: String,
    pub role: String,
    pub name: String,
    pub tag: String,
    pub text: String,
    pub visible: bool,
}

#[derive(Clone, Debug)]
pub struct HtmlRequest {
    pub target: Target,
    pub depth: Option<u32>,
    /// Characters.
    pub max_size: usize,
    pub exclude: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    #[default]
    Info,
    Warning,
    Error,
}

#[derive(Clone, Debug)]
pub struct Message {
    pub level: Level,
    pub text: String,
    /// `URL:line:column`.
    pub place: Option<String>,
    pub repeated: usize,
}

#[derive(Clone, Debug, Default)]
pub struct RequestFilter {
    /// A regex on the URL.
    pub url: Option<String>,
    pub status: Option<(u16, u16)>,
    pub method: Option<String>,
    pub most: usize,
}

#[derive(Clone, Debug)]
pub struct Request {
    /// From 1, as it is asked for.
    pub index: usize,
    pub method: String,
    pub url: String,
    pub kind: String,
    pub status: Option<u16>,
    pub failure: Option<String>,
    pub bytes: Option<u64>,
    pub duration_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart {
    RequestHeaders,
    RequestBody,
    ResponseHeaders,
    ResponseBody,
}

#[derive(Clone, Debug)]
pub struct RequestDetail {
    pub request: Request,
    pub request_headers: Vec<(String, String)>,
    pub request_body: Option<String>,
    pub response_headers: Vec<(String, String)>,
    pub response_body: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorScheme {
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReducedMotion {
    Reduce,
    NoPreference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    Screen,
    Print,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Emulation {
    pub color_scheme: Option<ColorScheme>,
    pub reduced_motion: Option<ReducedMotion>,
    pub media: Option<Media>,
}

#[derive(Clone, Debug)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt`, `beforeunload`.
    pub kind: String,
    pub message: String,
}

#[derive(Clone, Debug)]
pub struct Download {
    pub url: String,
    pub name: String,
    /// `running`, `done`, `cancelled`.
    pub state: &'static str,
    pub bytes: Option<u64>,
    /// Where it lies, relative to the project.
    pub path: Option<String>,
}

/// What happened since the last observation.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// As they are now.
    pub url: String,
    pub title: String,
    pub url_changed: bool,
    pub title_changed: bool,
    /// Of the last document that arrived.
    pub status: Option<u16>,
    pub dialog: Option<Dialog>,
    /// A file chooser waits; whether it takes several files.
    pub file_chooser: Option<bool>,
    pub downloads: Vec<Download>,
    pub new_tabs: Vec<TabInfo>,
    pub new_console_errors: usize,
    /// All messages since then.
    pub console: Vec<Message>,
}

#[derive(Debug)]
pub struct Tab;

impl Tab {
    /// The open dialog.
    pub fn dialog(&self) -> Option<Dialog> {
        None
    }
    pub async fn navigate(&self, _url: &str) -> Done<Arrival> {
        Err(BrowserError::Stub)
    }
    pub async fn back(&self) -> Done<Arrival> {
        Err(BrowserError::Stub)
    }
    pub async fn forward(&self) -> Done<Arrival> {
        Err(BrowserError::Stub)
    }
    pub async fn snapshot(&self, _request: &SnapshotRequest) -> Done<Snapshot> {
        Err(BrowserError::Stub)
    }
    /// Since the last snapshot.
    pub async fn changes(&self, _max_tokens: usize) -> Done<Changes> {
        Err(BrowserError::Stub)
    }
    pub async fn click(&self, _aim: &Aim, _click: &Click) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn hover(&self, _aim: &Aim) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn drag(&self, _from: &Aim, _to: &Aim) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn drop_on(&self, _target: &Target, _drop: &Drop) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn type_text(&self, _target: &Target, _typing: &Typing) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn fill(&self, _target: &Target, _value: &str) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn fill_form(&self, _fields: &[Field]) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn press(&self, _key: &str) -> Done {
        Err(BrowserError::Stub)
    }
    /// The values that are selected now.
    pub async fn select_option(&self, _target: &Target, _values: &[String]) -> Done<Vec<String>> {
        Err(BrowserError::Stub)
    }
    /// None cancels the chooser.
    pub async fn upload(&self, _files: Option<&[ProjectPath]>) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn handle_dialog(&self, _accept: bool, _prompt_text: Option<&str>) -> Done<Dialog> {
        Err(BrowserError::Stub)
    }
    /// JSON text.
    pub async fn evaluate(&self, _function: &str, _target: Option<&Target>) -> Done<String> {
        Err(BrowserError::Stub)
    }
    pub async fn screenshot(&self, _shot: &Shot) -> Done<Picture> {
        Err(BrowserError::Stub)
    }
    pub async fn pdf(&self) -> Done<Vec<u8>> {
        Err(BrowserError::Stub)
    }
    pub async fn wait_for(&self, _wait: &Wait) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn find(&self, _find: &Find) -> Done<Vec<String>> {
        Err(BrowserError::Stub)
    }
    pub async fn elements(&self, _query: &ElementQuery) -> Done<Elements> {
        Err(BrowserError::Stub)
    }
    pub async fn html(&self, _request: &HtmlRequest) -> Done<Snapshot> {
        Err(BrowserError::Stub)
    }
    pub async fn console(&self, _level: Level, _all: bool) -> Done<Vec<Message>> {
        Err(BrowserError::Stub)
    }
    pub async fn requests(&self, _filter: &RequestFilter) -> Done<(Vec<Request>, usize)> {
        Err(BrowserError::Stub)
    }
    pub async fn request(&self, _index: usize, _part: Option<RequestPart>) -> Done<RequestDetail> {
        Err(BrowserError::Stub)
    }
    pub async fn resize(&self, _width: u32, _height: u32) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn emulate(&self, _emulation: &Emulation) -> Done {
        Err(BrowserError::Stub)
    }
    pub async fn observe(&self) -> Done<Facts> {
        Err(BrowserError::Stub)
    }
    /// The Playwright locator of an element: `getByRole('button', { name: 'Save' })`.
    pub async fn locator(&self, _target: &Target) -> Done<String> {
        Err(BrowserError::Stub)
    }
}
