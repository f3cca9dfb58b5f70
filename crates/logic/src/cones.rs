//! Sets of ANDs that can be replaced by fewer.
//!
//! A *cone* is a set of ANDs. Its *root* is the last. The root and some other members are removed,
//! the rest stays. Outside the cone, the removed members must be visible as one bit only: a sum of
//! some of them, the root among them, occurs as a whole in every use outside, or not at all. This
//! bit is a function of the *leaves* of the cone: a basis of the space that the operands of the
//! members span, without the members and the constant 1. If the bit, or its sum with members that
//! stay, can be computed with fewer ANDs from the leaves, the root is replaced by the new circuit,
//! and the other removed members by 0. Every use outside then has the same value as before. And an
//! operand of a member has lost the removed members, so it is a sum of leaves and members that stay.
//!
//! This is the rewriting of Testa, Soeken, Amarù and De Micheli, "Reducing the multiplicative
//! complexity in logic networks for cryptography and security applications" (DAC 2019), with sums in
//! place of nodes: their cuts have nodes as leaves, and one node as root.

use crate::classes::CLASSES;
use crate::forms::{Forms, Uses, forms_and_uses, has};
use crate::function::{Function, VARIABLES};
use crate::graph::{Graph, Node};

/// The maximum number of members.
const MAX_MEMBERS: usize = 8;

/// The minimum and the maximum number of sets examined for each root.
const SETS: [usize; 2] = [32, 256];

/// The number of sets examined in a graph, within these bounds.
const ALL_SETS: usize = 1 << 25;

/// The maximum number of uses of a root, and of a member that is removed.
const MAX_USES: usize = 64;

/// A set with more leaves is not extended.
const MAX_LEAVES: usize = 6;

/// ANDs that can be replaced by fewer.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    /// The members, in order. The last is the root.
    pub(crate) members: Vec<Node>,
    /// The mask of the members that are removed.
    removed: u32,
    /// For each leaf, an operand of a member, and the mask of the members that must be added to it.
    pub(crate) leaves: Vec<(Node, u32)>,
    /// The function of the leaves that replaces the root, together with the members of `chosen`.
    pub(crate) function: Function,
    /// The mask of the members that are added to the function.
    pub(crate) chosen: u32,
    /// The number of ANDs saved.
    pub(crate) saved: usize,
}

impl Cone {
    /// Whether the member with this number is removed.
    pub(crate) fn removes(&self, member: usize) -> bool {
        self.removed >> member & 1 == 1
    }
}

/// A graph, prepared for the search of cones.
pub(crate) struct Cones<'a> {
    graph: &'a Graph,
    forms: Forms,
    uses: Uses,
    /// The maximum number of sets examined for each root.
    sets: usize,
}

/// Some ANDs, in order, of which the last is the root.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Members {
    nodes: [Node; MAX_MEMBERS],
    count: usize,
}

impl Members {
    fn of_root(root: Node) -> Self {
        let mut nodes = [Node::ZERO; MAX_MEMBERS];
        nodes[0] = root;
        Members { nodes, count: 1 }
    }

    fn get(&self) -> &[Node] {
        &self.nodes[..self.count]
    }

    fn root(&self) -> Node {
        self.nodes[self.count - 1]
    }

    /// The place of a node among the members.
    fn place(&self, node: Node) -> Option<usize> {
        self.get().iter().position(|&member| member == node)
    }

    /// Adds a node before the root.
    fn with(mut self, node: Node) -> Self {
        let place = self.get().iter().position(|&member| member > node);
        let place = place.expect("the root is last");
        self.nodes.copy_within(place..self.count, place + 1);
        self.nodes[place] = node;
        self.count += 1;
        self
    }
}

/// The members of a set as functions of its leaves.
struct Local {
    /// For each leaf, an operand and the mask of the members in it.
    leaves: [(Node, u32); MAX_LEAVES],
    count: usize,
    values: [Function; MAX_MEMBERS],
}

