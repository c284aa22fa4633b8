//! A record's parts as texts, under the names that recorded timelines and `events.jsonl` use.

use super::record::{EventBody, EventText, Message, Note, Record, What};
use super::records::Trace;
use super::verdicts::Rejection;
use crate::api::names::{Names, NodeId, PodId, TextId, WorkloadId};
use crate::api::workload::short_name;
use std::collections::BTreeMap;

/// The message of an event about an object: `name` is a node's name, or `namespace/name`.
pub fn event_message(body: EventBody, name: &str, names: &Names) -> String {
    let short = short_name(name);
    match body.text {
        EventText::RegisteredNode => {
            format!("Node {name} event: Registered Node {name} in Controller")
        }
        EventText::RemovingNode => {
            format!("Node {name} event: Removing Node {name} from Controller")
        }
        EventText::NodeNotReady => format!("Node {name} status is now: NodeNotReady"),
        EventText::NodeReady => format!("Node {name} status is now: NodeReady"),
        EventText::PodNodeNotReady => "Node is not ready".to_owned(),
        EventText::MarkingForDeletion => format!("Marking for deletion Pod {name}"),
        EventText::CancellingDeletion => format!("Cancelling deletion of Pod {name}"),
        EventText::DeletingAllPods => {
            format!("Node {name} event: Deleting all Pods from Node {name}.")
        }
        EventText::NodeControllerEviction => format!("Marking for deletion Pod {short}"),
        EventText::TaintToleration => {
            "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
                .to_owned()
        }
        EventText::DeletingNode => {
            format!("Deleting node {name} because it does not exist in the cloud provider")
        }
        EventText::NodeSynced => "Node synced successfully".to_owned(),
        EventText::CreatedPod => format!(
            "Created pod: {}",
            short_name(names.pod_name(PodId(body.arg)))
        ),
        EventText::DeletedPod => format!(
            "Deleted pod: {}",
            short_name(names.pod_name(PodId(body.arg)))
        ),
        EventText::Scheduled => format!(
            "Successfully assigned {name} to {}",
            names.node_name(NodeId(body.arg))
        ),
        _ => names.text_of(TextId(body.arg)).to_owned(),
    }
}

impl EventText {
    /// Its argument is a text: the message itself.
    pub fn has_words(self) -> bool {
        matches!(
            self,
            Self::SuccessfulCreate
                | Self::SuccessfulDelete
                | Self::FailedCreate
                | Self::FailedDelete
                | Self::RecreatingFailedPod
                | Self::RecreatingTerminatedPod
                | Self::ScalingReplicaSet
                | Self::FailedDaemonPod
                | Self::SucceededDaemonPod
                | Self::BackoffLimitExceeded
                | Self::PodFailurePolicy
                | Self::JobCompleted
                | Self::FailedScheduling
                | Self::Preempted
                | Self::NoPods
                | Self::CalculateExpectedPodCountFailed
                | Self::NotDeleted
                | Self::MultiplePodDisruptionBudgets
        )
    }

    /// The event's reason.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::RegisteredNode => "RegisteredNode",
            Self::RemovingNode => "RemovingNode",
            Self::NodeNotReady | Self::PodNodeNotReady => "NodeNotReady",
            Self::NodeReady => "NodeReady",
            Self::MarkingForDeletion | Self::CancellingDeletion => "TaintManagerEviction",
            Self::DeletingAllPods => "DeletingAllPods",
            Self::NodeControllerEviction => "NodeControllerEviction",
            Self::TaintToleration => "TaintToleration",
            Self::DeletingNode => "DeletingNode",
            Self::NodeSynced => "Synced",
            Self::CreatedPod | Self::SuccessfulCreate => "SuccessfulCreate",
            Self::DeletedPod | Self::SuccessfulDelete => "SuccessfulDelete",
            Self::FailedCreate => "FailedCreate",
            Self::FailedDelete => "FailedDelete",
            Self::RecreatingFailedPod => "RecreatingFailedPod",
            Self::RecreatingTerminatedPod => "RecreatingTerminatedPod",
            Self::ScalingReplicaSet => "ScalingReplicaSet",
            Self::FailedDaemonPod => "FailedDaemonPod",
            Self::SucceededDaemonPod => "SucceededDaemonPod",
            Self::BackoffLimitExceeded => "BackoffLimitExceeded",
            Self::PodFailurePolicy => "PodFailurePolicy",
            Self::JobCompleted => "Completed",
            Self::Scheduled => "Scheduled",
            Self::FailedScheduling => "FailedScheduling",
            Self::Preempted => "Preempted",
            Self::NoPods => "NoPods",
            Self::CalculateExpectedPodCountFailed => "CalculateExpectedPodCountFailed",
            Self::NotDeleted => "NotDeleted",
            Self::MultiplePodDisruptionBudgets => "MultiplePodDisruptionBudgets",
        }
    }

    /// `Normal` or `Warning`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::PodNodeNotReady
            | Self::TaintToleration
            | Self::FailedCreate
            | Self::FailedDelete
            | Self::RecreatingFailedPod
            | Self::FailedDaemonPod
            | Self::BackoffLimitExceeded
            | Self::PodFailurePolicy
            | Self::FailedScheduling
            | Self::CalculateExpectedPodCountFailed
            | Self::NotDeleted
            | Self::MultiplePodDisruptionBudgets => "Warning",
            _ => "Normal",
        }
    }
}

