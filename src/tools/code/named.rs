//! From the strings of a call to files and folders of the project: every path argument of the code tools comes through here.
//!
//! A path is served in any spelling that can mean only one file ([`Project::meant`]), by its name alone where exactly one
//! file of the project has it, and a glob in the place of a root as that root's folder and a glob for the files in it.

use std::{sync::Arc, time::SystemTime};

use fumi_base::project::{PathError, Project, ProjectPath};
use fumi_code::{
    errors::search::SearchError,
    walk::{Detail, FileFilter, FileOptions, Listed, Sort, Traversal},
};
use tokio_util::sync::CancellationToken;

use crate::tool::{Cx, ToolError};

/// How many files of one name an error offers.
const CANDIDATES: usize = 5;

/// What begins the part of a path that is a glob.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// The file or folder that a string names.
pub async fn path(cx: &Cx, raw: &str) -> Result<ProjectPath, ToolError> {
    let refused = match cx.project.meant(raw) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let is_name = !raw.is_empty() && !raw.contains(['/', '\\']) && !raw.contains(WILDCARDS);
    let is_link = || cx.project.root().join(raw).is_symlink();
    if !is_name || !matches!(refused, PathError::NotFound { .. }) || is_link() {
        return Err(refused.into());
    }
    let (project, name) = (Arc::clone(&cx.project), raw.to_owned());
    let mut found = cx
        .blocking(move |cancel, _| files_of_name(&project, &name, cancel))
        .await?;
    match found.len() {
        0 => Err(refused.into()),
        1 => Ok(found.remove(0)),
        _ => Err(PathError::NotFound {
            path: raw.to_owned(),
            nearest: found.iter().map(ProjectPath::shown).collect(),
        }
        .into()),
    }
}

/// The same for several; all that are wrong come back in one error.
pub async fn paths(cx: &Cx, raw: &[String]) -> Result<Vec<ProjectPath>, ToolError> {
    let mut paths = Vec::with_capacity(raw.len());
    let mut errors = Vec::new();
    for raw in raw {
        match path(cx, raw).await {
            Ok(path) => paths.push(path),
            Err(error) => errors.push(error),
        }
    }
    match ToolError::together(errors) {
        Some(error) => Err(error),
        None => Ok(paths),
    }
}

/// Files of exactly this name, at most [`CANDIDATES`]; ignored ones are none.
fn files_of_name(
    project: &Arc<Project>,
    name: &str,
    cancel: &CancellationToken,
) -> Result<Vec<ProjectPath>, SearchError> {
    let options = FileOptions {
        pattern: Some(format!("^{}$", regex::escape(name))),
        types: vec!["f".to_owned()],
        traversal: Traversal {
            hidden: name.starts_with('.'),
            ..Traversal::default()
        },
        ..FileOptions::default()
    };
    let filter =
        FileFilter::new(project, &[], &options, SystemTime::now()).map_err(|mut faults| faults.swap_remove(0))?;
    let wanted = Listed {
        detail: Detail::Names,
        sort: Sort::Path,
        keep: CANDIDATES,
    };
    let found = filter.list(wanted, cancel)?.entries.into_iter().map(|file| file.path);
    // The pattern may ignore case.
    let has_name = |path: &ProjectPath| path.relative().file_name().is_some_and(|found| found == name);
    Ok(found.filter(has_name).collect())
}

/// Where a call looks: files and folders, and globs of which a file there must match one, if there are any.
#[derive(Debug, Default)]
pub struct Places {
    /// Files and folders.
    pub roots: Vec<ProjectPath>,
    /// In the form of [`fumi_code::search::ScopeOptions::include_globs`]; empty: every file.
    pub globs: Vec<String>,
}

/// The places that roots name. `has_globs` says that the call has globs of its own; then a root cannot be one.
pub fn places(project: &Arc<Project>, raw: &[String], has_globs: bool) -> Result<Places, ToolError> {
    let mut places = Places::default();
    let mut globs = Vec::new();
    let mut errors: Vec<ToolError> = Vec::new();
    for raw in raw {
        let found = match project.meant(raw) {
            Ok(root) => Ok((root, None)),
            Err(refused @ (PathError::NotFound { .. } | PathError::Outside { .. })) if !has_globs => {
                glob(project, raw).ok_or(refused)
            }
            Err(refused) => Err(refused),
        };
        match found {
            Ok((root, glob)) => {
                places.roots.push(root);
                globs.push(glob);
            }
            Err(error) => errors.push(error.into()),
        }
    }
    if let Some(error) = ToolError::together(errors) {
        return Err(error);
    }
    if globs.iter().any(Option::is_some) {
        // Beside a glob every other root is one too: all that is in it.
        let whole = |root: &ProjectPath| {
            let name = escaped(&root.shown());
            match (name.as_str(), root.is_dir()) {
                (".", _) => "**".to_owned(),
                (_, true) => format!("/{name}/**"),
                (_, false) => format!("/{name}"),
            }
        };
        let globs = places.roots.iter().zip(globs);
        places.globs = globs.map(|(root, glob)| glob.unwrap_or_else(|| whole(root))).collect();
    }
    Ok(places)
}

/// The folder of a glob, and the glob from the project's root on. One without a folder is compared with names at any depth.
fn glob(project: &Arc<Project>, raw: &str) -> Option<(ProjectPath, Option<String>)> {
    let slashed = raw.replace('\\', "/");
    let first = slashed.find(WILDCARDS)?;
    let folder_end = slashed[..first].rfind('/').map_or(0, |slash| slash + 1);
    let (folder, rest) = slashed.split_at(folder_end);
    if matches!(folder, "" | "./") {
        return Some((project.top(), Some(rest.to_owned())));
    }
    let folder = project.meant(folder).ok().filter(ProjectPath::is_dir)?;
    let glob = match folder.shown().as_str() {
        "." => format!("/{rest}"),
        name => format!("/{}/{rest}", escaped(name)),
    };
    Some((folder, Some(glob)))
}

/// A path as a glob that matches nothing else.
fn escaped(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        if "*?[]{}!\\".contains(c) {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

/// Globs of [`Places`] as one glob of absolute paths.
#[must_use]
pub fn as_pattern(project: &Project, globs: &[String]) -> String {
    let root = escaped(&project.root().to_string_lossy());
    let absolute = globs.iter().map(|glob| match glob.strip_prefix('/') {
        Some(anchored) => format!("{root}/{anchored}"),
        None if glob.contains('/') => format!("{root}/{glob}"),
        None => format!("{root}/**/{glob}"),
    });
    format!("{{{}}}", absolute.collect::<Vec<_>>().join(","))
}
