//! The canonical outcome of a run: what finally became of pods and nodes. Times do not count, nor
//! does the order in which it came about.

use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::node::NodeConditionType;
use crate::api::pod::{PodConditionType, PodPhase};
use crate::api::taint::Taint;
use crate::kernel::choice::hash_name;
use crate::lab::prelude::*;
use crate::trace::{Actor, What};
use std::fmt::Write as _;

/// How many pods, and nodes, are described one by one.
const SHOWN: usize = 6;

/// What finally became of pods and nodes.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub struct Outcome {
    /// Equal for equal outcomes.
    pub(crate) hash: u64,
    /// In one line.
    pub text: String,
}

#[derive(Default)]
struct PodEnd {
    exists: bool,
    node: Option<NodeId>,
    phase: Option<PodPhase>,
    ready: bool,
    deleting: bool,
    evictions: u32,
    counted: bool,
}

#[derive(Default)]
struct NodeEnd {
    exists: bool,
    ready: Option<ConditionStatus>,
    taints: Vec<Taint>,
}

impl Outcome {
    /// The outcome of a run.
    pub fn of(trace: &Trace) -> Self {
        let (mut pods, mut nodes): (BTreeMap<PodId, PodEnd>, BTreeMap<NodeId, NodeEnd>) =
            Default::default();
        for r in trace.iter() {
            if let Some(id) = r.pod() {
                pods.entry(id).or_default().follow(r.actor, &r.what);
            } else if let Some(id) = r.node() {
                nodes.entry(id).or_default().follow(trace, &r.what);
            }
        }
        let mut all: Vec<String> = Vec::with_capacity(pods.len() + nodes.len());
        let mut lines: Vec<String> = pods.iter().map(|(id, end)| end.line(trace, *id)).collect();
        lines.sort();
        let mut others: Vec<String> = nodes.iter().map(|(id, end)| end.line(trace, *id)).collect();
        others.sort();
        let mut hash = 0;
        for line in lines.iter().chain(&others) {
            hash = crate::kernel::search::fold(hash, hash_name(line));
        }
        for (list, what) in [(lines, "pods"), (others, "nodes")] {
            let more = list.len().saturating_sub(SHOWN);
            all.extend(list.into_iter().take(SHOWN));
            if more > 0 {
                all.push(format!("and {more} more {what}"));
            }
        }
        Outcome { hash, text: all.join("; ") }
    }
}

impl PodEnd {
    fn follow(&mut self, actor: Actor, what: &What) {
        let evicts = actor == Actor::TaintEviction;
        match what {
            What::PodCreated(node) => {
                let evictions = self.evictions;
                *self = PodEnd {
                    exists: true,
                    node: What::created_on(*node),
                    evictions,
                    ..PodEnd::default()
                };
            }
            What::PodBound(node) => self.node = Some(NodeId(*node)),
            What::PodPhase(phase) => self.phase = Some(*phase),
            What::PodCondition(PodConditionType::Ready, status, _) => {
                self.ready = *status == ConditionStatus::True
            }
            What::PodConditionGone(PodConditionType::Ready) => self.ready = false,
            What::PodDeleting(_) => {
                self.evictions += u32::from(evicts && !self.counted);
                self.counted |= evicts;
                self.deleting = true;
            }
            What::PodGone => {
                self.evictions += u32::from(evicts && !self.counted);
                self.exists = false;
                self.counted = false;
            }
            _ => {}
        }
    }

    fn line(&self, trace: &Trace, id: PodId) -> String {
        let name = trace.names.pod_name(id);
        let mut line = name.strip_prefix("default/").unwrap_or(name).to_owned();
        if !self.exists {
            line.push_str(" gone");
        } else {
            match self.node {
                Some(node) => line.push_str(&format!(" on {}", trace.names.node_name(node))),
                None => line.push_str(" unscheduled"),
            }
            let phase = self.phase.unwrap_or(PodPhase::Pending);
            if !(phase == PodPhase::Running && self.ready) {
                let _ = write!(
                    line,
                    " {}{}",
                    phase.as_str(),
                    if phase == PodPhase::Running { " NotReady" } else { "" }
                );
            }
            if self.deleting {
                line.push_str(" terminating");
            }
        }
        if self.evictions > 0 {
            let _ = write!(line, ", evicted {}×", self.evictions);
        }
        line
    }
}

impl NodeEnd {
    fn follow(&mut self, trace: &Trace, what: &What) {
        match what {
            What::NodeCreated => {
                *self = NodeEnd {
                    exists: true,
                    ready: Some(ConditionStatus::True),
                    ..NodeEnd::default()
                }
            }
            What::NodeDeleted => self.exists = false,
            What::NodeCondition(NodeConditionType::Ready, status, _) => self.ready = Some(*status),
            What::NodeTaints(change) => {
                let change = &trace.taints[*change as usize];
                self.taints.retain(|t| {
                    !change.removed.iter().any(|r| (&r.key, r.effect) == (&t.key, t.effect))
                });
                self.taints.extend(change.added.iter().cloned());
            }
            _ => {}
        }
    }

    fn line(&self, trace: &Trace, id: NodeId) -> String {
        let mut line = trace.names.node_name(id).to_owned();
        if !self.exists {
            line.push_str(" deleted");
            return line;
        }
        match self.ready {
            Some(ConditionStatus::True) => {}
            Some(ConditionStatus::False) => line.push_str(" NotReady"),
            _ => line.push_str(" Unknown"),
        }
        let mut taints: Vec<String> =
            self.taints.iter().map(|t| t.to_string().replace("node.kubernetes.io/", "")).collect();
        taints.sort();
        for taint in taints {
            line.push(' ');
            line.push_str(&taint);
        }
        line
    }
}
