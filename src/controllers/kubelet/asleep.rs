//! Heartbeats that are computed (see [`Heartbeats`]): a healthy kubelet that nobody touches falls
//! asleep at a status check, and is woken by whatever happens to its node.
//!
//! Both loops go on in thought: the times of their ticks follow from where they stood and, where
//! they jitter, from draws by the number of the tick, so that computed and simulated ticks are the
//! same ones.

use super::conditions::healthy;
use super::jitter::Sleeps;
use super::kubelets::{Kubelets, Signs};
use super::node_state::Loop;
use super::notices::Notices;
use super::walk::{Asleep, Walk};
use crate::api::meta::{ConditionStatus, Timestamp};
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::taint::{self, Effect, Taint};
use crate::apiserver::{Beat, Heartbeats};
use crate::kernel::{Class, Dur, Time};
use crate::plan::KubeletMode;
use std::rc::Rc;

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
    let cordoned = node
        .taints
        .iter()
        .any(|t| t.effect == Effect::NoSchedule && t.key == taint::UNSCHEDULABLE);
    let tells = |t: &Taint| {
        t.effect == Effect::NoSchedule
            && t.key != taint::UNSCHEDULABLE
            && t.key.starts_with("node.kubernetes.io/")
    };
    cordoned != node.unschedulable || node.taints.iter().any(tells)
}

impl Notices for Kubelets {
    fn rests(&self, node: NodeId) {
        self.fall_asleep(node);
    }

    fn touched(&self, node: NodeId) {
        self.wake_up(node);
    }

    fn silenced(&self, node: NodeId) {
        self.wake_to(node, true);
    }

    fn deviates(&self, node: NodeId) {
        self.sleep_no_more(node);
    }
}

impl Kubelets {
    /// Lets a kubelet's heartbeats be computed from now on, if that is wanted and it is healthy.
    pub(crate) fn fall_asleep(&self, node: NodeId) {
        let now = self.ctx.now();
        if !self.lazy || now < self.awake_until.get() {
            return;
        }
        let well = self.with(node, |k| {
            k.cut.is_none()
                && k.runs()
                && !k.sleepless
                // A taint that is to tell of its condition may be missing yet, as one that is to go
                // may be there.
                && k.view == healthy()
                && k.woken_at.is_none_or(|w| now.since(w) >= AWAKE)
        });
        let may_differ = |n: Rc<Node>| self.differs(&n) || awaits_a_post(&n);
        if well != Some(true)
            || !self.is_undisturbed(node)
            || self.api.node(node).is_none_or(may_differ)
            || self.has_unready_pods(node)
            || self.lacks_lease(node)
            || self.misses_a_sign(node)
        {
            return;
        }
        self.unschedule(node);
        self.with(node, |k| {
            let walk = |which: Loop| Walk {
                next: (k.next[which as usize].at, k.ticks[which as usize]),
                done: [None; 2],
            };
            k.asleep = Some(Asleep {
                lease: walk(Loop::Lease),
                status: walk(Loop::Status),
                last_post: k.last_post,
                report_offset_ns: k.report_offset_ns,
            });
        });
    }

    /// Whether there is a lease that it would have to make first.
    fn lacks_lease(&self, node: NodeId) -> bool {
        self.switches.leases && self.api.lease(node).is_none()
    }

    /// Whether its next sign of life comes later than one does that follows another, so that its
    /// grace may end before it.
    fn misses_a_sign(&self, node: NodeId) -> bool {
        let (which, each) = match self.signs {
            Some(Signs::Renewals) => (Loop::Lease, Dur::ZERO),
            // The first check after so long posts.
            _ => (Loop::Status, self.report_period()),
        };
        let period = self.period(node, which);
        let longest = period + Dur::from_nanos(period.as_nanos() / 25) + each;
        self.with(node, |k| {
            let last = match which {
                Loop::Lease => k.renewals[0],
                Loop::Status => k.posts[0].map(|(at, _)| at),
            };
            k.woken_at.is_some()
                && last.is_none_or(|at| k.next[which as usize].at.since(at) > longest)
        }) == Some(true)
    }

    fn has_unready_pods(&self, node: NodeId) -> bool {
        self.state
            .with(|s| s.pods_of.get(node.index()).cloned().unwrap_or_default())
            .into_iter()
            .any(|uid| {
                let pod = self
                    .due(uid)
                    .and_then(|d| self.api.pod(d.pod))
                    .filter(|p| p.uid == uid);
                // Nobody says of a pod that has ended, or is to end, that it is ready again.
                pod.is_some_and(|p| {
                    !p.phase.is_terminal()
                        && !p.is_terminating()
                        && p.ready.is_some_and(|c| c.status == ConditionStatus::False)
                })
            })
    }

