//! Hand-made traces that violate a property, each beside one that differs little and does not.

mod nodes;

use super::super::tests::synthetic::{Run, ms, taint, tolerates};
use super::{Harm, Property, PropertyError, Violation, check, decided};
use crate::analysis::prelude::*;
use crate::api::meta::ConditionStatus::{False, True};
use crate::api::pod::{PodConditionType, PodReason};
use crate::api::taint::{Effect, NOT_READY, UNREACHABLE};
use crate::plan::PodStart;

/// A node `n`, and a pod `default/p` that is created on it at time zero; the taint `k:NoExecute` is
/// at hand.
struct Story {
    run: Run,
    node: u32,
    pod: u32,
    k: Taint,
}

impl Story {
    fn new(seconds: u64, tolerations: &[Toleration]) -> Self {
        let mut run = Run::new("story", Time::from_secs(seconds));
        let node = run.node("n", "a");
        let pod = run.pod("default/p", node);
        run.plan.pods[0].start = PodStart::Absent;
        run.created(ms(0), pod, node, tolerations);
        Story { run, node, pod, k: taint("k", Effect::NoExecute) }
    }

    fn tainted(&mut self, at: u64, by: Actor) -> RecordId {
        let k = self.k.clone();
        self.run.taints(ms(at), NO_RECORD, by, self.node, std::slice::from_ref(&k), &[])
    }

    fn untainted(&mut self, at: u64, by: Actor) -> RecordId {
        let k = self.k.clone();
        self.run.taints(ms(at), NO_RECORD, by, self.node, &[], std::slice::from_ref(&k))
    }

    fn timer(&mut self, at: u64, seconds: u32) -> RecordId {
        self.run.eviction(ms(at), NO_RECORD, What::TimerSet(seconds), self.pod)
    }

    fn deleted(&mut self, at: u64, cause: RecordId) {
        self.run.eviction(ms(at), cause, What::PodDeleting(30), self.pod);
    }

    fn gone(&mut self, at: u64) {
        self.run.record(ms(at), NO_RECORD, Actor::Kubelet, What::PodGone, self.pod);
    }

    fn ready(&mut self, at: u64, ready: bool) {
        let status = if ready { True } else { False };
        self.run.record(
            ms(at),
            NO_RECORD,
            Actor::Kubelet,
            What::PodPhase(PodPhase::Running),
            self.pod,
        );
        let what = What::PodCondition(PodConditionType::Ready, status, PodReason::None);
        self.run.record(ms(at), NO_RECORD, Actor::Kubelet, what, self.pod);
    }

    fn found(self, property: &str) -> Vec<Violation> {
        let (plan, trace) = self.run.finish();
        check(&Property::parse(property).unwrap(), &Analysis::new(&plan, &trace))
    }

    /// When the property is violated, in milliseconds.
    fn times(self, property: &str) -> Vec<u64> {
        self.found(property).iter().map(|v| v.at.as_millis()).collect()
    }
}

/// A pod has to go at 1 s and is overdue from 11 s on: until the taint goes at 20 s, or to the end.
#[test]
fn what_lasts_has_an_end() {
    for (untainted, until) in [(true, ms(20_000)), (false, Time::MAX)] {
        let mut story = Story::new(60, &[]);
        story.tainted(1_000, Actor::User);
        if untainted {
            story.untainted(20_000, Actor::User);
        }
        let found = story.found("pod-stuck(10s)");
        let found: Vec<(Time, Time)> = found.iter().map(|v| (v.at, v.until)).collect();
        assert_eq!(found, [(ms(11_000), until)]);
    }
}

const SECONDS: [i64; 1] = [5];

fn five_seconds() -> Vec<Toleration> {
    SECONDS.iter().map(|s| tolerates("k", Some(*s))).collect()
}

