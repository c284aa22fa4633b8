//! A question about pods, with what its answers look up elsewhere in the run.
//!
//! Each of these takes a walk through the trace. They are made when they are asked for first, for all
//! pods of the question together, so that a page may explain thousands.

use super::super::node::{Stories, Story};
use super::super::prelude::*;
use super::super::rules::Origins;
use super::seen::Moment;
use crate::analysis::job_ends::JobEnds;
use crate::analysis::workloads::{Replacement, Workloads, workloads};
use crate::api::toleration::matching_tolerations;
use std::cell::OnceCell;

/// The question, and what was looked up for it.
pub(super) struct Inquiry<'a> {
    pub(super) question: Question<'a>,
    /// The nodes whose stories may be asked for, each once, in order.
    nodes: Vec<NodeId>,
    /// Stories that somebody else had told.
    told: &'a Stories,
    origins: OnceCell<Origins<'a>>,
    workloads: OnceCell<Workloads>,
    job_ends: OnceCell<JobEnds>,
    /// Up to the end of the run, and up to the time of the question.
    whole: OnceCell<Stories>,
    asked: OnceCell<Stories>,
    ends: OnceCell<Ends>,
    /// By pod, as it is at the time of the question.
    states: OnceCell<Vec<PodState>>,
}

/// The records with which pods ended, and with which the taint eviction controller knew a node's
/// NoExecute taints, or that it was free of them; and with which nodes came and went; by object.
struct Ends {
    pods: Vec<(PodId, RecordId)>,
    taints: Vec<(NodeId, RecordId)>,
    known: Vec<(NodeId, RecordId)>,
    nodes: Vec<(NodeId, RecordId)>,
}

impl<'a> Inquiry<'a> {
    /// Of pods that were on these nodes; `told` are stories of nodes that are known already.
    pub(super) fn new(
        question: Question<'a>,
        nodes: impl IntoIterator<Item = NodeId>,
        told: &'a Stories,
    ) -> Self {
        let nodes: BTreeSet<NodeId> = nodes.into_iter().collect();
        let nodes = nodes.into_iter().collect();
        let (origins, workloads, ends) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let (whole, asked, states) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let job_ends = OnceCell::new();
        Inquiry { question, nodes, told, origins, workloads, job_ends, whole, asked, ends, states }
    }

