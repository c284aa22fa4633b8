//! Tests of sweeps.

use super::*;
use crate::kernel::Dur;
use crate::lab::shards::Desk;
use crate::lab::threads::{Event, Stopped};
use crate::scenario::{self, Loaded, Overrides};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Runs everything, and says what each case came to; [`Stopped`] where the watcher asks for that.
fn run(prepared: &Prepared<'_>, watch: Watch<'_>) -> Result<Vec<Case>, Stopped> {
    let seeds = prepared.sweep.seeds;
    match run_all(std::slice::from_ref(prepared), watch, Desk::Here)? {
        Ran { cases, seeds: ran } if ran == seeds => Ok(cases.concat()),
        _ => Err(Stopped::Asked),
    }
}

/// Two nodes lose their network after a minute for two minutes, each with a pod that waits one
/// minute.
const SCENARIO: &str = r#"(
    version: 1,
    horizon: "10m",
    nodes: [(names: "a-{0..4}", zone: "a"), (names: "b-{0..1}", zone: "b")],
    pods: [(name: "w", on: Each(Zone("b")), tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60),
    ])],
    timeline: [(at: "1m", name: "cut", do: Partition(nodes: Zone("b"), duration: "2m"))],
)"#;

fn loaded() -> Loaded {
    scenario::parse("s.ron", SCENARIO.as_bytes().to_vec(), Path::new(""))
        .expect("the scenario is right")
}

fn axis(path: &str, values: &[&str]) -> Axis {
    Axis { path: path.to_owned(), values: values.iter().map(|v| (*v).to_owned()).collect() }
}

fn sweep(loaded: &Loaded, axes: Vec<Axis>, seeds: u64) -> Sweep<'_> {
    Sweep {
        loaded,
        base: Overrides::default(),
        axes,
        zipped: false,
        seeds,
        window: Dur::from_secs(300),
    }
}

const TOLERATION: &str = "pods.w.tolerations[unreachable].tolerationSeconds";

#[test]
fn every_combination_in_order() {
    let loaded = loaded();
    let sweep = sweep(
        &loaded,
        vec![axis(TOLERATION, &["0", "60"]), axis("timeline.cut.duration", &["1m", "2m", "3m"])],
        3,
    );
    let shown: Vec<String> = sweep.combinations().iter().map(|c| c.join(" ")).collect();
    assert_eq!(shown, ["0 1m", "0 2m", "0 3m", "60 1m", "60 2m", "60 3m"]);
    assert_eq!(sweep.size(), Some(18));
}

#[test]
fn settings_may_move_together() {
    let loaded = loaded();
    let axes = |second: &[&str]| {
        vec![axis(TOLERATION, &["0", "60"]), axis("timeline.cut.duration", second)]
    };
    let together = |second: &[&str]| Sweep { zipped: true, ..sweep(&loaded, axes(second), 3) };
    let shown: Vec<String> =
        together(&["1m", "2m"]).combinations().iter().map(|c| c.join(" ")).collect();
    assert_eq!(
        (shown, together(&["1m", "2m"]).size()),
        (vec!["0 1m".to_owned(), "60 2m".to_owned()], Some(6))
    );
    let stopped = together(&["1m", "2m", "3m"])
        .prepare(1)
        .map(drop)
        .expect_err("two and three do not go together");
    assert!(
        stopped.to_string().contains("has 2 values") && stopped.to_string().contains("has 3"),
        "{stopped}"
    );
}

#[test]
fn a_longer_toleration_evicts_fewer() {
    let loaded = loaded();
    // Silent from 60 s to 180 s. Unknown and tainted 40 to 50 s after the last heartbeat (grace
    // 50 s, seen every 5 s), that is, by 120 s at the latest: tolerating nothing, both pods are
    // evicted; tolerating 300 s, none is.
    let cases = sweep(&loaded, vec![axis(TOLERATION, &["0", "300"])], 4)
        .prepare(2)
        .and_then(|p| run(&p, &|_| true))
        .expect("it runs");
    let evicted: Vec<Vec<u64>> =
        cases.iter().map(|c| c.runs.iter().map(|r| r.metrics.evicted).collect()).collect();
    assert_eq!(evicted, [[2, 2, 2, 2], [0, 0, 0, 0]]);
    // The nodes are back two minutes after they were lost, within the five of the window.
    assert!(cases[0].runs.iter().all(|r| r.metrics.needless == 2));
    // The same draws for every value: what comes before the first eviction is the same.
    for (a, b) in cases[0].runs.iter().zip(&cases[1].runs) {
        assert_eq!(
            (a.seed, a.metrics.detection, a.metrics.tainting),
            (b.seed, b.metrics.detection, b.metrics.tainting)
        );
    }
}

