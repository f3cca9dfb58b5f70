//! ANDs that are sums of other ANDs.
//!
//! A *window* is a set of ANDs that are functions of the same few leaves. As functions, they are
//! vectors over GF(2). An AND that is a sum of earlier ANDs of its window and of an affine function
//! of the leaves is replaced by this sum. With n leaves, at most 2^n - n - 1 ANDs of a window stay.
//!
//! This is resubstitution for multiplicative complexity (Testa, Soeken, Riener, Amarù and De
//! Micheli, "A logic synthesis toolbox for reducing the multiplicative complexity in logic
//! networks", DATE 2020), with linear algebra in place of a search over pairs of divisors.

use hashbrown::HashSet;
use rayon::prelude::*;

use crate::forms::{Forms, Uses, forms_and_uses, has, without_pairs};
use crate::function::counting;
use crate::graph::{Graph, Node, Recorder};
use crate::lists::Lists;
use crate::optimise::Watch;

/// The maximum number of leaves.
const MAX_LEAVES: usize = 8;

/// The number of words of a truth table.
const WORDS: usize = (1 << MAX_LEAVES) / 64;

/// The maximum number of ANDs of a window.
const MAX_MEMBERS: usize = 512;

/// The maximum number of neighbours examined for a window. Without it, windows around a node that
/// very many ANDs read would take quadratic time.
const MAX_EXAMINED: usize = 1 << 11;

/// The number of ANDs whose windows are examined at the same time.
const BATCH: usize = 64;

/// Windows with fewer leaves are left to the search of cones.
const MIN_LEAVES: usize = 3;

/// An AND with more terms in an operand is a leaf of later ANDs.
const MAX_EXPANDED: usize = 8;

/// The values of a function on all inputs of the leaves.
type Table = [u64; WORDS];

/// An AND, and the nodes whose sum it is.
pub(crate) struct Sum {
    root: Node,
    pub(crate) nodes: Vec<Node>,
}

/// The ANDs that are sums of earlier nodes, with few terms first.
pub(crate) fn find(graph: &Graph, watch: &dyn Watch) -> Vec<Sum> {
    let (forms, uses) = forms_and_uses(graph);
    let spaces = spaces(graph, &forms);
    let search = Search {
        graph,
        forms,
        uses,
        spaces,
    };
    let mut is_covered = vec![false; graph.nodes()];
    let mut sums: Vec<Sum> = Vec::new();
    let ands = graph.gates().rev().filter(|(_, op)| op.is_and());
    let roots: Vec<Node> = (ands.map(|(node, _)| node))
        .filter(|node| search.spaces.basis(*node).len() >= MIN_LEAVES)
        .collect();
    for batch in roots.chunks(BATCH) {
        if watch.is_stopped() {
            break;
        }
        let uncovered = batch.par_iter().filter(|root| !is_covered[root.index()]);
        let windows = uncovered.map(|&root| {
            let window = search.window(root);
            let sums = search.sums(&window);
            (window, sums)
        });
        for (window, found) in windows.collect::<Vec<_>>() {
            let covered = window.iter();
            covered.for_each(|member| is_covered[member.index()] = true);
            sums.extend(found);
        }
    }
    sums.sort_by_key(|sum| (sum.root, sum.nodes.len()));
    sums.dedup_by_key(|sum| sum.root);
    sums.sort_by_key(|sum| sum.nodes.len());
    sums
}

/// The graph in which some ANDs are replaced by sums.
pub(crate) fn replace(graph: &Graph, sums: &[Sum]) -> Graph {
    let mut replaced: Vec<Option<&Sum>> = vec![None; graph.nodes()];
    sums.iter()
        .for_each(|sum| replaced[sum.root.index()] = Some(sum));
    let mut recorder = Recorder::like(graph);
    let mut nodes: Vec<Node> = (0..recorder.nodes() as u32).map(Node).collect();
    for (node, op) in graph.gates() {
        let recorded = match (replaced[node.index()], op) {
            (Some(sum), _) => recorder.sum(sum.nodes.iter().map(|node| nodes[node.index()])),
            (None, op) => recorder.repeat(op, &nodes),
        };
        nodes.push(recorded);
    }
    recorder.finish(graph, &nodes)
}

/// For each AND, a basis of a space of leaves, as [`half`] fingerprints: the AND is a function of them.
/// The leaves are as far from the AND as [`MAX_LEAVES`] allows.
struct Spaces {
    /// For each node, the index of its basis. Basis 0 is empty, for the nodes that are not ANDs.
    places: Vec<u32>,
    bases: Lists<u64>,
}

impl Spaces {
    fn basis(&self, node: Node) -> &[u64] {
        self.bases.get(self.places[node.index()] as usize)
    }
}

