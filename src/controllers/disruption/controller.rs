//! Queues, workers and the counting (`disruption.go`, v1.34).

use super::census::Census;
use super::tally::{Owner, Scale, is_healthy};
use crate::api::budget::{Budget, BudgetRule, BudgetStatus, IntOrPercent};
use crate::api::meta::{ConditionStatus, Timestamp};
use crate::api::names::{PodId, WorkloadId};
use crate::api::pod::{Pod, PodCondition, PodReason};
use crate::api::workload::{WorkloadKind, namespace_of, short_name};
use crate::apiserver::ApiError;
use crate::client::{
    About, BudgetHandler, Client, EventRecorder, InformerFactory, PodHandler, QueueKey,
    RateLimiter, Resource, WorkQueue,
};
use crate::kernel::{Ctx, Dur, Group, Object, Shared, Time};
use crate::plan::switches::disruption::Switches;
use crate::trace::{EventBody, EventText};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// A granted eviction that does not show in the pod for this long is forgotten (`DeletionTimeout`).
const DELETION_TIMEOUT: Dur = Dur::from_secs(120);
/// A condition DisruptionTarget that leads to no deletion for this long is taken back
/// (`stalePodDisruptionTimeout`).
const STALE_POD_DISRUPTION_TIMEOUT: Dur = Dur::from_secs(120);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct BudgetItem(WorkloadId);

