//! Whole years, and how surely what a plan says covers.

use super::moments::Moments;
use super::tests::{TOLERATION, answered, planner, scenario};
use super::{Answer, BELOW, Counting, FIGURES, MISSING, Planner, answer};
use crate::analysis::{Analysis, Figure, Interval, summary};
use crate::kernel::{Choices, Dur};
use crate::lab::shards::Desk;
use crate::lab::sweep::Axis;
use crate::lab::threads::{Event, Stopped};
use crate::scenario::{Overrides, drawn, parse};
use crate::sim;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Three nodes that are up for three hours and down for one, on average, each by itself, and a pod on
/// each that stays there: how many are up is binomial with 3/4. A quarter of three pods is missing,
/// 0.75 replica-minutes a minute, and for 1/64 of the time there is none. In ten times ten days there
/// are 1,800 outages, so that the first is known to 3 % (a deviation), the second, some 110 times of
/// 20 minutes, to 13 %.
#[test]
fn nodes_that_fail_by_themselves_are_binomial() {
    let text = r#"Scenario(version: 1, horizon: "240h", timing: Ideal, nodes: [(names: "n-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3, needs: 1, placement: Spread(All), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute),
            (key: "node.kubernetes.io/not-ready", operator: Exists, effect: NoExecute)]))],
        faults: (models: [(name: "node", nodes: All, do: Partition(), up: Exponential(mean: "3h"), lasts: Exponential(mean: "1h"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let mut drawn = drawn(&loaded, &Overrides::default()).expect("it builds");
    let (mut missing, mut none) = (0.0, 0.0);
    for seed in 1..=10 {
        let plan = drawn.of(seed);
        let trace = sim::run(plan, Choices::seeded(seed));
        let all = Analysis::new(plan, &trace);
        let costs = summary::summary(&all, Dur::from_secs(300)).metrics.costs;
        missing += Figure::ReplicaMinutesMissing.of(&costs);
        none += Figure::MinutesBelowNeed.of(&costs);
    }
    let minutes = 10.0 * 240.0 * 60.0;
    assert!((missing / (0.75 * minutes) - 1.0).abs() < 0.1, "{missing}");
    assert!((none * 64.0 / minutes - 1.0).abs() < 0.4, "{none}");
}

/// Machines that do not come back for a day: to wait longer before their pods are given up, or to
/// find out later, never makes up for anything.
#[test]
fn waiting_for_what_is_lost_never_helps() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Fixed("24h"))"#;
    let loaded = scenario("Deployment", faults);
    let p = planner(&loaded, &["0", "60", "300", "900"], &[]);
    let missing = |a: &Answer| a.rows.iter().map(|r| r.figures[0]).collect::<Vec<f64>>();
    let of = missing(&answered(&p));
    assert!(of.is_sorted(), "{of:?}");
    let mut p = planner(&loaded, &["none"], &[]);
    p.sweep.axes[0] = Axis {
        path: "flags.kube-controller-manager.node-monitor-grace-period".to_owned(),
        values: ["20s", "40s", "50s", "2m"].map(str::to_owned).to_vec(),
    };
    let of = missing(&answered(&p));
    assert!(of.is_sorted(), "{of:?}");
}

/// Two pods on two nodes, each of which is away for an hour twenty times a year. One outage at a time takes one pod of them, and
/// one is enough. In a year both are on one node from the first outage on: every outage of that one, twenty
/// a year, has none up for the 49 s of detection, the 300 s and the 2 s of a start: 117 minutes. 160 outages
/// in eight years are known to a twelfth. As many pods are evicted either way: forty.
#[test]
fn whole_years_know_where_outages_leave_pods() {
    let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(20), lasts: Fixed("1h"))]))"#;
    let loaded = parse("p.ron", text.into(), Path::new("")).expect("a scenario");
    let planner = planner(&loaded, &["300", "600"], &[]);
    let run = |p: &Planner<'_>| p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    let mut kept = run(&planner);
    assert!(kept.years_of().is_none());
    let values = ["300".to_owned()];
    let years = planner.whole_years(&kept, &values);
    let years = years.expect("single outages are counted");
    assert!(years.whole_years(&kept, &values).is_none());
    kept.whole_years = Some(Box::new(run(&years)));
    kept.check().expect("it can be kept");
    assert_eq!(kept.years_of(), Some((&values[..], 8)));
    let all = kept.by_years(0.95).expect("years");
    let [[below, alone], [evicted, each]] = [1, 3].map(|f| all.each_ref().map(|of| of[f].0));
    assert!(alone.abs() < 1e-6, "{alone:?}");
    assert!((117.0 * 0.7..117.0 * 1.3).contains(&below), "{below:?}");
    assert!((each - 40.0).abs() < 1.0, "{each:?}");
    assert!((evicted - 40.0).abs() < 10.0, "{evicted:?}");
    // In one of eight years ten: 1.25, with an error of sqrt(12.5 / 8) = 1.25, and 2.365 errors to either side, but not below nothing.
    let mut rare = Moments::default();
    (0..8).for_each(|year| rare.add(&[if year == 7 { 10.0 } else { 0.0 }; FIGURES.len()]));
    kept.whole_years.as_mut().expect("years").moments = rare;
    let of = kept.by_years(0.95).expect("years")[0][0].1;
    assert!(of.low == 0.0 && (of.high - 1.25 * 3.3646).abs() < 1e-3, "{of:?}");
}

