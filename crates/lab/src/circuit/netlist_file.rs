//! Reading and writing netlist files.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::circuit::Circuit;
use dealerless::circuit::aiger::{self, Aig, Encoding};
use dealerless::circuit::blif;
use dealerless::circuit::bristol::{self, Netlist};
use dealerless_command_line::output::{count, say};
use dealerless_command_line::progress::Progress;
use dealerless_command_line::whole_file;
use flate2::bufread::MultiGzDecoder;

/// Size limit of a netlist in bytes, enough for thirty million gates. Reading takes memory in
/// proportion to the size of the file, and a sparse file can have any size without taking up disk
/// space.
const MAX_BYTES: u64 = 1 << 30;

/// Size limit in bytes of a netlist that is compressed or comes through a pipe, enough for eight
/// million gates. A small compressed file can expand to a thousand times its size, and the content
/// of a pipe is kept in memory.
const MAX_STREAMED_BYTES: u64 = 1 << 28;

/// A gate takes fewer bytes in AIGER, so the size limits are divided by this number.
const AIGER_DIVISOR: u64 = 4;

/// The names and functions of BLIF take more memory.
const BLIF_DIVISOR: u64 = 8;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The format of a netlist file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Bristol(bristol::Format),
    /// AIGER in either encoding.
    Aiger,
    /// BLIF, which is only read.
    Blif,
}

const AIGER: &str = "aiger";
const BLIF: &str = "blif";

impl Format {
    /// The argument `format` of the readers in [`bristol`]; `None` for the other formats.
    fn bristol(self) -> Option<Option<bristol::Format>> {
        match self {
            Format::Bristol(format) => Some(Some(format)),
            Format::Aiger | Format::Blif => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Bristol(format) => format.fmt(f),
            Format::Aiger => f.pad(AIGER),
            Format::Blif => f.pad(BLIF),
        }
    }
}

/// The options for reading netlists.
#[derive(Clone, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Format of the netlist [default: detected from its content].
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
    /// Bits of each input value, for example 32,32 [default: as in the file].
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    input_bits: Option<Vec<usize>>,
    /// Bits of each output value [default: as in the file].
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    output_bits: Option<Vec<usize>>,
}

/// The options of a command that reads a netlist and writes another one.
#[derive(clap::Args)]
pub(super) struct FileArgs {
    /// Netlist in Bristol Fashion, the older Bristol format, AIGER or BLIF, plain or gzip; - is
    /// standard input.
    #[arg(value_name = "FILE")]
    pub(super) netlist: PathBuf,
    /// File to write, other than FILE. Its name ends in .txt or .bristol for Bristol Fashion, or in
    /// .aag or .aig for AIGER, followed by .gz to compress it; - is standard output, in Bristol
    /// Fashion.
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// Print one JSON object; requires that OUT is a file.
    #[arg(long)]
    pub(super) json: bool,
}

impl FileArgs {
    /// Checks the options before any work.
    ///
    /// # Errors
    /// Those of [`whole_file::check_json`] and [`whole_file::check_output`].
    pub(super) fn check(&self) -> anyhow::Result<()> {
        whole_file::check_json(self.json, Some(&self.output))?;
        whole_file::check_output(Some(&self.output), ENDINGS, &[&self.netlist])
    }

    /// Reads the netlist with a progress display, and returns its format, too.
    ///
    /// # Errors
    /// Same as [`FormatArgs::read`].
    pub(super) fn read(&self) -> anyhow::Result<(Netlist, Format)> {
        let name = self.netlist.display();
        let _progress = Progress::of_one_step(format!("reading {name}"));
        self.format.read_with_format(&self.netlist)
    }
}

/// Parses the name of a format; the help lists the possible values.
fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["fashion", "old", AIGER, BLIF]).try_map(|name| match &*name {
        AIGER => Ok(Format::Aiger),
        BLIF => Ok(Format::Blif),
        name => name.parse().map(Format::Bristol),
    })
}

impl FormatArgs {
    /// Reads the netlist at `path`, which may be compressed with gzip. `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read, is too large, or is not a valid netlist; the error names the
    /// line. If the given widths do not fit the netlist.
    pub(crate) fn read(&self, path: &Path) -> anyhow::Result<Netlist> {
        Ok(self.read_with_format(path)?.0)
    }

    /// Same as [`read`](Self::read), with the format of the file.
    ///
    /// # Errors
    /// Same as [`read`](Self::read).
    pub(super) fn read_with_format(&self, path: &Path) -> anyhow::Result<(Netlist, Format)> {
        Self::read_by(path, |file| self.parse(file))
    }

    /// Reads the circuit of the netlist at `path`. This takes less memory than
    /// [`read`](Self::read).
    ///
    /// # Errors
    /// Same as [`read`](Self::read).
    pub(crate) fn read_circuit(&self, path: &Path) -> anyhow::Result<Circuit> {
        Self::read_by(path, |file| {
            let format = self.format.or(file.detected).map(Format::bristol);
            match (
                format.unwrap_or(Some(None)),
                &self.input_bits,
                &self.output_bits,
            ) {
                (Some(format), None, None) => {
                    let (circuit, ors) = bristol::read_as(file.reader, file.size, format)?;
                    report_ors(ors);
                    Ok(circuit)
                }
                _ => Ok(self.parse(file)?.0.circuit()),
            }
        })
    }

