//! What is due for each pod, and who is told when it is.

use super::nodes::Nodes;
use super::prober::KILLED;
use crate::api::container::Role;
use crate::controllers::prelude::*;
use crate::kernel::Spread;
use crate::plan::KubeletMode;
use std::ops::RangeInclusive;

/// What a kubelet has to do for one life of a pod.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Due {
    pub(super) pod: PodId,
    pub(super) node: NodeId,
    /// How many lives of pods there were before it, on any node.
    pub(super) place: usize,
    /// From its binding to Running and Ready, as drawn for this start of its containers.
    pub(super) starting: Dur,
    /// How long its containers would take to stop if its grace period let them.
    pub(super) unhurried: Dur,
    pub(super) start: Time,
    /// Its volumes are not there yet, so that it does not start.
    pub(super) waits: bool,
    /// It is not known yet that its image is there, so that it does not start: `start` is when that is looked up.
    pub(super) unpulled: bool,
    /// For how long it has waited for its image.
    pub(super) pulled: Dur,
    /// When it is to have stopped; the end of time while it is not to stop.
    pub(super) stop: Time,
    pub(super) started: bool,
    /// Its containers run.
    pub(super) up: bool,
    /// They have ended by themselves, or for a probe, while it is not to end.
    pub(super) down: bool,
    /// When its kubelet lists containers after its last sync, before which probes have it synced no more.
    pub(super) listed: Time,
    /// Its kubelet heard of it before it was cut off, so that it starts its containers even so; the
    /// same of its end.
    pub(super) start_known: bool,
    pub(super) stop_known: bool,
    /// The object is gone, and containers of it still run: for how long they take to stop once
    /// their kubelet hears of it.
    pub(super) orphaned: Option<Dur>,
    /// Its kubelet died, and has not heard of it since.
    pub(super) unknown: bool,
    /// It is the mirror of a static pod, is gone, and is to be created again.
    pub(super) missing: bool,
    /// Whether its kubelet took it in.
    pub(super) admission: Admission,
    /// What is to come of it if it was not.
    pub(super) refused: Option<Refused>,
    /// Its machine stopped while its containers ran, and the runtime knows nothing of them any more.
    pub(super) forgotten: bool,
    /// They had exited with 0 by then.
    pub(super) succeeded: bool,
    /// When its kubelet finds that its containers have stopped.
    pub(super) found_stopped: Option<Time>,
    /// Its status was read, to be told that it has ended.
    pub(super) read: bool,
    /// When the pod is removed, once its phase is terminal.
    pub(super) removal: Option<Time>,
    /// Its kubelet ends it because the machine goes off, and grants its containers this time.
    pub(super) shutdown: Option<Dur>,
    /// It is to end, and waits for its turn to pull an image before that: how long it takes to stop then.
    pub(super) held: Option<Dur>,
    /// Its kubelet evicts it: when its containers have ended because of that.
    pub(super) evicted: Option<Time>,
    /// It has ended, and its containers were deleted for the sake of the disk.
    pub(super) removed: bool,
    /// Where it has several containers: which of them is started next, and how far that is.
    pub(super) turns: Turns,
}

/// How far the starts of a pod's containers are, where it has several. Places are those of the order in which they start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    /// How many there are beside the main one.
    pub(super) others: usize,
    /// How many init containers there are, which is the place of the main one.
    pub(super) main: usize,
    /// The place of the one whose image is pulled, or that starts.
    pub(super) turn: usize,
    /// One has started since the machine did.
    pub(super) begun: bool,
    /// Init containers are done.
    pub(super) initialized: bool,
    /// `SyncPod` goes on from that place on.
    pub(super) pass: Option<usize>,
    /// Once it is over the pod is synced again.
    pub(super) again: bool,
    /// Not all of them serve, which was noted.
    pub(super) idle: bool,
    /// When none of them ran any more, one of `spec.containers` had failed.
    pub(super) failed: bool,
}

