//! What the managers of all nodes remember, and whom they admit meanwhile.

use super::eviction::{Remembered, is_critical};
use super::nodes::ByNode;
use crate::api::taint::MEMORY_PRESSURE;
use crate::controllers::prelude::*;

/// What is short on each node, as far as its kubelet knows.
#[derive(Default)]
pub(super) struct Pressure {
    of_nodes: ByNode<Remembered>,
}

impl Pressure {
    /// A kubelet starts, and has seen nothing yet.
    pub(super) fn join(&self, node: NodeId) {
        self.of_nodes.join(node, Remembered::default());
    }

    /// Works on what a manager remembers.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut Remembered) -> R) -> Option<R> {
        self.of_nodes.with(node, f)
    }

    /// Why a pod is not admitted, if it is not (`managerImpl.Admit`): a critical one always is, any other never while
    /// anything but memory is short. While memory is, one is that asks for CPU or memory, or tolerates the taint.
    pub(super) fn refuses(&self, node: NodeId, template: &PodTemplate) -> Option<String> {
        let conditions = self.with(node, |r| r.conditions.clone()).filter(|c| !c.is_empty())?;
        let tolerates = || {
            let taint = Taint::new(MEMORY_PRESSURE, Effect::NoSchedule);
            template.tolerations.iter().any(|t| t.tolerates(&taint, false))
        };
        let only_memory = conditions == [NodeConditionType::MemoryPressure];
        if is_critical(template) || only_memory && (!template.is_best_effort() || tolerates()) {
            return None;
        }
        let names: Vec<&str> = conditions.iter().map(|c| c.as_str()).collect();
        Some(format!("The node had condition: [{}]. ", names.join(" ")))
    }
}
