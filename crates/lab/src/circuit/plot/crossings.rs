//! The points where one shuffle becomes cheaper than another.

use std::cmp::Ordering;
use std::iter;

use dealerless::shuffle::Algorithm;
use serde::Serialize;

use super::curve::Curve;
use super::plan::{Plan, Sizes};

/// A crossing of two curves: from the number `from` on, `cheaper` has the lower curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Crossing {
    /// A number on the horizontal axis.
    pub(super) from: usize,
    pub(super) cheaper: Algorithm,
    pub(super) dearer: Algorithm,
    /// Whether `dearer` is the cheapest of all algorithms before `from`, and `cheaper` at `from`.
    pub(super) of_the_cheapest: bool,
}

/// The algorithms whose cost grows with each drawn card.
const PARTIAL: [Algorithm; 4] = [
    Algorithm::FisherYates,
    Algorithm::Bubble,
    Algorithm::Lehmer,
    Algorithm::Cut,
];

/// The algorithms that pass the whole deck through a network.
const NETWORKS: [Algorithm; 3] = [Algorithm::Bitonic, Algorithm::OddEven, Algorithm::Waksman];

/// The crossings of the shuffles in ascending order of the numbers: every change of the cheapest
/// shuffle, and the last crossing of each network with each partial shuffle.
///
/// A crossing between two neighbours of the plan's numbers is found by bisection. It is exact if
/// the order changes at most once between the neighbours.
pub(super) fn crossings(plan: &Plan, sizes: &mut Sizes<'_>) -> Vec<Crossing> {
    find(&plan.numbers, &plan.algorithms, |algorithm, number| {
        sizes.value(Curve::Shuffle(algorithm), number)
    })
}

fn find(
    numbers: &[usize],
    algorithms: &[Algorithm],
    mut ands: impl FnMut(Algorithm, usize) -> usize,
) -> Vec<Crossing> {
    let mut found = of_the_cheapest(numbers, algorithms, &mut ands);
    for pair in NETWORKS
        .map(|network| PARTIAL.map(|partial| [network, partial]))
        .concat()
    {
        if pair.iter().all(|algorithm| algorithms.contains(algorithm)) {
            let last = last_of_pair(numbers, pair, &mut ands);
            // Skip a crossing that was already found as a change of the cheapest algorithm.
            found.extend(last.filter(|last| {
                let as_change = Crossing {
                    of_the_cheapest: true,
                    ..*last
                };
                !found.contains(&as_change)
            }));
        }
    }
    // Crossings with the same number and the same cheaper algorithm become neighbours.
    found.sort_by_key(|crossing| {
        let place = (algorithms.iter()).position(|&algorithm| algorithm == crossing.cheaper);
        (crossing.from, place)
    });
    found
}

/// Every change of the cheapest algorithm. An equally cheap algorithm does not replace the
/// cheapest.
fn of_the_cheapest(
    numbers: &[usize],
    algorithms: &[Algorithm],
    ands: &mut impl FnMut(Algorithm, usize) -> usize,
) -> Vec<Crossing> {
    let mut found = Vec::new();
    // Lexicographic order: among algorithms that start equal, pick the one that is cheaper later.
    let first = (algorithms.iter().copied()).min_by_key(|&algorithm| -> Vec<usize> {
        (numbers.iter())
            .map(|&number| ands(algorithm, number))
            .collect()
    });
    let Some(mut incumbent) = first else {
        return found;
    };
    let mut cheapest = |number, incumbent| {
        let order = iter::once(incumbent).chain(algorithms.iter().copied());
        // `min_by_key` returns the first minimum, so the incumbent wins a tie.
        let cheapest = order.min_by_key(|&algorithm| ands(algorithm, number));
        cheapest.unwrap_or(incumbent)
    };
    for pair in numbers.windows(2) {
        let (mut before, end) = (pair[0], pair[1]);
        while cheapest(end, incumbent) != incumbent {
            let from = first_where(before, end, |number| {
                cheapest(number, incumbent) != incumbent
            });
            let cheaper = cheapest(from, incumbent);
            found.push(Crossing {
                from,
                cheaper,
                dearer: incumbent,
                of_the_cheapest: true,
            });
            (incumbent, before) = (cheaper, from);
        }
    }
    found
}

