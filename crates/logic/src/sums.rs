//! Shares sums: fewer XORs, with the same ANDs.
//!
//! The XORs of a graph are sums of several terms. If two terms occur together in several sums, they
//! are added once. The pair that occurs in the most sums is taken first (Paar, "Optimized arithmetic
//! for Reed-Solomon encoders", ISIT 1997). The terms of a sum are ANDs, inputs, and the sums that are
//! used in more than one place, so a step never adds a gate.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::forms::without_pairs;
use crate::graph::{Graph, Node, Op, Recorder};
use crate::lists::Lists;
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

/// Lists that only become shorter.
struct Shrinking {
    lists: Lists<u32>,
    lengths: Vec<u32>,
}

impl Shrinking {
    fn new(lists: Lists<u32>) -> Self {
        let lengths = (0..lists.count()).map(|list| lists.get(list).len() as u32);
        Shrinking {
            lengths: lengths.collect(),
            lists,
        }
    }

    fn get(&self, list: usize) -> &[u32] {
        &self.lists.get(list)[..self.lengths[list] as usize]
    }

    /// Replaces the items of a list by at most as many.
    fn set(&mut self, list: usize, items: &[u32]) {
        self.lists.get_mut(list)[..items.len()].copy_from_slice(items);
        self.lengths[list] = items.len() as u32;
    }
}

/// The sums of a graph, numbered in the order of their nodes.
struct Sums<'a> {
    graph: &'a Graph,
    /// The node of each sum.
    nodes: Vec<Node>,
    /// The terms of each sum, in order.
    terms: Shrinking,
    /// The two terms of each pair.
    pairs: Vec<[Term; 2]>,
    /// For each node, the sums that contain it as a term, and some that did.
    places: Shrinking,
    /// For each pair, the sums that contain it as a term, and some that did.
    pair_places: Vec<Vec<u32>>,
    /// The number of sums that contain each pair of terms, if both terms are in several sums.
    counts: HashMap<[Term; 2], u32>,
    /// The pairs with their counts, some of them outdated.
    queue: BinaryHeap<(u32, Reverse<[Term; 2]>)>,
}

impl<'a> Sums<'a> {
    fn of(graph: &'a Graph) -> Self {
        let (nodes, terms) = terms(graph);
        // For each term, the sums that contain it.
        let places = Lists::of(graph.nodes(), || {
            let sums = 0..terms.count();
            sums.flat_map(|sum| {
                terms
                    .get(sum)
                    .iter()
                    .map(move |&term| (term as usize, sum as u32))
            })
        });
        let mut counts: HashMap<[Term; 2], u32> = HashMap::new();
        let is_shared = |term: &Term| places.get(*term as usize).len() > 1;
        let mut shared = Vec::new();
        for sum in 0..nodes.len() {
            let terms = terms.get(sum);
            if terms.len() > MAX_TERMS {
                continue;
            }
            shared.clear();
            shared.extend(terms.iter().copied().filter(is_shared));
            for (place, &a) in shared.iter().enumerate() {
                for &b in &shared[place + 1..] {
                    *counts.entry([a, b]).or_default() += 1;
                }
            }
        }
        let repeated = counts.iter().filter(|&(_, &count)| count > 1);
        let queue = repeated.map(|(&pair, &count)| (count, Reverse(pair)));
        let queue = queue.collect();
        Sums {
            graph,
            nodes,
            terms: Shrinking::new(terms),
            pairs: Vec::new(),
            places: Shrinking::new(places),
            pair_places: Vec::new(),
            counts,
            queue,
        }
    }

    /// Adds pairs that occur in several sums, until there is none.
    fn share(&mut self, watch: &dyn Watch) {
        while !watch.is_stopped()
            && let Some((count, Reverse(pair))) = self.queue.pop()
        {
            let current = self.counts.get(&pair).copied().unwrap_or(0);
            if current != count {
                if current > 1 {
                    self.queue.push((current, Reverse(pair)));
                }
                continue;
            }
            self.add(pair);
        }
    }

    /// The sums that contain a term, and some that did.
    fn places(&self, term: Term) -> &[u32] {
        match (term as usize).checked_sub(self.graph.nodes()) {
            Some(pair) => &self.pair_places[pair],
            None => self.places.get(term as usize),
        }
    }

