//! Settings of projects: the folders that fumi serves, and the names under which clients know them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::ConfigError;

/// The folders that fumi serves.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectsConfig {
    /// Folders that may be projects, the first being the default. Empty: the working folder of fumi.
    pub allowed_roots: Vec<PathBuf>,
    /// Projects by name, for URLs: `/projects/NAME/mcp`. They are allowed roots too.
    pub named: BTreeMap<String, PathBuf>,
}

/// A folder with its path on the client and on the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathMapping {
    /// The absolute path as the client writes it, such as `/home/me/app` or `C:\Users\me\app`.
    pub client: String,
    /// The absolute path on the server.
    pub server: PathBuf,
}

impl ProjectsConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for root in &self.allowed_roots {
            if !root.is_dir() {
                return Err(ConfigError(format!("the root {} is not a folder", root.display())));
            }
        }
        for (name, root) in &self.named {
            if !root.is_dir() {
                return Err(ConfigError(format!("projects.named.{name}: {} is not a folder", root.display())));
            }
            if name.is_empty() || name.contains('/') {
                return Err(ConfigError(format!("projects.named: {name:?} cannot be part of a URL")));
            }
        }
        Ok(())
    }

    /// Moves the folder of an environment variable to the front of the roots; it must lie inside them.
    pub(super) fn move_to_front(&mut self, wanted: &Path) -> Result<(), ConfigError> {
        let real = wanted
            .canonicalize()
            .map_err(|error| ConfigError(format!("PROJECT_ROOT {}: {error}", wanted.display())))?;
        let inside = self.allowed_roots.iter().any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)));
        if !inside {
            return Err(ConfigError(format!(
                "PROJECT_ROOT {} is outside the allowed roots; allow it with --root",
                wanted.display()
            )));
        }
        self.allowed_roots.insert(0, real);
        Ok(())
    }
}

impl PathMapping {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.client.is_empty() || !self.server.is_absolute() {
            return Err(ConfigError(format!(
                "path_map: {:?} -> {}: both paths must be absolute",
                self.client,
                self.server.display()
            )));
        }
        Ok(())
    }
}
