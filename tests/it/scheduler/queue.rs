//! The scheduler's queue against upstream's own tests and the table of what wakes whom.

use super::{ROOMY, node, of_priority, pod, shape, switches, template};
use std::rc::Rc;
use taintsim::api::names::NodeId;
use taintsim::api::node::Node;
use taintsim::api::pod::{Pod, PodTemplate};
use taintsim::api::scheduling::SchedulingSpec;
use taintsim::api::taint::{Effect, Taint};
use taintsim::controllers::scheduler::cache::Cache;
use taintsim::controllers::scheduler::events::{Change, ClusterEvent};
use taintsim::controllers::scheduler::queue::Queue;
use taintsim::kernel::{Dur, Time};
use taintsim::trace::Plugin;

struct Waiting {
    queue: Queue,
    cache: Cache,
}

impl Waiting {
    fn new(release: &str) -> Self {
        Waiting { queue: Queue::new(switches(release)), cache: Cache::new(true, true) }
    }

    fn add(&mut self, id: u32, template: &Rc<PodTemplate>, now: Time) {
        let shape = self.cache.shape(template, "default");
        self.queue.add(&Rc::new(pod(id, template)), &shape, now, 0);
    }

    /// Tries the next pod and has a plugin reject it.
    fn reject(&mut self, plugin: Plugin, now: Time) -> Option<u32> {
        let mut entry = self.queue.pop()?;
        let id = entry.pod.id.0;
        entry.rejected_by.insert(plugin);
        let cycle = self.queue.cycle();
        self.queue.add_unschedulable_if_not_present(entry, cycle, now, &self.cache);
        Some(id)
    }

    fn pop(&mut self) -> Option<u32> {
        let entry = self.queue.pop()?;
        self.queue.done(entry.pod.id);
        Some(entry.pod.id.0)
    }

    fn change(&mut self, change: &Change, now: Time) {
        self.queue.move_all_to_active_or_backoff_queue(change, &|_| true, (now, 0), &self.cache);
    }
}

fn at(ms: u64) -> Time {
    Time::ZERO + Dur::from_millis(ms)
}

/// Upstream's `TestBackOffFlow`: after each rejection the pod waits 1, 2, 4, 8, 10, 10 seconds.
#[test]
fn back_off_doubles_up_to_ten_seconds() {
    let mut w = Waiting::new("1.32");
    w.add(1, &Rc::new(template(&[])), at(0));
    let mut now = at(0);
    for seconds in [1, 2, 4, 8, 10, 10] {
        assert_eq!(w.reject(Plugin::NodeResourcesFit, now), Some(1));
        w.change(&Change::any(), now);
        let end = now + Dur::from_secs(seconds);
        w.queue.flush_backoff_q_completed(end.saturating_sub(Dur::from_millis(1)));
        assert!(!w.queue.is_ready(), "{seconds}");
        w.queue.flush_backoff_q_completed(end);
        assert!(w.queue.is_ready(), "{seconds}");
        now = end;
    }
}

/// Upstream's `TestPopFromBackoffQWhenActiveQEmpty`: from 1.33 an idle scheduler does not wait for
/// the end of a back-off.
#[test]
fn an_idle_scheduler_takes_pods_that_back_off() {
    for (release, ready) in [("1.32", false), ("1.33", true)] {
        let mut w = Waiting::new(release);
        w.add(1, &Rc::new(template(&[])), at(0));
        assert_eq!(w.reject(Plugin::NodeAffinity, at(100)), Some(1));
        assert!(!w.queue.is_ready());
        let added =
            Change::of_node(ClusterEvent::NodeAdd, None, Some(&Rc::new(node(1, "a", ROOMY))));
        w.change(&added, at(200));
        assert_eq!(w.queue.is_ready(), ready, "{release}");
    }
}

/// Upstream's `TestHighPriorityFlushUnschedulableEntitiesLeftover`: after more than 5 min without a
/// helpful change pods are tried again, those of higher priority first; up to 1.23 after more than
/// 60 s.
#[test]
fn forgotten_pods_are_tried_again() {
    for (release, limit) in [("1.23", 60), ("1.24", 300), ("1.34", 300)] {
        let mut w = Waiting::new(release);
        w.add(1, &of_priority(1, &[]), at(0));
        w.add(2, &of_priority(1000, &[]), at(0));
        assert_eq!(
            [w.reject(Plugin::NodeAffinity, at(0)), w.reject(Plugin::NodeAffinity, at(0))],
            [Some(2), Some(1)]
        );
        w.queue.flush_unschedulable_pods_leftover(at(limit * 1000), 0);
        assert!(!w.queue.is_ready(), "{release}");
        w.queue.flush_unschedulable_pods_leftover(at(limit * 1000 + 1), 0);
        assert_eq!([w.pop(), w.pop(), w.pop()], [Some(2), Some(1), None], "{release}");
    }
}