impl Turns {
    /// Those of a pod that is to start, or that runs already.
    pub(super) fn of(template: &PodTemplate, runs: bool) -> Self {
        if template.containers.is_empty() {
            return Self { begun: runs, initialized: true, ..Self::default() };
        }
        let (others, main) = (template.containers.len(), template.main());
        Self { others, main, begun: runs, initialized: runs || main == 0, ..Self::default() }
    }

    /// A pod has several containers.
    pub(super) fn are_several(&self) -> bool {
        self.others > 0
    }

    /// From where `SyncPod` goes on once the container whose turn it is has been started, or could not be: while init
    /// containers are not done, there is nothing beside one of them.
    pub(super) fn next(&self) -> usize {
        if self.initialized { self.turn + 1 } else { self.others + 1 }
    }
}

/// What a kubelet made of a pod when it heard of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Admission {
    /// It has not heard of it.
    #[default]
    Open,
    /// It runs it.
    Admitted,
    /// It turned it away.
    Refused,
}

/// What is to come of a pod that its kubelet does not admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// When its status is first written.
    pub(super) tell: Time,
    /// From when on it may say that it has failed.
    pub(super) fails: Time,
    /// When the object is removed, if it is being deleted.
    pub(super) removal: Option<Time>,
    /// Its kubelet had just started.
    pub(super) at_start: bool,
}

impl Due {
    /// None of its containers is left: where there are several, they start from the first on if the pod starts again.
    pub(super) fn start_over(&mut self, now: Time, unpulled: bool) {
        let Turns { others, main, .. } = self.turns;
        if others > 0 {
            self.turns = Turns { others, main, initialized: main == 0, ..Turns::default() };
            (self.start, self.unpulled) = (now, unpulled);
        }
    }

    /// A sync of its pod, of several containers, is under way: an image is pulled, or a container is about to start.
    pub(super) fn is_synced(&self) -> bool {
        self.unpulled || self.start != Time::MAX || self.turns.pass.is_some()
    }

    /// When it starts if nothing is in its way from then on: its image comes first.
    pub(super) fn start_from(&self, at: Time) -> Time {
        if self.unpulled { at } else { at + self.starting }
    }

    /// When its sync came so far that its containers were to start.
    pub(super) fn synced(&self) -> Time {
        Time::ZERO + self.start.since(Time::ZERO + self.starting + self.pulled)
    }

    /// Moves the end of a pod that is to stop.
    pub(super) fn stop_at(&mut self, at: Time) {
        if self.stop != Time::MAX {
            self.stop = at;
        }
    }

    /// Its containers ran until its machine stopped, and are not started again (`computePodActions`). Whatever still ran
    /// then has failed.
    pub(super) fn is_over(&self, pod: &Pod) -> bool {
        let code = if self.succeeded { 0 } else { KILLED };
        self.forgotten && self.stop == Time::MAX && !pod.template.restart_policy.restarts(code)
    }
}

/// A container by its pod's life, and by its place in the order in which those of a pod start.
pub(super) type Which = (Uid, usize);

/// All of one life of a pod.
pub(super) fn of_life(uid: Uid) -> RangeInclusive<Which> {
    (uid, 0)..=(uid, usize::MAX)
}

/// What nearly all parts work on.
pub(super) type Base = (Rc<Nodes>, Rc<Pods>);

/// The lives of pods that kubelets have to do with.
pub(super) struct Pods {
    nodes: Rc<Nodes>,
    /// Works on a pod.
    worker: HandlerId<Uid>,
    /// By uid.
    due: Shared<Vec<Option<Due>>>,
    /// What containers are that were started again, and how often.
    restarts: Shared<BTreeMap<Which, (Role, u32)>>,
    /// Uids of the pods of each node, in order of arrival.
    of_nodes: Shared<Vec<Vec<Uid>>>,
    /// How many lives of pods there have been.
    lives: Cell<usize>,
}

