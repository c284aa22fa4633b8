//! NodeVolumeLimits (`plugins/nodevolumelimits/csi.go`): a node takes only so many volumes of a driver.
//!
//! Left out: volumes of drivers in the tree, which moved to CSI, and CSINodes that come later than their nodes.

use crate::api::pod::Pod;
use crate::api::volume::{VolumeId, attach_limit_key};
use crate::apiserver::ApiServer;
use crate::controllers::scheduler::events::ClusterEvent;
use crate::controllers::scheduler::framework::{Rejection, Verdict};
use crate::controllers::scheduler::node_info::NodeInfo;
use crate::trace::Plugin;
use std::collections::BTreeSet;

/// The volumes of a pod by their drivers (`filterAttachableVolumes`).
fn volumes_of<'p>(api: &ApiServer, pod: &'p Pod) -> impl Iterator<Item = (VolumeId, &'p str)> {
    let ids: Vec<VolumeId> = match pod.template.claims.is_empty() {
        true => Vec::new(),
        false => api.claims_of(pod).to_vec(),
    };
    let drivers = pod.template.claims.iter().map(|c| c.driver.as_deref());
    ids.into_iter().zip(drivers).filter_map(|(id, driver)| Some((id, driver?)))
}

/// Rejects a node that takes no more volumes. `counts_attachments`: what is still attached to it counts, too,
/// though no pod there uses it; if the pod itself does, it counts twice.
pub(crate) fn filter(
    api: &ApiServer,
    pod: &Pod,
    info: &NodeInfo,
    counts_attachments: bool,
) -> Verdict {
    let Some(node) = &info.node else { return Ok(()) };
    let drivers: BTreeSet<&str> = volumes_of(api, pod).map(|(_, driver)| driver).collect();
    for driver in drivers {
        let Some(limit) = node.allocatable.get(&attach_limit_key(driver)) else { continue };
        let of = |pod| volumes_of(api, pod).filter(|(_, d)| *d == driver).map(|(id, _)| id);
        let used: BTreeSet<VolumeId> = info.pods.iter().flat_map(|p| of(&p.pod)).collect();
        let new: BTreeSet<VolumeId> = of(pod).filter(|id| !used.contains(id)).collect();
        let attached = match counts_attachments {
            true => api.attachments_to(node.id),
            false => Vec::new(),
        };
        let others = attached
            .iter()
            .filter(|v| v.driver.as_deref() == Some(driver) && !used.contains(&v.id));
        let count = used.len() + others.count() + new.len();
        if !new.is_empty() && count as i128 > limit.value() {
            return Err(Rejection::resolvable(
                Plugin::NodeVolumeLimits,
                "node(s) exceed max volume count",
            ));
        }
    }
    Ok(())
}

/// Whether a change may help a pod that found no room for its volumes, `gone` being a pod that is gone.
pub(crate) fn hint(event: ClusterEvent, gone: Option<&Pod>) -> bool {
    event != ClusterEvent::PodDelete || gone.is_some_and(|p| !p.template.claims.is_empty())
}
