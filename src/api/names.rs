//! Dense ids for the names that appear in a run, and a stable hash of each name.
//!
//! An id identifies a *name*, not an object: a pod that is deleted and created again under the same
//! name has the same [`PodId`] and another [`Uid`](super::meta::Uid). The hash depends on the name
//! alone, so that chance drawn for an object does not move when another object is added.

use crate::kernel::choice::hash_name;
use crate::kernel::{Argument, HashIndex, slot};
use std::fmt;

/// Writes the ids of kinds of names, and what [`Names`] tells of each kind.
macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident of $names:ident:
        $intern:ident $name:ident $hash:ident $($find:ident $ids:ident)?,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $id(pub u32);

        impl $id {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Names {
            /// The id of a name of this kind, new if the name is.
            pub fn $intern(&mut self, name: &str) -> $id {
                $id(self.$names.intern(name))
            }

            /// The name.
            pub fn $name(&self, id: $id) -> &str {
                self.$names.name(id.0)
            }

            /// The stable hash of the name.
            pub fn $hash(&self, id: $id) -> u64 {
                self.$names.by_id[id.index()].1
            }

            /// How many names of this kind there are; ids are below this.
            pub fn $names(&self) -> usize {
                self.$names.by_id.len()
            }

            $(
                /// The id of a name of this kind if it has one.
                pub fn $find(&self, name: &str) -> Option<$id> {
                    self.$names.find(name).map($id)
                }

                /// The ids of all names of this kind.
                pub fn $ids(&self) -> impl Iterator<Item = $id> {
                    (0..self.$names() as u32).map($id)
                }
            )?
        }
    )*};
}

ids! {
    /// Identity of a node's name.
    NodeId of nodes: node node_name node_hash find_node node_ids,
    /// Identity of a pod's `namespace/name`.
    PodId of pods: pod pod_name pod_hash find_pod pod_ids,
    /// Identity of the `Kind/namespace/name` of an object that others are made from or selected by: a
    /// workload, a budget.
    WorkloadId of workloads: workload workload_name workload_hash find_workload workload_ids,
    /// Identity of any other text: a zone key, a fault's name, a message.
    TextId of texts: text text_of text_hash,
}

impl Argument for NodeId {
    fn pack(self) -> u64 {
        self.0.pack()
    }

    fn unpack(bits: u64) -> Self {
        Self(u32::unpack(bits))
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

    /// The id of a pod's `namespace/name` if the name is new.
    pub(crate) fn new_pod(&mut self, namespaced: &str) -> Option<PodId> {
        self.pods.add_new(namespaced).map(PodId)
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
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, pods, texts) = (self.nodes(), self.pods(), self.texts());
        write!(f, "Names({nodes} nodes, {pods} pods, {texts} texts)")
    }
}
