//! The builder: records gates, folds constants, and never records the same AND twice.
//!
//! While a circuit is built, each wire has a *linear form*: the set of input bits and AND outputs
//! whose XOR is the bit on the wire. The form is represented by a *fingerprint* of 128 bits, the
//! XOR of one random word for each member of the set. The fingerprint of an XOR is therefore the
//! XOR of the fingerprints. Wires with equal forms become one wire; different forms collide with
//! probability 2^-128. Each builder seeds its words from the operating system, so that nobody can
//! craft a netlist in which two forms collide.
//!
//! The circuit must not depend on the random words, since exported netlists are compared byte by
//! byte. So fingerprints are only compared for equality and used as keys of a hash table. Their
//! order never decides which wire is the operand of a gate.

use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use rand::rand_core::UnwrapErr;
use rand::rngs::{StdRng, SysRng};
use rand::{RngExt, SeedableRng};

use self::forms::Forms;
use self::slices::Slicer;
use self::spans::{Span, Spans};
use super::Circuit;
use super::layers::lay_out;

/// A bit of a circuit under construction: a constant, a wire, or the negation of a wire.
///
/// A bit belongs to the [`Builder`] that created it. Constants belong to every builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// Twice the number of the node, plus 1 if the bit is the negation of the node.
    literal: u32,
    /// The number of the builder; 0 for a constant.
    builder: u32,
}

impl Bit {
    /// The constant 0.
    pub const ZERO: Bit = Bit {
        literal: 0,
        builder: 0,
    };
    /// The constant 1.
    pub const ONE: Bit = Bit {
        literal: 1,
        builder: 0,
    };

    /// The bit of `node` in the builder with number `builder`, not negated.
    fn positive(node: Node, builder: u32) -> Self {
        Bit {
            literal: node.0 << 1,
            builder: if node == Node::ZERO { 0 } else { builder },
        }
    }

    /// The node of the bit or of its negation; [`Node::ZERO`] for a constant.
    pub(super) fn node(self) -> Node {
        Node(self.literal >> 1)
    }

    /// Whether the bit is the negation of its node.
    pub(super) fn inverted(self) -> bool {
        self.literal & 1 == 1
    }

    fn invert_if(self, invert: bool) -> Self {
        Bit {
            literal: self.literal ^ u32::from(invert),
            ..self
        }
    }

    /// The same bit after its node has been renumbered to `node`.
    fn renamed(self, node: Node) -> Self {
        Bit::positive(node, self.builder).invert_if(self.inverted())
    }
}

impl From<bool> for Bit {
    fn from(bit: bool) -> Self {
        Bit::ZERO.invert_if(bit)
    }
}

/// The number of a wire under construction. Node 0 is the empty XOR; then come the inputs, and then
/// the gates in the order in which they are recorded.
///
/// The empty XOR is an ordinary node with the fingerprint 0, so constants fold without a special
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(u32);

impl Node {
    /// The empty XOR.
    pub(super) const ZERO: Node = Node(0);
    /// The largest node number: a [`Bit`] has 31 bits for it.
    const MAX: usize = (1 << 31) - 1;

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A gate under construction. There is no NOT: inversion is part of [`Bit`].
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Xor(Node, Node),
    And(Node, Node),
}

impl Operation {
    pub(super) fn operands(self) -> (Node, Node) {
        match self {
            Operation::Xor(a, b) | Operation::And(a, b) => (a, b),
        }
    }

    pub(super) fn is_and(self) -> bool {
        matches!(self, Operation::And(..))
    }
}

/// Records a circuit gate by gate.
///
/// Constants are folded. An XOR is recorded once for each linear form. An AND is recorded once for
/// each two-dimensional span `{p, q, p ^ q}` of its operands: the ANDs of any two of these three,
/// negated or not, differ only by XORs. [`build`](Self::build) drops gates that no output needs.
///
/// The same calls always give the same circuit.
pub struct Builder {
    /// The number of this builder, which is stored in its [bits](Bit). Never 0, which marks
    /// constants.
    number: u32,
    inputs: Vec<usize>,
    input_bits: usize,
    /// The number of nodes before the operations: the constant, the input bits and, if the circuit
    /// is built in slices, the gates of earlier slices that are still known.
    leaves: usize,
    operations: Vec<Operation>,
    fingerprints: Vec<u128>,
    forms: Forms,
    spans: Spans,
    generator: StdRng,
    slicer: Option<Slicer>,
}

