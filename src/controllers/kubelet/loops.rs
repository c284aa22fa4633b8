//! The loops of renewals and status checks, as kubelets of both modes have them: when they run next,
//! how long they sleep, and what they write.

use super::conditions::{View, fill};
use super::jitter::Sleeps;
use super::node_state::{Loop, Tick};
use super::nodes::{ByNode, Nodes};
use super::volume_manager::VolumeManager;
use crate::api::volume::NodeVolumes;
use crate::controllers::prelude::*;
use crate::kernel::EventKey;
use crate::plan::KubeletMode;

/// The period of status checks of the recorder's kubelets.
pub(crate) const STATUS_PERIOD: Dur = Dur::from_secs(10);
/// The share of a period by which it may be longer, in percent (S6, S7).
const JITTER_PERCENT: u64 = 4;

/// The next run of a loop.
#[derive(Clone, Copy, Default)]
struct Next {
    at: Time,
    /// Of the event, while it is in the queue.
    key: Option<EventKey>,
}

/// The loops of renewals and status checks of all kubelets.
pub(super) struct Loops {
    nodes: Rc<Nodes>,
    volumes: Rc<VolumeManager>,
    next: ByNode<[Next; 2]>,
    ticker: HandlerId<Tick>,
    /// Each renewal of a lease is written down.
    records_renewals: bool,
    /// Each jitter of a loop by itself, and what two jitters come to in a long run.
    lease_jitter: (PointId, PointId),
    status_jitter: (PointId, PointId),
}

impl Loops {
    /// None runs yet.
    pub(super) fn new(
        nodes: &Rc<Nodes>,
        volumes: &Rc<VolumeManager>,
        ticker: HandlerId<Tick>,
        records_renewals: bool,
    ) -> Self {
        let point = |name| nodes.ctx.point(name);
        Self {
            nodes: nodes.clone(),
            volumes: volumes.clone(),
            next: ByNode::default(),
            ticker,
            records_renewals,
            lease_jitter: (point("lease-jitter"), point("lease-jitter-stretch")),
            status_jitter: (point("status-jitter"), point("status-jitter-stretch")),
        }
    }

    /// The period of a loop that nothing slows down, without its jitter.
    pub(super) fn undisturbed(&self, node: NodeId, which: Loop) -> Dur {
        match (self.nodes.mode, which) {
            (KubeletMode::Imitated(_), Loop::Lease) => {
                self.nodes.with(node, |k| k.settings.lease_period).unwrap_or(STATUS_PERIOD)
            }
            (KubeletMode::Imitated(_), Loop::Status) => STATUS_PERIOD,
            (KubeletMode::Real(real), Loop::Lease) => {
                Dur::from_nanos(real.node_lease_duration.as_nanos() / 4)
            }
            (KubeletMode::Real(real), Loop::Status) => real.node_status_update_frequency,
        }
    }

    /// The period of a loop, without its jitter.
    pub(super) fn period(&self, node: NodeId, which: Loop) -> Dur {
        let slow = self.nodes.with(node, |k| k.slow).flatten();
        slow.unwrap_or_else(|| self.undisturbed(node, which))
    }

    /// Whether the ticks of a loop jitter.
    fn jitters(&self, which: Loop) -> bool {
        match (self.nodes.mode, which) {
            (KubeletMode::Imitated(_), _) => false,
            (KubeletMode::Real(_), Loop::Lease) => self.nodes.switches.lease_jitter,
            (KubeletMode::Real(_), Loop::Status) => self.nodes.switches.status_jitter,
        }
    }

