//! `GET /?view=project`: the default project in numbers, which are those of the resources `code://stats/...`: languages,
//! complexity, and the largest files. Counting has the slot and the time of a resource, and is repeated only after a change.

use std::sync::Arc;

use askama::Template;
use axum::response::Response;
use fumi_base::text::Locale;
use fumi_kernel::{Access, Caller};
use serde_json::{Value, json};

use super::{
    form_query, nonce, rendered,
    structured::{number, rows, string},
    text,
};
use crate::{http::router::Edge, mcp::resources::read_statistics};

/// The width of the longest bar, in pixels.
const WIDEST: f64 = 240.0;
/// The number of elements in the table.
const ELEMENTS: usize = 20;

#[derive(Template)]
#[template(path = "project.html")]
struct ProjectPage {
    locale: Locale,
    nonce: String,
    project: String,
    /// The reason why the project could not be counted, if it could not.
    fault: Option<String>,
    languages: Vec<LanguageRow>,
    levels: Vec<LevelRow>,
    average: String,
    elements: Vec<ElementRow>,
    files: Vec<FileRow>,
}

impl ProjectPage {
    /// Returns a text in the language of the page.
    fn text(&self, name: &str) -> &'static str {
        text(name, self.locale)
    }
}

struct LanguageRow {
    name: String,
    files: u64,
    lines: u64,
    percentage: f64,
    /// The width of its bar, in pixels.
    width: u64,
}

struct LevelRow {
    label: &'static str,
    elements: u64,
    width: u64,
}

struct ElementRow {
    path: String,
    element: String,
    line: u64,
    complexity: u64,
    /// The query that shows the element in the form of the page.
    query: String,
}

struct FileRow {
    path: String,
    lines: u64,
    bytes: u64,
    query: String,
}

/// Returns the page. If the project cannot be counted, the page shows the reason.
pub(super) async fn page(edge: &Edge, access: &Arc<Access>, locale: Locale) -> Response {
    let app = &edge.app;
    let project = access.default_project(&app.kernel.roots);
    let caller = Caller { locale, access: Arc::clone(access), ..Caller::default() };
    let stop = edge.closing.child_token();
    // Counting stops when the request is dropped.
    let _guard = stop.clone().drop_guard();
    let count = |name: &'static str| read_statistics(app, Arc::clone(project), name, &caller, &stop);
    let counted = async { Ok::<_, String>((count("overview").await?, count("complexity").await?)) };
    let ((overview, complexity), fault) = match counted.await {
        Ok(counted) => (counted, None),
        Err(reason) => (Default::default(), Some(reason)),
    };
    let nonce = nonce();
    let page = ProjectPage {
        locale,
        nonce: nonce.clone(),
        project: project.shown_root(),
        fault,
        languages: languages(&overview),
        levels: levels(&complexity, locale),
        average: complexity["average"].to_string(),
        elements: elements(&complexity, locale),
        files: files(&overview, locale),
    };
    rendered(&page, &nonce)
}

/// Returns the width of a bar for a share from 0 to 1, at least one pixel if there is anything.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small width")]
fn width(share: f64) -> u64 {
    (share * WIDEST).ceil() as u64
}

fn languages(overview: &Value) -> Vec<LanguageRow> {
    let row = |language: &Value| {
        let percentage = language["percentage"].as_f64().unwrap_or_default();
        LanguageRow {
            name: string(&language["name"]),
            files: number(&language["file_count"]),
            lines: number(&language["line_count"]),
            percentage,
            width: width(percentage / 100.0),
        }
    };
    rows(&overview["languages"]).map(row).collect()
}

fn levels(complexity: &Value, locale: Locale) -> Vec<LevelRow> {
    let levels = &complexity["by_level"];
    let of_level = [
        (text("level_low", locale), number(&levels["low"])),
        (text("level_moderate", locale), number(&levels["moderate"])),
        (text("level_high", locale), number(&levels["high"])),
        (text("level_very_high", locale), number(&levels["very_high"])),
    ];
    let all = of_level.iter().map(|(_, elements)| elements).sum::<u64>().max(1);
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 elements")]
    let row = |(label, elements): (&'static str, u64)| LevelRow {
        label,
        elements,
        width: width(elements as f64 / all as f64),
    };
    of_level.map(row).into()
}

fn elements(complexity: &Value, locale: Locale) -> Vec<ElementRow> {
    let row = |element: &Value| {
        let (path, name) = (string(&element["path"]), string(&element["element"]));
        ElementRow {
            query: form_query("extract_code_section", &json!({"file_path": path, "element": name}), locale),
            path,
            element: name,
            line: number(&element["line"]),
            complexity: number(&element["complexity"]),
        }
    };
    rows(&complexity["top"]).take(ELEMENTS).map(row).collect()
}

fn files(overview: &Value, locale: Locale) -> Vec<FileRow> {
    let row = |file: &Value| {
        let path = string(&file["path"]);
        FileRow {
            query: form_query("check_code_scale", &json!({"file_path": path}), locale),
            path,
            lines: number(&file["line_count"]),
            bytes: number(&file["size_bytes"]),
        }
    };
    rows(&overview["largest_files"]).map(row).collect()
}
