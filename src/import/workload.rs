//! From an exported workload or priority class to what a scenario says of one.
//!
//! `k8s.io/api/apps/v1`, `batch/v1` and `scheduling.k8s.io/v1`, v1.34. A Job that is under way asks
//! for the successes that are still missing, and may fail as often as it still may. Left out, with
//! a word: Jobs that are finished or suspended or that another controller manages, what ends a Job beside its
//! completions and its back-off limit, indexed Jobs, and ReplicaSets of former revisions, which have no pods.
//!
//! Namespaces: what their annotations say of their pods' tolerations
//! (`plugin/pkg/admission/podtolerationrestriction/admission.go: extractNSTolerations`).

use super::pod::tolerations;
use super::quantities::pod_requests;
use super::raw_volumes::RawClaimSpec;
use super::scheduling::scheduling;
use crate::api::labels::LabelSelector;
use crate::import::prelude::*;

raw! {
    /// The spec of any kind of workload.
    struct RawWorkloadSpec {
        replicas: Option<i32>,
        strategy: RawStrategy,
        selector: Option<RawSelector>,
        template: RawTemplate,
        min_ready_seconds: Option<i32>,
        pod_management_policy: String,
        ordinals: Option<RawOrdinals>,
        parallelism: Option<i32>,
        completions: Option<i32>,
        backoff_limit: Option<i32>,
        pod_replacement_policy: String,
        pod_failure_policy: Option<RawPodFailurePolicy>,
        suspend: bool,
        active_deadline_seconds: Option<i64>,
        completion_mode: String,
        backoff_limit_per_index: Option<i32>,
        max_failed_indexes: Option<i32>,
        success_policy: Option<Filled>,
        managed_by: String,
        volume_claim_templates: Vec<RawClaimTemplate>,
    }

    /// `apps/v1 DeploymentStrategy`
    struct RawStrategy {
        rolling_update: RawRollingUpdate,
    }

    /// `apps/v1 RollingUpdateDeployment`
    struct RawRollingUpdate {
        max_surge: Option<FlagValue>,
    }

    /// `spec.template`
    struct RawTemplate {
        metadata: RawMeta,
        spec: RawPodSpec,
    }

    /// One of `spec.volumeClaimTemplates`
    struct RawClaimTemplate {
        metadata: NameOnly,
        spec: RawClaimSpec,
    }

    /// `apps/v1 StatefulSetOrdinals`
    struct RawOrdinals {
        start: i32,
    }

    /// `batch/v1 PodFailurePolicy`
    struct RawPodFailurePolicy {
        rules: Vec<RawRule>,
    }

    /// `batch/v1 PodFailurePolicyRule`
    struct RawRule {
        action: String,
        on_pod_conditions: Vec<RawCondition>,
        on_exit_codes: Option<Filled>,
    }

    /// What is read of a workload's status: how far a Job is, and how many pods there are.
    struct RawWorkloadStatus {
        replicas: i32,
        current_number_scheduled: i32,
        active: i32,
        conditions: Vec<RawCondition>,
        succeeded: i32,
        failed: i32,
        uncounted_terminated_pods: RawUncounted,
        /// `status.startTime` of a Job
        start_time: String,
    }

    /// `batch/v1 UncountedTerminatedPods`: the uids of pods that have ended and still have their
    /// finalizer.
    struct RawUncounted {
        succeeded: Vec<String>,
        failed: Vec<String>,
    }
}

/// A Job that upstream's Job controller leaves alone.
const EXTERNALLY_MANAGED: &str = "externally managed Job";

impl RawWorkloadStatus {
    /// Whether it says that the workload has pods, of whichever kind it is.
    pub(super) fn has_pods(&self) -> bool {
        [self.replicas, self.current_number_scheduled, self.active].iter().any(|n| *n > 0)
    }

    /// How many pods of a Job succeeded and failed, those included that are about to be counted.
    pub(super) fn ended(&self) -> (i32, i32) {
        let uncounted = &self.uncounted_terminated_pods;
        let sum = |n: i32, more: &[String]| {
            n.max(0).saturating_add(i32::try_from(more.len()).unwrap_or(i32::MAX))
        };
        (sum(self.succeeded, &uncounted.succeeded), sum(self.failed, &uncounted.failed))
    }
}

