//! Reading and replacing a client's configuration file.
//!
//! A file is replaced as a whole by renaming a temporary file, so a crash leaves the old or the new text. A symbolic link
//! stays: its target is replaced. The file belongs to the user who runs the command, so no path is refused.

use std::{
    fs::{self, Permissions},
    io::{self, Read, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::{
    edit::position,
    error::{ConnectError, TextError},
};

/// The largest file that is edited, in bytes. Configuration files with a history have about 1 MB.
const MAX_BYTES: u64 = 10_000_000;
/// The largest number of symbolic links that are followed, as in the Linux kernel.
const MAX_LINKS: usize = 40;
/// The permissions of a new file, before the umask.
const NEW_FILE_MODE: u32 = 0o666;

/// The effect on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file already has the wanted content and was not written.
    Unchanged,
    /// The file did not exist and was created.
    Created,
    /// The file was replaced.
    Updated,
    /// The file contains only what fumi added. It was not written; delete it.
    OnlyOurs,
}

/// Replaces the text of a file by the result of `edit`. A missing file is an empty text.
pub(crate) fn change(
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, TextError>,
) -> Result<Change, ConnectError> {
    let io = |source| ConnectError::Io { path: path.to_owned(), source };
    let target = follow_links(path).map_err(io)?;
    let old = read(&target, path)?;
    let text = match &old {
        Some(bytes) => utf8(bytes, path)?,
        None => "",
    };
    let new = edit(text).map_err(|source| ConnectError::Text { path: path.to_owned(), source })?;
    if new == text {
        return Ok(Change::Unchanged);
    }
    if new.is_empty() {
        return Ok(Change::OnlyOurs);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(io)?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".fumi-connect-")
        .permissions(Permissions::from_mode(NEW_FILE_MODE))
        .tempfile_in(folder)
        .map_err(io)?;
    if old.is_some() {
        let permissions = fs::metadata(&target).map_err(io)?.permissions();
        temporary.as_file().set_permissions(permissions).map_err(io)?;
    }
    temporary.write_all(new.as_bytes()).map_err(io)?;
    temporary.as_file().sync_all().map_err(io)?;
    // Clients rewrite their files while they run.
    if read(&target, path)? != old {
        return Err(ConnectError::ChangedMeanwhile { path: path.to_owned() });
    }
    temporary.persist(&target).map_err(|error| io(error.error))?;
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    Ok(if old.is_some() { Change::Updated } else { Change::Created })
}

/// Returns the text of a configuration file, or `None` if it does not exist.
///
/// # Errors
/// If it is not a regular file, has more than 10 MB, is not UTF-8, or cannot be read.
pub fn read_text(path: &Path) -> Result<Option<String>, ConnectError> {
    let Some(bytes) = read(path, path)? else { return Ok(None) };
    Ok(Some(utf8(&bytes, path)?.to_owned()))
}

fn utf8<'b>(bytes: &'b [u8], path: &Path) -> Result<&'b str, ConnectError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        ConnectError::NotUtf8 { path: path.to_owned(), line: position(&valid, valid.len()).0 }
    })
}

/// Returns the bytes of a regular file, or `None` if it does not exist. Errors name `shown`.
fn read(target: &Path, shown: &Path) -> Result<Option<Vec<u8>>, ConnectError> {
    let io = |source| ConnectError::Io { path: shown.to_owned(), source };
    match fs::metadata(target) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(ConnectError::NotAFile { path: shown.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(io(source)),
    }
    let mut bytes = Vec::new();
    fs::File::open(target).map_err(io)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ConnectError::TooLarge { path: shown.to_owned(), limit: MAX_BYTES });
    }
    Ok(Some(bytes))
}

/// Returns the path at the end of a chain of symbolic links. The file at that path may be missing.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&target)?;
                target = target.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
            }
            Ok(_) => return Ok(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}