impl QueueKey for BudgetItem {
    fn slot(self) -> usize {
        self.0.index()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PodItem(PodId);

impl QueueKey for PodItem {
    fn slot(self) -> usize {
        self.0.index()
    }
}

/// The disruption controller.
pub(crate) struct Controller {
    me: Weak<Controller>,
    ctx: Ctx,
    group: Group,
    switches: Switches,
    client: Client,
    recorder: EventRecorder,
    informers: Rc<InformerFactory>,
    queue: WorkQueue<BudgetItem>,
    limiter: Shared<RateLimiter<BudgetItem>>,
    stale: WorkQueue<PodItem>,
    census: Shared<Census>,
}

impl Controller {
    /// A controller that hears of budgets and pods but does not run yet.
    pub(crate) fn new(
        switches: Switches,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let controller = Rc::new_cyclic(|me| Controller {
            me: me.clone(),
            queue: WorkQueue::new(&ctx),
            limiter: Shared::new(RateLimiter::default()),
            stale: WorkQueue::new(&ctx),
            census: Shared::new(Census::default()),
            informers: informers.clone(),
            switches,
            recorder,
            client,
            group,
            ctx,
        });
        informers.on_budget(controller.clone());
        informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers.
    pub(crate) fn run(&self) {
        let (Some(c), Some(d)) = (self.me.upgrade(), self.me.upgrade()) else {
            return;
        };
        self.ctx.spawn(self.group, async move {
            c.queue
                .work(c.group, &c.limiter, async |item| c.sync(item.0).await)
                .await;
        });
        self.ctx.spawn(self.group, async move {
            loop {
                let item = d.stale.get().await;
                // A failure is tried again with the pod's next change.
                let _ = d.sync_stale_pod_disruption(item.0).await;
                d.stale.done(item);
            }
        });
    }

    /// Counts pods for the budgets that are new; `changed` is a pod whose change is about to be
    /// heard of, as it was before.
    fn catch_up(&self, changed: Option<(PodId, Option<&Rc<Pod>>)>) {
        if !self.census.with_ref(Census::is_behind) {
            return;
        }
        let mut pods = self.informers.pods();
        if let Some((id, old)) = changed {
            pods.retain(|p| p.id != id);
            pods.extend(old.cloned());
        }
        let api = self.client.api();
        api.names(|n| {
            self.census
                .with(|c| c.count(&pods, |p| namespace_of(n.pod_name(p.id))))
        });
    }

    /// `sync`: where the pods' scale can't be found out, nothing may be disrupted.
    async fn sync(&self, id: WorkloadId) -> Result<(), ApiError> {
        let Some(budget) = self.informers.budget(id) else {
            return Ok(());
        };
        self.informers.reads_all(Resource::Pods);
        self.catch_up(None);
        let (pods, ready) = self
            .census
            .with(|c| c.tally(id).map(|t| (t.pods(), t.healthy())))
            .unwrap_or_default();
        let about = About::Workload(budget.id, budget.uid);
        if pods == 0 {
            self.tell(about, EventText::NoPods, "No matching pods found");
        }
        let (expected, desired) = match self.expected_pod_count(&budget, pods) {
            Ok(counts) => counts,
            Err(why) => {
                let text = format!("Failed to calculate the number of expected pods: {why}");
                self.tell(about, EventText::CalculateExpectedPodCountFailed, &text);
                let status = BudgetStatus {
                    disruptions_allowed: 0,
                    sync_failed: true,
                    ..budget.status.clone()
                };
                return self.put_status(&budget, status).await;
            }
        };
        let now = self.ctx.now();
        let (disrupted, ready_among_them, recheck) = self.disrupted_pods(&budget, now);
        let healthy = ready - ready_among_them;
        let status = BudgetStatus {
            current_healthy: healthy,
            desired_healthy: desired,
            expected_pods: expected,
            disruptions_allowed: if expected <= 0 {
                0
            } else {
                (healthy - desired).max(0)
            },
            disrupted_pods: disrupted,
            observed_generation: budget.generation,
            sync_failed: false,
        };
        self.put_status(&budget, status).await?;
        if let Some(at) = recheck {
            // Upstream's clock goes on between two syncs: one that comes at the very instant is
            // followed by one that comes after it.
            self.queue.add_after(
                self.group,
                at.since(now).max(Dur::from_nanos(1)),
                BudgetItem(id),
            );
        }
        Ok(())
    }

    /// `getExpectedPodCount`: how many pods there should be, and how many of them healthy; or why
    /// nobody can tell.
    fn expected_pod_count(&self, budget: &Budget, pods: usize) -> Result<(i32, i32), String> {
        Ok(match budget.rule {
            BudgetRule::MaxUnavailable(n) => {
                let expected = self.expected_scale(budget.id)?;
                (expected, (expected - n.of(expected)).max(0))
            }
            BudgetRule::MinAvailable(IntOrPercent::Int(n)) => (pods as i32, n),
            BudgetRule::MinAvailable(share) => {
                let expected = self.expected_scale(budget.id)?;
                (expected, share.of(expected))
            }
        })
    }

    /// `getExpectedScale`: the sum over the pods' controllers; pods without one do not count.
    fn expected_scale(&self, budget: WorkloadId) -> Result<i32, String> {
        let seen = self
            .census
            .with(|c| c.tally(budget).and_then(|t| t.seen_changes()));
        let (changes, concerned) = self.informers.scale_changes(seen.unwrap_or(usize::MAX));
        let expected = self.census.with(|c| {
            let Some(tally) = c.tally(budget) else {
                return Ok(0);
            };
            tally.take_scales(changes, &concerned, |owner| self.scale_of(owner));
            tally.expected()
        });
        expected.map_err(|(pod, scale)| match scale {
            Scale::Without(resource) => {
                format!("{resource} does not implement the scale subresource")
            }
            _ => self.client.api().names(|n| {
                format!(
                    "found no controllers for pod \"{}\"",
                    short_name(n.pod_name(pod))
                )
            }),
        })
    }

    fn scale_of(&self, (id, uid): Owner) -> Scale {
        let Some(mut workload) = self.informers.workload(id).filter(|w| w.uid == uid) else {
            return Scale::Missing;
        };
        if let Some(owner) = workload
            .owner
            .and_then(|(d, uid)| self.informers.workload(d).filter(|w| w.uid == uid))
        {
            workload = owner;
        }
        match workload.kind {
            WorkloadKind::DaemonSet => Scale::Without("apps/v1, Resource=daemonsets"),
            WorkloadKind::Job => Scale::Without("batch/v1, Resource=jobs"),
            _ => Scale::Of(workload.uid, workload.replicas()),
        }
    }

    fn tell(&self, about: About, text: EventText, words: &str) {
        let arg = self.client.api().names(|n| n.text(words)).0;
        self.recorder.event(about, EventBody { text, arg });
    }

    /// `buildDisruptedPodMap`: the granted evictions that are still to be seen, how many of those
    /// pods are ready, and when the first of them is given up.
    fn disrupted_pods(
        &self,
        budget: &Budget,
        now: Time,
    ) -> (BTreeMap<PodId, Timestamp>, i32, Option<Time>) {
        let (mut kept, mut ready, mut recheck) = (BTreeMap::new(), 0, None);
        for (&id, &at) in &budget.status.disrupted_pods {
            let selected = self.census.with_ref(|c| c.selects(budget.id, id));
            let Some(pod) = self
                .informers
                .pod(id)
                .filter(|p| selected && !p.is_terminating())
            else {
                continue;
            };
            let due = after(at, DELETION_TIMEOUT);
            if due < now {
                // It is the namespace twice in upstream, too.
                let text = format!(
                    "Pod was expected by PDB {0}/{0} to be deleted but it wasn't",
                    budget.namespace
                );
                self.tell(
                    About::Pod(pod.id, Some(pod.uid)),
                    EventText::NotDeleted,
                    &text,
                );
                continue;
            }
            recheck = Some(recheck.map_or(due, |r: Time| r.min(due)));
            ready += i32::from(is_healthy(&pod));
            kept.insert(id, at);
        }
        (kept, ready, recheck)
    }

    /// Counts a change of a pod; `getPdbForPod`: the first budget that selects it.
    fn budget_of(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) -> Option<WorkloadId> {
        self.informers.reads_all(Resource::Budgets);
        let pod = new.or(old)?;
        self.catch_up(Some((pod.id, old)));
        let api = self.client.api();
        let namespace = || api.names(|n| namespace_of(n.pod_name(pod.id)).into());
        let selecting = self
            .census
            .with(|c| c.pod_changed(old.map(|p| &**p), new.map(|p| &**p), namespace));
        let first = *selecting.first()?;
        if selecting.len() > 1 {
            let text = api.names(|n| {
                let (namespace, name) = n.pod_name(pod.id).split_once('/').unwrap_or_default();
                let chosen = short_name(n.workload_name(first));
                format!("Pod {namespace:?}/{name:?} matches multiple PodDisruptionBudgets.  Chose {chosen:?} arbitrarily.")
            });
            self.tell(
                About::Pod(pod.id, Some(pod.uid)),
                EventText::MultiplePodDisruptionBudgets,
                &text,
            );
        }
        Some(first)
    }

    async fn put_status(&self, budget: &Rc<Budget>, status: BudgetStatus) -> Result<(), ApiError> {
        if budget.status == status {
            return Ok(());
        }
        let about = Object {
            id: budget.id.0,
            hash: self.client.api().names(|n| n.workload_hash(budget.id)),
        };
        let read = budget.clone();
        self.client
            .call(about, move |api, _| api.update_budget_status(&read, status))
            .await
            .map(|_| ())
    }

    /// `syncStalePodDisruption`
    async fn sync_stale_pod_disruption(&self, id: PodId) -> Result<(), ApiError> {
        let Some(pod) = self.informers.pod(id) else {
            return Ok(());
        };
        let Some(left) = self.stale_in(&pod) else {
            return Ok(());
        };
        if !left.is_zero() {
            self.stale.add_after(self.group, left, PodItem(id));
            return Ok(());
        }
        let condition = PodCondition {
            status: ConditionStatus::False,
            reason: PodReason::None,
            last_transition_time: self.client.api().timestamp(),
        };
        let about = Object {
            id: id.0,
            hash: self.client.api().names(|n| n.pod_hash(id)),
        };
        let new = Pod {
            disruption_target: Some(condition),
            ..(*pod).clone()
        };
        self.client
            .call(about, move |api, actor| api.update_pod_status(actor, &new))
            .await
            .map(|_| ())
    }

    /// How long until the condition DisruptionTarget of a pod that is not being deleted is stale;
    /// none where there is none (`nonTerminatingPodHasStaleDisruptionCondition`).
    fn stale_in(&self, pod: &Pod) -> Option<Dur> {
        let target = pod
            .disruption_target
            .filter(|c| c.status == ConditionStatus::True)?;
        if !self.switches.resets_stale_condition || pod.is_terminating() || pod.phase.is_terminal()
        {
            return None;
        }
        let (due, now) = (
            after(target.last_transition_time, STALE_POD_DISRUPTION_TIMEOUT),
            self.ctx.now(),
        );
        Some(if due > now { due.since(now) } else { Dur::ZERO })
    }
}

/// So long after a second, which an import may have from before the start.
fn after(t: Timestamp, wait: Dur) -> Time {
    let wait_s = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
    Time::from_secs(u64::try_from(t.0.saturating_add(wait_s)).unwrap_or_default())
}

impl BudgetHandler for Controller {
    /// `addDB`, `updateDB`, `removeDB`: the sync of one that is gone finds nothing to do.
    fn budget(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>) {
        match (old, new) {
            (_, Some(new)) => self.census.with(|c| c.add_budget(new)),
            (Some(old), None) => self.census.with(|c| c.remove_budget(old)),
            (None, None) => {}
        }
        if let Some(budget) = new.or(old) {
            self.queue.add(BudgetItem(budget.id));
        }
    }
}

impl PodHandler for Controller {
    /// `addPod`, `updatePod`, `deletePod`: the first budget that selects the pod (`getPdbForPod`).
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old) else { return };
        if let Some(budget) = self.budget_of(old, new) {
            self.queue.add(BudgetItem(budget));
        }
        if let Some(left) = new.and_then(|p| self.stale_in(p)) {
            self.stale.add_after(self.group, left, PodItem(pod.id));
        }
    }
}
