//! What was seen of how long the pods of one workload took to start and to stop, and what of that is told apart; and what the
//! status of one pod tells of it.

use super::containers::{self, Beside, Slot};
use super::ends::{EndsSeen, START_MAX_US};
use super::event::PodStep;
use super::fit::{ENOUGH, fitted, less, quantile};
use super::hooks::{self, SLEEPS};
use super::pod::STATUS_SYNC_US;
use super::prelude::*;

/// A kubelet says that it has pulled an image also where it was there: with `Always`, and of each pod whose turn came after another's. It has
/// asked the registry then, which takes no longer than this.
const CHECK_MAX_US: i64 = 3 * SECOND_US;

/// What was seen of the pods of one workload, in microseconds.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) ready: Vec<i64>,
    pub(super) started: Vec<i64>,
    /// Of those that are `ready`, where that is known: until the container ran that they wait for, and from then on.
    ran: Vec<(i64, i64)>,
    pub(super) stopped: Vec<i64>,
    /// For how long their preStop hooks sleep, where they have any.
    pub(super) hook: Option<i64>,
    /// Pulls of images before the first container started, with their wait; and without it, of each container by its place in
    /// the order in which they start.
    pulls: Vec<i64>,
    took: Vec<Vec<i64>>,
    /// How long each init container took that is no sidecar.
    inits: Vec<Vec<i64>>,
    /// How long others waited for sidecars, by their names.
    waited: BTreeMap<String, Vec<i64>>,
    /// By their places those of which that is not known: they are not simulated, and with their pulls are a part of the start.
    within: BTreeSet<usize>,
    /// Starts of which it is known what the pull took of them, without it: as in `ready`, `started` and `ran`.
    apart: [Vec<i64>; 2],
    ran_apart: Vec<(i64, i64)>,
    /// The period of the probe that they wait for, and the liveness probe of that container from then on.
    pub(super) period: Option<i64>,
    pub(super) alive: Option<Probe>,
    /// Their disks are attached to their nodes first.
    pub(super) attaches: bool,
    /// How their containers ended.
    pub(super) ends: EndsSeen,
    /// Starts for which the node had the image.
    present: usize,
}

/// Of what waits for a probe: from its binding to the start of its containers, from then on until it serves, and the longest
/// that one was seen to take for that, in microseconds.
pub(super) type Served = (HowLong, Option<HowLong>, i64);

impl Seen {
    /// What a pod says of the probes of the container that it waits for.
    pub(super) fn probes_of(&mut self, pod: &RawPod) {
        self.period = period_of(pod).or(self.period);
        // A liveness probe waits for the startup probe.
        let waits = containers::waited_for(&pod.spec).filter(|c| c.startup_probe.is_none());
        self.alive = waits.and_then(|c| containers::probe(&c.liveness_probe)).or(self.alive);
    }

    /// What a pod's status tells of its init containers.
    pub(super) fn inits_of(&mut self, pod: &RawPod) {
        for (i, took) in containers::inits(&pod.spec, &pod.status).into_iter().flatten().enumerate()
        {
            self.inits.resize_with(self.inits.len().max(i + 1), Vec::new);
            self.inits[i].push(took.max(LESS_US));
        }
        for (sidecar, waited) in containers::waits_for_sidecars(pod) {
            self.waited.entry(sidecar).or_default().push(waited);
        }
    }

    /// Takes note of the init containers of which no pod told.
    pub(super) fn keep_unknown(&mut self, slots: &[Slot]) {
        let inits = slots.iter().enumerate().filter(|(_, slot)| slot.ends());
        self.within = inits.map(|(place, _)| place).skip(self.inits.len()).collect();
    }

    /// How long they took to stop, and what is told of that: nobody who saw less saw their hooks sleep.
    pub(super) fn stop(&mut self) -> Option<(HowLong, String)> {
        let sleep = self.hook.unwrap_or(0);
        self.stopped.retain(|took| *took > sleep - SECOND_US);
        fitted(&mut self.stopped).or_else(|| {
            let stop = hooks::stop(self.hook)?;
            let told = format!("{stop} ({} {SLEEPS})", micros(sleep));
            Some((HowLong::Always(stop), told))
        })
    }

