//! A pod that the scheduler is to place, with what filters and scores read of it, and what filters know
//! of pods on other nodes, for one attempt (`framework.CycleState`).

use super::framework::cluster_filters;
use super::plugins::dynamic_resources::PodDevices;
use super::plugins::volume_binding::PodVolumes;
use super::plugins::{inter_pod_affinity, pod_topology_spread};
use crate::controllers::scheduler::prelude::*;

/// A pod to be placed.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    /// The pod to be placed.
    pub pod: &'a Rc<Pod>,
    /// Its shape.
    pub shape: &'a Rc<Shape>,
    /// The selector of its owner, where it has one that selects.
    pub owners: Option<&'a Rc<Selector>>,
    /// Its volumes, if it has any.
    pub volumes: Option<&'a PodVolumes<'a>>,
    /// What it claims of devices, if it does.
    pub devices: Option<&'a PodDevices<'a>>,
}

/// What filters know of pods on other nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterState {
    spread: Option<pod_topology_spread::FilterState>,
    affinity: Option<inter_pod_affinity::FilterState>,
    /// The pod has volumes, or claims devices.
    has_claims: bool,
    /// How many others use claims of it that only one pod may use, where the filter asks.
    claim_users: Option<i64>,
}

impl ClusterState {
    /// Works it out for a pod (`RunPreFilterPlugins`).
    pub(super) fn of(of: Incoming<'_>, cache: &Cache, switches: &Switches) -> Self {
        Self {
            has_claims: of.volumes.is_some() || of.devices.is_some(),
            claim_users: of.volumes.and_then(|v| v.users(switches)),
            spread: pod_topology_spread::FilterState::of(of.shape, cache, switches),
            affinity: inter_pod_affinity::FilterState::of(of.shape, cache),
        }
    }

    /// No filter needs to know of volumes, of devices, or of pods on other nodes.
    pub(super) fn is_empty(&self) -> bool {
        self.spread.is_none() && self.affinity.is_none() && !self.has_claims
    }

    /// Counts another pod in on a node, or out (`AddPod`, `RemovePod`).
    pub(super) fn change(
        &mut self,
        of: Incoming<'_>,
        (pod, other): (&Pod, &Shape),
        node: (NodeId, &NodeInfo),
        (cache, switches): (&Cache, &Switches),
        by: i64,
    ) {
        let shape = of.shape;
        if let (Some(users), Some(volumes)) = (&mut self.claim_users, of.volumes) {
            *users += by * volumes.users_in(pod);
        }
        if let Some(spread) = &mut self.spread {
            spread.change(shape, other, node, cache, switches, by);
        }
        if let Some(affinity) = &mut self.affinity {
            affinity.change(shape, other, node.0, cache, by);
        }
    }

    /// The filters that look at volumes, at pods on other nodes, and at devices; `info` is the node as it is, or as it
    /// would be.
    pub(super) fn check(
        &self,
        of: Incoming<'_>,
        (node, info): (NodeId, &NodeInfo),
        cache: &Cache,
        switches: &Switches,
    ) -> Verdict {
        let shape = of.shape;
        let mut verdict = of.volumes.map_or(Ok(()), |v| v.filter(info, self.claim_users, switches));
        for plugin in cluster_filters(switches.filter_order) {
            if verdict.is_err() && !switches.fit_words.are_names() {
                return verdict;
            }
            let found = match (plugin, &self.spread, &self.affinity) {
                (Plugin::PodTopologySpread, Some(spread), _) => spread.filter(shape, node, cache),
                (Plugin::InterPodAffinity, _, Some(affinity)) => {
                    affinity.filter(shape, node, cache, switches)
                }
                _ => Ok(()),
            };
            verdict = both(verdict, found);
        }
        verdict?;
        of.devices.map_or(Ok(()), |devices| devices.filter(node))
    }
}
