//! The cluster as it was before the outage, as objects of the API: those of an export, rewound, and
//! those that only events and logs know.

use super::export;
use super::outage::{Failure, Outage};
use super::zones::Tainted;
use crate::api::node::LABEL_ZONE;
use crate::api::taint::{NOT_READY, UNREACHABLE, UNSCHEDULABLE};
use crate::api::workload::{family_of, short_name};
use crate::evidence::prelude::*;

/// `tolerationSeconds` that admission gives.
const DEFAULT_SECONDS: i64 = 300;
/// Events of one moment may be told in either order, so far apart.
const SAME_MOMENT_US: i64 = 50_000;
/// The label by which a workload of which only the name is known selects its pods.
pub(super) const LABEL: &str = "taintsim";

/// A pod of which no object is left.
struct Gone {
    node: Option<String>,
    owner: Option<String>,
}

/// What is known beside the objects.
pub(super) struct Before<'a> {
    pub(super) outage: &'a Outage,
    pub(super) statements: &'a [Statement],
    /// The start of the run.
    pub(super) start: Stamp,
}

impl<'a> Before<'a> {
    /// The objects as they were at the start.
    pub(super) fn rewound(&self, objects: &[Value], notes: &mut Vec<String>) -> Vec<Value> {
        let anew = self.made_anew();
        let homes = self.homes(&anew);
        let mut all: Vec<Value> = objects.iter().filter_map(|o| self.object(o, &homes)).collect();
        let seen = |objects: &[Value], kind: &str| -> BTreeSet<String> {
            objects.iter().filter(|o| o["kind"] == kind).map(full_name).collect()
        };
        let (nodes, mut pods) = (seen(objects, "Node"), seen(objects, "Pod"));
        // Of one that was made anew there is no object if it is not known where the first one was.
        pods.retain(|pod| self.end_of(pod).is_none());
        pods.extend(seen(&all, "Pod"));
        let gone = self.gone(&pods, objects, (&homes, &anew));
        let named = self.statements.iter().filter_map(|s| Some((s.said.node()?, s)));
        let named: BTreeMap<&str, &Statement> = named.collect();
        // Of a node that was deleted before the start that is the last that is said.
        let there = |s: &Statement| {
            let goes = matches!(s.said, Said::NodeDeleted { .. } | Said::Orphaned { .. });
            s.at >= self.start || !goes
        };
        let there = named.into_iter().filter(|(_, last)| there(last));
        let mut names: BTreeSet<String> = there.map(|(name, _)| name.to_owned()).collect();
        // Of exports those statements are left that are about their nodes, or about nodes that came
        // after them.
        let without: BTreeSet<String> = names.difference(&nodes).cloned().collect();
        let zones = super::zones::of(&without, &self.tainted());
        if !zones.is_empty() {
            let several: BTreeSet<&String> = zones.values().collect();
            notes.push(format!(
                "{} without an object, taken to be of {}, by names and by when nodes were tainted: {}",
                are(zones.len(), "node"),
                counted(several.len(), "zone"),
                several.iter().map(|z| z.as_str()).collect::<Vec<_>>().join(", ")
            ));
        }
        let with_zone = |name: &String| self.node(name, zones.get(name));
        all.extend(without.iter().map(with_zone));
        names.extend(nodes.clone());
        let is_placed = |g: &Gone| g.node.as_ref().is_some_and(|n| names.contains(n));
        let placed: Vec<_> = gone.iter().filter(|(_, g)| is_placed(g)).collect();
        let homeless = gone.iter().filter(|(_, g)| g.node.is_none());
        let lost = homeless.filter(|(pod, _)| self.outage.evictions.contains_key(*pod)).count();
        if lost > 0 {
            notes.push(format!(
                "{} in no export, and no event says on which node {}: left out",
                are(lost, "evicted pod"),
                form(lost, "it was", "they were")
            ));
        }
        all.extend(self.owners(&placed, objects));
        all.extend(placed.iter().map(|(name, gone)| self.pod(name, gone)));
        let silent = self.silent_before(&all);
        all.retain(|o| o["kind"] != "Lease");
        let lease = |name: &str, namespace: &str| {
            let renewed = silent.get(name).unwrap_or(&self.start).to_rfc3339();
            json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                "metadata": {"name": name, "namespace": namespace},
                "spec": {"leaseDurationSeconds": 40, "renewTime": renewed}})
        };
        all.extend(names.iter().map(|node| lease(node, "kube-node-lease")));
        all.push(lease("start-of-the-run", "kube-system"));
        all
    }

    /// An object as it was; none for one that came later. One that was made anew under its name is taken
    /// to be like the one before it.
    fn object(&self, object: &Value, homes: &BTreeMap<&str, String>) -> Option<Value> {
        let mut object = object.clone();
        let created = time(&object["metadata"]["creationTimestamp"]);
        match object["kind"].as_str() {
            Some("Node") => self.rewind_node(&mut object),
            Some("Pod") => {
                if created.is_some_and(|at| at > self.start) || self.went(&object) {
                    let name = full_name(&object);
                    self.end_of(&name)?;
                    let node = homes.get(name.as_str())?.as_str().into();
                    object["spec"].as_object_mut()?.insert("nodeName".to_owned(), node);
                    object["metadata"]["creationTimestamp"] = self.start.to_rfc3339().into();
                    object["status"] = self.runs();
                }
                self.rewind_pod(&mut object);
            }
            _ => {}
        }
        Some(object)
    }

    /// When a pod came to its end, if it did since the start.
    fn end_of(&self, pod: &str) -> Option<Stamp> {
        let deleted = self.outage.deletions.get(pod).and_then(|all| Some(&all.first()?.known));
        let ends = self.outage.evictions.get(pod).into_iter().chain(deleted);
        let ends = ends.map(|known| Stamp(known.at.0 - known.within_us));
        ends.chain(self.outage.ended.get(pod).copied()).min()
    }

    /// When another pod was made under the name of one that had come to its end, as far as is told.
    fn made_anew(&self) -> BTreeMap<&str, Stamp> {
        let mut made: BTreeMap<&str, Stamp> = BTreeMap::new();
        for s in self.statements {
            let (Said::Created { pod, .. } | Said::Bound { pod, .. }) = &s.said else { continue };
            if self.end_of(pod).is_some_and(|end| s.at >= end) {
                let first = made.entry(pod).or_insert(s.at);
                *first = (*first).min(s.at);
            }
        }
        made
    }

    /// On which node each pod was.
    fn homes(&self, anew: &BTreeMap<&str, Stamp>) -> BTreeMap<&str, String> {
        let home = |s: &'a Statement| match &s.said {
            Said::Bound { pod, node } | Said::On { pod, node } | Said::Orphaned { pod, node } => {
                Some((&**pod, node.clone()))
            }
            _ => None,
        };
        let is_first = |s: &&Statement| !is_anew(anew, s);
        self.statements.iter().filter(is_first).filter_map(home).collect()
    }

    /// Whether a pod was deleted between its export and the start.
    fn went(&self, pod: &Value) -> bool {
        let name = full_name(pod);
        let is_its = |said: &Said| matches!(said, Said::Deleted { pod, .. } | Said::Evicted { pod } if *pod == name);
        self.statements.iter().any(|s| s.at < self.start && is_its(&s.said))
    }

    /// What was written of a node since the start is taken back. Nothing of it may be later than the start,
    /// which would not be time zero then.
    fn rewind_node(&self, node: &mut Value) {
        let name = full_name(node);
        let touched = self.outage.failures().any(|f| f.node == name);
        let later = |at: &Value| time(at).is_some_and(|at| at >= self.start);
        let conditions = node.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
        for c in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
            let changed = touched || c.get("lastTransitionTime").is_some_and(later);
            let at = Value::from(self.start.to_rfc3339());
            if changed || c.get("lastHeartbeatTime").is_some_and(later) {
                c.insert("lastHeartbeatTime".to_owned(), at.clone());
            }
            if changed {
                let is_ready = c.get("type").is_some_and(|t| t == "Ready");
                c.insert("status".to_owned(), if is_ready { "True" } else { "False" }.into());
                c.insert("lastTransitionTime".to_owned(), at);
            }
        }
        // What is cordoned first was not cordoned before, and the other way round.
        let mut cordons = self.outage.actions.iter().filter_map(|(told, _)| match &told.said {
            Said::Cordoned { node, cordoned, .. } if *node == name => Some(*cordoned),
            _ => None,
        });
        let mut first = cordons.next();
        if let Some(taints) = node.pointer_mut("/spec/taints").and_then(Value::as_array_mut) {
            taints.retain(|t| {
                let is = |key| t["key"] == key;
                let gone = later(&t["timeAdded"]) || touched && (is(UNREACHABLE) || is(NOT_READY));
                if gone && is(UNSCHEDULABLE) {
                    first.get_or_insert(true);
                }
                !gone
            });
        }
        let spec = node.pointer_mut("/spec").and_then(Value::as_object_mut);
        if let (Some(cordoned), Some(spec)) = (first, spec) {
            spec.insert("unschedulable".to_owned(), (!cordoned).into());
        }
    }

    /// When nodes renewed their leases last, as the export says, that it says were given up before the
    /// start, and that nothing says were heard of again.
    fn silent_before(&self, all: &[Value]) -> BTreeMap<String, Stamp> {
        let leases: BTreeMap<String, Stamp> = all.iter().filter_map(export::lease).collect();
        let renewed = |node: &Value| {
            let (name, ready) = (full_name(node), export::unknown(node)?);
            let since = time(&ready["lastTransitionTime"]);
            let again = self.statements.iter().any(|s| match &s.said {
                Said::NodeReady { node } | Said::NodeHeard { node } => {
                    *node == name && Some(s.at) > since && s.at <= self.start
                }
                _ => false,
            });
            let renewed = leases.get(&name).copied().or(time(&ready["lastHeartbeatTime"]));
            Some((name, renewed.filter(|_| !again)?.min(self.start)))
        };
        all.iter().filter(|o| o["kind"] == "Node").filter_map(renewed).collect()
    }

    /// A deletion that began since the start has not begun.
    fn rewind_pod(&self, pod: &mut Value) {
        let meta = &pod["metadata"];
        let grace = meta["deletionGracePeriodSeconds"].as_i64().unwrap_or(30);
        let began = time(&meta["deletionTimestamp"]).map(|at| at.0 - grace * SECOND_US);
        let name = full_name(pod);
        let evicted =
            self.outage.evictions.contains_key(&name) || self.outage.deletions.contains_key(&name);
        let meta = pod.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(meta) = meta.filter(|_| began.is_some_and(|at| at >= self.start.0) || evicted) {
            meta.remove("deletionTimestamp");
            meta.remove("deletionGracePeriodSeconds");
        }
        let later = |c: &Value| {
            time(&c["lastTransitionTime"]).is_some_and(|at| at >= self.start) || evicted
        };
        if let Some(all) = pod.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
            all.retain(|c| !(c["type"] == "DisruptionTarget" && later(c)));
            for c in all.iter_mut().filter(|c| c["type"] == "Ready" && later(c)) {
                c["status"] = "True".into();
            }
        }
    }

    /// The pods that were there and of which no object is left.
    fn gone(
        &self,
        known: &BTreeSet<String>,
        objects: &[Value],
        (homes, anew): (&BTreeMap<&str, String>, &BTreeMap<&str, Stamp>),
    ) -> BTreeMap<String, Gone> {
        let owners = super::owners::of(self.statements);
        let of = |pod| Gone { node: homes.get(pod).cloned(), owner: owners.get(pod).cloned() };
        let pods = self.statements.iter().filter_map(|s| s.said.pod());
        let pods = pods.filter(|pod| !known.contains(*pod));
        let mut gone: BTreeMap<String, Gone> = pods.map(|pod| (pod.to_owned(), of(pod))).collect();
        // What was made since the start comes by itself, if its workload is there to make it, or if
        // it came in the place of what the outage took.
        let begins = self.outage.begins().unwrap_or(self.start);
        for s in self.statements.iter().filter(|s| s.at > self.start && !is_anew(anew, s)) {
            if let Said::Created { pod, .. } | Said::Bound { pod, .. } = &s.said {
                let owner = gone.get(pod).and_then(|g| g.owner.as_deref());
                if s.at >= begins || owner.is_some_and(|o| exists(o, objects)) {
                    gone.remove(pod);
                }
            }
        }
        gone
    }

    fn node(&self, name: &str, zone: Option<&String>) -> Value {
        let at = self.start.to_rfc3339();
        let mut labels = json!({});
        if let Some(zone) = zone {
            labels[LABEL_ZONE] = zone.as_str().into();
        }
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                "lastHeartbeatTime": at, "lastTransitionTime": at}]}})
    }

    fn pod(&self, name: &str, gone: &Gone) -> Value {
        let (namespace, short) = name.split_once('/').unwrap_or(("default", name));
        let mut meta = json!({"name": short, "namespace": namespace});
        if let Some(owner) = &gone.owner {
            let (kind, owner) = (owner.split('/').next(), short_name(owner));
            meta["labels"] = json!({LABEL: owner});
            meta["ownerReferences"] = json!([{"kind": kind, "name": owner, "controller": true}]);
        }
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta,
            "spec": {"nodeName": gone.node, "tolerations": self.tolerations(name, gone)},
            "status": self.runs()})
    }

    fn runs(&self) -> Value {
        json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True",
            "lastTransitionTime": self.start.to_rfc3339()}]})
    }

    /// The workloads of which only events know.
    fn owners(&self, pods: &[(&String, &Gone)], objects: &[Value]) -> Vec<Value> {
        let mut counts: BTreeMap<&str, (i64, &Gone, &str)> = BTreeMap::new();
        for (name, gone) in pods {
            if let Some(owner) = &gone.owner {
                counts.entry(owner).or_insert((0, gone, name)).0 += 1;
            }
        }
        let one = |(owner, (replicas, gone, pod)): (&str, (i64, &Gone, &str))| {
            let (kind, full) = owner.split_once('/')?;
            let (namespace, name) = full.split_once('/')?;
            if exists(owner, objects) || !matches!(kind, "ReplicaSet" | "StatefulSet") {
                return None;
            }
            let labels = json!({LABEL: name});
            Some(json!({"apiVersion": "apps/v1", "kind": kind,
                "metadata": {"name": name, "namespace": namespace},
                "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels},
                        "spec": {"tolerations": self.tolerations(pod, gone)}}}}))
        };
        counts.into_iter().filter_map(one).collect()
    }

    fn tolerations(&self, pod: &str, gone: &Gone) -> Value {
        let daemon = gone.owner.as_ref().is_some_and(|o| o.starts_with("DaemonSet/"));
        let stays = daemon || self.outlives(pod, gone);
        let seconds = (!stays).then(|| self.seconds_of(pod, gone));
        let one = |key: &str| {
            let mut t = json!({"key": key, "operator": "Exists", "effect": "NoExecute"});
            if let Some(seconds) = seconds {
                t["tolerationSeconds"] = seconds.into();
            }
            t
        };
        json!([one(NOT_READY), one(UNREACHABLE)])
    }

    /// Whether a pod's node was silent for longer than pods tolerate that by default, and nobody
    /// evicted it, though evictions are told: it tolerates it for ever.
    fn outlives(&self, pod: &str, gone: &Gone) -> bool {
        let told = self.outage.evictions.values().map(|e| e.at.0).max();
        let (Some(told), Some(node)) = (told, &gone.node) else { return false };
        let long = |s: &Failure| {
            let until = s.back.as_ref().map_or(told, |b| b.at.0.min(told));
            s.node == *node && until - s.since.at.0 > DEFAULT_SECONDS * SECOND_US
        };
        let family = |other: &String| family_of(other) == family_of(pod);
        self.outage.silences.iter().any(long) && !self.outage.evictions.keys().any(family)
    }

    /// For how long a pod tolerated its node's silence: as a timer says; or no longer than the
    /// shortest time after which one of its workload was evicted.
    fn seconds_of(&self, pod: &str, gone: &Gone) -> i64 {
        let timer = self.statements.iter().find_map(|s| match &s.said {
            Said::TimerSet { pod: of, seconds } if of == pod => *seconds,
            _ => None,
        });
        timer.unwrap_or_else(|| {
            let owner = gone.owner.as_deref().unwrap_or(pod);
            self.delays().get(owner).copied().map_or(DEFAULT_SECONDS, |us| {
                ((us + SAME_MOMENT_US).max(0) / SECOND_US).min(DEFAULT_SECONDS)
            })
        })
    }

    /// By workload, or by pod without one: the shortest time from a node's being given up to an
    /// eviction there, in microseconds, as long as it may have been.
    fn delays(&self) -> BTreeMap<String, i64> {
        let mut shortest: BTreeMap<String, i64> = BTreeMap::new();
        for (pod, owner, silence) in self.evicted() {
            let unknown = silence.since.at.0 - silence.since.within_us;
            let delay = self.outage.evictions[pod].at.0 - unknown;
            let least = shortest.entry(owner).or_insert(delay);
            *least = delay.min(*least);
        }
        shortest
    }

    /// When nodes were tainted, as sources say, or as evictions there tell: each came when its
    /// toleration was over, and that is known as no longer than it may be.
    fn tainted(&self) -> BTreeMap<String, Tainted> {
        let mut tainted: BTreeMap<String, Tainted> = BTreeMap::new();
        let mut note = |silence: &Failure, at: i64| {
            let unknown_us = silence.since.at.0;
            let new = Tainted { unknown_us, tainted_us: at.max(unknown_us) };
            let known = tainted.entry(silence.node.clone()).or_insert(new);
            known.tainted_us = known.tainted_us.max(at);
        };
        let delays = self.delays();
        for (pod, owner, silence) in self.evicted() {
            let delay = delays.get(&owner).map_or(0, |us| us + SAME_MOMENT_US);
            let seconds = (delay / SECOND_US).clamp(0, DEFAULT_SECONDS);
            // Of a pod without a workload the delay is its own.
            if owner != pod || seconds == 0 {
                note(silence, self.outage.evictions[pod].at.0 - seconds * SECOND_US);
            }
        }
        tainted
    }

    /// The evicted pods of nodes that were silent, with their workloads, or their own names, and these
    /// nodes' silences.
    fn evicted(&self) -> Vec<(&str, String, &Failure)> {
        let owners = super::owners::of(self.statements);
        let homes = self.homes(&self.made_anew());
        let of_pod =
            |pod: &str| self.outage.silences.iter().find(|s| homes.get(pod) == Some(&s.node));
        let evicted = self.outage.evictions.keys().filter_map(|pod| {
            Some((pod.as_str(), owners.get(pod.as_str()).unwrap_or(pod).clone(), of_pod(pod)?))
        });
        evicted.collect()
    }
}

/// Whether a statement may be of another pod, made anew then under the name of one that had come to its end.
fn is_anew(anew: &BTreeMap<&str, Stamp>, s: &Statement) -> bool {
    s.said.pod().and_then(|pod| anew.get(pod)).is_some_and(|made| s.at >= *made)
}

/// Whether there is a workload, `Kind/namespace/name`.
fn exists(workload: &str, objects: &[Value]) -> bool {
    workload.split_once('/').is_some_and(|(kind, full)| {
        let mut all = objects.iter();
        all.any(|o| o["kind"] == kind && full_name(o) == full)
    })
}