/// Both nodes of `web` are cut off for two minutes, which is how long it is below its need with the longer toleration. Tolerating
/// nothing its pods are evicted when their nodes are tainted, 45 to 70 s after the cut, and up again seconds later. `broken`
/// finds no node in any run.
#[test]
fn who_is_below_its_need_all_along_hides_nobody() {
    let text = r#"(version: 1, horizon: "20m", timing: Ideal,
        nodes: [(names: "a-{0..4}", zone: "a", capacity: {"cpu": "4", "pods": "110"}), (names: "b-{0..1}", zone: "b", capacity: {"cpu": "4", "pods": "110"})],
        workloads: [
            Deployment(name: "broken", replicas: 1, template: (requests: {"cpu": "100"})),
            Deployment(name: "web", replicas: 2, needs: 2, placement: Spread(Zone("b")), template: (tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 300)])),
        ],
        timeline: [(at: "1m", do: Partition(nodes: Zone("b"), duration: "2m"))])"#;
    let loaded = scenario::parse("s.ron", text.into(), Path::new("")).expect("a scenario");
    let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds";
    let cases = sweep(&loaded, vec![axis(path, &["0", "300"])], 2)
        .prepare(2)
        .and_then(|p| run(&p, &|_| true))
        .expect("it runs");
    assert_eq!(
        below_all_along(&cases).into_iter().collect::<Vec<_>>(),
        ["Deployment/default/broken"]
    );
    for (case, seconds) in cases.iter().zip([30..100, 119..126]) {
        for run in &case.runs {
            let below = run.metrics.costs.below_need;
            assert!(seconds.contains(&below.as_secs()), "{:?}: {below:?}", case.values);
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let loaded = loaded();
    let sweep = sweep(&loaded, vec![axis(TOLERATION, &["0", "30", "60"])], 7);
    let one = sweep.prepare(1).and_then(|p| run(&p, &|_| true)).expect("it runs");
    assert_eq!(one, sweep.prepare(5).and_then(|p| run(&p, &|_| true)).expect("it runs"));
    let seeds: Vec<u64> = one[2].runs.iter().map(|r| r.seed).collect();
    assert_eq!(seeds, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_wrong_path_is_said_once() {
    let loaded = loaded();
    let sweep = sweep(&loaded, vec![axis("pods.v.count", &["1", "2", "3"])], 7);
    let stopped = sweep.prepare(2).map(drop).expect_err("there is no such group");
    assert!(matches!(&stopped, Stopped::Problems(p) if p.0.len() == 1), "{stopped}");
}

#[test]
fn it_stops_when_asked() {
    let loaded = loaded();
    let sweep = sweep(&loaded, vec![axis(TOLERATION, &["0", "30"])], 50);
    let runs = AtomicU64::new(0);
    let watch = |event| event != Event::Done || runs.fetch_add(1, Relaxed) < 3;
    assert!(matches!(sweep.prepare(2).and_then(|p| run(&p, &watch)), Err(Stopped::Asked)));
    assert!(runs.load(Relaxed) < 10, "{runs:?}");
}

#[test]
fn what_was_run_before_it_was_stopped_can_be_compared() {
    let loaded = loaded();
    let sweep = sweep(&loaded, vec![axis(TOLERATION, &["0", "30", "300"])], 5000);
    let (prepared, runs) = (sweep.prepare(2).expect("it is right"), AtomicU64::new(0));
    let watch = |event| event != Event::Done || runs.fetch_add(1, Relaxed) < 300;
    let ran = run_all(std::slice::from_ref(&prepared), &watch, Desk::Here).expect("it runs");
    // 302 runs at most are done. A round is three cases with sixteen seeds, 48 runs: six rounds
    // are behind, the seventh may be begun.
    assert!((16..=112).contains(&ran.seeds), "{}", ran.seeds);
    for case in &ran.cases[0] {
        assert_eq!(
            case.runs.iter().map(|r| r.seed).collect::<Vec<_>>(),
            (1..=ran.seeds).collect::<Vec<_>>()
        );
    }
    // They are what a sweep over so few seeds has.
    let few = Sweep { seeds: ran.seeds, ..sweep.clone() };
    assert_eq!(few.prepare(1).and_then(|p| run(&p, &|_| true)).expect("it runs"), ran.cases[0]);
}

#[test]
fn too_many_runs_are_refused() {
    let loaded = loaded();
    let mut many = sweep(&loaded, vec![], u64::MAX);
    assert!(matches!(many.prepare(1), Err(Stopped::Problems(_))));
    many.seeds = 2;
    many.base.seed = Some(u64::MAX);
    assert!(matches!(many.prepare(1), Err(Stopped::Problems(_))));
}

/// web says how long its pods take to start, so that what kubelets take otherwise reaches nobody; how many there are does.
#[test]
fn a_setting_that_changes_no_run_is_found() {
    let text = r#"(version: 1, horizon: "10m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All), template: (pod_start: "5s"))],
        timeline: [(at: "1m", do: Crash(node: "a-0"))])"#;
    let loaded =
        scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new("")).expect("it is right");
    let starts = axis("timing.kubelet.pod_start", &["2s", "60s"]);
    let sweep = sweep(&loaded, vec![starts, axis("workloads.web.replicas", &["2", "3"])], 2);
    let prepared = sweep.prepare(2).expect("it can be built");
    let cases = run(&prepared, &|_| true).expect("it runs");
    assert_eq!(idle(&sweep.axes, false, &cases, Outcome::eq), ["timing.kubelet.pod_start"]);
    assert!(idle(&sweep.axes, true, &cases, Outcome::eq).is_empty());
    assert_eq!(cases.len(), 4);
}

/// The node is back three minutes after it was cut off, some two after its pod's timer was set, so that it says when the timer
/// would end and nothing comes of it.
#[test]
fn a_setting_that_moves_no_figure_is_found() {
    let text = r#"(version: 1, horizon: "10m", nodes: [(names: "a-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],
        timeline: [(at: "1m", do: Partition(nodes: Node("a-0"), duration: "3m"))])"#;
    let loaded =
        scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new("")).expect("it is right");
    let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds";
    let of = |values: &[&str]| {
        let sweep = sweep(&loaded, vec![axis(path, values)], 2);
        let prepared = sweep.prepare(2).expect("it can be built");
        let cases = run(&prepared, &|_| true).expect("it runs");
        let found = |alike| idle(&sweep.axes, false, &cases, alike).len();
        [found(Outcome::eq), found(Outcome::has_figures_of)]
    };
    assert_eq!(of(&["300", "600"]), [0, 1]);
    // After a minute the pod is evicted.
    assert_eq!(of(&["60", "600"]), [0, 0]);
}

/// Without grace periods there is none that somebody could grant, and what is assumed of pods is so
/// in every row.
#[test]
fn a_note_of_some_rows_names_them() {
    let text = r#"(version: 1, horizon: "5m", kubernetes: "1.34", nodes: [(name: "a")],
        workloads: [Deployment(name: "w", replicas: 1)],
        timeline: [(at: "1m", do: Shutdown(node: "a", duration: "1m"))])"#;
    let loaded = scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new(""));
    let loaded = loaded.expect("the scenario is right");
    let axes = vec![axis("flags.kubelet.shutdown-grace-period", &["0s", "12s", "30s"])];
    let sweep = sweep(&loaded, axes, 1);
    let notes = sweep.prepare(1).expect("it can be built").notes;
    let is = |begin: &str| notes.iter().any(|note| note.starts_with(begin));
    assert!(is("With 0s: Assumed: the kubelets have no grace periods"), "{notes:?}");
    assert!(is("With 12s, 30s: Assumed: logind grants"), "{notes:?}");
    assert!(is("Assumed: pods take"), "{notes:?}");
}
