//! Resolution of a call's strings to files and folders of the project, for every path argument of the code tools.
//!
//! A path is accepted in any spelling that can mean only one file ([`Project::meant`]), and by its name alone if
//! exactly one file of the project has it. A glob as a root means the found files of its folder that match.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::SystemTime,
};

use fumi_base::project::{PathError, Project, ProjectPath};
use fumi_code::{
    errors::search::SearchError,
    index::CodeIndexes,
    listing::{FileFilter, FileListing, FileOptions, ListingDetail, ListingRequest, ListingSort},
    place_filter::{PlaceFilter, PlaceGlob},
    walk::Traversal,
};
use fumi_kernel::{Cx, ToolError};
use tokio_util::sync::CancellationToken;

/// The maximum number of files with the same name that an error suggests.
const CANDIDATES: usize = 5;

/// The maximum number of names, and of globs, that one call may look up in the whole project.
const MOST_LOOKED_UP: usize = 20;

/// The characters that make a path a glob. Brackets alone do not: some folders are called `[slug]`.
const WILDCARDS: [char; 2] = ['*', '?'];

/// Resolves a string to a file or folder.
pub async fn resolve_path(cx: &Cx, raw: &str) -> Result<ProjectPath, ToolError> {
    let mut found = resolve_paths(cx, &[raw.to_owned()]).await?;
    found.pop().ok_or_else(ToolError::internal)
}

/// Resolves several strings; one error reports all that are invalid.
pub async fn resolve_paths(cx: &Cx, raw: &[String]) -> Result<Vec<ProjectPath>, ToolError> {
    let (mut paths, mut errors) = (Vec::with_capacity(raw.len()), Vec::new());
    for resolved in resolve_each(cx, raw).await? {
        match resolved {
            Ok(path) => paths.push(path),
            Err(error) => errors.push(error),
        }
    }
    match ToolError::combine(errors) {
        Some(error) => Err(error),
        None => Ok(paths),
    }
}

/// Resolves each of several strings.
pub async fn resolve_each(cx: &Cx, raw: &[String]) -> Result<Vec<Result<ProjectPath, ToolError>>, ToolError> {
    let meant: Vec<_> = raw.iter().map(|raw| cx.project.resolve_any_spelling(raw)).collect();
    let is_name = |raw: &str| {
        let is_plain = !raw.is_empty() && !raw.contains(['/', '\\']) && !raw.contains(WILDCARDS);
        let found = || cx.project.failures().record(cx.project.root().join(raw).symlink_metadata());
        is_plain && !found().is_ok_and(|found| found.is_symlink())
    };
    let missing = raw
        .iter()
        .zip(&meant)
        .filter(|(raw, meant)| matches!(meant, Err(PathError::FileNotFound { .. })) && is_name(raw));
    let names: BTreeSet<String> = missing.map(|(raw, _)| raw.clone()).take(MOST_LOOKED_UP).collect();
    let mut by_name = BTreeMap::new();
    // Hidden names are also looked up in hidden folders, other names are not.
    let (hidden, plain): (BTreeSet<_>, BTreeSet<_>) = names.into_iter().partition(|name| name.starts_with('.'));
    for names in [hidden, plain].into_iter().filter(|names| !names.is_empty()) {
        let project = Arc::clone(&cx.project);
        let found = cx.blocking(move |cancel, _| files_of_names(&project, &names, cancel));
        by_name.extend(found.await?);
    }
    let resolved = raw.iter().zip(meant).map(|(raw, meant)| match (meant, by_name.get(raw).map(Vec::as_slice)) {
        (Ok(path), _) => Ok(path),
        (Err(_), Some([path])) => Ok(path.clone()),
        (Err(_), Some(several @ [_, _, ..])) => {
            let nearest = several.iter().take(CANDIDATES).map(ProjectPath::shown).collect();
            Err(PathError::FileNotFound { path: raw.clone(), nearest }.into())
        }
        (Err(refused), _) => Err(refused.into()),
    });
    Ok(resolved.collect())
}

/// Finds the files of each of these names, except ignored ones. Returns nothing if a part of the project could not be
/// read, because another file there may have the same name.
fn files_of_names(
    project: &Arc<Project>,
    names: &BTreeSet<String>,
    cancel: &CancellationToken,
) -> Result<BTreeMap<String, Vec<ProjectPath>>, SearchError> {
    let alternatives: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    let options = FileOptions {
        // A pattern without a capital ignores case unless it says otherwise.
        pattern: Some(format!("(?-i)^(?:{})$", alternatives.join("|"))),
        types: vec!["f".to_owned()],
        traversal: Traversal { hidden: names.iter().any(|name| name.starts_with('.')), ..Traversal::default() },
        ..FileOptions::default()
    };
    let filter = FileFilter::new(project, &[], &options, SystemTime::now());
    let listing = list_names(filter, cancel)?;
    let mut by_name: BTreeMap<String, Vec<ProjectPath>> = BTreeMap::new();
    if listing.skipped.total == 0 {
        for file in listing.entries {
            if let Some(name) = file.path.relative().file_name().and_then(|name| name.to_str()) {
                by_name.entry(name.to_owned()).or_default().push(file.path.clone());
            }
        }
    }
    Ok(by_name)
}

