//! How often the containers of each workload's pods end by themselves, as far as an export's statuses show it.
//!
//! A pod of which a container waits in CrashLoopBackOff goes on so in the run: that container ends after as long as the last of
//! them ran, with its exit code. So does one that was caught while its container ran, or had just ended: it was started
//! again twice or more, and neither its last container nor this one has run for the ten minutes after which a kubelet
//! forgets the back-off. Where all pods of a workload are like that, so are those that replace them: as of starts, the
//! median of a few and the spans of many. Where some are, it is taken to lie in these pods, and the others say how long a container lasts: the
//! time that all of them have been there, by how often they were started again, without memory. A Job's containers take as long
//! as those of its pods that have succeeded, and one that runs has what is left of that. What was ended by a machine's end (`ContainerStatusUnknown`, `Unknown`) is no
//! end by itself. Times of the API have whole seconds: a container that ended in the second in which it began is taken to
//! have run for half of one.

use super::containers::{self, RAN_MAX_US, Slot, ran};
use super::fit::{fitted, less, quantile};
use super::hooks;
use super::prelude::*;

/// After so long a kubelet forgets a container's back-off (`crashLoopBackOff.HasExpiredFunc`), in microseconds.
const EXPIRES_US: i64 = 600 * SECOND_US;

/// What takes longer was no start, but a pod that became Ready again.
pub(super) const START_MAX_US: i64 = 15 * 60 * SECOND_US;

/// What was ready and has not been for so long is taken to stay so, in microseconds.
const UNREADY_US: i64 = 300 * SECOND_US;

/// The last end of a container.
#[derive(Clone, Copy)]
struct Ended {
    /// How long it had run, in microseconds.
    ran: i64,
    exit_code: i32,
    restarts: i64,
}

/// What was seen of the containers of one workload.
#[derive(Default)]
pub(super) struct EndsSeen {
    /// Of pods that have succeeded.
    done: Vec<i64>,
    /// By the names of containers, of the main one none.
    of: BTreeMap<String, OfContainer>,
    /// Those that do not serve in any pod, of the main one none; nothing before there is a pod.
    pub(super) unserved: Option<Vec<Option<Slot>>>,
}

/// What was seen of one of its containers.
#[derive(Default)]
struct OfContainer {
    /// Of pods in which it loops.
    loops: Vec<Ended>,
    /// The other pods: how many, for how long all of them have been there, how often it was started again, and the last end of
    /// the one that was so most often.
    others: usize,
    exposure: i64,
    restarts: i64,
    most: Option<Ended>,
}

/// Containers of a pod in a loop, by their names, of the main one none.
type Looping = BTreeMap<String, (Option<Slot>, Ended)>;

/// The last end of a container, where its status says of one.
fn ended(status: &RawContainerStatus) -> Option<Ended> {
    let last = status.state.terminated.as_ref().or(status.last_state.terminated.as_ref())?;
    // Windows has codes of 32 bits, of which here only this matters: that they are not 0.
    let exit_code = i32::try_from(last.exit_code).ok().filter(|c| (0..=255).contains(c));
    let restarts = status.restart_count.max(1);
    Some(Ended { ran: ran(last)?, exit_code: exit_code.unwrap_or(255), restarts })
}

/// Whether a container that has ended so is in a loop.
fn loops(status: &RawContainerStatus, ended: Ended, zero: Stamp) -> bool {
    let waits = status.state.waiting.as_ref().is_some_and(|w| w.reason == "CrashLoopBackOff");
    let runs = status.state.running.as_ref().and_then(|r| parse_time(&r.started_at));
    let runs = runs.map_or(0, |at| zero.us_since(at));
    waits || status.restart_count >= 2 && ended.ran < EXPIRES_US && runs < EXPIRES_US
}

/// Whether a container's probes do not find that it serves, and are taken to go on so: its startup probe has had it killed
/// twice or more, the last time when that is due; or it runs and has not been ready for five minutes, or for a quarter of an hour where it
/// has not been since it began, as it may be slow.
fn is_unserved(pod: &RawPod, status: &RawContainerStatus, zero: Stamp) -> bool {
    let mut all = pod.spec.containers.iter().chain(&pod.spec.init_containers);
    let Some(container) = all.find(|c| c.name == status.name) else { return false };
    let due = containers::probe(&container.startup_probe).map(|p| killed_after(&p));
    let is_killed = |ended: Ended| {
        let late = (hooks::grace(&pod.spec) + 10) * SECOND_US;
        due.is_some_and(|(first, last)| (first - SECOND_US..=last + late).contains(&ended.ran))
    };
    if status.started == Some(false) {
        return status.restart_count >= 2 && ended(status).is_some_and(is_killed);
    }
    let runs = status.state.running.as_ref().and_then(|r| parse_time(&r.started_at));
    let Some(ran) = runs.filter(|t| YEARS.contains(t)).map(|at| zero.us_since(at)) else {
        return false;
    };
    let turned = pod.turned("ContainersReady", "False").map_or(ran, |at| zero.us_since(at));
    let least = if turned < ran - SECOND_US { UNREADY_US } else { START_MAX_US };
    let is_long = turned.min(ran) >= least;
    is_long && container.readiness_probe.is_some() && status.ready == Some(false)
}

