//! The linear forms of a graph's nodes, and where each AND is used.

use hashbrown::HashMap;

use crate::graph::{Graph, Node, Op};
use crate::lists::Lists;

/// The maximum number of terms of a form.
const MAX_TERMS: usize = 16;

/// The linear form of each node: the inputs, ANDs and constants whose XOR the node is, in order.
///
/// A node whose form has more than [`MAX_TERMS`] terms is *opaque*: it is itself a term of the forms
/// of later nodes.
pub(crate) struct Forms {
    lists: Lists<Node>,
    /// The terms of each opaque node.
    opaque: HashMap<Node, Box<[Node]>>,
}

/// The forms and uses of a graph. The forms of the XORs that are not uses are dropped: only the forms
/// of later XORs were made from them.
pub(crate) fn forms_and_uses(graph: &Graph) -> (Forms, Uses) {
    let mut forms = Forms::of(graph);
    let mut uses = Uses::without_terms(graph, &forms);
    forms.lists.keep(|index| {
        let node = Node(index as u32);
        !matches!(graph.op(node), Some(Op::Xor(..))) || uses.is_use(node)
    });
    uses.find_terms(graph, &forms);
    (forms, uses)
}

impl Forms {
    fn of(graph: &Graph) -> Self {
        let mut lists = Lists::with_capacity(graph.nodes());
        let mut opaque = HashMap::new();
        let mut sum = Vec::new();
        for index in 0..graph.nodes() {
            let node = Node(index as u32);
            match graph.op(node) {
                None if node == Node::ZERO => lists.push(&[]),
                Some(Op::Xor(a, b)) => {
                    add(lists.get(a.index()), lists.get(b.index()), &mut sum);
                    if sum.len() <= MAX_TERMS {
                        lists.push(&sum);
                    } else {
                        opaque.insert(node, sum.as_slice().into());
                        lists.push(&[node]);
                    }
                }
                _ => lists.push(&[node]),
            }
        }
        Forms { lists, opaque }
    }

    /// The terms of a node. An opaque node is its own only term.
    pub(crate) fn terms(&self, node: Node) -> &[Node] {
        self.lists.get(node.index())
    }

    /// The terms of a use, also if it is opaque.
    pub(crate) fn of_use(&self, node: Node) -> &[Node] {
        match self.opaque.get(&node) {
            Some(terms) => terms,
            None => self.lists.get(node.index()),
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
    uses: Lists<Node>,
    /// For each node, the ANDs of which it is an operand.
    readers: Lists<Node>,
    /// Whether a use is an output or opaque.
    pinned: Vec<bool>,
}

impl Uses {
    /// Finds the nodes that are uses. [`find_terms`](Self::find_terms) then finds the ANDs in them.
    fn without_terms(graph: &Graph, forms: &Forms) -> Self {
        let readers = Lists::of(graph.nodes(), || {
            let ands = graph.gates().filter(|(_, op)| op.is_and());
            ands.flat_map(|(and, op)| op.operands().map(|operand| (operand.index(), and)))
        });
        let mut pinned = vec![false; graph.nodes()];
        graph.outputs().for_each(|node| pinned[node.index()] = true);
        for (node, _) in graph.gates() {
            pinned[node.index()] |= forms.is_opaque(node);
        }
        Uses {
            uses: Lists::with_capacity(0),
            readers,
            pinned,
        }
    }

    fn find_terms(&mut self, graph: &Graph, forms: &Forms) {
        self.uses = Lists::of(graph.nodes(), || {
            let nodes = graph.gates().map(|(node, _)| node);
            nodes.filter(|&node| self.is_use(node)).flat_map(|node| {
                let terms = forms.of_use(node).iter();
                let ands = terms.filter(|&&term| graph.and(term).is_some());
                ands.map(move |&term| (term.index(), node))
            })
        });
    }

    fn is_use(&self, node: Node) -> bool {
        self.is_pinned(node) || !self.readers(node).is_empty()
    }

    /// The uses of an AND, in order.
    pub(crate) fn of_and(&self, and: Node) -> &[Node] {
        self.uses.get(and.index())
    }

    /// The ANDs that read a node directly.
    pub(crate) fn readers(&self, node: Node) -> &[Node] {
        self.readers.get(node.index())
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
