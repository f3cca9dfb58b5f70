//! The Waksman network (Waksman, A permutation network, Journal of the ACM 1968) for any number of
//! lines (Beauquier and Darrot, On arbitrary size Waksman networks and their vulnerability, 2002).
//!
//! A network on n lines is a layer of switches on pairs of inputs, of which one line goes to the
//! *upper* network on floor(n/2) lines and one to the *lower* one on ceil(n/2); and then a layer of
//! switches on pairs of outputs, one line from each. The last input of an odd number goes to the
//! lower network, and one of its outputs leaves alone. For an even number, one pair of outputs needs
//! no switch. That makes sum of ceil(log2 i) switches for i = 1..n.
//!
//! Which pair it is and which outputs are paired is free, so a network of which m outputs are
//! wanted is drawn for them: the wanted outputs are paired with each other, so that each of the
//! two inner networks has half of them, and an odd one out is at the place without a switch. With
//! one output that leaves n - 1 switches, the least that any network has.

use zeroize::Zeroizing;

use super::{Network, Routing, Switch};

/// The network on so many lines, drawn for its first `wanted` outputs.
pub(super) fn network(lines: usize, wanted: usize) -> Network {
    let mut switches = Vec::new();
    let mut blocks = vec![Block::new(lines, wanted)];
    let mut block_lines: Vec<Vec<usize>> = vec![(0..lines).collect()];
    // Breadth first: the layers of input switches, from the outermost.
    let mut next = 0;
    while next < blocks.len() {
        let block = &mut blocks[next];
        if block.size > 1 {
            let inputs = &block_lines[next];
            block.first_input_switch = switches.len();
            for pair in inputs.chunks_exact(2) {
                let (upper, lower) = (pair[0], pair[1]);
                switches.push(Switch { upper, lower });
            }
            let upper = inputs.chunks_exact(2).map(|pair| pair[0]).collect();
            let lower = inputs.chunks(2).map(|pair| pair[pair.len() - 1]).collect();
            let inner = [block.half(), block.size - block.half()];
            let wanted = [block.wanted / 2, block.wanted.div_ceil(2)];
            block_lines.extend([upper, lower]);
            blocks[next].inner = blocks.len();
            blocks.extend([0, 1].map(|side| Block::new(inner[side], wanted[side])));
        }
        next += 1;
    }
    // Then the layers of output switches, from the innermost. The lines of a block become those of
    // its outputs.
    for number in (0..blocks.len()).rev() {
        let block = &mut blocks[number];
        if block.size > 1 {
            let inner = block.inner;
            block.first_output_switch = switches.len();
            let mut outputs = vec![0; block.size];
            for pair in block.output_pairs() {
                let lines = [0, 1].map(|side| block_lines[inner + side][pair.inner[side]]);
                for (place, line) in pair.outputs.into_iter().zip(lines) {
                    outputs[place] = line;
                }
                if pair.switched {
                    let [upper, lower] = lines;
                    switches.push(Switch { upper, lower });
                }
            }
            if let Some(alone) = block.output_alone() {
                outputs[2 * alone] = block_lines[inner + 1][alone];
            }
            block_lines[number] = outputs;
        }
    }
    Network {
        switches,
        outputs: block_lines.swap_remove(0),
        routing: Routing::Looping(Blocks(blocks)),
    }
}

/// The networks within each other: the whole first, and each before its inner ones.
#[derive(Clone, Debug)]
pub(super) struct Blocks(Vec<Block>);

/// A network within the network. One on a single line has no switch and no inner networks.
#[derive(Clone, Debug)]
struct Block {
    size: usize,
    /// The first so many outputs are wanted.
    wanted: usize,
    /// The number of the upper inner block. The lower one is next.
    inner: usize,
    first_input_switch: usize,
    first_output_switch: usize,
}

/// Two outputs of a block, one from each inner block. What is in order 0 is of the upper one.
struct OutputPair {
    /// The outputs of the inner blocks.
    inner: [usize; 2],
    /// The places among the outputs of the block at which they leave if not exchanged.
    outputs: [usize; 2],
    switched: bool,
}

impl Block {
    fn new(size: usize, wanted: usize) -> Self {
        Self {
            size,
            wanted,
            inner: 0,
            first_input_switch: 0,
            first_output_switch: 0,
        }
    }

    /// The number of pairs.
    fn half(&self) -> usize {
        self.size / 2
    }

    fn is_odd(&self) -> bool {
        self.size % 2 == 1
    }

    /// The lower output that leaves alone, of an odd block: the last one wanted, if their number is
    /// odd. All pairs before it are wanted, so it leaves at twice its number.
    fn output_alone(&self) -> Option<usize> {
        let alone = if self.wanted % 2 == 1 {
            self.wanted / 2
        } else {
            self.half()
        };
        self.is_odd().then_some(alone)
    }

    /// The pair without a switch, of an even block: the last one with a wanted output.
    fn unswitched(&self) -> Option<usize> {
        (!self.is_odd()).then_some(self.wanted.saturating_sub(1) / 2)
    }

