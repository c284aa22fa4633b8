//! One pod's attempt (`schedule_one.go: ScheduleOne`), and its binding; with volumes that are made
//! once a node is chosen for a pod, which is bound afterwards (`plugins/volumebinding/binder.go`).
//!
//! Left out: what the controller that binds claims writes meanwhile, each of which wakes pods that wait for the
//! claim, and a look at the annotation, which goes only where the node is gone.

use super::algorithm::{Incoming, Outcome, Tied};
use super::core::{Core, Unbound};
use super::failure::{FailureHandler, UNSCHEDULABLE};
use super::handlers::Handlers;
use super::nominator::Nomination;
use super::plugins::dynamic_resources::Reservation;
use super::text::NO_NODES;
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::BindErrorText;

/// How often it looks whether they are there.
const POLL_PERIOD: Dur = Dur::from_secs(1);
/// How long it does (`VolumeBindingArgs`, `bindTimeoutSeconds`).
const BIND_TIMEOUT: Dur = Dur::from_secs(600);
/// `wait.ErrWaitTimeout`
const TIMED_OUT: &str = "timed out waiting for the condition";

/// A reason of the condition PodScheduled.
const SCHEDULER_ERROR: &str = "SchedulerError";
/// In so many of 1,000 searches the third node is found before the second, by another of the sixteen
/// goroutines: recordings of `scheduler-node-names`, 37 of 165 searches in which that shows.
const OVERTAKEN: u32 = 225;
/// In so many of 1,000 the second is found before the first where devices are allocated on each, which takes long enough
/// for another processor: recordings of `device-shared-at-once`, 48 of 120 runs of 1.36 and 1.37.
const OVERTAKEN_ALLOCATING: u32 = 400;
/// In so many of 1,000 the third is found before the second where the first will not do: recordings of
/// `device-shared-statefulset`, 5 of 120 runs of 1.36 and 1.37.
const OVERTAKEN_LATER: u32 = 42;

/// Tries of a write of a claim that meets a conflict, and the sleep between them with its jitter
/// (`retry.DefaultRetry`).
const CLAIM_TRIES: u32 = 5;
const CLAIM_SLEEP: Dur = Dur::from_millis(10);
const CLAIM_JITTER: Dur = Dur::from_millis(1);

/// What the API server finds in a claim that is reserved and not allocated (`ValidateResourceClaimStatusUpdate`).
const NOT_ALLOCATED: &str =
    "status.reservedFor: Forbidden: may not be specified when `allocated` is not set";
/// And in one that is reserved for more than may share it.
const TOO_MANY: &str = "status.reservedFor: Too many: 257: must have at most 256 items";

/// In so many of 1,000 failed bindings the next pod is taken from the queue before the failed one is given back to
/// it: recordings of `reject-scheduler-lat`, 20 of 60 runs of 1.28.
const NEXT_POPPED_FIRST: u32 = 333;

/// Tries one pod after the other.
pub(super) struct ScheduleOne {
    core: Rc<Core>,
    handlers: Rc<Handlers>,
    failures: Rc<FailureHandler>,
}

impl ScheduleOne {
    /// One that has tried no pod yet.
    pub(super) fn new(core: &Rc<Core>, handlers: &Rc<Handlers>) -> Rc<Self> {
        Rc::new(ScheduleOne {
            failures: FailureHandler::new(core),
            handlers: handlers.clone(),
            core: core.clone(),
        })
    }

    /// Which of equal nodes a pod gets.
    fn pick(&self, pod: Object, has_devices: bool, tied: Tied) -> u32 {
        let ctx = &self.core.ctx;
        match tied {
            Tied::Overtaken(nodes, first_fits) => {
                let allocating = if first_fits { OVERTAKEN_ALLOCATING } else { OVERTAKEN_LATER };
                let (odds, place) = if has_devices { (allocating, 1) } else { (OVERTAKEN, 2) };
                let may_be = ctx.draws_turns() && place < nodes;
                let point = ctx.point("feasible-overtaken");
                if may_be && ctx.yields(point, pod, odds) { place } else { 0 }
            }
            Tied::ByLot(nodes) => ctx.choose(ctx.point("equal-nodes"), pod, nodes),
            Tied::InHeap(_) if !ctx.is_choosing() => 0,
            Tied::InHeap(nodes) => {
                let mut places: Vec<u32> = (0..nodes).collect();
                ctx.order_ties(ctx.point("feasible-nodes"), &mut places, |place| Object {
                    id: *place,
                    hash: u64::from(*place) + 1,
                });
                places[0]
            }
        }
    }

