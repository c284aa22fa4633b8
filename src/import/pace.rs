//! How long the pods of each workload took to start and to stop, as far as an export shows it.
//!
//! A start is the time from a pod's condition PodScheduled to its condition Ready, of pods that never
//! restarted; of a workload without such pods it is the time between the events Scheduled and
//! Started, after which readiness may still have taken a while. A stop is the time from the begin of
//! a pod's deletion to the end of its containers, of pods that are Terminating; or, of a StatefulSet,
//! from the event Killing to the event Scheduled of the next pod of that name, which is made once the
//! first is gone. Of a workload of which many were seen they are handed over as they are, so that a
//! run draws among them; of a few the median counts. Times of the API have whole seconds: what comes
//! to less than one is not known. Where a pod waits for a readiness or startup probe, a start is told
//! apart: from PodScheduled to `startedAt` of its containers, and from then on until it serves, for
//! which half a period is taken off that the probe took to find out on average; where `startedAt` is
//! not there, the start is that up to Ready, and the probe is left out. What the pull of an image took of a start is told, and not set
//! apart: whether a node has an image is not simulated.

use super::ends::EndsSeen;
use super::event::PodStep;
use super::fit::{fitted, quantile};
use super::gathered::Named;
use super::object::RawContainerStatus;
use super::pod::RawPod;
use super::prelude::*;
use super::scheduling::{liveness_probe, readiness_probe, startup_probe};
use super::times::{SECOND_US, Stamp, micros, parse};
use super::workload::RawWorkload;
use crate::api::probe::RestartPolicy;
use crate::language::{Ends, HowLong, PodStart, Probe};

/// What takes longer was no start, but a pod that became Ready again.
const START_MAX_US: i64 = 15 * 60 * SECOND_US;

/// `spec.terminationGracePeriodSeconds` where none is given.
const GRACE_S: i64 = 30;

/// What was seen of the pods of one workload, in microseconds.
#[derive(Default)]
struct Seen {
    ready: Vec<i64>,
    started: Vec<i64>,
    /// Of those that are `ready`, where that is known: until their containers ran, and from then on.
    ran: Vec<(i64, i64)>,
    stopped: Vec<i64>,
    /// Pulls of images before the first container started.
    pulls: Vec<i64>,
    /// How their containers ended.
    ends: EndsSeen,
    /// Starts for which the node had the image.
    present: usize,
}

/// Of what waits for a probe: from its binding to the start of its containers, from then on until it serves, and the longest
/// that one was seen to take for that, in microseconds.
type Served = (HowLong, Option<HowLong>, i64);

