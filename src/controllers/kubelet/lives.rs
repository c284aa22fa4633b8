//! The containers of pods of whose life something is said, and what their kubelets know of them. Of all other pods nothing
//! is kept.

use super::nodes::Nodes;
use super::pods::{Due, Pods};
use super::prober::Container;
use super::said::Said;
use super::worker::{Serves, Worker, initial};
use crate::api::probe::{Life, ProbeType};
use crate::controllers::prelude::*;
use crate::kernel::Spread;
use crate::plan::KubeletMode;

/// How long after a container was started again its kubelet lists it: `genericPlegRelistPeriod`, as it does so right before.
const RELIST: Dur = Dur::from_secs(1);

/// Those containers.
pub(super) struct Lives {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    all: Shared<BTreeMap<Uid, Container>>,
    /// What was said of the containers of a pod.
    said: Shared<BTreeMap<Uid, Said>>,
    /// When the kubelet of a node was last started, if the run has seen that.
    kubelets: Shared<BTreeMap<NodeId, Time>>,
    /// What is drawn for each container.
    serves_after: PointId,
    serves_for: PointId,
    ends: PointId,
    /// When the first probe is made, where that is up to chance.
    phase: PointId,
}

impl Lives {
    /// None runs yet.
    pub(super) fn new(nodes: &Rc<Nodes>, pods: &Rc<Pods>) -> Self {
        Self {
            nodes: nodes.clone(),
            pods: pods.clone(),
            all: Shared::default(),
            said: Shared::default(),
            kubelets: Shared::default(),
            serves_after: nodes.ctx.point("container-serves-after"),
            serves_for: nodes.ctx.point("container-serves-for"),
            ends: nodes.ctx.point("container-ends"),
            phase: nodes.ctx.point("probe-phase"),
        }
    }

    /// Works on the container of one life of a pod, if there is something to know of it.
    pub(super) fn with<R>(&self, uid: Uid, f: impl FnOnce(&mut Container) -> R) -> Option<R> {
        self.all.with(|all| all.get_mut(&uid).map(f))
    }

    /// Works on what was said of the container of one life of a pod.
    pub(super) fn said<R>(&self, uid: Uid, f: impl FnOnce(&mut Said) -> R) -> R {
        self.said.with(|all| f(all.entry(uid).or_default()))
    }

    /// Whether a kubelet says of a pod whose containers run that it is ready.
    pub(super) fn is_ready(&self, uid: Uid) -> bool {
        self.with(uid, |c| c.ready).unwrap_or(true)
    }

    /// The containers of a pod start now.
    pub(super) fn started(&self, pod: &Pod, due: &Due) {
        let Some(life) = &pod.template.life else { return };
        let now = self.nodes.now();
        let (serves, ends) = self.draw(pod.id, life);
        let knows = self.with(pod.uid, |_| ()).is_some();
        let seen = match self.nodes.mode {
            KubeletMode::Real(_) if knows => now + RELIST,
            _ => now,
        };
        if !knows {
            let from = due.synced();
            let ticks = ProbeType::ALL.map(|which| self.first_tick(pod.id, due, life, which, from));
            let container = self.container(life, ticks);
            self.all.with(|all| all.insert(pod.uid, container));
        }
        self.with(pod.uid, |c| c.start(now, serves, ends, seen));
        if serves.0 > now {
            self.note(pod.id, Note::ContainerServes, 0);
        }
        self.schedule(pod.uid);
    }

    /// A container that is not started yet.
    fn container(&self, life: &Rc<Life>, ticks: [Time; 3]) -> Container {
        let tells = matches!(self.nodes.mode, KubeletMode::Real(_));
        Container { tells, ..Container::new(life.clone(), ticks) }
    }

    /// They run already, for long.
    pub(super) fn run_already(&self, pod: &Pod) {
        let Some(life) = &pod.template.life else { return };
        let now = self.nodes.now();
        let tick = |which: ProbeType| now + self.part_of_period(pod.id, life, which);
        let mut c = self.container(life, ProbeType::ALL.map(tick));
        let (serves, ends) = self.draw(pod.id, life);
        c.start(now, serves, ends, now);
        (c.seen, c.since) = (None, Time::ZERO);
        c.ready = pod.ready.is_none_or(|r| r.status != ConditionStatus::False);
        c.started = c.ready || life.probe(ProbeType::Startup).is_none();
        if c.ready {
            let serves_for = match c.serves.1 {
                Time::MAX => Dur::MAX,
                until => until.since(c.serves.0),
            };
            (c.serves, c.serving) = ((Time::ZERO, now.saturating_add(serves_for)), Some(true));
            c.workers[ProbeType::Readiness as usize].value = Some(true);
        } else if c.serving == Some(false) {
            self.note(pod.id, Note::ContainerServes, 0);
        }
        self.all.with(|all| all.insert(pod.uid, c));
        self.schedule(pod.uid);
    }

