//! A netlist as a graph of ANDs and XORs.

use dealerless::circuit::bristol::{Netlist, Operation};
use dealerless::circuit::{Gate, Output, Wire};
use hashbrown::HashTable;
use rand::rand_core::UnwrapErr;
use rand::rngs::{StdRng, SysRng};
use rand::{RngExt, SeedableRng};

/// The number of a node: the constant 0, the constant 1, the input bits, and then the gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node(pub(crate) u32);

impl Node {
    pub(crate) const ZERO: Node = Node(0);
    pub(crate) const ONE: Node = Node(1);
    const CONSTANTS: usize = 2;

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An AND or an XOR. A negation is an XOR with [`Node::ONE`], so that the graph has exactly as many
/// gates as the netlist that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Xor(Node, Node),
    And(Node, Node),
}

impl Op {
    pub(crate) fn operands(self) -> [Node; 2] {
        match self {
            Op::Xor(a, b) | Op::And(a, b) => [a, b],
        }
    }

    pub(crate) fn is_and(self) -> bool {
        matches!(self, Op::And(..))
    }
}

/// The number of ANDs, and the number of all gates. Fewer ANDs are better, then fewer gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// The number of AND gates.
    pub ands: usize,
    /// The number of AND, XOR and NOT gates.
    pub gates: usize,
}

/// A netlist without copies and without constants inside. Each gate reads earlier nodes.
#[derive(Clone)]
pub(crate) struct Graph {
    inputs: Vec<usize>,
    outputs: Vec<Vec<Node>>,
    first_gate: usize,
    gates: Vec<Op>,
    /// The fingerprint of the linear form of each node; see [`Recorder`].
    fingerprints: Vec<u128>,
}

impl Graph {
    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.first_gate + self.gates.len()
    }

    /// The gate of a node; `None` for a constant or an input.
    pub(crate) fn op(&self, node: Node) -> Option<Op> {
        let gate = node.index().checked_sub(self.first_gate)?;
        Some(self.gates[gate])
    }

    /// The operands of a node that is an AND.
    pub(crate) fn and(&self, node: Node) -> Option<[Node; 2]> {
        match self.op(node)? {
            Op::And(a, b) => Some([a, b]),
            Op::Xor(..) => None,
        }
    }

    /// The gates with their nodes, in order.
    pub(crate) fn gates(&self) -> impl DoubleEndedIterator<Item = (Node, Op)> {
        let nodes = (self.first_gate..self.nodes()).map(|index| Node(index as u32));
        nodes.zip(self.gates.iter().copied())
    }

    /// The fingerprint of the linear form of a node. The fingerprint of an XOR is the XOR of the
    /// fingerprints. A sum of forms that is not 0 has the fingerprint 0 with probability 2^-128.
    pub(crate) fn fingerprint(&self, node: Node) -> u128 {
        self.fingerprints[node.index()]
    }

    /// The output bits.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = Node> {
        self.outputs.iter().flatten().copied()
    }

    pub(crate) fn size(&self) -> Size {
        Size {
            ands: self.gates.iter().filter(|op| op.is_and()).count(),
            gates: self.gates.len(),
        }
    }

    /// The netlist of the graph, with the same number of gates.
    pub(crate) fn netlist(&self) -> Netlist {
        let wire = |node: Node| Wire::new(node.index() - Node::CONSTANTS);
        let gates: Vec<Gate> = (self.gates.iter())
            .map(|&op| match op {
                Op::Xor(a, Node::ONE) | Op::Xor(Node::ONE, a) => Gate::Not(wire(a)),
                Op::Xor(a, b) => Gate::Xor(wire(a), wire(b)),
                Op::And(a, b) => Gate::And(wire(a), wire(b)),
            })
            .collect();
        let output = |&node: &Node| match node {
            Node::ZERO => Output::Const(false),
            Node::ONE => Output::Const(true),
            node => Output::Wire(wire(node)),
        };
        let words = self.outputs.iter();
        let outputs: Vec<Vec<Output>> = words
            .map(|word| word.iter().map(output).collect())
            .collect();
        Netlist::new(self.inputs.clone(), &gates, &outputs)
    }

    /// The graph without the gates that no output needs.
    fn without_dead_gates(mut self) -> Self {
        let mut live = vec![false; self.nodes()];
        self.outputs().for_each(|node| live[node.index()] = true);
        for (node, op) in self.gates().rev() {
            if live[node.index()] {
                op.operands()
                    .iter()
                    .for_each(|node| live[node.index()] = true);
            }
        }
        let mut numbers: Vec<Node> = (0..self.first_gate as u32).map(Node).collect();
        let mut next = self.first_gate;
        // The live gates move to the front, without a second copy of a large graph.
        for (index, is_live) in live.into_iter().enumerate().skip(self.first_gate) {
            numbers.push(Node(next as u32));
            if is_live {
                let number = |node: Node| numbers[node.index()];
                self.gates[next - self.first_gate] = match self.gates[index - self.first_gate] {
                    Op::Xor(a, b) => Op::Xor(number(a), number(b)),
                    Op::And(a, b) => Op::And(number(a), number(b)),
                };
                self.fingerprints[next] = self.fingerprints[index];
                next += 1;
            }
        }
        for node in self.outputs.iter_mut().flatten() {
            *node = numbers[node.index()];
        }
        self.gates.truncate(next - self.first_gate);
        self.gates.shrink_to_fit();
        self.fingerprints.truncate(next);
        self.fingerprints.shrink_to_fit();
        self
    }
}

