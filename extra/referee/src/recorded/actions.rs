//! The actions of a recorded scenario (`extra/recorder/source/actions.go`).

use super::builder::Builder;
use super::format::{ActionSpec, DrainSpec, PodSpec};
use super::objects::{device_taint, pod_name, rule, taint_edit, tolerations};
use super::plan_error::{PlanError, invalid};
use taintsim::api::meta::ConditionStatus;
use taintsim::api::node::NodeConditionType;
use taintsim::api::workload::Propagation;
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{
    Action, Clients, Connections, DeviceTaintEdit, Do, DrainOptions, IfNotDrained, Instance,
    Maintenance, NewRule, NodeFault, NodeIndex, NodeStart, Phase, PodStart, Resource,
    TimelineEntry, WatchCache,
};
use taintsim::trace::Actor;

/// The shortest time that a maintenance has a machine off.
const SHORTEST_OFF: Dur = Dur::from_secs(1);

impl Builder {
    /// The nodes of an action whose write finds no node where there is none, and so does nothing.
    fn known_nodes(&self, a: &ActionSpec) -> Vec<NodeIndex> {
        a.node_names().filter_map(|n| self.node_names.get(n).copied()).collect()
    }

    /// The nodes of an action that needs their kubelets.
    fn kubelets(&self, a: &ActionSpec) -> Result<Vec<NodeIndex>, PlanError> {
        let of = |n| {
            self.node_names.get(n).copied().ok_or_else(|| {
                invalid(format!("{:?} names the node {n:?}, which is not there", a.act))
            })
        };
        a.node_names().map(of).collect()
    }

    /// What becomes of the connections of kubelets that are cut off; imitated ones have none.
    fn connections(&self) -> Connections {
        if self.upstream { Connections::Refused } else { Connections::Dropped }
    }

    /// What an action does with its pod; nothing if there is none.
    fn pod_action(&mut self, a: &ActionSpec) -> Result<Option<Do>, PlanError> {
        let pod = match self.pod_names.get(&pod_name(&a.namespace, &a.pod)) {
            Some(&pod) => pod,
            // It may be a pod of a workload.
            None if !self.workloads.is_empty() && !a.pod.is_empty() => {
                let named = PodSpec {
                    name: a.pod.clone(),
                    namespace: a.namespace.clone(),
                    ..PodSpec::default()
                };
                self.pod(&named, PodStart::Absent)?
            }
            // The API server answers "not found" for a pod that never existed, and nothing
            // happens.
            None => return Ok(None),
        };
        Ok(Some(match a.act.as_str() {
            "delete-pod" => Do::DeletePod(pod, a.grace.map(|g| g.clamp(0, i64::from(i32::MAX)))),
            "bind-pod" => Do::BindPod(pod, self.node_of_pod(&a.node)?),
            _ => Do::PatchTolerations(pod, tolerations(&a.tolerations)?),
        }))
    }

    /// What an action does with nodes; nothing if it is about something else.
    fn node_action(&mut self, a: &ActionSpec) -> Result<Option<Do>, PlanError> {
        Ok(Some(match a.act.as_str() {
            "cut" => Do::Fail(self.kubelets(a)?, NodeFault::Cut(self.connections())),
            "heal" => Do::Recover(self.kubelets(a)?, NodeFault::Cut(Connections::Dropped)),
            "crash" => Do::Fail(self.kubelets(a)?, NodeFault::Off),
            "boot" => Do::Recover(self.kubelets(a)?, NodeFault::Off),
            "taint" | "untaint" => {
                let mut edit = taint_edit(&a.taint, a.act == "untaint")?;
                if !a.untaint.is_empty() {
                    edit.remove.extend(taint_edit(&a.untaint, true)?.remove);
                }
                Do::Taint(self.known_nodes(a), edit)
            }
            "cordon" | "uncordon" => Do::Cordon(self.known_nodes(a), a.act == "cordon"),
            "label-node" => Do::Label(self.known_nodes(a), a.labels.clone().into_iter().collect()),
            "condition" => {
                let kind = NodeConditionType::parse(&a.kind).ok_or_else(|| {
                    PlanError::NotModelled(vec![format!("the node condition {:?}", a.kind)])
                })?;
                let status = ConditionStatus::parse(&a.status).ok_or_else(|| {
                    invalid(format!("{:?} is no status of a condition", a.status))
                })?;
                Do::Fail(self.kubelets(a)?, NodeFault::Condition(kind, status))
            }
            "create-node" => {
                let spec = a.spec.as_ref().ok_or_else(|| invalid("create-node has no \"spec\""))?;
                if spec.clock_offset.0 != 0 {
                    let what = "a node that joins with a clock that is off";
                    return Err(PlanError::NotModelled(vec![what.to_owned()]));
                }
                Do::AddNode(self.node(spec, NodeStart::Absent)?)
            }
            "delete-node" => Do::DeleteNode(self.kubelets(a)?),
            "restart-kubelet" if self.upstream => Do::Fail(self.kubelets(a)?, NodeFault::NoKubelet),
            "clock" => Do::Fail(self.kubelets(a)?, NodeFault::ClockSkew(a.ahead.0)),
            "slow-heartbeats" if self.upstream => {
                let what = "kubelets of upstream's own whose heartbeats are slow";
                return Err(PlanError::NotModelled(vec![what.to_owned()]));
            }
            "slow-heartbeats" => {
                let act = if a.period.0.is_zero() { Do::Recover } else { Do::Fail };
                act(self.kubelets(a)?, NodeFault::SlowHeartbeats(a.period.0))
            }
            "drain" => Do::Drain(self.kubelets(a)?, drain_options(&a.drain)),
            "maintain" => Do::Maintain(self.kubelets(a)?, Box::new(maintenance(a)?)),
            "taint-device" | "untaint-device" => {
                let spec = a.device_taint.as_ref();
                let spec =
                    spec.ok_or_else(|| invalid(format!("{:?} has no \"device_taint\"", a.act)))?;
                let (selector, taint, _) = device_taint(spec)?;
                let adds = a.act == "taint-device";
                let edit = DeviceTaintEdit { selector, taint, adds };
                Do::TaintDevices(self.known_nodes(a), Box::new(edit))
            }
            "instance" => Do::Instance(self.kubelets(a)?, instance(&a.state)?),
            _ => return Ok(None),
        }))
    }

