//! StatefulSets (`pkg/controller/statefulset/stateful_set.go`, v1.34): the queue, its workers, and
//! what makes a set wait in it.
//!
//! What a sync does is in [`super::stateful_set_control`].

use super::stateful_set_control::StatefulSetControl;
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::StatefulSetSwitches;

/// `--concurrent-statefulset-syncs`
const WORKERS: usize = 5;
/// Steps that others take while a sync computes, where clocks stand still.
const STEPS_OF_OTHERS: u32 = 3;

/// The StatefulSet controller.
pub(crate) struct StatefulSetController {
    core: Rc<Core>,
    control: Rc<StatefulSetControl>,
    switches: StatefulSetSwitches,
}

impl StatefulSetController {
    /// A controller that hears of StatefulSets and pods but does not run yet.
    pub(crate) fn new(switches: StatefulSetSwitches, context: ControllerContext) -> Rc<Self> {
        let core = Core::new(context, switches.waits_for_own_writes, RateLimiter::default());
        let controller = Rc::new(StatefulSetController {
            control: StatefulSetControl::new(&core, switches),
            core,
            switches,
        });
        controller.core.informers.on_workload(WorkloadKind::StatefulSet, controller.clone());
        controller.core.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers. `warm`: it has been running for long, so that the sets that are there
    /// have their revisions.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        if warm {
            self.core.assume_revisions(WorkloadKind::StatefulSet);
        }
        for _ in 0..WORKERS {
            self.core.start_worker(self, async |c: &Rc<Self>, id| c.sync(id).await);
        }
    }

    /// Between what a sync reads and what it writes it has much to compute: whoever hears of the
    /// same change in this instant has handled it by then. The eviction controller does so in two
    /// steps, of its dispatcher and of a worker.
    async fn take_time(&self) {
        for _ in 0..STEPS_OF_OTHERS {
            self.core.ctx.sleep(Dur::ZERO).await;
        }
    }

    /// `sync`, `syncStatefulSet`
    async fn sync(&self, id: WorkloadId) -> ApiResult {
        let Some(set) = self.core.to_sync(id)? else { return Ok(()) };
        let mut pods = self.core.informers.pods_of(id);
        pods.retain(|p| p.controller().is_some_and(|(_, uid)| uid == set.uid));
        self.core.ctx.set_saw(set.record);
        self.take_time().await;
        let status = self.control.update_stateful_set(&set, &pods).await?;
        let min = self.control.min_ready_seconds(&set);
        if min == 0 {
            return Ok(());
        }
        let whole = seconds(min);
        if !self.switches.exact_availability_check {
            if status.available != set.replicas() {
                self.core.queue.add_after(whole, id);
            }
        } else if status.ready != status.available {
            let wait = pods.iter().filter_map(|p| p.available_in(min, self.core.ctx.now())).min();
            self.core.queue.add_after(wait.unwrap_or(whole), id);
        }
        Ok(())
    }
}

impl ResourceEventHandler<Workload> for StatefulSetController {
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        if let Some(set) = new.or(old) {
            self.core.queue.add(set.id);
        }
    }
}

impl ResourceEventHandler<Pod> for StatefulSetController {
    /// `addPod`, `updatePod`, `deletePod`
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old) else { return };
        let set = self.core.resolve(pod.controller(), WorkloadKind::StatefulSet);
        let Some(set) = set else { return };
        self.core.queue.add(set.id);
        if let (Some(old), Some(new)) = (old, new)
            && !old.is_ready()
            && new.is_ready()
            && self.control.min_ready_seconds(&set) > 0
        {
            // The second on top was for clocks that are apart.
            let more = if self.switches.exact_availability_check { 0 } else { 1 };
            let wait = seconds(set.min_ready_seconds) + Dur::from_secs(more);
            self.core.queue.add_after(wait, set.id);
        }
    }
}
