//! Settings of the store: the kind of storage for state that outlives a call, and its folder.

use std::path::PathBuf;

use serde::Deserialize;

use super::ConfigError;

/// The settings of state that outlives a call: sessions, and the projects that they chose.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreConfig {
    /// `fs` (files in `dir`: a restart loses no session) or `memory` (lost when the process ends).
    pub kind: StoreKind,
    /// The state folder. Empty: `$XDG_STATE_HOME/fumi`, or `~/.local/state/fumi`; if that is not writable, fumi warns
    /// and uses memory. A configured folder must be usable.
    pub dir: PathBuf,
}

/// The kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// Files in the state folder.
    Fs,
    /// The memory of the process.
    Memory,
}

impl StoreKind {
    /// Parses the value of `--store`.
    pub fn parse(raw: &str) -> Result<Self, ConfigError> {
        match raw {
            "fs" => Ok(Self::Fs),
            "memory" => Ok(Self::Memory),
            raw if raw == "redis" || raw.starts_with("redis://") || raw.starts_with("rediss://") => {
                Err(ConfigError(format!("--store {raw}: not in this build; use fs or memory")))
            }
            raw => Err(ConfigError(format!("--store {raw}: use fs or memory"))),
        }
    }
}

/// Returns the usual folder for state, as defined by the XDG base directory specification, or `None` without a home
/// folder.
pub fn state_folder(environment: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state"))).map(|state| state.join("fumi"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn state_has_a_usual_place() {
        let folder = |variables: &[(&str, &str)]| {
            super::state_folder(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        for (variables, expected) in [
            (&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")][..], Some("/x/fumi")),
            (&[("HOME", "/h")], Some("/h/.local/state/fumi")),
            (&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")], Some("/h/.local/state/fumi")),
            (&[("XDG_STATE_HOME", ""), ("HOME", "")], None),
            (&[], None),
        ] {
            assert_eq!(folder(variables), expected.map(std::path::PathBuf::from), "{variables:?}");
        }
    }
}
