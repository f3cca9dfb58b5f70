//! Whether a netlist draws cards uniformly: its draws, counted over the inputs of a party.
//!
//! A draw is uniform *if one party is honest* when the following holds for each input of the other
//! party: over all inputs of the honest party, every draw occurs equally often. A netlist may have
//! outputs that say whether the inputs are valid. Then only valid inputs are counted, and an input
//! of the other party may also be rejected: invalid for every input of the honest party.
//!
//! [`Shuffle`] describes a netlist whose origin is unknown: who enters which bits, which outputs are
//! cards, and which outputs say whether the inputs are valid. [`Layout::infer`] finds the latter if
//! only one reading is possible. [`Shuffle::examine`] fixes inputs and counts.

mod examination;
mod judge;
mod layout;
mod program;
mod tally;
mod validity;

use std::ops::{self, ControlFlow};

use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{ByParty, Party};
use rand::{Rng, RngExt};

pub use judge::{Bias, Deck, Distance, Outcome, number_of_draws};
pub use layout::{Doubt, Layout, LayoutError, Samples};

use self::examination::Examination;
use self::judge::MAX_CARDS;
use self::tally::MAX_OUTCOMES;

/// Who enters an input bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A party enters the bit.
    Of(Party),
    /// The bit is known to both, and always the same.
    Public(bool),
}

/// Consecutive input wires of a party that hold a number in a range, least significant bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first wire.
    pub first_wire: usize,
    /// The number of wires, at most 64.
    pub bits: usize,
    /// The lowest number.
    pub low: u64,
    /// The number of numbers.
    pub count: u64,
}

impl Range {
    fn wires(&self) -> ops::Range<usize> {
        self.first_wire..self.first_wire + self.bits
    }

    /// The lowest number above the range.
    fn end(&self) -> u128 {
        u128::from(self.low) + u128::from(self.count)
    }

    /// The bit at `place`, if it is the same for all numbers of the range.
    fn constant(&self, place: usize) -> Option<bool> {
        let last = (self.end() - 1) as u64;
        let differ = 64 - (self.low ^ last).leading_zeros() as usize;
        (place >= differ).then_some(last >> place & 1 == 1)
    }
}

/// A netlist that shuffles cards.
pub struct Shuffle<'n> {
    netlist: &'n Netlist,
    entries: Vec<Entry>,
    ranges: Vec<Range>,
}

/// The inputs of one or both parties: what an honest party enters, or what is fixed.
#[derive(Clone, Debug)]
pub struct Space {
    /// The wires that are not in a range and vary, and the ranges.
    free: Vec<usize>,
    ranges: Vec<Range>,
}

impl Space {
    /// The number of inputs; `None` if it exceeds 128 bits.
    pub fn inputs(&self) -> Option<u128> {
        let free = u32::try_from(self.free.len()).ok()?;
        let free = 1u128.checked_shl(free).filter(|&inputs| inputs > 0)?;
        let mut ranges = self.ranges.iter();
        ranges.try_fold(free, |inputs, range| inputs.checked_mul(range.count.into()))
    }

    /// The number of bits that vary. All combinations of these bits are evaluated, also those that
    /// are not in the ranges.
    pub fn bits(&self) -> usize {
        self.varying().count()
    }

    fn varying(&self) -> impl Iterator<Item = usize> {
        let ranges = self.ranges.iter().flat_map(|range| {
            let places = (0..range.bits).filter(|&place| range.constant(place).is_none());
            places.map(|place| range.first_wire + place)
        });
        self.free.iter().copied().chain(ranges)
    }

    /// Writes input number `number`, from 0, to `wires`. The first free bit is the lowest digit.
    fn write(&self, mut number: u128, wires: &mut [bool]) {
        for &wire in &self.free {
            wires[wire] = number & 1 == 1;
            number >>= 1;
        }
        for range in &self.ranges {
            let count = u128::from(range.count);
            write_number(range, (number % count) as u64, wires);
            number /= count;
        }
    }

