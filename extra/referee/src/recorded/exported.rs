//! Nodes and pods as an export shows them, in the recorder's words: read, and written
//! (`extra/recorder/source/exported.go`).

use super::format::{ConditionSpec, NodeSpec, PodSpec, SignedDuration};
use super::plan_error::{PlanError, invalid};
use serde_json::{Map, Value, json};
use taintsim::api::meta::{ConditionStatus, Timestamp};
use taintsim::api::node::{NodeCondition, NodeConditionType, NodeReason};
use taintsim::api::pod::{Deletion, PodCondition, PodPhase, PodReason};
use taintsim::plan::{NodeStart, PodStart};

const SECOND: i64 = 1_000_000_000;

/// How a node starts that is there from the start.
pub(super) fn start_of_node(n: &NodeSpec) -> Result<NodeStart, PlanError> {
    let Some(conditions) = &n.conditions else {
        return Ok(if n.silent { NodeStart::Silent } else { NodeStart::Ready });
    };
    let one = |c: &ConditionSpec| {
        let kind = NodeConditionType::parse(&c.kind);
        let reason = NodeReason::ALL.into_iter().find(|r| r.as_str() == c.reason);
        Ok(NodeCondition {
            kind: kind.ok_or_else(|| unknown("node condition", &c.kind))?,
            status: status_of(c)?,
            reason: reason.ok_or_else(|| unknown("reason of a node's condition", &c.reason))?,
            last_heartbeat_time: seconds(c.heartbeat),
            last_transition_time: seconds(c.transition),
        })
    };
    Ok(NodeStart::Imported {
        conditions: conditions.iter().map(one).collect::<Result<_, _>>()?,
        lease_renewed_us: n.lease_renewed.map(|d| d.0.div_euclid(1_000)),
        created: None,
        cut: n.cut,
    })
}

/// How a pod starts that is there from the start.
pub(super) fn start_of_pod(p: &PodSpec) -> Result<PodStart, PlanError> {
    if p.phase.is_empty() {
        return Ok(if p.running { PodStart::Running } else { PodStart::Pending });
    }
    let phase = PodPhase::ALL.into_iter().find(|x| x.as_str() == p.phase);
    let phase = phase.ok_or_else(|| unknown("phase of a pod", &p.phase))?;
    let condition = |kind: &str| {
        let found = p.conditions.iter().find(|c| c.kind == kind);
        found.map(pod_condition).transpose()
    };
    Ok(PodStart::Imported {
        phase,
        ready: condition(READY)?,
        disruption_target: condition(DISRUPTION_TARGET)?,
        deletion: p
            .deletion
            .as_ref()
            .map(|d| Deletion { timestamp: seconds(d.at), grace_period_seconds: d.grace }),
    })
}

const READY: &str = "Ready";
const DISRUPTION_TARGET: &str = "DisruptionTarget";

fn pod_condition(c: &ConditionSpec) -> Result<PodCondition, PlanError> {
    let reason = PodReason::ALL.into_iter().find(|r| r.as_str() == c.reason);
    Ok(PodCondition {
        status: status_of(c)?,
        reason: reason.ok_or_else(|| unknown("reason of a pod's condition", &c.reason))?,
        last_transition_time: seconds(c.transition),
    })
}

fn status_of(c: &ConditionSpec) -> Result<ConditionStatus, PlanError> {
    ConditionStatus::parse(&c.status).ok_or_else(|| unknown("status of a condition", &c.status))
}

fn unknown(what: &str, text: &str) -> PlanError {
    invalid(format!("{text:?} is no {what}"))
}

/// An object's times have whole seconds.
fn seconds(d: SignedDuration) -> Timestamp {
    Timestamp(d.0.div_euclid(SECOND))
}

/// The fields of a node that starts so.
pub(super) fn say_node(start: &NodeStart, out: &mut Value) {
    let NodeStart::Imported { conditions, lease_renewed_us, cut, .. } = start else {
        return;
    };
    let one = |c: &NodeCondition| {
        json!({
            "type": c.kind.as_str(),
            "status": c.status.as_str(),
            "reason": c.reason.as_str(),
            "heartbeat": in_seconds(c.last_heartbeat_time),
            "transition": in_seconds(c.last_transition_time),
        })
    };
    out["conditions"] = conditions.iter().map(one).collect();
    out["cut"] = json!(cut);
    if let Some(us) = lease_renewed_us {
        out["lease_renewed"] = json!(format!("{us}us"));
    }
}

/// The fields of a pod that starts so.
pub(super) fn say_pod(start: &PodStart, out: &mut Map<String, Value>) {
    let PodStart::Imported { phase, ready, disruption_target, deletion } = start else {
        return;
    };
    let one = |(kind, c): (&str, PodCondition)| {
        json!({
            "type": kind,
            "status": c.status.as_str(),
            "reason": c.reason.as_str(),
            "transition": in_seconds(c.last_transition_time),
        })
    };
    let both = [(READY, ready), (DISRUPTION_TARGET, disruption_target)];
    let there = both.into_iter().filter_map(|(kind, c)| Some((kind, (*c)?)));
    out.insert("phase".to_owned(), json!(phase.as_str()));
    out.insert("conditions".to_owned(), there.map(one).collect());
    if let Some(d) = deletion {
        let said = json!({"at": in_seconds(d.timestamp), "grace": d.grace_period_seconds});
        out.insert("deletion".to_owned(), said);
    }
}

fn in_seconds(at: Timestamp) -> String {
    format!("{}s", at.0)
}