    fn parse(&self, file: Uncompressed) -> anyhow::Result<(Netlist, Format)> {
        let [inputs, outputs] = [&self.input_bits, &self.output_bits].map(Option::as_deref);
        let given = self.format.or(file.detected);
        let bristol = match given {
            Some(Format::Aiger) => {
                file.check("AIGER", AIGER_DIVISOR)?;
                let aig = Aig::read(file.reader, file.size)?;
                return Ok((aig.netlist(inputs, outputs)?, Format::Aiger));
            }
            Some(Format::Blif) => {
                file.check("BLIF", BLIF_DIVISOR)?;
                let aig = blif::read(file.reader, file.size)?;
                return Ok((aig.netlist(inputs, outputs)?, Format::Blif));
            }
            Some(Format::Bristol(format)) => Some(format),
            None => None,
        };
        let netlist = Netlist::read(file.reader, file.size, bristol)?;
        report_ors(netlist.ors());
        let format = Format::Bristol(netlist.format());
        Ok((netlist.regrouped(inputs, outputs)?, format))
    }

    /// Parses a file with `parse`.
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
    pub(super) fn read_with_progress(&self, path: &Path) -> anyhow::Result<Netlist> {
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
            return parse_detected(rewound(file)?, size, MAX_BYTES, parse);
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
        let decompressed = BufReader::with_capacity(BUFFER, MultiGzDecoder::new(rewound(file)?));
        parse_detected(decompressed, size, MAX_STREAMED_BYTES, parse)
    }
}

/// A netlist file, decompressed.
struct Uncompressed<'a> {
    reader: &'a mut dyn BufRead,
    /// The size in bytes.
    size: u64,
    /// The size limit for Bristol Fashion.
    limit: u64,
    /// The format that the first bytes show; `None` for those of [`bristol`] and unknown ones.
    detected: Option<Format>,
}

impl Uncompressed<'_> {
    /// Checks the size of a file in another format, which takes `divisor` times the memory.
    fn check(&self, format: &str, divisor: u64) -> anyhow::Result<()> {
        let most = self.limit / divisor;
        ensure!(
            self.size <= most,
            "the netlist is too large: in {format}, such a file may have at most {most} bytes"
        );
        Ok(())
    }
}

/// The number of bytes at the beginning of a file that show its format.
const START: u64 = 1 << 12;

/// If a file that could not be read is in a format of other programs, returns its name, and how to
/// convert it.
fn foreign(first_bytes: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(first_bytes);
    let is_comment = |line: &&str| {
        ["//", "#", "/*", "*", "--", "(*", "`"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_comment(line));
    let line = lines.next()?.to_lowercase();
    let is_number = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    let word = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    match word {
        Some("module" | "macromodule") => Some(
            "the file is in Verilog; convert it with Yosys: yosys -p \"read_verilog FILE; synth -flatten; \
             aigmap; write_aiger -symbols OUT.aig\"",
        ),
        Some("library" | "entity") => Some(
            "the file is in VHDL; convert it to Verilog with GHDL (ghdl synth --out=verilog), and then to \
             AIGER with Yosys",
        ),
        Some("input" | "output" | "inorder" | "outorder") => Some(
            "the file is in BENCH or EQN; convert it with ABC: abc -c \"read FILE; strash; \
             write_aiger -s OUT.aig\"",
        ),
        Some("c" | "s") if line[1..].split_whitespace().next().is_some_and(is_number) => Some(
            "the file is in the format of ABY, which names no input values and has gates of its own; \
             convert the Verilog from which it was made with Yosys: yosys -p \"read_verilog FILE; \
             synth -flatten; aigmap; write_aiger -symbols OUT.aig\"",
        ),
        _ => None,
    }
}

/// Looks at the first bytes of a file of `size` bytes, and parses the file. `limit` is the size
/// limit for Bristol Fashion.
fn parse_detected<R>(
    mut reader: impl BufRead,
    size: u64,
    limit: u64,
    parse: impl Parse<R>,
) -> anyhow::Result<R> {
    let mut first_bytes = Vec::new();
    (&mut reader).take(START).read_to_end(&mut first_bytes)?;
    let mark = whole_file::mark_length(&first_bytes);
    first_bytes.drain(..mark);
    let size = size.saturating_sub(mark as u64);
    let detected = if Encoding::of(&first_bytes).is_some() {
        Some(Format::Aiger)
    } else if blif::begins(&first_bytes) {
        Some(Format::Blif)
    } else {
        None
    };
    let parsed = parse(Uncompressed {
        reader: &mut first_bytes.chain(reader),
        size,
        limit,
        detected,
    });
    match foreign(&first_bytes) {
        Some(hint) => parsed.context(hint),
        None => parsed,
    }
}

/// A function that parses a netlist file.
trait Parse<R>: Fn(Uncompressed) -> anyhow::Result<R> {}

impl<R, P: Fn(Uncompressed) -> anyhow::Result<R>> Parse<R> for P {}

/// The size of a read buffer in bytes.
const BUFFER: usize = 1 << 16;

fn rewound<F: Read + Seek>(file: &mut F) -> io::Result<BufReader<&mut F>> {
    file.rewind()?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

/// The allowed file name extensions of written netlists.
pub(super) const ENDINGS: &[&str] = &["txt", "bristol", "aag", "aig"];

/// The encoding of AIGER that the name of a file implies; `None` for Bristol Fashion.
pub(super) fn aiger_encoding(path: &Path) -> Option<Encoding> {
    match whole_file::ending(path)?.as_str() {
        "aag" => Some(Encoding::Ascii),
        "aig" => Some(Encoding::Binary),
        _ => None,
    }
}

/// Writes a netlist to the output of `-o`, with [`whole_file::write_output`]. The name of the file
/// implies the format. Standard output gets Bristol Fashion.
///
/// # Errors
/// Same as [`whole_file::write_output`].
pub(super) fn write<'a>(
    netlist: &Netlist,
    path: Option<&'a Path>,
) -> anyhow::Result<Option<&'a Path>> {
    let encoding = path.and_then(aiger_encoding);
    whole_file::write_output(path, |file| write_as(netlist, encoding, file))
}

