//! Every scenario that ships, held to the timeline that its comments work out by hand.
//!
//! The figures below are those of the comments, in seconds, and not of a run. What is left to chance (which of several nodes is tainted
//! first) is asserted for several seeds and for the default order alike.

use std::path::Path;
use taintsim::kernel::Choices;
use taintsim::scenario::{Overrides, build, load};
use taintsim::sim::{Plan, run};
use taintsim::trace::{Fields, Trace};

const UNREACHABLE: &str = "node.kubernetes.io/unreachable:NoExecute";
const UNREACHABLE_NO_SCHEDULE: &str = "node.kubernetes.io/unreachable:NoSchedule";
const NOT_READY: &str = "node.kubernetes.io/not-ready:NoExecute";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable:NoExecute";
const UNSCHEDULABLE_NO_SCHEDULE: &str = "node.kubernetes.io/unschedulable:NoSchedule";

/// A finished run of a shipped scenario.
struct Run {
    plan: Plan,
    trace: Trace,
}

/// Holds a scenario to an expectation, in the default order and with a few seeds.
fn check(name: &str, expectation: impl Fn(&Run)) {
    for seed in [None, Some(1), Some(2), Some(3)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(format!("{name}.ron"));
        let loaded = load(&path).unwrap_or_else(|p| panic!("{}", p.render(false, 120)));
        let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{}", p.render(false, 120)));
        let trace = run(&plan, seed.map_or_else(Choices::default_order, Choices::seeded));
        println!("taintsim run scenarios/{name}.ron --seed {seed:?}");
        let run = Run { plan, trace };
        assert_eq!(run.seconds(|f| f.what == "refused"), NEVER, "nothing that the timeline asks for is refused");
        expectation(&run);
    }
}

impl Run {
    /// The times of all records of some kind, in seconds, truncated to the millisecond.
    fn seconds(&self, mut wanted: impl FnMut(&Fields) -> bool) -> Vec<f64> {
        let records = self.trace.iter().filter(|r| wanted(&self.trace.fields(r)));
        records.map(|r| (r.at.as_nanos() / 1_000_000) as f64 / 1000.0).collect()
    }

    /// When a pod was deleted: its deletionTimestamp was set.
    fn deleted(&self, pod: &str) -> Vec<f64> {
        let pod = namespaced(pod);
        self.seconds(|f| f.what == "pod-deleting" && f.pod.as_ref() == Some(&pod))
    }

    /// When pods whose names begin so were deleted.
    fn deleted_with(&self, prefix: &str) -> Vec<f64> {
        let prefix = namespaced(prefix);
        self.seconds(|f| f.what == "pod-deleting" && f.pod.as_ref().is_some_and(|p| p.starts_with(&prefix)))
    }

    /// When a pod object was gone.
    fn gone(&self, pod: &str) -> Vec<f64> {
        let pod = namespaced(pod);
        self.seconds(|f| f.what == "pod-gone" && f.pod.as_ref() == Some(&pod))
    }

    /// When a pod's timer was cancelled.
    fn cancelled(&self, pod: &str) -> Vec<f64> {
        let pod = namespaced(pod);
        self.seconds(|f| f.what == "timer-cancelled" && f.pod.as_ref() == Some(&pod))
    }

    /// When nodes whose names begin so got a taint.
    fn tainted(&self, nodes: &str, taint: &str) -> Vec<f64> {
        self.seconds(|f| is_node(f, nodes) && f.added.iter().any(|t| t == taint))
    }

    /// When nodes whose names begin so lost a taint.
    fn untainted(&self, nodes: &str, taint: &str) -> Vec<f64> {
        self.seconds(|f| is_node(f, nodes) && f.removed.iter().any(|t| t == taint))
    }

    /// When the Ready condition of nodes whose names begin so took a status.
    fn ready(&self, nodes: &str, status: &str) -> Vec<f64> {
        self.seconds(|f| f.what == "node-condition" && f.kind == Some("Ready") && f.status == Some(status) && is_node(f, nodes))
    }

