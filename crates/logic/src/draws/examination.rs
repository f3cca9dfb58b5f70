//! Counts the draws for each fixed input.

use std::ops;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use rayon::prelude::*;

use super::judge::{Bias, Cards, Deck, Judgement};
use super::program::{LANES, Lanes, Machine, Program, Source, WORDS, Wanted};
use super::tally::{Counter, Key, Tally};
use super::{
    CountError, Counterexample, Entry, Finding, Fixed, Layout, Progress, Range, Shuffle, Space,
};
use dealerless::circuit::Party;

/// The number of varying bits up to which the inputs for one fixed input are counted by one thread.
const FEW_BITS: usize = 16;

/// The number of blocks, or of fixed inputs with many blocks, that are judged between two looks at
/// the results.
const BATCH: u64 = 256;

/// The number of blocks of random inputs in which to look for a valid one.
const ATTEMPTS: usize = 128;

/// log2 of the number of parts into which the inputs for one fixed input are divided.
const PART_DIGITS: usize = 7;

/// A question to a shuffle.
pub(super) struct Examination<'a> {
    shuffle: &'a Shuffle<'a>,
    /// The bits of the honest parties, and their ranges.
    honest: Space,
    space: &'a Space,
    fixed: &'a Fixed,
    deck: Deck<'a>,
    progress: &'a Progress<'a>,
    /// Whether `progress` has ended the count.
    stopped: AtomicBool,
    outcome: Vec<usize>,
    valid: Vec<(usize, bool)>,
    cards: Cards,
}

/// The judgement of one fixed input: the number of valid inputs, and the draws if there are any.
type Judged = (u64, Option<Judgement>);

impl<'a> Examination<'a> {
    pub(super) fn new(
        shuffle: &'a Shuffle<'a>,
        layout: &Layout,
        honest: &[Party],
        space: &'a Space,
        fixed: &'a Fixed,
        deck: Deck<'a>,
        progress: &'a Progress<'a>,
    ) -> Result<Self, CountError> {
        let honest = shuffle.space(honest);
        let bits = honest.bits();
        if bits > Shuffle::MAX_BITS {
            return Err(CountError::Inputs(bits));
        }
        let card_bits = layout.card_bits();
        let same = layout.cards.iter().all(|card| card.len() == card_bits);
        assert!(same && (1..=64).contains(&card_bits), "cards of equal size");
        let first = shuffle.netlist.first_output();
        let outcome = layout.cards.iter().cloned().flatten();
        Ok(Examination {
            shuffle,
            honest,
            space,
            fixed,
            deck,
            progress,
            stopped: AtomicBool::new(false),
            outcome: outcome.map(|bit| first + bit).collect(),
            valid: (layout
                .valid
                .iter()
                .map(|&(bit, value)| (first + bit, value)))
            .collect(),
            cards: Cards {
                draw: layout.cards.len(),
                bits: card_bits,
            },
        })
    }

    /// The number of fixed inputs.
    fn count(&self) -> u64 {
        match self.fixed {
            Fixed::All => {
                let inputs = self.space.inputs().and_then(|n| u64::try_from(n).ok());
                inputs.expect("the space is small enough to fix all inputs")
            }
            Fixed::Random { count, .. } => *count,
        }
    }

    /// The bits of fixed input number `number`.
    fn fixed(&self, number: u64) -> Vec<bool> {
        let mut wires = vec![false; self.shuffle.entries.len()];
        match *self.fixed {
            Fixed::All => self.space.write(number.into(), &mut wires),
            Fixed::Random { seed, .. } => {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(number);
                match self.honest.bits() > FEW_BITS && !self.valid.is_empty() {
                    true => self.write_accepted(&mut rng, &mut wires),
                    false => self.space.write_random(&mut rng, &mut wires),
                }
            }
        }
        wires
    }

