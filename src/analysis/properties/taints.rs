//! `taint-stale`: a taint that a controller wrote outlives its reason.
//!
//! Its reason is the node's condition, `spec.unschedulable`, and for NoExecute also that the node
//! lifecycle controller is not in master disruption, which means to remove them all. Left out:
//! taints that a user wrote under these names.
//!
//! `taint-lost`: a taint that a user wrote vanishes, or changes its value, by another writer's
//! patch.
//!
//! Taints of conditions and of `spec.unschedulable` are the controllers' own, whoever wrote them.

use super::prelude::*;
use super::walk::short;
use crate::api::taint::{
    DISK_PRESSURE, MEMORY_PRESSURE, NETWORK_UNAVAILABLE, NOT_READY, NOT_READY_ALPHA, OUT_OF_DISK,
    PID_PRESSURE, UNREACHABLE, UNREACHABLE_ALPHA, UNSCHEDULABLE,
};

/// The conditions that have a taint when they are True.
const PRESSURES: [(&str, NodeConditionType); 5] = [
    (MEMORY_PRESSURE, NodeConditionType::MemoryPressure),
    (DISK_PRESSURE, NodeConditionType::DiskPressure),
    (PID_PRESSURE, NodeConditionType::PidPressure),
    (NETWORK_UNAVAILABLE, NodeConditionType::NetworkUnavailable),
    (OUT_OF_DISK, NodeConditionType::OutOfDisk),
];

/// Whether taints of a key belong to the controllers.
fn is_of_controllers(key: &str) -> bool {
    [NOT_READY, UNREACHABLE, NOT_READY_ALPHA, UNREACHABLE_ALPHA, UNSCHEDULABLE].contains(&key)
        || PRESSURES.iter().any(|(k, _)| *k == key)
}

/// What of a node's conditions is not in its state.
#[derive(Clone, Copy, Default)]
struct Reasons {
    /// A bit for each of [`PRESSURES`].
    pressures: u8,
    unschedulable: bool,
}

struct Search<'a> {
    walk: Walk<'a>,
    bound: Bound<'a>,
    reasons: Vec<Reasons>,
    /// By node, key and effect: since when a taint has had no reason.
    without: BTreeMap<(NodeId, &'a str, bool), (Time, RecordId)>,
    master_disruption: bool,
    found: &'a mut Found,
}

pub(super) fn taint_stale<'a>(analysis: &'a Analysis<'a>, found: &'a mut Found, within: Dur) {
    let walk = Walk::new(analysis);
    let bound = Bound::new(analysis, within);
    let reasons = vec![Reasons::default(); analysis.node_count()];
    let mut search =
        Search { walk, bound, reasons, without: BTreeMap::new(), master_disruption: false, found };
    for (i, n) in analysis.plan.nodes.iter().enumerate() {
        let node = analysis.node_id(i as u32);
        let reasons = &mut search.reasons[node.index()];
        reasons.unschedulable = n.unschedulable;
        if let NodeStart::Imported { conditions, .. } = &n.start {
            conditions.iter().for_each(|c| reasons.take(c.kind, c.status));
        }
        search.look(node, Time::ZERO, NO_RECORD);
    }
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        search.record(id, r);
    }
    for (key, since) in std::mem::take(&mut search.without) {
        search.end(key, since, analysis.horizon(), true);
    }
}

impl Reasons {
    fn take(&mut self, kind: NodeConditionType, status: ConditionStatus) {
        if let Some(i) = PRESSURES.iter().position(|(_, k)| *k == kind) {
            self.pressures =
                self.pressures & !(1 << i) | u8::from(status == ConditionStatus::True) << i;
        }
    }
}

impl<'a> Search<'a> {
    fn record(&mut self, id: RecordId, r: &Record) {
        self.walk.apply(id, r);
        if let Some(node) = r.node() {
            match r.what {
                What::NodeCondition(kind, status, _) => {
                    self.reasons[node.index()].take(kind, status)
                }
                What::NodeUnschedulable(value) => self.reasons[node.index()].unschedulable = value,
                What::NodeTaints(_) | What::NodeDeleted | What::NodeCreated => {}
                _ => return,
            }
            return self.look(node, r.at, id);
        }
        let entered = match r.what {
            What::MasterDisruptionEntered => true,
            What::MasterDisruptionLeft | What::ControllersStopped => false,
            _ => return,
        };
        if self.master_disruption != entered {
            self.master_disruption = entered;
            for node in 0..self.reasons.len() as u32 {
                self.look(NodeId(node), r.at, id);
            }
        }
    }

