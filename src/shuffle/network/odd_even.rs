//! The odd-even merge sorting network (Batcher, Sorting networks and their applications, AFIPS
//! 1968; Knuth, The Art of Computer Programming, volume 3, 5.3.4), for parts of any size.
//!
//! To merge two sorted sequences, the network merges their keys at even positions and their keys at
//! odd positions, and then compares neighbours.

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
    let lines: Vec<usize> = (0..lines).collect();
    let outputs = sort(&mut switches, &lines, &split);
    Network::sorting(switches, outputs)
}

/// Sorts the lines and returns them in the order of their keys.
fn sort(
    switches: &mut Vec<Switch>,
    lines: &[usize],
    split: &impl Fn(usize) -> usize,
) -> Vec<usize> {
    if lines.len() < 2 {
        return lines.to_vec();
    }
    let (first, second) = lines.split_at(split(lines.len()));
    let first = sort(switches, first, split);
    let second = sort(switches, second, split);
    merge(switches, &first, &second)
}

/// Merges two lists of lines, each in the order of its keys. Returns all lines in the order of
/// their keys.
fn merge(switches: &mut Vec<Switch>, first: &[usize], second: &[usize]) -> Vec<usize> {
    if first.is_empty() || second.is_empty() {
        return [first, second].concat();
    }
    if let (&[upper], &[lower]) = (first, second) {
        switches.push(Switch { upper, lower });
        return vec![upper, lower];
    }
    let part = |lines: &[usize], parity: usize| -> Vec<usize> {
        lines.iter().copied().skip(parity).step_by(2).collect()
    };
    let even = merge(switches, &part(first, 0), &part(second, 0));
    let odd = merge(switches, &part(first, 1), &part(second, 1));
    // The first even key is the smallest key. After it, the i-th odd key and the i-th of the other
    // even keys are neighbours, in either order.
    let mut merged = vec![even[0]];
    let mut even = even[1..].iter().copied();
    for upper in odd {
        merged.push(upper);
        if let Some(lower) = even.next() {
            switches.push(Switch { upper, lower });
            merged.push(lower);
        }
    }
    merged.extend(even);
    merged
}