    /// Writes a random input to `wires`.
    fn write_random(&self, rng: &mut impl Rng, wires: &mut [bool]) {
        for &wire in &self.free {
            wires[wire] = rng.random();
        }
        for range in &self.ranges {
            write_number(range, rng.random_range(0..range.count), wires);
        }
    }
}

fn write_number(range: &Range, offset: u64, wires: &mut [bool]) {
    let number = range.low + offset;
    for (place, wire) in range.wires().enumerate() {
        wires[wire] = number >> place & 1 == 1;
    }
}

/// Inputs to fix, one after the other.
pub enum Fixed {
    /// All inputs.
    All,
    /// Random inputs. If the honest party has many inputs, those are preferred that are valid with a
    /// random input of it.
    Random {
        /// The seed from which the inputs are derived.
        seed: u64,
        /// The number of inputs.
        count: u64,
    },
}

/// Receives the number of new evaluations, and returns whether to continue.
pub type Progress<'a> = dyn Fn(u64) -> ControlFlow<()> + Sync + 'a;

/// What was found with one party honest, or both.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The number of fixed inputs that were examined.
    pub fixed: u64,
    /// The number of fixed inputs that were rejected.
    pub rejected: u64,
    /// The least and the greatest number of valid inputs, over the fixed inputs that were not
    /// rejected; `None` if all were rejected.
    pub valid: Option<(u64, u64)>,
    /// The least and the greatest number of times that each draw occurred, over the fixed inputs
    /// with uniform draws.
    pub each: Option<(u64, u64)>,
    /// The cards of the deck, in ascending order; empty if all fixed inputs were rejected.
    pub deck: Vec<u64>,
    /// The number of evaluations of the netlist.
    pub evaluations: u64,
    /// The number of valid inputs in these evaluations.
    pub accepted: u128,
    /// Whether the count was ended before all inputs were fixed.
    pub stopped: bool,
    /// The first fixed input without uniform draws.
    pub counterexample: Option<Counterexample>,
}

/// A fixed input without uniform draws.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The bit on each input wire. The bits of the honest party are 0.
    pub fixed: Vec<bool>,
    /// The number of valid inputs of the honest party.
    pub valid: u64,
    /// What the draws are instead of uniform.
    pub bias: Bias,
}

/// Why draws cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// Too many bits of the honest party vary.
    #[error("{0} bits vary, but at most {max} can be enumerated", max = Shuffle::MAX_BITS)]
    Inputs(usize),
    /// The cards drawn have too many bits.
    #[error("the cards of a draw have {0} bits, but only draws of up to {max} bits can be counted", max = 64 * MAX_WORDS)]
    OutcomeBits(usize),
    /// Too many different outcomes occurred.
    #[error("more than {MAX_OUTCOMES} different draws occur, which are too many to count")]
    Outcomes,
    /// The cards take too many values.
    #[error("the outputs are not cards of a deck: they take more than {MAX_CARDS} values")]
    Cards,
}

/// The maximum number of 64-bit words of an outcome.
const MAX_WORDS: usize = 8;

impl<'n> Shuffle<'n> {
    /// The maximum number of bits of the honest party that vary.
    pub const MAX_BITS: usize = 32;

    /// The number of varying bits below which the judgement of a fixed input takes longer than its
    /// evaluations.
    pub const LEAST_BITS: usize = 6;

