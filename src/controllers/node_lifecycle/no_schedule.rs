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
    pub(super) fn new(core: Rc<Core>, writer: Rc<Writer>) -> Self {
        let node_queue = WorkQueue::new(&core.ctx, core.group);
        Self { core, writer, node_queue }
    }

    /// `doNodeProcessingPassWorker`
    pub(super) async fn do_node_processing_pass_worker(&self) {
        loop {
            let id = self.node_queue.get().await;
            if let Some(node) = self.core.informers.node(id) {
                self.core.ctx.set_saw(node.record);
                self.do_no_schedule_tainting_pass(&node).await;
                self.writer.reconcile_node_labels(&node).await;
            }
            self.node_queue.done(id);
        }
    }

    /// The key of the taint that a condition stands for.
    fn condition_taint(&self, c: &NodeCondition) -> Option<&'static str> {
        use NodeConditionType as T;
        let s = self.core.switches();
        match (c.kind, c.status) {
            (T::Ready, ConditionStatus::False) => Some(NOT_READY),
            (T::Ready, ConditionStatus::Unknown) => Some(UNREACHABLE),
            (T::MemoryPressure, ConditionStatus::True) => Some(MEMORY_PRESSURE),
            (T::DiskPressure, ConditionStatus::True) => Some(DISK_PRESSURE),
            (T::PidPressure, ConditionStatus::True) => s.pid_pressure_taint.then_some(PID_PRESSURE),
            (T::NetworkUnavailable, ConditionStatus::True) => Some(NETWORK_UNAVAILABLE),
            (T::OutOfDisk, ConditionStatus::True) => s.out_of_disk.then_some(OUT_OF_DISK),
            _ => None,
        }
    }

    /// The taints that conditions of a node stand for.
    fn condition_taints<'a>(
        &self,
        conditions: impl Iterator<Item = &'a NodeCondition>,
    ) -> Vec<Taint> {
        let keys = conditions.filter_map(|c| self.condition_taint(c));
        keys.map(|key| Taint::new(key, Effect::NoSchedule)).collect()
    }

    /// `doNoScheduleTaintingPass`
    async fn do_no_schedule_tainting_pass(&self, node: &Rc<Node>) {
        let s = self.core.switches();
        let mut wanted = self.condition_taints(node.conditions.iter());
        if node.unschedulable {
            wanted.push(Taint::new(UNSCHEDULABLE, Effect::NoSchedule));
        }
        let is_own = |t: &&Taint| t.effect == Effect::NoSchedule && is_condition_taint(s, &t.key);
        let (kept, remove): (Vec<_>, Vec<_>) = (node.taints.iter().filter(is_own).cloned())
            .partition(|t| wanted.iter().any(|w| w.matches(t)));
        wanted.retain(|w| !kept.iter().any(|t| t.matches(w)));
        if wanted.is_empty() && remove.is_empty() {
            return;
        }
        // A failure is logged upstream and not tried again.
        self.writer.swap_node_controller_taint(node, wanted, remove).await;
    }

    /// 1.8 to 1.11 with the gate on: conditions that are True, compared by key alone, within the
    /// informer's handler.
    pub(super) fn taint_by_true_conditions(&self, node: &Rc<Node>) {
        let s = self.core.switches();
        let is_true = |c: &&NodeCondition| {
            c.kind != NodeConditionType::Ready && c.status == ConditionStatus::True
        };
        let mut wanted = self.condition_taints(node.conditions.iter().filter(is_true));
        let is_own = |t: &&Taint| {
            is_condition_taint(s, &t.key)
                && !matches!(t.key.as_str(), NOT_READY | UNREACHABLE | UNSCHEDULABLE)
        };
        let (kept, remove): (Vec<_>, Vec<_>) = (node.taints.iter().filter(is_own).cloned())
            .partition(|t| wanted.iter().any(|w| w.key == t.key));
        wanted.retain(|w| !kept.iter().any(|t| t.key == w.key));
        self.swap_beside(node, wanted, remove);
    }

    /// Changes taints beside what follows, if there is anything to change.
    fn swap_beside(&self, node: &Rc<Node>, add: Vec<Taint>, remove: Vec<Taint>) {
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
        let add = remove.iter().filter_map(renamed).collect();
        self.swap_beside(node, add, remove);
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
