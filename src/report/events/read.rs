//! The way back from `events.jsonl` to a trace.
//!
//! Every kind of record comes back as it was. Left out: `timeAdded` of taints, which the lines do
//! not hold and nothing reads.

use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::meta::ConditionStatus;
use crate::api::names::{Names, NodeId, PodId, TextId, WorkloadId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::pod::{PodConditionType, PodPhase, PodReason};
use crate::api::taint::{Effect, Taint};
use crate::api::workload::namespace_of;
use crate::kernel::{Dur, Time};
use crate::trace::{
    Actor, BudgetState, DrainEnd, DrainOutcome, EventBody, EventText, Message, NO_BUDGET,
    NO_RECORD, Note, Plugin, Record, RecordId, Refusal, Rejection, TaintChange, Trace, What,
    ZoneState, event_message,
};
use serde::Deserialize;

/// A line that is not a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadLine {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// A line as it was written; see [`Fields`](crate::trace::Fields).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: RecordId,
    t_ns: u64,
    actor: String,
    what: String,
    node: Option<String>,
    pod: Option<String>,
    object: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    status: Option<String>,
    reason: Option<String>,
    message: Option<String>,
    value: Option<bool>,
    seconds: Option<u32>,
    grace: Option<u32>,
    millis: Option<u32>,
    count: Option<u32>,
    replicas: Option<i32>,
    #[serde(default)]
    added: Vec<String>,
    #[serde(default)]
    removed: Vec<String>,
    budget: Option<Stand>,
    #[serde(default)]
    left: Vec<String>,
    #[serde(default)]
    filters: Vec<Filter>,
    #[serde(rename = "entry")]
    _entry: Option<String>,
    entry_index: Option<u32>,
    cause: Option<RecordId>,
    saw: Option<RecordId>,
}

/// A disruption budget; see [`Stand`](crate::trace::Stand).
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Stand {
    name: String,
    rule: String,
    amount: String,
    expected_pods: i32,
    desired_healthy: i32,
    current_healthy: i32,
    disruptions_allowed: i32,
}

/// A filter that rejected nodes, or the pod; see [`Told`](crate::trace::Told).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Filter {
    plugin: String,
    reason: String,
    #[serde(rename = "count")]
    _count: usize,
    nodes: Vec<String>,
}

/// Reads all records of a run into a trace that has its names,
/// [`trace_json`](super::super::trace_json), and no records yet.
///
/// # Errors
/// The first line that is not a record of such a run.
pub fn read(text: &str, mut trace: Trace) -> Result<Trace, BadLine> {
    let mut before = Time::ZERO;
    for (i, line) in text.split_terminator('\n').enumerate() {
        let bad = |what: String| BadLine { line: i + 1, what };
        let line: Line =
            serde_json::from_str(line).map_err(|e| bad(format!("not a record: {e}")))?;
        let record = record(&line, &mut trace).map_err(bad)?;
        if line.id as usize != i {
            return Err(bad(format!("record {i} is expected here, not {}", line.id)));
        }
        if record.at < before {
            return Err(bad("a record from before the one above it".to_owned()));
        }
        before = record.at;
        trace.push(record);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(BadLine {
            line: trace.len(),
            what: "the line has no end: the file was cut off".to_owned(),
        });
    }
    Ok(trace)
}

fn record(line: &Line, trace: &mut Trace) -> Result<Record, String> {
    let actor = find(Actor::ALL, Actor::as_str, "actor", Some(&line.actor))?;
    let reference = |name: &str, id: Option<RecordId>| match id {
        None => Ok(NO_RECORD),
        Some(id) if id < line.id => Ok(id),
        Some(id) => Err(format!("`{name}` is {id}, a later record")),
    };
    let (cause, saw) = (reference("cause", line.cause)?, reference("saw", line.saw)?);
    let (object, what) = what(line, trace)?;
    Ok(Record {
        at: Time::from_nanos(line.t_ns),
        cause,
        saw,
        object,
        what,
        actor,
    })
}

