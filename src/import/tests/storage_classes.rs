//! What StorageClasses say of the volumes that are still to be made.

use super::volumes::{EBS, NODES, assumed, claim, db, in_zone, says, template, volume, web};
use super::{good, pod};
use crate::api::volume::{AccessMode, BindingMode};
use crate::language::VolumeClaim;
use crate::scenario::{Overrides, build, parse};
use std::path::Path;

/// A StorageClass; `more` of its metadata.
fn class(name: &str, more: &str, provisioner: &str, mode: &str) -> String {
    let mode = if mode.is_empty() { String::new() } else { format!("volumeBindingMode: {mode}\n") };
    format!(
        "provisioner: {provisioner}\n{mode}apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {name}{more}}}\n---\n"
    )
}

const DEFAULT: &str = ", annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}";
const LATE: &str = "WaitForFirstConsumer";

/// A claim of `shop` that is not bound, with what its spec says.
fn pending(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{{spec}}}\nstatus: {{phase: Pending}}\n---\n"
    )
}

/// What the pod of `web` says of a claim with that spec, and of whom the summary says that it is not simulated.
fn of_web(classes: &str, spec: &str) -> (Option<VolumeClaim>, bool) {
    let cluster = good(&[NODES, classes, &pending("data", spec), &web(&["data"])].concat());
    let not = "1 claim not simulated, as no driver makes a volume for it: it waits for one that is there without a claim: shop/data";
    let made = "1 claim without a volume yet; a run makes one as the StorageClass says, which is assumed to take no time (`provision` says otherwise): shop/data";
    let told = pod(&cluster, "shop", "web-1-x").volumes.first().cloned();
    let known = told.as_ref().is_some_and(|t| t.driver.is_some());
    assert_eq!(known, says(&cluster, made), "{:?}", cluster.summary.lines());
    (told, says(&cluster, not))
}

#[test]
fn a_claim_without_a_volume_has_the_driver_and_the_binding_of_its_class() {
    let disk = |driver: &str, binding| VolumeClaim {
        driver: Some(driver.to_owned()),
        binding,
        ..assumed("data")
    };
    let gp3 = class("gp3", "", "ebs.csi.aws.com", LATE);
    assert_eq!(of_web(&gp3, "storageClassName: gp3"), (Some(disk("ebs.csi.aws.com", None)), false));
    // `Immediate` is what the API server takes where nothing is said.
    let fast = disk("fast.example", Some(BindingMode::Immediate));
    for mode in ["Immediate", ""] {
        let both = class("fast", DEFAULT, "fast.example", mode) + &gp3;
        assert_eq!(of_web(&both, "storageClassName: fast"), (Some(fast.clone()), false));
        assert_eq!(of_web(&both, ""), (Some(fast.clone()), false), "the default class");
    }
    // Of two default classes the newer one.
    let since = |year: u32| format!("{DEFAULT}, creationTimestamp: \"{year}-01-01T00:00:00Z\"");
    let [old, new] = [2024, 2025].map(since);
    let two = class("a", &old, "old.example", LATE) + &class("b", &new, "new.example", LATE);
    assert_eq!(of_web(&two, "").0, Some(disk("new.example", None)));
    // Without a default, and of a class that is not in the files, nothing is known.
    for spec in ["", "storageClassName: gone"] {
        assert_eq!(of_web(&gp3, spec), (Some(assumed("data")), false), "{spec}");
    }
    // Nobody makes a volume.
    let by_hand = class("local", "", "kubernetes.io/no-provisioner", LATE) + &gp3;
    assert_eq!(of_web(&by_hand, "storageClassName: local"), (None, true));
    // A share, whose driver attaches nothing, and a disk of such a driver.
    let driver = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: ebs.csi.aws.com}\nspec: {attachRequired: false}\n---\n";
    let free = gp3.clone() + driver;
    let told = |modes: &str| of_web(&free, &format!("storageClassName: gp3, {modes}")).0.unwrap();
    let share = told("accessModes: [ReadWriteMany]");
    assert_eq!((share.access, share.attach), (Some(AccessMode::ReadWriteMany), None));
    assert_eq!(told("accessModes: [ReadWriteOnce]").attach, Some(false));
}

#[test]
fn a_stateful_set_that_is_new_has_the_class_of_its_template() {
    let fast = class("fast", DEFAULT, "fast.example", "Immediate");
    let cluster = good(&[NODES, &fast, &db(&[""], &[])].concat());
    let wanted = VolumeClaim {
        driver: Some("fast.example".to_owned()),
        binding: Some(BindingMode::Immediate),
        ..assumed("data")
    };
    assert_eq!(template(&cluster, 0).volumes, std::slice::from_ref(&wanted));
    assert_eq!(pod(&cluster, "shop", "db-0").volumes, [wanted]);
    let lines = cluster.summary.lines();
    assert!(says(&cluster, "1 claim without a volume yet;"), "{lines:?}");
    assert!(lines.iter().any(|l| l.ends_with(": shop/data-db-*")), "{lines:?}");
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(plan.templates[0].claims[0].binding, BindingMode::Immediate);
    // Where its pods have volumes, a new one of them is made as the class says.
    let bound = claim("data-db-0", "pv-0", "Bound")
        + &volume("pv-0", "data-db-0", "ReadWriteOnce", EBS, &in_zone("a"));
    let cluster = good(&[NODES, &fast, &bound, &db(&["a1"], &[])].concat());
    let told = &template(&cluster, 0).volumes[0];
    assert_eq!((told.binding, told.assumed), (Some(BindingMode::Immediate), false));
    // Where nobody makes volumes, a set without claims waits for ever, which is not simulated.
    let by_hand = class("local", DEFAULT, "kubernetes.io/no-provisioner", LATE);
    let cluster = good(&[NODES, &by_hand, &db(&[], &[])].concat());
    let told = template(&cluster, 0);
    assert_eq!((told.volumes.len(), told.persistent_volumes), (0, true));
    assert!(says(&cluster, "1 claim not simulated, as no driver makes a volume for it"));
}

