//! The comparison of two netlists, and how strong its evidence is.

use std::time::Duration;

use anyhow::Context;
use blake3::OutputReader;
use cpu_time::ThreadTime;
use dealerless::circuit::bristol::{Difference, Inputs, Netlist, first_difference, inputs_tried};
use dealerless_command_line::output::{count, lines};
use dealerless_command_line::progress::Progress;
use dealerless_command_line::system_rng;
use dealerless_logic::equal;
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
    /// The result of the SAT solver; absent if it did not run.
    search: Option<Search>,
}

/// Whether two netlists compute the same function.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// This is proved.
    Equal,
    Different,
    /// No difference was found, and no proof.
    Undecided,
}

/// The result of the SAT solver.
#[derive(Clone, Copy)]
enum Search {
    Equal,
    /// It found the difference.
    Different,
    Undecided(Undecided),
    /// The netlists have more gates than [`equal::MAX_GATES`].
    TooLarge,
}

/// The progress of an unfinished proof.
#[derive(Clone, Copy, Serialize)]
struct Undecided {
    /// The limit in seconds of CPU time.
    seconds: u64,
    /// The number of output bits that are proved equal.
    proved: usize,
    /// The number of output bits.
    of: usize,
}

#[derive(Clone, Copy)]
struct Random {
    seed: u64,
    trials: u64,
}

/// The part of a `--json` object that describes how two netlists were compared.
#[derive(Serialize)]
pub(super) struct Report {
    verdict: Verdict,
    /// The same as `verdict`; absent if it is undecided.
    equal: Option<bool>,
    /// Whether all inputs were tried, so that the absence of a difference is a proof.
    exhaustive: bool,
    input_bits: usize,
    /// The number of inputs tried, up to and including the first difference.
    inputs_tried: u64,
    /// The seed of the random inputs; absent if no input is random.
    seed: Option<u64>,
    /// The number of random inputs; absent if no input is random.
    trials: Option<u64>,
    /// Why netlists without a difference are equal for all inputs; absent without a proof.
    proof: Option<&'static str>,
    /// The progress of an unfinished proof; absent if the solver decided or did not run.
    undecided: Option<Undecided>,
}

impl Answer {
    /// Compares two netlists. Without `trials`, all inputs are tried if the netlists have at most
    /// [`MAX_EXHAUSTIVE_BITS`] input bits. Otherwise fixed and random inputs are tried. If they show
    /// no difference, a proof is searched for until it has taken `limit` of CPU time; zero stands for no
    /// search.
    ///
    /// # Errors
    /// If the values of the netlists have different widths.
    pub(super) fn find(
        netlists: [&Netlist; 2],
        trials: Option<u64>,
        seed: Option<u64>,
        limit: Duration,
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
        drop(bar);
        let mut answer = Answer {
            input_bits,
            random,
            inputs: total,
            difference,
            search: None,
        };
        let decided = answer.random.is_none() || answer.difference.is_some();
        if !decided && !limit.is_zero() {
            answer.search(netlists, limit)?;
        }
        Ok(answer)
    }

    /// Searches for a proof that the netlists are equal, or for an input on which they differ.
    fn search(&mut self, [first, second]: [&Netlist; 2], limit: Duration) -> anyhow::Result<()> {
        let gates = first.gates() + second.gates();
        if gates > equal::MAX_GATES {
            self.search = Some(Search::TooLarge);
            return Ok(());
        }
        let progress = Progress::of_one_step("proving that the netlists are equal".into());
        let start = ThreadTime::now();
        let mut shown = None;
        let found = equal::decide(
            first,
            second,
            move || start.elapsed() >= limit,
            |round, swept| {
                let percent = swept * 100 / gates.max(1);
                if shown.replace((round, percent)) != Some((round, percent)) {
                    progress.say(format!(
                        "proving that the netlists are equal: round {round}, {percent} %"
                    ));
                }
            },
        );
        self.search = Some(match found? {
            equal::Verdict::Equal => Search::Equal,
            equal::Verdict::Different(input) => {
                self.difference = Some(Difference {
                    tried: self.inputs,
                    input,
                });
                Search::Different
            }
            equal::Verdict::Undecided { proved, of } => Search::Undecided(Undecided {
                seconds: limit.as_secs(),
                proved,
                of,
            }),
        });
        Ok(())
    }