    /// What an action does that is not about nodes; nothing where nothing comes of it.
    fn other_action(&mut self, a: &ActionSpec) -> Result<Option<Do>, PlanError> {
        Ok(Some(match a.act.as_str() {
            "create-pod" => {
                let spec =
                    a.pod_spec.as_ref().ok_or_else(|| invalid("create-pod has no \"pod_spec\""))?;
                Do::CreatePod(self.pod(spec, PodStart::Absent)?)
            }
            "delete-pod" | "bind-pod" | "patch-pod-tolerations" => return self.pod_action(a),
            "scale" | "create-workload" | "delete-workload" => self.workload_action(a)?,
            "create-budget" | "change-budget" | "delete-budget" => self.budget_action(a)?,
            "create-device-rule" | "update-device-rule" | "delete-device-rule" => {
                let spec = a.rule.as_ref();
                let spec = spec.ok_or_else(|| invalid(format!("{:?} has no \"rule\"", a.act)))?;
                if a.act == "delete-device-rule" {
                    return Ok(Some(Do::DeleteDeviceTaintRule(spec.name.clone())));
                }
                let (selector, taint, previews) = device_taint(spec)?;
                let name = spec.name.clone();
                let rule = Box::new(NewRule { name, selector, taint, previews });
                match a.act.as_str() {
                    "create-device-rule" => Do::CreateDeviceTaintRule(rule),
                    _ => Do::UpdateDeviceTaintRule(rule),
                }
            }
            "restart-controllers" => Do::RestartControllers(a.downtime.0),
            // Nobody among the modelled controllers acts on other watches.
            "stall-watches" => {
                return Ok(watched(&a.resource).map(|r| Do::StallWatches(r, a.downtime.0)));
            }
            "lag-watches" => {
                return Ok(watched(&a.resource).map(|r| Do::WatchLag(r, a.lag.0)));
            }
            "api-outage" => Do::ApiDown,
            "lose-watches" if a.resource.is_empty() => Do::LoseWatches(None),
            "lose-watches" => {
                return Ok(watched(&a.resource).map(|r| Do::LoseWatches(Some(r))));
            }
            "reject" => Do::RejectRequests(self.rejected(&a.actor)?, a.downtime.0),
            "expire-watches" if a.resource.is_empty() => Do::ExpireWatches(None),
            "expire-watches" => {
                return Ok(watched(&a.resource).map(|r| Do::ExpireWatches(Some(r))));
            }
            "evict-pod" | "patch-pod-finalizers" => {
                let what = format!("the action {:?}", a.act);
                return Err(PlanError::NotModelled(vec![what]));
            }
            other => return Err(invalid(format!("the recorder knows no action {other:?}"))),
        }))
    }

    /// Whose requests are rejected.
    fn rejected(&self, actor: &str) -> Result<Clients, PlanError> {
        let kubelets = self.upstream && ["", "kubelet"].contains(&actor);
        if kubelets {
            let what = "requests of upstream's kubelets that are rejected";
            return Err(PlanError::NotModelled(vec![what.to_owned()]));
        }
        if actor.is_empty() {
            return Ok(Clients::All);
        }
        // Who is not there makes no requests.
        let of = Actor::ALL.into_iter().filter(|a| a.as_str() == actor);
        Ok(Clients::Of(of.collect()))
    }

    /// What an action does with a workload.
    fn workload_action(&mut self, a: &ActionSpec) -> Result<Do, PlanError> {
        if a.act == "scale" {
            return Ok(Do::Scale(self.workload_named(&a.namespace, &a.workload)?, a.replicas));
        }
        if a.act == "delete-workload" {
            let how = match a.propagation.as_str() {
                "" => Some(Propagation::Background),
                text => Propagation::parse(text),
            };
            let how =
                how.ok_or_else(|| invalid(format!("there is no propagation {:?}", a.propagation)))?;
            return Ok(Do::DeleteWorkload(self.workload_named(&a.namespace, &a.workload)?, how));
        }
        let spec = a.workload_spec.as_ref();
        let spec = spec.ok_or_else(|| invalid("create-workload has no \"workload_spec\""))?;
        Ok(Do::CreateWorkload(self.workload(spec)?))
    }

