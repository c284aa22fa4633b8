//! The rules behind decisions, in words: flags, tolerations and switches with their values.
//!
//! Where pods come from: an entry of the scenario of their own, or the workload that people take
//! them to belong to.

use super::super::disruption::{Pace, time_per_node};
use super::super::frees::Frees;
use super::prelude::*;
use crate::api::toleration::Operator;

/// Why its controller deletes a pod of a DaemonSet, which it would not make there: the taint of its node.
pub(super) fn of_daemon_set(analysis: &Analysis<'_>, deletion: RecordId) -> Option<String> {
    let trace = analysis.trace;
    let is_taint = |r: &Record| trace.taint_change(r).is_some_and(TaintChange::adds_no_execute);
    let taint = within_life(trace, deletion).map(|(_, r)| r).find(|r| is_taint(r));
    let taint = taint.filter(|_| trace.get(deletion).is_some_and(|r| r.actor == Actor::DaemonSet));
    taint.map(|r| format!("{}, which is not tolerated", words::record(analysis, r)))
}

/// Why nothing takes the place of a Job's pod that was told to stop and ended well.
pub(super) fn of_done(plan: &Plan, job: &str) -> String {
    let is_unsaid = |w: &WorkloadPlan| w.name == job && plan.exit_code_of(w).is_none();
    let assumed = match plan.workloads.iter().any(is_unsaid) {
        true => ". That they do is assumed: `template.exit_code` says otherwise",
        false => "",
    };
    format!(
        "its containers ended with 0, so that its Job counts it as done and makes none in its place{assumed}"
    )
}

/// For what a workload waits before it makes a pod in the place of one that is deleted, and what changes that where the kubelet is
/// not heard; nothing if it does not wait.
pub(super) fn waits(plan: &Plan, workload: &str) -> Option<String> {
    let spec = plan.workloads.iter().find(|w| w.name == workload).map(|w| &w.spec);
    let until = match spec.filter(|_| plan.successors_wait(workload))? {
        WorkloadSpec::Job(job) if plan.profile.workload.job.has_failure_policy(job) => {
            "it has Failed or Succeeded, as a Job with a podFailurePolicy has it (from 1.28 on)"
        }
        WorkloadSpec::Job(_) => "it has Failed or Succeeded: podReplacementPolicy Failed",
        _ => "it is gone",
    };
    let frees = Frees::of(plan).of_workload(plan, workload);
    Some(format!("none is made in its place before {until}; {frees}"))
}

/// That the taint out-of-service of a node, as it stands then, does nothing for its pods in this release.
pub(super) fn out_of_service(now: &Follow<'_>, node: NodeId) -> Option<String> {
    let plan = now.analysis().plan;
    let is_tainted = now.taints(node).iter().any(|held| held.taint.key == OUT_OF_SERVICE);
    (is_tainted && !Frees::of(plan).out_of_service).then(|| {
        let release = &plan.profile.release;
        format!(
            ", and the taint out-of-service frees no pods here: it takes the gate NodeOutOfServiceVolumeDetach, which {release} does not have on (off in 1.24 and 1.25, on from 1.26, not there before)"
        )
    })
}

/// The grace period of nodes.
pub(super) fn grace(plan: &Plan) -> String {
    let f = &plan.flags;
    format!(
        "--node-monitor-grace-period={}: Unknown at the first pass after it, and there is a pass every --node-monitor-period={}",
        f.node_monitor_grace_period, f.node_monitor_period
    )
}

/// That a silence of that length was too short to be noticed.
pub(super) fn within_grace(plan: &Plan, silence: Dur) -> String {
    format!(
        "silent for up to {}, within --node-monitor-grace-period={} and the pass that comes after it",
        to_the_millisecond(silence),
        plan.flags.node_monitor_grace_period
    )
}

