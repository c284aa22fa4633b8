//! `kubectl drain`, and rolling maintenances: what people do to nodes one after the other, beside
//! everything else.
//!
//! A maintenance is what scripts and operators do that reboot nodes (kured, the machine config
//! operator): a certain number of nodes at a time are cordoned and drained, as `kubectl drain` of
//! that node alone would; then the machine is told to go off (`systemctl reboot`), is off for a while, boots, and once the node is Ready
//! again it is uncordoned. The next node begins as soon as one is done.
//!
//! The machines that faults and maintenances keep off.

use super::world::World;
use crate::api::meta::ConditionStatus;
use crate::apiserver::ApiError;
use crate::client::{Client, Meets, TokenBucket, parallelize};
use crate::controllers::drain::{self, Drain};
use crate::plan::{DrainOptions, IfNotDrained, Maintenance, UserMode};
use crate::sim::prelude::*;
use crate::trace::DrainOutcome;
use std::collections::BTreeSet;

/// How often it is looked whether a node is Ready again: as `kubectl get` in a loop, or soon after
/// a watch delivers it.
const POLL: Dur = Dur::from_secs(1);

/// How far a maintenance has come.
#[derive(Default)]
struct Progress {
    begun: Cell<usize>,
    /// The first node that could not be drained, where that ends the maintenance.
    stopped_by: Cell<Option<NodeId>>,
}

/// Whoever drains and maintains nodes.
pub(super) struct Maintainer {
    world: Rc<World>,
    machines: Rc<Machines>,
}

impl Maintainer {
    /// One who has nothing to do yet.
    pub(super) fn new(world: &Rc<World>, machines: &Rc<Machines>) -> Rc<Self> {
        Rc::new(Self { world: world.clone(), machines: machines.clone() })
    }

    /// A client of kubectl, with a limiter of its own.
    fn kubectl(&self) -> Client {
        let timing = &self.world.plan.timing;
        let limiter = (timing.user == UserMode::Kubectl).then(|| TokenBucket::new(drain::CLIENT));
        let way = self.world.client_timing();
        Client::new(&self.world.api, Actor::User, limiter, way, Meets::default())
    }

    /// Runs `kubectl drain` beside everything else.
    pub(super) fn drain(&self, entry: u32, nodes: &[NodeIndex], options: &DrainOptions) {
        let group = self.world.ctx.group();
        let rules = self.world.plan.profile.eviction;
        let drain = Drain::new(self.kubectl(), group, rules, options.clone());
        let world = self.world.clone();
        let nodes: Vec<NodeId> = nodes.iter().map(|n| world.node_id(*n)).collect();
        self.world.ctx.spawn(group, async move {
            if let Err(complaint) = drain.run(&nodes).await {
                world.refuse(entry, &complaint);
            }
        });
    }

    /// Runs a rolling maintenance beside everything else.
    pub(super) fn maintain(self: &Rc<Self>, entry: u32, nodes: &[NodeIndex], how: &Maintenance) {
        let (group, cause) = (self.world.ctx.group(), self.world.ctx.cause());
        let nodes: Rc<[NodeId]> = nodes.iter().map(|n| self.world.node_id(*n)).collect();
        let (me, how, progress) =
            (self.clone(), Rc::new(how.clone()), Rc::new(Progress::default()));
        self.world.ctx.spawn(group, async move {
            let (worker, all, done) = (me.clone(), nodes.clone(), progress.clone());
            parallelize(&me.world.ctx, group, how.at_a_time, nodes.len(), move |i| {
                if done.stopped_by.get().is_some() {
                    return None;
                }
                done.begun.set(done.begun.get() + 1);
                let (me, node, how, progress) = (worker.clone(), all[i], how.clone(), done.clone());
                Some(async move { me.maintain_node(entry, cause, group, node, &how, &progress).await })
            })
            .await;
            me.world.ctx.set_cause(cause);
            if let Some(node) = progress.stopped_by.get() {
                let name = me.world.api.names(|n| n.node_name(node).to_owned());
                let (count, left) = (nodes.len(), nodes.len() - progress.begun.get());
                let text = format!("{name} could not be drained; {left} of {count} nodes not begun");
                let text = me.world.api.names(|n| n.text(&text));
                me.world.api.record(Actor::User, entry, What::CutShort(text.0));
            }
            me.world.api.record(Actor::User, entry, What::FaultEnded);
        });
    }