    /// The sleeps of a loop that jitters; none of one that does not.
    pub(super) fn sleeps(&self, node: NodeId, which: Loop) -> Option<Sleeps<'_>> {
        let (each, pairs) = match which {
            Loop::Lease => self.lease_jitter,
            Loop::Status => self.status_jitter,
        };
        let period = self.period(node, which);
        let most = (period.as_nanos() / 100).saturating_mul(JITTER_PERCENT);
        self.jitters(which).then(|| Sleeps {
            ctx: &self.nodes.ctx,
            each,
            pairs,
            object: self.nodes.object(node),
            period,
            most: most.saturating_sub(1),
            known: Cell::new(None),
        })
    }

    /// The sleep after the tick of that number of a loop.
    pub(super) fn after(&self, node: NodeId, which: Loop, tick: u32) -> Dur {
        self.sleeps(node, which).map_or_else(|| self.period(node, which), |s| s.after(tick))
    }

    /// How old a status post may become.
    pub(super) fn report(&self) -> Dur {
        match self.nodes.mode {
            KubeletMode::Imitated(i) => i.status_report,
            KubeletMode::Real(r) if self.nodes.switches.leases => r.node_status_report_frequency,
            // Without leases every check posts.
            KubeletMode::Real(_) => Dur::ZERO,
        }
    }

    /// A node has a kubelet from now on, whose loops do not run yet.
    pub(super) fn join(&self, node: NodeId) {
        self.next.join(node, Default::default());
    }

    /// When a loop runs next, or would have run, had it not been taken off the queue.
    pub(super) fn next(&self, node: NodeId, which: Loop) -> Option<Time> {
        self.next.with(node, |next| next[which as usize].at)
    }

    /// Whether a loop runs by itself.
    pub(super) fn is_scheduled(&self, node: NodeId, which: Loop) -> bool {
        let next = self.next.with(node, |next| next[which as usize]);
        next.is_some_and(|n| n.key.is_some())
    }

    /// Schedules the next run of a loop, in place of one that was scheduled before.
    pub(super) fn schedule(&self, node: NodeId, which: Loop, at: Time) {
        let ctx = &self.nodes.ctx;
        let old = self.next.with(node, |next| next[which as usize].key.take());
        if let Some(key) = old.flatten() {
            ctx.cancel(key);
        }
        // A loop runs by the clock, whatever had it scheduled.
        let cause = ctx.cause();
        ctx.set_cause(u32::MAX);
        // In the order of nodes, whenever they were scheduled: a loop that was computed for a while
        // is scheduled later than one that was not.
        let rank = u64::from(node.0) << 1 | which as u64;
        let tick = Tick { node, which };
        let key = Some(ctx.post_ranked(at, Class::Source, rank, self.ticker, tick));
        ctx.set_cause(cause);
        self.next.with(node, |next| next[which as usize] = Next { at, key });
    }

    /// Takes both loops of a kubelet off the queue; when they would have run stays known.
    pub(super) fn unschedule(&self, node: NodeId) {
        let keys = self.next.with(node, |next| [next[0].key.take(), next[1].key.take()]);
        for key in keys.into_iter().flatten().flatten() {
            self.nodes.ctx.cancel(key);
        }
    }

    /// The present by a kubelet's clock, ns from the start.
    fn clock_ns(&self, node: NodeId) -> i64 {
        self.nodes.now().as_nanos() as i64 + self.nodes.with(node, |k| k.skew_ns).unwrap_or(0)
    }

    /// Renews a node's lease. A kubelet makes the lease of a node that is there and has none
    /// (`component-helpers/apimachinery/lease/controller.go`, `ensureLease`); the recorder's do
    /// not.
    pub(super) fn renew(&self, node: NodeId) {
        let Nodes { ctx, api, mode, .. } = &*self.nodes;
        let makes = || matches!(mode, KubeletMode::Real(_)) && api.node(node).is_some();
        if !api.is_down() && (api.lease(node).is_some() || makes()) {
            // renewTime is in microseconds; a lease cannot refuse.
            let _ = api.renew_lease(node, self.clock_ns(node).div_euclid(1_000));
            self.nodes.with(node, |k| k.renewals = [Some(ctx.now()), k.renewals[0]]);
            if self.records_renewals {
                api.record_node(Actor::Kubelet, node, What::Noted(Note::LeaseRenewed, 0));
            }
        }
    }

    /// Posts a node's status: all conditions with a new heartbeat.
    pub(super) fn post(&self, node: NodeId) {
        if self.nodes.api.is_down() {
            return;
        }
        self.nodes.with(node, |k| k.view_changed = None);
        self.post_with(node, fill);
    }

    /// Posts new heartbeats of a node's conditions, and leaves alone what they say.
    pub(super) fn post_heartbeats(&self, node: NodeId) {
        self.post_with(node, |conditions, view, at| {
            let own = |c: &NodeCondition| {
                view.iter().any(|(kind, status)| *kind == c.kind && status.is_some())
            };
            conditions.iter_mut().filter(|c| own(c)).for_each(|c| c.last_heartbeat_time = at);
        });
    }

    /// Notes a post of now, and changes a node's conditions.
    fn post_with(
        &self,
        node: NodeId,
        change: impl FnOnce(&mut Vec<NodeCondition>, &View, Timestamp),
    ) {
        let at = Timestamp(self.clock_ns(node).div_euclid(1_000_000_000));
        let now = self.nodes.now();
        let Some(view) = self.nodes.with(node, |k| {
            k.last_post = now;
            k.posts = [Some((now, at)), k.posts[0]];
            k.posted_view()
        }) else {
            return;
        };
        // The node may have been deleted; then there is nothing to post to.
        let _ = self.nodes.api.mutate_node(Actor::Kubelet, node, |n| {
            change(&mut n.conditions, &view, at);
            self.report_volumes(n);
        });
    }

    /// Whether what a node's status says of volumes may change without anything happening in the API.
    pub(super) fn volumes_are_restless(&self, node: NodeId) -> bool {
        self.volumes.is_restless(node)
    }

    /// Says in a node's status which volumes are in use (`nodestatus/setters.go: VolumesInUse`).
    fn report_volumes(&self, node: &mut Node) {
        let in_use = self.volumes.volumes_in_use(node.id);
        let said = node.volumes.as_ref().map_or(&[][..], |v| &v.in_use);
        if said != in_use {
            let attached = node.volumes.as_ref().map_or_else(Vec::new, |v| v.attached.clone());
            node.volumes = Some(Rc::new(NodeVolumes { attached, in_use }));
        }
    }

    /// Whether the API has another status for any condition than the kubelet, or other volumes in use.
    pub(super) fn differs(&self, node: &Node) -> bool {
        let said = node.volumes.as_ref().map_or(&[][..], |v| &v.in_use);
        if said != self.volumes.volumes_in_use(node.id) {
            return true;
        }
        self.nodes
            .with(node.id, |k| {
                k.posted_view().iter().any(|(kind, status)| {
                    status.is_some_and(|s| node.condition(*kind).is_none_or(|c| c.status != s))
                })
            })
            .unwrap_or(false)
    }
}
