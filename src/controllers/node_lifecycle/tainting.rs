//! The two tainting passes: NoSchedule taints from conditions, and NoExecute taints at the zones'
//! rates.

use super::controller::Controller;
use super::notices::Notices;
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, TextId};
use crate::api::node::{Node, NodeConditionType};
use crate::api::taint::{
    DISK_PRESSURE, Effect, MEMORY_PRESSURE, NETWORK_UNAVAILABLE, NOT_READY, NOT_READY_ALPHA,
    OUT_OF_DISK, PID_PRESSURE, Taint, UNREACHABLE, UNREACHABLE_ALPHA, UNSCHEDULABLE,
};
use crate::kernel::{Dur, Held, Name};
use crate::plan::switches::node_lifecycle::{EvictionMode, Requeue};
use crate::trace::{Actor, What};
use std::rc::Rc;

/// How long a node that can't be judged waits in the queue.
const RETRY: Dur = Dur::from_millis(50);

impl Controller {
    /// Holds `evictorLock` where the release holds it across requests.
    pub(super) async fn hold_evictor_lock(&self) -> Option<Held> {
        if self.config.switches.lock_across_calls {
            Some(self.evictor_lock.lock().await)
        } else {
            None
        }
    }

    /// `doNodeProcessingPassWorker`
    pub(super) async fn do_node_processing_pass_worker(&self, busy: Name) {
        loop {
            let id = self.node_queue.get().await;
            self.ctx.becomes(busy);
            if let Some(node) = self.informers.node(id) {
                self.ctx.set_saw(node.record);
                self.do_no_schedule_tainting_pass(&node).await;
                self.reconcile_node_labels(&node).await;
            }
            self.node_queue.done(id);
            self.ctx.becomes(busy.at_rest());
        }
    }

    /// The key of the taint that a condition stands for.
    fn condition_taint(
        &self,
        kind: NodeConditionType,
        status: ConditionStatus,
    ) -> Option<&'static str> {
        let s = &self.config.switches;
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

