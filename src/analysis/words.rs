//! Records in words.

use super::drains::{asks, budget_name, drain_ended, stand};
use super::prelude::*;
use crate::api::probe::ProbeType;
use std::num::NonZeroU32;

pub(crate) use super::names::{ranges, short_taint, stem};

/// What a record says, with its object: "b-03 tainted unreachable:NoExecute".
pub(crate) fn record(analysis: &Analysis<'_>, r: &Record) -> String {
    let trace = analysis.trace;
    let entry = || {
        analysis
            .plan
            .timeline
            .get(r.object as usize)
            .map_or("an entry of the timeline", |e| e.name.as_str())
    };
    let named = |node: u32| analysis.node_name(NodeId(node));
    let node = || named(r.object);
    let of_node = |said: &str| format!("{} {said}", node());
    let pod = || r.pod().map_or("", |p| analysis.pod_name(p));
    let workload = || r.workload().map_or_else(String::new, |w| analysis.workload_in_words(w));
    match r.what {
        What::NodeCreated => of_node("exists"),
        What::NodeDeleted => of_node("deleted"),
        What::NodeCondition(kind, status, _) => {
            format!("{}: {} is {}", node(), kind.as_str(), status.as_str())
        }
        What::NodeTaints(_) => of_node(&taint_change(trace.taint_change(r))),
        What::NodeUnschedulable(true) => of_node("cordoned"),
        What::NodeUnschedulable(false) => of_node("uncordoned"),
        What::NodeSilent => of_node("falls silent: its kubelet no longer reaches the API server"),
        What::NodeHeard => of_node("is heard again"),
        What::MachineOff => format!("the machine of {} stops, and its containers with it", node()),
        What::MachineOn => format!("the machine of {} has booted", node()),
        What::NetworkLost => format!("clients no longer reach the pods of {}", node()),
        What::NetworkBack => format!("clients reach the pods of {} again", node()),
        What::ContainersStarted(n) => format!("{}: its containers run on {}", pod(), named(n)),
        What::ContainersStopped(n) => {
            format!("{}: its containers on {} have ended", pod(), named(n))
        }
        What::NodeQueued => of_node("waits in its zone's queue for the NoExecute taint"),
        What::PodCreated(on) => created(analysis, pod(), on),
        What::PodBound(n) => format!("{} bound to {}", pod(), named(n)),
        What::PodTolerations => format!("{}: its tolerations change", pod()),
        What::PodPhase(phase) => format!("{} is {}", pod(), phase.as_str()),
        What::PodCondition(kind, status, _) => {
            format!("{}: {} is {}", pod(), kind.as_str(), status.as_str())
        }
        What::PodConditionGone(kind) => format!("{}: {} is gone", pod(), kind.as_str()),
        What::PodDeleting(grace) => {
            format!("{} deleted by {}, with a grace period of {grace} s", pod(), r.actor.by())
        }
        What::PodGone if matches!(r.actor, Actor::Kubelet) => format!("{} gone", pod()),
        What::PodGone => format!("{} gone, deleted by {}", pod(), r.actor.by()),
        What::NodeEvent(..)
        | What::NodeMessage(_)
        | What::PodEvent(..)
        | What::PodMessage(_)
        | What::WorkloadMessage(_) => event(analysis, r),
        What::WorkloadCreated(n) => {
            format!("{} created, asks for {}", workload(), counted(n, "pod"))
        }
        What::WorkloadScaled(n) => format!("{} scaled to {}", workload(), counted(n, "pod")),
        What::WorkloadDeleted => format!("{} deleted", workload()),
        What::FaultBegan => began(analysis, r.object, entry()),
        What::FaultEnded => format!("{} ends", entry()),
        What::Refused(text) => {
            format!("refused {}: {}", entry(), trace.names.text_of(TextId(text)))
        }
        What::Zone(state) => zone(trace.names.text_of(TextId(r.object)), state),
        What::MasterDisruptionEntered => {
            "master disruption: every zone is fully disrupted, tainting stops".to_owned()
        }
        What::MasterDisruptionLeft => "master disruption is over: tainting resumes".to_owned(),
        What::TimerSet(0) => format!("{}: to be evicted at once", pod()),
        What::TimerSet(s) => format!("{}: eviction timer of {} s set", pod(), grouped(s.into())),
        What::TimerCancelled => format!("{}: eviction timer cancelled", pod()),
        What::PodUnplaced(_) => format!("{} fits no node; {}", pod(), rejections(analysis, r)),
        What::EvictionFailed => format!("{} not evicted: five tries failed", pod()),
        What::EvictionGranted(_) | What::EvictionRefused(_) => eviction(analysis, pod(), r),
        What::DrainDeletes => format!("kubectl drain --disable-eviction deletes {}", pod()),
        What::DrainEnded(_) => {
            trace.drain_end(r).map_or_else(String::new, |e| drain_ended(analysis, node(), e))
        }
        What::BudgetCreated(_) => budget(analysis, "created", r),
        What::BudgetChanged(_) => budget(analysis, "changed", r),
        What::BudgetDeleted => format!("{} deleted", budget_name(analysis, WorkloadId(r.object))),
        What::CutShort(text) => format!("{} stops: {}", entry(), trace.names.text_of(TextId(text))),
        What::Noted(note, arg) => noted(analysis, r, note, arg),
        What::ControllersStarted => "controllers started".to_owned(),
        What::ControllersStopped => "controllers stopped; their timers are lost".to_owned(),
    }
}

