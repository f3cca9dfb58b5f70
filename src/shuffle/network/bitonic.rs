//! The bitonic sorting network (Batcher, Sorting networks and their applications, AFIPS 1968), for
//! any number of lines (Lang, Bitonic sorting network for n not a power of 2, 1998).
//!
//! The first part of the lines is sorted downwards and the second part upwards, so all lines
//! together are a bitonic sequence. A cascade of half-cleaners then sorts this sequence.

use super::{Copies, Network, Switch, sorting};

pub(in crate::shuffle) const COPIES: Copies = Copies {
    garbler: |lines| network(lines, sorting::aligned),
    evaluator: |lines, wanted| {
        sorting::flipped_for(lines, wanted, |lines, split| network(lines, split))
    },
};

/// The network on `lines` lines. A part of p lines (at least 2) is split after its first `split(p)`
/// lines. `split(p)` is between 1 and p - 1.
pub(super) fn network(lines: usize, split: impl Fn(usize) -> usize) -> Network {
    let mut switches = Vec::new();
    sort(&mut switches, 0, lines, Order::Up, &split);
    Network::sorting(switches, (0..lines).collect())
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Up,
    Down,
}

fn sort(
    switches: &mut Vec<Switch>,
    first: usize,
    lines: usize,
    order: Order,
    split: &impl Fn(usize) -> usize,
) {
    if lines < 2 {
        return;
    }
    let part = split(lines);
    let opposite = match order {
        Order::Up => Order::Down,
        Order::Down => Order::Up,
    };
    sort(switches, first, part, opposite, split);
    sort(switches, first + part, lines - part, order, split);
    merge(switches, first, lines, order);
}

/// Sorts a sequence whose first part is sorted against `order` and whose second part is sorted in
/// `order`.
///
/// This is the merge for the next power of 2 of lines, where the missing lines carry keys that
/// never move.
fn merge(switches: &mut Vec<Switch>, first: usize, lines: usize, order: Order) {
    if lines < 2 {
        return;
    }
    let distance = lines.next_power_of_two() / 2;
    for line in first..first + lines - distance {
        let far = line + distance;
        switches.push(match order {
            Order::Up => Switch {
                upper: line,
                lower: far,
            },
            Order::Down => Switch {
                upper: far,
                lower: line,
            },
        });
    }
    merge(switches, first, distance, order);
    merge(switches, first + distance, lines - distance, order);
}
