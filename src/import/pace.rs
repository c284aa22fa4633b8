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
//! each tells of its image when it starts, in their order. So are init containers, by the statuses of pods, with what a run takes
//! beside them from one container to the next.

use super::containers::{self, Beside, Slot};
use super::disks::Disks;
use super::ends::ran_so_far;
use super::event::PodStep;
use super::fit::{fitted, less};
use super::hooks::{self, SLEEPS};
use super::lines::some;
use super::pod::PodShape;
use super::prelude::*;
use super::seen::{Seen, Served, kills};
use super::workload::RawWorkload;

/// What is told of pods whose hooks are not known to sleep.
const UNKNOWN_HOOK: &str = " (with a preStop hook of unknown length)";

/// How long the pods of a workload take.
#[derive(Clone, Default)]
struct Takes {
    start: Option<HowLong>,
    stop: Option<HowLong>,
    /// They have preStop hooks.
    hooked: bool,
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
    /// Those that never serve in any of them, of the main one none.
    unserved: Vec<Option<Slot>>,
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
        for pod in pods.iter() {
            graces.insert(pod.full_name(), hooks::grace(&pod.spec));
            let Some(top) = owner_of(pod).and_then(|owner| top.get(&owner)) else { continue };
            let seen = seen.entry(top).or_default();
            seen.attaches |= disks.attaches(pod);
            seen.probes_of(pod);
            seen.inits_of(pod);
            seen.ends.add(pod, zero, top.starts_with("Job/"));
        }
        let slots = slots_of(pods, workloads, &top);
        for (name, seen) in &mut seen {
            seen.keep_unknown(slots.get(*name).map_or(&[][..], Vec::as_slice));
        }
        for pod in pods.iter() {
            let Some(top) = owner_of(pod).and_then(|owner| top.get(&owner)) else { continue };
            let seen = seen.entry(top).or_default();
            seen.by_pod(pod, events.get(&pod.full_name()));
        }
        for (pod, steps) in events {
            let Some(owner) = maker_of(pod, &top) else { continue };
            let is_set = owner.starts_with("StatefulSet/");
            let all = slots.get(&top[owner]).map_or(1, Vec::len);
            let grace = is_set.then_some(graces.get(pod).copied().unwrap_or(hooks::GRACE_S));
            seen.entry(&top[owner]).or_default().by_events(steps, grace, all);
        }
        for workload in workloads.iter() {
            let (name, hook) = (workload.full_name(), hooks::longest(workload.pod_spec()));
            // Of a Deployment's own template, where that is there.
            if hook.is_some() && (top[&name] == name || !workloads.contains(&top[&name])) {
                seen.entry(&top[&name]).or_default().hook = hook;
            }
        }
        let mut pace = Pace::default();
        for (name, mut seen) in seen {
            let slots = slots.get(name).map_or(&[][..], Vec::as_slice);
            let (mut takes, told) = Takes::of_start(&mut seen, slots);
            let short = short(name);
            pace.told[0].extend(told.map(|told| format!("{short} {told}")));
            takes.hooked = seen.hook.is_some();
            if let Some((stop, told)) = seen.stop() {
                takes.stop = Some(stop);
                pace.told[1].push(format!("{short} {told}"));
            }
            let told = takes.set_ends(&mut seen);
            let told = (!told.is_empty()).then(|| format!("{short} {}", told.join(", ")));
            pace.told_of_ends.extend(told);
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
            let hooked = if takes.hooked { UNKNOWN_HOOK } else { "" };
            let all = known.into_iter().zip(&mut self.unknown).zip(["", hooked]);
            for ((known, unknown), more) in all {
                unknown.extend((is_own && known.is_none()).then(|| short(&name).to_owned() + more));
            }
        }
        for group in pods {
            if let Some(owner) = &group.owner {
                let name = full(&owner.kind, &group.namespace, &owner.name);
                let takes = self.of_workload(&name);
                let mut template = group.template();
                takes.tell(&mut template);
                *group = std::mem::take(group).with_template(template);
            }
            containers::tell_whose_turn(group);
        }
    }

    fn of_workload(&self, name: &str) -> Takes {
        self.takes.get(name).cloned().unwrap_or_default()
    }
}

