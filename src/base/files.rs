//! Bytes of files: bounded reading, hashes, and the output files of calls.
//!
//! Reading and writing happen through a [`Project`]'s handle. This module does not decide which files may be read:
//! [`crate::project`] does.

use std::{
    fmt::Write as _,
    io::{self, Read, Seek as _},
    path::{Component, Path},
};

use sha2::{Digest, Sha256};

use crate::{
    atomic_write::{WriteError, is_free, replace},
    errors::UserError,
    project::{BOOK, PathError, Project, ProjectPath},
    text::BilingualText,
};

/// The folder of every `output_file`, under the project root.
pub const OUTPUT_FOLDER: &str = ".fumi/output";

/// Reads a whole file of at most `limit` bytes.
pub fn read(path: &ProjectPath, limit: u64) -> Result<Vec<u8>, PathError> {
    let file = path.open()?;
    let unreadable = |source| PathError::Unreadable {
        path: path.shown(),
        action: BilingualText::new("read", "読み込むことが"),
        source,
    };
    let size = path.record_failure(file.metadata()).map_err(unreadable)?.len();
    let too_large = |size| PathError::FileTooLarge { path: path.shown(), size, limit };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // One byte past the limit, because the file may grow while it is read.
    path.record_failure(file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Reads at most `length` bytes of a file from `start` on. Returns them and the size of the file, in bytes.
pub fn read_part(path: &ProjectPath, start: u64, length: u64) -> Result<(Vec<u8>, u64), PathError> {
    let mut file = path.open()?;
    let unreadable = |source| PathError::Unreadable {
        path: path.shown(),
        action: BilingualText::new("read", "読み込むことが"),
        source,
    };
    let size = path.record_failure(file.metadata()).map_err(unreadable)?.len();
    let mut bytes = Vec::new();
    path.record_failure(file.seek(io::SeekFrom::Start(start))).map_err(unreadable)?;
    path.record_failure(file.take(length).read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok((bytes, size))
}

/// Returns the SHA-256 digest in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The errors of writing an `output_file`.
#[derive(Debug, UserError)]
pub enum OutputError {
    /// The name, as the client wrote it, is not a plain relative one.
    OutputFileRefused { path: String, reason: BilingualText },
    /// The file could not be written.
    Write(WriteError),
}

impl From<WriteError> for OutputError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::PlaceTaken { path, reason } => Self::OutputFileRefused { path, reason },
            error => Self::Write(error),
        }
    }
}

/// The checked name of an output file: plain, relative, below [`OUTPUT_FOLDER`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputName(String);

impl OutputName {
    /// Parses a client's `output_file`. Accepts the name with or without [`OUTPUT_FOLDER`] before it.
    pub fn parse(raw: &str) -> Result<Self, OutputError> {
        let refuse = |en: &'static str, ja: &'static str| {
            Err(OutputError::OutputFileRefused { path: raw.to_owned(), reason: BilingualText::new(en, ja) })
        };
        if raw.len() > 1_024 || raw.split('/').any(|part| part.len() > 255) {
            return refuse("it is too long", "長すぎます");
        }
        if raw.chars().any(char::is_control) {
            return refuse("it contains a control character", "制御文字を含んでいます");
        }
        let path = Path::new(raw);
        if path.is_absolute() || raw.contains('\\') || raw.contains(':') {
            return refuse("it is not relative", "相対名ではありません");
        }
        if raw.split('/').any(|part| part == "..") {
            return refuse("it contains '..'", "「..」を含んでいます");
        }
        let inner = path.strip_prefix(OUTPUT_FOLDER).unwrap_or(path);
        let parts: Vec<_> = inner
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        if parts.is_empty() || raw.ends_with('/') {
            return refuse("it names no file", "ファイル名がありません");
        }
        Ok(Self(parts.join("/")))
    }

    /// Returns the project-relative path, as replies show it.
    pub fn shown(&self) -> String {
        format!("{OUTPUT_FOLDER}/{}", self.0)
    }

    /// True if the file gets the structured result (`.json`); otherwise it gets the text.
    pub fn is_json(&self) -> bool {
        Path::new(&self.0).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }
}

/// Writes an output file, completely or not at all ([`crate::atomic_write`]), in a folder that git ignores.
///
/// No folder of its path may be a link: an output must never land on a source file.
pub fn write_output(project: &Project, name: &OutputName, bytes: &[u8]) -> Result<(), OutputError> {
    ignore_outputs(project)?;
    replace(project, &name.shown(), bytes)?;
    Ok(())
}

/// Makes git ignore what fumi saves in a project.
pub fn ignore_outputs(project: &Project) -> Result<(), WriteError> {
    const IGNORE: &str = ".fumi/.gitignore";
    if is_free(project, IGNORE)? {
        replace(project, IGNORE, b"*\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{OutputName, sha256, write_output};
    use crate::project::Project;

    #[test]
    fn outputs_stay_in_their_folder() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        for bad in ["../x", "/etc/x", "a/../../x", "", "a/", "c:\\x", "a\0b"] {
            assert!(OutputName::parse(bad).is_err(), "{bad:?}");
        }
        let name = OutputName::parse("deep/er/result.json").expect("fine");
        write_output(&project, &name, b"{}").expect("written");
        write_output(&project, &name, b"{\"a\":1}").expect("replaced");
        let written = fs::read(root.path().join(".fumi/output/deep/er/result.json")).expect("there");
        assert_eq!(written, b"{\"a\":1}");
        assert_eq!(fs::read(root.path().join(".fumi/.gitignore")).expect("there"), b"*\n");
        assert_eq!(fs::read_dir(root.path().join(".fumi/output/deep/er")).expect("there").count(), 1);
    }

    #[test]
    fn an_output_folder_that_is_a_link_is_refused() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("src")).expect("a folder");
        fs::create_dir(root.path().join(".fumi")).expect("a folder");
        std::os::unix::fs::symlink("../src", root.path().join(".fumi/output")).expect("a link");
        let project = Project::open(root.path()).expect("a project");
        let name = OutputName::parse("main.py").expect("fine");
        assert!(write_output(&project, &name, b"x").is_err());
        assert_eq!(fs::read_dir(root.path().join("src")).expect("there").count(), 0);
    }

    #[test]
    fn hashes_are_those_of_sha256sum() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
