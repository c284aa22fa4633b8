//! What holds of nodes: their taints and conditions, and how ready their pods are.

use super::*;
use crate::analysis::properties::Property;
use crate::analysis::tests::synthetic::{ms, taint};
use crate::api::meta::ConditionStatus::{False, True, Unknown};
use crate::api::node::NodeReason;
use crate::api::taint::{Effect, UNREACHABLE};
use crate::plan::{Action, Phase, WatchCache};

#[test]
fn a_users_taint_is_lost_by_anothers_patch() {
    for (by, times) in [(Actor::NodeLifecycle, vec![2_000]), (Actor::User, vec![])] {
        let mut s = Story::new(20, &five_seconds());
        s.tainted(1_000, Actor::User);
        s.untainted(2_000, by);
        assert_eq!(s.times("taint-lost"), times, "{by:?}");
    }
    // A controller may take away what is its own by name, and what itself wrote.
    let mut s = Story::new(20, &[]);
    s.k = taint(UNREACHABLE, Effect::NoExecute);
    s.tainted(1_000, Actor::User);
    s.untainted(2_000, Actor::NodeLifecycle);
    assert!(s.times("taint-lost").is_empty());
    let mut s = Story::new(20, &[]);
    s.tainted(1_000, Actor::Cloud);
    s.untainted(2_000, Actor::NodeLifecycle);
    assert!(s.times("taint-lost").is_empty());
}

#[test]
fn a_condition_taint_goes_with_its_condition() {
    let story = |untainted: Option<u64>, effect| {
        let mut s = Story::new(100, &[]);
        s.k = taint(UNREACHABLE, effect);
        let node = s.node;
        s.run.ready(ms(5_000), NO_RECORD, node, Unknown);
        s.tainted(5_000, Actor::NodeLifecycle);
        s.run.ready(ms(20_000), NO_RECORD, node, True);
        if let Some(at) = untainted {
            s.untainted(at, Actor::NodeLifecycle);
        }
        s.times("taint-stale(10s)")
    };
    for effect in [Effect::NoSchedule, Effect::NoExecute] {
        assert_eq!(story(None, effect), [30_000]);
        assert_eq!(story(Some(31_000), effect), [30_000]);
        assert!(story(Some(30_000), effect).is_empty());
    }
    // Pressure, and what a user wrote under that name.
    for (by, times) in [(Actor::NodeLifecycle, vec![19_000]), (Actor::User, vec![])] {
        let mut s = Story::new(100, &[]);
        s.k = taint("node.kubernetes.io/memory-pressure", Effect::NoSchedule);
        let node = s.node;
        let what = |status| {
            What::NodeCondition(NodeConditionType::MemoryPressure, status, NodeReason::None)
        };
        s.run.record(ms(1_000), NO_RECORD, Actor::Kubelet, what(True), node);
        s.tainted(1_000, by);
        s.run.record(ms(9_000), NO_RECORD, Actor::Kubelet, what(False), node);
        assert_eq!(s.times("taint-stale(10s)"), times, "{by:?}");
    }
}

#[test]
fn master_disruption_is_the_end_of_the_reason_for_no_execute() {
    let story = |left: Option<u64>| {
        let mut s = Story::new(100, &[]);
        s.k = taint(UNREACHABLE, Effect::NoExecute);
        let node = s.node;
        s.run.ready(ms(5_000), NO_RECORD, node, Unknown);
        s.tainted(5_100, Actor::NodeLifecycle);
        s.run.lifecycle(ms(6_000), NO_RECORD, What::MasterDisruptionEntered, 0);
        if let Some(at) = left {
            s.run.lifecycle(ms(at), NO_RECORD, What::MasterDisruptionLeft, 0);
        }
        s.times("taint-stale(10s)")
    };
    assert_eq!(story(None), [16_000]);
    assert!(story(Some(15_000)).is_empty());
}

