//! The steps of entries that make nodes, watches or clocks fail.

use super::conditions::{condition_kind, status};
use super::limits::MENTIONS_MAX;
use super::primitive::{Of, Primitive, START};
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::api::workload::WorkloadKind;
use crate::kernel::Dur;
use crate::language::complaints::Complaints;
use crate::language::values;
use crate::language::{ConditionKind, Cut, DurationText, NodeSelector, Resource, Status};
use crate::plan::{Do, NodeIndex, Phase, WatchedResource};

impl Of<'_> {
    /// Nodes are cut off, and back at the end.
    pub(super) fn partition(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        cut: Cut,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        let mut steps = cutting(n.clone(), cut, START, Phase::Begin);
        steps.extend(
            self.lasts
                .into_iter()
                .flat_map(|d| healing(n.clone(), cut, d, Phase::End)),
        );
        Some(steps)
    }

    /// Nodes are dead, and boot at the end.
    pub(super) fn crash(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(Do::Crash(n.clone()), Do::Boot(n))
    }

    /// Nodes are down for no time at all.
    pub(super) fn reboot(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        Some(vec![
            (START, Phase::Begin, Do::Crash(n.clone())),
            (START, Phase::Step, Do::Boot(n)),
        ])
    }

    /// Nodes are cut off and back, time after time.
    pub(super) fn flap(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        cut: Cut,
        (down, up): (&DurationText, &DurationText),
        times: u32,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        // Both were read with the entry's length.
        let (down, up) = (
            values::positive(down.as_str()).ok()?,
            values::positive(up.as_str()).ok()?,
        );
        self.lasts?;
        if u64::from(times).saturating_mul(4 * n.len() as u64) > MENTIONS_MAX {
            complaints.say(
                self.at("times"),
                "so many nodes cannot flap so often: the timeline would be too long",
            );
            return None;
        }
        let mut steps = Vec::with_capacity(4 * times as usize);
        for k in 0..u64::from(times) {
            let begin = down.saturating_add(up).saturating_mul(k);
            let first = if k == 0 { Phase::Begin } else { Phase::Step };
            let last = if k + 1 == u64::from(times) {
                Phase::End
            } else {
                Phase::Step
            };
            steps.extend(cutting(n.clone(), cut, begin, first));
            steps.extend(healing(n.clone(), cut, begin.saturating_add(down), last));
        }
        Some(steps)
    }

    /// Kubelets report less often.
    pub(super) fn slow_heartbeats(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        period: &DurationText,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let period = complaints.take(self.at("period"), values::positive(period.as_str()));
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(
            Do::HeartbeatPeriod(n.clone(), Some(period?)),
            Do::HeartbeatPeriod(n, None),
        )
    }

    /// A condition of nodes has another status.
    pub(super) fn condition(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        kind: ConditionKind,
        wanted: Status,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        if kind == ConditionKind::OutOfDisk && !self.world.profile.node_lifecycle.out_of_disk {
            complaints.say(
                self.at("type"),
                format!(
                    "Kubernetes {} has no condition OutOfDisk; 1.13 was the last",
                    self.world.profile.release
                ),
            );
        }
        let (kind, n) = (condition_kind(kind), self.nodes(node, nodes, complaints)?);
        let healthy = if kind == NodeConditionType::Ready {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        };
        self.lasting(
            Do::Condition(n.clone(), kind, status(wanted)),
            Do::Condition(n, kind, healthy),
        )
    }

    /// Watches hear later of changes.
    pub(super) fn watch_lag(
        &self,
        resource: Resource,
        lag: &DurationText,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let lag = complaints.take(self.at("lag"), values::positive(lag.as_str()))?;
        self.lasting(
            Do::WatchLag(watched(resource), lag),
            Do::WatchLag(watched(resource), START),
        )
    }

    /// The clocks of nodes are wrong.
    pub(super) fn clock_skew(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        skew: &DurationText,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let skew = complaints.take(self.at("skew"), values::signed(skew.as_str()));
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(Do::ClockSkew(n.clone(), skew?), Do::ClockSkew(n, 0))
    }
}

/// Nodes are cut off.
fn cutting(nodes: Vec<NodeIndex>, cut: Cut, at: Dur, phase: Phase) -> Vec<Primitive> {
    let isolate = (cut == Cut::Network).then(|| (at, Phase::Step, Do::Isolate(nodes.clone())));
    std::iter::once((at, phase, Do::Cut(nodes)))
        .chain(isolate)
        .collect()
}

/// What [`cutting`] did ends.
pub(super) fn healing(nodes: Vec<NodeIndex>, cut: Cut, at: Dur, phase: Phase) -> Vec<Primitive> {
    let reconnect = (cut == Cut::Network).then(|| (at, Phase::Step, Do::Reconnect(nodes.clone())));
    std::iter::once((at, phase, Do::Heal(nodes)))
        .chain(reconnect)
        .collect()
}

/// The objects that a watch is of.
pub(super) fn watched(resource: Resource) -> WatchedResource {
    match resource {
        Resource::Nodes => WatchedResource::Nodes,
        Resource::Pods => WatchedResource::Pods,
        Resource::Leases => WatchedResource::Leases,
        Resource::Deployments => WatchedResource::Workloads(WorkloadKind::Deployment),
        Resource::ReplicaSets => WatchedResource::Workloads(WorkloadKind::ReplicaSet),
        Resource::StatefulSets => WatchedResource::Workloads(WorkloadKind::StatefulSet),
        Resource::DaemonSets => WatchedResource::Workloads(WorkloadKind::DaemonSet),
        Resource::Jobs => WatchedResource::Workloads(WorkloadKind::Job),
    }
}
