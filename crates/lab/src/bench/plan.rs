//! The configurations to measure, and their order. A *deal* is the pair of the number of cards and
//! the number of cards drawn.

use std::fmt;

use anyhow::ensure;
use dealerless::circuit::Circuit;
use dealerless::deck;
use dealerless::mpc::EngineKind;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless_command_line::progress::Progress;

use super::args::Args;
use crate::circuit::netlist_file::FormatArgs;
use crate::circuit::owners::Owners;
use crate::circuit::selection::Selection;
use crate::circuit::sweep::pairs;

/// The maximum number of configurations in a group. Each has its own connection, with two sockets.
const MAX_GROUP_LEN: usize = 64;

/// The approximate limit on the ANDs of a group, whose circuits are in memory together.
const MAX_GROUP_ANDS: usize = 2_000_000;

/// The maximum number of configurations in a sweep.
const MAX_CONFIGURATIONS: usize = 20_000;

/// A netlist of `--netlist`.
pub(super) struct Netlist {
    pub(super) name: String,
    pub(super) circuit: Circuit,
    pub(super) owners: Owners,
}

/// The circuit of a configuration, before it is built.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Shuffle(Spec),
    Netlist(&'a Netlist),
}

/// A combination to measure: a row of the table.
#[derive(Clone, Copy)]
pub(super) struct Configuration<'a> {
    pub(super) source: Source<'a>,
    pub(super) engine: EngineKind,
    /// The number of runs for which the pool is filled at once.
    pub(super) pool: u32,
}

/// A circuit that is ready to run.
pub(super) enum Subject<'a> {
    Shuffle(Box<ShuffleCircuit>),
    Netlist(&'a Netlist),
}

impl Subject<'_> {
    pub(super) fn circuit(&self) -> &Circuit {
        match self {
            Subject::Shuffle(shuffle) => shuffle.circuit(),
            Subject::Netlist(netlist) => &netlist.circuit,
        }
    }
}

impl<'a> Configuration<'a> {
    /// The specification of the shuffle, if the source is a shuffle.
    pub(super) fn spec(&self) -> Option<Spec> {
        match self.source {
            Source::Shuffle(spec) => Some(spec),
            Source::Netlist(_) => None,
        }
    }

    /// The netlist, if the source is a netlist.
    pub(super) fn netlist(&self) -> Option<&'a Netlist> {
        match self.source {
            Source::Shuffle(_) => None,
            Source::Netlist(netlist) => Some(netlist),
        }
    }

    /// A short name of the source.
    pub(super) fn name(&self) -> String {
        match self.source {
            Source::Shuffle(spec) => {
                format!("{} {}/{}", spec.algorithm(), spec.draw(), spec.cards())
            }
            Source::Netlist(netlist) => netlist.name.clone(),
        }
    }

    /// A description that distinguishes the configuration from all others.
    pub(super) fn describe(&self) -> String {
        format!("{}, {}, pool of {}", self.name(), self.engine, self.pool)
    }

    pub(super) fn build(&self) -> Subject<'a> {
        match self.source {
            Source::Shuffle(spec) => {
                Subject::Shuffle(Box::new(deck::circuit(spec, self.engine.security())))
            }
            Source::Netlist(netlist) => Subject::Netlist(netlist),
        }
    }

    /// The approximate number of ANDs of the circuit.
    fn estimated_ands(&self) -> usize {
        match self.source {
            Source::Shuffle(spec) => deck::Estimate::of(spec, self.engine, 1).ands(),
            Source::Netlist(netlist) => netlist.circuit.ands(),
        }
    }

    /// The deal, if the source is a shuffle. Configurations of the same deal are measured together.
    fn deal(&self) -> Option<(usize, usize)> {
        self.spec().map(|spec| (spec.cards(), spec.draw()))
    }

    fn check_memory(&self, args: &Args, parties: u64) -> anyhow::Result<()> {
        let limit = args.limit.memory;
        match self.source {
            Source::Shuffle(spec) => limit.check_session(spec, self.engine, parties, self.pool),
            Source::Netlist(netlist) => {
                let ands = netlist.circuit.ands();
                limit.check_session_of(&netlist.name, ands, self.engine, parties, self.pool)
            }
        }
    }
}

/// The text of a configuration in the terms that two machines compare. The text does not depend on
/// the paths of files.
impl fmt::Display for Configuration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Source::Shuffle(spec) => {
                let (draw, cards) = (spec.draw(), spec.cards());
                write!(f, "{} {draw}/{cards}", spec.algorithm())?;
            }
            Source::Netlist(netlist) => {
                let digest = netlist.circuit.digest();
                write!(f, "netlist {digest:?} {}", netlist.owners.letters())?;
            }
        }
        write!(f, " {} {}", self.engine, self.pool)
    }
}

/// Reads the netlists of `--netlist`.
///
/// # Errors
/// Same as [`FormatArgs::read_circuit`] and [`Owners::of`].
pub(super) fn netlists(args: &Args) -> anyhow::Result<Vec<Netlist>> {
    let read = |path: &std::path::PathBuf| {
        let circuit = FormatArgs::default().read_circuit(path)?;
        let owners = Owners::of(circuit.inputs().len(), &args.owner)?;
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().replace(char::is_control, "?");
        Ok(Netlist {
            name,
            circuit,
            owners,
        })
    };
    args.netlist.iter().map(read).collect()
}

