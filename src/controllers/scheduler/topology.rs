//! Domains of nodes: the values of the labels that spread and affinity go by, as small numbers.

use crate::controllers::prelude::*;

/// A topology key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct KeyId(pub(crate) u32);

/// The domain of a node without the label.
pub(crate) const ABSENT: u32 = u32::MAX;

#[derive(Default, Debug)]
struct Topology {
    key: String,
    values: BTreeMap<String, u32>,
    of_node: Vec<u32>,
    /// How many of those have no domain.
    without: usize,
}

impl Topology {
    fn set(&mut self, node: NodeId, labels: Option<&Labels>) -> bool {
        if self.of_node.len() <= node.index() {
            self.without += node.index() + 1 - self.of_node.len();
            self.of_node.resize(node.index() + 1, ABSENT);
        }
        let domain = match labels.and_then(|l| l.get(&self.key)) {
            None => ABSENT,
            Some(value) => {
                let next = self.values.len() as u32;
                *self.values.entry(value.clone()).or_insert(next)
            }
        };
        let before = std::mem::replace(&mut self.of_node[node.index()], domain);
        self.without += usize::from(domain == ABSENT);
        self.without -= usize::from(before == ABSENT);
        before != domain
    }
}

/// The domains of all nodes under all topology keys in use.
#[derive(Default, Debug)]
pub(crate) struct Topologies {
    all: Vec<Topology>,
    labels: Vec<Option<std::rc::Rc<Labels>>>,
    changes: u64,
}

impl Topologies {
    /// The number of a topology key, new if the key is.
    pub(crate) fn key(&mut self, key: &str) -> KeyId {
        if let Some(at) = self.all.iter().position(|t| t.key == key) {
            return KeyId(at as u32);
        }
        let mut topology = Topology { key: key.to_owned(), ..Topology::default() };
        for (i, labels) in self.labels.iter().enumerate() {
            topology.set(NodeId(i as u32), labels.as_deref());
        }
        self.all.push(topology);
        KeyId(self.all.len() as u32 - 1)
    }

    /// Takes a node's labels, or none of a node that is gone.
    pub(crate) fn set_node(&mut self, node: NodeId, labels: Option<&std::rc::Rc<Labels>>) {
        *slot(&mut self.labels, node.index()) = labels.cloned();
        for topology in &mut self.all {
            self.changes += u64::from(topology.set(node, labels.map(|l| &**l)));
        }
    }

    /// The domain of a node, if it has the label.
    pub(crate) fn domain(&self, key: KeyId, node: NodeId) -> Option<u32> {
        self.all[key.0 as usize].of_node.get(node.index()).copied().filter(|d| *d != ABSENT)
    }

    /// The domains of nodes under a key, by node; [`ABSENT`] for those without the label, and
    /// beyond the end.
    pub(crate) fn all(&self, key: KeyId) -> &[u32] {
        &self.all[key.0 as usize].of_node
    }

    /// Whether a node may lack the label of a key.
    pub(crate) fn any_without(&self, key: KeyId) -> bool {
        self.all[key.0 as usize].without > 0
    }

    /// How many domains a key ever had; their numbers are below this.
    pub(crate) fn domains(&self, key: KeyId) -> usize {
        self.all[key.0 as usize].values.len()
    }

    /// The label of a key.
    pub(crate) fn name(&self, key: KeyId) -> &str {
        &self.all[key.0 as usize].key
    }

    /// Goes up whenever a node comes to another domain.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }
}
