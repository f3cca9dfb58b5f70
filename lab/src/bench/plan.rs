//! What is measured, in which order.

use std::fmt;

use anyhow::ensure;
use dealerless::circuit::Circuit;
use dealerless::deck;
use dealerless::mpc::Security;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless_program::progress::Progress;

use super::args::Args;
use crate::circuit::netlist_file::FormatArgs;
use crate::circuit::owners::Owners;
use crate::circuit::selection::Selection;
use crate::circuit::sweep::pairs;

/// So many configurations take turns: each has a connection of its own, with two ends.
const MOST_IN_A_GROUP: usize = 64;

/// The circuits of a group are in memory together, and have about so many ANDs at most.
const ANDS_IN_A_GROUP: usize = 2_000_000;

/// The most configurations of a sweep.
const MOST: usize = 20_000;

/// A netlist of the user's.
pub(super) struct Netlist {
    pub(super) name: String,
    pub(super) circuit: Circuit,
    pub(super) owners: Owners,
}

/// What is run.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Shuffle(Spec),
    Netlist(&'a Netlist),
}

/// Something to measure: a row of the table.
#[derive(Clone, Copy)]
pub(super) struct Configuration<'a> {
    pub(super) source: Source<'a>,
    pub(super) security: Security,
    /// Runs that the pool is filled for at once.
    pub(super) pool: u32,
}

/// A source that can be run.
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
    /// The shuffle, if it is one.
    pub(super) fn spec(&self) -> Option<Spec> {
        match self.source {
            Source::Shuffle(spec) => Some(spec),
            Source::Netlist(_) => None,
        }
    }

    /// The netlist, if it is one.
    pub(super) fn netlist(&self) -> Option<&'a Netlist> {
        match self.source {
            Source::Shuffle(_) => None,
            Source::Netlist(netlist) => Some(netlist),
        }
    }

    /// What is run, in a few characters.
    pub(super) fn name(&self) -> String {
        match self.source {
            Source::Shuffle(spec) => {
                format!("{} {}/{}", spec.algorithm(), spec.draw(), spec.cards())
            }
            Source::Netlist(netlist) => netlist.name.clone(),
        }
    }

    /// All that tells it from others.
    pub(super) fn describe(&self) -> String {
        format!("{}, {}, pool of {}", self.name(), self.security, self.pool)
    }

    pub(super) fn build(&self) -> Subject<'a> {
        match self.source {
            Source::Shuffle(spec) => Subject::Shuffle(Box::new(deck::circuit(spec, self.security))),
            Source::Netlist(netlist) => Subject::Netlist(netlist),
        }
    }

    /// About how many ANDs the circuit has.
    fn estimated_ands(&self) -> usize {
        match self.source {
            Source::Shuffle(spec) => deck::Estimate::of(spec, self.security, 1).ands(),
            Source::Netlist(netlist) => netlist.circuit.ands(),
        }
    }

    /// The deal if it is a shuffle: configurations of the same deal are measured together.
    fn deal(&self) -> Option<(usize, usize)> {
        self.spec().map(|spec| (spec.cards(), spec.draw()))
    }

    fn check_memory(&self, args: &Args, parties: u64) -> anyhow::Result<()> {
        let limit = args.limit.memory;
        match self.source {
            Source::Shuffle(spec) => limit.check_session(spec, self.security, parties, self.pool),
            Source::Netlist(netlist) => {
                let ands = netlist.circuit.ands();
                limit.check_session_of(&netlist.name, ands, self.security, parties, self.pool)
            }
        }
    }
}

/// Its name in the terms of two machines, which does not depend on where a file lies.
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
        write!(f, " {} {}", self.security, self.pool)
    }
}

/// Reads the netlists that the arguments name.
///
/// # Errors
/// Those of [`FormatArgs::read_circuit`] and [`Owners::of`].
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

