//! Objects begin and end once, are bound once, and a record which says that something changed is
//! about a real change.

use std::collections::BTreeMap;
use taintsim::api::meta::ConditionStatus;
use taintsim::api::names::{NodeId, PodId};
use taintsim::api::node::NodeConditionType;
use taintsim::api::pod::{PodConditionType, PodPhase};
use taintsim::api::taint::Taint;
use taintsim::kernel::Time;
use taintsim::plan::{NodeStart, Plan, PodStart};
use taintsim::trace::{Actor, Record, Trace, What};

#[derive(Default)]
struct Node {
    taints: Vec<Taint>,
    conditions: BTreeMap<NodeConditionType, ConditionStatus>,
    unschedulable: bool,
}

struct Pod {
    node: Option<NodeId>,
    phase: PodPhase,
    conditions: BTreeMap<PodConditionType, ConditionStatus>,
    /// The grace period of its deletion; an import has no record of one that is under way.
    deleting: Option<u32>,
}

impl Pod {
    fn new(node: Option<NodeId>, phase: PodPhase) -> Self {
        Self { node, phase, conditions: BTreeMap::new(), deleting: None }
    }
}

pub(super) struct Objects<'a> {
    trace: &'a Trace,
    nodes: BTreeMap<NodeId, Node>,
    pods: BTreeMap<PodId, Pod>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(plan: &Plan, trace: &'a Trace) -> Self {
        let nodes =
            plan.nodes.iter().enumerate().filter(|(_, n)| n.start != NodeStart::Absent).map(
                |(i, n)| {
                    let node = Node {
                        taints: n.taints.clone(),
                        unschedulable: n.unschedulable,
                        ..Node::default()
                    };
                    (NodeId(i as u32), node)
                },
            );
        let pods = plan.pods.iter().enumerate().filter(|(_, p)| p.start != PodStart::Absent).map(
            |(i, p)| {
                let phase = match p.start {
                    PodStart::Running => PodPhase::Running,
                    PodStart::Imported { phase, .. } => phase,
                    PodStart::Pending | PodStart::Starting(_) | PodStart::Absent => {
                        PodPhase::Pending
                    }
                };
                (PodId(i as u32), Pod::new(p.node.map(NodeId), phase))
            },
        );
        Objects { trace, nodes: nodes.collect(), pods: pods.collect() }
    }

    fn node(&mut self, id: NodeId, record: &Record) -> Option<String> {
        let Some(node) = self.nodes.get_mut(&id) else {
            return match record.what {
                What::NodeCreated => {
                    self.nodes.insert(id, Node::default());
                    None
                }
                What::NodeDeleted
                | What::NodeCondition(..)
                | What::NodeTaints(_)
                | What::NodeUnschedulable(_) => Some("there is no such node".to_owned()),
                // Events outlive their object, and a machine its node.
                _ => None,
            };
        };
        match record.what {
            What::NodeCreated => Some("there is such a node".to_owned()),
            What::NodeDeleted => {
                self.nodes.remove(&id);
                None
            }
            What::NodeCondition(kind, status, _) => {
                repeats(node.conditions.insert(kind, status) == Some(status))
            }
            What::NodeUnschedulable(on) => {
                repeats(std::mem::replace(&mut node.unschedulable, on) == on)
            }
            What::NodeTaints(change) => {
                let change = &self.trace.taints[change as usize];
                if let Some(t) =
                    change.removed.iter().find(|t| !node.taints.iter().any(|held| held.matches(t)))
                {
                    return Some(format!("it removes {t}, which was not there"));
                }
                node.taints.retain(|held| !change.removed.iter().any(|t| t.matches(held)));
                for t in &change.added {
                    // A taint whose value changes is removed and added in one write.
                    if node.taints.iter().any(|held| held.matches(t)) {
                        return Some(format!("it adds {t}, which was there"));
                    }
                    node.taints.push(t.clone());
                }
                None
            }
            _ => None,
        }
    }

    fn pod(&mut self, id: PodId, record: &Record) -> Option<String> {
        let Some(pod) = self.pods.get_mut(&id) else {
            return match record.what {
                What::PodCreated(node) => {
                    self.pods.insert(id, Pod::new(What::created_on(node), PodPhase::Pending));
                    None
                }
                What::PodBound(_)
                | What::PodTolerations
                | What::PodPhase(_)
                | What::PodCondition(..)
                | What::PodConditionGone(_)
                | What::PodDeleting(_)
                | What::PodGone => Some("there is no such pod".to_owned()),
                // Events and timers outlive their pod.
                _ => None,
            };
        };
        match record.what {
            What::PodCreated(_) => Some("there is such a pod".to_owned()),
            What::PodGone => {
                self.pods.remove(&id);
                None
            }
            What::PodBound(_) if pod.deleting.is_some() => Some("it is being deleted".to_owned()),
            What::PodBound(node) => {
                let old = pod.node.replace(NodeId(node))?;
                Some(format!("it was bound to {}", self.trace.names.node_name(old)))
            }
            What::PodPhase(PodPhase::Running) if pod.node.is_none() => {
                Some("it is on no node".to_owned())
            }
            What::PodPhase(phase) => {
                let old = std::mem::replace(&mut pod.phase, phase);
                // A scheduler gives its victim the preemptor's status in some releases.
                let back = phase == PodPhase::Pending && record.actor != Actor::Scheduler;
                // The garbage collector's PATCH asks for the pod of its uid only, so that one which
                // ended before its watch said so is marked as Failed.
                let unseen = record.actor == Actor::PodGc && phase == PodPhase::Failed;
                let reopened = old.is_terminal() && !unseen;
                (reopened || back || phase == old).then(|| format!("it was {old:?}"))
            }
            What::PodCondition(kind, status, _) => {
                repeats(pod.conditions.insert(kind, status) == Some(status))
            }
            What::PodConditionGone(kind) => pod
                .conditions
                .remove(&kind)
                .is_none()
                .then(|| "it had no such condition".to_owned()),
            What::PodDeleting(grace) => {
                let old = pod.deleting.replace(grace).filter(|old| *old <= grace)?;
                Some(format!(
                    "it was being deleted with a grace period of {old} s, and that is not shortened"
                ))
            }
            _ => None,
        }
    }
}

/// A record has to report a change.
fn repeats(again: bool) -> Option<String> {
    again.then(|| "it was so before".to_owned())
}

impl Objects<'_> {
    pub(super) fn see(&mut self, record: &Record) -> Option<String> {
        let broken = match record.node() {
            Some(id) => self.node(id, record),
            None => self.pod(record.pod()?, record),
        };
        // A run begins with records of what is there from the start.
        broken.filter(|_| record.at > Time::ZERO || record.actor != Actor::User)
    }
}
