//! The canonical outcome of a run: what finally became of pods and nodes. Times do not count, nor
//! does the order in which it came about.

use crate::lab::prelude::*;
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
    /// Of each pod and of each node what became of it.
    lines: [Vec<String>; 2],
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
        let mut lines: Vec<String> = pods.iter().map(|(id, end)| end.line(trace, *id)).collect();
        lines.sort();
        let mut others: Vec<String> =
            nodes.iter().map(|(id, end)| node_line(end, trace, *id)).collect();
        others.sort();
        let hash = lines.iter().chain(&others).fold(0, |hash, line| fold(hash, hash_name(line)));
        let all = first(&lines, "more pod").into_iter().chain(first(&others, "more node"));
        let text = all.collect::<Vec<_>>().join("; ");
        Outcome { hash, text, lines: [lines, others] }
    }

    /// What it has otherwise than the most frequent one, where its own text leaves something out.
    pub(super) fn beside(&self, usual: &Self) -> Option<String> {
        let is_cut = self.lines.iter().any(|lines| lines.len() > SHOWN);
        if !is_cut || self.hash == usual.hash {
            return None;
        }
        // By what became of them, so that all are counted.
        let mut other: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (own, usual) in self.lines.iter().zip(&usual.lines) {
            let known: BTreeSet<&String> = usual.iter().collect();
            let names: BTreeSet<&str> = own.iter().map(|line| parts(line).0).collect();
            for (name, end) in own.iter().filter(|line| !known.contains(line)).map(|l| parts(l)) {
                other.entry(end).or_default().push(name);
            }
            let absent = usual.iter().map(|line| parts(line).0);
            for name in absent.filter(|name| !names.contains(name)) {
                other.entry("not there").or_default().push(name);
            }
        }
        let mut other: Vec<(&str, Vec<&str>)> = other.into_iter().collect();
        other.sort_by_key(|(_, names)| names.len());
        let said = |(end, names): &(&str, Vec<&str>)| format!("{} {end}", listed(names));
        let other: Vec<String> = other.iter().map(said).collect();
        Some(first(&other, "more difference").join("; ") + "; else as the most frequent")
    }
}

/// Whose a line is, and what became of it.
fn parts(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, "Ready"))
}

/// The first of some lines, and how many more there are.
fn first(lines: &[String], more: &str) -> Vec<String> {
    let mut told: Vec<String> = lines.iter().take(SHOWN).cloned().collect();
    let left = lines.len().saturating_sub(SHOWN);
    told.extend((left > 0).then(|| format!("and {}", counted(left, more))));
    told
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight pods, of which the text names six. In the other outcome one of the last two is elsewhere, the other one is not,
    /// and a ninth is; in a third one all eight are elsewhere.
    #[test]
    fn of_a_large_outcome_what_differs_is_told() {
        let of = |hash, pods: Vec<String>| Outcome {
            hash,
            text: String::new(),
            lines: [pods, vec!["a".to_owned(), "b".to_owned()]],
        };
        let on = |node: &str| (0..8).map(|i| format!("p-{i} on {node}")).collect::<Vec<_>>();
        let usual = of(1, on("a"));
        let mut other = on("a");
        other[6] = "p-6 on b".to_owned();
        other[7] = "p-8 gone".to_owned();
        let text = "p-8 gone; p-7 not there; p-6 on b; else as the most frequent";
        assert_eq!(of(2, other).beside(&usual).as_deref(), Some(text));
        let text = "p-0, p-1, p-2 and 5 more on b; else as the most frequent";
        assert_eq!(of(3, on("b")).beside(&usual).as_deref(), Some(text));
        assert_eq!(usual.beside(&usual), None);
        // Its own text has all of it.
        assert_eq!(of(4, on("a")[..6].to_vec()).beside(&usual), None);
    }
}
