//! The facts of a run that a person follows: those records that mean something new, each with what
//! it is about.
//!
//! Left out: what exists from the start; conditions that turn Unknown beside Ready; pods' Ready
//! conditions, which follow their node's; events, which repeat what other records say, except why
//! a pod cannot be scheduled; waiting in a zone's queue, which the time of the taint shows; timers
//! of zero seconds, whose eviction follows at once.

use super::causes::Since;
use super::setting::{Analysis, short_key};
use super::state::{Follow, NO_NODE, Step};
use super::workloads::Owners;
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::api::node::NodeConditionType;
use crate::api::pod::PodPhase;
use crate::api::taint::Taint;
use crate::kernel::Time;
use crate::trace::{
    Actor, DrainOutcome, EventText, EvictionCause, Record, RecordId, What, ZoneState,
};
use std::collections::BTreeMap;

/// Stands for "no timer" in [`Fact::Evicted`].
pub(crate) const NO_TIMER: u32 = u32::MAX;

/// What can be said in a row of a timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fact {
    /// An entry of the plan's timeline began.
    EntryBegan(u32),
    /// An entry of the plan's timeline ended.
    EntryEnded(u32),
    /// kubectl refused what an action asked for: its text and the entry.
    Refused(TextId, u32),
    /// The controllers' process started.
    ControllersStarted,
    /// The controllers' process died.
    ControllersStopped,
    /// A zone, by its key, is in that state.
    Zone(TextId, ZoneState),
    /// Every zone is fully disrupted.
    MasterDisruptionEntered,
    /// Some node is ready again.
    MasterDisruptionLeft,
    /// A node joined.
    NodeJoined,
    /// A node was deleted.
    NodeDeleted,
    /// A node's kubelet cannot reach the API server.
    Silent,
    /// A node's kubelet reaches the API server again.
    Heard,
    /// A node's machine stopped.
    MachineOff,
    /// A node's machine has booted.
    MachineOn,
    /// A node's condition Ready turned Unknown.
    Unknown,
    /// A node's condition Ready turned False.
    NotReady,
    /// A node's condition Ready turned True.
    Ready,
    /// A condition other than Ready turned True.
    ConditionTrue(NodeConditionType),
    /// A condition other than Ready that was True turned False.
    ConditionFalse(NodeConditionType),
    /// A taint was added; index into [`Facts::taints`].
    Tainted(u32),
    /// A taint was removed; index into [`Facts::taints`].
    Untainted(u32),
    /// A node was cordoned.
    Cordoned,
    /// A node was uncordoned.
    Uncordoned,
    /// A pod of a workload was created.
    ReplicaCreated(WorkloadId),
    /// A pod of a workload was bound.
    ReplicaBound(WorkloadId),
    /// A pod of a workload runs.
    ReplicaRunning(WorkloadId),
    /// A pod of a workload cannot be scheduled, for that reason.
    ReplicaPending(WorkloadId, TextId),
    /// A pod without a workload cannot be scheduled, for that reason.
    PodPending(TextId),
    /// A pod was created.
    PodCreated,
    /// A pod was bound.
    PodBound,
    /// An eviction timer of this number of seconds was set.
    TimerSet(u32),
    /// An eviction timer was cancelled.
    TimerCancelled,
    /// A pod was evicted by a timer of this number of seconds, or [`NO_TIMER`].
    Evicted(u32),
    /// A pod was evicted without a timer: through the eviction API, or by a drain.
    EvictedBy(EvictionCause),
    /// A pod's eviction was refused, as that budget would be violated.
    EvictionRefused(WorkloadId),
    /// kubectl finished with a node that it drained, in that way.
    DrainEnded(DrainOutcome),
    /// A budget was created, asks for something else, or was deleted.
    Budget(WorkloadId, BudgetChange),
    /// An entry of the plan's timeline did not do all that it was to do: its text and the entry.
    CutShort(TextId, u32),
    /// Somebody else deleted a pod.
    PodDeleted(Actor),
    /// A pod could not be deleted in five tries.
    EvictionFailed,
    /// A pod's phase became Failed.
    PodFailed,
    /// A pod's phase became Succeeded.
    PodSucceeded,
    /// A pod object is gone.
    PodGone,
}