/// Records a graph, and records nothing twice.
///
/// Each node has a *linear form*: the set of inputs and ANDs, and possibly the constant 1, whose XOR
/// it is. As in [`dealerless::circuit::Builder`], a form is represented by a fingerprint of 128 bits,
/// the XOR of a random word for each member. Two nodes with the same form become one node. So do two
/// ANDs whose operands span the same space up to constants, because they differ only by XORs. Unlike
/// the builder, a recorder keeps negations where they are.
pub(crate) struct Recorder {
    graph: Graph,
    forms: HashTable<Node>,
    spans: HashTable<Node>,
    generator: StdRng,
    /// Whether ANDs that are equal up to XORs are merged even if this costs XORs.
    merges_spans: bool,
}

impl Recorder {
    /// A recorder for a graph with the inputs of `inputs`, and with about `gates` gates.
    fn new(inputs: &[usize], gates: usize) -> Self {
        let first_gate = Node::CONSTANTS + inputs.iter().sum::<usize>();
        let mut generator = StdRng::from_rng(&mut UnwrapErr(SysRng));
        let mut recorder = Recorder {
            graph: Graph {
                inputs: inputs.to_vec(),
                outputs: Vec::new(),
                first_gate,
                gates: Vec::with_capacity(gates),
                fingerprints: Vec::with_capacity(first_gate + gates),
            },
            forms: HashTable::new(),
            spans: HashTable::new(),
            generator: StdRng::from_rng(&mut generator),
            merges_spans: true,
        };
        recorder.graph.fingerprints.push(0);
        recorder.enter(Node::ZERO);
        for index in 1..first_gate {
            recorder.graph.fingerprints.push(generator.random());
            recorder.enter(Node(index as u32));
        }
        recorder
    }

    /// A recorder for a graph with the same inputs as `graph`.
    pub(crate) fn like(graph: &Graph) -> Self {
        Self::new(&graph.inputs, graph.gates.len())
    }

    /// Records a netlist. `merges_spans` is whether an AND may be replaced by up to three XORs if
    /// another AND is equal up to XORs.
    pub(crate) fn record(netlist: &Netlist, merges_spans: bool) -> Graph {
        let mut recorder = Self::new(netlist.inputs(), netlist.gates());
        recorder.merges_spans = merges_spans;
        let mut nodes = vec![Node::ZERO; netlist.wires()];
        for (place, index) in (Node::CONSTANTS..recorder.graph.first_gate).enumerate() {
            nodes[place] = Node(index as u32);
        }
        for step in netlist.steps() {
            let on = |wire: Wire| nodes[wire.index()];
            nodes[step.sets.index()] = match step.operation {
                Operation::Xor(a, b) => recorder.xor(on(a), on(b)),
                Operation::And(a, b) => recorder.and(on(a), on(b)),
                Operation::Not(a) => recorder.xor(on(a), Node::ONE),
                Operation::Copy(a) => on(a),
                Operation::Const(false) => Node::ZERO,
                Operation::Const(true) => Node::ONE,
            };
        }
        let mut bits = nodes[netlist.first_output()..].iter().copied();
        let outputs = netlist.outputs().iter();
        let outputs = outputs.map(|&width| bits.by_ref().take(width).collect());
        recorder.graph.outputs = outputs.collect();
        drop(nodes);
        recorder.without_tables().without_dead_gates()
    }

    /// The graph. A large graph has large tables, which are freed first.
    fn without_tables(self) -> Graph {
        self.graph
    }

    /// The recorded graph. Its outputs are those of `graph`, renamed by `nodes`, which has the
    /// recorded node of each node of `graph`.
    pub(crate) fn finish(mut self, graph: &Graph, nodes: &[Node]) -> Graph {
        self.graph.outputs = graph.outputs.clone();
        for node in self.graph.outputs.iter_mut().flatten() {
            *node = nodes[node.index()];
        }
        self.without_tables().without_dead_gates()
    }

    /// The number of nodes recorded so far.
    pub(crate) fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// Records a gate of another graph. `nodes` has the recorded node of each node of that graph.
    pub(crate) fn repeat(&mut self, op: Op, nodes: &[Node]) -> Node {
        let [a, b] = op.operands().map(|node| nodes[node.index()]);
        match op {
            Op::Xor(..) => self.xor(a, b),
            Op::And(..) => self.and(a, b),
        }
    }

