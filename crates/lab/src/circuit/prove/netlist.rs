//! Counts the draws of a netlist of any origin.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use cpu_time::ThreadTime;
use dealerless::circuit::Party;
use dealerless::circuit::bristol::Netlist;
use dealerless_command_line::failure::{AnswerIsNo, Stopped};
use dealerless_command_line::output::{count, show, show_json};
use dealerless_command_line::progress::Progress;
use dealerless_command_line::system_rng;
use dealerless_logic::draws::{
    CountError, Deck, Finding, Fixed, Layout, LayoutError, Samples, Shuffle, Space,
};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

use super::options::{self, Outputs, PartyRanges, Roles};
use super::report::{Answer, Examined, Part};
use crate::circuit::netlist_file::FormatArgs;
use crate::circuit::owners::Owner;
use crate::stop::Stop;

/// The options for a netlist.
#[derive(clap::Args)]
pub(super) struct NetlistArgs {
    /// Party that enters each input value, in order: g (garbler) or e (evaluator), or d for a value
    /// that holds the deck; 52*d stands for 52 values [default: g,e].
    #[arg(
        long,
        value_name = "OWNER",
        value_delimiter = ',',
        conflicts_with = "algorithm"
    )]
    owner: Vec<Roles>,
    /// Ranges of the numbers that a party enters, in order, such as g:52,51,50.
    #[arg(long, value_name = "PARTY:BOUNDS", conflicts_with = "algorithm")]
    range: Vec<PartyRanges>,
    /// Meaning of the output bits, in order: 9*c6 are nine cards of six bits, v1 is a bit that is 1
    /// if the inputs are valid, e1 a bit that is 0 if they are, x8 eight other bits [default:
    /// inferred if only one reading is possible].
    #[arg(long, value_name = "OUTPUTS", conflicts_with = "algorithm")]
    outputs: Option<Outputs>,
    /// Ask only whether the randomness of this party suffices.
    #[arg(long, value_name = "PARTY", conflicts_with = "algorithm")]
    honest: Option<Owner>,
    /// Seed of the random inputs [default: random].
    #[arg(long, value_name = "SEED", conflicts_with = "algorithm")]
    seed: Option<u64>,
    #[command(flatten)]
    format: FormatArgs,
}

/// The netlist to examine, with the options.
pub(super) struct Question<'a> {
    pub(super) file: &'a Path,
    pub(super) options: &'a NetlistArgs,
    /// The number of cards in the deck.
    pub(super) cards: Option<usize>,
    /// Whether to fix arbitrary bits, also out of range.
    pub(super) checked: bool,
    /// The maximum number of evaluations.
    pub(super) limit: u64,
    pub(super) json: bool,
}

/// Answers a question.
pub(super) fn run(question: &Question) -> anyhow::Result<()> {
    let options = question.options;
    let netlist = options.format.read_with_progress(question.file)?;
    let examined = examine(question, &netlist)?;
    if question.json {
        show_json("circuit prove", &examined.report())?;
    } else {
        show(&examined.screen())?;
    }
    match examined.uniform() {
        Some(true) => Ok(()),
        Some(false) => bail!(AnswerIsNo("The draw is not uniform.")),
        None if examined.stopped => bail!(Stopped),
        None => bail!("it is not decided whether the draw is uniform"),
    }
}

/// The CPU time for the proof that a validity checks the input of each party separately.
const PROOF_LIMIT: Duration = Duration::from_secs(10);

/// With more bits of each party, no random inputs are evaluated, because nothing can be counted.
const MAX_SAMPLED: usize = 4096;

/// The maximum number of cards of a deck.
const MAX_CARDS: usize = 4096;