#[test]
fn a_pod_on_a_node_that_is_back_is_ready_again() {
    let story = |ready_again: Option<u64>| {
        let mut s = Story::new(100, &[]);
        let node = s.node;
        s.ready(1_000, true);
        s.run.ready(ms(5_000), NO_RECORD, node, Unknown);
        s.ready(5_000, false);
        s.run.ready(ms(40_000), NO_RECORD, node, True);
        if let Some(at) = ready_again {
            s.ready(at, true);
        }
        s.found("never-ready(10s)")
    };
    assert!(story(Some(50_000)).is_empty());
    let found = story(None);
    assert_eq!(found[0].at, ms(50_000));
    assert_eq!(
        found[0].text,
        "default/p has been NotReady since 5s and still is at 50s although n has been healthy since 40s"
    );
    // One that never was Ready only starts slowly.
    assert!(Story::new(100, &[]).times("never-ready(10s)").is_empty());
}

#[test]
fn a_pod_on_an_unknown_node_is_not_ready() {
    let story = |marked: Option<u64>| {
        let mut s = Story::new(100, &[]);
        let node = s.node;
        s.ready(1_000, true);
        s.run.ready(ms(5_000), NO_RECORD, node, Unknown);
        if let Some(at) = marked {
            s.ready(at, false);
        }
        s.found("stale-ready(10s)")
    };
    let found = story(None);
    // The pod's creation, and what it should have been marked for.
    assert_eq!((found[0].at, &found[0].records[..]), (ms(15_000), &[0, 3][..]));
    assert!(found.len() == 1 && story(Some(15_000)).is_empty());
}

#[test]
fn a_node_that_is_heard_is_not_unknown() {
    let story = |silent: Option<u64>, property: &str| {
        let mut s = Story::new(100, &[]);
        let node = s.node;
        if let Some(at) = silent {
            s.run.record(ms(at), NO_RECORD, Actor::User, What::NodeSilent, node);
        }
        s.run.ready(ms(50_000), NO_RECORD, node, Unknown);
        s.times(property)
    };
    assert_eq!(story(None, "false-unknown"), [50_000]);
    assert!(story(Some(1_000), "false-unknown").is_empty());
    assert_eq!(story(Some(5_000), "false-unknown(45s)"), [50_000]);
    assert!(story(Some(4_999), "false-unknown(45s)").is_empty());
}

#[test]
fn a_dead_node_is_tainted_in_its_turn() {
    let story = |tainted: Option<u64>, other: Option<u64>| {
        let mut s = Story::new(600, &[]);
        let node = s.node;
        let elsewhere = s.run.node("m", "a");
        s.k = taint(UNREACHABLE, Effect::NoExecute);
        s.run.ready(ms(50_000), NO_RECORD, node, Unknown);
        if let Some(at) = tainted {
            s.tainted(at, Actor::NodeLifecycle);
        }
        if let Some(at) = other {
            let k = s.k.clone();
            s.run.taints(ms(at), NO_RECORD, Actor::NodeLifecycle, elsewhere, &[k], &[]);
        }
        s
    };
    assert_eq!(story(None, None).times("never-tainted(60s)"), [110_000]);
    assert!(story(Some(100_000), None).times("never-tainted(60s)").is_empty());
    // At 0.1 a second, as the flag has it by default, the next token comes ten seconds after the one that another node
    // has had; at 0.002 it comes after 500 s, and by the end of the run nobody has waited too long.
    let other_first = |rate: f32| {
        let mut other = story(None, Some(100_000));
        other.run.plan.flags.node_eviction_rate = rate;
        other.times("never-tainted(60s)")
    };
    assert_eq!(other_first(0.1), [170_000], "another node's turn came first");
    assert_eq!(other_first(0.002), [0; 0]);
    let mut first = story(None, None);
    first.run.plan.flags.node_eviction_rate = 0.002;
    assert_eq!(first.times("never-tainted(60s)"), [110_000], "the first token is there");
    // #89012: a person takes it away, and it does not come back.
    let mut removed = story(Some(51_000), None);
    removed.untainted(60_000, Actor::User);
    assert_eq!(removed.times("never-tainted(60s)"), [121_000]);
    // Neither in a zone that is partly disrupted, nor in master disruption.
    let mut partial = story(None, None);
    let zone = partial.run.text("a");
    partial.run.lifecycle(ms(50_001), NO_RECORD, What::Zone(ZoneState::PartialDisruption), zone);
    assert!(partial.times("never-tainted(60s)").is_empty());
    let mut all = story(None, None);
    all.run.lifecycle(ms(50_001), NO_RECORD, What::MasterDisruptionEntered, 0);
    all.run.lifecycle(ms(200_000), NO_RECORD, What::MasterDisruptionLeft, 0);
    assert_eq!(all.times("never-tainted(60s)"), [270_000], "the new limiter has no token yet");
}

