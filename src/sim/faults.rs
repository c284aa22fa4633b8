//! The timeline: faults and a user's actions, as primitive steps.

use super::cluster::Cluster;
use super::maintenance::OffBy;
use crate::api::kubectl_taint::TaintEdit;
use crate::api::names::{NodeId, PodId};
use crate::api::toleration::Toleration;
use crate::api::validation::validate_toleration_update;
use crate::api::workload::{WorkloadKind, WorkloadSpec, short_name};
use crate::apiserver::ApiError;
use crate::client::Resource;
use crate::kernel::{Class, Dur, Handler, HandlerId, Keys, Name, Object, PointId};
use crate::plan::{
    Action, BudgetIndex, Do, NodeIndex, Phase, UserMode, WatchedResource, WorkloadIndex,
};
use crate::trace::{Actor, NO_RECORD, What};
use std::cell::Cell;
use std::rc::{Rc, Weak};

/// Runs the actions of a plan, each at its time. Of several at one instant, a later one may come
/// before or after what the earlier ones set off in that instant; that is chance.
pub(super) struct Timeline {
    cluster: Weak<Cluster>,
    handler: Cell<Option<HandlerId>>,
    together: PointId,
}

/// This bit of the argument says that an action has let others go before it.
const WAITED: u64 = 1 << 62;

/// The argument that means "start the controllers" instead of an action's index; with a restart's
/// index, that its entry ends.
const START: u64 = 1 << 61;
const FIRST_START: u64 = START | (START - 1);

impl Handler for Timeline {
    fn handle(&self, arg: u64) {
        let Some(cluster) = self.cluster.upgrade() else {
            return;
        };
        let ctx = &cluster.ctx;
        ctx.set_cause(NO_RECORD);
        let index = (arg & !(WAITED | START)) as usize;
        let plan = cluster.plan.clone();
        if arg & START != 0 {
            cluster.restarted(plan.actions.get(index));
            return;
        }
        let together = index > 0 && plan.actions[index - 1].at == plan.actions[index].at;
        if together
            && arg & WAITED == 0
            && ctx.choose(
                self.together,
                Object {
                    id: index as u32,
                    hash: index as u64,
                },
                2,
            ) == 1
        {
            if let Some(handler) = self.handler.get() {
                ctx.post_at(ctx.now(), Class::Timer, handler, arg | WAITED);
            }
            return;
        }
        cluster.act(&plan.actions[index]);
        for attached in plan.actions[index + 1..]
            .iter()
            .take_while(|a| is_attached(a))
        {
            cluster.act(attached);
        }
    }

    /// The entries of a timeline keep their order; what they do besides writing to the store is
    /// declared where they do it.
    fn name(&self, _: u64) -> Name {
        Name::of("timeline", Keys::UNDECLARED).stream()
    }
}

impl Timeline {
    /// Schedules the start of the controllers and all actions, in the plan's order where times are
    /// equal.
    pub(super) fn schedule(cluster: &Rc<Cluster>) {
        let together = cluster.ctx.point("actions-of-one-instant");
        let timeline = Rc::new(Timeline {
            cluster: Rc::downgrade(cluster),
            handler: Cell::new(None),
            together,
        });
        let handler = cluster.ctx.register(timeline.clone());
        timeline.handler.set(Some(handler));
        cluster.timeline.set(Some(handler));
        cluster.ctx.post_at(
            cluster.plan.controllers_start,
            Class::Outside,
            handler,
            FIRST_START,
        );
        for (index, action) in cluster
            .plan
            .actions
            .iter()
            .enumerate()
            .filter(|(_, a)| !is_attached(a))
        {
            cluster
                .ctx
                .post_at(action.at, Class::Outside, handler, index as u64);
            if let Do::RestartControllers(downtime) = action.act {
                cluster.ctx.post_at(
                    action.at.saturating_add(downtime),
                    Class::Outside,
                    handler,
                    START | index as u64,
                );
            }
        }
    }
}

