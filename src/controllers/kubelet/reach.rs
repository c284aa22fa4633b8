//! Whether a kubelet's requests and watches get through, and what follows when they do again.

use super::kubelets::Kubelets;
use super::node_state::{Kubelet, Loop};
use super::notices::Notices;
use super::uplink::{Back, Draws, REFLECTORS, Uplink};
use crate::api::names::NodeId;
use crate::client::connection::{Backoff, Link};
use crate::kernel::{Dur, Time};
use crate::plan::switches::kubelet::FirstTry;
use crate::plan::{Connections, KubeletMode, WatchCache};

/// Watches get a bookmark about once in this time (`apiserver/pkg/storage/cacher/cacher.go`,
/// `defaultBookmarkFrequency`), which is a frame, too.
const BOOKMARKS: Dur = Dur::from_secs(60);
/// The period of the status manager's sync of pod statuses (`pkg/kubelet/status/status_manager.go`,
/// `syncPeriod`).
pub(super) const POD_STATUS_SYNC: Dur = Dur::from_secs(10);

/// What is drawn for the tries of a node's kubelet.
struct Drawn<'a> {
    kubelets: &'a Kubelets,
    node: NodeId,
    /// A status check from then on asks for something.
    asks_from: Time,
}

impl Draws for Drawn<'_> {
    fn jitter(&self, reflector: usize, number: u32, least: Dur) -> Dur {
        let k = self.kubelets;
        let number = number
            .wrapping_mul(REFLECTORS as u32)
            .wrapping_add(reflector as u32);
        Dur::from_nanos(k.ctx.uniform_at(
            k.points.watch_back,
            k.object(self.node),
            number,
            0,
            least.as_nanos(),
        ))
    }

    fn status_period(&self, tick: u32) -> Dur {
        self.kubelets.period_after(self.node, Loop::Status, tick)
    }

    fn asks_from(&self) -> Time {
        self.asks_from
    }
}

impl Kubelets {
    /// The API server stops answering, or answers again.
    pub(crate) fn api_server(&self, down: bool, cache: WatchCache) {
        self.api.set_down(down);
        let nodes = self.state.with(|s| s.nodes.len()) as u32;
        for node in (0..nodes).map(NodeId) {
            if !down && cache == WatchCache::Lost {
                self.with(node, |k| k.uplink.as_mut().map(|u| u.forget()));
            }
            self.way_changes(node);
        }
        if !down {
            self.server_is_back();
        }
    }

    /// So many of so many API servers behind a balancer die: the connections that led to them carry
    /// nothing any more, and new ones lead to others.
    pub(crate) fn servers_die(&self, (gone, all): (u32, u32)) {
        let KubeletMode::Real(_) = self.mode else {
            return;
        };
        let nodes = self.state.with(|s| s.nodes.len()) as u32;
        for node in (0..nodes).map(NodeId) {
            let (point, object) = (self.points.server, self.object(node));
            let server = self.ctx.uniform(point, object, 0, u64::from(all) - 1);
            let open = self.with(node, |k| k.runs() && k.link == Link::Open);
            if server < u64::from(gone) && open == Some(true) {
                // What it says comes late from now on, and passes have to look at it.
                self.deviates(node);
                let mut uplink = self.uplink_up_to_now(node, Link::Open);
                uplink.sever();
                self.unschedule(node);
                self.goes_on(node, uplink, false);
            }
        }
    }

    /// What the way of a node's kubelet to the API server is like.
    fn link_of(&self, k: &Kubelet) -> Link {
        match k.cut {
            Some(Connections::Dropped) => Link::Dropped,
            Some(Connections::Refused) => Link::Refused,
            None if self.api.is_down() => Link::Refused,
            None => Link::Open,
        }
    }

    /// The way of a kubelet that runs may have changed: its tries up to now are followed, and
    /// what gets through from now on is scheduled.
    pub(super) fn way_changes(&self, node: NodeId) {
        let KubeletMode::Real(_) = self.mode else {
            return;
        };
        let Some((was, is, true)) = self.with(node, |k| (k.link, self.link_of(k), k.runs())) else {
            return;
        };
        if was == is {
            return;
        }
        let uplink = self.uplink_up_to_now(node, was);
        if was == Link::Open {
            self.unschedule(node);
        }
        self.with(node, |k| k.link = is);
        self.goes_on(node, uplink, was == Link::Refused);
    }

    /// A kubelet starts: whatever its way is like, it has no connection yet. It asks from `at` on, for
    /// its pods from `pods` on.
    pub(super) fn starts_asking(&self, node: NodeId, at: Time, pods: Time) {
        let new = Backoff::new(self.watch_retry, Some(at));
        let uplink = self.with(node, |k| {
            k.link = self.link_of(k);
            (k.back, k.view_changed) = (None, Some(at));
            k.backoffs = None;
            Uplink::starting(at, pods, k.ticks[Loop::Status as usize], k.backoffs(new))
        });
        if let Some(uplink) = uplink {
            self.goes_on(node, uplink, false);
        }
    }

    /// A kubelet ends: nothing of what it tried is left.
    pub(super) fn asks_no_more(&self, node: NodeId) {
        self.with(node, |k| {
            (k.uplink, k.back) = (None, None);
        });
        self.unschedule(node);
    }

