//! NodeVolumeLimits (`plugins/nodevolumelimits/csi.go`): a node takes only so many volumes of a driver.
//!
//! Left out: volumes of drivers in the tree, which moved to CSI, and CSINodes that come later than their nodes.

use crate::api::volume::attach_limit_key;
use crate::controllers::scheduler::prelude::*;

/// The volumes of one driver that a pod has.
pub(crate) struct OfDriver {
    driver: String,
    /// The resource of a node that says how many it takes.
    limit_key: String,
    volumes: Vec<VolumeId>,
}

/// The volumes of a pod by their drivers (`filterAttachableVolumes`).
pub(crate) fn by_driver(api: &ApiServer, pod: &Pod) -> Vec<OfDriver> {
    let mut all: Vec<OfDriver> = Vec::new();
    for (id, claim) in api.claims_of(pod).iter().zip(&pod.template.claims) {
        let Some(driver) = &claim.driver else { continue };
        match all.iter_mut().find(|of| of.driver == *driver) {
            Some(of) => of.volumes.push(*id),
            None => all.push(OfDriver {
                limit_key: attach_limit_key(driver),
                driver: driver.clone(),
                volumes: vec![*id],
            }),
        }
    }
    all
}

/// Rejects a node that takes no more volumes. `counts_attachments`: what is still attached to it counts, too,
/// though no pod there uses it; if the pod itself does, it counts twice.
pub(crate) fn filter(
    api: &ApiServer,
    wanted: &[OfDriver],
    info: &NodeInfo,
    counts_attachments: bool,
) -> Verdict {
    let Some(node) = &info.node else { return Ok(()) };
    for of in wanted {
        let Some(limit) = node.allocatable.get(&of.limit_key) else { continue };
        let is_of = |driver: &Option<String>| driver.as_ref() == Some(&of.driver);
        let mut used: BTreeSet<VolumeId> = BTreeSet::new();
        for placed in info.pods.iter().filter(|p| !p.pod.template.claims.is_empty()) {
            let ids = api.claims_of(&placed.pod);
            let claims = ids.iter().zip(&placed.pod.template.claims);
            used.extend(claims.filter(|(_, c)| is_of(&c.driver)).map(|(id, _)| *id));
        }
        let new = of.volumes.iter().filter(|id| !used.contains(id)).count();
        let attached = match counts_attachments {
            true => api.attachments_to(node.id),
            false => Vec::new(),
        };
        let others = attached.iter().filter(|v| is_of(&v.driver) && !used.contains(&v.id)).count();
        if new > 0 && (used.len() + others + new) as i128 > limit.value() {
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
