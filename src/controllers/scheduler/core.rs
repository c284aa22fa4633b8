//! What the parts of the scheduler share: what it knows, its caches, and its way to the API server.

use super::algorithm::{Algorithm, Choice, Diagnosis};
use super::plugins::dynamic_resources::PodDevices;
use super::plugins::node_volume_limits::by_driver;
use super::plugins::volume_binding::PodVolumes;
use super::queue::Queue;
use crate::api::labels::LabelSelector;
use crate::api::volume::{Claim, Volume};
use crate::client::SeriesRecorder;
use crate::controllers::scheduler::prelude::*;
use crate::trace;

/// How the scheduler is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// How it chooses nodes.
    pub(crate) choice: Choice,
    /// It evicts pods of lower priority where that helps (the plugin DefaultPreemption).
    pub(crate) preemption: bool,
    /// Nodes have devices.
    pub(crate) devices: bool,
    /// It takes time to make volumes.
    pub(crate) provisions: bool,
}

/// A workload's selector as it is written and as it was read.
type Owner = (Rc<LabelSelector>, Option<Rc<Selector>>);

/// A claim whose volume is still to be made.
pub(super) type Unbound = (VolumeId, Claim);

/// What the scheduler knows.
pub(super) struct State {
    pub(super) algorithm: Algorithm,
    pub(super) queue: Queue,
    pub(super) nominator: Nominator,
}

/// The loops of the scheduler that have nothing to do.
#[derive(Default)]
pub(super) struct Parked {
    /// No pod is to be tried.
    pub(super) idle: Cell<Option<Ticket>>,
    /// No pod backs off.
    pub(super) no_backoff: Cell<Option<Ticket>>,
    /// No pod waits for a change.
    pub(super) no_leftover: Cell<Option<Ticket>>,
}

/// `retry.DefaultBackoff`: four tries, and pauses of 10, 50 and 250 ms, by chance up to a tenth longer.
const RETRY_TRIES: u32 = 4;
const RETRY_PAUSE: Dur = Dur::from_millis(10);
const RETRY_FACTOR: u64 = 5;
const RETRY_JITTER: u64 = 10;

/// What a pod's claims had before and after a change.
type ClaimChange = (Option<Rc<Allocation>>, Option<Rc<Allocation>>);

/// What the parts share.
pub(super) struct Core {
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) config: Config,
    pub(super) client: Client,
    pub(super) recorder: SeriesRecorder,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) state: Shared<State>,
    pub(super) parked: Parked,
    /// The devices of pods whose binding is under way, or has not been heard of yet (`inFlightAllocations`,
    /// `AssumeClaimAfterAPICall`).
    pub(super) in_flight: Shared<BTreeMap<Uid, Rc<Allocation>>>,
    /// The changes of claims on devices that its cache has not heard of yet.
    pub(super) claims_behind: Shared<VecDeque<ClaimChange>>,
    /// Claims that pods share, as the replies to its own writes had them (`AssumeClaimAfterAPICall`).
    pub(super) assumed_shared: Shared<BTreeMap<Rc<str>, Rc<SharedClaim>>>,
    /// The nodes that were chosen for claims without a volume, until it hears that they are bound, or given back
    /// (`AssumePodVolumes`).
    pub(super) assumed_claims: Shared<BTreeMap<VolumeId, NodeId>>,
    /// By workload.
    owners: Shared<Vec<Option<Owner>>>,
}

impl Core {
    /// That of a scheduler that knows of nothing yet.
    pub(super) fn new(config: Config, context: ControllerContext<SeriesRecorder>) -> Rc<Self> {
        let ControllerContext { ctx, group, client, informers, recorder } = context;
        let walk = ctx.draws_turns().then(|| (client.clone(), ctx.point("unschedulable-order")));
        let state = State {
            algorithm: Algorithm::new(config.choice),
            queue: Queue::walking(config.choice.switches, walk),
            nominator: Nominator::default(),
        };
        Rc::new(Core {
            state: Shared::new(state),
            parked: Parked::default(),
            in_flight: Shared::default(),
            claims_behind: Shared::default(),
            assumed_shared: Shared::default(),
            assumed_claims: Shared::default(),
            owners: Shared::default(),
            informers,
            ctx,
            config,
            client,
            recorder,
            group,
        })
    }