/// When a node is queued whose pods are deleted without a taint.
pub(super) fn queued_by_timeout(plan: &Plan) -> String {
    format!(
        "--pod-eviction-timeout={}: a pass queues a node that has been NotReady for longer, or is Unknown and was last heard of before that",
        short(plan.flags.pod_eviction_timeout)
    )
}

/// Why a node that turned Unknown waits a pass longer for its NoExecute taint, or does not.
pub(super) fn queued(plan: &Plan) -> String {
    if plan.profile.node_lifecycle.taint_on_observed {
        "switch node_lifecycle.taint_on_observed=true: the decision follows the condition read before the pass wrote it, so it comes a pass \
         later (up to 1.33)"
            .to_owned()
    } else {
        "switch node_lifecycle.taint_on_observed=false: the pass that turns the node Unknown queues it (from 1.34)".to_owned()
    }
}

/// The rate at which a zone's nodes are tainted.
pub(super) fn rate(plan: &Plan, state: ZoneState, before: usize) -> String {
    let f = &plan.flags;
    let (flag, rate) = match state {
        ZoneState::PartialDisruption => {
            ("--secondary-node-eviction-rate", f.secondary_node_eviction_rate)
        }
        _ => ("--node-eviction-rate", f.node_eviction_rate),
    };
    let every = time_per_node(rate).map(|every| format!(", one node of the zone every {every}"));
    let every = every.unwrap_or_default();
    match before {
        0 => format!("{flag}={rate}{every}; it was the first in its zone's queue"),
        1 => format!("{flag}={rate}{every}; one node was before it"),
        n => format!("{flag}={rate}{every}; {} nodes were before it", grouped(n as u64)),
    }
}

/// What a zone's state means; `pace` is the one that it has, where it is disrupted.
pub(super) fn zone(
    plan: &Plan,
    state: ZoneState,
    nodes: usize,
    pace: Option<Pace>,
) -> Option<String> {
    let f = &plan.flags;
    let (nobody, its, tainting) = match plan.evicts_by_timeout() {
        true => ("no pods are deleted", "its nodes lose their pods", "that"),
        false => ("nobody is tainted", "its nodes are tainted", "tainting"),
    };
    if pace == Some(Pace::Master) {
        return Some(format!("no node of any zone is Ready, and {nobody}: master disruption"));
    }
    if pace == Some(Pace::Kept) {
        let said = match state {
            ZoneState::FullDisruption => format!("no node of it is Ready, and {nobody}"),
            _ => nobody.to_owned(),
        };
        return Some(format!(
            "{said}: {tainting} was stopped before, and a rate of exactly 1 does not start it again, as the limiter that lets nothing through says that its rate is 1 (`SwapLimiter`)"
        ));
    }
    let tainted = format!("{its} at --node-eviction-rate={}", f.node_eviction_rate);
    Some(match state {
        ZoneState::FullDisruption => format!("no node of it is Ready: {tainted}"),
        ZoneState::PartialDisruption => {
            let threshold = f.unhealthy_zone_threshold;
            let large = f.large_cluster_size_threshold;
            let rate = if Pace::of(plan, state, nodes) != Some(Pace::Stopped) {
                format!(
                    "--secondary-node-eviction-rate={}, as it has more than --large-cluster-size-threshold={large} nodes",
                    f.secondary_node_eviction_rate
                )
            } else {
                format!(
                    "0, as it has no more than --large-cluster-size-threshold={large} nodes: {nobody}"
                )
            };
            format!(
                "more than two nodes and at least --unhealthy-zone-threshold={threshold} of them are not Ready; the rate is {rate}"
            )
        }
        ZoneState::Normal => tainted,
        ZoneState::Initial | ZoneState::Empty => return None,
    })
}

/// A toleration in short: `unreachable:NoExecute for 60 s`.
pub(super) fn toleration(t: &Toleration) -> String {
    let value = if t.operator == Operator::Equal { t.value.clone() } else { String::new() };
    let taint = Taint { value, ..Taint::new(&t.key, Effect::NoExecute) };
    let effect = t.effect.map_or(String::new(), |e| format!(":{e}"));
    let key = short_taint(&taint).trim_end_matches(":NoExecute").to_owned();
    let key = if t.key.is_empty() { "every taint".to_owned() } else { key };
    let time = t.toleration_seconds.map_or("ever".to_owned(), |s| format!("{s} s"));
    format!("toleration of {key}{effect} for {time}")
}

