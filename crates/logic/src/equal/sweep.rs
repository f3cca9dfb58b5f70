//! The sweep over the gates of two netlists.

use std::collections::{BTreeMap, BinaryHeap};

use dealerless::circuit::bristol::Netlist;
use hashbrown::{HashMap, HashSet};
use rand::rand_core::UnwrapErr;
use rand::rngs::{StdRng, SysRng};
use rand::{RngExt, SeedableRng};

use super::Verdict;
use super::cnf::Stop;
use super::cones::{Cones, Proof};
use super::literal::Literal;
use super::network::Network;
use super::nodes::{Gate, Node, Nodes};
use super::window::Window;

/// The number of random inputs in units of 64.
const WORDS: usize = 64;

/// The maximum number of earlier gates with which a gate is compared.
const MAX_LEADERS: usize = 4;

/// The conflicts of the SAT solver for a window in the first round.
const WINDOW_CONFLICTS: u64 = 200;

/// The conflicts of the SAT solver for whole cones in the first round.
const CONE_CONFLICTS: u64 = 1000;

/// Each round has this times the conflicts of the round before.
const GROWTH: u64 = 4;

/// Nodes visited at most to find the ANDs in a proved equation, and the ANDs that it may have.
const MAX_EQUATION: usize = 256;

/// The reason why a sweep ends early.
pub(super) enum End {
    Different(Vec<bool>),
    Stopped,
}

pub(super) struct Sweep {
    network: Network,
    graph: Nodes,
    cones: Cones,
    stop: Stop,
    generator: StdRng,
    /// For each place, a literal of the graph that computes it; absent before the first sweep over
    /// the place.
    literals: Vec<Option<Literal>>,
    /// For each place, a hash of its values on the inputs tried, or of their negations.
    signatures: Vec<u64>,
    /// For each place, whether its signature is that of the negations. Then the first value is 1.
    negated: Vec<bool>,
    /// The first places with each signature that are not known to be equal.
    leaders: HashMap<u64, Vec<u32>>,
    /// The nodes over which this round has been.
    swept: HashSet<usize>,
    /// The pairs of literals that were not decided in this round.
    undecided: HashSet<[Literal; 2]>,
    /// The factor on the conflicts of each proof.
    effort: u64,
}

impl Sweep {
    pub(super) fn new(netlists: [&Netlist; 2], stop: Stop) -> Self {
        let network = Network::new(netlists);
        let mut generator = StdRng::from_rng(&mut UnwrapErr(SysRng));
        let places = network.places();
        let mut literals: Vec<Option<Literal>> = (0..=network.inputs)
            .map(|place| Some(Literal::positive(place)))
            .collect();
        literals.resize(places, None);
        Sweep {
            graph: Nodes::new(network.inputs, StdRng::from_rng(&mut generator)),
            cones: Cones::new(&stop),
            stop,
            generator,
            literals,
            signatures: vec![0; places],
            negated: Vec::new(),
            leaders: HashMap::new(),
            swept: HashSet::new(),
            undecided: HashSet::new(),
            effort: 1,
            network,
        }
    }

    pub(super) fn run(mut self, mut progress: impl FnMut(u32, usize)) -> Verdict {
        match self.search(&mut progress) {
            Ok(()) => Verdict::Equal,
            Err(End::Different(input)) => Verdict::Different(input),
            Err(End::Stopped) => Verdict::Undecided {
                proved: self.proved(),
                of: self.network.outputs[0].len(),
            },
        }
    }

    /// Returns when all outputs are proved equal.
    fn search(&mut self, progress: &mut impl FnMut(u32, usize)) -> Result<(), End> {
        for _ in 0..WORDS {
            let inputs: Vec<u64> = (0..self.network.inputs)
                .map(|_| self.generator.random())
                .collect();
            self.check_stop()?;
            self.simulate(&inputs)?;
        }
        for place in 1 + self.network.inputs..self.network.places() {
            self.check_stop()?;
            self.literals[place] = Some(self.enter(place));
        }
        for round in 1.. {
            if self.proved() == self.network.outputs[0].len() {
                break;
            }
            self.round(|swept| progress(round, swept))?;
            self.effort = self.effort.saturating_mul(GROWTH);
        }
        Ok(())
    }

    /// Sweeps both netlists, and compares the outputs.
    fn round(&mut self, mut progress: impl FnMut(usize)) -> Result<(), End> {
        self.leaders.clear();
        self.undecided.clear();
        self.swept.clear();
        for place in 0..=self.network.inputs {
            self.lead(place);
        }
        let mut swept = 0;
        for side in 0..2 {
            for layer in 0..self.network.layers[side].len() {
                let places = std::mem::take(&mut self.network.layers[side][layer]);
                let result = self.sweep(&places);
                swept += places.len();
                self.network.layers[side][layer] = places;
                result?;
                progress(swept);
            }
        }
        for bit in 0..self.network.outputs[0].len() {
            if let [Some(a), Some(b)] = self.output(bit)
                && a != b
            {
                self.prove(a, b)?;
            }
        }
        Ok(())
    }

