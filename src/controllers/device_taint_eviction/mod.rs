//! The device taint eviction controller: deletes pods that have devices whose NoExecute taints they do not
//! tolerate.
//!
//! Models `pkg/controller/devicetainteviction/device_taint_eviction.go`, v1.37, which is that of 1.36 but for
//! the API version; what was otherwise before is behind
//! [`Switches`](crate::plan::switches::device_taint_eviction::Switches). Timers are those of its work queue: they are
//! kept by pod and uid, begin with the taint's `timeAdded`, and are as they were after a restart. Left out: pods of pod
//! groups, metrics; all claims of a pod are heard of as one.

mod core;
mod rule_status;
mod timed_workers;

use self::core::{Core, Eviction, RULE_STATUS_PERIOD, Reason};
use self::timed_workers::{RETRIES, RETRY_SLEEP, TimedWorkerQueue};
use crate::api::device::{Allocation, DeviceTaintRule, ResourceSlices};
use crate::client::QueueKey;
use crate::controllers::prelude::*;
use crate::kernel::Lock;
use crate::plan::switches::device_taint_eviction::Switches;
use crate::trace::RecordId;

/// `ConcurrentSyncs` (`config/v1alpha1/defaults.go`).
const CONCURRENT_SYNCS: usize = 8;

/// How many times in a thousand others of the instant go on before the reply to a GET of a pod has been
/// decoded, where the order is drawn: in 100 of 120 runs the scheduler's event about a pod is made before that of
/// its eviction five times in a row.
const READ_LATE: u32 = 930;

/// How many times in a thousand a second eviction of the instant finds that function: both pods of `device-rule-everything` and
/// `device-rule-all` have an event in 73 of 120 runs of 1.34.
const EVENT_TOO: u32 = 608;

/// A piece of work (`workItem`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum WorkItem {
    /// A life of a pod may have to be deleted.
    Pod(PodId, Uid),
    /// The status of a life of a rule may have to be updated.
    Rule(TextId, Uid),
}

impl QueueKey for WorkItem {
    fn slot(self) -> usize {
        match self {
            Self::Pod(pod, _) => pod.index() + 1,
            Self::Rule(..) => 0,
        }
    }
}

/// The device taint eviction controller.
pub(crate) struct Controller {
    core: Rc<Core>,
    group: Group,
    recorder: EventRecorder,
    workqueue: WorkQueue<WorkItem>,
    /// What did the work up to 1.34.
    timed_workers: Shared<TimedWorkerQueue>,
    /// When the first pod that it evicts was told of: up to 1.34 there is no event of the others (`*emitEventFunc = nil`).
    event_at: Cell<Option<Time>>,
    me: Weak<Self>,
}

