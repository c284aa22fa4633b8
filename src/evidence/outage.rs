//! What was: which nodes fell silent and came back, who was evicted, and what people did. What is
//! inferred says from what.

use crate::api::taint::OUT_OF_SERVICE;
use crate::evidence::prelude::*;

/// What is said of one thing within this time is said of one event.
const SAME_US: i64 = 30_000_000;
/// From one pass of the node lifecycle controller to the next, by default.
const PASS_US: i64 = 5 * SECOND_US;
/// How long the pod garbage collector waits for a node that is gone, and from one of its passes to the next.
const QUARANTINE_US: [i64; 2] = [40 * SECOND_US, 20 * SECOND_US];

/// A node that was not Ready.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) node: String,
    /// When it was given up, or said so itself.
    pub(crate) since: Statement,
    /// When its kubelet was last heard of, if a source tells, and if it was silent.
    pub(crate) heard: Option<Statement>,
    /// When it was back, or deleted, if it was.
    pub(crate) back: Option<Statement>,
}

/// A deletion by another than the taint eviction controller.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Deletion {
    pub(crate) known: Statement,
    pub(crate) by: String,
    /// `gracePeriodSeconds`, where they gave one.
    pub(crate) grace: Option<i64>,
}

/// What was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outage {
    /// Nodes that were silent, in the order in which they were given up.
    pub(crate) silences: Vec<Failure>,
    /// Nodes that said themselves that they are not ready.
    pub(crate) not_ready: Vec<Failure>,
    /// What people, or programs of theirs, did, and who.
    pub(crate) actions: Vec<(Statement, String)>,
    /// The evictions by the taint eviction controller: each pod's first.
    pub(crate) evictions: BTreeMap<String, Statement>,
    /// The deletions by others: each pod's, in the order of time.
    pub(crate) deletions: BTreeMap<String, Vec<Deletion>>,
    /// Leaders that took over while it lasted.
    pub(crate) leaders: Vec<(String, Statement)>,
    /// The first end of pods whose nodes were gone, or that another was made after under their name.
    pub(crate) ended: BTreeMap<String, Stamp>,
    /// A pass of the node lifecycle controller that found a node not ready.
    pub(crate) pass: Option<Statement>,
}

impl Failure {
    fn of(node: &str, since: Statement, heard: Option<Statement>) -> Self {
        Failure { node: node.to_owned(), since, heard, back: None }
    }

    /// When it was back, unless it was deleted.
    pub(super) fn returned(&self) -> Option<&Statement> {
        self.back.as_ref().filter(|back| !matches!(back.said, Said::NodeDeleted { .. }))
    }

    pub(super) fn is_down(&self, at: Stamp) -> bool {
        self.since.at <= at && self.returned().is_none_or(|back| back.at > at)
    }
}

