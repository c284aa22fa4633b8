//! What CSINodes and VolumeAttachments say: how many volumes a node takes, and which it keeps.

use super::volumes::{EBS, NODES, claim, db, in_zone, says, volume, web};
use super::{ImportedCluster, good, node};
use crate::language::NodeStart;
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

/// A node whose CSINode does not name a driver attaches none of its volumes (external-attacher, `getNodeID`), which the summary says;
/// a1 has it, and b1, without a CSINode where others have one, does not (external-attacher asks the same, `checkCSIDriverOnNode` says so). A driver that has nothing to attach is missed nowhere.
#[test]
fn nodes_without_a_driver_are_told() {
    let of = |name: &str, drivers: &str| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {{name: {name}}}\nspec: {{drivers: [{drivers}]}}\n---\n"
        )
    };
    let text = [
        NODES.to_owned(),
        claim("data-web", "pv-1", "Bound"),
        volume("pv-1", "data-web", "ReadWriteOnce", EBS, &in_zone("a")),
        of("a1", "{name: ebs.csi.aws.com}"),
        of("a2", ""),
        web(&["data-web"]),
    ]
    .concat();
    let plan = |cluster: &ImportedCluster| {
        let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
        build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
    };
    let having = |plan: &crate::plan::Plan, resource: &str| {
        let nodes = plan.nodes.iter().filter(|n| n.allocatable.contains_key(resource));
        nodes.map(|n| n.name.to_string()).collect::<Vec<_>>()
    };
    let lacks = "csinode-lacks-ebs.csi.aws.com";
    let cluster = good(&text);
    let said = "2 nodes without the driver ebs.csi.aws.com, so that no volume of its is attached there: a2, b1";
    assert!(says(&cluster, said), "{:?}", cluster.summary.lines());
    let built = plan(&cluster);
    assert_eq!(having(&built, lacks), ["a2", "b1"]);
    assert_eq!(built.templates[0].claims[0].driver.as_deref(), Some("ebs.csi.aws.com"));
    let prevents = "csidriver-prevents-ebs.csi.aws.com";
    assert!(having(&built, prevents).is_empty());
    let driver = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: ebs.csi.aws.com}\nspec: {preventPodSchedulingIfMissing: true}\n---\n";
    assert_eq!(having(&plan(&good(&format!("{driver}{text}"))), prevents), ["a2", "b1"]);
    let share = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: ebs.csi.aws.com}\nspec: {attachRequired: false}\n---\n";
    assert!(having(&plan(&good(&format!("{share}{text}"))), lacks).is_empty());
}

/// A VolumeAttachment of `pv-1` to a node.
fn attached(node: &str) -> String {
    format!(
        "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {{name: csi-1}}\n\
         spec: {{attacher: ebs.csi.aws.com, nodeName: {node}, source: {{persistentVolumeName: pv-1}}}}\n---\n"
    )
}

/// The nodes, of which a2 is Ready.
fn with_a2_well(nodes: &str) -> String {
    let well = "kubernetes.io/hostname: host-a2}}\nstatus: {conditions: [{type: Ready, status: \"True\", \
                lastHeartbeatTime: \"2026-11-22T12:00:00Z\", lastTransitionTime: \"2026-11-22T11:00:00Z\"}]}";
    nodes.replace("kubernetes.io/hostname: host-a2}}", well)
}

/// When a pod comes to run in a run of this cluster, in milliseconds, and the notes of its plan.
fn runs_at(cluster: &ImportedCluster) -> (Vec<u64>, Vec<String>) {
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let plan = crate::plan::Plan { horizon: crate::kernel::Time::from_secs(600), ..plan };
    let trace = crate::sim::run(&plan, crate::kernel::Choices::seeded(1));
    let runs = trace
        .iter()
        .filter(|r| r.what == crate::trace::What::PodPhase(crate::api::pod::PodPhase::Running));
    (runs.map(|r| r.at.as_millis()).filter(|at| *at > 0).collect(), plan.notes)
}