/// The last crossing of a pair of algorithms.
fn last_of_pair(
    numbers: &[usize],
    pair: [Algorithm; 2],
    ands: &mut impl FnMut(Algorithm, usize) -> usize,
) -> Option<Crossing> {
    let mut order = |number| ands(pair[0], number).cmp(&ands(pair[1], number));
    let at_the_end = order(*numbers.last()?);
    let [cheaper, dearer] = match at_the_end {
        Ordering::Less => pair,
        Ordering::Equal => return None,
        Ordering::Greater => [pair[1], pair[0]],
    };
    let before = (numbers.iter()).rposition(|&number| order(number) == at_the_end.reverse())?;
    let after = numbers[before..]
        .iter()
        .find(|&&number| order(number) == at_the_end)?;
    let from = first_where(numbers[before], *after, |number| {
        order(number) == at_the_end
    });
    Some(Crossing {
        from,
        cheaper,
        dearer,
        of_the_cheapest: false,
    })
}

/// The first number at which `holds` is true, by bisection between `before`, where it is false, and
/// `end`, where it is true.
fn first_where(before: usize, end: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    let (mut without, mut with) = (before, end);
    while with - without > 1 {
        let middle = without.midpoint(with);
        if holds(middle) {
            with = middle;
        } else {
            without = middle;
        }
    }
    with
}

#[cfg(test)]
mod tests {
    use super::*;

    const FISHER_YATES: Algorithm = Algorithm::FisherYates;
    const WAKSMAN: Algorithm = Algorithm::Waksman;

    fn crossing(from: usize, cheaper: Algorithm, dearer: Algorithm) -> Crossing {
        Crossing {
            from,
            cheaper,
            dearer,
            of_the_cheapest: true,
        }
    }

    #[test]
    fn crossing_between_two_numbers_is_exact_and_found_once() {
        let ands = |algorithm, m: usize| match algorithm {
            FISHER_YATES => m * m,
            _ => 1000 + m,
        };
        for numbers in [vec![1, 100], (1..=100).collect(), vec![20, 32, 33, 50]] {
            let found = find(&numbers, &[FISHER_YATES, WAKSMAN], ands);
            // 32² = 1024 < 1032, and 33² = 1089 > 1033.
            assert_eq!(found, [crossing(33, WAKSMAN, FISHER_YATES)]);
        }
        assert_eq!(find(&[1, 30], &[FISHER_YATES, WAKSMAN], ands), []);
    }

    #[test]
    fn two_changes_of_the_cheapest_between_two_numbers_are_found() {
        let algorithms = [FISHER_YATES, Algorithm::Bubble, WAKSMAN];
        let found = find(&[1, 1000], &algorithms, |algorithm, m| match algorithm {
            FISHER_YATES => 3 * m,
            Algorithm::Bubble => 2 * m + 10,
            _ => m + 40,
        });
        assert_eq!(
            found,
            [
                crossing(11, Algorithm::Bubble, FISHER_YATES),
                Crossing {
                    of_the_cheapest: false,
                    ..crossing(21, WAKSMAN, FISHER_YATES)
                },
                crossing(31, WAKSMAN, Algorithm::Bubble),
            ]
        );
    }

    #[test]
    fn every_network_crosses_every_other_shuffle() {
        for partial in PARTIAL {
            for network in NETWORKS {
                let algorithms = [partial, network, Algorithm::Waksman];
                let found = find(&[1, 50], &algorithms, |algorithm, m| match algorithm {
                    Algorithm::Waksman if network != Algorithm::Waksman => 1,
                    algorithm if algorithm == network => 100,
                    _ => 10 * m,
                });
                let crossing = Crossing {
                    of_the_cheapest: network == Algorithm::Waksman,
                    ..crossing(11, network, partial)
                };
                assert!(found.contains(&crossing), "{network} {partial} {found:?}");
            }
        }
    }

    #[test]
    fn algorithms_that_start_equal_do_not_cross() {
        assert_eq!(
            find(
                &[1, 5],
                &[FISHER_YATES, Algorithm::Bubble],
                |algorithm, m| match algorithm {
                    FISHER_YATES => m * m,
                    _ => m,
                }
            ),
            []
        );
    }

    #[test]
    fn equal_cost_is_not_a_crossing() {
        // Bubble, the first in the list, equals Waksman at 5 only.
        for numbers in [vec![1, 5, 9], (1..=9).collect()] {
            assert_eq!(
                find(
                    &numbers,
                    &[Algorithm::Bubble, WAKSMAN],
                    |algorithm, m| match algorithm {
                        Algorithm::Bubble => 10 + m.abs_diff(5),
                        _ => 10,
                    }
                ),
                []
            );
        }
    }
}
