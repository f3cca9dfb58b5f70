//! The linear forms of a graph's nodes, and where each AND is used.

use hashbrown::HashMap;

use crate::graph::{Graph, Node, Op};

/// The maximum number of terms of a form.
const MAX_TERMS: usize = 16;

/// Lists of nodes, one list for each node of a graph.
struct Lists {
    /// List `i` is `items[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    items: Vec<Node>,
}

impl Lists {
    /// The lists with these entries: pairs of a node and an item of its list. `entries` is called
    /// twice.
    fn of<I: Iterator<Item = (Node, Node)>>(nodes: usize, entries: impl Fn() -> I) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (node, _) in entries() {
            starts[node.index()] += 1;
        }
        let mut start = 0u32;
        for end in &mut starts {
            let count = std::mem::replace(end, start);
            start = start.checked_add(count).expect("fewer than 2^32 entries");
        }
        let mut items = vec![Node::ZERO; start as usize];
        // Each start moves to the end of its list, which is the start of the next one.
        for (node, item) in entries() {
            let place = &mut starts[node.index()];
            items[*place as usize] = item;
            *place += 1;
        }
        starts.pop();
        starts.insert(0, 0);
        Lists { starts, items }
    }

    fn get(&self, node: Node) -> &[Node] {
        let [start, end] = [0, 1].map(|next| self.starts[node.index() + next] as usize);
        &self.items[start..end]
    }
}

/// The linear form of each node: the inputs, ANDs and constants whose XOR the node is, in order.
///
/// A node whose form has more than [`MAX_TERMS`] terms is *opaque*: it is itself a term of the forms
/// of later nodes.
pub(crate) struct Forms {
    lists: Lists,
    /// The terms of each opaque node.
    opaque: HashMap<Node, Box<[Node]>>,
}

impl Forms {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut lists = Lists {
            starts: vec![0; graph.nodes() + 1],
            items: Vec::new(),
        };
        let mut opaque = HashMap::new();
        let mut sum = Vec::new();
        for index in 0..graph.nodes() {
            let node = Node(index as u32);
            match graph.op(node) {
                None if node == Node::ZERO => {}
                Some(Op::Xor(a, b)) => {
                    add(lists.get(a), lists.get(b), &mut sum);
                    if sum.len() <= MAX_TERMS {
                        lists.items.extend_from_slice(&sum);
                    } else {
                        opaque.insert(node, sum.as_slice().into());
                        lists.items.push(node);
                    }
                }
                _ => lists.items.push(node),
            }
            let end = u32::try_from(lists.items.len());
            lists.starts[index + 1] = end.expect("fewer than 2^32 terms");
        }
        Forms { lists, opaque }
    }

    /// The forms without those of the XORs that are neither operands of ANDs nor pinned. Only the
    /// forms of later XORs were made from them.
    pub(crate) fn of_uses(mut self, graph: &Graph, uses: &Uses) -> Self {
        let Lists { starts, items } = &mut self.lists;
        let mut kept = 0;
        for index in 0..graph.nodes() {
            let node = Node(index as u32);
            let [start, end] = [starts[index], starts[index + 1]].map(|place| place as usize);
            let is_inner = matches!(graph.op(node), Some(Op::Xor(..)))
                && !uses.is_pinned(node)
                && uses.readers(node).is_empty();
            starts[index] = kept as u32;
            if !is_inner {
                items.copy_within(start..end, kept);
                kept += end - start;
            }
        }
        starts[graph.nodes()] = kept as u32;
        items.truncate(kept);
        items.shrink_to_fit();
        self
    }

    /// The terms of a node. An opaque node is its own only term.
    pub(crate) fn terms(&self, node: Node) -> &[Node] {
        self.lists.get(node)
    }

    /// The terms of a use, also if it is opaque.
    pub(crate) fn of_use(&self, node: Node) -> &[Node] {
        match self.opaque.get(&node) {
            Some(terms) => terms,
            None => self.lists.get(node),
        }
    }

    /// Whether a use has a term, also if it is opaque.
    pub(crate) fn use_has(&self, node: Node, term: Node) -> bool {
        has(self.of_use(node), term)
    }

    fn is_opaque(&self, node: Node) -> bool {
        self.opaque.contains_key(&node)
    }
}

/// Sets `sum` to the terms that exactly one of two forms has. All are in order.
fn add(a: &[Node], b: &[Node], sum: &mut Vec<Node>) {
    sum.clear();
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x == y => {
                a.next();
                b.next();
            }
            (Some(x), Some(y)) if x > y => sum.extend(b.next()),
            (Some(_), _) => sum.extend(a.next()),
            (None, Some(_)) => sum.extend(b.next()),
            (None, None) => return,
        }
    }
}

/// Where the ANDs of a graph are used. A *use* of an AND is a node that has the AND as a term, and
/// that is an operand of an AND, an output, or opaque. Nothing else depends on an AND.
pub(crate) struct Uses {
    /// For each AND, the nodes that are uses of it.
    uses: Lists,
    /// For each node, the ANDs of which it is an operand.
    readers: Lists,
    /// Whether a use is an output or opaque.
    pinned: Vec<bool>,
}

impl Uses {
    pub(crate) fn of(graph: &Graph, forms: &Forms) -> Self {
        let readers = Lists::of(graph.nodes(), || {
            let ands = graph.gates().filter(|(_, op)| op.is_and());
            ands.flat_map(|(and, op)| op.operands().map(|operand| (operand, and)))
        });
        let mut pinned = vec![false; graph.nodes()];
        graph.outputs().for_each(|node| pinned[node.index()] = true);
        for (node, _) in graph.gates() {
            pinned[node.index()] |= forms.is_opaque(node);
        }
        let is_use = |node: Node| pinned[node.index()] || !readers.get(node).is_empty();
        let uses = Lists::of(graph.nodes(), || {
            let uses = graph
                .gates()
                .map(|(node, _)| node)
                .filter(|&node| is_use(node));
            uses.flat_map(|node| {
                let terms = forms.of_use(node).iter();
                let ands = terms.filter(|&&term| graph.and(term).is_some());
                ands.map(move |&term| (term, node))
            })
        });
        Uses {
            uses,
            readers,
            pinned,
        }
    }

    /// The uses of an AND, in order.
    pub(crate) fn of_and(&self, and: Node) -> &[Node] {
        self.uses.get(and)
    }

    /// The ANDs that read a node directly.
    pub(crate) fn readers(&self, node: Node) -> &[Node] {
        self.readers.get(node)
    }

    /// Whether the value of a node is needed apart from the ANDs that read it.
    pub(crate) fn is_pinned(&self, node: Node) -> bool {
        self.pinned[node.index()]
    }
}

/// Whether a form in order has a term.
pub(crate) fn has(terms: &[Node], term: Node) -> bool {
    terms.binary_search(&term).is_ok()
}

/// The items that occur an odd number of times, in order: the others cancel in a sum.
pub(crate) fn without_pairs<T: Ord + Copy>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    let groups = items.chunk_by(|a, b| a == b);
    let odd = groups.filter(|group| group.len() % 2 == 1);
    odd.map(|group| group[0]).collect()
}
