//! Clauses over literals, and a SAT solver that stops.

use std::cell::Cell;
use std::rc::Rc;

use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Lit, TernaryVal};
use rustsat_batsat::BasicSolver;

/// Returns whether to stop.
pub(super) type Stop = Rc<dyn Fn() -> bool>;

/// A set of clauses with its solver.
///
/// Each clause is a true statement about the functions on the nodes of a circuit. So a clause set
/// that contradicts an assumption refutes the assumption.
pub(super) struct Cnf {
    solver: BasicSolver,
    variables: u32,
    /// The number of steps left in the current call of the solver. A step is a decision or a
    /// conflict, with the propagation that follows.
    steps: Rc<Cell<u64>>,
}

impl Cnf {
    pub(super) fn new(stop: &Stop) -> Self {
        let mut solver = BasicSolver::default();
        let steps = Rc::new(Cell::new(0_u64));
        let (left, stop) = (Rc::clone(&steps), Rc::clone(stop));
        // The solver calls this once for each step.
        solver.batsat_mut().cb_mut().set_stop(move || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0 || stop()
        });
        Cnf {
            solver,
            variables: 0,
            steps,
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

    /// Searches for an assignment with `assumption`, for at most `steps` steps more than the
    /// number of variables: an assignment is found by that many decisions.
    pub(super) fn solve(&mut self, assumption: Lit, steps: u64) -> SolverResult {
        self.steps
            .set(steps.saturating_add(2 * u64::from(self.variables)));
        self.solver
            .solve_assumps(&[assumption])
            .expect("the solver answers every query")
    }

    /// The value of a literal in the assignment found.
    pub(super) fn value(&self, literal: Lit) -> bool {
        matches!(self.solver.lit_val(literal), Ok(TernaryVal::True))
    }
}