/// Upstream's `TestSchedulingGates`: a pod with gates is not tried, whatever happens; without them
/// it is.
#[test]
fn gates_hold_pods_back() {
    let mut w = Waiting::new("1.34");
    let gated = SchedulingSpec { gates: vec!["wait".into()], ..SchedulingSpec::default() };
    let gated = Rc::new(PodTemplate { scheduling: Some(Rc::new(gated)), ..template(&[]) });
    w.add(1, &gated, at(0));
    w.change(
        &Change::of_node(ClusterEvent::NodeAdd, None, Some(&Rc::new(node(1, "a", ROOMY)))),
        at(1000),
    );
    w.queue.flush_unschedulable_pods_leftover(at(1_000_000), 0);
    assert!(!w.queue.is_ready());
    let (old, free) = (Rc::new(pod(1, &gated)), Rc::new(template(&[])));
    let new = Rc::new(pod(1, &free));
    let (was, is) = (w.cache.shape(&gated, "default"), w.cache.shape(&free, "default"));
    let change = Change::of_pod(
        ClusterEvent::OwnGates,
        Some((old.clone(), was)),
        Some((new.clone(), is.clone())),
    );
    w.queue.update(&old, &new, &is, &[change], (at(2_000_000), 0), &w.cache);
    assert_eq!(w.pop(), Some(1));
}

/// The table of the reference, §1.9: which change wakes a pod that a plugin rejected, for three
/// rules of waking.
#[test]
fn who_is_woken_by_what() {
    let bound = |id| {
        let template = Rc::new(template(&[("cpu", "1")]));
        let shape = shape((*template).clone());
        (Rc::new(Pod { node: Some(NodeId(1)), ..pod(id, &template) }), shape)
    };
    let gone = Change::of_pod(ClusterEvent::PodDelete, Some(bound(7)), None);
    let plain = Rc::new(node(1, "a", ROOMY));
    let tainted =
        Rc::new(Node { taints: vec![Taint::new("k", Effect::NoSchedule)], ..(*plain).clone() });
    let untainted = Change::of_node(ClusterEvent::NodeTaint, Some(&tainted), Some(&plain));
    let newly_tainted = Change::of_node(ClusterEvent::NodeTaint, Some(&plain), Some(&tainted));
    for (release, plugin, change, wakes) in [
        ("1.21", Plugin::TaintToleration, &gone, true),
        ("1.22", Plugin::TaintToleration, &gone, false),
        ("1.34", Plugin::TaintToleration, &gone, false),
        ("1.34", Plugin::NodeResourcesFit, &gone, true),
        ("1.34", Plugin::NodePorts, &gone, false),
        ("1.34", Plugin::TaintToleration, &untainted, true),
        ("1.31", Plugin::TaintToleration, &newly_tainted, true),
        ("1.34", Plugin::TaintToleration, &newly_tainted, false),
        ("1.31", Plugin::NodeResourcesFit, &untainted, true),
        // Until 1.36 those that hear of new nodes hear of taints as well, and are not asked
        // (recorded: preempt-cordoned).
        ("1.34", Plugin::NodeResourcesFit, &untainted, true),
        ("1.34", Plugin::NodeResourcesFit, &newly_tainted, true),
        ("1.37", Plugin::NodeResourcesFit, &untainted, false),
    ] {
        let mut w = Waiting::new(release);
        w.add(1, &Rc::new(template(&[("cpu", "1")])), at(0));
        assert_eq!(w.reject(plugin, at(0)), Some(1));
        w.change(change, at(20_000));
        assert_eq!(w.queue.is_ready(), wakes, "{release} {plugin:?} {:?}", change.event);
    }
}

/// Changes while a pod is being tried count from 1.32 if they help; before, any change that
/// somebody registered sends it to back off.
#[test]
fn changes_during_an_attempt() {
    let added = Change::of_node(
        ClusterEvent::NodeAdd,
        None,
        Some(&Rc::new(node(1, "a", &[("cpu", "1"), ("pods", "1")]))),
    );
    for (release, cpu, waits) in [("1.31", "2", false), ("1.32", "2", true), ("1.32", "1", false)] {
        let mut w = Waiting::new(release);
        w.add(1, &Rc::new(template(&[("cpu", cpu)])), at(0));
        let Some(mut entry) = w.queue.pop() else { panic!("nothing to try") };
        w.change(&added, at(1));
        entry.rejected_by.insert(Plugin::NodeResourcesFit);
        let cycle = w.queue.cycle();
        w.queue.add_unschedulable_if_not_present(entry, cycle, at(2), &w.cache);
        assert_eq!(
            (w.queue.has_backoff(), w.queue.has_unschedulable()),
            (!waits, waits),
            "{release} {cpu}"
        );
    }
}
