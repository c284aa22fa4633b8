//! The state of nodes and pods as a trace tells it, record by record.
//!
//! [`Follow`] is a fold over records; it knows what they say and nothing of how they came about. It
//! is lenient: a record that repeats what already holds changes nothing, so that it does not matter
//! whether a run also records what existed from the start.

use super::evictions::is_failure_key;
use super::setting::{Analysis, is_no_execute};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::node::NodeConditionType;
use crate::api::pod::{PodConditionType, PodPhase};
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::Toleration;
use crate::kernel::Time;
use crate::plan::PodStart;
use crate::trace::{Actor, EvictionCause, NO_RECORD, Record, RecordId, TaintChange, What};

/// Stands for "no node" in [`PodState::node`].
pub const NO_NODE: u32 = u32::MAX;

/// What is known of a node's health.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Health {
    /// There is no such node.
    Absent,
    /// Its Ready condition is True and its kubelet reaches the API server.
    Ready,
    /// Its kubelet does not reach the API server; its Ready condition does not show it yet.
    Silent,
    /// Its Ready condition is Unknown, or was never posted.
    Unknown,
    /// Its Ready condition is False.
    NotReady,
}

impl Health {
    /// All of them, in the order in which charts stack them.
    pub const ALL: [Self; 5] = [
        Self::Ready,
        Self::Silent,
        Self::Unknown,
        Self::NotReady,
        Self::Absent,
    ];

    /// Its place in [`Health::ALL`].
    pub fn index(self) -> usize {
        match self {
            Self::Ready => 0,
            Self::Silent => 1,
            Self::Unknown => 2,
            Self::NotReady => 3,
            Self::Absent => 4,
        }
    }
}

/// The part of a node's state that is small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeFlags {
    /// The object exists.
    pub exists: bool,
    /// Its kubelet cannot reach the API server.
    pub silent: bool,
    /// Its machine is off, or boots.
    pub off: bool,
    /// The status of its Ready condition, if it was ever posted.
    pub ready: Option<ConditionStatus>,
    /// How many NoSchedule taints it has.
    pub no_schedule: u16,
    /// How many NoExecute taints it has.
    pub no_execute: u16,
}

impl NodeFlags {
    /// The node's health.
    pub fn health(self) -> Health {
        match self.ready {
            _ if !self.exists => Health::Absent,
            Some(ConditionStatus::True) if self.silent => Health::Silent,
            Some(ConditionStatus::True) => Health::Ready,
            Some(ConditionStatus::False) => Health::NotReady,
            Some(ConditionStatus::Unknown) | None => Health::Unknown,
        }
    }

    /// Its kubelet is heard and its Ready condition is True.
    pub fn is_back(self) -> bool {
        self.exists && !self.silent && self.ready == Some(ConditionStatus::True)
    }
}

/// A taint that a node has.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// The taint.
    pub taint: &'a Taint,
    /// Since when the node has a taint of this key and effect without a break.
    pub since: Time,
    /// The same, where not-ready and unreachable count as one: Kubernetes swaps them.
    pub failing_since: Time,
    /// The record that wrote it last, or [`NO_RECORD`] of one from the start.
    pub record: RecordId,
    /// Who wrote it last.
    pub by: Actor,
}

impl Held<'_> {
    /// Its effect is NoExecute.
    pub fn is_no_execute(&self) -> bool {
        is_no_execute(self.taint.effect)
    }

    /// Kubernetes itself writes such a NoExecute taint when a node fails.
    pub fn is_for_failure(&self) -> bool {
        self.is_no_execute() && is_failure_key(&self.taint.key)
    }
}

/// A node.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeState<'a> {
    /// What is small.
    pub(super) flags: NodeFlags,
    /// The taints it has.
    pub(super) taints: Vec<Held<'a>>,
    /// The taints its object is created with.
    pub(super) at_creation: &'a [Taint],
}

impl<'a> NodeState<'a> {
    fn count(&mut self) {
        self.flags.no_execute = self.taints.iter().filter(|t| t.is_no_execute()).count() as u16;
        self.flags.no_schedule = self
            .taints
            .iter()
            .filter(|t| t.taint.effect == Effect::NoSchedule)
            .count() as u16;
    }

    fn change(&mut self, id: RecordId, r: &Record, change: &'a TaintChange) {
        let failing = self
            .taints
            .iter()
            .filter(|h| h.is_for_failure())
            .map(|h| h.failing_since)
            .min();
        self.taints.retain(|h| {
            let of = |t: &Taint| t.matches(h.taint);
            !change.removed.iter().any(of) || change.added.iter().any(of)
        });
        for taint in &change.added {
            match self.taints.iter_mut().find(|h| h.taint.matches(taint)) {
                Some(held) => (held.taint, held.record, held.by) = (taint, id, r.actor),
                None => {
                    let mut held = Held {
                        taint,
                        since: r.at,
                        failing_since: r.at,
                        record: id,
                        by: r.actor,
                    };
                    if held.is_for_failure() {
                        held.failing_since = failing.unwrap_or(r.at);
                    }
                    self.taints.push(held);
                }
            }
        }
        self.count();
    }

