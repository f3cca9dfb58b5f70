//! Proofs over the gates near two nodes.

use std::collections::BinaryHeap;

use batsat::Lit;
use hashbrown::{HashMap, HashSet};

use super::basis::{Basis, Parts};
use super::cnf::{Cnf, Stop};
use super::literal::Literal;
use super::nodes::{Fingerprint, Gate, Node, Nodes};

/// The maximum number of nodes visited for one proof.
const MAX_VISITED: usize = 2048;

/// A set of ANDs near two nodes.
///
/// The forms of their operands are variables. Linear relations between these forms are found by
/// their fingerprints, so long XORs need no clauses. All else is free: if the nodes are equal for
/// all values of the variables, they are equal for all inputs. The converse is not true.
pub(super) struct Window<'g> {
    graph: &'g Nodes,
    difference: Fingerprint,
    negated: bool,
    basis: Basis,
    /// The ANDs, each as the XOR of the forms of the basis, with its operands.
    ands: Vec<[Parts; 3]>,
    /// The number of ANDs in the last query.
    queried: usize,
    conflicts: u64,
}

impl<'g> Window<'g> {
    /// Whether `a` and `b` were proved equal. The window grows backwards from the two nodes until
    /// this is proved, or until it is full.
    pub(super) fn prove(
        graph: &'g Nodes,
        [a, b]: [Literal; 2],
        conflicts: u64,
        stop: &Stop,
    ) -> bool {
        let nodes = [a, b].map(|literal| literal.node() as Node);
        let [x, y] = nodes.map(|node| graph.fingerprint(node));
        let mut window = Window {
            graph,
            difference: x ^ y,
            negated: a.negated() ^ b.negated(),
            basis: Basis::new(),
            ands: Vec::new(),
            queried: 0,
            conflicts,
        };
        window.grow(nodes, stop)
    }

    /// Adds ANDs layer by layer: first the ANDs in the form of the difference, then those in the
    /// forms of their operands, and so on. Within a layer, later ANDs come first.
    fn grow(&mut self, nodes: [Node; 2], stop: &Stop) -> bool {
        let mut layer = BinaryHeap::from(nodes);
        let mut next = BinaryHeap::new();
        let mut operands = HashSet::new();
        let mut seen = HashSet::new();
        let mut first = true;
        let mut visited = 0;
        loop {
            let Some(node) = layer.pop() else {
                if self.is_proved(stop) {
                    return true;
                }
                if next.is_empty() {
                    return false;
                }
                std::mem::swap(&mut layer, &mut next);
                first = false;
                continue;
            };
            let mut odd = true;
            while layer.peek() == Some(&node) {
                layer.pop();
                odd = !odd;
            }
            // What is in both nodes is not in their difference.
            if first && !odd || !seen.insert(node) {
                continue;
            }
            visited += 1;
            if visited == MAX_VISITED {
                return self.is_proved(stop);
            }
            match self.graph.gate(node) {
                Gate::Leaf => {}
                Gate::Xor(p, q) => {
                    let form = self.graph.fingerprint(node);
                    if operands.contains(&node) || self.basis.express(form).is_none() {
                        layer.extend([p, q]);
                    }
                }
                Gate::And(p, q) => {
                    if self.basis.forms() + 3 > Basis::MAX {
                        return self.is_proved(stop);
                    }
                    let forms = [node, p, q].map(|node| self.graph.fingerprint(node));
                    self.ands.push(forms.map(|form| self.basis.add(form)));
                    operands.extend([p, q]);
                    next.extend([p, q]);
                    if self.ands.len().is_power_of_two() && self.is_proved(stop) {
                        return true;
                    }
                }
            }
        }
    }

    /// Whether the ANDs of the window determine the difference, and make it constant.
    fn is_proved(&mut self, stop: &Stop) -> bool {
        let Some(difference) = self.basis.express(self.difference) else {
            return false;
        };
        if self.ands.len() == self.queried {
            return false;
        }
        self.queried = self.ands.len();
        let mut query = Query::new(self.basis.forms(), stop);
        for &[out, a, b] in &self.ands {
            let [out, a, b] = [out, a, b].map(|parts| query.literal(parts));
            query.cnf.and(out, a, b);
        }
        let difference = query.literal(difference);
        let wrong = if self.negated {
            !difference
        } else {
            difference
        };
        query.cnf.solve(wrong, self.conflicts) == Some(false)
    }
}

/// The clauses of a window.
struct Query {
    cnf: Cnf,
    forms: Vec<Lit>,
    sums: HashMap<Parts, Lit>,
}

impl Query {
    fn new(forms: usize, stop: &Stop) -> Self {
        let mut cnf = Cnf::new(stop);
        let forms = (0..forms).map(|_| cnf.variable()).collect();
        Query {
            cnf,
            forms,
            sums: HashMap::new(),
        }
    }

    /// The XOR of forms.
    fn literal(&mut self, parts: Parts) -> Lit {
        if let Some(&sum) = self.sums.get(&parts) {
            return sum;
        }
        let mut sum = None;
        for number in parts.numbers() {
            let form = self.forms[number];
            sum = Some(match sum {
                None => form,
                Some(before) => {
                    let sum = self.cnf.variable();
                    self.cnf.xor(sum, before, form);
                    sum
                }
            });
        }
        let sum = sum.unwrap_or_else(|| {
            let zero = self.cnf.variable();
            self.cnf.clause([!zero]);
            zero
        });
        self.sums.insert(parts, sum);
        sum
    }
}
