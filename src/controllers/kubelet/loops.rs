//! The loops of renewals and status checks: when they run next, how long they sleep, what a tick does, and what
//! it writes.
//!
//! Those of the recorder's kubelets know no jitter, no retries. What a real one tries while it does not reach the
//! API server leaves no trace, and is followed in thought (`uplink`).

use super::containers::Containers;
use super::jitter::Sleeps;
use super::nodes::{Tick, View, fill};
use super::walk::report_is_due;
use crate::api::volume::NodeVolumes;
use crate::controllers::kubelet::prelude::*;
use crate::kernel::EventKey;
use crate::plan::Imitated;
use crate::plan::switches::kubelet::{FirstTry, ReportOffset};

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
    pods: Rc<Pods>,
    pub(super) containers: Rc<Containers>,
    next: ByNode<[Next; 2]>,
    ticker: HandlerId<Tick>,
    /// Each renewal of a lease is written down.
    records_renewals: bool,
    /// Each jitter of a loop by itself, and what two jitters come to in a long run.
    jitter: [(PointId, PointId); 2],
}

impl Loops {
    /// None runs yet.
    pub(super) fn new(
        (nodes, pods): Base,
        containers: &Rc<Containers>,
        ticker: HandlerId<Tick>,
        records_renewals: bool,
    ) -> Self {
        let point = |name| nodes.ctx.point(name);
        Self {
            jitter: [
                (point("lease-jitter"), point("lease-jitter-stretch")),
                (point("status-jitter"), point("status-jitter-stretch")),
            ],
            next: ByNode::default(),
            nodes,
            pods,
            containers: containers.clone(),
            ticker,
            records_renewals,
        }
    }