#[test]
fn names_and_bounds_read_back() {
    for name in Property::NAMES {
        let property = Property::parse(name).unwrap();
        assert_eq!(property.name(), name);
        assert_eq!(Property::parse(&property.to_string()), Ok(property));
        let camel: String = name.split('-').map(|w| w[..1].to_uppercase() + &w[1..]).collect();
        assert_eq!(Property::parse(&camel), Ok(property), "{camel}");
    }
    assert_eq!(Property::parse("pod-stuck(10s)"), Ok(Property::PodStuck(Dur::from_secs(10))));
    assert_eq!(Property::parse(" EvictLoop( 5 ) "), Ok(Property::EvictLoop(5)));
    let unknown = "there is no property \"pod-stick\"; did you mean pod-stuck?".to_owned();
    assert_eq!(Property::parse("pod-stick"), Err(PropertyError(unknown)));
    for text in ["", "pod-stuck(", "pod-stuck(soon)", "wrong-pod(3)", "evict-loop(-1)", "évict"] {
        let error = Property::parse(text).unwrap_err().to_string();
        assert!(!error.is_empty(), "{text}");
    }
}

#[test]
fn a_pod_is_stuck_when_its_time_is_over_and_nobody_deletes_it() {
    // Tainted at 1 s, tolerated for 5 s: it has to go at 6 s, and is stuck at 16 s.
    let mut stuck = Story::new(20, &five_seconds());
    stuck.tainted(1_000, Actor::User);
    let found = stuck.found("pod-stuck(10s)");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].at, ms(16_000));
    assert_eq!(
        found[0].text,
        "default/p is still on n at 16s: it has k:NoExecute since 1s, tolerated for 5s"
    );
    // The pod's creation and the taint.
    assert_eq!(found[0].records, [0, 1]);

    let mut deleted = Story::new(20, &five_seconds());
    deleted.tainted(1_000, Actor::User);
    deleted.deleted(16_000, NO_RECORD);
    assert!(deleted.times("pod-stuck(10s)").is_empty(), "in time, if only just");
    let mut late = Story::new(20, &five_seconds());
    late.tainted(1_000, Actor::User);
    late.deleted(16_001, NO_RECORD);
    assert_eq!(late.times("pod-stuck(10s)"), [16_000]);

    let mut untainted = Story::new(20, &five_seconds());
    untainted.tainted(1_000, Actor::User);
    untainted.untainted(15_000, Actor::User);
    assert!(untainted.times("pod-stuck(10s)").is_empty());
    let mut tolerated = Story::new(20, &[tolerates("k", None)]);
    tolerated.tainted(1_000, Actor::User);
    assert!(tolerated.times("pod-stuck(0s)").is_empty());
    let mut short = Story::new(15, &five_seconds());
    short.tainted(1_000, Actor::User);
    assert!(short.times("pod-stuck(10s)").is_empty(), "the run ends before");
}

/// Tainted at 1 s and tolerated for 5 s it has to go at 6 s, and is stuck at 16 s: only a run that ends between leaves it open,
/// where nobody deletes the pod.
#[test]
fn what_a_run_is_too_short_for_is_undecided() {
    let is_open = |seconds: u64, deleted: Option<u64>| {
        let mut story = Story::new(seconds, &five_seconds());
        story.tainted(1_000, Actor::User);
        if let Some(at) = deleted {
            story.deleted(at, NO_RECORD);
        }
        let (plan, trace) = story.run.finish();
        decided(&Property::parse("pod-stuck(10s)").unwrap(), &Analysis::new(&plan, &trace)).1
    };
    assert!(is_open(15, None) && is_open(6, None));
    assert!(!is_open(5, None) && !is_open(16, None) && !is_open(15, Some(14_000)));
}

