//! The metrics of the families that are read on demand: those of the work on code, and of the browser.

use std::sync::Arc;

use fumi_browser::BrowserService;
use fumi_code::{
    index::{CodeIndexes, IndexSize},
    work_counters,
};
use fumi_kernel::metrics::ServerMetrics;

/// A gauge of all indexes together: its name and unit, its description, and its value.
type IndexGauge = ((&'static str, &'static str), &'static str, fn(&IndexSize) -> usize);

const INDEX_GAUGES: [IndexGauge; 4] = [
    (("fumi.index.files", ""), "Files in the indexes", |size| size.files),
    (("fumi.index.unread", ""), "Files that are to be read for the indexes", |size| size.wanted),
    (("fumi.index.unparsed", ""), "Files that are to be parsed before a call asks for them", |size| size.unparsed),
    (("fumi.index.memory", "By"), "Memory of the indexes", |size| size.bytes),
];

pub fn register(metrics: &ServerMetrics, browser: &Arc<BrowserService>, indexes: &Arc<CodeIndexes>) {
    let service = Arc::downgrade(browser);
    metrics.register_gauge(("fumi.browser.contexts", ""), "Browser sessions with open tabs", move |tell| {
        if let Some(browser) = service.upgrade() {
            tell(browser.contexts() as u64, &[]);
        }
    });
    let service = Arc::downgrade(browser);
    metrics.register_counter(("fumi.browser.starts", ""), "Starts of Chromium", move || {
        service.upgrade().map_or(0, |browser| browser.starts())
    });
    metrics.register_counter(
        ("fumi.searched", "By"),
        "Bytes of files that were searched",
        work_counters::searched_bytes,
    );
    metrics.register_counter(
        ("fumi.unopened", ""),
        "Files that searches did not open, since the index excludes them",
        work_counters::unopened_files,
    );
    for (name, help, value) in INDEX_GAUGES {
        let all = Arc::downgrade(indexes);
        metrics.register_gauge(name, help, move |tell| {
            if let Some(indexes) = all.upgrade() {
                tell(value(&indexes.total()) as u64, &[]);
            }
        });
    }
    metrics.register_counter(("fumi.parses", ""), "Texts that were parsed", work_counters::parsed_texts);
    metrics.register_counter(
        ("fumi.parser_stops", ""),
        "Parser processes that reached a limit",
        work_counters::stopped_parsers,
    );
}
