//! Analyses of traces made by hand, with the arithmetic beside them.

pub(crate) mod synthetic;
pub(crate) mod synthetic_runs;

use super::causes;
use super::curves::{Curve, curves, value_at};
use super::evictions::evictions;
use super::facts::Fact;
use super::lanes::{Lanes, lanes};
use super::summary::{DEFAULT_NEEDLESS_WINDOW, metrics, summary};
use super::timeline::{Row, collapsed, timeline};
use crate::analysis::prelude::*;
use crate::api::node::NodeReason;
use crate::api::pod::{PodConditionType, PodReason};
use crate::api::taint::{Effect, UNREACHABLE};
use crate::plan::{Connections, NodeFault};
use synthetic::{Run, ms, pod_id, taint};
use synthetic_runs::{one_node_lost, outage};

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|r| format!("{} {}", r.first.as_millis(), r.text)).collect()
}

#[test]
fn a_lost_node_is_told_step_by_step() {
    let (plan, trace) = one_node_lost();
    let analysis = Analysis::new(&plan, &trace);
    let rows = timeline(&analysis, 48);
    assert_eq!(
        texts(&rows),
        [
            "61700 cut n2 begins",
            "61700 n2 silent",
            "105000 n2 Unknown",
            "105000 n2 tainted unreachable:NoSchedule",
            "105100 n2 tainted unreachable:NoExecute",
            "105100 eviction timer of 300 s set for default/p2 of n2",
            "405100 default/p2 of n2 evicted after 300 s",
            "500000 cut n2 ends",
            "500000 n2 can be heard again",
            "500000 default/p2 of n2 gone",
            "504801 n2 Ready again",
            "504801 n2 untainted unreachable:NoSchedule",
            "505000 n2 untainted unreachable:NoExecute",
        ]
    );
    // Relative to the cut up to the pod's end, whose chain leads to it: 500 - 61.7 = 438.3 s;
    // relative to the cut's end after it.
    assert_eq!(rows[0].since, None);
    assert_eq!(rows[6].since, Some(Since { at: ms(61_700), entry: 0, ended: false }));
    assert_eq!(rows[9].since, Some(Since { at: ms(61_700), entry: 0, ended: false }));
    assert_eq!(rows[10].since, Some(Since { at: ms(500_000), entry: 0, ended: true }));
}

/// Of what is held up the union counts, from when something is waited for: a minute from 10 s on ends at 70 s.
#[test]
fn time_that_is_held_up_counts_once_and_from_when_it_matters() {
    let (plan, mut trace) = one_node_lost();
    let mut due = |held: &[(u64, u64)]| {
        let lasts = |&(from, to): &(u64, u64)| (ms(from), Dur::from_millis(to - from));
        trace.held_up = held.iter().map(lasts).collect();
        Analysis::new(&plan, &trace).due(ms(10_000), Dur::from_secs(60)).map(Time::as_millis)
    };
    assert_eq!(due(&[]), Some(70_000));
    assert_eq!(due(&[(100, 10_000)]), Some(70_000), "over before");
    assert_eq!(due(&[(100, 34_100)]), Some(70_000 + 24_100), "24.1 s of it are within");
    assert_eq!(due(&[(20_000, 30_000), (20_000, 30_000)]), Some(80_000), "two watches at once");
    assert_eq!(due(&[(20_000, 30_000), (25_000, 35_000)]), Some(85_000), "15 s in all");
    assert_eq!(due(&[(20_000, 40_000), (25_000, 35_000)]), Some(90_000), "one within another");
    assert_eq!(due(&[(20_000, 30_000), (80_000, 81_000)]), Some(81_000), "the second at the end");
    assert_eq!(due(&[(71_000, 81_000)]), Some(70_000), "too late");
}