    /// Writes a random input to fix that is valid with a random input of the honest party. If none is
    /// found, writes any random input.
    fn write_accepted(&self, rng: &mut ChaCha8Rng, wires: &mut [bool]) {
        let sources: Vec<Source> = (self.shuffle.entries.iter().enumerate())
            .map(|(wire, entry)| match *entry {
                Entry::Public(bit) => Source::Const(bit),
                Entry::Of(_) => Source::Parameter(wire),
            })
            .collect();
        let wanted = Wanted {
            outcome: &[],
            valid: &self.valid,
            ranges: &[],
        };
        let program = Program::compile(self.shuffle.netlist, &sources, &wanted);
        let mut machine = Machine::new(&program);
        let spaces = [self.space, &self.honest];
        for _ in 0..ATTEMPTS {
            let parameters = random_lanes(&spaces, wires.len(), rng);
            machine.set(|wire| parameters[wire]);
            machine.start(0);
            let mut accepted = None;
            machine.outcomes::<1>(LANES, |lane, _| accepted = Some(lane));
            if let Some(lane) = accepted {
                let in_ranges = self.space.ranges.iter().flat_map(Range::wires);
                for wire in self.space.free.iter().copied().chain(in_ranges) {
                    wires[wire] = parameters[wire][lane / 64] >> (lane % 64) & 1 == 1;
                }
                return;
            }
        }
        self.space.write_random(rng, wires);
    }

    /// Compiles the netlist. Without `fixed`, the fixed bits are parameters, by wire.
    fn compile(&self, fixed: Option<&[bool]>) -> Program {
        let mut sources: Vec<Source> = (self.shuffle.entries.iter().enumerate())
            .map(|(wire, entry)| match (*entry, fixed) {
                (Entry::Public(bit), _) => Source::Const(bit),
                (Entry::Of(_), Some(fixed)) => Source::Const(fixed[wire]),
                (Entry::Of(_), None) => Source::Parameter(wire),
            })
            .collect();
        for range in &self.honest.ranges {
            for (place, wire) in range.wires().enumerate() {
                sources[wire] = Source::Const(range.constant(place).unwrap_or(false));
            }
        }
        for (number, wire) in self.honest.varying().enumerate() {
            sources[wire] = Source::Varying(number);
        }
        let wanted = Wanted {
            outcome: &self.outcome,
            valid: &self.valid,
            ranges: &self.honest.ranges,
        };
        Program::compile(self.shuffle.netlist, &sources, &wanted)
    }

    /// Examines the fixed inputs, with outcomes of at most `W` words.
    pub(super) fn run<const W: usize>(&self) -> Result<Finding, CountError> {
        let mut summary = Summary::new(self);
        self.fill::<W>(&mut summary)?;
        summary.finding.stopped = self.is_stopped() && summary.finding.fixed < self.count();
        Ok(summary.finding)
    }

    fn fill<const W: usize>(&self, summary: &mut Summary) -> Result<(), CountError> {
        let count = self.count();
        if self.honest.bits() > FEW_BITS {
            for number in 0..count {
                let Some(judged) = self.judge_in_parts::<W>(number, self.deck)? else {
                    break;
                };
                if summary.add::<W>(number, judged)? {
                    break;
                }
            }
            return Ok(());
        }
        let program = self.compile(None);
        let together = (LANES >> self.honest.bits()).max(1) as u64;
        let batch = BATCH * together;
        let mut first = 0;
        while first < count && !self.is_stopped() {
            let numbers = first..count.min(first + batch);
            let blocks = (numbers.end - first).div_ceil(together);
            let judged: Result<Vec<Vec<Judged>>, CountError> = (0..blocks)
                .into_par_iter()
                .map_init(
                    || Machine::new(&program),
                    |machine, block| {
                        let first = first + block * together;
                        if together == 1 {
                            return Ok(vec![self.judge::<W>(&program, machine, first)?]);
                        }
                        let numbers = first..numbers.end.min(first + together);
                        self.judge_together::<W>(&program, machine, numbers)
                    },
                )
                .collect();
            for (number, judged) in numbers.zip(judged?.into_iter().flatten()) {
                if summary.add::<W>(number, judged)? {
                    return Ok(());
                }
            }
            first += batch;
        }
        Ok(())
    }

