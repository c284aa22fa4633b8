//! Claims, their volumes, and what becomes of them in pods and templates.

use super::{ImportedCluster, good, pod};
use crate::api::volume::AccessMode;
use crate::language::{PodTemplate, Reach, VolumeClaim};
use crate::scenario::{Overrides, build, parse};
use std::path::Path;

/// Two nodes in zone a, and one in zone b, whose driver has said its zone, too.
pub(super) const NODES: &str = "\
apiVersion: v1
kind: Node
metadata: {name: a1, labels: {topology.kubernetes.io/zone: a, kubernetes.io/hostname: a1}}
---
apiVersion: v1
kind: Node
metadata: {name: a2, labels: {topology.kubernetes.io/zone: a, kubernetes.io/hostname: host-a2}}
---
apiVersion: v1
kind: Node
metadata: {name: b1, labels: {topology.kubernetes.io/zone: b, topology.ebs.csi.aws.com/zone: b}}
---
";

/// A PersistentVolume that is reached where these requirements hold; `bound` to a claim of `shop`.
pub(super) fn volume(
    name: &str,
    bound: &str,
    mode: &str,
    source: &str,
    requirements: &str,
) -> String {
    let affinity = match requirements {
        "" => String::new(),
        all => format!(
            ", nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{all}]}}]}}}}"
        ),
    };
    format!(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: {name}}}\n\
         spec: {{accessModes: [{mode}], claimRef: {{namespace: shop, name: {bound}}}, {source}{affinity}}}\n---\n"
    )
}

/// A PersistentVolumeClaim of `shop`.
pub(super) fn claim(name: &str, volume: &str, phase: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec: {{accessModes: [ReadWriteOnce], storageClassName: gp3, volumeName: {volume}}}\nstatus: {{phase: {phase}}}\n---\n"
    )
}

pub(super) fn in_zone(zone: &str) -> String {
    format!("{{key: topology.ebs.csi.aws.com/zone, operator: In, values: [{zone}]}}")
}

pub(super) const EBS: &str = "csi: {driver: ebs.csi.aws.com}";

/// Claims and volumes of a pod's spec.
fn mounts(claims: &[&str]) -> String {
    let all: Vec<String> = claims
        .iter()
        .map(|c| format!("{{name: v-{c}, persistentVolumeClaim: {{claimName: {c}}}}}"))
        .collect();
    format!("volumes: [{}]", all.join(", "))
}

/// The Deployment `shop/web` with a ReplicaSet and a running pod on `a1`, which mount these claims.
pub(super) fn web(claims: &[&str]) -> String {
    let mounts = mounts(claims);
    let spec = format!(
        "spec: {{replicas: 1, selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{{mounts}}}}}}}"
    );
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\n{spec}\n---\n\
         apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: web-1, namespace: shop, ownerReferences: [{{kind: Deployment, name: web, controller: true}}]}}\n{spec}\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {{name: web-1-x, namespace: shop, labels: {{app: web}}, ownerReferences: [{{kind: ReplicaSet, name: web-1, controller: true}}]}}\n\
         spec: {{nodeName: a1, {mounts}}}\nstatus: {{phase: Running, conditions: [{{type: Ready, status: \"True\"}}]}}\n---\n"
    )
}

/// The StatefulSet `shop/db` of three with the claim template `data`, and pods on these nodes; its
/// pods mount `more`, too.
pub(super) fn db(nodes: &[&str], more: &[&str]) -> String {
    let mut out = format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: db, namespace: shop}}\n\
         spec: {{replicas: 3, selector: {{matchLabels: {{app: db}}}}, volumeClaimTemplates: [{{metadata: {{name: data}}, spec: {{accessModes: [ReadWriteOnce]}}}}],\n\
         \x20 template: {{metadata: {{labels: {{app: db}}}}, spec: {{{}}}}}}}\n---\n",
        mounts(more)
    );
    for (i, node) in nodes.iter().enumerate() {
        let own = format!("data-db-{i}");
        let all: Vec<&str> = std::iter::once(own.as_str()).chain(more.iter().copied()).collect();
        let (on, status) = match *node {
            "" => (String::new(), "phase: Pending"),
            node => (
                format!("nodeName: {node}, "),
                "phase: Running, conditions: [{type: Ready, status: \"True\"}]",
            ),
        };
        out += &format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: db-{i}, namespace: shop, labels: {{app: db}}, ownerReferences: [{{kind: StatefulSet, name: db, controller: true}}]}}\n\
             spec: {{{on}{}}}\nstatus: {{{status}}}\n---\n",
            mounts(&all)
        );
    }
    out
}