/// In the years above `web` is below its need for two hours a year, of which no single outage tells.
#[test]
fn minutes_below_need_are_counted_in_years() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))"#;
    let loaded = scenario("Deployment", faults);
    let models = drawn(&loaded, &Overrides::default()).expect("it builds").models.list;
    let of = |of_need| Counting::fitting(&models, of_need).0;
    assert_eq!((of(false), of(true)), (Counting::Outages, Counting::Years));
}

/// Of three pods two are needed, and two are in zone a, which is away for a day once in 50 years: who is never evicted is below its need for
/// 1,440 minutes and 30 s of a boot then, 0.02 · 1,440.5 = 28.8 a year. Given up after 49 + 60 s they are elsewhere two minutes later,
/// for 36 crashes of ten minutes that evict a pod, each a sixth of a minute: 6. So never to evict costs 22.8 more, though of eight years six
/// of seven have no such loss (e^(-0.16)).
#[test]
fn what_comes_too_seldom_for_years_is_in_them() {
    let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Nodes(["a-0", "a-1", "b-0"]), needs: 2)],
        faults: (models: [(name: "crash", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m")),
            (name: "zone", groups: Zones, do: Crash, rate: PerGroupYear(0.02), lasts: Fixed("24h"))]))"#;
    let loaded = parse("p.ron", text.into(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["60", "none"], &["missing=0", "below=1", "evicted=10s"]);
    p.counting.0 = Counting::Years;
    p.precision = 0.5;
    for seed in [1, 100] {
        p.sweep.base.seed = Some(seed);
        let kept = p.run(2, &|_, done, _| done < 8, Desk::Here).expect("it runs");
        kept.check().expect("it can be kept");
        assert_eq!((kept.alone(), kept.years.len()), (vec![1; 5], 8));
        let a = answer(&kept, &p.objective, &[], 0.95);
        let none = &a.rows[1];
        assert_eq!((a.wanted, a.best), (None, 0), "{seed}: {a:?}");
        let holds = |i: Interval, truth: f64| i.low <= truth && truth <= i.high;
        assert!(
            none.more_interval.low > 0.0 && holds(none.more_interval, 22.8),
            "{seed}: {none:?}"
        );
        assert!(holds(none.spans[BELOW], 28.8), "{seed}: {none:?}");
        assert!(kept.years.iter().all(|year| year[FIGURES.len() + BELOW] < 1_440.0));
    }
}

/// As long as a single pod is missing that its workload needs, the workload is below its need. Its node is away twelve times a year, for
/// 600 s on average, and the pod is given up after 350 s: 265.2 s are missing of each, and 1.1 s for a start
/// (`one_node_at_a_time_is_its_closed_form`): 12 · 266.3 / 60 = 53.26 minutes of either, each known as well as the other.
#[test]
fn who_needs_its_only_pod_is_below_its_need_while_it_is_missing() {
    let faults = r#"(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))"#;
    let text =
        scenario("Deployment", faults).source.text.replace("Spread(All)", "Nodes([\"n-00\"])");
    let text = text.replace("replicas: 20", "replicas: 1");
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let a = answered(&planner(&loaded, &["0", "300"], &[]));
    let row = &a.rows[1];
    let [missing, below] =
        [MISSING, BELOW].map(|f| [row.figures[f], row.spans[f].low, row.spans[f].high]);
    assert!(missing.iter().zip(below).all(|(m, b)| (m - b).abs() < 1e-6), "{missing:?} {below:?}");
    let slack = 12.0 * 2.5 * 0.56 / 60.0;
    assert!(below[1] - slack <= 53.26 && 53.26 <= below[2] + slack, "{below:?}");
    assert!(below[2] - below[1] < 0.1 * below[0], "{below:?}");
}