    /// Reports new evaluations; stops the count if the caller says so.
    fn advance(&self, evaluations: u64) {
        if (self.progress)(evaluations).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Judges one fixed input, on the thread of the caller.
    fn judge<const W: usize>(
        &self,
        program: &Program,
        machine: &mut Machine,
        number: u64,
    ) -> Result<Judged, CountError> {
        let fixed = self.fixed(number);
        machine.set(|wire| [u64::from(fixed[wire]).wrapping_neg(); WORDS]);
        let tally = Tally::<W>::new(0);
        // An array is larger than the outcomes that few inputs have.
        let bits = match program.outcome_bits() {
            bits if bits <= self.honest.bits() => bits,
            _ => usize::MAX,
        };
        let mut counter = Counter::new(&tally, bits);
        count_blocks(machine, &mut counter, 0..1 << program.block_digits());
        counter.finish();
        drop(counter);
        self.advance(1 << self.honest.bits());
        self.judged(&tally.into_counts(), self.deck)
    }

    /// Judges fixed inputs whose evaluations fit into one block.
    fn judge_together<const W: usize>(
        &self,
        program: &Program,
        machine: &mut Machine,
        numbers: ops::Range<u64>,
    ) -> Result<Vec<Judged>, CountError> {
        let lanes = program.lanes();
        let mut parameters = vec![[0; WORDS]; self.shuffle.entries.len()];
        let count = (numbers.end - numbers.start) as usize;
        for (place, number) in numbers.enumerate() {
            for (wire, bit) in self.fixed(number).into_iter().enumerate() {
                for lane in place * lanes..(place + 1) * lanes {
                    parameters[wire][lane / 64] |= u64::from(bit) << (lane % 64);
                }
            }
        }
        machine.set(|wire| parameters[wire]);
        machine.start(0);
        let mut outcomes: Vec<Vec<[u64; W]>> = vec![Vec::with_capacity(lanes); count];
        machine.outcomes::<W>(count * lanes, |lane, key| outcomes[lane / lanes].push(key));
        self.advance((count * lanes) as u64);
        let judged = outcomes.into_iter().map(|mut outcomes| {
            outcomes.sort_unstable();
            let equal = outcomes.chunk_by(|a, b| a == b);
            let counts: Vec<(Key<W>, u64)> = equal
                .map(|equal| (Key(equal[0]), equal.len() as u64))
                .collect();
            self.judged(&counts, self.deck)
        });
        judged.collect()
    }

    /// Judges one fixed input, with parts of the inputs on all threads; `None` if the count was
    /// ended.
    fn judge_in_parts<const W: usize>(
        &self,
        number: u64,
        deck: Deck,
    ) -> Result<Option<Judged>, CountError> {
        let program = self.compile(Some(&self.fixed(number)));
        let tally = Tally::<W>::new(6);
        let digits = program.block_digits();
        let part_digits = digits.min(PART_DIGITS);
        let blocks = 1u64 << (digits - part_digits);
        (0..1u64 << part_digits).into_par_iter().for_each_init(
            || {
                (
                    Machine::new(&program),
                    Counter::new(&tally, program.outcome_bits()),
                )
            },
            |(machine, counter), part| {
                if tally.is_full() || self.is_stopped() {
                    return;
                }
                count_blocks(machine, counter, part * blocks..(part + 1) * blocks);
                counter.finish();
                self.advance(1 << (self.honest.bits() - part_digits));
            },
        );
        if self.is_stopped() {
            return Ok(None);
        }
        if tally.is_full() {
            return Err(CountError::Outcomes);
        }
        self.judged(&tally.into_counts(), deck).map(Some)
    }

    fn judged<const W: usize>(
        &self,
        counts: &[(Key<W>, u64)],
        deck: Deck,
    ) -> Result<Judged, CountError> {
        let valid = counts.iter().map(|&(_, times)| times).sum();
        if valid == 0 {
            return Ok((0, None));
        }
        let judged = (self.cards.judge(counts, deck)).map_err(|_| CountError::Cards)?;
        Ok((valid, Some(judged)))
    }
}

/// A random input of these spaces in each lane, by wire. The other wires are 0.
pub(super) fn random_lanes(spaces: &[&Space], wires: usize, rng: &mut impl Rng) -> Vec<Lanes> {
    let mut lanes = vec![[0; WORDS]; wires];
    for space in spaces {
        for &wire in &space.free {
            lanes[wire] = rng.random();
        }
        for range in &space.ranges {
            for lane in 0..LANES {
                let number = range.low + rng.random_range(0..range.count);
                for (place, wire) in range.wires().enumerate() {
                    lanes[wire][lane / 64] |= (number >> place & 1) << (lane % 64);
                }
            }
        }
    }
    lanes
}

/// Counts the outcomes of the blocks with these numbers.
fn count_blocks<const W: usize>(
    machine: &mut Machine,
    counter: &mut Counter<W>,
    blocks: ops::Range<u64>,
) {
    machine.start(blocks.start);
    machine.outcomes::<W>(machine.lanes(), |_, key| counter.count(key));
    for _ in blocks.skip(1) {
        machine.advance();
        machine.outcomes::<W>(machine.lanes(), |_, key| counter.count(key));
    }
}

/// The finding so far.
struct Summary<'a> {
    examination: &'a Examination<'a>,
    finding: Finding,
    /// The first fixed input that was not rejected.
    first: Option<u64>,
}

