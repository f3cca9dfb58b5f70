//! Files that are written completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The name prefix of a temporary file whose content is not yet completely on disk. Such a file may
/// contain secrets, so files left by killed processes are removed when the folder is opened.
const UNFINISHED: &str = ".dealerless-unfinished-";

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Replace,
    Keep,
}

/// Writes a file that only its owner may read. The file gets its name when all of its content is on
/// disk. When this function returns, the name is on disk too.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    // Write to the target of a symbolic link, so that the link is not replaced by a file.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&target);
    // Temporary files are created with mode 0600.
    let mut file = unfinished_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    match existing {
        Existing::Replace => file.persist(&target),
        Existing::Keep => file.persist_noclobber(&target),
    }
    .map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Creates a folder that only its owner may use, and the folders above it, if they do not exist.
///
/// # Errors
/// If a folder cannot be created.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file that only its owner may write, to lock it. Creates it if it does not exist.
///
/// # Errors
/// If the file cannot be opened.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes a file if it exists. When this function returns, the removal is on disk.
pub(super) fn remove_whole(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sync_folder(folder_of(path))),
    }
}

fn unfinished_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)
}

/// Removes the unfinished files of killed processes in this folder. No process may be writing to
/// the folder.
pub(crate) fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            match fs::remove_file(entry.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
    }
    Ok(())
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Syncs the names in a folder to disk. Does nothing on systems that cannot open folders.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_or_kept_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note");
        write_whole(&path, b"one", Existing::Keep).unwrap();
        write_whole(&path, b"two", Existing::Replace).unwrap();
        let error = write_whole(&path, b"three", Existing::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        for _ in 0..2 {
            remove_whole(&path).unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn only_unfinished_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(folder.path().join(name), b"secret").unwrap();
        // A killed process leaves a file under its unfinished name.
        let unfinished = unfinished_in(folder.path()).unwrap();
        unfinished.keep().unwrap();
        write("note");
        write(".note");
        remove_unfinished(folder.path()).unwrap();
        let names = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".note", "note"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_readable_by_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note");
        write_whole(&path, b"one", Existing::Replace).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
