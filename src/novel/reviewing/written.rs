//! A mended manuscript, written back over the one that was read: backed up first, in the same encoding, whole.
//!
//! Nothing is written over a file that changed meanwhile, or that could not be read whole.

use std::sync::Arc;

use fumi_base::{
    files,
    writing::{WriteError, replace_if},
};

use super::Looked;
use crate::{
    backups::{Backups, Stamp},
    errors::reviewing::ReviewError,
    project::NovelProject,
    references::ContentHash,
};

/// A manuscript that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// SHA-256 of the new file.
    pub sha256: String,
    /// Where the old one is; `None` where nothing changed.
    pub backup: Option<String>,
}

/// Writes a text over the manuscript that was looked at.
pub fn write_back(novel: &NovelProject, looked: &Looked, text: &str, now: &Stamp) -> Result<Written, ReviewError> {
    let path = &looked.subject.manuscript;
    if looked.is_damaged {
        return Err(ReviewError::Damaged {
            path: path.clone(),
            encoding: looked.encoding.clone(),
        });
    }
    if text == looked.draft.manuscript.source() {
        return Ok(Written {
            sha256: looked.subject.sha256.clone(),
            backup: None,
        });
    }
    let bytes = encoded(text, &looked.encoding).ok_or_else(|| ReviewError::Unencodable {
        path: path.clone(),
        encoding: looked.encoding.clone(),
    })?;
    let backups = Backups::of(Arc::clone(novel.project()), &novel.names().backups);
    let backup = backups.create(&[path.as_str()], "before check_fix", now)?.id;
    // As late as possible: whoever saves in between is told, and what they saved stays.
    let is_known = || {
        let there = novel.project().resolve(path);
        let there = there.and_then(|there| files::read(&there, crate::project::MANUSCRIPT_BYTES));
        there.is_ok_and(|there| ContentHash::of(&there).digits() == looked.subject.sha256)
    };
    replace_if(novel.project(), path, &bytes, is_known).map_err(|error| match error {
        WriteError::Changed { path } => ReviewError::Changed { path },
        error => error.into(),
    })?;
    Ok(Written {
        sha256: ContentHash::of(&bytes).digits().to_owned(),
        backup: Some(backup),
    })
}

/// Whether a text can be written over the manuscript that was looked at, in its encoding.
#[must_use]
pub fn can_be_written(looked: &Looked, text: &str) -> bool {
    !looked.is_damaged && encoded(text, &looked.encoding).is_some()
}

/// A text in an encoding; `None` where that cannot say it.
fn encoded(text: &str, encoding: &str) -> Option<Vec<u8>> {
    if encoding == "utf-8" {
        return Some(text.as_bytes().to_vec());
    }
    let known = encoding_rs::Encoding::for_label(encoding.as_bytes())?;
    // Only what is written in the encoding that was read: UTF-16 is read and would be written as UTF-8.
    let (bytes, written, has_gaps) = known.encode(text);
    // Some encodings write other characters without saying so.
    let is_whole = !has_gaps && written == known && known.decode(&bytes).0 == text;
    is_whole.then(|| bytes.into_owned())
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn a_text_is_written_in_its_own_encoding_or_not_at_all() {
        assert_eq!(encoded("猫", "utf-8").as_deref(), Some("猫".as_bytes()));
        assert_eq!(encoded("猫", "shift_jis").as_deref(), Some(&[0x94, 0x4c][..]));
        assert_eq!(encoded("𠮷", "shift_jis"), None);
        assert_eq!(encoded("猫", "utf-16le"), None);
    }
}
