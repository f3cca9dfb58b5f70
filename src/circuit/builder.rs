//! The builder: records gates, folds constants, and never records the same AND twice.
//!
//! While a circuit is built, each wire carries its *linear form*: the set of inputs and ANDs
//! whose XOR it is. The form is held as a fingerprint of 128 bits, the XOR of one random word for
//! each member of the set, so that the fingerprint of an XOR is the XOR of the fingerprints. Equal
//! forms are one wire; different forms collide with probability 2^-128. The words are drawn afresh
//! for each builder and from the operating system, so that an imported netlist cannot be written to
//! make two forms collide.
//!
//! The circuit must not depend on those words, since an exported netlist is compared byte by byte.
//! So fingerprints are compared for equality only, or to find a place in a table; which wire is the
//! operand of a gate never follows from their order.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rand::rand_core::UnwrapErr;
use rand::rngs::{StdRng, SysRng};
use rand::{RngExt, SeedableRng};

use self::slices::Slicer;
use super::Circuit;
use super::layers::lay_out;

/// A bit of a circuit under construction: a constant, a wire, or the negation of a wire.
///
/// It belongs to the [`Builder`] that gave it. Constants belong to every builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit(u32);

impl Bit {
    /// The constant 0.
    pub const ZERO: Bit = Bit(0);
    /// The constant 1.
    pub const ONE: Bit = Bit(1);

    fn positive(node: Node) -> Self {
        Bit(node.0 << 1)
    }

    /// The wire, or [`Node::ZERO`] for a constant.
    pub(super) fn node(self) -> Node {
        Node(self.0 >> 1)
    }

    /// Whether the bit is the negation of its node.
    pub(super) fn inverted(self) -> bool {
        self.0 & 1 == 1
    }

    fn invert_if(self, invert: bool) -> Self {
        Bit(self.0 ^ u32::from(invert))
    }
}

impl From<bool> for Bit {
    fn from(bit: bool) -> Self {
        Bit::ZERO.invert_if(bit)
    }
}

/// A wire under construction: the empty XOR, then the inputs, then the gates as they come.
///
/// The empty XOR is a node like the others, with the fingerprint 0, so that constants fold
/// without a case of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(u32);

impl Node {
    /// The empty XOR.
    pub(super) const ZERO: Node = Node(0);
    /// A [`Bit`] has 31 bits for the number of its node.
    const MAX: usize = (1 << 31) - 1;

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A gate under construction. NOT is not among them: inversion lives in [`Bit`].
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
/// Constants are folded; a XOR is recorded once for each linear form; an AND is recorded once for
/// each two-dimensional span `{p, q, p ^ q}`, also under negations, since the ANDs of any two of
/// these three differ by a XOR only. Gates that no output needs are dropped by
/// [`build`](Self::build).
///
/// The record depends on the calls alone, so the same calls give the same circuit.
pub struct Builder {
    inputs: Vec<usize>,
    input_bits: usize,
    /// The number of nodes that come before the operations: the constant, the input bits and, if the
    /// circuit is built in slices, the gates of earlier slices that are still known.
    leaves: usize,
    operations: Vec<Operation>,
    fingerprints: Vec<u128>,
    /// All nodes, by fingerprint.
    forms: HashTable<Node>,
    /// The AND nodes, by the span of their operands.
    spans: HashTable<Node>,
    generator: StdRng,
    slicer: Option<Slicer>,
}

impl Builder {
    /// The most [nodes](Self::nodes) that a builder holds.
    pub const MAX_NODES: usize = Node::MAX;

    /// The most nodes that one call of [`and`](Self::and) or [`or`](Self::or) adds. The other calls
    /// add one at most.
    pub const MAX_NODES_PER_AND: usize = 3;

    /// Begins a circuit, given the number of bits of each input value.
    ///
    /// # Panics
    /// When there are more input bits than [`MAX_NODES`](Self::MAX_NODES), or when the operating
    /// system gives no randomness.
    pub fn new(inputs: &[usize]) -> Self {
        let input_bits = inputs
            .iter()
            .try_fold(0, |sum: usize, &bits| sum.checked_add(bits))
            .expect("fewer input bits than a usize counts");
        assert!(input_bits < Self::MAX_NODES, "too many input bits");
        let mut generator = StdRng::from_rng(&mut UnwrapErr(SysRng));
        let mut fingerprints = vec![0];
        fingerprints.extend((0..input_bits).map(|_| generator.random::<u128>()));
        let mut forms = HashTable::with_capacity(fingerprints.len());
        slices::enter_forms(&mut forms, &fingerprints);
        Builder {
            inputs: inputs.to_vec(),
            input_bits,
            leaves: 1 + input_bits,
            operations: Vec::new(),
            fingerprints,
            forms,
            spans: HashTable::new(),
            generator,
            slicer: None,
        }
    }

    /// Makes room for so many gates, which then takes no time later.
    pub(super) fn reserve(&mut self, gates: usize) {
        let gates = gates.min(Self::MAX_NODES);
        self.operations.reserve_exact(gates);
        self.fingerprints.reserve_exact(gates);
        let fingerprints = &self.fingerprints;
        let hash = |node: &Node| form_hash(fingerprints[node.index()]);
        self.forms.reserve(gates, hash);
    }

    /// The bits of an input value (from 0), least significant first.
    ///
    /// # Panics
    /// When there is no such value.
    pub fn input(&self, value: usize) -> Vec<Bit> {
        let first = self.inputs[..value].iter().sum();
        self.input_bits()
            .skip(first)
            .take(self.inputs[value])
            .collect()
    }

    /// The bits of all input values, in order.
    pub(super) fn input_bits(&self) -> impl Iterator<Item = Bit> {
        (1..=self.input_bits).map(|node| Bit::positive(Node(node as u32)))
    }