#[test]
fn a_successor_is_stuck_by_itself_and_a_value_decides() {
    // The successor comes at 8 s onto the tainted node: 13 s, and ten more.
    let mut s = Story::new(30, &five_seconds());
    s.tainted(1_000, Actor::User);
    s.deleted(6_000, NO_RECORD);
    s.gone(7_000);
    let (pod, node) = (s.pod, s.node);
    s.run.created(ms(8_000), pod, node, &five_seconds());
    assert_eq!(s.times("pod-stuck(10s)"), [23_000]);

    // The taint's value is what the toleration does not equal, until it is overwritten at 4 s.
    let equal = Toleration { key: "k".to_owned(), value: "v".to_owned(), ..Toleration::default() };
    let mut s = Story::new(30, &[equal]);
    s.tainted(1_000, Actor::User);
    let (node, k) = (s.node, s.k.clone());
    let v = Taint { value: "v".to_owned(), ..k.clone() };
    s.run.taints(ms(4_000), NO_RECORD, Actor::User, node, &[v], &[k]);
    assert!(s.times("pod-stuck(10s)").is_empty());
}

#[test]
fn shortened_and_lengthened_seconds_count_from_the_taint() {
    let patched = |seconds: i64, deleted: Option<u64>, property: &str| {
        let mut s = Story::new(60, &five_seconds());
        s.tainted(1_000, Actor::User);
        let record = s.run.record(ms(2_000), NO_RECORD, Actor::User, What::PodTolerations, s.pod);
        s.run.template(record, &[tolerates("k", Some(seconds))]);
        if let Some(at) = deleted {
            s.deleted(at, NO_RECORD);
        }
        s.times(property)
    };
    assert_eq!(patched(0, None, "pod-stuck(10s)"), [12_000], "not before anybody could know");
    assert_eq!(patched(20, None, "pod-stuck(10s)"), [31_000]);
    assert_eq!(patched(20, Some(6_000), "needless-eviction"), [6_000], "#102993");
    assert!(patched(5, Some(6_000), "needless-eviction").is_empty());
}

#[test]
fn an_eviction_is_needless_without_a_taint_that_requires_it() {
    // 4.9 s after the taint came the second time; the first does not count.
    let again = |deleted: u64| {
        let mut s = Story::new(20, &five_seconds());
        s.tainted(1_000, Actor::User);
        let timer = s.timer(1_000, 5);
        s.untainted(2_000, Actor::User);
        s.tainted(2_000, Actor::User);
        s.deleted(deleted, timer);
        s.found("needless-eviction")
    };
    let found = again(6_900);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].text,
        "default/p was deleted by taint eviction at 6.9s although it tolerates k:NoExecute of n for 5s, until 7s"
    );
    assert!(again(7_000).is_empty());

    let mut s = Story::new(20, &[]);
    s.tainted(1_000, Actor::User);
    s.untainted(1_001, Actor::User);
    s.deleted(1_002, NO_RECORD);
    let found = s.found("needless-eviction");
    assert_eq!(
        found[0].text,
        "default/p was deleted by taint eviction at 1.002s although no NoExecute taint of n required it"
    );

    // Its successor has no node yet.
    let mut s = Story::new(20, &[]);
    s.gone(1_000);
    s.run.record(ms(1_001), NO_RECORD, Actor::ReplicaSet, What::PodCreated(None), s.pod);
    s.deleted(1_002, NO_RECORD);
    assert_eq!(
        s.found("needless-eviction")[0].text,
        "default/p was deleted by taint eviction at 1.002s although it was on no node"
    );
}

#[test]
fn from_not_ready_to_unreachable_is_one_failure() {
    // not-ready at 1 s, swapped at 4 s; five seconds of either.
    let swapped = |property: &str| {
        let mut s =
            Story::new(60, &[tolerates(NOT_READY, Some(5)), tolerates(UNREACHABLE, Some(5))]);
        let [first, second] = [NOT_READY, UNREACHABLE].map(|k| taint(k, Effect::NoExecute));
        let node = s.node;
        s.run.taints(
            ms(1_000),
            NO_RECORD,
            Actor::NodeLifecycle,
            node,
            std::slice::from_ref(&first),
            &[],
        );
        s.run.taints(ms(4_000), NO_RECORD, Actor::NodeLifecycle, node, &[second], &[first]);
        s.deleted(6_000, NO_RECORD);
        s.times(property)
    };
    assert!(swapped("needless-eviction").is_empty());
    assert!(swapped("pod-stuck(0s)").is_empty());
}

