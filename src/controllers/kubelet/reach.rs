//! Whether a kubelet's requests and watches get through, and what follows when they do again.

use super::loops::Loops;
use super::nodes::Kubelet;
use super::updates::PodUpdates;
use super::uplink::{Backoffs, Draws, REFLECTORS, Uplink};
use crate::client::connection::Backoff;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::FirstTry;
use crate::plan::{Connections, WatchRetry};

/// Watches get a bookmark about once in this time (`apiserver/pkg/storage/cacher/cacher.go`,
/// `defaultBookmarkFrequency`), which is a frame, too.
const BOOKMARKS: Dur = Dur::from_secs(60);

/// What is drawn for the tries of a node's kubelet.
struct Drawn<'a> {
    reach: &'a Reach,
    node: NodeId,
    /// A status check from then on asks for something.
    asks_from: Time,
}

impl Draws for Drawn<'_> {
    fn jitter(&self, reflector: usize, number: u32, least: Dur) -> Dur {
        let nodes = &self.reach.nodes;
        let watch_back = nodes.ctx.point("kubelet-watch-reconnect");
        let number = number.wrapping_mul(REFLECTORS as u32).wrapping_add(reflector as u32);
        let (object, most) = (nodes.object(self.node), least.as_nanos());
        Dur::from_nanos(nodes.ctx.uniform_at(watch_back, object, number, 0, most))
    }

    fn status_period(&self, tick: u32) -> Dur {
        self.reach.loops.after(self.node, Loop::Status, tick)
    }

    fn asks_from(&self) -> Time {
        self.asks_from
    }
}

/// A kubelet's way to the API server, since it was last disturbed.
#[derive(Default)]
struct Way {
    uplink: Option<Box<Uplink>>,
    /// The back-offs of its watches, once one has been disturbed.
    backoffs: Option<Box<Backoffs>>,
}

/// The ways of all real kubelets to the API server.
pub(super) struct Reach {
    nodes: Rc<Nodes>,
    loops: Rc<Loops>,
    updates: Rc<PodUpdates>,
    ways: ByNode<Way>,
    /// How long a watch that was refused pauses.
    watch_retry: WatchRetry,
}

impl Reach {
    /// All are open.
    pub(super) fn new(
        nodes: &Rc<Nodes>,
        loops: &Rc<Loops>,
        updates: &Rc<PodUpdates>,
        watch_retry: WatchRetry,
    ) -> Self {
        let (nodes, loops, updates) = (nodes.clone(), loops.clone(), updates.clone());
        Self { nodes, loops, updates, ways: ByNode::default(), watch_retry }
    }

    /// A node has a kubelet from now on, and its way is undisturbed.
    pub(super) fn join(&self, node: NodeId) {
        self.ways.join(node, Way::default());
    }

    /// The API server has been started anew and remembers nothing of what the watches of a kubelet
    /// delivered.
    pub(super) fn server_forgets(&self, node: NodeId) {
        self.ways.with(node, |w| w.uplink.as_mut().map(|u| u.forget()));
    }

    /// The server at the other end of a kubelet's connection dies; new ones lead to others.
    pub(super) fn sever(&self, node: NodeId, real: Real) {
        let mut uplink = self.uplink_up_to_now(node, Link::Open, real);
        uplink.sever();
        self.loops.unschedule(node);
        self.goes_on(node, uplink, false);
    }

    /// What the way of a node's kubelet to the API server is like.
    fn link_of(&self, k: &Kubelet) -> Link {
        match k.cut {
            Some(Connections::Dropped) => Link::Dropped,
            Some(Connections::Refused) => Link::Refused,
            None if self.nodes.api.is_down() => Link::Refused,
            None => Link::Open,
        }
    }

    /// The way of a kubelet that runs may have changed: its tries up to now are followed, and
    /// what gets through from now on is scheduled.
    pub(super) fn way_changes(&self, node: NodeId) {
        let KubeletMode::Real(real) = self.nodes.mode else { return };
        let Some((was, is, true)) = self.nodes.with(node, |k| (k.link, self.link_of(k), k.runs()))
        else {
            return;
        };
        if was == is {
            return;
        }
        let uplink = self.uplink_up_to_now(node, was, real);
        if was == Link::Open {
            self.loops.unschedule(node);
        }
        self.nodes.with(node, |k| k.link = is);
        self.goes_on(node, uplink, was == Link::Refused);
    }

    /// A kubelet starts: whatever its way is like, it has no connection yet. It asks from `at` on, for
    /// its pods from `pods` on.
    pub(super) fn starts_asking(&self, node: NodeId, at: Time, pods: Time) {
        let backoffs = [Backoff::new(self.watch_retry, Some(at)); REFLECTORS];
        self.ways.with(node, |w| w.backoffs = None);
        let tick = self.nodes.with(node, |k| {
            k.link = self.link_of(k);
            (k.back, k.view_changed) = (None, Some(at));
            k.ticks[Loop::Status as usize]
        });
        if let Some(tick) = tick {
            let uplink = Uplink::starting(at, pods, tick, backoffs);
            self.goes_on(node, uplink, false);
        }
    }

    /// A kubelet ends: nothing of what it tried is left.
    pub(super) fn asks_no_more(&self, node: NodeId) {
        self.ways.with(node, |w| w.uplink = None);
        self.nodes.with(node, |k| k.back = None);
        self.loops.unschedule(node);
    }

