//! Which output bits are cards, and which say whether the inputs are valid.

use std::collections::BTreeSet;
use std::ops::Range;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use super::examination::random_lanes;
use super::judge::MAX_CARDS;
use super::program::{LANES, Lanes, Machine, Program, Source, Wanted};
use super::{Entry, Shuffle, Space};

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
    /// Different readings could lead to different verdicts.
    #[error("the outputs can be read in several ways: {doubt}")]
    Ambiguous {
        /// The readings.
        readings: Vec<Layout>,
        /// Why none of them is the obvious one.
        doubt: Doubt,
    },
}

/// Why a reading is not the obvious one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// The sizes of the output values allow several readings.
    #[error("the sizes of the output values do not decide")]
    Sizes,
    /// The validity has at least as many bits as a card.
    #[error("the value that would be the validity has at least as many bits as a card")]
    WideValidity,
    /// The inputs that the validity rejects lead to draws, too, so it may be something else, or mean
    /// the opposite.
    #[error(
        "the value that would be the validity rejects inputs that lead to draws like any other"
    )]
    RejectsDraws,
    /// No random input is valid.
    #[error("none of {SAMPLES} random inputs is valid")]
    NeverValid,
    /// The validity is not the AND of a function of the garbler's input and a function of the
    /// evaluator's, or this was not decided.
    #[error(
        "the value that would be the validity does not check the input of each party separately"
    )]
    JointValidity,
}

/// The maximum number of output bits.
const MAX_BITS: usize = 1 << 16;

/// The number of random inputs.
const SAMPLES: usize = 1 << 14;

/// The number of impossible outcomes that show that the rejected inputs do not lead to draws.
const EVIDENCE: usize = 8;

/// The maximum number of bits of the validity in an inferred layout.
const MAX_VALIDITY: usize = 2;

impl Layout {
    /// The number of bits of a card; 0 without cards.
    pub fn card_bits(&self) -> usize {
        self.cards.first().map_or(0, Range::len)
    }

    /// The only possible layout of the outputs. What the cards are does not influence it: a layout
    /// that was chosen because its draws look uniform would prove nothing.
    ///
    /// Values of the same size are cards; the last or the first value may instead be the validity,
    /// of one or two bits, which are 1 for valid inputs. A single value may hold several cards.
    ///
    /// # Errors
    /// If no layout fits, or if several do. Also if the validity has at least as many bits as a card,
    /// or is not the AND of a function of the garbler's input and a function of the evaluator's:
    /// otherwise it could reject draws instead of inputs. Also if the inputs that it rejects lead to
    /// draws: then it may mean the opposite, or nothing. `stop` ends the search for a proof.
    pub fn infer(
        shuffle: &Shuffle,
        samples: &Samples,
        stop: impl Fn() -> bool + 'static,
    ) -> Result<Self, LayoutError> {
        let widths = shuffle.netlist.outputs();
        let mut start = 0;
        let mut values = Vec::new();
        for &width in widths.iter().filter(|&&width| width > 0) {
            values.push(start..start + width);
            start += width;
        }
        let mut readings = match values.as_slice() {
            [value] => Self::of_one_value(value),
            values => Self::of_values(values),
        };
        let doubt = match readings.as_slice() {
            [] => return Err(LayoutError::Unclear),
            [layout] => layout.doubt(shuffle, samples, stop),
            _ => Some(Doubt::Sizes),
        };
        let Some(doubt) = doubt else {
            return Ok(readings.remove(0));
        };
        if let [layout] = readings.as_slice() {
            let inverted = layout.with_validity(|(bit, _)| Some((bit, false)));
            let ignored = layout.with_validity(|_| None);
            readings.extend([inverted, ignored]);
        }
        Err(LayoutError::Ambiguous { readings, doubt })
    }

    /// The possible layouts of several values, from their sizes.
    fn of_values(values: &[Range<usize>]) -> Vec<Self> {
        let mut layouts = Vec::new();
        let mut propose = |valid: Range<usize>, cards: &[Range<usize>]| {
            let bits = cards[0].len();
            if valid.len() <= MAX_VALIDITY && bits <= 64 && cards.iter().all(|c| c.len() == bits) {
                layouts.push(Layout::new(cards.to_vec(), valid));
            }
        };
        let last = values.len() - 1;
        propose(0..0, values);
        propose(values[last].clone(), &values[..last]);
        propose(values[0].clone(), &values[1..]);
        layouts
    }

    /// The possible layouts of a single value.
    fn of_one_value(value: &Range<usize>) -> Vec<Self> {
        let (start, end) = (value.start, value.end);
        let mut layouts = Vec::new();
        for valid in 0..=MAX_VALIDITY.min(value.len() - 1) {
            let cards = value.len() - valid;
            let sizes = (1..=cards.min(64)).rev();
            for size in sizes.filter(|size| cards.is_multiple_of(*size)) {
                let draw = cards / size;
                // A draw has at most as many cards as a card has values.
                if draw > 1 << size.min(MAX_CARDS.ilog2() as usize) {
                    continue;
                }
                let split = |start: usize| {
                    let starts = (0..draw).map(|place| start + place * size);
                    starts.map(|start| start..start + size).collect()
                };
                layouts.push(Layout::new(split(start), end - valid..end));
                if valid > 0 {
                    layouts.push(Layout::new(split(start + valid), start..start + valid));
                }
            }
        }
        layouts
    }

