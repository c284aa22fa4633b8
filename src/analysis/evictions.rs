//! The evictions of a run, each with what led to it and what came after it.

use super::prelude::*;

/// One eviction of one life of a pod.
#[derive(Clone, Copy, Debug)]
pub struct Eviction<'a> {
    /// When deletionTimestamp was set.
    pub(crate) at: Time,
    /// The record of that; its causes explain it.
    pub(crate) record: RecordId,
    /// What evicts it.
    pub cause: EvictionCause,
    /// The evicted pod.
    pub(crate) pod: PodId,
    pub(crate) node: Option<NodeId>,
    /// The NoExecute taint that led to it: the nearest one added among the causes, or else the
    /// latest one of the node.
    pub taint: Option<&'a Taint>,
    /// The seconds of the timer that ran out: the least tolerationSeconds of the matching
    /// tolerations; 0 is at once.
    pub(crate) timer_seconds: Option<u32>,
    pub(crate) timer_set_at: Option<Time>,
    /// What the latency is counted from; see `Analysis::fault_of`.
    pub(crate) fault: Option<Since>,
    /// When the object was gone; none if it still was there at the end.
    pub(crate) gone_at: Option<Time>,
    /// When its node was first back at or after the eviction: heard, and its Ready condition True.
    /// None where the node's failure did not lead to it: such a node may never have been away.
    pub(crate) node_back_at: Option<Time>,
}

impl Eviction<'_> {
    /// From the fault to the eviction.
    pub(crate) fn latency(&self) -> Option<Dur> {
        self.fault.map(|f| self.at.since(f.at))
    }

    /// Whether the node's failure led to it, not a drain, or a taint that somebody set for another
    /// reason.
    pub fn is_for_node_failure(&self) -> bool {
        match self.cause {
            EvictionCause::Timeout => true,
            EvictionCause::Taint => self.taint.is_some_and(|t| is_failure_key(&t.key)),
            // Somebody asked for it, and got what was asked for; or the node lives.
            _ => false,
        }
    }

    /// Whether it turned out to be needless: it was for the node's failure, and the node was back
    /// no later than `window` after it.
    pub(crate) fn is_needless(&self, window: Dur) -> bool {
        self.is_for_node_failure()
            && self.node_back_at.is_some_and(|back| back.since(self.at) <= window)
    }

    /// Whether the run ended before `window` was over, with the node still away.
    pub(crate) fn is_undecided(&self, window: Dur, horizon: Time) -> bool {
        self.is_for_node_failure() && self.node_back_at.is_none() && horizon.since(self.at) < window
    }
}

/// The evictions of a run in the order in which they happened.
pub fn evictions<'a>(analysis: &'a Analysis<'a>) -> Vec<Eviction<'a>> {
    let (mut finder, mut follow) = (Finder::new(analysis), Follow::new(analysis));
    while let Some((id, r, step)) = follow.step() {
        finder.record(id, r, &step, &follow);
    }
    finder.found
}

/// Finds evictions in a walk through the trace.
pub(super) struct Finder<'a> {
    analysis: &'a Analysis<'a>,
    pub(super) found: Vec<Eviction<'a>>,
    /// The latest NoExecute taint of each node, those that it has from its creation first.
    latest_taint: Vec<Option<&'a Taint>>,
    /// Per node the evictions that wait for it to be back.
    waiting: Vec<Vec<usize>>,
    /// Per pod its latest eviction, which waits for it to be gone.
    latest: Vec<Option<usize>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        let mut latest_taint: Vec<Option<&Taint>> = vec![None; analysis.node_count()];
        for (latest, n) in latest_taint.iter_mut().zip(&analysis.plan.nodes) {
            *latest = n.taints.iter().rfind(|t| t.effect == Effect::NoExecute);
        }
        let waiting = vec![Vec::new(); analysis.node_count()];
        let latest = vec![None; analysis.pod_count()];
        Finder { analysis, found: Vec::new(), latest_taint, waiting, latest }
    }

    /// Takes in a record: what it changed, and the state after it.
    pub(super) fn record(&mut self, id: RecordId, r: &Record, step: &Step, follow: &Follow<'_>) {
        self.node(r, step);
        if r.what == What::PodGone
            && let Some((pod, ..)) = step.pod
            && let Some(index) = self.latest[pod.index()].take()
        {
            self.found[index].gone_at = Some(r.at);
        }
        self.eviction(id, r, step, follow);
    }

    /// Takes in what a record says of a node.
    fn node(&mut self, r: &Record, step: &Step) {
        let Some((node, before, after)) = step.node else { return };
        if let Some(change) = self.analysis.trace.taint_change(r) {
            let latest = &mut self.latest_taint[node.index()];
            *latest = change.added.iter().rfind(|t| t.effect == Effect::NoExecute).or(*latest);
        }
        if after.is_back() && !before.is_back() {
            for i in self.waiting[node.index()].drain(..) {
                self.found[i].node_back_at = Some(r.at);
            }
        }
    }

    /// Notes the eviction of a pod, if it is one.
    fn eviction(&mut self, id: RecordId, r: &Record, step: &Step, follow: &Follow<'_>) {
        let Some((pod, before)) = step.eviction(r) else { return };
        let (trace, node) = (self.analysis.trace, before.node_id());
        let Some(cause) = EvictionCause::of(r, before.asked) else { return };
        let by_taint = cause == EvictionCause::Taint;
        let set = follow.timer(&before).and_then(|t| trace.get(t));
        // A timer may be set for at-once evictions, too; without one the cause says that it was at
        // once.
        let timer_seconds = by_taint.then(|| match set.map(|s| s.what) {
            Some(What::TimerSet(seconds)) => seconds,
            _ => 0,
        });
        let latest_taint = || self.latest_taint[node?.index()];
        let taint = by_taint.then(|| taint_of(trace, id).or_else(latest_taint)).flatten();
        let index = self.found.len();
        self.latest[pod.index()] = Some(index);
        let mut eviction = Eviction {
            at: r.at,
            record: id,
            cause,
            pod,
            node,
            taint,
            timer_seconds,
            timer_set_at: set.filter(|_| by_taint).map(|s| s.at),
            fault: self.analysis.fault_of(id, node),
            gone_at: (r.what == What::PodGone).then_some(r.at),
            node_back_at: None,
        };
        if let Some(n) = node
            && eviction.is_for_node_failure()
        {
            match follow.node(n).is_back() {
                true => eviction.node_back_at = Some(r.at),
                false => self.waiting[n.index()].push(index),
            }
        }
        self.found.push(eviction);
    }
}