impl Controller {
    /// A controller that hears of pods, slices and rules but does not work yet (`New`).
    pub(crate) fn new(switches: Switches, context: ControllerContext) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        let controller = Rc::new_cyclic(|me| Self {
            me: me.clone(),
            workqueue: WorkQueue::new(&ctx, group),
            timed_workers: Shared::default(),
            event_at: Cell::default(),
            core: Rc::new(Core {
                mutex: Lock::new(&ctx),
                state: Shared::default(),
                switches,
                ctx,
                client,
                informers,
            }),
            group,
            recorder,
        });
        controller.core.informers.on_pod(controller.clone());
        controller.core.informers.on_rule(controller.clone());
        controller.core.informers.on_slices(controller.clone());
        controller.core.informers.on_claim(controller.clone());
        controller
    }

    /// Starts the workers (`Run`); the caches are filled.
    pub(crate) fn run(self: &Rc<Self>) {
        for _ in 0..CONCURRENT_SYNCS {
            let c = self.clone();
            self.core.ctx.spawn(self.group, async move {
                c.workqueue.work_once(async |item| c.worker(item).await).await;
            });
        }
    }

    /// `worker`: what comes again, and when.
    async fn worker(&self, item: WorkItem) {
        let again = match item {
            WorkItem::Pod(pod, uid) => self.maybe_delete_pod(pod, uid).await,
            WorkItem::Rule(rule, uid) => rule_status::maybe_update(&self.core, rule, uid).await,
        };
        match again {
            Err(_) => self.workqueue.add_rate_limited(item),
            Ok(again) if !again.is_zero() => self.workqueue.add_after(again, item),
            Ok(_) => self.workqueue.forget(item),
        }
    }

    /// `maybeDeletePod`: how long it is until then, if it is not yet.
    async fn maybe_delete_pod(&self, pod: PodId, uid: Uid) -> ApiResult<Dur> {
        drop(self.core.mutex.lock().await);
        let found = self.core.state.with(|s| {
            let evicted = s.evicted_pods.contains(&uid);
            s.delete_pod_at.get(&(pod, uid)).filter(|_| !evicted).cloned()
        });
        let Some(eviction) = found else { return Ok(Dur::ZERO) };
        let left = self.left(&eviction);
        if !left.is_zero() {
            return Ok(left);
        }
        let deleted = self.add_condition_and_delete_pod(pod, uid).await;
        if !matches!(deleted, Ok(()) | Err(ApiError::NotFound)) {
            return deleted.map(|()| Dur::ZERO);
        }
        drop(self.core.mutex.lock().await);
        if deleted.is_ok() {
            for (rule, uid) in rules_of(&eviction) {
                self.core.state.with(|s| *s.evicted_by.entry(uid).or_default() += 1);
                self.workqueue.add_after(RULE_STATUS_PERIOD, WorkItem::Rule(rule, uid));
            }
        }
        self.core.state.with(|s| {
            s.delete_pod_at.remove(&(pod, uid));
            if self.core.switches.evicted_pods {
                s.evicted_pods.insert(uid);
            }
        });
        Ok(Dur::ZERO)
    }

    /// How long it is until an eviction begins.
    fn left(&self, eviction: &Eviction) -> Dur {
        eviction.when.after(Dur::ZERO).since(self.core.ctx.now())
    }

    /// `addConditionAndDeletePod`: GET, PATCH of the condition DisruptionTarget, DELETE of that life of the
    /// pod. From 1.35 on one that is being deleted is left alone.
    async fn add_condition_and_delete_pod(&self, id: PodId, uid: Uid) -> ApiResult {
        let Core { ctx, client, .. } = &*self.core;
        let pod = client.get_pod(id).await?;
        ctx.yield_point(ctx.point("device-eviction-read"), READ_LATE).await;
        if pod.uid != uid {
            return Err(ApiError::NotFound);
        }
        if pod.is_terminating() && self.core.switches.work_queue {
            return Ok(());
        }
        ctx.set_saw(pod.record);
        if self.core.switches.work_queue || self.has_event(id) {
            self.recorder.event(About::Pod(id, Some(uid)), EventText::DeviceMarkingForDeletion);
        }
        let reason = PodReason::DeletionByDeviceTaintManager;
        let is_it = |c: PodCondition| c.status == ConditionStatus::True && c.reason == reason;
        if !pod.disruption_target.is_some_and(is_it) {
            let condition =
                PodCondition::new(ConditionStatus::True, reason, client.api().timestamp());
            let patch = client.call(client.pod_object(id), move |api, actor| {
                api.patch_disruption_target(actor, id, uid, condition)
            });
            patch.await?;
        }
        client.delete_pod(id, None, Some(uid)).await
    }

    /// Whether there is an event of a pod's eviction up to 1.34: of the first one, and of others that come to it before that one
    /// has set the function to nil, as nobody holds a lock.
    fn has_event(&self, pod: PodId) -> bool {
        let ctx = &self.core.ctx;
        let Some(first) = self.event_at.get() else {
            self.event_at.set(Some(ctx.now()));
            return true;
        };
        let object = self.core.client.pod_object(pod);
        first == ctx.now() && ctx.yields(ctx.point("device-eviction-event"), object, EVENT_TOO)
    }

    /// `handlePod`
    fn handle_pod(&self, pod: &Pod) {
        let rules = self.core.state.with(|s| s.evicting_rules.clone());
        let (key, eviction) = ((pod.id, pod.uid), self.core.pod_eviction_time(pod, &rules));
        self.core.state.with(|s| s.claims.insert(pod.uid, (pod.id, eviction.clone())));
        let Some(eviction) = eviction else {
            if self.cancel_evict(key) {
                let about = About::Pod(pod.id, Some(pod.uid));
                self.recorder.event(about, EventText::DeviceCancellingDeletion);
                self.note(pod.id, Note::DeviceEvictionCancelled, 0);
            }
            return;
        };
        let left = self.left(&eviction);
        let seconds = left.as_nanos().div_ceil(Dur::from_secs(1).as_nanos()) as u32;
        let before = self.core.ctx.cause();
        let why = self.core.why(pod, &rules);
        let why = self.core.client.api().names(|n| n.text(&why));
        self.core.ctx.set_cause(self.note(pod.id, Note::DeviceEvictionReason, why.0));
        self.core.ctx.set_cause(self.note(pod.id, Note::DeviceEvictionSet, seconds));
        if !self.core.switches.work_queue {
            self.update_work(key, eviction.when, left);
            return self.core.ctx.set_cause(before);
        }
        self.workqueue.add_after(left, WorkItem::Pod(pod.id, pod.uid));
        let is_delayed = self.core.switches.delayed_status;
        let after = if is_delayed { RULE_STATUS_PERIOD } else { Dur::ZERO };
        for (rule, uid) in rules_of(&eviction) {
            self.workqueue.add_after(after, WorkItem::Rule(rule, uid));
        }
        self.core.ctx.set_cause(before);
        self.core.state.with(|s| s.delete_pod_at.insert(key, eviction));
    }

    /// `cancelEvict`: whether there was something to cancel.
    fn cancel_evict(&self, key: (PodId, Uid)) -> bool {
        if !self.core.switches.work_queue {
            return self.timed_workers.with(|all| all.cancel_work(key.0));
        }
        self.core.state.with(|s| s.delete_pod_at.remove(&key)).is_some()
    }

    /// Evicts a pod at that time, unless it is to be evicted then already, or is being evicted (`evictPod` up to 1.34).
    fn update_work(&self, key: (PodId, Uid), when: Timestamp, left: Dur) {
        let update = |all: &mut TimedWorkerQueue| all.update_work(key.0, when, left);
        let (Some(number), Some(c)) = (self.timed_workers.with(update), self.me.upgrade()) else {
            return;
        };
        let cause = self.core.ctx.cause();
        self.core.ctx.spawn(self.group, async move {
            if !left.is_zero() {
                c.core.ctx.sleep(left).await;
            }
            c.core.ctx.set_cause(cause);
            if c.timed_workers.with(|all| all.begins(key.0, number)) {
                c.delete_pod_handler(key).await;
                c.timed_workers.with(|all| all.finished(key.0));
            }
        });
    }

    /// `deletePodHandler`: up to five tries.
    async fn delete_pod_handler(&self, (pod, uid): (PodId, Uid)) {
        for _ in 0..RETRIES {
            match self.add_condition_and_delete_pod(pod, uid).await {
                Ok(()) | Err(ApiError::NotFound) => return,
                Err(_) => self.core.ctx.sleep(RETRY_SLEEP).await,
            }
        }
    }

    /// Handles what was heard once the mutex is free, in the order in which it was heard.
    fn locked(&self, handle: impl FnOnce(&Self) + 'static) {
        if !self.core.mutex.is_held() {
            return handle(self);
        }
        let Some(c) = self.me.upgrade() else { return };
        self.core.ctx.spawn(self.group, async move {
            let held = c.core.mutex.lock().await;
            handle(&c);
            drop(held);
        });
    }

    fn note(&self, pod: PodId, note: Note, argument: u32) -> RecordId {
        let what = What::Noted(note, argument);
        self.core.client.api().record_pod(Actor::DeviceTaintEviction, pod, what)
    }

    /// Looks at the pods with devices again whose evictions are others by now.
    fn handle_pods(&self) {
        let rules = self.core.state.with(|s| s.evicting_rules.clone());
        for (uid, (pod, was)) in self.core.state.with(|s| s.claims.clone()) {
            let Some(pod) = self.core.informers.pod(pod).filter(|p| p.uid == uid) else { continue };
            let eviction = self.core.pod_eviction_time(&pod, &rules);
            let when = |e: &Option<Eviction>| e.as_ref().map(|e| e.when);
            let has_reasons = self.core.switches.work_queue;
            if when(&eviction) == when(&was) && (eviction == was || !has_reasons) {
                continue;
            }
            match self.core.informers.allocation(uid) {
                Some(of) if !self.core.is_reached(&of) => {
                    self.core.state.with(|s| s.claims.insert(uid, (pod.id, eviction)));
                }
                _ => self.handle_pod(&pod),
            }
        }
    }
}

