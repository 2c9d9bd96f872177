//! `browser_network_requests`: lists the requests of the current page, numbered.

use fumi_base::text::Locale;
use fumi_browser::{self as browser, RequestFilter};
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    texts,
};

/// The default for the maximum number of rows.
const ROWS: usize = 50;

/// The texts of a list of requests.
const MORE: limits::CountTexts = limits::CountTexts {
    none: ("none", "なし"),
    shown: ("newest", "新しい方から"),
    more: ("use filter, or maxRequests up to 500", "filter で絞るか、maxRequests を 500 まで増やしてください"),
};

#[derive(Debug)]
pub struct NetworkRequests;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// A regular expression that the URL must match.
    pub filter: Option<String>,
    /// A status or a range: `404`, or `400-599`.
    #[schemars(regex(pattern = "^[1-5]\\d\\d(-[1-5]\\d\\d)?$"))]
    pub status_range: Option<String>,
    /// The HTTP method.
    pub method: Option<String>,
    /// The maximum number of rows.
    #[schemars(range(min = 1, max = 500))]
    pub max_requests: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NetworkRequestsOutput {
    /// The number of all matching requests.
    total: usize,
    /// The newest matching requests, in the order of time.
    requests: Vec<RequestRow>,
}

/// A request in the list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestRow {
    /// The number that `browser_network_request` takes.
    pub(super) index: usize,
    pub(super) method: String,
    pub(super) url: String,
    /// The type of the resource: `document`, `script`, `fetch` and others.
    #[serde(rename = "type")]
    kind: String,
    /// The HTTP status; absent until there is a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The reason why the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

impl From<&browser::RecordedRequest> for RequestRow {
    fn from(request: &browser::RecordedRequest) -> Self {
        Self {
            index: request.index,
            method: request.method.clone(),
            url: limits::truncate_row(&request.url),
            kind: request.kind.clone(),
            status: request.status,
            failure: request.failure.as_deref().map(limits::truncate_row),
            bytes: request.bytes,
            duration_ms: request.duration_ms,
        }
    }
}

impl RequestRow {
    /// Formats the request as one line.
    pub(super) fn line(&self) -> String {
        self.line_with(&self.url)
    }

    /// Formats the request as one line, with the URL as given.
    fn line_with(&self, url: &str) -> String {
        let came = match (&self.failure, self.status) {
            (Some(failure), _) => format!("failed: {failure}"),
            (None, Some(status)) => status.to_string(),
            (None, None) => "pending".to_owned(),
        };
        let bytes = self.bytes.map(|bytes| format!(", {bytes} B"));
        let took = self.duration_ms.map(|ms| format!(", {ms} ms"));
        let (index, method, kind) = (self.index, &self.method, &self.kind);
        let (bytes, took) = (bytes.unwrap_or_default(), took.unwrap_or_default());
        format!("{index}. {method} {url} → {came}, {kind}{bytes}{took}")
    }

    /// Splits the URL into its origin and the rest. A URL without an origin is all rest.
    fn split_url(&self) -> (Option<&str>, &str) {
        let host = self.url.find("://").map(|at| at + "://".len());
        let path = host.and_then(|host| Some(host + self.url[host..].find('/')?));
        path.map_or((None, &self.url), |path| (Some(&self.url[..path]), &self.url[path..]))
    }
}

impl TabAnswer for NetworkRequestsOutput {
    fn text(&self, locale: Locale) -> String {
        let mut rows: Vec<&RequestRow> = self.requests.iter().collect();
        // The numbers show the order of time.
        let mut origins: Vec<_> = Vec::new();
        for (origin, _) in rows.iter().map(|row| row.split_url()) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        // A URL without an origin stands above all headings.
        let place = |row: &RequestRow| {
            let (origin, _) = row.split_url();
            origin.and_then(|_| origins.iter().position(|known| *known == origin))
        };
        rows.sort_by_key(|row| place(row));
        let lines = limits::grouped(&rows, |row| {
            let (origin, path) = row.split_url();
            (origin, row.line_with(path))
        });
        limits::with_count(lines, (rows.len(), self.total), locale, &MORE)
    }
}

/// Parses a range of statuses: `404` is one status, `400-599` is all between, both ends included.
fn range(raw: &str) -> Option<(u16, u16)> {
    let (least, most) = raw.split_once('-').unwrap_or((raw, raw));
    Some((least.parse().ok()?, most.parse().ok()?))
}

impl TabTool for NetworkRequests {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_network_requests",
        texts: texts!("browser_network_requests"),
        example: r#"{"statusRange": "400-599"}"#,
        ..LOOKS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type TabAnswer = NetworkRequestsOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<NetworkRequestsOutput, ToolError> {
        let filter = RequestFilter {
            url: args.filter,
            status: args.status_range.as_deref().and_then(range),
            method: args.method,
            all: false,
            most: args.max_requests.unwrap_or(ROWS),
        };
        let (requests, total) = on.tab.requests(&filter)?;
        let rows: Vec<RequestRow> = requests.iter().map(Into::into).collect();
        Ok(NetworkRequestsOutput { total, requests: limits::keep_last(rows, limits::ANSWER, RequestRow::line) })
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{NetworkRequestsOutput, RequestRow, TabAnswer, range};

    fn row(index: usize, url: &str) -> RequestRow {
        RequestRow {
            index,
            method: "GET".to_owned(),
            url: url.to_owned(),
            kind: "fetch".to_owned(),
            status: Some(200),
            failure: None,
            bytes: Some(150),
            duration_ms: Some(7),
        }
    }

    #[test]
    fn requests_stand_below_their_origin() {
        let urls = ["http://a.test/x?y=1", "http://b.test/", "blob:c", "http://a.test/z"];
        let requests: Vec<_> = urls.iter().enumerate().map(|(at, url)| row(at + 7, url)).collect();
        let list = NetworkRequestsOutput { total: 81, requests };
        assert_eq!(
            list.text(Locale::En),
            "newest 4 of 81 (use filter, or maxRequests up to 500)\n9. GET blob:c → 200, fetch, 150 B, 7 ms\n\
             http://a.test\n7. GET /x?y=1 → 200, fetch, 150 B, 7 ms\n10. GET /z → 200, fetch, 150 B, 7 ms\n\
             http://b.test\n8. GET / → 200, fetch, 150 B, 7 ms"
        );
    }

    #[test]
    fn one_status_is_a_range_of_one() {
        assert_eq!(range("404"), Some((404, 404)));
        assert_eq!(range("400-599"), Some((400, 599)));
        assert_eq!(range("4xx"), None);
    }
}