    /// The object exists from now on, with the taints it is created with.
    pub(super) fn create(&mut self, at: Time, ready: Option<ConditionStatus>, silent: bool) {
        let held = |taint| Held {
            taint,
            since: at,
            failing_since: at,
            record: NO_RECORD,
            by: Actor::User,
        };
        self.taints = self.at_creation.iter().map(held).collect();
        self.flags = NodeFlags {
            exists: true,
            silent,
            ready,
            ..NodeFlags::default()
        };
        self.count();
    }
}

/// A pod: the life that its name has at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PodState {
    /// The object exists.
    pub exists: bool,
    /// `status.phase`
    pub phase: PodPhase,
    /// The condition Ready is True.
    pub ready: bool,
    /// deletionTimestamp is set.
    pub deleting: bool,
    /// The node it is bound to, or [`NO_NODE`].
    pub node: u32,
    /// Since when it is bound to it.
    pub bound_at: Time,
    /// Its eviction was granted, or a drain deletes it: the deletion follows.
    pub asked: Option<EvictionCause>,
    /// The record of its eviction timer, or [`NO_RECORD`]; see [`Follow::timer`].
    timer: RecordId,
}

impl Default for PodState {
    fn default() -> Self {
        PodState {
            exists: false,
            phase: PodPhase::Pending,
            ready: false,
            deleting: false,
            node: NO_NODE,
            bound_at: Time::ZERO,
            asked: None,
            timer: NO_RECORD,
        }
    }
}

impl PodState {
    /// The state at the start, if there is such a pod then.
    pub(super) fn at_start(start: PodStart, node: u32) -> Option<Self> {
        let new = PodState {
            exists: true,
            node,
            ..PodState::default()
        };
        match start {
            PodStart::Absent => None,
            PodStart::Pending => Some(new),
            PodStart::Running => Some(PodState {
                phase: PodPhase::Running,
                ready: true,
                ..new
            }),
            PodStart::Imported {
                phase,
                ready,
                deletion,
                ..
            } => Some(PodState {
                phase,
                ready: ready.is_some_and(|c| c.status == ConditionStatus::True),
                deleting: deletion.is_some(),
                ..new
            }),
        }
    }

    /// Running, Ready and not being deleted.
    pub fn is_available(&self) -> bool {
        self.exists && self.phase == PodPhase::Running && self.ready && !self.deleting
    }

    /// The node it is bound to.
    pub fn node_id(&self) -> Option<NodeId> {
        (self.node != NO_NODE).then_some(NodeId(self.node))
    }
}

/// What a record changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// The node it was about, before and after.
    pub node: Option<(NodeId, NodeFlags, NodeFlags)>,
    /// The pod it was about, before and after.
    pub pod: Option<(PodId, PodState, PodState)>,
}

impl Step {
    /// The pod whose deletion this record begins; without a grace period it is gone at once.
    pub fn deletion_begins(&self) -> Option<(PodId, PodState)> {
        let begins = |before: &PodState, after: &PodState| {
            before.exists && !before.deleting && (after.deleting || !after.exists)
        };
        self.pod
            .filter(|(_, before, after)| begins(before, after))
            .map(|(id, before, _)| (id, before))
    }

    /// The pod that this record evicts, as it was before. One that is finished is cleared away,
    /// which harms nobody.
    pub fn eviction(&self, r: &Record) -> Option<(PodId, PodState)> {
        self.deletion_begins().filter(|(_, before)| {
            EvictionCause::of(r, before.asked).is_some() && !before.phase.is_terminal()
        })
    }
}

/// Walks through a trace and keeps the state.
#[derive(Clone, Debug)]
pub struct Follow<'a> {
    analysis: &'a Analysis<'a>,
    nodes: Vec<NodeState<'a>>,
    pods: Vec<PodState>,
    tolerations: Vec<&'a [Toleration]>,
    /// How many of the trace's templates are taken in.
    templates: usize,
    /// Timers set before this record died with their process.
    timers_from: RecordId,
}

impl<'a> Follow<'a> {
    /// Stands at the start of the run, before its first record.
    pub fn new(analysis: &'a Analysis<'a>) -> Self {
        let (nodes, pods) = (analysis.nodes.clone(), analysis.pods.clone());
        Follow {
            analysis,
            tolerations: vec![&[]; pods.len()],
            nodes,
            pods,
            templates: 0,
            timers_from: 0,
        }
    }

    /// The state of a node.
    pub fn node(&self, id: NodeId) -> NodeFlags {
        self.nodes
            .get(id.index())
            .map_or_else(NodeFlags::default, |n| n.flags)
    }

