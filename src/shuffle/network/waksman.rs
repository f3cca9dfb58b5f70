//! The Waksman network (Waksman, A permutation network, Journal of the ACM 1968) for any number of
//! lines (Beauquier and Darrot, On arbitrary size Waksman networks and their vulnerability, 2002).
//!
//! A network on n lines begins with a layer of switches on pairs of inputs. One line of each pair
//! goes to the *upper* inner network, on floor(n/2) lines, and the other to the *lower* one, on
//! ceil(n/2) lines. The network ends with a layer of switches on pairs of outputs, one line from
//! each inner network. If n is odd, the last input goes to the lower network, and one output of the
//! lower network has no switch. If n is even, one pair of outputs needs no switch. The number of
//! switches is the sum of ceil(log2 i) for i = 1..n.
//!
//! The pairing of the outputs, and the output or pair without a switch, can be chosen freely. If m
//! outputs are wanted, they are paired with each other, so that each inner network has half of
//! them. If m is odd, the last wanted output has no switch. For one wanted output, this leaves n -
//! 1 switches, the minimum of any network.

use zeroize::{Zeroize, Zeroizing};

use super::{Copies, Network, Routing, Switch};

pub(in crate::shuffle) const COPIES: Copies = Copies {
    garbler: |lines| network(lines, lines),
    evaluator: network,
};

/// The network on `lines` lines, laid out for its first `wanted` outputs.
pub(super) fn network(lines: usize, wanted: usize) -> Network {
    let mut switches = Vec::new();
    let mut blocks = vec![Block::new(lines, wanted, 0)];
    let mut block_lines: Vec<Vec<usize>> = vec![(0..lines).collect()];
    let mut end = lines;
    // Breadth first: the layers of input switches, from the outermost.
    let mut next = 0;
    while next < blocks.len() {
        let inputs = &block_lines[next];
        let upper = inputs.chunks_exact(2).map(|pair| pair[0]);
        let lower = inputs.chunks(2).map(|pair| pair[pair.len() - 1]);
        let (upper, lower): (Vec<usize>, Vec<usize>) = (upper.collect(), lower.collect());
        let number = blocks.len();
        let block = &mut blocks[next];
        if block.size > 1 {
            block.inner = number;
            block.first_input_switch = switches.len();
            for (&upper, &lower) in upper.iter().zip(&lower) {
                switches.push(Switch { upper, lower });
            }
            let wanted = [block.wanted / 2, block.wanted.div_ceil(2)];
            for (lines, wanted) in [upper, lower].into_iter().zip(wanted) {
                blocks.push(Block::new(lines.len(), wanted, end));
                end += lines.len();
                block_lines.push(lines);
            }
        }
        next += 1;
    }
    // Then the layers of output switches, from the innermost. The entry of a block in `block_lines`
    // becomes the lines of its outputs.
    for number in (0..blocks.len()).rev() {
        let block = &mut blocks[number];
        if block.size == 1 {
            continue;
        }
        block.first_output_switch = switches.len();
        let mut outputs = vec![0; block.size];
        for pair in &block.output_pairs {
            let lines = [UPPER, LOWER]
                .map(|side| block_lines[block.inner + side][pair.inner[side] as usize]);
            for (place, line) in pair.outputs.into_iter().zip(lines) {
                outputs[place as usize] = line;
            }
            if pair.switched {
                let [upper, lower] = lines;
                switches.push(Switch { upper, lower });
            }
        }
        if let Some(alone) = block.output_alone() {
            outputs[2 * alone] = block_lines[block.inner + LOWER][alone];
        }
        block_lines[number] = outputs;
    }
    Network {
        outputs: block_lines.swap_remove(0),
        routing: Routing::Looping(Blocks {
            blocks,
            end,
            switches: switches.len(),
        }),
        switches,
    }
}

/// The nested networks.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// The whole network first, and each network before its inner ones.
    blocks: Vec<Block>,
    /// The total number of lines of all blocks.
    end: usize,
    switches: usize,
}

/// A network within the network. A network on a single line has no switches and no inner networks.
#[derive(Clone, Debug)]
struct Block {
    size: usize,
    /// The number of outputs that are wanted, from the first.
    wanted: usize,
    /// The total number of lines of all blocks before this one.
    start: usize,
    /// The number of the upper inner block. The lower inner block has the next number.
    inner: usize,
    first_input_switch: usize,
    first_output_switch: usize,
    output_pairs: Vec<OutputPair>,
}

/// Two outputs of a block, one from each inner block, in the order of [`UPPER`] and [`LOWER`].
#[derive(Clone, Copy, Debug)]
struct OutputPair {
    /// The numbers of the outputs of the inner blocks.
    inner: [u32; 2],
    /// The outputs of the block that carry these inner outputs if the switch does not exchange
    /// them.
    outputs: [u32; 2],
    switched: bool,
}

const UPPER: usize = 0;
const LOWER: usize = 1;

impl Block {
    fn new(size: usize, wanted: usize, start: usize) -> Self {
        let mut block = Self {
            size,
            wanted,
            start,
            inner: 0,
            first_input_switch: 0,
            first_output_switch: 0,
            output_pairs: Vec::new(),
        };
        block.output_pairs = (0..size / 2).map(|pair| block.output_pair(pair)).collect();
        block
    }

