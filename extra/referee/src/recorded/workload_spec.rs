//! What a workload's spec has beyond the recorder's own fields, as the Kubernetes API writes it:
//! read, and written.
//!
//! `k8s.io/api/apps/v1` and `batch/v1`, v1.34. What is empty is left out of what is written.

use super::plan_error::{PlanError, invalid};
use serde::{Deserialize, Serialize};
use taintsim::api::workload::{
    JobSpec, PodFailurePolicyAction, PodFailurePolicyRule, PodReplacementPolicy, WorkloadKind,
    WorkloadSpec,
};

/// The fields of all kinds together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WorkloadSpecRest {
    /// Of a StatefulSet; of the others the recorder has a field of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ready_seconds: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ordinals: Option<Ordinals>,
    /// `null` is none at all: any success completes the Job.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "null_too")]
    completions: Option<Option<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff_limit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_replacement_policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_failure_policy: Option<FailurePolicy>,
}

/// `v1.StatefulSetOrdinals`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Ordinals {
    start: i32,
}

/// `v1.PodFailurePolicy`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct FailurePolicy {
    rules: Vec<FailureRule>,
}

/// `v1.PodFailurePolicyRule`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FailureRule {
    action: String,
    on_pod_conditions: Vec<OnCondition>,
}

/// `v1.PodFailurePolicyOnPodConditionsPattern`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct OnCondition {
    r#type: String,
    status: String,
}

/// A field that is there, even if it is `null`.
fn null_too<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Option<i32>>, D::Error> {
    Option::deserialize(d).map(Some)
}

/// The policies of Jobs, as the API names them.
const ACTIONS: [(&str, PodFailurePolicyAction); 3] = [
    ("Ignore", PodFailurePolicyAction::Ignore),
    ("FailJob", PodFailurePolicyAction::FailJob),
    ("Count", PodFailurePolicyAction::Count),
];
/// The statuses of a condition, in the order in which a rule has them.
const STATUSES: [&str; 3] = ["True", "False", "Unknown"];

/// What a workload says beyond the recorder's own fields; nothing where it says nothing.
pub(super) fn rest_of(spec: &WorkloadSpec, min_ready_seconds: i32) -> Option<WorkloadSpecRest> {
    let mut rest = WorkloadSpecRest::default();
    match spec {
        WorkloadSpec::StatefulSet { first_ordinal, .. } => {
            let start = *first_ordinal;
            rest.ordinals = (start != 0).then_some(Ordinals { start });
            rest.min_ready_seconds = (min_ready_seconds != 0).then_some(min_ready_seconds);
        }
        WorkloadSpec::Job(job) => rest.say_job(job),
        _ => {}
    }
    (rest != WorkloadSpecRest::default()).then_some(rest)
}

impl WorkloadSpecRest {
    fn say_job(&mut self, job: &JobSpec) {
        if job.completions != Some(job.parallelism) {
            self.completions = Some(job.completions);
        }
        self.backoff_limit = (job.backoff_limit != 6).then_some(job.backoff_limit);
        self.pod_replacement_policy = job.pod_replacement_policy.map(|p| match p {
            PodReplacementPolicy::TerminatingOrFailed => "TerminatingOrFailed".to_owned(),
            PodReplacementPolicy::Failed => "Failed".to_owned(),
        });
        let rule = |r: &PodFailurePolicyRule| FailureRule {
            action: ACTIONS
                .iter()
                .find(|(_, a)| *a == r.action)
                .map_or("", |(name, _)| name)
                .to_owned(),
            on_pod_conditions: STATUSES
                .into_iter()
                .zip(r.statuses)
                .filter(|(_, matches)| *matches)
                .map(|(status, _)| OnCondition {
                    r#type: "DisruptionTarget".to_owned(),
                    status: status.to_owned(),
                })
                .collect(),
        };
        let rules: Vec<FailureRule> = job.pod_failure_policy.iter().map(rule).collect();
        self.pod_failure_policy = (!rules.is_empty()).then_some(FailurePolicy { rules });
    }

    /// What it makes of a workload that has the recorder's own fields.
    pub(super) fn lay(&self, kind: WorkloadKind, spec: &mut WorkloadSpec) -> Result<(), PlanError> {
        if self.min_ready_seconds.is_some() && kind != WorkloadKind::StatefulSet {
            return Err(invalid("minReadySeconds stands in `spec` for a StatefulSet alone"));
        }
        match spec {
            WorkloadSpec::StatefulSet { first_ordinal, .. } => {
                *first_ordinal = self.ordinals.as_ref().map_or(0, |o| o.start);
                Ok(())
            }
            WorkloadSpec::Job(job) => self.lay_job(job),
            _ => Ok(()),
        }
    }

    fn lay_job(&self, job: &mut JobSpec) -> Result<(), PlanError> {
        if let Some(completions) = self.completions {
            job.completions = completions;
        }
        job.backoff_limit = self.backoff_limit.unwrap_or(job.backoff_limit);
        job.pod_replacement_policy = match self.pod_replacement_policy.as_deref() {
            None => None,
            Some("TerminatingOrFailed") => Some(PodReplacementPolicy::TerminatingOrFailed),
            Some("Failed") => Some(PodReplacementPolicy::Failed),
            Some(other) => return Err(invalid(format!("{other:?} is no podReplacementPolicy"))),
        };
        let rules = self.pod_failure_policy.iter().flat_map(|p| &p.rules);
        job.pod_failure_policy = rules.map(FailureRule::read).collect::<Result<_, _>>()?;
        Ok(())
    }
}

impl FailureRule {
    fn read(&self) -> Result<PodFailurePolicyRule, PlanError> {
        let action = ACTIONS.iter().find(|(name, _)| *name == self.action);
        let &(_, action) = action.ok_or_else(|| {
            invalid(format!("{:?} is no action of a podFailurePolicy", self.action))
        })?;
        if (self.on_pod_conditions.iter()).any(|c| c.r#type != "DisruptionTarget") {
            let what = "a podFailurePolicy that looks at other conditions than DisruptionTarget";
            return Err(PlanError::NotModelled(vec![what.to_owned()]));
        }
        let matches = |status: &str| self.on_pod_conditions.iter().any(|c| c.status == status);
        Ok(PodFailurePolicyRule { action, statuses: STATUSES.map(matches) })
    }
}