    /// Tries one pod (`ScheduleOne`): the scheduling cycle, and the binding cycle beside what
    /// follows.
    pub(super) async fn schedule_one(self: &Rc<Self>, entry: QueuedPod) {
        let pod = entry.pod.clone();
        // Informers deliver before nodes are looked at.
        self.core.ctx.yield_point(self.core.ctx.point("scheduling-cycle"), 0).await;
        self.core.ctx.set_cause(entry.cause);
        self.core.ctx.set_saw(pod.record);
        if pod.is_terminating() {
            let name = self.core.api().names(|n| n.pod_name(pod.id).to_owned());
            let words = format!("skip schedule deleting pod: {name}");
            self.core.tell(&pod, EventText::FailedScheduling, &words);
        }
        if pod.is_terminating() || self.core.state.with(|s| s.algorithm.cache.is_assumed(pod.id)) {
            return self.core.state.with(|s| s.queue.done(pod.id));
        }
        let owners = self.core.owners_selector(&pod);
        let (volumes, devices) = (self.core.volumes_of(&pod), self.core.devices_of(&pod));
        let unbound = self.core.unbound_claims(&pod);
        let object = self.core.client.pod_object(pod.id);
        let outcome = self.core.state.with(|s| {
            let (owners, volumes) = (owners.as_ref(), volumes.as_ref());
            let (pod, shape) = (&pod, &entry.shape);
            let of = Incoming { pod, shape, owners, volumes, devices: devices.as_ref() };
            let pick = &mut |tied| self.pick(object, devices.is_some(), tied);
            s.algorithm.schedule_pod(of, &s.nominator, pick)
        });
        match outcome {
            Outcome::Fits(node) => {
                let seen = self.core.state.with_ref(|s| s.algorithm.cache.node(node)?.node.clone());
                seen.iter().for_each(|node| self.core.ctx.decides(object, node.record));
                // A pod and its successor go by one number here, so that the one has to leave the
                // cache before the other enters.
                self.handlers.catch_up();
                self.core.state.with(|s| {
                    s.algorithm.cache.assume(&pod, &entry.shape, node);
                    s.nominator.remove(pod.id);
                    s.queue.done(pod.id);
                });
                let reservation = devices.and_then(|d| d.reserve(&pod, node));
                let pending = reservation.as_ref().and_then(Reservation::pending);
                self.core.in_flight.with(|all| all.extend(pending.map(|new| (pod.uid, new))));
                let chosen = unbound.iter().map(|(id, _)| (*id, node));
                self.core.assumed_claims.with(|all| all.extend(chosen));
                let c = self.clone();
                self.core.ctx.spawn(self.core.group, async move {
                    c.binding_cycle(entry, node, unbound, reservation).await;
                });
            }
            Outcome::NoNodes => {
                let (message, none) = (NO_NODES.to_owned(), Nomination::Set(None));
                self.failures.handle_scheduling_failure(entry, UNSCHEDULABLE, message, none).await
            }
            Outcome::Unfit(diagnosis) => {
                self.failures.run_post_filter(entry, *diagnosis, owners).await
            }
        }
    }

    /// `PreBind` of DynamicResources: each claim that is not reserved gets its finalizer, and then its devices; or why not.
    async fn allocate(&self, reservation: &mut Reservation) -> Result<(), String> {
        let why = |why| format!("running PreBind plugin \"DynamicResources\": {why}");
        let Reservation { allocation, had, reserved } = reservation;
        for (claim, shared) in allocation.shared.iter().enumerate() {
            if reserved[claim] {
                continue;
            }
            let of = (&*allocation, claim);
            if let Some(read) = shared {
                self.bind_shared(of, read.clone()).await.map_err(why)?;
            } else {
                let bound = self.write_claim(of, None, !had[claim]).await;
                let name = || self.core.api().claim_name(allocation.pod, claim);
                bound.map_err(|(what, error)| why(refused(&what, &name(), error)))?;
            }
            reserved[claim] = true;
        }
        Ok(())
    }