/// The rules among the reasons of an eviction.
fn rules_of(eviction: &Eviction) -> impl Iterator<Item = (TextId, Uid)> {
    eviction.reasons.iter().filter_map(|reason| match reason {
        Reason::Rule(name, uid, _) => Some((*name, *uid)),
        Reason::Slice(..) => None,
    })
}

impl ResourceEventHandler<Pod> for Controller {
    /// `handlePodChange`: pods that get a node.
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        match (old.cloned(), new.cloned()) {
            (Some(old), None) if !old.template.devices.is_empty() => self.locked(move |c| {
                c.cancel_evict((old.id, old.uid));
                c.core.state.with(|s| s.claims.remove(&old.uid));
            }),
            (Some(old), Some(new)) if old.uid == new.uid && old.node == new.node => {}
            (_, Some(new)) if !new.template.devices.is_empty() => {
                self.locked(move |c| c.handle_pod(&new));
            }
            _ => {}
        }
    }
}

impl ResourceEventHandler<Allocation> for Controller {
    /// `handleClaimChange`: the pod of a claim that is allocated, or is so no longer, and those for which one that pods
    /// share is reserved.
    fn on_change(&self, old: Option<&Rc<Allocation>>, new: Option<&Rc<Allocation>>) {
        let Some(of) = new.or(old).cloned() else { return };
        self.locked(move |c| {
            let handle = |of: &Allocation| match c.core.consumer(of) {
                Some(pod) if c.core.is_reached(of) => c.handle_pod(&pod),
                _ => {}
            };
            handle(&of);
            for claim in of.shared.iter().flatten() {
                let all = c.core.informers.reserved_for(&claim.name);
                all.iter().filter(|other| other.uid != of.uid).for_each(|other| handle(other));
            }
        });
    }
}