/// Writes the netlist of a circuit of this project to the output of `-o`, as [`write()`] does, and its
/// licence.
///
/// # Errors
/// Same as [`whole_file::write_output`].
pub(super) fn write_own<'a>(
    netlist: &Netlist,
    licence: LicenceArgs,
    path: Option<&'a Path>,
) -> anyhow::Result<Option<&'a Path>> {
    let encoding = path.and_then(aiger_encoding);
    whole_file::write_output(path, |file| {
        write_as(netlist, encoding, file)?;
        licence.write(encoding, file)
    })
}

/// Writes a netlist in AIGER, or in Bristol Fashion if `encoding` is `None`.
fn write_as(netlist: &Netlist, encoding: Option<Encoding>, file: &mut dyn Write) -> io::Result<()> {
    match encoding {
        Some(encoding) => aiger::write(netlist, encoding, file),
        None => netlist.write(file),
    }
}

/// The option that adds the licence to a circuit of this project.
///
/// AIGER has comments. Bristol Fashion has none: some readers stop after the last gate and never see
/// a comment there; others read on, and refuse it. So there the licence is optional.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct LicenceArgs {
    /// In Bristol Fashion, end the file with two comment lines that name the authors and the
    /// licence. Some programs refuse comments.
    #[arg(long, alias = "license")]
    licence: bool,
}

impl LicenceArgs {
    /// Writes the comment at the end of a file, with the tags of SPDX.
    ///
    /// # Errors
    /// Those of the writer.
    pub(super) fn write(self, encoding: Option<Encoding>, out: &mut dyn Write) -> io::Result<()> {
        let mark = match encoding {
            Some(_) => {
                writeln!(out, "c")?;
                ""
            }
            None if self.licence => "# ",
            None => return Ok(()),
        };
        writeln!(out, "{mark}SPDX-FileCopyrightText: The dealerless authors")?;
        let licence = env!("CARGO_PKG_LICENSE");
        writeln!(out, "{mark}SPDX-License-Identifier: {licence}")
    }
}

/// The digest, in hexadecimal, that two parties compare before they run a circuit.
pub(super) fn digest(circuit: &Circuit) -> String {
    let digest = circuit.digest();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reports the number of ORs in a Bristol file, if there are any.
fn report_ors(ors: usize) {
    if ors > 0 {
        say(&format!(
            "Gates read as an AND and three NOTs, because they are ORs: {}.",
            count(ors as u64)
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use dealerless::circuit::Builder;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn read(path: &Path) -> anyhow::Result<Circuit> {
        let format = FormatArgs::default();
        let circuit = format.read_circuit(path)?;
        let netlist = format.read(path)?;
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
        for (name, start) in [
            ("and.txt", &b"1 3\n"[..]),
            ("and.aag", b"aag 3 2 0 1 1\n"),
            ("and.aig", b"aig 3 2 0 1 1\n"),
            ("and.AIG.gz", &GZIP),
        ] {
            let path = folder.path().join(name);
            write(&Netlist::from(&circuit), Some(&path)).unwrap();
            assert!(fs::read(&path).unwrap().starts_with(start), "{name}");
            assert_eq!(read(&path).unwrap().digest(), circuit.digest(), "{name}");
        }
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
    fn aiger_has_lower_size_limits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.aig");
        fs::write(&path, "aig 9 9 0 0 0\n").unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(MAX_BYTES / AIGER_DIVISOR + 1).unwrap();
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("at most 268435456 bytes"), "{error}");
        let zeros = io::repeat(0).take(MAX_STREAMED_BYTES / AIGER_DIVISOR);
        let bomb = compressed(b"aig 9 9 0 0 0\n".chain(zeros));
        fs::write(&path, bomb).unwrap();
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("at most 67108864 bytes"), "{error}");
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