    /// What a pod's status tells, and of its images what its events do.
    pub(super) fn by_pod(&mut self, pod: &RawPod, steps: Option<&Vec<(Stamp, PodStep)>>) {
        let attaches = self.attaches;
        // What init containers took is simulated, but is in the start of a pod of which it is not known.
        let open = !self.inits.is_empty() && containers::inits(&pod.spec, &pod.status).is_none();
        let start = start_of(pod, attaches).filter(|_| !open);
        self.ready.extend(start);
        let ran = ran_of(pod, attaches).filter(|_| !open);
        self.ran.extend(ran.map(|(_, ran)| ran));
        self.stopped.extend(stop_of(pod));
        if let Some(pull) = steps.and_then(|steps| last_pull(steps, None, &self.within)) {
            self.apart[0].extend(start.map(|took| (took - pull).max(0)));
            // Those that start later pull theirs meanwhile.
            let pull =
                |at| steps.and_then(|steps| last_pull(steps, Some(at), &self.within)).unwrap_or(0);
            let apart = |(at, (ran, rest)): (_, (i64, i64))| ((ran - pull(at)).max(0), rest);
            self.ran_apart.extend(ran.map(apart));
        }
    }

    /// What the events of one pod's name tell, of one life after the other; `grace` of a pod whose
    /// next life begins when the one before is over; `all`: how many containers it has.
    pub(super) fn by_events(&mut self, steps: &[(Stamp, PodStep)], grace: Option<i64>, all: usize) {
        let (mut scheduled, mut killing) = (None, None);
        let (mut pulled, mut place): (Option<(i64, i64)>, Option<usize>) = (None, None);
        self.took.resize_with(all, Vec::new);
        for (at, step) in steps {
            match step {
                PodStep::Scheduled => {
                    let took = killing.take().map(|k| at.us_since(k));
                    let within = |t: &i64| grace.is_some_and(|g| *t <= (g + 2) * SECOND_US);
                    self.stopped.extend(took.filter(within));
                    (scheduled, pulled, place) = (Some(*at), None, Some(0));
                }
                PodStep::Pulled(took, waited) => {
                    // Of several containers it is known whose image it is only from the first on.
                    let at = if all == 1 { Some(0) } else { place };
                    place = place.map(|place| place + 1);
                    let within = at.is_some_and(|at| self.within.contains(&at));
                    if let Some(of) = at.and_then(|at| self.took.get_mut(at)) {
                        of.extend(Some(*took).filter(|t| *t > 0 && !within));
                    }
                    let (all, off) = pulled.unwrap_or((0, 0));
                    pulled = Some((all + waited, off + if within { 0 } else { *waited }));
                }
                PodStep::Started => {
                    let took = scheduled.take().map(|s| at.us_since(s));
                    let took = took.filter(|t| *t <= START_MAX_US && !self.attaches);
                    self.started.extend(took);
                    self.apart[1].extend(took.zip(pulled).map(|(t, (_, off))| (t - off).max(0)));
                    match pulled.take().filter(|_| took.is_some()) {
                        Some((0, _)) => self.present += 1,
                        pull => self.pulls.extend(pull.map(|(all, _)| all)),
                    }
                }
                PodStep::Killing => _ = killing.get_or_insert(*at),
            }
        }
    }

    /// The images of containers, where it is known how long their pulls take and what starts take without these, and what is
    /// told of the pulls. Starts are those, then.
    pub(super) fn images(&mut self, slots: &[Slot]) -> Option<(Vec<Option<Image>>, String)> {
        let [ready, started] = &mut self.apart;
        let (all, known) = match self.ready.is_empty() {
            true => (self.started.len(), started.len()),
            false => (self.ready.len(), ready.len()),
        };
        // Events are kept for an hour: what many starts tell is not given up for a few of them.
        if ready.is_empty() && started.is_empty() || all >= ENOUGH && known < ENOUGH {
            return None;
        }
        let mut told = Vec::new();
        let mut image = |(slot, took): (&Slot, &mut Vec<i64>)| {
            let (name, image_pull_policy) = slot.image.clone()?;
            let longest = took.iter().copied().max()?;
            let is_check = |took: &mut i64| *took <= CHECK_MAX_US && *took <= longest / 10;
            let mut checks: Vec<i64> = took.extract_if(.., is_check).collect();
            let (pull, mut text) = fitted(took)?;
            let check = quantile(&mut checks, 0.5).map(micros);
            if let Some(check) = &check {
                text += &format!(", and {check} where it was there already");
            }
            told.push(if slots.len() == 1 { text } else { format!("{name} {text}") });
            Some(Image { name, pull, check, size: None, image_pull_policy })
        };
        let images = slots.iter().zip(&mut self.took).map(&mut image).collect();
        let told = match &told[..] {
            [] => return None,
            [one] if slots.len() == 1 => format!("the pull of its image {one}"),
            _ => format!("the pulls of its images {}", told.join(", ")),
        };
        (self.ready, self.started) = (std::mem::take(ready), std::mem::take(started));
        self.ran = std::mem::take(&mut self.ran_apart);
        Some((images, told))
    }