    /// Notes something of a pod, which is the reason for what follows.
    pub(super) fn note(&self, pod: PodId, note: Note, arg: u32) {
        let record = self.nodes.api.record_pod(Actor::Kubelet, pod, What::Noted(note, arg));
        self.nodes.ctx.set_cause(record);
    }

    /// When a container that starts now serves, and when it ends.
    fn draw(&self, pod: PodId, life: &Life) -> (Serves, Time) {
        let (ctx, now) = (&self.nodes.ctx, self.nodes.now());
        let object = self.pods.of_chance(pod);
        let drawn = |spread: Option<&Spread>, point, usual| {
            spread.map_or(usual, |spread| spread.draw(ctx, point, object))
        };
        let serves =
            now.saturating_add(drawn(life.serves_after.as_ref(), self.serves_after, Dur::ZERO));
        let until = drawn(life.serves_for.as_ref(), self.serves_for, Dur::MAX);
        let ends = drawn(life.ends.as_ref().map(|(after, _)| after), self.ends, Dur::MAX);
        ((serves, serves.saturating_add(until)), now.saturating_add(ends))
    }

    /// When a worker ticks first that is made then: at once, or, where its kubelet has started less than a period before
    /// or the release has it so, at some time within its period (`worker.run`).
    fn first_tick(&self, pod: PodId, due: &Due, life: &Life, which: ProbeType, made: Time) -> Time {
        let started = self.kubelets.with(|all| all.get(&due.node).copied());
        let period = life.probe(which).map_or(Dur::ZERO, |p| p.period);
        let just = started.is_some_and(|at| made.since(at) < period);
        if just || !self.nodes.switches.life.probes_at_once {
            made + self.part_of_period(pod, life, which)
        } else {
            made
        }
    }

    /// Some part of a probe's period; none of the recorder's kubelets.
    fn part_of_period(&self, pod: PodId, life: &Life, which: ProbeType) -> Dur {
        match (self.nodes.mode, life.probe(which)) {
            (KubeletMode::Real(_), Some(probe)) => {
                let most = probe.period.as_nanos().saturating_sub(1);
                let object = self.pods.of_chance(pod);
                Dur::from_nanos(self.nodes.ctx.uniform(self.phase, object, 0, most))
            }
            _ => Dur::ZERO,
        }
    }

    /// A kubelet starts, and hears of its pods then.
    pub(super) fn kubelet_starts(&self, node: NodeId, at: Time) {
        self.kubelets.with(|all| all.insert(node, at));
    }

    /// A kubelet dies: nobody probes a container of its, and none is started again.
    pub(super) fn kubelet_dies(&self, uid: Uid) {
        let now = self.nodes.now();
        self.with(uid, |c| {
            c.follow(now);
            c.watched = false;
        });
    }

    /// A kubelet that starts hears of a pod then. Up to 1.34 it takes a container as not ready until it has probed it.
    pub(super) fn taken_over(&self, pod: &Pod, hears: Time) {
        self.said.with(|all| all.remove(&pod.uid));
        let Some(life) = &pod.template.life else { return };
        let ticks = ProbeType::ALL.map(|which| hears + self.part_of_period(pod.id, life, which));
        let keeps = self.nodes.switches.life.keeps_results;
        self.with(pod.uid, |c| {
            for which in ProbeType::ALL {
                let worker = &mut c.workers[which as usize];
                let value = if keeps { worker.value } else { initial(which) };
                *worker = Worker::starting(ticks[which as usize], value);
            }
            (c.watched, c.backoff) = (true, None);
            if !c.runs {
                c.noticed = c.finished.is_none().then_some(hears);
            } else if c.seen.is_some() || !keeps {
                c.started = life.probe(ProbeType::Startup).is_none();
                c.ready &= c.started && life.probe(ProbeType::Readiness).is_none();
                c.seen = c.seen.map(|_| hears);
            }
        });
        self.schedule(pod.uid);
    }

    /// What runs of a pod runs on as another: the mirror of a static pod was created again.
    pub(super) fn goes_on_as(&self, uid: Uid, now: Uid) {
        self.all.with(|all| {
            if let Some(container) = all.remove(&uid) {
                all.insert(now, container);
            }
        });
        self.said.with(|all| {
            if let Some(said) = all.remove(&uid) {
                all.insert(now, said);
            }
        });
    }

    /// Nothing of one life of a pod is to be known any more.
    pub(super) fn forget(&self, uid: Uid) {
        self.all.with(|all| all.remove(&uid));
        self.said.with(|all| all.remove(&uid));
    }

    /// Has a pod worked on when something comes about.
    pub(super) fn schedule(&self, uid: Uid) {
        let next = self.with(uid, |c| {
            let (at, _) = c.next()?;
            (std::mem::replace(&mut c.posted, at) != at).then_some(at)
        });
        if let Some(at) = next.flatten() {
            self.pods.work_at(uid, at.max(self.nodes.now()));
        }
    }
}
