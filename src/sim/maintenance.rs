//! `kubectl drain`, and rolling maintenances: what people do to nodes one after the other, beside
//! everything else.
//!
//! A maintenance is what scripts and operators do that reboot nodes (kured, the machine config
//! operator): a certain number of nodes at a time are cordoned and drained, as `kubectl drain` of
//! that node alone would; then the machine is off for a while, boots, and once the node is Ready
//! again it is uncordoned. The next node begins as soon as one is done.

use super::cluster::Cluster;
use super::off::OffBy;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::NodeConditionType;
use crate::apiserver::ApiError;
use crate::client::{Client, ClientTiming, TokenBucket, parallelize};
use crate::controllers::drain::{self, Drain};
use crate::kernel::{Dur, Group, Object, Time};
use crate::plan::{DrainOptions, IfNotDrained, Maintenance, NodeIndex, UserMode};
use crate::trace::{Actor, DrainOutcome, What};
use std::cell::Cell;
use std::rc::Rc;

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

impl Cluster {
    /// A machine stops, if it has not.
    pub(super) fn switch_off(&self, node: NodeId, by: OffBy) {
        self.off.with(|o| o.0.insert((node, by)));
        self.kubelets.crash(node);
    }

    /// A machine boots, if nothing else keeps it off.
    pub(super) fn switch_on(&self, node: NodeId, by: OffBy) {
        let free = self.off.with(|o| {
            o.0.remove(&(node, by));
            ![OffBy::Fault, OffBy::Maintenance]
                .into_iter()
                .any(|by| o.0.contains(&(node, by)))
        });
        if free {
            self.kubelets.boot(node);
        }
    }

    /// A client of kubectl, with a limiter of its own.
    fn kubectl(&self) -> Client {
        let timing = &self.plan.timing;
        let limiter = (timing.user == UserMode::Kubectl).then(|| TokenBucket::new(drain::CLIENT));
        let way = ClientTiming {
            request: timing.request,
            response: timing.response,
            step: timing.step,
            retries: self.plan.profile.request_retries,
        };
        Client::new(&self.api, Actor::User, limiter, way, None)
    }

    /// Runs `kubectl drain` beside everything else.
    pub(super) fn drain(self: &Rc<Self>, entry: u32, nodes: &[NodeIndex], options: &DrainOptions) {
        let group = self.ctx.group();
        let drain = Drain::new(
            self.kubectl(),
            group,
            self.plan.profile.eviction,
            options.clone(),
        );
        let (nodes, cluster): (Vec<NodeId>, _) = (
            nodes.iter().map(|n| self.node_id(*n)).collect(),
            self.clone(),
        );
        self.ctx.spawn(group, async move {
            if let Err(complaint) = drain.run(&nodes).await {
                cluster.refuse(entry, &complaint);
            }
        });
    }

    /// Runs a rolling maintenance beside everything else.
    pub(super) fn maintain(self: &Rc<Self>, entry: u32, nodes: &[NodeIndex], how: &Maintenance) {
        let (group, cause) = (self.ctx.group(), self.ctx.cause());
        let nodes: Rc<[NodeId]> = nodes.iter().map(|n| self.node_id(*n)).collect();
        let (me, how, progress) = (
            self.clone(),
            Rc::new(how.clone()),
            Rc::new(Progress::default()),
        );
        self.ctx.spawn(group, async move {
            let (worker, all, done) = (me.clone(), nodes.clone(), progress.clone());
            parallelize(&me.ctx, group, how.at_a_time, nodes.len(), move |i| {
                if done.stopped_by.get().is_some() {
                    return None;
                }
                done.begun.set(done.begun.get() + 1);
                let (cluster, node, how, progress) =
                    (worker.clone(), all[i], how.clone(), done.clone());
                Some(async move {
                    cluster
                        .maintain_node(entry, cause, group, node, &how, &progress)
                        .await
                })
            })
            .await;
            me.ctx.set_cause(cause);
            if let Some(node) = progress.stopped_by.get() {
                let name = me.api.names(|n| n.node_name(node).to_owned());
                let left = nodes.len() - progress.begun.get();
                let text = format!(
                    "{name} could not be drained; {left} of {} nodes not begun",
                    nodes.len()
                );
                let text = me.api.names(|n| n.text(&text));
                me.api.record(Actor::User, entry, What::CutShort(text.0));
            }
            me.api.record(Actor::User, entry, What::FaultEnded);
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
        self.ctx.set_cause(cause);
        let kubectl = self.kubectl();
        let drain = Drain::new(
            kubectl.clone(),
            group,
            self.plan.profile.eviction,
            how.drain.clone(),
        );
        let outcome = match drain.run(&[node]).await {
            Ok(outcomes) => outcomes.first().copied(),
            // There is no such node any more: nothing to maintain.
            Err(complaint) => return self.refuse(entry, &complaint),
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
        let kubelets = self.ctx.keys("kubelets").of(0);
        let off_at = self.ctx.now();
        self.ctx.set_cause(cause);
        self.ctx.writes(kubelets);
        self.switch_off(node, OffBy::Maintenance);
        self.ctx.sleep(how.off).await;
        self.ctx.set_cause(cause);
        self.ctx.writes(kubelets);
        self.switch_on(node, OffBy::Maintenance);
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
        let about = Object {
            id: node.0,
            hash: self.api.names(|n| n.node_hash(node)),
        };
        loop {
            // Reading a node has its heartbeats written, so the lease is read after it.
            let found = kubectl
                .get(about, move |api, _| {
                    Ok((api.get_node(node)?, api.lease(node)))
                })
                .await;
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
            self.ctx.sleep(POLL).await;
        }
    }
}
