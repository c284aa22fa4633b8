//! What a run comes down to: how many pods were evicted and kept, how long things took, what was
//! lost.
//!
//! Definitions, where the words alone leave room:
//! * *kept*: pods that are there at the end, unfinished and not being deleted, and in that life had
//!   an eviction timer or were bound to a node while it had a NoExecute taint.
//! * *pending timers*: timers that run at the end, neither fulfilled nor cancelled nor lost with
//!   their controller.
//! * *detection latency*: from the beginning of the fault to the node's Ready condition turning
//!   Unknown; *tainting latency*: to its not-ready or unreachable NoExecute taint, swaps of the two
//!   not counted again; *eviction latency*: to a pod's deletionTimestamp. The fault is that of
//!   `Analysis::fault_of`; what has none is left out.
//! * *evicted*: see [`EvictionCause`]; *refused evictions* are tries, of which kubectl makes one
//!   every five seconds.
//! * *needless*: see `Eviction::is_needless`.
//! * What it cost is defined in `serving`.
//!
//! The figures of a run that a planner compares.

use super::below_need::AllAlong;
use super::costs::COUNT_MAX;
use super::evictions::{Eviction, Finder};
use super::prelude::*;
use super::serving::{self, Serving};
use super::statistics::Spread;
use super::truth::Truth;

/// What a run comes down to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Evictions, needless ones, latencies, costs.
    pub metrics: Metrics,
    /// Pods that were in danger and stayed.
    pub(crate) kept: u64,
    /// Eviction timers that run at the end.
    pub(crate) pending_timers: u64,
    /// Pods that ended with their nodes, which were told to go off.
    pub(crate) shut_down: u64,
    /// How many deletions began, by who deleted.
    pub(crate) deletions: BTreeMap<Actor, u64>,
    /// Pods that could not be deleted in five tries, each time.
    pub(crate) evictions_failed: u64,
    /// How many pods were evicted, by cause; those of no pod are left out.
    pub evicted_by: BTreeMap<EvictionCause, u64>,
    /// How often the eviction API refused an eviction; kubectl tries again every five seconds.
    pub(crate) evictions_refused: u64,
    /// How many of these it does not try again.
    pub(crate) evictions_refused_for_good: u64,
    /// Nodes that kubectl could not drain, each time.
    pub(crate) nodes_not_drained: u64,
    /// What kubectl refused.
    pub(crate) refused: u64,
    /// How many nodes were Unknown at some time.
    pub(crate) nodes_unknown: u64,
    /// How many nodes had a not-ready or unreachable NoExecute taint at some time.
    pub(crate) nodes_tainted: u64,
    /// How many other nodes somebody else gave a NoExecute taint.
    pub(crate) nodes_tainted_by_others: u64,
    /// How many images were pulled, and how long pods waited for that: all together, and the longest.
    pub(crate) pulls: (u64, Dur, Dur),
    /// How many pulls failed.
    pub(crate) pulls_failed: u64,
    /// How often drivers refused to make a volume.
    pub(crate) volumes_refused: u64,
    /// How things stand at the end.
    pub(crate) end: End,
}

/// How things stand at the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct End {
    /// Nodes by health, in the order of `Health::ALL`.
    pub(crate) nodes: [u64; Health::ALL.len()],
    /// Nodes with a NoExecute taint.
    pub(crate) nodes_no_execute: u64,
    /// Nodes that are cordoned.
    pub(crate) nodes_cordoned: u64,
    /// Pods that are Running and Ready, and are up.
    pub(crate) available: u64,
    /// Pods that are Running and Ready by the API, and are not up.
    pub(crate) dead: u64,
    /// Pods that are Running, not Ready, not being deleted.
    pub(crate) not_ready: u64,
    /// Pods that are Pending, not being deleted.
    pub(crate) pending: u64,
    /// Pods that are being deleted.
    pub(crate) terminating: u64,
    /// Pods that Succeeded or Failed, not being deleted.
    pub(crate) finished: u64,
}