#[test]
fn a_timer_of_the_predecessor_deletes_the_wrong_pod() {
    let deletion = |own: bool| {
        let mut s = Story::new(20, &five_seconds());
        s.tainted(1_000, Actor::User);
        let first = s.timer(1_000, 5);
        s.gone(2_000);
        let (pod, node) = (s.pod, s.node);
        s.run.created(ms(3_000), pod, node, &five_seconds());
        let second = s.timer(3_000, 5);
        s.deleted(8_000, if own { second } else { first });
        s.found("wrong-pod")
    };
    assert!(deletion(true).is_empty());
    let found = deletion(false);
    assert_eq!(
        found[0].text,
        "taint-eviction deleted default/p, which exists since 3s, at 8s as it meant to delete its predecessor at 1s"
    );
}

#[test]
fn a_countdown_that_begins_anew_under_the_same_taint_is_reset() {
    let story = |untainted: bool| {
        let mut s = Story::new(20, &five_seconds());
        s.tainted(1_000, Actor::User);
        s.timer(1_000, 5);
        if untainted {
            s.untainted(2_000, Actor::User);
            s.tainted(2_000, Actor::User);
        }
        s.timer(3_000, 5);
        s.found("timer-reset")
    };
    assert!(story(true).is_empty());
    assert_eq!(
        story(false)[0].text,
        "the 5s of default/p began anew at 3s instead of 1s although n has had k:NoExecute since 1s"
    );
}

/// The harm of what such a story violates.
fn harm(run: Run, property: &str) -> Harm {
    let (plan, trace) = run.finish();
    let analysis = Analysis::new(&plan, &trace);
    Harm::of(&check(&Property::parse(property).unwrap(), &analysis)[0], &analysis)
}

/// A countdown begins anew at 3 s, and its pod is deleted at 3.5 s, where it may stay until 6 s. The latter takes more from a pod
/// that is Ready, the former does not.
#[test]
fn what_is_no_deletion_harms_pods_that_are_ready_as_others() {
    let story = |property: &str, ready: bool| {
        let mut s = Story::new(20, &five_seconds());
        s.ready(500, ready);
        s.tainted(1_000, Actor::User);
        s.timer(1_000, 5);
        let timer = s.timer(3_000, 5);
        s.deleted(3_500, timer);
        harm(s.run, property)
    };
    for (property, differs) in [("timer-reset", false), ("needless-eviction", true)] {
        let [ready, not] = [true, false].map(|ready| story(property, ready));
        assert!(ready.is_as_bad(&not), "{property}");
        assert_eq!(not.is_as_bad(&ready), !differs, "{property}");
    }
}

/// What happens on one node again and again is no case of what does on another.
#[test]
fn a_loop_is_that_of_its_node() {
    let on = |place: usize| {
        let mut run = Run::new("loop", Time::from_secs(600));
        let nodes = ["n", "m"].map(|name| run.node(name, "a"));
        let (_, set) = run.workload("Deployment/default/web", "ReplicaSet/default/web-1");
        for round in 1..=4 {
            let pod = run.replica(&format!("default/web-{round}"), set);
            let created = What::pod_created(Some(NodeId(nodes[place])));
            run.record(ms(10_000 * round), NO_RECORD, Actor::ReplicaSet, created, pod);
            run.eviction(ms(10_000 * round + 1_000), NO_RECORD, What::PodDeleting(30), pod);
        }
        harm(run, "evict-loop(3)")
    };
    assert!(on(0).is_as_bad(&on(0)) && !on(1).is_as_bad(&on(0)));
}

