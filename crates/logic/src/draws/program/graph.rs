//! The gates of a netlist without constants, copies and negations.

use dealerless::circuit::Wire;
use dealerless::circuit::bristol::{Netlist, Operation};

use super::{Source, Wanted};
use crate::draws::Range;

/// A node with a possible negation: twice the number of the node, plus one if negated.
pub(super) type Literal = u32;

/// The constants are the literals of node 0.
pub(super) const ZERO: Literal = 0;
pub(super) const ONE: Literal = 1;

pub(super) fn node(literal: Literal) -> usize {
    (literal >> 1) as usize
}

#[derive(Clone, Copy)]
pub(super) enum Node {
    Zero,
    Parameter(usize),
    Varying(usize),
    /// Neither operand is negated.
    Xor(Literal, Literal),
    And(Literal, Literal),
}

impl Node {
    pub(super) fn operands(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Node::Xor(a, b) | Node::And(a, b) => (Some(node(a)), Some(node(b))),
            Node::Zero | Node::Parameter(_) | Node::Varying(_) => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// The nodes of a netlist, without constants, copies and negations.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
}

impl Graph {
    /// The nodes of a netlist, the bits of the outcome, and whether the inputs are valid.
    pub(super) fn of(
        netlist: &Netlist,
        sources: &[Source],
        wanted: &Wanted,
    ) -> (Self, Vec<Literal>, Literal) {
        let mut graph = Graph {
            nodes: vec![Node::Zero],
        };
        let mut wires: Vec<Literal> = Vec::with_capacity(netlist.wires());
        for source in sources {
            wires.push(match *source {
                Source::Const(bit) => bit.into(),
                Source::Parameter(number) => graph.push(Node::Parameter(number)),
                Source::Varying(number) => graph.push(Node::Varying(number)),
            });
        }
        wires.resize(netlist.wires(), ZERO);
        for step in netlist.steps() {
            let on = |wire: Wire| wires[wire.index()];
            wires[step.sets.index()] = match step.operation {
                Operation::Xor(a, b) => graph.xor(on(a), on(b)),
                Operation::And(a, b) => graph.and(on(a), on(b)),
                Operation::Not(a) => on(a) ^ 1,
                Operation::Copy(a) => on(a),
                Operation::Const(bit) => bit.into(),
            };
        }
        let mut valid = ONE;
        for &(wire, expected) in wanted.valid {
            let bit = wires[wire] ^ u32::from(!expected);
            valid = graph.and(valid, bit);
        }
        for range in wanted.ranges {
            let in_range = graph.in_range(&wires[range.wires()], range);
            valid = graph.and(valid, in_range);
        }
        let outcome = wanted.outcome.iter().map(|&wire| wires[wire]).collect();
        (graph, outcome, valid)
    }

    fn push(&mut self, node: Node) -> Literal {
        self.nodes.push(node);
        2 * (self.nodes.len() - 1) as u32
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negated = (a ^ b) & 1;
        let (a, b) = (a & !1, b & !1);
        negated
            ^ match (a, b) {
                (ZERO, other) | (other, ZERO) => other,
                _ if a == b => ZERO,
                _ => self.push(Node::Xor(a, b)),
            }
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        match (a, b) {
            (ZERO, _) | (_, ZERO) => ZERO,
            (ONE, other) | (other, ONE) => other,
            _ if a == b => a,
            _ if a ^ 1 == b => ZERO,
            _ => self.push(Node::And(a, b)),
        }
    }

    fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// Whether a number, least significant bit first, is less than `bound`.
    fn less(&mut self, bits: &[Literal], bound: u128) -> Literal {
        if bound >> bits.len() > 0 {
            return ONE;
        }
        let mut less = ZERO;
        for (place, &bit) in bits.iter().enumerate() {
            less = match bound >> place & 1 {
                1 => self.or(bit ^ 1, less),
                _ => self.and(bit ^ 1, less),
            };
        }
        less
    }

    fn in_range(&mut self, bits: &[Literal], range: &Range) -> Literal {
        let too_low = self.less(bits, range.low.into());
        let low_enough = self.less(bits, range.end());
        self.and(too_low ^ 1, low_enough)
    }
}
