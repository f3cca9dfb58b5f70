//! Shares sums: fewer XORs, with the same ANDs.
//!
//! The XORs of a graph are sums of several terms. If two terms occur together in several sums, they
//! are added once. The pair that occurs in the most sums is taken first (Paar, "Optimized arithmetic
//! for Reed-Solomon encoders", ISIT 1997). The terms of a sum are ANDs, inputs, and the sums that are
//! used in more than one place, so a step never adds a gate.

use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::forms::without_pairs;
use crate::graph::{Graph, Node, Op, Recorder};
use crate::optimise::Watch;

/// Pairs are counted in sums of at most this many terms.
const MAX_TERMS: usize = 48;

/// A term of a sum: a node of the graph, or a pair, numbered after the nodes.
type Term = u32;

/// The graph with shared sums, or `None` if there is nothing to share.
pub(crate) fn share(graph: &Graph, watch: &dyn Watch) -> Option<Graph> {
    let mut sums = Sums::of(graph);
    sums.share(watch);
    if sums.pairs.is_empty() {
        return None;
    }
    let shared = sums.graph();
    (shared.size() < graph.size()).then_some(shared)
}

/// The sums of a graph.
struct Sums<'a> {
    graph: &'a Graph,
    /// For each node that is a sum, its terms; empty for all other nodes.
    terms: Vec<Vec<Term>>,
    /// The two terms of each pair.
    pairs: Vec<[Term; 2]>,
    /// For each term, the sums that contain it, and some that did.
    places: Vec<Vec<Node>>,
    /// The number of sums that contain each pair of terms.
    counts: HashMap<[Term; 2], u32>,
    /// The pairs with their counts, some of them outdated.
    queue: BinaryHeap<(u32, std::cmp::Reverse<[Term; 2]>)>,
}

impl<'a> Sums<'a> {
    fn of(graph: &'a Graph) -> Self {
        let is_sum = heads(graph);
        let mut terms: Vec<Vec<Term>> = vec![Vec::new(); graph.nodes()];
        let mut pending = Vec::new();
        for (node, op) in graph.gates() {
            if !is_sum[node.index()] {
                continue;
            }
            let mut sum = Vec::new();
            pending.extend(op.operands());
            while let Some(term) = pending.pop() {
                match graph.op(term) {
                    Some(Op::Xor(a, b)) if !is_sum[term.index()] => pending.extend([a, b]),
                    _ => sum.push(term.0),
                }
            }
            terms[node.index()] = without_pairs(sum);
        }
        let mut sums = Sums {
            graph,
            places: vec![Vec::new(); graph.nodes()],
            terms,
            pairs: Vec::new(),
            counts: HashMap::new(),
            queue: BinaryHeap::new(),
        };
        for index in 0..graph.nodes() {
            let node = Node(index as u32);
            for place in 0..sums.terms[index].len() {
                let term = sums.terms[index][place];
                sums.places[term as usize].push(node);
            }
            for_each_pair(&sums.terms[index], |pair| {
                *sums.counts.entry(pair).or_default() += 1
            });
        }
        let shared = sums.counts.iter().filter(|&(_, &count)| count > 1);
        sums.queue = shared
            .map(|(&pair, &count)| (count, std::cmp::Reverse(pair)))
            .collect();
        sums
    }

    /// Adds pairs that occur in several sums, until there is none.
    fn share(&mut self, watch: &dyn Watch) {
        while !watch.is_stopped()
            && let Some((count, std::cmp::Reverse(pair))) = self.queue.pop()
        {
            let current = self.counts.get(&pair).copied().unwrap_or(0);
            if current != count {
                if current > 1 {
                    self.queue.push((current, std::cmp::Reverse(pair)));
                }
                continue;
            }
            self.add(pair);
        }
    }

    /// Replaces a pair by one term in all sums that contain it.
    fn add(&mut self, pair: [Term; 2]) {
        let new = (self.graph.nodes() + self.pairs.len()) as Term;
        self.pairs.push(pair);
        self.places.push(Vec::new());
        let [fewer, more] = match pair.map(|term| self.places[term as usize].len()) {
            [a, b] if a <= b => pair,
            _ => [pair[1], pair[0]],
        };
        let places = std::mem::take(&mut self.places[fewer as usize]);
        let mut left = Vec::new();
        let mut repeated = Vec::new();
        for node in places {
            let terms = &mut self.terms[node.index()];
            // The terms are in order.
            if terms.len() > MAX_TERMS || terms.binary_search(&fewer).is_err() {
                continue;
            }
            if terms.binary_search(&more).is_err() {
                left.push(node);
                continue;
            }
            terms.retain(|term| !pair.contains(term));
            for &other in terms.iter() {
                for term in pair {
                    let key = [term.min(other), term.max(other)];
                    if let Some(count) = self.counts.get_mut(&key) {
                        *count -= 1;
                    }
                }
                // A new term has the highest number.
                let count = self.counts.entry([other, new]).or_default();
                *count += 1;
                if *count == 2 {
                    repeated.push([other, new]);
                }
            }
            terms.push(new);
            self.places[new as usize].push(node);
        }
        self.places[fewer as usize] = left;
        self.counts.remove(&pair);
        let counted = repeated
            .into_iter()
            .map(|pair| (self.counts[&pair], std::cmp::Reverse(pair)));
        self.queue.extend(counted);
    }

