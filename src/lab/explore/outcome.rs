//! The canonical outcome of a run: what finally became of pods and nodes. Times do not count, nor
//! does the order in which it came about.

use crate::analysis::state::{NodeState, PodState};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::pod::PodPhase;
use crate::kernel::choice::hash_name;
use crate::lab::prelude::*;
use crate::trace::{Actor, Record};
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

/// A pod at the end, and how often it was evicted.
#[derive(Default)]
struct PodEnd {
    state: PodState,
    evictions: u32,
    /// Whether the eviction of its present life is counted.
    counted: bool,
}

impl Outcome {
    /// The outcome of a run.
    pub fn of(trace: &Trace) -> Self {
        let (mut pods, mut nodes): (BTreeMap<PodId, PodEnd>, BTreeMap<NodeId, NodeState<'_>>) =
            Default::default();
        for (id, r) in (0..).zip(trace.iter()) {
            if let Some(pod) = r.pod() {
                pods.entry(pod).or_default().take(id, r);
            } else if let Some(node) = r.node() {
                nodes.entry(node).or_default().take(trace, id, r);
            }
        }
        let mut all: Vec<String> = Vec::with_capacity(pods.len() + nodes.len());
        let mut lines: Vec<String> = pods.iter().map(|(id, end)| end.line(trace, *id)).collect();
        lines.sort();
        let mut others: Vec<String> =
            nodes.iter().map(|(id, end)| node_line(end, trace, *id)).collect();
        others.sort();
        let hash = lines.iter().chain(&others).fold(0, |hash, line| fold(hash, hash_name(line)));
        for (list, what) in [(lines, "pod"), (others, "node")] {
            let more = list.len().saturating_sub(SHOWN);
            all.extend(list.into_iter().take(SHOWN));
            if more > 0 {
                all.push(format!("and {}", counted(more, &format!("more {what}"))));
            }
        }
        Outcome { hash, text: all.join("; ") }
    }
}

impl PodEnd {
    fn take(&mut self, id: RecordId, r: &Record) {
        self.state.take(id, r);
        if matches!(r.what, What::PodDeleting(_) | What::PodGone) && !self.counted {
            self.counted = r.actor == Actor::TaintEviction;
            self.evictions += u32::from(self.counted);
        }
        self.counted &= !matches!(r.what, What::PodCreated(_) | What::PodGone);
    }

    fn line(&self, trace: &Trace, id: PodId) -> String {
        let name = trace.names.pod_name(id);
        let mut line = name.strip_prefix("default/").unwrap_or(name).to_owned();
        let PodState { phase, ready, .. } = self.state;
        if !self.state.exists {
            line.push_str(" gone");
        } else {
            match self.state.node_id() {
                Some(node) => line.push_str(&format!(" on {}", trace.names.node_name(node))),
                None => line.push_str(" unscheduled"),
            }
            match (phase, ready) {
                (PodPhase::Running, true) => {}
                (PodPhase::Running, false) => line.push_str(" Running NotReady"),
                (other, _) => line.push_str(&format!(" {}", other.as_str())),
            }
            if self.state.deleting {
                line.push_str(" terminating");
            }
        }
        if self.evictions > 0 {
            let _ = write!(line, ", evicted {}×", self.evictions);
        }
        line
    }
}

/// What finally became of a node, in one line.
fn node_line(node: &NodeState<'_>, trace: &Trace, id: NodeId) -> String {
    let mut line = trace.names.node_name(id).to_owned();
    if !node.flags.exists {
        line.push_str(" deleted");
        return line;
    }
    match node.flags.ready {
        Some(ConditionStatus::True) => {}
        Some(ConditionStatus::False) => line.push_str(" NotReady"),
        _ => line.push_str(" Unknown"),
    }
    let short = |taint: &Taint| taint.to_string().replace("node.kubernetes.io/", "");
    let mut taints: Vec<String> = node.taints.iter().map(|h| short(h.taint)).collect();
    taints.sort();
    taints.iter().fold(line, |line, taint| line + " " + taint)
}