fn spaces(graph: &Graph, forms: &Forms) -> Spaces {
    let mut spaces = Spaces {
        places: vec![0; graph.nodes()],
        bases: Lists::with_capacity(1 + graph.size().ands),
    };
    spaces.bases.push(&[]);
    for (node, op) in graph.gates().filter(|(_, op)| op.is_and()) {
        let operands = op.operands();
        let expanded = operands.map(|operand| {
            let terms = forms.terms(operand).iter().copied();
            let ands: Vec<Node> = terms.filter(|&term| graph.and(term).is_some()).collect();
            (ands.len() <= MAX_EXPANDED).then_some(ands)
        });
        let later_first = forms.terms(operands[0]).last() < forms.terms(operands[1]).last();
        let one_each = if later_first { [2, 1] } else { [1, 2] };
        let choices = [3].into_iter().chain(one_each).chain([0]);
        let found = choices.into_iter().find_map(|choice| {
            let mut space = Space::new(graph);
            for (place, operand) in operands.into_iter().enumerate() {
                let mut rest = half(graph, operand);
                if choice >> place & 1 == 1 {
                    for &and in expanded[place].as_ref()? {
                        rest ^= half(graph, and);
                        for &row in spaces.basis(and) {
                            space.insert(row)?;
                        }
                    }
                }
                space.insert(rest)?;
            }
            Some(space.rows)
        });
        let rows = found.expect("two operands span few leaves");
        spaces.places[node.index()] = spaces.bases.count() as u32;
        // The constant 1 belongs to every space.
        spaces.bases.push(&rows[1..]);
    }
    spaces
}

/// Half of a fingerprint. It decides only which ANDs are examined together: the sums that replace ANDs
/// are found with whole fingerprints.
fn half(graph: &Graph, node: Node) -> u64 {
    graph.fingerprint(node) as u64
}

/// A space of linear forms: a basis as [`half`] fingerprints. Each row has a highest bit of its own. The
/// first row is the constant 1.
struct Space {
    rows: Vec<u64>,
}

impl Space {
    fn new(graph: &Graph) -> Self {
        Space {
            rows: vec![half(graph, Node::ONE)],
        }
    }

    fn rest(&self, form: u64) -> u64 {
        self.rows.iter().fold(form, |rest, row| {
            if rest >> row.ilog2() & 1 == 1 {
                rest ^ row
            } else {
                rest
            }
        })
    }

    /// Adds a form. `None` if the space becomes too large.
    fn insert(&mut self, form: u64) -> Option<()> {
        let rest = self.rest(form);
        if rest != 0 {
            self.rows.push(rest);
        }
        (self.rows.len() <= 1 + MAX_LEAVES).then_some(())
    }
}

struct Search<'a> {
    graph: &'a Graph,
    forms: Forms,
    uses: Uses,
    spaces: Spaces,
}

impl Search<'_> {
    fn operands(&self, and: Node) -> [Node; 2] {
        self.graph.and(and).expect("a member is an AND")
    }

    /// The ANDs near `root` that are functions of its leaves, in order.
    fn window(&self, root: Node) -> Vec<Node> {
        let mut space = Space::new(self.graph);
        space.rows.extend(self.spaces.basis(root));
        let mut members = vec![root];
        let mut seen: HashSet<Node> = HashSet::from_iter([root]);
        let mut left = MAX_EXAMINED;
        let mut next = 0;
        while next < members.len() && left > 0 {
            let member = members[next];
            next += 1;
            let operands = self.operands(member);
            let inside = operands
                .into_iter()
                .flat_map(|operand| self.forms.terms(operand));
            let near = operands
                .into_iter()
                .chain(self.uses.of_and(member).iter().copied());
            let readers = near.flat_map(|node| self.uses.readers(node));
            for &and in inside.chain(readers).take(left) {
                left -= 1;
                if members.len() < MAX_MEMBERS
                    && self.graph.and(and).is_some()
                    && seen.insert(and)
                    && (self.spaces.basis(and).iter()).all(|&row| space.rest(row) == 0)
                {
                    members.push(and);
                }
            }
        }
        members.sort_unstable();
        members
    }

    /// The members of a window that are sums of earlier members and leaves.
    fn sums(&self, window: &[Node]) -> Vec<Sum> {
        let mut leaves = Leaves::new(self.graph.fingerprint(Node::ONE));
        let mut tables: Vec<Option<Table>> = Vec::new();
        let mut rows = Rows::default();
        let mut sums = Vec::new();
        for (place, &member) in window.iter().enumerate() {
            let factors = self.operands(member).map(|operand| {
                let (mut rest, mut table) = (self.graph.fingerprint(operand), [0; WORDS]);
                let mut inside = Vec::new();
                let terms = self.forms.terms(operand);
                for (other, earlier) in window[..place].iter().zip(&tables) {
                    if let Some(earlier) = earlier
                        && has(terms, *other)
                    {
                        rest ^= self.graph.fingerprint(*other);
                        table = xor(table, *earlier);
                        inside.push(*other);
                    }
                }
                let mask = leaves.express(rest, operand, inside)?;
                Some(xor(table, affine(mask)))
            });
            let [Some(a), Some(b)] = factors else {
                tables.push(None);
                continue;
            };
            let table = std::array::from_fn(|word| a[word] & b[word]);
            tables.push(Some(table));
            if let Some((members, mask)) = rows.add(table, place) {
                let mut nodes: Vec<Node> = members.iter().map(|&member| window[member]).collect();
                for leaf in (0..MAX_LEAVES).filter(|leaf| mask >> leaf & 1 == 1) {
                    let (operand, inside) = &leaves.nodes[leaf];
                    nodes.push(*operand);
                    nodes.extend(inside);
                }
                if mask >> MAX_LEAVES & 1 == 1 {
                    nodes.push(Node::ONE);
                }
                sums.push(Sum {
                    root: member,
                    nodes: without_pairs(nodes),
                });
            }
        }
        sums
    }
}