    /// Records the graph with its new sums.
    fn graph(&self) -> Graph {
        let mut recorder = Recorder::like(self.graph);
        let mut nodes: Vec<Node> = (0..recorder.nodes() as u32).map(Node).collect();
        let mut pairs: Vec<Option<Node>> = vec![None; self.pairs.len()];
        for (node, op) in self.graph.gates() {
            let recorded = match op {
                Op::And(a, b) => recorder.and(nodes[a.index()], nodes[b.index()]),
                // The inner XORs of a sum are not used.
                Op::Xor(..) => self.terms[node.index()]
                    .iter()
                    .fold(Node::ZERO, |sum, &term| {
                        let term = self.record(term, &nodes, &mut pairs, &mut recorder);
                        recorder.xor(sum, term)
                    }),
            };
            nodes.push(recorded);
        }
        recorder.finish(self.graph, &nodes)
    }

    /// The recorded node of a term. All nodes that it is made of are recorded.
    fn record(
        &self,
        term: Term,
        nodes: &[Node],
        pairs: &mut [Option<Node>],
        recorder: &mut Recorder,
    ) -> Node {
        let mut pending = vec![term];
        while let Some(&term) = pending.last() {
            let known = |term: Term, pairs: &[Option<Node>]| match nodes.get(term as usize) {
                Some(&node) => Some(node),
                None => pairs[term as usize - self.graph.nodes()],
            };
            let Some(pair) = (term as usize).checked_sub(self.graph.nodes()) else {
                pending.pop();
                continue;
            };
            let terms = self.pairs[pair];
            match terms.map(|term| known(term, pairs)) {
                [Some(a), Some(b)] => {
                    pairs[pair] = Some(recorder.xor(a, b));
                    pending.pop();
                }
                [None, _] => pending.push(terms[0]),
                [_, None] => pending.push(terms[1]),
            }
        }
        match nodes.get(term as usize) {
            Some(&node) => node,
            None => pairs[term as usize - self.graph.nodes()].expect("just recorded"),
        }
    }
}

/// Whether each node is an XOR that is used other than once by another XOR.
fn heads(graph: &Graph) -> Vec<bool> {
    let mut readers = vec![0u32; graph.nodes()];
    let mut is_head = vec![false; graph.nodes()];
    graph
        .outputs()
        .for_each(|node| is_head[node.index()] = true);
    for (_, op) in graph.gates() {
        for operand in op.operands() {
            readers[operand.index()] += 1;
            is_head[operand.index()] |= op.is_and();
        }
    }
    for index in 0..graph.nodes() {
        let node = Node(index as u32);
        let is_xor = matches!(graph.op(node), Some(Op::Xor(..)));
        is_head[index] = is_xor && (is_head[index] || readers[index] != 1);
    }
    is_head
}

/// Calls `take` with the pairs of a sum that is not too long, the lower term first.
fn for_each_pair(terms: &[Term], mut take: impl FnMut([Term; 2])) {
    if terms.len() > MAX_TERMS {
        return;
    }
    for (place, &a) in terms.iter().enumerate() {
        for &b in &terms[place + 1..] {
            take([a, b]);
        }
    }
}

#[cfg(test)]
mod tests {
    use dealerless::circuit::bristol::Netlist;
    use dealerless::circuit::{Gate, Output, Wire};

    use super::*;
    use crate::graph::Size;
    use crate::optimise::Pass;

    struct Never;

    impl Watch for Never {
        fn begin(&self, _: Pass, _: usize) {}
        fn end(&self, _: Pass, _: Size) {}
    }

    /// `a ^ b` is shared first. Then `a ^ c` occurs in one sum only, and `c ^ d` in two.
    #[test]
    fn counts_of_pairs_follow_the_sums() {
        let sums = ["acb", "hacb", "adc", "ced", "afb", "bga"];
        let mut gates = Vec::new();
        let mut outputs = Vec::new();
        for sum in sums {
            let terms = sum.bytes().map(|name| Wire::new(usize::from(name - b'a')));
            let sum = terms.reduce(|sum, term| {
                gates.push(Gate::Xor(sum, term));
                Wire::new(8 + gates.len() - 1)
            });
            outputs.push(Output::Wire(sum.expect("some terms")));
        }
        let netlist = Netlist::new(vec![8], &gates, &[outputs]);
        let graph = Recorder::record(&netlist, true);
        assert_eq!(graph.size().gates, 13);
        let shared = share(&graph, &Never).expect("pairs to share");
        assert_eq!(shared.size().gates, 8);
        assert!(share(&shared, &Never).is_none());
    }
}