/// Pods and workloads of a plan by name, and who owns whom.
pub(super) struct Origins<'a> {
    question: Question<'a>,
    owners: Owners,
    pods: BTreeMap<&'a str, &'a PodPlan>,
    workloads: BTreeMap<&'a str, &'a WorkloadPlan>,
}

impl<'a> Origins<'a> {
    /// Those of a run, which takes a walk through its trace.
    pub(super) fn new(question: Question<'a>) -> Self {
        let plan = question.analysis.plan;
        Origins {
            question,
            owners: Owners::new(question.analysis),
            pods: plan.pods.iter().map(|p| (&*p.name, p)).rev().collect(),
            workloads: plan.workloads.iter().map(|w| (&*w.name, w)).collect(),
        }
    }

    /// The plan of a pod that the scenario names itself.
    pub(super) fn planned(&self, pod: PodId) -> Option<&'a PodPlan> {
        self.pods.get(self.question.analysis.pod_name(pod)).copied()
    }

    /// The plan of the workload that people take a pod to belong to, where the scenario declares it.
    pub(super) fn workload(&self, pod: PodId) -> Option<&'a WorkloadPlan> {
        let analysis = self.question.analysis;
        let workload = self.owners.of(analysis, pod)?;
        self.workloads.get(analysis.trace.names.workload_name(workload)).copied()
    }

    /// Why a pod has a toleration: `its own`, or by admission.
    pub(super) fn source(&self, pod: PodId, t: &Toleration) -> String {
        let plan = self.question.analysis.plan;
        let (key, value) = match t.key.as_str() {
            NOT_READY => ("not-ready", plan.flags.default_not_ready_toleration_seconds),
            UNREACHABLE => ("unreachable", plan.flags.default_unreachable_toleration_seconds),
            _ => return String::new(),
        };
        let is_added = plan.admission.default_toleration_seconds;
        let is_default = is_added && t.toleration_seconds == Some(value);
        if !is_default || self.states(pod, t) {
            return String::new();
        }
        format!(", by admission: kube-apiserver --default-{key}-toleration-seconds={value}")
    }

    /// Whether the pod's template in the scenario has that toleration itself.
    fn states(&self, pod: PodId, t: &Toleration) -> bool {
        let own = self.planned(pod).map(|p| p.template);
        let template = own.or_else(|| self.workload(pod).map(|w| w.template));
        let template = template.and_then(|i| self.question.analysis.plan.templates.get(i as usize));
        template.is_some_and(|of| of.tolerations.contains(t))
    }

    /// The path of a toleration's seconds in the scenario, and what it is set to.
    pub(super) fn seconds_path(&self, pod: PodId, key: &str, value: &str) -> Option<String> {
        let key = key.strip_prefix("node.kubernetes.io/").unwrap_or(key);
        let Question { analysis, groups, .. } = self.question;
        if key.is_empty() {
            return None;
        }
        if let Some(workload) = self.workload(pod) {
            // Those that a Deployment owns are its own affair.
            let written = analysis.plan.workloads.iter().filter(|w| w.owner.is_none());
            let name = told_apart(&workload.name, written.map(|w| w.name.as_str()));
            let template = format!("workloads.{name}.template");
            return Some(format!("{template}.tolerations[{key}].tolerationSeconds={value}"));
        }
        let name = short_name(analysis.pod_name(pod));
        let of = |group: &&String| {
            let rest = name.strip_prefix(group.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let group = groups.iter().filter(of).max_by_key(|g| g.len())?;
        Some(format!("pods.{group}.tolerations[{key}].tolerationSeconds={value}"))
    }
}
