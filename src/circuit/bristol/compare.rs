//! Whether two netlists compute the same function.

use super::Netlist;
use super::netlist::Lanes;

/// The inputs on which two netlists are compared.
pub enum Inputs<'a> {
    /// All inputs. If no difference is found, the netlists compute the same function. The inputs
    /// are tried in counting order, with the first bit of the first value as the lowest bit.
    All,
    /// The input of zeros, the input of ones, every input with a single one (if an input has at
    /// most 4 096 bits), and `random` random inputs.
    Some {
        /// The number of random inputs. It is rounded up to a multiple of 64.
        random: u64,
        /// Returns 64 random bits.
        word: &'a mut dyn FnMut() -> u64,
    },
}

/// The maximum number of input bits for [`Inputs::All`].
const MAX_BITS: usize = 40;

/// The maximum number of input bits for which every input with a single one is tried.
const SINGLE_ONES: usize = 4096;

/// The reason why two netlists cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The input values have different numbers of bits.
    #[error("the input values have {0} bits in the first netlist and {1} in the second")]
    Inputs(String, String),
    /// The output values have different numbers of bits.
    #[error("the output values have {0} bits in the first netlist and {1} in the second")]
    Outputs(String, String),
    /// [`Inputs::All`] was requested, but an input has too many bits.
    #[error("an input of {0} bits has too many values to try them all")]
    TooMany(usize),
}

/// An input on which two netlists differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of inputs tried before this one.
    pub tried: u64,
    /// The bits of the input values, one value after the other.
    pub input: Vec<bool>,
}

/// Returns the first input on which `a` and `b` differ, or `None` if they agree on all the inputs
/// tried.
///
/// Values without bits are ignored: a netlist in the old format may have such a value where the
/// same netlist in Bristol Fashion has none. `progress` is called after every 64 inputs, with the
/// number of inputs tried. The total is at most [`inputs_tried`].
///
/// # Errors
/// When the values have different numbers of bits, or when `inputs` is [`Inputs::All`] and an input
/// has too many bits.
pub fn first_difference(
    a: &Netlist,
    b: &Netlist,
    inputs: Inputs,
    mut progress: impl FnMut(u64),
) -> Result<Option<Difference>, CompareError> {
    check_shapes(a, b)?;
    let bits = a.inputs().iter().sum();
    let mut inputs = Supply::new(inputs, bits)?;
    let (mut a, mut b) = (a.lanes(), b.lanes());
    let mut lanes = vec![0; bits];
    let mut tried = 0;
    while let Some(count) = inputs.fill(tried, &mut lanes) {
        if let Some(lane) = differing_lane(&mut a, &mut b, &lanes, count) {
            return Ok(Some(Difference {
                tried: tried + u64::from(lane),
                input: lanes.iter().map(|lanes| lanes >> lane & 1 == 1).collect(),
            }));
        }
        tried += u64::from(count);
        progress(tried);
    }
    Ok(None)
}

/// The maximum number of inputs that [`first_difference`] tries, for an input of `bits` bits.
pub fn inputs_tried(inputs: &Inputs, bits: usize) -> u64 {
    match inputs {
        Inputs::All => 1 << bits.min(MAX_BITS),
        Inputs::Some { random, .. } => (chosen(bits).saturating_add(*random))
            .div_ceil(64)
            .saturating_mul(64),
    }
}

/// The number of inputs that are not random, rounded up to a multiple of 64.
fn chosen(bits: usize) -> u64 {
    let single = if bits <= SINGLE_ONES { bits } else { 0 };
    (2 + single as u64).next_multiple_of(64)
}