/// After how long in microseconds a startup probe that never succeeds has a container be killed, at least and at most.
fn killed_after(probe: &Probe) -> (i64, i64) {
    let period = i64::from(probe.period_seconds.unwrap_or(10));
    let first = i64::from(probe.initial_delay_seconds.unwrap_or(0))
        + period * i64::from(probe.failure_threshold.unwrap_or(3) - 1);
    (first * SECOND_US, (first + period) * SECOND_US)
}

/// The containers of a pod that do not serve; of the main one none.
fn unserved_of(pod: &RawPod, zero: Stamp) -> Vec<Option<Slot>> {
    let statuses = containers::statuses(&pod.spec, &pod.status).into_iter();
    let unserved = statuses.filter(|(_, status)| is_unserved(pod, status, zero));
    unserved.map(|(slot, _)| slot).collect()
}

/// The containers of a pod that are in a loop, with their last ends; of several without a name the one that ends soonest. An
/// init container that has ended well is in none.
fn loops_of(pod: &RawPod, zero: Stamp) -> Looping {
    let mut all = Looping::new();
    if pod.is_over() || !pod.meta.deletion_timestamp.is_empty() || pod.node().is_none() {
        return all;
    }
    for (slot, status) in containers::statuses(&pod.spec, &pod.status) {
        let Some(last) = ended(status).filter(|e| loops(status, *e, zero)) else { continue };
        if is_unserved(pod, status, zero) {
            continue;
        }
        let is_init = slot.as_ref().is_some_and(Slot::ends);
        if is_init && last.exit_code == 0 {
            continue;
        }
        let own = all.entry(name_of(&slot)).or_insert((slot, last));
        own.1 = if last.ran < own.1.ran { last } else { own.1 };
    }
    all
}

/// The name of a container; none of the main one.
fn name_of(slot: &Option<Slot>) -> String {
    slot.as_ref().map(|slot| slot.name.clone()).unwrap_or_default()
}

/// Tells of a pod's containers that are in a loop how they end, which never serve, and whether those are started again that end.
pub(super) fn tell_of_pod(pod: &RawPod, template: &mut PodTemplate, zero: Stamp) {
    if !pod.is_over() && pod.node().is_some() {
        for slot in unserved_of(pod, zero) {
            containers::tell_unserved(template, slot.as_ref());
        }
    }
    for (slot, e) in loops_of(pod, zero).into_values() {
        let ends = Some(ends(HowLong::Always(micros(e.ran.max(LESS_US))), e.exit_code));
        match slot {
            None => template.ends = ends,
            Some(slot) => slot.of_template(template).ends = ends,
        }
    }
    let slots = containers::slots(&pod.spec);
    containers::sort(template, &slots.iter().collect::<Vec<_>>());
    template.restart_policy = restart_policy(pod);
}