#[test]
fn a_node_that_is_back_is_in_touch_once_the_api_server_has_a_renewal() {
    // Cut off at 1 s, back at 49.9 s; the pass at 50 s last saw a renewal 45 s before.
    let times = |unseen: Option<u32>, property: &str| {
        let mut s = Story::new(100, &[]);
        let node = s.node;
        let mut user = |at, what| _ = s.run.record(ms(at), NO_RECORD, Actor::User, what, node);
        user(1_000, What::NodeSilent);
        user(49_900, What::NodeHeard);
        let mut noted = |note, ago| {
            let what = What::Noted(note, ago);
            s.run.record(ms(50_000), NO_RECORD, Actor::NodeLifecycle, what, node);
        };
        unseen.into_iter().for_each(|ago| noted(Note::RenewalUnseen, ago));
        noted(Note::NodeExpired, 45_000);
        s.run.ready(ms(50_010), NO_RECORD, node, Unknown);
        s.times(property)
    };
    assert!(times(None, "false-unknown").is_empty());
    assert!(times(None, "false-unknown(1s)").is_empty());
    // A silence of 49 s and a bit would have been borne.
    assert_eq!(times(None, "false-unknown(50s)"), [50_010]);
    // Renewed at 49.95 s, which a watch would have delivered.
    assert_eq!(times(Some(50), "false-unknown"), [50_010]);
    // In the very instant of the decision nobody could know.
    assert!(times(Some(0), "false-unknown").is_empty());
}

#[test]
fn nobody_is_heard_while_the_api_server_is_away() {
    let times = |back: u64| {
        let mut s = Story::new(100, &[]);
        for (at, act) in [(1, Do::ApiDown), (back, Do::ApiUp(WatchCache::Kept))] {
            s.run.plan.actions.push(Action {
                at: Time::from_secs(at),
                entry: 0,
                phase: Phase::Step,
                act,
            });
        }
        let node = s.node;
        s.run.record(
            ms(50_000),
            NO_RECORD,
            Actor::NodeLifecycle,
            What::Noted(Note::NodeExpired, 45_000),
            node,
        );
        s.run.ready(ms(50_010), NO_RECORD, node, Unknown);
        s.times("false-unknown")
    };
    assert!(times(49).is_empty());
    assert_eq!(times(4), [50_010], "a heartbeat came since");
}

/// Cut off since 10 s, and Unknown at 50 s: that a Job's requests are held up from 0.1 s to 68 s makes its silence no shorter.
#[test]
fn what_is_held_up_leaves_a_silent_node_silent() {
    let mut s = Story::new(100, &[]);
    let node = s.node;
    s.run.record(ms(10_000), NO_RECORD, Actor::User, What::NodeSilent, node);
    s.run.ready(ms(50_000), NO_RECORD, node, Unknown);
    let (plan, mut trace) = s.run.finish();
    trace.held_up = vec![(ms(100), Dur::from_secs(34)), (ms(34_000), Dur::from_secs(34))];
    let property = Property::parse("false-unknown").unwrap();
    assert!(check(&property, &Analysis::new(&plan, &trace)).is_empty());
}

#[test]
fn never_ready_waits_for_a_kubelets_pauses() {
    // Two pauses of twice 30 s, ten seconds to the next look, and some for requests.
    let Ok(Property::NeverReady(within)) = Property::parse("never-ready") else {
        panic!("there is one of that name")
    };
    assert!(within >= Dur::from_secs(2 * 2 * 30 + 10));
}
