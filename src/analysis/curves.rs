//! How many pods and nodes are in which state, and how many nodes wait in the queues of their zones
//! for the NoExecute taint, as step functions of time.

use super::prelude::*;
use super::state::NodeFlags;
use super::truth::{Standing, Truth};

/// A step function: the value from each time on. Times rise; the first is zero.
pub(crate) type Steps = Vec<(Time, u32)>;

/// Counts over time. Each pod that exists and is not finished is in exactly one of `available`,
/// `dead`, `not_ready`, `terminating` and `pending`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Curves {
    /// Pods that are Running and Ready and are not being deleted, and that are up.
    pub(crate) available: Steps,
    /// Those that are not up, although the API has them as Running and Ready.
    pub(crate) dead: Steps,
    /// Pods that are Running and not Ready and are not being deleted: on a node whose Ready
    /// condition is not True, mostly.
    pub(crate) not_ready: Steps,
    /// Pods with a deletionTimestamp that still exist.
    pub(crate) terminating: Steps,
    /// Pods that wait to be bound or started.
    pub(crate) pending: Steps,
    /// Evictions so far.
    pub(crate) evicted: Steps,
    /// Nodes whose kubelet cannot reach the API server, while their Ready condition is still True.
    pub(crate) silent_nodes: Steps,
    /// Nodes whose Ready condition is not True.
    pub(crate) not_ready_nodes: Steps,
    /// Nodes with a NoExecute taint.
    pub(crate) tainted_nodes: Steps,
    /// The end of the run.
    pub(crate) horizon: Time,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    pods: [u32; 5],
    evicted: u32,
    silent: u32,
    not_ready_nodes: u32,
    tainted: u32,
}

fn pod_class(p: &Standing) -> Option<usize> {
    match p {
        _ if !p.exists => None,
        _ if p.deleting => Some(2),
        _ if p.pending => Some(3),
        _ if p.ready && p.up => Some(0),
        _ if p.ready => Some(4),
        _ => Some(1),
    }
}

impl Counts {
    fn pod(&mut self, p: &Standing, by: i32) {
        if let Some(class) = pod_class(p) {
            self.pods[class] = self.pods[class].wrapping_add_signed(by);
        }
    }

    fn node(&mut self, n: NodeFlags, by: i32) {
        let add =
            |what: &mut u32, is: bool| *what = what.wrapping_add_signed(if is { by } else { 0 });
        add(&mut self.silent, n.health() == Health::Silent);
        add(&mut self.not_ready_nodes, matches!(n.health(), Health::Unknown | Health::NotReady));
        add(&mut self.tainted, n.exists && n.no_execute > 0);
    }
}

impl Curves {
    fn push(&mut self, at: Time, c: &Counts) {
        let all = [
            (&mut self.available, c.pods[0]),
            (&mut self.dead, c.pods[4]),
            (&mut self.not_ready, c.pods[1]),
            (&mut self.terminating, c.pods[2]),
            (&mut self.pending, c.pods[3]),
            (&mut self.evicted, c.evicted),
            (&mut self.silent_nodes, c.silent),
            (&mut self.not_ready_nodes, c.not_ready_nodes),
            (&mut self.tainted_nodes, c.tainted),
        ];
        for (steps, value) in all {
            if steps.last().is_none_or(|&(_, v)| v != value) {
                steps.push((at, value));
            }
        }
    }
}

/// The curves of a run. Values within one instant are not shown, only the last.
pub fn curves(analysis: &Analysis<'_>) -> Curves {
    let mut curves = Curves { horizon: analysis.horizon(), ..Curves::default() };
    let mut truth = Truth::new(analysis);
    let mut counts = Counts::default();
    truth.follow.nodes().for_each(|(_, n)| counts.node(n, 1));
    truth.follow.pods().for_each(|(id, _)| counts.pod(&truth.standing(id), 1));
    let mut now = Time::ZERO;
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        if r.at != now {
            curves.push(now, &counts);
            now = r.at;
        }
        let (step, _) = truth.apply(id, r, &mut |_, before, after| {
            counts.pod(before, -1);
            counts.pod(after, 1);
        });
        if step.pod.is_some() {
            counts.evicted += u32::from(step.eviction(r).is_some());
        }
        if let Some((_, before, after)) = step.node {
            counts.node(before, -1);
            counts.node(after, 1);
        }
    }
    curves.push(now, &counts);
    curves
}

/// The value of a step function at a time; 0 before its first.
pub(crate) fn value_at<T: Copy + Default>(steps: &[(Time, T)], at: Time) -> T {
    steps[..steps.partition_point(|s| s.0 <= at)].last().map_or_else(T::default, |s| s.1)
}

/// Sets the value from a time on, over another one of the same instant.
pub(super) fn set<T: Copy + PartialEq>(steps: &mut Vec<(Time, T)>, at: Time, value: T) {
    match steps.last_mut() {
        Some(last) if last.0 == at => last.1 = value,
        Some(last) if last.1 == value => {}
        _ => steps.push((at, value)),
    }
}

/// How many nodes wait in the queues of their zones. A node leaves its queue with the taint, when
/// it is Ready again, when it is deleted; all do in master disruption, and with their process.
pub(crate) fn waiting(analysis: &Analysis<'_>) -> Vec<(Time, u32)> {
    let mut follow = Follow::new(analysis);
    let mut inside: BTreeSet<NodeId> = BTreeSet::new();
    let mut steps = vec![(Time::ZERO, 0)];
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let step = follow.apply(id, r);
        match r.what {
            What::NodeQueued => {
                inside.insert(NodeId(r.object));
            }
            What::MasterDisruptionEntered | What::ControllersStopped => inside.clear(),
            _ => {}
        }
        if let Some((node, _, after)) = step.node
            && (after.no_execute > 0
                || matches!(after.health(), Health::Ready | Health::Silent | Health::Absent))
        {
            inside.remove(&node);
        }
        // Without taints it is the pods' deletion that the queue is for.
        if let Some((_, pod)) = step.eviction(r)
            && let Some(node) = pod.node_id()
        {
            inside.remove(&node);
        }
        set_over(&mut steps, r.at, inside.len() as u32);
    }
    steps
}

/// Sets the value from a time on, over another one of the same instant.
pub(crate) fn set_over(steps: &mut Vec<(Time, u32)>, at: Time, value: u32) {
    match steps.as_mut_slice() {
        [.., before, last] if last.0 == at && before.1 == value => {
            steps.pop();
        }
        [.., last] if last.0 == at => last.1 = value,
        [.., last] if last.1 == value => {}
        _ => steps.push((at, value)),
    }
}
