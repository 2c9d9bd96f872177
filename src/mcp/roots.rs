//! Determines the project of a call whose arguments name none: session, URL, then the client's roots, then the default.
//!
//! Only folders inside the allowed roots count; a client's root that is not allowed is skipped without an error,
//! because the client did not ask for it with this call.

#![expect(deprecated, reason = "the session era still has roots; the stateless era dropped them")]

use std::{path::PathBuf, sync::Arc, time::Duration};

use dashmap::DashMap;
use fumi_base::{project::Project, roots::AllowedRoots};
use fumi_kernel::Caller;
use rmcp::{RoleServer, service::RequestContext};

use crate::app::App;

/// The timeout of a client's answer with its roots.
const PATIENCE: Duration = Duration::from_secs(2);

/// The number of times that a session which does not answer in time is asked: a client that does not listen yet misses
/// the first question.
const MOST_ASKED: u32 = 3;

/// The roots of the clients of the session era.
#[derive(Debug, Default)]
pub struct ClientRoots {
    /// The first allowed root of each session, if it has one.
    known: DashMap<String, KnownRoots>,
}

/// The answer of a session.
#[derive(Clone, Debug)]
enum KnownRoots {
    Root(Option<Arc<Project>>),
    /// The session did not answer; the number of attempts.
    Silent(u32),
}

impl ClientRoots {
    /// Forgets the answer of a session, so that the session is asked again.
    pub fn forget(&self, session: &str) {
        self.known.remove(session);
    }
}

/// Returns the project of a call.
pub async fn project(
    app: &App,
    clients: &ClientRoots,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
) -> Arc<Project> {
    let access = &caller.access;
    let default = || Arc::clone(access.default_project(&app.kernel.roots));
    let Some(session) = caller.session.as_deref() else {
        return default();
    };
    if let Some(chosen) = app.sessions.project(session)
        && access.roots(&app.kernel.roots).allows(&chosen)
    {
        return chosen;
    }
    if access.project.is_some() {
        return default();
    }
    let declares_roots = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
    if !declares_roots {
        return default();
    }
    let known = clients.known.get(session).map(|known| known.clone());
    let asked = match known {
        Some(KnownRoots::Root(root)) => return root.unwrap_or_else(default),
        Some(KnownRoots::Silent(asked)) if asked >= MOST_ASKED => return default(),
        Some(KnownRoots::Silent(asked)) => asked,
        None => 0,
    };
    let said = ask(access.roots(&app.kernel.roots), context).await;
    let known = said.clone().map_or(KnownRoots::Silent(asked + 1), KnownRoots::Root);
    clients.known.insert(session.to_owned(), known);
    said.flatten().unwrap_or_else(default)
}

/// Returns the client's first allowed root. Returns `None` if the client did not answer in time.
async fn ask(roots: &AllowedRoots, context: &RequestContext<RoleServer>) -> Option<Option<Arc<Project>>> {
    let answer = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await;
    let Ok(Ok(answer)) = answer else {
        tracing::debug!("the client declares roots but did not name them");
        return answer.is_ok().then_some(None);
    };
    let mut paths = answer.roots.iter().filter_map(|root| file_path(&root.uri));
    Some(paths.find_map(|path| roots.project(&path.to_string_lossy()).ok()))
}

/// Returns the path of a `file://` URI, percent-decoded.
fn file_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    decoded.starts_with('/').then(|| PathBuf::from(decoded.as_ref()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::file_path;

    #[test]
    fn only_local_file_uris_are_paths() {
        assert_eq!(file_path("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(file_path("file://localhost/a"), Some(PathBuf::from("/a")));
        assert_eq!(file_path("file://host/a"), None);
        assert_eq!(file_path("https://example.com/a"), None);
    }
}
