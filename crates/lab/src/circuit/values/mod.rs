//! Parsing of input values and formatting of output values.

pub(crate) mod bits;
mod number;

use std::fs::File;
use std::io::Read;

use anyhow::{Context, bail, ensure};
use dealerless_command_line::{system_rng, whole_file};
use rand::RngExt;
use zeroize::Zeroizing;

/// The help text on input values.
pub(super) const HELP: &str = "\
VALUE is one of\n  \
  0110, bits:0110   bits, first wire first\n  \
  6, dec:6, 0x1f    a number; decimal digits that are all 0 and 1 need dec:\n  \
  hex:05            the bytes of the wires, where bit i is bit i mod 8 of byte\n                    \
                    i / 8, counted from the least significant\n  \
  @FILE             the content of the file, in one of these forms; for secrets,\n                    \
                    since other users of the machine can see command lines\n  \
  random            bits from the operating system\n\
The least significant bit of a number is on the first wire of its value, or on the\n\
last with --bit-order msb.";

/// The bit of a number that is on the first wire of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum BitOrder {
    /// The least significant bit.
    Lsb,
    /// The most significant bit.
    Msb,
}

/// The format of an output value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OutputFormat {
    /// Zeros and ones, first wire first.
    Bits,
    /// A decimal number; in hexadecimal if it has more than 4096 bits.
    Dec,
    /// A hexadecimal number with the prefix 0x.
    Hex,
}

/// The options for the bit order of numbers and the format of output values.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct ValueArgs {
    /// Bit of a number that is on the first wire of its value.
    #[arg(long, value_name = "ORDER", default_value = "lsb")]
    bit_order: BitOrder,
    /// Format of the outputs.
    #[arg(long, value_name = "FORMAT", default_value = "bits")]
    output_format: OutputFormat,
}

impl ValueArgs {
    /// Formats a value.
    pub(super) fn show(self, value: &[bool]) -> String {
        match self.output_format {
            OutputFormat::Bits => bits::format(value),
            OutputFormat::Dec => number::decimal(value, self.bit_order),
            OutputFormat::Hex => number::hexadecimal(value, self.bit_order),
        }
    }

    /// Parses a value of `bits` bits. `who` names the value in errors.
    pub(super) fn read(self, text: &str, bits: usize, who: &str) -> Result<Value> {
        read(text, bits, self.bit_order, who)
    }

    /// Parses consecutive values of the given widths: one by one, separated by commas, or all
    /// together as bits or bytes.
    ///
    /// # Errors
    /// If the text is malformed. The error does not repeat the text.
    pub(super) fn read_all(self, text: &str, widths: &[usize], who: &str) -> Result<Vec<Value>> {
        let from_file = content(text, widths.iter().sum(), who)?;
        let text = from_file.as_deref().map_or(text, String::as_str);
        if widths.len() < 2 || !text.contains(',') {
            ensure!(
                widths.len() < 2 || is_raw(text),
                "{who} consists of {} values: separate them with commas",
                widths.len()
            );
            let all = self.read(text, widths.iter().sum(), who)?;
            return Ok(all.split(widths));
        }
        let parts = text.split(',').count();
        ensure!(
            parts == widths.len(),
            "{who} consists of {} values, but {parts} were given",
            widths.len()
        );
        let parts = text.split(',').zip(widths).enumerate();
        let read = parts.map(|(place, (part, &bits))| {
            let who = format!("{who}, value {},", place + 1);
            self.read(part, bits, &who)
        });
        read.collect()
    }
}

/// A parsed value.
pub struct Value {
    /// The bits, first wire first.
    pub bits: Zeroizing<Vec<bool>>,
    /// Whether the bits were drawn at random.
    pub drawn: bool,
}

impl Value {
    /// Splits the bits into values of the given widths.
    pub(super) fn split(self, widths: &[usize]) -> Vec<Value> {
        let mut bits = self.bits.iter().copied();
        let values = widths.iter().map(|&width| Value {
            bits: Zeroizing::new(bits.by_ref().take(width).collect()),
            drawn: self.drawn,
        });
        values.collect()
    }
}

type Result<T = Zeroizing<Vec<bool>>> = anyhow::Result<T>;

/// Whether a text may give several values together: anything but a decimal number without `dec:`.
fn is_raw(text: &str) -> bool {
    text == "random" || text.starts_with("hex:") || text.starts_with("bits:") || !is_decimal(text)
}

/// Whether a text is a decimal number without `dec:`. A text of only 0s and 1s counts as bits.
fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte > b'1')
}