impl Pods {
    /// None yet.
    pub(super) fn new(nodes: &Rc<Nodes>, worker: HandlerId<Uid>) -> Self {
        Self {
            nodes: nodes.clone(),
            worker,
            due: Shared::default(),
            restarts: Shared::default(),
            of_nodes: Shared::default(),
            lives: Cell::new(0),
        }
    }

    /// How long the containers of a pod take to start this time, from the pod's binding to Running
    /// and Ready. Each start of a pod of that name is a draw of its own.
    pub(super) fn draw_start(&self, pod: &Pod) -> Dur {
        self.draw_left(pod, Dur::ZERO)
    }

    /// The same of a start that has taken so long already: what is left of it.
    pub(super) fn draw_left(&self, pod: &Pod, taken: Dur) -> Dur {
        let usual = match self.nodes.mode {
            KubeletMode::Imitated(i) => i.start,
            KubeletMode::Real(real) => real.pod_start,
        };
        let left = pod.template.start.as_ref().filter(|_| !taken.is_zero());
        let left = left.map(|start| start.left_after(taken));
        let own = left.as_ref().or(pod.template.start.as_ref());
        self.drawn(self.nodes.ctx.point("pod-start"), pod, own, usual.saturating_sub(taken))
    }

    /// How long the containers of a pod would take to stop if its grace period let them.
    pub(super) fn draw_stop(&self, pod: &Pod) -> Dur {
        let usual = match self.nodes.mode {
            KubeletMode::Imitated(i) => i.stop,
            KubeletMode::Real(real) => real.pod_stop,
        };
        self.drawn(self.nodes.ctx.point("pod-stop"), pod, pod.template.stop.as_ref(), usual)
    }

    /// How long a pod takes to stop that has so many seconds of grace, or as many as its deletion gives it, or of its own.
    pub(super) fn stop_of(&self, pod: &Pod, due: &Due, given: Option<i64>) -> Dur {
        let own = pod.termination_grace_period_seconds();
        let given = given.or(pod.deletion.map(|d| d.grace_period_seconds)).unwrap_or(own);
        due.unhurried.min(self.nodes.deletion_grace_period(given, own))
    }

    fn drawn(&self, point: PointId, pod: &Pod, own: Option<&Spread>, usual: Dur) -> Dur {
        own.map_or(usual, |own| own.draw(&self.nodes.ctx, point, self.of_chance(pod.id)))
    }

    /// A pod as an object of chance.
    pub(super) fn of_chance(&self, pod: PodId) -> Object {
        Object { id: pod.0, hash: self.nodes.api.names(|n| n.pod_hash(pod)) }
    }

    /// What is due for one life of a pod.
    pub(super) fn due(&self, uid: Uid) -> Option<Due> {
        self.due.with(|d| d.get(uid.0 as usize).copied().flatten())
    }

    /// Changes what is due for one life of a pod.
    pub(super) fn with_due(&self, uid: Uid, f: impl FnOnce(&mut Due)) {
        self.due.with(|all| {
            if let Some(Some(d)) = all.get_mut(uid.0 as usize) {
                f(d);
            }
        });
    }

    /// A life of a pod begins on its node.
    pub(super) fn add(&self, uid: Uid, due: Due) {
        let node = due.node.index();
        let due = Due { place: self.lives.replace(self.lives.get() + 1), ..due };
        self.due.with(|all| {
            *slot(all, uid.0 as usize) = Some(due);
        });
        self.of_nodes.with(|all| {
            slot(all, node).push(uid);
        });
    }

    /// Nothing is due any more for one life of a pod.
    pub(super) fn forget(&self, uid: Uid, node: Option<NodeId>) {
        self.due.with(|all| {
            // A pod that was never bound may have no place here.
            if let Some(due) = all.get_mut(uid.0 as usize) {
                *due = None;
            }
        });
        self.restarts.with(|all| all.extract_if(of_life(uid), |_, _| true).for_each(drop));
        self.of_nodes.with(|all| {
            if let Some(pods) = node.and_then(|n| all.get_mut(n.index())) {
                pods.retain(|u| *u != uid);
            }
        });
    }

