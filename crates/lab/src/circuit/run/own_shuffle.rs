//! A built-in shuffle instead of a netlist, with inputs as permutations or seeds.

use anyhow::{Context, bail, ensure};
use dealerless::circuit::{ByParty, Party};
use dealerless::deck::Choice;
use dealerless::mpc::EngineKind;
use dealerless::shuffle::{Encoding, Randomness, ShuffleCircuit};
use dealerless_command_line::arguments::algorithm;
use dealerless_command_line::memory::MemoryArgs;
use dealerless_command_line::progress::Progress;
use dealerless_command_line::system_rng;
use zeroize::Zeroizing;

use super::super::values;

/// The options for the shuffle and the parties' inputs.
#[derive(clap::Args)]
pub(super) struct ShuffleArgs {
    /// Run this shuffle instead of a netlist: the circuit that `circuit export` writes.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithm(), requires = "cards")]
    algorithm: Option<Choice>,
    /// Cards in the deck.
    #[arg(long, value_name = "N", requires = "algorithm")]
    cards: Option<usize>,
    /// Cards drawn from the deck [default: all].
    #[arg(long, value_name = "M", requires = "algorithm")]
    draw: Option<usize>,
    /// Run the circuit that checks whether inputs are in range. If an input is out of range, no
    /// card is opened.
    #[arg(long, requires = "algorithm")]
    checked: bool,
    /// Garbler's permutation, for a network shuffle: 3,1,2 or @FILE.
    #[arg(long, value_name = "CARDS", requires = "algorithm",
          conflicts_with_all = ["garbler", "garbler_seeds"])]
    garbler_permutation: Option<String>,
    /// Evaluator's permutation.
    #[arg(long, value_name = "CARDS", requires = "algorithm",
          conflicts_with_all = ["evaluator", "evaluator_seeds"])]
    evaluator_permutation: Option<String>,
    /// Garbler's seeds, for a shuffle that is not a network: one for each draw, 5,0,3 or @FILE.
    #[arg(
        long,
        value_name = "SEEDS",
        requires = "algorithm",
        conflicts_with = "garbler"
    )]
    garbler_seeds: Option<String>,
    /// Evaluator's seeds.
    #[arg(
        long,
        value_name = "SEEDS",
        requires = "algorithm",
        conflicts_with = "evaluator"
    )]
    evaluator_seeds: Option<String>,
    #[command(flatten)]
    limit: MemoryArgs,
}

impl ShuffleArgs {
    /// The permutation or the seeds of a party, as typed.
    pub(super) fn given(&self, party: Party) -> Option<&String> {
        self.permutation(party).or(self.seeds(party))
    }

    fn permutation(&self, party: Party) -> Option<&String> {
        match party {
            Party::Garbler => self.garbler_permutation.as_ref(),
            Party::Evaluator => self.evaluator_permutation.as_ref(),
        }
    }

    fn seeds(&self, party: Party) -> Option<&String> {
        match party {
            Party::Garbler => self.garbler_seeds.as_ref(),
            Party::Evaluator => self.evaluator_seeds.as_ref(),
        }
    }
}

/// A shuffle to run, with the inputs that were given as permutations or seeds.
pub(super) struct OwnShuffle {
    pub(super) circuit: ShuffleCircuit,
    /// The permutation (from 0) or the seeds of each party, if given.
    values: ByParty<Option<Zeroizing<Vec<u64>>>>,
    /// The number of the first card: 0 or 1.
    pub(super) first_card: u64,
}

impl OwnShuffle {
    /// The shuffle of `--algorithm`; `None` without this option. `parties` is the number of parties
    /// in this process.
    ///
    /// # Errors
    /// If the shuffle is out of bounds or takes too much memory, or its inputs are invalid. No
    /// error repeats an input.
    pub(super) fn of(
        args: &ShuffleArgs,
        engine: EngineKind,
        parties: u64,
    ) -> anyhow::Result<Option<Self>> {
        let (Some(algorithm), Some(cards)) = (args.algorithm, args.cards) else {
            return Ok(None);
        };
        let draw = args.draw.unwrap_or(cards);
        let spec = algorithm.spec(cards, draw)?;
        (args.limit.memory).check_session(spec, engine, parties, 1)?;
        let mut lists = ByParty::from_fn(|_| None);
        let mut first_card = None;
        for party in Party::BOTH {
            let Some(text) = args.given(party) else {
                continue;
            };
            let who = format!("the {party}'s input");
            let mut list = values::list(text, cards, &who)?;
            if args.permutation(party).is_some() {
                let first = count_from_zero(&mut list);
                ensure!(
                    first_card.is_none_or(|other| other == first),
                    "one permutation counts cards from 0 and the other from 1"
                );
                first_card = Some(first);
            }
            lists[party] = Some(list);
        }
        let progress = Progress::of_building(spec);
        let circuit = if args.checked {
            ShuffleCircuit::build_checked(spec)
        } else {
            ShuffleCircuit::build(spec)
        };
        drop(progress);
        let shuffle = OwnShuffle {
            circuit,
            values: lists,
            first_card: first_card.unwrap_or(0),
        };
        shuffle.check_kinds(args)?;
        Ok(Some(shuffle))
    }

    /// Checks that permutations are given only for a network, and seeds only for other shuffles.
    fn check_kinds(&self, args: &ShuffleArgs) -> anyhow::Result<()> {
        let algorithm = self.circuit.spec().algorithm();
        for party in Party::BOTH {
            let seeds = self.circuit.seeds(party);
            let is_network = (seeds.iter()).any(|seed| seed.encoding == Encoding::Switches);
            if is_network && args.seeds(party).is_some() {
                bail!("{algorithm} takes a permutation: use --{party}-permutation");
            }
            if !is_network && args.permutation(party).is_some() {
                bail!("{algorithm} takes seeds: use --{party}-seeds");
            }
        }
        Ok(())
    }

    /// The input bits of a party: its permutation or seeds if given, or a fresh uniform choice if
    /// `random`.
    ///
    /// # Errors
    /// If the values are out of range. The error does not repeat them.
    pub(super) fn input(&self, party: Party, random: bool) -> anyhow::Result<Option<Randomness>> {
        match &self.values[party] {
            Some(values) => Randomness::from_values(&self.circuit, party, values)
                .with_context(|| format!("the {party}'s input"))
                .map(Some),
            None if random => Ok(Some(self.circuit.sample(party, &mut system_rng()))),
            None => Ok(None),
        }
    }

    /// The drawn cards, numbered as in the permutations.
    pub(super) fn cards(&self, outputs: &[Vec<bool>]) -> Vec<u64> {
        let cards = self.circuit.decode(outputs);
        let cards = cards.into_iter().map(u64::from);
        cards.map(|card| card + self.first_card).collect()
    }
}

/// Turns a permutation of `1..=n`, which has no 0, into a permutation of `0..n`. Leaves one that
/// has a 0 unchanged. Returns the number of the first card before: 1 or 0.
fn count_from_zero(permutation: &mut [u64]) -> u64 {
    if permutation.contains(&0) {
        return 0;
    }
    permutation.iter_mut().for_each(|card| *card -= 1);
    1
}