/// Parses a value of `bits` bits in one of the forms of `HELP`. `who` names the value at the start
/// of errors, for example "the garbler's input".
///
/// # Errors
/// If the text is malformed or does not fit. The error does not repeat the text.
pub fn read(text: &str, bits: usize, order: BitOrder, who: &str) -> Result<Value> {
    let from_file = content(text, bits, who)?;
    let text = from_file.as_deref().map_or(text, String::as_str);
    if text == "random" {
        let mut rng = system_rng();
        return Ok(Value {
            bits: Zeroizing::new((0..bits).map(|_| rng.random()).collect()),
            drawn: true,
        });
    }
    Ok(Value {
        bits: parse_text(text, bits, order, who)?,
        drawn: false,
    })
}

/// Parses a value that is neither in a file nor random.
fn parse_text(text: &str, bits: usize, order: BitOrder, who: &str) -> Result {
    if let Some(digits) = text.strip_prefix("0x") {
        return number::from_hexadecimal(digits, bits, order, who);
    }
    if let Some(digits) = text.strip_prefix("dec:") {
        return number::from_decimal(digits, bits, order, who);
    }
    if is_decimal(text) {
        return number::from_decimal(text, bits, order, who);
    }
    if text.starts_with("hex:") {
        return bits::parse(text, bits, who);
    }
    if let Some(digits) = text.strip_prefix("bits:") {
        return bits::parse(digits, bits, who);
    }
    check_bits(text, bits, who)?;
    bits::parse(text, bits, who)
}

/// Checks that a text without a prefix has `bits` binary digits. The errors mention the other forms
/// of a value.
fn check_bits(text: &str, bits: usize, who: &str) -> anyhow::Result<()> {
    ensure!(
        !text.is_empty() || bits == 0,
        "{who} has {bits} bits, but none were given"
    );
    if let Some(place) = text.bytes().position(|byte| !byte.is_ascii_digit()) {
        bail!(
            "{who}: character {} is not a digit; use bits, a number, 0x, hex:, @FILE or random",
            place + 1
        );
    }
    ensure!(
        text.len() == bits,
        "{who} has {bits} bits, but {} were given (a decimal number of only 0s and 1s needs dec:)",
        text.len()
    );
    Ok(())
}

/// Parses a comma-separated list of numbers, such as cards or seeds. A file with the
/// list may be as long as a list of `most` numbers. `who` names the list at the start of errors.
///
/// # Errors
/// If the text is malformed. The error does not repeat the text.
pub(super) fn list(text: &str, most: usize, who: &str) -> anyhow::Result<Zeroizing<Vec<u64>>> {
    let from_file = content(text, 8 * most, who)?;
    let text = from_file.as_deref().map_or(text, String::as_str);
    let mut numbers = Zeroizing::new(Vec::with_capacity(text.len() / 2 + 1));
    for (place, number) in text.split(',').filter(|_| !text.is_empty()).enumerate() {
        let number = number.trim().parse().ok();
        let number =
            number.with_context(|| format!("{who}: value {} is not a number", place + 1))?;
        numbers.push(number);
    }
    Ok(numbers)
}

