//! Statistics of a whole project, for the resources `code://stats/{type}`.
//!
//! One pass over the files, in parallel and cancellable, bounded by [`MAX_FILES`]; `truncated` is true if that limit was
//! reached.

use std::collections::BTreeMap;

use fumi_code::{
    index::IndexSize,
    listing::FileFilter,
    parser_pool::ParserPool,
    project_stats::{ProjectStats, StatsDepth, collect_stats},
    syntax_errors::MalformedFiles,
};
use fumi_kernel::{ToolError, resources::ProjectStatistics};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The largest number of files that are counted (the design limit of a project).
const MAX_FILES: usize = 100_000;

/// The number of unparsed files whose paths are listed; their total is given as a number.
const UNPARSED_EXAMPLES: usize = 20;
/// The largest number of rows of a list.
const ROWS: usize = 1_000;
/// Bytes reserved beside the list of files.
const BESIDE: usize = 4_000;

/// The limits of counting.
#[derive(Clone, Copy, Debug)]
pub struct StatisticsLimits {
    /// The size of the largest file that is read, in bytes.
    pub file_bytes: u64,
    /// The largest size of the result as JSON, in bytes.
    pub reply_bytes: usize,
}

/// Counts the statistics of a name over the files of a filter. Blocking.
pub fn count(
    filter: &FileFilter,
    name: &str,
    limits: StatisticsLimits,
    parsers: &ParserPool,
    cancel: &CancellationToken,
) -> Result<ProjectStatistics, ToolError> {
    let depth = if name == "complexity" { StatsDepth::Complexity } else { StatsDepth::Lines };
    let stats = collect_stats(filter, depth, MAX_FILES, limits.file_bytes, parsers, cancel)?;
    let body = match name {
        "overview" => overview(&stats),
        "languages" => json!({"languages": languages(&stats)}),
        "complexity" => complexity(&stats),
        _ => files_of(&stats, limits.reply_bytes.saturating_sub(BESIDE)),
    };
    let Value::Object(mut body) = body else {
        return Err(ToolError::internal());
    };
    let is_list_cut = name == "files" && stats.files.len() > body["files"].as_array().map_or(0, Vec::len);
    let is_truncated = stats.total_files > stats.files.len() as u64 || is_list_cut;
    body.insert("truncated".to_owned(), json!(is_truncated));
    let is_complete = stats.unparsed.is_empty();
    if !is_complete {
        let examples: Vec<_> = stats.unparsed.iter().take(UNPARSED_EXAMPLES).collect();
        body.insert("unparsed_files".to_owned(), json!(stats.unparsed.len()));
        body.insert("unparsed_examples".to_owned(), json!(examples));
    }
    if !stats.broken.is_empty() {
        let broken = MalformedFiles::from_places(stats.broken);
        body.insert("broken_files".to_owned(), json!(broken.count));
        body.insert("broken_examples".to_owned(), json!(broken.examples));
    }
    Ok(ProjectStatistics { body, is_complete })
}

/// Returns the state of a project's index and its numbers, which are those of its last use.
pub fn of_index(is_enabled: bool, size: Option<IndexSize>) -> ProjectStatistics {
    let state = match &size {
        _ if !is_enabled => "off",
        None => "closed",
        Some(size) if size.wanted > 0 || size.is_listing => "building",
        Some(_) => "ready",
    };
    let size = size.unwrap_or_default();
    let body = [
        ("state", json!(state)),
        ("indexed_files", json!(size.files)),
        ("unread_files", json!(size.wanted)),
        ("unparsed_files", json!(size.unparsed)),
        ("segments", json!(size.segments)),
        ("memory_bytes", json!(size.bytes)),
    ];
    ProjectStatistics {
        body: body.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
        is_complete: false,
    }
}

fn overview(stats: &ProjectStats) -> Value {
    let mut largest: Vec<_> = stats.files.iter().collect();
    largest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    json!({
        "total_files": stats.total_files,
        "total_lines": stats.files.iter().map(|file| file.lines).sum::<usize>(),
        "total_bytes": stats.files.iter().map(|file| file.bytes).sum::<u64>(),
        "languages": languages(stats),
        "largest_files": largest.iter().take(10).map(|file| json!({"path": file.path, "size_bytes": file.bytes, "line_count": file.lines})).collect::<Vec<_>>(),
    })
}

/// Returns the languages by lines, most first; the percentage is of lines.
fn languages(stats: &ProjectStats) -> Value {
    let mut by_name: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for file in &stats.files {
        let entry = by_name.entry(file.language).or_default();
        entry.0 += 1;
        entry.1 += file.lines;
    }
    let total: usize = by_name.values().map(|(_, lines)| lines).sum();
    let mut rows: Vec<_> = by_name.into_iter().collect();
    rows.sort_by(|a, b| b.1.1.cmp(&a.1.1).then_with(|| a.0.cmp(b.0)));
    rows.into_iter()
        .map(|(name, (files, lines))| {
            let percentage = (lines as f64 * 1000.0 / total.max(1) as f64).round() / 10.0;
            json!({"name": name, "file_count": files, "line_count": lines, "percentage": percentage})
        })
        .collect()
}

/// Returns the complexities by level, as `McCabe`'s own paper and the SEI define them: over 10 deserves attention, over
/// 20 is a risk, over 50 untestable.
fn complexity(stats: &ProjectStats) -> Value {
    let within =
        |range: std::ops::RangeInclusive<usize>| stats.complexity.range(range).map(|(_, count)| count).sum::<usize>();
    json!({
        "average": (stats.average_complexity() * 100.0).round() / 100.0,
        "max": stats.complexity.last_key_value().map_or(0, |(complexity, _)| *complexity),
        "by_level": {
            "low": within(0..=10),
            "moderate": within(11..=20),
            "high": within(21..=50),
            "very_high": within(51..=usize::MAX),
        },
        "top": stats.top.iter().map(|callable| json!({
            "path": callable.path, "element": callable.element, "line": callable.line, "complexity": callable.complexity,
        })).collect::<Vec<_>>(),
    })
}

/// Returns as many files as fit into `room` bytes.
fn files_of(stats: &ProjectStats, room: usize) -> Value {
    let mut left = room;
    let rows = stats.files.iter().take(ROWS).map(|file| {
        json!({"path": file.path, "language": file.language, "line_count": file.lines, "size_bytes": file.bytes, "modified": file.modified})
    });
    let rows: Vec<_> = rows
        .take_while(|row| {
            let size = row.to_string().len() + 1;
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        })
        .collect();
    let mut body = json!({"files": rows, "total": stats.total_files});
    if rows.len() < stats.files.len() {
        body["next"] = json!({"tool": "list_files"});
    }
    body
}