    /// The number of nodes so far: the constant 0, the input bits, and the gates recorded.
    pub fn nodes(&self) -> usize {
        self.fingerprints.len()
    }

    /// `a ^ b`. Free.
    ///
    /// # Panics
    /// Like every call that records a gate, when the builder is full (see
    /// [`MAX_NODES`](Self::MAX_NODES)) or when a bit comes from a larger builder.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let node = self.xor_nodes(a.node(), b.node());
        Bit::positive(node).invert_if(a.inverted() ^ b.inverted())
    }

    /// `!a`. Free.
    pub fn not(&self, a: Bit) -> Bit {
        a.invert_if(true)
    }

    /// `a & b`.
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (p, q) = (a.node(), b.node());
        // (p ^ i)(q ^ j) = pq ^ jp ^ iq ^ ij
        let mut product = self.and_nodes(p, q);
        if b.inverted() {
            product = self.xor_nodes(product, p);
        }
        if a.inverted() {
            product = self.xor_nodes(product, q);
        }
        Bit::positive(product).invert_if(a.inverted() && b.inverted())
    }

    /// `a | b`, at the cost of one AND.
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        let neither = self.and(self.not(a), self.not(b));
        self.not(neither)
    }

    /// Ends the circuit: drops the gates that no output needs and puts the others in layer order.
    ///
    /// The outputs are values, each a word of bits, least significant first. A negated bit among
    /// them becomes a NOT gate, one for each wire.
    pub fn build(self, outputs: Vec<Vec<Bit>>) -> Circuit {
        let Builder {
            inputs,
            operations,
            fingerprints,
            forms,
            spans,
            ..
        } = self;
        // Most of the memory, and of no more use.
        drop((fingerprints, forms, spans));
        lay_out(inputs, &operations, &outputs)
    }

    /// The linear form of a bit, without its inversion. XOR of bits is XOR of fingerprints.
    pub(super) fn fingerprint(&self, bit: Bit) -> u128 {
        self.fingerprints[bit.node().index()]
    }

    fn xor_nodes(&mut self, p: Node, q: Node) -> Node {
        if self.is_abandoned() {
            return Node::ZERO;
        }
        let fingerprint = self.fingerprints[p.index()] ^ self.fingerprints[q.index()];
        self.node(fingerprint, Operation::Xor(p, q))
    }

    fn and_nodes(&mut self, p: Node, q: Node) -> Node {
        if p == q {
            return p;
        }
        if p == Node::ZERO || q == Node::ZERO || self.is_abandoned() {
            return Node::ZERO;
        }
        let span = self.span(p, q);
        let known = self
            .spans
            .find(span_hash(span), |&and| {
                let (a, b) = operands(&self.operations, self.leaves, and);
                span.contains(&self.fingerprints[a.index()])
                    && span.contains(&self.fingerprints[b.index()])
            })
            .copied();
        match known {
            Some(and) => self.and_from_span(p, q, and),
            None => {
                let fingerprint = self.generator.random();
                let and = self.node(fingerprint, Operation::And(p, q));
                self.enter_span(span, and);
                and
            }
        }
    }

    /// `p & q`, given an AND whose operands a, b are two of p, q and p ^ q.
    fn and_from_span(&mut self, p: Node, q: Node, and: Node) -> Node {
        let (a, b) = operands(&self.operations, self.leaves, and);
        match (p == a || p == b, q == a || q == b) {
            (true, true) => and,
            // One operand is common and the other is the sum of the two: a(a ^ b) = a ^ ab.
            (true, false) => self.xor_nodes(p, and),
            (false, _) => self.xor_nodes(q, and),
        }
    }

    /// The non-zero elements of the span of two nodes.
    fn span(&self, p: Node, q: Node) -> [u128; 3] {
        let (p, q) = (self.fingerprints[p.index()], self.fingerprints[q.index()]);
        [p, q, p ^ q]
    }

    /// The node with this form: a new one, driven by the operation, if there is none yet.
    fn node(&mut self, fingerprint: u128, operation: Operation) -> Node {
        let fingerprints = &mut self.fingerprints;
        let entry = self.forms.entry(
            form_hash(fingerprint),
            |node| fingerprints[node.index()] == fingerprint,
            |node| form_hash(fingerprints[node.index()]),
        );
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = fingerprints.len();
                assert!(number < Self::MAX_NODES, "the circuit is too large");
                let node = Node(number as u32);
                entry.insert(node);
                fingerprints.push(fingerprint);
                self.operations.push(operation);
                node
            }
        }
    }

    fn enter_span(&mut self, span: [u128; 3], and: Node) {
        let (operations, fingerprints) = (&self.operations, &self.fingerprints);
        let leaves = self.leaves;
        self.spans.insert_unique(span_hash(span), and, |&and| {
            let (a, b) = operands(operations, leaves, and);
            let (a, b) = (fingerprints[a.index()], fingerprints[b.index()]);
            span_hash([a, b, a ^ b])
        });
    }
}

/// The operands of a node that is a gate.
fn operands(operations: &[Operation], leaves: usize, node: Node) -> (Node, Node) {
    operations[node.index() - leaves].operands()
}

/// Fingerprints are random, so any 64 of their bits are a hash.
fn form_hash(fingerprint: u128) -> u64 {
    fingerprint as u64
}

/// A hash of the span as a set: any two of the three determine it, so the two smallest do. Their
/// low halves are as good as independent of the order, which the high halves decide.
fn span_hash(mut span: [u128; 3]) -> u64 {
    span.sort_unstable();
    (span[0] as u64) ^ (span[1] as u64).rotate_left(32)
}

pub(super) mod slices;
#[cfg(test)]
mod tests;
