//! Nodes with their linear forms.

use std::ops::BitXor;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rand::RngExt;
use rand::rngs::StdRng;

use super::literal::Literal;

/// The number of a node. Node 0 is the constant 0.
pub(super) type Node = u32;

/// How a node is computed. The operands are nodes, not negated.
#[derive(Clone, Copy)]
pub(super) enum Gate {
    /// The constant 0 or an input.
    Leaf,
    Xor(Node, Node),
    And(Node, Node),
}

/// The fingerprint of a linear form: the XOR of one random word of 256 bits for each input and AND
/// in the form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint([u128; 2]);

impl Fingerprint {
    pub(super) const BITS: usize = 256;
    pub(super) const ZERO: Fingerprint = Fingerprint([0; 2]);

    fn random(generator: &mut StdRng) -> Self {
        Fingerprint([generator.random(), generator.random()])
    }

    /// The position of the highest bit that is set.
    pub(super) fn highest(self) -> Option<usize> {
        let Fingerprint([low, high]) = self;
        match (low.checked_ilog2(), high.checked_ilog2()) {
            (_, Some(place)) => Some(128 + place as usize),
            (place, None) => place.map(|place| place as usize),
        }
    }

    fn hash(self) -> u64 {
        self.0[0] as u64
    }
}

impl BitXor for Fingerprint {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        let (Fingerprint([a, b]), Fingerprint([c, d])) = (self, other);
        Fingerprint([a ^ c, b ^ d])
    }
}

/// A graph of XORs and ANDs in which each linear form has one node, and each AND is hashed by the
/// two-dimensional span of its operands, as in [`Builder`](dealerless::circuit::Builder).
///
/// A node can be replaced by a literal that was proved equal. New gates then read the literal.
pub(super) struct Nodes {
    gates: Vec<Gate>,
    fingerprints: Vec<Fingerprint>,
    /// For each node, a literal that computes the same. The node itself if it was not replaced.
    same: Vec<Literal>,
    forms: HashTable<Node>,
    spans: HashTable<Node>,
    generator: StdRng,
}

impl Nodes {
    pub(super) fn new(inputs: usize, mut generator: StdRng) -> Self {
        let mut fingerprints = vec![Fingerprint::ZERO];
        fingerprints.extend((0..inputs).map(|_| Fingerprint::random(&mut generator)));
        let mut graph = Nodes {
            gates: Vec::new(),
            fingerprints: Vec::new(),
            same: Vec::new(),
            forms: HashTable::new(),
            spans: HashTable::new(),
            generator,
        };
        for fingerprint in fingerprints {
            graph.node(fingerprint, Gate::Leaf);
        }
        graph
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }

    pub(super) fn gate(&self, node: Node) -> Gate {
        self.gates[node as usize]
    }

    pub(super) fn fingerprint(&self, node: Node) -> Fingerprint {
        self.fingerprints[node as usize]
    }

    /// The literal that replaces `literal`, or `literal` itself.
    pub(super) fn find(&mut self, mut literal: Literal) -> Literal {
        loop {
            let next = self.same[literal.node()];
            if next.node() == literal.node() {
                return literal;
            }
            let after = self.same[next.node()].negate_if(next.negated());
            self.same[literal.node()] = after;
            literal = after.negate_if(literal.negated());
        }
    }

    /// Replaces `old` by `new`, which computes the same.
    pub(super) fn replace(&mut self, old: Literal, new: Literal) {
        let (old, new) = (self.find(old), self.find(new));
        if old.node() != new.node() {
            self.same[old.node()] = new.negate_if(old.negated());
        }
    }

    /// `a ^ b`.
    pub(super) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let node = self.xor_nodes(a.node() as Node, b.node() as Node);
        Literal::positive(node as usize).negate_if(a.negated() ^ b.negated())
    }

    /// `a & b`.
    pub(super) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (p, q) = (a.node() as Node, b.node() as Node);
        // (p ^ i)(q ^ j) = pq ^ jp ^ iq ^ ij
        let mut product = self.and_nodes(p, q);
        if b.negated() {
            product = self.xor_nodes(product, p);
        }
        if a.negated() {
            product = self.xor_nodes(product, q);
        }
        Literal::positive(product as usize).negate_if(a.negated() && b.negated())
    }

    fn xor_nodes(&mut self, p: Node, q: Node) -> Node {
        let form = self.fingerprint(p) ^ self.fingerprint(q);
        let known = self.forms.find(form.hash(), |&node| {
            self.fingerprints[node as usize] == form
        });
        match known {
            Some(&node) => node,
            None => self.node(form, Gate::Xor(p, q)),
        }
    }

    fn and_nodes(&mut self, p: Node, q: Node) -> Node {
        let span = self.span(p, q);
        if span[2] == Fingerprint::ZERO {
            return p;
        }
        if span.contains(&Fingerprint::ZERO) {
            return 0;
        }
        let known = self.spans.find(span_hash(span), |&and| {
            self.operands(and).iter().all(|form| span.contains(form))
        });
        match known {
            Some(&and) => self.and_from_span(p, q, and),
            None => {
                let form = Fingerprint::random(&mut self.generator);
                let and = self.node(form, Gate::And(p, q));
                let Nodes {
                    spans,
                    gates,
                    fingerprints,
                    ..
                } = self;
                spans.insert_unique(span_hash(span), and, |&and| {
                    let [a, b] = operands(gates, fingerprints, and);
                    span_hash([a, b, a ^ b])
                });
                and
            }
        }
    }

    /// Computes `p & q` from the node `and`, an AND of two of the forms of p, q and p ^ q.
    fn and_from_span(&mut self, p: Node, q: Node, and: Node) -> Node {
        let operands = self.operands(and);
        match [p, q].map(|node| operands.contains(&self.fingerprint(node))) {
            [true, true] => and,
            // The operands are p ^ q and one of p and q: pq = p ^ p(p ^ q).
            [true, false] => self.xor_nodes(p, and),
            [false, _] => self.xor_nodes(q, and),
        }
    }

    fn operands(&self, and: Node) -> [Fingerprint; 2] {
        operands(&self.gates, &self.fingerprints, and)
    }

    /// The non-zero elements of the span of two nodes.
    fn span(&self, p: Node, q: Node) -> [Fingerprint; 3] {
        let (p, q) = (self.fingerprint(p), self.fingerprint(q));
        [p, q, p ^ q]
    }

    /// Adds a node whose form no node has yet.
    fn node(&mut self, form: Fingerprint, gate: Gate) -> Node {
        let literal = Literal::positive(self.gates.len());
        let node = literal.node() as Node;
        self.gates.push(gate);
        self.fingerprints.push(form);
        self.same.push(literal);
        let fingerprints = &self.fingerprints;
        let entry = self.forms.entry(
            form.hash(),
            |&node| fingerprints[node as usize] == form,
            |&node| fingerprints[node as usize].hash(),
        );
        if let Entry::Vacant(entry) = entry {
            entry.insert(node);
        }
        node
    }
}

/// The forms of the operands of an AND.
fn operands(gates: &[Gate], fingerprints: &[Fingerprint], and: Node) -> [Fingerprint; 2] {
    match gates[and as usize] {
        Gate::And(p, q) => [p, q].map(|node| fingerprints[node as usize]),
        Gate::Leaf | Gate::Xor(..) => [Fingerprint::ZERO; 2],
    }
}

/// The same for every order of the elements.
fn span_hash(span: [Fingerprint; 3]) -> u64 {
    let hashes = span.map(Fingerprint::hash);
    hashes[0].wrapping_add(hashes[1]).wrapping_add(hashes[2])
}