/// The object and what happened to it.
fn what(line: &Line, trace: &mut Trace) -> Result<(u32, What), String> {
    let names = &trace.names;
    let node = || node_of(names, line.node.as_deref()).map(|n| n.0);
    let pod = || pod_of(names, line.pod.as_deref()).map(|p| p.0);
    let workload = || {
        let name = line.object.as_deref().ok_or("`object` is missing")?;
        names
            .find_workload(name)
            .map(|w| w.0)
            .ok_or_else(|| format!("`{name}` is not in trace.json"))
    };
    let text = |text: &str| {
        names
            .find_text(text)
            .map(|t| t.0)
            .ok_or_else(|| format!("the text {text:?} is not in trace.json"))
    };
    let entry = || {
        line.entry_index
            .ok_or_else(|| "`entry_index` is missing".to_owned())
    };
    let number = |name: &str, n: Option<u32>| n.ok_or_else(|| format!("`{name}` is missing"));
    let status = || {
        find(
            CONDITION,
            ConditionStatus::as_str,
            "status",
            line.status.as_deref(),
        )
    };
    // `region:\0:zone`, written without the zero byte; neither part can hold a colon.
    let zone = || {
        line.object
            .as_deref()
            .unwrap_or("")
            .replacen("::", ":\0:", 1)
    };
    // What concerns the whole cluster is about object 0.
    Ok(match line.what.as_str() {
        "node-created" => (node()?, What::NodeCreated),
        "node-deleted" => (node()?, What::NodeDeleted),
        "node-condition" => {
            let kind = find(
                NodeConditionType::ALL,
                NodeConditionType::as_str,
                "type",
                line.kind.as_deref(),
            )?;
            let reason = find(
                NodeReason::ALL,
                NodeReason::as_str,
                "reason",
                Some(line.reason.as_deref().unwrap_or("")),
            )?;
            (node()?, What::NodeCondition(kind, status()?, reason))
        }
        "node-taints" => {
            let node = node()?;
            let all = |taints: &[String]| {
                taints
                    .iter()
                    .map(|t| taint(t))
                    .collect::<Result<Vec<_>, _>>()
            };
            let change = TaintChange {
                added: all(&line.added)?,
                removed: all(&line.removed)?,
            };
            trace.taints.push(change);
            (node, What::NodeTaints(trace.taints.len() as u32 - 1))
        }
        "node-unschedulable" => (
            node()?,
            What::NodeUnschedulable(line.value.ok_or("`value` is missing")?),
        ),
        "node-silent" => (node()?, What::NodeSilent),
        "node-heard" => (node()?, What::NodeHeard),
        "machine-off" => (node()?, What::MachineOff),
        "machine-on" => (node()?, What::MachineOn),
        "network-lost" => (node()?, What::NetworkLost),
        "network-back" => (node()?, What::NetworkBack),
        "containers-started" => (pod()?, What::ContainersStarted(node()?)),
        "containers-stopped" => (pod()?, What::ContainersStopped(node()?)),
        "node-queued" => (node()?, What::NodeQueued),
        "pod-created" => {
            let on = line
                .node
                .as_deref()
                .map(|n| node_of(names, Some(n)))
                .transpose()?;
            (pod()?, What::pod_created(on))
        }
        "pod-bound" => (pod()?, What::PodBound(node()?)),
        "pod-tolerations" => (pod()?, What::PodTolerations),
        "pod-phase" => (
            pod()?,
            What::PodPhase(find(
                PodPhase::ALL,
                PodPhase::as_str,
                "status",
                line.status.as_deref(),
            )?),
        ),
        "pod-condition" => {
            let kind = find(
                PodConditionType::ALL,
                PodConditionType::as_str,
                "type",
                line.kind.as_deref(),
            )?;
            let reason = find(
                PodReason::ALL,
                PodReason::as_str,
                "reason",
                Some(line.reason.as_deref().unwrap_or("")),
            )?;
            (pod()?, What::PodCondition(kind, status()?, reason))
        }
        "pod-deleting" => (pod()?, What::PodDeleting(number("grace", line.grace)?)),
        "pod-gone" => (pod()?, What::PodGone),
        "timer-set" => (pod()?, What::TimerSet(number("seconds", line.seconds)?)),
        "timer-cancelled" => (pod()?, What::TimerCancelled),
        "pod-unplaced" => {
            let pod = pod()?;
            (pod, What::PodUnplaced(verdicts(&line.filters, trace)?))
        }
        "eviction-failed" => (pod()?, What::EvictionFailed),
        "event" => event(line, trace)?,
        "eviction-granted" => (pod()?, What::EvictionGranted(budget(line, trace)?)),
        "eviction-refused" => (pod()?, What::EvictionRefused(budget(line, trace)?)),
        "drain-deletes" => (pod()?, What::DrainDeletes),
        "drain-ended" => {
            let left = line
                .left
                .iter()
                .map(|p| pod_of(names, Some(p)))
                .collect::<Result<_, _>>()?;
            let outcome = find(
                DrainOutcome::ALL,
                DrainOutcome::as_str,
                "status",
                line.status.as_deref(),
            )?;
            let words = TextId(text(line.message.as_deref().unwrap_or(""))?);
            let took = Dur::from_millis(number("millis", line.millis)?.into());
            let (node, gone) = (node()?, number("count", line.count)?);
            (
                node,
                What::DrainEnded(trace.keep_drain(DrainEnd {
                    outcome,
                    took,
                    gone,
                    left,
                    words,
                })),
            )
        }
        "budget-created" | "budget-changed" => {
            let state = budget(line, trace)?;
            let about = trace
                .budgets
                .get(state as usize)
                .ok_or("`budget` is missing")?
                .budget
                .0;
            (
                about,
                if line.what == "budget-created" {
                    What::BudgetCreated(state)
                } else {
                    What::BudgetChanged(state)
                },
            )
        }
        "budget-deleted" => (workload()?, What::BudgetDeleted),
        "workload-created" => (
            workload()?,
            What::WorkloadCreated(line.replicas.ok_or("`replicas` is missing")?),
        ),
        "workload-scaled" => (
            workload()?,
            What::WorkloadScaled(line.replicas.ok_or("`replicas` is missing")?),
        ),
        "workload-deleted" => (workload()?, What::WorkloadDeleted),
        "fault-began" => (entry()?, What::FaultBegan),
        "fault-ended" => (entry()?, What::FaultEnded),
        "refused" => (
            entry()?,
            What::Refused(text(line.message.as_deref().unwrap_or(""))?),
        ),
        "cut-short" => (
            entry()?,
            What::CutShort(text(line.message.as_deref().unwrap_or(""))?),
        ),
        "zone-state" => (
            text(&zone())?,
            What::Zone(find(
                ZoneState::ALL,
                ZoneState::as_str,
                "status",
                line.status.as_deref(),
            )?),
        ),
        "master-disruption-entered" => (0, What::MasterDisruptionEntered),
        "master-disruption-left" => (0, What::MasterDisruptionLeft),
        "controllers-started" => (0, What::ControllersStarted),
        // By an entry of the timeline, or by what was found about a node.
        "controllers-stopped" if line.node.is_some() => (node()?, What::ControllersStopped),
        "controllers-stopped" => (entry()?, What::ControllersStopped),
        other if let Some(note) = Note::ALL.into_iter().find(|n| n.as_str() == other) => match note
        {
            Note::NodeExpired | Note::LastHeartbeat => {
                (node()?, What::Noted(note, number("millis", line.millis)?))
            }
            Note::ZoneQueue => (text(&zone())?, What::Noted(note, 0)),
            Note::TaintsKnown => {
                let node = node()?;
                let added = line
                    .added
                    .iter()
                    .map(|t| taint(t))
                    .collect::<Result<_, _>>()?;
                trace.taints.push(TaintChange {
                    added,
                    removed: Vec::new(),
                });
                (node, What::Noted(note, trace.taints.len() as u32 - 1))
            }
            Note::TaintsGone => (
                node()?,
                What::Noted(note, line.value.ok_or("`value` is missing")?.into()),
            ),
            Note::NotTolerated | Note::ToleratesForever | Note::WorkExists => {
                (pod()?, What::Noted(note, 0))
            }
        },
        other => return Err(format!("there are no records of the kind `{other}`")),
    })
}

