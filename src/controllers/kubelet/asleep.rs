//! Heartbeats that are computed (see [`Heartbeats`]): a healthy kubelet that nobody touches falls
//! asleep at a status check, and is woken by whatever happens to its node.
//!
//! Both loops go on in thought (`walk`).

use super::loops::Loops;
use super::nodes::healthy;
use super::reach::Reach;
use super::walk::{Asleep, Walk};
use crate::api::taint;
use crate::apiserver::{Beat, Heartbeats};
use crate::controllers::kubelet::prelude::*;

/// A kubelet stays awake at least this long after something happened to its node.
const AWAKE: Dur = Dur::from_secs(20);

/// The heartbeat of a post by a clock that is right.
fn heartbeat_of(at: Time) -> Timestamp {
    Timestamp(at.as_secs() as i64)
}

fn at_or_before(done: [Option<Time>; 2], t: Time) -> Option<Time> {
    done.into_iter().flatten().find(|d| *d <= t)
}

/// Whether a healthy node has a NoSchedule taint that stands for a condition, or is cordoned
/// without one. The node lifecycle controller takes it away when it hears of the node, and does not
/// try again if that fails: then the next post brings it to it
/// (`pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `doNodeProcessingPassWorker`).
fn awaits_a_post(node: &Node) -> bool {
    let mut taints = node.taints.iter().filter(|t| t.effect == Effect::NoSchedule);
    let cordoned = taints.clone().any(|t| t.key == taint::UNSCHEDULABLE);
    let tells =
        |t: &Taint| t.key != taint::UNSCHEDULABLE && t.key.starts_with("node.kubernetes.io/");
    cordoned != node.unschedulable || taints.any(tells)
}

/// Whether a kubelet sleeps.
#[derive(Default)]
struct Sleep {
    /// Its heartbeats are computed.
    asleep: Option<Asleep>,
    /// When something last happened to its node.
    woken_at: Option<Time>,
}

/// The kubelets whose heartbeats are computed, and how they are.
pub(super) struct Sleepers {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    loops: Rc<Loops>,
    reach: Rc<Reach>,
    sleep: ByNode<Sleep>,
    /// The loop whose heartbeats tell the node lifecycle controller that nodes live, and make a difference
    /// if they are too far apart; where heartbeats are computed.
    signs: Option<Loop>,
    /// Until then all are simulated even so.
    awake_until: Cell<Time>,
}

impl Sleepers {
    /// Nobody sleeps yet.
    pub(super) fn new(
        (nodes, pods): Base,
        loops: &Rc<Loops>,
        reach: &Rc<Reach>,
        signs: Option<Loop>,
    ) -> Self {
        let (loops, reach) = (loops.clone(), reach.clone());
        let (sleep, awake_until) = (ByNode::default(), Cell::default());
        Self { nodes, pods, loops, reach, sleep, signs, awake_until }
    }

    /// A node has a kubelet from now on, which does not sleep.
    pub(super) fn join(&self, node: NodeId) {
        self.sleep.join(node, Sleep::default());
    }

    /// Lets a kubelet's heartbeats be computed from now on, if that is wanted and it is healthy.
    pub(super) fn fall_asleep(&self, node: NodeId) {
        let now = self.nodes.now();
        if !self.nodes.lazy || now < self.awake_until.get() {
            return;
        }
        let well = self.nodes.is(node, |k| {
            k.cut.is_none()
                && k.runs()
                && !k.sleepless
                // A taint that is to tell of its condition may be missing yet, as one that is to go
                // may be there.
                && k.posted_view() == healthy()
        });
        let woken_at = self.woken_at(node);
        let may_differ =
            |n: Rc<Node>| self.loops.differs(&n) || awaits_a_post(&n) || self.may_seem_mounted(&n);
        if !well
            || woken_at.is_some_and(|w| now.since(w) < AWAKE)
            || !self.reach.is_undisturbed(node)
            || self.nodes.api.node(node).is_none_or(may_differ)
            || self.pods.not_ready(node).next().is_some()
            || self.loops.containers.volumes.is_restless(node)
            || self.loops.containers.images.is_restless(node)
            // There is no lease: it would have to make one first.
            || self.nodes.switches.leases && self.nodes.api.lease(node).is_none()
            || self.misses_a_sign(node)
        {
            return;
        }
        self.loops.unschedule(node);
        let next = |which| self.loops.next(node, which).unwrap_or_default();
        let asleep = self.nodes.with(node, |k| {
            let next = |which: Loop| (next(which), k.ticks[which as usize]);
            let walk = |which| Walk { next: next(which), done: [None; 2] };
            Asleep {
                lease: walk(Loop::Lease),
                status: walk(Loop::Status),
                last_post: k.last_post,
                report_offset_ns: k.report_offset_ns,
            }
        });
        self.sleep.with(node, |s| s.asleep = asleep);
    }

