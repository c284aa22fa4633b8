//! Dense ids for the names that appear in a run, and a stable hash of each name.
//!
//! An id identifies a *name*, not an object: a pod that is deleted and created again under the same
//! name has the same [`PodId`] and another [`Uid`](super::meta::Uid). The hash depends on the name
//! alone, so that chance drawn for an object does not move when another object is added.

use crate::kernel::choice::hash_name;
use crate::kernel::{Argument, HashIndex, slot};
use std::fmt;

/// Identity of a node's name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NodeId(pub u32);

impl Argument for NodeId {
    fn pack(self) -> u64 {
        self.0.pack()
    }

    fn unpack(bits: u64) -> Self {
        Self(u32::unpack(bits))
    }
}

/// Identity of a pod's `namespace/name`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PodId(pub u32);

/// Identity of the `Kind/namespace/name` of an object that others are made from or selected by: a
/// workload, a budget.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct WorkloadId(pub u32);

/// Identity of any other text: a zone key, a fault's name, a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextId(pub u32);

impl NodeId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PodId {
    /// The id as an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl WorkloadId {
    /// The id as an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The FNV-1a hash of a name with 64 bits, mixed once; it keys the random draws of an object.
pub fn stable_hash(name: &str) -> u64 {
    let mut h = hash_name(name);
    h ^= h >> 32;
    h = h.wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ (h >> 32)
}

/// `count` letters as Kubernetes has them in generated names, made from a hash
/// (`apimachinery/pkg/util/rand/rand.go: alphanums`).
pub(crate) fn generated_letters(mut hash: u64, count: usize) -> String {
    const ALPHANUMS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let letter = || {
        let letter = char::from(ALPHANUMS[(hash % 27) as usize]);
        hash /= 27;
        letter
    };
    std::iter::repeat_with(letter).take(count).collect()
}

/// Names one behind the other in a single text.
#[derive(Clone, Default)]
struct Table {
    text: String,
    /// Where each name ends, and its hash.
    by_id: Vec<(usize, u64)>,
    by_hash: HashIndex,
}

impl Table {
    fn clear(&mut self) {
        self.text.clear();
        self.by_id.clear();
        self.by_hash.clear();
    }

    /// Makes room for this many names, of `bytes` bytes altogether.
    fn reserve(&mut self, names: usize, bytes: usize) {
        self.text.reserve_exact(bytes);
        self.by_id.reserve_exact(names);
    }

    fn name(&self, id: u32) -> &str {
        let start = (id as usize).checked_sub(1).map_or(0, |before| self.by_id[before].0);
        &self.text[start..self.by_id[id as usize].0]
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.find_hashed(name, stable_hash(name))
    }

    fn find_hashed(&self, name: &str, hash: u64) -> Option<u32> {
        self.by_hash.find(hash, |id| self.by_id[id as usize].1 == hash && self.name(id) == name)
    }

    fn intern(&mut self, name: &str) -> u32 {
        let hash = stable_hash(name);
        self.find_hashed(name, hash).unwrap_or_else(|| self.add(name, hash))
    }

    /// Its id if it was not there.
    fn add_new(&mut self, name: &str) -> Option<u32> {
        let hash = stable_hash(name);
        if self.find_hashed(name, hash).is_some() { None } else { Some(self.add(name, hash)) }
    }

    fn add(&mut self, name: &str, hash: u64) -> u32 {
        let id = self.by_id.len() as u32;
        self.text.push_str(name);
        self.by_id.push((self.text.len(), hash));
        self.by_hash.insert(hash, id);
        id
    }
}

/// All names of one run.
#[derive(Clone, Default)]
pub struct Names {
    nodes: Table,
    pods: Table,
    workloads: Table,
    texts: Table,
    /// By pod: the workload whose name it carries, one higher, or 0.
    owners: Vec<u32>,
    generated: Vec<Generated>,
}

/// A name that was generated, by what it is called in recorded timelines.
#[derive(Clone)]
enum Generated {
    /// A name with what it is called there.
    Name(Box<(String, String)>),
    /// A pod's, with which of its owner's it is.
    Pod(PodId, u32),
}

impl Names {
    /// No names yet, in the same tables.
    #[must_use]
    pub(crate) fn emptied(mut self) -> Self {
        for table in [&mut self.nodes, &mut self.pods, &mut self.workloads, &mut self.texts] {
            table.clear();
        }
        self.owners.clear();
        self.generated.clear();
        self
    }

    /// Makes room for this many pods, whose names have `bytes` bytes altogether.
    pub(crate) fn reserve_pods(&mut self, names: usize, bytes: usize) {
        self.pods.reserve(names, bytes);
    }

    /// The id of a node's name, new if the name is.
    pub fn node(&mut self, name: &str) -> NodeId {
        NodeId(self.nodes.intern(name))
    }

    /// The id of a pod's `namespace/name`, new if the name is.
    pub fn pod(&mut self, namespaced: &str) -> PodId {
        PodId(self.pods.intern(namespaced))
    }