#[test]
fn a_lost_nodes_summary() {
    let (plan, trace) = one_node_lost();
    let analysis = Analysis::new(&plan, &trace);
    let s = summary(&analysis, DEFAULT_NEEDLESS_WINDOW);
    let m = s.metrics.clone();
    // p2 is evicted at 405.1 s and its node is Ready again at 504.801 s, 99.701 s later.
    assert_eq!((m.evicted, m.needless, m.undecided), (1, 1, 0));
    assert_eq!(summary(&analysis, Dur::from_millis(99_700)).metrics.needless, 0);
    assert_eq!(summary(&analysis, Dur::from_millis(99_701)).metrics.needless, 1);
    // The kubelet alone is cut off, so that p2 and p3 are up, whatever the API says. p2 is missing
    // from its eviction at 405.1 s to the end at 600 s, 194.9 s, and runs on as a ghost until its
    // kubelet hears of that at 500 s, 94.9 s. Two of three pods stay: never below one. p1 stays
    // ready, and takes all requests.
    let costs = &m.costs;
    assert_eq!((costs.missing_ns, costs.ghost_ns), (194_900_000_000, 94_900_000_000));
    assert_eq!((costs.below_need, costs.none_up, costs.requests_lost), (Dur::ZERO, Dur::ZERO, 0));
    assert_eq!((costs.evicted, costs.needless, costs.restarts, costs.pending_at_end), (1, 1, 0, 0));
    // 105 - 61.7 = 43.3; 105.1 - 61.7 = 43.4; 405.1 - 61.7 = 343.4.
    assert_eq!(m.detection.map(|d| (d.count, d.median)), Some((1, Dur::from_millis(43_300))));
    assert_eq!(
        m.tainting.map(|d| (d.min, d.max)),
        Some((Dur::from_millis(43_400), Dur::from_millis(43_400)))
    );
    assert_eq!(m.eviction.map(|d| d.median), Some(Dur::from_millis(343_400)));
    // p3 was on the tainted node and stayed.
    assert_eq!((s.kept, s.pending_timers, s.nodes_unknown, s.nodes_tainted), (1, 0, 1, 1));
    assert_eq!(s.deletions.into_iter().collect::<Vec<_>>(), [(Actor::TaintEviction, 1)]);
    assert_eq!((s.end.available, s.end.terminating, s.end.nodes[Health::Ready.index()]), (2, 0, 3));
    assert_eq!(metrics(&plan, &trace, DEFAULT_NEEDLESS_WINDOW), m);
}

#[test]
fn an_eviction_names_taint_timer_and_fault() {
    let (plan, trace) = one_node_lost();
    let analysis = Analysis::new(&plan, &trace);
    let all = evictions(&analysis);
    let [e] = &all[..] else { panic!("one eviction, not {}", all.len()) };
    assert_eq!(e.pod, pod_id(&trace, "default/p2"));
    assert_eq!(
        e.taint.map(ToString::to_string).as_deref(),
        Some("node.kubernetes.io/unreachable:NoExecute")
    );
    assert_eq!((e.timer_seconds, e.timer_set_at), (Some(300), Some(ms(105_100))));
    assert_eq!((e.gone_at, e.node_back_at), (Some(ms(500_000)), Some(ms(504_801))));
    let walk: Vec<What> = causes::chain(&trace, e.record).map(|(_, r)| r.what).collect();
    // Deletion, timer, taint, Unknown, silence, fault.
    assert_eq!(walk.len(), 6);
    assert_eq!(walk.last(), Some(&What::FaultBegan));
}