    /// Replaces a pair by one term in all sums that contain it.
    fn add(&mut self, pair: [Term; 2]) {
        let new = (self.graph.nodes() + self.pairs.len()) as Term;
        self.pairs.push(pair);
        let [fewer, more] = match pair.map(|term| self.places(term).len()) {
            [a, b] if a <= b => pair,
            _ => [pair[1], pair[0]],
        };
        let mut left = Vec::new();
        let mut repeated = Vec::new();
        let mut places = Vec::new();
        for sum in self.places(fewer).to_vec() {
            let terms = self.terms.get(sum as usize);
            // The terms are in order.
            if terms.len() > MAX_TERMS || terms.binary_search(&fewer).is_err() {
                continue;
            }
            if terms.binary_search(&more).is_err() {
                left.push(sum);
                continue;
            }
            let others = terms.iter().copied().filter(|term| !pair.contains(term));
            let mut terms: Vec<Term> = others.collect();
            for &other in &terms {
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
            self.terms.set(sum as usize, &terms);
            places.push(sum);
        }
        self.pair_places.push(places);
        match (fewer as usize).checked_sub(self.graph.nodes()) {
            Some(pair) => self.pair_places[pair] = left,
            None => self.places.set(fewer as usize, &left),
        }
        self.counts.remove(&pair);
        let counted = repeated
            .into_iter()
            .map(|pair| (self.counts[&pair], Reverse(pair)));
        self.queue.extend(counted);
    }

    /// Records the graph with its new sums.
    fn graph(self) -> Graph {
        // Free what only the search needs, before the new graph takes memory.
        let Sums {
            graph,
            nodes: sums,
            terms,
            pairs,
            places,
            pair_places,
            counts,
            queue,
        } = self;
        drop((places, pair_places, counts, queue));
        let mut sums = (0..).zip(sums).peekable();
        let mut recorder = Recorder::like(graph);
        let mut nodes: Vec<Node> = (0..recorder.nodes() as u32).map(Node).collect();
        let mut recorded: Vec<Option<Node>> = vec![None; pairs.len()];
        for (node, op) in graph.gates() {
            let gate = match op {
                Op::And(a, b) => recorder.and(nodes[a.index()], nodes[b.index()]),
                Op::Xor(..) => match sums.next_if(|(_, sum)| *sum == node) {
                    Some((sum, _)) => terms.get(sum).iter().fold(Node::ZERO, |total, &term| {
                        let term = record(
                            term,
                            graph.nodes(),
                            &pairs,
                            &nodes,
                            &mut recorded,
                            &mut recorder,
                        );
                        recorder.xor(total, term)
                    }),
                    // The inner XORs of a sum are not used.
                    None => Node::ZERO,
                },
            };
            nodes.push(gate);
        }
        recorder.finish(graph, &nodes)
    }
}

/// The sums of a graph: their nodes, and their terms in order.
fn terms(graph: &Graph) -> (Vec<Node>, Lists<Term>) {
    let is_sum = heads(graph);
    let mut nodes = Vec::new();
    let mut terms = Lists::with_capacity(0);
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
        nodes.push(node);
        terms.push(&without_pairs(sum));
    }
    (nodes, terms)
}

/// The recorded node of a term. All nodes that it is made of are recorded. `nodes` has the recorded
/// node of each node of the graph, and `recorded` that of each pair that was needed before. The first
/// pair is the term `first_pair`.
fn record(
    term: Term,
    first_pair: usize,
    pairs: &[[Term; 2]],
    nodes: &[Node],
    recorded: &mut [Option<Node>],
    recorder: &mut Recorder,
) -> Node {
    let mut pending = vec![term];
    while let Some(&term) = pending.last() {
        let Some(pair) = (term as usize).checked_sub(first_pair) else {
            break;
        };
        let known = |term: Term| match (term as usize).checked_sub(first_pair) {
            Some(pair) => recorded[pair],
            None => Some(nodes[term as usize]),
        };
        let terms = pairs[pair];
        match terms.map(known) {
            [Some(a), Some(b)] => {
                recorded[pair] = Some(recorder.xor(a, b));
                pending.pop();
            }
            [None, _] => pending.push(terms[0]),
            [_, None] => pending.push(terms[1]),
        }
    }
    match (term as usize).checked_sub(first_pair) {
        Some(pair) => recorded[pair].expect("just recorded"),
        None => nodes[term as usize],
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