    /// When a pod's Ready condition took a status, its creation aside.
    fn pod_ready(&self, pod: &str, status: &str) -> Vec<f64> {
        let pod = namespaced(pod);
        let mut times = self
            .seconds(|f| f.what == "pod-condition" && f.kind == Some("Ready") && f.status == Some(status) && f.pod.as_ref() == Some(&pod));
        times.retain(|t| *t > 0.0);
        times
    }

    /// All evictions.
    fn evictions(&self) -> usize {
        self.seconds(|f| f.what == "pod-deleting").len()
    }
}

fn namespaced(pod: &str) -> String {
    if pod.contains('/') { pod.to_owned() } else { format!("default/{pod}") }
}

fn is_node(f: &Fields, prefix: &str) -> bool {
    f.node.as_ref().is_some_and(|n| n.starts_with(prefix))
}

const NEVER: [f64; 0] = [];

#[test]
fn one_node_lost() {
    check("one-node-lost", |run| {
        // Seen at 55 s, 50 s of grace, and the next turn of the tainting loop.
        assert_eq!(run.ready("node-", "Unknown"), [105.0]);
        assert_eq!(run.tainted("node-", UNREACHABLE_NO_SCHEDULE), [105.0]);
        assert_eq!(run.pod_ready("web-0", "False"), [105.0]);
        assert_eq!(run.tainted("node-", UNREACHABLE), [105.1]);
        assert_eq!(run.deleted("impatient-0"), [165.1]);
        assert_eq!(run.deleted("web-0"), [405.1]);
        assert_eq!(run.evictions(), 2);
        assert_eq!(run.gone("web-0"), NEVER);
    });
}

#[test]
fn half_a_zone() {
    check("half-a-zone", |run| {
        assert_eq!(run.ready("", "Unknown"), [105.0; 8]);
        assert_eq!(run.tainted("a-", UNREACHABLE), [105.1, 115.1, 125.1]);
        assert_eq!(run.tainted("b-", UNREACHABLE), NEVER);
        assert_eq!(run.deleted_with("web-"), [135.1, 145.1, 155.1]);
        assert_eq!(run.deleted_with("web-b"), NEVER);
    });
}

#[test]
fn whole_zone() {
    check("whole-zone", |run| {
        assert_eq!(run.ready("a-", "Unknown"), [105.0; 4]);
        assert_eq!(run.tainted("a-", UNREACHABLE), [105.1, 115.1, 125.1]);
        assert_eq!(run.deleted_with("hasty-"), [125.1]);
        assert_eq!(run.evictions(), 1);
        assert_eq!(run.seconds(|f| f.what == "pod-gone"), [131.0]);
        assert_eq!(run.ready("a-", "True"), [134.0; 4]);
        assert_eq!(run.untainted("a-", UNREACHABLE_NO_SCHEDULE), [134.0; 4]);
        assert_eq!(run.untainted("a-", UNREACHABLE), [135.0; 3]);
        // Three `web` pods, and the `hasty` ones of the second and third node.
        assert_eq!(run.seconds(|f| f.what == "timer-cancelled"), [135.0; 5]);
    });
}

#[test]
fn master_disruption() {
    check("master-disruption", |run| {
        assert_eq!(run.ready("", "Unknown"), [105.0; 6]);
        assert_eq!(run.seconds(|f| f.what == "master-disruption-entered"), [105.0]);
        assert_eq!(run.ready("a-", "True"), [304.0; 3]);
        assert_eq!(run.seconds(|f| f.what == "master-disruption-left"), [305.0]);
        assert_eq!(run.tainted("", UNREACHABLE), [315.1, 325.1, 335.1]);
        assert_eq!(run.tainted("b-", UNREACHABLE), [315.1, 325.1, 335.1]);
        assert_eq!(run.deleted_with("web-b-"), [375.1, 385.1, 395.1]);
        assert_eq!(run.evictions(), 3);
    });
}

