//! The records of a run, in chunks.

use super::{
    Actor, BudgetState, DrainEnd, EventText, Message, Note, Record, RecordId, Rejection, Verdicts,
    What,
};
use crate::api::names::{Names, NodeId, TextId};
use crate::api::pod::PodTemplate;
use crate::api::taint::{Effect, Taint};
use crate::kernel::{Dur, Time};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many records a chunk of a trace holds: growing never copies, and a small run stays small.
const CHUNK: usize = 1 << 14;

/// How many of the states of budgets that were kept last are searched for an equal one: kubectl
/// asks again and again.
const ALIKE: usize = 64;

/// A change of a node's taints in one write, as texts sorted as recorded timelines have them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaintChange {
    /// `key=value:Effect` of the taints that were added.
    pub added: Vec<Taint>,
    /// The taints that were removed.
    pub removed: Vec<Taint>,
}

impl TaintChange {
    /// Whether a taint was added with the effect NoExecute.
    pub(crate) fn adds_no_execute(&self) -> bool {
        self.added.iter().any(|t| t.effect == Effect::NoExecute)
    }
}

/// The records of a run in order, with what they refer to.
#[derive(Debug, Default)]
pub struct Trace {
    chunks: Vec<Vec<Record>>,
    /// The names that records refer to.
    pub names: Names,
    /// The changes of taints that records refer to.
    pub taints: Vec<TaintChange>,
    /// The events with an argument that records refer to.
    pub messages: Vec<Message>,
    /// How disruption budgets stood when an eviction was asked for, or what they asked for when
    /// they changed.
    pub(crate) budgets: Vec<BudgetState>,
    /// How drains of nodes ended.
    pub drains: Vec<DrainEnd>,
    /// What filters said in attempts to place pods.
    pub(crate) verdicts: Verdicts,
    /// The requests of each actor's client that reached the API server: by actor, the second, and
    /// how many up to its end.
    pub requests: BTreeMap<Actor, Vec<(u64, u64)>>,
    /// What pods were created with, and what they have after a change of their tolerations: by the
    /// record that says so, in order.
    pub templates: Vec<(RecordId, Rc<PodTemplate>)>,
    /// When a search held up watches or requests, and for how long: lag of its own making.
    pub held_up: Vec<(Time, Dur)>,
    /// The end of the run.
    pub horizon: Time,
}

/// Puts something behind what is kept of its kind, for a record to refer to; its place.
pub(crate) fn keep<T>(all: &mut Vec<T>, one: T) -> u32 {
    all.push(one);
    all.len() as u32 - 1
}

impl Trace {
    /// No records yet, of a run with these names.
    pub fn of(names: Names) -> Self {
        Trace { names, ..Trace::default() }
    }

    /// Nothing yet, in the same tables.
    pub(crate) fn emptied(mut self) -> Self {
        fn cleared<T>(mut all: Vec<T>) -> Vec<T> {
            all.clear();
            all
        }
        self.chunks.truncate(1);
        Self {
            chunks: self.chunks.into_iter().map(cleared).collect(),
            names: self.names.emptied(),
            taints: cleared(self.taints),
            messages: cleared(self.messages),
            templates: cleared(self.templates),
            budgets: cleared(self.budgets),
            drains: cleared(self.drains),
            held_up: cleared(self.held_up),
            ..Self::default()
        }
    }

    /// Appends a record and gives it its id.
    pub fn push(&mut self, record: Record) -> RecordId {
        match self.chunks.last_mut() {
            Some(c) if c.len() < CHUNK => c.push(record),
            Some(_) => {
                let mut c = Vec::with_capacity(CHUNK);
                c.push(record);
                self.chunks.push(c);
            }
            None => self.chunks.push(vec![record]),
        }
        self.len() as RecordId - 1
    }

    /// Keeps how a budget stands, for a record to refer to; a state that was kept shortly
    /// before is not kept again.
    pub(crate) fn keep_budget(&mut self, state: BudgetState) -> u32 {
        let from = self.budgets.len().saturating_sub(ALIKE);
        let same = self.budgets[from..].iter().rposition(|b| *b == state);
        let index = same.map_or(self.budgets.len(), |i| from + i);
        if same.is_none() {
            self.budgets.push(state);
        }
        index as u32
    }

