//! How many pods and nodes are in which state, and how many nodes wait in the queues of their zones
//! for the NoExecute taint, as step functions of time.

use super::prelude::*;
use super::truth::{Standing, Truth};

pub(crate) use super::steps::{Steps, set_over, value_at};

words! {
    /// What is counted over time. Each pod that exists and is not finished is in exactly one of the
    /// first five.
    pub enum Curve {
        /// Pods that are Running and Ready and are not being deleted, and that are up.
        Available = "available",
        /// Those that are not up, although the API has them as Running and Ready.
        Dead = "dead",
        /// Pods that are Running and not Ready and are not being deleted: on a node whose Ready
        /// condition is not True, mostly.
        NotReady = "not_ready",
        /// Pods with a deletionTimestamp that still exist.
        Terminating = "terminating",
        /// Pods that wait to be bound or started.
        Pending = "pending",
        /// Evictions so far.
        Evicted = "evicted",
        /// Pods that their kubelets did not admit so far.
        TurnedAway = "turned_away",
        /// Nodes whose kubelet cannot reach the API server, while their Ready condition is still True.
        SilentNodes = "silent_nodes",
        /// Nodes whose Ready condition is not True.
        NotReadyNodes = "not_ready_nodes",
        /// Nodes with a NoExecute taint.
        TaintedNodes = "tainted_nodes",
    }
}

/// Counts over time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Curves {
    steps: [Steps; Curve::ALL.len()],
}

type Counts = [u32; Curve::ALL.len()];

fn pod_class(p: &Standing) -> Option<Curve> {
    match p {
        _ if !p.exists => None,
        _ if p.deleting => Some(Curve::Terminating),
        _ if p.pending => Some(Curve::Pending),
        _ if p.ready && p.up => Some(Curve::Available),
        _ if p.ready => Some(Curve::Dead),
        _ => Some(Curve::NotReady),
    }
}

fn node_classes(n: NodeFlags) -> impl Iterator<Item = Curve> {
    let health = n.health();
    let all = [
        (health == Health::Silent, Curve::SilentNodes),
        (matches!(health, Health::Unknown | Health::NotReady), Curve::NotReadyNodes),
        (n.exists && n.no_execute > 0, Curve::TaintedNodes),
    ];
    all.into_iter().filter(|(is, _)| *is).map(|(_, curve)| curve)
}

fn add(counts: &mut Counts, by: i32, to: impl IntoIterator<Item = Curve>) {
    for curve in to {
        counts[curve as usize] = counts[curve as usize].wrapping_add_signed(by);
    }
}

impl Curves {
    pub(crate) fn of(&self, curve: Curve) -> &Steps {
        &self.steps[curve as usize]
    }

    fn push(&mut self, at: Time, counts: &Counts) {
        self.steps.iter_mut().zip(counts).for_each(|(steps, value)| set(steps, at, *value));
    }
}

/// The curves of a run. Values within one instant are not shown, only the last.
pub fn curves(analysis: &Analysis<'_>) -> Curves {
    let mut curves = Curves::default();
    let mut truth = Truth::new(analysis);
    let mut counts = Counts::default();
    truth.follow.nodes().for_each(|(_, n)| add(&mut counts, 1, node_classes(n)));
    truth.follow.pods().for_each(|(id, _)| add(&mut counts, 1, pod_class(&truth.standing(id))));
    let mut now = Time::ZERO;
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        if r.at != now {
            curves.push(now, &counts);
            now = r.at;
        }
        let (step, _) = truth.apply(id, r, &mut |_, before, after| {
            add(&mut counts, -1, pod_class(before));
            add(&mut counts, 1, pod_class(after));
        });
        if step.pod.is_some() && step.eviction(r).is_some() {
            add(&mut counts, 1, [Curve::Evicted]);
        }
        if truth.follow.turned_away(r).is_some() {
            add(&mut counts, 1, [Curve::TurnedAway]);
        }
        if let Some((_, before, after)) = step.node {
            add(&mut counts, -1, node_classes(before));
            add(&mut counts, 1, node_classes(after));
        }
    }
    curves.push(now, &counts);
    curves
}

/// What nodes wait for in the queues of their zones.
pub(crate) fn waited_for(plan: &Plan) -> &'static str {
    if plan.evicts_by_timeout() { "eviction" } else { "taint" }
}

/// How many nodes wait in the queues of their zones. A node leaves its queue with the taint, when
/// it is Ready again, when it is deleted; all do in master disruption, and with their process.
pub(crate) fn waiting(analysis: &Analysis<'_>) -> Vec<(Time, u32)> {
    let mut follow = Follow::new(analysis);
    let mut inside: BTreeSet<NodeId> = BTreeSet::new();
    let mut steps = vec![(Time::ZERO, 0)];
    while let Some((_, r, step)) = follow.step() {
        match r.what {
            What::NodeQueued => _ = inside.insert(NodeId(r.object)),
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
        if let Some(node) = step.eviction(r).and_then(|(_, pod)| pod.node_id()) {
            inside.remove(&node);
        }
        set_over(&mut steps, r.at, inside.len() as u32);
    }
    steps
}