    fn output_pairs(&self) -> impl Iterator<Item = OutputPair> {
        let (alone, unswitched) = (self.output_alone(), self.unswitched());
        let wanted = self.wanted;
        (0..self.half()).map(move |pair| {
            let shift = usize::from(alone.is_some_and(|alone| pair >= alone));
            let switched = unswitched != Some(pair);
            let first = 2 * pair + shift;
            let outputs = if !switched && wanted % 2 == 1 {
                // Of this pair only the lower line is wanted, so it leaves first.
                [first + 1, first]
            } else {
                [first, first + 1]
            };
            OutputPair {
                inner: [pair, pair + shift],
                outputs,
                switched,
            }
        })
    }
}

const UPPER: usize = 0;
const LOWER: usize = 1;

impl Blocks {
    /// The looping algorithm, block by block.
    pub(super) fn route(&self, permutation: &[u32]) -> Zeroizing<Vec<bool>> {
        let switches = self.0.iter().map(|block| match block.size {
            0 | 1 => 0,
            size => block.half() + block.half() - usize::from(size.is_multiple_of(2)),
        });
        let mut setting = Zeroizing::new(vec![false; switches.sum()]);
        let mut permutations = vec![Zeroizing::new(Vec::new()); self.0.len()];
        permutations[0] = Zeroizing::new(permutation.to_vec());
        for (number, block) in self.0.iter().enumerate() {
            if block.size > 1 {
                let permutation = std::mem::take(&mut permutations[number]);
                let inner = block.route(&permutation, &mut setting);
                for (side, permutation) in inner.into_iter().enumerate() {
                    permutations[block.inner + side] = permutation;
                }
            }
        }
        setting
    }
}

impl Block {
    /// Sets the switches of the two outer layers, and gives the permutations of the inner blocks.
    fn route(&self, permutation: &[u32], setting: &mut [bool]) -> [Zeroizing<Vec<u32>>; 2] {
        let loops = Loops::new(self, permutation);
        for (pair, bit) in setting[self.first_input_switch..][..self.half()]
            .iter_mut()
            .enumerate()
        {
            let first = loops.output_of[2 * pair] as usize;
            *bit = loops.sides[first] == Some(LOWER);
        }
        let mut inner =
            [self.half(), self.size - self.half()].map(|size| Zeroizing::new(vec![0; size]));
        let mut switch = self.first_output_switch;
        for pair in self.output_pairs() {
            let exchanged = loops.sides[pair.outputs[UPPER]] == Some(LOWER);
            if pair.switched {
                setting[switch] = exchanged;
                switch += 1;
            }
            for side in [UPPER, LOWER] {
                let place = pair.outputs[side ^ usize::from(exchanged)];
                inner[side][pair.inner[side]] = permutation[place] / 2;
            }
        }
        if let Some(alone) = self.output_alone() {
            inner[LOWER][alone] = permutation[2 * alone] / 2;
        }
        inner
    }
}

/// Which inner block each output comes from: of each pair of outputs and of each pair of inputs,
/// one goes through the upper block and one through the lower.
struct Loops<'a> {
    permutation: &'a [u32],
    /// The inverse of the permutation.
    output_of: Zeroizing<Vec<u32>>,
    /// The other output of the pair.
    partner: Vec<Option<usize>>,
    sides: Zeroizing<Vec<Option<usize>>>,
}

impl<'a> Loops<'a> {
    fn new(block: &Block, permutation: &'a [u32]) -> Self {
        let mut output_of = Zeroizing::new(vec![0; block.size]);
        for (output, &input) in (0..).zip(permutation) {
            output_of[input as usize] = output;
        }
        let mut partner = vec![None; block.size];
        for pair in block.output_pairs() {
            let [upper, lower] = pair.outputs;
            (partner[upper], partner[lower]) = (Some(lower), Some(upper));
        }
        let mut loops = Loops {
            permutation,
            output_of,
            partner,
            sides: Zeroizing::new(vec![None; block.size]),
        };
        // The place without a switch decides for its loop; of the others one side is as good as the
        // other.
        if let Some(alone) = block.output_alone() {
            loops.follow(2 * alone, LOWER);
        }
        for pair in block.output_pairs().filter(|pair| !pair.switched) {
            loops.follow(pair.outputs[UPPER], UPPER);
        }
        for output in 0..block.size {
            if loops.sides[output].is_none() {
                loops.follow(output, UPPER);
            }
        }
        loops
    }

    /// Sends an output through one side. Then the input that is paired with its input goes through
    /// the other side, and what is paired with that one's output goes through the same side again;
    /// until the loop closes, or ends at an input that has no partner.
    fn follow(&mut self, mut output: usize, side: usize) {
        while self.sides[output].is_none() {
            self.sides[output] = Some(side);
            let input = self.permutation[output] as usize;
            let Some(&other) = self.output_of.get(input ^ 1) else {
                return;
            };
            let other = other as usize;
            self.sides[other] = Some(1 - side);
            let Some(partner) = self.partner[other] else {
                return;
            };
            output = partner;
        }
    }
}
