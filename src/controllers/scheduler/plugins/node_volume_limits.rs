//! NodeVolumeLimits (`plugins/nodevolumelimits/csi.go`): a node takes only so many volumes of a driver.
//!
//! Left out: volumes of drivers in the tree, which moved to CSI, and CSINodes that come later than their nodes.

use crate::api::volume::{attach_limit_key, preventing_driver_key};
use crate::controllers::scheduler::prelude::*;

/// The volumes of one driver that a pod has.
pub(crate) struct OfDriver {
    driver: String,
    /// The resource of a node that says how many it takes.
    limit_key: String,
    /// The one of a node that is none for its pods, as it lacks the driver.
    preventing_key: String,
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
                preventing_key: preventing_driver_key(driver),
                driver: driver.clone(),
                volumes: vec![*id],
            }),
        }
    }
    all
}

/// Rejects a node that takes no more volumes; what is still attached to it may count, too, though no pod there uses it, and if
/// the pod itself does, twice. And one that lacks a driver which is not to be missed (`checkCSIDriverOnNode`).
pub(crate) fn filter(
    api: &ApiServer,
    wanted: &[OfDriver],
    info: &NodeInfo,
    switches: &Switches,
) -> Verdict {
    let Some(node) = &info.node else { return Ok(()) };
    let lacks = |of: &&OfDriver| node.allocatable.contains_key(&of.preventing_key);
    if let Some(of) = wanted.iter().find(lacks).filter(|_| switches.misses_drivers) {
        let said = format!("{} CSI driver is not installed on the node", of.driver);
        let plugin = Plugin::NodeVolumeLimits;
        return Err(Rejection { plugin, unresolvable: false, reasons: vec![said.into()] });
    }
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
        let attached = match switches.attachments_count {
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