#[test]
fn curves_count_every_pod_once() {
    let (plan, trace) = one_node_lost();
    let analysis = Analysis::new(&plan, &trace);
    let c = curves(&analysis);
    assert_eq!(*c.of(Curve::Available), [(ms(0), 3), (ms(105_000), 1), (ms(504_801), 2)]);
    assert_eq!(
        *c.of(Curve::NotReady),
        [(ms(0), 0), (ms(105_000), 2), (ms(405_100), 1), (ms(504_801), 0)]
    );
    assert_eq!(*c.of(Curve::Terminating), [(ms(0), 0), (ms(405_100), 1), (ms(500_000), 0)]);
    assert_eq!(*c.of(Curve::Evicted), [(ms(0), 0), (ms(405_100), 1)]);
    assert_eq!(*c.of(Curve::SilentNodes), [(ms(0), 0), (ms(61_700), 1), (ms(105_000), 0)]);
    assert_eq!(*c.of(Curve::NotReadyNodes), [(ms(0), 0), (ms(105_000), 1), (ms(504_801), 0)]);
    assert_eq!(*c.of(Curve::TaintedNodes), [(ms(0), 0), (ms(105_100), 1), (ms(505_000), 0)]);
    assert_eq!(
        (value_at(c.of(Curve::Evicted), ms(405_099)), value_at(c.of(Curve::Evicted), ms(405_100))),
        (0, 1)
    );
}

#[test]
fn lanes_by_node_and_by_zone_agree() {
    let (plan, trace) = one_node_lost();
    let analysis = Analysis::new(&plan, &trace);
    let Lanes::Nodes(nodes) = lanes(&analysis, 3) else {
        panic!("three nodes fit into three lanes")
    };
    assert_eq!(nodes.len(), 3);
    let n2 = &nodes[1];
    let health: Vec<(u64, Health)> = n2.health.iter().map(|h| (h.0.as_millis(), h.1)).collect();
    // Heard again at 500 s, but the API still has Unknown until the status is posted.
    assert_eq!(
        health,
        [
            (0, Health::Ready),
            (61_700, Health::Silent),
            (105_000, Health::Unknown),
            (504_801, Health::Ready)
        ]
    );
    assert_eq!(n2.evictions, [(ms(405_100), 1)]);
    let Lanes::Zones(zones) = lanes(&analysis, 2) else {
        panic!("three nodes do not fit into two lanes")
    };
    assert_eq!(zones.len(), 1);
    assert_eq!((zones[0].zone.as_str(), zones[0].nodes), ("a", 3));
    assert_eq!(zones[0].health[2], (ms(105_000), [2, 0, 1, 0, 0]));
    assert_eq!(zones[0].tainted, [(ms(0), 0), (ms(105_100), 1), (ms(505_000), 0)]);
}

#[test]
fn like_rows_collapse_and_nothing_is_lost() {
    // 300 nodes: 100 in zone b, cut off; one NoExecute taint per second.
    let (plan, trace) = outage(300, 3, 1);
    let analysis = Analysis::new(&plan, &trace);
    let rows = timeline(&analysis, 48);
    assert!(rows.len() <= 72, "{} rows", rows.len());
    let find = |text: &str| {
        rows.iter()
            .find(|r| r.text == text)
            .unwrap_or_else(|| panic!("no row {text:?} in {:#?}", texts(&rows)))
    };
    let tainted = find("100 nodes of zone b tainted unreachable:NoExecute");
    // Unknown of the last: 600 + 50.4 + 12*0.09 + 4*0.005 = 651.5 s; its taint 0.1 s and 99 more
    // tokens later.
    assert_eq!((tainted.first, tainted.last), (ms(650_500), ms(750_600)));
    let silent = find("100 nodes of zone b silent");
    assert_eq!((silent.first, silent.last, silent.count), (ms(600_000), ms(600_000), 100));
    let evicted: u32 = timeline(&analysis, 0)
        .iter()
        .filter(|r| matches!(r.fact, Fact::Evicted(_)))
        .map(|r| r.pods)
        .sum();
    assert_eq!(u64::from(evicted), summary(&analysis, DEFAULT_NEEDLESS_WINDOW).metrics.evicted);
    assert_eq!(evictions(&analysis).len() as u32, evicted);
}