impl ResourceEventHandler<DeviceTaintRule> for Controller {
    /// `handleRuleChange`: rules that come and go, or whose spec changes.
    fn on_change(&self, old: Option<&Rc<DeviceTaintRule>>, new: Option<&Rc<DeviceTaintRule>>) {
        if old.zip(new).is_some_and(|(o, n)| (o.uid, o.generation) == (n.uid, n.generation)) {
            return;
        }
        let (old, new) = (old.cloned(), new.cloned());
        self.locked(move |c| {
            let switches = c.core.switches;
            if let Some(new) = &new
                && (switches.delayed_status || switches.work_queue && old.is_none())
            {
                c.workqueue.add(WorkItem::Rule(new.name, new.uid));
            }
            c.core.state.with(|s| {
                if let Some(old) = old {
                    if new.as_ref().is_none_or(|n| n.uid != old.uid) {
                        s.evicted_by.remove(&old.uid);
                    }
                    s.evicting_rules.remove(&old.name);
                }
                if let Some(new) = new.filter(|r| r.evicts()) {
                    s.evicting_rules.insert(new.name, new);
                }
            });
            c.handle_pods();
        });
    }
}

impl ResourceEventHandler<ResourceSlices> for Controller {
    /// `handleSliceChange`: taints that drivers publish.
    fn on_change(&self, old: Option<&Rc<ResourceSlices>>, new: Option<&Rc<ResourceSlices>>) {
        if old.map(|o| &o.taints) != new.map(|n| &n.taints) {
            self.locked(|c| c.handle_pods());
        }
    }
}