    /// A container of a pod is started again.
    pub(super) fn restarted(&self, pod: &Pod, place: usize) {
        let role = pod.template.beside_main(place).map_or(Role::Beside, |c| c.role);
        self.restarts.with(|all| all.entry((pod.uid, place)).or_insert((role, 0)).1 += 1);
    }

    /// Those of a pod that runs from the start were, which is told of its main one.
    pub(super) fn restarted_before(&self, pod: &Pod) {
        if pod.restarts.all > 0 {
            let restarts = (Role::Beside, pod.restarts.all);
            self.restarts.with(|all| all.insert((pod.uid, 0), restarts));
        }
    }

    /// What containers of a pod are that were started again, and how often.
    pub(super) fn restarts(&self, uid: Uid) -> Vec<(Which, (Role, u32))> {
        self.restarts.with(|all| all.range(of_life(uid)).map(|(which, n)| (*which, *n)).collect())
    }

    /// The lives of pods that a kubelet has to do with, in order of their arrival.
    pub(super) fn of_node(&self, node: NodeId) -> Vec<Uid> {
        self.of_nodes.with(|all| all.get(node.index()).cloned().unwrap_or_default())
    }

    /// The lives of pods that these kubelets have to do with; where turns are drawn, as the recorder
    /// walks them, whose kubelets share one map of all pods that ever were bound.
    pub(super) fn of_nodes(&self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<Uid> {
        let ctx = &self.nodes.ctx;
        let mut pods: Vec<Uid> = nodes.into_iter().flat_map(|n| self.of_node(n)).collect();
        if ctx.draws_turns() {
            let place = |uid: &Uid| self.due(*uid).map_or(0, |d| d.place);
            let object = |uid: &Uid| self.due(*uid).map_or(Object::NONE, |d| self.of_chance(d.pod));
            let walk = ctx.point("kubelet-pod-order");
            ctx.order_some(walk, None, self.lives.get(), &mut pods, place, object);
        }
        pods
    }

    /// The object of one life of a pod, if it is still there.
    pub(super) fn object(&self, uid: Uid, due: &Due) -> Option<Rc<Pod>> {
        self.nodes.api.pod(due.pod).filter(|p| p.uid == uid)
    }

    /// Pods of a node that are marked NotReady, though they neither have ended nor are to.
    pub(super) fn not_ready(&self, node: NodeId) -> impl Iterator<Item = Rc<Pod>> {
        let is_marked = |p: &Pod| p.ready.is_some_and(|c| c.status == ConditionStatus::False);
        let marked = move |uid| {
            let due = self.due(uid)?;
            self.object(uid, &due).filter(|p| !due.is_over(p) && p.is_active() && is_marked(p))
        };
        self.of_node(node).into_iter().filter_map(marked)
    }

    /// Says of a pod whether it is ready.
    pub(super) fn set_ready(&self, pod: &Pod, status: ConditionStatus) {
        self.nodes.api.set_pod_ready((pod.id, pod.uid), status, pod.restarts);
    }

    /// Removes the object of one life of a pod, if it is still there.
    pub(super) fn remove(&self, pod: PodId, uid: Uid) {
        let api = &self.nodes.api;
        let _ = api.delete_pod(Actor::Kubelet, pod, Some(0), Some(uid));
    }

    /// Has a pod worked on after a delay.
    pub(super) fn work_in(&self, uid: Uid, delay: Dur) {
        let ctx = &self.nodes.ctx;
        ctx.post_in(ctx.lane(delay, Class::Source), self.worker, uid);
    }

    /// Has a pod worked on at a time that no constant delay gives.
    pub(super) fn work_at(&self, uid: Uid, at: Time) {
        self.nodes.ctx.post_at(at, Class::Source, self.worker, uid);
    }
}