impl Builder {
    /// The maximum number of nodes in a builder.
    pub const MAX_NODES: usize = Node::MAX;

    /// The maximum number of nodes that one call of [`and`](Self::and) or [`or`](Self::or) adds. A
    /// call of [`xor`](Self::xor) adds at most one.
    pub(crate) const MAX_NODES_PER_AND: usize = 3;

    /// Creates a builder for a circuit whose input values have the numbers of bits in `inputs`.
    ///
    /// # Panics
    /// Panics if there are more input bits than [`MAX_NODES`](Self::MAX_NODES), or if the operating
    /// system provides no randomness.
    pub fn new(inputs: &[usize]) -> Self {
        Self::with(Forms::Known(HashTable::new()), inputs)
    }

    /// As [`new`](Self::new), but wires with equal forms are merged only in [`build`](Self::build).
    /// The resulting circuit is the same but is ready sooner. Before `build`, two bits with the
    /// same form may be different [`Bit`]s.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub(super) fn sharing_at_the_end(inputs: &[usize]) -> Self {
        Self::with(Forms::AtTheEnd, inputs)
    }

    fn with(mut forms: Forms, inputs: &[usize]) -> Self {
        let input_bits = inputs
            .iter()
            .try_fold(0, |sum: usize, &bits| sum.checked_add(bits))
            .expect("the number of input bits fits into a usize");
        assert!(input_bits < Self::MAX_NODES, "too many input bits");
        let mut generator = StdRng::from_rng(&mut UnwrapErr(SysRng));
        let mut fingerprints = vec![0];
        fingerprints.extend((0..input_bits).map(|_| generator.random::<u128>()));
        forms.refill(&fingerprints);
        Builder {
            number: next_number(),
            inputs: inputs.to_vec(),
            input_bits,
            leaves: 1 + input_bits,
            operations: Vec::new(),
            fingerprints,
            forms,
            spans: Spans::new(),
            generator,
            slicer: None,
        }
    }

    /// The bits of input value number `value` (from 0), least significant first.
    ///
    /// # Panics
    /// Panics if the value does not exist.
    pub fn input(&self, value: usize) -> Vec<Bit> {
        let first = self.inputs[..value].iter().sum();
        self.input_bits()
            .skip(first)
            .take(self.inputs[value])
            .collect()
    }

    /// The bits of all input values, in order.
    pub(super) fn input_bits(&self) -> impl Iterator<Item = Bit> {
        (1..=self.input_bits).map(|node| self.bit(Node(node as u32)))
    }

    /// The number of nodes so far: the constant 0, the input bits and the recorded gates.
    pub(crate) fn nodes(&self) -> usize {
        self.fingerprints.len()
    }

    /// `a ^ b`. Free.
    ///
    /// # Panics
    /// Like every call that records a gate, panics if the builder is full (see
    /// [`MAX_NODES`](Self::MAX_NODES)) or if a bit belongs to another builder.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let node = self.xor_nodes(self.own(a), self.own(b));
        self.bit(node).invert_if(a.inverted() ^ b.inverted())
    }

    /// `!a`. Free.
    pub fn not(&self, a: Bit) -> Bit {
        a.invert_if(true)
    }

    /// `a & b`.
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (p, q) = (self.own(a), self.own(b));
        // (p ^ i)(q ^ j) = pq ^ jp ^ iq ^ ij
        let mut product = self.and_nodes(p, q);
        if b.inverted() {
            product = self.xor_nodes(product, p);
        }
        if a.inverted() {
            product = self.xor_nodes(product, q);
        }
        self.bit(product).invert_if(a.inverted() && b.inverted())
    }

    /// `a | b`, at the cost of one AND.
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        let neither = self.and(self.not(a), self.not(b));
        self.not(neither)
    }

    /// Finishes the circuit: drops gates that no output needs, and puts the remaining gates in
    /// layer order.
    ///
    /// The outputs are values, each a word of bits, least significant first. Each wire that is
    /// output in negated form gets one NOT gate.
    ///
    /// # Panics
    /// Panics if an output belongs to another builder.
    pub fn build(self, mut outputs: Vec<Vec<Bit>>) -> Circuit {
        for &bit in outputs.iter().flatten() {
            self.own(bit);
        }
        let Builder {
            inputs,
            mut operations,
            fingerprints,
            forms,
            spans,
            ..
        } = self;
        // Frees a large table before the circuit is laid out.
        drop(spans);
        forms.share(fingerprints, &mut operations, &mut outputs);
        lay_out(inputs, &operations, &outputs)
    }

    /// The fingerprint of the linear form of a bit. The negation of the bit has the same
    /// fingerprint.
    pub(super) fn fingerprint(&self, bit: Bit) -> u128 {
        self.fingerprints[self.own(bit).index()]
    }

    /// A node of this builder as a bit.
    fn bit(&self, node: Node) -> Bit {
        Bit::positive(node, self.number)
    }

    /// The node of a bit of this builder or of a constant.
    ///
    /// # Panics
    /// Panics if the bit belongs to another builder.
    fn own(&self, bit: Bit) -> Node {
        assert!(
            bit.builder == self.number || bit.builder == 0,
            "the bit belongs to another builder"
        );
        bit.node()
    }

    fn xor_nodes(&mut self, p: Node, q: Node) -> Node {
        let fingerprint = self.fingerprints[p.index()] ^ self.fingerprints[q.index()];
        if fingerprint == 0 || self.is_abandoned() {
            return Node::ZERO;
        }
        match self.forms.find(fingerprint, &self.fingerprints) {
            Some(node) => node,
            None => self.record(fingerprint, Operation::Xor(p, q)),
        }
    }

    fn and_nodes(&mut self, p: Node, q: Node) -> Node {
        let span = self.span(p, q);
        if span[2] == 0 {
            return p;
        }
        if span.contains(&0) || self.is_abandoned() {
            return Node::ZERO;
        }
        match self.spans.find(&span, |and| self.operand_forms(and)) {
            Some(and) => self.and_from_span(p, q, and),
            None => {
                let fingerprint = self.generator.random();
                let and = self.record(fingerprint, Operation::And(p, q));
                self.spans.enter(&span, and);
                and
            }
        }
    }

    /// Computes `p & q` from the node `and`, an AND of two of the forms of p, q and p ^ q.
    fn and_from_span(&mut self, p: Node, q: Node, and: Node) -> Node {
        let operands = self.operand_forms(and);
        match [p, q].map(|node| operands.contains(&self.fingerprints[node.index()])) {
            [true, true] => and,
            // The operands are p ^ q and one of p and q: pq = p ^ p(p ^ q).
            [true, false] => self.xor_nodes(p, and),
            [false, _] => self.xor_nodes(q, and),
        }
    }

    /// The fingerprints of the operands of a node that is a gate.
    fn operand_forms(&self, node: Node) -> [u128; 2] {
        let (a, b) = operands(&self.operations, self.leaves, node);
        [a, b].map(|node| self.fingerprints[node.index()])
    }

    /// The non-zero elements of the span of two nodes.
    fn span(&self, p: Node, q: Node) -> Span {
        let (p, q) = (self.fingerprints[p.index()], self.fingerprints[q.index()]);
        [p, q, p ^ q]
    }

    /// Adds a node whose form no existing node is known to have.
    fn record(&mut self, fingerprint: u128, operation: Operation) -> Node {
        let number = self.fingerprints.len();
        assert!(number < Self::MAX_NODES, "the circuit is too large");
        let node = Node(number as u32);
        self.fingerprints.push(fingerprint);
        self.operations.push(operation);
        self.forms.enter(node, &self.fingerprints);
        node
    }
}

/// A number that is unique among the builders of this process, until it wraps around after 2^32.
fn next_number() -> u32 {
    static BUILDERS: AtomicU32 = AtomicU32::new(1);
    BUILDERS.fetch_add(1, Ordering::Relaxed).max(1)
}

/// The operands of a node that is a gate.
fn operands(operations: &[Operation], leaves: usize, node: Node) -> (Node, Node) {
    operations[node.index() - leaves].operands()
}

mod forms;
pub(super) mod slices;
mod spans;
#[cfg(test)]
mod tests;