    /// One node: cordon and drain, off, boot, Ready, uncordon.
    async fn maintain_node(
        &self,
        entry: u32,
        cause: u32,
        group: Group,
        node: NodeId,
        how: &Maintenance,
        progress: &Progress,
    ) {
        self.world.ctx.set_cause(cause);
        let kubectl = self.kubectl();
        let rules = self.world.plan.profile.eviction;
        let drain = Drain::new(kubectl.clone(), group, rules, how.drain.clone());
        let outcome = match drain.run(&[node]).await {
            Ok(outcomes) => outcomes.first().copied(),
            // There is no such node any more: nothing to maintain.
            Err(complaint) => return self.world.refuse(entry, &complaint),
        };
        if outcome != Some(DrainOutcome::Drained) {
            match how.if_not_drained {
                IfNotDrained::Stop => {
                    progress.stopped_by.set(progress.stopped_by.get().or(Some(node)));
                    return;
                }
                IfNotDrained::Skip => return drain.uncordon(node).await,
                IfNotDrained::GoOn => {}
            }
        }
        let kubelets = self.world.ctx.keys("kubelets").of(0);
        let off_at = self.world.ctx.now();
        self.world.ctx.set_cause(cause);
        self.world.ctx.writes(kubelets);
        self.machines.shut_down(node, None, OffBy::Maintenance);
        while self.world.kubelets.is_on(node) {
            self.world.ctx.sleep(POLL).await;
            self.world.ctx.reads(kubelets);
        }
        self.world.ctx.sleep(how.off).await;
        self.world.ctx.set_cause(cause);
        self.world.ctx.writes(kubelets);
        self.machines.switch_on(node, OffBy::Maintenance);
        if self.comes_back(&kubectl, node, off_at).await && how.uncordon {
            drain.uncordon(node).await;
        }
    }

    /// Waits until a machine that was switched off at that time has a Ready node again; false if
    /// the node is gone.
    async fn comes_back(&self, kubectl: &Client, node: NodeId, off_at: Time) -> bool {
        let about = kubectl.node_object(node);
        loop {
            // Reading a node has its heartbeats written, so the lease is read after it.
            let found =
                kubectl.get(about, move |api, _| Ok((api.get_node(node)?, api.lease(node)))).await;
            // A condition may still say Ready from before: it has to be the kubelet's word since
            // the machine went off.
            let is_back = match found {
                Ok((node, lease)) => {
                    let is_later =
                        |said: i64, than: u64| u64::try_from(said).is_ok_and(|t| t > than);
                    let ready = node.ready().filter(|c| c.status == ConditionStatus::True);
                    let posted =
                        ready.is_some_and(|c| is_later(c.last_heartbeat_time.0, off_at.as_secs()));
                    let renewed =
                        lease.is_some_and(|l| is_later(l.renew_time_us, off_at.as_micros()));
                    posted || ready.is_some() && renewed
                }
                Err(ApiError::NotFound) => return false,
                Err(_) => false,
            };
            if is_back {
                return true;
            }
            self.world.ctx.sleep(POLL).await;
        }
    }
}

/// What keeps a machine off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OffBy {
    /// A fault of the timeline.
    Fault,
    /// A maintenance.
    Maintenance,
    /// It was told to go off.
    Shutdown,
}

/// The machines that are off, and why. One that two things keep off boots when both have ended.
pub(super) struct Machines {
    world: Rc<World>,
    off: Shared<BTreeSet<(NodeId, OffBy)>>,
}

impl Machines {
    /// All are on.
    pub(super) fn new(world: &Rc<World>) -> Self {
        Self { world: world.clone(), off: Shared::default() }
    }

    /// A machine stops, if it has not.
    pub(super) fn switch_off(&self, node: NodeId, by: OffBy) {
        self.off.with(|o| o.insert((node, by)));
        self.world.kubelets.crash(node);
    }

    /// A machine is told to go off; with `at_most`, it is off after this time in any case.
    pub(super) fn shut_down(&self, node: NodeId, at_most: Option<Dur>, by: OffBy) {
        self.off.with(|o| o.insert((node, by)));
        self.world.kubelets.shut_down(node, at_most);
    }

    /// A machine boots, if nothing else keeps it off.
    pub(super) fn switch_on(&self, node: NodeId, by: OffBy) {
        let free = self.off.with(|o| {
            o.remove(&(node, by));
            o.range((node, OffBy::Fault)..=(node, OffBy::Shutdown)).next().is_none()
        });
        if free {
            self.world.kubelets.boot(node);
        }
    }

    /// A node is deleted: what joins under its name is another machine.
    pub(super) fn forget(&self, node: NodeId) {
        self.off.with(|o| o.retain(|(n, _)| *n != node));
    }
}
