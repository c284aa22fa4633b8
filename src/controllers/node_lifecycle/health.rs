//! `tryUpdateNodeHealth`: whether a node was heard of in time, and what its status becomes if not.

use super::core::Core;
use super::node_health::{Health, Listed, SavedReady, Tried, saved, seconds};
use crate::api::node::NodeReason;
use crate::apiserver::lease_version;
use crate::controllers::prelude::*;

/// The lease circuit breaker of 1.37 (gate NodeControllerLeaseCircuitBreaker): a node past its grace
/// is acted on only if the live lease is the one the cache had; otherwise no node is, until the lease
/// cache has caught up (`tryUpdateNodeHealth`; `pkg/controller/util/consistency/consistency.go`).
#[derive(Default)]
struct Breaker {
    /// The resourceVersion that the lease cache has to reach before nodes are looked at again; zero is
    /// none.
    wanted: Cell<u64>,
}

impl Breaker {
    /// Whether the lease cache is known to lag (`EnsureReady`); once it has caught up that is
    /// forgotten.
    fn is_waiting(&self, informers: &InformerFactory) -> bool {
        if self.wanted.get() > informers.lease_version() {
            return true;
        }
        self.wanted.set(0);
        false
    }
}

/// The health records (`nodeHealthMap`); one survives its node.
pub(super) struct HealthMap {
    core: Rc<Core>,
    records: Shared<Vec<Option<Health>>>,
    breaker: Breaker,
}

impl HealthMap {
    /// Nothing was heard of any node.
    pub(super) fn new(core: &Rc<Core>) -> Rc<Self> {
        Rc::new(HealthMap {
            records: Shared::new(Vec::new()),
            breaker: Breaker::default(),
            core: core.clone(),
        })
    }

    /// The record of a node.
    pub(super) fn get(&self, node: NodeId) -> Option<Health> {
        self.records.with(|r| r.get(node.index()).copied().flatten())
    }

    /// A node counts as heard of at that time.
    pub(super) fn count_as_heard(&self, node: NodeId, at_ns: i64) {
        self.records.with(|r| {
            // Where the lease circuit breaker kept a node from getting a record, upstream crashes
            // here.
            if let Some(Some(health)) = r.get_mut(node.index()) {
                (health.probe_ns, health.transition_ns) = (at_ns, at_ns);
            }
        });
    }

    /// Changes all records.
    pub(super) fn change_each(&self, change: impl Fn(&mut Health)) {
        self.records.with(|r| r.iter_mut().flatten().for_each(change));
    }

    /// Whether no node is looked at, as the lease cache lags.
    pub(super) fn waits_for_leases(&self) -> bool {
        self.breaker.is_waiting(&self.core.informers)
    }

    /// The part of `tryUpdateNodeHealth` up to its requests: updates the health record and says
    /// what has to be written. The node was `listed` then from the cache, or else it was read from
    /// the API server.
    pub(super) fn try_update_node_health(&self, node: &Node, listed: Option<Listed>) -> Tried {
        let now = self.core.now_ns();
        let ready = node.ready();
        let (observed, grace) = match ready {
            None => (ConditionStatus::Unknown, self.core.flags().node_startup_grace_period),
            Some(c) => (c.status, self.core.flags().node_monitor_grace_period),
        };
        let health = self.health_by_now(node, listed);
        let expired = now > health.probe_ns.saturating_add(grace.as_nanos() as i64);
        self.save_health(node.id, health);
        let mut tried = Tried { observed, current: ready.map(|c| c.status), write: None, expired };
        if expired {
            // If Ready is Unknown already nothing is written, even if other conditions change in
            // memory.
            tried.current = Some(ConditionStatus::Unknown);
            if ready.is_none_or(|c| c.status != ConditionStatus::Unknown) {
                tried.write = Some(self.silenced(node));
            }
        }
        tried
    }

    /// The health record of a node after what the caches say of its heartbeats by now.
    fn health_by_now(&self, node: &Node, listed: Option<Listed>) -> Health {
        let now = self.core.now_ns();
        let created = seconds(node.creation_timestamp);
        let mut health = self.get(node.id);
        let ready = node.ready();
        if ready.is_none() {
            match &mut health {
                // The saved status is overwritten before it is compared, so losing Ready never
                // counts as a change.
                Some(h) => h.ready = None,
                None => {
                    health = Some(Health {
                        ready: None,
                        probe_ns: created,
                        transition_ns: created,
                        lease: None,
                    })
                }
            }
        }
        let saved_lease = health.and_then(|h| h.lease);
        let read = || node.ready().map(|c| c.last_heartbeat_time);
        let as_listed = |listed: Listed| {
            let heartbeat = self.core.informers.heartbeat(node, listed.at)?;
            Some(listed.heard.map_or(heartbeat, |post| post.max(heartbeat)))
        };
        let heartbeat = listed.map_or_else(read, as_listed).unwrap_or_default();
        let fresh = |transition_ns| Health {
            ready: ready.map(|c| saved(c, heartbeat)),
            probe_ns: now,
            transition_ns,
            lease: None,
        };
        let mut health = match (health, ready) {
            (None, _) => fresh(now),
            (Some(h), Some(c)) => match h.ready {
                None => fresh(now),
                Some(was) if was.heartbeat != heartbeat => {
                    let same = was.transition_ns == seconds(c.last_transition_time);
                    fresh(if same { h.transition_ns } else { now })
                }
                Some(_) => h,
            },
            (Some(h), None) => h,
        };
        if self.core.switches().leases
            && let Some(lease) = self.core.informers.lease(node.id)
            && saved_lease.is_none_or(|l| l.0 < lease.0)
        {
            health.lease = Some(lease);
            health.probe_ns = now;
        }
        health
    }

