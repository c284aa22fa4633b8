//! The scheduler's configuration and state.

use super::algorithm::{Algorithm, Choice};
use super::events::PodAndShape;
use super::nominator::Nominator;
use super::queue::Queue;
use super::shape::Shape;
use crate::api::labels::{LabelSelector, Selector};
use crate::api::names::{NodeId, PodId};
use crate::api::pod::Pod;
use crate::api::workload::WorkloadKind;
use crate::client::{Client, InformerFactory, SeriesRecorder};
use crate::kernel::{Ctx, Group, Object, PointId, Shared, Ticket, Time};
use crate::plan::Waited;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

/// How the scheduler is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// How it chooses nodes.
    pub choice: Choice,
    /// It evicts pods of lower priority where that helps (the plugin DefaultPreemption).
    pub preemption: bool,
}

/// What becomes of a pod's nomination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nomination {
    /// It stays.
    Keep,
    /// It becomes this one, or none.
    Set(Option<NodeId>),
}

/// A workload's selector as it is written and as it was read.
type Owner = (Rc<LabelSelector>, Option<Rc<Selector>>);

/// What the scheduler knows.
pub(super) struct State {
    pub(super) algorithm: Algorithm,
    pub(super) queue: Queue,
    pub(super) nominator: Nominator,
}

/// A pod on a node before and after a change.
type BoundChange = (Option<PodAndShape>, Option<PodAndShape>);

/// The scheduler.
pub(crate) struct Controller {
    pub(super) me: Weak<Controller>,
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) config: Config,
    pub(super) client: Client,
    pub(super) recorder: SeriesRecorder,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) state: Shared<State>,
    /// By workload.
    pub(super) owners: Shared<Vec<Option<Owner>>>,
    /// Pods that were tried before the start, until the caches are filled.
    pub(super) waits: Shared<BTreeMap<PodId, Waited>>,
    /// A tick of both flushers; all others lie a multiple of their period before or after it.
    pub(super) ticks_at: Cell<Time>,
    pub(super) idle: Cell<Option<Ticket>>,
    pub(super) no_backoff: Cell<Option<Ticket>>,
    pub(super) no_leftover: Cell<Option<Ticket>>,
    pub(super) tie_point: PointId,
    /// The order in which the goroutines that look at nodes finish.
    pub(super) feasible_point: PointId,
    pub(super) offset_point: PointId,
    pub(super) phase_point: PointId,
    pub(super) candidate_point: PointId,
    /// Informers deliver while a pod is being scheduled: before it is taken from the queue, before
    /// nodes are looked at, and before a pod that no node takes is given back.
    pub(super) cycle_points: [PointId; 3],
    /// A failed pod is read again before its condition is written, not after it.
    pub(super) requeue_point: PointId,
    /// Changes of pods on nodes that the cache has not heard of yet.
    pub(super) behind: Shared<VecDeque<BoundChange>>,
    pub(super) behind_point: PointId,
}

impl Controller {
    /// A scheduler that hears of nodes and pods but does not run yet.
    pub(crate) fn new(
        config: Config,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: SeriesRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let state = State {
            algorithm: Algorithm::new(config.choice),
            queue: Queue::new(config.choice.switches),
            nominator: Nominator::default(),
        };
        let controller = Rc::new_cyclic(|me| Controller {
            me: me.clone(),
            state: Shared::new(state),
            owners: Shared::new(Vec::new()),
            waits: Shared::new(BTreeMap::new()),
            ticks_at: Cell::new(ctx.now()),
            idle: Cell::new(None),
            no_backoff: Cell::new(None),
            no_leftover: Cell::new(None),
            tie_point: ctx.point("equal-nodes"),
            feasible_point: ctx.point("feasible-nodes"),
            offset_point: ctx.point("preemption-offset"),
            phase_point: ctx.point("scheduler-flush-phase"),
            candidate_point: ctx.point("equal-candidates"),
            cycle_points: ["scheduling-pop", "scheduling-cycle", "scheduling-failure"]
                .map(|name| ctx.point(name)),
            requeue_point: ctx.point("scheduling-requeue"),
            behind: Shared::new(VecDeque::new()),
            behind_point: ctx.point("scheduler-cache-behind"),
            informers: informers.clone(),
            config,
            client,
            recorder,
            group,
            ctx,
        });
        informers.on_node(controller.clone());
        informers.on_pod(controller.clone());
        controller
    }

    /// What the scheduler makes of a pod's template.
    pub(super) fn shape_of(&self, pod: &Pod) -> Rc<Shape> {
        let api = self.client.api();
        api.names(|n| {
            self.state
                .with(|s| s.algorithm.cache.shape_of(pod, || n.pod_name(pod.id)))
        })
    }

    /// The selector of the ReplicaSet or StatefulSet that owns a pod (`helper.DefaultSelector`).
    pub(super) fn owners_selector(&self, pod: &Pod) -> Option<Rc<Selector>> {
        let (owner, _) = pod.controller()?;
        let workload = self.informers.workload(owner)?;
        if !matches!(
            workload.kind,
            WorkloadKind::ReplicaSet | WorkloadKind::StatefulSet
        ) {
            return None;
        }
        self.owners.with(|owners| match owners.get(owner.index()) {
            Some(Some((source, selector))) if Rc::ptr_eq(source, &workload.selector) => {
                selector.clone()
            }
            _ => {
                let selector = workload.selector.as_selector().ok().map(Rc::new);
                if owners.len() <= owner.index() {
                    owners.resize(owner.index() + 1, None);
                }
                owners[owner.index()] = Some((workload.selector.clone(), selector.clone()));
                selector
            }
        })
    }

    /// A pod as an object of chance.
    pub(super) fn pod_object(&self, pod: PodId) -> Object {
        Object {
            id: pod.0,
            hash: self.client.api().names(|n| n.pod_hash(pod)),
        }
    }
}