impl Takes {
    /// How long the pods of a workload take to start, and what is told of that.
    fn of_start(seen: &mut Seen, slots: &[Slot]) -> (Self, Option<String>) {
        let images = seen.images(slots);
        let (beside, after) = seen.beside(slots, images.as_ref().map(|(images, _)| &images[..]));
        seen.take_off(&beside);
        let spans = if seen.ready.is_empty() { &mut seen.started } else { &mut seen.ready };
        // Spans that came to nothing are known, other than none.
        let apart = !spans.is_empty() && (images.is_some() || !after.is_empty());
        let start = fitted(spans).or_else(|| apart.then(less));
        let mut text = None;
        let mut takes = Takes { beside, ..Takes::default() };
        if let Some((start, told)) = start {
            takes.start = Some(start);
            let served = seen.period.map(|period| seen.until_served(period));
            let apart = match &served {
                None => "",
                Some(Some(_)) => ", with its probe, which is taken apart from it",
                Some(None) if seen.ready.is_empty() => ", without its probe",
                Some(None) => {
                    ", with its probe, which is left out as it is not known when containers started"
                }
            };
            let longest = served.as_ref().and_then(|s| s.as_ref()).map_or(0, |s| s.2);
            takes.unlike = seen.alive.is_some_and(|probe| kills(&probe, longest));
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
            text = Some(format!("{told}{apart}{left_out}{pulls}{after}"));
            let main = slots.iter().position(Slot::is_main);
            let images = images.map(|(images, _)| images).unwrap_or_default();
            takes.image = main.and_then(|main| images.get(main).cloned().flatten());
            takes.included = matches!(served, Some(None)) && !seen.ready.is_empty();
            takes.served = served.flatten();
        } else if !after.is_empty() {
            // Nobody saw a whole start.
            text = Some(after.replacen(", after", "only by", 1));
        }
        (takes, text)
    }

    /// How its containers end by themselves, and what is told of that.
    fn set_ends(&mut self, seen: &mut Seen) -> Vec<String> {
        let (ends, main) = seen.ends.fit("").unzip();
        self.ends = ends;
        self.unserved = seen.ends.unserved.take().unwrap_or_default();
        let mut all: Vec<String> = main.into_iter().collect();
        for own in &mut self.beside {
            let name = &own.slot.name;
            if let Some((ends, told)) = seen.ends.fit(name) {
                own.ends = Some(ends);
                all.push(format!("container {name} {told}"));
            }
        }
        all
    }

    /// Writes into a template how long its pods take, with a start parted from what its probe takes.
    fn tell(&self, template: &mut PodTemplate) {
        template.pod_start.clone_from(&self.start);
        template.pod_stop = self.stop.clone().or(template.pod_stop.take());
        template.image.clone_from(&self.image);
        for slot in &self.unserved {
            containers::tell_unserved(template, slot.as_ref());
        }
        if containers::is_unserved(template) {
            // What others take until they serve does not concern it.
        } else if self.included {
            containers::leave_out_probes(template);
        } else if let Some((start, serves, _)) = &self.served
            && containers::tell_when_served(template, serves.as_ref(), self.unlike)
        {
            template.pod_start = Some(start.clone());
        }
        containers::tell_of_others(template, &self.beside);
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

/// What a run assumes of how long pods take: of which workloads an export shows so little that the median stands for all, by what
/// was told of their pods' starts and stops, and what it takes their preStop hooks for.
pub(super) fn notes(
    [starts, stops]: &[Vec<String>; 2],
    [_, unknown]: &[Vec<String>; 2],
) -> Vec<String> {
    let of_few = |what: &str| {
        format!(
            "all pods of a workload take as long to {what} as the median of the few that the export shows"
        )
    };
    let all = [
        (of_few("start"), starts, "(median of"),
        (of_few("stop"), stops, "(median of"),
        ("pods stop a second after the sleep of their preStop hooks".to_owned(), stops, SLEEPS),
        ("preStop hooks take no time".to_owned(), unknown, UNKNOWN_HOOK),
    ];
    let told = all.into_iter().filter_map(|(what, all, by)| {
        let few = some(all.iter().filter(|told| told.contains(by)));
        (!few.is_empty()).then(|| format!("Assumed: {what}: {few}."))
    });
    told.collect()
}
