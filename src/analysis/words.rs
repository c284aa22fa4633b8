//! Records in words.

use super::drains::{asks, budget_name, drain_ended, stand};
use super::prelude::*;
use std::num::NonZeroU32;

pub(crate) use super::names::{ranges, short_taint, stem};

/// What a node does in its zone's queue, whose nodes get a NoExecute taint or lose their pods (`doEvictionPass`).
pub(crate) fn queued(plan: &Plan) -> &'static str {
    match plan.evicts_by_timeout() {
        true => "waits in its zone's queue for its pods to be deleted",
        false => "waits in its zone's queue for the NoExecute taint",
    }
}

/// What a record says, with its object: "b-03 tainted unreachable:NoExecute".
pub(crate) fn record(analysis: &Analysis<'_>, r: &Record) -> String {
    let trace = analysis.trace;
    let entry = || analysis.entry_name(r.object).unwrap_or("an entry of the timeline");
    let named = |node: u32| analysis.node_name(NodeId(node));
    let object = object(analysis, r);
    let of = |said: &str| format!("{object} {said}");
    let is =
        |kind: &str, status: ConditionStatus| format!("{object}: {kind} is {}", status.as_str());
    let workload = || r.workload().map_or_else(String::new, |w| analysis.workload_in_words(w));
    match r.what {
        What::NodeCreated => of("exists"),
        What::NodeDeleted => of("deleted"),
        What::NodeCondition(kind, status, _) => is(kind.as_str(), status),
        What::NodeTaints(_) => of(&taint_change(trace.taint_change(r))),
        What::NodeUnschedulable(true) => of("cordoned"),
        What::NodeUnschedulable(false) => of("uncordoned"),
        What::NodeSilent => of("falls silent: its kubelet no longer reaches the API server"),
        What::NodeHeard => of("can be heard again: its kubelet is not kept from the API server"),
        What::MachineOff => format!("the machine of {object} stops, and its containers with it"),
        What::MachineOn => format!("the machine of {object} has booted"),
        What::NetworkLost => format!("clients no longer reach the pods of {object}"),
        What::NetworkBack => format!("clients reach the pods of {object} again"),
        What::ContainersStarted(n) => format!("{object}: its containers run on {}", named(n)),
        What::ContainersStopped(n) => {
            format!("{object}: its containers on {} have ended", named(n))
        }
        What::NodeQueued => of(queued(analysis.plan)),
        What::PodCreated(on) => created(analysis, object, on),
        What::PodBound(n) => format!("{object} bound to {}", named(n)),
        What::PodTolerations => format!("{object}: its tolerations change"),
        What::PodPhase(phase) => format!("{object} is {}", phase.as_str()),
        What::PodCondition(kind, status, _) => is(kind.as_str(), status),
        What::PodConditionGone(kind) => format!("{object}: {} is gone", kind.as_str()),
        What::PodDeleting(grace) => {
            format!("{object} deleted by {}, with a grace period of {grace} s", r.actor.by())
        }
        What::PodGone if matches!(r.actor, Actor::Kubelet) => format!("{object} gone"),
        What::PodGone => format!("{object} gone, deleted by {}", r.actor.by()),
        What::NodeEvent(..)
        | What::NodeMessage(_)
        | What::PodEvent(..)
        | What::PodMessage(_)
        | What::WorkloadMessage(_)
        | What::ClaimMessage(_) => event(analysis, r),
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
        What::TimerSet(0) => format!("{object}: to be evicted at once"),
        What::TimerSet(s) => format!("{object}: eviction timer of {} s set", grouped(s.into())),
        What::TimerCancelled => format!("{object}: eviction timer cancelled"),
        What::PodUnplaced(_) => format!("{object} fits no node; {}", rejections(analysis, r)),
        What::EvictionFailed => format!("{object} not evicted: five tries failed"),
        What::EvictionGranted(_) | What::EvictionRefused(_) => eviction(analysis, object, r),
        What::DrainDeletes => format!("kubectl drain --disable-eviction deletes {object}"),
        What::DrainEnded(_) => {
            trace.drain_end(r).map_or_else(String::new, |e| drain_ended(analysis, object, e))
        }
        What::BudgetCreated(_) => budget(analysis, "created", r),
        What::BudgetChanged(_) => budget(analysis, "changed", r),
        What::BudgetDeleted => format!("{} deleted", budget_name(analysis, WorkloadId(r.object))),
        What::CutShort(text) => format!("{} stops: {}", entry(), trace.names.text_of(TextId(text))),
        What::Noted(note, arg) => noted(analysis, r, object, (note, arg)),
        What::ControllersStarted => "controllers started".to_owned(),
        What::ControllersStopped => "controllers stopped; their timers are lost".to_owned(),
    }
}

/// What is said of one object, of several: `have a volume attached`.
pub(crate) fn of_several(what: &str) -> String {
    match what.split_once(' ') {
        Some(("has", rest)) => format!("have {rest}"),
        Some(("waits", rest)) => format!("wait {rest}"),
        _ => what.to_owned(),
    }
}