/// How long the pods of each workload take, by `Kind/namespace/name`; those of a Deployment stand
/// under its own name and under those of its ReplicaSets.
#[derive(Default)]
pub(super) struct Pace {
    starts: BTreeMap<String, HowLong>,
    stops: BTreeMap<String, HowLong>,
    /// Of what waits for a probe: from its binding to the start of its containers, and from then on until it serves.
    served: BTreeMap<String, Served>,
    /// How their containers end by themselves.
    ends: BTreeMap<String, Ends>,
    /// Workloads whose time to start has that of their probe in it.
    included: BTreeSet<String>,
    /// Workloads whose liveness probe would have ended containers that were seen to start.
    unlike: BTreeSet<String>,
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
        zero: Stamp,
    ) -> Self {
        // Whose pods they are in the end: a ReplicaSet's those of its Deployment.
        let top: BTreeMap<String, String> = workloads
            .iter()
            .map(|w| {
                let deployment = |d| format!("Deployment/{}/{d}", w.namespace);
                (w.full_name(), w.owner().map_or_else(|| w.full_name(), deployment))
            })
            .collect();
        let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
        let mut graces: BTreeMap<String, i64> = BTreeMap::new();
        let mut probed: BTreeMap<&str, i64> = BTreeMap::new();
        let mut alive: BTreeMap<&str, Probe> = BTreeMap::new();
        for pod in pods.iter() {
            let grace = pod.spec.termination_grace_period_seconds;
            graces.insert(pod.full_name(), grace.unwrap_or(GRACE_S));
            let Some(top) = owner_of(pod).and_then(|owner| top.get(&owner)) else { continue };
            if let Some(period) = period_of(pod) {
                probed.insert(top, period);
            }
            // A liveness probe waits for the startup probe.
            let liveness = liveness_probe(&pod.spec).filter(|_| startup_probe(&pod.spec).is_none());
            alive.extend(liveness.map(|probe| (top.as_str(), probe)));
            let seen = seen.entry(top).or_default();
            seen.ready.extend(start_of(pod));
            seen.ran.extend(ran_of(pod));
            seen.stopped.extend(stop_of(pod));
            seen.ends.add(pod, zero, top.starts_with("Job/"));
        }
        for (pod, steps) in events {
            let Some(owner) = maker_of(pod, &top) else { continue };
            let is_set = owner.starts_with("StatefulSet/");
            let seen = seen.entry(&top[owner]).or_default();
            let grace = graces.get(pod).copied().unwrap_or(GRACE_S);
            seen.by_events(steps, is_set.then_some(grace));
        }
        let mut pace = Pace::default();
        for (name, mut seen) in seen {
            let start = match seen.ready.is_empty() {
                true => fitted(&mut seen.started),
                false => fitted(&mut seen.ready),
            };
            let stop = fitted(&mut seen.stopped);
            let short = short(name);
            let alike = || top.iter().filter(|(_, t)| *t == name).map(|(n, _)| n.clone());
            if let Some((takes, told)) = start {
                pace.starts.extend(alike().map(|n| (n, takes.clone())));
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
                let unlike = alive.get(name).is_some_and(|probe| kills(probe, longest));
                let left_out = match unlike {
                    true => {
                        ", without its liveness probe, which would have ended containers that were seen to start"
                    }
                    false => "",
                };
                pace.told[0].push(format!("{short} {told}{apart}{left_out}{}", seen.of_pulls()));
                pace.unlike.extend(alike().filter(|_| unlike));
                match served {
                    Some(Some(served)) => pace.served.extend(alike().map(|n| (n, served.clone()))),
                    Some(None) if !seen.ready.is_empty() => pace.included.extend(alike()),
                    _ => {}
                }
            }
            if let Some((takes, told)) = stop {
                pace.stops.extend(alike().map(|n| (n, takes.clone())));
                pace.told[1].push(format!("{short} {told}"));
            }
            if let Some((ends, told)) = seen.ends.fit() {
                pace.ends.extend(alike().map(|n| (n, ends.clone())));
                pace.told_of_ends.push(format!("{short} {told}"));
            }
        }
        Self { top, ..pace }
    }

    /// Writes into workloads and pods how long these take, and notes of whom nothing is known.
    pub(super) fn set(&mut self, workloads: &mut [Workload], pods: &mut [PodGroup]) {
        let full = |kind: &str, namespace: &Option<String>, name: &str| {
            format!("{kind}/{}/{name}", namespace.as_deref().unwrap_or("default"))
        };
        let mut policies: BTreeMap<String, RestartPolicy> = BTreeMap::new();
        for workload in workloads {
            let kind = workload.kind().as_str();
            let group = workload.group_mut();
            let name = full(kind, &group.namespace, group.name.as_deref().unwrap_or_default());
            group.template.pod_start = self.starts.get(&name).cloned();
            group.template.pod_stop = self.stops.get(&name).cloned();
            group.template.ends = self.ends.get(&name).cloned();
            policies.extend(group.template.restart_policy.map(|policy| (name.clone(), policy)));
            self.set_probes(&name, &mut group.template);
            let known = [&group.template.pod_start, &group.template.pod_stop];
            let is_own = self.top.get(&name).is_none_or(|top| *top == name);
            for (known, unknown) in known.into_iter().zip(&mut self.unknown) {
                unknown.extend((is_own && known.is_none()).then(|| short(&name).to_owned()));
            }
        }
        for group in pods {
            let Some(owner) = &group.owner else { continue };
            let name = full(&owner.kind, &group.namespace, &owner.name);
            group.pod_start = self.starts.get(&name).cloned();
            group.pod_stop = self.stops.get(&name).cloned();
            let mut template = group.template();
            self.set_probes(&name, &mut template);
            let over = group.start.as_ref().is_some_and(PodStart::is_over);
            if let Some(ends) = self.ends.get(&name).filter(|_| template.ends.is_none() && !over) {
                template.ends = Some(ends.clone());
                template.restart_policy = policies.get(&name).copied();
            }
            let may_end = [&template.liveness_probe, &template.startup_probe];
            if may_end.iter().all(|p| p.is_none()) && template.ends.is_none() {
                template.restart_policy = None;
            }
            *group = std::mem::take(group).with_template(template);
        }
    }

    /// Parts a start from what its probe takes.
    fn set_probes(&self, name: &str, template: &mut PodTemplate) {
        template.liveness_probe = template.liveness_probe.filter(|_| !self.unlike.contains(name));
        if template.readiness_probe.is_none() && template.startup_probe.is_none() {
            return;
        }
        if self.included.contains(name) {
            (template.readiness_probe, template.startup_probe) = (None, None);
        } else if let Some((start, serves, _)) = self.served.get(name) {
            (template.pod_start, template.serves_after) = (Some(start.clone()), serves.clone());
        }
    }
}