/// The summary of a run; `window` is how soon a node must be back for an eviction to have been
/// needless.
pub fn summary(analysis: &Analysis<'_>, window: Dur) -> Summary {
    with_evictions(analysis, window).0
}

/// The figures of a run.
pub fn metrics(plan: &Plan, trace: &Trace, window: Dur) -> Metrics {
    summary(&Analysis::new(plan, trace), window).metrics
}

/// The summary of a run, and the course of its workloads and the evictions, which it rests on, in one
/// walk over the records.
pub(crate) fn with_evictions<'a>(
    analysis: &'a Analysis<'a>,
    window: Dur,
) -> (Summary, Serving, Vec<Eviction<'a>>) {
    let (mut tally, mut finder) = (Tally::new(analysis), Finder::new(analysis));
    let mut served = serving::Walk::new(analysis);
    served.start(&tally.truth);
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let (step, again) = tally
            .truth
            .apply(id, r, &mut |pod, before, after| served.change(r.at, pod, before, after));
        served.record((id, r), &step, again, &tally.truth);
        tally.record(id, r, &step);
        finder.record(id, r, &step, &tally.truth.follow);
    }
    let evictions = finder.found;
    let mut summary = tally.finish(&evictions, window);
    let serving = served.finish(&evictions, window);
    summary.metrics.costs = serving.whole;
    summary.metrics.workloads =
        serving.workloads.iter().map(|w| (w.name.clone(), w.costs)).collect();
    for w in &serving.workloads {
        summary.metrics.late.extend(w.late(analysis).map(|_| w.name.clone()));
        summary.metrics.uncounted.extend(w.is_uncounted(analysis).then(|| w.name.clone()));
    }
    summary.metrics.all_along = AllAlong::of(&serving, analysis);
    (summary, serving, evictions)
}

/// What is kept while walking through the trace.
struct Tally<'a> {
    analysis: &'a Analysis<'a>,
    truth: Truth<'a>,
    summary: Summary,
    detection: Vec<Dur>,
    tainting: Vec<Dur>,
    /// Per node until when it had NoExecute taints last.
    no_execute_until: Vec<Time>,
    were_unknown: BTreeSet<NodeId>,
    were_tainted: BTreeSet<NodeId>,
    /// Those to which somebody else than node lifecycle gave a NoExecute taint.
    were_tainted_by_others: BTreeSet<NodeId>,
    /// Those that are cordoned, among them some that may not be there.
    cordoned: BTreeSet<NodeId>,
    /// Per pod whether its present life had a timer.
    had_timer: Vec<bool>,
}

impl<'a> Tally<'a> {
    fn new(analysis: &'a Analysis<'a>) -> Self {
        let truth = Truth::new(analysis);
        let tainted = truth.follow.nodes().map(|(_, n)| n.no_execute > 0);
        let planned = (0..).zip(&analysis.plan.nodes);
        let cordoned = planned.filter(|(_, n)| n.unschedulable).map(|(i, _)| NodeId(i));
        let no_execute_until = tainted.map(|is| if is { Time::MAX } else { Time::ZERO }).collect();
        Tally {
            analysis,
            truth,
            summary: Summary::default(),
            detection: Vec::new(),
            tainting: Vec::new(),
            no_execute_until,
            were_unknown: BTreeSet::new(),
            were_tainted: BTreeSet::new(),
            were_tainted_by_others: BTreeSet::new(),
            cordoned: cordoned.collect(),
            had_timer: vec![false; analysis.pods.len()],
        }
    }

    fn latency(&self, id: RecordId, node: NodeId, at: Time) -> Option<Dur> {
        at.checked_since(self.analysis.fault_of(id, Some(node))?.at)
    }

