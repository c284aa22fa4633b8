//! Who hears of what changes in the caches.

use crate::api::budget::Budget;
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::api::workload::Workload;
use crate::kernel::Key;
use std::cell::RefCell;
use std::rc::Rc;

/// Hears of changes of nodes, in the cache's order. An add has no old version, a deletion no new
/// one.
pub(crate) trait NodeHandler {
    /// A node changed in the cache.
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>);
}

/// Hears of changes of pods, in the cache's order. An add has no old version, a deletion no new
/// one.
pub(crate) trait PodHandler {
    /// A pod changed in the cache.
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>);
}

/// Hears of changes of workloads of every kind, in the order of each kind's cache. An add has no
/// old version, a deletion no new one.
pub(crate) trait WorkloadHandler {
    /// A workload changed in the cache.
    fn workload(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>);
}

/// Hears of changes of disruption budgets, in the cache's order. An add has no old version, a
/// deletion no new one.
pub(crate) trait BudgetHandler {
    /// A budget changed in the cache.
    fn budget(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>);
}

/// Handlers, each with the home of its steps in a search.
pub(super) type Handlers<H> = RefCell<Vec<(Option<Key>, Rc<H>)>>;

/// Is called with a node.
pub(crate) type OnWaking = Rc<dyn Fn(NodeId)>;