impl Seen {
    /// What the events of one pod's name tell, of one life after the other; `grace` of a pod whose
    /// next life begins when the one before is over.
    fn by_events(&mut self, steps: &[(Stamp, PodStep)], grace: Option<i64>) {
        let (mut scheduled, mut killing, mut pulled) = (None, None, None);
        for (at, step) in steps {
            match step {
                PodStep::Scheduled => {
                    let took = killing.take().map(|k| at.us_since(k));
                    let within = |t: &i64| grace.is_some_and(|g| *t <= (g + 2) * SECOND_US);
                    self.stopped.extend(took.filter(within));
                    (scheduled, pulled) = (Some(*at), None);
                }
                PodStep::Pulled(took) => pulled = Some(pulled.unwrap_or(0) + took),
                PodStep::Started => {
                    let took = scheduled.take().map(|s| at.us_since(s));
                    self.started.extend(took.filter(|t| *t <= START_MAX_US));
                    match pulled.take().filter(|_| took.is_some()) {
                        Some(0) => self.present += 1,
                        pull => self.pulls.extend(pull),
                    }
                }
                PodStep::Killing => _ = killing.get_or_insert(*at),
            }
        }
    }
}

impl Seen {
    /// From binding to the start of containers, and from then on until they serve, of what is probed once in such a period.
    fn until_served(&self, period: i64) -> Option<Served> {
        let mut ran: Vec<i64> = self.ran.iter().map(|(ran, _)| *ran).collect();
        let mut serves: Vec<i64> =
            self.ran.iter().map(|(_, took)| (took - period / 2).max(0)).collect();
        let start = fitted(&mut ran).map(|(takes, _)| takes);
        // What comes to less than a second is the least that can be said.
        let start = start.or_else(|| (!ran.is_empty()).then(|| HowLong::Always(micros(1_000))))?;
        let longest = serves.iter().copied().max().unwrap_or(0);
        Some((start, fitted(&mut serves).map(|(takes, _)| takes), longest))
    }

