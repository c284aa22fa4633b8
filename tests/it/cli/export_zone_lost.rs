//! A cluster as kubectl printed it, with its workloads, loses a zone for ten minutes.
//!
//! The zone has four nodes (worker-b1, worker-b2, worker-b3, gpu-b1) and is cut off at 61 s. 1.34,
//! `Ideal`:
//!
//! - Three of them were last heard between 51 and 55 s and are Unknown in the pass at 105 s, the
//!   fourth in that at 110 s. At 105 s three of four are down: PartialDisruption, and at so few
//!   nodes a rate of 0. At 110 s it is FullDisruption, 0.1 per second; a limiter that was at rate 0
//!   is swapped for one without tokens, so that the first NoExecute comes 10 s later, with the look
//!   every 100 ms at 120.1 s, and then one node every 10 s: 120.1, 130.1, 140.1, 150.1 s.
//! - The zone is heard again at 661 s; its kubelets end the pods that are being deleted at once.
//!   Its nodes are Ready with their next status checks, which the export's heartbeats put between
//!   662 and 667 s.
//!
//! Which node is tainted first is chance, so times are held relative to the taint of a pod's own
//! node.

use super::Scratch;
use std::collections::BTreeMap;

const SCENARIO: &str = r#"Scenario(
    version: 1,
    kubernetes: "1.34",
    timing: Ideal,
    horizon: "20m",
    cluster: From("EXPORT"),
    timeline: [(at: "61s", name: "cut b", do: Partition(nodes: Zone("eu-west-1b"), duration: "10m"))],
)"#;

/// An eviction, times in milliseconds.
struct Eviction {
    at: u64,
    timer_set: u64,
    node: String,
    replacement_node: String,
    created: u64,
    ready: u64,
}

/// The evictions by workload: `db-1` belongs to `db`, `web-5468c74c4d-4x2x5` to `web`.
fn evictions(csv: &str) -> BTreeMap<String, Vec<Eviction>> {
    let mut rows = csv.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let mut all: BTreeMap<String, Vec<Eviction>> = BTreeMap::new();
    for row in rows {
        let text = |name: &str| {
            row[header
                .iter()
                .position(|h| *h == name)
                .unwrap_or_else(|| panic!("no column {name}"))]
            .to_owned()
        };
        let ms = |name: &str| {
            (text(name).parse::<f64>().unwrap_or_else(|e| panic!("{name}: {e}")) * 1000.0) as u64
        };
        let workload = text("pod").split('-').next().expect("a name").to_owned();
        all.entry(workload).or_default().push(Eviction {
            at: ms("time_s"),
            timer_set: ms("timer_set_s"),
            node: text("node"),
            replacement_node: text("replacement_node"),
            created: ms("replacement_created_s"),
            ready: ms("replacement_ready_s"),
        });
    }
    all
}

#[test]
fn a_zone_of_an_export_is_lost_for_ten_minutes() {
    for seed in ["1", "2", "3"] {
        let scratch = Scratch::new();
        let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/healthy-all.yaml.gz");
        scratch.write("zone-b.ron", SCENARIO.replace("EXPORT", export));
        let run = scratch.call(&["run", "zone-b.ron", "--seed", seed, "--out", "out"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let by_workload = evictions(&scratch.text("out/zone-b/evictions.csv"));
        let of = |name: &str| by_workload.get(name).map_or(&[][..], Vec::as_slice);

        // One node every 10 s from 120.1 s on: whatever is evicted was tainted then.
        for e in by_workload.values().flatten() {
            assert!(
                [120_100, 130_100, 140_100, 150_100].contains(&e.timer_set),
                "{} tainted at {} ms",
                e.node,
                e.timer_set
            );
        }
        // web has two of its six pods in the zone, on two nodes, and tolerates 30 s. Its ReplicaSet
        // creates the next at once, but each zone may have one more than the others at most, and
        // this one's nodes are tainted: they wait until the first worker is Ready again, 1.777 s
        // after the zone is heard, and run a second later.
        let web = of("web");
        assert_eq!(web.len(), 2, "{}", run.stdout);
        for e in web {
            assert_eq!((e.at - e.timer_set, e.created - e.at), (30_000, 0));
            assert!(
                e.replacement_node.starts_with("worker-b") && e.ready == 663_777,
                "{} at {} ms",
                e.replacement_node,
                e.ready
            );
        }
        // train has two of its three pods on gpu-b1. It tolerates the taint of such nodes and
        // admission's 300 s; the only other one is gpu-c1, which has room, so its pods run a second
        // after the eviction.
        let train = of("train");
        assert_eq!(train.len(), 2);
        for e in train {
            assert_eq!(
                (e.at - e.timer_set, e.created - e.at, e.ready - e.created),
                (300_000, 0, 1_000)
            );
            assert_eq!((&*e.node, &*e.replacement_node), ("gpu-b1", "gpu-c1"));
        }
        // api has one of its four pods there, 300 s; there is room elsewhere.
        let api = of("api");
        assert_eq!(api.len(), 1);
        assert_eq!(
            (
                api[0].at - api[0].timer_set,
                api[0].created - api[0].at,
                api[0].ready - api[0].created
            ),
            (300_000, 0, 1_000)
        );
        assert!(!api[0].replacement_node.contains("-b"), "{}", api[0].replacement_node);
        // db-1 is evicted after 300 s and stays Terminating on its silent node. Only when that is
        // heard again, at 661 s, is the name free: the StatefulSet makes the next db-1 in the same
        // millisecond, and it runs a second later.
        let db = of("db");
        assert_eq!(db.len(), 1);
        assert_eq!(
            (db[0].at - db[0].timer_set, db[0].created, db[0].ready),
            (300_000, 661_000, 662_000)
        );
        // The pods of the DaemonSet tolerate it all, and nobody else was there.
        assert_eq!(by_workload.values().map(Vec::len).sum::<usize>(), 6, "{}", run.stdout);
        // too-big fits nowhere, before, during and after.
        assert!(
            run.stdout.contains("30 running and ready, 1 pending, 2 finished"),
            "{}",
            run.stdout
        );
    }
}
