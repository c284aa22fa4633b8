//! Plans whose answer is known by formula.

use super::closed::{bare_pods, closed, left_out};
use super::{Answer, Counting, Objective, Planner, answer};
use crate::analysis::{Analysis, Figure, summary};
use crate::api::pod::{PodPhase, PodSource};
use crate::kernel::{Choices, Dur};
use crate::lab::shards::Desk;
use crate::lab::sweep::{Axis, Sweep};
use crate::lab::threads::{Event, Stopped};
use crate::plan::PodStart;
use crate::scenario::{Loaded, Overrides, drawn, parse};
use crate::sim;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

const TOLERATION: &str = "workloads.*.template.tolerations[unreachable].tolerationSeconds";

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
        counting: Counting::fitting(&models),
        apart: None,
        only: None,
        eager: false,
    }
}

fn answered(planner: &Planner<'_>) -> Answer {
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
        let text = placed.source.text.replace("placement: Spread(All), ", "");
        let free = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
        let [placed, free] = [placed, free].map(|loaded| {
            let rows = [drawn(&loaded, &Overrides::default()).expect("it builds")];
            let all = closed(&planner(&loaded, &["300"], &[]).sweep, &rows);
            all.expect("a toleration")[0]
        });
        assert!((placed.missing - free.missing).abs() < 1e-6, "{kind}: {placed:?} {free:?}");
        assert!((placed.waiting - free.waiting).abs() < 1e-6, "{kind}: {placed:?} {free:?}");
        assert!((placed.evicted - free.evicted).abs() < 1e-6, "{kind}: {placed:?} {free:?}");
    }
}

/// Outages of ten hours, and somebody deletes a node that has been away for half an hour: then its pods
/// are gone, whatever they tolerate. 240 outages, of half an hour and two seconds, which are 7,208
/// minutes, or of the 49 s of detection, the 300 s and two seconds: 1,404.
#[test]
fn repair_ends_what_the_closed_form_counts() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10h"))"#;
    let mut text = scenario("Deployment", faults).source.text.to_string();
    let repair = r#", repair: (after: "30m", do: Replace, takes: "3m", unless_share: 0.2)))"#;
    text.truncate(text.len() - 2);
    text.push_str(repair);
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let of = |value: &str| {
        let p = planner(&loaded, &[value], &[]);
        let set = format!("{TOLERATION}={value}");
        let sets = Overrides { sets: vec![set], ..Overrides::default() };
        let rows = [drawn(&loaded, &sets).expect("it builds")];
        let all = closed(&p.sweep, &rows).expect("a toleration")[0];
        (all.missing, all.evicted)
    };
    for (value, missing, evicted) in [("none", 7_208.0, 0.0), ("300", 1_404.0, 240.0)] {
        let found = of(value);
        let off = (found.0 - missing).abs() + (found.1 - evicted).abs();
        assert!(off < 1e-6, "{value}: {found:?}");
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
    let a = answered(&planner(&loaded, &["300", "none"], &[]));
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

/// What is set now stands among the values under its own, whoever says it: the scenario, in whatever spelling it is asked
/// for, or the API server, which adds 300 s. Of workloads that differ there is no such value.
#[test]
fn what_is_set_now_is_one_of_the_values() {
    let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")], workloads: [
        Deployment(name: "said", template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])),
        Deployment(name: "silent")],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let now = |path: &str, values: &[&str]| {
        let mut p = planner(&loaded, values, &[]);
        path.clone_into(&mut p.sweep.axes[0].path);
        p.look_for_now(&|| true).expect("it builds");
        let values = p.sweep.axes[0].values.join(",");
        (p.now, values)
    };
    let of = |name: &str| TOLERATION.replace('*', name);
    let named = |place, values: &str| (Some(place), values.to_owned());
    assert_eq!(now(&of("said"), &["0", "300", "none"]), named(1, "0,60,300,none"));
    let long = of("Deployment/said").replace("[unreachable]", "[node.kubernetes.io/unreachable]");
    assert_eq!(now(&long, &["0"]), named(1, "0,60"));
    assert_eq!(now(&of("silent"), &["0", "600"]), named(1, "0,300,600"));
    assert_eq!(now(&of("*"), &["0"]), (None, "0".to_owned()));
    let grace = "flags.kube-controller-manager.node-monitor-grace-period";
    assert_eq!(now(grace, &["40s", "1m"]), named(1, "40s,50s,1m"));
}