    fn check_stop(&self) -> Result<(), End> {
        if (self.stop)() {
            return Err(End::Stopped);
        }
        Ok(())
    }

    /// An output bit of both netlists. Absent before the sweep over its gate.
    fn output(&mut self, bit: usize) -> [Option<Literal>; 2] {
        [0, 1].map(|side| {
            let output = self.network.outputs[side][bit];
            self.literals[output.node()]?;
            Some(self.literal(output.node()).negate_if(output.negated()))
        })
    }

    /// The number of output bits that are proved equal.
    fn proved(&mut self) -> usize {
        let bits = 0..self.network.outputs[0].len();
        bits.filter(|&bit| {
            let [a, b] = self.output(bit);
            a.is_some() && a == b
        })
        .count()
    }

    /// The literal of a place over which a sweep has been.
    fn literal(&mut self, place: usize) -> Literal {
        let literal = self.literals[place].expect("gates are swept in topological order");
        let literal = self.graph.find(literal);
        self.literals[place] = Some(literal);
        literal
    }

    /// Enters the gate on a place into the graph.
    fn enter(&mut self, place: usize) -> Literal {
        let gate = self.network.gate(place);
        let [a, b] = [gate.a, gate.b]
            .map(|operand| self.literal(operand.node()).negate_if(operand.negated()));
        let literal = if gate.and {
            self.graph.and(a, b)
        } else {
            self.graph.xor(a, b)
        };
        self.graph.find(literal)
    }

    /// Sweeps the gates of one layer, which are in topological order.
    fn sweep(&mut self, places: &[u32]) -> Result<(), End> {
        let first = self.graph.len() as Node;
        let mut equations = Equations::new(first);
        let mut unproved = Vec::new();
        for &place in places {
            let place = place as usize;
            self.check_stop()?;
            let own = self.enter(place);
            self.literals[place] = Some(own);
            if !self.swept.insert(own.node()) {
                continue;
            }
            match self.find_equal(place)? {
                Some(equal) => equations.add(&mut self.graph, own, equal),
                None => unproved.push(place),
            }
        }
        if equations.solve(&mut self.graph) {
            for place in unproved {
                let (old, new) = (self.literal(place), self.enter(place));
                self.graph.replace(old, new);
            }
        }
        Ok(())
    }

    /// Searches for an earlier literal that is equal to the gate on a place, and replaces the gate
    /// by it.
    fn find_equal(&mut self, place: usize) -> Result<Option<Literal>, End> {
        'signature: loop {
            let signature = self.signatures[place];
            for number in 0..MAX_LEADERS {
                let leaders = self.leaders.get(&signature);
                let Some(&leader) = leaders.and_then(|leaders| leaders.get(number)) else {
                    break;
                };
                let leader = leader as usize;
                let negate = self.negated[leader] ^ self.negated[place];
                let (own, equal) = (self.literal(place), self.literal(leader).negate_if(negate));
                if own == equal {
                    return Ok(None);
                }
                if self.prove(own, equal)? {
                    return Ok(Some(equal));
                }
                // An input was found on which they differ.
                if self.signatures[place] != signature {
                    continue 'signature;
                }
            }
            self.lead(place);
            return Ok(None);
        }
    }

    /// Enters a place into the table of leaders.
    fn lead(&mut self, place: usize) {
        let leaders = self.leaders.entry(self.signatures[place]).or_default();
        if leaders.len() < MAX_LEADERS {
            leaders.push(place as u32);
        }
    }

    /// Whether two literals were proved equal.
    fn prove(&mut self, a: Literal, b: Literal) -> Result<bool, End> {
        if !self.undecided.insert([a, b]) {
            return Ok(false);
        }
        let conflicts = WINDOW_CONFLICTS.saturating_mul(self.effort);
        if Window::prove(&self.graph, [a, b], conflicts, &self.stop) {
            self.graph.replace(a, b);
            return Ok(true);
        }
        self.check_stop()?;
        let conflicts = CONE_CONFLICTS.saturating_mul(self.effort);
        let proof = self
            .cones
            .prove(&self.graph, self.network.inputs, a, b, conflicts);
        self.check_stop()?;
        match proof {
            Proof::Equal => {
                self.graph.replace(a, b);
                Ok(true)
            }
            Proof::Undecided => Ok(false),
            Proof::Differ(input) => {
                self.refine(&input)?;
                Ok(false)
            }
        }
    }

    /// Distinguishes the signatures of gates that differ on `input`, or on inputs that differ from
    /// it in one bit.
    fn refine(&mut self, input: &[bool]) -> Result<(), End> {
        let words = input.iter().map(|&bit| u64::from(bit).wrapping_neg());
        let mut words: Vec<u64> = words.collect();
        for lane in 1..64 {
            let bit = self.generator.random_range(0..words.len());
            words[bit] ^= 1 << lane;
        }
        self.simulate(&words)?;
        let leaders = std::mem::take(&mut self.leaders);
        for place in leaders.into_values().flatten() {
            self.lead(place as usize);
        }
        Ok(())
    }

    /// Adds the values on 64 inputs to the signatures.
    fn simulate(&mut self, inputs: &[u64]) -> Result<(), End> {
        let values = self.network.simulate(inputs);
        if let Some(lane) = self.network.differing_lane(&values) {
            let input = inputs.iter().map(|word| word >> lane & 1 == 1);
            return Err(End::Different(input.collect()));
        }
        if self.negated.is_empty() {
            self.negated = values.iter().map(|value| value & 1 == 1).collect();
        }
        let places = self.signatures.iter_mut().zip(&self.negated).zip(values);
        for ((signature, &negated), value) in places {
            let value = value ^ u64::from(negated).wrapping_neg();
            *signature = mixed(*signature, value);
        }
        Ok(())
    }
}

