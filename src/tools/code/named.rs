//! From the strings of a call to files and folders of the project: every path argument of the code tools comes through here.
//!
//! A path is served in any spelling that can mean only one file ([`Project::meant`]), by its name alone where exactly one
//! file of the project has it, and a glob in the place of a root as those of the files found in its folder that it matches.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::SystemTime,
};

use fumi_base::project::{PathError, Project, ProjectPath};
use fumi_code::{
    errors::search::SearchError,
    walk::{Detail, FileFilter, FileOptions, Listed, Listing, Sort, Traversal},
    within::{PlaceGlob, Within},
};
use tokio_util::sync::CancellationToken;

use crate::tool::{Cx, ToolError};

/// How many files of one name an error offers.
const CANDIDATES: usize = 5;

/// How many names, and how many globs, one call may have looked for in the whole project.
const MOST_LOOKED_UP: usize = 20;

/// Characters that make a path a glob. Brackets alone do not: folders are called `[slug]`.
const WILDCARDS: [char; 2] = ['*', '?'];

/// The file or folder that a string names.
pub async fn path(cx: &Cx, raw: &str) -> Result<ProjectPath, ToolError> {
    let mut found = paths(cx, &[raw.to_owned()]).await?;
    found.pop().ok_or_else(ToolError::internal)
}

/// The same for several; all that are wrong come back in one error.
pub async fn paths(cx: &Cx, raw: &[String]) -> Result<Vec<ProjectPath>, ToolError> {
    let meant: Vec<_> = raw.iter().map(|raw| cx.project.meant(raw)).collect();
    let is_name = |raw: &str| {
        let is_plain = !raw.is_empty() && !raw.contains(['/', '\\']) && !raw.contains(WILDCARDS);
        is_plain && !cx.project.root().join(raw).is_symlink()
    };
    let missing = raw
        .iter()
        .zip(&meant)
        .filter(|(raw, meant)| matches!(meant, Err(PathError::NotFound { .. })) && is_name(raw));
    let names: BTreeSet<String> = missing.map(|(raw, _)| raw.clone()).take(MOST_LOOKED_UP).collect();
    let mut by_name = BTreeMap::new();
    // A hidden name is looked for in hidden folders too; another is not.
    let (hidden, plain): (BTreeSet<_>, BTreeSet<_>) = names.into_iter().partition(|name| name.starts_with('.'));
    for names in [hidden, plain].into_iter().filter(|names| !names.is_empty()) {
        let project = Arc::clone(&cx.project);
        let found = cx.blocking(move |cancel, _| files_of_names(&project, &names, cancel));
        by_name.extend(found.await?);
    }
    let mut paths = Vec::with_capacity(raw.len());
    let mut errors: Vec<ToolError> = Vec::new();
    for (raw, meant) in raw.iter().zip(meant) {
        match (meant, by_name.get(raw).map(Vec::as_slice)) {
            (Ok(path), _) => paths.push(path),
            (Err(_), Some([path])) => paths.push(path.clone()),
            (Err(_), Some(several @ [_, _, ..])) => errors.push(
                PathError::NotFound {
                    path: raw.clone(),
                    nearest: several.iter().take(CANDIDATES).map(ProjectPath::shown).collect(),
                }
                .into(),
            ),
            (Err(refused), _) => errors.push(refused.into()),
        }
    }
    match ToolError::together(errors) {
        Some(error) => Err(error),
        None => Ok(paths),
    }
}

/// The files of each of these names; ignored ones are none. Nothing where a part of the project could not be read: a name may
/// be there once more.
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
        traversal: Traversal {
            hidden: names.iter().any(|name| name.starts_with('.')),
            ..Traversal::default()
        },
        ..FileOptions::default()
    };
    let listing = found(project, &[], &options, None, cancel)?;
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

/// Where a call looks.
#[derive(Debug, Default)]
pub struct Places {
    /// Files and folders.
    pub roots: Vec<ProjectPath>,
    /// Which of the files found there are meant, if some root was a glob.
    pub within: Option<Within>,
}