/// Two workloads with a toleration each, on nodes with so much cpu for pods of one cpu; pods tolerate
/// a lost node for ever where nothing else is set.
fn two_workloads(nodes: &str, cpu: u32, api: u32) -> Loaded {
    let template = r#"template: (requests: {"cpu": "1"}, tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute)])"#;
    let text = format!(
        r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "{nodes}", capacity: {{"cpu": "{cpu}", "pods": "10"}})],
        workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All), {template}),
            Deployment(name: "api", replicas: {api}, placement: Spread(All), {template})],
        faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("1h"))]))"#
    );
    parse("p.ron", text.clone().into_bytes(), Path::new(""))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A plan of the tolerations of both, each for itself.
fn both_apart(loaded: &Loaded) -> (super::Kept, Objective) {
    let mut p = planner(loaded, &["0", "300"], &[]);
    p.sweep.axes = ["web", "Deployment/default/api"]
        .map(|name| Axis {
            path: TOLERATION.replace('*', name),
            values: vec!["0".to_owned(), "none".to_owned()],
        })
        .to_vec();
    assert!(p.may_be_apart().expect("it builds"));
    p.apart = Some(vec![None, None]);
    p.look_for_now(&|| true).expect("it builds");
    assert_eq!(p.apart, Some(vec![Some(1), Some(1)]));
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    (kept, p.objective)
}

/// Room for everybody: who is evicted is up again at once, whatever becomes of others. Together the
/// settings cost what they cost one by one, and each is chosen for itself.
#[test]
fn workloads_with_room_do_not_touch_each_other() {
    let loaded = two_workloads("n-{0..3}", 8, 4);
    let (kept, objective) = both_apart(&loaded);
    for extra in kept.extras(&objective, 0.95) {
        assert!(!extra.touches && extra.extra.abs() < 1.0, "{extra:?}");
    }
    let parts = kept.each_apart();
    assert_eq!(parts.len(), 2);
    for part in &parts {
        let a = answer(part, &objective, &[], 0.95);
        let values: Vec<&str> = a.rows.iter().map(|r| r.values[0].as_str()).collect();
        assert_eq!((values, a.best, a.now), (vec!["0", "none"], 0, 1));
        // 48 outages a year of an hour; evicted after some 52 s and up 2 s later: 59.1 minutes.
        let saved = a.rows[1].cost - a.rows[0].cost;
        assert!((saved / (48.0 * 59.1) - 1.0).abs() < 0.01, "{saved}");
        // Of its own four pods; the other four wait for 48 hours a year whatever becomes of these.
        assert_eq!(part.own.len(), 1);
        let [(missing, _), (evicted, _), _] = a.rows[0].own[0];
        let others = a.rows[0].figures[0] - missing;
        assert!((evicted - 48.0).abs() < 1e-6, "{evicted}");
        assert!((others / 2_880.0 - 1.0).abs() < 0.01, "{others}");
        let [(missing, _), (evicted, _), _] = a.rows[1].own[0];
        assert!((missing / 2_880.0 - 1.0).abs() < 0.01 && evicted.abs() < 1e-6);
        assert!(a.guaranteed);
    }
    assert!(kept.check().is_ok());
}

/// Four nodes with room for two pods each, and seven pods: whoever is evicted alone finds the one
/// place that is free, of two the second one waits for its node to come back. Three of four nodes
/// have two pods: 36 outages a year in which 59.1 minutes are not saved twice.
#[test]
fn workloads_that_share_the_last_place_touch_each_other() {
    let loaded = two_workloads("n-{0..3}", 2, 3);
    let (kept, objective) = both_apart(&loaded);
    let extras = kept.extras(&objective, 0.95);
    let first = &extras[0];
    assert_eq!(first.values, ["0", "0"]);
    assert!(first.touches, "{first:?}");
    let (expected, i) = (36.0 * 59.1, first.interval);
    assert!(i.low <= expected && expected <= i.high, "{first:?}");
    assert!(i.high - i.low < 0.2 * expected, "{first:?}");
    // Nothing is changed where all stay as they are.
    assert!(!extras[1].touches && extras[1].extra.abs() < 1e-6, "{extras:?}");
}