impl Outage {
    /// From all statements, in the order of time.
    pub(crate) fn of(statements: &[Statement]) -> Self {
        let mut outage = Outage::default();
        let mut last_heard: BTreeMap<&str, Statement> = BTreeMap::new();
        let mut first_said: BTreeMap<&str, Stamp> = BTreeMap::new();
        for s in statements {
            let first = s.said.pod().map_or(s.at, |pod| *first_said.entry(pod).or_insert(s.at));
            match &s.said {
                Said::NodeHeard { node } => _ = last_heard.insert(node, s.clone()),
                Said::NodeUnknown { node } | Said::NodeNotReady { node } => {
                    outage.silent(node, s, last_heard.get(node.as_str()));
                }
                Said::NodeReady { node } => {
                    last_heard.insert(node, s.clone());
                    outage.over(node, s);
                    outage.joins(node, s);
                }
                Said::NodeRegistered { node } => outage.joins(node, s),
                Said::NodeDeleted { node, by } => {
                    outage.act(s, by);
                    outage.over(node, s);
                }
                Said::Orphaned { pod, node } => {
                    outage.ended.entry(pod.clone()).or_insert(s.at);
                    let said = Said::NodeDeleted { node: node.clone(), by: SOMEBODY.to_owned() };
                    let [waits, within_us] = QUARANTINE_US;
                    let at = Stamp(s.at.0 - waits);
                    let deleted = Statement { at, within_us, said, place: s.place.clone() };
                    outage.act(&deleted, SOMEBODY);
                    outage.over(node, &deleted);
                }
                Said::Created { pod, .. } if s.at.0 - first.0 > SAME_US => {
                    outage.ended.entry(pod.clone()).or_insert(s.created());
                }
                Said::KubeletNotReady { node } => {
                    last_heard.insert(node, s.clone());
                    outage.not_ready(node, s.clone());
                }
                Said::FoundNotReady { node } => {
                    outage.pass.get_or_insert_with(|| s.clone());
                    // Since some time after the pass before.
                    let (at, within_us) = (Stamp(s.at.0 - PASS_US / 2), PASS_US / 2);
                    outage.not_ready(node, Statement { at, within_us, ..s.clone() });
                }
                Said::Evicted { pod } => {
                    let known = outage.evictions.entry(pod.clone());
                    let known = known.or_insert_with(|| s.clone());
                    // Of two sources the one that knows the time better counts.
                    if s.at.0 - known.at.0 < SAME_US && s.within_us < known.within_us {
                        *known = s.clone();
                    }
                }
                Said::Deleted { pod, by, grace } => {
                    let all = outage.deletions.entry(pod.clone()).or_default();
                    // Of two sources that tell of one the first counts.
                    let is_it = |d: &Deletion| {
                        s.at.0 - d.known.at.0 < SAME_US && grace.is_none_or(|g| d.grace == Some(g))
                    };
                    if !all.last().is_some_and(is_it) {
                        let (known, by) = (s.clone(), by.clone());
                        all.push(Deletion { known, by, grace: *grace });
                    }
                }
                Said::Leader { component } => {
                    outage.leaders.push((component.clone(), s.clone()));
                }
                Said::Tainted { taints, .. } if taints.iter().any(|t| !is_own(t)) => {
                    outage.act(s, SOMEBODY);
                }
                Said::NoExecuteAre { .. } => outage.act(s, SOMEBODY),
                Said::TaintsAre { by, .. }
                | Said::NodeWritten { by, .. }
                | Said::Cordoned { by, .. }
                | Said::WorkloadDeleted { by, .. }
                | Said::Scaled { by, .. } => outage.act(s, by),
                _ => {}
            }
        }
        // A deletion that the controller itself asked for is its eviction.
        let evictions = &outage.evictions;
        outage.deletions.retain(|pod, all| {
            all.retain(|Deletion { known, .. }| {
                let of_it = known.at.0 - known.within_us - SAME_US..=known.at.0 + SAME_US;
                evictions.get(pod).is_none_or(|e| !of_it.contains(&e.at.0))
            });
            !all.is_empty()
        });
        outage
    }

    /// A cordon that several sources tell of is one, as is a deletion of a node that has not joined again; of these
    /// the one counts that knows who it was, and else the one that knows the time better.
    fn act(&mut self, s: &Statement, by: &str) {
        let action = (s.clone(), by.to_owned());
        let is_gone = s.said.node().is_some_and(|node| self.gone(node).is_some());
        let is_it = |(told, _): &&mut (Statement, String)| match (&told.said, &s.said) {
            (
                Said::Cordoned { node: a, cordoned: was, .. },
                Said::Cordoned { node: b, cordoned: is, .. },
            ) => a == b && was == is && s.at.0 - told.at.0 < SAME_US,
            (Said::NodeDeleted { node: a, .. }, Said::NodeDeleted { node: b, .. }) => {
                is_gone && a == b
            }
            _ => false,
        };
        let knows = |(told, who): &(Statement, String)| (who != SOMEBODY, -told.within_us);
        match self.actions.iter_mut().rev().find(is_it) {
            Some(told) if knows(told) < knows(&action) => *told = action,
            Some(_) => {}
            None => self.actions.push(action),
        }
    }

