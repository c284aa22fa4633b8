//! Whole runs made by rule for the tests of analysis and report.

use super::synthetic::{Run, ms, taint};
use crate::analysis::prelude::*;
use crate::api::pod::{PodConditionType, PodReason};
use crate::api::taint::{Effect, NOT_READY, UNREACHABLE};
use crate::plan::{Connections, NodeFault};

/// One node of three cut off at 61.7 s and back at 500 s, as the recorded timeline
/// `cut-one-of-three` has it up to the first eviction: Unknown at 105 s, NoExecute at 105.1 s; p2
/// has the default 300 s, p3 tolerates for ever, p1 is elsewhere.
pub(crate) fn one_node_lost() -> (Plan, Trace) {
    let mut run = Run::new("cut-one-of-three", ms(600_000));
    let [n1, n2, _] = ["n1", "n2", "n3"].map(|n| run.node(n, "a"));
    let [_, p2, p3] =
        [("default/p1", n1), ("default/p2", n2), ("default/p3", n2)].map(|(p, n)| run.pod(p, n));
    for n in 0..3 {
        run.record(ms(0), NO_RECORD, Actor::User, What::NodeCreated, n);
    }
    for (p, n) in [(0, n1), (1, n2), (2, n2)] {
        run.record(ms(0), NO_RECORD, Actor::User, What::pod_created(Some(NodeId(n))), p);
    }
    let (cut, healed) = run.entry(
        "cut n2",
        ms(61_700),
        Some(ms(500_000)),
        Do::Fail(vec![n2], NodeFault::Cut(Connections::Dropped)),
        Some(Do::Recover(vec![n2], NodeFault::Cut(Connections::Dropped))),
    );
    let silent = run.record(ms(61_700), cut, Actor::User, What::NodeSilent, n2);
    let unknown = run.ready(ms(105_000), silent, n2, ConditionStatus::Unknown);
    let no_schedule = taint(UNREACHABLE, Effect::NoSchedule);
    let no_execute = taint(UNREACHABLE, Effect::NoExecute);
    run.taints(
        ms(105_000),
        unknown,
        Actor::NodeLifecycle,
        n2,
        std::slice::from_ref(&no_schedule),
        &[],
    );
    for p in [p2, p3] {
        let what =
            What::PodCondition(PodConditionType::Ready, ConditionStatus::False, PodReason::None);
        run.lifecycle(ms(105_000), unknown, what, p);
    }
    let tainted = run.taints(
        ms(105_100),
        unknown,
        Actor::NodeLifecycle,
        n2,
        std::slice::from_ref(&no_execute),
        &[],
    );
    let timer = run.eviction(ms(105_100), tainted, What::TimerSet(300), p2);
    let deleting = run.eviction(ms(405_100), timer, What::PodDeleting(30), p2);
    let heard = run.record(ms(500_000), healed, Actor::User, What::NodeHeard, n2);
    run.record(ms(500_000), deleting, Actor::Kubelet, What::ContainersStopped(n2), p2);
    let gone = run.record(ms(500_000), deleting, Actor::Kubelet, What::PodGone, p2);
    assert_ne!(gone, NO_RECORD);
    let ready = run.ready(ms(504_801), heard, n2, ConditionStatus::True);
    let what = What::PodCondition(PodConditionType::Ready, ConditionStatus::True, PodReason::None);
    run.record(ms(504_801), heard, Actor::Kubelet, what, p3);
    run.taints(
        ms(504_801),
        ready,
        Actor::NodeLifecycle,
        n2,
        &[],
        std::slice::from_ref(&no_schedule),
    );
    run.taints(
        ms(505_000),
        ready,
        Actor::NodeLifecycle,
        n2,
        &[],
        std::slice::from_ref(&no_execute),
    );
    run.finish()
}

/// A rule-made outage: three zones, `pods` on each node; half of the nodes of zone b (all of them
/// in a small cluster) are cut off at 10 minutes for 7 minutes, a few nodes of zone a report
/// NotReady, one node of zone c flaps. It looks like a run; it makes no claim to be one.
pub(crate) fn outage(nodes: u32, pods: u32, rate_per_s: u64) -> (Plan, Trace) {
    let mut run = Run::new("zone-partition", Time::from_secs(1_800));
    let zones = ["a", "b", "c"];
    for i in 0..nodes {
        let zone = zones[(i % 3) as usize];
        let n = run.node(&format!("{zone}-{:02}", i / 3), zone);
        run.record(Time::ZERO, NO_RECORD, Actor::User, What::NodeCreated, n);
    }
    for i in 0..nodes * pods {
        let p = run.pod(&format!("default/web-{i}"), i / pods);
        run.record(
            Time::ZERO,
            NO_RECORD,
            Actor::User,
            What::pod_created(Some(NodeId(i / pods))),
            p,
        );
    }
    let victims: Vec<u32> = (0..nodes).filter(|n| n % 3 == 1).collect();
    let flapping: Vec<u32> =
        (0..nodes).filter(|n| n % 3 == 2).take(1 + nodes as usize / 500).collect();
    let pressed: Vec<u32> = (0..nodes).filter(|n| n % 3 == 0).take(nodes as usize / 25).collect();
    cut(&mut run, "cut b", ms(600_000), ms(1_020_000), &victims, pods, rate_per_s);
    for (k, at) in [120_000, 220_000, 340_000].into_iter().enumerate() {
        cut(
            &mut run,
            &format!("flap {}", k + 1),
            ms(at),
            ms(at + 70_000),
            &flapping,
            pods,
            rate_per_s,
        );
    }
    not_ready(&mut run, ms(1_200_000), &pressed, pods);
    let (zone, from, to) = (run.text(":\0:b"), ms(650_000), ms(1_025_000));
    run.lifecycle(from, NO_RECORD, What::Zone(ZoneState::FullDisruption), zone);
    run.lifecycle(to, NO_RECORD, What::Zone(ZoneState::Normal), zone);
    run.finish()
}

