//! Faults and a user's actions, as primitive steps.

use super::cluster::Cluster;
use super::off::OffBy;
use super::turn::Turn;
use crate::api::names::NodeId;
use crate::client::Resource;
use crate::kernel::{Class, Dur, Time};
use crate::plan::{Action, Do, NodeIndex, Phase, PodIndex, WatchCache, WatchedResource};
use crate::trace::{Actor, What};
use std::rc::Rc;

fn resource(r: WatchedResource) -> Resource {
    match r {
        WatchedResource::Nodes => Resource::Nodes,
        WatchedResource::Pods => Resource::Pods,
        WatchedResource::Leases => Resource::Leases,
        WatchedResource::Workloads(kind) => kind.into(),
    }
}

impl Cluster {
    /// The controllers start, for the first time or as the end of a restart. While another restart
    /// keeps them down, that one starts them.
    pub(super) fn restarted(self: &Rc<Self>, restart: Option<&Action>) {
        if let Some(action) = restart
            && self
                .plan
                .timeline
                .get(action.entry as usize)
                .is_some_and(|e| e.ends.is_some())
        {
            let record = self.api.record(Actor::User, action.entry, What::FaultEnded);
            self.ctx.set_cause(record);
        }
        if self.ctx.now() >= self.down_until.get()
            && self.process.with(|p| p.is_none())
            && !self.waits_for_the_api()
        {
            self.start_controllers();
        }
    }

    /// The controllers' process dies, and a new one starts after that time.
    pub(super) fn crash(&self, after: Dur) {
        let back = self.die(after, 0);
        if let Some(handler) = self.timeline.get() {
            self.ctx.post_at(back, Class::Outside, handler, Turn::Start);
        }
    }

    /// Does an action of the timeline.
    pub(super) fn act(self: &Rc<Self>, action: &Action) {
        let cause = self.record_phase(action);
        self.awake
            .before(&action.act, self.ctx.now(), &self.kubelets);
        self.ctx.set_cause(cause);
        let each = |nodes: &[NodeIndex], f: &dyn Fn(NodeId)| {
            for &n in nodes {
                self.ctx.set_cause(cause);
                f(self.node_id(n));
            }
        };
        self.declare(&action.act);
        match &action.act {
            Do::Cut(nodes, how) => each(nodes, &|n| self.kubelets.cut(n, Some(*how))),
            Do::Heal(nodes) => each(nodes, &|n| self.kubelets.cut(n, None)),
            Do::Isolate(nodes) => each(nodes, &|n| {
                self.api.record_node(Actor::User, n, What::NetworkLost);
            }),
            Do::Reconnect(nodes) => each(nodes, &|n| {
                self.api.record_node(Actor::User, n, What::NetworkBack);
            }),
            Do::Crash(nodes) => each(nodes, &|n| self.switch_off(n, OffBy::Fault)),
            Do::Boot(nodes) => each(nodes, &|n| self.switch_on(n, OffBy::Fault)),
            Do::StopKubelet(nodes) => each(nodes, &|n| self.kubelets.stop(n)),
            Do::StartKubelet(nodes) => each(nodes, &|n| self.kubelets.start(n)),
            Do::HeartbeatPeriod(nodes, period) => {
                each(nodes, &|n| self.kubelets.set_heartbeat_period(n, *period))
            }
            Do::Condition(nodes, kind, status) => {
                each(nodes, &|n| self.kubelets.set_condition(n, *kind, *status))
            }
            Do::Runtime(nodes, fails) => each(nodes, &|n| self.kubelets.runtime(n, *fails)),
            Do::ClockSkew(nodes, skew) => each(nodes, &|n| self.kubelets.set_skew(n, *skew)),
            Do::ApiDown => self.api_goes_down(action.entry),
            Do::ApiUp(cache) => self.api_comes_up(*cache),
            Do::ServersDie(gone, all) => self.servers_die(action.entry, (*gone, *all)),
            Do::WatchLag(r, lag) => self.lags.set_lag(resource(*r), *lag),
            Do::StallWatches(r, d) => self
                .lags
                .stall(resource(*r), self.ctx.now().saturating_add(*d)),
            Do::ExpireWatches(of) => self.watches_end(of.map(resource), WatchCache::Lost),
            Do::LoseWatches(of) => self.watches_end(of.map(resource), WatchCache::Kept),
            Do::RejectRequests(clients, lasts) => {
                let until = self.ctx.now().saturating_add(*lasts);
                self.api.rejections().begin(clients, until)
            }
            Do::RestartControllers(downtime) => {
                self.die(*downtime, action.entry);
            }
            Do::ReplaceLeader(successor) => self.replace_leader(*successor, action.entry),
            Do::Over => {}
            Do::AddNode(node) => self.add_node(action.entry, *node),
            Do::DeleteNode(nodes) => each(nodes, &|n| self.delete_node(n)),
            Do::Taint(nodes, edit) => each(nodes, &|n| self.taint(action.entry, n, edit)),
            Do::Cordon(nodes, value) => each(nodes, &|n| self.cordon(n, *value)),
            Do::Label(nodes, labels) => each(nodes, &|n| self.label(n, labels)),
            Do::CreatePod(_) | Do::DeletePod(..) | Do::BindPod(..) => self.act_on_pod(action),
            Do::Instance(nodes, instance) => each(nodes, &|n| self.provider.set(n, *instance)),
            Do::Drain(nodes, options) => self.drain(action.entry, nodes, options),
            Do::Scale(workload, replicas) => self.scale(action.entry, *workload, *replicas),
            Do::CreateWorkload(workload) => {
                let result = self.create_workload(*workload);
                self.answer_about_workload(action.entry, *workload, result);
            }
            Do::DeleteWorkload(workload, propagation) => {
                self.delete_workload(action.entry, *workload, *propagation)
            }
            Do::CreateBudget(_) | Do::PatchBudget(..) | Do::DeleteBudget(_) => {
                self.act_on_budget(action)
            }
            Do::Maintain(nodes, how) => self.maintain(action.entry, nodes, how),
            Do::PatchTolerations(pod, tolerations) => {
                self.patch_tolerations(action.entry, self.pod_ids[*pod as usize], tolerations)
            }
        }
    }

