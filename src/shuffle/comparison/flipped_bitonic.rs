//! Can a bitonic network be cut to m of n outputs by flipping it, so that the merge comes first,
//! and dropping half-cleaners? The literature leaves this open. This file counts the switches.

use crate::shuffle::network::{self, Switch};

/// The numbers of switches of a bitonic network on n lines with m wanted outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BitonicCut {
    /// The sorting network, pruned backwards from the first m outputs.
    pruned: usize,
    /// The flipped network with unchanged halves, pruned backwards from the first m outputs.
    flipped: usize,
    /// The flipped network with a first part of m lines, so that the sorting of the other part is
    /// dropped.
    ///
    /// For powers of 2 and m < n: n/2 log2 m + n - m switches of the first merge, and m/4 log2 m
    /// (log2 m + 1) switches to order the m lines.
    flipped_and_cut: usize,
    /// For reference: the switches that a Waksman network laid out for m outputs needs.
    waksman: usize,
}

/// Counts the switches that `wanted` of n outputs need.
///
/// # Panics
/// Panics if there are fewer than 2 lines, or if `wanted` is not between 1 and n.
fn bitonic_cut(lines: usize, wanted: usize) -> BitonicCut {
    assert!(lines >= 2, "at least two lines");
    let part = |part: usize| network::flipped_bitonic(lines, part).needed(wanted).len();
    let flipped = part(lines / 2);
    BitonicCut {
        pruned: network::bitonic(lines).needed(wanted).len(),
        flipped,
        flipped_and_cut: if wanted < lines {
            part(wanted)
        } else {
            flipped
        },
        waksman: network::waksman_for(lines, wanted).needed(wanted).len(),
    }
}

/// The part of a flipped bitonic network on 2^k lines that suffices to produce every permutation.
/// All merges except the first lose all layers except the last, which is the half-cleaner proper.
///
/// The remaining switches are the network of Beneš: layers of distance 1, 2, …, n/2, n/4, …, 1. The
/// first and the last layer have switches between even and odd lines. Between them, the even lines
/// are permuted by such a network of half the size, and so are the odd lines. Waksman's rule drops
/// n/2 - 1 more switches.
fn thinned_bitonic(k: u32) -> Vec<Switch> {
    let lines = 1usize << k;
    let first_merge = (0..k).map(|i| 1 << i);
    let half_cleaners = (1..k).rev().map(|i| 1 << (i - 1));
    first_merge
        .chain(half_cleaners)
        .flat_map(|distance| {
            (0..lines)
                .filter(move |line| line & distance == 0)
                .map(move |upper| Switch {
                    upper,
                    lower: upper + distance,
                })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn cut_follows_its_formula() {
        for k in 1..=8 {
            let n = 1 << k;
            for a in 0..k {
                let m = 1 << a;
                let cut = bitonic_cut(n, m);
                let sort = m * a * (a + 1) / 4;
                assert_eq!(cut.flipped_and_cut, n / 2 * a + n - m + sort, "{m} of {n}");
                // Both halves sorted, one half-cleaner for each halving down to m, and a last
                // merge.
                let halves = n * k * (k - 1) / 4;
                assert_eq!(cut.pruned, halves + n - m + m / 2 * a, "{m} of {n}");
            }
        }
    }

    #[test]
    fn outputs_of_52_lines_need_the_known_numbers_of_switches() {
        let counts = |m| {
            let cut = bitonic_cut(52, m);
            [cut.pruned, cut.flipped, cut.flipped_and_cut, cut.waksman]
        };
        assert_eq!(counts(1), [377, 228, 51, 51]);
        assert_eq!(counts(5), [381, 232, 114, 109]);
        assert_eq!(counts(9), [389, 244, 150, 134]);
        assert_eq!(counts(20), [410, 296, 246, 169]);
        assert_eq!(counts(26), [421, 303, 303, 192]);
        assert_eq!(counts(52), [466, 466, 466, 249]);
    }

    #[test]
    fn flipped_network_without_half_cleaners_keeps_every_permutation() {
        for k in 1..=3 {
            let n = 1 << k;
            let thinned = thinned_bitonic(k);
            assert_eq!(thinned.len(), n / 2 * (2 * k as usize - 1));
            let flipped = network::flipped_bitonic(n, n / 2);
            for line in 0..n {
                let mut in_flipped = partners(line, flipped.switches()).into_iter();
                let kept = partners(line, &thinned);
                assert!((kept.into_iter()).all(|line| in_flipped.any(|other| other == line)));
            }
            let mut reached: HashSet<Vec<usize>> = HashSet::from([(0..n).collect()]);
            for Switch { upper, lower } in thinned {
                let exchanged: Vec<_> = (reached.iter())
                    .map(|lines| {
                        let mut lines = lines.clone();
                        lines.swap(upper, lower);
                        lines
                    })
                    .collect();
                reached.extend(exchanged);
            }
            assert_eq!(reached.len(), (1..=n).product::<usize>());
        }
    }

    /// The lines that have a switch with `line`, in order.
    fn partners(line: usize, switches: &[Switch]) -> Vec<usize> {
        (switches.iter())
            .filter_map(|&Switch { upper, lower }| match line {
                _ if line == upper => Some(lower),
                _ if line == lower => Some(upper),
                _ => None,
            })
            .collect()
    }
}