/// What became of a budget.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BudgetChange {
    /// It was created.
    Created,
    /// It asks for something else.
    Changed,
    /// It was deleted.
    Deleted,
}

/// One fact with what it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    pub at: Time,
    /// The record that says so.
    pub record: RecordId,
    pub fact: Fact,
    /// The node it is about, or that its pod is on; [`NO_NODE`] if none.
    pub node: u32,
    /// The pod it is about.
    pub pod: Option<PodId>,
    /// What its time is given relative to.
    pub since: Option<Since>,
}

/// Finds the facts of a run, one record at a time.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    analysis: &'a Analysis<'a>,
    follow: Follow<'a>,
    /// The taints that facts refer to, `unreachable:NoExecute`.
    pub taints: Vec<String>,
    keys: Vec<Taint>,
    /// The last state of each zone, by its key.
    zones: BTreeMap<u32, ZoneState>,
    owners: Owners,
    /// By pod: why it could last not be scheduled.
    why: BTreeMap<PodId, u32>,
    /// Per node and condition whether it is True; one bit per type.
    true_conditions: Vec<u8>,
}

impl<'a> Facts<'a> {
    /// Stands at the start of the run.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let true_conditions = vec![0; analysis.node_count()];
        let follow = Follow::new(analysis);
        let owners = Owners::new(analysis);
        let (taints, keys, zones, why) = (Vec::new(), Vec::new(), BTreeMap::new(), BTreeMap::new());
        Facts { analysis, follow, taints, keys, zones, owners, why, true_conditions }
    }

    /// Walks through the trace and hands each fact to `found`.
    pub(crate) fn walk(&mut self, mut found: impl FnMut(&Finding)) {
        let analysis = self.analysis;
        for (id, r) in analysis.trace.iter().enumerate() {
            let id = id as RecordId;
            let timer = self.timer_seconds(r);
            let step = self.follow.apply(id, r);
            let (node, pod) = match (&step.node, &step.pod) {
                (Some((n, ..)), _) => (n.0, None),
                // A pod that is gone has no node any more, and one that is new had none.
                (_, Some((p, before, after))) => {
                    (if after.node == NO_NODE { before.node } else { after.node }, Some(*p))
                }
                _ => (NO_NODE, None),
            };
            let mut emit = |fact| {
                let about = (node != NO_NODE).then_some(NodeId(node));
                // An entry is not given relative to itself.
                let since = if is_entry(fact) { None } else { analysis.since_of(id, about) };
                found(&Finding { at: r.at, record: id, fact, node, pod, since });
            };
            if let What::NodeTaints(change) = r.what {
                let Some(change) = analysis.trace.taints.get(change as usize) else {
                    continue;
                };
                for t in &change.removed {
                    emit(Fact::Untainted(taint_id(&mut self.keys, &mut self.taints, t)));
                }
                for t in &change.added {
                    emit(Fact::Tainted(taint_id(&mut self.keys, &mut self.taints, t)));
                }
            } else if let Some(fact) = self.fact(r, &step, timer) {
                emit(fact);
            }
        }
    }

    /// The seconds of the timer that a deletion fulfils.
    fn timer_seconds(&self, r: &Record) -> u32 {
        let (What::PodDeleting(_) | What::PodGone) = r.what else {
            return NO_TIMER;
        };
        let timer = self
            .follow
            .timer(&self.follow.pod(PodId(r.object)))
            .and_then(|t| self.analysis.trace.get(t));
        match timer.map(|t| t.what) {
            Some(What::TimerSet(s)) => s,
            _ => NO_TIMER,
        }
    }

    fn fact(&mut self, r: &Record, step: &Step, timer: u32) -> Option<Fact> {
        let later = r.at > Time::ZERO;
        let known = (r.object as usize) < self.analysis.plan.timeline.len();
        let entry = if known { r.object } else { u32::MAX };
        let budget = |change| Some(Fact::Budget(WorkloadId(r.object), change));
        let node_changed = step.node.filter(|(_, before, after)| before != after);
        let pod_changed = step.pod.filter(|(_, before, after)| before != after);
        let workload = || self.owners.of(self.analysis, PodId(r.object));
        match r.what {
            What::FaultBegan => known.then_some(Fact::EntryBegan(r.object)),
            What::FaultEnded => known.then_some(Fact::EntryEnded(r.object)),
            What::Refused(text) => Some(Fact::Refused(TextId(text), entry)),
            What::ControllersStarted => later.then_some(Fact::ControllersStarted),
            What::ControllersStopped => Some(Fact::ControllersStopped),
            // A controller that starts looks at its zones anew; what it finds again is nothing new.
            What::Zone(ZoneState::Initial | ZoneState::Empty) => None,
            What::Zone(state) => {
                let before = self.zones.insert(r.object, state);
                (state != before.unwrap_or(ZoneState::Normal))
                    .then_some(Fact::Zone(TextId(r.object), state))
            }
            What::MasterDisruptionEntered => Some(Fact::MasterDisruptionEntered),
            What::MasterDisruptionLeft => Some(Fact::MasterDisruptionLeft),
            What::NodeCreated => node_changed.map(|_| Fact::NodeJoined),
            What::NodeDeleted => node_changed.map(|_| Fact::NodeDeleted),
            // The stop of the machine is a fact of its own.
            What::NodeSilent => {
                node_changed.filter(|(_, _, after)| !after.off).map(|_| Fact::Silent)
            }
            What::NodeHeard => node_changed.map(|_| Fact::Heard),
            What::MachineOff => node_changed.map(|_| Fact::MachineOff),
            What::MachineOn => node_changed.map(|_| Fact::MachineOn),
            // The entry of the timeline says it already, and for which nodes.
            What::NetworkLost | What::NetworkBack => None,
            What::NodeCondition(NodeConditionType::Ready, status, _) => {
                node_changed.map(|_| match status {
                    ConditionStatus::True => Fact::Ready,
                    ConditionStatus::False => Fact::NotReady,
                    ConditionStatus::Unknown => Fact::Unknown,
                })
            }
            What::NodeCondition(kind, status, _) => self.condition(r, kind, status),
            What::NodeUnschedulable(true) => Some(Fact::Cordoned),
            What::NodeUnschedulable(false) => Some(Fact::Uncordoned),
            What::PodCreated(_) => pod_changed
                .filter(|_| later)
                .map(|_| workload().map_or(Fact::PodCreated, Fact::ReplicaCreated)),
            What::PodBound(_) => pod_changed
                .filter(|_| later)
                .map(|_| workload().map_or(Fact::PodBound, Fact::ReplicaBound)),
            What::PodPhase(PodPhase::Running) => {
                pod_changed.filter(|_| later).and_then(|_| workload()).map(Fact::ReplicaRunning)
            }
            What::PodPhase(PodPhase::Failed) => pod_changed.map(|_| Fact::PodFailed),
            What::PodPhase(PodPhase::Succeeded) => pod_changed.map(|_| Fact::PodSucceeded),
            What::PodDeleting(_) | What::PodGone if let Some((_, before)) = step.eviction(r) => {
                Some(match before.asked {
                    Some(cause) if r.actor == Actor::User => Fact::EvictedBy(cause),
                    _ => Fact::Evicted(timer),
                })
            }
            What::PodDeleting(_) => step.deletion_begins().map(|_| Fact::PodDeleted(r.actor)),
            What::PodGone => pod_changed.map(|_| Fact::PodGone),
            What::TimerSet(0) => None,
            What::TimerSet(seconds) => Some(Fact::TimerSet(seconds)),
            What::TimerCancelled => pod_changed.map(|_| Fact::TimerCancelled),
            What::EvictionFailed => Some(Fact::EvictionFailed),
            What::EvictionRefused(state) => {
                Some(Fact::EvictionRefused(self.analysis.trace.budgets.get(state as usize)?.budget))
            }
            What::DrainEnded(end) => {
                Some(Fact::DrainEnded(self.analysis.trace.drains.get(end as usize)?.outcome))
            }
            What::BudgetCreated(_) => budget(BudgetChange::Created),
            What::BudgetChanged(_) => budget(BudgetChange::Changed),
            What::BudgetDeleted => budget(BudgetChange::Deleted),
            What::CutShort(text) => Some(Fact::CutShort(TextId(text), entry)),
            What::PodMessage(message) => self.pending(PodId(r.object), message),
            What::NodeTaints(_)
            | What::EvictionGranted(_)
            | What::DrainDeletes
            | What::NodeQueued
            | What::ContainersStarted(_)
            | What::ContainersStopped(_)
            | What::PodUnplaced(_)
            | What::PodTolerations
            | What::Noted(..)
            | What::PodPhase(PodPhase::Pending)
            | What::PodCondition(..)
            | What::PodConditionGone(_)
            | What::NodeEvent(..)
            | What::PodEvent(..)
            | What::WorkloadMessage(_)
            | What::WorkloadCreated(_)
            | What::WorkloadScaled(_)
            | What::WorkloadDeleted => None,
        }
    }

    /// A condition other than Ready that became True, or False again.
    fn condition(
        &mut self,
        r: &Record,
        kind: NodeConditionType,
        status: ConditionStatus,
    ) -> Option<Fact> {
        let bits = self.true_conditions.get_mut(r.object as usize)?;
        let bit = 1 << kind as u8;
        let was = *bits & bit != 0;
        match status {
            ConditionStatus::True => *bits |= bit,
            ConditionStatus::False => *bits &= !bit,
            ConditionStatus::Unknown => {}
        }
        match status {
            ConditionStatus::True if !was => Some(Fact::ConditionTrue(kind)),
            ConditionStatus::False if was => Some(Fact::ConditionFalse(kind)),
            _ => None,
        }
    }

    /// The scheduler reports another reason for which a pod is pending.
    fn pending(&mut self, pod: PodId, message: u32) -> Option<Fact> {
        let message = self.analysis.trace.messages.get(message as usize)?;
        let body = message.body;
        // Each try reports it again, and a series goes on under the words with which it began.
        let news = message.count <= 1
            && body.text == EventText::FailedScheduling
            && self.why.insert(pod, body.arg) != Some(body.arg);
        let why = TextId(body.arg);
        let owner = || self.owners.of(self.analysis, pod);
        news.then(|| owner().map_or(Fact::PodPending(why), |w| Fact::ReplicaPending(w, why)))
    }
}

fn is_entry(fact: Fact) -> bool {
    matches!(
        fact,
        Fact::EntryBegan(_) | Fact::EntryEnded(_) | Fact::Refused(..) | Fact::CutShort(..)
    )
}

fn taint_id(keys: &mut Vec<Taint>, texts: &mut Vec<String>, taint: &Taint) -> u32 {
    // There are a handful of different taints in a run, so that a search through all of them is the
    // fastest.
    let same = |k: &Taint| k.effect == taint.effect && k.key == taint.key && k.value == taint.value;
    if let Some(i) = keys.iter().position(same) {
        return i as u32;
    }
    keys.push(taint.clone());
    let short = Taint { key: short_key(&taint.key).to_owned(), ..taint.clone() };
    texts.push(short.to_string());
    keys.len() as u32 - 1
}