#[test]
fn a_volume_is_made_in_the_zones_that_its_class_names() {
    let names = |terms: &str, mode: &str| {
        let provisioner = format!("ebs.csi.aws.com\nallowedTopologies: {terms}");
        class("gp3", DEFAULT, &provisioner, mode)
    };
    let term = |key: &str, values: &str| {
        format!("{{matchLabelExpressions: [{{key: {key}, values: [{values}]}}]}}")
    };
    let told = |class: &str, spec: &str| of_web(class, spec).0.unwrap().allowed_topologies;
    let own = term("topology.ebs.csi.aws.com/zone", "c, b");
    assert_eq!(told(&names(&format!("[{own}]"), LATE), ""), ["b", "c"]);
    let either = format!("[{}, {own}]", term("topology.kubernetes.io/zone", "a"));
    assert_eq!(told(&names(&either, LATE), ""), ["a", "b", "c"]);
    let none: [&str; 0] = [];
    assert_eq!(told(&names("null", LATE), ""), none);
    // What is made with its claim and reached from everywhere is in no zone.
    let share = "accessModes: [ReadWriteMany]";
    assert_eq!(told(&names(&either, LATE), share), ["a", "b", "c"]);
    assert_eq!(told(&names(&either, "Immediate"), share), none);
    // Other topologies are left out.
    let host = names(&format!("[{}]", term("kubernetes.io/hostname", "a1")), LATE);
    assert_eq!(told(&host, ""), none);
    let cluster = good(&[NODES, &host, &db(&[""], &[])].concat());
    let left_out = "1 StorageClass without its `allowedTopologies`, which are not zones; a run has its volumes made anywhere: gp3";
    assert!(says(&cluster, left_out), "{:?}", cluster.summary.lines());
    // A StatefulSet's pods that come later have volumes of their class, too.
    let bound = claim("data-db-0", "pv-0", "Bound")
        + &volume("pv-0", "data-db-0", "ReadWriteOnce", EBS, &in_zone("a"));
    let cluster = good(&[NODES, &names(&either, LATE), &bound, &db(&["a1"], &[])].concat());
    assert_eq!(template(&cluster, 0).volumes[0].allowed_topologies, ["a", "b", "c"]);
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let own = |volume: Option<&str>| {
        let mut claims = plan.templates.iter().map(|t| &t.claims[0]);
        claims.find(|c| c.volume.as_deref() == volume).unwrap().allowed_topologies.clone()
    };
    assert_eq!(own(None), ["a", "b", "c"]);
    // The one that is there lies where it lies.
    assert_eq!(own(Some("pv-0")), none);
}

/// Of two objects of a class that a node reaches the larger one counts, `maximumVolumeSize` before `capacity`.
#[test]
fn nodes_have_the_storage_of_csi_storage_capacities() {
    let driver = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: lvm.example}\nspec: {storageCapacity: true}\n---\n";
    let object = |name: &str, rest: &str| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {{name: {name}, namespace: kube-system}}\nstorageClassName: fast\n{rest}\n---\n"
        )
    };
    let of = |zone: &str| {
        format!("nodeTopology: {{matchLabels: {{topology.kubernetes.io/zone: {zone}}}}}")
    };
    let objects = [
        object("one", &format!("capacity: 100Gi\nmaximumVolumeSize: 50Gi\n{}", of("a"))),
        object("two", &format!("capacity: 60Gi\n{}", of("a"))),
        object("nowhere", "capacity: 1Ti"),
        object("empty", &of("b")),
    ];
    let fast = class("fast", DEFAULT, "lvm.example", LATE);
    let asks = "resources: {requests: {storage: 10Gi}}";
    let text =
        [NODES, &fast, driver, &objects.concat(), &pending("data", asks), &web(&["data"])].concat();
    let cluster = good(&text);
    let told = |cluster: &super::ImportedCluster| {
        let claim = pod(cluster, "shop", "web-1-x").volumes[0].clone();
        (claim.storage_class_name, claim.size.map(|size| size.to_string()))
    };
    assert_eq!(told(&cluster), (Some("fast".to_owned()), Some("10Gi".to_owned())));
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let most = |n: &crate::plan::NodePlan| {
        n.allocatable.get("csistoragecapacity-fast").map(|q| q.to_string())
    };
    let sixty = Some("60Gi".to_owned());
    assert_eq!(plan.nodes.iter().map(most).collect::<Vec<_>>(), [sixty.clone(), sixty, None]);
    // Nobody asks where its driver does not say so, or nothing is exported.
    let silent = good(&text.replace("storageCapacity: true", "storageCapacity: false"));
    assert_eq!(told(&silent), (None, None));
    let alone = good(&text.replace("storageClassName: fast\n", "storageClassName: slow\n"));
    assert_eq!(told(&alone), (None, None));
    let wrong = super::error(&text.replace("capacity: 60Gi", "capacity: lots"));
    assert!(wrong.contains("capacity"), "{wrong}");
}
