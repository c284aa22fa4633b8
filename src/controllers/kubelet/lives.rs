//! The containers of pods of whose life something is said, what their kubelets know of them, and what their recorders have said.
//! Of all other pods nothing is kept.
//!
//! A kubelet says of a pod's container in events: that a probe has failed (`prober.go: probe`), that the container is
//! killed for that (`kuberuntime_manager.go: computePodActions`) and that it is not started again yet (`doBackOff`), v1.37; and
//! of its image (`images`).
//!
//! What a probe prints is not known here: the texts are those of a command that prints nothing. What does not arrive is lost;
//! upstream tries again for two minutes.

use super::prober::Container;
use super::worker::{Serves, Worker, initial};
use crate::api::probe::{Life, ProbeType};
use crate::client::Correlator;
use crate::controllers::kubelet::prelude::*;
use crate::kernel::Spread;

/// How long after a container was started again its kubelet lists it: `genericPlegRelistPeriod`, as it does so right before.
pub(super) const RELIST: Dur = Dur::from_secs(1);

/// What was said of the container of a pod, or of a node. Each kubelet has a recorder of its own, and a pod one kubelet.
pub(super) struct Said {
    correlator: Correlator,
    last: Time,
}

impl Default for Said {
    fn default() -> Self {
        Self { correlator: Correlator::new(), last: Time::ZERO }
    }
}

impl Said {
    /// The name of an event and how often it came, unless it is one too many. No two that are made have one time, as
    /// the clock goes on between them.
    pub(super) fn correlate(
        &mut self,
        about: About,
        body: EventBody,
        now: Time,
    ) -> Option<(EventName, u32)> {
        self.last = now.max(self.last + Dur::from_nanos(1));
        let told = self.correlator.correlate(about, body, self.last, now)?;
        Some((told.name, told.count))
    }
}

/// Those containers.
pub(super) struct Lives {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    all: Shared<BTreeMap<Uid, Container>>,
    /// What was said of the containers of a pod.
    said: Shared<BTreeMap<Uid, Said>>,
}

impl Lives {
    /// None runs yet.
    pub(super) fn new((nodes, pods): Base) -> Self {
        Self { nodes, pods, all: Shared::default(), said: Shared::default() }
    }

    /// Works on the container of one life of a pod, if there is something to know of it.
    pub(super) fn with<R>(&self, uid: Uid, f: impl FnOnce(&mut Container) -> R) -> Option<R> {
        self.all.with(|all| all.get_mut(&uid).map(f))
    }

    /// Whether a kubelet says of a pod whose containers run that it is ready.
    pub(super) fn is_ready(&self, uid: Uid) -> bool {
        self.with(uid, |c| c.ready).unwrap_or(true)
    }

    /// The containers of a pod start now.
    pub(super) fn started(&self, pod: &Pod, due: &Due) {
        let Some(life) = &pod.template.life else { return };
        let now = self.nodes.now();
        let (serves, ends) = self.draw(pod.id, life, Dur::ZERO);
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
        let tells = self.nodes.real().is_some();
        Container { tells, ..Container::new(life.clone(), self.nodes.switches.life, ticks) }
    }

    /// They run already, for long.
    pub(super) fn run_already(&self, pod: &Pod) {
        let Some(life) = &pod.template.life else { return };
        let now = self.nodes.now();
        let tick = |which: ProbeType| now + self.part_of_period(pod.id, life, which);
        let mut c = self.container(life, ProbeType::ALL.map(tick));
        let (serves, ends) = self.draw(pod.id, life, life.ran);
        c.start(now, serves, ends, now);
        (c.seen, c.since) = (None, Time::ZERO);
        c.ready = pod.ready.is_none_or(|r| r.status != ConditionStatus::False);
        c.said_ready = c.ready;
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
    fn draw(&self, pod: PodId, life: &Life, ran: Dur) -> (Serves, Time) {
        let (ctx, now) = (&self.nodes.ctx, self.nodes.now());
        let object = self.pods.of_chance(pod);
        let drawn = |point, spread: Option<&Spread>, unsaid: Dur| {
            spread.map_or(unsaid, |s| s.draw(ctx, point, object))
        };
        let serves =
            drawn(ctx.point("container-serves-after"), life.serves_after.as_ref(), Dur::ZERO);
        let serves = now.saturating_add(serves);
        let until = drawn(ctx.point("container-serves-for"), life.serves_for.as_ref(), Dur::MAX);
        let ends = life.ends.as_ref().map(|(after, _)| after);
        let left = ends.filter(|_| !ran.is_zero()).map(|after| after.left_after(ran));
        let ends = drawn(ctx.point("container-ends"), left.as_ref().or(ends), Dur::MAX);
        ((serves, serves.saturating_add(until)), now.saturating_add(ends))
    }

    /// When a worker ticks first that is made then: at once, or, where its kubelet has started less than a period before
    /// or the release has it so, at some time within its period (`worker.run`).
    fn first_tick(&self, pod: PodId, due: &Due, life: &Life, which: ProbeType, made: Time) -> Time {
        let started = self.nodes.with(due.node, |k| k.began).flatten();
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
                let (ctx, object) = (&self.nodes.ctx, self.pods.of_chance(pod));
                let most = probe.period.as_nanos().saturating_sub(1);
                Dur::from_nanos(ctx.uniform(ctx.point("probe-phase"), object, 0, most))
            }
            _ => Dur::ZERO,
        }
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
        self.all.with(|all| all.remove(&uid).and_then(|container| all.insert(now, container)));
        self.said.with(|all| all.remove(&uid).and_then(|said| all.insert(now, said)));
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

