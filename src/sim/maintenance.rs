//! `kubectl drain`, and rolling maintenances: what people do to nodes one after the other, beside
//! everything else.
//!
//! A maintenance is what scripts and operators do that reboot nodes (kured, the machine config
//! operator): a certain number of nodes at a time are cordoned and drained, as `kubectl drain` of
//! that node alone would; then the machine is off for a while, boots, and once the node is Ready
//! again it is uncordoned. The next node begins as soon as one is done.

use super::machines::{Machines, OffBy};
use super::world::World;
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::apiserver::ApiError;
use crate::client::{Client, TokenBucket, parallelize};
use crate::controllers::drain::{self, Drain};
use crate::kernel::{Group, Object};
use crate::plan::{DrainOptions, IfNotDrained, Maintenance, UserMode};
use crate::sim::prelude::*;
use crate::trace::DrainOutcome;

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
        Client::new(&self.world.api, Actor::User, limiter, way, None)
    }

    /// Runs `kubectl drain` beside everything else.
    pub(super) fn drain(&self, entry: u32, nodes: &[NodeIndex], options: &DrainOptions) {
        let group = self.world.ctx.group();
        let drain =
            Drain::new(self.kubectl(), group, self.world.plan.profile.eviction, options.clone());
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
                Some(async move {
                    me.maintain_node(entry, cause, group, node, &how, &progress)
                        .await
                })
            })
            .await;
            me.world.ctx.set_cause(cause);
            if let Some(node) = progress.stopped_by.get() {
                let name = me.world.api.names(|n| n.node_name(node).to_owned());
                let left = nodes.len() - progress.begun.get();
                let text = format!(
                    "{name} could not be drained; {left} of {} nodes not begun",
                    nodes.len()
                );
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
        let drain =
            Drain::new(kubectl.clone(), group, self.world.plan.profile.eviction, how.drain.clone());
        let outcome = match drain.run(&[node]).await {
            Ok(outcomes) => outcomes.first().copied(),
            // There is no such node any more: nothing to maintain.
            Err(complaint) => return self.world.refuse(entry, &complaint),
        };
        if outcome != Some(DrainOutcome::Drained) {
            match how.if_not_drained {
                IfNotDrained::Stop => {
                    if progress.stopped_by.get().is_none() {
                        progress.stopped_by.set(Some(node));
                    }
                    return;
                }
                IfNotDrained::Skip => {
                    drain.uncordon(node).await;
                    return;
                }
                IfNotDrained::GoOn => {}
            }
        }
        let kubelets = self.world.ctx.keys("kubelets").of(0);
        let off_at = self.world.ctx.now();
        self.world.ctx.set_cause(cause);
        self.world.ctx.writes(kubelets);
        self.machines.switch_off(node, OffBy::Maintenance);
        self.world.ctx.sleep(how.off).await;
        self.world.ctx.set_cause(cause);
        self.world.ctx.writes(kubelets);
        self.machines.switch_on(node, OffBy::Maintenance);
        if !self.comes_back(&kubectl, node, off_at).await {
            return;
        }
        if how.uncordon {
            drain.uncordon(node).await;
        }
    }

    /// Waits until a machine that was switched off at that time has a Ready node again; false if
    /// the node is gone.
    async fn comes_back(&self, kubectl: &Client, node: NodeId, off_at: Time) -> bool {
        let about = Object { id: node.0, hash: self.world.api.names(|n| n.node_hash(node)) };
        loop {
            // Reading a node has its heartbeats written, so the lease is read after it.
            let found =
                kubectl.get(about, move |api, _| Ok((api.get_node(node)?, api.lease(node)))).await;
            // A condition may still say Ready from before: it has to be the kubelet's word since
            // the machine went off.
            let is_back = match found {
                Ok((node, lease)) => {
                    let ready = node
                        .condition(NodeConditionType::Ready)
                        .filter(|c| c.status == ConditionStatus::True);
                    let posted = ready.is_some_and(|c| {
                        u64::try_from(c.last_heartbeat_time.0)
                            .is_ok_and(|said| said > off_at.as_secs())
                    });
                    let renewed = lease.is_some_and(|l| {
                        u64::try_from(l.renew_time_us)
                            .is_ok_and(|us| us > off_at.as_nanos() / 1_000)
                    });
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