    /// What is known of the containers beside the main one, and what is told of init containers.
    pub(super) fn beside(
        &mut self,
        slots: &[Slot],
        images: Option<&[Option<Image>]>,
    ) -> (Vec<Beside>, String) {
        let (mut told, mut inits) = (Vec::new(), self.inits.iter_mut());
        let mut ends = |slot: &Slot| {
            let (after, text) = fitted(inits.next()?)?;
            told.push(format!("{} {text}", slot.name));
            Some(Ends { after, exit_code: None, ran: None })
        };
        let mut all = Vec::new();
        for (place, slot) in slots.iter().enumerate().filter(|(_, slot)| !slot.is_main()) {
            let ends = if slot.ends() { ends(slot) } else { None };
            let image = images.and_then(|images| images.get(place)?.clone());
            let mut own = Beside { slot: slot.clone(), ends, image, waited: None };
            // The pull of the next one's image is a part of it.
            let waited = self.waited.get_mut(&slot.name).filter(|_| images.is_none());
            let waited = waited.and_then(|all| quantile(all, 0.5));
            own.waited =
                waited.filter(|waited| *waited > own.until_next() && own.may_wait(*waited));
            all.push(own);
        }
        let told = match told.is_empty() {
            true => String::new(),
            false => format!(", after its init containers {}", told.join(", ")),
        };
        (all, told)
    }

    /// Takes off starts what a run takes from one container to the next.
    pub(super) fn take_off(&mut self, beside: &[Beside]) {
        let between: i64 = beside.iter().map(Beside::until_next).sum();
        let ran = self.ran.iter_mut().map(|(ran, _)| ran);
        self.ready.iter_mut().chain(ran).for_each(|took| *took = (*took - between).max(0));
    }

    /// From binding to the start of containers, and from then on until they serve, of what is probed once in such a period.
    pub(super) fn until_served(&self, period: i64) -> Option<Served> {
        let mut ran: Vec<i64> = self.ran.iter().map(|(ran, _)| *ran).collect();
        let mut serves: Vec<i64> =
            self.ran.iter().map(|(_, took)| (took - period / 2).max(0)).collect();
        let start = fitted(&mut ran).map(|(takes, _)| takes);
        let start = start.or_else(|| (!ran.is_empty()).then(|| less().0))?;
        let longest = serves.iter().copied().max().unwrap_or(0);
        Some((start, fitted(&mut serves).map(|(takes, _)| takes), longest))
    }

    /// How often the node had the image, behind something.
    pub(super) fn of_present(&self, before: &str) -> String {
        match self.present {
            0 => String::new(),
            1 => format!("{before}on the node already once"),
            n => format!("{before}on the node already {n} times"),
        }
    }

    /// What is told of the pulls of images.
    pub(super) fn of_pulls(&mut self) -> String {
        let Some(took) = quantile(&mut self.pulls, 0.5) else {
            return self.of_present(", with the image ");
        };
        let (n, there) = (self.pulls.len(), self.of_present(", "));
        format!(", of which the image's pull {} (median of {n}{there})", micros(took))
    }
}

/// How long the last life of a pod's name waited for its images, where events say so: for those that were there by then, but
/// for those of containers `within` the start.
fn last_pull(
    steps: &[(Stamp, PodStep)],
    by: Option<Stamp>,
    within: &BTreeSet<usize>,
) -> Option<i64> {
    let last = steps.iter().rposition(|(_, step)| *step == PodStep::Scheduled);
    if last.is_none() && !within.is_empty() {
        return None;
    }
    let pulls = steps[last.unwrap_or(0)..].iter().filter_map(|(at, step)| match step {
        PodStep::Pulled(_, waited) => Some((at, *waited)),
        _ => None,
    });
    // `startedAt` has whole seconds.
    let there = |at: &Stamp| by.is_none_or(|by| at.us_since(by) < SECOND_US);
    let pulls = pulls.enumerate().filter(|(_, (at, _))| there(at));
    pulls.fold(None, |sum: Option<i64>, (place, (_, waited))| {
        Some(sum.unwrap_or(0) + if within.contains(&place) { 0 } else { waited })
    })
}