/// Two pods are made a second into the run, and a third after the first fault: nothing says that the
/// fault led to it, and it belongs to the start no more than one of which something does.
#[test]
fn successors_are_told_apart_from_pods_of_the_start() {
    let mut run = Run::new("successors", ms(60_000));
    let n = run.node("n1", "");
    let (web, _) = run.workload("ReplicaSet/default/web", "ReplicaSet/default/other");
    for (name, at) in [("web-0", 1_000), ("web-1", 1_000), ("web-2", 20_000)] {
        let pod = run.replica(&format!("default/{name}"), web);
        run.record(ms(at), NO_RECORD, Actor::ReplicaSet, What::PodCreated(None), pod);
    }
    let cut = Do::Fail(vec![n], NodeFault::Cut(Connections::Dropped));
    run.entry("cut n1", ms(10_000), None, cut, None);
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    let expected = [
        "1000 ReplicaSet default/web: 2 pods created",
        "10000 cut n1",
        "20000 default/web-2 created",
    ];
    assert_eq!(texts(&timeline(&analysis, 48)), expected);
    // However few rows there may be.
    assert_eq!(timeline(&analysis, 1).len(), 3);
}

/// Two pods are made ten seconds apart, and a third more than two minutes after the second: it is no part of the same, unless
/// there is no room.
#[test]
fn what_comes_minutes_later_is_a_row_of_its_own() {
    let mut run = Run::new("later", ms(600_000));
    run.node("n1", "");
    let (web, _) = run.workload("ReplicaSet/default/web", "ReplicaSet/default/other");
    for (name, at) in [("web-0", 10_000), ("web-1", 20_000), ("web-2", 140_001)] {
        let pod = run.replica(&format!("default/{name}"), web);
        run.record(ms(at), NO_RECORD, Actor::ReplicaSet, What::PodCreated(None), pod);
    }
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    let expected = ["10000 ReplicaSet default/web: 2 pods created", "140001 default/web-2 created"];
    assert_eq!(texts(&timeline(&analysis, 48)), expected);
    let all = ["10000 ReplicaSet default/web: 3 pods created"];
    assert_eq!(texts(&timeline(&analysis, 1)), all);
}

/// Nodes that are cut one after the other, each with a taint and an evicted pod: four facts of each cut.
fn cuts(n: u64) -> (Plan, Trace) {
    let mut run = Run::new("cuts", ms(600_000));
    let t = taint(UNREACHABLE, Effect::NoExecute);
    run.node("other", "");
    for i in 1..=n {
        let at = i * 10_000;
        let node = run.node(&format!("n{i}"), "");
        let pod = run.pod(&format!("default/p{i}"), node);
        let cut = Do::Fail(vec![node], NodeFault::Cut(Connections::Dropped));
        let (cut, _) = run.entry(&format!("cut n{i}"), ms(at), None, cut, None);
        run.record(ms(at), cut, Actor::User, What::NodeSilent, node);
        let tainted = std::slice::from_ref(&t);
        run.taints(ms(at + 1_000), cut, Actor::NodeLifecycle, node, tainted, &[]);
        run.eviction(ms(at + 2_000), cut, What::PodDeleting(30), pod);
    }
    run.finish()
}

/// Three cuts have twelve facts. Six rows are nine where there is no room for all: first the silent nodes are put together,
/// which matter least, then the taints, and that is enough. Entries have lines of their own unless they are more than thirty.
#[test]
fn entries_stay_apart_as_far_as_there_is_room() {
    let (plan, trace) = cuts(3);
    let analysis = Analysis::new(&plan, &trace);
    let (rows, together) = collapsed(&analysis, 6);
    assert_eq!(
        texts(&rows),
        [
            "10000 cut n1",
            "10000 n1, n2, n3 silent",
            "11000 n1, n2, n3 tainted unreachable:NoExecute",
            "12000 default/p1 of n1 evicted",
            "20000 cut n2",
            "22000 default/p2 of n2 evicted",
            "30000 cut n3",
            "32000 default/p3 of n3 evicted",
        ]
    );
    assert!(together && !collapsed(&analysis, 8).1);
    assert!(rows[3].since.is_some() && rows[1].since.is_none());
    let rows = timeline(&analysis, 0);
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[3].text, "3 pods of n1, n2, n3 evicted");
    let (plan, trace) = cuts(30);
    assert_eq!(timeline(&Analysis::new(&plan, &trace), 0).len(), 33);
    let (plan, trace) = cuts(31);
    let rows = timeline(&Analysis::new(&plan, &trace), 0);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0].text, "31 entries of the timeline begin");
}

