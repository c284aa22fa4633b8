//! Volumes that are made once a node is chosen for a pod, which is bound afterwards
//! (`plugins/volumebinding/binder.go`).
//!
//! Left out: what the controller that binds claims writes meanwhile, each of which wakes pods that wait for the
//! claim, and that a provisioner gives a claim back (`ProvisioningFailed`).

use super::core::{Core, Unbound};
use crate::controllers::scheduler::prelude::*;

/// How often it looks whether they are there.
const POLL_PERIOD: Dur = Dur::from_secs(1);

/// Has the volumes made for a node, and waits for them; if that is of no use any more, why
/// (`BindPodVolumes`).
pub(super) async fn bind_pod_volumes(
    core: &Core,
    pod: &Pod,
    node: NodeId,
    unbound: Vec<Unbound>,
) -> Result<(), String> {
    if unbound.is_empty() {
        return Ok(());
    }
    let about = core.client.pod_object(pod.id);
    let ids: Vec<VolumeId> = unbound.iter().map(|(id, _)| *id).collect();
    let mut asked = Ok(());
    for (id, claim) in unbound {
        let select = move |api: &ApiServer, actor| api.select_node(actor, id, &claim, node);
        asked = core.client.call(about, select).await;
        if asked.is_err() {
            break;
        }
    }
    core.assumed_claims.with(|all| ids.iter().for_each(|id| _ = all.remove(id)));
    asked.map_err(|error| error.of("put persistentvolumeclaims"))?;
    loop {
        core.ctx.sleep(POLL_PERIOD).await;
        match check_bindings(core, pod, node, &ids) {
            Ok(false) => {}
            Ok(true) => return Ok(()),
            Err(why) => return Err(format!("binding volumes: {why}")),
        }
    }
}

/// Whether all volumes are there (`checkBindings`).
fn check_bindings(core: &Core, pod: &Pod, node: NodeId, ids: &[VolumeId]) -> Result<bool, String> {
    let api = core.api();
    if !core.informers.has_node(node) {
        let name = api.names(|n| n.node_name(node).to_owned());
        return Err(format!("failed to get node {name:?}: node {name:?} not found"));
    }
    if core.informers.pod(pod.id).is_none() {
        let name = api.names(|n| short_name(n.pod_name(pod.id)).to_owned());
        return Err(format!("pod does not exist any more: pod {name:?} not found"));
    }
    Ok(ids.iter().all(|id| api.volume(*id).is_some()))
}
