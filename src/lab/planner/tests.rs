//! Plans whose answer is known by formula.

use super::closed::{Closed, Formula, left_out};
use super::count::{How, standing};
use super::placed::{bare_pods, bound};
use super::{Answer, Counting, Objective, Planner, answer};
use crate::api::pod::{PodPhase, PodSource};
use crate::api::probe::RestartPolicy;
use crate::kernel::Dur;
use crate::lab::shards::Desk;
use crate::lab::sweep::{Axis, Sweep};
use crate::plan::PodStart;
use crate::scenario::{Drawn, Loaded, Overrides, drawn, parse};
use std::path::Path;

pub(super) const TOLERATION: &str =
    "workloads.*.template.tolerations[unreachable].tolerationSeconds";

/// Twenty nodes with a pod each, which fail by themselves; `Ideal`, so that nothing but the outage
/// takes time. With `kind` the pods are those of a Deployment or a StatefulSet.
pub(super) fn scenario(kind: &str, faults: &str) -> Loaded {
    let text = format!(
        r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{{00..19}}", zone: "a")],
        workloads: [{kind}(name: "web", replicas: 20, placement: Spread(All), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 300)]))],
        faults: (models: [{faults}]))"#
    );
    parse("p.ron", text.clone().into_bytes(), Path::new(""))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub(super) fn planner<'a>(loaded: &'a Loaded, values: &[&str], prices: &[&str]) -> Planner<'a> {
    let models = drawn(loaded, &Overrides::default()).expect("it builds").models.list;
    let prices: Vec<String> = prices.iter().map(|p| (*p).to_owned()).collect();
    Planner {
        sweep: Sweep {
            loaded,
            base: Overrides::default(),
            axes: vec![Axis {
                path: TOLERATION.to_owned(),
                values: values.iter().map(|v| (*v).to_owned()).collect(),
            }],
            zipped: false,
            seeds: 1,
            window: Dur::from_secs(300),
        },
        now: Some(0),
        objective: Objective::new(None).with(&prices, None).expect("prices"),
        within: Vec::new(),
        precision: 0.05,
        confidence: 0.95,
        counting: Counting::fitting(&models, false),
        apart: None,
        only: None,
        eager: false,
    }
}

/// The closed form of rows whose pods are all placed.
fn closed(sweep: &Sweep<'_>, rows: &[Drawn]) -> Result<Vec<Closed>, String> {
    let places = |row: &Drawn| bound(&row.plan).expect("all pods are placed");
    let of = |row| Formula::new(row, places(row), sweep.window, &[]);
    super::closed::closed(sweep, rows, &rows.iter().map(of).collect::<Vec<_>>())
}

/// The closed form of pods that are where a run has them.
fn closed_by_run(text: &str) -> Closed {
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let mut row = drawn(&loaded, &Overrides::default()).expect("it builds");
    let how = How { window: Dur::from_secs(300), own: &[], goes_on: &|| true };
    let (_, places) = standing(&mut row, 1, &how).expect("it is not stopped");
    assert_eq!(bound(&row.plan), None);
    Formula::new(&row, places, how.window, &[]).a_year(&row)
}

pub(super) fn answered(planner: &Planner<'_>) -> Answer {
    let kept = planner.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    answer(&kept, &planner.objective, &planner.within, planner.confidence)
}