/// Checks that `a` and `b` have values of the same numbers of bits. Values without bits are ignored.
///
/// # Errors
/// When the values have different numbers of bits.
pub fn check_shapes(a: &Netlist, b: &Netlist) -> Result<(), CompareError> {
    let same = |a: &[usize], b: &[usize]| {
        let [a, b] = [a, b].map(|widths| widths.iter().filter(|&&width| width > 0));
        a.eq(b)
    };
    let text = |widths: &[usize]| {
        let bits: usize = widths.iter().sum();
        let texts = widths.iter().map(usize::to_string);
        match widths.len() {
            0 => "0".into(),
            // A file may have many values, and an error must fit on one line.
            9.. => format!("{bits} (in {} values)", widths.len()),
            _ => texts.collect::<Vec<_>>().join(" + "),
        }
    };
    if !same(a.inputs(), b.inputs()) {
        return Err(CompareError::Inputs(text(a.inputs()), text(b.inputs())));
    }
    if !same(a.outputs(), b.outputs()) {
        return Err(CompareError::Outputs(text(a.outputs()), text(b.outputs())));
    }
    Ok(())
}

/// Returns the first of `count` lanes in which the outputs of `a` and `b` differ.
fn differing_lane(a: &mut Lanes, b: &mut Lanes, inputs: &[u64], count: u32) -> Option<u32> {
    let a = a.evaluate(inputs.iter().copied());
    let b = b.evaluate(inputs.iter().copied());
    let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b));
    let lane = differ.trailing_zeros();
    (lane < count).then_some(lane)
}

/// Generates inputs, 64 at a time.
struct Supply<'a> {
    inputs: Inputs<'a>,
    total: u64,
}

/// The values of six input bits in 64 lanes that count from 0 to 63: bit i of entry j is bit j of i.
pub const COUNTING: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl<'a> Supply<'a> {
    fn new(inputs: Inputs<'a>, bits: usize) -> Result<Self, CompareError> {
        if matches!(inputs, Inputs::All) && bits > MAX_BITS {
            return Err(CompareError::TooMany(bits));
        }
        let total = inputs_tried(&inputs, bits);
        Ok(Supply { inputs, total })
    }

    /// Writes the next inputs, at most 64, to `lanes`. Inputs before number `tried` have been used.
    /// Returns the number of inputs written, or `None` after the last input.
    fn fill(&mut self, tried: u64, lanes: &mut [u64]) -> Option<u32> {
        let count = u64::min(64, self.total - tried) as u32;
        let bits = lanes.len();
        match &mut self.inputs {
            _ if count == 0 => return None,
            Inputs::All => {
                for (bit, lanes) in lanes.iter_mut().enumerate() {
                    *lanes = match COUNTING.get(bit) {
                        Some(&counting) => counting,
                        None => (tried >> bit & 1).wrapping_neg(),
                    };
                }
            }
            Inputs::Some { word, .. } if tried >= chosen(bits) => {
                lanes.iter_mut().for_each(|lanes| *lanes = word());
            }
            Inputs::Some { .. } => {
                for (bit, lanes) in lanes.iter_mut().enumerate() {
                    *lanes = chosen_lanes(tried, bit as u64);
                }
            }
        }
        Some(count)
    }
}

/// Bit number `bit` of the inputs `first` to `first + 63` that are not random. Input 0 is all
/// zeros, input 1 is all ones, and input 2 + i has a single one at position i. All later inputs are
/// zeros.
fn chosen_lanes(first: u64, bit: u64) -> u64 {
    let all_ones = if first == 0 { 1 << 1 } else { 0 };
    let single = match (bit + 2).checked_sub(first) {
        Some(lane @ 0..64) => 1 << lane,
        _ => 0,
    };
    all_ones | single
}

#[cfg(test)]
mod tests {
    use super::*;

    fn netlist(text: &str) -> Netlist {
        Netlist::parse(text.as_bytes(), None).unwrap()
    }

    /// Returns the first difference of two netlists, given as text.
    fn difference(a: &str, b: &str, inputs: Inputs) -> Option<Difference> {
        first_difference(&netlist(a), &netlist(b), inputs, |_| ()).unwrap()
    }

    /// A netlist that computes the AND of `wires`, with one input value of `bits` bits.
    fn and_of(bits: usize, wires: &[usize]) -> String {
        let mut gates = String::new();
        let mut last = wires[0];
        for (place, wire) in wires[1..].iter().enumerate() {
            let next = bits + place;
            gates += &format!("2 1 {last} {wire} {next} AND\n");
            last = next;
        }
        let count = wires.len() - 1;
        format!("{count} {}\n1 {bits}\n1 1\n{gates}", bits + count)
    }

