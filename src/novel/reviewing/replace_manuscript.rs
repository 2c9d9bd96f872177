//! Replacing a manuscript by its fixed or rewritten text: backed up first, in the same encoding.
//!
//! A file that changed in the meantime or could not be decoded completely is never overwritten.

use std::sync::Arc;

use super::CheckedManuscript;
use crate::{
    backups::{BackupTime, Backups},
    change_set::FileChange,
    errors::reviewing::ReviewError,
    project::NovelProject,
    references::ContentHash,
};

/// The result of replacing a manuscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedManuscript {
    /// The SHA-256 hash of the new file.
    pub sha256: String,
    /// The id of the backup; `None` if nothing changed.
    pub backup: Option<String>,
}

/// Backs up the manuscript that was read, with this `reason` in the backup. Returns the change that writes the new text, or
/// `None` if the text is the same.
pub fn prepare_replacement(
    novel: &NovelProject,
    looked: &CheckedManuscript,
    text: &str,
    reason: &str,
    now: &BackupTime,
) -> Result<(ReplacedManuscript, Option<FileChange>), ReviewError> {
    let path = &looked.subject.manuscript;
    if looked.is_damaged {
        return Err(ReviewError::ManuscriptDamaged { path: path.clone(), encoding: looked.encoding.clone() });
    }
    if text == looked.draft.manuscript.source() {
        let sha256 = looked.subject.sha256.clone();
        return Ok((ReplacedManuscript { sha256, backup: None }, None));
    }
    let bytes = encoded(text, &looked.encoding)
        .ok_or_else(|| ReviewError::FixNotInEncoding { path: path.clone(), encoding: looked.encoding.clone() })?;
    let backups = Backups::new(Arc::clone(novel.project()), &novel.names().backups);
    let sha256 = ContentHash::from_bytes(&bytes).digits().to_owned();
    let changes = [(path.as_str(), sha256.as_str())];
    let backup = backups.create_before(&changes, reason, now)?.id;
    // If another program saves in between, the change fails and the saved file stays.
    let change = FileChange::write(path, bytes).if_still(Some(&looked.subject.sha256));
    let backup = Some(backup);
    Ok((ReplacedManuscript { sha256, backup }, Some(change)))
}

/// True if the text can be written over the manuscript in its encoding.
pub fn can_be_written(looked: &CheckedManuscript, text: &str) -> bool {
    !looked.is_damaged && encoded(text, &looked.encoding).is_some()
}

/// Encodes a text; returns `None` if the encoding cannot represent it.
fn encoded(text: &str, encoding: &str) -> Option<Vec<u8>> {
    if encoding == "utf-8" {
        return Some(text.as_bytes().to_vec());
    }
    let known = encoding_rs::Encoding::for_label(encoding.as_bytes())?;
    // The encoding must be the one that was read: UTF-16 can be read but would be written as UTF-8.
    let (bytes, written, has_gaps) = known.encode(text);
    // Some encodings substitute characters without reporting it.
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
