//! Cached statistics of projects, for the resources `code://stats/{type}`.
//!
//! Invariant: they are current when they are returned: cached only while the project's files have the same stamp;
//! `generated_at` is the time when they were counted.

use std::sync::Arc;

use fumi_base::{cache::CacheKey, project::Project, text::Locale};
use fumi_kernel::ToolError;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::App;

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
        locale: Locale::default(),
        // Taken before counting: a change meanwhile makes the next stamp different.
        stamp: app.kernel.freshness.stamp(project.root()),
    };
    // After the stamp, as in the pipeline: the root may have been replaced since it was opened.
    let _ = project.ensure_open();
    if let Some(kept) = app.statistics.get(&key) {
        return Ok(kept);
    }
    let mut counted = app.resources.statistics(project, name, cancel)?;
    let generated_at = jiff::Timestamp::now().to_string();
    counted.body.insert("generated_at".to_owned(), json!(generated_at));
    counted.body.insert("project_path".to_owned(), json!(project.shown_root()));
    let text: Arc<str> = Arc::from(Value::Object(counted.body).to_string());
    let loaded = (Arc::clone(&text), Arc::from(generated_at));
    if counted.is_complete {
        app.statistics.insert(key, loaded.clone(), text.len());
    }
    Ok(loaded)
}
