//! The way back from `events.jsonl` to a trace.
//!
//! Every kind of record comes back as it was. Left out: `timeAdded` of taints, which the lines do
//! not hold and nothing reads.

use super::event::event;
use super::line::{Line, find, node_of, number};
use super::tables;
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::pod::{PodConditionType, PodPhase, PodReason};
use crate::kernel::Time;
use crate::trace::{Actor, NO_RECORD, Note, Record, RecordId, Trace, What, ZoneState};

/// A line that is not a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadLine {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// Reads all records of a run into a trace that has its names,
/// [`names_json`](super::super::names_json), and no records yet.
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
    Ok(Record { at: Time::from_nanos(line.t_ns), cause, saw, object, what, actor })
}

/// The object and what happened to it.
fn what(line: &Line, trace: &mut Trace) -> Result<(u32, What), String> {
    for of in [of_node, of_pod, of_workload, of_timeline, of_cluster, noted] {
        if let Some(found) = of(line, trace)? {
            return Ok(found);
        }
    }
    let other = &line.what;
    Err(format!("there are no records of the kind `{other}`"))
}

/// What happens to nodes; none if the line is of another kind.
fn of_node(line: &Line, trace: &mut Trace) -> Result<Option<(u32, What)>, String> {
    let node = || line.node(&trace.names);
    Ok(Some(match line.what.as_str() {
        "node-created" => (node()?, What::NodeCreated),
        "node-deleted" => (node()?, What::NodeDeleted),
        "node-condition" => {
            let kind = line.kind(NodeConditionType::ALL, NodeConditionType::as_str)?;
            let reason = line.reason(NodeReason::ALL, NodeReason::as_str)?;
            (node()?, What::NodeCondition(kind, line.condition()?, reason))
        }
        "node-taints" => {
            let node = node()?;
            let change = tables::taints(&line.added, &line.removed, trace)?;
            (node, What::NodeTaints(change))
        }
        "node-unschedulable" => {
            (node()?, What::NodeUnschedulable(line.value.ok_or("`value` is missing")?))
        }
        "node-silent" => (node()?, What::NodeSilent),
        "node-heard" => (node()?, What::NodeHeard),
        "machine-off" => (node()?, What::MachineOff),
        "machine-on" => (node()?, What::MachineOn),
        "network-lost" => (node()?, What::NetworkLost),
        "network-back" => (node()?, What::NetworkBack),
        "node-queued" => (node()?, What::NodeQueued),
        "drain-ended" => tables::drain(line, trace)?,
        _ => return Ok(None),
    }))
}

/// What happens to pods; none if the line is of another kind.
fn of_pod(line: &Line, trace: &mut Trace) -> Result<Option<(u32, What)>, String> {
    let (pod, node) = (|| line.pod(&trace.names), || line.node(&trace.names));
    Ok(Some(match line.what.as_str() {
        "containers-started" => (pod()?, What::ContainersStarted(node()?)),
        "containers-stopped" => (pod()?, What::ContainersStopped(node()?)),
        "pod-created" => {
            let on = line.node.as_deref().map(|n| node_of(&trace.names, Some(n))).transpose()?;
            (pod()?, What::pod_created(on))
        }
        "pod-bound" => (pod()?, What::PodBound(node()?)),
        "pod-tolerations" => (pod()?, What::PodTolerations),
        "pod-phase" => (pod()?, What::PodPhase(line.status(PodPhase::ALL, PodPhase::as_str)?)),
        "pod-condition" => {
            let kind = line.kind(PodConditionType::ALL, PodConditionType::as_str)?;
            let reason = line.reason(PodReason::ALL, PodReason::as_str)?;
            (pod()?, What::PodCondition(kind, line.condition()?, reason))
        }
        "pod-condition-gone" => {
            let kind = line.kind(PodConditionType::ALL, PodConditionType::as_str)?;
            (pod()?, What::PodConditionGone(kind))
        }
        "pod-deleting" => (pod()?, What::PodDeleting(number("grace", line.grace)?)),
        "pod-gone" => (pod()?, What::PodGone),
        "timer-set" => (pod()?, What::TimerSet(number("seconds", line.seconds)?)),
        "timer-cancelled" => (pod()?, What::TimerCancelled),
        "pod-unplaced" => {
            let pod = pod()?;
            let verdicts = tables::verdicts(&line.filters, trace)?;
            (pod, What::PodUnplaced(verdicts))
        }
        "eviction-failed" => (pod()?, What::EvictionFailed),
        "eviction-granted" => (pod()?, What::EvictionGranted(tables::budget(line, trace)?)),
        "eviction-refused" => (pod()?, What::EvictionRefused(tables::budget(line, trace)?)),
        "drain-deletes" => (pod()?, What::DrainDeletes),
        _ => return Ok(None),
    }))
}

