//! The containers of pods that have several, or of whose life something is said, what their kubelets know of them, and what their
//! recorders have said. Of all other pods nothing is kept.
//!
//! A kubelet says of a pod's container in events: that a probe has failed (`prober.go: probe`), that the container is
//! killed for that (`kuberuntime_manager.go: computePodActions`) and that it is not started again yet (`doBackOff`), v1.37; and
//! of its image (`images`).
//!
//! What a probe prints is not known here: the texts are those of a command that prints nothing. What does not arrive is lost;
//! upstream tries again for two minutes. Events that say the same of two containers of a pod are counted together.

use super::pods::{Which, of_life};
use super::prober::{Container, Event};
use super::worker::{Serves, Worker, initial};
use crate::api::container::{MAIN, Role};
use crate::api::probe::{Life, ProbeType};
use crate::client::Correlator;
use crate::controllers::kubelet::prelude::*;
use crate::kernel::Spread;
use std::collections::btree_map::Range;

/// `genericPlegRelistPeriod`: after so long a kubelet lists containers again.
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
    all: Shared<BTreeMap<Which, Container>>,
    /// What was said of the containers of a pod.
    said: Shared<BTreeMap<Uid, Said>>,
}

impl Lives {
    /// None runs yet.
    pub(super) fn new((nodes, pods): Base) -> Self {
        Self { nodes, pods, all: Shared::default(), said: Shared::default() }
    }

    /// Works on a container, if there is something to know of it.
    pub(super) fn with<R>(&self, which: Which, f: impl FnOnce(&mut Container) -> R) -> Option<R> {
        self.all.with(|all| all.get_mut(&which).map(f))
    }

