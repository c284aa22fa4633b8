//! From an exported node to what a scenario says of one.
//!
//! A node that is Ready, under no pressure, with a fresh lease and without NoExecute taints becomes
//! a plain Ready node. Any other keeps its conditions with their times, and starts cut off if its
//! kubelet is silent: it has not renewed its lease in time, or, without leases, Ready is Unknown or
//! was never posted.

use super::quantities;
use crate::api::meta::Timestamp;
use crate::api::taint::{Effect, SET_BY_KUBERNETES};
use crate::api::validation;
use crate::import::prelude::*;

/// The label that build gives every node, equal to its name.
const HOSTNAME: &str = "kubernetes.io/hostname";
/// `leaseDurationSeconds` of a kubelet's lease unless it is configured otherwise.
const LEASE_DURATION_S: i64 = 40;

/// All of a node but its name; nodes of one shape are one group of the scenario.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct NodeShape {
    /// `metadata.labels`, without the host name if that is the node's name.
    pub(crate) labels: BTreeMap<String, String>,
    /// `spec.taints`, times from time zero.
    pub(crate) taints: Vec<Taint>,
    /// `spec.unschedulable`
    pub(crate) unschedulable: bool,
    /// `status.allocatable`, checked.
    pub(crate) allocatable: BTreeMap<String, QuantityText>,
    /// What is not as in a healthy node.
    pub(crate) start: Option<NodeStart>,
    /// Those images that it has and that are pulled in the run.
    pub(crate) images: BTreeSet<String>,
    /// Its devices, in the order in which they are allocated.
    pub(crate) devices: Vec<DeviceShape>,
    /// Conditions that rules of the node readiness controller ask for, as agents have posted them.
    pub(super) asked_conditions: BTreeMap<String, ConditionStatus>,
    /// The rules of that controller whose bootstrap is completed.
    pub(super) bootstrap_completed: Vec<String>,
    /// Flags of its kubelet that not all kubelets have.
    pub(crate) kubelet: BTreeMap<String, String>,
}

/// A device of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct DeviceShape {
    /// Its driver.
    pub(crate) driver: String,
    /// Its pool, where that is not named as the node.
    pub(crate) pool: Option<String>,
    /// Its name.
    pub(crate) name: String,
    /// What its driver publishes of it, times from time zero.
    pub(crate) taints: Vec<Taint>,
}

/// What is said of nodes whose kubelets are short of something, or go off with their machine.
const PRESSED: &str = "short of memory, disk or process ids as the export was made: usage is not in it, so that neither the evictions under way nor, but of a disk that images fill, the end of the pressure are simulated, and the taints stay";
const GOES_OFF: &str = "shutting down as the export was made, which is not simulated: pods that it would end run on, and its machine stays on";

/// Whether Ready is Unknown, or was never posted.
pub(super) fn is_unknown(conditions: &[Condition]) -> bool {
    let ready = conditions.iter().find(|c| c.kind == ConditionKind::Ready);
    ready.is_none_or(|c| c.status == ConditionStatus::Unknown)
}

/// What is known of a node's lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeaseSeen {
    /// No node's lease was exported.
    NotExported,
    /// Others were, this one is not there.
    Missing,
    /// When it was renewed, and for how many seconds.
    Renewed(Stamp, Option<i64>),
}

impl LeaseSeen {
    /// Whether the kubelet has been silent for longer than one of its periods may last. It renews
    /// its lease every quarter of the lease's duration, which jitter lengthens by 4 %; half a period
    /// more is granted to slow requests.
    fn is_silent(self, zero: Stamp) -> bool {
        let Self::Renewed(at, seconds) = self else { return false };
        let duration_us =
            seconds.filter(|s| *s > 0).unwrap_or(LEASE_DURATION_S).saturating_mul(SECOND_US);
        zero.us_since(at) > duration_us / 8 * 3
    }
}

/// A named node and its shape.
pub(super) type NamedNode = (String, NodeShape);

impl RawNode {
    /// Its times go into `times`: all conditions' heartbeats count, also those of types that are
    /// not modelled.
    pub(super) fn note_times(&self, times: &mut Times) -> Result<(), Wrong> {
        for c in &self.status.conditions {
            if let Some(t) = time("lastHeartbeatTime", &c.last_heartbeat_time)? {
                times.heartbeat(t);
            }
            if let Some(t) = time("lastTransitionTime", &c.last_transition_time)? {
                // What the controllers wrote by their own clock was before the export.
                match &*c.status {
                    "Unknown" => times.written(t, true),
                    _ => times.other(t),
                }
            }
        }
        for taint in &self.spec.taints {
            if let Some(t) = time("timeAdded", &taint.time_added)? {
                times.written(t, SET_BY_KUBERNETES.contains(&&*taint.key));
            }
        }
        Ok(())
    }