    /// What is told of the pulls of images.
    fn of_pulls(&mut self) -> String {
        let there = match self.present {
            0 => String::new(),
            1 => "on the node already once".to_owned(),
            n => format!("on the node already {n} times"),
        };
        match (quantile(&mut self.pulls, 0.5), there) {
            (Some(took), there) => {
                let there = if there.is_empty() { there } else { format!(", {there}") };
                let n = self.pulls.len();
                format!(", of which the image's pull {} (median of {n}{there})", micros(took))
            }
            (None, there) if there.is_empty() => there,
            (None, there) => format!(", with the image {there}"),
        }
    }
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

/// How long a pod took to start, if it did so once.
fn start_of(pod: &RawPod) -> Option<i64> {
    if pod.status.container_statuses.iter().any(|c| c.restart_count > 0) {
        return None;
    }
    let took = pod.since("Ready")?.us_since(pod.since("PodScheduled")?);
    (0..=START_MAX_US).contains(&took).then_some(took)
}

/// How long a pod took to run, and from then on to be Ready, if it did so once.
fn ran_of(pod: &RawPod) -> Option<(i64, i64)> {
    let all = start_of(pod)?;
    let started = |c: &RawContainerStatus| parse(&c.state.running.as_ref()?.started_at);
    let statuses = &pod.status.container_statuses;
    let last = statuses.iter().map(started).collect::<Option<Vec<_>>>()?.into_iter().max()?;
    let ran = last.us_since(pod.since("PodScheduled")?);
    (0..=all).contains(&ran).then_some((ran, all - ran))
}

/// The period of the probe that a pod waits for, in microseconds: of the startup probe, with whose success the other is made at
/// once.
fn period_of(pod: &RawPod) -> Option<i64> {
    let probe = startup_probe(&pod.spec).or_else(|| readiness_probe(&pod.spec))?;
    Some(i64::from(probe.period_seconds.unwrap_or(10)) * SECOND_US)
}

/// Whether a liveness probe fails often enough before a container serves that takes so many microseconds for that.
fn kills(liveness: &Probe, serves_after: i64) -> bool {
    let or = |value: Option<i32>, default: i32| i64::from(value.unwrap_or(default));
    let last = or(liveness.initial_delay_seconds, 0)
        + (or(liveness.failure_threshold, 3) - 1) * or(liveness.period_seconds, 10);
    last.saturating_mul(SECOND_US) < serves_after
}

/// How long the containers of a pod that is being deleted took to stop.
fn stop_of(pod: &RawPod) -> Option<i64> {
    let grace = pod.meta.deletion_grace_period_seconds?;
    let ends = parse(&pod.meta.deletion_timestamp)?;
    let mut last: Option<Stamp> = None;
    for container in &pod.status.container_statuses {
        let ended = container.state.terminated.as_ref()?;
        last = last.max(parse(&ended.finished_at));
    }
    let took = last?.us_since(ends) + grace * SECOND_US;
    (0..=(grace + 2) * SECOND_US).contains(&took).then_some(took)
}

#[cfg(test)]
mod tests {
    use super::super::{ImportedCluster, Input};
    use serde_json::{Value, json};