/// A record as named texts; the shape of a line of `events.jsonl`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    /// The kind of record, `node-taints` say.
    pub what: &'static str,
    /// The node it is about, or that a pod is on.
    pub node: Option<String>,
    /// The pod it is about, `namespace/name`.
    pub pod: Option<String>,
    /// The object of an event, `Kind/namespace/name`.
    pub object: Option<String>,
    /// The type of a condition or event.
    pub kind: Option<&'static str>,
    /// The status of a condition, or a phase.
    pub status: Option<&'static str>,
    /// The reason of a condition or event.
    pub reason: Option<&'static str>,
    /// The message of an event, or any other text.
    pub message: Option<String>,
    /// `spec.unschedulable`
    pub value: Option<bool>,
    /// The grace period of a deletion, or the seconds of a timer.
    pub seconds: Option<u32>,
    /// A span in milliseconds.
    pub millis: Option<u32>,
    /// How often an event was seen, if more than once.
    pub count: Option<u32>,
    /// How many pods a workload asks for.
    pub replicas: Option<i32>,
    /// Taints that were added.
    pub added: Vec<String>,
    /// Taints that were removed.
    pub removed: Vec<String>,
    /// The disruption budget that it is about, `PodDisruptionBudget/namespace/name`, and how it
    /// stood.
    pub budget: Option<Stand>,
    /// Pods that a drain left behind, `namespace/name`.
    pub left: Vec<String>,
    /// What filters said of nodes, a reason each.
    pub filters: Vec<Told>,
}

/// A disruption budget and how it stood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stand {
    /// `PodDisruptionBudget/namespace/name`
    pub name: String,
    /// `minAvailable` or `maxUnavailable`.
    pub rule: &'static str,
    /// What is asked for: `2`, `80%`.
    pub amount: String,
    /// `status.expectedPods`, `desiredHealthy`, `currentHealthy`, `disruptionsAllowed`.
    pub status: [i32; 4],
}

/// The nodes that a filter rejects for one reason; without any the pod is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Who rejects, and why.
    pub rejection: Rejection,
    /// How many nodes.
    pub count: usize,
    /// Their names, those of neighbours as `first..last`.
    pub nodes: Vec<String>,
}