/// One node at a time, cut off for an exponential time of mean 600 s, twelve times a node and year:
/// 240 outages. The last renewal is five seconds old on average and was seen by a pass 2.5 s after it
/// was made; 50 s later its grace is over, which a pass finds within five seconds, and T seconds after
/// that the pod is evicted: T' = 47.5 to 52.5 + T. An outage costs mu (1 - e^(-T'/mu)) and 2 s where
/// it evicts, which it does with probability e^(-T'/mu). T = 300: T' = 350 ± 2.5: e^(-0.5833) =
/// 0.5580 ± 0.0023; missing 600 · 0.4420 = 265.2 s, and 1.1 s: 240 · 266.3 / 60 = 1,065.2
/// replica-minutes, 133.9 evictions. Which node fails does not matter, and for how long it does is
/// taken at its mean: of 26 replica-minutes that the cost may be off by half are left at the most.
#[test]
fn one_node_at_a_time_is_its_closed_form() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))"#;
    let loaded = scenario("Deployment", faults);
    let planner = planner(&loaded, &["0", "300"], &[]);
    assert_eq!(planner.counting.0, Counting::Outages, "{}", planner.counting.1);
    let a = answered(&planner);
    let row = &a.rows[1];
    let slack = 240.0 * 2.5 * 0.56 / 60.0;
    assert!(row.interval.low - slack <= 1_065.2 && 1_065.2 <= row.interval.high + slack, "{row:?}");
    assert!(row.interval.high - row.interval.low < 0.05 * row.cost, "{row:?}");
    let evicted = row.figures[3];
    let half = 3.0 * (240.0_f64.powi(2) * 0.5580 * 0.4420 / a.n as f64).sqrt();
    assert!((evicted - 133.9).abs() <= half + 1.0, "{evicted} ± {half}");
    // Over within five minutes: 1 - e^(-300/600), whatever was drawn.
    let (short, _) = a.short.expect("short ones and others");
    assert!((short - 0.393_469).abs() < 1e-6, "{short}");
    // Without a price of evictions nothing is better than at once: T' = 50 s.
    assert_eq!((a.best, a.guaranteed), (0, true));
    assert!(a.rows[0].cost < a.rows[1].cost);
    // The closed form is within two per cent of it.
    let closed = row.closed.expect("a toleration");
    assert!((closed - 1_065.2).abs() < 22.0, "{closed}");
}

/// A machine that stops for two minutes is away for 30 s more, in which it boots, and its pod starts
/// anew for two: 152 s are missing of each of 240 outages where nobody is evicted, 608 minutes. Given
/// up at once it is missing for the 49 s of detection, some, and those two.
#[test]
fn a_machine_that_stopped_is_away_until_it_has_booted() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("2m"))"#;
    for kind in ["Deployment", "StatefulSet"] {
        let text = scenario(kind, faults).source.text.replace("Ideal", "Typical");
        let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
        let a = answered(&planner(&loaded, &["0", "300"], &[]));
        let expected = 240.0 * 152.0 / 60.0;
        let closed = a.rows[1].closed.expect("a toleration");
        assert!((closed - expected).abs() < 0.01, "{kind}: {closed}");
        let cost = a.rows[1].cost;
        assert!((cost / expected - 1.0).abs() < 0.02, "{kind}: {cost}");
        let at_once = match kind {
            "Deployment" => 240.0 * 51.0 / 60.0,
            _ => expected,
        };
        let closed = a.rows[0].closed.expect("a toleration");
        assert!((closed - at_once).abs() < 0.01, "{kind}: {closed}");
    }
}

/// Memoryless outages are all or nothing: evictions dearer than their mean of ten minutes are never
/// worth it, cheaper ones always.
#[test]
fn a_price_decides_at_the_mean() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))"#;
    let loaded = scenario("Deployment", faults);
    for (price, best) in [("evicted=4m", "0"), ("evicted=20m", "none")] {
        let planner = planner(&loaded, &["0", "120", "300", "none"], &[price]);
        let a = answered(&planner);
        assert_eq!(a.rows[a.best].values, [best], "{price}: {a:#?}");
        // The price at which it turns: of equal slopes, the mean, ten minutes and the two seconds.
        let turns = a.break_even.iter().find(|b| b.figure == 3).expect("it turns");
        assert!((turns.price - 10.0).abs() < 3.0, "{turns:?}");
    }
}