    /// `a ^ b`.
    pub(crate) fn xor(&mut self, a: Node, b: Node) -> Node {
        let fingerprint = self.graph.fingerprint(a) ^ self.graph.fingerprint(b);
        match self.find(fingerprint) {
            Some(node) => node,
            None => self.push(Op::Xor(a, b), fingerprint),
        }
    }

    /// The sum of some nodes.
    pub(crate) fn sum(&mut self, nodes: impl IntoIterator<Item = Node>) -> Node {
        let nodes = nodes.into_iter();
        nodes.fold(Node::ZERO, |sum, node| self.xor(sum, node))
    }

    /// `a & b`.
    pub(crate) fn and(&mut self, a: Node, b: Node) -> Node {
        let one = self.graph.fingerprint(Node::ONE);
        let [p, q] = [a, b].map(|node| self.graph.fingerprint(node));
        if p == 0 || q == 0 || p ^ q == one {
            return Node::ZERO;
        }
        if p == one || p == q {
            return b;
        }
        if q == one {
            return a;
        }
        let span = Span::of(p, q, one);
        let fingerprints = &self.graph.fingerprints;
        let gates = &self.graph.gates;
        let first_gate = self.graph.first_gate;
        let span_of = |node: &Node| {
            let [a, b] = gates[node.index() - first_gate].operands();
            Span::of(fingerprints[a.index()], fingerprints[b.index()], one)
        };
        if let Some(&and) = self.spans.find(span.hash(), |node| span_of(node) == span) {
            let operands = self.graph.and(and).expect("an AND");
            let is_equal = operands
                .map(|node| self.graph.fingerprint(node))
                .contains(&p)
                && operands
                    .map(|node| self.graph.fingerprint(node))
                    .contains(&q);
            if self.merges_spans || is_equal {
                return self.product_from(p, q, and);
            }
        }
        let node = Node(self.graph.nodes() as u32);
        self.spans
            .insert_unique(span.hash(), node, |node| span_of(node).hash());
        let fingerprint = self.generator.random();
        self.push(Op::And(a, b), fingerprint)
    }

    /// The product of the forms `p` and `q`, from an AND whose operands span the same space up to
    /// constants.
    fn product_from(&mut self, p: u128, q: u128, and: Node) -> Node {
        let [s, t] = self.graph.and(and).expect("an AND");
        let one = self.graph.fingerprint(Node::ONE);
        let [fs, ft] = [s, t].map(|node| self.graph.fingerprint(node));
        // The values of p and q on the inputs 00, 10, 01 and 11 of s and t.
        let values = |form: u128| -> u8 {
            let sums = [(0, 0b0000), (fs, 0b1010), (ft, 0b1100), (fs ^ ft, 0b0110)];
            let found = sums.into_iter().find_map(|(sum, values)| match sum ^ form {
                0 => Some(values),
                rest if rest == one => Some(!values & 0b1111),
                _ => None,
            });
            found.expect("the spans are equal")
        };
        let product = values(p) & values(q);
        let mut terms = Vec::new();
        // The algebraic normal form of the product. It contains s & t, because p and q are independent.
        let bit = |input: u8| product >> input & 1 == 1;
        let (constant, with_s, with_t) = (bit(0), bit(0) ^ bit(1), bit(0) ^ bit(2));
        terms.extend(with_s.then_some(s));
        terms.extend(with_t.then_some(t));
        terms.extend(constant.then_some(Node::ONE));
        let rest = self.sum(terms);
        self.xor(and, rest)
    }

    fn push(&mut self, op: Op, fingerprint: u128) -> Node {
        let node = Node(self.graph.nodes() as u32);
        self.graph.gates.push(op);
        self.graph.fingerprints.push(fingerprint);
        self.enter(node);
        node
    }

    fn find(&self, fingerprint: u128) -> Option<Node> {
        let fingerprints = &self.graph.fingerprints;
        let found = self.forms.find(fingerprint as u64, |node| {
            fingerprints[node.index()] == fingerprint
        });
        found.copied()
    }

    fn enter(&mut self, node: Node) {
        let fingerprints = &self.graph.fingerprints;
        let hash = |node: &Node| fingerprints[node.index()] as u64;
        self.forms.insert_unique(hash(&node), node, hash);
    }
}

/// The three nonzero forms that two operands span, each without its constant, in order.
#[derive(PartialEq, Eq)]
struct Span([u128; 3]);

impl Span {
    fn of(p: u128, q: u128, one: u128) -> Self {
        let mut forms = [p, q, p ^ q].map(|form| form.min(form ^ one));
        forms.sort_unstable();
        Span(forms)
    }

    fn hash(&self) -> u64 {
        let [a, b, c] = self.0;
        (a ^ b.rotate_left(1) ^ c.rotate_left(2)) as u64
    }
}