    /// The node with its conditions set to Unknown.
    fn silenced(&self, node: &Node) -> Node {
        let mut node = node.clone();
        let at = self.core.api().timestamp();
        let mut kinds = vec![
            NodeConditionType::Ready,
            NodeConditionType::MemoryPressure,
            NodeConditionType::DiskPressure,
        ];
        if self.core.switches().out_of_disk {
            kinds.insert(1, NodeConditionType::OutOfDisk);
        }
        if self.core.switches().pid_pressure_unknown {
            kinds.push(NodeConditionType::PidPressure);
        }
        for kind in kinds {
            match node.conditions.iter_mut().find(|c| c.kind == kind) {
                None => node.conditions.push(NodeCondition {
                    kind,
                    status: ConditionStatus::Unknown,
                    reason: NodeReason::NodeStatusNeverUpdated,
                    last_heartbeat_time: node.creation_timestamp,
                    last_transition_time: at,
                }),
                Some(c) if c.status != ConditionStatus::Unknown => {
                    c.status = ConditionStatus::Unknown;
                    c.reason = NodeReason::NodeStatusUnknown;
                    c.last_transition_time = at;
                }
                Some(_) => {}
            }
        }
        node
    }

    /// The health record after the status was written: the probe is kept, the lease is what the try
    /// saw.
    pub(super) fn silence_written(
        &self,
        node: &Node,
        written_at_ns: i64,
        lease: Option<(i64, u64)>,
    ) {
        let Some(old) = self.get(node.id) else { return };
        let ready = node.ready().map(|c| SavedReady {
            status: c.status,
            heartbeat: c.last_heartbeat_time,
            // What was written a moment ago has its nanoseconds in memory, unlike what was read.
            transition_ns: written_at_ns,
        });
        self.save_health(
            node.id,
            Health { ready, probe_ns: old.probe_ns, transition_ns: self.core.now_ns(), lease },
        );
    }

    /// Records for how long nothing was heard of a node, and how old its last known
    /// heartbeat is: its lease's renewal, or, before there are leases, the heartbeat of its Ready
    /// condition. Also how old the lease's newest renewal is, where the cache does not have it.
    pub(super) fn note_expired(&self, id: NodeId) {
        let Some(health) = self.get(id) else { return };
        let now = self.core.now_ns();
        let note = |note, then_ns: i64| {
            let ms =
                u32::try_from(now.saturating_sub(then_ns).max(0) / 1_000_000).unwrap_or(u32::MAX);
            self.core.api().record_node(Actor::NodeLifecycle, id, What::Noted(note, ms));
        };
        let status = health.ready.map(|r| seconds(r.heartbeat));
        if let Some(at) = health.lease.map(|l| l.0.saturating_mul(1_000)).or(status) {
            note(Note::LastHeartbeat, at);
        }
        if let (Some((_, seen)), Some(newest)) =
            (health.lease, self.core.informers.newest_renewal(id))
            && lease_version(newest) > seen
        {
            note(Note::RenewalUnseen, newest.as_nanos() as i64);
        }
        note(Note::NodeExpired, health.probe_ns);
    }

    /// Makes or replaces the record of a node.
    pub(super) fn save_health(&self, node: NodeId, health: Health) {
        self.records.with(|r| {
            *slot(r, node.index()) = Some(health);
        });
    }

    /// The lease as the cache has it (`observedLease`).
    pub(super) fn observed_lease(&self, node: &Rc<Node>) -> Option<(i64, u64)> {
        if self.core.switches().leases { self.core.informers.lease(node.id) } else { None }
    }

    /// Reads the live lease of a node that is past its grace. True if it is the one of the health
    /// record, or there is none; if it is another one, the breaker opens.
    pub(super) async fn live_lease_agrees(&self, node: &Rc<Node>) -> bool {
        let known = self.get(node.id).and_then(|h| h.lease).map(|(_, version)| version);
        let id = node.id;
        match self
            .core
            .client
            .get(self.core.client.node_object(id), move |api, _| api.get_lease(id))
            .await
        {
            Err(ApiError::NotFound) => true,
            Err(_) => false,
            Ok(live) if Some(live.resource_version) == known => true,
            Ok(live) => {
                self.breaker.wanted.set(self.breaker.wanted.get().max(live.resource_version));
                false
            }
        }
    }
}