#[test]
fn flapping_node() {
    check("flapping-node", |run| {
        assert_eq!(run.ready("short", "Unknown"), NEVER);
        assert_eq!(run.deleted("careless"), NEVER);
        assert_eq!(run.ready("long", "Unknown"), [105.0, 205.0, 305.0, 405.0]);
        assert_eq!(run.tainted("long", UNREACHABLE), [105.1, 205.1, 305.1, 405.1]);
        assert_eq!(run.ready("long", "True"), [134.0, 234.0, 334.0, 434.0]);
        assert_eq!(run.untainted("long", UNREACHABLE), [135.0, 235.0, 335.0, 435.0]);
        assert_eq!(run.deleted("hasty"), [130.1]);
        assert_eq!(run.gone("hasty"), [131.1]);
        assert_eq!(run.deleted("patient"), NEVER);
        assert_eq!(run.cancelled("patient"), [135.0, 235.0, 335.0, 435.0]);
    });
}

#[test]
fn memory_pressure() {
    check("memory-pressure", |run| {
        assert_eq!(run.tainted("tight", "node.kubernetes.io/memory-pressure:NoSchedule"), [62.0]);
        assert_eq!(run.untainted("tight", "node.kubernetes.io/memory-pressure:NoSchedule"), [242.0]);
        assert_eq!(run.ready("broken", "False"), [62.0]);
        assert_eq!(run.tainted("broken", "node.kubernetes.io/not-ready:NoSchedule"), [62.0]);
        assert_eq!(run.tainted("broken", NOT_READY), [65.1]);
        assert_eq!(run.deleted("web-broken"), [125.1]);
        assert_eq!(run.gone("web-broken"), [126.1]);
        assert_eq!(run.ready("broken", "True"), [182.0]);
        assert_eq!(run.untainted("broken", NOT_READY), [185.0]);
        assert_eq!(run.cancelled("slow-broken"), [185.0]);
        assert_eq!(run.evictions(), 1);
        // A kubelet that says so itself leaves its pods Ready.
        assert_eq!(run.pod_ready("web-broken", "False"), NEVER);
        assert_eq!(run.pod_ready("slow-broken", "False"), NEVER);
    });
}

#[test]
fn noexecute_taint() {
    check("noexecute-taint", |run| {
        for pod in ["stranger", "zero", "below-zero"] {
            assert_eq!((run.deleted(pod), run.gone(pod)), (vec![30.0], vec![31.0]), "{pod}");
        }
        assert_eq!(run.deleted("half-a-minute"), [60.0]);
        assert_eq!(run.deleted("two-minutes"), NEVER);
        assert_eq!(run.cancelled("two-minutes"), [90.0]);
        assert_eq!(run.deleted("for-ever"), NEVER);
    });
}

#[test]
fn several_taints() {
    check("several-taints", |run| {
        let expected = [
            ("an-hour", 3630.0),
            ("other-value", 30.0),
            ("no-schedule-only", 30.0),
            ("least-of-two", 90.0),
            ("one-of-two", 30.0),
            ("first-timer-wins", 330.0),
            ("second-not-tolerated", 60.0),
        ];
        for (pod, at) in expected {
            assert_eq!(run.deleted(pod), [at], "{pod}");
        }
        for pod in ["as-documented", "any-effect", "everything"] {
            assert_eq!(run.deleted(pod), NEVER, "{pod}");
        }
    });
}

#[test]
fn cordon_by_hand() {
    check("cordon-by-hand", |run| {
        assert_eq!(run.tainted("node-0", UNSCHEDULABLE), [60.0]);
        assert_eq!(run.deleted("web"), [60.0]);
        assert_eq!(run.deleted("agent-node-0"), [60.0]);
        assert_eq!(run.untainted("node-0", UNSCHEDULABLE), [120.0]);
        assert_eq!(run.cancelled("waits"), [120.0]);
        assert_eq!(run.evictions(), 2);
        // By the cordon, and again after the key was removed with all its effects.
        assert_eq!(run.tainted("node-0", UNSCHEDULABLE_NO_SCHEDULE), [30.0, 120.0]);
        assert_eq!(run.untainted("node-0", UNSCHEDULABLE_NO_SCHEDULE), [120.0, 180.0]);
    });
}