/// Nodes are cut off and come back: Unknown in batches of eight, NoExecute at a rate, a third of
/// the pods evicted after 60 s.
fn cut(run: &mut Run, name: &str, from: Time, to: Time, nodes: &[u32], pods: u32, rate_per_s: u64) {
    let (begin, end) = run.entry(
        name,
        from,
        Some(to),
        Do::Fail(nodes.to_vec(), NodeFault::Cut(Connections::Dropped)),
        Some(Do::Recover(nodes.to_vec(), NodeFault::Cut(Connections::Dropped))),
    );
    let no_schedule = [taint(UNREACHABLE, Effect::NoSchedule)];
    let no_execute = [taint(UNREACHABLE, Effect::NoExecute)];
    for (k, &n) in (0..).zip(nodes) {
        let silent = run.record(from, begin, Actor::User, What::NodeSilent, n);
        let heard = run.record(to, end, Actor::User, What::NodeHeard, n);
        let unknown_at = ms(from.as_millis() + 50_400 + k / 8 * 90 + k % 5 * 5);
        let back_at = ms(to.as_millis() + 400 + k * 7_919 % 9_600);
        if unknown_at > to {
            continue;
        }
        let by = Actor::NodeLifecycle;
        let unknown = run.ready(unknown_at, silent, n, ConditionStatus::Unknown);
        run.taints(unknown_at, unknown, by, n, &no_schedule, &[]);
        let back = run.ready(back_at, heard, n, ConditionStatus::True);
        let untainted_at = ms(back_at.as_millis() + 30);
        run.taints(untainted_at, back, by, n, &[], &no_schedule);
        for p in n * pods..(n + 1) * pods {
            let at = ms(unknown_at.as_millis() + 40);
            run.lifecycle(at, unknown, pod_ready(ConditionStatus::False), p);
        }
        let tainted_at = ms(unknown_at.as_millis() + 100 + k * 1000 / rate_per_s);
        let tainted = (tainted_at < to).then(|| {
            let untainted_at = ms(back_at.as_millis() + 2_000);
            run.taints(untainted_at, back, by, n, &[], &no_execute);
            run.taints(tainted_at, unknown, by, n, &no_execute, &[])
        });
        for p in n * pods..(n + 1) * pods {
            evict_or_recover(run, p, (tainted_at, tainted), (back_at, back), to);
        }
    }
}

/// What becomes of a pod of a node that was cut off until `to`: it is evicted if its timer, set
/// with the taint, runs out before the node is back.
fn evict_or_recover(
    run: &mut Run,
    p: u32,
    (tainted_at, tainted): (Time, Option<RecordId>),
    (back_at, back): (Time, RecordId),
    to: Time,
) {
    let seconds = if p.is_multiple_of(3) { 60 } else { 300 };
    let timer = tainted.map(|t| run.eviction(tainted_at, t, What::TimerSet(seconds), p));
    let due = ms(tainted_at.as_millis() + u64::from(seconds) * 1_000 + u64::from(p % 7));
    match timer {
        Some(timer) if due < back_at => {
            let deleting = run.eviction(due, timer, What::PodDeleting(30), p);
            let gone_at = ms(to.max(due).as_millis() + 1_000);
            run.record(gone_at, deleting, Actor::Kubelet, What::PodGone, p);
        }
        timer => {
            let ready_at = ms(back_at.as_millis() + 10);
            let ready = pod_ready(ConditionStatus::True);
            run.record(ready_at, back, Actor::Kubelet, ready, p);
            if timer.is_some() {
                let cancelled_at = ms(back_at.as_millis() + 2_001);
                run.eviction(cancelled_at, back, What::TimerCancelled, p);
            }
        }
    }
}

/// A pod's condition Ready turns.
fn pod_ready(status: ConditionStatus) -> What {
    What::PodCondition(PodConditionType::Ready, status, PodReason::None)
}

/// Nodes report NotReady themselves; their pods are deleted at once and are gone a second later.
fn not_ready(run: &mut Run, at: Time, nodes: &[u32], pods: u32) {
    let no_execute = taint(NOT_READY, Effect::NoExecute);
    for (k, &n) in (0..).zip(nodes) {
        let at = ms(at.as_millis() + k * 10_000);
        let condition = run.ready(at, NO_RECORD, n, ConditionStatus::False);
        let tainted = run.taints(
            ms(at.as_millis() + 100),
            condition,
            Actor::NodeLifecycle,
            n,
            std::slice::from_ref(&no_execute),
            &[],
        );
        for p in n * pods..(n + 1) * pods {
            let deleting = run.eviction(ms(at.as_millis() + 120), tainted, What::PodDeleting(1), p);
            run.record(
                ms(at.as_millis() + 1_120),
                deleting,
                Actor::Kubelet,
                What::PodPhase(PodPhase::Succeeded),
                p,
            );
            run.record(ms(at.as_millis() + 1_121), deleting, Actor::Kubelet, What::PodGone, p);
        }
    }
}