#[test]
fn the_second_taint_of_a_node_is_a_row_of_its_own() {
    let mut run = Run::new("taint, untaint, taint", ms(60_000));
    let n = run.node("n1", "");
    let t = taint(UNREACHABLE, Effect::NoExecute);
    let (cut, _) = run.entry(
        "cut n1",
        ms(1_000),
        None,
        Do::Fail(vec![n], NodeFault::Cut(Connections::Dropped)),
        None,
    );
    for at in [10_000, 20_000] {
        run.taints(ms(at), cut, Actor::NodeLifecycle, n, std::slice::from_ref(&t), &[]);
        run.taints(ms(at + 5_000), cut, Actor::NodeLifecycle, n, &[], std::slice::from_ref(&t));
    }
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    let [on, off] = ["n1 tainted unreachable:NoExecute", "n1 untainted unreachable:NoExecute"];
    assert_eq!(
        texts(&timeline(&analysis, 48)),
        [
            "1000 cut n1".to_owned(),
            format!("10000 {on}"),
            format!("15000 {off}"),
            format!("20000 {on}"),
            format!("25000 {off}")
        ]
    );
    // With less room the two become one.
    let rows = timeline(&analysis, 3);
    assert_eq!(
        texts(&rows),
        ["1000 cut n1".to_owned(), format!("10000 {on}, 2 times"), format!("15000 {off}, 2 times")]
    );
    assert_eq!((rows[1].last, rows[1].count), (ms(20_000), 2));
}

/// Timers of two pods, of which one is set three times and cancelled twice: with room a row each, and pods
/// are counted, not settings, where there is none.
#[test]
fn a_pod_whose_timer_is_set_again_is_one_pod() {
    let mut run = Run::new("timers", ms(60_000));
    let n = run.node("n1", "");
    let [p, q] = ["default/p", "default/q"].map(|name| run.pod(name, n));
    run.eviction(ms(10_000), NO_RECORD, What::TimerSet(300), q);
    for at in [10_000, 20_000, 30_000] {
        run.eviction(ms(at), NO_RECORD, What::TimerSet(300), p);
        if at < 30_000 {
            run.eviction(ms(at + 5_000), NO_RECORD, What::TimerCancelled, p);
        }
    }
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    let (set, cancelled) =
        ("eviction timer of 300 s set for", "eviction timer cancelled for default/p of n1");
    assert_eq!(
        texts(&timeline(&analysis, 48)),
        [
            format!("10000 {set} 2 pods of n1"),
            format!("15000 {cancelled}"),
            format!("20000 {set} default/p of n1"),
            format!("25000 {cancelled}"),
            format!("30000 {set} default/p of n1"),
        ]
    );
    assert_eq!(
        texts(&timeline(&analysis, 0)),
        [format!("10000 {set} 2 pods of n1, 4 times"), format!("15000 {cancelled}, 2 times")]
    );
}

