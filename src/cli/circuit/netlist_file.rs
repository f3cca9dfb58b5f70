//! Netlists on the disk.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, anyhow, ensure};
use dealerless::circuit::{Circuit, bristol};

/// The most bytes of a netlist: room for forty million gates. A file on the disk can claim any
/// size without taking up space, and memory is needed in proportion.
const MAX_BYTES: u64 = 1 << 30;

/// Reads the netlist at `path`.
///
/// # Errors
/// When it cannot be read, is too large, or is not Bristol Fashion; the error names the line.
pub(super) fn read(path: &Path) -> anyhow::Result<Circuit> {
    let name = path.display();
    let mut file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    let metadata = file.metadata()?;
    let too_large = || format!("{name} is too large: a netlist has at most {MAX_BYTES} bytes");
    let circuit = if metadata.is_file() {
        ensure!(metadata.len() <= MAX_BYTES, too_large());
        bristol::read(BufReader::new(file), metadata.len())
    } else {
        // A pipe has no size; how many wires it may declare shows at its end.
        let mut bytes = Vec::new();
        (&mut file)
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {name}"))?;
        ensure!(bytes.len() as u64 <= MAX_BYTES, too_large());
        bristol::parse(&bytes)
    };
    circuit.with_context(|| name.to_string())
}

/// Writes a netlist to `path`: whole, or not at all.
///
/// It goes to a new file in the same folder, which then takes the name. What is at `path` and is
/// not a regular file (a pipe, say) is written to as it is.
///
/// # Errors
/// When it cannot be written; what was at `path` is as it was.
pub(super) fn write(circuit: &Circuit, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    // Follow a link to the file that it means, so that the link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        let file = OpenOptions::new().write(true).open(&target);
        return file
            .and_then(|file| bristol::write(circuit, file))
            .with_context(failed);
    }
    let name = target
        .file_name()
        .ok_or_else(|| anyhow!("{} is not the name of a file", path.display()))?;
    let mut part_name = OsString::from(".");
    part_name.push(name);
    part_name.push(format!(".{}.part", process::id()));
    write_and_rename(circuit, target.with_file_name(part_name), &target).with_context(failed)
}

fn write_and_rename(circuit: &Circuit, part: PathBuf, target: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&part)?;
    let written = bristol::write(circuit, &mut file)
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
    use dealerless::circuit::Builder;

    use super::*;

    fn and_gate() -> Circuit {
        let mut builder = Builder::new(&[1, 1]);
        let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
        let product = builder.and(a, b);
        builder.build(vec![vec![product]])
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_written_netlist_can_be_read_and_leaves_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("and.txt");
        fs::write(&path, "what was there before").unwrap();
        write(&and_gate(), &path).unwrap();
        assert_eq!(read(&path).unwrap().digest(), and_gate().digest());
        assert_eq!(names(folder.path()), ["and.txt"]);
    }

    #[test]
    fn a_failed_write_leaves_no_file_behind() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("part");
        // A folder that is not empty cannot be replaced.
        let target = folder.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("inside"), "").unwrap();
        assert!(write_and_rename(&and_gate(), part, &target).is_err());
        assert_eq!(names(folder.path()), ["target"]);
    }

    #[test]
    fn a_file_that_claims_a_size_without_having_it_is_refused_before_it_fills_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.txt");
        let wires = MAX_BYTES;
        fs::write(&path, format!("1 {wires}\n1 {wires}\n1 1\n")).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        for (size, complaint) in [
            (MAX_BYTES + 1, "too large"),
            (
                MAX_BYTES,
                "more than the 214748364 that a file of this size may",
            ),
        ] {
            file.set_len(size).unwrap();
            let error = format!("{:#}", read(&path).unwrap_err());
            assert!(error.contains(complaint), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_netlist_is_an_error_that_names_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("odd.txt");
        fs::write(&path, "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 NAND\n").unwrap();
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("odd.txt"), "{error}");
        assert!(error.contains("line 5"), "{error}");
    }
}