    /// Whether something is attached to a node that it does not say to use: attach/detach may assume that it is mounted, until
    /// the next post (`processVolumesInUse`).
    fn may_seem_mounted(&self, node: &Node) -> bool {
        let in_use = node.volumes.as_ref().map_or(&[][..], |v| &v.in_use);
        let attached = self.nodes.api.attachments_to(node.id);
        attached.iter().any(|volume| !in_use.contains(&volume.id))
    }

    /// When something last happened to a node.
    fn woken_at(&self, node: NodeId) -> Option<Time> {
        self.sleep.with(node, |s| s.woken_at).flatten()
    }

    /// Whether its next sign of life comes later than one does that follows another, so that its
    /// grace may end before it.
    fn misses_a_sign(&self, node: NodeId) -> bool {
        let which = self.signs.unwrap_or(Loop::Status);
        // The first check of the status after so long posts.
        let each = if which == Loop::Lease { Dur::ZERO } else { self.loops.report(node) };
        let period = self.loops.period(node, which);
        let longest = period + Dur::from_nanos(period.as_nanos() / 25) + each;
        let last = self.nodes.with(node, |k| match which {
            Loop::Lease => k.renewals[0],
            Loop::Status => k.posts[0].map(|(at, _)| at),
        });
        let next = self.loops.next(node, which).unwrap_or_default();
        let misses = |last: Option<Time>| last.is_none_or(|at| next.since(at) > longest);
        self.woken_at(node).is_some() && last.is_some_and(misses)
    }

    /// Follows a loop of a sleeping kubelet up to `t`.
    fn follow(&self, node: NodeId, which: Loop, t: Time) -> Option<Walk> {
        let mut asleep = self.sleep.with(node, |s| s.asleep)??;
        let (period, sleeps) = (self.loops.period(node, which), self.loops.sleeps(node, which));
        let (before, walk) = match which {
            Loop::Lease => (asleep.lease.next, asleep.follow_lease(t, period, sleeps.as_ref())),
            Loop::Status => {
                let report = self.loops.report(node);
                (asleep.status.next, asleep.follow_status(t, period, sleeps.as_ref(), report))
            }
        };
        if walk.next != before {
            self.sleep.with(node, |s| s.asleep = Some(asleep));
        }
        Some(walk)
    }

    /// Something happens to a kubelet or its node: its heartbeats are simulated again. Writes the
    /// latest that were computed, and schedules the next ones.
    pub(super) fn wake_up(&self, node: NodeId) {
        self.wake_to(node, false);
    }

    /// A kubelet falls silent: whether a heartbeat of this very instant still comes is for a search
    /// to say.
    pub(super) fn silenced(&self, node: NodeId) {
        self.wake_to(node, true);
    }

    fn wake_to(&self, node: NodeId, silence: bool) {
        if !self.nodes.lazy {
            return;
        }
        let (ctx, now) = (&self.nodes.ctx, self.nodes.now());
        if self.is_asleep(node) {
            self.nodes.api.waking(node);
        }
        self.sleep.with(node, |s| s.woken_at = Some(now));
        // Ticks of this instant have run, unless what wakes the kubelet comes before them.
        let ticks_ran = ctx.class() > Class::Source
            || silence
                && ctx.is_choosing()
                && self.beats_now(node)
                && ctx.yields(ctx.point("heartbeat-first"), self.nodes.object(node), 0);
        let Some(t) = (if ticks_ran { Some(now) } else { now.checked_sub(Dur::from_nanos(1)) })
        else {
            return self.resume_loops(node);
        };
        let (Some(lease), Some(status)) =
            (self.follow(node, Loop::Lease, t), self.follow(node, Loop::Status, t))
        else {
            return;
        };
        self.nodes.with(node, |k| {
            k.renewals = merge(lease.done, k.renewals);
            k.posts = merge(status.done.map(|at| at.map(|at| (at, heartbeat_of(at)))), k.posts);
            if let Some(p) = status.done[0] {
                k.last_post = p;
                k.report_offset_ns = 0;
            }
        });
        self.resume_loops(node);
        self.write_computed(node, lease, status);
    }

