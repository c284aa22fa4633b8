//! Queues, workers and the counting (`disruption.go`, v1.34); and how many pods a controller should
//! have, where the caches do not tell (`getScaleController`).

use super::census::Census;
use super::map_walk::{MOST_PLACED, MapWalk};
use super::tally::{Owner, Scale, Tally, is_healthy};
use crate::api::budget::{Budget, BudgetRule, BudgetStatus, IntOrPercent};
use crate::controllers::prelude::*;
use crate::plan::switches::disruption::{NoScale, Switches, UnmanagedPods};

/// A granted eviction that does not show in the pod for this long is forgotten (`DeletionTimeout`).
const DELETION_TIMEOUT: Dur = Dur::from_secs(120);
/// A condition DisruptionTarget that leads to no deletion for this long is taken back
/// (`stalePodDisruptionTimeout`).
const STALE_POD_DISRUPTION_TIMEOUT: Dur = Dur::from_secs(120);

/// Why nobody can tell how many pods a budget should have, and the event that says so.
struct Uncounted {
    why: String,
    told: Option<EventText>,
}

impl From<ApiError> for Uncounted {
    fn from(error: ApiError) -> Self {
        Self { why: error.to_string(), told: None }
    }
}

/// The disruption controller.
pub(crate) struct Controller {
    ctx: Ctx,
    group: Group,
    switches: Switches,
    client: Client,
    recorder: EventRecorder,
    informers: Rc<InformerFactory>,
    queue: WorkQueue<WorkloadId>,
    /// Budgets that are counted again when a granted eviction is to be given up (`recheckQueue`).
    recheck: WorkQueue<WorkloadId>,
    is_rechecking: Cell<bool>,
    stale: WorkQueue<PodId>,
    census: Shared<Census>,
    /// Reads scales, with a limiter of its own.
    scales: Client,
    walk: MapWalk,
    /// When its watches began.
    born: Time,
}