    /// Keys of the taints that follow conditions or `spec.unschedulable`.
    pub(super) fn is_condition_taint(&self, key: &str) -> bool {
        let s = &self.config.switches;
        matches!(
            key,
            NOT_READY
                | UNREACHABLE
                | MEMORY_PRESSURE
                | DISK_PRESSURE
                | NETWORK_UNAVAILABLE
                | UNSCHEDULABLE
        ) || key == PID_PRESSURE && s.pid_pressure_taint
            || key == OUT_OF_DISK && s.out_of_disk
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
            .filter(|t| t.effect == Effect::NoSchedule && self.is_condition_taint(&t.key))
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
        self.swap_node_controller_taint(node, wanted, remove).await;
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
                self.is_condition_taint(&t.key)
                    && !matches!(t.key.as_str(), NOT_READY | UNREACHABLE | UNSCHEDULABLE)
            })
            .collect();
        let remove: Vec<Taint> = had
            .iter()
            .filter(|t| !wanted.iter().any(|w| w.key == t.key))
            .map(|t| (*t).clone())
            .collect();
        let add: Vec<Taint> = wanted
            .into_iter()
            .filter(|w| !had.iter().any(|t| t.key == w.key))
            .collect();
        if add.is_empty() && remove.is_empty() {
            return;
        }
        let Some(c) = self.handle() else { return };
        let node = node.clone();
        self.ctx.spawn(self.group, async move {
            c.swap_node_controller_taint(&node, add, remove).await;
        });
    }

    /// `doFixDeprecatedTaintKeyPass` of 1.9 to 1.13: taints under the alpha keys get today's.
    pub(super) fn rename_alpha_taints(&self, node: &Rc<Node>) {
        let renamed = |t: &Taint| match t.key.as_str() {
            NOT_READY_ALPHA => Some(Taint::new(NOT_READY, t.effect)),
            UNREACHABLE_ALPHA => Some(Taint::new(UNREACHABLE, t.effect)),
            _ => None,
        };
        let remove: Vec<Taint> = node
            .taints
            .iter()
            .filter(|t| renamed(t).is_some())
            .cloned()
            .collect();
        let Some(c) = self.handle().filter(|_| !remove.is_empty()) else {
            return;
        };
        let (add, node) = (remove.iter().filter_map(renamed).collect(), node.clone());
        self.ctx.spawn(self.group, async move {
            c.swap_node_controller_taint(&node, add, remove).await;
        });
    }

    /// Whether no node waits in any zone.
    pub(super) fn queues_are_empty(&self) -> bool {
        self.state
            .with(|s| s.tainters.values().all(|q| q.is_empty()))
    }

    /// `doNoExecuteTaintingPass`, or `doEvictionPass` in timeout mode.
    pub(super) async fn do_no_execute_tainting_pass(&self) {
        let locked = self.config.switches.lock_across_calls && self.evictor_lock.is_held();
        if self.queues_are_empty() && !locked {
            return;
        }
        let _held = self.hold_evictor_lock().await;
        if self.queues_are_empty() {
            return;
        }
        let mut zones: Vec<TextId> = self.state.with(|s| s.tainters.keys().copied().collect());
        self.ctx
            .order(self.points.zones, &mut zones, |z| self.zone_object(*z));
        for zone in zones {
            let Some(queue) = self.state.with(|s| s.tainters.get(&zone).cloned()) else {
                continue;
            };
            match self.config.switches.eviction_mode {
                EvictionMode::Taints => {
                    queue
                        .try_each(
                            |node| self.object(node),
                            |node| self.taint_queued_node(node),
                        )
                        .await
                }
                EvictionMode::Timeout => {
                    queue
                        .try_each(
                            |node| self.object(node),
                            |node| self.evict_queued_node(node),
                        )
                        .await
                }
            }
        }
    }

    /// The action of the NoExecute pass: `Err` is how long the node has to wait for another try.
    async fn taint_queued_node(&self, id: NodeId) -> Result<(), Dur> {
        let Some(node) = self.informers.node(id) else {
            return Ok(());
        };
        let Some(ready) = node.ready() else {
            if !self.config.switches.retry_without_ready {
                // Before 1.30 the missing condition is dereferenced: the process crashes, and
                // nobody here starts it again.
                self.client
                    .api()
                    .record_node(Actor::NodeLifecycle, id, What::ControllersStopped);
                self.ctx.kill(self.group);
            }
            return Err(RETRY);
        };
        let Some((add, opposite)) = self.templates.of(ready.status) else {
            return Ok(());
        };
        self.ctx.set_cause(node.record);
        self.ctx.set_saw(node.record);
        self.state.with(|s| s.told_queued.remove(id));
        if self
            .swap_node_controller_taint(&node, vec![add.clone()], vec![opposite.clone()])
            .await
        {
            Ok(())
        } else {
            Err(Dur::ZERO)
        }
    }

    /// `markNodeForTainting`: queues a node; one whose taint is missing is taken out first, so that
    /// it is stamped anew.
    pub(super) fn mark_node_for_tainting(
        &self,
        node: &Node,
        status: ConditionStatus,
        by_worker: bool,
    ) {
        let Some(queue) = self.tainter_of(node) else {
            return;
        };
        let Some((wanted, _)) = self.templates.of(status) else {
            return;
        };
        if !node.has_taint(wanted) {
            match self.config.switches.requeue {
                Requeue::Correct => {
                    queue.remove(node.id);
                }
                Requeue::HeapDuplicates => queue.forget(node.id),
                Requeue::Never => {}
            }
        }
        if queue.add(node.id) {
            if self.state.with(|s| s.told_queued.insert(node.id)) {
                self.ctx.set_cause(node.record);
                self.client
                    .api()
                    .record_node(Actor::NodeLifecycle, node.id, What::NodeQueued);
            }
            self.tainting_is_due(by_worker);
        }
    }

    /// Takes a node out of its zone's queue.
    pub(super) fn unqueue(&self, node: &Node) {
        if let Some(queue) = self.tainter_of(node) {
            queue.remove(node.id);
        }
        self.state.with(|s| s.told_queued.remove(node.id));
    }

    /// `markNodeAsReachable`: removes both NoExecute taints, where the snapshot has them, and takes
    /// the node out of the queue.
    pub(super) async fn mark_node_as_reachable(&self, node: &Rc<Node>) -> bool {
        let held = self.hold_evictor_lock().await;
        for taint in [&self.templates.unreachable, &self.templates.not_ready] {
            if !node.has_taint(taint) {
                continue;
            }
            if held.is_some() {
                self.tainting_is_due(false);
            }
            if !self.remove_taints_off_node(node, vec![taint.clone()]).await {
                return false;
            }
        }
        self.unqueue(node);
        true
    }
}