/// When a pod began to start: with its binding, or once its disks were there.
fn began(pod: &RawPod, attaches: bool) -> Option<Stamp> {
    pod.since(if attaches { "PodReadyToStartContainers" } else { "PodScheduled" })
}

/// How long a pod took to start, if it did so once.
fn start_of(pod: &RawPod, attaches: bool) -> Option<i64> {
    if pod.status.container_statuses.iter().any(|c| c.restart_count > 0) {
        return None;
    }
    let took = first_ready(pod)?.us_since(began(pod, attaches)?) - initialized(pod);
    (0..=START_MAX_US).contains(&took).then_some(took)
}

/// When a pod that is Ready was so first. Ready is set back by the node lifecycle controller while its node is silent, and
/// ContainersReady only by its kubelet. Without a probe it is ready as its containers run, which is told with a sync of
/// pod statuses at the latest.
fn first_ready(pod: &RawPod) -> Option<Stamp> {
    let ready = pod.since("Ready")?;
    if !pod.spec.readiness_gates.is_empty() {
        return Some(ready);
    }
    let ready = pod.since("ContainersReady").map_or(ready, |containers| ready.min(containers));
    let statuses = pod.status.container_statuses.iter();
    let ran = statuses.filter_map(|c| parse_time(&c.state.running.as_ref()?.started_at)).max();
    let is_late = |ran: &Stamp| ready.us_since(*ran) > STATUS_SYNC_US;
    Some(
        ran.filter(|_| containers::waited_for(&pod.spec).is_none())
            .filter(is_late)
            .unwrap_or(ready),
    )
}

/// How long the init containers of a pod took, where that is known.
fn initialized(pod: &RawPod) -> i64 {
    containers::inits(&pod.spec, &pod.status).into_iter().flatten().sum()
}

/// When the container of a pod ran whose probe it waits for, how long that took, and how long it took from then on to be Ready,
/// if it did so once. What stands among init containers, or has no name, is taken to run with the last of the others.
fn ran_of(pod: &RawPod, attaches: bool) -> Option<(Stamp, (i64, i64))> {
    let all = start_of(pod, attaches)?;
    let started = |c: &RawContainerStatus| parse_time(&c.state.running.as_ref()?.started_at);
    let statuses = &pod.status.container_statuses;
    let at = statuses.iter().map(started).collect::<Option<Vec<_>>>()?;
    let own = containers::waited_for(&pod.spec).map(|c| &c.name).filter(|name| !name.is_empty());
    let own = statuses.iter().position(|c| Some(&c.name) == own);
    let at = own.map_or_else(|| at.iter().max(), |own| at.get(own)).copied()?;
    let ran = at.us_since(began(pod, attaches)?) - initialized(pod);
    (0..=all).contains(&ran).then_some((at, (ran, all - ran)))
}

/// The period of the probe that a pod waits for, in microseconds: of the startup probe, with whose success the other is made at
/// once.
fn period_of(pod: &RawPod) -> Option<i64> {
    let waited_for = containers::waited_for(&pod.spec)?;
    let probe = waited_for.startup_probe.as_ref().or(waited_for.readiness_probe.as_ref());
    let period = containers::probe(&probe.cloned())?.period_seconds;
    Some(i64::from(period.unwrap_or(10)) * SECOND_US)
}

/// Whether a liveness probe fails often enough before a container serves that takes so many microseconds for that.
pub(super) fn kills(liveness: &Probe, serves_after: i64) -> bool {
    let or = |value: Option<i32>, default: i32| i64::from(value.unwrap_or(default));
    let last = or(liveness.initial_delay_seconds, 0)
        + (or(liveness.failure_threshold, 3) - 1) * or(liveness.period_seconds, 10);
    last.saturating_mul(SECOND_US) < serves_after
}

/// How long the containers of a pod that is being deleted took to stop.
fn stop_of(pod: &RawPod) -> Option<i64> {
    let grace = pod.meta.deletion_grace_period_seconds?;
    let took = pod.ended()?.us_since(pod.deletion_began()?);
    (0..=(grace + 2) * SECOND_US).contains(&took).then_some(took)
}