    /// Looks at all containers of one life of a pod of which there is something to know.
    fn of_pod<R>(&self, uid: Uid, f: impl FnOnce(Range<'_, Which, Container>) -> R) -> R {
        self.all.with(|all| f(all.range(of_life(uid))))
    }

    /// Works on all of them.
    pub(super) fn each(&self, uid: Uid, f: impl FnMut(&mut Container)) {
        self.all.with(|all| all.range_mut(of_life(uid)).map(|(_, c)| c).for_each(f));
    }

    /// Whether there is something to know of a pod's containers.
    pub(super) fn knows(&self, uid: Uid) -> bool {
        self.of_pod(uid, |mut all| all.next().is_some())
    }

    /// Whether a kubelet says of a pod whose containers run that it is ready.
    pub(super) fn is_ready(&self, uid: Uid) -> bool {
        self.of_pod(uid, |mut all| all.all(|(_, c)| c.ready || c.role == Role::Init))
    }

    /// Their kubelet says which of them are ready.
    pub(super) fn say_ready(&self, uid: Uid) {
        self.each(uid, |c| c.said_ready = c.ready);
    }

    /// Whether one is ready that was said not to be, or the other way round.
    pub(super) fn is_unsaid(&self, uid: Uid) -> bool {
        self.of_pod(uid, |mut all| all.any(|(_, c)| c.ready != c.said_ready))
    }

    /// Whether any container of a pod runs.
    pub(super) fn any_runs(&self, uid: Uid) -> bool {
        self.of_pod(uid, |mut all| all.any(|(_, c)| c.runs))
    }

    /// Whether those of `spec.containers` have all been started.
    pub(super) fn have_begun(&self, uid: Uid) -> bool {
        self.of_pod(uid, |mut all| all.all(|(_, c)| c.has_begun() || c.role != Role::Beside))
    }

    /// Whether a pod that has started may be said to: its kubelet has seen each of its containers.
    pub(super) fn is_started(&self, uid: Uid, due: &Due) -> bool {
        if !due.turns.are_several() {
            return self.nodes.now() >= due.start && !due.unpulled;
        }
        let seen = |c: &Container| c.seen.is_none() || c.exited.is_some();
        due.up && self.of_pod(uid, |mut all| all.all(|(_, c)| seen(c) || c.role != Role::Beside))
    }

    /// Whether a container runs whose start its kubelet has not seen.
    pub(super) fn is_unseen(&self, which: Which) -> bool {
        self.with(which, |c| c.seen.is_some()) == Some(true)
    }

    /// Whether one of `spec.containers` does not run, and has failed.
    pub(super) fn any_failed(&self, uid: Uid) -> bool {
        let failed = |c: &Container| c.exit_code().is_some_and(|code| code != 0);
        self.of_pod(uid, |mut all| all.any(|(_, c)| c.role == Role::Beside && failed(c)))
    }

    /// With what those of `spec.containers` have exited, once all of them have: the first that has failed, or 0.
    pub(super) fn exit_code(&self, uid: Uid) -> Option<i32> {
        self.of_pod(uid, |all| worst(all, Container::exit_code))
    }

    /// With what a pod ends whose containers are not started again: an init container that has failed for good, or all of
    /// `spec.containers`.
    pub(super) fn outcome(&self, uid: Uid) -> Option<i32> {
        self.of_pod(uid, |all| {
            let mut inits = all.clone().filter(|(_, c)| c.role == Role::Init);
            let failed = inits.find_map(|(_, c)| c.finished.filter(|code| *code != 0));
            failed.or_else(|| worst(all, |c| c.finished))
        })
    }

    /// The same, once it is over: sidecars have ended, too.
    pub(super) fn finished(&self, uid: Uid) -> Option<i32> {
        self.outcome(uid).filter(|_| !self.any_runs(uid))
    }

    /// The container whose turn it is starts now.
    pub(super) fn started(&self, pod: &Pod, due: &Due) {
        let (which, now) = ((pod.uid, due.turns.turn), self.nodes.now());
        let all = containers(&pod.template);
        let Some((.., life)) = all.iter().find(|(place, ..)| *place == which.1) else { return };
        let (serves, ends) = self.draw(pod.id, life, Dur::ZERO);
        // The first start lasts until it is seen. Others are made as containers are listed, unless one was killed or waited.
        let several = due.turns.are_several();
        let knows = if several { due.turns.begun } else { self.knows(pod.uid) };
        self.begin(pod, due);
        let waited = self.with(which, |c| c.backs_off || c.exited == Some(now)) == Some(true);
        let seen = match self.nodes.real().filter(|_| knows) {
            Some(_) if waited => now + self.nodes.draw("pod-relist", due.node, RELIST),
            Some(_) => now + RELIST,
            None => now,
        };
        self.with(which, |c| c.start(now, serves, ends, seen));
        if serves.0 > now && !several {
            self.note(pod.id, Note::ContainerServes, 0);
        }
        self.schedule(pod.uid);
    }

    /// From now on there is something to know of a pod's containers, if there is anything: its sync is about to start the first.
    pub(super) fn begin(&self, pod: &Pod, due: &Due) {
        if self.knows(pod.uid) {
            return;
        }
        let from = if due.unpulled { due.start } else { due.synced() };
        for (place, role, life) in containers(&pod.template) {
            let ticks =
                ProbeType::ALL.map(|which| self.first_tick(pod.id, due, &life, which, from));
            let container = self.container((role, &life), ticks);
            self.all.with(|all| all.insert((pod.uid, place), container));
        }
    }

    /// A container that is not started yet.
    fn container(&self, (role, life): (Role, &Rc<Life>), ticks: [Time; 3]) -> Container {
        let tells = self.nodes.real().is_some();
        let new = Container::new(life.clone(), self.nodes.switches.life, ticks);
        Container { role, tells, ..new }
    }

    /// They run already, for long.
    pub(super) fn run_already(&self, pod: &Pod) {
        if !pod.template.has_lives() {
            return;
        }
        let now = self.nodes.now();
        for (place, role, life) in containers(&pod.template) {
            let tick = |which: ProbeType| now + self.part_of_period(pod.id, &life, which);
            let mut c = self.container((role, &life), ProbeType::ALL.map(tick));
            c.workers.iter_mut().for_each(|w| w.waits = Time::ZERO);
            if role == Role::Init {
                (c.exited, c.finished) = (Some(Time::ZERO), Some(0));
                self.all.with(|all| all.insert((pod.uid, place), c));
                continue;
            }
            let (serves, ends) = self.draw(pod.id, &life, life.ran);
            c.start(now, serves, ends, now);
            (c.seen, c.since) = (None, Time::ZERO);
            let is_asked = [ProbeType::Readiness, ProbeType::Startup];
            let is_asked = is_asked.iter().any(|which| life.probe(*which).is_some());
            let alone = pod.template.containers.is_empty();
            c.ready =
                pod.ready.is_none_or(|r| r.status != ConditionStatus::False) || !alone && !is_asked;
            c.said_ready = c.ready;
            c.started = c.ready || life.probe(ProbeType::Startup).is_none();
            if c.ready {
                let serves_for = match c.serves.1 {
                    Time::MAX => Dur::MAX,
                    until => until.since(c.serves.0),
                };
                (c.serves, c.serving) = ((Time::ZERO, now.saturating_add(serves_for)), Some(true));
                c.workers[ProbeType::Readiness as usize].value = Some(true);
            } else if c.serving == Some(false) && alone {
                self.note(pod.id, Note::ContainerServes, 0);
            }
            self.all.with(|all| all.insert((pod.uid, place), c));
        }
        self.tell_serves(pod.uid);
        self.schedule(pod.uid);
    }

    /// A pod of several containers has begun to start: those before the one whose turn it is are done, and that has run so long.
    pub(super) fn go_on(&self, pod: &Pod, due: &Due, (turn, ran): (usize, Option<Dur>)) {
        self.begin(pod, due);
        for (place, _, life) in containers(&pod.template).into_iter().take(turn + 1) {
            if place < turn || ran.is_some() {
                let (now, drawn) =
                    (self.nodes.now(), self.draw(pod.id, &life, ran.unwrap_or_default()));
                self.with((pod.uid, place), |c| c.go_on(now, drawn, place < turn));
            }
        }
        self.schedule(pod.uid);
    }

    /// Notes of a pod of several containers whether all of them serve, where that has changed.
    pub(super) fn tell_serves(&self, uid: Uid) {
        let several = |d: &Due| d.turns.are_several() && d.up;
        let Some(due) = self.pods.due(uid).filter(several) else { return };
        let serves = |c: &Container| c.runs && c.serving == Some(true);
        let all = self.of_pod(uid, |mut all| all.all(|(_, c)| serves(c) || c.role == Role::Init));
        if all == due.turns.idle {
            self.pods.with_due(uid, |d| d.turns.idle = !all);
            self.note(due.pod, Note::ContainerServes, all.into());
        }
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
        self.each(uid, |c| {
            c.follow(now);
            (c.watched, c.unfit) = (false, None);
        });
    }

    /// A kubelet that starts hears of a pod then. Up to 1.34 it takes a container as not ready until it has probed it.
    pub(super) fn taken_over(&self, pod: &Pod, hears: Time) {
        self.said.with(|all| all.remove(&pod.uid));
        let keeps = self.nodes.switches.life.keeps_results;
        for (place, _, life) in containers(&pod.template) {
            let ticks =
                ProbeType::ALL.map(|which| hears + self.part_of_period(pod.id, &life, which));
            self.with((pod.uid, place), |c| {
                for which in ProbeType::ALL {
                    let worker = &mut c.workers[which as usize];
                    let kept = worker.value.filter(|ok| *ok && which != ProbeType::Readiness);
                    let value = if keeps { kept } else { initial(which) };
                    *worker = Worker::starting(ticks[which as usize], value);
                    worker.is_new = !keeps || which == ProbeType::Readiness;
                }
                (c.watched, c.backoff, c.resync) = (true, None, None);
                if !c.runs {
                    c.noticed = c.finished.is_none().then_some(hears);
                } else if c.seen.is_some() || !keeps {
                    c.started = life.probe(ProbeType::Startup).is_none();
                    c.ready &= c.started && life.probe(ProbeType::Readiness).is_none();
                    c.seen = c.seen.map(|_| hears);
                }
            });
        }
        self.schedule(pod.uid);
    }

    /// What runs of a pod runs on as another: the mirror of a static pod was created again.
    pub(super) fn goes_on_as(&self, uid: Uid, now: Uid) {
        self.all.with(|all| {
            let own: Vec<_> = all.extract_if(of_life(uid), |_, _| true).collect();
            all.extend(own.into_iter().map(|((_, place), c)| ((now, place), c)));
        });
        self.said.with(|all| all.remove(&uid).and_then(|said| all.insert(now, said)));
    }

    /// Nothing of one life of a pod is to be known any more.
    pub(super) fn forget(&self, uid: Uid) {
        self.all.with(|all| all.extract_if(of_life(uid), |_, _| true).for_each(drop));
        self.said.with(|all| all.remove(&uid));
    }

    /// What comes about next in a pod, of which container, and when.
    pub(super) fn next(&self, uid: Uid) -> Option<(usize, Time, Event)> {
        self.of_pod(uid, |all| {
            let next = |(which, c): (&Which, &Container)| {
                let (at, event) = c.next()?;
                Some((which.1, at, event))
            };
            all.filter_map(next).min_by_key(|(_, at, _)| *at)
        })
    }

    /// Has a pod worked on when something comes about.
    pub(super) fn schedule(&self, uid: Uid) {
        self.each(uid, |c| {
            if let Some((at, _)) = c.next()
                && std::mem::replace(&mut c.posted, at) != at
            {
                self.pods.work_at(uid, at.max(self.nodes.now()));
            }
        });
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

    /// Says of the probes of a pod's containers that have failed since this was said last that they have.
    pub(super) fn say_failures(&self, uid: Uid, due: &Due) {
        let mut failed = Vec::new();
        self.each(uid, |c| failed.append(&mut c.failed));
        for probe in failed {
            let probe = ["Liveness", "Readiness", "Startup"][probe as usize];
            self.say(uid, due, EventText::Unhealthy, &format!("{probe} probe failed: "));
        }
    }

    /// Says that a container is killed because a probe has failed.
    pub(super) fn say_killing(&self, which: Which, due: &Due, probe: ProbeType, restarts: bool) {
        let name = self.name(which, due);
        let words = match self.with(which, |c| c.role) {
            Some(Role::Init | Role::Sidecar) => {
                format!("Init container {name} failed {} probe", probe.as_str())
            }
            _ => {
                let then = if restarts { ", will be restarted" } else { "" };
                format!("Container {name} failed {} probe{then}", probe.as_str())
            }
        };
        self.say(which.0, due, EventText::Killing, &words);
    }

    /// Says that a container is not started again yet.
    pub(super) fn say_back_off(&self, which: Which, due: &Due) {
        let mut words = "Back-off restarting failed container".to_owned();
        if self.nodes.switches.life.back_off_says_which {
            let full = self.nodes.api.names(|n| n.pod_name(due.pod).to_owned());
            let (namespace, name) = full.split_once('/').unwrap_or(("default", &full));
            let container = self.name(which, due);
            words += &format!(" {container} in pod {name}_{namespace}({})", which.0.0);
        }
        self.say(which.0, due, EventText::BackOff, &words);
    }

    /// The name of a container.
    pub(super) fn name(&self, (uid, place): Which, due: &Due) -> Rc<str> {
        let pod = self.pods.object(uid, due);
        let named = pod.and_then(|p| Some(p.template.beside_main(place)?.name.clone()));
        named.unwrap_or_else(|| Rc::from(MAIN))
    }
}

/// The containers of a pod of which there is something to know: their places, what they are for, and what is said of them.
fn containers(template: &PodTemplate) -> Vec<(usize, Role, Rc<Life>)> {
    if template.containers.is_empty() {
        return template.life.iter().map(|life| (0, Role::Beside, life.clone())).collect();
    }
    let at = |place| match template.beside_main(place) {
        Some(c) => (place, c.role, c.life.clone()),
        None => (place, Role::Beside, template.life.clone().unwrap_or_default()),
    };
    (0..=template.containers.len()).map(at).collect()
}

/// What is told of all of `spec.containers`: the first that is not 0.
fn worst(all: Range<'_, Which, Container>, of: impl Fn(&Container) -> Option<i32>) -> Option<i32> {
    let told = all.filter(|(_, c)| c.role == Role::Beside).map(|(_, c)| of(c));
    let first = |a: Option<i32>, b: Option<i32>| a.zip(b).map(|(a, b)| if a == 0 { b } else { a });
    told.reduce(first).flatten()
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