impl Controller {
    /// A controller that hears of budgets and pods but does not run yet.
    pub(crate) fn new(switches: Switches, context: ControllerContext, scales: Client) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        let controller = Rc::new(Controller {
            queue: WorkQueue::new(&ctx, group),
            recheck: WorkQueue::new(&ctx, group),
            is_rechecking: Cell::new(false),
            stale: WorkQueue::new(&ctx, group),
            census: Shared::default(),
            informers,
            scales,
            walk: MapWalk::new(&ctx),
            born: ctx.now(),
            switches,
            recorder,
            client,
            group,
            ctx,
        });
        controller.informers.on_budget(controller.clone());
        controller.informers.on_pod(controller.clone());
        controller
    }

    /// Starts the workers. A process that runs for long has counted all budgets again at some time
    /// before.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        let (c, d, e) = (self.clone(), self.clone(), self.clone());
        self.ctx.spawn(self.group, async move {
            c.queue.work(async |budget| c.sync(budget).await).await;
        });
        if let Some(period) = self.switches.resync {
            (self.ctx).spawn(self.group, async move { e.resync(period, warm).await });
        }
        self.ctx.spawn(self.group, async move {
            let sync = async |pod| {
                // A failure is tried again with the pod's next change.
                let _ = d.sync_stale_pod_disruption(pod).await;
            };
            d.stale.work_once(sync).await;
        });
    }

    /// Counts all budgets again, in the order of a map, each time that their reflector's timer fires;
    /// it is set once they are listed.
    async fn resync(&self, period: Dur, warm: bool) {
        let point = self.ctx.point("budgets-resync");
        let since = self.ctx.now().since(self.born);
        let mut wait = (period + self.client.round_trip()).saturating_sub(since);
        if warm {
            wait = self.ctx.phase(point, period);
        }
        loop {
            self.ctx.sleep(wait).await;
            let mut budgets = self.informers.budgets();
            let object = |b: &Rc<Budget>| self.client.workload_object(b.id);
            self.ctx.order(point, &mut budgets, object);
            for budget in budgets {
                self.queue.add(budget.id);
            }
            wait = period;
        }
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
        api.names(|n| self.census.with(|c| c.count(&pods, |p| namespace_of(n.pod_name(p.id)))));
    }

    /// `sync`: where the pods' scale can't be found out, nothing may be disrupted.
    async fn sync(self: &Rc<Self>, id: WorkloadId) -> ApiResult {
        let Some(budget) = self.informers.budget(id) else { return Ok(()) };
        self.informers.reads_all(Resource::Pods);
        self.catch_up(None);
        let (pods, ready) =
            self.census.with(|c| c.tally(id).map(|t| (t.pods, t.healthy))).unwrap_or_default();
        let about = About::Workload(budget.id, budget.uid);
        if pods == 0 {
            self.tell(about, EventText::NoPods, "No matching pods found");
        }
        let (expected, desired) = match self.expected_pod_count(&budget, pods).await {
            Ok(counts) => counts,
            Err(failure) => {
                self.tell_failure(about, &failure);
                return self.fail_safe(&budget).await;
            }
        };
        self.tell_unmanaged(&budget);
        let now = self.ctx.now();
        let (disrupted, ready_among_them, recheck) = self.disrupted_pods(&budget, now);
        let healthy = ready - ready_among_them;
        let status = BudgetStatus {
            current_healthy: healthy,
            desired_healthy: desired,
            expected_pods: expected,
            disruptions_allowed: if expected <= 0 { 0 } else { (healthy - desired).max(0) },
            disrupted_pods: disrupted,
            observed_generation: budget.generation,
            sync_failed: false,
        };
        if budget.status != status {
            match self.write_status(&budget, status).await {
                Ok(()) => {}
                Err(ApiError::Conflict) => return Err(ApiError::Conflict),
                Err(_) => return self.fail_safe(&budget).await,
            }
        }
        if let Some(at) = recheck {
            self.enqueue_pdb_for_recheck(at.since(now), id);
        }
        Ok(())
    }

    /// `enqueuePdbForRecheck`. The worker of that queue is started with its first item, as most runs have none.
    fn enqueue_pdb_for_recheck(self: &Rc<Self>, wait: Dur, id: WorkloadId) {
        self.recheck.add_after(wait, id);
        if !self.is_rechecking.replace(true) {
            let c = self.clone();
            self.ctx.spawn(self.group, async move {
                // `processNextRecheckWorkItem`: not at once, but as if it had failed.
                c.recheck.work_once(async |budget| c.queue.add_rate_limited(budget)).await;
            });
        }
    }

    /// `failSafe`: where a budget could not be counted, or what was counted could not be written, it
    /// allows nothing. That is written whether it changes anything or not.
    async fn fail_safe(&self, budget: &Rc<Budget>) -> ApiResult {
        let status = BudgetStatus {
            disruptions_allowed: 0,
            sync_failed: self.switches.failure_is_condition,
            ..budget.status.clone()
        };
        self.write_status(budget, status).await
    }

    /// `getExpectedPodCount`: how many pods there should be, and how many of them healthy; or why
    /// nobody can tell.
    async fn expected_pod_count(
        &self,
        budget: &Budget,
        pods: usize,
    ) -> Result<(i32, i32), Uncounted> {
        Ok(match budget.rule {
            BudgetRule::MaxUnavailable(n) => {
                let expected = self.expected_scale(budget).await?;
                (expected, (expected - n.of(expected)).max(0))
            }
            BudgetRule::MinAvailable(IntOrPercent::Int(n)) => (pods as i32, n),
            BudgetRule::MinAvailable(share) => {
                let expected = self.expected_scale(budget).await?;
                (expected, share.of(expected))
            }
            BudgetRule::Neither => (0, 0),
        })
    }

    /// `getExpectedScale`: the sum over the pods' controllers.
    async fn expected_scale(&self, budget: &Budget) -> Result<i32, Uncounted> {
        let fails = self.switches.unmanaged_pods == UnmanagedPods::Fail;
        let tells = self.switches.no_scale == NoScale::NoControllers;
        loop {
            self.take_scales(budget.id);
            let counted = self.census.with(|c| {
                let tally = c.tally(budget.id)?;
                let mut failing: Vec<(PodId, Option<Owner>)> = Vec::new();
                failing.extend(tally.unscaled().iter().map(|(p, o)| (*p, Some(*o))));
                failing.extend(tally.unmanaged.iter().filter(|_| fails).map(|p| (*p, None)));
                Some((tally.expected, failing))
            });
            let (expected, failing) = counted.unwrap_or_default();
            let Some((pod, owner)) = self.first(budget, &failing) else { return Ok(expected) };
            let name = self.client.api().names(|n| short_name(n.pod_name(pod)).to_owned());
            let Some(owner) = owner else {
                let why = format!("found no controller ref for pod {name:?}");
                return Err(Uncounted { why, told: tells.then_some(EventText::NoControllerRef) });
            };
            let scale = self.ask_for_scale(owner, &name).await?;
            let learn = |t: &mut Tally| t.set_scale(owner, Some(scale));
            self.census.with(|c| c.tally(budget.id).map(learn));
        }
    }

    /// The pod that upstream comes to first, as it walks the map of the namespace's pods.
    fn first(
        &self,
        budget: &Budget,
        failing: &[(PodId, Option<Owner>)],
    ) -> Option<(PodId, Option<Owner>)> {
        if failing.len() <= 1 {
            return failing.first().copied();
        }
        let pods = self.informers.pods();
        let there: Vec<PodId> = self.client.api().names(|n| {
            pods.iter()
                .map(|p| p.id)
                .filter(|id| namespace_of(n.pod_name(*id)) == &*budget.namespace)
                .take(MOST_PLACED + 1)
                .collect()
        });
        let wanted: Vec<PodId> = failing.iter().map(|(id, _)| *id).collect();
        let first = self.walk.first(self.client.workload_object(budget.id), &there, &wanted)?;
        failing.iter().find(|(id, _)| *id == first).copied()
    }

    /// Finds out the scales that the caches know.
    fn take_scales(&self, budget: WorkloadId) {
        let seen = self.census.with(|c| c.tally(budget).and_then(|t| t.seen_changes));
        let (changes, concerned) = self.informers.scale_changes(seen.unwrap_or(usize::MAX));
        self.census.with(|c| {
            if let Some(tally) = c.tally(budget) {
                tally.take_scales(changes, &concerned, |owner| self.scale_of(owner));
            }
        });
    }

    fn scale_of(&self, owner: Owner) -> Scale {
        let known = |(id, uid): Owner| self.informers.workload(id).filter(|w| w.uid == uid);
        let Some(workload) = known(owner) else { return Scale::Unknown };
        let workload = workload.owner.and_then(known).unwrap_or(workload);
        match workload.kind {
            WorkloadKind::DaemonSet | WorkloadKind::Job => Scale::Unknown,
            _ => Scale::Of(workload.uid, workload.replicas()),
        }
    }

    /// Says that pods without a controller do not count, in the words of Go's `%v`.
    fn tell_unmanaged(&self, budget: &Budget) {
        let scaled = budget.rule.counts_by_scale();
        let some =
            || self.census.with(|c| c.tally(budget.id).is_some_and(|t| !t.unmanaged.is_empty()));
        if self.switches.unmanaged_pods != UnmanagedPods::Told || !scaled || !some() {
            return;
        }
        let text = format!(
            "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.",
            budget.selector.as_go_prints_it()
        );
        let about = About::Workload(budget.id, budget.uid);
        self.tell(about, EventText::UnmanagedPods, &text);
    }

    /// `getExpectedScale` has said its event by the time that `trySync` says its own.
    fn tell_failure(&self, about: About, failure: &Uncounted) {
        let why = &failure.why;
        let text = format!("Failed to calculate the number of expected pods: {why}");
        let then = self.body(EventText::CalculateExpectedPodCountFailed, &text);
        match failure.told {
            Some(told) => (self.recorder).two_events(about, self.body(told, why), then),
            None => self.recorder.event(about, then),
        }
    }

    fn tell(&self, about: About, text: EventText, words: &str) {
        self.recorder.event(about, self.body(text, words));
    }

    fn body(&self, text: EventText, words: &str) -> EventBody {
        EventBody::of_words(text, self.client.api().names(|n| n.text(words)))
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
            let Some(pod) = self.informers.pod(id).filter(|p| selected && !p.is_terminating())
            else {
                continue;
            };
            let due = at.after(DELETION_TIMEOUT);
            if due < now {
                // It is the namespace twice in upstream, too.
                let text = format!(
                    "Pod was expected by PDB {0}/{0} to be deleted but it wasn't",
                    budget.namespace
                );
                self.tell(About::Pod(pod.id, Some(pod.uid)), EventText::NotDeleted, &text);
                continue;
            }
            recheck = Some(recheck.map_or(due, |r: Time| r.min(due)));
            ready += i32::from(is_healthy(&pod));
            kept.insert(id, at);
        }
        (kept, ready, recheck)
    }

    fn namespace(&self, pod: &Pod) -> Rc<str> {
        self.client.api().names(|n| namespace_of(n.pod_name(pod.id)).into())
    }

    /// `getPdbForPod`: the first budget that selects a pod, which is there, or was.
    fn budget_of(&self, pod: &Pod, is_there: bool) -> Option<WorkloadId> {
        self.informers.reads_all(Resource::Budgets);
        self.catch_up(None);
        let api = self.client.api();
        let selecting = self.census.with(|c| c.budgets_of(pod, is_there, || self.namespace(pod)));
        let first = *selecting.first()?;
        if selecting.len() > 1 {
            let text = api.names(|n| {
                let (namespace, name) = n.pod_name(pod.id).split_once('/').unwrap_or_default();
                let chosen = short_name(n.workload_name(first));
                format!("Pod {namespace:?}/{name:?} matches multiple PodDisruptionBudgets.  Chose {chosen:?} arbitrarily.")
            });
            let about = About::Pod(pod.id, Some(pod.uid));
            self.tell(about, EventText::MultiplePodDisruptionBudgets, &text);
        }
        Some(first)
    }

    async fn write_status(&self, budget: &Rc<Budget>, status: BudgetStatus) -> ApiResult {
        let (about, read) = (self.client.workload_object(budget.id), budget.clone());
        let update = move |api: &ApiServer, _| api.update_budget_status(&read, status);
        self.client.call(about, update).await.map(drop)
    }

    /// `syncStalePodDisruption`
    async fn sync_stale_pod_disruption(&self, id: PodId) -> ApiResult {
        let Some(pod) = self.informers.pod(id) else { return Ok(()) };
        let Some(left) = self.stale_in(&pod) else { return Ok(()) };
        if !left.is_zero() {
            self.stale.add_after(left, id);
            return Ok(());
        }
        let now = self.client.api().timestamp();
        let condition = PodCondition::new(ConditionStatus::False, PodReason::None, now);
        let new = Pod { disruption_target: Some(condition), ..(*pod).clone() };
        self.client.update_pod_status(Rc::new(new)).await.map(|_| ())
    }

    /// How long until the condition DisruptionTarget of a pod that is not being deleted is stale;
    /// none where there is none (`nonTerminatingPodHasStaleDisruptionCondition`).
    fn stale_in(&self, pod: &Pod) -> Option<Dur> {
        let target = pod.disruption_target.filter(|c| c.status == ConditionStatus::True)?;
        if !self.switches.resets_stale_condition || pod.is_terminating() || pod.phase.is_terminal()
        {
            return None;
        }
        let due = target.last_transition_time.after(STALE_POD_DISRUPTION_TIMEOUT);
        Some(due.since(self.ctx.now()))
    }

    /// Asks the API (`getScaleController`) for the scale of the controller of that pod.
    async fn ask_for_scale(&self, (id, uid): Owner, pod: &str) -> Result<Scale, Uncounted> {
        let about = self.client.workload_object(id);
        let parse = |name: &str| name.split('/').next().and_then(WorkloadKind::parse);
        let kind = self.client.api().names(|n| parse(n.workload_name(id)));
        let kind = kind.unwrap_or(WorkloadKind::ReplicaSet);
        let has_scale = !matches!(kind, WorkloadKind::Job | WorkloadKind::DaemonSet);
        let read = move |api: &ApiServer, _| -> ApiResult<(Uid, i32)> {
            let found = api.workload(id).filter(|_| has_scale).ok_or(ApiError::NotFound)?;
            Ok((found.uid, found.replicas()))
        };
        let tells = self.switches.no_scale == NoScale::NoControllers;
        let missing = || {
            let why = format!("found no controllers for pod {pod:?}");
            Err(Uncounted { why, told: tells.then_some(EventText::NoControllers) })
        };
        match self.scales.get(about, read).await {
            Ok((found, replicas)) if found == uid => return Ok(Scale::Of(uid, replicas)),
            Ok(_) => return missing(),
            Err(ApiError::NotFound) if tells => return missing(),
            Err(ApiError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        // `implementsScale`
        self.client.call(about, |_, _| Ok(())).await?;
        if has_scale && self.switches.no_scale == NoScale::ByKind {
            return missing();
        }
        let why = format!("{} does not implement the scale subresource", kind.resource());
        Err(Uncounted { why, told: None })
    }
}

impl ResourceEventHandler<Budget> for Controller {
    fn cached(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>) {
        match (old, new) {
            (_, Some(new)) => self.census.with(|c| c.add_budget(new)),
            (Some(old), None) => self.census.with(|c| c.remove_budget(old)),
            (None, None) => {}
        }
    }

    /// `addDB`, `updateDB`, `removeDB`: the sync of one that is gone finds nothing to do.
    fn on_change(&self, old: Option<&Rc<Budget>>, new: Option<&Rc<Budget>>) {
        if let Some(budget) = new.or(old) {
            self.queue.add(budget.id);
        }
    }
}

impl ResourceEventHandler<Pod> for Controller {
    fn cached(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old) else { return };
        self.catch_up(Some((pod.id, old)));
        let namespace = || self.namespace(pod);
        self.census.with(|c| c.pod_changed(old.map(|p| &**p), new.map(|p| &**p), namespace));
    }

    /// `addPod`, `updatePod`, `deletePod`: the first budget that selects the pod (`getPdbForPod`).
    fn on_change(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let Some(pod) = new.or(old) else { return };
        if let Some(budget) = self.budget_of(pod, new.is_some()) {
            self.queue.add(budget);
        }
        if let Some(left) = new.and_then(|p| self.stale_in(p)) {
            self.stale.add_after(left, pod.id);
        }
    }
}
