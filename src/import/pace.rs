//! How long the pods of each workload took to start and to stop, as far as an export shows it.
//!
//! A start is the time from a pod's condition PodScheduled to its condition Ready, of pods that never
//! restarted; of pods with disks from their condition PodReadyToStartContainers, before which a kubelet
//! waits until they are attached and mounted (`SyncPod`, `WaitForAttachAndMount`); where that is not there,
//! as up to 1.28, nothing is known of them. Of a workload without such pods it is the time between the
//! events Scheduled and Started, after which readiness may still have taken a while. A stop is the time from the begin of
//! a pod's deletion to the end of its containers, of pods that are Terminating; or, of a StatefulSet,
//! from the event Killing to the event Scheduled of the next pod of that name, which is made once the
//! first is gone. Of a workload of which many were seen they are handed over as they are, so that a
//! run draws among them; of a few the median counts. Times of the API have whole seconds: what comes
//! to less than one is not known, or where a pull or a probe is taken off it, half of one. Where a pod
//! waits for a readiness or startup probe, a start is told apart: from PodScheduled to `startedAt` of that container, and from then on until it serves, for
//! which half a period is taken off that the probe took to find out on average; where `startedAt` is
//! not there, the start is that up to Ready, and the probe is left out. Where events say how long pulls took of the images of
//! pods, these are set apart, too, and starts are those of which it is known what the pulls took of them: of several containers
//! each tells of its image when it starts, in their order. So are init containers, by the statuses of pods.

use super::containers::{self, Beside, Slot, at_least_less};
use super::disks::Disks;
use super::ends::{EndsSeen, ran_so_far};
use super::event::PodStep;
use super::fit::{ENOUGH, fitted, less, quantile};
use super::pod::{PodShape, RawPod};
use super::prelude::*;
use super::starts::{START_MAX_US, kills, period_of, ran_of, start_of, stop_of};
use super::workload::RawWorkload;
use crate::language::{Ends, Image, Probe};

/// `spec.terminationGracePeriodSeconds` where none is given.
const GRACE_S: i64 = 30;

/// What was seen of the pods of one workload, in microseconds.
#[derive(Default)]
struct Seen {
    ready: Vec<i64>,
    started: Vec<i64>,
    /// Of those that are `ready`, where that is known: until the container ran that they wait for, and from then on.
    ran: Vec<(i64, i64)>,
    stopped: Vec<i64>,
    /// Pulls of images before the first container started, with their wait; and without it, of each container by its place in
    /// the order in which they start.
    pulls: Vec<i64>,
    took: Vec<Vec<i64>>,
    /// How long each init container took that is no sidecar.
    inits: Vec<Vec<i64>>,
    /// Starts of which it is known what the pull took of them, without it: as in `ready`, `started` and `ran`.
    apart: [Vec<i64>; 2],
    ran_apart: Vec<(i64, i64)>,
    /// Their disks are attached to their nodes first.
    attaches: bool,
    /// How their containers ended.
    ends: EndsSeen,
    /// Starts for which the node had the image.
    present: usize,
}

/// Of what waits for a probe: from its binding to the start of its containers, from then on until it serves, and the longest
/// that one was seen to take for that, in microseconds.
type Served = (HowLong, Option<HowLong>, i64);

/// How long the pods of a workload take.
#[derive(Clone, Default)]
struct Takes {
    start: Option<HowLong>,
    stop: Option<HowLong>,
    /// Of what waits for a probe: from its binding to the start of its containers, and from then on until it serves.
    served: Option<Served>,
    /// How their containers end by themselves.
    ends: Option<Ends>,
    /// Their time to start has that of their probe in it.
    included: bool,
    /// Their liveness probe would have ended containers that were seen to start.
    unlike: bool,
    /// The image that their main container pulls.
    image: Option<Image>,
    /// Their other containers.
    beside: Vec<Beside>,
}

