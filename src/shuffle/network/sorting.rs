//! Shared parts of the sorting networks: the split into parts, and routing by sorting.

use subtle::{ConditionallySelectable, ConstantTimeGreater};
use zeroize::Zeroizing;

use super::{Network, Routing, Switch};

/// The number of lines of the first part, for at least 2 lines: half of them.
///
/// This gives the fewest switches. It is used for the evaluator's copy, whose items are unknown.
pub(super) fn halves(lines: usize) -> usize {
    lines / 2
}

/// The number of lines of the first part, for at least 2 lines: the largest power of 2 below
/// `lines`.
///
/// The parts are blocks in which constants differ in few bits. This gives the fewest ANDs for the
/// garbler's copy, which acts on constants.
pub(super) fn aligned(lines: usize) -> usize {
    lines.next_power_of_two() / 2
}

/// Splits the whole network after its first `part` lines, and all smaller parts into halves.
pub(super) fn in_parts(lines: usize, part: usize) -> impl Fn(usize) -> usize {
    move |size| if size == lines { part } else { halves(size) }
}

/// Routes by sorting, with the destination of each input as its key.
pub(super) fn route(network: &Network, permutation: &[u32]) -> Zeroizing<Vec<bool>> {
    let mut keys = Zeroizing::new(vec![0; permutation.len()]);
    for (destination, &input) in (0..).zip(permutation) {
        keys[input as usize] = destination;
    }
    let setting = (network.switches.iter())
        .map(|&switch| compare_exchange(&mut keys, switch))
        .collect();
    Zeroizing::new(setting)
}

/// Routes by sorting from the last switch to the first, with the origin of each output as its key.
pub(super) fn route_flipped(network: &Network, permutation: &[u32]) -> Zeroizing<Vec<bool>> {
    let mut keys = Zeroizing::new(vec![0; permutation.len()]);
    for (&line, &origin) in network.outputs.iter().zip(permutation) {
        keys[line] = origin;
    }
    let mut setting = Zeroizing::new(vec![false; network.switches.len()]);
    for (bit, &switch) in setting.iter_mut().zip(&network.switches).rev() {
        *bit = compare_exchange(&mut keys, switch);
    }
    setting
}

/// Puts the smaller key on the upper line and returns whether that took an exchange. Runs in
/// constant time.
fn compare_exchange(keys: &mut [u32], Switch { upper, lower }: Switch) -> bool {
    let (mut first, mut second) = (keys[upper], keys[lower]);
    let exchange = first.ct_gt(&second);
    u32::conditional_swap(&mut first, &mut second, exchange);
    (keys[upper], keys[lower]) = (first, second);
    exchange.into()
}

/// The flipped sorting network, with its switches in reverse order. It is also a permutation
/// network: the setting that sorts a permutation forwards produces that permutation backwards.
///
/// The lines get the numbers of the sorting network's outputs, so that input i enters on line i.
pub(super) fn flipped(sorter: Network) -> Network {
    let mut renamed = vec![0; sorter.lines()];
    for (output, &line) in sorter.outputs.iter().enumerate() {
        renamed[line] = output;
    }
    let switches = (sorter.switches.iter().rev())
        .map(|&Switch { upper, lower }| Switch {
            upper: renamed[upper],
            lower: renamed[lower],
        })
        .collect();
    Network {
        switches,
        outputs: renamed,
        routing: Routing::Flipped,
    }
}

/// The flipped network that needs fewer switches for m outputs: either the network that is split in
/// halves, or the network whose first part has m lines. `network` builds the network for a split.
///
/// A flipped sorting network begins with the merge, and then permutes each part. If all wanted
/// outputs are in one part, the switches of the other part are not needed.
pub(super) fn flipped_for(
    lines: usize,
    m: usize,
    network: impl Fn(usize, &dyn Fn(usize) -> usize) -> Network,
) -> Network {
    let in_halves = flipped(network(lines, &halves));
    if m == lines {
        return in_halves;
    }
    let cut = flipped(network(lines, &in_parts(lines, m)));
    if cut.needed(m).len() < in_halves.needed(m).len() {
        cut
    } else {
        in_halves
    }
}
