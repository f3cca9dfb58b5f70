//! Files that are written whole, or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, anyhow};

/// Lets `fill` write the file at `path`.
///
/// It goes to a new file in the same folder, which then takes the name. What is at `path` and is
/// not a regular file (a pipe, say) is written to as it is.
///
/// # Errors
/// When it cannot be written; what was at `path` is as it was.
pub(super) fn write(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    // Follow a link to the file that it means, so that the link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        let file = OpenOptions::new().write(true).open(&target);
        return file
            .and_then(|mut file| fill(&mut file))
            .with_context(failed);
    }
    let name = target
        .file_name()
        .ok_or_else(|| anyhow!("{} is not the name of a file", path.display()))?;
    let mut part_name = OsString::from(".");
    part_name.push(name);
    part_name.push(format!(".{}.part", process::id()));
    write_and_rename(fill, target.with_file_name(part_name), &target).with_context(failed)
}

fn write_and_rename(
    fill: impl FnOnce(&mut File) -> io::Result<()>,
    part: PathBuf,
    target: &Path,
) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&part)?;
    let written = fill(&mut file)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&part, target));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_written_file_replaces_what_was_there_and_leaves_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt");
        fs::write(&path, "what was there before").unwrap();
        write(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["note.txt"]);
    }

    #[test]
    fn a_failed_write_leaves_what_was_there_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt");
        fs::write(&path, "what was there before").unwrap();
        let full = write(&path, |_| Err(io::ErrorKind::StorageFull.into()));
        assert!(full.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"what was there before");
        assert_eq!(names(folder.path()), ["note.txt"]);

        // A folder that is not empty cannot be replaced.
        let target = folder.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("inside"), "").unwrap();
        let part = folder.path().join("part");
        assert!(write_and_rename(|_| Ok(()), part, &target).is_err());
        assert_eq!(names(folder.path()).len(), 2);
    }
}
