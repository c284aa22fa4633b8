//! What runs short on the nodes that are left, as pods of the lost ones come to them: their kubelets
//! evict pods, and their taints keep others away.

use crate::api::node::NodeConditionType;
use crate::lab::prelude::*;

/// A node that runs short of something.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct PressedNode {
    /// Of what: `memory`, `disk`, `process ids`.
    pub(crate) short_of: BTreeSet<String>,
    /// How many pods its kubelet evicted.
    pub(crate) evicted: u64,
    /// A look of its kubelet found no memory left: the kernel would have killed before.
    pub(crate) memory_used_up: bool,
}

/// The nodes that run short of something, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Pressed(pub(crate) BTreeMap<String, PressedNode>);

impl Pressed {
    /// In a finished run between two times.
    pub(super) fn of(analysis: &Analysis<'_>, (from, until): (Time, Time)) -> Self {
        let mut all: BTreeMap<String, PressedNode> = BTreeMap::new();
        let while_it_lasts = from..until;
        for r in analysis.trace.iter().filter(|r| while_it_lasts.contains(&r.at)) {
            let Some(node) = r.node() else { continue };
            let (what, used_up) = match r.what {
                What::NodeCondition(condition, ConditionStatus::True, _) => {
                    (short_of(condition), false)
                }
                What::Noted(Note::MemoryUsedUp, _) => (None, true),
                _ => continue,
            };
            if what.is_some() || used_up {
                let node = all.entry(analysis.node_name(node).to_owned()).or_default();
                node.short_of.extend(what.map(str::to_owned));
                node.memory_used_up |= used_up;
            }
        }
        if all.is_empty() {
            return Self(all);
        }
        for e in evictions(analysis) {
            let is_its = e.cause == EvictionCause::Pressure && while_it_lasts.contains(&e.at);
            let node = e.node.filter(|_| is_its).map(|node| analysis.node_name(node));
            if let Some(node) = node.and_then(|name| all.get_mut(name)) {
                node.evicted += 1;
            }
        }
        Self(all)
    }

    /// Without what is so all the same, and without nodes that are lost.
    pub(super) fn beyond(mut self, without: &Self, lost: &[&str]) -> Self {
        for (name, node) in &mut self.0 {
            let Some(other) = without.0.get(name) else { continue };
            node.short_of.retain(|what| !other.short_of.contains(what));
            node.evicted = node.evicted.saturating_sub(other.evicted);
        }
        self.0.retain(|name, node| !node.short_of.is_empty() && !lost.contains(&name.as_str()));
        self
    }

    /// Whether no node runs short of anything.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pods that kubelets evicted.
    pub(super) fn evicted(&self) -> u64 {
        self.0.values().map(|node| node.evicted).fold(0, u64::saturating_add)
    }
}

/// What a node is short of that has a condition.
fn short_of(condition: NodeConditionType) -> Option<&'static str> {
    match condition {
        NodeConditionType::MemoryPressure => Some("memory"),
        NodeConditionType::DiskPressure => Some("disk"),
        NodeConditionType::PidPressure => Some("process ids"),
        _ => None,
    }
}
