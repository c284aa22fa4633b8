//! The containers of exported pods: which is the main one, what is said of those beside it, and how long init containers took.
//!
//! The main one is the only one of `spec.containers` that is probed, or else the first. Of the others only those are told of
//! which there is something to say: a probe, the pull of an image, or, of an init container, how long it took by the pod's
//! status. Where nothing is known of an init container, its time is a part of the start.

use super::prelude::*;
use crate::api::container::{MAIN, Role};

/// What is said to have run for longer than ten years did not: a clock was off.
pub(super) const RAN_MAX_US: i64 = 10 * 365 * 86_400 * SECOND_US;

/// A year, the most that a run spans.
const NEVER_US: i64 = 365 * 86_400 * SECOND_US;

/// The name of an image, and when it is pulled.
type Pulled = (String, Option<PullPolicy>);

/// A container of a workload's pods; they stand in the order in which they start.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    /// What it is for; none of the main one.
    role: Option<Role>,
    pub(super) name: String,
    pub(super) image: Option<Pulled>,
    /// It has a probe; and the startup probe, if that is one.
    probed: bool,
    startup: Option<Probe>,
}

/// What is told of a container beside the main one.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    pub(super) slot: Slot,
    pub(super) ends: Option<Ends>,
    pub(super) image: Option<Image>,
    /// For how long others were seen to wait for a sidecar's startup probe, in microseconds, where its first one would be sooner.
    pub(super) waited: Option<i64>,
}

impl Beside {
    /// What a run takes beside it before the next container starts, in microseconds: until its kubelet lists the end of an init
    /// container, which it does once a second; and the start of a sidecar, a second later, or until its startup probe is made that
    /// succeeds.
    pub(super) fn until_next(&self) -> i64 {
        match self.slot.role {
            Some(Role::Init) if self.ends.is_some() => LESS_US,
            Some(Role::Sidecar) if self.slot.probed || self.image.is_some() => {
                let delay = |p: &Probe| i64::from(p.initial_delay_seconds.unwrap_or(0).max(1));
                let first = |p: Probe| delay(&p) * SECOND_US + half_a_period(&p);
                self.waited.or(self.slot.startup.map(first)).unwrap_or(SECOND_US)
            }
            _ => 0,
        }
    }

    /// Whether a sidecar may serve so late that others wait for so long: it would be killed for its startup probe
    /// otherwise, over and over.
    pub(super) fn may_wait(&self, waited: i64) -> bool {
        self.slot.startup.as_ref().is_some_and(|p| waited - half_a_period(p) <= last_try(p))
    }
}

/// When the last probe is made by which a container may succeed, after the first could be, in microseconds.
fn last_try(probe: &Probe) -> i64 {
    let period = i64::from(probe.period_seconds.unwrap_or(10));
    period * i64::from(probe.failure_threshold.unwrap_or(3) - 1) * SECOND_US
}

/// How long after it could first a probe succeeds, on average, in microseconds.
fn half_a_period(probe: &Probe) -> i64 {
    i64::from(probe.period_seconds.unwrap_or(10)) * SECOND_US / 2
}

impl Slot {
    /// It is the main container.
    pub(super) fn is_main(&self) -> bool {
        self.role.is_none()
    }

    /// It is an init container that is no sidecar.
    pub(super) fn ends(&self) -> bool {
        self.role == Some(Role::Init)
    }

    /// What a template says of it.
    pub(super) fn of_template<'t>(&self, template: &'t mut PodTemplate) -> &'t mut Container {
        let list = match self.is_init() {
            true => &mut template.init_containers,
            false => &mut template.containers,
        };
        let at = list.iter().position(|c| c.name == self.name).unwrap_or(list.len());
        if at == list.len() {
            list.push(self.container());
        }
        &mut list[at]
    }

    /// It stands among `initContainers`.
    pub(super) fn is_init(&self) -> bool {
        matches!(self.role, Some(Role::Init | Role::Sidecar))
    }

    /// What the language says of it before anything is known.
    fn container(&self) -> Container {
        let sidecar = self.role == Some(Role::Sidecar);
        Container {
            name: self.name.clone(),
            restart_policy: sidecar.then_some(ContainerRestartPolicy::Always),
            ..Container::default()
        }
    }
}

/// Its probes, which have it be probed at all.
fn probes(container: &RawContainer) -> [Option<Probe>; 3] {
    [&container.readiness_probe, &container.liveness_probe, &container.startup_probe].map(probe)
}

/// A probe. What is upstream's default goes without saying.
pub(super) fn probe(raw: &Option<RawProbe>) -> Option<Probe> {
    let raw = raw.as_ref()?;
    let unless = |value: i32, default: i32| Some(value).filter(|v| *v > 0 && *v != default);
    Some(Probe {
        initial_delay_seconds: unless(raw.initial_delay_seconds, 0),
        period_seconds: unless(raw.period_seconds, 10),
        success_threshold: unless(raw.success_threshold, 1),
        failure_threshold: unless(raw.failure_threshold, 3),
        termination_grace_period_seconds: raw.termination_grace_period_seconds,
    })
}