fn examine(question: &Question, netlist: &Netlist) -> anyhow::Result<Examined> {
    let options = question.options;
    if let Some(cards) = question.cards {
        ensure!(
            (1..=MAX_CARDS).contains(&cards),
            "a deck has 1 to {MAX_CARDS} cards, not {cards}"
        );
    }
    let widths = netlist.inputs();
    let roles = options::roles(widths.len(), &options.owner)?;
    let (entries, in_deck) = options::entries(widths, &roles, question.cards)?;
    let ranges = options::ranges(widths, &roles, &options.range)?;
    let shuffle = Shuffle::new(netlist, entries, ranges);
    let parties = shuffle.parties();
    ensure!(
        !parties.is_empty(),
        "no party enters random bits into the netlist"
    );
    let honest: Vec<Party> = match options.honest {
        None => parties.clone(),
        Some(owner) => {
            let party = owner.party();
            ensure!(parties.contains(&party), "the {party} has no input bits");
            vec![party]
        }
    };

    let bits = |party: &Party| shuffle.space(&[*party]).bits();
    let fewest = honest.iter().map(bits).min().unwrap_or(0);
    ensure!(
        fewest <= MAX_SAMPLED,
        "it is not decided whether the draw is uniform: {} bits vary, but at most {} can be counted",
        count(fewest as u64),
        Shuffle::MAX_BITS
    );
    let stop = Stop::by_signal("Stopping; press Ctrl-C again to end at once.")?;
    let seed = (options.seed).unwrap_or_else(|| system_rng().random());
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let output_bits = netlist.outputs().iter().sum();
    let progress = Progress::of_one_step("evaluating random inputs".into());
    let samples = Samples::new(&shuffle, &mut rng)?;
    let layout = match &options.outputs {
        Some(outputs) => outputs.layout(output_bits)?,
        None => {
            let (start, stop) = (ThreadTime::now(), stop.clone());
            let is_over = move || start.elapsed() >= PROOF_LIMIT || stop.is_asked();
            Layout::infer(&shuffle, &samples, is_over).map_err(|error| unclear(&error, netlist))?
        }
    };
    drop(progress);
    let deck: Option<Vec<u64>> =
        (question.cards.or(in_deck)).map(|cards| (0..cards as u64).collect());
    let each = question.limit / honest.len() as u64;
    let plans: Vec<Plan> = (honest.iter())
        .map(|&party| Plan::new(&shuffle, party, question.checked, each))
        .collect();
    let bar = Bar::new(plans.iter().map(Plan::evaluations).sum(), stop.clone());
    let examination = Examination {
        shuffle: &shuffle,
        layout: &layout,
        seed: rng.random(),
        bar: &bar,
    };
    let (cards, parts) = examination.parts(&plans, deck.as_deref(), samples.deck(&layout))?;
    let is_complete = deck.is_none() && !stop.is_asked();
    ensure!(
        !is_complete || cards.len() != 1,
        "the cards of all valid outcomes are the same, so nothing is shuffled; describe the outputs \
         with --outputs"
    );
    let has_gaps = |(first, last): (&u64, &u64)| last - first >= cards.len() as u64;
    if is_complete
        && options.outputs.is_none()
        && cards.first().zip(cards.last()).is_some_and(has_gaps)
    {
        let shown: Vec<String> = cards.iter().take(9).map(u64::to_string).collect();
        let more = if cards.len() > shown.len() {
            ", …"
        } else {
            ""
        };
        bail!(
            "the numbers of the cards have gaps: only {}{more} occur. If that is the deck, name the \
             outputs with --outputs {}; if the deck is 0 to N - 1, use --cards N",
            shown.join(", "),
            Outputs::naming(&layout, output_bits)
        );
    }
    let together = if parts.len() == 2 && parts.iter().all(Part::is_refuted) {
        let deck = deck.as_deref().map_or(Deck::AtLeast(&cards), Deck::Exactly);
        examination.together(deck, question.limit)?
    } else {
        None
    };
    drop(bar);
    Ok(Examined {
        file: question.file.display().to_string(),
        widths: [widths.to_vec(), netlist.outputs().to_vec()],
        roles,
        dependence: shuffle.dependence(),
        has_ranges: !options.range.is_empty(),
        checked: question.checked,
        public_deck: in_deck.is_some(),
        outputs: Outputs::naming(&layout, output_bits).to_string(),
        layout,
        parties,
        parts,
        together,
        stopped: stop.is_asked(),
        seed,
    })
}

