//! Makes a netlist smaller, pass by pass.

use dealerless::circuit::bristol::Netlist;

use crate::graph::{Graph, Recorder, Size};
use crate::{rewrite, sums, windows};

/// Watches an optimisation, and can stop it. The methods are called from several threads.
pub trait Watch: Sync {
    /// A pass begins. It has `steps` steps.
    fn begin(&self, pass: Pass, steps: usize);
    /// A step of the pass is done.
    fn step(&self) {}
    /// The pass has ended, and the netlist has this size.
    fn end(&self, pass: Pass, size: Size);
    /// Replacements that would have saved ANDs were not made, because they need too many gates.
    fn limited(&self) {}
    /// Whether to stop. The result is then the best one so far.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A pass over the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Folds constants, and merges gates that are equal up to XORs.
    Merge,
    /// Replaces sets of ANDs by fewer.
    Rewrite,
    /// Replaces ANDs by sums of other ANDs.
    Substitute,
    /// Adds terms that occur together in several sums only once.
    Share,
}

/// Makes a netlist smaller, in passes that are repeated until none of them improves it. The result
/// computes the same outputs, with at most as many ANDs and with at most `max_gates` gates. Copies of
/// wires and constants do not count as gates.
///
/// Without `max_gates`, the result has at most as many gates as the outputs of the netlist depend on.
/// So the dead gates of a netlist have no influence. A limit below this number counts as this number.
///
/// The same netlist always gives the same result, unless `watch` stops the optimisation.
pub fn optimise(netlist: &Netlist, max_gates: Option<usize>, watch: &dyn Watch) -> Netlist {
    let mut work = Work::begin(netlist, max_gates, watch);
    while work.substitute() || work.rewrite() || work.share() {}
    work.graph.netlist()
}

struct Work<'a> {
    graph: Graph,
    /// The maximum number of gates.
    limit: usize,
    watch: &'a dyn Watch,
}

impl<'a> Work<'a> {
    fn begin(netlist: &Netlist, max_gates: Option<usize>, watch: &'a dyn Watch) -> Self {
        watch.begin(Pass::Merge, 1);
        let live = live_gates(netlist);
        let limit = max_gates.map_or(live, |most| most.max(live));
        // ANDs that are equal up to XORs can cost more gates than they save.
        let merged = share_all(Recorder::record(netlist, true), watch);
        let graph = if merged.size().gates <= limit {
            merged
        } else {
            let unmerged = Recorder::record(netlist, false);
            if merged.size().ands < unmerged.size().ands {
                watch.limited();
            }
            unmerged
        };
        watch.end(Pass::Merge, graph.size());
        Work {
            graph,
            limit,
            watch,
        }
    }

    /// Replaces as many cones as the limit allows. Returns whether there are fewer ANDs.
    fn rewrite(&mut self) -> bool {
        if self.watch.is_stopped() {
            return false;
        }
        self.watch.begin(Pass::Rewrite, self.graph.size().ands);
        let cones = rewrite::find(&self.graph, self.watch);
        let is_better = self.replace(&cones, rewrite::replace);
        self.watch.end(Pass::Rewrite, self.graph.size());
        is_better
    }

    /// Replaces as many ANDs by sums as the limit allows. Returns whether there are fewer ANDs.
    fn substitute(&mut self) -> bool {
        if self.watch.is_stopped() {
            return false;
        }
        self.watch.begin(Pass::Substitute, 1);
        let sums = windows::find(&self.graph, self.watch);
        let is_better = self.replace(&sums, windows::replace);
        self.watch.end(Pass::Substitute, self.graph.size());
        is_better
    }

    /// Makes all replacements of a list, or the first half, or the first quarter, and so on, until
    /// the limit of gates is met. Returns whether there are fewer ANDs.
    fn replace<R>(&mut self, list: &[R], replace: impl Fn(&Graph, &[R]) -> Graph) -> bool {
        let mut count = list.len();
        while count > 0 {
            let next = share_all(replace(&self.graph, &list[..count]), self.watch);
            let (size, before) = (next.size(), self.graph.size());
            if size.ands < before.ands {
                if size.gates <= self.limit {
                    self.graph = next;
                    return true;
                }
                self.watch.limited();
            }
            if self.watch.is_stopped() {
                return false;
            }
            count /= 2;
        }
        false
    }

    /// Shares sums. Returns whether there are fewer gates.
    fn share(&mut self) -> bool {
        if self.watch.is_stopped() {
            return false;
        }
        self.watch.begin(Pass::Share, 1);
        let shared = sums::share(&self.graph, self.watch);
        let is_better = shared.is_some();
        if let Some(shared) = shared {
            self.graph = shared;
        }
        self.watch.end(Pass::Share, self.graph.size());
        is_better
    }
}

/// The number of AND, XOR and NOT gates on which the outputs of a netlist depend.
pub fn live_gates(netlist: &Netlist) -> usize {
    let structure = netlist.structure(None);
    structure.gates() - structure.dead
}

/// Shares sums until there are none to share, or until `watch` stops it.
fn share_all(mut graph: Graph, watch: &dyn Watch) -> Graph {
    while !watch.is_stopped()
        && let Some(shared) = sums::share(&graph, watch)
    {
        graph = shared;
    }
    graph
}
