//! Which output bits are cards, and which say whether the inputs are valid.

use std::collections::BTreeSet;
use std::ops::Range;

use rand::Rng;

use super::examination::random_lanes;
use super::judge::MAX_CARDS;
use super::program::{LANES, Lanes, Machine, Program, Source, Wanted};
use super::{Entry, Shuffle};

/// The meaning of the output bits of a shuffle, by their numbers from 0, over all output values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bits of each card, least significant first. All cards have the same number of bits.
    pub cards: Vec<Range<usize>>,
    /// The bits that say whether the inputs are valid, with the value that they have then.
    pub valid: Vec<(usize, bool)>,
}

/// Why the meaning of the output bits cannot be inferred.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There are no output bits.
    #[error("the netlist has no output bits")]
    Empty,
    /// There are too many output bits.
    #[error("the netlist has {0} output bits, too many for a shuffle")]
    TooMany(usize),
    /// The output values do not look like cards.
    #[error("it is not clear which outputs are cards")]
    Unclear,
}

/// The maximum number of output bits.
const MAX_BITS: usize = 1 << 16;

/// The number of evaluations from which a layout is inferred.
const SAMPLES: usize = 1 << 14;

/// The number of repeated cards to expect in the evaluations if cards were independent, at least.
const EVIDENCE: usize = 30;

impl Layout {
    /// The number of bits of a card; 0 without cards.
    pub fn card_bits(&self) -> usize {
        self.cards.first().map_or(0, Range::len)
    }

    /// Infers the layout from the output values of the netlist, and from its outputs for random
    /// inputs.
    ///
    /// Values of the same size are cards; the first or the last value may instead say whether the
    /// inputs are valid, in one or two bits. A single value is split into cards that never repeat.
    ///
    /// # Errors
    /// If no layout fits.
    pub fn infer(shuffle: &Shuffle, samples: &Samples) -> Result<Self, LayoutError> {
        let widths = shuffle.netlist.outputs();
        let mut start = 0;
        let mut values = Vec::new();
        for &width in widths.iter().filter(|&&width| width > 0) {
            values.push(start..start + width);
            start += width;
        }
        match values.as_slice() {
            [value] => Self::of_one_value(value.clone(), samples),
            values => Self::of_values(values, samples),
        }
    }

    fn of_values(values: &[Range<usize>], samples: &Samples) -> Result<Self, LayoutError> {
        let mut layouts = Vec::new();
        let mut propose = |valid: &[Range<usize>], cards: &[Range<usize>]| {
            let bits = cards[0].len();
            let is_short = valid.iter().all(|value| value.len() <= 2);
            if is_short && bits <= 64 && cards.iter().all(|card| card.len() == bits) {
                layouts.extend(Self::with(valid, cards));
            }
        };
        let (first, after) = values.split_at(1);
        let (before, last) = values.split_at(values.len() - 1);
        propose(&[], values);
        propose(last, before);
        propose(first, after);
        let fits = |layout: &&Layout| {
            let check = samples.check(layout);
            // With one card in the deck, there would be nothing to shuffle.
            check.deck.len() > 1 && !check.repeats
        };
        let found = layouts.iter().find(fits).or(layouts.first());
        found.cloned().ok_or(LayoutError::Unclear)
    }

    fn of_one_value(value: Range<usize>, samples: &Samples) -> Result<Self, LayoutError> {
        let bits = value.len();
        let mut whole = None;
        for valid in 0..=2.min(bits - 1) {
            let (start, end) = (value.start, value.end);
            let cards = bits - valid;
            // As many cards as possible: parts of several cards also differ from each other.
            for size in (1..=cards.min(64)).filter(|size| cards.is_multiple_of(*size)) {
                let draw = cards / size;
                if draw > 1 << size.min(MAX_CARDS.ilog2() as usize) {
                    continue;
                }
                let last = (start, end - valid..end);
                let first = (start + valid, start..start + valid);
                for (start, valid) in [last, first] {
                    let split = (0..draw).map(|place| start + place * size);
                    let split: Vec<_> = split.map(|start| start..start + size).collect();
                    for layout in Self::with(std::slice::from_ref(&valid), &split) {
                        let check = samples.check(&layout);
                        if draw == 1 && check.deck.len() > 1 {
                            whole.get_or_insert(layout);
                        } else if check.is_evident(draw) {
                            return Ok(layout);
                        }
                    }
                }
            }
        }
        whole.ok_or(LayoutError::Unclear)
    }

