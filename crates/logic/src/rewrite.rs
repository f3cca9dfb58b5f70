//! Replaces cones by circuits with fewer ANDs.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::classes::{CLASSES, Solution};
use crate::cones::{Cone, Cones};
use crate::function::{Function, VARIABLES};
use crate::graph::{Graph, Node, Recorder};
use crate::optimise::Watch;

/// A cone, and the circuit that replaces its root.
pub(crate) struct Rewriting {
    cone: Cone,
    solution: Solution,
}

/// Cones that can be replaced together, with their circuits. Those that save the most come first.
pub(crate) fn find(graph: &Graph, watch: &dyn Watch) -> Vec<Rewriting> {
    let search = Cones::of(graph);
    let ands = graph.gates().filter(|(_, op)| op.is_and());
    let ands: Vec<Node> = ands.map(|(node, _)| node).collect();
    let found = ands.par_iter().filter_map(|&root| {
        watch.step();
        if watch.is_stopped() {
            None
        } else {
            search.best(root)
        }
    });
    let mut cones: Vec<Cone> = found.collect();
    cones.sort_by_key(|cone| std::cmp::Reverse(cone.saved));
    let mut is_removed = vec![false; graph.nodes()];
    let mut is_kept = vec![false; graph.nodes()];
    cones.retain(|cone| {
        let is_compatible = cone.members.iter().enumerate().all(|(place, member)| {
            !is_removed[member.index()] && (!cone.removes(place) || !is_kept[member.index()])
        });
        if is_compatible {
            for (place, member) in cone.members.iter().enumerate() {
                let marks = if cone.removes(place) {
                    &mut is_removed
                } else {
                    &mut is_kept
                };
                marks[member.index()] = true;
            }
        }
        is_compatible
    });
    solve(cones, watch)
}

/// The graph after the replacement of cones that [`find`] has found.
pub(crate) fn replace(graph: &Graph, rewritings: &[Rewriting]) -> Graph {
    let root = |cone: &Cone| *cone.members.last().expect("a cone has a root");
    let mut is_removed = vec![false; graph.nodes()];
    for Rewriting { cone, .. } in rewritings {
        for (place, member) in cone.members.iter().enumerate() {
            is_removed[member.index()] |= cone.removes(place);
        }
    }
    let mut in_order: Vec<&Rewriting> = rewritings.iter().collect();
    in_order.sort_by_key(|rewriting| root(&rewriting.cone));
    let mut in_order = in_order.into_iter().peekable();
    let mut recorder = Recorder::like(graph);
    let mut nodes: Vec<Node> = (0..recorder.nodes() as u32).map(Node).collect();
    for (node, op) in graph.gates() {
        nodes.push(if !is_removed[node.index()] {
            recorder.repeat(op, &nodes)
        } else if let Some(next) = in_order.next_if(|next| root(&next.cone) == node) {
            record(next, &nodes, &mut recorder)
        } else {
            Node::ZERO
        });
    }
    recorder.finish(graph, &nodes)
}

/// Cones with the circuits of their functions. A stop leaves out the cones whose functions are not
/// solved yet.
fn solve(cones: Vec<Cone>, watch: &dyn Watch) -> Vec<Rewriting> {
    let functions: HashSet<Function> = cones.iter().map(|cone| cone.function).collect();
    let solved = functions
        .into_par_iter()
        .filter_map(|function| (!watch.is_stopped()).then(|| (function, CLASSES.solve(function))));
    let solutions: HashMap<Function, Solution> = solved.collect();
    let rewritings = cones.into_iter().filter_map(|cone| {
        let solution = solutions.get(&cone.function)?.clone();
        Some(Rewriting { cone, solution })
    });
    rewritings.collect()
}

/// Records the circuit that replaces the root of a cone.
fn record(rewriting: &Rewriting, nodes: &[Node], recorder: &mut Recorder) -> Node {
    let Rewriting { cone, solution } = rewriting;
    let kept = |mask: u32| {
        let members = cone.members.iter().enumerate();
        let chosen = members.filter(move |(place, _)| mask >> place & 1 == 1);
        chosen.map(|(_, member)| nodes[member.index()])
    };
    let mut known: Vec<Node> = Vec::with_capacity(VARIABLES + solution.class.ands.len());
    for &(operand, members) in &cone.leaves {
        let members = recorder.sum(kept(members));
        known.push(recorder.xor(nodes[operand.index()], members));
    }
    // A function of fewer variables does not depend on the others.
    known.resize(VARIABLES, Node::ZERO);
    let sum = |known: &[Node], (constant, mask): (bool, u32), recorder: &mut Recorder| {
        let chosen = (known.iter().enumerate()).filter(|(place, _)| mask >> place & 1 == 1);
        let chosen = chosen.map(|(_, &node)| node);
        recorder.sum(chosen.chain(constant.then_some(Node::ONE)))
    };
    for operands in &solution.class.ands {
        let [a, b] = operands.map(|mask| sum(&known, solution.operand(mask), recorder));
        known.push(recorder.and(a, b));
    }
    let (constant, mask) = solution.rest;
    let output = mask | solution.class.output << VARIABLES;
    let value = sum(&known, (constant, output), recorder);
    let chosen = recorder.sum(kept(cone.chosen));
    recorder.xor(value, chosen)
}
