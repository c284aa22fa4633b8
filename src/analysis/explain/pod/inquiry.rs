//! A question about pods, with what its answers look up elsewhere in the run.
//!
//! Each of these takes a walk through the trace. They are made when they are asked for first, for all
//! pods of the question together, so that a page may explain thousands.

use super::super::node::{Stories, Story, at_start};
use super::super::prelude::*;
use super::super::rules::Origins;
use super::seen::{Moment, Seen};
use crate::analysis::job_ends::JobEnds;
use crate::analysis::workloads::{Workloads, workloads};
use crate::api::toleration::matching_tolerations;

/// The question, and what was looked up for it.
pub(super) struct Inquiry<'a> {
    pub(super) question: Question<'a>,
    /// The nodes whose stories may be asked for, each once, in order.
    nodes: Vec<NodeId>,
    /// Stories that somebody else had told.
    told: &'a Stories,
    known: Known<'a>,
}

/// What was looked up, once that was asked for.
#[derive(Default)]
struct Known<'a> {
    origins: OnceCell<Origins<'a>>,
    workloads: OnceCell<Workloads>,
    job_ends: OnceCell<JobEnds<'a>>,
    /// Up to the end of the run, and up to the time of the question.
    whole: OnceCell<Stories>,
    asked: OnceCell<Stories>,
    /// Those records, by their kinds and objects.
    ends: OnceCell<BTreeSet<(Kind, u32, RecordId)>>,
    /// The records about claims, by the name.
    claims: OnceCell<BTreeMap<&'a str, Vec<RecordId>>>,
    /// The records with which the scheduler preempted pods up to the time of the question, by the node that they were on.
    preempted: OnceCell<BTreeSet<(NodeId, RecordId)>>,
    /// As it is at the time of the question.
    now: OnceCell<Follow<'a>>,
}

/// What is looked up of objects by the records that tell it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    PodGone,
    /// Its kubelet begins to evict a pod.
    Pressed,
    /// The taint eviction controller knows that a node is free of NoExecute taints.
    Untainted,
    /// It knows those of a node.
    Tainted,
    NodeCameOrWent,
    Cordoned,
}