    /// Looks through a node's taints after something about it has changed.
    fn look(&mut self, node: NodeId, at: Time, record: RecordId) {
        let held = self.walk.follow.taints(node).iter();
        let now = held.filter(|h| is_written_by_controllers(h) && !self.has_reason(node, h));
        let now: Vec<(NodeId, &'a str, bool)> =
            now.map(|h| (node, h.taint.key.as_str(), h.is_no_execute())).collect();
        let known = self.without.range((node, "", false)..).take_while(|((n, ..), _)| *n == node);
        let known = known.map(|(key, since)| (*key, *since));
        let over: Vec<_> = known.filter(|(key, _)| !now.contains(key)).collect();
        for (key, since) in over {
            self.end(key, since, at, false);
            self.without.remove(&key);
        }
        for key in now {
            self.without.entry(key).or_insert((at, record));
        }
    }

    fn has_reason(&self, node: NodeId, held: &Held<'_>) -> bool {
        let (flags, reasons) = (self.walk.follow.node(node), self.reasons[node.index()]);
        if held.is_no_execute() && self.master_disruption {
            return false;
        }
        match held.taint.key.as_str() {
            NOT_READY | NOT_READY_ALPHA => {
                matches!(flags.ready, None | Some(ConditionStatus::False))
            }
            UNREACHABLE | UNREACHABLE_ALPHA => flags.ready == Some(ConditionStatus::Unknown),
            UNSCHEDULABLE => reasons.unschedulable,
            key => PRESSURES
                .iter()
                .position(|(k, _)| *k == key)
                .is_none_or(|i| reasons.pressures & 1 << i != 0),
        }
    }

    /// A taint was without reason from a time to another; `still`: and is so at the end of the run.
    fn end(
        &mut self,
        (node, key, no_execute): (NodeId, &str, bool),
        (since, record): (Time, RecordId),
        until: Time,
        still: bool,
    ) {
        let Some(at) = self.bound.due(since) else { return };
        if at > until || at == until && !still {
            self.found.is_open |= still;
            return;
        }
        let name = self.walk.analysis.node_name(node);
        let effect = if no_execute { Effect::NoExecute } else { Effect::NoSchedule };
        let mut held = self.walk.follow.taints(node).iter();
        let held = held.find(|h| h.taint.key == key && h.taint.effect == effect);
        let text = format!(
            "{name} still has {}:{effect} at {at:#}, without a reason since {since:#}",
            short_key(key)
        );
        let written = held.map_or(NO_RECORD, |h| h.record);
        self.found.add(at, (None, Some(node)), text, &[written, record]);
        self.found.lasts((None, Some(node)), if still { Time::MAX } else { until });
    }
}

/// Whether a taint is one that the control plane wrote for a condition; one from the start may be.
fn is_written_by_controllers(h: &Held<'_>) -> bool {
    let by_user = h.by == Actor::User && h.since > Time::ZERO;
    let effect = match h.taint.effect {
        Effect::NoSchedule => is_of_controllers(&h.taint.key),
        Effect::NoExecute => h.is_for_failure(),
        Effect::PreferNoSchedule => false,
    };
    !by_user && effect
}

pub(super) fn taint_lost<'a>(analysis: &'a Analysis<'a>, found: &'a mut Found) {
    let mut walk = Walk::new(analysis);
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        if let (Some(change), Some(node)) = (analysis.trace.taint_change(r), r.node())
            && r.actor != Actor::User
        {
            for gone in change.removed.iter().filter(|t| !is_of_controllers(&t.key)) {
                let held = walk.follow.taints(node).iter().find(|h| h.taint.matches(gone));
                let Some(held) = held.filter(|h| h.by == Actor::User) else { continue };
                let (name, actor, taint) =
                    (walk.analysis.node_name(node), r.actor.as_str(), short(held));
                let text = format!(
                    "{name} lost {taint}, which a user had written, by a patch of {actor} at {:#}",
                    r.at
                );
                found.add(r.at, (None, Some(node)), text, &[held.record, r.saw, id]);
            }
        }
        walk.apply(id, r);
    }
}
