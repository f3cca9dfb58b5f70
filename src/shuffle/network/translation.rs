//! Switches of the garbler's copy that cost nothing, since that copy acts on constants.
//!
//! A *block* is 2^k neighbouring lines whose first line number is divisible by 2^k. When the deck
//! enters the network, line i carries card i. So the cards of a block differ only in their k low
//! bits, and the cards of its two halves differ in bit k - 1.
//!
//! Many networks treat a block as follows. First they permute each half internally, both by the
//! same switches. Then comes a *crossing layer*: one switch between each line of the lower half and
//! its *fellow*, the line 2^(k-1) above it. If all switches of the crossing layer exchange, the two
//! halves change places. The same effect is possible without the crossing layer:
//!
//! 1. Flip bit k - 1 of each card in the block when the deck enters. Now each half has the cards of
//!    the other half.
//! 2. Swap the control bits of the switches in the two halves. Each half now permutes its cards as
//!    the other half would have done.
//!
//! Step 1 is free: the cards are constants, so the flip is an XOR with a control bit. Step 2 is
//! also free: the garbler knows these control bits and enters them in swapped order.
//!
//! So the first switch of each crossing layer is left out. Its control bit f becomes a
//! *translation*: if f is 1, both steps are done, and the garbler flips the other control bits of
//! the crossing layer. If the halves are single lines, the crossing layer is one switch. So the
//! first switch between two neighbours is always free.

use std::ops::Range;

use super::Network;

/// A switch that is left out, and the effect of its control bit.
#[derive(Clone, Debug)]
pub(super) struct Translation {
    /// The number of the switch.
    pub(super) switch: usize,
    /// The lines of the block, which are also its cards.
    pub(super) block: Range<usize>,
    /// k - 1, the bit of the cards that the translation flips.
    pub(super) bit: usize,
    /// The other switches of the crossing layer.
    crossing: Vec<usize>,
    /// The switches before the crossing layer, as pairs with one switch in each half.
    fellows: Vec<(usize, usize)>,
}

/// The translations of a network, larger blocks first. Takes one pass over the switches for each
/// power of 2 up to the number of lines.
pub(super) fn translations(network: &Network) -> Vec<Translation> {
    let sizes = (1..).take_while(|k| 1 << k <= network.lines());
    let mut translations: Vec<Translation> = sizes
        .flat_map(|k| {
            let mut scans: Vec<Scan> = (0..network.lines() >> k).map(|_| Scan::new(k)).collect();
            for (number, switch) in network.switches().iter().enumerate() {
                // In ascending order, since a switch has no direction.
                let (upper, lower) = (switch.upper, switch.lower);
                let lines = [upper.min(lower), upper.max(lower)];
                for block in [lines[0] >> k, lines[1] >> k] {
                    if let Some(scan) = scans.get_mut(block) {
                        scan.pass(number, lines.map(|line| line.wrapping_sub(block << k)));
                    }
                }
            }
            (scans.into_iter().enumerate())
                .filter_map(move |(block, scan)| scan.finish(block << k, k))
        })
        .collect();
    translations.reverse();
    translations
}

/// The scan state of one block. Lines are counted from the first line of the block.
struct Scan {
    /// The number of lines in one half.
    half: usize,
    /// Whether each line of the lower half has had its switch with its fellow.
    crossed: Vec<bool>,
    crossing: Vec<usize>,
    /// The switches within each half before the crossing layer, with their lines.
    inside: [Vec<(usize, [usize; 2])>; 2],
    /// Whether a line had a switch with a line of another block, or with a wrong line of the other
    /// half, before the switch with its fellow.
    broken: bool,
}

impl Scan {
    fn new(k: usize) -> Self {
        let half = 1 << (k - 1);
        Self {
            half,
            crossed: vec![false; half],
            crossing: Vec::new(),
            inside: [Vec::new(), Vec::new()],
            broken: false,
        }
    }

    /// Processes the next switch that touches the block.
    fn pass(&mut self, number: usize, lines: [usize; 2]) {
        let half = self.half;
        match lines.map(|line| line >= 2 * half || self.crossed[line % half]) {
            // After the crossing layer, or already seen from its other line.
            [true, true] => return,
            [false, false] => {}
            _ => {
                self.broken = true;
                return;
            }
        }
        let sides = lines.map(|line| line / half);
        if sides[0] == sides[1] {
            let inside = &mut self.inside[sides[0]];
            if inside.last().is_none_or(|&(last, _)| last != number) {
                inside.push((number, lines.map(|line| line % half)));
            }
        } else if lines[0].abs_diff(lines[1]) == half {
            self.crossed[lines[0] % half] = true;
            self.crossing.push(number);
        } else {
            self.broken = true;
        }
    }

    fn finish(self, first: usize, k: usize) -> Option<Translation> {
        let [lower, upper] = self.inside;
        let alike = lower
            .iter()
            .map(|(_, lines)| lines)
            .eq(upper.iter().map(|(_, lines)| lines));
        if self.broken || self.crossing.len() < self.half || !alike {
            return None;
        }
        let (switch, crossing) = self.crossing.split_first()?;
        Some(Translation {
            switch: *switch,
            block: first..first + (1 << k),
            bit: k - 1,
            crossing: crossing.to_vec(),
            fellows: (lower.iter().zip(&upper))
                .map(|(lower, upper)| (lower.0, upper.0))
                .collect(),
        })
    }
}

/// Converts a setting of the network to one in which the bits of the replaced switches are
/// translations. Runs in constant time.
pub(super) fn translate(translations: &[Translation], setting: &mut [bool]) {
    for translation in translations {
        let flip = setting[translation.switch];
        for &switch in &translation.crossing {
            setting[switch] ^= flip;
        }
        for &(lower, upper) in &translation.fellows {
            let change = flip & (setting[lower] ^ setting[upper]);
            setting[lower] ^= change;
            setting[upper] ^= change;
        }
    }
}
