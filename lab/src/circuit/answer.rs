//! The comparison of two netlists, and how strong its evidence is.

use anyhow::Context;
use blake3::OutputReader;
use dealerless::circuit::bristol::{Difference, Inputs, Netlist, first_difference, inputs_tried};
use dealerless_program::output::{count, lines};
use dealerless_program::progress::Progress;
use dealerless_program::system_rng;
use rand::RngExt;
use serde::Serialize;

/// The maximum number of input bits for which all inputs are tried.
const MAX_EXHAUSTIVE_BITS: usize = 24;

/// The default number of random inputs.
const TRIALS: u64 = 65_536;

/// About ln(1000). If two netlists differ on a fraction `p = MISSED / trials` of all inputs, then
/// `trials` random inputs miss the difference with probability (1 - p)^trials, about 1/1000.
const MISSED: f64 = 6.91;

/// Whether two netlists differ, and how that was determined.
pub(super) struct Answer {
    input_bits: usize,
    /// The seed and the number of the random inputs; absent if all inputs are tried.
    random: Option<Random>,
    /// The number of inputs to try.
    inputs: u64,
    difference: Option<Difference>,
}

#[derive(Clone, Copy)]
struct Random {
    seed: u64,
    trials: u64,
}

/// The part of a `--json` object that describes how two netlists were compared.
#[derive(Serialize)]
pub(super) struct Report {
    /// Whether no difference was found.
    equal: bool,
    /// Whether all inputs were tried, so that the absence of a difference is a proof.
    exhaustive: bool,
    input_bits: usize,
    /// The number of inputs tried, up to and including the first difference.
    inputs_tried: u64,
    /// The seed of the random inputs; absent if no input is random.
    seed: Option<u64>,
    /// The number of random inputs; absent if no input is random.
    trials: Option<u64>,
}

impl Answer {
    /// Compares two netlists. Without `trials`, all inputs are tried if the netlists have at most
    /// [`MAX_EXHAUSTIVE_BITS`] input bits. Otherwise fixed and random inputs are tried.
    ///
    /// # Errors
    /// If the values of the netlists have different widths.
    pub(super) fn find(
        netlists: [&Netlist; 2],
        trials: Option<u64>,
        seed: Option<u64>,
    ) -> anyhow::Result<Self> {
        let input_bits: usize = netlists[0].inputs().iter().sum();
        let random = match trials {
            None if input_bits <= MAX_EXHAUSTIVE_BITS => None,
            _ => Some(Random {
                seed: seed.unwrap_or_else(|| system_rng().random()),
                trials: trials.unwrap_or(TRIALS),
            }),
        };
        let mut words = Words::new(random.map_or(0, |random| random.seed));
        let mut word = || words.next();
        let inputs = match random {
            None => Inputs::All,
            Some(Random { trials, .. }) => Inputs::Some {
                random: trials,
                word: &mut word,
            },
        };
        let total = inputs_tried(&inputs, input_bits);
        let mut bar = Bar::new();
        let [first, second] = netlists;
        let difference = first_difference(first, second, inputs, |tried| bar.show(tried, total))
            .context("the netlists cannot be compared")?;
        Ok(Answer {
            input_bits,
            random,
            inputs: total,
            difference,
        })
    }

    /// The first difference, if there is one.
    pub(super) fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    /// The report for `--json`.
    pub(super) fn report(&self) -> Report {
        Report {
            equal: self.difference.is_none(),
            exhaustive: self.random.is_none(),
            input_bits: self.input_bits,
            inputs_tried: self.tried(),
            seed: self.random.map(|random| random.seed),
            trials: self.random.map(|random| random.trials),
        }
    }

    fn tried(&self) -> u64 {
        let difference = self.difference.as_ref();
        difference.map_or(self.inputs, |difference| difference.tried + 1)
    }

    /// The answer as text, with the strength of its evidence.
    pub(super) fn describe(&self) -> String {
        let (bits, tried) = (count(self.input_bits as u64), count(self.tried()));
        match (&self.difference, self.random) {
            (Some(_), None) => {
                let all = count(self.inputs);
                format!("different: on input {tried} of all {all}, in counting order")
            }
            (Some(_), Some(Random { seed, .. })) => lines(&format!(
                "different: on input {tried}, counting the fixed and then the random inputs (seed {seed})"
            )),
            (None, None) => {
                format!("equal: all {tried} inputs of {bits} bits give the same outputs")
            }
            (None, Some(Random { seed, trials })) => lines(&format!(
                "no difference found: {tried} inputs of {bits} bits give the same outputs. {} of them \
                 are random, with seed {seed}. Netlists that differ on one input in {} would have been \
                 distinguished with probability 99.9 %.",
                count(trials),
                count((trials as f64 / MISSED).max(1.0) as u64)
            )),
        }
    }
}

/// Pseudorandom 64-bit words, derived from a seed in the same way on every machine and in every
/// version.
struct Words(OutputReader);

impl Words {
    fn new(seed: u64) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("dealerless circuit compare: inputs v1");
        hasher.update(&seed.to_le_bytes());
        Words(hasher.finalize_xof())
    }

    fn next(&mut self) -> u64 {
        let mut word = [0; 8];
        self.0.fill(&mut word);
        u64::from_le_bytes(word)
    }
}

/// A progress bar of the inputs tried, in hundredths.
struct Bar {
    progress: Progress,
    shown: u64,
}

const PARTS: u64 = 100;

impl Bar {
    fn new() -> Self {
        Bar {
            progress: Progress::begin(PARTS as usize, "hundredths of the inputs"),
            shown: 0,
        }
    }

    fn show(&mut self, tried: u64, of: u64) {
        let hundredths = (u128::from(tried) * u128::from(PARTS) / u128::from(of.max(1))) as u64;
        while self.shown < hundredths {
            self.shown += 1;
            self.progress.step();
        }
    }
}