impl<'a> Inquiry<'a> {
    /// Of pods to which this happened in their lives; `told` are stories of nodes that are known already.
    pub(super) fn new(question: Question<'a>, pods: &[Vec<Seen<'_>>], told: &'a Stories) -> Self {
        let lives = pods.iter().flatten();
        let nodes: BTreeSet<NodeId> = lives.flat_map(|seen| &seen.nodes).copied().collect();
        let (nodes, known) = (nodes.into_iter().collect(), Known::default());
        Inquiry { question, nodes, told, known }
    }

    /// Where pods come from.
    pub(super) fn origins(&self) -> &Origins<'a> {
        self.known.origins.get_or_init(|| Origins::new(self.question))
    }

    /// What the run meant for workloads, which pods took the place of others among it.
    pub(super) fn workloads(&self) -> &Workloads {
        self.known.workloads.get_or_init(|| workloads(self.question.analysis))
    }

    /// How Jobs end, and what that means for their pods.
    pub(super) fn job_ends(&self) -> &JobEnds<'a> {
        self.known.job_ends.get_or_init(|| JobEnds::new(self.question.analysis))
    }

    /// How many pods a workload asks for at the time of the question.
    pub(super) fn wanted(&self, workload: WorkloadId) -> u32 {
        let outcome = self.workloads().outcomes.iter().find(|o| o.id == workload);
        outcome.map_or(0, |o| value_at(&o.wanted, self.question.until))
    }

    /// What stands at the time of the question.
    pub(super) fn now(&self) -> &Follow<'a> {
        self.known.now.get_or_init(|| {
            let mut follow = Follow::new(self.question.analysis);
            while follow.step_until(self.question.until).is_some() {}
            follow
        })
    }

    /// The story of a node up to the end of the run, or up to the time of the question.
    pub(super) fn story(&self, node: NodeId, until: Time) -> Option<&Story> {
        let (own, told) = match until == self.question.analysis.horizon() {
            true => (&self.known.whole, self.told.find(node, until)),
            false => (&self.known.asked, None),
        };
        let new = || Stories::new(Question { until, ..self.question }, &self.nodes);
        told.or_else(|| own.get_or_init(new).find(node, until))
    }

    /// The records of a kind that are about an object, from a record on.
    fn records(&self, kind: Kind, object: u32, from: RecordId) -> impl Iterator<Item = Told<'a>> {
        let trace = self.question.analysis.trace;
        let all = self.known.ends.get_or_init(|| {
            let kind = |(id, r): Told<'_>| {
                let kind = match r.what {
                    _ if trace.evicts_under_pressure(r) => Kind::Pressed,
                    What::PodGone => Kind::PodGone,
                    What::Noted(Note::TaintsGone, _) => Kind::Untainted,
                    What::Noted(Note::TaintsKnown, _) => Kind::Tainted,
                    What::NodeUnschedulable(true) => Kind::Cordoned,
                    What::NodeCreated | What::NodeDeleted if r.at > Time::ZERO => {
                        Kind::NodeCameOrWent
                    }
                    _ => return None,
                };
                Some((kind, r.object, id))
            };
            (0..).zip(trace.iter()).filter_map(kind).collect()
        });
        let own = all.range((kind, object, from)..=(kind, object, RecordId::MAX));
        own.filter_map(|(.., id)| Some((*id, trace.get(*id)?)))
    }

    /// The record with which a pod ended, from that record on.
    pub(super) fn gone(&self, pod: PodId, from: RecordId) -> Option<Told<'a>> {
        self.records(Kind::PodGone, pod.0, from).next()
    }

    /// The record with which its kubelet begins to evict a pod after a time, if the pod is still there then.
    pub(super) fn goes(&self, pod: PodId, after: Time) -> Option<Told<'a>> {
        let later = |kind| self.records(kind, pod.0, 0).find(|(_, r)| r.at > after);
        let goes = later(Kind::Pressed)?;
        later(Kind::PodGone).is_none_or(|gone| gone.0 > goes.0).then_some(goes)
    }

    /// When the taint eviction controller knew a node to be free of NoExecute taints for the first
    /// time after that. It forgets those of a node that is deleted, and ends the countdowns when a
    /// node of that name is there again.
    pub(super) fn untainted(&self, node: NodeId, after: Time) -> Option<Time> {
        let known = self.records(Kind::Untainted, node.0, 0);
        let again = self.comings(node, 0).filter(|(_, r)| r.what == What::NodeCreated);
        known.chain(again).map(|(_, r)| r.at).filter(|at| *at > after).min()
    }

    /// The records with which a node was deleted, or there again, from a record on.
    pub(super) fn comings(&self, node: NodeId, from: RecordId) -> impl Iterator<Item = Told<'a>> {
        self.records(Kind::NodeCameOrWent, node.0, from)
    }

    /// The records with which the scheduler preempted pods of a node, from a record on.
    pub(super) fn preempted(&self, node: NodeId, from: RecordId) -> impl Iterator<Item = Told<'a>> {
        let all = self.known.preempted.get_or_init(|| {
            let (mut follow, mut all) = (Follow::new(self.question.analysis), BTreeSet::new());
            while let Some((id, r, step)) = follow.step_until(self.question.until) {
                let node = step.preemption(r).and_then(|(_, before)| before.node_id());
                all.extend(node.map(|node| (node, id)));
            }
            all
        });
        let own = all.range((node, from)..=(node, RecordId::MAX));
        own.filter_map(|(_, id)| Some((*id, self.question.analysis.trace.get(*id)?)))
    }

    /// What was noted of the volume of a claim, and the events about it, up to a time.
    pub(super) fn of_claim(&self, name: &str, until: Time) -> impl Iterator<Item = Told<'a>> {
        let trace = self.question.analysis.trace;
        let all = self.known.claims.get_or_init(|| {
            let mut all: BTreeMap<&str, Vec<RecordId>> = BTreeMap::new();
            for (id, r) in (0..).zip(trace.iter()) {
                let name = match r.what {
                    What::Noted(
                        Note::Provisioning
                        | Note::Provisioned
                        | Note::ProvisionedImmediately
                        | Note::ProvisioningFailed,
                        name,
                    ) => name,
                    What::ClaimMessage(_) => r.object,
                    _ => continue,
                };
                all.entry(trace.names.text_of(TextId(name))).or_default().push(id);
            }
            all
        });
        let own = all.get(name).into_iter().flatten();
        own.filter_map(|id| Some((*id, trace.get(*id)?))).take_while(move |(_, r)| r.at <= until)
    }

    /// When a node was cordoned first from a time on.
    pub(super) fn cordoned(&self, node: NodeId, from: Time) -> Option<Time> {
        let all = self.records(Kind::Cordoned, node.0, 0);
        all.map(|(_, r)| r.at).find(|at| *at >= from)
    }

    /// The NoExecute taints that the taint eviction controller came to know of a node after a moment,
    /// up to that time.
    pub(super) fn tainted_later(
        &self,
        node: NodeId,
        from: &Moment<'_>,
        until: Option<Time>,
    ) -> Vec<&'a Taint> {
        let trace = self.question.analysis.trace;
        let later = self.records(Kind::Tainted, node.0, from.record + 1).map(|(_, r)| r);
        let later = later.take_while(|r| until.is_none_or(|until| r.at <= until));
        let taints = later.filter_map(|r| match r.what {
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

    /// The tolerations that match the taints; nothing if one of these is not tolerated.
    pub(super) fn used<'m>(&self, m: &Moment<'m>) -> Option<Vec<&'m Toleration>> {
        let taints: Vec<Taint> = m.taints.iter().map(|t| (*t).clone()).collect();
        let operators = self.question.analysis.plan.profile.taint_eviction.comparison_operators;
        matching_tolerations(&taints, m.tolerations, operators)
    }

    /// The one of them that decides how long a pod stays: that with the least seconds.
    pub(super) fn deciding<'m>(&self, m: &Moment<'m>) -> Option<Option<&'m Toleration>> {
        let ends = self.used(m)?.into_iter().filter(|t| t.toleration_seconds.is_some());
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
        let led = match within_life(trace, record).find(|(_, r)| is_taint(r)) {
            // A taint led to the pod's creation, and it came to a node that has its own.
            None if chain(trace, record).any(|(_, r)| is_taint(r)) => {
                let before = |id: &RecordId| *id < record;
                let own = story.into_iter().flat_map(Story::steps).filter_map(|s| s.record);
                let own = own.filter(before).filter_map(|id| Some((id, trace.get(id)?)));
                own.filter(|(_, r)| is_taint(r)).max_by_key(|(id, _)| *id)
            }
            led => led,
        };
        let steps = match led {
            // It was there from the start, or else a new process found it.
            None => {
                let tainted = Some(at_start(question, node)).filter(|before| before.no_execute);
                tainted.and_then(|before| before.step(question, node)).into_iter().collect()
            }
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