    /// `bindClaim` of one that pods share. On a conflict it is read again, and written again if it is still as the pod needs
    /// it.
    async fn bind_shared(
        &self,
        of: (&Rc<Allocation>, usize),
        mut read: Rc<SharedClaim>,
    ) -> Result<(), String> {
        let (core, name, allocates) = (&self.core, read.name.clone(), !read.is_allocated);
        let about = core.client.pod_object(of.0.pod);
        let mut tries = 1..CLAIM_TRIES;
        let looks = self.core.switches().deallocated_text;
        while allocates != read.is_allocated || !allocates && !looks {
            let is_lost = !allocates && !read.is_allocated;
            match self.write_claim(of, Some(read), allocates).await {
                Ok(written) => {
                    core.assumed_shared.with(|all| all.extend(written.map(|claim| (name, claim))));
                    return Ok(());
                }
                Err((_, ApiError::Conflict)) if tries.next().is_some() => {}
                Err((what, ApiError::Invalid)) => {
                    let object = format!("ResourceClaim.resource.k8s.io {:?}", short_name(&name));
                    let found = if is_lost { NOT_ALLOCATED } else { TOO_MANY };
                    return Err(format!("{what} claim {name}: {object} is invalid: {found}"));
                }
                Err((what, error)) => return Err(refused(&what, &name, error)),
            }
            let point = core.ctx.point("scheduler-retry");
            let extra = core.ctx.uniform(point, about, 0, CLAIM_JITTER.as_nanos() - 1);
            core.ctx.sleep(CLAIM_SLEEP + Dur::from_nanos(extra)).await;
            let of = name.clone();
            let latest = core.client.get(about, move |api, _| Ok(api.shared_claim(&of))).await;
            read = latest.map_err(|e| format!("get updated claim {name} after conflict: {e}"))?;
        }
        let was = if allocates { "allocated" } else { "deallocated" };
        Err(format!("claim {name} got {was} elsewhere in the meantime"))
    }

    /// A claim gets its finalizer where it is to be allocated and has none, and then its devices; or which of the two failed.
    async fn write_claim(
        &self,
        (allocation, claim): (&Rc<Allocation>, usize),
        mut read: Option<Rc<SharedClaim>>,
        allocates: bool,
    ) -> Result<Option<Rc<SharedClaim>>, (String, ApiError)> {
        let (client, id, allocation) = (&self.core.client, allocation.pod, allocation.clone());
        let (about, of) = (client.pod_object(id), (allocation.uid, claim));
        let has_finalizer = match &read {
            None => client.api().has_finalizer(of),
            Some(read) => read.has_finalizer,
        };
        if allocates && !has_finalizer {
            let update = move |api: &ApiServer, _| match &read {
                None => api.finalize_own_claim(id, of).map(|()| None),
                Some(read) => api.finalize_claim(read, true).map(Some),
            };
            read = client.call(about, update).await.map_err(|e| ("add finalizer to".into(), e))?;
        }
        let both = if allocates { "allocation and " } else { "" };
        let update = move |api: &ApiServer, by| {
            api.allocate_devices(by, (&allocation, claim), (read.as_deref(), allocates))
        };
        client.call(about, update).await.map_err(|e| (format!("add {both}reservation to"), e))
    }