    /// The first difference, if there is one.
    pub(super) fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    /// Whether the netlists are equal: for all inputs, not only for those that were tried.
    pub(super) fn verdict(&self) -> Verdict {
        match (&self.difference, self.random, self.search) {
            (Some(_), ..) => Verdict::Different,
            (None, None, _) | (None, Some(_), Some(Search::Equal)) => Verdict::Equal,
            (None, Some(_), _) => Verdict::Undecided,
        }
    }

    /// The report for `--json`.
    pub(super) fn report(&self) -> Report {
        Report {
            verdict: self.verdict(),
            equal: match self.verdict() {
                Verdict::Equal => Some(true),
                Verdict::Different => Some(false),
                Verdict::Undecided => None,
            },
            exhaustive: self.random.is_none(),
            input_bits: self.input_bits,
            inputs_tried: self.tried(),
            seed: self.random.map(|random| random.seed),
            trials: self.random.map(|random| random.trials),
            proof: match (self.verdict(), self.random) {
                (Verdict::Equal, None) => Some("exhaustive"),
                (Verdict::Equal, Some(_)) => Some("sat"),
                (Verdict::Different | Verdict::Undecided, _) => None,
            },
            undecided: match self.search {
                Some(Search::Undecided(undecided)) => Some(undecided),
                Some(Search::Equal | Search::Different | Search::TooLarge) | None => None,
            },
        }
    }

    fn tried(&self) -> u64 {
        let difference = self.difference.as_ref();
        difference.map_or(self.inputs, |difference| difference.tried + 1)
    }

    /// The answer as text, with the strength of its evidence.
    pub(super) fn describe(&self) -> String {
        let (bits, tried) = (count(self.input_bits as u64), count(self.tried()));
        let Some(random) = self.random else {
            return match &self.difference {
                Some(_) => {
                    let all = count(self.inputs);
                    format!("different: on input {tried} of all {all}, in counting order")
                }
                None => format!("equal: all {tried} inputs of {bits} bits give the same outputs"),
            };
        };
        let seed = random.seed;
        lines(&match (&self.difference, self.search) {
            (Some(_), Some(_)) => format!(
                "different: on an input that a SAT solver found, after {} fixed and random inputs \
                 (seed {seed})",
                count(self.inputs)
            ),
            (Some(_), None) => format!(
                "different: on input {tried}, counting the fixed and then the random inputs (seed {seed})"
            ),
            (None, Some(Search::Equal)) => format!(
                "equal (proved): all inputs of {bits} bits give the same outputs. A SAT solver \
                 proved this."
            ),
            (None, Some(Search::Undecided(undecided))) => {
                format!("{} {}", self.evidence(random), undecided.describe())
            }
            (None, Some(Search::TooLarge)) => format!(
                "{} Netlists of more than {} gates together are too large for a proof.",
                self.evidence(random),
                count(equal::MAX_GATES as u64)
            ),
            (None, Some(Search::Different) | None) => self.evidence(random),
        })
    }

    /// The evidence of random inputs without a difference, as text.
    fn evidence(&self, Random { seed, trials }: Random) -> String {
        format!(
            "undecided: no difference on {} inputs of {} bits. {} of them are \
             random, with seed {seed}. Netlists that differ on one input in {} would have been \
             distinguished with probability 99.9 %.",
            count(self.inputs),
            count(self.input_bits as u64),
            count(trials),
            count((trials as f64 / MISSED).max(1.0) as u64)
        )
    }
}

impl Undecided {
    fn describe(self) -> String {
        let Undecided {
            seconds,
            proved,
            of,
        } = self;
        let unit = if seconds == 1 { "second" } else { "seconds" };
        format!(
            "Equality was not decided in {} {unit} of CPU time: {} of {} output bits are proved equal.",
            count(seconds),
            count(proved as u64),
            count(of as u64)
        )
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