/// How long the pods of each workload take.
#[derive(Default)]
pub(super) struct Pace {
    /// By `Kind/namespace/name`; those of a Deployment stand under its own name and under those of its ReplicaSets.
    takes: BTreeMap<String, Takes>,
    /// What is told of them: `shop/web 12s (median of 3)`.
    pub(super) told: [Vec<String>; 2],
    /// What is told of how containers end.
    pub(super) told_of_ends: Vec<String>,
    /// Workloads of which nothing is known.
    pub(super) unknown: [Vec<String>; 2],
    /// Whose pods those of each workload are in the end.
    top: BTreeMap<String, String>,
}

impl Pace {
    pub(super) fn of(
        pods: &Named<RawPod>,
        workloads: &Named<RawWorkload>,
        events: &BTreeMap<String, Vec<(Stamp, PodStep)>>,
        disks: &Disks,
        zero: Stamp,
    ) -> Self {
        // Whose pods they are in the end: a ReplicaSet's those of its Deployment.
        let with_top = |w: &RawWorkload| {
            let deployment = |d| format!("Deployment/{}/{d}", w.namespace);
            (w.full_name(), w.owner().map_or_else(|| w.full_name(), deployment))
        };
        let top: BTreeMap<String, String> = workloads.iter().map(with_top).collect();
        let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
        let mut graces: BTreeMap<String, i64> = BTreeMap::new();
        let mut probed: BTreeMap<&str, i64> = BTreeMap::new();
        let mut alive: BTreeMap<&str, Probe> = BTreeMap::new();
        for pod in pods.iter() {
            let grace = pod.spec.termination_grace_period_seconds;
            graces.insert(pod.full_name(), grace.unwrap_or(GRACE_S));
            let Some(top) = owner_of(pod).and_then(|owner| top.get(&owner)) else { continue };
            probed.extend(period_of(pod).map(|period| (top.as_str(), period)));
            // A liveness probe waits for the startup probe.
            let waits = containers::waited_for(&pod.spec).filter(|c| c.startup_probe.is_none());
            let liveness = waits.and_then(|c| containers::probe(&c.liveness_probe));
            alive.extend(liveness.map(|probe| (top.as_str(), probe)));
            let seen = seen.entry(top).or_default();
            seen.attaches |= disks.attaches(pod);
            seen.by_pod(pod, events.get(&pod.full_name()));
            seen.ends.add(pod, zero, top.starts_with("Job/"));
        }
        let slots = slots_of(pods, workloads, &top);
        for (pod, steps) in events {
            let Some(owner) = maker_of(pod, &top) else { continue };
            let is_set = owner.starts_with("StatefulSet/");
            let all = slots.get(&top[owner]).map_or(1, Vec::len);
            let grace = is_set.then_some(graces.get(pod).copied().unwrap_or(GRACE_S));
            seen.entry(&top[owner]).or_default().by_events(steps, grace, all);
        }
        let mut pace = Pace::default();
        for (name, mut seen) in seen {
            let slots = slots.get(name).map_or(&[][..], Vec::as_slice);
            let images = seen.images(slots);
            let (beside, after) =
                seen.beside(slots, images.as_ref().map(|(images, _)| &images[..]));
            let spans = if seen.ready.is_empty() { &mut seen.started } else { &mut seen.ready };
            let apart = images.is_some() || !after.is_empty();
            let start = fitted(spans).or_else(|| apart.then(less));
            let stop = fitted(&mut seen.stopped);
            let short = short(name);
            let mut takes = Takes::default();
            if let Some((start, told)) = start {
                takes.start = Some(start);
                let served = probed.get(name).map(|period| seen.until_served(*period));
                let apart = match &served {
                    None => "",
                    Some(Some(_)) => ", with its probe, which is taken apart from it",
                    Some(None) if seen.ready.is_empty() => ", without its probe",
                    Some(None) => {
                        ", with its probe, which is left out as it is not known when containers started"
                    }
                };
                let longest = served.as_ref().and_then(|s| s.as_ref()).map_or(0, |s| s.2);
                takes.unlike = alive.get(name).is_some_and(|probe| kills(probe, longest));
                let left_out = match takes.unlike {
                    true => {
                        ", without its liveness probe, which would have ended containers that were seen to start"
                    }
                    false => "",
                };
                let pulls = match &images {
                    Some((_, told)) => format!(", beside {told}{}", seen.of_present(", ")),
                    None => seen.of_pulls(),
                };
                pace.told[0].push(format!("{short} {told}{apart}{left_out}{pulls}{after}"));
                let main = slots.iter().position(Slot::is_main);
                let images = images.map(|(images, _)| images).unwrap_or_default();
                takes.image = main.and_then(|main| images.get(main).cloned().flatten());
                takes.beside = beside;
                takes.included = matches!(served, Some(None)) && !seen.ready.is_empty();
                takes.served = served.flatten();
            }
            if let Some((stop, told)) = stop {
                takes.stop = Some(stop);
                pace.told[1].push(format!("{short} {told}"));
            }
            if let Some((ends, told)) = seen.ends.fit() {
                takes.ends = Some(ends);
                pace.told_of_ends.push(format!("{short} {told}"));
            }
            let alike = top.iter().filter(|(_, t)| *t == name);
            pace.takes.extend(alike.map(|(n, _)| (n.clone(), takes.clone())));
        }
        Self { top, ..pace }
    }

