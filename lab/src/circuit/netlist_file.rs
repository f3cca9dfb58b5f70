//! Reading and writing netlist files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::circuit::Circuit;
use dealerless::circuit::bristol::{self, Format, Netlist, NetlistError};
use dealerless_program::progress::Progress;
use dealerless_program::whole_file;
use flate2::bufread::MultiGzDecoder;

/// Size limit of a netlist in bytes, enough for thirty million gates. Reading takes memory in
/// proportion to the size of the file, and a sparse file can have any size without taking up disk
/// space.
const MAX_BYTES: u64 = 1 << 30;

/// Size limit in bytes of a netlist that is compressed or comes through a pipe, enough for eight
/// million gates. A small compressed file can expand to a thousand times its size, and the content
/// of a pipe is kept in memory.
const MAX_STREAMED_BYTES: u64 = 1 << 28;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The options for reading netlists.
#[derive(Clone, Copy, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Format of the netlist [default: detected from its third line].
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
}

/// Parses the name of a format; the help lists the possible values.
fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["fashion", "old"]).try_map(|name| name.parse::<Format>())
}

impl FormatArgs {
    /// Reads the netlist at `path`, which may be compressed with gzip. `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read, is too large, or is not a valid netlist; the error names the
    /// line.
    pub(crate) fn read(self, path: &Path) -> anyhow::Result<Netlist> {
        Self::read_by(path, |reader, size| {
            Netlist::read(reader, size, self.format)
        })
    }

    /// Reads the circuit of the netlist at `path`. This takes less memory than
    /// [`read`](Self::read).
    ///
    /// # Errors
    /// Same as [`read`](Self::read).
    pub(crate) fn read_circuit(self, path: &Path) -> anyhow::Result<Circuit> {
        Self::read_by(path, |reader, size| {
            bristol::read_as(reader, size, self.format)
        })
    }

    /// Parses a file with `parse`, which also gets the uncompressed size.
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

    /// Reads a whole stream before parsing it. The parser must know the size of a netlist, which
    /// limits the number of wires that the netlist may declare.
    fn read_stream<R>(stream: impl Read, parse: impl Parse<R>) -> anyhow::Result<R> {
        let mut bytes = Vec::new();
        let length = stream.take(MAX_STREAMED_BYTES + 1).read_to_end(&mut bytes);
        ensure!(
            length.context("cannot read the netlist")? as u64 <= MAX_STREAMED_BYTES,
            "the netlist is too large: a stream may have at most {MAX_STREAMED_BYTES} bytes"
        );
        Self::read_from(&mut io::Cursor::new(bytes), parse)
    }

    /// Same as [`read`](Self::read), with a progress display.
    ///
    /// # Errors
    /// Same as [`read`](Self::read).
    pub(super) fn read_with_progress(self, path: &Path) -> anyhow::Result<Netlist> {
        let _progress = Progress::of_one_step(format!("reading {}", path.display()));
        self.read(path)
    }

    /// Parses a seekable file. A compressed file is read twice, since the uncompressed size must be
    /// known before parsing.
    fn read_from<R>(file: &mut (impl Read + Seek), parse: impl Parse<R>) -> anyhow::Result<R> {
        let mut first_bytes = [0; GZIP.len()];
        let mut reader = BufReader::new(&mut *file);
        let is_compressed = reader.read_exact(&mut first_bytes).is_ok() && first_bytes == GZIP;
        if !is_compressed {
            let size = file.seek(io::SeekFrom::End(0))?;
            ensure!(
                size <= MAX_BYTES,
                "the netlist is too large: it may have at most {MAX_BYTES} bytes"
            );
            return Ok(parse(&mut rewound(file)?, size)?);
        }
        let decompressed = MultiGzDecoder::new(rewound(file)?);
        let size = io::copy(
            &mut decompressed.take(MAX_STREAMED_BYTES + 1),
            &mut io::sink(),
        )
        .context("cannot decompress the netlist")?;
        ensure!(
            size <= MAX_STREAMED_BYTES,
            "the netlist is too large: it decompresses to more than {MAX_STREAMED_BYTES} bytes. If you \
             trust the file, decompress it first"
        );
        let mut decompressed =
            BufReader::with_capacity(BUFFER, MultiGzDecoder::new(rewound(file)?));
        Ok(parse(&mut decompressed, size)?)
    }
}

