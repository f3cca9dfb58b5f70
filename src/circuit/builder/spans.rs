//! A table in which a builder looks up ANDs by the spans of their operands.

use hashbrown::HashTable;

use super::Node;

/// The non-zero elements of the span of two forms, as fingerprints.
pub(super) type Span = [u128; 3];

/// AND nodes, by the span of their operands.
pub(super) struct Spans(HashTable<Entry>);

/// An AND with half the hash of its span. The hash is stored because a growing table needs it
/// again, and fetching the operands would take random memory accesses.
struct Entry {
    half: u32,
    and: Node,
}

impl Entry {
    /// The table takes the position from the lowest bits, and compares entries by the highest bits
    /// first.
    fn hash(&self) -> u64 {
        u64::from(self.half) << 32 | u64::from(self.half)
    }
}

impl Spans {
    pub(super) fn new() -> Self {
        Spans(HashTable::new())
    }

    /// The AND of this span, if the table has one. `operands` returns the forms of an AND's
    /// operands.
    pub(super) fn find(&self, span: &Span, operands: impl Fn(Node) -> [u128; 2]) -> Option<Node> {
        let half = half_hash(*span);
        let probe = Entry {
            half,
            and: Node::ZERO,
        };
        self.0
            .find(probe.hash(), |entry| {
                entry.half == half && operands(entry.and).iter().all(|form| span.contains(form))
            })
            .map(|entry| entry.and)
    }

    /// Adds an AND whose span is not in the table.
    pub(super) fn enter(&mut self, span: &Span, and: Node) {
        let entry = Entry {
            half: half_hash(*span),
            and,
        };
        self.0.insert_unique(entry.hash(), entry, Entry::hash);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Half a hash of the span as a set. The two smallest of its three elements determine the third, so
/// only they are hashed. The high bits decide the order, so the low bits are nearly independent of
/// it.
fn half_hash(mut span: Span) -> u32 {
    span.sort_unstable();
    span[0] as u32 ^ (span[1] as u32).rotate_left(16)
}