    /// What the release does.
    pub(super) fn switches(&self) -> &Switches {
        &self.config.choice.switches
    }

    /// The API server, for reads that cost no request: recording, names.
    pub(super) fn api(&self) -> &ApiServer {
        self.client.api()
    }

    /// What the scheduler makes of a pod's template.
    pub(super) fn shape_of(&self, pod: &Pod) -> Rc<Shape> {
        let api = self.api();
        api.names(|n| self.state.with(|s| s.algorithm.cache.shape_of(pod, || n.pod_name(pod.id))))
    }

    /// The selector of the ReplicaSet or StatefulSet that owns a pod (`helper.DefaultSelector`).
    pub(super) fn owners_selector(&self, pod: &Pod) -> Option<Rc<Selector>> {
        let (owner, _) = pod.controller()?;
        let workload = self.informers.workload(owner)?;
        if !matches!(workload.kind, WorkloadKind::ReplicaSet | WorkloadKind::StatefulSet) {
            return None;
        }
        self.owners.with(|owners| match owners.get(owner.index()) {
            Some(Some((source, selector))) if Rc::ptr_eq(source, &workload.selector) => {
                selector.clone()
            }
            _ => {
                let selector = workload.selector.as_selector().ok().map(Rc::new);
                *slot(owners, owner.index()) = Some((workload.selector.clone(), selector.clone()));
                selector
            }
        })
    }

    /// What filters have to know of a pod's volumes.
    pub(super) fn volumes_of<'a>(&'a self, pod: &'a Pod) -> Option<PodVolumes<'a>> {
        if pod.template.claims.is_empty() {
            return None;
        }
        let api = self.api();
        let exclusive = match self.switches().read_write_once_pod {
            true => api.exclusive_claims_of(pod),
            false => Vec::new(),
        };
        let mut in_use = 0;
        if !exclusive.is_empty() {
            // As the snapshot has them: with those that are assumed to be on a node.
            let users = self.state.with(|s| {
                let cache = &s.algorithm.cache;
                let nodes = cache.list().iter().filter_map(|node| cache.node(*node));
                let placed = nodes.flat_map(|info| &info.pods).map(|p| p.pod.clone());
                placed.filter(|p| !p.template.claims.is_empty()).collect::<Vec<_>>()
            });
            let used: Vec<VolumeId> =
                users.iter().flat_map(|p| api.exclusive_claims_of(p)).collect();
            in_use = exclusive.iter().filter(|c| used.contains(c)).count() as i64;
        }
        let (by_driver, ids) = (by_driver(api, pod), api.claims_of(pod));
        let reach = |(id, c): (&VolumeId, &Claim)| {
            self.volume(*id).map_or(c.reach.clone(), |v| v.reach.clone())
        };
        let reach = ids.iter().zip(&pod.template.claims).map(reach).collect();
        let unbound = self.unbound_claims(pod);
        let selected = unbound.iter().filter_map(|(id, _)| self.selected_node(*id)).collect();
        let unbound_immediate = !self.has_immediate_volumes(pod);
        let narrow = self.narrow_claims(pod);
        Some(PodVolumes {
            api,
            by_driver,
            reach,
            selected,
            narrow,
            unbound_immediate,
            exclusive,
            in_use,
        })
    }