    /// Follows a loop of a sleeping kubelet up to `t`.
    fn follow(&self, node: NodeId, which: Loop, t: Time) -> Option<Walk> {
        let mut asleep = self.with(node, |k| k.asleep)??;
        let started = asleep;
        match which {
            Loop::Lease => self.follow_lease(node, &mut asleep.lease, t),
            Loop::Status => self.follow_status(node, &mut asleep, t),
        }
        if asleep.lease.next != started.lease.next || asleep.status.next != started.status.next {
            self.with(node, |k| k.asleep = Some(asleep));
        }
        Some(match which {
            Loop::Lease => asleep.lease,
            Loop::Status => asleep.status,
        })
    }

    fn follow_lease(&self, node: NodeId, lease: &mut Walk, t: Time) {
        let sleeps = self.sleeps(node, Loop::Lease);
        let period = self.period(node, Loop::Lease);
        while lease.next.0 <= t {
            let (at, number) = lease.next;
            lease.did(at);
            lease.next = match &sleeps {
                // All but the last two ticks are passed over.
                None => {
                    let skip = t.since(at).as_nanos() / period.as_nanos().max(1);
                    let skip = skip.saturating_sub(2);
                    if skip > 0 {
                        lease.did(at + period * skip);
                    }
                    let next = number.wrapping_add(skip as u32).wrapping_add(1);
                    (at + period * (skip + 1), next)
                }
                Some(sleeps) => {
                    // Two more come after those that are passed over: none is longer than twice the
                    // period.
                    let most = t.since(at).saturating_sub(period * 4);
                    ahead(sleeps, lease.next, most)
                }
            };
        }
    }

    fn follow_status(&self, node: NodeId, asleep: &mut Asleep, t: Time) {
        let sleeps = self.sleeps(node, Loop::Status);
        let period = self.period(node, Loop::Status);
        while asleep.status.next.0 <= t {
            let (at, number) = asleep.status.next;
            let report = self.report_period();
            if self.report_is_due(at, asleep.last_post, asleep.report_offset_ns) {
                asleep.posted(at);
                let posts = sleeps
                    .as_ref()
                    .and_then(|s| s.posts_ahead(number, report, t.since(at)));
                if let Some([(_, before), (last, then)]) = posts {
                    asleep.posted(at + before);
                    asleep.status.next = (at + then, last);
                    continue;
                }
            }
            asleep.status.next = match &sleeps {
                None => {
                    let idle = self.idle_ticks(at, period, asleep, t);
                    let next = number.wrapping_add(idle as u32).wrapping_add(1);
                    (at + period * (idle + 1), next)
                }
                Some(sleeps) => {
                    let due = asleep.last_post.as_nanos() as i64
                        + report.as_nanos() as i64
                        + asleep.report_offset_ns;
                    let until = Time::from_nanos(due.max(0) as u64).min(t);
                    ahead(sleeps, asleep.status.next, until.since(at))
                }
            };
        }
    }

    /// How many ticks after the one at `at` certainly come before the next report and not after
    /// `t`.
    fn idle_ticks(&self, at: Time, period: Dur, asleep: &Asleep, t: Time) -> u64 {
        let report = self.report_period().as_nanos() as i64 + asleep.report_offset_ns;
        let due = asleep.last_post.as_nanos() as i64 + report;
        let until = due.min(t.as_nanos() as i64) - at.as_nanos() as i64;
        (until.max(0) as u64 / period.as_nanos().max(1)).saturating_sub(1)
    }

    /// Simulates a kubelet's heartbeats again: writes the latest that were computed, and schedules
    /// the next ones.
    fn wake_up(&self, node: NodeId) {
        self.wake_to(node, false);
    }