    /// For a block of odd size, the number of the output of the lower inner block that has no
    /// partner. If an odd number of outputs is wanted, it becomes the last wanted output of the
    /// block. Since only pairs come before it, its number in the block is twice its number in the
    /// inner block.
    fn output_alone(&self) -> Option<usize> {
        let odd_one_out = match self.wanted % 2 {
            1 => self.wanted / 2,
            _ => self.size / 2,
        };
        (self.size % 2 == 1).then_some(odd_one_out)
    }

    fn output_pair(&self, pair: usize) -> OutputPair {
        let shift = usize::from(self.output_alone().is_some_and(|alone| pair >= alone));
        let first = 2 * pair + shift;
        // In a block of even size, the last pair with a wanted output has no switch. If only one
        // output of this pair is wanted, the output of the lower inner block becomes the wanted
        // output.
        let last_wanted = self.wanted.saturating_sub(1) / 2;
        let switched = self.size % 2 == 1 || pair != last_wanted;
        let outputs = match (switched, self.wanted % 2) {
            (false, 1) => [first + 1, first],
            _ => [first, first + 1],
        };
        OutputPair {
            inner: [pair as u32, (pair + shift) as u32],
            outputs: outputs.map(|output| output as u32),
            switched,
        }
    }
}

impl Blocks {
    /// Runs the looping algorithm, block by block.
    pub(super) fn route(&self, permutation: &[u32]) -> Zeroizing<Vec<bool>> {
        let mut setting = Zeroizing::new(vec![false; self.switches]);
        let mut permutations = Zeroizing::new(vec![0; self.end]);
        permutations[..permutation.len()].copy_from_slice(permutation);
        let mut loops = Loops::default();
        for block in self.blocks.iter().filter(|block| block.size > 1) {
            let (before, inner) = permutations.split_at_mut(self.blocks[block.inner].start);
            let permutation = &before[block.start..][..block.size];
            loops.close(block, permutation);
            loops.set(block, permutation, &mut setting, inner);
        }
        setting
    }
}

/// Finds the inner block that each output of a block comes from. Of each pair of outputs and of
/// each pair of inputs, one goes through the upper block and one through the lower block.
#[derive(Default)]
struct Loops {
    /// The inverse of the permutation.
    output_of: Vec<u32>,
    /// For each output, the other output of its pair.
    partner: Vec<Option<u32>>,
    /// For each output, its inner block ([`UPPER`] or [`LOWER`]), once it is decided.
    sides: Vec<Option<usize>>,
}

impl Loops {
    fn close(&mut self, block: &Block, permutation: &[u32]) {
        self.output_of.resize(permutation.len(), 0);
        for (output, &input) in (0..).zip(permutation) {
            self.output_of[input as usize] = output;
        }
        self.partner.clear();
        self.partner.resize(permutation.len(), None);
        for pair in &block.output_pairs {
            let [upper, lower] = pair.outputs;
            self.partner[upper as usize] = Some(lower);
            self.partner[lower as usize] = Some(upper);
        }
        self.sides.clear();
        self.sides.resize(permutation.len(), None);
        // An output or pair without a switch determines the sides in its loop. In other loops, the
        // first side is arbitrary.
        if let Some(alone) = block.output_alone() {
            self.follow(permutation, 2 * alone, LOWER);
        }
        for pair in block.output_pairs.iter().filter(|pair| !pair.switched) {
            self.follow(permutation, pair.outputs[UPPER] as usize, UPPER);
        }
        for output in 0..permutation.len() {
            self.follow(permutation, output, UPPER);
        }
    }

    /// Sends `output` through the inner block `side`, if its block is not decided yet. Then the
    /// input paired with the input of `output` must go through the other block, and the output of
    /// that input too. The partner of that output must go through `side` again. This continues
    /// until the loop closes or ends at a line without a partner.
    fn follow(&mut self, permutation: &[u32], mut output: usize, side: usize) {
        while self.sides[output].is_none() {
            self.sides[output] = Some(side);
            let paired_input = permutation[output] ^ 1;
            let Some(&other) = self.output_of.get(paired_input as usize) else {
                return;
            };
            self.sides[other as usize] = Some(1 - side);
            let Some(partner) = self.partner[other as usize] else {
                return;
            };
            output = partner as usize;
        }
    }

    /// Sets the switches of the block's two outer layers. Writes the permutations of its inner
    /// blocks to `inner`, one after the other.
    fn set(&self, block: &Block, permutation: &[u32], setting: &mut [bool], inner: &mut [u32]) {
        let exchanged = |output: u32| self.sides[output as usize] == Some(LOWER);
        for pair in 0..block.size / 2 {
            setting[block.first_input_switch + pair] = exchanged(self.output_of[2 * pair]);
        }
        let (upper, lower) = inner.split_at_mut(block.size / 2);
        let mut switch = block.first_output_switch;
        for pair in &block.output_pairs {
            let exchanged = exchanged(pair.outputs[UPPER]);
            if pair.switched {
                setting[switch] = exchanged;
                switch += 1;
            }
            let origin = |side: usize| {
                let place = pair.outputs[side ^ usize::from(exchanged)];
                permutation[place as usize] / 2
            };
            upper[pair.inner[UPPER] as usize] = origin(UPPER);
            lower[pair.inner[LOWER] as usize] = origin(LOWER);
        }
        if let Some(alone) = block.output_alone() {
            lower[alone] = permutation[2 * alone] / 2;
        }
    }
}

impl Drop for Loops {
    fn drop(&mut self) {
        self.output_of.zeroize();
        self.sides.zeroize();
    }
}
