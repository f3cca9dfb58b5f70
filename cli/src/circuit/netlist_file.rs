//! Netlists on the disk.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, ensure};
use dealerless::circuit::{Circuit, bristol};

use crate::whole_file;

/// The most bytes of a netlist: enough for forty million gates. Reading takes memory in proportion to
/// the size of the file, and a file can have any size without taking up space on the disk.
const MAX_BYTES: u64 = 1 << 30;

/// Reads the netlist at `path`.
///
/// # Errors
/// When it cannot be read, is too large, or is not Bristol Fashion; the error names the line.
pub(crate) fn read(path: &Path) -> anyhow::Result<Circuit> {
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
/// # Errors
/// Those of [`whole_file::write`].
pub(super) fn write(circuit: &Circuit, path: &Path) -> anyhow::Result<()> {
    whole_file::write(path, |file| bristol::write(circuit, file))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use dealerless::circuit::Builder;

    use super::*;

    #[test]
    fn a_written_netlist_can_be_read() {
        let mut builder = Builder::new(&[1, 1]);
        let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
        let product = builder.and(a, b);
        let circuit = builder.build(vec![vec![product]]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("and.txt");
        write(&circuit, &path).unwrap();
        assert_eq!(read(&path).unwrap().digest(), circuit.digest());
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