    /// Binds a pod to the node that it was placed on (`bindingCycle`), once it has its volumes and
    /// its devices.
    async fn binding_cycle(
        &self,
        entry: QueuedPod,
        node: NodeId,
        unbound: Vec<Unbound>,
        mut reservation: Option<Reservation>,
    ) {
        let (id, uid) = (entry.pod.id, entry.pod.uid);
        let waits = reservation.is_some() || !unbound.is_empty();
        if waits && self.core.switches().nominates_expected {
            self.core.write_status(&entry.pod, None, Some(Some(node))).await;
        }
        if let Err(why) = bind_pod_volumes(&self.core, &entry.pod, node, unbound).await {
            self.core.in_flight.with(|all| all.remove(&uid));
            let message = format!("running PreBind plugin \"VolumeBinding\": {why}");
            return self.unreserve(entry, reservation, message).await;
        }
        if let Some(of) = &mut reservation
            && let Err(message) = self.allocate(of).await
        {
            self.core.in_flight.with(|all| all.remove(&uid));
            return self.unreserve(entry, reservation, message).await;
        }
        let asked = self.core.switches().binds_by_uid.then_some(uid);
        let bind = move |api: &ApiServer, actor| api.bind_pod(actor, id, asked, node);
        let bound = self.core.write_retried(id, InternalErrors::BindingRetried, bind).await;
        let Err(error) = bound else {
            let (about, version) = (About::Pod(id, Some(uid)), entry.pod.resource_version);
            let body = EventBody::of_node(EventText::Scheduled, node);
            return self.core.recorder.event(about, version, body);
        };
        let why = self.why_not_bound(&entry.pod, asked, error);
        let message = match self.core.switches().bind_error_text {
            BindErrorText::Plugin => {
                let name = self.core.api().names(|n| n.pod_name(id).to_owned());
                format!(
                    "Binding rejected: plugin \"DefaultBinder\" failed to bind pod {name:?}: {why}"
                )
            }
            BindErrorText::Rejected => {
                format!("binding rejected: running Bind plugin \"DefaultBinder\": {why}")
            }
            BindErrorText::Running => format!("running Bind plugin \"DefaultBinder\": {why}"),
        };
        self.unreserve(entry, reservation, message).await;
    }

    /// Takes back what was assumed of a pod whose binding failed, and the reservations of its claims, each by a PATCH
    /// (`DynamicResources.Unreserve`).
    async fn unreserve(&self, entry: QueuedPod, reservation: Option<Reservation>, message: String) {
        let (id, uid) = (entry.pod.id, entry.pod.uid);
        let reserved = reservation.map_or_else(Vec::new, |of| of.reserved);
        for (claim, _) in reserved.into_iter().enumerate().filter(|(_, is_reserved)| *is_reserved) {
            let about = self.core.client.pod_object(id);
            let patch = move |api: &ApiServer, by| api.unreserve(by, (uid, claim));
            // What could not be taken back is reserved when the pod is tried again.
            let Ok(left) = self.core.client.call(about, patch).await else { continue };
            self.core.in_flight.with(|all| match (all.contains_key(&uid), left) {
                (true, Some(left)) => drop(all.insert(uid, left)),
                _ => drop(all.remove(&uid)),
            });
        }
        self.core.state.with(|s| s.algorithm.cache.forget(&entry.pod));
        if self.core.switches().failed_binding_moves_pods {
            let forgotten = (entry.pod.clone(), entry.shape.clone());
            let change = Change::of_pod(ClusterEvent::PodDelete, Some(forgotten), None);
            self.core.move_all_to_active_or_backoff_queue(&change, &|e| e.pod.id != id);
        }
        self.core.broadcast();
        let point = self.core.ctx.point("scheduling-unreserve");
        self.core.ctx.yield_point(point, NEXT_POPPED_FIRST).await;
        let none = Nomination::Set(None);
        self.failures.handle_scheduling_failure(entry, SCHEDULER_ERROR, message, none).await;
    }