    /// The names of the images that are pulled in the run.
    pub(super) fn images(&self) -> BTreeSet<String> {
        let own = |takes: &Takes| -> Vec<String> {
            let beside = takes.beside.iter().filter_map(|b| b.image.as_ref());
            takes.image.iter().chain(beside).map(|image| image.name.clone()).collect()
        };
        self.takes.values().flat_map(own).collect()
    }

    /// Says how large images are.
    pub(super) fn set_sizes(&mut self, sizes: &BTreeMap<String, i64>) {
        let all = self.takes.values_mut().flat_map(|takes| {
            let beside = takes.beside.iter_mut().filter_map(|b| b.image.as_mut());
            takes.image.iter_mut().chain(beside)
        });
        for image in all {
            image.size = sizes.get(&image.name).map(|size| size.to_string().into());
        }
    }

    /// Writes into a pod how its containers end, where its workload's tell that and it is not known of its own.
    pub(super) fn tell_of_ends(&self, pod: &RawPod, shape: &mut PodShape, zero: Stamp) {
        let ends = &mut shape.template.ends;
        let open = ends.is_none() && !shape.start.is_over();
        if let Some(owner) = owner_of(pod).filter(|_| open) {
            let ran = ran_so_far(pod, zero);
            *ends = self.of_workload(&owner).ends.map(|of_all| Ends { ran, ..of_all });
        }
    }

    /// Writes into workloads and pods how long these take, and notes of whom nothing is known.
    pub(super) fn set(&mut self, workloads: &mut [Workload], pods: &mut [PodGroup]) {
        let full = |kind: &str, namespace: &Option<String>, name: &str| {
            format!("{kind}/{}/{name}", namespace.as_deref().unwrap_or("default"))
        };
        for workload in workloads {
            let kind = workload.kind().as_str();
            let group = workload.group_mut();
            let name = full(kind, &group.namespace, group.name.as_deref().unwrap_or_default());
            let takes = self.of_workload(&name);
            takes.tell(&mut group.template);
            group.template.ends = takes.ends;
            let known = [&group.template.pod_start, &group.template.pod_stop];
            let is_own = self.top.get(&name).is_none_or(|top| *top == name);
            for (known, unknown) in known.into_iter().zip(&mut self.unknown) {
                unknown.extend((is_own && known.is_none()).then(|| short(&name).to_owned()));
            }
        }
        for group in pods {
            let Some(owner) = &group.owner else { continue };
            let name = full(&owner.kind, &group.namespace, &owner.name);
            let takes = self.of_workload(&name);
            let mut template = group.template();
            takes.tell(&mut template);
            *group = std::mem::take(group).with_template(template);
        }
    }