impl<'a> Summary<'a> {
    fn new(examination: &'a Examination<'a>) -> Self {
        Summary {
            examination,
            finding: Finding {
                fixed: 0,
                rejected: 0,
                valid: None,
                each: None,
                deck: Vec::new(),
                evaluations: 0,
                accepted: 0,
                stopped: false,
                counterexample: None,
            },
            first: None,
        }
    }

    /// Adds the judgement of a fixed input. Returns whether to end: there is a counterexample, or
    /// the count was ended.
    fn add<const W: usize>(&mut self, number: u64, judged: Judged) -> Result<bool, CountError> {
        let finding = &mut self.finding;
        finding.fixed += 1;
        finding.evaluations += 1 << self.examination.honest.bits();
        let widen = |range: &mut Option<(u64, u64)>, value: u64| {
            let (least, most) = range.unwrap_or((value, value));
            *range = Some((least.min(value), most.max(value)));
        };
        let (valid, judgement) = judged;
        let Some(Judgement { deck, each }) = judgement else {
            finding.rejected += 1;
            return Ok(false);
        };
        widen(&mut finding.valid, valid);
        finding.accepted += u128::from(valid);
        match (each, self.first) {
            (Err(bias), _) => {
                finding.deck = deck;
                self.refute(number, valid, *bias);
            }
            (Ok(each), None) => {
                finding.deck = deck;
                widen(&mut finding.each, each);
                self.first = Some(number);
            }
            (Ok(_), Some(first)) if finding.deck != deck => {
                // One of the two lacks cards of the other.
                let mut all = [finding.deck.as_slice(), &deck].concat();
                all.sort_unstable();
                all.dedup();
                let lacking = if deck == all { first } else { number };
                let again = Deck::Exactly(&all);
                let judged = self.examination.judge_in_parts::<W>(lacking, again)?;
                let Some((valid, judgement)) = judged else {
                    return Ok(true);
                };
                self.finding.deck = all;
                if let Some(Err(bias)) = judgement.map(|judgement| judgement.each) {
                    self.refute(lacking, valid, *bias);
                }
            }
            (Ok(each), Some(_)) => widen(&mut finding.each, each),
        }
        Ok(self.finding.counterexample.is_some())
    }

    fn refute(&mut self, number: u64, valid: u64, bias: Bias) {
        self.finding.counterexample = Some(Counterexample {
            fixed: self.examination.fixed(number),
            valid,
            bias,
        });
    }
}