/// The containers of a pod in the order in which they start, with what they are for.
fn in_order(spec: &RawPodSpec) -> Vec<(Option<Role>, &RawContainer)> {
    let is_probed = |c: &RawContainer| probes(c).iter().any(Option::is_some);
    let mut probed = (0..).zip(&spec.containers).filter(|(_, c)| is_probed(c));
    let main = match (probed.next(), probed.next()) {
        (Some((i, _)), None) => i,
        _ => 0,
    };
    let of_init = |c: &RawContainer| match &*c.restart_policy {
        "Always" => Role::Sidecar,
        _ => Role::Init,
    };
    let inits = spec.init_containers.iter().map(|c| (Some(of_init(c)), c));
    let others = (0..).zip(&spec.containers).filter(|(i, _)| *i != main);
    let main = spec.containers.get(main).map(|c| (None, c));
    inits.chain(main).chain(others.map(|(_, c)| (Some(Role::Beside), c))).collect()
}

/// The same, with their images.
pub(super) fn slots(spec: &RawPodSpec) -> Vec<Slot> {
    let slot = |(role, c): (Option<Role>, &RawContainer)| {
        let policy = match &*c.image_pull_policy {
            "Always" => Some(PullPolicy::Always),
            _ => None,
        };
        let pulled = !c.image.is_empty() && c.image_pull_policy != "Never";
        let name = if c.name == MAIN && role.is_some() { "main-1" } else { &c.name };
        let image = pulled.then(|| (c.image.clone(), policy));
        let [.., startup] = probes(c);
        let probed = probes(c).iter().any(Option::is_some);
        Slot { role, name: name.to_owned(), image, probed, startup }
    };
    in_order(spec).into_iter().map(slot).collect()
}

/// Says of a template which of a pod's containers are probed.
pub(super) fn tell_of_probes(spec: &RawPodSpec, template: &mut PodTemplate) {
    for ((_, raw), slot) in in_order(spec).into_iter().zip(slots(spec)) {
        let told = probes(raw);
        if slot.is_main() {
            [template.readiness_probe, template.liveness_probe, template.startup_probe] = told;
        } else if slot.probed && !slot.ends() {
            let own = slot.of_template(template);
            [own.readiness_probe, own.liveness_probe, own.startup_probe] = told;
        }
    }
}

/// The container whose probe a pod is taken to wait for to be Ready: the main one, or else the first that has one.
pub(super) fn waited_for(spec: &RawPodSpec) -> Option<&RawContainer> {
    let waits = |c: &RawContainer| c.readiness_probe.is_some() || c.startup_probe.is_some();
    let all = || in_order(spec).into_iter().filter(|(_, c)| waits(c));
    all().find(|(role, _)| role.is_none()).or_else(|| all().next()).map(|(_, c)| c)
}

/// Says in a template when that one serves, and takes its liveness probe away where that is `unlike` what was seen; whether the
/// template has one.
pub(super) fn tell_when_served(
    template: &mut PodTemplate,
    serves: Option<&HowLong>,
    unlike: bool,
) -> bool {
    if template.readiness_probe.is_some() || template.startup_probe.is_some() {
        template.serves_after = serves.cloned();
        template.liveness_probe = template.liveness_probe.filter(|_| !unlike);
        return true;
    }
    let mut beside = template.init_containers.iter_mut().chain(&mut template.containers);
    let waits = |c: &&mut Container| c.readiness_probe.is_some() || c.startup_probe.is_some();
    let Some(own) = beside.find(waits) else { return false };
    own.serves_after = serves.cloned();
    own.liveness_probe = own.liveness_probe.filter(|_| !unlike);
    true
}

/// Says in a template that a container never serves: not for as long as any run lasts.
pub(super) fn tell_unserved(template: &mut PodTemplate, slot: Option<&Slot>) {
    let serves = match slot {
        None => &mut template.serves_after,
        Some(slot) => &mut slot.of_template(template).serves_after,
    };
    *serves = Some(HowLong::Always(micros(NEVER_US)));
}

/// Whether a container of a template never serves.
pub(super) fn is_unserved(template: &PodTemplate) -> bool {
    let beside = template.init_containers.iter().chain(&template.containers);
    let mut all = [&template.serves_after].into_iter().chain(beside.map(|c| &c.serves_after));
    all.any(|serves| *serves == Some(HowLong::Always(micros(NEVER_US))))
}

/// Takes all probes out of a template for which a pod waits to be Ready.
pub(super) fn leave_out_probes(template: &mut PodTemplate) {
    (template.readiness_probe, template.startup_probe) = (None, None);
    for list in [&mut template.init_containers, &mut template.containers] {
        for own in list.iter_mut() {
            (own.readiness_probe, own.startup_probe) = (None, None);
        }
        list.retain(|own| own.liveness_probe.is_some() || own.ends.is_some());
    }
}

