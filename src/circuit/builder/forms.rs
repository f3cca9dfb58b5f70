//! Finds nodes with the same linear form, so that they share one wire.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Bit, Node, Operation};

/// The table in which a builder looks up nodes by fingerprint.
pub(super) enum Forms {
    /// A table of all nodes, so that no form is recorded twice.
    Known(HashTable<Node>),
    /// No table. [`share`](Self::share) finds equal forms at the end. This is faster, because
    /// lookups in a large table access memory at random.
    AtTheEnd,
}

impl Forms {
    /// The node with this fingerprint, if the table has one.
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

    /// Adds a node whose form is not in the table.
    pub(super) fn enter(&mut self, node: Node, fingerprints: &[u128]) {
        if let Forms::Known(known) = self {
            let hash = |node: &Node| form_hash(fingerprints[node.index()]);
            known.insert_unique(hash(&node), node, hash);
        }
    }

    /// Refills the table with the nodes 0, 1, …, whose fingerprints are given.
    pub(super) fn refill(&mut self, fingerprints: &[u128]) {
        if let Forms::Known(known) = self {
            known.clear();
        }
        for number in 0..fingerprints.len() {
            self.enter(Node(number as u32), fingerprints);
        }
    }

    /// Redirects the gates and outputs to the first node of each form, so that the later nodes of
    /// the form become dead.
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

/// For each node, the first node of the same form. The nodes are first sorted into buckets by their
/// fingerprints, so that the table for one bucket stays in the cache.
fn firsts(fingerprints: &[u128]) -> Vec<Node> {
    const BUCKET_BITS: u32 = 9;
    const BUCKETS: usize = 1 << BUCKET_BITS;
    let bucket = |fingerprint: u128| (fingerprint >> (u128::BITS - BUCKET_BITS)) as usize;
    let mut ends = [0; BUCKETS];
    for &fingerprint in fingerprints {
        ends[bucket(fingerprint)] += 1;
    }
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let none = Tagged {
        tag: 0,
        node: Node::ZERO,
    };
    let mut sorted = vec![none; fingerprints.len()];
    for (number, &fingerprint) in fingerprints.iter().enumerate() {
        let end = &mut ends[bucket(fingerprint)];
        let (tag, node) = (fingerprint as u32, Node(number as u32));
        sorted[*end] = Tagged { tag, node };
        *end += 1;
    }

    let mut firsts: Vec<Node> = (0..fingerprints.len() as u32).map(Node).collect();
    let mut table: HashTable<Tagged> = HashTable::new();
    let mut start = 0;
    for end in ends {
        table.clear();
        for &tagged in &sorted[start..end] {
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