/// The node or pod that a record is about.
fn object<'a>(analysis: &'a Analysis<'_>, r: &Record) -> &'a str {
    let node = r.node().map(|n| analysis.node_name(n));
    node.or_else(|| r.pod().map(|p| analysis.pod_name(p))).unwrap_or_default()
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
    let (reason, message) = (f.reason.as_deref().unwrap_or(""), f.message.unwrap_or_default());
    let object = f.object.unwrap_or_default().replacen('/', " ", 1);
    format!("event {reason} about {object}: {message}")
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
    let said = filters.map(|t| {
        let on = if t.count == 0 { String::new() } else { on_nodes(t.count, &t.nodes) };
        format!("{}{on}: {}", t.rejection.plugin, t.rejection.reason)
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

/// ` on 5 (a-0, a-1, a-2, …)`: how many nodes, and the names of the first of them.
fn on_nodes(count: usize, names: &[String]) -> String {
    const MOST: usize = 3;
    let more = if names.len() > MOST { ", …" } else { "" };
    format!(" on {count} ({}{more})", names[..names.len().min(MOST)].join(", "))
}

/// What the status of a DeviceTaintRule says.
pub(super) fn rule_says(analysis: &Analysis<'_>, text: TextId) -> String {
    match analysis.trace.rule_condition(text) {
        [rule, reason, _, ""] => format!("rule {rule}: {reason}"),
        [rule, reason, _, message] => format!("rule {rule}: {reason}: {message}"),
    }
}

/// `failed: BackoffLimitExceeded (Job has reached the specified backoff limit)`
pub(crate) fn job_failed(analysis: &Analysis<'_>, why: TextId) -> String {
    let (reason, message) = analysis.trace.job_end(why);
    format!("failed: {reason} ({message})")
}

/// What the record says that a Job has ended with.
pub(crate) fn job_end(analysis: &Analysis<'_>, r: &Record) -> String {
    match r.what {
        What::Noted(Note::JobFailed, why) => job_failed(analysis, TextId(why)),
        _ => "completed".to_owned(),
    }
}

/// Heads of lists of Jobs.
pub(crate) const JOBS_FAIL: &str = "Jobs that fail, and are not done by anybody";
pub(crate) const JOBS_WAIT: &str =
    "Jobs that have ended, but whose condition waits for their Terminating pods";

/// The condition that a Job which ends with this record still has not by then: from 1.31 on it waits for its pods
/// (`job_controller.go: enactJobFinished`).
pub(crate) fn awaited(analysis: &Analysis<'_>, r: &Record, until: Time) -> Option<&'static str> {
    let is_failed = matches!(r.what, What::Noted(Note::JobFailed, _));
    let waits = analysis.plan.profile.workload.job.delays_terminal_condition
        && !analysis.trace.job_finished(r, until);
    waits.then_some(if is_failed { "Failed" } else { "Complete" })
}

/// The same behind what the record says that the Job has ended with.
pub(crate) fn unfinished(analysis: &Analysis<'_>, r: &Record, until: Time) -> String {
    let Some(condition) = awaited(analysis, r, until) else { return String::new() };
    let met = if condition == "Complete" { " (SuccessCriteriaMet)" } else { "" };
    format!("{met}, but its condition {condition} waits for its Terminating pods")
}

fn noted(analysis: &Analysis<'_>, r: &Record, object: &str, (note, arg): (Note, u32)) -> String {
    let (arg, name) = note.parts(arg);
    let name =
        name.map_or(String::new(), |name| format!(" {}", analysis.trace.names.text_of(name)));
    match note {
        Note::ZoneQueue => format!("zone {} gets its queue", analysis.zone_told(r)),
        Note::TaintsKnown => {
            let taints = analysis.trace.taints.get(arg as usize).map_or(&[][..], |c| &c.added);
            let taints: Vec<String> = taints.iter().map(short_taint).collect();
            format!("{object}: the taint eviction controller knows of {}", taints.join(", "))
        }
        Note::RuleCondition => rule_says(analysis, TextId(arg)),
        Note::JobComplete | Note::JobFailed => {
            let job = analysis.workload_in_words(WorkloadId(r.object));
            format!("{job} {}", job_end(analysis, r))
        }
        Note::ContainerServes if arg == 0 => format!("{object}: its container does not serve"),
        Note::ContainerUnhealthy => {
            let probe = ProbeType::ALL.get(arg as usize).map_or("", |p| p.as_str());
            format!("{object}: its container{name} failed its {probe} probe, and is killed")
        }
        note => {
            let ms = Dur::from_millis(arg.into()).to_string();
            let said = note.row().1.replace("{arg}", &arg.to_string()).replace("{ms}", &ms);
            let said = said.replace("its container", &format!("its container{name}"));
            let said = said.replace("{object}", object);
            if !said.contains("{text}") {
                return said;
            }
            said.replace("{text}", analysis.trace.names.text_of(TextId(arg)))
        }
    }
}