/// A StatefulSet's pod is not replaced while its node is away: no toleration changes what is
/// missing, but for the time that an evicted pod needs to start anew.
#[test]
fn no_toleration_helps_a_stateful_set() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("20m"))"#;
    let loaded = scenario("StatefulSet", faults);
    let a = answered(&planner(&loaded, &["0", "60", "300", "none"], &[]));
    // 240 outages of 20 minutes each are 4,800; who was evicted needs at most half a minute more.
    for row in &a.rows {
        assert!((0.0..150.0).contains(&(row.figures[0] - 4_799.0)), "{row:?}");
    }
    assert!(a.unmoved.contains(&0), "{a:?}");
    // By formula they wait for all of it: 240 outages of 20 minutes, and two seconds for each that
    // was evicted, which is all of them but where nobody is.
    for (row, by_formula) in a.rows.iter().zip([4_808.0, 4_808.0, 4_808.0, 4_800.0]) {
        let closed = row.closed.expect("a toleration");
        assert!((closed - by_formula).abs() < 1e-6 && row.waiting == closed, "{row:?}");
    }
    // Evicted or not: only who never is, is spared the start.
    assert_eq!(a.rows[a.best].values, ["none"]);
}

/// Twenty pods on twenty nodes come to the same, whether the scenario places one on each or the
/// scheduler does: on average each node has one.
#[test]
fn pods_that_are_placed_later_are_in_the_closed_form() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("20m"))"#;
    for kind in ["Deployment", "StatefulSet"] {
        let placed = scenario(kind, faults);
        let free = closed_by_run(&placed.source.text.replace("placement: Spread(All), ", ""));
        let rows = [drawn(&placed, &Overrides::default()).expect("it builds")];
        let placed =
            closed(&planner(&placed, &["300"], &[]).sweep, &rows).expect("a toleration")[0];
        assert!((placed.missing - free.missing).abs() < 1e-6, "{kind}: {placed:?} {free:?}");
        assert!((placed.waiting - free.waiting).abs() < 1e-6, "{kind}: {placed:?} {free:?}");
        assert!((placed.evicted - free.evicted).abs() < 1e-6, "{kind}: {placed:?} {free:?}");
    }
}

/// Three nodes of zone a, two of zone b, for which `web` and a Job ask, and one that only the DaemonSet's pods tolerate. Twelve
/// outages a node and year of ten minutes. In zone b four pods of `web` and two of the Job, wherever they are, are given up
/// after 49 + 300 s and up two seconds later: 12 · 6 of 351 s, and 24 times a daemon waits for 600 s and starts: 421.2 and
/// 240.8 minutes. In zone a there are daemons alone: 36 times 602 s are 361.2; and 12 times on the third kind of node, 120.4.
#[test]
fn pods_are_counted_where_they_can_be() {
    let of = |zone: &str| {
        closed_by_run(&format!(
            r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "a-{{0..2}}", zone: "a"),
                (names: "b-{{0..1}}", zone: "b", labels: {{"pool": "web"}}), (name: "m", zone: "m", taints: ["alone:NoSchedule"])],
            workloads: [Deployment(name: "web", replicas: 4, template: (nodeSelector: {{"pool": "web"}})),
                Job(name: "sum", parallelism: 2, completions: 2, template: (nodeSelector: {{"pool": "web"}})),
                DaemonSet(name: "agent", template: (tolerations: [(operator: Exists)]))],
            faults: (models: [(name: "boot", nodes: Zone("{zone}"), do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#
        ))
    };
    for (zone, missing, evicted) in
        [("a", 361.2, 0.0), ("b", 421.2 + 240.8, 72.0), ("m", 120.4, 0.0)]
    {
        let found = of(zone);
        let off = (found.missing - missing).abs() + (found.evicted - evicted).abs();
        assert!(off < 1e-6, "{zone}: {found:?}");
    }
}

/// One pod on one of two nodes, each of which is off for 20 minutes twelve times a year, and evicted after 49 + 300 s. Replaced two
/// seconds later it is missing for 12 · 351 s, 70.2 minutes; where its Job waits until it is gone, for 12 · 1,202 s, 240.4
/// minutes. A failure policy has it wait from 1.28 on; before 1.32 nodes are given up ten seconds sooner. Cut off it works on
/// until it is evicted: that is 12 · 349 s less, 69.8 minutes, or 12 · 339, 67.8, and no toleration is in vain.
#[test]
fn a_job_that_replaces_failed_pods_alone_waits_for_its_node() {
    let policy = "podFailurePolicy: (rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])])";
    for (release, field, act, missing, waiting) in [
        ("1.36", "backoffLimit: 6", "Crash", 70.2, 0.0),
        ("1.36", "podReplacementPolicy: Failed", "Crash", 240.4, 240.4),
        ("1.28", policy, "Crash", 240.4, 240.4),
        ("1.27", policy, "Crash", 68.2, 0.0),
        ("1.36", "backoffLimit: 6", "Partition()", 70.2 - 69.8, 0.0),
        ("1.28", policy, "Partition()", 240.4 - 67.8, 0.0),
    ] {
        let found = closed_by_run(&format!(
            r#"Scenario(version: 1, horizon: "1h", kubernetes: "{release}", timing: Ideal, nodes: [(names: "n-{{0..1}}", zone: "a")],
                workloads: [Job(name: "sum", {field})],
                faults: (models: [(name: "node", nodes: All, do: {act}, rate: PerNodeYear(12), lasts: Fixed("20m"))]))"#
        ));
        let off = (found.missing - missing).abs() + (found.waiting - waiting).abs();
        assert!(off < 1e-6, "{release} {field} {act}: {found:?}");
    }
}

