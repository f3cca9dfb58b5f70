//! A netlist, compiled for the evaluation of many inputs that differ in few bits.
//!
//! The bits that vary are the digits of a counter. The lowest nine digits are the positions of
//! [`LANES`] evaluations that are done at once. The *level* of a gate is the lowest of the other
//! digits on which it depends. When the counter is incremented, and digit `d` is the highest that
//! changes, only the gates of levels up to `d` are evaluated again.

mod graph;
mod machine;

use dealerless::circuit::bristol::Netlist;

pub(super) use machine::Machine;

use self::graph::{Graph, Literal, Node, ONE, node};
use super::Range;

/// The number of evaluations at once.
pub(super) const LANES: usize = 64 * WORDS;

/// The number of words that hold a bit of all evaluations at once.
pub(super) const WORDS: usize = 8;

/// One bit of each of [`LANES`] evaluations.
pub(super) type Lanes = [u64; WORDS];

/// log2 of [`LANES`].
const LANE_DIGITS: usize = LANES.trailing_zeros() as usize;

/// What an input wire holds.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Always the same bit. The gates are simplified accordingly.
    Const(bool),
    /// A bit that is set before an evaluation, by its number.
    Parameter(usize),
    /// A bit that takes both values, by its number. At most 64 bits vary.
    Varying(usize),
}

/// What is computed.
pub(super) struct Wanted<'a> {
    /// The wires of the outcome.
    pub(super) outcome: &'a [usize],
    /// The wires that must have the given bits in a valid evaluation.
    pub(super) valid: &'a [(usize, bool)],
    /// The ranges of input wires in a valid evaluation.
    pub(super) ranges: &'a [Range],
}

/// The operation of an instruction on its operands a and b.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Xor,
    And,
    /// a and not b.
    AndNot,
    /// Neither a nor b.
    Nor,
}

const KINDS: [Kind; 4] = [Kind::Xor, Kind::And, Kind::AndNot, Kind::Nor];

/// Reads two slots and sets a slot.
#[derive(Clone, Copy)]
struct Instruction {
    a: u32,
    b: u32,
    sets: u32,
}

/// Instructions of the same kind, without a branch between them.
struct Run {
    kind: Kind,
    instructions: std::ops::Range<usize>,
}

/// A bit of the outcome.
#[derive(Clone, Copy)]
enum Read {
    Const(bool),
    /// A slot, and whether its bits are negated.
    Slot(u32, bool),
}

/// A compiled netlist.
pub(super) struct Program {
    instructions: Vec<Instruction>,
    runs: Vec<Run>,
    /// For each digit, the first run of the gates of its level and below.
    starts: Vec<usize>,
    slots: usize,
    /// The slot of each parameter that a gate reads, with its number.
    parameters: Vec<(usize, u32)>,
    /// The slots of the digits that are lanes; `None` if nothing reads a digit.
    lane_slots: Vec<Option<u32>>,
    /// The slots of the other digits.
    digit_slots: Vec<Option<u32>>,
    outcome: Vec<Read>,
    valid: Read,
}

impl Program {
    /// Compiles the netlist. `sources` has one entry for each input wire.
    pub(super) fn compile(netlist: &Netlist, sources: &[Source], wanted: &Wanted) -> Self {
        let (graph, outcome, valid) = Graph::of(netlist, sources, wanted);
        let varying = sources.iter().filter(|s| matches!(s, Source::Varying(_)));
        let levels = Levels::new(&graph, varying.count(), &outcome, valid);
        levels.program(&graph, &outcome, valid)
    }

    /// The number of bits of an outcome.
    pub(super) fn outcome_bits(&self) -> usize {
        self.outcome.len()
    }

    /// The number of evaluations of a block that differ. The other lanes repeat them.
    pub(super) fn lanes(&self) -> usize {
        1 << self.lane_slots.len()
    }

    /// log2 of the number of blocks of evaluations.
    pub(super) fn block_digits(&self) -> usize {
        self.digit_slots.len()
    }
}

/// The level of each node that is needed, and the digits.
struct Levels {
    /// The level of each node; `None` if no output needs it.
    of_node: Vec<Option<u8>>,
    /// The level of the gates that depend on no digit, or on lanes only.
    top: u8,
    /// The digit of each varying bit: the first are lanes.
    digit: Vec<usize>,
    lanes: usize,
}