    /// The claims of a pod whose volumes are made once a node is chosen, and not for any.
    fn narrow_claims<'a>(&self, pod: &'a Pod) -> Vec<&'a Claim> {
        let ids = self.api().claims_of(pod);
        let claims = ids.iter().zip(&pod.template.claims);
        let is_narrow = |(id, c): &(&VolumeId, &Claim)| {
            let is_made = || self.volume(**id).is_some();
            let asks = !c.allowed_topologies.is_empty() || c.storage.is_some();
            asks && !c.is_immediate() && !is_made()
        };
        claims.filter(is_narrow).map(|(_, claim)| claim).collect()
    }

    /// Whether the volumes of a pod are there that are not made for its node.
    fn has_immediate_volumes(&self, pod: &Pod) -> bool {
        let ids = self.api().claims_of(pod);
        let mut claims = ids.iter().zip(&pod.template.claims).filter(|(_, c)| c.is_immediate());
        claims.all(|(id, _)| self.volume(*id).is_some())
    }

    /// The claims of a pod whose volumes are still to be made (`unboundClaimsDelayBinding`).
    pub(super) fn unbound_claims(&self, pod: &Pod) -> Vec<Unbound> {
        let claims = &pod.template.claims;
        let is_waiting = |c: &Claim| c.provision.is_some() && !c.is_immediate();
        if !claims.iter().any(is_waiting) {
            return Vec::new();
        }
        let ids = self.api().claims_of(pod);
        let all = ids.iter().copied().zip(claims.iter().cloned());
        all.filter(|(id, c)| is_waiting(c) && self.volume(*id).is_none()).collect()
    }

    /// The volume that a claim is bound to, as far as the scheduler has heard of it.
    fn volume(&self, claim: VolumeId) -> Option<Rc<Volume>> {
        let is_assumed = self.assumed_claims.with(|all| all.contains_key(&claim));
        self.api().volume(claim).filter(|_| !is_assumed)
    }

    /// The node for which a claim's volume is being made, or is going to be.
    fn selected_node(&self, claim: VolumeId) -> Option<NodeId> {
        let assumed = self.assumed_claims.with(|all| all.get(&claim).copied());
        assumed.or_else(|| self.api().selected(claim)?.0)
    }

    /// What the filter has to know of devices, for a pod that claims some.
    pub(super) fn devices_of<'a>(&'a self, pod: &'a Pod) -> Option<PodDevices<'a>> {
        if pod.template.devices.is_empty() {
            return None;
        }
        let mut taken = self.informers.allocated_devices();
        self.in_flight.with(|all| taken.extend(all.values().flat_map(|a| a.all())));
        self.claims_behind.with_ref(|behind| {
            taken.extend(behind.iter().filter_map(|(old, _)| old.as_ref()).flat_map(|a| a.all()));
        });
        let claims = &pod.template.devices;
        let has = self.informers.allocation(pod.uid);
        let reserved =
            has.as_ref().map_or_else(|| vec![false; claims.len()], |a| a.reserved.clone());
        let own = |i: usize| Some(has.as_ref()?.devices.get(i)?.clone()).filter(|d| !d.is_empty());
        let of_others = |c: &DeviceClaim| {
            let name = c.shared.as_ref()?;
            let unheard = |(old, new): &ClaimChange| {
                old.is_none() && new.as_ref().is_some_and(|new| self.has_alone(name, new.uid))
            };
            let is_heard = self.claims_behind.with_ref(|all| !all.iter().any(unheard));
            self.informers.shared_devices(name).filter(|_| is_heard)
        };
        let allocated = |(i, c)| own(i).or_else(|| of_others(c));
        let allocated: Vec<_> = claims.iter().enumerate().map(allocated).collect();
        let is_pending = |name: &&Rc<str>| {
            let for_another = |a: &Rc<Allocation>| a.uid != pod.uid && a.of_shared(name).is_some();
            self.in_flight.with(|all| all.values().any(for_another))
        };
        let waits = claims.iter().zip(&allocated).filter(|(_, allocated)| allocated.is_none());
        let pending = waits.filter_map(|(c, _)| c.shared.as_ref()).find(is_pending).cloned();
        let shared = claims.iter().map(|c| Some(self.shared_claim(c.shared.as_ref()?))).collect();
        let (informers, whole) = (&self.informers, self.switches().whole_alternatives);
        Some(PodDevices { claims, shared, informers, whole, taken, allocated, reserved, pending })
    }

    /// Whether a claim that pods share is reserved for this life of a pod and for none else.
    pub(super) fn has_alone(&self, name: &Rc<str>, uid: Uid) -> bool {
        self.informers.reserved_for(name).iter().all(|of| of.uid == uid)
    }

    /// A claim that pods share: what the cache has, or the reply to a later write of its own.
    fn shared_claim(&self, name: &Rc<str>) -> Rc<SharedClaim> {
        let cached = self.informers.shared_claim(name);
        let assumed = self.assumed_shared.with(|all| all.get(name).cloned());
        assumed.filter(|claim| claim.version > cached.version).unwrap_or(cached)
    }

    /// Wakes the loops that have something to do since the queue changed (`activeQ.broadcast`).
    pub(super) fn broadcast(&self) {
        let due = |q: &Queue| [q.is_ready(), q.has_backoff(), q.has_unschedulable()];
        let Parked { idle, no_backoff, no_leftover } = &self.parked;
        let loops = [idle, no_backoff, no_leftover];
        for (due, parked) in self.state.with(|s| due(&s.queue)).into_iter().zip(loops) {
            if due
                && let Some(ticket) = parked.take()
                && self.ctx.claim(ticket)
            {
                self.ctx.wake(ticket);
            }
        }
    }

    /// Moves pods that a change may help, those that `check` says.
    pub(super) fn move_all_to_active_or_backoff_queue(
        &self,
        change: &Change,
        check: &dyn Fn(&QueuedPod) -> bool,
    ) {
        let at = (self.ctx.now(), self.ctx.cause());
        self.state.with(|s| {
            let cache = &s.algorithm.cache;
            s.queue.move_all_to_active_or_backoff_queue(change, check, at, cache);
        });
    }

    /// Moves pods after a change that is of no node and of no pod, those that `check` says.
    pub(super) fn move_for(&self, event: ClusterEvent, check: &dyn Fn(&QueuedPod) -> bool) {
        self.move_all_to_active_or_backoff_queue(&Change { event, ..Change::any() }, check);
        self.broadcast();
    }

    /// Records what filters said, for whoever asks why a pod is where it is not.
    pub(super) fn record_verdicts(&self, pod: PodId, diagnosis: &Diagnosis) {
        let number = self.state.with(|s| {
            let told = |r: &Rejection| trace::Rejection {
                plugin: r.plugin.as_str(),
                reason: r.reasons.join(", ").into(),
            };
            self.api().verdicts(|v| match &diagnosis.at_once {
                Some(r) => {
                    let number = v.rejection(told(r));
                    v.of_pod(number)
                }
                None => {
                    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
                    let mut number = |of: u32| {
                        *numbers.entry(of).or_insert_with(|| {
                            s.algorithm.rejections.get(of).map_or(0, |r| v.rejection(told(r)))
                        })
                    };
                    let nodes =
                        diagnosis.rejected.iter().map(|(node, of)| (*node, number(*of))).collect();
                    v.of_nodes(nodes)
                }
            })
        });
        self.client.api().record_pod(Actor::Scheduler, pod, What::PodUnplaced(number));
    }

    /// Records an event about a pod in free words.
    pub(super) fn tell(&self, pod: &Pod, text: EventText, words: &str) {
        let words = self.api().names(|n| n.text(words));
        self.recorder.event(
            About::Pod(pod.id, Some(pod.uid)),
            pod.resource_version,
            EventBody::of_words(text, words),
        );
    }

    /// Writes a pod's condition and nomination (`PatchPodStatus`, in 1.18 `UpdateStatus`); false if
    /// they were refused. A pod that is gone needs neither, and who is refused does not try again.
    pub(super) async fn write_status(
        &self,
        pod: &Pod,
        condition: Option<(&'static str, String)>,
        nominated: Option<Option<NodeId>>,
    ) -> bool {
        let by_update = self.switches().status_by_update;
        let (id, read) = (pod.id, by_update.then_some((pod.uid, pod.resource_version)));
        let write = move |api: &ApiServer, actor| {
            api.write_unscheduled(actor, id, read, condition, nominated)
        };
        self.write_retried(id, InternalErrors::StatusRetried, write).await.is_ok()
    }

    /// A write of a pod that is tried again where the API server could not do it, in the releases in which
    /// that much is (`retry.OnError(retry.DefaultBackoff, Retriable, …)`).
    pub(super) async fn write_retried<R: 'static>(
        &self,
        pod: PodId,
        if_at_least: InternalErrors,
        write: impl FnOnce(&ApiServer, Actor) -> ApiResult<R> + Clone + 'static,
    ) -> ApiResult<R> {
        let object = self.client.pod_object(pod);
        let mut pause = RETRY_PAUSE;
        for _ in 1..RETRY_TRIES {
            match self.client.call(object, write.clone()).await {
                Err(ApiError::Failing) if self.switches().internal_errors >= if_at_least => {}
                done => return done,
            }
            let most = pause.as_nanos() / RETRY_JITTER;
            let point = self.ctx.point("scheduler-retry");
            let extra = self.ctx.uniform(point, object, 0, most);
            self.ctx.sleep(pause + Dur::from_nanos(extra)).await;
            pause = pause * RETRY_FACTOR;
        }
        self.client.call(object, write).await
    }
}