const CONDITION: [ConditionStatus; 3] = [
    ConditionStatus::True,
    ConditionStatus::False,
    ConditionStatus::Unknown,
];

/// The value that is written as that word.
fn find<T: Copy, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
    field: &str,
    text: Option<&str>,
) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("`{field}` is missing"))?;
    all.into_iter()
        .find(|t| word(*t) == text)
        .ok_or_else(|| format!("`{field}` cannot be {text:?}"))
}

fn node_of(names: &Names, name: Option<&str>) -> Result<NodeId, String> {
    let name = name.ok_or("`node` is missing")?;
    names
        .find_node(name)
        .ok_or_else(|| format!("the node `{name}` is not in trace.json"))
}

fn pod_of(names: &Names, name: Option<&str>) -> Result<PodId, String> {
    let name = name.ok_or("`pod` is missing")?;
    names
        .find_pod(name)
        .ok_or_else(|| format!("the pod `{name}` is not in trace.json"))
}

/// The budget of a line, kept; [`NO_BUDGET`] where there is none.
fn budget(line: &Line, trace: &mut Trace) -> Result<u32, String> {
    let Some(told) = &line.budget else {
        return Ok(NO_BUDGET);
    };
    let budget = trace
        .names
        .find_workload(&told.name)
        .ok_or_else(|| format!("`{}` is not in trace.json", told.name))?;
    let rule =
        IntOrPercent::parse(&told.amount).and_then(|amount| BudgetRule::of(&told.rule, amount));
    let rule = rule.ok_or_else(|| {
        format!(
            "`{}: {}` is nothing a budget asks for",
            told.rule, told.amount
        )
    })?;
    Ok(trace.keep_budget(BudgetState {
        budget,
        rule,
        expected: told.expected_pods,
        desired: told.desired_healthy,
        healthy: told.current_healthy,
        allowed: told.disruptions_allowed,
        refusal: find(
            Refusal::ALL,
            Refusal::as_str,
            "reason",
            Some(line.reason.as_deref().unwrap_or("")),
        )?,
    }))
}