/// How globs in the place of roots are read.
#[derive(Clone, Copy, Debug)]
pub struct GlobRoots {
    /// The call has globs of its own; then a root cannot be one.
    pub has_globs: bool,
    /// A glob may also match folders.
    pub of_folders: bool,
    /// The traversal of the call.
    pub traversal: Traversal,
}

/// The places that roots name. A glob of which nothing is found is refused as a path that does not exist is.
pub async fn places(cx: &Cx, raw: &[String], rules: GlobRoots) -> Result<Places, ToolError> {
    let mut roots = Vec::with_capacity(raw.len());
    let mut within = Within::default();
    let mut errors: Vec<ToolError> = Vec::new();
    let mut globs = Vec::new();
    for raw in raw {
        let refused = match cx.project.meant(raw) {
            Ok(root) => {
                within.add(&root, None);
                roots.push(root);
                continue;
            }
            Err(refused) => refused,
        };
        let may_be_glob = matches!(refused, PathError::NotFound { .. } | PathError::Outside { .. });
        match glob(&cx.project, raw).filter(|_| may_be_glob && !rules.has_globs && globs.len() < MOST_LOOKED_UP) {
            Some((folder, glob)) => {
                within.add(&folder, Some(glob));
                globs.push((roots.len(), refused));
                roots.push(folder);
            }
            None => errors.push(refused.into()),
        }
    }
    if globs.is_empty() {
        return match ToolError::together(errors) {
            Some(error) => Err(error),
            None => Ok(Places { roots, within: None }),
        };
    }
    let folders: Vec<ProjectPath> = globs.iter().map(|(at, _)| roots[*at].clone()).collect();
    let options = FileOptions {
        types: if rules.of_folders {
            Vec::new()
        } else {
            vec!["f".to_owned()]
        },
        traversal: rules.traversal,
        ..FileOptions::default()
    };
    let (project, within) = (Arc::clone(&cx.project), Some(within));
    let test = within.clone();
    let found = cx
        .blocking(move |cancel, _| {
            let found = found(&project, &folders, &options, test.clone(), cancel)?.entries;
            let is_met = |at: usize| {
                let test = test.as_ref();
                test.is_some_and(|test| found.iter().any(|file| test.admits_at(at, file.path.relative())))
            };
            let empty = globs.into_iter().filter(|(at, _)| !is_met(*at));
            Ok::<_, SearchError>(empty.map(|(_, refused)| refused).collect::<Vec<_>>())
        })
        .await?;
    errors.extend(found.into_iter().map(ToolError::from));
    match ToolError::together(errors) {
        Some(error) => Err(error),
        None => Ok(Places { roots, within }),
    }
}

/// Lists names.
fn found(
    project: &Arc<Project>,
    roots: &[ProjectPath],
    options: &FileOptions,
    within: Option<Within>,
    cancel: &CancellationToken,
) -> Result<Listing, SearchError> {
    let filter = FileFilter::new(project, roots, options, SystemTime::now());
    let wanted = Listed {
        detail: Detail::Names,
        sort: Sort::Path,
        keep: usize::MAX,
    };
    filter
        .map_err(|mut faults| faults.swap_remove(0))?
        .only_within(within)
        .list(wanted, cancel)
}

/// The folder of a glob, and the glob for what is in it. One without a folder is compared with names at any depth.
fn glob(project: &Arc<Project>, raw: &str) -> Option<(ProjectPath, PlaceGlob)> {
    let slashed = raw.replace('\\', "/");
    let slashed = slashed.trim_end_matches('/');
    if !slashed.contains(WILDCARDS) {
        return None;
    }
    // A folder may be called `[slug]`; where there is none of that name, the bracket begins the glob.
    [&WILDCARDS[..], &['*', '?', '[', '{']].into_iter().find_map(|signs| {
        let first = slashed.find(signs)?;
        let (folder, rest) = slashed.split_at(slashed[..first].rfind('/').map_or(0, |slash| slash + 1));
        if matches!(folder, "" | "./") {
            let anywhere = if rest.contains('/') {
                rest.to_owned()
            } else {
                format!("**/{rest}")
            };
            return Some((project.top(), PlaceGlob::new(&anywhere)?));
        }
        let folder = project.meant(folder).ok().filter(ProjectPath::is_dir)?;
        Some((folder, PlaceGlob::new(rest)?))
    })
}