/// Six pods that the scheduler places on six of twelve nodes, or fewer, others in each run: 72 outages of a pod a year, by
/// formula of 49 + 300 s and two: 421.2 minutes. Detection takes 47.5 to 52.5 s. What each run expects is of where its own
/// pods are, so that only detection is chance; of a hundred outages of which every second one meets a pod the cost would be
/// known to a fifth.
#[test]
fn where_a_run_has_its_pods_is_no_chance() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))"#;
    let text = scenario("Deployment", faults).source.text.replace("placement: Spread(All), ", "");
    let text = text.replace("replicas: 20", "replicas: 6").replace("{00..19}", "{00..11}");
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let a = answered(&planner(&loaded, &["0", "300"], &[]));
    let row = &a.rows[1];
    assert!(row.closed.is_some_and(|closed| (closed - 421.2).abs() < 1e-6), "{row:?}");
    let slack = 72.0 * 3.5 / 60.0;
    assert!(row.interval.low - slack <= 421.2 && 421.2 <= row.interval.high + slack, "{row:?}");
    assert!(row.interval.high - row.interval.low < 0.05 * row.cost, "{row:?}");
}

/// Outages of ten hours, and somebody deletes a node that has been away for half an hour: then its pods
/// are gone, whatever they tolerate. 240 outages, of half an hour and two seconds, which are 7,208
/// minutes, or of the 49 s of detection, the 300 s and two seconds: 1,404. Where each node has room for its own pod alone,
/// that waits for the machine that takes its place three minutes later: 240 · 33 minutes and two seconds, 7,928.
#[test]
fn repair_ends_what_the_closed_form_counts() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10h"))"#;
    let mut text = scenario("Deployment", faults).source.text.to_string();
    let repair = r#", repair: (after: "30m", do: Replace, takes: "3m", unless_share: 0.2)))"#;
    text.replace_range(text.len() - 2.., repair);
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let of = |loaded: &Loaded, value: &str| {
        let sets = vec![format!("{TOLERATION}={value}")];
        let rows = [drawn(loaded, &Overrides { sets, ..Overrides::default() }).expect("it builds")];
        closed(&planner(loaded, &[value], &[]).sweep, &rows).expect("a toleration")[0]
    };
    let full = loaded.source.text.replace(r#""a""#, r#""a", capacity: {"pods": "1"}"#);
    let full = parse("p.ron", full.into_bytes(), Path::new("")).expect("a scenario");
    for (loaded, [never, later]) in [(&loaded, [7_208.0, 1_404.0]), (&full, [7_928.0; 2])] {
        for (value, missing, evicted) in [("none", never, 0.0), ("300", later, 240.0)] {
            let found = of(loaded, value);
            let off = (found.missing - missing).abs() + (found.evicted - evicted).abs();
            assert!(off < 1e-6, "{value}: {found:?}");
        }
    }
    // All of the zone is more than a fifth: nobody sees to that. Twenty pods for ten hours, and for the
    // two seconds in which they start anew.
    let (one, all) = (
        "nodes: All, do: Crash, rate: PerNodeYear(12)",
        "groups: Zones, do: Crash, rate: PerGroupYear(1)",
    );
    let text = loaded.source.text.replace(one, all);
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let mut rows = [drawn(&loaded, &Overrides::default()).expect("it builds")];
    rows[0].plan.templates.iter_mut().for_each(|t| t.tolerations[0].toleration_seconds = None);
    let all = closed(&planner(&loaded, &["none"], &[]).sweep, &rows).expect("a toleration")[0];
    let expected = 20.0 * (600.0 + 2.0 / 60.0);
    assert!((all.missing - expected).abs() < 1e-6, "{all:?}");
}