/// What filters said in an attempt to place a pod.
fn verdicts(filters: &[Filter], trace: &mut Trace) -> Result<u32, String> {
    let mut rejected = Vec::new();
    for filter in filters {
        let plugin = find(Plugin::ALL, Plugin::name, "plugin", Some(&filter.plugin))?.name();
        let number = trace.verdicts.rejection(Rejection {
            plugin,
            reason: filter.reason.as_str().into(),
        });
        if filter.nodes.is_empty() {
            return Ok(trace.verdicts.of_pod(number));
        }
        for nodes in &filter.nodes {
            let (first, last) = nodes.split_once("..").unwrap_or((nodes, nodes));
            let (first, last) = (
                node_of(&trace.names, Some(first))?,
                node_of(&trace.names, Some(last))?,
            );
            rejected.extend((first.0..=last.0).map(|n| (NodeId(n), number)));
        }
    }
    Ok(trace.verdicts.of_nodes(rejected))
}

/// `key=value:Effect`, or `key:Effect`.
fn taint(text: &str) -> Result<Taint, String> {
    let wrong = || format!("{text:?} is not a taint");
    let (key, effect) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (key, value) = key.split_once('=').unwrap_or((key, ""));
    let effect = Effect::parse(effect).ok_or_else(wrong)?;
    Ok(Taint {
        key: key.to_owned(),
        value: value.to_owned(),
        effect,
        time_added: None,
    })
}

/// An event: which text it is follows from reason and message, as those of a text are always the
/// same.
fn event(line: &Line, trace: &mut Trace) -> Result<(u32, What), String> {
    const COMBINED: &str = "(combined from similar events): ";
    let names = &trace.names;
    let full = line.object.as_deref().ok_or("`object` is missing")?;
    let (reason, message) = (
        line.reason.as_deref().unwrap_or(""),
        line.message.as_deref().unwrap_or(""),
    );
    let (combined, message) = message
        .strip_prefix(COMBINED)
        .map_or((false, message), |rest| (true, rest));
    let count = line.count.unwrap_or(1);
    enum About {
        Node(NodeId),
        Pod(PodId),
        Workload(WorkloadId),
    }
    let (about, name) = match full.split_once('/') {
        Some(("Node", name)) => (About::Node(node_of(names, Some(name))?), name),
        Some(("Pod", name)) => (About::Pod(pod_of(names, Some(name))?), name),
        _ => (
            About::Workload(
                names
                    .find_workload(full)
                    .ok_or_else(|| format!("`{full}` is not in trace.json"))?,
            ),
            full,
        ),
    };
    let body = |text: EventText| {
        let pod = |prefix| {
            names.find_pod(&format!(
                "{}/{}",
                namespace_of(full),
                message.strip_prefix(prefix)?
            ))
        };
        let body = match text {
            EventText::CreatedPod => EventBody::of_pod(text, pod("Created pod: ")?),
            EventText::DeletedPod => EventBody::of_pod(text, pod("Deleted pod: ")?),
            EventText::Scheduled => {
                EventBody::of_node(text, names.find_node(message.rsplit_once(" to ")?.1)?)
            }
            _ if text.has_words() => EventBody::of_words(text, names.find_text(message)?),
            _ => text.into(),
        };
        (event_message(body, name, names) == message).then_some(body)
    };
    let of_reason = EventText::ALL.into_iter().filter(|t| t.reason() == reason);
    let body = of_reason
        .filter_map(body)
        .next()
        .ok_or_else(|| format!("there is no event {reason} {message:?}"))?;
    let mut told = || {
        trace.messages.push(Message {
            body,
            combined,
            count,
        });
        trace.messages.len() as u32 - 1
    };
    Ok(match about {
        About::Node(id) => (id.0, What::NodeEvent(body.text, combined, count)),
        About::Pod(id) if body.arg == EventBody::NO_ARG => {
            (id.0, What::PodEvent(body.text, combined, count))
        }
        About::Pod(id) => (id.0, What::PodMessage(told())),
        About::Workload(id) => (id.0, What::WorkloadMessage(told())),
    })
}