    /// What an action does with a disruption budget.
    fn budget_action(&mut self, a: &ActionSpec) -> Result<Do, PlanError> {
        let spec = a.budget.as_ref();
        let spec = spec.ok_or_else(|| invalid(format!("{:?} has no \"budget\"", a.act)))?;
        Ok(match a.act.as_str() {
            "create-budget" => Do::CreateBudget(self.budget(spec)?),
            "change-budget" => Do::PatchBudget(self.budget_named(spec)?, rule(spec)?),
            _ => Do::DeleteBudget(self.budget_named(spec)?),
        })
    }

    /// An action at that time.
    pub(super) fn action(&mut self, at: Time, a: &ActionSpec) -> Result<(), PlanError> {
        let of_nodes = self.node_action(a)?;
        let act = match of_nodes {
            Some(act) => act,
            None => match self.other_action(a)? {
                Some(act) => act,
                None => return Ok(()),
            },
        };
        let end = match &act {
            Do::ApiDown => Some(Do::ApiUp(match a.watch_cache.as_str() {
                "lost" => WatchCache::Lost,
                _ => WatchCache::Kept,
            })),
            Do::Fail(nodes, fault @ NodeFault::NoKubelet) => {
                Some(Do::Recover(nodes.clone(), *fault))
            }
            _ => None,
        };
        let lasts = end.is_some() || matches!(act, Do::StallWatches(..) | Do::RejectRequests(..));
        let ends = at.checked_add(a.downtime.0).filter(|_| lasts);
        let entry = self.timeline.len() as u32;
        self.timeline.push(TimelineEntry {
            at,
            name: entry_name(a),
            ends,
            is_fault: matches!(a.act.as_str(), "cut" | "api-outage" | "restart-kubelet"),
        });
        self.actions.push(Action { at, entry, phase: Phase::Begin, act });
        self.actions.extend(ends.zip(end).map(|(at, act)| Action {
            at,
            entry,
            phase: Phase::End,
            act,
        }));
        Ok(())
    }
}

/// The flags of a drain, as the recorder sets them (`drain.go`).
fn drain_options(d: &DrainSpec) -> DrainOptions {
    DrainOptions {
        force: d.force,
        ignore_daemonsets: d.ignore_daemonsets.unwrap_or(true),
        delete_emptydir_data: d.delete_emptydir_data.unwrap_or(true),
        disable_eviction: d.disable_eviction,
        grace_period: d.grace_period.filter(|&g| g >= 0),
        timeout: (!d.timeout.0.is_zero()).then_some(d.timeout.0),
        skip_wait_for_delete_timeout: (d.skip_wait_for_delete_timeout > 0)
            .then(|| Dur::from_secs(u64::from(d.skip_wait_for_delete_timeout))),
    }
}

/// A rolling maintenance (`maintenance.go`).
fn maintenance(a: &ActionSpec) -> Result<Maintenance, PlanError> {
    let if_not_drained = match &*a.if_not_drained {
        "" | "stop" => IfNotDrained::Stop,
        "skip" => IfNotDrained::Skip,
        "go-on" => IfNotDrained::GoOn,
        other => {
            return Err(invalid(format!(
                "a maintenance stops, skips a node or goes on (go-on), not {other:?}"
            )));
        }
    };
    if a.off.0 < SHORTEST_OFF {
        return Err(invalid(format!("a maintenance has machines off for {SHORTEST_OFF} at least")));
    }
    Ok(Maintenance {
        at_a_time: a.at_a_time.max(1),
        drain: drain_options(&a.drain),
        off: a.off.0,
        uncordon: a.uncordon.unwrap_or(true),
        if_not_drained,
    })
}

/// What the provider says of an instance (`cloud.go`).
fn instance(state: &str) -> Result<Instance, PlanError> {
    Ok(match state {
        "running" => Instance::Running,
        "shut-down" => Instance::ShutDown,
        "gone" => Instance::Gone,
        other => {
            return Err(invalid(format!(
                "an instance is running, shut-down or gone, not {other:?}"
            )));
        }
    })
}

/// The objects of a watch that a modelled controller has.
fn watched(name: &str) -> Option<Resource> {
    Resource::ALL.into_iter().find(|r| r.as_str() == name && *r != Resource::Budgets)
}

/// What an action does in a few words, for people.
fn entry_name(a: &ActionSpec) -> String {
    let of_spec =
        a.spec.as_ref().map(|s| s.name.as_str()).or(a.pod_spec.as_ref().map(|p| p.name.as_str()));
    let mut parts: Vec<&str> = vec![&a.act];
    parts.extend(a.node_names());
    parts.extend(
        [of_spec.unwrap_or_default(), &a.pod, &a.taint, &a.kind, &a.status, &a.resource, &a.actor]
            .into_iter()
            .filter(|p| !p.is_empty()),
    );
    parts.join(" ")
}
