//! Files that are read or written completely or not at all, in the format that their names imply.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use atomic_write_file::AtomicWriteFile;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::output::to_standard_output;

/// The length of the UTF-8 byte order mark that some editors write at the beginning of a text, or 0.
pub fn mark_length(text: &[u8]) -> usize {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if text.starts_with(MARK) {
        MARK.len()
    } else {
        0
    }
}

/// Whether `-o` with this path means standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the lowercase extension that implies the format of a file. For a name that ends in
/// `.gz`, this is the extension before `.gz`.
pub fn ending(path: &Path) -> Option<String> {
    let unpacked = path.with_extension("");
    let path = if is_packed(path) { &unpacked } else { path };
    let ending = path.extension()?.to_string_lossy();
    Some(ending.to_lowercase())
}

/// Whether the name implies gzip compression.
fn is_packed(path: &Path) -> bool {
    (path.extension()).is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Checks, before any work, that a file can be written at `path`. `None` and `-`, which mean
/// standard output, are valid.
///
/// The [`ending`] of the file's name must be absent or one of `endings`. Its folder must exist. The
/// file must not be one of `read`, the input files of the command, even by another path.
///
/// # Errors
/// If a condition does not hold. The error names the path.
pub fn check_output(path: Option<&Path>, endings: &[&str], read: &[&Path]) -> anyhow::Result<()> {
    let Some(path) = path.filter(|path| !is_standard_output(path)) else {
        return Ok(());
    };
    let cannot = format!("cannot write {}", path.display());
    ensure!(
        ending(path).is_none_or(|ending| endings.contains(&&*ending)),
        "{cannot}: its name must end in .{}; .gz after that compresses it",
        endings.join(" or .")
    );
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    if let Some(parent) = parent {
        ensure!(
            parent.is_dir(),
            "{cannot}: folder {} does not exist",
            parent.display()
        );
    }
    ensure!(!path.is_dir(), "{cannot}: it is a folder");
    ensure!(
        !read.iter().any(|read| is_same_file(read, path)),
        "{cannot}: it is an input of this command"
    );
    Ok(())
}

/// Whether two paths refer to the same existing regular file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| -> Option<PathBuf> {
        let path = fs::canonicalize(path).ok()?;
        path.is_file().then_some(path)
    };
    file(one).is_some_and(|one| Some(one) == file(other))
}

/// Calls `fill` to write the output of a command to the file `path`, the value of `-o`. If `path`
/// is `-` or `None`, the output goes to standard output, and `None` is returned.
///
/// # Errors
/// Those of [`write()`] and of [`to_standard_output`].
pub fn write_output(
    path: Option<&Path>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<Option<&Path>> {
    match path.filter(|path| !is_standard_output(path)) {
        Some(path) => write(path, fill).map(|()| Some(path)),
        None => to_standard_output(fill).map(|()| None),
    }
}

/// Refuses `--json` if the output file is written to standard output as well.
///
/// # Errors
/// If `json` is set and `-o` is missing or `-`.
pub fn check_json(json: bool, path: Option<&Path>) -> anyhow::Result<()> {
    let free = path.is_some_and(|path| !is_standard_output(path));
    ensure!(
        free || !json,
        "--json uses standard output; name a file with -o FILE"
    );
    Ok(())
}

/// Calls `fill` to write the file at `path`.
///
/// A file whose name ends in `.gz` is compressed. The file gets its name when it is complete. If
/// `path` is not a regular file (a pipe, for example), `fill` writes to it directly.
///
/// # Errors
/// If the file cannot be written. An existing regular file is left unchanged.
pub fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    // Follow a symbolic link, so that its target is replaced and not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let written = if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        let file = File::options().write(true).open(&target);
        file.and_then(|mut file| fill_as_named(path, &mut file, fill))
    } else {
        AtomicWriteFile::open(&target).and_then(|mut file| {
            fill_as_named(path, file.as_file_mut(), fill)?;
            file.commit()
        })
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a text file of at most `most` bytes. Returns `None` if the file does not exist.
///
/// # Errors
/// If the file cannot be read, is not a regular file, has more than `most` bytes, or is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<Option<String>> {
    // Opening a pipe would block.
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::other("it is not a regular file"));
        }
        metadata => metadata?,
    };
    let mut text = String::new();
    File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        Err(io::ErrorKind::FileTooLarge.into())
    } else {
        let mark = mark_length(text.as_bytes());
        text.drain(..mark);
        Ok(Some(text))
    }
}