    fn wake_to(&self, node: NodeId, silence: bool) {
        if !self.lazy {
            return;
        }
        let now = self.ctx.now();
        if self.with(node, |k| k.asleep.is_some()) == Some(true) {
            self.api.waking(node);
        }
        self.with(node, |k| k.woken_at = Some(now));
        // Ticks of this instant have run, unless what wakes the kubelet comes before them.
        let ticks_ran = self.ctx.class() > Class::Source
            || silence
                && self.ctx.is_choosing()
                && self.beats_now(node)
                && self
                    .ctx
                    .yields(self.points.heartbeat_first, self.object(node), 0);
        let Some(t) = (if ticks_ran {
            Some(now)
        } else {
            now.checked_sub(Dur::from_nanos(1))
        }) else {
            return self.resume_loops(node);
        };
        let (Some(lease), Some(status)) = (
            self.follow(node, Loop::Lease, t),
            self.follow(node, Loop::Status, t),
        ) else {
            return;
        };
        self.with(node, |k| {
            k.renewals = merge(lease.done, k.renewals);
            k.posts = merge(
                status.done.map(|at| at.map(|at| (at, heartbeat_of(at)))),
                k.posts,
            );
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
        let renewals: Vec<(Time, i64)> = lease
            .done
            .iter()
            .rev()
            .flatten()
            .map(|&t| (t, (t.as_nanos() / 1_000) as i64))
            .collect();
        let posts: Vec<(Time, Timestamp)> = status
            .done
            .iter()
            .rev()
            .flatten()
            .map(|&t| (t, heartbeat_of(t)))
            .collect();
        self.api.catch_up(
            node,
            if self.switches.leases { &renewals } else { &[] },
            &posts,
        );
        self.api.stir();
    }

    /// Simulates every heartbeat until then, at least.
    pub(crate) fn stay_awake(&self, until: Time) {
        self.awake_until.set(until);
        let nodes = self.state.with(|s| s.nodes.len()) as u32;
        for node in (0..nodes).map(NodeId) {
            match self.beat(node) {
                Beat::Asleep => self.wake_up(node),
                // What it said before it fell silent may come late.
                Beat::Silent => self.api.waking(node),
                Beat::Awake => {}
            }
        }
        // Passes that were skipped because nothing could come of them are no more, even where there
        // is no node yet.
        self.api.stir();
    }

    /// Simulates a kubelet's heartbeats to the end of the run.
    fn sleep_no_more(&self, node: NodeId) {
        self.wake_up(node);
        self.api.waking(node);
        self.with(node, |k| k.sleepless = true);
        if let (true, KubeletMode::Imitated(_)) = (self.lazy, self.mode) {
            self.go_on_imitated(node);
        }
        // Passes are no more skipped: what they would have made of such heartbeats cannot be made
        // up for.
        self.api.stir();
    }

    /// Whether a tick of a sleeping kubelet is due in this instant.
    fn beats_now(&self, node: NodeId) -> bool {
        let now = self.ctx.now();
        let Some(before) = now.checked_sub(Dur::from_nanos(1)) else {
            return false;
        };
        [Loop::Lease, Loop::Status].into_iter().any(|which| {
            self.follow(node, which, before)
                .is_some_and(|walk| walk.next.0 == now)
        })
    }

    fn resume_loops(&self, node: NodeId) {
        let Some(Some(asleep)) = self.with(node, |k| k.asleep.take()) else {
            return;
        };
        for (which, walk) in [(Loop::Lease, asleep.lease), (Loop::Status, asleep.status)] {
            self.with(node, |k| k.ticks[which as usize] = walk.next.1);
            self.schedule(node, which, walk.next.0);
        }
    }
}

/// The tick after that one, or one that is farther ahead by no more than `most`.
fn ahead(sleeps: &Sleeps<'_>, (at, number): (Time, u32), most: Dur) -> (Time, u32) {
    let (ticks, slept) = sleeps
        .ahead(number, most)
        .unwrap_or_else(|| (1, sleeps.after(number)));
    (at + slept, number.wrapping_add(ticks))
}

/// The latest two of what was done asleep and before.
fn merge<T: Copy>(asleep: [Option<T>; 2], before: [Option<T>; 2]) -> [Option<T>; 2] {
    match asleep {
        [None, _] => before,
        [last, None] => [last, before[0]],
        both => both,
    }
}

impl Heartbeats for Kubelets {
    fn beat(&self, node: NodeId) -> Beat {
        self.with(node, |k| match k {
            k if k.asleep.is_some() => Beat::Asleep,
            // What it last said may be other than what can be computed: passes have to look at it,
            // even if it is cut off.
            k if k.sleepless => Beat::Awake,
            k if k.cut.is_some() || !k.runs() => Beat::Silent,
            _ => Beat::Awake,
        })
        .unwrap_or(Beat::Silent)
    }

    fn last_renewal(&self, node: NodeId, t: Time) -> Option<Time> {
        if !self.switches.leases {
            return None;
        }
        let asleep = self
            .follow(node, Loop::Lease, t)
            .and_then(|w| at_or_before(w.done, t));
        asleep.or_else(|| at_or_before(self.with(node, |k| k.renewals)?, t))
    }

    fn last_post(&self, node: NodeId, t: Time) -> Option<Timestamp> {
        let asleep = self
            .follow(node, Loop::Status, t)
            .and_then(|w| at_or_before(w.done, t));
        // What was posted awake may be by a clock that is off.
        let awake = || {
            self.with(node, |k| k.posts)?
                .into_iter()
                .flatten()
                .find(|(at, _)| *at <= t)
                .map(|(_, heartbeat)| heartbeat)
        };
        asleep.map(heartbeat_of).or_else(awake)
    }

    fn last_posts(&self, node: NodeId, t: Time) -> [Option<Time>; 2] {
        let done = self.follow(node, Loop::Status, t).map(|walk| walk.done);
        let [last, before] = done.unwrap_or_default();
        [before, last].map(|post| post.filter(|at| *at <= t))
    }

    fn are_computed(&self) -> bool {
        self.ctx.now() >= self.awake_until.get()
    }

    fn wake(&self, node: NodeId) {
        self.wake_up(node);
    }
}