    fn of_workload(&self, name: &str) -> Takes {
        self.takes.get(name).cloned().unwrap_or_default()
    }
}

impl Takes {
    /// Writes into a template how long its pods take, with a start parted from what its probe takes.
    fn tell(&self, template: &mut PodTemplate) {
        template.pod_start.clone_from(&self.start);
        template.pod_stop.clone_from(&self.stop);
        template.image.clone_from(&self.image);
        if self.included {
            containers::leave_out_probes(template);
        } else if let Some((start, serves, _)) = &self.served
            && containers::tell_when_served(template, serves.as_ref(), self.unlike)
        {
            template.pod_start = Some(start.clone());
        }
        containers::tell_of_others(template, &self.beside);
    }
}

impl Seen {
    /// What a pod's status tells, and of its image what its events do.
    fn by_pod(&mut self, pod: &RawPod, steps: Option<&Vec<(Stamp, PodStep)>>) {
        let attaches = self.attaches;
        self.ready.extend(start_of(pod, attaches));
        let ran = ran_of(pod, attaches);
        self.ran.extend(ran.map(|(_, ran)| ran));
        self.stopped.extend(stop_of(pod));
        for (i, took) in containers::inits(&pod.spec, &pod.status).into_iter().flatten().enumerate()
        {
            self.inits.resize_with(self.inits.len().max(i + 1), Vec::new);
            self.inits[i].push(at_least_less(took));
        }
        if let Some(pull) = steps.and_then(|steps| last_pull(steps, None)) {
            self.apart[0].extend(start_of(pod, attaches).map(|took| (took - pull).max(0)));
            // Those that start later pull theirs meanwhile.
            let pull = |at| steps.and_then(|steps| last_pull(steps, Some(at))).unwrap_or(0);
            let apart = |(at, (ran, rest)): (_, (i64, i64))| ((ran - pull(at)).max(0), rest);
            self.ran_apart.extend(ran.map(apart));
        }
    }

    /// What the events of one pod's name tell, of one life after the other; `grace` of a pod whose
    /// next life begins when the one before is over; `all`: how many containers it has.
    fn by_events(&mut self, steps: &[(Stamp, PodStep)], grace: Option<i64>, all: usize) {
        let (mut scheduled, mut killing, mut pulled) = (None, None, None);
        let mut place = None;
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
                    if let Some(of) = at.and_then(|at: usize| self.took.get_mut(at)) {
                        of.extend(Some(*took).filter(|t| *t > 0));
                    }
                    pulled = Some(pulled.unwrap_or(0) + waited);
                }
                PodStep::Started => {
                    let took = scheduled.take().map(|s| at.us_since(s));
                    let took = took.filter(|t| *t <= START_MAX_US && !self.attaches);
                    self.started.extend(took);
                    self.apart[1].extend(took.zip(pulled).map(|(t, pull)| (t - pull).max(0)));
                    match pulled.take().filter(|_| took.is_some()) {
                        Some(0) => self.present += 1,
                        pull => self.pulls.extend(pull),
                    }
                }
                PodStep::Killing => _ = killing.get_or_insert(*at),
            }
        }
    }

    /// The images of containers, where it is known how long their pulls take and what starts take without these, and what is
    /// told of the pulls. Starts are those, then.
    fn images(&mut self, slots: &[Slot]) -> Option<(Vec<Option<Image>>, String)> {
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
            let (pull, text) = fitted(took)?;
            told.push(if slots.len() == 1 { text } else { format!("{name} {text}") });
            Some(Image { name, pull, check: None, size: None, image_pull_policy })
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
    fn beside(
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
            let image = image.filter(|_| ends.is_some() || !slot.ends());
            all.push(Beside { slot: slot.clone(), ends, image });
        }
        let told = match told.is_empty() {
            true => String::new(),
            false => format!(", after its init containers {}", told.join(", ")),
        };
        (all, told)
    }

    /// From binding to the start of containers, and from then on until they serve, of what is probed once in such a period.
    fn until_served(&self, period: i64) -> Option<Served> {
        let mut ran: Vec<i64> = self.ran.iter().map(|(ran, _)| *ran).collect();
        let mut serves: Vec<i64> =
            self.ran.iter().map(|(_, took)| (took - period / 2).max(0)).collect();
        let start = fitted(&mut ran).map(|(takes, _)| takes);
        let start = start.or_else(|| (!ran.is_empty()).then(|| less().0))?;
        let longest = serves.iter().copied().max().unwrap_or(0);
        Some((start, fitted(&mut serves).map(|(takes, _)| takes), longest))
    }

    /// How often the node had the image, behind something.
    fn of_present(&self, before: &str) -> String {
        match self.present {
            0 => String::new(),
            1 => format!("{before}on the node already once"),
            n => format!("{before}on the node already {n} times"),
        }
    }

    /// What is told of the pulls of images.
    fn of_pulls(&mut self) -> String {
        let Some(took) = quantile(&mut self.pulls, 0.5) else {
            return self.of_present(", with the image ");
        };
        let (n, there) = (self.pulls.len(), self.of_present(", "));
        format!(", of which the image's pull {} (median of {n}{there})", micros(took))
    }
}