/// An exported workload.
#[derive(Debug, PartialEq)]
pub(super) struct RawWorkload {
    pub(crate) kind: WorkloadKind,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) meta: RawMeta,
    pub(crate) spec: RawWorkloadSpec,
    pub(crate) status: RawWorkloadStatus,
}

/// The priority class with these fields, without its name.
pub(super) fn priority_class(fields: &Fields) -> Result<PriorityClass, Wrong> {
    let [value, global_default, policy] = CLASS_FIELDS.map(|name| fields.get(name));
    let (value, global_default) = (field(value)?, field(global_default)?);
    let never = field::<String>(policy)? == "Never";
    let preemption_policy = never.then_some(PreemptionPolicy::Never);
    Ok(PriorityClass { name: String::new(), value, global_default, preemption_policy })
}

/// A field of its type; null is the default.
fn field<T: Default + for<'de> Deserialize<'de>>(value: Option<&Value>) -> Result<T, Wrong> {
    let read = value.map_or(Ok(None), Option::<T>::deserialize);
    Ok(read.map_err(|e| Wrong(e.to_string()))?.unwrap_or_default())
}

impl RawWorkload {
    /// `Kind/namespace/name`
    pub(super) fn full_name(&self) -> String {
        format!("{}/{}/{}", self.kind.as_str(), self.namespace, self.name)
    }

    /// Whether its `managedBy` names another controller than upstream's own, which then leaves it alone
    /// (`pkg/controller/job/job_controller.go: controllerName`).
    fn is_managed_by_another(&self) -> bool {
        !["", "kubernetes.io/job-controller"].contains(&&*self.spec.managed_by)
    }