/// The requested configurations in the order of the table: the netlists, then the shuffles deal by
/// deal.
///
/// # Errors
/// If a number is out of bounds, there are too many configurations, or a configuration exceeds the
/// memory limit.
pub(super) fn configurations<'a>(
    args: &Args,
    netlists: &'a [Netlist],
) -> anyhow::Result<Vec<Configuration<'a>>> {
    let (engines, pools) = (once(&args.engine), once(&args.pool));
    let mut all = Vec::new();
    let mut add = |source, engine| {
        all.extend(pools.iter().map(|&pool| Configuration {
            source,
            engine,
            pool,
        }));
    };
    for netlist in netlists {
        for &engine in &engines {
            add(Source::Netlist(netlist), engine);
        }
    }
    let shuffles = netlists.is_empty() || !args.algorithm.is_empty();
    let deals = if shuffles {
        pairs(&args.cards, &args.draw)?
    } else {
        Vec::new()
    };
    // Check the count for one algorithm per deal first, since finding the cheapest algorithm takes
    // a while for large decks.
    let fewest = deals.len() * engines.len() * pools.len();
    let check = |count| {
        let most = count <= MAX_CONFIGURATIONS;
        ensure!(
            most,
            "{count} configurations are too many: a sweep has at most {MAX_CONFIGURATIONS}"
        );
        Ok(())
    };
    check(fewest)?;
    let progress = Progress::begin(deals.len(), "decks and draws checked");
    for (cards, draw) in deals {
        for &engine in &engines {
            for algorithm in algorithms(args, cards, draw)? {
                add(Source::Shuffle(Spec::new(cards, draw, algorithm)?), engine);
            }
        }
        progress.step();
    }
    check(all.len())?;
    let parties = match (&args.listen, &args.connect) {
        (None, None) => 2,
        _ => 1,
    };
    for configuration in &all {
        configuration.check_memory(args, parties)?;
    }
    Ok(all)
}

/// Removes duplicates and keeps the order.
pub(super) fn once<T: Copy + PartialEq>(all: &[T]) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(one) {
            once.push(*one);
        }
    }
    once
}

/// The requested algorithms, without duplicates.
fn algorithms(args: &Args, cards: usize, draw: usize) -> anyhow::Result<Vec<Algorithm>> {
    let auto = [Selection::One(deck::Choice::Cheapest)];
    let selections = match &args.algorithm[..] {
        [] => &auto[..],
        some => some,
    };
    let mut chosen = Vec::new();
    for selection in selections {
        match selection {
            Selection::All => chosen.extend(Algorithm::ALL),
            Selection::One(choice) => {
                chosen.push(choice.spec(cards, draw)?.algorithm());
            }
        }
    }
    Ok(Algorithm::ALL
        .into_iter()
        .filter(|algorithm| chosen.contains(algorithm))
        .collect())
}

/// Splits the configurations into groups. The configurations of a group take turns. Those of one
/// deal are in the same group, unless they are too large for one group.
pub(super) fn groups<'a, 'b>(all: &'b [Configuration<'a>]) -> Vec<&'b [Configuration<'a>]> {
    let mut groups = Vec::new();
    let mut rest = all;
    while !rest.is_empty() {
        let mut ands = 0;
        let most = rest
            .iter()
            .take(MAX_GROUP_LEN)
            .take_while(|next| {
                ands += next.estimated_ands();
                ands <= MAX_GROUP_ANDS
            })
            .count()
            .max(1);
        let splits_deal = |&end: &usize| {
            rest.get(end)
                .is_some_and(|next| next.deal() == rest[end - 1].deal())
        };
        let whole = (1..=most).rev().find(|end| !splits_deal(end));
        let (group, later) = rest.split_at(whole.unwrap_or(most));
        groups.push(group);
        rest = later;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(draws: usize, algorithms: usize) -> Vec<Configuration<'static>> {
        let mut all = Vec::new();
        for draw in 1..=draws {
            for algorithm in &Algorithm::ALL[..algorithms] {
                all.push(Configuration {
                    source: Source::Shuffle(Spec::new(52, draw, *algorithm).unwrap()),
                    engine: EngineKind::Malicious,
                    pool: 1,
                });
            }
        }
        all
    }

    #[test]
    fn groups_keep_the_order_and_split_no_deal() {
        let all = sweep(52, 7);
        let groups = groups(&all);
        assert_eq!(
            groups.iter().map(|group| group.len()).sum::<usize>(),
            52 * 7
        );
        for group in &groups {
            assert!(group.len() <= MAX_GROUP_LEN && group.len() % 7 == 0);
        }
        for pair in groups.windows(2) {
            assert!(pair[0].last().unwrap().deal() < pair[1][0].deal());
        }
    }

    #[test]
    fn large_circuits_are_spread_over_several_groups() {
        let one = Configuration {
            source: Source::Shuffle(Spec::new(1000, 1000, Algorithm::Waksman).unwrap()),
            ..sweep(1, 1)[0]
        };
        let ands = one.estimated_ands();
        assert!(
            4 * ands < 3 * MAX_GROUP_ANDS,
            "the circuit fits into a group"
        );
        let most = MAX_GROUP_ANDS / ands;
        let all = vec![one; 2 * most];
        let lengths: Vec<usize> = groups(&all).iter().map(|group| group.len()).collect();
        assert_eq!(lengths, [most, most]);
        assert!(most < MAX_GROUP_LEN);
    }

    #[test]
    fn deal_that_is_too_large_for_a_group_is_split_without_loss() {
        let one = sweep(1, 1)[0];
        let all = vec![one; 2 * MAX_GROUP_LEN + 1];
        let lengths: Vec<usize> = groups(&all).iter().map(|group| group.len()).collect();
        assert_eq!(lengths, [MAX_GROUP_LEN, MAX_GROUP_LEN, 1]);
    }
}