    /// When it last posted a condition, unless the control plane has found it silent.
    pub(super) fn posted(&self) -> Option<Stamp> {
        let ready = self.status.conditions.iter().find(|c| c.r#type == "Ready")?;
        let all = self.status.conditions.iter().filter_map(|c| parse_time(&c.last_heartbeat_time));
        all.max().filter(|_| ready.status != "Unknown")
    }

    /// Since when it has been Ready.
    pub(super) fn well_since(&self) -> Option<Stamp> {
        let ready = self.status.conditions.iter().find(|c| c.is("Ready", "True"))?;
        parse_time(&ready.last_transition_time)
    }

    /// What it says of itself that does not go on here.
    pub(super) fn said(&self) -> impl Iterator<Item = &'static str> {
        let pressed = ["MemoryPressure", "DiskPressure", "PIDPressure"];
        let all = &self.status.conditions;
        let is_pressed = all.iter().any(|c| pressed.iter().any(|kind| c.is(kind, "True")));
        // `ShutdownStatus` (`pkg/kubelet/nodeshutdown`, v1.34), among what else keeps it from being Ready.
        let goes_off = |c: &RawCondition| {
            c.is("Ready", "False") && c.message.contains("node is shutting down")
        };
        let said = [(is_pressed, PRESSED), (all.iter().any(goes_off), GOES_OFF)];
        said.into_iter().filter_map(|(holds, what)| holds.then_some(what))
    }

    /// The node as a scenario has it. Condition types that are not modelled are handed to
    /// `unmodelled`.
    pub(super) fn shape(
        &self,
        zero: Stamp,
        lease: LeaseSeen,
        unmodelled: &mut dyn FnMut(&str),
    ) -> Result<NodeShape, Wrong> {
        let mut labels = fields::labels("metadata.labels", &self.meta.labels)?;
        if labels.get(HOSTNAME).is_some_and(|h| *h == self.name) {
            labels.remove(HOSTNAME);
        }
        let taints = taints(&self.spec.taints, zero)?;
        // The API server takes the capacity where a node says nothing of its own
        // (SetDefaults_NodeStatus).
        let resources = self.status.allocatable.as_ref().unwrap_or(&self.status.capacity);
        let mut conditions: Vec<Condition> = Vec::new();
        // When Ready was last posted, in seconds from time zero.
        let mut heard = None;
        for raw in &self.status.conditions {
            match condition(raw, zero)? {
                Ok((c, _)) if conditions.iter().any(|other| other.kind == c.kind) => {
                    return Err(Wrong(format!("status.conditions has {:?} twice", c.kind)));
                }
                Ok((c, heartbeat)) => {
                    if c.kind == ConditionKind::Ready {
                        heard = Some(heartbeat);
                    }
                    conditions.push(c);
                }
                Err(kind) => unmodelled(kind),
            }
        }
        // Eviction timers may be running on such a node, so that it is not taken for one on which
        // nothing goes on.
        let evicting = taints.iter().any(|t| t.effect == Effect::NoExecute);
        // From then on the controllers wait for its first status.
        let created = time("creationTimestamp", &self.meta.creation_timestamp)?;
        let created = created.filter(|_| heard.is_none()).map(|at| at.seconds_since(zero).min(0));
        Ok(NodeShape {
            labels,
            taints,
            unschedulable: self.spec.unschedulable,
            allocatable: quantities::checked("status.allocatable", resources)?,
            start: start(conditions, (heard, created), zero, lease, evicting),
            ..NodeShape::default()
        })
    }
}