    /// Whether the input of a lane is valid.
    fn accepts(&self, outputs: &[Lanes], lane: usize) -> bool {
        let mut valid = self.valid.iter();
        valid.all(|&(number, value)| bit(&outputs[number], lane) == value)
    }

    /// The cards of a lane.
    fn cards_in(&self, outputs: &[Lanes], lane: usize) -> Vec<u64> {
        let card = |card: &Range<usize>| {
            let bits = card.clone().rev();
            bits.fold(0, |number, place| {
                number << 1 | u64::from(bit(&outputs[place], lane))
            })
        };
        self.cards.iter().map(card).collect()
    }

    fn new(cards: Vec<Range<usize>>, valid: Range<usize>) -> Self {
        Layout {
            cards,
            valid: valid.map(|bit| (bit, true)).collect(),
        }
    }

    /// The same cards, with another meaning of each validity bit.
    fn with_validity(&self, meaning: impl Fn((usize, bool)) -> Option<(usize, bool)>) -> Self {
        Layout {
            cards: self.cards.clone(),
            valid: self.valid.iter().copied().filter_map(meaning).collect(),
        }
    }

    /// The reason to doubt this layout, if there is one.
    fn doubt(
        &self,
        shuffle: &Shuffle,
        samples: &Samples,
        stop: impl Fn() -> bool + 'static,
    ) -> Option<Doubt> {
        if self.valid.is_empty() {
            return None;
        }
        if self.valid.len() >= self.card_bits() {
            return Some(Doubt::WideValidity);
        }
        let Some(accepted) = samples.valid_input(shuffle, self) else {
            return Some(Doubt::NeverValid);
        };
        if samples.rejects_draws(self) {
            return Some(Doubt::RejectsDraws);
        }
        let is_separable = shuffle.checks_separately(&self.valid, &accepted, stop);
        (!is_separable).then_some(Doubt::JointValidity)
    }
}

/// The outputs of a shuffle for random inputs.
pub struct Samples {
    /// For each [`LANES`] evaluations, the seed of the inputs, and the output bits.
    blocks: Vec<(u64, Vec<Lanes>)>,
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
            let seed = rng.random();
            let inputs = inputs_of(seed, shuffle, &space);
            machine.set(|wire| inputs[wire]);
            machine.start(0);
            let outputs = (0..outputs.len()).map(|bit| machine.bit(bit)).collect();
            (seed, outputs)
        });
        Ok(Samples {
            blocks: blocks.collect(),
        })
    }

    /// The cards that occur for valid inputs, in ascending order. Stops once there are more than a
    /// deck may have.
    pub fn deck(&self, layout: &Layout) -> Vec<u64> {
        let mut deck = BTreeSet::new();
        for ((_, outputs), lane) in self.valid_lanes(layout) {
            deck.extend(layout.cards_in(outputs, lane));
            if deck.len() > MAX_CARDS {
                break;
            }
        }
        deck.into_iter().collect()
    }

    /// Whether inputs are rejected, but too few of them lead to outcomes that cannot be draws: with a
    /// card that repeats, or that is not between the cards of valid inputs.
    fn rejects_draws(&self, layout: &Layout) -> bool {
        let deck = self.deck(layout);
        let (lowest, highest) = (deck.first().copied(), deck.last().copied());
        let (mut rejected, mut impossible) = (0, 0);
        for ((_, outputs), lane) in self.lanes() {
            if layout.accepts(outputs, lane) {
                continue;
            }
            rejected += 1;
            let mut cards = layout.cards_in(outputs, lane);
            cards.sort_unstable();
            let repeats = cards.windows(2).any(|pair| pair[0] == pair[1]);
            let is_outside = cards.first().copied() < lowest || cards.last().copied() > highest;
            impossible += usize::from(repeats || is_outside);
        }
        rejected > 0 && impossible < EVIDENCE.min(rejected)
    }

    /// The bits on the input wires for the first valid input.
    fn valid_input(&self, shuffle: &Shuffle, layout: &Layout) -> Option<Vec<bool>> {
        let ((seed, _), lane) = self.valid_lanes(layout).next()?;
        let inputs = inputs_of(*seed, shuffle, &shuffle.space(&shuffle.parties()));
        Some(inputs.iter().map(|wire| bit(wire, lane)).collect())
    }

    /// All blocks and lanes.
    fn lanes(&self) -> impl Iterator<Item = (&(u64, Vec<Lanes>), usize)> {
        let blocks = self.blocks.iter();
        blocks.flat_map(|block| (0..LANES).map(move |lane| (block, lane)))
    }

    /// The lanes whose inputs are valid, with their blocks.
    fn valid_lanes(&self, layout: &Layout) -> impl Iterator<Item = (&(u64, Vec<Lanes>), usize)> {
        let lanes = self.lanes();
        lanes.filter(|((_, outputs), lane)| layout.accepts(outputs, *lane))
    }
}

/// The inputs of a block of evaluations. They are not kept, because a netlist may have millions of
/// input bits.
fn inputs_of(seed: u64, shuffle: &Shuffle, space: &Space) -> Vec<Lanes> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    random_lanes(&[space], shuffle.entries.len(), &mut rng)
}

fn bit(lanes: &Lanes, lane: usize) -> bool {
    lanes[lane / 64] >> (lane % 64) & 1 == 1
}
