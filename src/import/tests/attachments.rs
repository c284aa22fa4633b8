//! What CSINodes and VolumeAttachments say: how many volumes a node takes, and which it keeps.

use super::good;
use super::volumes::{EBS, NODES, claim, in_zone, says, volume, web};
use crate::scenario::{Overrides, build, parse};
use std::path::Path;

/// CSINodes say how many volumes of a driver a node takes, and a claim says whose it is where any does.
#[test]
fn nodes_take_so_many_volumes() {
    let limit = "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: a1}\n\
                 spec: {drivers: [{name: ebs.csi.aws.com, nodeID: i-1, allocatable: {count: 25}}, {name: efs.csi.aws.com, nodeID: i-1}]}\n---\n";
    let text = [
        NODES.to_owned(),
        claim("data-web", "pv-1", "Bound"),
        volume("pv-1", "data-web", "ReadWriteOnce", EBS, &in_zone("a")),
        limit.to_owned(),
        web(&["data-web"]),
    ]
    .concat();
    let cluster = good(&text);
    assert!(!says(&cluster, "not "), "{:?}", cluster.summary.lines());
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(plan.templates[0].claims[0].driver.as_deref(), Some("ebs.csi.aws.com"));
    let limits = |n: &crate::plan::NodePlan| {
        let mut all = n.allocatable.iter().filter(|(r, _)| r.starts_with("attachable-volumes"));
        all.next().map(|(r, q)| (r.clone(), q.value()))
    };
    let wanted = Some(("attachable-volumes-csi-ebs.csi.aws.com".to_owned(), 25));
    assert_eq!(plan.nodes.iter().map(limits).collect::<Vec<_>>(), [wanted, None, None]);
}

/// A volume that is attached to a node which says that it uses it, and on which no pod has it any more, keeps
/// the pod waiting that has it now: `maxWaitForUnmountDuration` (6 min) from time zero on, then 5 s each to detach
/// and to attach, between looks of up to 1.2 s, and 2 s to start.
#[test]
fn a_volume_that_is_attached_elsewhere_is_waited_for() {
    let silent = NODES.replace(
        "kubernetes.io/hostname: a1}}",
        "kubernetes.io/hostname: a1}}\nstatus: {volumesInUse: [\"kubernetes.io/csi/ebs.csi.aws.com^vol-1\"], conditions: [{type: Ready, status: Unknown, \
         lastHeartbeatTime: \"2026-11-22T11:50:00Z\", lastTransitionTime: \"2026-11-22T11:51:00Z\"}]}",
    );
    let well = "\nstatus: {conditions: [{type: Ready, status: \"True\", lastHeartbeatTime: \"2026-11-22T12:00:00Z\", \
                lastTransitionTime: \"2026-11-22T11:00:00Z\"}]}";
    let silent = silent.replace(
        "kubernetes.io/hostname: host-a2}}",
        &format!("kubernetes.io/hostname: host-a2}}}}{well}"),
    );
    let attached = "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: csi-1}\n\
                    spec: {attacher: ebs.csi.aws.com, nodeName: a1, source: {persistentVolumeName: pv-1}}\n---\n";
    let disk = volume("pv-1", "data-web", "ReadWriteOnce", EBS, &in_zone("a"));
    let waits = web(&["data-web"]).replace("nodeName: a1", "nodeName: a2").replace(
        "phase: Running, conditions: [{type: Ready, status: \"True\"}]",
        "phase: Pending, conditions: [{type: PodScheduled, status: \"True\", lastTransitionTime: \"2026-11-22T11:58:00Z\"}]",
    );
    let text = [
        silent,
        claim("data-web", "pv-1", "Bound"),
        disk.replace("driver: ebs.csi.aws.com", "driver: ebs.csi.aws.com, volumeHandle: vol-1"),
        attached.to_owned(),
        waits,
    ]
    .concat();
    let cluster = good(&text);
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let held = plan.memory.as_ref().map(|m| m.attached.clone());
    assert_eq!(held, Some([(0, 0)].into()), "{}", cluster.to_scenario());
    assert!(plan.notes.iter().any(|n| n.contains("of shop/web-1-x to a1")), "{:?}", plan.notes);
    let plan = crate::plan::Plan { horizon: crate::kernel::Time::from_secs(600), ..plan };
    let trace = crate::sim::run(&plan, crate::kernel::Choices::seeded(1));
    let runs = trace
        .iter()
        .filter(|r| r.what == crate::trace::What::PodPhase(crate::api::pod::PodPhase::Running));
    let times: Vec<u64> = runs.map(|r| r.at.as_millis()).filter(|at| *at > 0).collect();
    assert!(matches!(times[..], [at] if (372_000..=379_000).contains(&at)), "{times:?}");
    // A node that does not say so has let go of it, and what is being detached is all but gone.
    let gone = good(&text.replace("volumesInUse", "volumesOnce"));
    assert!(gone.memory.attached.is_empty());
    let deleting = "{name: csi-1, deletionTimestamp: \"2026-11-22T11:59:58Z\"}";
    let gone = good(&text.replace("{name: csi-1}", deleting));
    assert!(gone.memory.attached.is_empty());
    // Of a node that is not in the files nothing is known but that it had the volume.
    let gone = good(&text.replace("nodeName: a1, source", "nodeName: a9, source"));
    assert!(says(
        &gone,
        "1 claim whose volume a VolumeAttachment has on a node that is not in the files"
    ));
}
