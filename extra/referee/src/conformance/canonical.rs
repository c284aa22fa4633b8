//! A trace as the recorder's records (`trace.go` of the recorder): the kinds that are visible at
//! the API server, times truncated to a millisecond, in the recorder's order.
//!
//! Left out are the kinds that only the model can see: faults, silence, machines and containers,
//! zone states, queues, new tolerations, timers, starts of the controllers.

use crate::recorded::{Line, sort_lines, without_uids};
use std::collections::BTreeMap;
use taintsim::kernel::Time;
use taintsim::trace::{Note, Trace, What};

const MILLI: u64 = 1_000_000;

/// Whether the recorder can see such a record.
fn is_visible(what: &What) -> bool {
    match what {
        What::NodeCreated
        | What::NodeDeleted
        | What::NodeCondition(..)
        | What::NodeTaints(_)
        | What::NodeUnschedulable(_)
        | What::PodCreated(_)
        | What::PodBound(_)
        | What::PodPhase(_)
        | What::PodCondition(..)
        | What::PodConditionGone(_)
        | What::PodDeleting(_)
        | What::PodGone
        | What::NodeEvent(..)
        | What::NodeMessage(_)
        | What::PodEvent(..)
        | What::PodMessage(_)
        | What::WorkloadMessage(_)
        | What::ClaimMessage(_)
        | What::Noted(
            Note::AttachmentCreated
            | Note::AttachmentAttached
            | Note::AttachmentDeleting
            | Note::AttachmentGone
            | Note::DevicesAllocated
            | Note::RuleCondition,
            _,
        ) => true,
        What::FaultBegan
        | What::FaultEnded
        | What::NodeSilent
        | What::NodeHeard
        | What::MachineOff
        | What::MachineOn
        | What::NetworkLost
        | What::NetworkBack
        | What::ContainersStarted(_)
        | What::ContainersStopped(_)
        | What::Zone(_)
        | What::MasterDisruptionEntered
        | What::MasterDisruptionLeft
        | What::NodeQueued
        | What::PodTolerations
        | What::Noted(..)
        | What::TimerSet(_)
        | What::TimerCancelled
        | What::PodUnplaced(_)
        | What::EvictionFailed
        | What::ControllersStarted
        | What::ControllersStopped
        | What::WorkloadCreated(_)
        | What::WorkloadScaled(_)
        | What::WorkloadDeleted
        | What::Refused(_)
        | What::EvictionGranted(_)
        | What::EvictionRefused(_)
        | What::DrainDeletes
        | What::DrainEnded(_)
        | What::BudgetCreated(_)
        | What::BudgetChanged(_)
        | What::BudgetDeleted
        | What::CutShort(_) => false,
    }
}

/// Gives generated names the form that the recorder gives them, `owner-#n` in order of creation.
struct Renamer(Vec<(String, String)>);

impl Renamer {
    fn new(trace: &Trace) -> Self {
        let mut aliases: Vec<(String, String)> = trace.names.aliases().collect();
        // A pod's name holds that of its ReplicaSet, which may be a generated one itself.
        aliases.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Renamer(aliases)
    }

    fn text(&self, text: Option<String>) -> String {
        let mut text = text.unwrap_or_default();
        for (name, alias) in &self.0 {
            if text.contains(&**name) {
                text = text.replace(&**name, alias);
            }
        }
        text
    }
}

/// The names of a run's pods by what the recorder calls them.
pub(crate) fn pods(trace: &Trace) -> BTreeMap<String, String> {
    let (renamed, names) = (Renamer::new(trace), &trace.names);
    let real = names.pod_ids().map(|pod| names.pod_name(pod).to_owned());
    real.map(|name| (renamed.text(Some(name.clone())), name)).collect()
}

/// The records that the recorder would have written, sorted as it sorts them.
pub fn lines(trace: &Trace) -> Vec<Line> {
    let mut out: Vec<Line> = as_written(trace).into_iter().map(|(_, line)| line).collect();
    sort_lines(&mut out);
    out
}

