//! Proofs over the whole cones of two nodes.

use batsat::Lit;
use hashbrown::HashMap;

use super::cnf::{Cnf, Stop};
use super::literal::Literal;
use super::nodes::{Gate, Node, Nodes};

/// The answer of a solver to the question whether two literals are equal.
pub(super) enum Proof {
    Equal,
    /// An input on which they differ.
    Differ(Vec<bool>),
    Undecided,
}

/// The number of variables after which a new solver is started. Clauses of other cones slow a
/// search down.
const MAX_VARIABLES: u32 = 30_000;

/// One solver for the cones of many nodes: what it learns in one proof shortens the next one.
pub(super) struct Cones {
    cnf: Cnf,
    literals: HashMap<Node, Lit>,
    stop: Stop,
}

impl Cones {
    pub(super) fn new(stop: &Stop) -> Self {
        let mut cones = Cones {
            cnf: Cnf::new(stop),
            literals: HashMap::new(),
            stop: Stop::clone(stop),
        };
        cones.clear();
        cones
    }

    fn clear(&mut self) {
        self.cnf = Cnf::new(&self.stop);
        let zero = self.cnf.variable();
        self.cnf.clause([!zero]);
        self.literals.clear();
        self.literals.insert(0, zero);
    }

    /// Searches for an input on which `a` and `b` differ.
    pub(super) fn prove(
        &mut self,
        graph: &Nodes,
        inputs: usize,
        a: Literal,
        b: Literal,
        conflicts: u64,
    ) -> Proof {
        if self.cnf.variables() > MAX_VARIABLES {
            self.clear();
        }
        let [x, y] = [a, b].map(|literal| {
            let node = self.encode(graph, literal.node() as Node);
            if literal.negated() { !node } else { node }
        });
        let differ = self.cnf.variable();
        self.cnf.clause([!differ, x, y]);
        self.cnf.clause([!differ, !x, !y]);
        match self.cnf.solve(differ, conflicts) {
            Some(false) => {
                self.cnf.clause([!differ]);
                self.cnf.clause([x, !y]);
                self.cnf.clause([!x, y]);
                Proof::Equal
            }
            Some(true) => {
                let input = (1..=inputs as Node).map(|input| {
                    let literal = self.literals.get(&input);
                    literal.is_some_and(|&literal| self.cnf.value(literal))
                });
                let input = input.collect();
                self.cnf.clause([!differ]);
                Proof::Differ(input)
            }
            None => {
                self.cnf.clause([!differ]);
                Proof::Undecided
            }
        }
    }

    /// States how the gates in the cone of `node` compute it.
    fn encode(&mut self, graph: &Nodes, node: Node) -> Lit {
        let mut stack = vec![node];
        while let Some(&node) = stack.last() {
            if self.literals.contains_key(&node) {
                stack.pop();
                continue;
            }
            let (Gate::Xor(p, q) | Gate::And(p, q)) = graph.gate(node) else {
                let variable = self.cnf.variable();
                self.literals.insert(node, variable);
                continue;
            };
            let [a, b] = [p, q].map(|operand| self.literals.get(&operand).copied());
            let (Some(a), Some(b)) = (a, b) else {
                stack.extend(a.is_none().then_some(p));
                stack.extend(b.is_none().then_some(q));
                continue;
            };
            let variable = self.cnf.variable();
            match graph.gate(node) {
                Gate::And(..) => self.cnf.and(variable, a, b),
                Gate::Xor(..) | Gate::Leaf => self.cnf.xor(variable, a, b),
            }
            self.literals.insert(node, variable);
        }
        self.literals[&node]
    }
}