pub(super) fn template(cluster: &ImportedCluster, at: usize) -> &PodTemplate {
    &cluster.workloads[at].group().template
}

/// What the pod and all templates of `web` say, which has to be the same.
fn of_web(cluster: &ImportedCluster) -> (Vec<VolumeClaim>, bool) {
    let pods = pod(cluster, "shop", "web-1-x");
    for at in [0, 1] {
        let template = template(cluster, at);
        assert_eq!(
            (&template.volumes, template.persistent_volumes),
            (&pods.volumes, pods.persistent_volumes)
        );
    }
    (pods.volumes.clone(), pods.persistent_volumes)
}

/// Whether a line of the summary begins so.
pub(super) fn says(cluster: &ImportedCluster, line: &str) -> bool {
    cluster.summary.lines().iter().any(|l| l.starts_with(line))
}

pub(super) fn assumed(claim: &str) -> VolumeClaim {
    VolumeClaim { claim: Some(claim.to_owned()), assumed: true, ..VolumeClaim::default() }
}

fn named(claim: &str, volume: &str) -> VolumeClaim {
    let name = |text: &str| Some(text.to_owned());
    VolumeClaim { claim: name(claim), volume: name(volume), ..VolumeClaim::default() }
}

/// The CSINode of a node that has the driver, without a limit.
fn csi_node(name: &str) -> String {
    format!(
        "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {{name: {name}}}\nspec: {{drivers: [{{name: ebs.csi.aws.com}}]}}\n---\n"
    )
}

#[test]
fn a_disk_of_a_zone() {
    let aside = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: gp3}\nprovisioner: ebs.csi.aws.com\n---\n\
                 apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: csi-1}\nspec: {attacher: ebs.csi.aws.com, nodeName: a1, source: {persistentVolumeName: pv-1}}\n---\n\
                 apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: ebs.csi.aws.com}\nspec: {attachRequired: true}\n---\n";
    let text = [
        NODES.to_owned(),
        claim("data-web", "pv-1", "Bound"),
        volume("pv-1", "data-web", "ReadWriteOnce", EBS, &in_zone("a")),
        aside.to_owned(),
        ["a1", "a2", "b1"].map(csi_node).concat(),
        web(&["data-web"]),
    ]
    .concat();
    let cluster = good(&text);
    let disk = VolumeClaim { zone: Some("a".to_owned()), ..named("data-web", "pv-1") };
    assert_eq!(of_web(&cluster), (vec![disk.clone()], false));
    assert!(!says(&cluster, "not "), "{:?}", cluster.summary.lines());
    // What is written is a scenario, in which the disk is attached.
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let first = &plan.templates[0].claims;
    assert_eq!((first.len(), &*first[0].name, first[0].per_pod), (1, "data-web", false));
    assert!(plan.templates.iter().all(|t| t.claims == *first), "the pod's as the workload's");
    assert!(plan.controllers.attach_detach);
    assert!(
        says(
            &cluster,
            "3 nodes, 1 pod, 1 Deployment, 1 PersistentVolume, 1 PersistentVolumeClaim,"
        ),
        "{:?}",
        cluster.summary.lines()
    );
    // Its driver may have nothing to attach, and is asked before what the volume is like.
    let without = good(&text.replace("attachRequired: true", "attachRequired: false"));
    let unattached = VolumeClaim { attach: Some(false), ..disk };
    assert_eq!(of_web(&without), (vec![unattached], false));
}

