//! The numbers of the page, from the metrics that are also served at `/metrics`.

use std::collections::BTreeMap;

use fumi_base::text::Locale;
use prometheus::proto::{LabelPair, Metric, MetricFamily};

use super::{history::Totals, text};
use crate::{http::router::Edge, telemetry::metrics::resident_bytes};

/// The names of the metrics as Prometheus has them.
const OPERATIONS: &str = "mcp_server_operation_duration_seconds";
const REST_CALLS: &str = "fumi_rest_call_duration_seconds";
const TOKENS: &str = "fumi_tokens_out_total";
const SAVED: &str = "fumi_tokens_saved_total";
const LOOKUPS: &str = "fumi_cache_lookups_total";
const BATCH_SAVED: &str = "fumi_batch_tokens_saved_total";
const INDEXED: &str = "fumi_index_files";
const UNREAD: &str = "fumi_index_unread";
const UNOPENED: &str = "fumi_unopened_total";
/// The width of the longest bar, in pixels.
const WIDEST: u64 = 120;

/// The calls of one tool since the start.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CallRow {
    pub tool: String,
    pub calls: u64,
    pub failures: u64,
    /// The mean time of a call, in milliseconds.
    pub mean_ms: u64,
    pub tokens: u64,
    /// The width of its bar, in pixels.
    pub width: u64,
    seconds: f64,
}

/// The counts that the page shows, summed over the labels of the metrics.
#[derive(Debug, Default)]
pub(super) struct Counted {
    tools: BTreeMap<String, CallRow>,
    tokens: u64,
    /// The tokens by the form of the reply.
    forms: BTreeMap<String, u64>,
    hits: u64,
    misses: u64,
    batch_saved: u64,
    /// The tokens that replies in text form save, compared with JSON.
    form_saved: u64,
    indexed: u64,
    unread: u64,
    unopened: u64,
}

impl Counted {
    pub(super) fn new(families: &[MetricFamily]) -> Self {
        let mut counted = Self::default();
        for family in families {
            for metric in family.get_metric() {
                counted.add(family.name(), metric);
            }
        }
        counted
    }

    fn add(&mut self, name: &str, metric: &Metric) {
        let label = |name: &str| metric.get_label().iter().find(|label| label.name() == name).map(LabelPair::value);
        let count = whole(metric.get_counter().get_value());
        match name {
            OPERATIONS | REST_CALLS => {
                let Some(tool) = label("gen_ai_tool_name") else { return };
                let row = self.row(tool);
                let times = metric.get_histogram();
                row.calls += times.get_sample_count();
                row.seconds += times.get_sample_sum();
                if label("error_type").is_some() {
                    row.failures += times.get_sample_count();
                }
            }
            TOKENS => {
                self.tokens += count;
                *self.forms.entry(label("format").unwrap_or_default().to_owned()).or_default() += count;
                if let Some(tool) = label("gen_ai_tool_name") {
                    self.row(tool).tokens += count;
                }
            }
            LOOKUPS if label("result") == Some("hit") => self.hits += count,
            LOOKUPS => self.misses += count,
            SAVED => self.form_saved += count,
            BATCH_SAVED => self.batch_saved += count,
            INDEXED => self.indexed += whole(metric.get_gauge().get_value()),
            UNREAD => self.unread += whole(metric.get_gauge().get_value()),
            UNOPENED => self.unopened += count,
            _ => {}
        }
    }

    fn row(&mut self, tool: &str) -> &mut CallRow {
        self.tools.entry(tool.to_owned()).or_insert_with(|| CallRow { tool: tool.to_owned(), ..CallRow::default() })
    }

    /// Returns the sums over all tools.
    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals { tokens: self.tokens, saved: self.form_saved + self.batch_saved, ..Totals::default() };
        for row in self.tools.values() {
            totals.calls += row.calls;
            totals.failures += row.failures;
            totals.seconds += row.seconds;
        }
        totals
    }

    /// Returns the tools that were called, most calls first.
    pub(super) fn rows(self) -> Vec<CallRow> {
        let mut rows: Vec<_> = self.tools.into_values().filter(|row| row.calls > 0).collect();
        rows.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.tool.cmp(&b.tool)));
        let most = rows.first().map_or(1, |row| row.calls);
        for row in &mut rows {
            row.mean_ms = mean_ms(row.seconds, row.calls);
            row.width = (row.calls * WIDEST / most).max(1);
        }
        rows
    }
}

/// Returns the labelled numbers of the page.
pub(super) fn figures(edge: &Edge, counted: &Counted, locale: Locale) -> Vec<(&'static str, String)> {
    let looked_up = counted.hits + counted.misses;
    let hits = (counted.hits * 100).checked_div(looked_up).map_or_else(|| "–".to_owned(), |share| format!("{share} %"));
    let forms: Vec<_> = counted.forms.iter().map(|(form, tokens)| format!("{form} {tokens}")).collect();
    [
        (text("sessions", locale), edge.sessions.sessions().to_string()),
        (text("calls_running", locale), edge.sessions.running_calls().to_string()),
        (text("tokens_out", locale), counted.tokens.to_string()),
        (text("tokens_by_form", locale), if forms.is_empty() { "–".to_owned() } else { forms.join(", ") }),
        (text("form_saved", locale), counted.form_saved.to_string()),
        (text("batch_saved", locale), counted.batch_saved.to_string()),
        (text("cache", locale), megabytes(edge.app.kernel.cache.bytes())),
        (text("cache_hits", locale), hits),
        (text("indexed", locale), format!("{} / {}", counted.indexed, counted.indexed + counted.unread)),
        (text("unopened", locale), counted.unopened.to_string()),
        (text("memory", locale), resident_bytes().map_or_else(|| "–".to_owned(), megabytes)),
    ]
    .into()
}

/// Returns the mean time of calls in milliseconds; 0 without calls.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53 calls")]
pub(super) fn mean_ms(seconds: f64, calls: u64) -> u64 {
    whole((seconds * 1_000.0 / calls.max(1) as f64).round())
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}

/// Returns a count that Prometheus keeps as a floating-point number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts, which are not negative")]
fn whole(count: f64) -> u64 {
    count as u64
}