/// The same in the order in which they were written, each with its instant.
pub(crate) fn as_written(trace: &Trace) -> Vec<(Time, Line)> {
    let renamed = Renamer::new(trace);
    let visible = trace.iter().filter(|r| is_visible(&r.what));
    visible
        .map(|r| {
            let f = trace.fields(r);
            let text = |t: Option<&str>| t.unwrap_or_default().to_owned();
            let (mut added, mut removed) = (f.added, f.removed);
            added.sort();
            removed.sort();
            let about = f.object.as_deref().filter(|_| f.what != "event");
            let claim = about.and_then(|o| o.strip_prefix("PersistentVolumeClaim/"));
            let volume = claim.unwrap_or_default().to_owned();
            let line = Line {
                t_ns: r.at.as_nanos() / MILLI * MILLI,
                actor: r.actor.as_str().to_owned(),
                what: f.what.to_owned(),
                node: f.node.unwrap_or_default(),
                pod: renamed.text(f.pod),
                object: if volume.is_empty() { renamed.text(f.object) } else { String::new() },
                volume,
                kind: text(f.kind),
                status: text(f.status),
                reason: text(f.reason.as_deref()),
                message: without_uids(&renamed.text(f.message)),
                value: f.value,
                grace: f.seconds.map(i64::from),
                count: f.count.unwrap_or_default(),
                added,
                removed,
            };
            (r.at, line)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taintsim::api::meta::ConditionStatus;
    use taintsim::api::node::{NodeConditionType, NodeReason};
    use taintsim::api::taint::{Effect, NOT_READY, Taint, UNREACHABLE};
    use taintsim::trace::{Actor, EventText, NO_RECORD, Record, TaintChange};

    #[test]
    fn a_trace_becomes_the_recorders_text() {
        let mut trace = Trace::default();
        let (node, pod) = (trace.names.node("n2").0, trace.names.pod("default/p2").0);
        let swap = |kept: &str, gone: &str| TaintChange {
            added: vec![Taint::new(kept, Effect::NoExecute)],
            removed: vec![Taint::new(gone, Effect::NoExecute)],
        };
        trace.taints.push(swap(UNREACHABLE, NOT_READY));
        let unknown = What::NodeCondition(
            NodeConditionType::DiskPressure,
            ConditionStatus::Unknown,
            NodeReason::NodeStatusUnknown,
        );
        let records = [
            (105_000_002_000, Actor::NodeLifecycle, node, What::NodeTaints(0)),
            (105_000_001_000, Actor::NodeLifecycle, node, unknown),
            (105_000_001_000, Actor::NodeLifecycle, node, What::NodeQueued),
            (
                9_999_999,
                Actor::TaintEviction,
                pod,
                What::PodEvent(EventText::MarkingForDeletion, false, 2),
            ),
            (9_000_000, Actor::TaintEviction, pod, What::PodDeleting(30)),
            (9_000_000, Actor::User, node, What::NodeUnschedulable(false)),
        ];
        for (at, actor, object, what) in records {
            trace.push(Record {
                at: Time::from_nanos(at),
                cause: NO_RECORD,
                saw: NO_RECORD,
                object,
                what,
                actor,
            });
        }
        // Worked out from the recorder's `trace.go`: truncated times, its order of fields, sorted
        // by time and then by text.
        let expected = [
            r#"{"t_ns":9000000,"actor":"taint-eviction","what":"event","object":"Pod/default/p2","type":"Normal","reason":"TaintManagerEviction","message":"Marking for deletion Pod default/p2","count":2}"#,
            r#"{"t_ns":9000000,"actor":"taint-eviction","what":"pod-deleting","pod":"default/p2","grace":30}"#,
            r#"{"t_ns":9000000,"actor":"user","what":"node-unschedulable","node":"n2","value":false}"#,
            r#"{"t_ns":105000000000,"actor":"node-lifecycle","what":"node-condition","node":"n2","type":"DiskPressure","status":"Unknown","reason":"NodeStatusUnknown"}"#,
            r#"{"t_ns":105000000000,"actor":"node-lifecycle","what":"node-taints","node":"n2","added":["node.kubernetes.io/unreachable:NoExecute"],"removed":["node.kubernetes.io/not-ready:NoExecute"]}"#,
        ];
        assert_eq!(lines(&trace).iter().map(Line::json).collect::<Vec<_>>(), expected);
    }
}