/// What nodes reach, by the keys and values of the volume's affinity; and by what it is made of.
#[test]
fn volumes_are_reached_from_where_their_affinity_says() {
    let of = |mode: &str, source: &str, requirements: &str| {
        let disk = volume("pv-1", "data-web", mode, source, requirements);
        let text = [NODES, &claim("data-web", "pv-1", "Bound"), &disk, &web(&["data-web"])];
        let (mut volumes, unknown) = of_web(&good(&text.concat()));
        assert!(!unknown, "{disk}");
        volumes.pop().unwrap()
    };
    let base = named("data-web", "pv-1");
    let text = |t: &str| Some(t.to_owned());
    let zone_a = VolumeClaim { zone: text("a"), ..base.clone() };
    let everywhere = VolumeClaim { reach: Some(Reach::Everywhere), ..base.clone() };
    let local = "local: {path: /mnt}";
    let host =
        |name: &str| format!("{{key: kubernetes.io/hostname, operator: In, values: [{name}]}}");
    let once = "ReadWriteOnce";
    for key in ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"] {
        let wanted = format!("{{key: {key}, operator: In, values: [a]}}");
        assert_eq!(of(once, EBS, &wanted), zone_a, "{key}");
    }
    // A node is known by its label, or without one by its name.
    let on = |node: &str| VolumeClaim { node: text(node), ..base.clone() };
    assert_eq!(of(once, local, &host("host-a2")), on("a2"));
    assert_eq!(of(once, local, &host("b1")), on("b1"));
    // Of two zones the nodes are in one; and two zones are all there are.
    assert_eq!(of(once, EBS, &in_zone("a, c")), zone_a);
    assert_eq!(of(once, EBS, &in_zone("a, b")), everywhere);
    assert_eq!(of(once, EBS, ""), everywhere);
    assert_eq!(of(once, "gcePersistentDisk: {pdName: x}", &in_zone("a")), zone_a);
    let unattached = |v: &VolumeClaim| VolumeClaim { attach: Some(false), ..v.clone() };
    assert_eq!(of(once, "nfs: {server: x}", ""), unattached(&everywhere));
    assert_eq!(of(once, "hostPath: {path: /x}", &in_zone("a")), unattached(&zone_a));
    let share = |access| VolumeClaim { access: Some(access), ..base.clone() };
    assert_eq!(of("ReadWriteMany", "nfs: {server: x}", ""), share(AccessMode::ReadWriteMany));
    assert_eq!(
        of("ReadWriteMany", "csi: {driver: efs.csi.aws.com}", ""),
        share(AccessMode::ReadWriteMany)
    );
    assert_eq!(
        of("ReadOnlyMany", "gcePersistentDisk: {pdName: x}", &in_zone("a")),
        VolumeClaim { zone: text("a"), attach: Some(true), ..share(AccessMode::ReadOnlyMany) }
    );
    assert_eq!(
        of("ReadWriteOncePod", EBS, &in_zone("a")),
        VolumeClaim { zone: text("a"), ..share(AccessMode::ReadWriteOncePod) }
    );
}

/// `IsMultiAttachAllowed` asks for any mode that several nodes may have.
#[test]
fn the_widest_of_several_access_modes_counts() {
    let note = "1 claim whose volume has ReadWriteOnce beside a wider access mode, which counts: pods of several nodes may have it at once: shop/data-web";
    for (modes, access, is_said) in [
        ("ReadWriteOnce, ReadWriteMany", Some(AccessMode::ReadWriteMany), true),
        ("ReadOnlyMany, ReadWriteOnce", Some(AccessMode::ReadOnlyMany), true),
        ("ReadOnlyMany, ReadWriteMany", Some(AccessMode::ReadWriteMany), false),
        ("ReadWriteOnce", None, false),
    ] {
        let volume = volume("pv-1", "data-web", modes, EBS, &in_zone("a"));
        let bound = claim("data-web", "pv-1", "Bound");
        let cluster = good(&[NODES, &bound, &volume, &web(&["data-web"])].concat());
        assert_eq!(of_web(&cluster).0[0].access, access, "{modes}");
        assert_eq!(says(&cluster, note), is_said, "{modes}: {:?}", cluster.summary.lines());
    }
}

