//! Events as `kubectl get events -A -o json|yaml` prints them: core/v1 (`k8s.io/api/core/v1:
//! Event`) and events.k8s.io/v1 (`k8s.io/api/events/v1: Event`).
//!
//! core/v1 has whole seconds; but the recorder of client-go ends an event's name with the
//! nanoseconds of its making, in hexadecimal (`tools/record/event.go: makeEvent`).

use super::heard::Heard;
use crate::api::validation::{dns1123_label, dns1123_subdomain};
use crate::evidence::prelude::*;
use crate::import::{event_about, event_component, event_made};

/// What an event says, whatever its source: of an object, with a reason and a message.
pub(super) struct Told<'a> {
    pub(super) kind: &'a str,
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) component: &'a str,
}

impl Told<'_> {
    /// What it comes to; nothing of those that tell nothing of nodes or of where pods are.
    pub(super) fn said(&self) -> Option<Said> {
        let node = || self.name.to_owned();
        let pod = || format!("{}/{}", self.namespace, self.name);
        Some(match (self.kind, self.reason) {
            ("Node", "NodeNotReady") if self.component == "kubelet" => {
                Said::KubeletNotReady { node: node() }
            }
            ("Node", "NodeNotReady") => Said::NodeUnknown { node: node() },
            ("Node", "NodeReady") => Said::NodeReady { node: node() },
            ("Node", "RegisteredNode") => Said::NodeRegistered { node: node() },
            ("Node", "RemovingNode") => Said::NodeDeleted { node: node(), by: SOMEBODY.to_owned() },
            // Up to 1.20 the reason is the message, and the message the reason.
            ("Node", reason)
                if reason == "DeletingNode" || self.message.ends_with(" event: DeletingNode") =>
            {
                Said::NodeDeleted { node: node(), by: CLOUD.to_owned() }
            }
            ("Node", "NodeNotSchedulable" | "NodeSchedulable") => Said::Cordoned {
                node: node(),
                cordoned: self.reason == "NodeNotSchedulable",
                by: SOMEBODY.to_owned(),
            },
            (
                "Pod",
                "TaintManagerEviction" | "DeviceTaintManagerEviction" | "NodeControllerEviction",
            ) => {
                let evicted = Said::Evicted { pod: pod() };
                (!self.message.starts_with("Cancelling")).then_some(evicted)?
            }
            ("Pod", "Evicted") if self.component == "kubelet" => {
                let short_of = self.message.split_once("resource: ").map_or("", |(_, what)| what);
                let short_of = short_of.split(['.', ' ']).next().filter(|what| !what.is_empty());
                let short_of = short_of.map_or(String::new(), |what| format!(", {what}"));
                Said::Deleted { pod: pod(), by: format!("{KUBELET}{short_of})"), grace: None }
            }
            ("Pod", "Preempted") => {
                Said::Deleted { pod: pod(), by: PREEMPTED.to_owned(), grace: None }
            }
            ("Pod", "Scheduled") => Said::Bound {
                pod: pod(),
                node: self.message.rsplit_once(" to ")?.1.trim().to_owned(),
            },
            ("Pod", "NodeNotReady") => Said::PodNotReady { pod: pod() },
            (kind @ ("ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job"), "SuccessfulCreate") => {
                Said::Created {
                    pod: format!("{}/{}", self.namespace, created_pod(self.message)?),
                    owner: format!("{kind}/{}/{}", self.namespace, self.name),
                }
            }
            // Up to 1.19 the lock is another object.
            ("Lease" | "Endpoints" | "ConfigMap", "LeaderElection")
                if self.message.ends_with("became leader") =>
            {
                Said::Leader { component: node() }
            }
            _ => return None,
        })
    }
}

/// `Created pod: web-x`, `create Pod db-0 in StatefulSet db successful`, from 1.35 on with a capital letter.
fn created_pod(message: &str) -> Option<&str> {
    let of_set = || message.strip_prefix(['c', 'C'])?.strip_prefix("reate Pod ");
    let rest = message.strip_prefix("Created pod: ").or_else(of_set)?;
    rest.split_whitespace().next()
}

/// Takes one event in; false if it has no time, or no object that there can be.
pub(super) fn take(event: &Value, place: Place, heard: &mut Heard) -> bool {
    let field = |name: &str| &event[name];
    let (about, times) = (event_about(field), times(event));
    if times.is_empty() || about.is_null() {
        return false;
    }
    let namespace = text(&[&about["namespace"]]);
    let told = Told {
        kind: text(&[&about["kind"]]),
        namespace: if namespace.is_empty() { "default" } else { namespace },
        name: text(&[&about["name"]]),
        reason: text(&[&event["reason"]]),
        message: text(&[&event["message"], &event["note"]]),
        component: event_component(field),
    };
    if let Some(said) = told.said() {
        // The cluster that is made of them could not have it.
        let wrong = [dns1123_label(told.namespace), dns1123_subdomain(told.name)];
        if !wrong.concat().is_empty() {
            return false;
        }
        // Of one that came again, the last time is known, too.
        let say = |(at, within)| heard.say(at, within, said.clone(), place.clone());
        times.into_iter().for_each(say);
    }
    true
}

/// The first of these that says anything.
fn text<'v>(all: &[&'v Value]) -> &'v str {
    all.iter().filter_map(|v| v.as_str()).find(|t| !t.is_empty()).unwrap_or_default()
}

/// When it came first and, if it came again, last; each with how much earlier it may have been.
fn times(event: &Value) -> Vec<(Stamp, i64)> {
    let first = [
        &event["eventTime"],
        &event["firstTimestamp"],
        &event["deprecatedFirstTimestamp"],
        &event["metadata"]["creationTimestamp"],
    ];
    let Some(first) = first.into_iter().find_map(time) else { return Vec::new() };
    let mut all = vec![exact(event, first)];
    let last = [
        &event["series"]["lastObservedTime"],
        &event["lastTimestamp"],
        &event["deprecatedLastTimestamp"],
    ];
    let last = last.into_iter().find_map(time);
    all.extend(last.filter(|last| last.0 - first.0 >= SECOND_US).map(end_of_second));
    all
}

/// The time of an event's making by its name, if that fits the time that it states.
fn exact(event: &Value, stated: Stamp) -> (Stamp, i64) {
    let name = event["metadata"]["name"].as_str().unwrap_or_default();
    event_made(name, stated).map_or_else(|| end_of_second(stated), |made| (made, 0))
}