    fn record(&mut self, id: RecordId, r: &Record, step: &Step) {
        match r.what {
            What::Refused(_) => self.summary.refused += 1,
            What::Noted(Note::ImagePulled, ms) => {
                let (count, all, longest) = self.summary.pulls;
                let waited = Dur::from_millis(ms.into());
                self.summary.pulls = (count + 1, all.saturating_add(waited), longest.max(waited));
            }
            What::Noted(Note::ImagePullFailed, _) => self.summary.pulls_failed += 1,
            What::Noted(Note::ProvisioningFailed, _) => self.summary.volumes_refused += 1,
            What::EvictionFailed => self.summary.evictions_failed += 1,
            What::EvictionRefused(_) => {
                let budget = self.analysis.trace.budget(r);
                let again = budget.is_some_and(|b| b.refusal.is_tried_again());
                self.summary.evictions_refused += 1;
                self.summary.evictions_refused_for_good += u64::from(!again);
            }
            What::DrainEnded(_) => {
                let end = self.analysis.trace.drain_end(r);
                let drained = end.is_some_and(|d| d.outcome == DrainOutcome::Drained);
                self.summary.nodes_not_drained += u64::from(!drained);
            }
            _ => {}
        }
        self.summary.shut_down += u64::from(step.shut_down(self.analysis, id, r).is_some());
        self.node(id, r, step);
        self.pod(r, step);
    }

    fn node(&mut self, id: RecordId, r: &Record, step: &Step) {
        let Some((node, before, after)) = step.node else { return };
        if matches!(r.what, What::NodeCondition(NodeConditionType::Ready, ..))
            && after.ready == Some(ConditionStatus::Unknown)
            && before.ready != after.ready
        {
            self.were_unknown.insert(node);
            self.detection.extend(self.latency(id, node, r.at));
        }
        if let Some(change) = self.analysis.trace.taint_change(r) {
            let of_failure = |t: &Taint| t.effect == Effect::NoExecute && is_failure_key(&t.key);
            let [added, removed] =
                [&change.added, &change.removed].map(|t| t.iter().any(of_failure));
            if r.actor != Actor::NodeLifecycle {
                let more = before.no_execute < after.no_execute;
                self.were_tainted_by_others.extend(more.then_some(node));
            } else if added && !removed {
                self.were_tainted.insert(node);
                self.tainting.extend(self.latency(id, node, r.at));
            }
        }
        match r.what {
            What::NodeUnschedulable(true) => _ = self.cordoned.insert(node),
            What::NodeUnschedulable(false) | What::NodeDeleted => _ = self.cordoned.remove(&node),
            _ => {}
        }
        match (before.no_execute > 0, after.no_execute > 0) {
            (false, true) => self.no_execute_until[node.index()] = Time::MAX,
            (true, false) => self.no_execute_until[node.index()] = r.at,
            _ => {}
        }
    }

    fn pod(&mut self, r: &Record, step: &Step) {
        let Some((pod, ..)) = step.pod else { return };
        let i = pod.index();
        match r.what {
            What::TimerSet(_) => self.had_timer[i] = true,
            What::PodCreated(_) | What::PodGone => self.had_timer[i] = false,
            _ => {}
        }
        if step.deletion_begins().is_some() {
            *self.summary.deletions.entry(r.actor).or_default() += 1;
        }
    }

