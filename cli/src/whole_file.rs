//! Files that are written whole, or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, ensure};
use atomic_write_file::AtomicWriteFile;

use crate::output::to_standard_output;

/// Whether `-o` with this name means standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Lets `fill` write what `-o` asks for: the file, or standard output if it is `-` or was not given.
/// Gives the path of the file, if there is one.
///
/// # Errors
/// Those of [`write()`] and of [`to_standard_output`].
pub(super) fn write_output(
    path: Option<&Path>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<Option<&Path>> {
    match path.filter(|path| !is_standard_output(path)) {
        Some(path) => write(path, fill).map(|()| Some(path)),
        None => to_standard_output(fill).map(|()| None),
    }
}

/// Refuses `--json` where standard output already carries a file.
///
/// # Errors
/// If `-o` was not given, or is `-`.
pub(super) fn check_json(json: bool, path: Option<&Path>) -> anyhow::Result<()> {
    let free = path.is_some_and(|path| !is_standard_output(path));
    ensure!(
        free || !json,
        "--json takes standard output: name a file with -o FILE"
    );
    Ok(())
}

/// Lets `fill` write the file at `path`.
///
/// The file takes its name when it is complete. What is at `path` and is not a regular file (a
/// pipe, say) is written to as it is.
///
/// # Errors
/// When it cannot be written; what was at `path` is as it was.
pub(super) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    // Follow a link to the file that it means, so that the link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let written = if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        let file = File::options().write(true).open(&target);
        file.and_then(|mut file| fill(&mut file))
    } else {
        AtomicWriteFile::open(&target).and_then(|mut file| {
            fill(file.as_file_mut())?;
            file.commit()
        })
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file that nobody else may read, where nothing is yet. It takes its name when it is complete.
///
/// # Errors
/// When it cannot be written, or something is at `path`.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    ensure!(
        path.symlink_metadata().is_err(),
        "{}: there is a file of this name",
        cannot()
    );
    let mut options = AtomicWriteFile::options();
    #[cfg(unix)]
    {
        use atomic_write_file::unix::OpenOptionsExt as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.preserve_mode(false).mode(0o600);
    }
    let written = options.open(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.commit()
    });
    written.with_context(cannot)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

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
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_to_the_file_that_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["note.txt", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "what was there before").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, |file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let (reader, read) = mpsc::channel();
        let other_end = pipe.clone();
        thread::spawn(move || reader.send(fs::read(other_end).unwrap()));
        write(&pipe, |file| file.write_all(b"new")).unwrap();
        assert_eq!(read.recv_timeout(Duration::from_secs(10)).unwrap(), b"new");
    }
}