    /// When a node was deleted that has not joined again.
    fn gone(&self, node: &str) -> Option<Stamp> {
        let last = self.actions.iter().rev().find_map(|(told, _)| match &told.said {
            Said::NodeDeleted { node: n, .. } if n == node => Some(Some(told.at)),
            Said::NodeRegistered { node: n } if n == node => Some(None),
            _ => None,
        });
        last.flatten()
    }

    /// A deleted node of which something is said again has joined again.
    fn joins(&mut self, node: &str, s: &Statement) {
        if self.gone(node).is_some_and(|at| at.0 < s.at.0 - s.within_us) {
            let said = Said::NodeRegistered { node: node.to_owned() };
            self.actions.push((Statement { said, ..s.clone() }, SOMEBODY.to_owned()));
        }
    }

    /// A kubelet that is not ready says so again and again.
    fn not_ready(&mut self, node: &str, since: Statement) {
        if !self.not_ready.iter().any(|n| n.node == node && n.back.is_none()) {
            self.not_ready.push(Failure::of(node, since, None));
        }
    }

    fn silent(&mut self, node: &str, s: &Statement, heard: Option<&Statement>) {
        let is_gone = self.gone(node).is_some();
        let is_open =
            |silence: &&mut Failure| silence.node == node && (silence.back.is_none() || is_gone);
        let open = self.silences.iter_mut().rev().find(is_open);
        match open {
            // Said before, by another source or again: the earliest of the exact ones counts.
            Some(silence) => {
                let near = (s.at.0 - silence.since.at.0).abs() < SAME_US;
                if near && s.within_us < silence.since.within_us {
                    silence.since = s.clone();
                }
            }
            None => self.silences.push(Failure::of(node, s.clone(), heard.cloned())),
        }
    }

    /// A node is Ready again, or deleted.
    fn over(&mut self, node: &str, s: &Statement) {
        let all = self.silences.iter_mut().chain(&mut self.not_ready);
        for failure in all.filter(|x| x.node == node) {
            failure.back.get_or_insert_with(|| s.clone());
        }
    }

    /// All nodes that were not Ready.
    pub(super) fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.silences.iter().chain(&self.not_ready)
    }

    /// Each deletion, with its pod.
    pub(crate) fn each_deletion(&self) -> impl Iterator<Item = (&String, &Deletion)> {
        self.deletions.iter().flat_map(|(pod, all)| all.iter().map(move |d| (pod, d)))
    }

    /// When kubelets evicted pods, and the scheduler preempted some.
    fn taken(&self) -> impl Iterator<Item = Stamp> {
        let is_taken = |d: &Deletion| d.by == PREEMPTED || d.by.starts_with(KUBELET);
        self.each_deletion().filter(move |(_, d)| is_taken(d)).map(|(_, d)| d.known.at)
    }

    /// When the first thing happened.
    pub(crate) fn begins(&self) -> Option<Stamp> {
        let evictions = self.evictions.values().map(|e| e.at);
        let first = self.failures().map(|f| f.since.at).chain(evictions).min();
        first.or_else(|| self.taken().min())
    }

    /// When evicted pods were deleted once more while a node was still down: they were stuck.
    fn freed(&self) -> impl Iterator<Item = Stamp> {
        let of_evicted = self.each_deletion().filter(|(pod, _)| self.evictions.contains_key(*pod));
        of_evicted
            .map(|(_, d)| d.known.at)
            .filter(move |at| self.failures().any(|f| f.is_down(*at)))
    }

    /// When the last thing happened.
    pub(crate) fn ends(&self) -> Option<Stamp> {
        let failures = self.failures().map(|f| f.back.as_ref().unwrap_or(&f.since).at);
        let evictions = self.evictions.values().map(|e| e.at);
        let actions = self.actions.iter().map(|(told, _)| told.at);
        failures.chain(evictions).chain(actions).chain(self.taken()).chain(self.freed()).max()
    }
}

/// Whether controllers write such a taint by themselves: all of Kubernetes' own but one.
pub(super) fn is_own(taint: &str) -> bool {
    taint.starts_with("node.kubernetes.io/") && !taint.starts_with(OUT_OF_SERVICE)
}
