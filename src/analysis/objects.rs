//! What is known of a node, and of a pod, at one moment of a run, and which taints count as those
//! of a failing node.

use super::beneath::*;
use crate::api::taint::{NOT_READY_ALPHA, UNREACHABLE_ALPHA};

/// Stands for "no node" in [`PodState::node`].
pub(crate) const NO_NODE: u32 = u32::MAX;

/// What is known of a node's health.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) enum Health {
    /// There is no such node.
    #[default]
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
    pub(crate) const ALL: [Self; 5] =
        [Self::Ready, Self::Silent, Self::Unknown, Self::NotReady, Self::Absent];

    /// Its place in [`Health::ALL`].
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|health| *health == self).unwrap_or_default()
    }
}

/// The part of a node's state that is small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct NodeFlags {
    /// The object exists.
    pub(crate) exists: bool,
    /// Its kubelet cannot reach the API server.
    pub(crate) silent: bool,
    /// Its machine is off, or boots.
    pub(crate) off: bool,
    /// The status of its Ready condition, if it was ever posted.
    pub(crate) ready: Option<ConditionStatus>,
    /// How many NoSchedule taints it has.
    pub(crate) no_schedule: u16,
    /// How many NoExecute taints it has.
    pub(crate) no_execute: u16,
    /// How many volumes are attached to it, or are about to be.
    pub(crate) attached: u16,
    /// How many of its pods were refused a volume that is not there yet.
    pub(crate) unattached: u16,
}

impl NodeFlags {
    /// The node's health.
    pub(crate) fn health(self) -> Health {
        match self.ready {
            _ if !self.exists => Health::Absent,
            Some(ConditionStatus::True) if self.silent => Health::Silent,
            Some(ConditionStatus::True) => Health::Ready,
            Some(ConditionStatus::False) => Health::NotReady,
            Some(ConditionStatus::Unknown) | None => Health::Unknown,
        }
    }

    /// It holds volumes, and is not Ready: nobody else can have them.
    pub(crate) fn holds_volumes(self) -> bool {
        self.attached > 0 && !self.is_back()
    }

    /// Its kubelet is heard and its Ready condition is True.
    pub(crate) fn is_back(self) -> bool {
        self.exists && !self.silent && self.ready == Some(ConditionStatus::True)
    }
}

/// A taint that a node has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held<'a> {
    pub(crate) taint: &'a Taint,
    /// Since when the node has a taint of this key and effect without a break.
    pub(crate) since: Time,
    /// The same, where not-ready and unreachable count as one: Kubernetes swaps them.
    pub(crate) failing_since: Time,
    /// The record that wrote it last, or [`NO_RECORD`] of one from the start.
    pub(crate) record: RecordId,
    /// Who wrote it last.
    pub(crate) by: Actor,
}

impl Held<'_> {
    /// Its effect is NoExecute.
    pub(crate) fn is_no_execute(&self) -> bool {
        self.taint.effect == Effect::NoExecute
    }

    /// Kubernetes itself writes such a NoExecute taint when a node fails.
    pub(crate) fn is_for_failure(&self) -> bool {
        self.is_no_execute() && is_failure_key(&self.taint.key)
    }
}

/// A node, as records tell of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeState<'a> {
    /// What is small.
    pub(crate) flags: NodeFlags,
    pub(crate) taints: Vec<Held<'a>>,
    /// The taints its object is created with.
    pub(super) at_creation: &'a [Taint],
}

impl<'a> NodeState<'a> {
    fn count(&mut self) {
        self.flags.no_execute = self.taints.iter().filter(|t| t.is_no_execute()).count() as u16;
        self.flags.no_schedule =
            self.taints.iter().filter(|t| t.taint.effect == Effect::NoSchedule).count() as u16;
    }