/// Cut off from the API server alone, for twenty minutes 240 times, pods serve on until they are given
/// up: those of a Deployment are missing for the two seconds of a start, those of a StatefulSet from
/// the 49 or 349 s until their nodes are back, and for a start: 1,153 or 853 s. Who is never given up
/// is never missing.
#[test]
fn who_is_still_reached_is_not_missing_in_the_closed_form() {
    let faults = r#"(name: "link", nodes: All, do: Partition(cut: ApiServer), rate: PerNodeYear(12), lasts: Fixed("20m"))"#;
    let of = |kind: &str, value: &str| {
        let loaded = scenario(kind, faults);
        let sets =
            Overrides { sets: vec![format!("{TOLERATION}={value}")], ..Overrides::default() };
        let rows = [drawn(&loaded, &sets).expect("it builds")];
        let all = closed(&planner(&loaded, &[value], &[]).sweep, &rows);
        all.expect("a toleration")[0].missing
    };
    for (kind, value, expected) in [
        ("Deployment", "0", 8.0),
        ("Deployment", "300", 8.0),
        ("Deployment", "none", 0.0),
        ("StatefulSet", "0", 4_612.0),
        ("StatefulSet", "300", 3_412.0),
        ("StatefulSet", "none", 0.0),
    ] {
        let found = of(kind, value);
        assert!((found - expected).abs() < 1e-6, "{kind} {value}: {found}");
    }
}

/// Of twenty pods, one on each node, the pod of a Job that is over is missed by nobody, nor is one that
/// belongs to its machine: 18 of them are left.
#[test]
fn who_is_missed_by_nobody_is_not_in_the_closed_form() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("20m"))"#;
    let loaded = scenario("Deployment", faults);
    let mut rows = [drawn(&loaded, &Overrides::default()).expect("it builds")];
    let p = planner(&loaded, &["300"], &[]);
    let all = closed(&p.sweep, &rows).expect("a toleration")[0].missing;
    let plan = &mut rows[0].plan;
    plan.pods[3].start = PodStart::Imported {
        phase: PodPhase::Succeeded,
        ready: None,
        disruption_target: None,
        deletion: None,
    };
    let mut own = plan.templates[plan.pods[5].template as usize].clone();
    own.source = PodSource::File;
    plan.templates.push(own);
    plan.pods[5].template = plan.templates.len() as u32 - 1;
    let some = closed(&p.sweep, &rows).expect("a toleration")[0].missing;
    assert!((some / all - 18.0 / 20.0).abs() < 1e-9, "{some} {all}");
    // Each of the others has a workload. Pods that have none are left out where others have one.
    assert_eq!((bare_pods(&rows[0].plan), left_out(&rows[0])), (0, Vec::new()));
    let template = rows[0].plan.pods[0].template as usize;
    rows[0].plan.templates[template].restart_policy = RestartPolicy::Never;
    assert_eq!(left_out(&rows[0]), ["pods that end with their machine (restartPolicy Never)"]);
    rows[0].plan.templates[template].owner = None;
    assert_eq!(bare_pods(&rows[0].plan), 18);
    let none = closed(&p.sweep, &rows).expect("a toleration")[0].missing;
    assert!(none.abs() < 1e-9, "{none}");
}