impl Trace {
    /// A record's parts as texts.
    pub fn fields(&self, r: &Record) -> Fields {
        let names = &self.names;
        let mut f = Fields::default();
        if let Some(n) = r.node() {
            f.node = Some(names.node_name(n).to_owned());
        }
        if let Some(p) = r.pod() {
            f.pod = Some(names.pod_name(p).to_owned());
        }
        f.what = match r.what {
            What::NodeCreated => "node-created",
            What::NodeDeleted => "node-deleted",
            What::NodeCondition(kind, status, reason) => {
                f.kind = Some(kind.as_str());
                f.status = Some(status.as_str());
                f.reason = Some(reason.as_str()).filter(|r| !r.is_empty());
                "node-condition"
            }
            What::NodeTaints(change) => {
                let change = &self.taints[change as usize];
                f.added = change.added.iter().map(ToString::to_string).collect();
                f.removed = change.removed.iter().map(ToString::to_string).collect();
                "node-taints"
            }
            What::NodeUnschedulable(value) => {
                f.value = Some(value);
                "node-unschedulable"
            }
            What::PodCreated(node) => {
                f.node = What::created_on(node).map(|n| names.node_name(n).to_owned());
                "pod-created"
            }
            What::PodBound(node) => {
                f.node = Some(names.node_name(NodeId(node)).to_owned());
                "pod-bound"
            }
            What::PodTolerations => "pod-tolerations",
            What::PodPhase(phase) => {
                f.status = Some(phase.as_str());
                "pod-phase"
            }
            What::PodCondition(kind, status, reason) => {
                f.kind = Some(kind.as_str());
                f.status = Some(status.as_str());
                f.reason = Some(reason.as_str()).filter(|r| !r.is_empty());
                "pod-condition"
            }
            What::PodDeleting(grace) => {
                f.seconds = Some(grace);
                "pod-deleting"
            }
            What::PodGone => "pod-gone",
            What::NodeEvent(text, combined, count) => {
                let name = names.node_name(NodeId(r.object));
                f.node = None;
                f.object = Some(format!("Node/{name}"));
                self.event(
                    &mut f,
                    &Message {
                        body: text.into(),
                        combined,
                        count,
                    },
                    name,
                )
            }
            What::PodEvent(text, combined, count) => {
                let name = names.pod_name(PodId(r.object));
                f.pod = None;
                f.object = Some(format!("Pod/{name}"));
                self.event(
                    &mut f,
                    &Message {
                        body: text.into(),
                        combined,
                        count,
                    },
                    name,
                )
            }
            What::PodMessage(index) => {
                let name = names.pod_name(PodId(r.object));
                f.pod = None;
                f.object = Some(format!("Pod/{name}"));
                self.event(&mut f, &self.messages[index as usize], name)
            }
            What::WorkloadMessage(index) => {
                let name = names.workload_name(WorkloadId(r.object));
                f.object = Some(name.to_owned());
                self.event(&mut f, &self.messages[index as usize], name)
            }
            What::WorkloadCreated(replicas) | What::WorkloadScaled(replicas) => {
                f.object = Some(names.workload_name(WorkloadId(r.object)).to_owned());
                f.replicas = Some(replicas);
                if matches!(r.what, What::WorkloadCreated(_)) {
                    "workload-created"
                } else {
                    "workload-scaled"
                }
            }
            What::WorkloadDeleted => {
                f.object = Some(names.workload_name(WorkloadId(r.object)).to_owned());
                "workload-deleted"
            }
            What::FaultBegan => "fault-began",
            What::FaultEnded => "fault-ended",
            What::NodeSilent => "node-silent",
            What::NodeHeard => "node-heard",
            What::MachineOff => "machine-off",
            What::MachineOn => "machine-on",
            What::NetworkLost => "network-lost",
            What::NetworkBack => "network-back",
            What::ContainersStarted(node) | What::ContainersStopped(node) => {
                f.node = Some(names.node_name(NodeId(node)).to_owned());
                if matches!(r.what, What::ContainersStarted(_)) {
                    "containers-started"
                } else {
                    "containers-stopped"
                }
            }
            What::Zone(state) => {
                f.object = Some(names.text_of(TextId(r.object)).replace('\0', ""));
                f.status = Some(state.as_str());
                "zone-state"
            }
            What::MasterDisruptionEntered => "master-disruption-entered",
            What::MasterDisruptionLeft => "master-disruption-left",
            What::NodeQueued => "node-queued",
            What::TimerSet(seconds) => {
                f.seconds = Some(seconds);
                "timer-set"
            }
            What::TimerCancelled => "timer-cancelled",
            What::PodUnplaced(_) => {
                f.filters = self.told(r);
                "pod-unplaced"
            }
            What::EvictionFailed => "eviction-failed",
            What::ControllersStarted => "controllers-started",
            What::ControllersStopped => "controllers-stopped",
            What::Noted(note, arg) => {
                match note {
                    Note::NodeExpired | Note::LastHeartbeat => f.millis = Some(arg),
                    Note::ZoneQueue => {
                        f.object = Some(names.text_of(TextId(r.object)).replace('\0', ""))
                    }
                    Note::TaintsKnown => {
                        f.added = self.taints[arg as usize]
                            .added
                            .iter()
                            .map(ToString::to_string)
                            .collect()
                    }
                    Note::TaintsGone => f.value = Some(arg != 0),
                    Note::NotTolerated | Note::ToleratesForever | Note::WorkExists => {}
                }
                note.as_str()
            }
            What::Refused(text) => {
                f.message = Some(names.text_of(TextId(text)).to_owned());
                "refused"
            }
            What::CutShort(text) => {
                f.message = Some(names.text_of(TextId(text)).to_owned());
                "cut-short"
            }
            What::EvictionGranted(budget) => {
                f.budget = self.stand(budget);
                "eviction-granted"
            }
            What::EvictionRefused(budget) => {
                f.budget = self.stand(budget);
                f.reason = self
                    .budgets
                    .get(budget as usize)
                    .map(|b| b.refusal.as_str());
                "eviction-refused"
            }
            What::DrainDeletes => "drain-deletes",
            What::DrainEnded(end) => {
                let end = &self.drains[end as usize];
                f.status = Some(end.outcome.as_str());
                f.millis = Some(u32::try_from(end.took.as_millis()).unwrap_or(u32::MAX));
                f.count = Some(end.gone);
                f.left = end
                    .left
                    .iter()
                    .map(|p| names.pod_name(*p).to_owned())
                    .collect();
                f.message = Some(names.text_of(end.words).to_owned()).filter(|m| !m.is_empty());
                "drain-ended"
            }
            What::BudgetCreated(budget) => {
                f.budget = self.stand(budget);
                "budget-created"
            }
            What::BudgetChanged(budget) => {
                f.budget = self.stand(budget);
                "budget-changed"
            }
            What::BudgetDeleted => {
                f.object = Some(names.workload_name(WorkloadId(r.object)).to_owned());
                "budget-deleted"
            }
        };
        f
    }