/// What the arguments ask for, in the order of the table: the netlists, then deal by deal.
///
/// # Errors
/// When something is out of bounds, or takes more memory than is allowed.
pub(super) fn configurations<'a>(
    args: &Args,
    netlists: &'a [Netlist],
) -> anyhow::Result<Vec<Configuration<'a>>> {
    let (securities, pools) = (once(&args.security), once(&args.pool));
    let mut all = Vec::new();
    let mut add = |source, security| {
        all.extend(pools.iter().map(|&pool| Configuration {
            source,
            security,
            pool,
        }));
    };
    for netlist in netlists {
        for &security in &securities {
            add(Source::Netlist(netlist), security);
        }
    }
    let shuffles = netlists.is_empty() || !args.algorithm.is_empty();
    let deals = if shuffles {
        pairs(&args.cards, &args.draw)?
    } else {
        Vec::new()
    };
    // An algorithm each, at least; to find the cheapest takes a while for large decks.
    let fewest = deals.len() * securities.len() * pools.len();
    let check = |count| {
        let most = count <= MOST;
        ensure!(
            most,
            "that is {count} configurations, and a sweep has at most {MOST}"
        );
        Ok(())
    };
    check(fewest)?;
    let progress = Progress::begin(deals.len(), "decks and draws looked at");
    for (cards, draw) in deals {
        for &security in &securities {
            for algorithm in algorithms(args, cards, draw)? {
                add(
                    Source::Shuffle(Spec::new(cards, draw, algorithm)?),
                    security,
                );
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

/// These, each once.
pub(super) fn once<T: Copy + PartialEq>(all: &[T]) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(one) {
            once.push(*one);
        }
    }
    once
}

/// The algorithms that are asked for, each once.
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

/// Groups of configurations that take turns. A deal is not torn apart unless it is too large by itself.
pub(super) fn groups<'a, 'b>(all: &'b [Configuration<'a>]) -> Vec<&'b [Configuration<'a>]> {
    let mut groups = Vec::new();
    let mut rest = all;
    while !rest.is_empty() {
        let mut ands = 0;
        let most = rest
            .iter()
            .take(MOST_IN_A_GROUP)
            .take_while(|next| {
                ands += next.estimated_ands();
                ands <= ANDS_IN_A_GROUP
            })
            .count()
            .max(1);
        let torn = |&end: &usize| {
            rest.get(end)
                .is_some_and(|next| next.deal() == rest[end - 1].deal())
        };
        let whole = (1..=most).rev().find(|end| !torn(end));
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
                    security: Security::Malicious,
                    pool: 1,
                });
            }
        }
        all
    }

    #[test]
    fn groups_keep_the_order_and_tear_no_deal_apart() {
        let all = sweep(52, 7);
        let groups = groups(&all);
        assert_eq!(
            groups.iter().map(|group| group.len()).sum::<usize>(),
            52 * 7
        );
        for group in &groups {
            assert!(group.len() <= MOST_IN_A_GROUP && group.len() % 7 == 0);
        }
        for pair in groups.windows(2) {
            assert!(pair[0].last().unwrap().deal() < pair[1][0].deal());
        }
    }

    #[test]
    fn large_circuits_are_not_all_in_memory_together() {
        let one = Configuration {
            source: Source::Shuffle(Spec::new(1000, 1000, Algorithm::Waksman).unwrap()),
            ..sweep(1, 1)[0]
        };
        let ands = one.estimated_ands();
        assert!(4 * ands < 3 * ANDS_IN_A_GROUP, "two of three fit, at least");
        let most = ANDS_IN_A_GROUP / ands;
        let all = vec![one; 2 * most];
        let lengths: Vec<usize> = groups(&all).iter().map(|group| group.len()).collect();
        assert_eq!(lengths, [most, most]);
        assert!(most < MOST_IN_A_GROUP);
    }

    #[test]
    fn a_deal_that_is_too_large_for_a_group_is_torn_and_nothing_is_lost() {
        let one = sweep(1, 1)[0];
        let all = vec![one; 2 * MOST_IN_A_GROUP + 1];
        let lengths: Vec<usize> = groups(&all).iter().map(|group| group.len()).collect();
        assert_eq!(lengths, [MOST_IN_A_GROUP, MOST_IN_A_GROUP, 1]);
    }
}