/// Writes into a template what is known of the containers beside the main one. How a pod's own ends goes before.
pub(super) fn tell_of_others(template: &mut PodTemplate, beside: &[Beside]) {
    let is_unserved = is_unserved(template);
    let is_told = |b: &&Beside| b.ends.is_some() || b.image.is_some() || b.waited.is_some();
    for of in beside.iter().filter(is_told) {
        let own = of.slot.of_template(template);
        own.ends = own.ends.take().or_else(|| of.ends.clone());
        own.image.clone_from(&of.image);
        let waited = of.waited.filter(|_| !is_unserved);
        if let (Some(waited), Some(probe)) = (waited, &of.slot.startup) {
            own.serves_after = Some(HowLong::Always(micros(waited - half_a_period(probe))));
        }
    }
    sort(template, &beside.iter().map(|b| &b.slot).collect::<Vec<_>>());
}

/// Of a pod that is starting says which container's turn it is where that one is told of, and how much of its start is over
/// where no init container is.
pub(super) fn tell_whose_turn(group: &mut PodGroup) {
    let inits: Vec<&str> = group.init_containers.iter().map(|c| &*c.name).collect();
    let Some(PodStart::Starting { waited, turn, ran }) = &mut group.start else { return };
    let told = |name: &mut String| inits.contains(&&**name) || name == MAIN && !inits.is_empty();
    match turn.as_mut().is_some_and(told) {
        true => *waited = None,
        false => (*turn, *ran) = (None, None),
    }
}

/// Has the containers of a template stand in this order.
pub(super) fn sort(template: &mut PodTemplate, slots: &[&Slot]) {
    for list in [&mut template.init_containers, &mut template.containers] {
        list.sort_by_key(|c| slots.iter().position(|slot| slot.name == c.name));
    }
}

/// The statuses of a pod's containers, each with the container beside the main one that it is of; what has no name is taken for
/// the main one.
pub(super) fn statuses<'s>(
    spec: &RawPodSpec,
    status: &'s RawPodStatus,
) -> Vec<(Option<Slot>, &'s RawContainerStatus)> {
    let raw = in_order(spec);
    let slots = slots(spec);
    let named = |name: &str| raw.iter().position(|(_, c)| !name.is_empty() && c.name == name);
    let of = |at: Option<usize>| slots.get(at?).filter(|slot| !slot.is_main()).cloned();
    let inits = status.init_container_statuses.iter().enumerate();
    let inits = inits.map(|(i, c)| (of(named(&c.name).or(Some(i))), c));
    let others = status.container_statuses.iter().map(|c| (of(named(&c.name)), c));
    inits.chain(others).collect()
}

/// How long a container had run, where it ended by itself, in microseconds.
pub(super) fn ran(last: &RawTerminated) -> Option<i64> {
    let known = |text: &str| parse_time(text).filter(|t| YEARS.contains(t));
    let by_itself = !matches!(&*last.reason, "Unknown" | "ContainerStatusUnknown");
    let ran = known(&last.finished_at)?.us_since(known(&last.started_at)?);
    (by_itself && (0..=RAN_MAX_US).contains(&ran)).then_some(ran)
}

/// How long each init container of a pod took that is no sidecar, where all of them have ended well at once: statuses stand
/// in the order of the spec (`SortInitContainerStatuses`).
pub(super) fn inits(spec: &RawPodSpec, status: &RawPodStatus) -> Option<Vec<i64>> {
    let (all, statuses) = (&spec.init_containers, &status.init_container_statuses);
    let ended = all.iter().zip(statuses).filter(|(c, _)| c.restart_policy != "Always");
    let took = ended.map(|(_, status)| {
        let last = status.state.terminated.as_ref()?;
        ran(last).filter(|_| last.exit_code == 0 && status.restart_count == 0)
    });
    (all.len() == statuses.len()).then(|| took.collect()).flatten()
}

/// For how long the others of a pod waited for each sidecar that has a startup probe, by its name: until the first of those after it
/// was started. None was started twice.
pub(super) fn waits_for_sidecars(pod: &RawPod) -> Vec<(String, i64)> {
    let began = |c: &RawContainerStatus| {
        let runs = c.state.running.as_ref().map(|r| &r.started_at);
        let at = runs.or(c.state.terminated.as_ref().map(|t| &t.started_at))?;
        parse_time(at).filter(|t| c.restart_count == 0 && YEARS.contains(t))
    };
    let all = statuses(&pod.spec, &pod.status);
    let of = |i: usize| {
        let slot = all[i].0.as_ref().filter(|s| s.role == Some(Role::Sidecar))?;
        let next = all[i + 1..].iter().filter_map(|(_, c)| began(c)).min()?;
        let waited = next.us_since(began(all[i].1)?);
        slot.startup.map(|_| (slot.name.clone(), waited)).filter(|_| waited <= RAN_MAX_US)
    };
    (0..all.len()).filter_map(of).collect()
}