/// Whether an action is done in one with the one before it: what a partition means to clients,
/// which no controller sees, is no step that something else could come before.
fn is_attached(action: &Action) -> bool {
    matches!(action.act, Do::Isolate(_) | Do::Reconnect(_))
}

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
    fn restarted(self: &Rc<Self>, restart: Option<&Action>) {
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
        if self.ctx.now() >= self.down_until.get() && self.process.with(|p| p.is_none()) {
            self.start_controllers();
        }
    }

    /// The controllers' process dies, and a new one starts so much later.
    pub(super) fn crash(&self, after: Dur) {
        let back = self.ctx.now().saturating_add(after);
        self.down_until.set(self.down_until.get().max(back));
        self.api.record(Actor::User, 0, What::ControllersStopped);
        self.stop_controllers();
        if let Some(handler) = self.timeline.get() {
            self.ctx.post_at(back, Class::Outside, handler, FIRST_START);
        }
    }

    fn act(self: &Rc<Self>, action: &Action) {
        let what = match action.phase {
            Phase::Begin => Some(What::FaultBegan),
            Phase::End => Some(What::FaultEnded),
            Phase::Step => None,
        };
        if let Some(what) = what {
            let record = self.api.record(Actor::User, action.entry, what);
            self.ctx.set_cause(record);
        }
        let cause = self.ctx.cause();
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
            Do::Cut(nodes) => each(nodes, &|n| self.kubelets.cut(n, true)),
            Do::Heal(nodes) => each(nodes, &|n| self.kubelets.cut(n, false)),
            Do::Isolate(nodes) => each(nodes, &|n| {
                self.api.record_node(Actor::User, n, What::NetworkLost);
            }),
            Do::Reconnect(nodes) => each(nodes, &|n| {
                self.api.record_node(Actor::User, n, What::NetworkBack);
            }),
            Do::Crash(nodes) => each(nodes, &|n| self.switch_off(n, OffBy::Fault)),
            Do::Boot(nodes) => each(nodes, &|n| self.switch_on(n, OffBy::Fault)),
            Do::HeartbeatPeriod(nodes, period) => {
                each(nodes, &|n| self.kubelets.set_heartbeat_period(n, *period))
            }
            Do::Condition(nodes, kind, status) => {
                each(nodes, &|n| self.kubelets.set_condition(n, *kind, *status))
            }
            Do::ClockSkew(nodes, skew) => each(nodes, &|n| self.kubelets.set_skew(n, *skew)),
            Do::ApiDown => self.api.set_down(true),
            Do::ApiUp => self.api.set_down(false),
            Do::WatchLag(r, lag) => self.lags.set_lag(resource(*r), *lag),
            Do::StallWatches(r, d) => self
                .lags
                .stall(resource(*r), self.ctx.now().saturating_add(*d)),
            Do::RestartControllers(downtime) => {
                self.down_until.set(
                    self.down_until
                        .get()
                        .max(self.ctx.now().saturating_add(*downtime)),
                );
                self.api
                    .record(Actor::User, action.entry, What::ControllersStopped);
                self.stop_controllers();
            }
            Do::Over => {}
            Do::AddNode(node) => {
                if !self.join(*node) {
                    let name = self
                        .api
                        .names(|n| n.node_name(self.node_id(*node)).to_owned());
                    self.refuse(action.entry, &format!("nodes \"{name}\" already exists"));
                }
            }
            Do::DeleteNode(nodes) => each(nodes, &|n| {
                self.kubelets.leave(n);
                self.off.with(|o| o.forget(n));
                // A node that is gone already can't be deleted again; nothing follows from that.
                let _ = self.api.delete_node(Actor::User, n);
                let _ = self.api.delete_lease(n);
            }),
            Do::Taint(nodes, edit) => each(nodes, &|n| self.taint(action.entry, n, edit)),
            Do::Cordon(nodes, value) => each(nodes, &|n| {
                let _ = self
                    .api
                    .mutate_node(Actor::User, n, |n| n.unschedulable = *value);
            }),
            Do::Label(nodes, labels) => each(nodes, &|n| {
                let _ = self.api.mutate_node(Actor::User, n, |n| {
                    let mut all = (*n.labels).clone();
                    for (key, value) in labels {
                        match value {
                            Some(v) => all.insert(key.clone(), v.clone()),
                            None => all.remove(key),
                        };
                    }
                    n.labels = Rc::new(all);
                });
            }),
            Do::CreatePod(pod) => {
                let result = self.create_late_pod(*pod);
                self.told_of_pod(action.entry, self.pod_ids[*pod as usize], result);
            }
            Do::DeletePod(pod, grace) => {
                let id = self.pod_ids[*pod as usize];
                let result = self.api.delete_pod(Actor::User, id, *grace, None);
                self.told_of_pod(action.entry, id, result);
            }
            Do::BindPod(pod, node) => {
                let id = self.pod_ids[*pod as usize];
                let result = self
                    .api
                    .bind_pod(Actor::User, id, None, self.node_id(*node));
                self.told_of_pod(action.entry, id, result.map(|_| ()));
            }
            Do::Instance(nodes, instance) => each(nodes, &|n| self.provider.set(n, *instance)),
            Do::Drain(nodes, options) => self.drain(action.entry, nodes, options),
            Do::Scale(workload, replicas) => self.scale(action.entry, *workload, *replicas),
            Do::CreateWorkload(workload) => {
                let result = self.create_workload(*workload);
                self.told_of_workload(action.entry, *workload, result);
            }
            Do::DeleteWorkload(workload) => self.delete_workload(action.entry, *workload),
            Do::CreateBudget(budget) => {
                self.told_of_budget(action.entry, *budget, self.create_budget(*budget))
            }
            Do::PatchBudget(budget, rule) => {
                let result = self
                    .api
                    .set_budget_rule(Actor::User, self.budget_id(*budget), *rule);
                self.told_of_budget(action.entry, *budget, result.map(|_| ()));
            }
            Do::DeleteBudget(budget) => {
                let result = self.api.delete_budget(Actor::User, self.budget_id(*budget));
                self.told_of_budget(action.entry, *budget, result);
            }
            Do::Maintain(nodes, how) => self.maintain(action.entry, nodes, how),
            Do::PatchTolerations(pod, tolerations) => {
                self.patch_tolerations(action.entry, self.pod_ids[*pod as usize], tolerations)
            }
        }
    }

    /// What an action touches beside the store, for searches.
    fn declare(&self, act: &Do) {
        let family = match act {
            Do::WatchLag(..) | Do::StallWatches(..) => "watch-lags",
            Do::ApiDown | Do::ApiUp => "api-server-down",
            Do::Cut(_)
            | Do::Heal(_)
            | Do::Crash(_)
            | Do::Boot(_)
            | Do::HeartbeatPeriod(..)
            | Do::Condition(..)
            | Do::ClockSkew(..)
            | Do::AddNode(_)
            | Do::DeleteNode(_) => "kubelets",
            _ => return,
        };
        self.ctx.writes(self.ctx.keys(family).of(0));
    }

    fn taint(&self, entry: u32, id: NodeId, edit: &TaintEdit) {
        let Some(node) = self.api.node(id) else {
            return;
        };
        let taints = match self.plan.timing.user {
            UserMode::Raw => edit.apply_raw(&node.taints),
            UserMode::Kubectl => {
                let name = self.api.names(|n| n.node_name(id).to_owned());
                match edit.apply(&node.taints, &name) {
                    Ok((taints, _)) => taints,
                    Err(text) => return self.refuse(entry, &text),
                }
            }
        };
        let _ = self.api.patch_node_taints(Actor::User, id, None, taints);
    }

    /// Replaces a pod's tolerations. For people the API server's rule holds that those that are
    /// there stay, but for their seconds: what is given changes the seconds of those it equals, and
    /// the rest is added.
    fn patch_tolerations(&self, entry: u32, id: PodId, tolerations: &[Toleration]) {
        let mut wanted = tolerations.to_vec();
        if self.plan.timing.user == UserMode::Kubectl
            && let Some(pod) = self.api.pod(id)
        {
            let old = &pod.template.tolerations;
            wanted.clone_from(old);
            for t in tolerations {
                let same = |o: &&mut Toleration| {
                    (&o.key, o.operator, &o.value, o.effect)
                        == (&t.key, t.operator, &t.value, t.effect)
                };
                match wanted.iter_mut().find(same) {
                    Some(o) => o.toleration_seconds = t.toleration_seconds,
                    None => wanted.push(t.clone()),
                }
            }
            let operators = self.plan.profile.taint_eviction.comparison_operators;
            if let Some(error) =
                validate_toleration_update(&wanted, old, "spec.tolerations", operators).first()
            {
                let name = self.short_name(id);
                return self.refuse(entry, &format!("The Pod \"{name}\" is invalid: {error}"));
            }
        }
        let result = self.api.set_tolerations(Actor::User, id, wanted);
        self.told_of_pod(entry, id, result.map(|_| ()));
    }

    fn scale(&self, entry: u32, index: WorkloadIndex, wanted: i32) {
        let write = |id| {
            self.api
                .mutate_workload(Actor::User, id, |w| match &mut w.spec {
                    WorkloadSpec::Deployment { replicas }
                    | WorkloadSpec::ReplicaSet { replicas }
                    | WorkloadSpec::StatefulSet { replicas, .. } => {
                        *replicas = wanted;
                    }
                    WorkloadSpec::DaemonSet | WorkloadSpec::Job(_) => {}
                })
        };
        let result = self
            .workload_id(index)
            .ok_or(ApiError::NotFound)
            .and_then(write);
        self.told_of_workload(entry, index, result.map(|_| ()));
    }

    /// Deletes a workload, and what it owns with it: the garbage collector's delay is some
    /// milliseconds, and left out.
    fn delete_workload(&self, entry: u32, index: WorkloadIndex) {
        let found = self.workload_id(index).and_then(|id| self.api.workload(id));
        let Some(workload) = found else {
            return self.told_of_workload(entry, index, Err(ApiError::NotFound));
        };
        let cause = self.ctx.cause();
        let own = (workload.id, workload.uid);
        let mut owners = vec![own];
        owners.extend(
            self.api
                .workloads()
                .iter()
                .filter(|w| w.owner == Some(own))
                .map(|w| (w.id, w.uid)),
        );
        for (id, _) in &owners {
            self.ctx.set_cause(cause);
            // It was there a moment ago.
            let _ = self.api.delete_workload(Actor::User, *id);
        }
        for pod in self
            .api
            .pods()
            .iter()
            .filter(|p| p.controller().is_some_and(|c| owners.contains(&c)))
        {
            self.ctx.set_cause(cause);
            let _ = self
                .api
                .delete_pod(Actor::User, pod.id, None, Some(pod.uid));
        }
    }

    /// What kubectl prints of a write to a workload that the API server refused.
    fn told_of_workload(&self, entry: u32, index: WorkloadIndex, result: Result<(), ApiError>) {
        let Err(error) = result else { return };
        if self.plan.timing.user != UserMode::Kubectl {
            return;
        }
        let plan = &self.plan.workloads[index as usize];
        let resource = match plan.kind {
            WorkloadKind::Deployment => "deployments.apps",
            WorkloadKind::ReplicaSet => "replicasets.apps",
            WorkloadKind::StatefulSet => "statefulsets.apps",
            WorkloadKind::DaemonSet => "daemonsets.apps",
            WorkloadKind::Job => "jobs.batch",
        };
        let name = short_name(&plan.name);
        match error {
            ApiError::AlreadyExists => self.refuse(
                entry,
                &format!("Error from server (AlreadyExists): {resource} \"{name}\" already exists"),
            ),
            _ => self.refuse(
                entry,
                &format!("Error from server (NotFound): {resource} \"{name}\" not found"),
            ),
        }
    }

    /// What kubectl prints of a write to a disruption budget that the API server refused.
    fn told_of_budget(&self, entry: u32, index: BudgetIndex, result: Result<(), ApiError>) {
        let Err(error) = result else { return };
        if self.plan.timing.user != UserMode::Kubectl {
            return;
        }
        let name = short_name(&self.plan.budgets[index as usize].name);
        let (reason, what) = if error == ApiError::AlreadyExists {
            ("AlreadyExists", "already exists")
        } else {
            ("NotFound", "not found")
        };
        self.refuse(
            entry,
            &format!("Error from server ({reason}): poddisruptionbudgets.policy \"{name}\" {what}"),
        );
    }

    /// A pod's name without its namespace.
    fn short_name(&self, id: PodId) -> String {
        self.api.names(|n| short_name(n.pod_name(id)).to_owned())
    }

    /// What kubectl prints of a write to a pod that the API server refused.
    fn told_of_pod(&self, entry: u32, id: PodId, result: Result<(), ApiError>) {
        if self.plan.timing.user != UserMode::Kubectl {
            return;
        }
        let name = self.short_name(id);
        match result {
            Ok(()) => {}
            Err(ApiError::NotFound) => self.refuse(
                entry,
                &format!("Error from server (NotFound): pods \"{name}\" not found"),
            ),
            Err(ApiError::AlreadyExists) => {
                self.refuse(
                    entry,
                    &format!("Error from server (AlreadyExists): pods \"{name}\" already exists"),
                );
            }
            Err(error @ ApiError::NotWhitelisted) => {
                self.refuse(entry, &format!("Error from server: {error}"))
            }
            Err(_) => self.refuse(
                entry,
                &format!("Error from server (Conflict): pod \"{name}\" is bound or being deleted"),
            ),
        }
    }

    /// Records what kubectl refused; the run goes on.
    pub(super) fn refuse(&self, entry: u32, text: &str) {
        let text = self.api.names(|n| n.text(text));
        self.api.record(Actor::User, entry, What::Refused(text.0));
    }
}
