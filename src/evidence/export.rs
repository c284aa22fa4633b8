//! What exports tell of the time before them: by the times that the control plane wrote itself, since
//! when nodes have been given up, cordoned and tainted, and which pods were evicted.

use super::audit;
use crate::api::taint::UNSCHEDULABLE;
use crate::evidence::prelude::*;

/// What an export says is of an outage if it is no farther than this from what the other files say of
/// it: twice the toleration that admission gives.
const NEAR_US: i64 = 600 * SECOND_US;

/// Takes in what an object says.
pub(super) fn take(object: &Value, place: &Place, told: &mut Vec<Statement>) {
    let mut say = |(at, within_us): (Stamp, i64), said: Said| {
        told.push(Statement { at, within_us, said, place: place.clone() });
    };
    match object["kind"].as_str() {
        Some("Node") => {
            let node = full_name(object);
            if let Some(at) = unknown(object).and_then(|ready| time(&ready["lastTransitionTime"])) {
                say(end_of_second(at), Said::NodeUnknown { node: node.clone() });
            }
            for taint in object["spec"]["taints"].as_array().into_iter().flatten() {
                let Some(at) = time(&taint["timeAdded"]) else { continue };
                let (node, by) = (node.clone(), SOMEBODY.to_owned());
                let said = match taint["key"] == UNSCHEDULABLE {
                    true => Said::Cordoned { node, cordoned: true, by },
                    false => Said::Tainted { node, taints: audit::taints(&json!([taint])) },
                };
                say(end_of_second(at), said);
            }
        }
        Some("Pod") => {
            let conditions = object["status"]["conditions"].as_array();
            // The taint eviction controller writes it before it deletes (`addConditionAndDeletePod`).
            let is_its = |c: &&Value| c["reason"] == "DeletionByTaintManager";
            let written = conditions.into_iter().flatten().find(is_its);
            if let Some(at) = written.and_then(|c| time(&c["lastTransitionTime"])) {
                say(end_of_second(at), Said::Evicted { pod: full_name(object) });
            }
        }
        Some("Lease") => {
            if let Some((node, at)) = lease(object) {
                say((at, 0), Said::NodeHeard { node });
            }
        }
        _ => {}
    }
}

/// Of what exports say of these nodes that which is near what the other files say of an outage; of
/// leases those of nodes that were given up: the others are renewed still.
pub(super) fn near(
    told: Vec<Statement>,
    nodes: &BTreeSet<String>,
    (begins, ends): (Stamp, Stamp),
) -> Vec<Statement> {
    let is_near = |s: &Statement| (begins.0 - NEAR_US..=ends.0 + NEAR_US).contains(&s.at.0);
    let near: Vec<Statement> = told.into_iter().filter(is_near).collect();
    let lost = |s: &Statement| match &s.said {
        Said::NodeUnknown { node } => Some(node.clone()),
        _ => None,
    };
    let lost: BTreeSet<String> = near.iter().filter_map(lost).collect();
    let counts = |s: &Statement| {
        let among = if matches!(s.said, Said::NodeHeard { .. }) { &lost } else { nodes };
        s.said.node().is_none_or(|node| among.contains(node))
    };
    near.into_iter().filter(counts).collect()
}

/// A node's condition Ready, if it is Unknown.
pub(super) fn unknown(node: &Value) -> Option<&Value> {
    let mut all = node["status"]["conditions"].as_array()?.iter();
    all.find(|c| c["type"] == "Ready" && c["status"] == "Unknown")
}

/// The node of its lease, and when it was renewed.
pub(super) fn lease(object: &Value) -> Option<(String, Stamp)> {
    let meta = &object["metadata"];
    let is_its = object["kind"] == "Lease" && meta["namespace"] == "kube-node-lease";
    let name = meta["name"].as_str().filter(|_| is_its)?;
    Some((name.to_owned(), time(&object["spec"]["renewTime"])?))
}

/// The newest time of an export's nodes and leases, to the second above; none without nodes.
pub(super) fn made_at(objects: &[Value]) -> Option<Stamp> {
    let of = |o: &Value| match o["kind"].as_str() {
        Some("Lease") => time(&o["spec"]["renewTime"]),
        Some("Node") => {
            let conditions = o["status"]["conditions"].as_array();
            let heartbeat = |c: &Value| time(&c["lastHeartbeatTime"]);
            conditions.into_iter().flatten().filter_map(heartbeat).max()
        }
        _ => None,
    };
    if !objects.iter().any(|o| o["kind"] == "Node") {
        return None;
    }
    objects.iter().filter_map(of).max().map(Stamp::ceil_to_second)
}