/// Where there is no closed form it is said why, and what it leaves out where there is one.
#[test]
fn what_the_closed_form_does_not_know_is_said() {
    let crash =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Fixed("10m"))"#;
    let upgrade =
        r#"(name: "upgrade", nodes: All, do: Maintain, rate: PerNodeYear(1), lasts: Fixed("10m"))"#;
    let of = |faults: &str, path: &str| {
        let loaded = scenario("Deployment", faults);
        let mut p = planner(&loaded, &["1", "2"], &[]);
        p.sweep.axes[0].path = path.to_owned();
        let rows = [drawn(&loaded, &Overrides::default()).expect("it builds")];
        let said = closed(&p.sweep, &rows).map(|_| ());
        (said, left_out(&rows[0]))
    };
    let (said, without) = of(&format!("{crash}, {upgrade}"), TOLERATION);
    assert_eq!((said, without), (Ok(()), vec!["upgrade".to_owned()]));
    // Half of eight minutes is more than a twentieth of ten, half of one minute is just that.
    let slow = |within: &str| {
        let more = format!(r#"groups: Cluster, within: "{within}", rate: PerGroupYear(1)"#);
        crash.replace("nodes: All", &more).replace(", rate: PerNodeYear(1)", "")
    };
    let by_one = "that nodes of node go down one by one (`within`)".to_owned();
    assert_eq!(of(&slow("8m"), TOLERATION), (Ok(()), vec![by_one]));
    assert_eq!(of(&slow("1m"), TOLERATION), (Ok(()), Vec::new()));
    let (said, _) = of(crash, "workloads.web.replicas");
    assert!(said.is_err_and(|why| why.contains("`workloads.web.replicas`")));
    let (said, _) = of(upgrade, TOLERATION);
    assert!(said.is_err_and(|why| why.contains("without notice")));
}

/// Both ways to count come to the same where outages do not overlap.
#[test]
fn one_at_a_time_and_whole_years_agree() {
    let faults =
        r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(2), lasts: Fixed("10m"))"#;
    let loaded = scenario("Deployment", faults);
    let mut one = planner(&loaded, &["0", "300"], &[]);
    let single = answered(&one);
    one.counting.0 = Counting::Years;
    one.precision = 0.25;
    let years = answered(&one);
    for (a, b) in single.rows.iter().zip(&years.rows) {
        // A year has forty outages on average, and so a deviation of 16 %; of eight years the mean
        // has one of 5.6 %, and three of them are 17 %.
        assert!((a.cost - b.cost).abs() <= 0.17 * a.cost, "{a:?}\n{b:?}");
    }
    assert_eq!(single.best, years.best);
}

/// What no value touches differs by nothing at all, replication by replication.
#[test]
fn common_draws_leave_no_noise_between_rows() {
    let faults = r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(4), lasts: Exponential(mean: "5m"))"#;
    let loaded = scenario("Deployment", faults);
    let mut p = planner(&loaded, &["7", "8"], &[]);
    p.sweep.axes[0] = Axis {
        path: "flags.kube-controller-manager.large-cluster-size-threshold".to_owned(),
        values: vec!["50".to_owned(), "60".to_owned()],
    };
    let a = answered(&p);
    let (row, i) = (&a.rows[1], a.rows[1].more_interval);
    assert_eq!(row.more, 0.0);
    // No formula knows of it: what none of so many outages showed may come in three of as many.
    let open = 3.0 * row.cost / a.n as f64;
    assert!((i.high - open).abs() < 1e-6 && (i.low + open).abs() < 1e-6, "{row:?}");
    assert_eq!(a.same, [0, 1]);
}

