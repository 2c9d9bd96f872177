//! The name of a version, as a caller writes it.
//!
//! The forms exclude each other: an id of a backup has a hyphen, that of a session begins with its kind, and a hash has
//! hexadecimal digits only. Whether the version exists is not checked here.

use crate::{backups::is_id, errors::versions::VersionError, references::ContentHash};

/// The beginning of the ids of writing sessions.
const SESSION: &str = "session_";

/// A version that a caller names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionName {
    /// The manuscript as it is.
    Manuscript,
    /// The newest text of a writing session.
    Draft,
    /// The newest text of the session with this id.
    Session(String),
    /// The newest backup that has the manuscript.
    NewestBackup,
    /// The backup with this id.
    Backup(String),
    /// The text with this hash.
    Artifact(ContentHash),
}

impl VersionName {
    /// Parses `manuscript`, `draft`, `backup`, the id of a session or of a backup, or an artifact id.
    pub fn parse(name: &str) -> Result<Self, VersionError> {
        let name = name.trim();
        match name {
            "manuscript" => Ok(Self::Manuscript),
            "draft" => Ok(Self::Draft),
            "backup" => Ok(Self::NewestBackup),
            id if id.starts_with(SESSION) => Ok(Self::Session(id.to_owned())),
            id if is_id(id) => Ok(Self::Backup(id.to_owned())),
            other => ContentHash::parse(other)
                .map(Self::Artifact)
                .ok_or_else(|| VersionError::UnknownVersion { asked: other.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::VersionName;
    use crate::references::ContentHash;

    #[test]
    fn names_have_one_meaning() {
        let hash = ContentHash::from_bytes(b"abc");
        for (name, version) in [
            ("manuscript", VersionName::Manuscript),
            (" draft ", VersionName::Draft),
            ("backup", VersionName::NewestBackup),
            ("session_20260131_100000_0a1b2c3d", VersionName::Session("session_20260131_100000_0a1b2c3d".to_owned())),
            ("20260131T100000Z-0123abcd", VersionName::Backup("20260131T100000Z-0123abcd".to_owned())),
        ] {
            assert_eq!(VersionName::parse(name).expect(name), version);
        }
        let artifact = VersionName::parse(&hash.artifact_id()).expect("an id");
        assert!(matches!(artifact, VersionName::Artifact(found) if found.is_prefix_match(&hash)));
        for bad in ["", "原稿", "Manuscript", "artifact:12", "20260131T100000Z", "../x"] {
            assert!(VersionName::parse(bad).is_err(), "{bad}");
        }
    }
}