    /// The layouts with these values: without `valid` values there is one. Otherwise, the bits are
    /// 1 for valid inputs in the first layout, and 0 in the second.
    fn with(valid: &[Range<usize>], cards: &[Range<usize>]) -> Vec<Self> {
        let bits = || valid.iter().cloned().flatten();
        let ones: &[bool] = if bits().next().is_some() {
            &[true, false]
        } else {
            &[true]
        };
        let layouts = ones.iter().map(|&one| Layout {
            cards: cards.to_vec(),
            valid: bits().map(|bit| (bit, one)).collect(),
        });
        layouts.collect()
    }
}

/// The outputs of a shuffle for random inputs.
pub struct Samples {
    /// For each [`LANES`] evaluations, the bits that are in the ranges, and the output bits.
    blocks: Vec<Vec<Lanes>>,
}

/// The cards of random inputs, in a layout.
struct Check {
    /// Whether a card was repeated in a valid evaluation. The other fields are incomplete then.
    repeats: bool,
    /// The number of valid evaluations.
    valid: usize,
    /// The different cards.
    deck: BTreeSet<u64>,
}

impl Check {
    /// Whether independent cards would have repeated, so that the layout is not a coincidence.
    fn is_evident(&self, draw: usize) -> bool {
        let pairs = self.valid * draw * (draw - 1) / 2;
        !self.repeats && self.deck.len() <= MAX_CARDS && pairs >= EVIDENCE * self.deck.len().max(1)
    }
}

impl Samples {
    /// Evaluates the netlist on random inputs of both parties, in their ranges.
    ///
    /// # Errors
    /// If there are no output bits, or too many for a shuffle.
    pub fn new(shuffle: &Shuffle, rng: &mut impl Rng) -> Result<Self, LayoutError> {
        match shuffle.netlist.outputs().iter().sum() {
            0 => return Err(LayoutError::Empty),
            bits if bits > MAX_BITS => return Err(LayoutError::TooMany(bits)),
            _ => {}
        }
        let entries = shuffle.entries.iter().enumerate();
        let sources: Vec<Source> = entries
            .map(|(wire, entry)| match *entry {
                Entry::Public(bit) => Source::Const(bit),
                Entry::Of(_) => Source::Parameter(wire),
            })
            .collect();
        let netlist = shuffle.netlist;
        let outputs: Vec<usize> = (netlist.first_output()..netlist.wires()).collect();
        let wanted = Wanted {
            outcome: &outputs,
            valid: &[],
            ranges: &[],
        };
        let program = Program::compile(netlist, &sources, &wanted);
        let mut machine = Machine::new(&program);
        let space = shuffle.space(&shuffle.parties());
        let blocks = (0..SAMPLES / LANES).map(|_| {
            let inputs = random_lanes(&[&space], shuffle.entries.len(), rng);
            machine.set(|wire| inputs[wire]);
            machine.start(0);
            (0..outputs.len()).map(|bit| machine.bit(bit)).collect()
        });
        Ok(Samples {
            blocks: blocks.collect(),
        })
    }

    /// The cards that occur in valid evaluations, in ascending order, up to one more than a deck may
    /// have.
    pub fn deck(&self, layout: &Layout) -> Vec<u64> {
        self.check(layout).deck.into_iter().collect()
    }

    fn check(&self, layout: &Layout) -> Check {
        let mut check = Check {
            repeats: false,
            valid: 0,
            deck: BTreeSet::new(),
        };
        let mut cards = Vec::with_capacity(layout.cards.len());
        for block in &self.blocks {
            for lane in 0..LANES {
                let bit = |bit: usize| block[bit][lane / 64] >> (lane % 64) & 1;
                if !(layout.valid.iter()).all(|&(number, value)| bit(number) == u64::from(value)) {
                    continue;
                }
                check.valid += 1;
                cards.clear();
                cards.extend((layout.cards.iter()).map(|card| {
                    let bits = card.clone().rev();
                    bits.fold(0, |number, place| number << 1 | bit(place))
                }));
                cards.sort_unstable();
                check.repeats = cards.windows(2).any(|pair| pair[0] == pair[1]);
                if check.repeats {
                    return check;
                }
                if check.deck.len() <= MAX_CARDS {
                    check.deck.extend(&cards);
                }
            }
        }
        check
    }
}