    /// A kubelet's uplink, followed up to now.
    fn uplink_up_to_now(&self, node: NodeId, was: Link) -> Uplink {
        let now = self.ctx.now();
        let heard = self.last_frame(node);
        let draws = self.drawn(node);
        let (uplink, back) = self
            .with(node, |k| (k.uplink.take(), k.back.take()))
            .unwrap_or_default();
        let (lease, status) = self
            .with(node, |k| {
                let number = k.ticks[Loop::Status as usize];
                let [lease, status] = k.next.map(|n| n.at);
                (lease, (status, number))
            })
            .unwrap_or_default();
        let Some(mut uplink) = uplink else {
            // Those of a recording start with it, others did long ago.
            let since = matches!(self.mode, KubeletMode::Real(r) if r.recorded);
            let new = Backoff::new(self.watch_retry, since.then_some(Time::ZERO));
            let backoffs = self.with(node, |k| k.backoffs(new));
            let backoffs = backoffs.unwrap_or([new; REFLECTORS]);
            return Uplink::connected(now, heard, (lease, status.0, status.1), backoffs);
        };
        uplink.follow(now, was, &draws);
        if let Some(back) = back {
            uplink.went_on(
                heard,
                (back.lease <= now).then_some(lease),
                (back.status <= now).then_some(status),
            );
        }
        *uplink
    }

    /// A kubelet's tries go on: where its way is open, its loops run when they get through. Where its
    /// requests were `refused`, each new one gets through at once.
    fn goes_on(&self, node: NodeId, uplink: Uplink, refused: bool) {
        let now = self.ctx.now();
        let open = self.with(node, |k| k.link) == Some(Link::Open);
        let mut back = open.then(|| uplink.back(&self.drawn(node)));
        if let Some(back) = back.as_mut().filter(|_| refused) {
            back.connection = now;
        }
        self.with(node, |k| {
            k.back = back;
            k.uplink = Some(Box::new(uplink));
        });
        if let Some(back) = back {
            self.with(node, |k| {
                k.ticks[Loop::Status as usize] = back.status_tick;
            });
            self.schedule(node, Loop::Lease, back.lease);
            self.schedule(node, Loop::Status, back.status);
            self.pods_go_on(node, back, refused);
        }
    }

    /// A watch sends something to a kubelet; where packets vanish, it is sent again and again.
    pub(super) fn told(&self, node: NodeId) {
        let now = self.ctx.now();
        if self.with(node, |k| k.link == Link::Dropped && k.runs()) != Some(true) {
            return;
        }
        let draws = self.drawn(node);
        if let Some(Some(mut uplink)) = self.with(node, |k| k.uplink.take()) {
            uplink.follow(now, Link::Dropped, &draws);
            uplink.sent_to(now);
            self.with(node, |k| k.uplink = Some(uplink));
        }
    }

    /// Whether nothing disturbs a kubelet's way, and everything gets through; of what did only the
    /// back-offs are kept.
    pub(super) fn is_undisturbed(&self, node: NodeId) -> bool {
        let now = self.ctx.now();
        let over = self
            .with(node, |k| {
                let over = k.link == Link::Open && k.back.is_some_and(|b| b.all <= now);
                if over {
                    k.back = None;
                    k.uplink.take()
                } else {
                    None
                }
            })
            .flatten();
        if let Some(mut uplink) = over {
            uplink.follow(now, Link::Open, &self.drawn(node));
            let backoffs = Box::new(uplink.backoffs());
            self.with(node, |k| k.backoffs = Some(backoffs));
        }
        self.with(node, |k| k.link == Link::Open && k.back.is_none())
            .unwrap_or(false)
    }

    fn drawn(&self, node: NodeId) -> Drawn<'_> {
        let report = self.report_period().as_nanos() as i64;
        let asks_from = self.with(node, |k| {
            if self.switches.first_try == FirstTry::Get {
                return Time::ZERO;
            }
            let due = (k.last_post.as_nanos() as i64)
                .saturating_add(report)
                .saturating_add(k.report_offset_ns)
                .max(0);
            let due = Time::from_nanos(due as u64);
            k.view_changed.map_or(due, |changed| changed.min(due))
        });
        Drawn {
            kubelets: self,
            node,
            asks_from: asks_from.unwrap_or(Time::MAX),
        }
    }

    /// When the last frame came on a kubelet's connection: an answer to a heartbeat, or a bookmark
    /// of one of its watches.
    fn last_frame(&self, node: NodeId) -> Time {
        let now = self.ctx.now();
        let bookmark = (0..REFLECTORS)
            .map(|_| {
                self.ctx.uniform(
                    self.points.bookmark,
                    self.object(node),
                    0,
                    BOOKMARKS.as_nanos(),
                )
            })
            .min()
            .unwrap_or(0);
        let answers = self.with(node, |k| {
            let post = k.posts[0].map(|(at, _)| at);
            let renewal = k.renewals[0].filter(|_| self.switches.leases);
            [renewal, post].into_iter().flatten().max()
        });
        answers
            .flatten()
            .unwrap_or(Time::ZERO)
            .max(now.saturating_sub(Dur::from_nanos(bookmark)))
    }

    /// The pods of a kubelet whose way is open again: what it did is told once its connection
    /// carries something, what it is to do is done once its watch delivers.
    fn pods_go_on(&self, node: NodeId, back: Back, refused: bool) {
        for uid in self.pods_of(node) {
            self.pod_goes_on(uid, back, refused);
        }
    }

    /// The status manager's next sync at or after a time. Its ticker runs from the kubelet's start on,
    /// and does not jitter.
    pub(super) fn sync_after(&self, node: NodeId, from: Time) -> Time {
        let period = POD_STATUS_SYNC.as_nanos();
        let phase = self.with(node, |k| k.syncs_at).flatten();
        let phase = phase.unwrap_or_else(|| {
            let (point, object) = (self.points.pod_status, self.object(node));
            Dur::from_nanos(self.ctx.uniform(point, object, 0, period - 1))
        });
        self.with(node, |k| k.syncs_at = Some(phase));
        let into = from.as_nanos() % period;
        from + Dur::from_nanos((phase.as_nanos() + period - into) % period)
    }
}