impl Levels {
    fn new(graph: &Graph, varying: usize, outcome: &[Literal], valid: Literal) -> Self {
        let nodes = &graph.nodes;
        let mut live = vec![false; nodes.len()];
        for &literal in outcome.iter().chain([&valid]) {
            live[node(literal)] = true;
        }
        for number in (0..nodes.len()).rev().filter(|&n| n > 0) {
            if live[number] {
                nodes[number].operands().for_each(|read| live[read] = true);
            }
        }
        // The varying bits on which each node depends, and the number of nodes for each bit.
        let mut support = vec![0u64; nodes.len()];
        let mut readers = vec![0usize; varying];
        for (number, node) in nodes.iter().enumerate().filter(|&(n, _)| live[n]) {
            let mut bits = match *node {
                Node::Varying(bit) => 1 << bit,
                _ => node.operands().fold(0, |bits, read| bits | support[read]),
            };
            support[number] = bits;
            while bits > 0 {
                readers[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
        // Lanes cost nothing, so the bits that most gates need are lanes. Of the others, the bit
        // that changes most often is the one that fewest gates need.
        let lanes = varying.min(LANE_DIGITS);
        let mut order: Vec<usize> = (0..varying).collect();
        order.sort_by_key(|&bit| readers[bit]);
        order.rotate_right(lanes);
        let mut digit = vec![0; varying];
        for (place, &bit) in order.iter().enumerate() {
            digit[bit] = place;
        }
        let top = (varying - lanes) as u8;
        let level = |mut bits: u64| {
            let mut level = top;
            while bits > 0 {
                let digit = digit[bits.trailing_zeros() as usize];
                if digit >= lanes {
                    level = level.min((digit - lanes) as u8);
                }
                bits &= bits - 1;
            }
            level
        };
        let of_node = (0..nodes.len())
            .map(|number| live[number].then(|| level(support[number])))
            .collect();
        Levels {
            of_node,
            top,
            digit,
            lanes,
        }
    }

    /// Puts the gates into their order and assigns slots.
    fn program(self, graph: &Graph, outcome: &[Literal], valid: Literal) -> Program {
        let mut by_level: Vec<Vec<u32>> = vec![Vec::new(); usize::from(self.top) + 1];
        let is_gate = |node: Node| matches!(node, Node::Xor(..) | Node::And(..));
        for (number, level) in self.of_node.iter().enumerate() {
            if let Some(level) = *level
                && is_gate(graph.nodes[number])
            {
                by_level[usize::from(level)].push(number as u32);
            }
        }
        let mut runs = Vec::new();
        let mut order = Vec::new();
        let mut starts = vec![0; usize::from(self.top)];
        let mut schedule = Schedule::new(graph.nodes.len());
        for (level, nodes) in by_level.iter().enumerate().rev() {
            if let Some(start) = starts.get_mut(level) {
                *start = runs.len();
            }
            schedule.level(graph, nodes, &mut order, &mut runs);
        }
        self.assign(graph, outcome, valid, &order, runs, starts)
    }

    fn assign(
        &self,
        graph: &Graph,
        outcome: &[Literal],
        valid: Literal,
        order: &[u32],
        runs: Vec<Run>,
        starts: Vec<usize>,
    ) -> Program {
        let mut slots = Slots::new(graph, &self.of_node, order, outcome, valid);
        let mut parameters = Vec::new();
        let mut lane_slots = vec![None; self.lanes];
        let mut digit_slots = vec![None; self.digit.len() - self.lanes];
        for (number, level) in self.of_node.iter().enumerate() {
            if level.is_none() {
                continue;
            }
            match graph.nodes[number] {
                Node::Parameter(parameter) => parameters.push((parameter, slots.keep(number))),
                Node::Varying(bit) => {
                    let slot = Some(slots.keep(number));
                    match self.digit[bit].checked_sub(self.lanes) {
                        Some(digit) => digit_slots[digit] = slot,
                        None => lane_slots[self.digit[bit]] = slot,
                    }
                }
                Node::Zero | Node::Xor(..) | Node::And(..) => {}
            }
        }
        let mut instructions = Vec::with_capacity(order.len());
        for (place, &number) in order.iter().enumerate() {
            instructions.push(slots.instruction(graph, number as usize, place));
        }
        let read = |literal: Literal| match node(literal) {
            0 => Read::Const(literal == ONE),
            number => Read::Slot(slots.of_node[number], literal & 1 == 1),
        };
        Program {
            outcome: outcome.iter().map(|&literal| read(literal)).collect(),
            valid: read(valid),
            instructions,
            runs,
            starts,
            slots: slots.count as usize,
            parameters,
            lane_slots,
            digit_slots,
        }
    }
}

/// Orders the gates of a level so that gates of the same kind follow each other.
struct Schedule {
    /// For each node, the number of its operands in the current level that have no place yet.
    waiting: Vec<u8>,
    /// For each node, the position of its readers in `readers`, for nodes of the current level.
    first_reader: Vec<u32>,
    readers: Vec<(u32, u32)>,
}

/// The end of a list of readers.
const NONE: u32 = u32::MAX;

impl Schedule {
    fn new(nodes: usize) -> Self {
        Schedule {
            waiting: vec![u8::MAX; nodes],
            first_reader: vec![NONE; nodes],
            readers: Vec::new(),
        }
    }

    fn level(&mut self, graph: &Graph, nodes: &[u32], order: &mut Vec<u32>, runs: &mut Vec<Run>) {
        let mut ready: [Vec<u32>; KINDS.len()] = Default::default();
        self.readers.clear();
        // Operands of other levels are set before, and have no entry.
        for &number in nodes {
            let mut waiting = 0;
            for read in graph.nodes[number as usize].operands() {
                if self.waiting[read] != u8::MAX {
                    self.readers.push((number, self.first_reader[read]));
                    self.first_reader[read] = (self.readers.len() - 1) as u32;
                    waiting += 1;
                }
            }
            self.waiting[number as usize] = waiting;
            if waiting == 0 {
                ready[kind(graph.nodes[number as usize]) as usize].push(number);
            }
        }
        loop {
            let longest = (0..KINDS.len()).max_by_key(|&kind| ready[kind].len());
            let longest = longest.expect("there are kinds");
            if ready[longest].is_empty() {
                break;
            }
            let start = order.len();
            while let Some(number) = ready[longest].pop() {
                order.push(number);
                let mut reader = self.first_reader[number as usize];
                while reader != NONE {
                    let (waiter, next) = self.readers[reader as usize];
                    let waiting = &mut self.waiting[waiter as usize];
                    *waiting -= 1;
                    if *waiting == 0 {
                        ready[kind(graph.nodes[waiter as usize]) as usize].push(waiter);
                    }
                    reader = next;
                }
            }
            runs.push(Run {
                kind: KINDS[longest],
                instructions: start..order.len(),
            });
        }
        for &number in nodes {
            self.waiting[number as usize] = u8::MAX;
            self.first_reader[number as usize] = NONE;
        }
    }
}

/// The kind of a gate.
fn kind(node: Node) -> Kind {
    match node {
        Node::And(a, b) => match (a & 1, b & 1) {
            (0, 0) => Kind::And,
            (1, 1) => Kind::Nor,
            _ => Kind::AndNot,
        },
        _ => Kind::Xor,
    }
}

/// The slot of each node. A node that only gates of its own level read shares its slot with others.
struct Slots {
    of_node: Vec<u32>,
    /// For each node with a shared slot, the place of its last reader.
    last_reader: Vec<Option<u32>>,
    free: Vec<u32>,
    count: u32,
}

impl Slots {
    fn new(
        graph: &Graph,
        level: &[Option<u8>],
        order: &[u32],
        outcome: &[Literal],
        valid: Literal,
    ) -> Self {
        let mut last_reader = vec![None; graph.nodes.len()];
        let mut kept = vec![false; graph.nodes.len()];
        for &literal in outcome.iter().chain([&valid]) {
            kept[node(literal)] = true;
        }
        for (place, &number) in (0..).zip(order) {
            for read in graph.nodes[number as usize].operands() {
                last_reader[read] = Some(place);
                kept[read] |= level[read] != level[number as usize];
            }
        }
        for (reader, kept) in last_reader.iter_mut().zip(kept) {
            if kept {
                *reader = None;
            }
        }
        Slots {
            of_node: vec![0; graph.nodes.len()],
            last_reader,
            free: Vec::new(),
            count: 0,
        }
    }

    fn next(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }

    /// A slot for an input, which is never shared.
    fn keep(&mut self, number: usize) -> u32 {
        self.last_reader[number] = None;
        self.of_node[number] = self.next();
        self.of_node[number]
    }

    fn instruction(&mut self, graph: &Graph, number: usize, place: usize) -> Instruction {
        let (mut a, mut b) = match graph.nodes[number] {
            Node::Xor(a, b) | Node::And(a, b) => (a, b),
            Node::Zero | Node::Parameter(_) | Node::Varying(_) => unreachable!("not a gate"),
        };
        if a & 1 == 1 {
            (a, b) = (b, a);
        }
        let [a, b] = [node(a), node(b)];
        for (read, other) in [(a, usize::MAX), (b, a)] {
            if read != other && self.last_reader[read] == Some(place as u32) {
                self.free.push(self.of_node[read]);
            }
        }
        let sets = self.next();
        let instruction = Instruction {
            a: self.of_node[a],
            b: self.of_node[b],
            sets,
        };
        self.of_node[number] = sets;
        instruction
    }
}