/// Calls `fill` to write to `file`. If the name in `path` ends in `.gz`, the output is compressed.
fn fill_as_named(
    path: &Path,
    file: &mut File,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !is_packed(path) {
        return fill(file);
    }
    let mut packed = GzEncoder::new(file, Compression::default());
    fill(&mut packed)?;
    packed.finish().map(drop)
}

/// Writes a new file that only its owner can read. The file gets its name when it is complete.
///
/// # Errors
/// If the file cannot be written, or if `path` already exists.
pub fn write_private(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    ensure!(
        path.symlink_metadata().is_err(),
        "{}: the file already exists",
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
    use std::io::Read;
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use flate2::read::GzDecoder;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn write_replaces_the_file_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt");
        fs::write(&path, "old").unwrap();
        write(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["note.txt"]);
    }

    #[test]
    fn name_that_ends_in_gz_is_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt.GZ");
        write(&path, |file| file.write_all(b"new")).unwrap();
        let mut text = String::new();
        let file = File::open(&path).unwrap();
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
        assert_eq!(text, "new");
    }

    /// The error of the output `name`, in a folder with the input `read.txt`.
    fn error(folder: &Path, name: &str) -> Option<String> {
        let read = folder.join("read.txt");
        let missing = folder.join("missing");
        let output = folder.join(name);
        let checked = check_output(Some(&output), &["txt", "svg"], &[&missing, &read]);
        checked.err().map(|error| error.to_string())
    }

    #[test]
    fn unknown_extension_is_refused_with_the_valid_ones() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "a.txt", "a.SVG", "a.txt.gz", "a", "a.gz", "missing", ".hidden",
        ] {
            assert_eq!(error(folder.path(), name), None, "{name}");
        }
        for name in [
            "a.pdf",
            "a.v",
            "a.txt.zip",
            "a.pdf.gz",
            "a.txt.gz.gz",
            "a.",
            "a.txt.5",
        ] {
            let error = error(folder.path(), name).unwrap();
            assert!(error.contains("must end in .txt or .svg"), "{error}");
        }
        assert!(check_output(Some(Path::new("-")), &["txt"], &[]).is_ok());
        assert!(check_output(None, &["txt"], &[]).is_ok());
    }

    #[test]
    fn folder_and_missing_parent_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        assert_eq!(error(folder.path(), "inner/a.txt"), None);
        for (name, expected) in [
            ("inner", "it is a folder"),
            ("other/a.txt", "does not exist"),
            ("read.txt/a.txt", "does not exist"),
        ] {
            let error = error(folder.path(), name).unwrap_or_default();
            assert!(error.contains(expected), "{name}: {error}");
        }
    }

    #[test]
    fn input_file_is_refused_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name);
        fs::create_dir(path("inner")).unwrap();
        for name in ["read.txt", "other.txt"] {
            fs::write(path(name), "").unwrap();
        }
        let mut same = vec!["read.txt", "./read.txt", "inner/../read.txt"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("read.txt"), path("link.txt")).unwrap();
            std::os::unix::fs::symlink(folder.path(), path("here")).unwrap();
            same.extend(["link.txt", "here/read.txt"]);
        }
        for name in same {
            let error = error(folder.path(), name).unwrap_or_default();
            assert!(
                error.contains("it is an input of this command"),
                "{name}: {error}"
            );
        }
        assert_eq!(error(folder.path(), "other.txt"), None);
    }

    #[test]
    fn failed_write_leaves_the_old_file_and_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt");
        fs::write(&path, "old").unwrap();
        let full = write(&path, |_| Err(io::ErrorKind::StorageFull.into()));
        assert!(full.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["note.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_link_is_kept_and_its_target_written() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["note.txt", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, |file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn pipe_is_written_to_directly() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let (reader, read) = mpsc::channel();
        let other_end = pipe.clone();
        thread::spawn(move || reader.send(fs::read(other_end).unwrap()));
        write(&pipe, |file| file.write_all(b"new")).unwrap();
        assert_eq!(read.recv_timeout(Duration::from_secs(60)).unwrap(), b"new");
    }
}