/// A function that parses a netlist from a reader, given its size in bytes.
trait Parse<R>: Fn(&mut dyn BufRead, u64) -> Result<R, NetlistError> {}

impl<R, P: Fn(&mut dyn BufRead, u64) -> Result<R, NetlistError>> Parse<R> for P {}

/// The size of a read buffer in bytes.
const BUFFER: usize = 1 << 16;

fn rewound<F: Read + Seek>(file: &mut F) -> io::Result<BufReader<&mut F>> {
    file.rewind()?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

/// The allowed file name extensions of written netlists.
pub(super) const ENDINGS: &[&str] = &["txt", "bristol"];

/// Writes a netlist to the output of `-o`, with [`whole_file::write_output`].
///
/// # Errors
/// Same as [`whole_file::write_output`].
pub(super) fn write<'a>(
    circuit: &Circuit,
    path: Option<&'a Path>,
) -> anyhow::Result<Option<&'a Path>> {
    whole_file::write_output(path, |file| bristol::write(circuit, file))
}

/// Writes the netlist of a circuit of this project to the output of `-o`, with its licence if that
/// is asked for.
///
/// # Errors
/// Same as [`whole_file::write_output`].
pub(super) fn write_own<'a>(
    circuit: &Circuit,
    licence: LicenceArgs,
    path: Option<&'a Path>,
) -> anyhow::Result<Option<&'a Path>> {
    whole_file::write_output(path, |file| {
        bristol::write(circuit, &mut *file)?;
        licence.write(file)
    })
}

/// The option that adds the licence to a circuit of this project.
///
/// Bristol Fashion has no comments. Some readers stop after the last gate and never see a comment
/// there; others read on, and refuse it. So the comment is optional, and comes last.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct LicenceArgs {
    /// End the file with two comment lines that name the authors and the licence. Some programs
    /// refuse comments.
    #[arg(long, alias = "license")]
    licence: bool,
}

impl LicenceArgs {
    /// Writes the comment lines, after the last gate.
    ///
    /// # Errors
    /// Those of the writer.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        const LINES: &str = concat!(
            "# SPDX-FileCopyrightText: The dealerless authors\n",
            "# SPDX-License-Identifier: ",
            env!("CARGO_PKG_LICENSE"),
            "\n",
        );
        if self.licence {
            out.write_all(LINES.as_bytes())?;
        }
        Ok(())
    }
}

/// The digest, in hexadecimal, that two parties compare before they run a circuit.
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
    fn written_netlist_can_be_read() {
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
    fn huge_sparse_file_is_rejected_before_it_fills_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.txt");
        let wires = MAX_BYTES;
        fs::write(&path, format!("1 {wires}\n1 {wires}\n1 1\n")).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        for (size, expected) in [
            (MAX_BYTES + 1, "too large"),
            (MAX_BYTES, "a file of this size may have at most 214748364"),
        ] {
            file.set_len(size).unwrap();
            let error = format!("{:#}", read(&path).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn error_for_an_invalid_netlist_names_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("odd.txt");
        fs::write(&path, "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 NAND\n").unwrap();
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("odd.txt"), "{error}");
        assert!(error.contains("line 5"), "{error}");
    }

    fn compressed(bytes: impl Read) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        io::copy(&mut { bytes }, &mut encoder).unwrap();
        encoder.finish().unwrap()
    }

    const AND: &[u8] = b"1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n";

    #[test]
    fn compression_is_detected_by_content_not_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("and.txt");
        fs::write(&path, AND).unwrap();
        let plain = read(&path).unwrap();
        fs::write(&path, compressed(AND)).unwrap();
        assert_eq!(read(&path).unwrap().digest(), plain.digest());
        let two = [compressed(&AND[..10]), compressed(&AND[10..])].concat();
        fs::write(&path, two).unwrap();
        assert_eq!(read(&path).unwrap().digest(), plain.digest());
    }

    #[test]
    fn decompression_bomb_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gz");
        fs::write(
            &path,
            compressed(io::repeat(b'\n').take(MAX_STREAMED_BYTES + 1)),
        )
        .unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 1 << 20);
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("decompresses to more than"), "{error}");
    }

    #[test]
    fn damaged_gzip_netlist_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.gz");
        let whole = compressed(AND);
        for length in 2..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let error = format!("{:#}", read(&path).unwrap_err());
            assert!(error.contains("cannot decompress the netlist"), "{error}");
        }
    }
}