#[test]
fn a_node_is_reckoned_from_its_latest_fault_and_zones_from_their_change() {
    let mut run = Run::new("pressure, cut", ms(200_000));
    let nodes = ["n1", "n2"].map(|n| run.node(n, "a"));
    let n = nodes[0];
    let pressure = Do::Fail(
        vec![n],
        NodeFault::Condition(NodeConditionType::MemoryPressure, ConditionStatus::True),
    );
    let (pressed, _) = run.entry("pressure", ms(30_000), None, pressure, None);
    let what = What::NodeCondition(
        NodeConditionType::MemoryPressure,
        ConditionStatus::True,
        NodeReason::None,
    );
    let condition = run.record(ms(30_000), pressed, Actor::Kubelet, what, n);
    for both in nodes {
        run.record(ms(60_000), NO_RECORD, Actor::User, What::NodeSilent, both);
    }
    run.entry(
        "cut all",
        ms(60_000),
        None,
        Do::Fail(nodes.to_vec(), NodeFault::Cut(Connections::Dropped)),
        None,
    );
    // The controller decides on the version that the pressure made, and yet the cut is to blame.
    let unknown = run.ready(ms(110_000), condition, n, ConditionStatus::Unknown);
    run.taints(
        ms(110_100),
        unknown,
        Actor::NodeLifecycle,
        n,
        &[taint(UNREACHABLE, Effect::NoExecute)],
        &[],
    );
    let zone = run.text(":\0:a");
    for (at, state) in [
        (1, ZoneState::Normal),
        (120_000, ZoneState::FullDisruption),
        (130_000, ZoneState::FullDisruption),
    ] {
        run.lifecycle(ms(at), NO_RECORD, What::Zone(state), zone);
    }
    run.lifecycle(ms(120_000), NO_RECORD, What::MasterDisruptionEntered, 0);
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    let rows = timeline(&analysis, 48);
    assert_eq!(
        texts(&rows),
        [
            "30000 pressure",
            "30000 n1 MemoryPressure True",
            "60000 n1, n2 silent",
            "60000 cut all",
            "110000 n1 Unknown",
            "110100 n1 tainted unreachable:NoExecute",
            "120000 zone a: FullDisruption: no node of any zone is Ready, none is tainted",
            "120000 master disruption: no node of any zone is Ready, so taints come off and evictions stop",
        ]
    );
    let cut = Some(Since { at: ms(60_000), entry: 1, ended: false });
    assert_eq!([rows[2].since, rows[4].since, rows[5].since], [cut; 3]);
    assert_eq!(rows[1].since, Some(Since { at: ms(30_000), entry: 0, ended: false }));
    // 110 - 60 s.
    let detection = summary(&analysis, DEFAULT_NEEDLESS_WINDOW).metrics.detection;
    assert_eq!(detection.map(|d| d.median), Some(Dur::from_secs(50)));
}

#[test]
fn a_users_deletion_is_no_loss_and_a_stop_of_the_controllers_loses_timers() {
    let mut run = Run::new("user", ms(100_000));
    let n = run.node("n1", "a");
    let [p, q] = ["default/p", "default/q"].map(|name| run.pod(name, n));
    let timer = run.eviction(ms(5_000), NO_RECORD, What::TimerSet(300), q);
    let ready =
        What::PodCondition(PodConditionType::Ready, ConditionStatus::False, PodReason::None);
    run.lifecycle(ms(10_000), NO_RECORD, ready, p);
    run.record(ms(40_000), NO_RECORD, Actor::User, What::PodDeleting(30), p);
    run.record(ms(41_000), NO_RECORD, Actor::Kubelet, What::PodGone, p);
    run.record(ms(50_000), timer, Actor::User, What::ControllersStopped, 0);
    let (plan, trace) = run.finish();
    let s = summary(&Analysis::new(&plan, &trace), DEFAULT_NEEDLESS_WINDOW);
    // p is up until the user deletes it at 40 s, and is not wanted from then on; its deletion is no
    // eviction.
    assert_eq!((s.metrics.costs.missing_ns, s.metrics.evicted), (0, 0));
    assert_eq!(s.deletions.into_iter().collect::<Vec<_>>(), [(Actor::User, 1)]);
    // q's timer died with the controllers; it had one and stayed.
    assert_eq!((s.pending_timers, s.kept), (0, 1));
}