/// A hash of a signature and 64 more values. Equal hashes of different values cost a proof that
/// fails.
fn mixed(signature: u64, values: u64) -> u64 {
    let mixed = (signature.rotate_left(23) ^ values).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// Equations between the ANDs of one layer.
struct Equations {
    /// The first node of the layer.
    first: Node,
    /// For each last AND, the other ANDs of its equation in descending order, and a literal that
    /// computes the XOR of all of them. The form of the literal has no AND of the equation.
    rows: BTreeMap<Node, (Vec<Node>, Literal)>,
}

impl Equations {
    fn new(first: Node) -> Self {
        Equations {
            first,
            rows: BTreeMap::new(),
        }
    }

    /// Adds that `a` and `b` are equal.
    fn add(&mut self, graph: &mut Nodes, a: Literal, b: Literal) {
        let Some(mut ands) = self.ands(graph, [a, b]) else {
            return;
        };
        let mut sum = graph.xor(a, b);
        for &and in &ands {
            sum = graph.xor(sum, Literal::positive(and as usize));
        }
        while let Some(&last) = ands.first() {
            let Some((others, right)) = self.rows.get(&last) else {
                ands.remove(0);
                self.rows.insert(last, (ands, sum));
                return;
            };
            sum = graph.xor(sum, *right);
            ands = symmetric_difference(&ands[1..], others);
            if ands.len() > MAX_EQUATION {
                return;
            }
        }
    }

    /// The ANDs of the layer in the XOR of two literals, in descending order; `None` if there are
    /// too many.
    fn ands(&self, graph: &Nodes, literals: [Literal; 2]) -> Option<Vec<Node>> {
        let mut nodes = BinaryHeap::from(literals.map(|literal| literal.node() as Node));
        let mut ands = Vec::new();
        let mut visited = 0;
        while let Some(node) = nodes.pop().filter(|&node| node >= self.first) {
            visited += 1;
            if visited > MAX_EQUATION {
                return None;
            }
            let mut odd = true;
            while nodes.peek() == Some(&node) {
                nodes.pop();
                odd = !odd;
            }
            match graph.gate(node) {
                Gate::And(..) if odd => ands.push(node),
                Gate::Xor(p, q) if odd => nodes.extend([p, q]),
                Gate::Leaf | Gate::And(..) | Gate::Xor(..) => {}
            }
        }
        Some(ands)
    }

    /// Replaces the last AND of each equation by the XOR of the rest. Returns whether there are
    /// equations.
    fn solve(self, graph: &mut Nodes) -> bool {
        let any = !self.rows.is_empty();
        // In ascending order, so that the other ANDs are already replaced.
        for (last, (others, mut sum)) in self.rows {
            for and in others {
                let and = graph.find(Literal::positive(and as usize));
                sum = graph.xor(sum, and);
            }
            graph.replace(Literal::positive(last as usize), sum);
        }
        any
    }
}

/// The elements of exactly one of two descending lists, in descending order.
fn symmetric_difference(a: &[Node], b: &[Node]) -> Vec<Node> {
    let mut rest = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a, b);
    while let (Some((&x, after_x)), Some((&y, after_y))) = (a.split_first(), b.split_first()) {
        if x >= y {
            a = after_x;
        }
        if y >= x {
            b = after_y;
        }
        if x != y {
            rest.push(x.max(y));
        }
    }
    rest.extend(a);
    rest.extend(b);
    rest
}