    /// Counts a request that reaches the API server.
    pub(crate) fn count_request(&mut self, actor: Actor, at: Time) {
        let seconds = self.requests.entry(actor).or_default();
        match seconds.last_mut() {
            Some(last) if last.0 == at.as_secs() => last.1 += 1,
            last => {
                let so_far = last.map_or(0, |l| l.1);
                seconds.push((at.as_secs(), so_far + 1));
            }
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |c| (self.chunks.len() - 1) * CHUNK + c.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A record.
    pub fn get(&self, id: RecordId) -> Option<&Record> {
        self.chunks.get(id as usize / CHUNK)?.get(id as usize % CHUNK)
    }

    /// The change of a node's taints that a record tells of.
    pub(crate) fn taint_change(&self, r: &Record) -> Option<&TaintChange> {
        let What::NodeTaints(change) = r.what else { return None };
        self.taints.get(change as usize)
    }

    /// The budget that a record tells of, as it stands then.
    pub(crate) fn budget(&self, r: &Record) -> Option<&BudgetState> {
        match r.what {
            What::EvictionGranted(state)
            | What::EvictionRefused(state)
            | What::BudgetCreated(state)
            | What::BudgetChanged(state) => self.budgets.get(state as usize),
            _ => None,
        }
    }

    /// How a drain ended, where a record says so.
    pub(crate) fn drain_end(&self, r: &Record) -> Option<&DrainEnd> {
        let What::DrainEnded(end) = r.what else { return None };
        self.drains.get(end as usize)
    }

    fn pod_message(&self, r: &Record) -> Option<&Message> {
        let What::PodMessage(message) = r.what else { return None };
        self.messages.get(message as usize)
    }

    /// Why a workload's controller could not create a pod, where a record is its event of that.
    pub(crate) fn failed_create(&self, r: &Record) -> Option<TextId> {
        let What::WorkloadMessage(message) = r.what else { return None };
        let body = self.messages.get(message as usize)?.body;
        (body.text == EventText::FailedCreate).then_some(TextId(body.arg))
    }

    /// Whether a Job that ends with a record has finished by then: with its event its status has the condition Complete
    /// or Failed.
    pub(crate) fn job_finished(&self, ended: &Record, until: Time) -> bool {
        use EventText::{BackoffLimitExceeded, JobCompleted, PodFailurePolicy};
        let says = |r: &Record| {
            let What::WorkloadMessage(message) = r.what else { return false };
            let text = self.messages.get(message as usize).map(|m| m.body.text);
            matches!(text, Some(JobCompleted | BackoffLimitExceeded | PodFailurePolicy))
        };
        let later = self.iter().skip_while(|r| r.at < ended.at).take_while(|r| r.at <= until);
        later.filter(|r| r.workload() == ended.workload()).any(says)
    }

    /// Why the scheduler could not place a pod, where a record is its event of that; and how often
    /// it has said so.
    pub(crate) fn failed_scheduling(&self, r: &Record) -> Option<(TextId, u32)> {
        let message = self.pod_message(r)?;
        (message.body.text == EventText::FailedScheduling)
            .then_some((TextId(message.body.arg), message.count))
    }

    /// What a record tells of a volume of a pod: that it is attached to the pod's node, or why it cannot be.
    pub(crate) fn attached(&self, r: &Record) -> Option<Result<(), TextId>> {
        let body = self.pod_message(r)?.body;
        match body.text {
            EventText::SuccessfulAttachVolume => Some(Ok(())),
            EventText::FailedAttachVolume => Some(Err(TextId(body.arg))),
            _ => None,
        }
    }

    /// Whether a record tells that a try to attach a volume failed. Other events of that reason are of volumes that other nodes have
    /// (`reportMultiAttachError`).
    pub(crate) fn failed_attach(&self, r: &Record) -> bool {
        let why = self.attached(r).and_then(Result::err);
        why.is_some_and(|why| self.names.text_of(why).starts_with("AttachVolume.Attach"))
    }

    /// The kind of text of an event about a pod that has an argument.
    pub(crate) fn said_of_pod(&self, r: &Record) -> Option<EventText> {
        Some(self.pod_message(r)?.body.text)
    }

    /// Whether a kubelet evicts a pod by a record, as its node is short of something.
    pub(crate) fn evicts_under_pressure(&self, r: &Record) -> bool {
        matches!(r.what, What::Noted(Note::EvictedUnheard, _))
            || self.said_of_pod(r) == Some(EventText::Evicted)
    }

    /// Whether a kubelet says by a record that it does not admit a pod.
    pub(crate) fn turns_away(&self, r: &Record) -> bool {
        use EventText as T;
        let said = match r.what {
            What::PodEvent(text, ..) => Some(text),
            _ => self.said_of_pod(r),
        };
        matches!(said, Some(T::RefusedUnderPressure | T::NodeAffinity | T::NodeAffinityFailed))
            || matches!(said, Some(T::TaintToleration | T::TaintTolerationFailed))
            || matches!(said, Some(T::NodeShutdown | T::Shutdown))
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = &Record> + Clone {
        self.chunks.iter().flatten()
    }

    /// What filters said in the attempt that a record of [`What::PodUnplaced`] is about: each node
    /// that was looked at with why it was rejected, by number of node; or, without a node, why the
    /// pod was. Nothing for other records.
    pub fn verdicts(&self, record: &Record) -> impl Iterator<Item = (Option<NodeId>, &Rejection)> {
        self.verdict_runs(record).flat_map(|(first, count, rejection)| {
            let nodes =
                first.into_iter().flat_map(move |n| (n.0..n.0 + count).map(|id| Some(NodeId(id))));
            nodes.chain(first.is_none().then_some(None)).map(move |node| (node, rejection))
        })
    }

    /// As [`Trace::verdicts`], for runs of nodes: the first, and how many.
    pub(super) fn verdict_runs(
        &self,
        record: &Record,
    ) -> impl Iterator<Item = (Option<NodeId>, u32, &Rejection)> {
        self.verdicts.runs(match record.what {
            What::PodUnplaced(number) => Some(number),
            _ => None,
        })
    }
}