#[test]
fn an_eviction_loop_is_counted_in_rounds() {
    let story = |rounds: u64, at_once: u64| {
        let mut run = Run::new("loop", Time::from_secs(600));
        let node = run.node("n", "a");
        let (_, set) = run.workload("Deployment/default/web", "ReplicaSet/default/web-1");
        for round in 0..rounds {
            for i in 0..at_once {
                let pod = run.replica(&format!("default/web-{round}-{i}"), set);
                let at = 10_000 * (round + 1);
                run.record(
                    ms(at),
                    NO_RECORD,
                    Actor::ReplicaSet,
                    What::pod_created(Some(NodeId(node))),
                    pod,
                );
                run.eviction(ms(at + 1_000), NO_RECORD, What::PodDeleting(30), pod);
            }
        }
        let (plan, trace) = run.finish();
        check(&Property::parse("evict-loop(3)").unwrap(), &Analysis::new(&plan, &trace))
    };
    assert!(story(3, 1).is_empty());
    assert!(story(3, 5).is_empty(), "five pods that leave together are one round");
    let found = story(4, 5);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].at, ms(41_000));
    assert_eq!(
        found[0].text,
        "ReplicaSet/default/web-1 was evicted from n for the 4th time at 41s"
    );
}

/// Four times the node is tainted at 2 s of a period, a pod is evicted at 3 s, and the taint goes at 4 s: it is without one
/// for the period less 2 s.
#[test]
fn an_outage_an_hour_after_the_one_before_is_no_loop() {
    let rounds = |period: u64, is_back: bool| {
        let mut run = Run::new("weeks", Time::from_secs(4 * period));
        let node = run.node("n", "a");
        let (_, set) = run.workload("Deployment/default/web", "ReplicaSet/default/web-1");
        let k = [taint(UNREACHABLE, Effect::NoExecute)];
        for round in 0..4 {
            let at = |second: u64| ms((period * round + second) * 1_000);
            let pod = run.replica(&format!("default/web-{round}"), set);
            let created = What::pod_created(Some(NodeId(node)));
            run.record(at(1), NO_RECORD, Actor::ReplicaSet, created, pod);
            if round == 0 || is_back {
                run.taints(at(2), NO_RECORD, Actor::NodeLifecycle, node, &k, &[]);
            }
            run.eviction(at(3), NO_RECORD, What::PodDeleting(30), pod);
            if is_back {
                run.taints(at(4), NO_RECORD, Actor::NodeLifecycle, node, &[], &k);
            }
        }
        let (plan, trace) = run.finish();
        check(&Property::parse("evict-loop(3)").unwrap(), &Analysis::new(&plan, &trace)).len()
    };
    assert_eq!([rounds(3_601, true), rounds(3_602, true)], [1, 0]);
    assert_eq!(rounds(7_200, false), 1, "the taint stays");
}

/// Four times, a period apart, a device's taint evicts the pod that came a second before.
#[test]
fn evictions_for_a_device_are_a_loop_within_an_hour() {
    let rounds = |period: u64| {
        let mut run = Run::new("device", Time::from_secs(5 * period));
        let node = run.node("n", "a");
        let (_, set) = run.workload("Deployment/default/web", "ReplicaSet/default/web-1");
        for round in 0..4 {
            let at = |second: u64| ms((period * round + second) * 1_000);
            let pod = run.replica(&format!("default/web-{round}"), set);
            let created = What::pod_created(Some(NodeId(node)));
            run.record(at(1), NO_RECORD, Actor::ReplicaSet, created, pod);
            let by = Actor::DeviceTaintEviction;
            run.record(at(2), NO_RECORD, by, What::PodDeleting(30), pod);
        }
        let (plan, trace) = run.finish();
        check(&Property::parse("evict-loop(3)").unwrap(), &Analysis::new(&plan, &trace)).len()
    };
    assert_eq!([rounds(10), rounds(3_599), rounds(3_600)], [1, 1, 0]);
}

#[test]
fn a_pod_from_the_start_is_stuck_only_where_it_does_not_tolerate_its_node() {
    let times = |tolerations: &[Toleration]| {
        let mut s = Story::new(60, tolerations);
        s.run.plan.nodes[0].taints = vec![s.k.clone()];
        s.run.plan.pods[0].start = PodStart::Running;
        s.times("pod-stuck(10s)")
    };
    assert!(times(&[tolerates("k", None)]).is_empty());
    assert_eq!(times(&[tolerates("k", Some(5))]), [15_000]);
    assert_eq!(times(&[]), [10_000]);
}