/// What is told of the containers of a pod that are in a loop: `after 3s, exit code 1, container log after 30s, exit code 2`.
pub(super) fn told_of_pod(template: &PodTemplate) -> Option<String> {
    let main = template.ends.iter().map(told);
    let beside = template.init_containers.iter().chain(&template.containers);
    let beside =
        beside.filter_map(|c| Some(format!("container {} {}", c.name, told(c.ends.as_ref()?))));
    let all: Vec<String> = main.chain(beside).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// `after 3s, exit code 1`
fn told(ends: &Ends) -> String {
    let after = match &ends.after {
        HowLong::Always(span) if *span == micros(LESS_US) => &less().1,
        HowLong::Always(span) => &span.0,
        HowLong::Drawn(_) => "a time that is drawn",
    };
    format!("after {after}, exit code {}", ends.exit_code.unwrap_or(0))
}

fn ends(after: HowLong, exit_code: i32) -> Ends {
    Ends { after, exit_code: Some(exit_code).filter(|c| *c != 0), ran: None }
}

/// How long the containers of a Job's pod have run: the longest of several, as of those that have succeeded.
pub(super) fn ran_so_far(pod: &RawPod, zero: Stamp) -> Option<DurationText> {
    let of_job = pod.meta.controller().is_some_and(|o| o.kind == WorkloadKind::Job.as_str());
    let began = |c: &RawContainerStatus| parse_time(&c.state.running.as_ref()?.started_at);
    let began = pod.status.container_statuses.iter().filter_map(began).min();
    let ran = began.filter(|t| of_job && YEARS.contains(t)).map(|t| zero.us_since(t));
    ran.filter(|ran| *ran > 0).map(micros)
}

/// The restart policy of a pod, where it is not what goes without saying, and anything follows from it.
fn restart_policy(pod: &RawPod) -> Option<RestartPolicy> {
    let usual = match pod.meta.controller() {
        Some(owner) if owner.kind == WorkloadKind::Job.as_str() => RestartPolicy::Never,
        _ => RestartPolicy::Always,
    };
    let policy: Option<RestartPolicy> = fields::shared(&pod.spec.restart_policy);
    policy.filter(|p| *p != usual && !pod.is_over())
}

/// That after which containers end with such an exit code, and what is told of it.
fn of_spans(spans: &mut [i64], exit_code: i32) -> Option<(Ends, String)> {
    spans.iter_mut().for_each(|s| *s = (*s).max(LESS_US));
    let (after, mut told) = fitted(spans)?;
    if quantile(spans, 0.5) == Some(LESS_US) {
        told.insert_str(0, "less than a second, taken as ");
    }
    Some((ends(after, exit_code), format!("{told}, exit code {exit_code}")))
}

impl EndsSeen {
    /// Takes in a pod.
    pub(super) fn add(&mut self, pod: &RawPod, zero: Stamp, of_job: bool) {
        let statuses = &pod.status.container_statuses;
        if of_job && pod.status.phase == "Succeeded" {
            let done = statuses.iter().filter_map(|c| ran(c.state.terminated.as_ref()?));
            self.done.extend(done.max());
            return;
        }
        let looping = loops_of(pod, zero);
        if pod.status.phase == "Running" {
            let own = unserved_of(pod, zero);
            let all = self.unserved.get_or_insert_with(|| own.clone());
            all.retain(|slot| own.contains(slot));
        }
        for (name, (_, last)) in &looping {
            self.of.entry(name.clone()).or_default().loops.push(*last);
        }
        // While an init container loops, the others wait for it.
        let waits = looping.values().any(|(slot, _)| slot.as_ref().is_some_and(Slot::ends));
        if pod.is_over() || statuses.is_empty() || waits {
            return;
        }
        let started = parse_time(&pod.status.start_time).or_else(|| pod.since("PodScheduled"));
        let Some(there) = started.filter(|t| YEARS.contains(t)) else { return };
        let mut others: BTreeMap<String, Vec<&RawContainerStatus>> = BTreeMap::new();
        for (slot, status) in containers::statuses(&pod.spec, &pod.status) {
            let of = others.entry(name_of(&slot)).or_default();
            // How often an init container was tried says nothing of how often one fails later, nor do a probe's kills.
            let is_other = slot.is_some_and(|s| s.ends()) || is_unserved(pod, status, zero);
            of.extend((!is_other).then_some(status));
        }
        others.retain(|name, _| !looping.contains_key(name));
        for (name, statuses) in others {
            self.of.entry(name).or_default().add(&statuses, zero.us_since(there).max(0));
        }
    }

    /// How a container ends, and what is told of that.
    pub(super) fn fit(&mut self, name: &str) -> Option<(Ends, String)> {
        match name {
            "" if !self.done.is_empty() => of_spans(&mut self.done, 0),
            _ => self.of.get(name)?.fit(),
        }
    }
}

impl OfContainer {
    /// Takes in a pod in which it does not loop, and that has been there for so long.
    fn add(&mut self, statuses: &[&RawContainerStatus], exposure: i64) {
        self.others += 1;
        self.exposure = self.exposure.saturating_add(exposure);
        let most = statuses.iter().filter(|c| c.restart_count > 0).filter_map(|c| ended(c));
        if let Some(most) = most.max_by_key(|e| e.restarts) {
            self.restarts = self.restarts.saturating_add(most.restarts);
            self.most = self.most.into_iter().chain([most]).max_by_key(|e| e.restarts);
        }
    }

    fn fit(&self) -> Option<(Ends, String)> {
        if self.others == 0 {
            let mut spans: Vec<i64> = self.loops.iter().map(|e| e.ran).collect();
            return of_spans(&mut spans, self.loops.first()?.exit_code);
        }
        let exit_code = self.most?.exit_code;
        let mean = micros((self.exposure / self.restarts).clamp(SECOND_US, RAN_MAX_US));
        let pods = counted(self.others, "pod");
        let times =
            if self.restarts == 1 { "once".to_owned() } else { format!("{} times", self.restarts) };
        let told = format!("{} on average ({times} in {pods}), exit code {exit_code}", mean.0);
        Some((ends(HowLong::Drawn(Distribution::Exponential { mean }), exit_code), told))
    }
}