#[test]
fn an_end_too_early_is_undecided_and_a_users_taint_never_needless() {
    let mut run = Run::new("early", ms(100_000));
    let [n1, n2] = ["n1", "n2"].map(|n| run.node(n, "a"));
    let [p1, p2] = [("default/p1", n1), ("default/p2", n2)].map(|(p, n)| run.pod(p, n));
    let (cut, _) = run.entry(
        "cut n1",
        ms(1_000),
        None,
        Do::Fail(vec![n1], NodeFault::Cut(Connections::Dropped)),
        None,
    );
    run.record(ms(1_000), cut, Actor::User, What::NodeSilent, n1);
    let tainted = run.taints(
        ms(51_000),
        cut,
        Actor::NodeLifecycle,
        n1,
        &[taint(UNREACHABLE, Effect::NoExecute)],
        &[],
    );
    run.eviction(ms(51_000), tainted, What::PodDeleting(30), p1);
    let (user, _) =
        run.entry("maintenance", ms(60_000), None, Do::Taint(vec![n2], Default::default()), None);
    let tainted = run.taints(
        ms(60_000),
        user,
        Actor::User,
        n2,
        &[taint("maintenance", Effect::NoExecute)],
        &[],
    );
    run.eviction(ms(60_010), tainted, What::PodDeleting(30), p2);
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    let m = summary(&analysis, Dur::from_secs(60)).metrics;
    // n1 was away from the eviction at 51 s to the end, 49 s later; n2 never was, but its taint was
    // a user's.
    assert_eq!((m.evicted, m.needless, m.undecided), (2, 0, 1));
    assert_eq!(summary(&analysis, Dur::from_secs(49)).metrics.undecided, 0);
    // From the cut to p1's eviction 50 s, from the taint to p2's 0.01 s; the lower of two is their
    // median.
    assert_eq!(
        m.eviction.map(|e| (e.min, e.median, e.max)),
        Some((Dur::from_millis(10), Dur::from_millis(10), Dur::from_secs(50)))
    );
}

/// Of four nodes one is cordoned from the start, one is at the end; of the others one is no more, and one is gone.
#[test]
fn nodes_that_are_cordoned_at_the_end_are_counted() {
    let mut run = Run::new("cordoned", ms(10_000));
    let [_, b, c, d] = ["a", "b", "c", "d"].map(|n| run.node(n, "z"));
    run.plan.nodes[0].unschedulable = true;
    for node in [b, c, d] {
        run.record(ms(1_000), NO_RECORD, Actor::User, What::NodeUnschedulable(true), node);
    }
    run.record(ms(2_000), NO_RECORD, Actor::User, What::NodeUnschedulable(false), c);
    run.record(ms(2_000), NO_RECORD, Actor::User, What::NodeDeleted, d);
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    assert_eq!(summary(&analysis, Dur::ZERO).end.nodes_cordoned, 2);
}

#[test]
fn what_repeats_changes_nothing_and_ids_out_of_range_do_not_panic() {
    let mut run = Run::new("odd", ms(10_000));
    let n = run.node("n1", "a");
    let p = run.pod("default/p", n);
    for at in [0, 1_000] {
        run.record(ms(at), NO_RECORD, Actor::User, What::NodeSilent, n);
        run.eviction(ms(at + 1), NO_RECORD, What::PodDeleting(30), p);
    }
    run.record(ms(2_000), NO_RECORD, Actor::User, What::FaultBegan, 99);
    run.lifecycle(ms(2_000), NO_RECORD, What::NodeTaints(99), n);
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    // The grace period's second setting is no second eviction, nor is the node silent twice.
    assert_eq!(texts(&timeline(&analysis, 48)), ["0 n1 silent", "1 default/p of n1 evicted"]);
    assert_eq!(summary(&analysis, Dur::ZERO).metrics.evicted, 1);
    assert_eq!(analysis.since_of(RecordId::MAX, None), None);
    assert_eq!(analysis.horizon(), Time::from_secs(10));
}
