//! Clauses over literals, and a SAT solver that stops.

use std::rc::Rc;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, lbool};

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
    fn on_new_clause(&mut self, _: &[Lit], _: ClauseKind) {
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
}

impl Cnf {
    pub(super) fn new(stop: &Stop) -> Self {
        let mut solver = Solver::<Limits>::default();
        solver.cb_mut().stop = Some(Rc::clone(stop));
        Cnf { solver }
    }

    pub(super) fn variables(&self) -> u32 {
        self.solver.num_vars()
    }

    pub(super) fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    pub(super) fn clause<const N: usize>(&mut self, literals: [Lit; N]) {
        // The result is false if the clauses have no solution. The next search returns this as well.
        self.solver.add_clause_reuse(&mut literals.to_vec());
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

    /// Whether an assignment with `assumption` exists. `None` after a number of conflicts, or if
    /// the search is stopped.
    pub(super) fn solve(&mut self, assumption: Lit, conflicts: u64) -> Option<bool> {
        self.solver.cb_mut().conflicts = conflicts;
        let answer = self.solver.solve_limited(&[assumption]);
        (answer != lbool::UNDEF).then_some(answer == lbool::TRUE)
    }

    /// The value of a literal in the assignment found.
    pub(super) fn value(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }
}