    /// What upstream prints of a binding that the API server refused.
    fn why_not_bound(&self, pod: &Pod, asked: Option<Uid>, error: ApiError) -> String {
        let (id, uid) = (pod.id, pod.uid);
        let name = self.core.api().names(|n| short_name(n.pod_name(id)).to_owned());
        match error {
            ApiError::NotFound => format!("pods {name:?} not found"),
            ApiError::Rejected | ApiError::Failing | ApiError::TimedOut => {
                error.of(&format!("post pods {name}"))
            }
            ApiError::Unavailable => error.to_string(),
            _ => {
                let (kind, why) = match self.core.api().pod(id) {
                    Some(p) if asked.is_some_and(|uid| uid != p.uid) => {
                        let key = self.core.api().names(|n| n.pod_name(id).to_owned());
                        let why = format!(
                            "StorageError: invalid object, Code: 4, Key: /registry/pods/{key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                            p.uid
                        );
                        ("pods", why)
                    }
                    Some(p) if p.is_terminating() => (
                        "pods/binding",
                        format!("pod {name} is being deleted, cannot be assigned to a host"),
                    ),
                    Some(p) if !p.template.gates().is_empty() => {
                        ("pods/binding", format!("pod {name} has non-empty .spec.schedulingGates"))
                    }
                    _ => ("pods/binding", format!("pod {name} is already assigned to a node")),
                };
                format!("Operation cannot be fulfilled on {kind} {name:?}: {why}")
            }
        }
    }
}

/// What upstream prints of a write to a claim that the API server refused.
fn refused(what: &str, name: &str, error: ApiError) -> String {
    let short = short_name(name);
    let why = match error {
        ApiError::NotFound => format!("resourceclaims.resource.k8s.io {short:?} not found"),
        error => error.of(&format!("put resourceclaims.resource.k8s.io {short}")),
    };
    format!("{what} claim {name}: {why}")
}

/// Has the volumes made for a node, and waits for them; if that is of no use any more, why
/// (`BindPodVolumes`).
pub(super) async fn bind_pod_volumes(
    core: &Core,
    pod: &Pod,
    node: NodeId,
    unbound: Vec<Unbound>,
) -> Result<(), String> {
    if unbound.is_empty() {
        return Ok(());
    }
    let about = core.client.pod_object(pod.id);
    let ids: Vec<VolumeId> = unbound.iter().map(|(id, _)| *id).collect();
    let mut asked = Ok(());
    for (id, claim) in unbound {
        let select = move |api: &ApiServer, actor| api.select_node(actor, id, &claim, node);
        asked = core.client.call(about, select).await;
        if asked.is_err() {
            break;
        }
    }
    if asked.is_err() {
        core.assumed_claims.with(|all| ids.iter().for_each(|id| _ = all.remove(id)));
    }
    asked.map_err(|error| error.of("put persistentvolumeclaims"))?;
    let deadline = core.ctx.now() + BIND_TIMEOUT;
    loop {
        core.ctx.sleep(POLL_PERIOD).await;
        let is_late = core.ctx.now() >= deadline;
        let found = match is_late && core.switches().waits_by_context {
            true => Err("context deadline exceeded".to_owned()),
            false => check_bindings(core, pod, node, &ids),
        };
        match found {
            Ok(false) if !is_late => {}
            Ok(true) => return Ok(()),
            Ok(false) => return Err(format!("binding volumes: {TIMED_OUT}")),
            Err(why) => return Err(format!("binding volumes: {why}")),
        }
    }
}

/// Whether all volumes are there (`checkBindings`).
fn check_bindings(core: &Core, pod: &Pod, node: NodeId, ids: &[VolumeId]) -> Result<bool, String> {
    let api = core.api();
    if !core.informers.has_node(node) {
        let name = api.names(|n| n.node_name(node).to_owned());
        return Err(format!("failed to get node {name:?}: node {name:?} not found"));
    }
    if core.informers.pod(pod.id).is_none() {
        let name = api.names(|n| short_name(n.pod_name(pod.id)).to_owned());
        return Err(format!("pod does not exist any more: pod {name:?} not found"));
    }
    let Some(id) = ids.iter().find(|id| api.volume(**id).is_none()) else { return Ok(true) };
    if api.selected(*id).and_then(|(selected, ..)| selected) == Some(node) {
        return Ok(false);
    }
    // Its provisioner has taken the annotation off.
    let name = api.names(|n| short_name(n.text_of(*id)).to_owned());
    Err(format!("provisioning failed for PVC {name:?}"))
}