    /// The fields of a Job that end it or rule its replacements and are not modelled.
    pub(super) fn unmodelled(&self) -> impl Iterator<Item = &'static str> {
        let (s, pods) = (&self.spec, &self.spec.template.spec);
        let facts = [
            ("activeDeadlineSeconds", s.active_deadline_seconds.is_some()),
            ("activeDeadlineSeconds of the pods", pods.active_deadline_seconds.is_some()),
            ("backoffLimitPerIndex", s.backoff_limit_per_index.is_some()),
            ("completionMode Indexed", s.completion_mode == "Indexed"),
            ("managedBy", self.is_managed_by_another()),
            ("maxFailedIndexes", s.max_failed_indexes.is_some()),
            ("successPolicy", s.success_policy.is_some()),
        ];
        let goes_on = matches!(self.is_over(), None | Some(EXTERNALLY_MANAGED));
        let counts = self.kind == WorkloadKind::Job && goes_on;
        facts.into_iter().filter(move |(_, has)| *has && counts).map(|(field, _)| field)
    }

    /// Why nothing comes of it here, in words that go with its kind.
    pub(super) fn is_over(&self) -> Option<&'static str> {
        let kinds = ["Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"];
        let ended = |c: &RawCondition| kinds.iter().any(|kind| c.is(kind, "True"));
        match self.kind {
            WorkloadKind::Job if self.status.conditions.iter().any(ended) => Some("finished Job"),
            WorkloadKind::Job if self.spec.suspend => Some("suspended Job"),
            WorkloadKind::Job if self.is_managed_by_another() => Some(EXTERNALLY_MANAGED),
            WorkloadKind::ReplicaSet if self.spec.replicas == Some(0) && self.owner().is_some() => {
                Some("former ReplicaSet")
            }
            _ => None,
        }
    }

    /// What its template says of pods.
    pub(super) fn pod_spec(&self) -> &RawPodSpec {
        &self.spec.template.spec
    }

    /// The names of its `volumeClaimTemplates`, and what they say.
    pub(super) fn claim_templates(&self) -> impl Iterator<Item = (&str, &RawClaimSpec)> {
        self.spec.volume_claim_templates.iter().map(|t| (t.metadata.name.as_str(), &t.spec))
    }

    /// Whether a StatefulSet is to have a pod of this number.
    pub(super) fn wants(&self, number: i64) -> bool {
        let start = self.spec.ordinals.as_ref().map_or(0, |o| i64::from(o.start));
        (start..start + i64::from(self.spec.replicas.unwrap_or(1))).contains(&number)
    }

    /// `Deployment/namespace/name` of what it is, or belongs to.
    pub(super) fn deployment(&self) -> Option<String> {
        match self.kind {
            WorkloadKind::Deployment => Some(self.full_name()),
            _ => self.owner().map(|owner| format!("Deployment/{}/{owner}", self.namespace)),
        }
    }

    /// Tells, of a Deployment that is amid a rollout or of one of its ReplicaSets, what a run needs to know of that. What is no
    /// number counts as nothing (`pkg/controller/deployment/util/deployment_util.go: Revision`, `getIntFromAnnotation`).
    pub(super) fn tell_of_rollout(&self, group: &mut WorkloadGroup) {
        match self.kind {
            WorkloadKind::Deployment => {
                group.max_surge = self.spec.strategy.rolling_update.max_surge.clone();
            }
            _ => {
                let said = &self.meta.annotations;
                group.revision = said.revision.as_ref().and_then(|n| n.parse().ok());
                let most: Option<i32> = said.max_replicas.as_ref().and_then(|n| n.parse().ok());
                group.max_replicas = most.filter(|n| *n > 0);
            }
        }
    }

    /// The name of the Deployment that it belongs to.
    pub(super) fn owner(&self) -> Option<&str> {
        let owner = self.meta.controller()?;
        Some(&*owner.name).filter(|_| owner.kind == "Deployment")
    }

    /// The workload as a scenario has it. `known` are those of the files by `Kind/namespace/name`,
    /// `classes` the priorities of classes.
    pub(super) fn convert(
        &self,
        known: &dyn Fn(&str) -> bool,
        classes: &BTreeMap<String, i32>,
        left_out: &mut dyn FnMut(&'static str),
    ) -> Result<Workload, Wrong> {
        let s = &self.spec;
        let labels = fields::labels("spec.template.metadata.labels", &s.template.metadata.labels)?;
        let selector = match &s.selector {
            Some(raw) => Some(selector("spec.selector", raw)?),
            // The API server makes one up for a Job.
            None if self.kind == WorkloadKind::Job => (!labels.is_empty()).then(|| LabelSelector {
                match_labels: labels.clone(),
                ..LabelSelector::default()
            }),
            None => return Err(Wrong("spec.selector: Required value".to_owned())),
        };
        let job = self.kind == WorkloadKind::Job;
        let number = |field: &str, n: Option<i32>| match n {
            Some(n) if n < 0 => Err(Wrong(format!(
                "spec.{field}: Invalid value: {n}: must be greater than or equal to 0"
            ))),
            other => Ok(other),
        };
        let done = |n: Option<i32>, of: i32| n.map(|n| n.saturating_sub(of).max(0));
        let (succeeded, failed) = self.status.ended();
        let has_replicas = !matches!(self.kind, WorkloadKind::DaemonSet | WorkloadKind::Job);
        let policy = s.pod_failure_policy.as_ref().map(|p| policy(p, left_out)).transpose()?;
        let is_known = |o: &&str| known(&format!("Deployment/{}/{o}", self.namespace));
        let group = WorkloadGroup {
            name: Some(self.name.clone()),
            namespace: (self.namespace != "default").then(|| self.namespace.clone()),
            deployment: self.owner().filter(is_known).map(str::to_owned),
            replicas: number("replicas", s.replicas)?.filter(|_| has_replicas),
            selector,
            min_ready_seconds: number("minReadySeconds", s.min_ready_seconds)?
                .filter(|n| !job && *n > 0),
            pod_management_policy: (s.pod_management_policy == "Parallel")
                .then_some(language::PodManagementPolicy::Parallel),
            ordinals: s.ordinals.as_ref().map(|o| language::Ordinals { start: o.start }),
            parallelism: number("parallelism", s.parallelism)?.filter(|_| job),
            completions: done(number("completions", s.completions)?.filter(|_| job), succeeded),
            backoff_limit: done(number("backoffLimit", s.backoff_limit)?.filter(|_| job), failed),
            pod_replacement_policy: fields::shared(&s.pod_replacement_policy),
            pod_failure_policy: policy,
            template: self.template(labels, classes, left_out)?,
            ..WorkloadGroup::default()
        };
        Ok(match self.kind {
            WorkloadKind::Deployment => Workload::Deployment(group),
            WorkloadKind::ReplicaSet => Workload::ReplicaSet(group),
            WorkloadKind::StatefulSet => Workload::StatefulSet(group),
            WorkloadKind::DaemonSet => Workload::DaemonSet(group),
            WorkloadKind::Job => Workload::Job(group),
        })
    }

    fn template(
        &self,
        labels: BTreeMap<String, String>,
        classes: &BTreeMap<String, i32>,
        left_out: &mut dyn FnMut(&'static str),
    ) -> Result<language::PodTemplate, Wrong> {
        let pod = &self.spec.template.spec;
        let places = scheduling(pod, left_out)?;
        let class = pod.priority_class();
        let grace = pod.termination_grace_period_seconds.filter(|g| *g != 30);
        if class.as_ref().is_some_and(|c| !classes.contains_key(c)) {
            left_out("priorityClassName of a class that is not in the files");
        }
        Ok(language::PodTemplate {
            labels,
            tolerations: tolerations(&pod.tolerations)?,
            termination_grace_period_seconds: grace,
            node_selector: fields::labels("spec.template.spec.nodeSelector", &pod.node_selector)?,
            requests: pod_requests(pod)?,
            priority_class_name: class.filter(|c| classes.contains_key(c)),
            pod_deletion_cost: self.spec.template.metadata.annotations.deletion_cost(),
            restart_policy: (self.kind == WorkloadKind::Job && pod.restart_policy == "OnFailure")
                .then_some(RestartPolicy::OnFailure),
            ..places
        })
    }
}

/// The rules that look at DisruptionTarget; others are left out, with a word.
fn policy(
    raw: &RawPodFailurePolicy,
    left_out: &mut dyn FnMut(&'static str),
) -> Result<language::PodFailurePolicy, Wrong> {
    let mut rules = Vec::new();
    for rule in &raw.rules {
        let disruption = |c: &&RawCondition| c.r#type == "DisruptionTarget";
        if rule.action == "FailIndex" {
            left_out("podFailurePolicy: FailIndex");
            continue;
        }
        let action = fields::word("spec.podFailurePolicy.rules: action", &rule.action)?;
        let written = |c: &RawCondition| language::PodFailurePolicyOnPodConditions {
            kind: language::PodConditionKind::DisruptionTarget,
            status: fields::shared(&c.status).filter(|status| *status != ConditionStatus::True),
        };
        let of_disruption = rule.on_pod_conditions.iter().filter(disruption);
        let conditions: Vec<_> = of_disruption.map(written).collect();
        if rule.on_exit_codes.is_some() || conditions.is_empty() {
            left_out("podFailurePolicy on anything but DisruptionTarget");
            continue;
        }
        rules.push(language::PodFailurePolicyRule { action, on_pod_conditions: conditions });
    }
    Ok(language::PodFailurePolicy { rules })
}

/// What a namespace says; nothing if it has neither annotation.
pub(super) fn namespace(meta: &RawMeta) -> Result<Option<Namespace>, Wrong> {
    let name = fields::namespace("metadata.name", &meta.name)?;
    let a = &meta.annotations;
    if a.default_tolerations.is_none() && a.tolerations_whitelist.is_none() {
        return Ok(None);
    }
    Ok(Some(Namespace {
        name: Some(name.to_owned()),
        names: None,
        default_tolerations: list(a.default_tolerations.as_deref(), "defaultTolerations")?,
        tolerations_whitelist: list(a.tolerations_whitelist.as_deref(), "tolerationsWhitelist")?,
    }))
}

/// The tolerations in an annotation, a JSON list; without a value an empty one.
fn list(text: Option<&str>, annotation: &str) -> Result<Option<Vec<Toleration>>, Wrong> {
    let Some(text) = text else { return Ok(None) };
    let raw: Option<Vec<RawToleration>> = if text.is_empty() {
        None
    } else {
        serde_json::from_str(text)
            .map_err(|e| Wrong(format!("the annotation scheduler.alpha.kubernetes.io/{annotation} is no list of tolerations: {e}")))?
    };
    tolerations(&raw.unwrap_or_default()).map(Some)
}