    /// The period of a loop that nothing slows down, without its jitter.
    pub(super) fn undisturbed(&self, node: NodeId, which: Loop) -> Dur {
        match (self.nodes.mode(node), which) {
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

    /// The sleeps of a loop that jitters; none of one that does not.
    pub(super) fn sleeps(&self, node: NodeId, which: Loop) -> Option<Sleeps<'_>> {
        let Nodes { ctx, mode: KubeletMode::Real(_), switches, .. } = &*self.nodes else {
            return None;
        };
        let jitters = [switches.lease_jitter, switches.status_jitter][which as usize];
        jitters.then(|| {
            let (each, pairs) = self.jitter[which as usize];
            let (object, period) = (self.nodes.object(node), self.period(node, which));
            let most = (period.as_nanos() / 100).saturating_mul(JITTER_PERCENT).saturating_sub(1);
            Sleeps { ctx, each, pairs, object, period, most, known: Cell::new(None) }
        })
    }

    /// The sleep after the tick of that number of a loop.
    pub(super) fn after(&self, node: NodeId, which: Loop, tick: u32) -> Dur {
        self.sleeps(node, which).map_or_else(|| self.period(node, which), |s| s.after(tick))
    }

    /// How old a status post may become.
    pub(super) fn report(&self, node: NodeId) -> Dur {
        match self.nodes.mode(node) {
            // Without leases every check posts.
            _ if !self.nodes.switches.leases => Dur::ZERO,
            KubeletMode::Imitated(i) => i.status_report,
            KubeletMode::Real(r) => r.node_status_report_frequency,
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

    /// Schedules the next run of a loop, in place of one that was scheduled before.
    pub(super) fn schedule(&self, node: NodeId, which: Loop, at: Time) {
        let ctx = &self.nodes.ctx;
        let old = self.next.with(node, |next| next[which as usize].key.take());
        if let Some(key) = old.flatten() {
            ctx.cancel(key);
        }
        // In the order of nodes, whenever they were scheduled: a loop that was computed for a while
        // is scheduled later than one that was not.
        let rank = u64::from(node.0) << 1 | which as u64;
        let tick = Tick { node, which };
        let key = Some(ctx.post_ranked(at, Class::Source, rank, self.ticker, tick));
        self.next.with(node, |next| next[which as usize] = Next { at, key });
    }

    /// Takes both loops of a kubelet off the queue; when they would have run stays known.
    pub(super) fn unschedule(&self, node: NodeId) {
        let keys = self.next.with(node, |next| [next[0].key.take(), next[1].key.take()]);
        for key in keys.into_iter().flatten().flatten() {
            self.nodes.ctx.cancel(key);
        }
    }

    /// Starts both loops. Those of the recorder's kubelets at their offset, or after one period if that is zero; others
    /// at a phase of their own, as they were started at some time long ago.
    pub(super) fn begin(&self, node: NodeId) {
        let Some(settings) = self.nodes.with(node, |k| k.settings) else { return };
        let now = self.nodes.now();
        let offsets =
            [(Loop::Lease, settings.lease_offset), (Loop::Status, settings.status_offset)];
        for (which, offset) in offsets {
            let period = self.undisturbed(node, which);
            let first = match self.nodes.mode {
                KubeletMode::Imitated(_) if offset.is_zero() => period,
                KubeletMode::Imitated(_) => offset,
                KubeletMode::Real(real) if real.recorded && !offset.is_zero() => offset,
                KubeletMode::Real(_) => {
                    let most = period.saturating_sub(Dur::from_nanos(1));
                    self.nodes.draw("kubelet-phase", node, most)
                }
            };
            self.schedule(node, which, now + first);
        }
        if let KubeletMode::Real(real) = self.nodes.mode(node) {
            let most = real.node_status_report_frequency;
            let age = self.nodes.draw("kubelet-phase", node, most);
            self.nodes.with(node, |k| {
                // The last report lies up to one period before the start; it can't be earlier than time
                // zero here, so the next one comes earlier instead.
                k.report_offset_ns = -(age.as_nanos() as i64);
            });
        }
    }

    /// A tick of a loop. Whether it did what the loop is for.
    pub(super) fn tick(&self, node: NodeId, which: Loop) -> bool {
        match self.nodes.mode(node) {
            KubeletMode::Imitated(mode) => self.tick_imitated(node, which, mode),
            KubeletMode::Real(real) => self.tick_real(node, which, real),
        }
    }

    /// Nothing is written while the kubelet is cut off, or the server is down.
    fn tick_imitated(&self, node: NodeId, which: Loop, mode: Imitated) -> bool {
        let state = self.nodes.with(node, |k| (k.cut.is_some() || !k.runs(), k.gone));
        let Some((cut, false)) = state else { return false };
        self.schedule(node, which, self.nodes.now() + self.period(node, which));
        if cut || self.nodes.api.is_down() {
            return false;
        }
        match which {
            Loop::Lease => self.renew(node),
            Loop::Status => self.check_status_imitated(node, mode),
        }
        true
    }

    /// Only the loops of a kubelet that reaches the API server tick.
    fn tick_real(&self, node: NodeId, which: Loop, real: Real) -> bool {
        let tick = self.nodes.with(node, |k| {
            let reaches = k.link == Link::Open && k.runs();
            let tick = &mut k.ticks[which as usize];
            *tick += u32::from(reaches);
            reaches.then(|| *tick - 1)
        });
        let Some(Some(tick)) = tick else { return false };
        self.schedule(node, which, self.nodes.now() + self.after(node, which, tick));
        match which {
            Loop::Lease if self.nodes.switches.leases => self.renew(node),
            Loop::Lease => {}
            Loop::Status => self.check_status(node, real),
        }
        true
    }

    /// One of the recorder's kubelets is cut off: its ticks do nothing, and so they need not be simulated.
    pub(super) fn pause(&self, node: NodeId) {
        if self.nodes.lazy && self.nodes.is(node, |k| !k.sleepless) {
            self.unschedule(node);
        }
    }

    /// Such a kubelet is back: its loops go on where they would be by now.
    pub(super) fn resume(&self, node: NodeId) {
        if self.nodes.lazy && self.nodes.is(node, |k| k.cut.is_none() && k.runs()) {
            self.go_on(node);
        }
    }

    /// Schedules loops that were taken off the queue where they would be by now.
    pub(super) fn go_on(&self, node: NodeId) {
        let now = self.nodes.now();
        for which in [Loop::Lease, Loop::Status] {
            let next = self.next.with(node, |next| next[which as usize]);
            let Some(Next { at, key: None }) = next else { continue };
            let period = self.undisturbed(node, which);
            let missed = now.since(at).as_nanos().div_ceil(period.as_nanos().max(1));
            self.schedule(node, which, at + period * missed);
        }
    }

    fn check_status_imitated(&self, node: NodeId, mode: Imitated) {
        let Nodes { ctx, api, .. } = &*self.nodes;
        let Some(stored) = api.node(node) else { return };
        let last = self.nodes.with(node, |k| k.last_post);
        let old = last.is_some_and(|at| ctx.now().since(at) >= self.report(node));
        if old || self.differs(&stored) {
            ctx.set_cause(stored.record);
            self.post(node);
        }
        if mode.repost_pod_ready && self.nodes.works(node) {
            for pod in self.pods.not_ready(node).filter(|p| self.containers.lives.is_ready(p.uid)) {
                self.pods.set_ready(&pod, ConditionStatus::True);
            }
        }
    }

    /// `syncNodeStatus`, out of turn: its own view has changed.
    pub(super) fn sync_node_status(&self, node: NodeId, real: Real) {
        if self.nodes.gets_through(node) {
            self.post(node);
            self.draw_report_offset(node, true, real);
        }
    }

    /// `tryUpdateNodeStatus`: posts if anything but heartbeats changed, or the report is due. A
    /// first try that reads the informer does not know of changes that its watch has not delivered:
    /// its patch is the difference to what it knows, so that it tells of the kubelet's own changes
    /// and of heartbeats, and leaves alone what others wrote.
    fn check_status(&self, node: NodeId, real: Real) {
        let Some(stored) = self.nodes.api.node(node) else { return };
        let (now, report) = (self.nodes.now(), self.report(node));
        let Some((knows, changed, due)) = self.nodes.with(node, |k| {
            let due = report_is_due(now, k.last_post, report, k.report_offset_ns);
            (k.knows_its_node(now), k.view_changed.is_some(), due)
        }) else {
            return;
        };
        let knows = knows || self.nodes.switches.first_try == FirstTry::Get;
        let differs = changed || knows && self.differs(&stored);
        if !differs && !due {
            return;
        }
        if differs {
            self.nodes.ctx.set_cause(stored.record);
        }
        if differs || knows {
            self.post(node);
        } else {
            self.post_heartbeats(node);
        }
        self.draw_report_offset(node, differs, real);
    }

    /// S23: a real change moves the next periodic report by up to half a period; a periodic one
    /// does not.
    fn draw_report_offset(&self, node: NodeId, changed: bool, real: Real) {
        let offset = if changed && self.nodes.switches.report_offset != ReportOffset::None {
            let half = real.node_status_report_frequency.as_nanos() / 2;
            let most = half.saturating_mul(2).saturating_sub(1);
            let drawn = self.nodes.draw("status-report-offset", node, Dur::from_nanos(most));
            drawn.as_nanos() as i64 - half as i64
        } else {
            0
        };
        self.nodes.with(node, |k| k.report_offset_ns = offset);
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
        let ready = || Some(self.nodes.api.node(node)?.condition(NodeConditionType::Ready)?.status);
        let before = ready();
        self.post_with(node, fill);
        // `nodestatus/setters.go: ReadyCondition`, which the recorder's kubelets have say nothing.
        let is_said = matches!(self.nodes.mode(node), KubeletMode::Real(real) if !real.recorded);
        if let (true, Some(before), Some(now)) = (is_said, before, ready())
            && before != now
        {
            let is_ready = now == ConditionStatus::True;
            let text = if is_ready { EventText::NodeReady } else { EventText::NodeNotReady };
            self.nodes.say_of(node, text);
        }
    }

    /// Posts new heartbeats of a node's conditions, and leaves alone what they say.
    pub(super) fn post_heartbeats(&self, node: NodeId) {
        self.post_with(node, |conditions, view, at| {
            let own = |c: &NodeCondition| view[c.kind as usize].is_some();
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
            n.images = self.containers.images.listed(node);
        });
    }

    /// Says in a node's status which volumes are in use (`nodestatus/setters.go: VolumesInUse`).
    fn report_volumes(&self, node: &mut Node) {
        let in_use = self.containers.volumes.volumes_in_use(node.id);
        let said = node.volumes.as_ref().map_or(&[][..], |v| &v.in_use);
        if said != in_use {
            let attached = node.volumes.as_ref().map_or_else(Vec::new, |v| v.attached.clone());
            node.volumes = Some(Rc::new(NodeVolumes { attached, in_use }));
        }
    }

    /// Whether the API has another status for any condition than the kubelet, other volumes in use or other images.
    pub(super) fn differs(&self, node: &Node) -> bool {
        let said = node.volumes.as_ref().map_or(&[][..], |v| &v.in_use);
        if said != self.containers.volumes.volumes_in_use(node.id)
            || node.images != self.containers.images.listed(node.id)
        {
            return true;
        }
        let differs = |(kind, status): (NodeConditionType, Option<ConditionStatus>)| {
            status.is_some_and(|s| node.condition(kind).is_none_or(|c| c.status != s))
        };
        let kinds = NodeConditionType::ALL.into_iter();
        self.nodes.is(node.id, |k| kinds.zip(k.posted_view()).any(differs))
    }
}