    /// Writes the latest heartbeats that were computed.
    fn write_computed(&self, node: NodeId, lease: Walk, status: Walk) {
        let renewals =
            lease.done.into_iter().rev().flatten().filter(|_| self.nodes.switches.leases);
        let renewals: Vec<(Time, i64)> =
            renewals.map(|t| (t, (t.as_nanos() / 1_000) as i64)).collect();
        let posts = status.done.into_iter().rev().flatten();
        let posts: Vec<(Time, Timestamp)> = posts.map(|t| (t, heartbeat_of(t))).collect();
        self.nodes.api.catch_up(node, &renewals, &posts);
        self.nodes.api.stir();
    }

    /// Simulates every heartbeat until then, at least.
    pub(super) fn stay_awake(&self, until: Time) {
        self.awake_until.set(until);
        for node in self.nodes.ids() {
            match self.beat(node) {
                Beat::Asleep => self.wake_up(node),
                // What it said before it fell silent may come late.
                Beat::Silent => self.nodes.api.waking(node),
                Beat::Awake => {}
            }
        }
        // Passes that were skipped because nothing could come of them are no more, even where there
        // is no node yet.
        self.nodes.api.stir();
    }

    /// The heartbeats of a kubelet are about to deviate from what can be computed, and what comes of
    /// that may outlast the deviation, as a renewal from the future does: they are simulated to the
    /// end of the run.
    pub(super) fn sleep_no_more(&self, node: NodeId) {
        self.wake_up(node);
        self.nodes.api.waking(node);
        self.nodes.with(node, |k| k.sleepless = true);
        if let (true, KubeletMode::Imitated(_)) = (self.nodes.lazy, self.nodes.mode) {
            self.loops.go_on(node);
        }
        // Passes are no more skipped: what they would have made of such heartbeats cannot be made
        // up for.
        self.nodes.api.stir();
    }

    /// Whether a tick of a sleeping kubelet is due in this instant.
    fn beats_now(&self, node: NodeId) -> bool {
        let now = self.nodes.now();
        let Some(before) = now.checked_sub(Dur::from_nanos(1)) else { return false };
        let beats = |which| self.follow(node, which, before).is_some_and(|w| w.next.0 == now);
        [Loop::Lease, Loop::Status].into_iter().any(beats)
    }

    fn is_asleep(&self, node: NodeId) -> bool {
        self.sleep.with(node, |s| s.asleep.is_some()) == Some(true)
    }

    fn resume_loops(&self, node: NodeId) {
        let Some(Some(asleep)) = self.sleep.with(node, |s| s.asleep.take()) else { return };
        for (which, walk) in [(Loop::Lease, asleep.lease), (Loop::Status, asleep.status)] {
            self.nodes.with(node, |k| k.ticks[which as usize] = walk.next.1);
            self.loops.schedule(node, which, walk.next.0);
        }
    }
}

/// The latest two of what was done asleep and before.
fn merge<T: Copy>(asleep: [Option<T>; 2], before: [Option<T>; 2]) -> [Option<T>; 2] {
    match asleep {
        [None, _] => before,
        [last, None] => [last, before[0]],
        both => both,
    }
}

impl Heartbeats for Sleepers {
    fn beat(&self, node: NodeId) -> Beat {
        if self.is_asleep(node) {
            return Beat::Asleep;
        }
        // What one that does not sleep any more last said may be other than what can be computed: passes
        // have to look at it, even if it is cut off.
        match self.nodes.is(node, |k| k.sleepless || k.cut.is_none() && k.runs()) {
            true => Beat::Awake,
            false => Beat::Silent,
        }
    }

    fn last_renewal(&self, node: NodeId, t: Time) -> Option<Time> {
        if !self.nodes.switches.leases {
            return None;
        }
        let asleep = self.follow(node, Loop::Lease, t).and_then(|w| at_or_before(w.done, t));
        asleep.or_else(|| at_or_before(self.nodes.with(node, |k| k.renewals)?, t))
    }

    fn last_post(&self, node: NodeId, t: Time) -> Option<Timestamp> {
        let asleep = self.follow(node, Loop::Status, t).and_then(|w| at_or_before(w.done, t));
        // What was posted awake may be by a clock that is off.
        asleep.map(heartbeat_of).or_else(|| {
            let posts = self.nodes.with(node, |k| k.posts)?;
            posts.into_iter().flatten().find(|(at, _)| *at <= t).map(|(_, heartbeat)| heartbeat)
        })
    }

    fn last_posts(&self, node: NodeId, t: Time) -> [Option<Time>; 2] {
        let done = self.follow(node, Loop::Status, t).map(|walk| walk.done);
        let [last, before] = done.unwrap_or_default();
        [before, last].map(|post| post.filter(|at| *at <= t))
    }

    fn are_computed(&self) -> bool {
        self.nodes.now() >= self.awake_until.get()
    }

    fn wake(&self, node: NodeId) {
        self.wake_up(node);
    }
}
