//! Counting of built-in shuffles.

use dealerless::shuffle::{Algorithm, Spec};
use dealerless_command_line::memory::MemoryArgs;
use dealerless_command_line::output::count;
use dealerless_command_line::progress::Progress;

use super::super::entry::{Comparison, Entry};
use super::super::selection::{self, Selection};
use super::super::sweep::{Draws, Numbers, pairs_to_count};

/// The options that select the shuffles to count.
#[derive(clap::Args)]
pub(super) struct DealArgs {
    /// Cards in the deck [default: 52].
    #[arg(long, value_name = "N")]
    cards: Option<Numbers>,
    /// Cards drawn from the deck, or all [default: all].
    #[arg(long, value_name = "M")]
    draw: Option<Draws>,
    /// Shuffle algorithms, separated by commas [default: all].
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', value_parser = selection::parser())]
    algorithm: Vec<Selection>,
    /// Also count circuits that are never used in a match: known mistakes, and the classical
    /// method.
    #[arg(long)]
    comparison: bool,
    /// Compute the number of AND gates of all circuits, instead of building the circuits.
    #[arg(long, conflicts_with = "comparison")]
    computed: bool,
    /// Build all circuits, however long that takes; build in slices those that do not fit into
    /// --memory.
    #[arg(long, conflicts_with = "computed")]
    built: bool,
    #[command(flatten)]
    limit: MemoryArgs,
}

/// The counted shuffles for one deck and one draw.
pub(super) struct Deal {
    pub(super) cards: usize,
    pub(super) draw: usize,
    pub(super) entries: Vec<Entry>,
}

impl DealArgs {
    /// Whether any option for shuffles is given.
    pub(super) fn any(&self) -> bool {
        let deck = self.cards.is_some() || self.draw.is_some();
        deck || !self.algorithm.is_empty() || self.comparison || self.computed || self.built
    }

    /// Counts the selected shuffles, by default all shuffles of 52 cards.
    ///
    /// # Errors
    /// If a number is out of bounds, or a circuit is too large. Numbers and circuits for comparison
    /// are checked before any circuit is built.
    pub(super) fn count(&self) -> anyhow::Result<Vec<Deal>> {
        let cards = self.cards.clone();
        let cards = cards.unwrap_or_else(|| Numbers::from_iter([52]));
        let draw = self.draw.clone().unwrap_or(Draws::All);
        count_all(&pairs_to_count(&cards, &draw)?, self)
    }

    fn selected(&self) -> &[Selection] {
        match self.algorithm.as_slice() {
            [] => &[Selection::All],
            selected => selected,
        }
    }
}

/// Counts one circuit after the other, and drops each before the next is built.
///
/// # Errors
/// If a circuit is too large. Circuits for comparison are checked before any circuit is built.
fn count_all(pairs: &[(usize, usize)], args: &DealArgs) -> anyhow::Result<Vec<Deal>> {
    let chosen = pairs
        .iter()
        .map(|&(cards, draw)| selection::algorithms(args.selected(), cards, draw))
        .collect::<Result<Vec<_>, _>>()?;
    let comparisons: &[Comparison] = if args.comparison {
        &Comparison::ALL
    } else {
        &[]
    };
    for &(cards, draw) in pairs {
        for comparison in comparisons {
            let ands = (comparison.estimated_ands)(cards, draw);
            let name = comparison.name;
            args.limit.memory.check_ands(name, cards, draw, ands)?;
        }
    }
    let steps: usize = chosen
        .iter()
        .map(|list| list.len() + comparisons.len())
        .sum();
    let progress = Progress::begin(steps, "circuits");
    let mut deals = Vec::new();
    for (&(cards, draw), algorithms) in pairs.iter().zip(chosen) {
        let mut entries = Vec::new();
        for algorithm in algorithms {
            entries.push(count_one(args, cards, draw, algorithm, &progress)?);
            progress.step();
        }
        for comparison in comparisons {
            entries.push(Entry::of_comparison(comparison, cards, draw)?);
            progress.step();
        }
        deals.push(Deal {
            cards,
            draw,
            entries,
        });
    }
    Ok(deals)
}

/// Counts one circuit in the selected way: built as a whole, built in slices, or computed.
fn count_one(
    args: &DealArgs,
    cards: usize,
    draw: usize,
    algorithm: Algorithm,
    progress: &Progress,
) -> anyhow::Result<Entry> {
    let memory = args.limit.memory;
    let spec = Spec::new(cards, draw, algorithm);
    if !args.computed && spec.is_ok_and(|spec| memory.check_circuit(spec).is_ok()) {
        return Ok(Entry::of_shuffle(algorithm, cards, draw)?);
    }
    if !args.built {
        return Ok(Entry::computed(algorithm, cards, draw)?);
    }
    let spec = spec?;
    memory.check_slices(spec)?;
    let all = count(spec.estimated_ands(true) as u64);
    let entry = Entry::in_slices(spec, |ands| {
        let ands = count(ands as u64);
        progress.say(format!("circuits, {ands} of {all} AND gates built"));
    });
    progress.say("circuits".into());
    entry.map_or_else(|| Ok(Entry::of_shuffle(algorithm, cards, draw)?), Ok)
}

impl Deal {
    /// The draw, for example "9 of 52 cards".
    pub(super) fn name(&self) -> String {
        format!("{} cards", self.short_name())
    }

    /// The draw without a noun, for example "9 of 52".
    pub(super) fn short_name(&self) -> String {
        let (cards, draw) = (count(self.cards as u64), count(self.draw as u64));
        format!("{draw} of {cards}")
    }
}