/// The NoExecute taint that was added nearest among the causes of a record; not one that led to the
/// creation of the pod.
fn taint_of(trace: &Trace, id: RecordId) -> Option<&Taint> {
    within_life(trace, id).find_map(|(_, r)| {
        trace.taint_change(r)?.added.iter().find(|t| t.effect == Effect::NoExecute)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::synthetic::{Run, ms, taint};
    use crate::api::taint::UNREACHABLE;

    /// n1 is Ready when pods are evicted for a device and for a user's taint; that it is away and
    /// back afterwards is none of theirs. n2 is away from 10 to 201 s, and evicts before and after.
    #[test]
    fn a_node_is_back_for_those_that_its_failure_took() {
        let mut run = Run::new("back", ms(300_000));
        let [n1, n2] = ["n1", "n2"].map(|n| run.node(n, "a"));
        let [a, b, c, d] = [("a", n1), ("b", n1), ("c", n2), ("d", n2)]
            .map(|(pod, node)| run.pod(&format!("default/{pod}"), node));
        run.record(ms(10_000), NO_RECORD, Actor::User, What::NodeSilent, n2);
        let unknown = run.ready(ms(50_000), NO_RECORD, n2, ConditionStatus::Unknown);
        let key = [taint(UNREACHABLE, Effect::NoExecute)];
        let tainted = run.taints(ms(50_000), unknown, Actor::NodeLifecycle, n2, &key, &[]);
        let (by, key) = (Actor::User, [taint("maintenance", Effect::NoExecute)]);
        let by_user = run.taints(ms(60_000), NO_RECORD, by, n1, &key, &[]);
        run.record(ms(60_000), NO_RECORD, Actor::DeviceTaintEviction, What::PodDeleting(30), a);
        run.eviction(ms(60_000), by_user, What::PodDeleting(30), b);
        run.eviction(ms(60_000), tainted, What::PodDeleting(30), c);
        run.record(ms(70_000), NO_RECORD, Actor::User, What::NodeSilent, n1);
        run.record(ms(100_000), NO_RECORD, Actor::User, What::NodeHeard, n1);
        run.record(ms(200_000), NO_RECORD, Actor::User, What::NodeHeard, n2);
        run.ready(ms(201_000), NO_RECORD, n2, ConditionStatus::True);
        run.eviction(ms(210_000), tainted, What::PodDeleting(30), d);
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let back: Vec<_> = evictions(&analysis).iter().map(|e| e.node_back_at).collect();
        assert_eq!(back, [None, None, Some(ms(201_000)), Some(ms(210_000))]);
    }

    /// What takes the place of a pod that n1's failure evicted comes to n2, which a user has tainted, and is evicted for that: nobody
    /// asks whether n2 was back.
    #[test]
    fn the_taint_that_evicts_is_one_of_the_pods_own_node() {
        let mut run = Run::new("own", ms(300_000));
        let [n1, n2] = ["n1", "n2"].map(|n| run.node(n, "a"));
        let first = run.pod("default/first", n1);
        let (set, _) = run.workload("ReplicaSet/default/web", "ReplicaSet/default/web");
        let second = run.replica("default/second", set);
        let by_user = [taint("maintenance", Effect::NoExecute)];
        run.taints(ms(10_000), NO_RECORD, Actor::User, n2, &by_user, &[]);
        let key = [taint(UNREACHABLE, Effect::NoExecute)];
        let tainted = run.taints(ms(50_000), NO_RECORD, Actor::NodeLifecycle, n1, &key, &[]);
        let gone = run.eviction(ms(60_000), tainted, What::PodDeleting(30), first);
        let made = What::pod_created(Some(NodeId(n2)));
        let made = run.record(ms(61_000), gone, Actor::ReplicaSet, made, second);
        let timer = run.eviction(ms(61_000), made, What::TimerSet(60), second);
        run.eviction(ms(121_000), timer, What::PodDeleting(30), second);
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let found = evictions(&analysis);
        let keys: Vec<_> = found.iter().map(|e| e.taint.map(|t| t.key.as_str())).collect();
        assert_eq!(keys, [Some(UNREACHABLE), Some("maintenance")]);
        let back: Vec<_> = found.iter().map(|e| e.node_back_at).collect();
        assert_eq!(back, [Some(ms(60_000)), None]);
    }
}
