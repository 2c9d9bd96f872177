//! Path maps, for clients that see other paths than the server: a container, a remote dev box, Windows beside Linux.
//!
//! A map translates prefixes, in both directions, at the two places where a client's string becomes a path and an
//! absolute path is shown. It grants no access: its results are checked like every other path.

use std::path::{Component, Path, PathBuf};

/// A prefix of the client's paths and the corresponding server folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMap {
    /// The prefix as the client writes it, such as `/home/me/app` or `C:\Users\me\app`.
    pub client: String,
    /// The absolute path of the same folder on the server.
    pub server: PathBuf,
}

/// All path maps. The longest matching prefix decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathMaps(Vec<PathMap>);

impl PathMaps {
    /// Creates path maps from a list in any order.
    pub fn new(maps: impl IntoIterator<Item = PathMap>) -> Self {
        Self(maps.into_iter().collect())
    }

    /// Returns the maps, as the operator listed them.
    pub fn maps(&self) -> &[PathMap] {
        &self.0
    }

    /// Translates a client's path to the server's; returns `None` if no map matches.
    pub fn to_server(&self, raw: &str) -> Option<PathBuf> {
        let fits = self.0.iter().filter_map(|map| {
            let parts = parts_of(&map.client);
            let rest = strip(raw, &parts, is_windows(&map.client))?;
            Some((parts.len(), map.server.join(rest)))
        });
        fits.max_by_key(|(length, _)| *length).map(|(_, path)| path)
    }

    /// Translates a server path to the client's form; returns it unchanged if no map matches.
    pub fn to_client(&self, path: &Path) -> String {
        let fits = self.0.iter().filter_map(|map| {
            let rest = path.strip_prefix(&map.server).ok()?;
            Some((map.server.components().count(), map, rest))
        });
        let Some((_, map, rest)) = fits.max_by_key(|(length, ..)| *length) else {
            return path.to_string_lossy().into_owned();
        };
        let separator = if is_windows(&map.client) { '\\' } else { '/' };
        let mut shown = map.client.trim_end_matches(['/', '\\']).to_owned();
        for part in rest.components() {
            if let Component::Normal(part) = part {
                shown.push(separator);
                shown.push_str(&part.to_string_lossy());
            }
        }
        if shown.is_empty() { "/".to_owned() } else { shown }
    }
}

/// True if a path has the form of Windows: it begins with a drive or two backslashes.
fn is_windows(path: &str) -> bool {
    path.starts_with(r"\\") || matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic())
}

fn parts_of(client: &str) -> Vec<&str> {
    let separators: &[char] = if is_windows(client) { &['/', '\\'] } else { &['/'] };
    client.split(separators).filter(|part| !part.is_empty()).collect()
}

/// Returns the rest of a path after a prefix, compared part by part, so that `/home/me` does not match `/home/menu`.
/// Windows paths are compared without case.
fn strip(raw: &str, prefix: &[&str], windows: bool) -> Option<PathBuf> {
    // A file URI of Windows is `/C:/...`.
    let raw = match raw.strip_prefix('/') {
        Some(rest) if windows && is_windows(rest) => rest,
        _ => raw,
    };
    if is_windows(raw) != windows || !(windows || raw.starts_with('/')) {
        return None;
    }
    let mut parts = parts_of(raw).into_iter();
    for wanted in prefix {
        let part = parts.next()?;
        let same = if windows { part.to_lowercase() == wanted.to_lowercase() } else { part == *wanted };
        if !same {
            return None;
        }
    }
    Some(parts.collect())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{PathMap, PathMaps};

    fn maps() -> PathMaps {
        let map = |client: &str, server: &str| PathMap { client: client.to_owned(), server: PathBuf::from(server) };
        PathMaps::new([
            map("/home/me", "/workspace"),
            map("/home/me/other/", "/srv/other"),
            map(r"C:\Users\me\app", "/workspace/app"),
        ])
    }

    #[test]
    fn a_clients_path_becomes_ours_by_the_longest_prefix() {
        for (client, server) in [
            ("/home/me", Some("/workspace")),
            ("/home/me/", Some("/workspace")),
            ("/home/me/src/a.rs", Some("/workspace/src/a.rs")),
            ("/home/me/other/x", Some("/srv/other/x")),
            ("/home/menu", None),
            ("home/me", None),
            ("/workspace/src", None),
            (r"C:\Users\me\app\src\main.rs", Some("/workspace/app/src/main.rs")),
            ("c:/users/ME/app/日本.txt", Some("/workspace/app/日本.txt")),
            ("/C:/Users/me/app", Some("/workspace/app")),
            (r"C:\Users\you", None),
        ] {
            assert_eq!(maps().to_server(client), server.map(PathBuf::from), "{client}");
        }
    }

    #[test]
    fn our_path_is_shown_as_the_clients() {
        for (server, client) in [
            ("/workspace", "/home/me"),
            ("/workspace/src/a.rs", "/home/me/src/a.rs"),
            ("/workspace/app/src", r"C:\Users\me\app\src"),
            ("/srv/other", "/home/me/other"),
            ("/workspaces", "/workspaces"),
        ] {
            assert_eq!(maps().to_client(Path::new(server)), client);
        }
    }
}