/// db-0 was made anew 50 s ago on a2, by when its former one on a9 was gone, and a9 is deleted, as others have leases: its volume is
/// detached 6 minutes after that second, and 12 s to 19 s later it runs, as below.
#[test]
fn a_volume_that_is_attached_to_a_deleted_node_is_waited_for() {
    let lease = |node: &str| {
        format!(
            "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {{name: {node}, namespace: kube-node-lease}}\n\
             spec: {{leaseDurationSeconds: 40, renewTime: \"2026-11-22T12:00:00.000000Z\"}}\n---\n"
        )
    };
    let waits = db(&["a2"], &[])
        .replace("{replicas: 3", "{replicas: 1")
        .replace("{name: db-0, ", "{name: db-0, creationTimestamp: \"2026-11-22T11:59:10Z\", ")
        .replace(
            "phase: Running, conditions: [{type: Ready, status: \"True\"}]",
            "phase: Pending, conditions: [{type: PodScheduled, status: \"True\", lastTransitionTime: \"2026-11-22T11:59:10Z\"}]",
        );
    let text = [
        with_a2_well(NODES),
        ["a1", "a2", "b1"].map(lease).concat(),
        claim("data-db-0", "pv-1", "Bound"),
        volume("pv-1", "data-db-0", "ReadWriteOnce", EBS, &in_zone("a")),
        attached("a9"),
        waits,
    ]
    .concat();
    let cluster = good(&text);
    assert_eq!(cluster.memory.attached["shop/db-0"], "a9");
    let since = &cluster.memory.detach_requested["shop/db-0"];
    assert_eq!((&*since.from, &*since.until), ("-50s", "-49s"));
    assert_eq!(node(&cluster, "a9").start, Some(NodeStart::Deleted));
    assert_eq!((cluster.summary.nodes, &*cluster.summary.deleted), (3, &["a9".to_owned()][..]));
    let (times, notes) = runs_at(&cluster);
    assert!(matches!(times[..], [at] if (322_000..=330_000).contains(&at)), "{times:?}");
    let said = "of shop/db-0 to a9, unwanted there for ";
    assert!(notes.iter().any(|n| n.contains(said)), "{notes:?}");
}

/// A volume that is attached to a node which says that it uses it, and on which no pod has it any more, keeps
/// the pod waiting that has it now: `maxWaitForUnmountDuration` (6 min) from when the former pod was gone, which was some time
/// since the ReplicaSet made this one two minutes ago, then 5 s each to detach and to attach, between looks of up to 1.2 s, and 2 s to
/// start.
#[test]
fn a_volume_that_is_attached_elsewhere_is_waited_for() {
    let silent = NODES.replace(
        "kubernetes.io/hostname: a1}}",
        "kubernetes.io/hostname: a1}}\nstatus: {volumesInUse: [\"kubernetes.io/csi/ebs.csi.aws.com^vol-1\"], conditions: [{type: Ready, status: Unknown, \
         lastHeartbeatTime: \"2026-11-22T11:50:00Z\", lastTransitionTime: \"2026-11-22T11:51:00Z\"}]}",
    );
    let disk = volume("pv-1", "data-web", "ReadWriteOnce", EBS, &in_zone("a"));
    let created = "{name: web-1-x, creationTimestamp: \"2026-11-22T11:58:00Z\", ";
    let waits = web(&["data-web"]).replace("{name: web-1-x, ", created);
    let waits = waits.replace("nodeName: a1", "nodeName: a2").replace(
        "phase: Running, conditions: [{type: Ready, status: \"True\"}]",
        "phase: Pending, conditions: [{type: PodScheduled, status: \"True\", lastTransitionTime: \"2026-11-22T11:58:00Z\"}]",
    );
    let text = [
        with_a2_well(&silent),
        claim("data-web", "pv-1", "Bound"),
        disk.replace("driver: ebs.csi.aws.com", "driver: ebs.csi.aws.com, volumeHandle: vol-1"),
        attached("a1"),
        waits,
    ]
    .concat();
    let cluster = good(&text);
    assert_eq!(cluster.memory.attached["shop/web-1-x"], "a1", "{}", cluster.to_scenario());
    let since = &cluster.memory.detach_requested["shop/web-1-x"];
    assert_eq!((&*since.from, &*since.until), ("-2m", "0s"));
    let (times, notes) = runs_at(&cluster);
    assert!(notes.iter().any(|n| n.contains("of shop/web-1-x to a1")), "{notes:?}");
    assert!(matches!(times[..], [at] if (252_000..=379_000).contains(&at)), "{times:?}");
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
