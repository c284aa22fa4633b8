//! Where volumes may be made: `allowedTopologies` of a StorageClass, and CSIStorageCapacities, by upstream's words
//! (`checkVolumeProvisions`).

use crate::cli::{Scratch, unfolded};
use crate::disks::{grows, messages, nodes, ran, times};
use crate::plans::drawn;
use taintsim::analysis::Analysis;
use taintsim::analysis::explain::{Question, explain, find};
use taintsim::kernel::Time;

const RELEASES: [&str; 4] = ["1.18", "1.27", "1.34", "1.37"];

/// The second pod of two, whose disk is made in these zones alone; two nodes are in zone a, two in zone b.
pub(super) fn only(version: &str, zones: &str, claim: &str, more: &str) -> String {
    let claim = format!(r#"(claim: "data", allowedTopologies: [{zones}]{claim})"#);
    grows(version, more).replace(r#"(claim: "data", provision: "8500ms")"#, &claim)
}

pub(super) const SLOW: &str = r#", provision: "8500ms""#;

#[test]
fn a_new_disk_is_made_in_a_zone_that_its_class_allows() {
    for version in RELEASES {
        for claim in ["", SLOW] {
            // The pod of the first, which runs in zone a, has its disk.
            let on = nodes(&ran(&only(version, r#""b", "c""#, claim, "")).1, "pod-bound");
            assert!(on.len() == 1 && on[0].starts_with("b-"), "{version}: {on:?}");
        }
    }
}

#[test]
fn a_class_that_allows_only_zones_that_are_gone_leaves_pods_pending() {
    for version in RELEASES {
        let gone = r#"(at: "10s", do: DeleteNode(nodes: Zone("b")))"#;
        let back = r#", (at: "2m", do: AddNode(node: (name: "b-9", zone: "b")))"#;
        let text = only(version, r#""b""#, SLOW, &format!("{gone}{back}"));
        let (plan, trace) = ran(&text);
        let refused =
            "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.";
        let said = messages(&trace, "FailedScheduling");
        assert!(said[0].starts_with(refused), "{version}: {said:?}");
        // A node that comes is not ready at first, and up to 1.29 nothing else of it wakes pods that wait for a volume, until they have
        // waited for five minutes (kubernetes/kubernetes#122284).
        let bound = if version == "1.27" { vec![] } else { vec!["b-9"] };
        assert_eq!(nodes(&trace, "pod-bound"), bound, "{version}");
        let analysis = Analysis::new(&plan, &trace);
        let question = Question { analysis: &analysis, until: Time::from_secs(100), groups: &[] };
        let found = explain(question, &find(&analysis, "pod/db-1").unwrap());
        assert_eq!(found.verdict, "pending at 1:40.000: no node suits; VolumeBinding on 2 nodes");
        let why = "while its volume default/data-db-1 is not there, no node suits but those of zone b: `allowedTopologies` of its StorageClass";
        let scratch = Scratch::new();
        scratch.write("case.ron", &text);
        let said = scratch.call(&["explain", "case.ron", "pod/db-1", "--at", "100s"]).stdout;
        assert!(unfolded(&said).contains(why), "{said}");
        assert!(!plan.notes.iter().any(|n| n.contains("allowedTopologies")), "{:?}", plan.notes);
    }
    let (plan, trace) = ran(&only("1.34", r#""c""#, "", ""));
    assert!(nodes(&trace, "pod-bound").is_empty());
    let note = "No node is in a zone that `allowedTopologies` of default/db names, with as much storage as they ask for: pods whose volumes are still to be made stay Pending.";
    assert!(plan.notes.iter().any(|n| n == note), "{:?}", plan.notes);
}

/// With queueing hints, and up to 1.36, a change of taints wakes what any plugin rejected that hears of new nodes and not of
/// taints (`buildQueueingHintMap`): VolumeBinding is one.
#[test]
fn a_taint_has_a_pod_tried_again_that_waits_for_a_volume() {
    for (version, is_tried) in [("1.32", true), ("1.36", true), ("1.37", false)] {
        let taint = r#"(at: "100s", do: Taint(node: "b-0", taint: "alpha:PreferNoSchedule"))"#;
        let (_, trace) = ran(&only(version, r#""c""#, SLOW, taint));
        let tried = times(&trace, "FailedScheduling");
        assert_eq!(tried.contains(&100_000), is_tried, "{version}: {tried:?}");
    }
}

/// The number of `data-db-1` is even (an_immediate_disk_is_where_its_name_says), so that the first of two zones has its disk,
/// whether or not a node is there.
#[test]
fn an_immediate_disk_is_in_one_of_the_zones_that_its_class_allows() {
    let on = |zones| {
        let text = only("1.34", zones, ", binding: Immediate", "");
        let (_, trace) =
            ran(&text.replace("replicas: 1", "replicas: 1, podManagementPolicy: Parallel"));
        (nodes(&trace, "pod-bound"), messages(&trace, "FailedScheduling"))
    };
    let (bound, _) = on(r#""c", "b""#);
    assert!(bound.len() == 1 && bound[0].starts_with("b-"), "{bound:?}");
    let (bound, said) = on(r#""c", "d""#);
    assert!(bound.is_empty());
    let text = "0/4 nodes are available: 4 node(s) didn't match PersistentVolume's node affinity.";
    assert!(said[0].starts_with(text), "{said:?}");
}

#[test]
fn where_a_disk_lies_is_said_once() {
    for (claim, words) in [
        (r#", zone: "a""#, "where this volume lies is said already"),
        (r#", volume: "pv-1""#, "where this volume lies is said already"),
        (", access: RWX, binding: Immediate", "reached from everywhere, is in no zone"),
    ] {
        let problem = drawn(&only("1.34", r#""b""#, claim, "")).map(drop).unwrap_err();
        assert!(problem.contains(words), "{problem}");
    }
}

/// A new disk of 10Gi, where the nodes of zone a have so much storage, and those of zone b room for 10Gi.
fn of_size(version: &str, more: &str, of_a: &str) -> String {
    let claim = r#"(claim: "data", storageClassName: "fast", size: "10Gi")"#;
    let has = |zone: &str, most: &str| {
        format!(r#"zone: "{zone}", capacity: {{"csistoragecapacity-fast": "{most}"}}"#)
    };
    grows(version, more)
        .replace(r#"(claim: "data", provision: "8500ms")"#, claim)
        .replace(r#"zone: "a""#, &has("a", of_a))
        .replace(r#"zone: "b""#, &has("b", "10Gi"))
}

/// `hasEnoughCapacity`, by a gate that is off up to 1.20.
#[test]
fn a_new_disk_is_made_where_there_is_storage_for_it() {
    for version in ["1.21", "1.27", "1.34", "1.37"] {
        let on = nodes(&ran(&of_size(version, "", "9Gi")).1, "pod-bound");
        assert!(on.len() == 1 && on[0].starts_with("b-"), "{version}: {on:?}");
        let gone = r#"(at: "10s", do: DeleteNode(nodes: Zone("b")))"#;
        let (plan, trace) = ran(&of_size(version, gone, "9Gi"));
        assert!(nodes(&trace, "pod-bound").is_empty(), "{version}");
        let text = "0/2 nodes are available: 2 node(s) did not have enough free storage.";
        let said = messages(&trace, "FailedScheduling");
        assert!(said[0].starts_with(text), "{version}: {said:?}");
        let note = "What CSIStorageCapacities say for default/db holds all the time.";
        assert!(plan.notes.iter().any(|n| n.ends_with(note)), "{:?}", plan.notes);
        // There is as much as it asks for.
        assert_eq!(nodes(&ran(&of_size(version, gone, "10Gi")).1, "pod-bound").len(), 1);
    }
    let gone = r#"(at: "10s", do: DeleteNode(nodes: Zone("b")))"#;
    assert_eq!(nodes(&ran(&of_size("1.20", gone, "9Gi")).1, "pod-bound").len(), 1);
    for (changed, words) in [
        (r#"size: "10Gi", binding: Immediate"#, "asks for storage only where"),
        ("", "the size of this volume is not said"),
    ] {
        let text = of_size("1.34", "", "9Gi").replace(r#"size: "10Gi""#, changed);
        let problem = drawn(&text).map(drop).unwrap_err();
        assert!(problem.contains(words), "{problem}");
    }
}
