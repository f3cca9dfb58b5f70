//! Nodes with the same linear form, which share one wire.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Bit, Node, Operation};

/// The nodes that a builder knows, by fingerprint.
pub(super) enum Forms {
    /// All nodes, so that none is recorded twice.
    Known(HashTable<Node>),
    /// No nodes. [`share`](Self::share) finds equal forms at the end. This is faster, because the
    /// accesses to a large table are scattered all over memory.
    AtTheEnd,
}

impl Forms {
    /// The first node with this fingerprint, if it is known.
    pub(super) fn find(&self, fingerprint: u128, fingerprints: &[u128]) -> Option<Node> {
        let Forms::Known(known) = self else {
            return None;
        };
        known
            .find(form_hash(fingerprint), |node| {
                fingerprints[node.index()] == fingerprint
            })
            .copied()
    }

    /// Adds a node whose form was not found.
    pub(super) fn enter(&mut self, node: Node, fingerprints: &[u128]) {
        if let Forms::Known(known) = self {
            let hash = |node: &Node| form_hash(fingerprints[node.index()]);
            known.insert_unique(hash(&node), node, hash);
        }
    }

    /// Forgets all nodes and adds the first ones, whose fingerprints are given.
    pub(super) fn refill(&mut self, fingerprints: &[u128]) {
        if let Forms::Known(known) = self {
            known.clear();
        }
        for number in 0..fingerprints.len() {
            self.enter(Node(number as u32), fingerprints);
        }
    }

    /// Redirects the gates and outputs to the first node of each form. The other nodes are then
    /// dead.
    pub(super) fn share(
        self,
        fingerprints: Vec<u128>,
        operations: &mut [Operation],
        outputs: &mut [Vec<Bit>],
    ) {
        if let Forms::Known(_) = self {
            return;
        }
        let firsts = firsts(&fingerprints);
        drop(fingerprints);
        let first = |node: Node| firsts[node.index()];
        for operation in operations {
            *operation = match *operation {
                Operation::Xor(a, b) => Operation::Xor(first(a), first(b)),
                Operation::And(a, b) => Operation::And(first(a), first(b)),
            };
        }
        for bit in outputs.iter_mut().flatten() {
            *bit = bit.renamed(first(bit.node()));
        }
    }
}

/// Fingerprints are random, so any 64 of their bits are a hash.
fn form_hash(fingerprint: u128) -> u64 {
    fingerprint as u64
}

/// A node with a part of its fingerprint. The part nearly always suffices to distinguish two forms.
#[derive(Clone, Copy)]
struct Tagged {
    tag: u32,
    node: Node,
}

impl Tagged {
    fn hash(&self) -> u64 {
        u64::from(self.tag) << 32 | u64::from(self.tag)
    }
}

/// For each node, the first node of the same form. The nodes are first sorted into heaps by their
/// fingerprints, so that the table for one heap stays in the cache.
fn firsts(fingerprints: &[u128]) -> Vec<Node> {
    const HEAP_BITS: u32 = 9;
    const HEAPS: usize = 1 << HEAP_BITS;
    let heap = |fingerprint: u128| (fingerprint >> (u128::BITS - HEAP_BITS)) as usize;
    let mut ends = [0; HEAPS];
    for &fingerprint in fingerprints {
        ends[heap(fingerprint)] += 1;
    }
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let none = Tagged {
        tag: 0,
        node: Node::ZERO,
    };
    let mut dealt = vec![none; fingerprints.len()];
    for (number, &fingerprint) in fingerprints.iter().enumerate() {
        let end = &mut ends[heap(fingerprint)];
        let (tag, node) = (fingerprint as u32, Node(number as u32));
        dealt[*end] = Tagged { tag, node };
        *end += 1;
    }

    let mut firsts: Vec<Node> = (0..fingerprints.len() as u32).map(Node).collect();
    let mut table: HashTable<Tagged> = HashTable::new();
    let mut start = 0;
    for end in ends {
        table.clear();
        for &tagged in &dealt[start..end] {
            let form = |tagged: &Tagged| fingerprints[tagged.node.index()];
            match table.entry(
                tagged.hash(),
                |other| other.tag == tagged.tag && form(other) == form(&tagged),
                Tagged::hash,
            ) {
                Entry::Occupied(first) => firsts[tagged.node.index()] = first.get().node,
                Entry::Vacant(place) => {
                    place.insert(tagged);
                }
            }
        }
        start = end;
    }
    firsts
}