    /// A kubelet's uplink, followed up to now.
    fn uplink_up_to_now(&self, node: NodeId, was: Link, real: Real) -> Uplink {
        let now = self.nodes.now();
        let heard = self.last_frame(node);
        let draws = self.drawn(node);
        let uplink = self.ways.with(node, |w| w.uplink.take()).flatten();
        let [lease, status] =
            [Loop::Lease, Loop::Status].map(|l| self.loops.next(node, l).unwrap_or_default());
        let (back, number) = self
            .nodes
            .with(node, |k| (k.back.take(), k.ticks[Loop::Status as usize]))
            .unwrap_or_default();
        let Some(mut uplink) = uplink else {
            // Those of a recording start with it, others did long ago.
            let new = Backoff::new(self.watch_retry, real.recorded.then_some(Time::ZERO));
            let kept = self.ways.with(node, |w| w.backoffs.as_deref().copied());
            let backoffs = kept.flatten().unwrap_or([new; REFLECTORS]);
            return Uplink::connected(now, heard, (lease, status, number), backoffs);
        };
        uplink.follow(now, was, &draws);
        if let Some(back) = back {
            uplink.went_on(
                heard,
                (back.lease <= now).then_some(lease),
                (back.status <= now).then_some((status, number)),
            );
        }
        *uplink
    }

    /// A kubelet's tries go on: where its way is open, its loops run when they get through. Where its
    /// requests were `refused`, each new one gets through at once.
    fn goes_on(&self, node: NodeId, uplink: Uplink, refused: bool) {
        let now = self.nodes.now();
        let open = self.nodes.with(node, |k| k.link) == Some(Link::Open);
        let mut back = open.then(|| uplink.back(&self.drawn(node)));
        if let Some(back) = back.as_mut().filter(|_| refused) {
            back.connection = now;
        }
        self.nodes.with(node, |k| k.back = back);
        let uplink = Some(Box::new(uplink));
        self.ways.with(node, |w| w.uplink = uplink);
        if let Some(back) = back {
            self.nodes.with(node, |k| {
                k.ticks[Loop::Status as usize] = back.status_tick;
            });
            self.loops.schedule(node, Loop::Lease, back.lease);
            self.loops.schedule(node, Loop::Status, back.status);
            self.updates.go_on(node, back, refused);
        }
    }

    /// A watch sends something to a kubelet; where packets vanish, it is sent again and again.
    pub(super) fn told(&self, node: NodeId) {
        let now = self.nodes.now();
        if !self.nodes.is(node, |k| k.link == Link::Dropped && k.runs()) {
            return;
        }
        let draws = self.drawn(node);
        if let Some(Some(mut uplink)) = self.ways.with(node, |w| w.uplink.take()) {
            uplink.follow(now, Link::Dropped, &draws);
            uplink.sent_to(now);
            self.ways.with(node, |w| w.uplink = Some(uplink));
        }
    }

    /// Whether nothing disturbs a kubelet's way, and everything gets through; of what did only the
    /// back-offs are kept.
    pub(super) fn is_undisturbed(&self, node: NodeId) -> bool {
        let now = self.nodes.now();
        let is_over = self.nodes.is(node, |k| {
            let is_over = k.link == Link::Open && k.back.is_some_and(|b| b.all <= now);
            k.back.take_if(|_| is_over);
            is_over
        });
        if is_over && let Some(Some(mut uplink)) = self.ways.with(node, |w| w.uplink.take()) {
            uplink.follow(now, Link::Open, &self.drawn(node));
            let backoffs = Some(Box::new(uplink.backoffs()));
            self.ways.with(node, |w| w.backoffs = backoffs);
        }
        self.nodes.is(node, |k| k.link == Link::Open && k.back.is_none())
    }

    fn drawn(&self, node: NodeId) -> Drawn<'_> {
        let report = self.loops.report(node).as_nanos() as i64;
        let asks_from = self.nodes.with(node, |k| {
            if self.nodes.switches.first_try == FirstTry::Get {
                return Time::ZERO;
            }
            let due = (k.last_post.as_nanos() as i64)
                .saturating_add(report)
                .saturating_add(k.report_offset_ns)
                .max(0);
            let due = Time::from_nanos(due as u64);
            k.view_changed.map_or(due, |changed| changed.min(due))
        });
        Drawn { reach: self, node, asks_from: asks_from.unwrap_or(Time::MAX) }
    }

    /// When the last frame came on a kubelet's connection: an answer to a heartbeat, or a bookmark
    /// of one of its watches.
    fn last_frame(&self, node: NodeId) -> Time {
        let now = self.nodes.now();
        let draw = |()| self.nodes.draw("kubelet-bookmark", node, BOOKMARKS);
        let bookmarks = [(); REFLECTORS].map(draw);
        let bookmark = bookmarks.into_iter().min().unwrap_or(Dur::ZERO);
        let answers = self.nodes.with(node, |k| {
            let post = k.posts[0].map(|(at, _)| at);
            let renewal = k.renewals[0].filter(|_| self.nodes.switches.leases);
            [renewal, post].into_iter().flatten().max()
        });
        answers.flatten().unwrap_or(Time::ZERO).max(now.saturating_sub(bookmark))
    }
}