/// The maximum number of readings that an error lists.
const MAX_READINGS: usize = 12;

/// Adds to an error what the outputs are, and the readings that are possible.
fn unclear(error: &LayoutError, netlist: &Netlist) -> anyhow::Error {
    let widths = netlist.outputs();
    let shown: Vec<String> = widths.iter().take(9).map(usize::to_string).collect();
    let more = if widths.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    let mut text = format!(
        "{error} ({} output {}, with {}{more} bits); describe them with --outputs",
        widths.len(),
        if widths.len() == 1 { "value" } else { "values" },
        shown.join(", ")
    );
    if let LayoutError::Ambiguous { readings, .. } = error {
        let total = widths.iter().sum();
        for layout in readings.iter().take(MAX_READINGS) {
            let outputs = Outputs::naming(layout, total).to_string();
            text += &format!("\n  --outputs {outputs:<12} {}", reading(layout));
        }
        if readings.len() > MAX_READINGS {
            text += &format!("\n  and {} more", readings.len() - MAX_READINGS);
        }
        text += "\nWrite e in place of v for bits that are 0 if the inputs are valid.";
    }
    anyhow::anyhow!(text)
}

/// A layout in words.
fn reading(layout: &Layout) -> String {
    let cards = match layout.cards.len() {
        1 => "one card".to_owned(),
        cards => format!("{cards} cards"),
    };
    match layout.valid.first() {
        None => format!("{cards}, no validity"),
        Some((_, one)) => format!("{cards}; valid inputs have {}", u8::from(*one)),
    }
}

/// A netlist under examination.
struct Examination<'a> {
    shuffle: &'a Shuffle<'a>,
    layout: &'a Layout,
    /// The seed of random inputs.
    seed: u64,
    bar: &'a Bar,
}