/// The containers of each workload's pods, by whose they are in the end: as its template has them, or pods that have more.
fn slots_of(
    pods: &Named<RawPod>,
    workloads: &Named<RawWorkload>,
    top: &BTreeMap<String, String>,
) -> BTreeMap<String, Vec<Slot>> {
    let mut slots = BTreeMap::new();
    for workload in workloads.iter() {
        let name = workload.full_name();
        let Some(top) = top.get(&name) else { continue };
        let own = containers::slots(&workload.spec.template.spec);
        if *top == name {
            slots.insert(name, own);
        } else {
            slots.entry(top.clone()).or_insert(own);
        }
    }
    for pod in pods.iter() {
        let top = owner_of(pod).and_then(|owner| top.get(&owner));
        if let Some(known) = top.and_then(|top| slots.get_mut(top))
            && known.len() < pod.spec.containers.len() + pod.spec.init_containers.len()
        {
            *known = containers::slots(&pod.spec);
        }
    }
    slots
}

/// How long the last life of a pod's name waited for its images, where events say so: for those that were there by then.
fn last_pull(steps: &[(Stamp, PodStep)], by: Option<Stamp>) -> Option<i64> {
    let last = steps.iter().rposition(|(_, step)| *step == PodStep::Scheduled).unwrap_or(0);
    // `startedAt` has whole seconds.
    let there = |(at, _): &&(Stamp, PodStep)| by.is_none_or(|by| at.us_since(by) < SECOND_US);
    steps[last..].iter().filter(there).fold(None, |sum, (_, step)| match step {
        PodStep::Pulled(_, waited) => Some(sum.unwrap_or(0) + waited),
        _ => sum,
    })
}

/// `shop/web` of `Deployment/shop/web`.
fn short(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}

/// `Kind/namespace/name` of a pod's controlling owner.
fn owner_of(pod: &RawPod) -> Option<String> {
    let owner = pod.meta.controller()?;
    Some(format!("{}/{}/{}", owner.kind, pod.namespace, owner.name))
}

/// The workload that made a pod, by the pod's name: `web-7d4b9c-x2x9k`, `db-0`.
fn maker_of<'a>(pod: &str, workloads: &'a BTreeMap<String, String>) -> Option<&'a String> {
    let (owner, _) = pod.rsplit_once('-')?;
    ["ReplicaSet", "StatefulSet", "DaemonSet", "Job"]
        .iter()
        .find_map(|kind| Some(workloads.get_key_value(&format!("{kind}/{owner}"))?.0))
}