#[test]
fn threads_do_not_matter_and_what_is_kept_answers_other_prices() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))"#;
    let loaded = scenario("Deployment", faults);
    let planner = planner(&loaded, &["0", "300", "none"], &["evicted=4m"]);
    let kept = planner.run(1, &|_, _, _| true, Desk::Here).expect("it runs");
    assert_eq!(kept, planner.run(3, &|_, _, _| true, Desk::Here).expect("it runs"));
    let text = serde_json::to_string(&kept).expect("it can be written");
    let again: super::Kept = serde_json::from_str(&text).expect("it can be read");
    assert_eq!((again.moments.n(), again.settled), (kept.moments.n(), kept.settled));
    let dear = Objective::new(None).with(&["evicted=20m".to_owned()], None).expect("a price");
    let a = answer(&again, &dear, &[], 0.95);
    assert_eq!(a.rows[a.best].values, ["none"]);
    let limit = super::Bound::parse("evicted<=0/y").expect("a limit");
    let a = answer(&again, &planner.objective, &[limit], 0.95);
    assert_eq!((a.rows[a.best].values.as_slice(), a.keeps), (&["none".to_owned()][..], true));
    // At what it comes to on average a limit is kept by chance; at twice as much it is kept.
    let evicted = a.rows[0].figures[3];
    let unsure = |most: f64| {
        let limit = super::Bound { text: "evicted".to_owned(), figure: 3, most };
        let a = answer(&again, &planner.objective, &[limit], 0.95);
        (a.rows[0].breaks.len(), a.rows[0].unsure.len())
    };
    assert_eq!([evicted * 0.999, evicted, evicted * 2.0].map(unsure), [(1, 0), (0, 1), (0, 0)]);
}

/// Without memory an evicted pod's node is back within W of its eviction with the same probability
/// whatever was tolerated: 1 - e^(-300/600) = 0.3935. A node counts as back once the controller
/// sees it, which takes up to ten seconds.
#[test]
fn the_needless_share_is_constant() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))"#;
    let loaded = scenario("Deployment", faults);
    let mut p = planner(&loaded, &["0", "120", "300"], &[]);
    p.precision = 0.03;
    let a = answered(&p);
    for row in &a.rows {
        let share = row.figures[4] / row.figures[3];
        let evicted = row.figures[3] / 240.0 * a.n as f64;
        let half = 3.0 * (0.3935 * 0.6065 / evicted).sqrt();
        assert!(
            share <= 0.3935 + half && share >= 0.3935 - half - 0.01,
            "{share} ± {half}: {row:?}"
        );
    }
}

/// Forty of a hundred nodes of a zone are cut off for ten minutes. They are Unknown after 50 to 55
/// s, and one is tainted every ten seconds; 300 s later its pod is evicted, if the node is not back:
/// floor((600 - 50 - 300) · 0.1) + 1 = 26, or one fewer, or one more until the taint is taken off.
#[test]
fn a_burst_queues_behind_the_rate_of_its_zone() {
    let text = r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{00..99}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 100, placement: Spread(All), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 300)]))],
        faults: (models: [(name: "burst", groups: Zones, do: Partition(), rate: PerGroupYear(1), hits: 0.4, lasts: Fixed("10m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["300", "none"], &[]);
    p.precision = 0.2;
    let a = answered(&p);
    let evicted = a.rows[0].figures[3];
    assert!((25.0..=27.0).contains(&evicted), "{evicted}");
    // Forty nodes for ten minutes are 400 replica-minutes where nobody is evicted.
    assert!((a.rows[1].figures[0] - 400.0).abs() < 1.0, "{:?}", a.rows[1]);
}

/// All outages have the same length: who tolerates less than what is left of it after detection is
/// evicted every time, who tolerates more never.
#[test]
fn fixed_outages_make_a_step() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("10m"))"#;
    let loaded = scenario("Deployment", faults);
    let a = answered(&planner(&loaded, &["500", "580"], &[]));
    // 600 - 50 = 550.
    assert!((a.rows[0].figures[3] - 240.0).abs() < 1e-6, "{:?}", a.rows[0]);
    assert_eq!(a.rows[1].figures[3], 0.0);
}