/// Two pods of a Job on two nodes, each of which is away for an hour thirty times a year, by either of two models: the first eviction is one failure
/// more than a backoffLimit of none (`pkg/controller/job/job_controller.go: exceedsBackoffLimit`), and sixty outages a
/// year leave no year without one. A network that is away for a second evicts nobody.
#[test]
fn a_job_that_fails_is_named() {
    let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All)),
            Job(name: "sum", parallelism: 2, completions: 2, backoffLimit: 0, placement: Spread(All))],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(20), lasts: Fixed("1h")),
            (name: "disk", nodes: All, do: Crash, rate: PerNodeYear(10), lasts: Fixed("1h")),
            (name: "link", nodes: All, do: Partition(), rate: PerNodeYear(10), lasts: Fixed("1s"))]))"#;
    let loaded = parse("p.ron", text.into(), Path::new("")).expect("a scenario");
    let mut planner = planner(&loaded, &["300", "600"], &[]);
    planner.sweep.axes[0].path = TOLERATION.replace('*', "web");
    for (counting, each) in [(Counting::Outages, 2), (Counting::Years, 1)] {
        planner.counting.0 = counting;
        let kept = planner.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
        let failed: Vec<_> = kept.failed.iter().collect();
        let [(job, (how, times))] = failed[..] else { panic!("{failed:?}") };
        assert_eq!((job.as_str(), *times), ("Job/default/sum", each * kept.moments.n()));
        assert!(how.starts_with("failed: BackoffLimitExceeded"), "{how}");
    }
}

/// Two pods of a workload on forty nodes that fail one by one: of four outages drawn as they come none would
/// meet one of them in four of five cases (0.95⁴ = 0.81), and values that make a difference of 24 outages a
/// year would come to the same. So half of the draws go to the two nodes, and nothing is known after four of
/// them. With all of them each value lies where the formula has it: an outage of mean 600 s is given up after
/// T = 49 s of detection and what is tolerated, at 4 minutes an eviction, which is known to 2.5 s of detection.
#[test]
fn a_few_pods_on_many_nodes_are_met() {
    let text = r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{00..39}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(Nodes(["n-00", "n-01"]))),
            Deployment(name: "api", replicas: 40, placement: Spread(All))],
        faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))]))"#;
    let loaded = parse("p.ron", text.into(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["0", "300", "none"], &["evicted=4m"]);
    p.sweep.axes[0].path = TOLERATION.replace('*', "web");
    p.now = Some(1);
    let told = |most: u64| {
        let kept = p.run(1, &|_, done, _| done < most, Desk::Here);
        let kept = kept.expect("it runs");
        let a = answer(&kept, &p.objective, &[], 0.95);
        (kept, a)
    };
    let (_, few) = told(4);
    assert!(few.wanted.is_some_and(|n| n >= 40), "{few:#?}");
    assert!(!few.guaranteed && few.open.is_some());
    let (kept, a) = told(u64::MAX);
    let met = kept.met[0].iter().max().copied().unwrap_or(0);
    assert!(a.wanted.is_none() && 3 * met > kept.moments.n(), "{met}");
    let by_formula = |timeout: f64| {
        let evicted = libm::exp(-timeout / 600.0);
        24.0 * (10.0 * (1.0 - evicted) + (4.0 + 2.0 / 60.0) * evicted)
    };
    let slack = 24.0 * 2.5 / 60.0;
    for (row, timeout) in [(0, 49.0), (1, 349.0), (2, f64::INFINITY)] {
        let more = by_formula(timeout) - by_formula(49.0);
        let i = a.rows[row].more_interval;
        assert_eq!(a.best, 0);
        assert!(i.low - slack <= more && more <= i.high + slack, "{row}: {more} {i:?}");
    }
}