/// The files and folders that a call searches.
#[derive(Debug, Default)]
pub struct SearchPlaces {
    /// The roots: files and folders.
    pub roots: Vec<ProjectPath>,
    /// The filter of the files found there, if some root was a glob.
    pub within: Option<PlaceFilter>,
}

/// The rules for globs as roots.
#[derive(Clone, Copy, Debug)]
pub struct GlobRoots {
    /// True if the call has other globs; then a root cannot be a glob.
    pub has_globs: bool,
    /// True if a glob may also match folders.
    pub of_folders: bool,
    /// The traversal of the call.
    pub traversal: Traversal,
}

/// Resolves roots to places; without any, the whole project is the place. A glob without a matching file causes the same
/// error as an unknown path.
pub async fn resolve_roots(
    cx: &Cx,
    raw: &[String],
    rules: GlobRoots,
    indexes: &Arc<CodeIndexes>,
) -> Result<SearchPlaces, ToolError> {
    let whole = [".".to_owned()];
    let raw = if raw.is_empty() { &whole } else { raw };
    let mut roots = Vec::with_capacity(raw.len());
    let mut within = PlaceFilter::default();
    let mut errors: Vec<ToolError> = Vec::new();
    let mut globs = Vec::new();
    for raw in raw {
        let refused = match cx.project.resolve_any_spelling(raw) {
            Ok(root) => {
                within.add(&root, None);
                roots.push(root);
                continue;
            }
            Err(refused) => refused,
        };
        let may_be_glob = matches!(refused, PathError::FileNotFound { .. } | PathError::OutsideProject { .. });
        match split_glob(&cx.project, raw).filter(|_| may_be_glob && !rules.has_globs && globs.len() < MOST_LOOKED_UP) {
            Some((folder, glob)) => {
                within.add(&folder, Some(glob));
                globs.push((roots.len(), refused));
                roots.push(folder);
            }
            None => errors.push(refused.into()),
        }
    }
    if globs.is_empty() {
        return match ToolError::combine(errors) {
            Some(error) => Err(error),
            None => Ok(SearchPlaces { roots, within: None }),
        };
    }
    let folders: Vec<ProjectPath> = globs.iter().map(|(at, _)| roots[*at].clone()).collect();
    let options = FileOptions {
        types: if rules.of_folders { Vec::new() } else { vec!["f".to_owned()] },
        traversal: rules.traversal,
        ..FileOptions::default()
    };
    let (project, indexes) = (Arc::clone(&cx.project), Arc::clone(indexes));
    let within = Some(within);
    let test = within.clone();
    let found = cx
        .blocking(move |cancel, _| {
            let filter = FileFilter::new(&project, &folders, &options, SystemTime::now());
            let filter = filter.map(|filter| filter.only_within(test.clone()).with_index(&indexes));
            let found = list_names(filter, cancel)?.entries;
            let is_met = |at: usize| {
                let test = test.as_ref();
                test.is_some_and(|test| found.iter().any(|file| test.admits_at(at, file.path.relative())))
            };
            let empty = globs.into_iter().filter(|(at, _)| !is_met(*at));
            Ok::<_, SearchError>(empty.map(|(_, refused)| refused).collect::<Vec<_>>())
        })
        .await?;
    errors.extend(found.into_iter().map(ToolError::from));
    match ToolError::combine(errors) {
        Some(error) => Err(error),
        None => Ok(SearchPlaces { roots, within }),
    }
}

/// Lists the names of matching files.
fn list_names(
    filter: Result<FileFilter, Vec<SearchError>>,
    cancel: &CancellationToken,
) -> Result<FileListing, SearchError> {
    let wanted = ListingRequest { detail: ListingDetail::Names, sort: ListingSort::Path, keep: usize::MAX };
    filter.map_err(|mut faults| faults.swap_remove(0))?.list(wanted, cancel)
}

/// Splits a glob into its folder and the glob for the folder's content. A glob without a folder is compared with names
/// at any depth.
fn split_glob(project: &Arc<Project>, raw: &str) -> Option<(ProjectPath, PlaceGlob)> {
    let slashed = raw.replace('\\', "/");
    let slashed = slashed.trim_end_matches('/');
    if !slashed.contains(WILDCARDS) {
        return None;
    }
    // A folder may be called `[slug]`; if no folder has this name, the bracket begins the glob.
    [&WILDCARDS[..], &['*', '?', '[', '{']].into_iter().find_map(|signs| {
        let first = slashed.find(signs)?;
        let (folder, rest) = slashed.split_at(slashed[..first].rfind('/').map_or(0, |slash| slash + 1));
        if matches!(folder, "" | "./") {
            let anywhere = if rest.contains('/') { rest.to_owned() } else { format!("**/{rest}") };
            return Some((project.root_path(), PlaceGlob::new(&anywhere)?));
        }
        let folder = project.resolve_any_spelling(folder).ok()?;
        folder.is_dir().ok().filter(|is_folder| *is_folder)?;
        Some((folder, PlaceGlob::new(rest)?))
    })
}