    /// Where pods come from.
    pub(super) fn origins(&self) -> &Origins<'a> {
        self.origins.get_or_init(|| Origins::new(self.question.analysis))
    }

    /// The pod that took the place of the one whose eviction this record is.
    pub(super) fn replacement(&self, eviction: RecordId) -> Option<&Replacement> {
        self.workloads().replacements.get(&eviction)
    }

    fn workloads(&self) -> &Workloads {
        self.workloads.get_or_init(|| workloads(self.question.analysis))
    }

    /// The record that says that the Job has failed whose controller deleted a pod for that.
    pub(super) fn failed_job(&self, pod: PodId) -> Option<(RecordId, &'a Record)> {
        let (analysis, until) = (self.question.analysis, self.question.until);
        self.job_ends.get_or_init(|| JobEnds::new(analysis)).why_deleted(analysis, pod, until)
    }

    /// How many pods a workload asks for at the time of the question.
    pub(super) fn wanted(&self, workload: WorkloadId) -> u32 {
        let outcome = self.workloads().outcomes.iter().find(|o| o.id == workload);
        outcome.map_or(0, |o| value_at(&o.wanted, self.question.until))
    }

    /// A pod as it is at the time of the question.
    pub(super) fn state(&self, pod: PodId) -> PodState {
        let states = self.states.get_or_init(|| {
            let analysis = self.question.analysis;
            let mut follow = Follow::new(analysis);
            let records = (0..).zip(analysis.trace.iter());
            for (id, r) in records.take_while(|(_, r)| r.at <= self.question.until) {
                follow.apply(id, r);
            }
            (0..analysis.pod_count() as u32).map(|i| follow.pod(PodId(i))).collect()
        });
        states.get(pod.index()).copied().unwrap_or_default()
    }

    /// The story of a node up to the end of the run, or up to the time of the question.
    pub(super) fn story(&self, node: NodeId, until: Time) -> Option<&Story> {
        let (own, told) = match until == self.question.analysis.horizon() {
            true => (&self.whole, self.told.find(node, until)),
            false => (&self.asked, None),
        };
        let new = || Stories::new(Question { until, ..self.question }, &self.nodes);
        told.or_else(|| own.get_or_init(new).find(node, until))
    }

    fn ends(&self) -> &Ends {
        self.ends.get_or_init(|| {
            let (mut pods, mut taints) = (Vec::new(), Vec::new());
            let (mut known, mut nodes) = (Vec::new(), Vec::new());
            for (id, r) in (0..).zip(self.question.analysis.trace.iter()) {
                match r.what {
                    What::PodGone => pods.extend(r.pod().map(|p| (p, id))),
                    What::Noted(Note::TaintsGone, _) => taints.extend(r.node().map(|n| (n, id))),
                    What::Noted(Note::TaintsKnown, _) => known.extend(r.node().map(|n| (n, id))),
                    What::NodeCreated | What::NodeDeleted if r.at > Time::ZERO => {
                        nodes.extend(r.node().map(|n| (n, id)));
                    }
                    _ => {}
                }
            }
            pods.sort_unstable();
            taints.sort_unstable();
            known.sort_unstable();
            nodes.sort_unstable();
            Ends { pods, taints, known, nodes }
        })
    }

    /// The record with which a pod ended, from that record on.
    pub(super) fn gone(&self, pod: PodId, from: RecordId) -> Option<(RecordId, &'a Record)> {
        let ends = &self.ends().pods;
        let at = ends.partition_point(|end| *end < (pod, from));
        let (of, id) = *ends.get(at)?;
        let record = self.question.analysis.trace.get(id)?;
        (of == pod).then_some((id, record))
    }

    /// When the taint eviction controller knew a node to be free of NoExecute taints for the first
    /// time after that. It forgets those of a node that is deleted, and ends the countdowns when a
    /// node of that name is there again.
    pub(super) fn untainted(&self, node: NodeId, after: Time) -> Option<Time> {
        let (trace, ends) = (self.question.analysis.trace, &self.ends().taints);
        let at = |id: RecordId| trace.get(id).map_or(Time::ZERO, |r| r.at);
        let place = ends.partition_point(|(of, id)| (*of, at(*id)) <= (node, after));
        let known = ends.get(place).filter(|(of, _)| *of == node).map(|(_, id)| at(*id));
        let again = self.came_or_went(node, 0);
        let mut again = again.filter(|(_, r)| r.what == What::NodeCreated && r.at > after);
        let again = again.next().map(|(_, r)| r.at);
        known.into_iter().chain(again).min()
    }

    /// The records with which a node was deleted, or there again, from a record on.
    pub(super) fn came_or_went(
        &self,
        node: NodeId,
        from: RecordId,
    ) -> impl Iterator<Item = (RecordId, &'a Record)> {
        let (trace, nodes) = (self.question.analysis.trace, &self.ends().nodes);
        let first = nodes.partition_point(|n| *n < (node, from));
        let own = nodes[first..].iter().take_while(move |(of, _)| *of == node);
        own.filter_map(|(_, id)| Some((*id, trace.get(*id)?)))
    }

    /// The NoExecute taints that the taint eviction controller came to know of a node after a moment,
    /// up to that time.
    pub(super) fn tainted_later(
        &self,
        node: NodeId,
        from: &Moment<'_>,
        until: Option<Time>,
    ) -> Vec<&'a Taint> {
        let (trace, known) = (self.question.analysis.trace, &self.ends().known);
        let first = known.partition_point(|known| *known <= (node, from.record));
        let later = known[first..].iter().take_while(|(of, _)| *of == node);
        let records = later.filter_map(|(_, id)| trace.get(*id));
        let records = records.take_while(|r| until.is_none_or(|until| r.at <= until));
        let taints = records.filter_map(|r| match r.what {
            What::Noted(Note::TaintsKnown, change) => trace.taints.get(change as usize),
            _ => None,
        });
        taints.flat_map(|known| &known.added).collect()
    }

    /// The first of the pod's tolerations for a taint.
    pub(super) fn toleration<'m>(&self, m: &Moment<'m>, taint: &Taint) -> Option<&'m Toleration> {
        let operators = self.question.analysis.plan.profile.taint_eviction.comparison_operators;
        m.tolerations.iter().find(|t| t.tolerates(taint, operators))
    }

    /// The record of a moment as a step.
    pub(super) fn step(&self, m: &Moment<'_>, rule: Option<String>) -> Step {
        self.question.step((m.record, m.r), rule)
    }

    /// The toleration that decides how long a pod stays: of those that match the taints the one
    /// with the least seconds.
    pub(super) fn deciding<'m>(&self, m: &Moment<'m>) -> Option<Option<&'m Toleration>> {
        let taints: Vec<Taint> = m.taints.iter().map(|t| (*t).clone()).collect();
        let operators = self.question.analysis.plan.profile.taint_eviction.comparison_operators;
        let used = matching_tolerations(&taints, m.tolerations, operators)?;
        let ends = used.into_iter().filter(|t| t.toleration_seconds.is_some());
        Some(ends.min_by_key(|t| t.toleration_seconds))
    }

    /// The steps up to the taint that led to a record, and the node's story.
    pub(super) fn taint_steps(
        &self,
        node: NodeId,
        record: RecordId,
    ) -> (Vec<Step>, Option<&Story>) {
        let (question, trace) = (self.question, self.question.analysis.trace);
        let story = self.story(node, question.analysis.horizon());
        let is_taint = |r: &Record| trace.taint_change(r).is_some_and(TaintChange::adds_no_execute);
        let steps = match chain(trace, record).find(|(_, r)| is_taint(r)) {
            None => Vec::new(),
            Some((id, r)) if r.actor == Actor::User => {
                let entry = chain(trace, id).find(|(_, c)| c.what == What::FaultBegan);
                let entry = entry.map(|found| question.step(found, None));
                let rule = Some("written by the timeline's user".to_owned());
                entry.into_iter().chain([question.step((id, r), rule)]).collect()
            }
            Some((id, _)) => story.map_or(Vec::new(), |s| s.until(id)),
        };
        (steps, story)
    }
}