    /// Says something of a pod's container. Kubelets of the recorder say nothing of it.
    pub(super) fn say(&self, uid: Uid, due: &Due, text: EventText, words: &str) {
        let nodes = &self.nodes;
        let KubeletMode::Real(_) = nodes.mode else { return };
        let body = EventBody::of_words(text, nodes.api.names(|n| n.text(words)));
        let about = About::Pod(due.pod, Some(uid));
        let said =
            self.said.with(|all| all.entry(uid).or_default().correlate(about, body, nodes.now()));
        let Some((name, count)) = said.filter(|_| nodes.is_heard(due.node)) else { return };
        nodes.say_again(name, Message { body, combined: false, count });
    }

    /// Says of the probes that have failed since this was said last that they have.
    pub(super) fn say_failures(&self, uid: Uid, due: &Due) {
        let failed = self.with(uid, |c| std::mem::take(&mut c.failed)).unwrap_or_default();
        for which in failed {
            let probe = ["Liveness", "Readiness", "Startup"][which as usize];
            self.say(uid, due, EventText::Unhealthy, &format!("{probe} probe failed: "));
        }
    }

    /// Says that the container is killed because a probe has failed.
    pub(super) fn say_killing(&self, uid: Uid, due: &Due, which: ProbeType, restarts: bool) {
        let then = if restarts { ", will be restarted" } else { "" };
        let words = format!("Container main failed {} probe{then}", which.as_str());
        self.say(uid, due, EventText::Killing, &words);
    }

    /// Says that the container is not started again yet.
    pub(super) fn say_back_off(&self, uid: Uid, due: &Due) {
        let mut words = "Back-off restarting failed container".to_owned();
        if self.nodes.switches.life.back_off_says_which {
            let full = self.nodes.api.names(|n| n.pod_name(due.pod).to_owned());
            let (namespace, name) = full.split_once('/').unwrap_or(("default", &full));
            words += &format!(" main in pod {name}_{namespace}({})", uid.0);
        }
        self.say(uid, due, EventText::BackOff, &words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: About = About::Pod(PodId(3), Some(Uid(7)));

    /// The bucket of 25 is refilled at a rate of one in 300 s (`defaultSpamBurst`, `defaultSpamQPS`): of an event each ten
    /// seconds the 25 from 10 to 250 s go through, as less than one comes in meanwhile (240 / 300). At 310 s it has
    /// 24 + 1 - 25 + 300 / 300: what came in since the first was taken at 10 s. Then one goes each 300 s; all are counted.
    #[test]
    fn of_many_events_few_are_let_through() {
        let mut said = Said::default();
        let words = |n| EventBody::of_words(EventText::Unhealthy, TextId(n));
        let mut told = Vec::new();
        for i in 1..=91 {
            let at = Time::from_secs(10 * i);
            told.extend(said.correlate(ABOUT, words(1), at).map(|(_, n)| (10 * i, n)));
        }
        let first: Vec<_> = (1..=25).map(|i| (10 * i, i as u32)).collect();
        assert_eq!(told[..25], first);
        assert_eq!(told[25..], [(310, 31), (610, 61), (910, 91)]);
    }

    /// Two that are made at once have names of their own, and each its count.
    #[test]
    fn each_event_has_its_own_name() {
        let (mut said, now) = (Said::default(), Time::from_secs(5));
        let words = |n| EventBody::of_words(EventText::Killing, TextId(n));
        let name = |nanos| EventName::Pod(PodId(3), now + Dur::from_nanos(nanos));
        assert_eq!(said.correlate(ABOUT, words(1), now), Some((name(0), 1)));
        assert_eq!(said.correlate(ABOUT, words(2), now), Some((name(1), 1)));
        assert_eq!(said.correlate(ABOUT, words(1), now), Some((name(0), 2)));
    }
}