    /// Takes in a record about it.
    pub(crate) fn take(&mut self, trace: &'a Trace, id: RecordId, r: &Record) {
        let flags = &mut self.flags;
        match r.what {
            // What the plan has from the start is known already.
            What::NodeCreated if flags.exists => {}
            // A kubelet registers its node as Ready; the condition's change is not recorded then.
            What::NodeCreated => self.create(r.at, Some(ConditionStatus::True), false),
            What::NodeDeleted => {
                let NodeFlags { silent, attached, unattached, .. } = *flags;
                *flags = NodeFlags { silent, attached, unattached, ..NodeFlags::default() };
                self.taints.clear();
            }
            What::NodeCondition(NodeConditionType::Ready, status, _) => flags.ready = Some(status),
            What::NodeTaints(_) => {
                if let Some(change) = trace.taint_change(r) {
                    self.change(id, r, change);
                }
            }
            What::NodeSilent => flags.silent = true,
            What::NodeHeard => flags.silent = false,
            What::MachineOff => flags.off = true,
            What::MachineOn => flags.off = false,
            What::Noted(Note::AttachmentCreated, _) => flags.attached += 1,
            What::Noted(Note::AttachmentGone, _) => {
                flags.attached = flags.attached.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn change(&mut self, id: RecordId, r: &Record, change: &'a TaintChange) {
        let failing =
            self.taints.iter().filter(|h| h.is_for_failure()).map(|h| h.failing_since).min();
        self.taints.retain(|h| {
            let of = |t: &Taint| t.matches(h.taint);
            !change.removed.iter().any(of) || change.added.iter().any(of)
        });
        for taint in &change.added {
            match self.taints.iter_mut().find(|h| h.taint.matches(taint)) {
                Some(held) => (held.taint, held.record, held.by) = (taint, id, r.actor),
                None => {
                    let mut held =
                        Held { taint, since: r.at, failing_since: r.at, record: id, by: r.actor };
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
        let (record, by) = (NO_RECORD, Actor::User);
        let held = |taint| Held { taint, since: at, failing_since: at, record, by };
        self.taints = self.at_creation.iter().map(held).collect();
        let NodeFlags { attached, unattached, .. } = self.flags;
        let fresh = NodeFlags { exists: true, silent, ready, ..NodeFlags::default() };
        self.flags = NodeFlags { attached, unattached, ..fresh };
        self.count();
    }
}

/// A pod: the life that its name has at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PodState {
    /// The object exists.
    pub(crate) exists: bool,
    /// `status.phase`
    pub(crate) phase: PodPhase,
    /// The condition Ready is True.
    pub(crate) ready: bool,
    /// deletionTimestamp is set.
    pub(crate) deleting: bool,
    /// The node it is bound to, or [`NO_NODE`].
    pub(crate) node: u32,
    /// Since when it is bound to it.
    pub(crate) bound_at: Time,
    /// It was said that a volume cannot be attached to its node, and not all of its volumes have been since.
    pub(super) refused_volume: bool,
    /// Its eviction was granted, or a drain deletes it: the deletion follows.
    pub(crate) asked: Option<EvictionCause>,
    /// The record of its eviction timer, or [`NO_RECORD`]; see
    /// [`Follow::timer`](super::state::Follow::timer).
    pub(super) timer: RecordId,
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
            refused_volume: false,
            asked: None,
            timer: NO_RECORD,
        }
    }
}

impl PodState {
    /// It is bound and has not started, as a volume cannot be attached to its node.
    pub(crate) fn is_unattached(&self) -> bool {
        self.refused_volume && self.phase == PodPhase::Pending && !self.deleting
    }

    /// The state at the start, if there is such a pod then.
    pub(super) fn at_start(start: PodStart, node: u32) -> Option<Self> {
        Some(PodState {
            exists: true,
            phase: start.phase()?,
            ready: start.is_ready(),
            deleting: start.is_deleting(),
            node,
            ..PodState::default()
        })
    }

    /// Takes in a record about it.
    pub(crate) fn take(&mut self, id: RecordId, r: &Record) {
        match r.what {
            // What the plan has from the start is known already.
            What::PodCreated(_) if self.exists && r.at == Time::ZERO => {}
            What::PodCreated(node) => {
                let node = What::created_on(node).map_or(NO_NODE, |n| n.0);
                *self = PodState { exists: true, node, bound_at: r.at, ..PodState::default() };
            }
            What::PodBound(node) => (self.node, self.bound_at) = (node, r.at),
            What::PodPhase(phase) => self.phase = phase,
            What::PodCondition(PodConditionType::Ready, status, _) => {
                self.ready = status == ConditionStatus::True;
            }
            What::PodConditionGone(PodConditionType::Ready) => self.ready = false,
            What::PodDeleting(_) => self.deleting = self.exists,
            What::PodGone => *self = PodState::default(),
            What::EvictionGranted(_) => self.asked = Some(EvictionCause::Api),
            What::DrainDeletes => self.asked = Some(EvictionCause::DrainDelete),
            What::TimerSet(_) => self.timer = id,
            What::TimerCancelled => self.timer = NO_RECORD,
            _ => {}
        }
    }

    /// Running, Ready and not being deleted.
    pub(crate) fn is_available(&self) -> bool {
        self.exists && self.phase == PodPhase::Running && self.ready && !self.deleting
    }

    /// It has neither ended nor is being deleted.
    pub(crate) fn is_active(&self) -> bool {
        self.exists && !self.deleting && !self.phase.is_terminal()
    }

    /// It waits to be bound or started.
    pub(crate) fn is_pending(&self) -> bool {
        self.exists && self.phase == PodPhase::Pending && !self.deleting
    }

    /// The node it is bound to.
    pub(crate) fn node_id(&self) -> Option<NodeId> {
        (self.node != NO_NODE).then_some(NodeId(self.node))
    }
}

/// Whether Kubernetes itself sets a taint of this key as NoExecute when a node fails.
pub(super) fn is_failure_key(key: &str) -> bool {
    [NOT_READY, UNREACHABLE, NOT_READY_ALPHA, UNREACHABLE_ALPHA].contains(&key)
}