    /// A netlist whose output is always 0.
    fn never(bits: usize) -> String {
        format!("1 {}\n1 {bits}\n1 1\n1 1 0 {bits} EQ\n", bits + 1)
    }

    #[test]
    fn all_inputs_include_the_only_one_on_which_netlists_differ() {
        for bits in [2, 3, 6, 7, 13] {
            let wires: Vec<usize> = (0..bits).collect();
            let found = difference(&and_of(bits, &wires), &never(bits), Inputs::All).unwrap();
            assert_eq!(found.input, vec![true; bits]);
            assert_eq!(found.tried, (1 << bits) - 1);
            let backwards: Vec<usize> = (0..bits).rev().collect();
            let none = difference(
                &and_of(bits, &wires),
                &and_of(bits, &backwards),
                Inputs::All,
            );
            assert_eq!(none, None);
        }
    }

    #[test]
    fn the_first_difference_in_counting_order_is_reported() {
        // Bits 8 and 1 are both set for the first time at 2^8 + 2.
        let found = difference(&and_of(10, &[8, 1]), &never(10), Inputs::All).unwrap();
        assert_eq!(found.tried, 256 + 2);
        let input: u64 = (found.input.iter().zip(0..))
            .map(|(&bit, place)| u64::from(bit) << place)
            .sum();
        assert_eq!(input, found.tried);
    }

    #[test]
    fn chosen_inputs_are_zeros_ones_and_single_ones() {
        let compare = |a: &str| {
            let word = &mut || 0;
            difference(a, &never(100), Inputs::Some { random: 1, word }).unwrap()
        };
        let all: Vec<usize> = (0..100).collect();
        let ones = compare(&and_of(100, &all));
        assert_eq!((ones.tried, ones.input), (1, vec![true; 100]));
        // The AND of bit 99 and the negation of bit 98. It is 0 on the input of ones, and first 1
        // on a single one after the first 64 inputs.
        let lone = "2 102\n1 100\n1 1\n1 1 98 100 INV\n2 1 99 100 101 AND\n";
        let found = compare(lone);
        assert_eq!(found.tried, 2 + 99);
        assert_eq!(found.input.iter().filter(|&&bit| bit).count(), 1);
        assert!(found.input[99]);
    }

    #[test]
    fn given_number_of_random_inputs_is_tried() {
        let mut words = 0;
        let mut word = || {
            words += 1;
            0
        };
        let inputs = Inputs::Some {
            random: 65,
            word: &mut word,
        };
        assert_eq!(inputs_tried(&inputs, 3), 64 + 128);
        assert_eq!(difference(&never(3), &never(3), inputs), None);
        assert_eq!(words, 3 * 2);
    }

    #[test]
    fn shapes_must_agree_except_for_values_without_bits() {
        let compare = |a: &str, b: &str| {
            first_difference(&netlist(a), &netlist(b), Inputs::All, |_| ())
                .map(|difference| difference.is_none())
        };
        let old = "1 3\n2 0 1\n2 1 0 1 2 AND\n";
        assert_eq!(compare(old, &and_of(2, &[0, 1])), Ok(true));
        let error = compare(&never(2), &never(3)).unwrap_err().to_string();
        assert_eq!(
            error,
            "the input values have 2 bits in the first netlist and 3 in the second"
        );
        let split = "1 3\n2 1 1\n1 1\n2 1 0 1 2 AND\n";
        assert!(matches!(
            compare(split, &never(2)),
            Err(CompareError::Inputs(..))
        ));
        let two = "1 3\n1 2\n1 2\n2 1 0 1 2 AND\n";
        assert!(matches!(
            compare(two, &never(2)),
            Err(CompareError::Outputs(..))
        ));
        let many = never(41);
        assert_eq!(compare(&many, &many), Err(CompareError::TooMany(41)));
    }
}
