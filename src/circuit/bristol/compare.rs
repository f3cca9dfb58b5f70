//! Whether two netlists compute the same.

use super::Netlist;
use super::netlist::Lanes;

/// The inputs on which two netlists are compared.
pub enum Inputs<'a> {
    /// All of them, so that the answer is a proof. The first input is all zeros; the first bit of
    /// the first value changes fastest.
    All,
    /// All zeros, all ones, a single one at each place (if the input has at most 4 096 bits), and so
    /// many at random.
    Some {
        /// How many at random: rounded up to a multiple of 64.
        random: u64,
        /// Gives 64 random bits.
        word: &'a mut dyn FnMut() -> u64,
    },
}

/// The most bits of an input of which [`Inputs::All`] takes them all.
const MAX_BITS: usize = 40;

/// The most bits of an input whose places get a one each.
const SINGLE_ONES: usize = 4096;

/// Two netlists cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The input values do not have the same bits.
    #[error("the input values have {0} bits in the one and {1} in the other")]
    Inputs(String, String),
    /// The output values do not have the same bits.
    #[error("the output values have {0} bits in the one and {1} in the other")]
    Outputs(String, String),
    /// All inputs are too many.
    #[error("an input of {0} bits cannot be tried in all ways")]
    TooMany(usize),
}

/// An input on which two netlists differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How many inputs were tried before it.
    pub tried: u64,
    /// The bits of the input values, one value after the other.
    pub input: Vec<bool>,
}

/// The first input on which `a` and `b` differ, or nothing if there is none among these.
///
/// Values without bits make no difference: a netlist of the old format may have one that the same
/// netlist in the Bristol Fashion has not. `progress` is told now and then how many inputs were tried,
/// of [`inputs_tried`].
///
/// # Errors
/// When their values do not have the same bits, or all inputs are too many.
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

/// How many inputs [`first_difference`] tries at most, of so many bits.
pub fn inputs_tried(inputs: &Inputs, bits: usize) -> u64 {
    match inputs {
        Inputs::All => 1 << bits.min(MAX_BITS),
        Inputs::Some { random, .. } => (chosen(bits).saturating_add(*random))
            .div_ceil(64)
            .saturating_mul(64),
    }
}

/// The number of inputs that are not random, in whole words.
fn chosen(bits: usize) -> u64 {
    let single = if bits <= SINGLE_ONES { bits } else { 0 };
    (2 + single as u64).next_multiple_of(64)
}

fn check_shapes(a: &Netlist, b: &Netlist) -> Result<(), CompareError> {
    let same = |a: &[usize], b: &[usize]| {
        let [a, b] = [a, b].map(|widths| widths.iter().filter(|&&width| width > 0));
        a.eq(b)
    };
    let text = |widths: &[usize]| {
        let bits: usize = widths.iter().sum();
        let texts = widths.iter().map(usize::to_string);
        match widths.len() {
            0 => "0".into(),
            // A file may have many values, and an error is a line.
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

/// The first of `count` lanes on which the outputs differ.
fn differing_lane(a: &mut Lanes, b: &mut Lanes, inputs: &[u64], count: u32) -> Option<u32> {
    let a = a.evaluate(inputs.iter().copied());
    let b = b.evaluate(inputs.iter().copied());
    let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b));
    let lane = differ.trailing_zeros();
    (lane < count).then_some(lane)
}

/// Inputs, 64 at a time.
struct Supply<'a> {
    inputs: Inputs<'a>,
    total: u64,
}

/// Bit i of entry j is bit j of i: six input bits that count through 64 lanes.
const COUNTING: [u64; 6] = [
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

    /// The inputs behind the first `tried`, and how many they are; nothing behind the last.
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

/// A bit of the chosen inputs from `first` on: input 0 is all zeros, input 1 all ones, and input
/// 2 + i has its one at place i. Those behind are all zeros again.
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

    /// Gives an input with each word a constant.
    fn difference(a: &str, b: &str, inputs: Inputs) -> Option<Difference> {
        first_difference(&netlist(a), &netlist(b), inputs, |_| ()).unwrap()
    }

    /// The AND of the given wires of so many.
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

    /// An output that is always 0.
    fn never(bits: usize) -> String {
        format!("1 {}\n1 {bits}\n1 1\n1 1 0 {bits} EQ\n", bits + 1)
    }

    #[test]
    fn all_inputs_find_the_only_one_that_tells_two_netlists_apart() {
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
        // Bit 8 and bit 1 both set, for the first time at 2^8 + 2.
        let found = difference(&and_of(10, &[8, 1]), &never(10), Inputs::All).unwrap();
        assert_eq!(found.tried, 256 + 2);
        let input: u64 = (found.input.iter().zip(0..))
            .map(|(&bit, place)| u64::from(bit) << place)
            .sum();
        assert_eq!(input, found.tried);
    }

    #[test]
    fn inputs_that_are_not_random_are_zeros_ones_and_single_ones() {
        let compare = |a: &str| {
            let word = &mut || 0;
            difference(a, &never(100), Inputs::Some { random: 1, word }).unwrap()
        };
        let all: Vec<usize> = (0..100).collect();
        let ones = compare(&and_of(100, &all));
        assert_eq!((ones.tried, ones.input), (1, vec![true; 100]));
        // The only bit that matters is far behind the first word; all ones finds it earlier, so
        // both netlists agree there: x AND NOT y.
        let lone = "2 102\n1 100\n1 1\n1 1 98 100 INV\n2 1 99 100 101 AND\n";
        let found = compare(lone);
        assert_eq!(found.tried, 2 + 99);
        assert_eq!(found.input.iter().filter(|&&bit| bit).count(), 1);
        assert!(found.input[99]);
    }

    #[test]
    fn random_inputs_are_tried_as_often_as_asked() {
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
    fn shapes_must_agree_but_for_values_without_bits() {
        let compare = |a: &str, b: &str| {
            first_difference(&netlist(a), &netlist(b), Inputs::All, |_| ())
                .map(|difference| difference.is_none())
        };
        let old = "1 3\n2 0 1\n2 1 0 1 2 AND\n";
        assert_eq!(compare(old, &and_of(2, &[0, 1])), Ok(true));
        let error = compare(&never(2), &never(3)).unwrap_err().to_string();
        assert_eq!(
            error,
            "the input values have 2 bits in the one and 3 in the other"
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