/// The beginning of an entry of the timeline; what does not last neither begins nor ends.
fn began(analysis: &Analysis<'_>, index: u32, entry: &str) -> String {
    if (index as usize) < analysis.plan.timeline.len() && !analysis.plan.lasts(index) {
        entry.to_owned()
    } else {
        format!("{entry} begins")
    }
}

/// The creation of a pod, bound to a node or not.
fn created(analysis: &Analysis<'_>, pod: &str, on: Option<NonZeroU32>) -> String {
    match What::created_on(on) {
        Some(n) => format!("{pod} created on {}", analysis.node_name(n)),
        None => format!("{pod} created"),
    }
}

/// What a change of a node's taints did.
fn taint_change(change: Option<&TaintChange>) -> String {
    let list = |taints: &[Taint]| taints.iter().map(short_taint).collect::<Vec<_>>().join(", ");
    match change {
        Some(c) if c.removed.is_empty() => format!("tainted {}", list(&c.added)),
        Some(c) if c.added.is_empty() => format!("untainted {}", list(&c.removed)),
        Some(c) => format!("tainted {}, untainted {}", list(&c.added), list(&c.removed)),
        None => "taints changed".to_owned(),
    }
}

/// An event, as `kubectl get events` shows it.
fn event(analysis: &Analysis<'_>, r: &Record) -> String {
    let f = analysis.trace.fields(r);
    let object = f.object.unwrap_or_default().replacen('/', " ", 1);
    format!(
        "event {} about {object}: {}",
        f.reason.as_deref().unwrap_or(""),
        f.message.unwrap_or_default()
    )
}

/// The new state of a zone, given by its key.
fn zone(key: &str, state: ZoneState) -> String {
    let zone = zone_in_words(&zone_name(key));
    let state = if state == ZoneState::Empty { "no state" } else { state.as_str() };
    format!("{zone}: {state}")
}

/// Which plugins of the scheduler rejected which nodes, and why.
pub(super) fn rejections(analysis: &Analysis<'_>, r: &Record) -> String {
    let filters = analysis.trace.fields(r).filters.into_iter();
    let said = filters.map(|t| match t.count {
        0 => format!("{}: {}", t.rejection.plugin, t.rejection.reason),
        n => {
            format!("{} on {}: {}", t.rejection.plugin, nodes_told(n, &t.nodes), t.rejection.reason)
        }
    });
    said.collect::<Vec<_>>().join("; ")
}

/// The answer of the eviction API, with the budget that decided.
fn eviction(analysis: &Analysis<'_>, pod: &str, r: &Record) -> String {
    let budget = analysis.trace.budget(r);
    let why = budget.map_or_else(String::new, |b| format!(": {}", stand(analysis, b)));
    if matches!(r.what, What::EvictionGranted(_)) {
        return format!("the eviction of {pod} granted{why}");
    }
    let status = budget.map_or_else(String::new, |b| format!(" ({})", b.refusal.as_str()));
    format!("the eviction of {pod} refused{status}{why}")
}

/// A budget that was created or changed, with what it asks for.
fn budget(analysis: &Analysis<'_>, verb: &str, r: &Record) -> String {
    analysis.trace.budget(r).map_or_else(String::new, |b| {
        format!("{} {verb}: {}", budget_name(analysis, b.budget), asks(b.rule))
    })
}

/// How many nodes, and the names of the first of them.
fn nodes_told(count: usize, names: &[String]) -> String {
    const MOST: usize = 3;
    let more = if names.len() > MOST { ", …" } else { "" };
    format!("{count} ({}{more})", names[..names.len().min(MOST)].join(", "))
}

/// What the status of a DeviceTaintRule says.
pub(super) fn rule_says(analysis: &Analysis<'_>, text: TextId) -> String {
    match analysis.trace.rule_condition(text) {
        [rule, reason, _, ""] => format!("rule {rule}: {reason}"),
        [rule, reason, _, message] => format!("rule {rule}: {reason}: {message}"),
    }
}

fn noted(analysis: &Analysis<'_>, r: &Record, note: Note, arg: u32) -> String {
    let node = r.node().map(|n| analysis.node_name(n));
    let object = node.or(r.pod().map(|p| analysis.pod_name(p))).unwrap_or_default();
    match note {
        Note::ZoneQueue => format!("zone {} gets its queue", analysis.zone_told(r)),
        Note::TaintsKnown => {
            let taints = analysis.trace.taints.get(arg as usize).map_or(&[][..], |c| &c.added);
            let taints: Vec<String> = taints.iter().map(short_taint).collect();
            format!("{object}: the taint eviction controller knows of {}", taints.join(", "))
        }
        Note::RuleCondition => rule_says(analysis, TextId(arg)),
        Note::ContainerServes if arg == 0 => format!("{object}: its container does not serve"),
        Note::ContainerUnhealthy => {
            let probe = ProbeType::ALL.get(arg as usize).map_or("", |p| p.as_str());
            format!("{object}: its container failed its {probe} probe, and is killed")
        }
        note => {
            let ms = Dur::from_millis(arg.into()).to_string();
            let said = note.row().1.replace("{arg}", &arg.to_string()).replace("{ms}", &ms);
            let said = said.replace("{object}", object);
            if !said.contains("{text}") {
                return said;
            }
            said.replace("{text}", analysis.trace.names.text_of(TextId(arg)))
        }
    }
}