/// A driver without an object of its own attaches, as in Kubernetes, where others have theirs.
#[test]
fn a_share_may_have_to_be_attached() {
    let text = [
        NODES.to_owned(),
        claim("data-web", "pv-1", "Bound"),
        volume("pv-1", "data-web", "ReadWriteMany", "csi: {driver: x}", ""),
        web(&["data-web"]),
    ]
    .concat();
    let with = |more: &str| of_web(&good(&format!("{text}{more}"))).0[0].attach;
    assert_eq!(with(""), None);
    let driver = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: NAME}\nspec: {attachRequired: IS}\n";
    let driver = |name: &str, is: &str| driver.replace("NAME", name).replace("IS", is);
    assert_eq!(with(&driver("x", "true")), Some(true));
    assert_eq!(with(&driver("x", "false")), None);
    assert_eq!(with(&driver("y", "false")), Some(true));
    let attached = "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: v}\nspec: {source: {persistentVolumeName: pv-1}}\n";
    assert_eq!(with(attached), Some(true));
}

#[test]
fn claims_of_which_nothing_is_known() {
    let bound = claim("data-web", "pv-1", "Bound");
    let disk = volume("pv-1", "data-web", "ReadWriteOnce", EBS, &in_zone("a"));
    // What the files do not say, or say of a claim that is bound to nothing there.
    let taken = "taken for a cloud's disks: volumes of shop/web";
    let lacks = format!("{taken} (add `pv,pvc,storageclasses,csidrivers` to the kubectl command)");
    for (claims, volumes, line) in [
        (String::new(), String::new(), &*lacks),
        (bound.clone(), String::new(), &*lacks),
        (String::new(), disk.clone(), taken),
        (bound.replace("Bound", "Pending"), disk.clone(), taken),
        (bound.clone(), disk.replace("name: data-web}", "name: other}"), taken),
    ] {
        let cluster = good(&[NODES, &claims, &volumes, &web(&["data-web"])].concat());
        assert_eq!(of_web(&cluster), (vec![assumed("data-web")], false), "{claims}{volumes}");
        let lines = cluster.summary.lines();
        assert!(lines.iter().any(|l| l == line), "{line}: {lines:?}");
    }
    let pending = bound.replace("Bound", "Pending");
    let cluster = good(&[NODES, &pending, &disk, &web(&["data-web"])].concat());
    let text = "1 claim Pending, for which a run makes a volume where the pod starts, in no time (`provision` says otherwise): shop/data-web";
    assert!(says(&cluster, text), "{:?}", cluster.summary.lines());
    for (claims, volumes, line) in [
        (
            bound.clone(),
            disk.replace("values: [a]", "values: [c]"),
            "1 claim not simulated, as no node in the files reaches the volume (by zone, host name or label): shop/data-web",
        ),
        (
            bound.clone(),
            disk.replace(
                &in_zone("a"),
                "{key: kubernetes.io/hostname, operator: In, values: [a1, b1]}",
            ),
            "1 claim not simulated, as the nodes that reach the volume are neither a zone, nor one node, nor all: shop/data-web",
        ),
    ] {
        let cluster = good(&[NODES, &claims, &volumes, &web(&["data-web"])].concat());
        assert_eq!(of_web(&cluster), (Vec::new(), true), "{claims}{volumes}");
        let lines = cluster.summary.lines();
        assert!(lines.iter().any(|l| l == line), "{line}: {lines:?}");
        assert!(says(&cluster, "not simulated: volumes of shop/web"), "{lines:?}");
    }
    // A name that a scenario takes for a size.
    let text = [NODES, &bound, &disk, &web(&["data-web"])].concat().replace("data-web", "10k");
    let cluster = good(&text.replace("claimName: 10k", "claimName: \"10k\""));
    assert_eq!(of_web(&cluster), (Vec::new(), true));
    assert!(says(
        &cluster,
        "1 claim not simulated, as a scenario takes the name for a size: shop/10k"
    ));
    // One is known, the other is not.
    let cluster = good(&[NODES, &bound, &disk, &web(&["data-web", "other"])].concat());
    let known = VolumeClaim { zone: Some("a".to_owned()), ..named("data-web", "pv-1") };
    assert_eq!(of_web(&cluster), (vec![known, assumed("other")], false));
}