/// The leaves of a window, found in order.
struct Leaves {
    /// The reduced forms, each with the mask of the leaves whose sum it is. Bit [`MAX_LEAVES`] is
    /// the constant 1.
    rows: Vec<(u128, u32)>,
    /// For each leaf, an operand, and the members that must be added to it.
    nodes: Vec<(Node, Vec<Node>)>,
}

impl Leaves {
    fn new(one: u128) -> Self {
        Leaves {
            rows: vec![(one, 1 << MAX_LEAVES)],
            nodes: Vec::new(),
        }
    }

    /// The mask of the leaves whose sum is `form`, which is the operand without the members
    /// `inside`. The form may become a leaf. `None` if there are too many leaves.
    fn express(&mut self, form: u128, operand: Node, inside: Vec<Node>) -> Option<u32> {
        let (mut rest, mut mask) = (form, 0);
        for &(row, leaves) in &self.rows {
            if rest >> row.ilog2() & 1 == 1 {
                rest ^= row;
                mask ^= leaves;
            }
        }
        if rest == 0 {
            return Some(mask);
        }
        if self.nodes.len() == MAX_LEAVES {
            return None;
        }
        let leaf = 1 << self.nodes.len();
        self.rows.push((rest, mask ^ leaf));
        self.nodes.push((operand, inside));
        Some(leaf)
    }
}

/// The sum of the leaves in `mask`; bit [`MAX_LEAVES`] is the constant 1.
fn affine(mask: u32) -> Table {
    let mut table = [if mask >> MAX_LEAVES & 1 == 1 {
        u64::MAX
    } else {
        0
    }; WORDS];
    for leaf in (0..MAX_LEAVES).filter(|leaf| mask >> leaf & 1 == 1) {
        table = xor(table, counting(leaf));
    }
    table
}

fn xor(a: Table, b: Table) -> Table {
    std::array::from_fn(|word| a[word] ^ b[word])
}

/// Independent functions, modulo affine functions.
#[derive(Default)]
struct Rows {
    /// The reduced functions, with their highest bits, and what each is a sum of.
    rows: Vec<(usize, Table, Vec<usize>, u32)>,
}

impl Rows {
    /// Adds the function of a member. If it is a sum of earlier members and an affine function,
    /// returns these members and the mask of the leaves.
    fn add(&mut self, table: Table, member: usize) -> Option<(Vec<usize>, u32)> {
        if self.rows.is_empty() {
            for leaf in 0..=MAX_LEAVES {
                let row = affine(1 << leaf);
                let (rest, members, mask) = self.reduce(row, Vec::new(), 1 << leaf);
                let pivot = highest(&rest).expect("affine functions are independent");
                self.rows.push((pivot, rest, members, mask));
            }
        }
        let (rest, mut members, mask) = self.reduce(table, Vec::new(), 0);
        match highest(&rest) {
            None => Some((without_pairs(members), mask)),
            Some(pivot) => {
                members.push(member);
                self.rows.push((pivot, rest, without_pairs(members), mask));
                None
            }
        }
    }

    fn reduce(
        &self,
        table: Table,
        mut members: Vec<usize>,
        mut mask: u32,
    ) -> (Table, Vec<usize>, u32) {
        let mut rest = table;
        for (pivot, row, others, leaves) in &self.rows {
            if rest[pivot / 64] >> (pivot % 64) & 1 == 1 {
                rest = xor(rest, *row);
                members.extend(others);
                mask ^= leaves;
            }
        }
        (rest, members, mask)
    }
}

/// The highest bit of a table that is set.
fn highest(table: &Table) -> Option<usize> {
    let word = table.iter().rposition(|&word| word != 0)?;
    Some(64 * word + table[word].ilog2() as usize)
}