    fn finish(mut self, evictions: &[Eviction<'_>], window: Dur) -> Summary {
        let horizon = self.analysis.horizon();
        for e in evictions {
            *self.summary.evicted_by.entry(e.cause).or_default() += 1;
        }
        // Not of drains, which come when somebody gets to that node.
        let of_controllers =
            |e: &&Eviction<'_>| matches!(e.cause, EvictionCause::Taint | EvictionCause::Timeout);
        let mut latencies: Vec<Dur> =
            evictions.iter().filter(of_controllers).filter_map(Eviction::latency).collect();
        self.summary.metrics = Metrics {
            evicted: evictions.len() as u64,
            needless: evictions.iter().filter(|e| e.is_needless(window)).count() as u64,
            undecided: evictions.iter().filter(|e| e.is_undecided(window, horizon)).count() as u64,
            window,
            detection: Spread::of(&mut self.detection),
            tainting: Spread::of(&mut self.tainting),
            eviction: Spread::of(&mut latencies),
            ..Metrics::default()
        };
        let mut end = End::default();
        let (mut kept, mut pending_timers) = (0, 0);
        for (id, p) in self.truth.follow.pods().filter(|(_, p)| p.exists) {
            match p.phase {
                _ if p.deleting => end.terminating += 1,
                PodPhase::Succeeded | PodPhase::Failed => end.finished += 1,
                PodPhase::Pending => end.pending += 1,
                PodPhase::Running if p.ready && self.truth.standing(id).up => end.available += 1,
                PodPhase::Running if p.ready => end.dead += 1,
                PodPhase::Running => end.not_ready += 1,
            }
            pending_timers += u64::from(self.truth.follow.timer(p).is_some());
            let tainted = self.no_execute_until.get(p.node as usize);
            let in_danger =
                self.had_timer[id.index()] || tainted.is_some_and(|until| *until > p.bound_at);
            kept += u64::from(in_danger && !p.deleting && !p.phase.is_terminal());
        }
        for (id, n) in self.truth.follow.nodes() {
            end.nodes_cordoned += u64::from(n.exists && self.cordoned.contains(&id));
            end.nodes[n.health().index()] += 1;
            end.nodes_no_execute += u64::from(n.exists && n.no_execute > 0);
        }
        let by_others = self.were_tainted_by_others.difference(&self.were_tainted);
        Summary {
            kept,
            pending_timers,
            nodes_unknown: self.were_unknown.len() as u64,
            nodes_tainted: self.were_tainted.len() as u64,
            nodes_tainted_by_others: by_others.count() as u64,
            end,
            ..self.summary
        }
    }
}

/// How soon a node must be back for an eviction to have been needless, where nothing else is said:
/// five minutes, the tolerationSeconds that Kubernetes gives to pods which state none.
pub const DEFAULT_NEEDLESS_WINDOW: Dur = Dur::from_secs(300);

/// The figures of a run. Their definitions are those of [`summary`](super::summary).
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Metrics {
    /// Pods that were evicted; one that is created again and evicted again counts twice.
    pub evicted: u64,
    /// Evictions whose node was back within [`Metrics::window`].
    pub needless: u64,
    /// Evictions of which the run ended too early to tell.
    pub undecided: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub window: Dur,
    /// From the fault to the Ready condition turning Unknown, over nodes.
    pub detection: Option<Spread>,
    /// From the fault to the NoExecute taint, over nodes.
    pub(crate) tainting: Option<Spread>,
    /// From the fault to the deletionTimestamp, over evictions.
    pub(crate) eviction: Option<Spread>,
    /// What the run cost all workloads together, see `serving`.
    pub costs: Costs,
    /// What it cost each of them, by name, `Kind/namespace/name`.
    pub workloads: Vec<(String, Costs)>,
    /// Those that were still being made when something was done to them, so that what was missing
    /// before is not counted.
    pub(crate) late: Vec<String>,
    /// Those of them of which nothing is counted, as nothing was done to them once they were whole, if they ever were.
    pub(crate) uncounted: Vec<String>,
    /// Those that were below their need from first to last.
    pub(crate) all_along: AllAlong,
}

impl Metrics {
    /// Whether a sum of many of these is a number still: they may come from a file that anybody
    /// wrote.
    pub(crate) fn is_sound(&self) -> bool {
        let spreads = [self.detection, self.tainting, self.eviction];
        [self.evicted, self.needless, self.undecided]
            .iter()
            .chain(&spreads.map(|s| s.map_or(0, |s| s.count as u64)))
            .all(|n| *n <= COUNT_MAX)
            && self.costs.is_sound()
            && self.workloads.iter().all(|(_, costs)| costs.is_sound())
    }
}
