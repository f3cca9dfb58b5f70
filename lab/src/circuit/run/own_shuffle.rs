//! A shuffle of our own instead of a netlist, and its inputs as permutations and seeds.

use anyhow::{Context, bail, ensure};
use dealerless::circuit::{ByParty, Party};
use dealerless::deck::Choice;
use dealerless::mpc::Security;
use dealerless::shuffle::{Encoding, Randomness, ShuffleCircuit};
use dealerless_program::arguments::algorithm;
use dealerless_program::memory::MemoryArgs;
use dealerless_program::progress::Progress;
use dealerless_program::system_rng;
use zeroize::Zeroizing;

use super::super::values;

/// The shuffle, and what the parties enter.
#[derive(clap::Args)]
pub(super) struct ShuffleArgs {
    /// Run this shuffle instead of a netlist: the circuit that `circuit export` writes.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithm(), requires = "cards")]
    algorithm: Option<Choice>,
    /// Cards in its deck.
    #[arg(long, value_name = "N", requires = "algorithm")]
    cards: Option<usize>,
    /// Cards drawn from it [default: all].
    #[arg(long, value_name = "M", requires = "algorithm")]
    draw: Option<usize>,
    /// Run the circuit that checks whether inputs are in range. If one is not, no card is opened.
    #[arg(long, requires = "algorithm")]
    checked: bool,
    /// The garbler's permutation, for a shuffle by a network: 3,1,2 or @FILE.
    #[arg(long, value_name = "CARDS", requires = "algorithm",
          conflicts_with_all = ["garbler", "garbler_seeds"])]
    garbler_permutation: Option<String>,
    /// The evaluator's permutation.
    #[arg(long, value_name = "CARDS", requires = "algorithm",
          conflicts_with_all = ["evaluator", "evaluator_seeds"])]
    evaluator_permutation: Option<String>,
    /// The garbler's seeds, for another shuffle: one for each draw, 5,0,3 or @FILE.
    #[arg(
        long,
        value_name = "SEEDS",
        requires = "algorithm",
        conflicts_with = "garbler"
    )]
    garbler_seeds: Option<String>,
    /// The evaluator's seeds.
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
    /// The permutation of a party, or its seeds, as they were typed.
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

/// A shuffle that is run, with its inputs as far as they are permutations or seeds.
pub(super) struct OwnShuffle {
    pub(super) circuit: ShuffleCircuit,
    values: ByParty<Option<Zeroizing<Vec<u64>>>>,
    /// The number of the first card.
    pub(super) first_card: u64,
}

impl OwnShuffle {
    /// The shuffle that the options ask for, if they ask for one, in a process of so many `parties`.
    ///
    /// # Errors
    /// When it is out of bounds or takes too much memory, or its inputs are not what it takes. No
    /// error repeats an input.
    pub(super) fn of(
        args: &ShuffleArgs,
        security: Security,
        parties: u64,
    ) -> anyhow::Result<Option<Self>> {
        let (Some(algorithm), Some(cards)) = (args.algorithm, args.cards) else {
            return Ok(None);
        };
        let draw = args.draw.unwrap_or(cards);
        let spec = algorithm.spec(cards, draw)?;
        (args.limit.memory).check_session(spec, security, parties, 1)?;
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
                    "one permutation counts the cards from 0 and the other from 1"
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

    /// A network takes a permutation, and every other shuffle seeds.
    fn check_kinds(&self, args: &ShuffleArgs) -> anyhow::Result<()> {
        let algorithm = self.circuit.spec().algorithm();
        for party in Party::BOTH {
            let seeds = self.circuit.seeds(party);
            let is_network = (seeds.iter()).any(|seed| seed.encoding == Encoding::Switches);
            if is_network && args.seeds(party).is_some() {
                bail!("{algorithm} takes a permutation: say --{party}-permutation");
            }
            if !is_network && args.permutation(party).is_some() {
                bail!("{algorithm} takes seeds: say --{party}-seeds");
            }
        }
        Ok(())
    }

    /// The input bits of a party: its permutation or seeds, or a fresh uniform choice if `random`.
    ///
    /// # Errors
    /// When the values are out of range. The error does not repeat them.
    pub(super) fn input(&self, party: Party, random: bool) -> anyhow::Result<Option<Randomness>> {
        match &self.values[party] {
            Some(values) => Randomness::from_values(&self.circuit, party, values)
                .with_context(|| format!("the {party}'s input"))
                .map(Some),
            None if random => Ok(Some(self.circuit.sample(party, &mut system_rng()))),
            None => Ok(None),
        }
    }

    /// The cards that were drawn, counted as the permutations count them.
    pub(super) fn cards(&self, outputs: &[Vec<bool>]) -> Vec<u64> {
        let cards = self.circuit.decode(outputs);
        let cards = cards.into_iter().map(u64::from);
        cards.map(|card| card + self.first_card).collect()
    }
}

/// Makes a permutation of `1..=n` one of `0..n`, and says from where it counted. A permutation without
/// a 0 counts from 1.
fn count_from_zero(permutation: &mut [u64]) -> u64 {
    if permutation.contains(&0) {
        return 0;
    }
    permutation.iter_mut().for_each(|card| *card -= 1);
    1
}