/// A volume in each zone, one pod that waits, and one that is still to be made.
#[test]
fn a_stateful_set_says_how_its_volumes_are_and_not_where() {
    let mut text = NODES.to_owned() + &db(&["a2", ""], &[]);
    for (i, zone) in ["a", "b", "b"].into_iter().enumerate() {
        let (own, pv) = (format!("data-db-{i}"), format!("pv-{i}"));
        text += &claim(&own, &pv, "Bound");
        text += &volume(&pv, &own, "ReadWriteOnce", EBS, &in_zone(zone));
    }
    // What a set of another name has, and what this one had once, say nothing.
    text += &claim("data-db-x-0", "pv-x", "Bound");
    text += &volume("pv-x", "data-db-x-0", "ReadWriteMany", "nfs: {server: x}", "");
    text += &claim("data-db-3", "pv-3", "Bound");
    text += &volume("pv-3", "data-db-3", "ReadWriteOnce", EBS, &in_zone("b"));
    let data = VolumeClaim { claim: Some("data".to_owned()), ..VolumeClaim::default() };
    let cluster = good(&text);
    // Events call the volume of a pod by its name. The pod that waits has its own in a zone in which it is not.
    let of_a = VolumeClaim { volume: Some("pv-0".to_owned()), ..data.clone() };
    let of_b =
        VolumeClaim { zone: Some("b".to_owned()), volume: Some("pv-1".to_owned()), ..data.clone() };
    for (volumes, unknown, wanted) in [
        (&template(&cluster, 0).volumes, template(&cluster, 0).persistent_volumes, &data),
        (
            &pod(&cluster, "shop", "db-0").volumes,
            pod(&cluster, "shop", "db-0").persistent_volumes,
            &of_a,
        ),
        (
            &pod(&cluster, "shop", "db-1").volumes,
            pod(&cluster, "shop", "db-1").persistent_volumes,
            &of_b,
        ),
    ] {
        assert_eq!((volumes, unknown), (&vec![wanted.clone()], false));
    }
    let line = "1 claim of a StatefulSet whose pod is not in the files; where it lies is \
                not imported, and a run makes it where its pod starts: shop/data-db-2 (b)";
    let lines = cluster.summary.lines();
    assert!(lines.iter().any(|l| l == line), "{lines:?}");
    assert!(!says(&cluster, "not simulated"), "{lines:?}");
    // A set of one asks for the first alone, whose pod is where its volume is.
    let one = text.replace("replicas: 3", "replicas: 1").replace("name: db-1,", "name: db-x,");
    let cluster = good(&one);
    assert!(cluster.summary.claims.is_empty(), "{:?}", cluster.summary.lines());
    let cluster = good(&one.replace("nodeName: a2, ", "nodeName: b1, "));
    assert!(cluster.summary.claims.is_empty(), "{:?}", cluster.summary.lines());
    assert_eq!(pod(&cluster, "shop", "db-0").volumes[0].zone.as_deref(), Some("a"));
}