    /// Records that an entry of the timeline begins or ends, if this action says so; the cause of
    /// what follows.
    fn record_phase(&self, action: &Action) -> u32 {
        let what = match action.phase {
            Phase::Begin => Some(What::FaultBegan),
            Phase::End => Some(What::FaultEnded),
            Phase::Step => None,
        };
        if let Some(what) = what {
            let record = self.api.record(Actor::User, action.entry, what);
            self.ctx.set_cause(record);
        }
        self.ctx.cause()
    }

    /// The watches of a resource, or of all, end.
    fn watches_end(&self, of: Option<Resource>, cache: WatchCache) {
        if let Some(p) = self.process.with(|p| p.clone()) {
            let back = p.informers.watches_end(of, cache);
            if back > self.ctx.now() {
                self.awake.until_watches_are_back(back, &self.kubelets);
            }
        }
    }

    fn cordon(&self, node: NodeId, value: bool) {
        let _ = self
            .api
            .mutate_node(Actor::User, node, |n| n.unschedulable = value);
    }

    /// A user creates, deletes or binds a pod.
    fn act_on_pod(&self, action: &Action) {
        let id = |pod: &PodIndex| self.pod_ids[*pod as usize];
        let (pod, result) = match &action.act {
            Do::CreatePod(pod) => (id(pod), self.create_late_pod(*pod)),
            Do::DeletePod(pod, grace) => {
                let result = self.api.delete_pod(Actor::User, id(pod), *grace, None);
                (id(pod), result)
            }
            Do::BindPod(pod, node) => {
                let node = self.node_id(*node);
                let result = self.api.bind_pod(Actor::User, id(pod), None, node);
                (id(pod), result.map(|_| ()))
            }
            _ => return,
        };
        self.answer_about_pod(action.entry, pod, result);
    }

    /// A user creates, changes or deletes a disruption budget.
    fn act_on_budget(&self, action: &Action) {
        let (budget, result) = match &action.act {
            Do::CreateBudget(budget) => (*budget, self.create_budget(*budget)),
            Do::PatchBudget(budget, rule) => {
                let id = self.budget_id(*budget);
                let result = self.api.set_budget_rule(Actor::User, id, *rule);
                (*budget, result.map(|_| ()))
            }
            Do::DeleteBudget(budget) => {
                let id = self.budget_id(*budget);
                (*budget, self.api.delete_budget(Actor::User, id))
            }
            _ => return,
        };
        self.answer_about_budget(action.entry, budget, result);
    }

    /// The controllers' process dies and is not to come back for a while; when that is over.
    pub(super) fn die(&self, downtime: Dur, entry: u32) -> Time {
        let back = self.ctx.now().saturating_add(downtime);
        self.down_until.set(self.down_until.get().max(back));
        self.api
            .record(Actor::User, entry, What::ControllersStopped);
        self.stop_controllers();
        back
    }

    fn add_node(&self, entry: u32, node: NodeIndex) {
        if !self.join(node) {
            let name = self
                .api
                .names(|n| n.node_name(self.node_id(node)).to_owned());
            self.refuse(entry, &format!("nodes \"{name}\" already exists"));
        }
    }

    fn delete_node(&self, node: NodeId) {
        self.kubelets.leave(node);
        self.off.with(|o| o.forget(node));
        // A node that is gone already can't be deleted again; nothing follows from that.
        let _ = self.api.delete_node(Actor::User, node);
        let _ = self.api.delete_lease(node);
    }

    fn label(&self, node: NodeId, labels: &[(String, Option<String>)]) {
        let _ = self.api.mutate_node(Actor::User, node, |n| {
            let mut all = (*n.labels).clone();
            for (key, value) in labels {
                match value {
                    Some(v) => all.insert(key.clone(), v.clone()),
                    None => all.remove(key),
                };
            }
            n.labels = Rc::new(all);
        });
    }

    /// What an action touches beside the store, for searches.
    fn declare(&self, act: &Do) {
        let family = match act {
            Do::WatchLag(..) | Do::StallWatches(..) | Do::ExpireWatches(_) | Do::LoseWatches(_) => {
                "watch-lags"
            }
            Do::ApiDown | Do::ApiUp(_) | Do::ServersDie(..) | Do::RejectRequests(..) => {
                "api-server-down"
            }
            Do::Cut(..)
            | Do::Heal(_)
            | Do::Crash(_)
            | Do::Boot(_)
            | Do::StopKubelet(_)
            | Do::StartKubelet(_)
            | Do::HeartbeatPeriod(..)
            | Do::Condition(..)
            | Do::Runtime(..)
            | Do::ClockSkew(..)
            | Do::AddNode(_)
            | Do::DeleteNode(_) => "kubelets",
            _ => return,
        };
        self.ctx.writes(self.ctx.keys(family).of(0));
    }
}
