//! The metrics of the families that are read on demand: those of the work on code, and of the browser.

use std::sync::Arc;

use fumi_browser::BrowserService;
use fumi_code::work_counters;
use fumi_kernel::metrics::ServerMetrics;

/// Registers the metrics.
pub fn register(metrics: &ServerMetrics, browser: &Arc<BrowserService>) {
    let service = Arc::downgrade(browser);
    metrics.register_gauge(
        ("fumi.browser.contexts", ""),
        "Browser sessions with open tabs",
        move |tell| {
            if let Some(browser) = service.upgrade() {
                tell(browser.contexts() as u64, &[]);
            }
        },
    );
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
        ("fumi.parses", ""),
        "Texts that were parsed",
        work_counters::parsed_texts,
    );
    metrics.register_counter(
        ("fumi.parser_stops", ""),
        "Parser processes that reached a limit",
        work_counters::stopped_parsers,
    );
}