impl<'a> Cones<'a> {
    pub(crate) fn of(graph: &'a Graph) -> Self {
        let (forms, uses) = forms_and_uses(graph);
        let [least, most] = SETS;
        let sets = (ALL_SETS / graph.size().ands.max(1)).clamp(least, most);
        Cones {
            graph,
            forms,
            uses,
            sets,
        }
    }

    /// The cone with this root that saves the most ANDs, if there is one.
    pub(crate) fn best(&self, root: Node) -> Option<Cone> {
        let uses = self.uses.of_and(root);
        if uses.is_empty() || uses.len() > MAX_USES {
            return None;
        }
        let mut best: Option<Cone> = None;
        let mut seen = vec![Members::of_root(root)];
        // The sets to extend, by their numbers of leaves.
        let mut pending: Vec<(usize, Members)> = vec![(2, seen[0])];
        while let Some(next) =
            (0..pending.len()).min_by_key(|&place| (pending[place].0, pending[place].1.count))
        {
            let (_, set) = pending.swap_remove(next);
            self.for_each_neighbour(&set, |node| {
                if seen.len() == self.sets || set.place(node).is_some() {
                    return;
                }
                let larger = set.with(node);
                if seen.contains(&larger) {
                    return;
                }
                seen.push(larger);
                let Some(local) = self.local(&larger) else {
                    return;
                };
                if local.count <= VARIABLES {
                    self.keep_better(&larger, &local, &mut best);
                }
                if larger.count < MAX_MEMBERS {
                    pending.push((local.count, larger));
                }
            });
        }
        best
    }

    /// Calls `take` with the ANDs next to a set: those in the operands of its members, those
    /// that occur together with the root, and those that read an operand of a member.
    fn for_each_neighbour(&self, set: &Members, mut take: impl FnMut(Node)) {
        let root = set.root();
        let mut offer = |node: Node| {
            if node < root && self.graph.and(node).is_some() {
                take(node);
            }
        };
        let operands = || (set.get().iter()).flat_map(|&member| self.operands(member));
        operands().for_each(|operand| {
            self.forms
                .terms(operand)
                .iter()
                .for_each(|&term| offer(term))
        });
        let beside = self.forms.of_use(self.uses.of_and(root)[0]);
        beside.iter().for_each(|&term| offer(term));
        for operand in operands() {
            let readers = self.uses.readers(operand);
            if readers.len() <= MAX_MEMBERS {
                readers.iter().for_each(|&reader| offer(reader));
            }
        }
    }

    fn operands(&self, and: Node) -> [Node; 2] {
        self.graph.and(and).expect("a member is an AND")
    }

    /// The mask of the members that can be removed: the root, and all members whose uses are
    /// operands of removed members, or have the root. And the mask of those that have the root.
    fn removable(&self, set: &Members) -> (u32, u32) {
        let (root, root_uses) = (set.root(), self.uses.of_and(set.root()).len());
        let mut removed = (1u32 << set.count) - 1;
        let mut visible = 1 << (set.count - 1);
        // A member is used only by later members.
        for (place, &member) in set.get().iter().enumerate().rev().skip(1) {
            let uses = self.uses.of_and(member);
            let mut with_root = 0;
            let is_inside = uses.len() <= MAX_USES
                && uses.iter().all(|&place| {
                    if place > root && self.forms.use_has(place, root) {
                        with_root += 1;
                        return true;
                    }
                    !self.uses.is_pinned(place)
                        && self.uses.readers(place).iter().all(|&reader| {
                            set.place(reader)
                                .is_some_and(|reader| removed >> reader & 1 == 1)
                        })
                });
            if !is_inside || with_root != 0 && with_root != root_uses {
                removed &= !(1 << place);
            } else if with_root != 0 {
                visible |= 1 << place;
            }
        }
        (removed, visible)
    }