/// The same where the first values and the last ones change nothing: an hour is never over sooner
/// than ten of them. The values between, which are recommended of each setting, touch each other.
#[test]
fn settings_that_touch_each_other_at_the_recommended_values_alone_are_found_out() {
    let loaded = two_workloads("n-{0..3}", 2, 3);
    let mut p = planner(&loaded, &["0", "300"], &[]);
    let values = ["none", "0", "36000"].map(str::to_owned).to_vec();
    p.sweep.axes = ["web", "Deployment/default/api"]
        .map(|name| Axis { path: TOLERATION.replace('*', name), values: values.clone() })
        .to_vec();
    p.apart = Some(vec![None, None]);
    p.look_for_now(&|| true).expect("it builds");
    let mut kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    let ends = kept.extras(&p.objective, 0.95);
    assert!(ends.iter().all(|e| !e.touches && e.extra.abs() < 1e-6), "{ends:?}");
    let best = vec!["0".to_owned(); 2];
    assert!(!kept.is_tried(&best));
    let beside = p.beside(&kept, &[best[..1].to_vec(), best[..1].to_vec()]);
    let beside = beside.expect("something to be tried");
    let tried = beside.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    // Nothing changed, each changed alone, and both.
    assert_eq!((tried.rows.len(), tried.moments.n()), (4, kept.moments.n()));
    kept.tried = Some(Box::new(tried));
    assert!(kept.check().is_ok() && kept.is_tried(&best));
    let extras = kept.extras(&p.objective, 0.95);
    let found = extras.iter().find(|e| e.values == best).expect("it was tried");
    let expected = 36.0 * 59.1;
    assert!(found.touches && (found.extra / expected - 1.0).abs() < 0.01, "{found:?}");
    // One of them alone is no combination.
    assert!(kept.is_tried(&["0".to_owned(), super::AS_IT_IS.to_owned()]));
    assert!(p.beside(&kept, &[best.clone(), vec![super::AS_IT_IS.to_owned()]]).is_none());
}

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
    let (below, evicted) = (&all[1], &all[3]);
    assert!(below.alone.abs() < 1e-6, "{below:?}");
    assert!((117.0 * 0.7..117.0 * 1.3).contains(&below.mean), "{below:?}");
    assert!((evicted.alone - 40.0).abs() < 1.0, "{evicted:?}");
    assert!((evicted.mean - 40.0).abs() < 10.0, "{evicted:?}");
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

/// One replica where two are needed is below the need in every minute of a year, whatever fails.
#[test]
fn what_a_value_costs_without_failures_is_in_its_cost() {
    let text = r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{0..3}")],
        workloads: [Deployment(name: "web", replicas: 3, needs: 2, placement: Spread(All))],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["1", "3"], &["missing=0", "below=1"]);
    "workloads.web.replicas".clone_into(&mut p.sweep.axes[0].path);
    p.look_for_now(&|| true).expect("it builds");
    assert_eq!(p.now, Some(1));
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    let a = answer(&kept, &p.objective, &[], 0.95);
    let year_min = 365.0 * 1_440.0;
    assert!((kept.standing(0)[1] / year_min - 1.0).abs() < 1e-9, "{:?}", kept.standing(0));
    assert!(kept.standing(1).iter().all(|f| *f == 0.0), "{:?}", kept.standing(1));
    assert!((a.rows[0].cost / year_min - 1.0).abs() < 0.01, "{}", a.rows[0].cost);
    assert_eq!(a.best, 1);
    assert!(kept.check().is_ok());
}

/// What changes nothing that is run is nothing to choose.
#[test]
fn a_setting_that_changes_nothing_is_refused() {
    let loaded = scenario(
        "Deployment",
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))"#,
    );
    let mut p = planner(&loaded, &["10m", "30m"], &[]);
    "horizon".clone_into(&mut p.sweep.axes[0].path);
    let refused = p.look_for_now(&|| true).expect_err("it changes nothing").to_string();
    assert!(refused.contains("no value of `horizon` changes anything here"), "{refused}");
}