    fn pod(name: &str, ready: &str, restarts: i64) -> Value {
        let condition = |kind: &str, at: &str| json!({"type": kind, "status": "True", "lastTransitionTime": at});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": true}]},
            "spec": {"nodeName": "n"},
            "status": {"phase": "Running", "containerStatuses": [{"restartCount": restarts}],
                "conditions": [condition("PodScheduled", "2026-11-20T10:00:00Z"), condition("Ready", ready)]}})
    }

    fn event(reason: &str, at: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "db-0.1"}, "reason": reason, "message": "Stopping container db",
            "involvedObject": {"kind": "Pod", "namespace": "default", "name": "db-0"}, "lastTimestamp": at})
    }

    fn scenario(pods: Vec<Value>) -> (ImportedCluster, String) {
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": {}}}});
        let items: Vec<Value> =
            [set, json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})]
                .into_iter()
                .chain(pods)
                .collect();
        let text = Value::from(items).to_string();
        let input = Input::from_bytes("f", text.into_bytes()).unwrap();
        let cluster = ImportedCluster::read(&[input]).unwrap();
        let text = cluster.to_scenario();
        (cluster, text)
    }

    /// Of 12, 20 and 40 s the median is 20 s; the pod that restarted and the one that became Ready
    /// again an hour later do not count.
    #[test]
    fn the_median_of_the_pods_that_started_once() {
        let (cluster, text) = scenario(vec![
            pod("db-0", "2026-11-20T10:00:12Z", 0),
            pod("db-1", "2026-11-20T10:00:40Z", 0),
            pod("db-2", "2026-11-20T10:00:20Z", 0),
            pod("db-3", "2026-11-20T10:00:01Z", 2),
            pod("db-4", "2026-11-20T11:00:00Z", 0),
        ]);
        assert_eq!(text.matches("pod_start: \"20s\"").count(), 2, "template and pods: {text}");
        assert!(!text.contains("pod_stop"), "{text}");
        let lines = cluster.summary.lines().join("\n");
        assert!(lines.contains("default/db 20s"), "{lines}");
    }

    /// Killed at :00, its successor bound at :25.
    #[test]
    fn a_stop_of_a_stateful_set_by_its_events() {
        let (_, text) = scenario(vec![
            pod("db-0", "2026-11-20T10:00:12Z", 0),
            event("Killing", "2026-11-20T09:59:00Z"),
            event("Scheduled", "2026-11-20T09:59:25Z"),
        ]);
        assert!(text.contains("pod_stop: \"25s\""), "{text}");
        // Of one that waited for room beyond its grace period of 30 s nothing is known.
        let (_, text) = scenario(vec![
            pod("db-0", "2026-11-20T10:00:12Z", 0),
            event("Killing", "2026-11-20T09:59:00Z"),
            event("Scheduled", "2026-11-20T10:00:00Z"),
        ]);
        assert!(!text.contains("pod_stop"), "{text}");
    }

    /// Of starts of 1 to 20 s the median is 10.5 s, and 18 of 20 are not above 18 s. Of one less it is
    /// 10 s.
    #[test]
    fn many_starts_are_handed_over_as_they_are() {
        let pods = |n: usize| -> Vec<Value> {
            (1..=n)
                .map(|i| pod(&format!("db-{i}"), &format!("2026-11-20T10:00:{i:02}Z"), 0))
                .collect()
        };
        let (cluster, text) = scenario(pods(20));
        assert_eq!(text.matches("pod_start: Values([").count(), 2, "{text}");
        assert!(text.contains("\"1s\"") && text.contains("\"20s\""), "{text}");
        let lines = cluster.summary.lines().join("\n");
        let told = "default/db 10.5s, nine in ten within 18s (drawn among 20)";
        assert!(lines.contains(told), "{lines}");
        let (cluster, text) = scenario(pods(19));
        assert!(text.contains("pod_start: \"10s\""), "{text}");
        let lines = cluster.summary.lines().join("\n");
        assert!(lines.contains("default/db 10s (median of 19)"), "{lines}");
        let lacks =
            "assumed by a run, as the files lack it: pods' time to stop, of 1 workload: default/db";
        assert!(lines.contains(lacks), "{lines}");
    }

    /// Bound at :00, pulled in 5.3 s of waiting and pulling, started at :09; the next life has the
    /// image and starts in 2 s.
    #[test]
    fn what_the_pull_took_is_told() {
        let said = |reason: &str, at: &str, message: &str| {
            let mut event = event(reason, at);
            event["message"] = message.into();
            event["metadata"]["name"] = format!("db-0.{reason}{at}").into();
            event
        };
        let (cluster, text) = scenario(vec![
            said("Scheduled", "2026-11-20T09:00:00Z", ""),
            said(
                "Pulled",
                "2026-11-20T09:00:07Z",
                "Successfully pulled image \"db\" in 5.2s (5.3s including waiting)",
            ),
            said("Started", "2026-11-20T09:00:09Z", ""),
            said("Scheduled", "2026-11-20T09:30:00Z", ""),
            said(
                "Pulled",
                "2026-11-20T09:30:01Z",
                "Container image \"db\" already present on machine",
            ),
            said("Started", "2026-11-20T09:30:02Z", ""),
        ]);
        // (9 + 2) / 2
        assert!(text.contains("pod_start: \"5.5s\""), "{text}");
        let lines = cluster.summary.lines().join("\n");
        let told = "default/db 5.5s (median of 2), of which the image's pull 5.3s (median of 1, on the node already once)";
        assert!(lines.contains(told), "{lines}");
    }
}
