//! Statistics of a whole project, for the resources `code://stats/{type}`.
//!
//! Invariant: they are current when they are returned: cached only while the project's files have the same stamp;
//! `generated_at` is the time when they were counted. One pass over the files, in parallel and cancellable, bounded by
//! [`MAX_FILES`]; `truncated` is true if that limit was reached.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use fumi_base::{cache::CacheKey, project::Project};
use fumi_code::{
    project_stats::{ProjectStats, StatsDepth, collect_stats},
    syntax_errors::MalformedFiles,
    walk::{FileFilter, FileOptions},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{app::App, tool::ToolError};

/// The largest number of files that are counted (the design limit of a project).
const MAX_FILES: usize = 100_000;

/// The number of unparsed files whose paths are listed; their total is given as a number.
const UNPARSED_EXAMPLES: usize = 20;
/// The largest number of rows of a list.
const ROWS: usize = 1_000;
/// Bytes reserved beside the list of files.
const BESIDE: usize = 4_000;

/// Returns the statistics of a name as JSON text, and the time when they were counted. Blocking.
pub fn load(
    app: &App,
    project: &Arc<Project>,
    name: &'static str,
    cancel: &CancellationToken,
) -> Result<(Arc<str>, Arc<str>), ToolError> {
    let key = CacheKey {
        tool: "resources/read",
        project: Arc::from(project.root()),
        arguments: Arc::from(name),
        locale: None,
        // Taken before counting: a change meanwhile makes the next stamp different.
        stamp: app.kernel.freshness.stamp(project.root()),
    };
    if let Some(kept) = app.statistics.get(&key) {
        return Ok(kept);
    }
    let CountedStatistics {
        body,
        generated_at,
        is_complete,
    } = count(app, project, name, cancel)?;
    let counted = (body, generated_at);
    if is_complete {
        let bytes = counted.0.len();
        app.statistics.insert(key, counted.clone(), bytes);
    }
    Ok(counted)
}

/// Counted statistics of a project.
struct CountedStatistics {
    body: Arc<str>,
    generated_at: Arc<str>,
    /// False if a file could not be parsed, which a retry may change.
    is_complete: bool,
}

fn count(
    app: &App,
    project: &Arc<Project>,
    name: &'static str,
    cancel: &CancellationToken,
) -> Result<CountedStatistics, ToolError> {
    let filter = FileFilter::new(project, &[], &FileOptions::default(), SystemTime::now())
        .map_err(|errors| ToolError::combine_same_kind(&errors))?;
    let depth = if name == "complexity" {
        StatsDepth::Complexity
    } else {
        StatsDepth::Lines
    };
    let stats = collect_stats(
        &filter,
        depth,
        MAX_FILES,
        app.config.limits.file_bytes,
        &app.parsers,
        cancel,
    )?;
    let mut body = match name {
        "overview" => overview(&stats),
        "languages" => json!({"languages": languages(&stats)}),
        "complexity" => complexity(&stats),
        _ => files_of(&stats, app.kernel.caps.bytes.saturating_sub(BESIDE)),
    };
    let generated_at = jiff::Timestamp::now().to_string();
    body["generated_at"] = json!(generated_at);
    body["project_path"] = json!(project.shown_root());
    body["truncated"] = json!(
        stats.total_files > stats.files.len() as u64
            || (name == "files" && stats.files.len() > body["files"].as_array().map_or(0, Vec::len))
    );
    if !stats.unparsed.is_empty() {
        body["unparsed_files"] = json!(stats.unparsed.len());
        body["unparsed_examples"] = json!(stats.unparsed.iter().take(UNPARSED_EXAMPLES).collect::<Vec<_>>());
    }
    if !stats.broken.is_empty() {
        let broken = MalformedFiles::from_places(stats.broken);
        body["broken_files"] = json!(broken.count);
        body["broken_examples"] = json!(broken.examples);
    }
    Ok(CountedStatistics {
        body: Arc::from(body.to_string()),
        generated_at: Arc::from(generated_at),
        is_complete: stats.unparsed.is_empty(),
    })
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
            #[expect(clippy::cast_precision_loss, reason = "a percentage")]
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
