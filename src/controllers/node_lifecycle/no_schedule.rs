//! Taints that follow conditions: NoSchedule taints (`doNoScheduleTaintingPass`), and what older
//! releases did in their place.

use crate::api::taint::{
    DISK_PRESSURE, MEMORY_PRESSURE, NETWORK_UNAVAILABLE, NOT_READY, NOT_READY_ALPHA, OUT_OF_DISK,
    PID_PRESSURE, UNREACHABLE, UNREACHABLE_ALPHA, UNSCHEDULABLE,
};
use crate::controllers::node_lifecycle::prelude::*;

/// Sets and takes off the taints that follow conditions.
pub(super) struct NoScheduleTainter {
    core: Rc<Core>,
    writer: Rc<Writer>,
    pub(super) node_queue: WorkQueue<NodeId>,
}

impl NoScheduleTainter {
    /// One whose queue is empty.
    pub(super) fn new(core: &Rc<Core>, writer: &Rc<Writer>) -> Self {
        NoScheduleTainter {
            node_queue: WorkQueue::new(&core.ctx, core.group),
            writer: writer.clone(),
            core: core.clone(),
        }
    }

    /// `doNodeProcessingPassWorker`
    pub(super) async fn do_node_processing_pass_worker(&self, busy: Name) {
        loop {
            let id = self.node_queue.get().await;
            self.core.ctx.becomes(busy);
            if let Some(node) = self.core.informers.node(id) {
                self.core.ctx.set_saw(node.record);
                self.do_no_schedule_tainting_pass(&node).await;
                self.writer.reconcile_node_labels(&node).await;
            }
            self.node_queue.done(id);
            self.core.ctx.becomes(busy.at_rest());
        }
    }

    /// The key of the taint that a condition stands for.
    fn condition_taint(
        &self,
        kind: NodeConditionType,
        status: ConditionStatus,
    ) -> Option<&'static str> {
        let s = self.core.switches();
        match (kind, status) {
            (NodeConditionType::Ready, ConditionStatus::False) => Some(NOT_READY),
            (NodeConditionType::Ready, ConditionStatus::Unknown) => Some(UNREACHABLE),
            (NodeConditionType::MemoryPressure, ConditionStatus::True) => Some(MEMORY_PRESSURE),
            (NodeConditionType::DiskPressure, ConditionStatus::True) => Some(DISK_PRESSURE),
            (NodeConditionType::PidPressure, ConditionStatus::True) if s.pid_pressure_taint => {
                Some(PID_PRESSURE)
            }
            (NodeConditionType::NetworkUnavailable, ConditionStatus::True) => {
                Some(NETWORK_UNAVAILABLE)
            }
            (NodeConditionType::OutOfDisk, ConditionStatus::True) if s.out_of_disk => {
                Some(OUT_OF_DISK)
            }
            _ => None,
        }
    }

    /// `doNoScheduleTaintingPass`
    async fn do_no_schedule_tainting_pass(&self, node: &Rc<Node>) {
        let mut wanted: Vec<Taint> = node
            .conditions
            .iter()
            .filter_map(|c| self.condition_taint(c.kind, c.status))
            .map(|key| Taint::new(key, Effect::NoSchedule))
            .collect();
        if node.unschedulable {
            wanted.push(Taint::new(UNSCHEDULABLE, Effect::NoSchedule));
        }
        let had: Vec<&Taint> = node
            .taints
            .iter()
            .filter(|t| {
                t.effect == Effect::NoSchedule && is_condition_taint(self.core.switches(), &t.key)
            })
            .collect();
        let remove: Vec<Taint> = had
            .iter()
            .filter(|t| !wanted.iter().any(|w| w.matches(t)))
            .map(|t| (*t).clone())
            .collect();
        wanted.retain(|w| !had.iter().any(|t| t.matches(w)));
        if wanted.is_empty() && remove.is_empty() {
            return;
        }
        // A failure is logged upstream and not tried again.
        self.writer.swap_node_controller_taint(node, wanted, remove).await;
    }

    /// 1.8 to 1.11 with the gate on: conditions that are True, compared by key alone, within the
    /// informer's handler.
    pub(super) fn taint_by_true_conditions(&self, node: &Rc<Node>) {
        let wanted: Vec<Taint> = node
            .conditions
            .iter()
            .filter(|c| c.kind != NodeConditionType::Ready && c.status == ConditionStatus::True)
            .filter_map(|c| self.condition_taint(c.kind, c.status))
            .map(|key| Taint::new(key, Effect::NoSchedule))
            .collect();
        let had: Vec<&Taint> = node
            .taints
            .iter()
            .filter(|t| {
                is_condition_taint(self.core.switches(), &t.key)
                    && !matches!(t.key.as_str(), NOT_READY | UNREACHABLE | UNSCHEDULABLE)
            })
            .collect();
        let remove: Vec<Taint> = had
            .iter()
            .filter(|t| !wanted.iter().any(|w| w.key == t.key))
            .map(|t| (*t).clone())
            .collect();
        let add: Vec<Taint> =
            wanted.into_iter().filter(|w| !had.iter().any(|t| t.key == w.key)).collect();
        if add.is_empty() && remove.is_empty() {
            return;
        }
        let (writer, node) = (self.writer.clone(), node.clone());
        self.core.ctx.spawn(self.core.group, async move {
            writer.swap_node_controller_taint(&node, add, remove).await;
        });
    }

    /// `doFixDeprecatedTaintKeyPass` of 1.9 to 1.13: taints under the alpha keys get today's.
    pub(super) fn rename_alpha_taints(&self, node: &Rc<Node>) {
        let renamed = |t: &Taint| match t.key.as_str() {
            NOT_READY_ALPHA => Some(Taint::new(NOT_READY, t.effect)),
            UNREACHABLE_ALPHA => Some(Taint::new(UNREACHABLE, t.effect)),
            _ => None,
        };
        let remove: Vec<Taint> =
            node.taints.iter().filter(|t| renamed(t).is_some()).cloned().collect();
        if remove.is_empty() {
            return;
        }
        let add = remove.iter().filter_map(renamed).collect();
        let (writer, node) = (self.writer.clone(), node.clone());
        self.core.ctx.spawn(self.core.group, async move {
            writer.swap_node_controller_taint(&node, add, remove).await;
        });
    }
}

/// Keys of the taints that follow conditions or `spec.unschedulable`.
pub(super) fn is_condition_taint(switches: &Switches, key: &str) -> bool {
    matches!(
        key,
        NOT_READY
            | UNREACHABLE
            | MEMORY_PRESSURE
            | DISK_PRESSURE
            | NETWORK_UNAVAILABLE
            | UNSCHEDULABLE
    ) || key == PID_PRESSURE && switches.pid_pressure_taint
        || key == OUT_OF_DISK && switches.out_of_disk
}