#[test]
fn local_volumes_of_a_stateful_set() {
    let mut text = NODES.to_owned() + &db(&["a1", "a2", "b1"], &[]);
    for (i, host) in ["a1", "host-a2", "b1"].into_iter().enumerate() {
        let (own, pv) = (format!("data-db-{i}"), format!("pv-{i}"));
        let on = format!("{{key: kubernetes.io/hostname, operator: In, values: [{host}]}}");
        text += &claim(&own, &pv, "Bound");
        text += &volume(&pv, &own, "ReadWriteOnce", "local: {path: /x}", &on);
    }
    let cluster = good(&text);
    let local = VolumeClaim {
        claim: Some("data".to_owned()),
        reach: Some(Reach::Node),
        ..VolumeClaim::default()
    };
    assert_eq!(template(&cluster, 0).volumes, [local]);
    assert_eq!(cluster.pods.len(), 1, "all three in one group");
    assert!(cluster.summary.claims.is_empty(), "{:?}", cluster.summary.lines());
    // Without the set its pods know as much.
    let alone = good(&text.replace(
        "kind: StatefulSet\nmetadata: {name: db,",
        "kind: StatefulSet\nmetadata: {name: other,",
    ));
    assert_eq!(alone.pods[0].volumes, cluster.pods[0].volumes);
}

#[test]
fn a_stateful_set_of_which_less_is_known() {
    let own = |i: usize, mode: &str, source: &str| {
        let (own, pv) = (format!("data-db-{i}"), format!("pv-{i}"));
        claim(&own, &pv, "Bound") + &volume(&pv, &own, mode, source, "")
    };
    let told = |text: &str| {
        let cluster = good(&(NODES.to_owned() + text));
        let set = template(&cluster, 0);
        let pods = pod(&cluster, "shop", "db-0");
        let nameless = |v: &VolumeClaim| VolumeClaim { volume: None, ..v.clone() };
        let of_pod: Vec<_> = pods.volumes.iter().map(nameless).collect();
        assert_eq!((&of_pod, pods.persistent_volumes), (&set.volumes, set.persistent_volumes));
        (set.volumes.len(), set.persistent_volumes, cluster)
    };
    let first = own(0, "ReadWriteOnce", EBS);
    let (n, unknown, cluster) = told(&db(&["a1"], &[]));
    assert_eq!((n, unknown), (1, false));
    assert_eq!(template(&cluster, 0).volumes, [assumed("data")]);
    assert!(says(
        &cluster,
        "taken for a cloud's disks: volumes of shop/db (add `pv,pvc,storageclasses,csidrivers`"
    ));
    // A pod that is on a node has a volume, which is not in the files; one that waits may have none.
    let (n, unknown, _) = told(&(db(&["a1", "a2"], &[]) + &first));
    assert_eq!((n, unknown), (0, true));
    let (n, unknown, _) = told(&(db(&["a1", ""], &[]) + &first));
    assert_eq!((n, unknown), (1, false));
    let (n, unknown, cluster) =
        told(&(db(&["a1", "a2"], &[]) + &first + &own(1, "ReadWriteMany", "nfs: {server: x}")));
    assert_eq!((n, unknown), (0, true));
    assert!(says(
        &cluster,
        "2 claims not simulated, as the volumes of a StatefulSet's pods are not alike: shop/data-db-0, shop/data-db-1"
    ));
    // What all of its pods mount is told where sharing makes no difference.
    let shared = |mode: &str, source: &str| {
        claim("all", "pv-all", "Bound") + &volume("pv-all", "all", mode, source, "")
    };
    let (n, unknown, cluster) =
        told(&(db(&["a1"], &["all"]) + &first + &shared("ReadWriteMany", "nfs: {server: x}")));
    assert_eq!((n, unknown), (2, false));
    let second = &template(&cluster, 0).volumes[1];
    assert_eq!(
        (second.claim.as_deref(), second.access, &second.volume),
        (Some("all"), Some(AccessMode::ReadWriteMany), &None)
    );
    let (n, unknown, _) = told(&(db(&["a1"], &["all"]) + &first + &shared("ReadWriteOnce", EBS)));
    assert_eq!((n, unknown), (1, true));
}