/// How a node with these conditions starts; nothing if it is plainly healthy. `heard` is when Ready
/// was last posted, in seconds, `created` when the node was that never posted it. `evicting`: it has a NoExecute taint.
fn start(
    conditions: Vec<Condition>,
    (heard, created): (Option<i64>, Option<i64>),
    zero: Stamp,
    lease: LeaseSeen,
    evicting: bool,
) -> Option<NodeStart> {
    let unknown = is_unknown(&conditions);
    // A lease tells whether a kubelet lives; without one only the condition does.
    let cut_off = match lease {
        LeaseSeen::Renewed(..) => lease.is_silent(zero),
        LeaseSeen::Missing | LeaseSeen::NotExported => unknown,
    };
    let renewed_us = match lease {
        LeaseSeen::Renewed(at, _) => Some(at.us_since(zero).min(0)),
        LeaseSeen::Missing => None,
        // Every kubelet has a lease. The last time at which a silent one is known to have lived
        // stands in for it; one that lives has renewed it a moment ago.
        LeaseSeen::NotExported if unknown => heard.map(|s| s.min(0) * SECOND_US),
        LeaseSeen::NotExported => heard.map(|_| 0),
    };
    let fresh = !cut_off && lease != LeaseSeen::Missing;
    let healthy = |c: &Condition| match c.kind == ConditionKind::Ready {
        true => c.status == ConditionStatus::True,
        false => c.status == ConditionStatus::False,
    };
    let healthy = fresh && !evicting && heard.is_some() && conditions.iter().all(healthy);
    let (renew_time, created) = (renewed_us.map(micros), created.map(seconds));
    (!healthy).then_some(NodeStart::Imported { conditions, renew_time, created, cut_off })
}

fn taints(raw: &[RawTaint], zero: Stamp) -> Result<Vec<Taint>, Wrong> {
    let one = |(i, t)| taint(t, &format!("spec.taints[{i}].effect"), zero);
    let taints = (0..).zip(raw).map(one).collect::<Result<Vec<Taint>, Wrong>>()?;
    fields::first(validation::validate_taints(&taints, "spec.taints"))?;
    Ok(taints)
}

/// A taint of a node or a device. `field` is that of its effect.
pub(super) fn taint(raw: &RawTaint, field: &str, zero: Stamp) -> Result<Taint, Wrong> {
    let effect = validation::effect_of(&raw.effect, field)?;
    let added = time("timeAdded", &raw.time_added)?;
    let time_added = added.map(|added| Timestamp(added.seconds_since(zero)));
    Ok(Taint { key: raw.key.clone(), value: raw.value.clone(), effect, time_added })
}

/// A condition with its heartbeat in seconds, or the type of one that is not modelled.
fn condition(raw: &RawCondition, zero: Stamp) -> Result<Result<(Condition, i64), &str>, Wrong> {
    let word = &*raw.r#type;
    let Some(kind) = fields::shared(word) else {
        return if word.is_empty() {
            Err(Wrong("status.conditions has one without a type".to_owned()))
        } else {
            Ok(Err(word))
        };
    };
    let status = fields::word("status.conditions: status", &raw.status)?;
    let heartbeat = time("lastHeartbeatTime", &raw.last_heartbeat_time)?;
    let transition = time("lastTransitionTime", &raw.last_transition_time)?;
    // Either may be null; the other one is then the best that is known.
    let known = [heartbeat.or(transition), transition.or(heartbeat)];
    let [heartbeat, transition] = known.map(|at| at.map_or(0, |t| t.seconds_since(zero)));
    let condition = Condition {
        kind,
        status,
        reason: raw.reason.clone(),
        last_heartbeat_time: seconds(heartbeat),
        last_transition_time: seconds(transition),
    };
    Ok(Ok((condition, heartbeat)))
}

#[cfg(test)]
mod tests {
    use crate::import::{ImportedCluster, Input};

    /// A shutdown as a kubelet of 1.34 posts it, and a shortage of memory; one that is well says nothing.
    #[test]
    fn nodes_that_go_off_or_are_short_are_told() {
        let node = |name: &str, pressure: &str, ready: &str, message: &str| {
            format!(
                r#"{{"kind": "Node", "apiVersion": "v1", "metadata": {{"name": "{name}"}}, "status": {{"conditions": [
                {{"type": "MemoryPressure", "status": "{pressure}", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}},
                {{"type": "Ready", "status": "{ready}", "reason": "KubeletReady", "message": "{message}", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}}]}}}}"#
            )
        };
        let nodes = [
            node("well", "False", "True", "kubelet is posting ready status"),
            node("off", "False", "False", "node is shutting down"),
            node("short", "True", "True", "kubelet is posting ready status"),
        ];
        let input = |text: &String| Input::from_bytes("f", text.clone().into_bytes()).unwrap();
        let files: Vec<Input> = nodes.iter().map(input).collect();
        let summary = ImportedCluster::read(&files).unwrap().summary;
        for told in [summary.lines().join("\n"), summary.notes().join("\n")] {
            assert!(told.contains("1 node shutting down as the export was made"), "{told}");
            assert!(told.contains("its machine stays on: off"), "{told}");
            assert!(told.contains("the taints stay: short"), "{told}");
            assert!(!told.contains(": well"), "{told}");
        }
    }
}
