//! Netlists on the disk.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use anyhow::{Context, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::circuit::Circuit;
use dealerless::circuit::bristol::{self, Format, Netlist, NetlistError};
use dealerless_program::progress::Progress;
use dealerless_program::whole_file;
use flate2::bufread::MultiGzDecoder;

/// The most bytes of a netlist: enough for thirty million gates. Reading takes memory in proportion to
/// the size of the file, and a file can have any size without taking up space on the disk.
const MAX_BYTES: u64 = 1 << 30;

/// The most bytes of a netlist that comes compressed, or through a pipe: enough for eight million gates. A
/// small file can hide a thousand times its size, and what a pipe gives is kept in memory.
const MAX_UNSEEN: u64 = 1 << 28;

/// How a file of gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What netlists are read.
#[derive(Clone, Copy, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// How the netlist is written [default: recognised by its third line].
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
}

/// Parses the name of a format, and lists them in the help.
fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["fashion", "old"]).try_map(|name| name.parse::<Format>())
}

impl FormatArgs {
    /// Reads the netlist at `path`, which may be compressed by gzip. `-` is standard input.
    ///
    /// # Errors
    /// When it cannot be read, is too large, or is no netlist; the error names the line.
    pub(crate) fn read(self, path: &Path) -> anyhow::Result<Netlist> {
        Self::read_by(path, |reader, size| {
            Netlist::read(reader, size, self.format)
        })
    }

    /// Reads the circuit of the netlist at `path`, in less memory than the netlist takes.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(crate) fn read_circuit(self, path: &Path) -> anyhow::Result<Circuit> {
        Self::read_by(path, |reader, size| {
            bristol::read_as(reader, size, self.format)
        })
    }

    /// What `parse` makes of the content of a file and of its size.
    fn read_by<R>(path: &Path, parse: impl Parse<R>) -> anyhow::Result<R> {
        if path == Path::new("-") {
            return Self::read_stream(io::stdin().lock(), parse).context("standard input");
        }
        let name = path.display();
        let mut file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let netlist = if file.metadata()?.is_file() {
            Self::read_from(&mut file, parse)
        } else {
            Self::read_stream(file, parse)
        };
        netlist.with_context(|| name.to_string())
    }

    /// Reads a stream to its end: only there it shows how many wires it may declare.
    fn read_stream<R>(stream: impl Read, parse: impl Parse<R>) -> anyhow::Result<R> {
        let mut bytes = Vec::new();
        let length = stream.take(MAX_UNSEEN + 1).read_to_end(&mut bytes);
        ensure!(
            length.context("it cannot be read")? as u64 <= MAX_UNSEEN,
            "it is too large: a netlist that is no file has at most {MAX_UNSEEN} bytes"
        );
        Self::read_from(&mut io::Cursor::new(bytes), parse)
    }

    /// The same as [`read`](Self::read), and shows that it goes on.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn read_shown(self, path: &Path) -> anyhow::Result<Netlist> {
        let _progress = Progress::of_one_step(format!("reading {}", path.display()));
        self.read(path)
    }

    /// Reads a file that can be read twice: compressed or not, its size must be known before.
    fn read_from<R>(file: &mut (impl Read + Seek), parse: impl Parse<R>) -> anyhow::Result<R> {
        let mut begins = [0; GZIP.len()];
        let mut reader = BufReader::new(&mut *file);
        let is_packed = reader.read_exact(&mut begins).is_ok() && begins == GZIP;
        if !is_packed {
            let size = file.seek(io::SeekFrom::End(0))?;
            ensure!(
                size <= MAX_BYTES,
                "it is too large: a netlist has at most {MAX_BYTES} bytes"
            );
            return Ok(parse(&mut rewound(file)?, size)?);
        }
        let unpacked = MultiGzDecoder::new(rewound(file)?);
        let size = io::copy(&mut unpacked.take(MAX_UNSEEN + 1), &mut io::sink())
            .context("it cannot be unpacked")?;
        ensure!(
            size <= MAX_UNSEEN,
            "it is too large: unpacked it has more than {MAX_UNSEEN} bytes. If you trust it, unpack \
             it yourself"
        );
        let mut unpacked = BufReader::with_capacity(BUFFER, MultiGzDecoder::new(rewound(file)?));
        Ok(parse(&mut unpacked, size)?)
    }
}

/// What reads a netlist of at most so many bytes.
trait Parse<R>: Fn(&mut dyn BufRead, u64) -> Result<R, NetlistError> {}

impl<R, P: Fn(&mut dyn BufRead, u64) -> Result<R, NetlistError>> Parse<R> for P {}

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 16;

fn rewound<F: Read + Seek>(file: &mut F) -> io::Result<BufReader<&mut F>> {
    file.rewind()?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

/// The endings of the names of netlists that are written.
pub(super) const ENDINGS: &[&str] = &["txt", "bristol"];

/// Writes a netlist where `-o` says, as [`whole_file::write_output`].
///
/// # Errors
/// Those of [`whole_file::write_output`].
pub(super) fn write<'a>(
    circuit: &Circuit,
    path: Option<&'a Path>,
) -> anyhow::Result<Option<&'a Path>> {
    whole_file::write_output(path, |file| bristol::write(circuit, file))
}

/// The digits of the digest that two parties compare before they run a circuit.
pub(super) fn digest(circuit: &Circuit) -> String {
    let digest = circuit.digest();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use dealerless::circuit::Builder;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn read(path: &Path) -> anyhow::Result<Circuit> {
        let format = None;
        let circuit = FormatArgs { format }.read_circuit(path)?;
        let netlist = FormatArgs { format }.read(path)?;
        assert_eq!(netlist.circuit().digest(), circuit.digest());
        Ok(circuit)
    }

    #[test]
    fn a_written_netlist_can_be_read() {
        let mut builder = Builder::new(&[1, 1]);
        let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
        let product = builder.and(a, b);
        let circuit = builder.build(vec![vec![product]]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("and.txt");
        write(&circuit, Some(&path)).unwrap();
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

    fn packed(bytes: impl Read) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        io::copy(&mut { bytes }, &mut encoder).unwrap();
        encoder.finish().unwrap()
    }

    const AND: &[u8] = b"1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n";

    #[test]
    fn a_packed_netlist_is_known_by_its_content_and_not_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("and.txt");
        fs::write(&path, AND).unwrap();
        let plain = read(&path).unwrap();
        fs::write(&path, packed(AND)).unwrap();
        assert_eq!(read(&path).unwrap().digest(), plain.digest());
        let two = [packed(&AND[..10]), packed(&AND[10..])].concat();
        fs::write(&path, two).unwrap();
        assert_eq!(read(&path).unwrap().digest(), plain.digest());
    }

    #[test]
    fn a_small_file_that_unpacks_to_a_large_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gz");
        fs::write(&path, packed(io::repeat(b'\n').take(MAX_UNSEEN + 1))).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 1 << 20);
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("unpacked it has more than"), "{error}");
    }

    #[test]
    fn a_packed_netlist_that_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.gz");
        let whole = packed(AND);
        for length in 2..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let error = format!("{:#}", read(&path).unwrap_err());
            assert!(error.contains("cannot be unpacked"), "{error}");
        }
    }
}