    /// The id of a pod's `namespace/name` if the name is new.
    pub(crate) fn new_pod(&mut self, namespaced: &str) -> Option<PodId> {
        self.pods.add_new(namespaced).map(PodId)
    }

    /// The id of a workload's `Kind/namespace/name`, new if the name is.
    pub(crate) fn workload(&mut self, name: &str) -> WorkloadId {
        WorkloadId(self.workloads.intern(name))
    }

    /// Notes whose pod carries a name.
    pub(crate) fn set_owner(&mut self, pod: PodId, owner: WorkloadId) {
        *slot(&mut self.owners, pod.index()) = owner.0 + 1;
    }

    /// The workload whose pods carry a name.
    pub(crate) fn owner_of(&self, pod: PodId) -> Option<WorkloadId> {
        self.owners.get(pod.index())?.checked_sub(1).map(WorkloadId)
    }

    /// Notes under which name recorded timelines know a generated one.
    pub(crate) fn set_alias(&mut self, name: &str, alias: &str) {
        self.generated.push(Generated::Name(Box::new((name.to_owned(), alias.to_owned()))));
    }

    /// Notes that a pod's name was generated, and which of its owner's it is: recorded timelines
    /// call the second of web's `web-#2`.
    pub(crate) fn set_number(&mut self, pod: PodId, owner: WorkloadId, number: u32) {
        self.set_owner(pod, owner);
        self.generated.push(Generated::Pod(pod, number));
    }

    /// The generated names and what recorded timelines call them, in order of creation.
    pub fn aliases(&self) -> impl Iterator<Item = (String, String)> {
        let last = |full: &str| full.rsplit('/').next().unwrap_or(full).to_owned();
        self.generated.iter().map(move |generated| match generated {
            Generated::Name(both) => (**both).clone(),
            Generated::Pod(pod, number) => {
                let owner =
                    self.owner_of(*pod).map_or_else(String::new, |w| last(self.workload_name(w)));
                (last(self.pod_name(*pod)), format!("{owner}-#{number}"))
            }
        })
    }

    /// The id of a text, new if the text is.
    pub(crate) fn text(&mut self, text: &str) -> TextId {
        TextId(self.texts.intern(text))
    }

    /// The id of a node's name if it has one.
    pub(crate) fn find_node(&self, name: &str) -> Option<NodeId> {
        self.nodes.find(name).map(NodeId)
    }

    /// The id of a pod's `namespace/name` if it has one.
    pub(crate) fn find_pod(&self, namespaced: &str) -> Option<PodId> {
        self.pods.find(namespaced).map(PodId)
    }

    /// The id of a workload's `Kind/namespace/name` if it has one.
    pub(crate) fn find_workload(&self, name: &str) -> Option<WorkloadId> {
        self.workloads.find(name).map(WorkloadId)
    }

    /// How many texts there are; ids are below this.
    pub(crate) fn texts(&self) -> usize {
        self.texts.by_id.len()
    }

    /// The `Kind/namespace/name` of a workload.
    pub fn workload_name(&self, id: WorkloadId) -> &str {
        self.workloads.name(id.0)
    }

    /// The stable hash of a workload's `Kind/namespace/name`.
    pub(crate) fn workload_hash(&self, id: WorkloadId) -> u64 {
        self.workloads.by_id[id.index()].1
    }

    /// How many workload names there are; ids are below this.
    pub(crate) fn workloads(&self) -> usize {
        self.workloads.by_id.len()
    }

    /// The name of a node.
    pub fn node_name(&self, id: NodeId) -> &str {
        self.nodes.name(id.0)
    }

    /// The `namespace/name` of a pod.
    pub fn pod_name(&self, id: PodId) -> &str {
        self.pods.name(id.0)
    }

    /// A text.
    pub fn text_of(&self, id: TextId) -> &str {
        self.texts.name(id.0)
    }

    /// The stable hash of a text.
    pub(crate) fn text_hash(&self, id: TextId) -> u64 {
        self.texts.by_id[id.0 as usize].1
    }

    /// The stable hash of a node's name.
    pub(crate) fn node_hash(&self, id: NodeId) -> u64 {
        self.nodes.by_id[id.index()].1
    }

    /// The stable hash of a pod's `namespace/name`.
    pub(crate) fn pod_hash(&self, id: PodId) -> u64 {
        self.pods.by_id[id.index()].1
    }

    /// The ids of all nodes.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes() as u32).map(NodeId)
    }

    /// The ids of all pods.
    pub fn pod_ids(&self) -> impl Iterator<Item = PodId> {
        (0..self.pods() as u32).map(PodId)
    }

    /// The ids of all workloads.
    pub fn workload_ids(&self) -> impl Iterator<Item = WorkloadId> {
        (0..self.workloads() as u32).map(WorkloadId)
    }

    /// How many node names there are; ids are below this.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.by_id.len()
    }

    /// How many pod names there are; ids are below this.
    pub fn pods(&self) -> usize {
        self.pods.by_id.len()
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, pods, texts) = (self.nodes(), self.pods(), self.texts());
        write!(f, "Names({nodes} nodes, {pods} pods, {texts} texts)")
    }
}