    /// Replaces `best` by the cone with these members, if it saves more.
    fn keep_better(&self, set: &Members, local: &Local, best: &mut Option<Cone>) {
        let saved_before = best.as_ref().map_or(0, |best| best.saved);
        let (removed, visible) = self.removable(set);
        let ands = removed.count_ones() as usize;
        if ands <= saved_before {
            return;
        }
        let in_mask = |mask: u32| (0..set.count).filter(move |place| mask >> place & 1 == 1);
        let sum = |mask: u32| {
            in_mask(mask).fold(Function::ZERO, |sum, place| sum.xor(local.values[place]))
        };
        let bit = sum(visible);
        let kept = !removed & ((1 << set.count) - 1);
        // All subsets of the members that stay.
        let mut subset = kept;
        loop {
            let function = bit.xor(sum(subset));
            let saved = ands.saturating_sub(CLASSES.complexity(function));
            if saved > best.as_ref().map_or(0, |best| best.saved) {
                *best = Some(Cone {
                    members: set.get().to_vec(),
                    removed,
                    leaves: local.leaves[..local.count]
                        .iter()
                        .map(|&(node, mask)| (node, mask & kept))
                        .collect(),
                    function,
                    chosen: subset,
                    saved,
                });
            }
            if subset == 0 {
                return;
            }
            subset = (subset - 1) & kept;
        }
    }

    /// The members as functions of their leaves. `None` if there are too many leaves.
    fn local(&self, set: &Members) -> Option<Local> {
        let mut basis = Basis::new(self.graph.fingerprint(Node::ONE));
        let mut local = Local {
            leaves: [(Node::ZERO, 0); MAX_LEAVES],
            count: 0,
            values: [Function::ZERO; MAX_MEMBERS],
        };
        for (place, &member) in set.get().iter().enumerate() {
            let mut factors = [Function::ZERO; 2];
            for (factor, operand) in factors.iter_mut().zip(self.operands(member)) {
                let (mut outside, mut inside) = (self.graph.fingerprint(operand), 0);
                let terms = self.forms.terms(operand);
                for (inner, &node) in set.get()[..place].iter().enumerate() {
                    if has(terms, node) {
                        inside |= 1 << inner;
                        outside ^= self.graph.fingerprint(node);
                        *factor = factor.xor(local.values[inner]);
                    }
                }
                let (constant, mask, is_new) = basis.reduce(outside)?;
                if is_new {
                    local.leaves[local.count] = (operand, inside);
                    local.count += 1;
                }
                *factor = factor.xor(Function::linear(mask));
                if constant {
                    *factor = factor.xor(Function::ONE);
                }
            }
            local.values[place] = factors[0].and(factors[1]);
        }
        Some(local)
    }
}

/// A basis of the space that some linear forms span, by their fingerprints.
struct Basis {
    /// The reduced sums, each with the mask of the leaves whose sum it is. The first sum is the
    /// constant 1, which has no leaf.
    rows: [(u128, u32); MAX_LEAVES + 1],
    count: usize,
}

/// In the mask of a sum, the bit of the constant 1.
const CONSTANT: u32 = 1 << 31;

impl Basis {
    fn new(one: u128) -> Self {
        let mut rows = [(0, 0); MAX_LEAVES + 1];
        rows[0] = (one, CONSTANT);
        Basis { rows, count: 1 }
    }

    /// A form as a constant and a mask of leaves, and whether it became a new leaf. `None` if there
    /// are too many leaves.
    fn reduce(&mut self, form: u128) -> Option<(bool, u32, bool)> {
        let (mut rest, mut mask) = (form, 0);
        for &(row, leaves) in &self.rows[..self.count] {
            // The highest bit of a row is its pivot.
            if rest >> row.ilog2() & 1 == 1 {
                rest ^= row;
                mask ^= leaves;
            }
        }
        if rest == 0 {
            return Some((mask & CONSTANT != 0, mask & !CONSTANT, false));
        }
        let leaf = 1 << (self.count - 1);
        // rest = form + the sum of the leaves in `mask`.
        *self.rows.get_mut(self.count)? = (rest, mask ^ leaf);
        self.count += 1;
        Some((false, leaf, true))
    }
}