#[test]
fn zone_sizes() {
    check("zone-sizes", |run| {
        assert_eq!(run.ready("", "Unknown"), [105.0; 60]);
        assert_eq!(run.tainted("large-", UNREACHABLE), [105.1, 205.2, 305.3, 405.4, 505.5]);
        assert_eq!(run.tainted("small-", UNREACHABLE), NEVER);
        assert_eq!(run.deleted_with("web-"), [115.1, 215.2, 315.3, 415.4, 515.5]);
    });
}

#[test]
fn toleration_sweep() {
    check("toleration-sweep", |run| {
        assert_eq!(run.tainted("node-0", UNREACHABLE), [105.1]);
        for seconds in [0, 1, 5, 10, 30, 60, 120, 180, 240, 300] {
            let pod = format!("t{seconds:03}");
            // In tenths of a second, so that the sum is exact.
            assert_eq!(run.deleted(&pod), [f64::from(1051 + 10 * seconds) / 10.0], "{pod}");
            assert_eq!(run.gone(&pod), [481.0], "{pod}");
        }
        for pod in ["t450", "t600"] {
            assert_eq!((run.deleted(pod), run.cancelled(pod)), (vec![], vec![485.0]), "{pod}");
        }
    });
}

#[test]
fn controller_restart() {
    check("controller-restart", |run| {
        assert_eq!(run.tainted("node-0", UNREACHABLE), [105.1, 165.1]);
        assert_eq!(run.untainted("node-0", UNREACHABLE), [165.0]);
        assert_eq!(run.deleted("web"), [285.1]);
    });
}

#[test]
fn hundred_dead_nodes() {
    check("hundred-dead-nodes", |run| {
        let cut = 120.0;
        let (unknown, tainted, deleted) = (run.ready("", "Unknown"), run.tainted("", UNREACHABLE), run.deleted_with("web-"));
        assert_eq!((unknown.len(), tainted.len(), deleted.len()), (100, 100, 1000));
        assert!(unknown[0] >= cut + 40.0 && unknown[0] < cut + 60.0, "first Unknown at {}", unknown[0]);
        // 92 nodes of 11 requests each, 30 of which are free.
        assert!(unknown[99] - unknown[0] >= f64::from(92 * 11 - 30) / 20.0, "{} to {}", unknown[0], unknown[99]);
        // 25 nodes in each zone, one every 10 s.
        assert!(tainted[99] - tainted[0] >= 240.0, "{} to {}", tainted[0], tainted[99]);
        // No pod goes before its node's taint is 30 s old, and the client keeps up: all are gone a minute after the last one was due.
        assert!(deleted[0] >= tainted[0] + 30.0 && deleted[999] < tainted[99] + 90.0, "{} to {}", deleted[0], deleted[999]);
    });
}

#[test]
fn zone_partition() {
    check("zone-partition", |run| {
        let cut = 600.0;
        let within = |times: &[f64], count: usize, from: f64, to: f64| {
            assert!(times.len() == count && times.iter().all(|t| (cut + from..=cut + to).contains(t)), "{count} in {times:?}");
        };
        let zone_b: Vec<f64> = run.seconds(|f| f.what == "node-condition" && f.kind == Some("Ready") && f.status == Some("Unknown"));
        within(&zone_b, 12, 40.0, 56.0);
        within(&run.tainted("", UNREACHABLE), 12, 40.0, 180.0);
        let maintenance = run.tainted("a-03", "maintenance=true:NoExecute");
        assert_eq!(maintenance, [720.0]);
        let at_a_03 = |t: &f64| (720.0..720.2).contains(t);
        let (by_hand, by_zone): (Vec<f64>, Vec<f64>) = run.deleted_with("web-").into_iter().partition(at_a_03);
        assert_eq!(by_hand.len(), 2);
        within(&by_zone, 20, 100.0, 240.0);
        within(&run.deleted_with("db-"), 2, 160.0, 300.0);
        assert_eq!(run.deleted_with("kube-system/agent-").len(), 1);
        assert!(run.deleted_with("kube-system/agent-").iter().all(at_a_03));
        assert_eq!(run.plan.timing.name, "Typical");
    });
}