/// Links fail for two minutes in the median (sigma 1), and one pod of twelve goes where one does for longer than 349 s:
/// Φ(ln(120 / 349)) = 0.1429 of 24 a year at 5 minutes each, and two seconds of a start, are 17.3 by formula. But a kubelet whose
/// TCP connection recovers slowly is heard of up to a minute late, and its pod goes after 330 s, too: 16,552 outages of seed 99 came to
/// 18.4 ± 0.2 and 3.66 ± 0.04 evictions. Of three plans of 40 outages two see none of that, and yet do not rule it out.
#[test]
fn what_is_rare_is_not_ruled_out() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "1h", nodes: [(names: "n-{00..11}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 12, placement: Spread(All), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 300)]))],
        faults: (models: [(name: "link", nodes: All, do: Partition(cut: ApiServer), rate: PerNodeYear(2), lasts: LogNormal(median: "2m", sigma: 1.0))]))"#;
    let loaded = parse("p.ron", text.into(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["300", "none"], &["evicted=5m"]);
    p.precision = 0.5;
    let mut exact = 0;
    for seed in 1..=24 {
        p.sweep.base.seed = Some(seed);
        let kept = p.run(1, &|_, done, _| done < 40, Desk::Here).expect("it runs");
        let a = answer(&kept, &p.objective, &[], 0.95);
        let row = &a.rows[0];
        let holds = |i: Interval, truth: [f64; 2]| i.low <= truth[1] && truth[0] <= i.high;
        assert!(holds(row.interval, [18.2, 18.6]), "{seed}: {row:?}");
        assert!(holds(row.more_interval, [18.2, 18.6]), "{seed}: {row:?}");
        assert!(holds(row.spans[3], [3.62, 3.70]), "{seed}: {row:?}");
        exact += u32::from((row.cost - 17.26).abs() < 0.1);
        assert_eq!(a.rows[1].interval, Interval { low: 0.0, high: 0.0 });
    }
    assert!(exact >= 8, "{exact} of 24");
}

/// Outages of two minutes evict nobody and cost each value the same, so that however many there are none becomes best by
/// them. Of 15 minutes each evicts a pod of a StatefulSet, which only adds a start and the price.
#[test]
fn outages_that_cost_all_the_same_turn_nothing() {
    let faults = r#"(name: "short", nodes: All, do: Partition(), rate: PerNodeYear(11.88), lasts: Fixed("2m")),
        (name: "long", nodes: All, do: Partition(), rate: PerNodeYear(0.12), lasts: Fixed("15m"))"#;
    let loaded = scenario("StatefulSet", faults);
    let a = answered(&planner(&loaded, &["300", "none"], &["evicted=5m"]));
    assert_eq!(a.rows[a.best].values, ["none"]);
    let (now, turn) = a.short.expect("short ones and others");
    assert!((now - 0.99).abs() < 1e-9 && turn.is_none(), "{now} {turn:?}");
}

/// A year of a cluster takes long: who watches is asked in the middle of it, and a no ends it there.
#[test]
fn a_year_is_left_in_its_middle() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(400), lasts: Fixed("10m"))"#;
    let loaded = scenario("Deployment", faults);
    let mut p = planner(&loaded, &["300", "0"], &["evicted=5m"]);
    p.counting = (Counting::Years, "as asked for".to_owned());
    let asked = AtomicU64::new(0);
    let ran = p.run(
        1,
        &|event, done, _| {
            assert_eq!((event, done), (Event::Running, 0));
            asked.fetch_add(1, Relaxed) < 2
        },
        Desk::Here,
    );
    assert!(matches!(ran, Err(Stopped::Asked)), "{ran:?}");
    assert_eq!(asked.load(Relaxed), 3);
}

/// Of plans that are stopped after so many outages the truth lies in what is said of each value nearly
/// always, and what is recommended is hardly ever worse than the best by more than is admitted. The truth is
/// a plan of 300 outages. Of 18 plans of four values each 94 % are 67.7 statements of 72.
#[test]
fn what_a_plan_says_covers() {
    let faults = r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: LogNormal(median: "6m", sigma: 1.2))"#;
    let text = scenario("Deployment", faults).source.text.replace("replicas: 20", "replicas: 3");
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let of = |seed: u64, most: u64| {
        let mut p = planner(&loaded, &["0", "120", "600", "none"], &["evicted=5m"]);
        p.sweep.base.seed = Some(seed);
        p.precision = 0.001;
        let kept = p.run(1, &|_, done, _| done < most, Desk::Here).expect("it runs");
        answer(&kept, &p.objective, &[], 0.95)
    };
    let truth = of(999, 300);
    let (mut holds, mut all, mut worse) = (0, 0, 0);
    for seed in 0..18 {
        let a = of(seed, [12, 24, 48][seed as usize % 3]);
        for (row, known) in a.rows.iter().zip(&truth.rows) {
            let (own, known) = (row.interval, known.interval);
            holds += u32::from(own.low <= known.high && known.low <= own.high);
            all += 1;
        }
        let best = truth.rows[a.best].cost - truth.rows[truth.best].cost;
        let slack = truth.rows[a.best].more_interval.high - truth.rows[a.best].more;
        worse += u32::from(a.wanted.is_none() && best > a.off + slack);
    }
    assert!(f64::from(holds) >= 0.94 * f64::from(all), "{holds} of {all}");
    assert!(worse <= 1, "{worse} of 18");
}