    /// A netlist, with the entry of each input wire and the ranges of numbers among them. Wires of
    /// different ranges must be different, and each range must belong to one party.
    ///
    /// # Panics
    /// Panics if the number of entries differs from the number of input bits, or if a range is
    /// empty, too high for its bits, or not of one party.
    pub fn new(netlist: &'n Netlist, entries: Vec<Entry>, ranges: Vec<Range>) -> Self {
        let bits: usize = netlist.inputs().iter().sum();
        assert_eq!(entries.len(), bits, "an entry for each input bit");
        for range in &ranges {
            let fits = (1..=64).contains(&range.bits) && range.end() <= 1 << range.bits;
            assert!(range.count > 0 && fits, "a range has numbers of its bits");
            let entered = entries[range.wires()].iter();
            let same = entered.clone().all(|&e| e == entries[range.first_wire]);
            let by_party = matches!(entries[range.first_wire], Entry::Of(_));
            assert!(same && by_party, "a range belongs to one party");
        }
        Shuffle {
            netlist,
            entries,
            ranges,
        }
    }

    /// The inputs of the given parties, in their ranges.
    pub fn space(&self, parties: &[Party]) -> Space {
        let of = |wire: usize| matches!(self.entries[wire], Entry::Of(p) if parties.contains(&p));
        let ranges = self.ranges.iter().filter(|range| of(range.first_wire));
        let ranges: Vec<Range> = ranges.copied().collect();
        let mut is_free: Vec<bool> = (0..self.entries.len()).map(of).collect();
        for range in &ranges {
            is_free[range.wires()].fill(false);
        }
        Space {
            free: (0..is_free.len()).filter(|&wire| is_free[wire]).collect(),
            ranges,
        }
    }

    /// All bits that the given parties can enter, also out of range.
    pub fn any_bits(&self, parties: &[Party]) -> Space {
        let wires = (0..self.entries.len())
            .filter(|&wire| matches!(self.entries[wire], Entry::Of(p) if parties.contains(&p)));
        Space {
            free: wires.collect(),
            ranges: Vec::new(),
        }
    }

    /// The parties that enter bits.
    pub fn parties(&self) -> Vec<Party> {
        let enters = |party: &Party| self.entries.contains(&Entry::Of(*party));
        Party::BOTH.into_iter().filter(enters).collect()
    }

    /// For each bit of the outputs, the parties on whose inputs it may depend.
    pub fn dependence(&self) -> Vec<ByParty<bool>> {
        let nobody = ByParty::default();
        let mut wires = vec![nobody; self.netlist.wires()];
        for (wire, entry) in wires.iter_mut().zip(&self.entries) {
            if let Entry::Of(party) = *entry {
                wire[party] = true;
            }
        }
        for step in self.netlist.steps() {
            let read = step.operation.reads();
            let both = read.fold(nobody, |all, wire| {
                ByParty::from_fn(|party| all[party] || wires[wire.index()][party])
            });
            wires[step.sets.index()] = both;
        }
        wires.split_off(self.netlist.first_output())
    }

    /// Counts the draws over all inputs in range of the `honest` parties, for each fixed input of
    /// the other party in `space`. Ends after the first fixed input without uniform draws.
    /// `progress` is called with the numbers of evaluations that were done since the last call, and
    /// says whether to go on.
    ///
    /// # Errors
    /// If the inputs or the outcomes are too many to count.
    ///
    /// # Panics
    /// Panics if a card of the layout has no bits or more than 64, if cards have different numbers
    /// of bits, or if [`Fixed::All`] is used with a space of more than 2^64 inputs.
    pub fn examine(
        &self,
        layout: &Layout,
        honest: &[Party],
        space: &Space,
        fixed: &Fixed,
        deck: Deck,
        progress: &Progress,
    ) -> Result<Finding, CountError> {
        let examination = Examination::new(self, layout, honest, space, fixed, deck, progress)?;
        let bits = layout.card_bits() * layout.cards.len();
        match bits.div_ceil(64) {
            0..=1 => examination.run::<1>(),
            2 => examination.run::<2>(),
            3..=4 => examination.run::<4>(),
            5..=MAX_WORDS => examination.run::<MAX_WORDS>(),
            _ => Err(CountError::OutcomeBits(bits)),
        }
    }
}

#[cfg(test)]
mod tests;