impl Examination<'_> {
    /// Counts the draws with each party honest in turn, from the given deck, or from all cards that
    /// occur, among them the cards `seen`. Returns the deck, too.
    fn parts(
        &self,
        plans: &[Plan],
        deck: Option<&[u64]>,
        mut seen: Vec<u64>,
    ) -> anyhow::Result<(Vec<u64>, Vec<Part>)> {
        loop {
            let expected = deck.map_or(Deck::AtLeast(&seen), Deck::Exactly);
            let parts: anyhow::Result<Vec<Part>> =
                plans.iter().map(|plan| self.part(plan, expected)).collect();
            let mut parts = parts?;
            let findings = || parts.iter().filter_map(|part| part.answer.finding());
            let mut all: Vec<u64> = findings().flat_map(|f| f.deck.iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            // If other cards occur for one party than for the other, both draw from all of them.
            let mut dealt = findings().filter(|finding| finding.valid.is_some());
            if deck.is_some() || dealt.all(|finding| finding.deck == all) {
                return Ok((all, parts));
            }
            if self.bar.stop.is_asked() {
                parts
                    .iter_mut()
                    .for_each(|part| part.is_of_another_deck(&all));
                return Ok((all, parts));
            }
            seen = all;
        }
    }

    /// Counts the draws with one party honest.
    fn part(&self, plan: &Plan, deck: Deck) -> anyhow::Result<Part> {
        let fixed = if plan.all {
            Fixed::All
        } else {
            Fixed::Random {
                seed: self.seed,
                count: plan.fixed,
            }
        };
        let progress = |done| self.bar.add(done);
        let answer = plan.answer(|| {
            let (shuffle, honest) = (self.shuffle, [plan.honest]);
            shuffle.examine(self.layout, &honest, &plan.space, &fixed, deck, &progress)
        })?;
        Ok(plan.part(answer))
    }

    /// Counts the draws over the inputs of both parties, if they are not too many.
    fn together(&self, deck: Deck, limit: u64) -> anyhow::Result<Option<Finding>> {
        let bits = self.shuffle.space(&Party::BOTH).bits();
        if bits > Shuffle::MAX_BITS || 1 << bits > limit {
            return Ok(None);
        }
        let nobody = self.shuffle.space(&[]);
        let progress = |done| self.bar.add(done);
        let (layout, all) = (self.layout, Fixed::All);
        match (self.shuffle).examine(layout, &Party::BOTH, &nobody, &all, deck, &progress) {
            // Without a counterexample, a count that was ended shows nothing.
            Ok(finding) if finding.stopped && finding.counterexample.is_none() => Ok(None),
            Ok(finding) => Ok(Some(finding)),
            Err(CountError::Outcomes) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The maximum number of inputs that are fixed at random. More would hardly show more.
const MAX_RANDOM: u64 = 1 << 16;

/// The inputs to count with one party honest.
struct Plan {
    honest: Party,
    own: Space,
    /// The space of the inputs to fix.
    space: Space,
    /// The number of inputs to fix.
    fixed: u64,
    /// Whether these are all inputs.
    all: bool,
}

impl Plan {
    fn new(shuffle: &Shuffle, honest: Party, checked: bool, limit: u64) -> Self {
        let own = shuffle.space(&[honest]);
        let other = [honest.other()];
        let space = if checked {
            shuffle.any_bits(&other)
        } else {
            shuffle.space(&other)
        };
        let possible = match own.bits() {
            bits @ 0..=Shuffle::MAX_BITS => limit >> bits.max(Shuffle::LEAST_BITS),
            _ => 0,
        };
        let all = space
            .inputs()
            .is_some_and(|inputs| inputs <= possible.into());
        let fixed = match space.inputs() {
            Some(inputs) if all => inputs as u64,
            _ => possible.min(MAX_RANDOM),
        };
        Plan {
            honest,
            own,
            space,
            fixed,
            all,
        }
    }

    fn evaluations(&self) -> u64 {
        match self.fixed {
            0 => 0,
            fixed => fixed << self.own.bits(),
        }
    }

    /// The answer of counting with `examine`, unless there is too much to count.
    ///
    /// # Errors
    /// If the outputs are not cards.
    fn answer(
        &self,
        examine: impl FnOnce() -> Result<Finding, CountError>,
    ) -> anyhow::Result<Answer> {
        let bits = self.own.bits();
        if bits > Shuffle::MAX_BITS {
            return Ok(Answer::Undecided(format!(
                "{bits} bits of the {} vary, but at most {} can be counted",
                self.honest,
                Shuffle::MAX_BITS
            )));
        }
        if self.fixed == 0 {
            return Ok(Answer::Undecided(format!(
                "the {} evaluations for one fixed input exceed its share of --limit",
                count(1 << bits)
            )));
        }
        match examine() {
            Ok(finding) => Ok(Answer::Counted(Box::new(finding))),
            Err(error @ (CountError::Outcomes | CountError::OutcomeBits(_))) => {
                Ok(Answer::Undecided(error.to_string()))
            }
            Err(error) => Err(error).context("describe the outputs with --outputs"),
        }
    }

    fn part(&self, answer: Answer) -> Part {
        Part {
            honest: self.honest,
            bits: self.own.bits(),
            inputs: self.own.inputs(),
            others: self.space.inputs(),
            all: self.all,
            answer,
        }
    }
}

/// A progress bar in thousandths of the evaluations, which Ctrl-C ends.
struct Bar {
    stop: Stop,
    progress: Progress,
    done: AtomicU64,
    of: u64,
}

const PARTS: u64 = 1000;

impl Bar {
    fn new(of: u64, stop: Stop) -> Self {
        Bar {
            stop,
            progress: Progress::begin(PARTS as usize, "thousandths of the evaluations"),
            done: AtomicU64::new(0),
            of: of.max(1),
        }
    }

    /// Adds evaluations. Returns whether to go on.
    fn add(&self, evaluations: u64) -> ControlFlow<()> {
        let before = self.done.fetch_add(evaluations, Ordering::Relaxed);
        let parts = |done: u64| (u128::from(done) * u128::from(PARTS) / u128::from(self.of)) as u64;
        for _ in parts(before)..parts(before.saturating_add(evaluations)).min(PARTS) {
            self.progress.step();
        }
        if self.stop.is_asked() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