/// What happens to workloads and budgets, and events, which are about any object; none if the line
/// is of another kind.
fn of_workload(line: &Line, trace: &mut Trace) -> Result<Option<(u32, What)>, String> {
    let workload = || line.workload(&trace.names);
    let replicas = || line.replicas.ok_or("`replicas` is missing");
    Ok(Some(match line.what.as_str() {
        "workload-created" => (workload()?, What::WorkloadCreated(replicas()?)),
        "workload-scaled" => (workload()?, What::WorkloadScaled(replicas()?)),
        "workload-deleted" => (workload()?, What::WorkloadDeleted),
        "budget-created" | "budget-changed" => {
            let state = tables::budget(line, trace)?;
            let about = trace.budgets.get(state as usize).ok_or("`budget` is missing")?.budget.0;
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
        "event" => event(line, trace)?,
        _ => return Ok(None),
    }))
}

/// What becomes of entries of the timeline; none if the line is of another kind.
fn of_timeline(line: &Line, trace: &mut Trace) -> Result<Option<(u32, What)>, String> {
    let words = || line.words(&trace.names);
    Ok(Some(match line.what.as_str() {
        "fault-began" => (line.entry()?, What::FaultBegan),
        "fault-ended" => (line.entry()?, What::FaultEnded),
        "refused" => (line.entry()?, What::Refused(words()?)),
        "cut-short" => (line.entry()?, What::CutShort(words()?)),
        // By an entry of the timeline, or by what was found about a node.
        "controllers-stopped" if line.node.is_some() => {
            (line.node(&trace.names)?, What::ControllersStopped)
        }
        "controllers-stopped" => (line.entry()?, What::ControllersStopped),
        _ => return Ok(None),
    }))
}

/// What concerns zones or the whole cluster, which is object 0; none if the line is of another
/// kind.
fn of_cluster(line: &Line, trace: &mut Trace) -> Result<Option<(u32, What)>, String> {
    Ok(Some(match line.what.as_str() {
        "zone-state" => {
            (line.zone(&trace.names)?, What::Zone(line.status(ZoneState::ALL, ZoneState::as_str)?))
        }
        "master-disruption-entered" => (0, What::MasterDisruptionEntered),
        "master-disruption-left" => (0, What::MasterDisruptionLeft),
        "controllers-started" => (0, What::ControllersStarted),
        _ => return Ok(None),
    }))
}

/// What controllers noted; none if the line is of another kind.
fn noted(line: &Line, trace: &mut Trace) -> Result<Option<(u32, What)>, String> {
    let Some(note) = Note::ALL.into_iter().find(|n| n.as_str() == line.what) else {
        return Ok(None);
    };
    let node = || line.node(&trace.names);
    Ok(Some(match note {
        Note::NodeExpired | Note::LastHeartbeat | Note::RenewalUnseen => {
            (node()?, What::Noted(note, number("millis", line.millis)?))
        }
        Note::LeaseRenewed => (node()?, What::Noted(note, 0)),
        Note::ZoneQueue => (line.zone(&trace.names)?, What::Noted(note, 0)),
        Note::TaintsKnown => {
            let node = node()?;
            let change = tables::taints(&line.added, &[], trace)?;
            (node, What::Noted(note, change))
        }
        Note::TaintsGone => {
            (node()?, What::Noted(note, line.value.ok_or("`value` is missing")?.into()))
        }
        Note::NotTolerated | Note::ToleratesForever | Note::WorkExists => {
            (line.pod(&trace.names)?, What::Noted(note, 0))
        }
    }))
}