    /// The taints of a node.
    pub fn taints(&self, id: NodeId) -> &[Held<'a>] {
        self.nodes.get(id.index()).map_or(&[], |n| &n.taints)
    }

    /// The tolerations of a pod, as far as records tell them.
    pub fn tolerations(&self, id: PodId) -> &'a [Toleration] {
        self.tolerations.get(id.index()).copied().unwrap_or(&[])
    }

    /// The state of all nodes, by id.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, NodeFlags)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, n)| (NodeId(i as u32), n.flags))
    }

    /// The state of a pod.
    pub fn pod(&self, id: PodId) -> PodState {
        self.pods.get(id.index()).copied().unwrap_or_default()
    }

    /// The state of all pods, by id.
    pub fn pods(&self) -> impl Iterator<Item = (PodId, &PodState)> {
        self.pods
            .iter()
            .enumerate()
            .map(|(i, p)| (PodId(i as u32), p))
    }

    /// The record that set a pod's eviction timer, if one runs.
    pub fn timer(&self, pod: &PodState) -> Option<RecordId> {
        (pod.timer != NO_RECORD && pod.timer >= self.timers_from && pod.exists && !pod.deleting)
            .then_some(pod.timer)
    }

    /// Takes one record in.
    pub fn apply(&mut self, id: RecordId, r: &Record) -> Step {
        if let Some(n) = r.node() {
            return match self.nodes.get_mut(n.index()) {
                None => Step::default(),
                Some(node) => {
                    let before = node.flags;
                    Self::apply_node(self.analysis, node, id, r);
                    Step {
                        node: Some((n, before, node.flags)),
                        pod: None,
                    }
                }
            };
        }
        if let Some(p) = r.pod() {
            return match self.pods.get_mut(p.index()) {
                None => Step::default(),
                Some(pod) => {
                    let before = *pod;
                    Self::apply_pod(pod, id, r);
                    let after = *pod;
                    if matches!(r.what, What::PodCreated(_) | What::PodTolerations) {
                        self.take_template(p, id);
                    }
                    Step {
                        node: None,
                        pod: Some((p, before, after)),
                    }
                }
            };
        }
        if r.what == What::ControllersStopped {
            self.timers_from = id;
        }
        Step::default()
    }

    fn take_template(&mut self, pod: PodId, id: RecordId) {
        let trace = self.analysis.trace;
        while let Some((of, template)) = trace
            .templates
            .get(self.templates)
            .filter(|(of, _)| *of <= id)
        {
            self.templates += 1;
            if *of == id {
                self.tolerations[pod.index()] = &template.tolerations;
            }
        }
    }

    fn apply_node(analysis: &'a Analysis<'a>, node: &mut NodeState<'a>, id: RecordId, r: &Record) {
        match r.what {
            // What the plan has from the start is known already.
            What::NodeCreated if node.flags.exists => {}
            // A kubelet registers its node as Ready; the condition's change is not recorded then.
            What::NodeCreated => node.create(r.at, Some(ConditionStatus::True), false),
            What::NodeDeleted => {
                node.flags = NodeFlags {
                    silent: node.flags.silent,
                    ..NodeFlags::default()
                };
                node.taints.clear();
            }
            What::NodeCondition(NodeConditionType::Ready, status, _) => {
                node.flags.ready = Some(status)
            }
            What::NodeTaints(change) => {
                if let Some(change) = analysis.trace.taints.get(change as usize) {
                    node.change(id, r, change);
                }
            }
            What::NodeSilent => node.flags.silent = true,
            What::NodeHeard => node.flags.silent = false,
            What::MachineOff => node.flags.off = true,
            What::MachineOn => node.flags.off = false,
            _ => {}
        }
    }

    fn apply_pod(pod: &mut PodState, id: RecordId, r: &Record) {
        match r.what {
            // What the plan has from the start is known already.
            What::PodCreated(_) if pod.exists && r.at == Time::ZERO => {}
            What::PodCreated(node) => {
                let node = What::created_on(node).map_or(NO_NODE, |n| n.0);
                *pod = PodState {
                    exists: true,
                    node,
                    bound_at: r.at,
                    ..PodState::default()
                };
            }
            What::PodBound(node) => {
                pod.node = node;
                pod.bound_at = r.at;
            }
            What::PodPhase(phase) => pod.phase = phase,
            What::PodCondition(PodConditionType::Ready, status, _) => {
                pod.ready = status == ConditionStatus::True
            }
            What::PodDeleting(_) => pod.deleting = pod.exists,
            What::PodGone => *pod = PodState::default(),
            What::EvictionGranted(_) => pod.asked = Some(EvictionCause::Api),
            What::DrainDeletes => pod.asked = Some(EvictionCause::DrainDelete),
            What::TimerSet(_) => pod.timer = id,
            What::TimerCancelled => pod.timer = NO_RECORD,
            _ => {}
        }
    }
}
