//! Clauses over literals, and a SAT solver that stops.

use std::rc::Rc;

use batsat::{Callbacks, ClauseKind};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Lit, TernaryVal};
use rustsat_batsat::Solver;

/// Returns whether to stop.
pub(super) type Stop = Rc<dyn Fn() -> bool>;

/// What the solver calls while it searches.
#[derive(Default)]
struct Limits {
    /// The number of conflicts left in the current search. Each conflict gives a new clause.
    conflicts: u64,
    stop: Option<Stop>,
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, _: &[batsat::Lit], _: ClauseKind) {
        self.conflicts = self.conflicts.saturating_sub(1);
    }

    /// Called before each decision.
    fn stop(&self) -> bool {
        self.conflicts == 0 || self.stop.as_ref().is_some_and(|stop| stop())
    }
}

/// A set of clauses with its solver.
///
/// Each clause is a true statement about the functions on the nodes of a circuit. So a clause set
/// that contradicts an assumption refutes the assumption.
pub(super) struct Cnf {
    solver: Solver<Limits>,
    variables: u32,
}

impl Cnf {
    pub(super) fn new(stop: &Stop) -> Self {
        let mut solver = Solver::<Limits>::default();
        solver.batsat_mut().cb_mut().stop = Some(Rc::clone(stop));
        Cnf {
            solver,
            variables: 0,
        }
    }

    pub(super) fn variables(&self) -> u32 {
        self.variables
    }

    pub(super) fn variable(&mut self) -> Lit {
        let variable = Lit::positive(self.variables);
        self.variables += 1;
        variable
    }

    pub(super) fn clause<const N: usize>(&mut self, literals: [Lit; N]) {
        self.solver
            .add_clause(literals.into_iter().collect())
            .expect("the solver accepts clauses after each answer");
    }

    /// States that `out` is `a & b`.
    pub(super) fn and(&mut self, out: Lit, a: Lit, b: Lit) {
        self.clause([!out, a]);
        self.clause([!out, b]);
        self.clause([out, !a, !b]);
    }

    /// States that `out` is `a ^ b`.
    pub(super) fn xor(&mut self, out: Lit, a: Lit, b: Lit) {
        self.clause([!out, a, b]);
        self.clause([!out, !a, !b]);
        self.clause([out, !a, b]);
        self.clause([out, a, !b]);
    }

    /// Searches for an assignment with `assumption`, up to a number of conflicts.
    pub(super) fn solve(&mut self, assumption: Lit, conflicts: u64) -> SolverResult {
        self.solver.batsat_mut().cb_mut().conflicts = conflicts;
        self.solver
            .solve_assumps(&[assumption])
            .expect("the solver answers every query")
    }

    /// The value of a literal in the assignment found.
    pub(super) fn value(&self, literal: Lit) -> bool {
        matches!(self.solver.lit_val(literal), Ok(TernaryVal::True))
    }
}