    fn stand(&self, index: u32) -> Option<Stand> {
        let state = self.budgets.get(index as usize)?;
        Some(Stand {
            name: self.names.workload_name(state.budget).to_owned(),
            rule: state.rule.field(),
            amount: state.rule.amount().to_string(),
            status: [state.expected, state.desired, state.healthy, state.allowed],
        })
    }

    /// The verdicts of a failed attempt by reason, sorted.
    fn told(&self, r: &Record) -> Vec<Told> {
        let mut told: BTreeMap<&Rejection, (usize, Vec<String>)> = BTreeMap::new();
        for (first, nodes, rejection) in self.verdict_runs(r) {
            let (count, names) = told.entry(rejection).or_default();
            *count += nodes as usize;
            let Some(first) = first else { continue };
            let name = self.names.node_name(first);
            names.push(match nodes {
                1 => name.to_owned(),
                n => format!("{name}..{}", self.names.node_name(NodeId(first.0 + n - 1))),
            });
        }
        told.into_iter()
            .map(|(rejection, (count, nodes))| Told {
                rejection: rejection.clone(),
                count,
                nodes,
            })
            .collect()
    }

    /// A record in one line: `640.003s node-lifecycle node-condition b-00 Ready Unknown
    /// NodeStatusUnknown`.
    pub fn sentence(&self, r: &Record) -> String {
        let f = self.fields(r);
        let mut parts = vec![
            r.at.to_string(),
            r.actor.as_str().to_owned(),
            f.what.to_owned(),
        ];
        parts.extend([f.pod, f.object].into_iter().flatten());
        parts.extend(f.node.map(|node| {
            if parts.len() > 3 {
                format!("on {node}")
            } else {
                node
            }
        }));
        parts.extend(
            [f.kind, f.status, f.reason]
                .into_iter()
                .flatten()
                .map(str::to_owned),
        );
        parts.extend(f.added.into_iter().map(|t| format!("+{t}")));
        parts.extend(f.removed.into_iter().map(|t| format!("-{t}")));
        parts.extend(f.seconds.map(|s| format!("{s}s")));
        parts.extend(f.value.map(|v| v.to_string()));
        parts.extend(f.replicas.map(|n| format!("replicas {n}")));
        parts.extend(f.filters.into_iter().map(|t| {
            if t.count > 0 {
                format!("{} on {}", t.rejection.plugin, t.count)
            } else {
                t.rejection.plugin.to_owned()
            }
        }));
        parts.extend(f.budget.map(|b| {
            let [expected, desired, healthy, allowed] = b.status;
            format!(
                "{} {} {}: {healthy} of {expected} healthy, needs {desired}, allows {allowed}",
                b.name, b.rule, b.amount
            )
        }));
        parts.extend(f.left.into_iter().map(|p| format!("left {p}")));
        parts.extend(f.message.map(|m| format!("{m:?}")));
        parts.join(" ")
    }

    fn event(&self, f: &mut Fields, event: &Message, name: &str) -> &'static str {
        f.kind = Some(event.body.text.kind());
        f.reason = Some(event.body.text.reason());
        let message = event_message(event.body, name, &self.names);
        f.message = Some(if event.combined {
            format!("(combined from similar events): {message}")
        } else {
            message
        });
        f.count = Some(event.count).filter(|&n| n > 1);
        "event"
    }
}