/// If the text is `@FILE`, returns the content of the file without trailing white space.
fn content(text: &str, bits: usize, who: &str) -> anyhow::Result<Option<Zeroizing<String>>> {
    let Some(path) = text.strip_prefix('@') else {
        return Ok(None);
    };
    // Room for a comma and a prefix for each bit, and for a line break.
    let most = 8 * bits as u64 + 64;
    ensure!(
        !path.is_empty(),
        "{who}: @ must be followed by the name of a file"
    );
    let file = File::open(path).with_context(|| format!("cannot open {path}"))?;
    let mut content = Zeroizing::new(String::with_capacity(most as usize + 1));
    let length = file.take(most + 1).read_to_string(&mut content);
    let length = length.with_context(|| format!("cannot read {path}"))?;
    ensure!(
        length as u64 <= most,
        "{path} is too large for {who} of {bits} bits"
    );
    let end = content.trim_ascii_end().len();
    content.truncate(end);
    let mark = whole_file::mark_length(content.as_bytes());
    content.drain(..mark);
    if content.starts_with('@') {
        bail!("{path} names another file, but must contain {who}");
    }
    Ok(Some(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LSB: ValueArgs = ValueArgs {
        bit_order: BitOrder::Lsb,
        output_format: OutputFormat::Bits,
    };

    fn value(text: &str, bits: usize) -> String {
        LSB.show(&LSB.read(text, bits, "it").unwrap().bits)
    }

    #[test]
    fn values_have_several_forms() {
        for text in [
            "0110",
            "bits:0110",
            "6",
            "dec:6",
            "dec:006",
            "0x6",
            "0x06",
            "hex:06",
        ] {
            assert_eq!(value(text, 4), "0110", "{text}");
        }
        // A text of only zeros and ones is bits, not a decimal number.
        assert_eq!(value("0100", 4), "0100");
        assert_eq!(value("dec:0100", 7), "0010011");
        let msb = ValueArgs {
            bit_order: BitOrder::Msb,
            ..LSB
        };
        for text in ["6", "0x6", "dec:6"] {
            let value = msb.read(text, 5, "it").unwrap();
            assert_eq!(LSB.show(&value.bits), "00110");
        }
        let value = msb.read("11000", 5, "it").unwrap();
        assert_eq!(LSB.show(&value.bits), "11000");
    }

    #[test]
    fn shown_value_reads_back_the_same() {
        for output_format in [OutputFormat::Bits, OutputFormat::Dec, OutputFormat::Hex] {
            for bit_order in [BitOrder::Lsb, BitOrder::Msb] {
                let args = ValueArgs {
                    bit_order,
                    output_format,
                };
                for bits in ["", "1", "01100", "1111000011001", &"10".repeat(100)] {
                    let value: Vec<bool> = bits.bytes().map(|bit| bit == b'1').collect();
                    let text = match args.show(&value) {
                        text if output_format == OutputFormat::Dec => format!("dec:{text}"),
                        text => text,
                    };
                    let again = args.read(&text, value.len(), "it").unwrap();
                    assert_eq!(*again.bits, value, "{text}");
                }
            }
        }
        let hex = ValueArgs {
            output_format: OutputFormat::Hex,
            ..LSB
        };
        assert_eq!(hex.show(&[false, true, true, false, true]), "0x16");
    }

    #[test]
    fn several_values_are_separated_by_commas_or_given_as_joint_bits() {
        let read = |text: &str| {
            LSB.read_all(text, &[4, 2], "it")
                .map(|values| {
                    values
                        .iter()
                        .map(|value| LSB.show(&value.bits))
                        .collect::<Vec<_>>()
                })
                .map_err(|error| error.to_string())
        };
        for text in ["011001", "6,2", "0110,0x2", "hex:26", "bits:0110,01", "@"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("input");
            std::fs::write(&file, "6,dec:2\n").unwrap();
            let text = match text {
                "@" => format!("@{}", file.display()),
                text => text.to_owned(),
            };
            assert_eq!(read(&text).unwrap(), ["0110", "01"], "{text}");
        }
        assert_eq!(
            read("38").unwrap_err(),
            "it consists of 2 values: separate them with commas"
        );
        assert_eq!(
            read("6,2,1").unwrap_err(),
            "it consists of 2 values, but 3 were given"
        );
        assert!(read("6,4").unwrap_err().starts_with("it, value 2,"));
    }

    #[test]
    fn file_holds_one_value_of_limited_size_and_no_file_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let text = format!("@{}", path.display());
        std::fs::write(&path, "0x9\r\n").unwrap();
        assert_eq!(value(&text, 4), "1001");
        for (content, expected) in [
            (text.clone(), "names another file"),
            ("7".repeat(200), "too large"),
            ("x7".into(), "character 1 is not a digit"),
        ] {
            std::fs::write(&path, &content).unwrap();
            let error = format!("{:#}", LSB.read(&text, 4, "it").err().unwrap());
            assert!(error.contains(expected), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(LSB.read(&text, 4, "it").is_err());
    }

    #[test]
    fn random_bits_have_the_right_length_and_differ() {
        let draw = || LSB.read("random", 256, "it").unwrap().bits;
        assert_eq!(draw().len(), 256);
        assert_ne!(*draw(), *draw());
    }

    #[test]
    fn value_reports_whether_it_is_random() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("input");
        std::fs::write(&file, "1,random\n").unwrap();
        let file_text = format!("@{}", file.display());
        for (text, expected) in [
            ("random", [true, true]),
            ("random,2", [true, false]),
            ("01,random", [false, true]),
            ("0110", [false, false]),
            (&file_text, [false, true]),
        ] {
            let values = LSB.read_all(text, &[1, 3], "it");
            let values = values
                .or_else(|_| LSB.read_all(text, &[2, 2], "it"))
                .unwrap();
            let drawn: Vec<bool> = values.iter().map(|value| value.drawn).collect();
            assert_eq!(drawn, expected, "{text}");
        }
    }
}
