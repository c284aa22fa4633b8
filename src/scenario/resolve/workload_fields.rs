//! The fields of a workload: what each kind has, and what the API accepts.

use super::prelude::*;
use crate::api::workload::{JobSpec, PodFailurePolicyRule, PodReplacementPolicy};

/// Complains about fields that the kind does not have.
pub(super) fn check_own_fields(kind: WorkloadKind, group: &WorkloadGroup, place: &Spot) {
    for (field, kinds, given) in OWN {
        if given(group) && !kinds.contains(&kind) {
            let of_template = || place.part("template");
            let place = if field == "restartPolicy" { of_template() } else { place.clone() };
            let problem = Problem::new(format!("a {} has no `{field}`", kind.as_str()));
            place.part(field).add(problem.maybe_help(instead(kind, field)));
        }
    }
}

/// What a kind has instead of a field.
fn instead(kind: WorkloadKind, field: &str) -> Option<String> {
    let text = match (kind, field) {
        (WorkloadKind::DaemonSet, "replicas") => "it has a pod on each node that suits",
        (WorkloadKind::Job, "replicas") => "it has `parallelism` and `completions`",
        (_, "restartPolicy") => "its pods are always restarted",
        _ => return None,
    };
    Some(text.to_owned())
}

/// What the workloads of a group are called.
pub(super) fn called<'a>(group: &'a WorkloadGroup, place: &'a Spot<'a>) -> GroupNames<'a> {
    GroupNames {
        name: &group.name,
        names: &group.names,
        place,
        what: "workload",
        single: "`name` is the name of one workload",
        example: "`name: \"web\"`, or `names: \"web-{0..9}\"` for several that are alike",
    }
}

/// The names of a group's workloads.
pub(super) fn names(called: &GroupNames) -> Option<Vec<String>> {
    match called.written()? {
        Names::One(name) => Some(vec![name.to_owned()]),
        Names::Several(texts) => called.expanded(texts, WORKLOADS_MAX, None),
    }
}

/// How many workloads one group may stand for.
const WORKLOADS_MAX: u64 = 200_000;

/// A number that is not negative, or the default where it is not given.
pub(super) fn at_least_zero(value: Option<i32>, default: i32, field: &str, place: &Spot) -> i32 {
    place.not_negative(field, value);
    value.filter(|n| *n >= 0).unwrap_or(default)
}

/// `needs`: a number of pods, or a share of those that it asks for.
pub(super) fn needed(value: &FlagValue, place: Spot) -> Option<IntOrPercent> {
    let text = value.to_string();
    let read = IntOrPercent::parse(&text)
        .filter(|n| !matches!(n, IntOrPercent::Percent(share) if *share > 100));
    if read.is_none() {
        let problem = Problem::new(format!("`{text}` is no number of pods"))
            .help("a number, `8`, or a share of those it asks for, `\"80%\"`");
        place.add(problem);
    }
    read
}

/// Complaints about a selector, which has to fit the template.
pub(super) fn check_selector(selector: &LabelSelector, template: &PodTemplate, place: &Spot) {
    let place = place.part("selector");
    match selector.as_selector() {
        Err(error) => place.say(error),
        Ok(selector) if selector.is_empty() => place.say("empty selector is invalid"),
        Ok(selector) if !selector.matches(&template.labels) => {
            place.say("`selector` does not match template `labels`")
        }
        Ok(_) => {}
    }
}

/// What a workload of a kind asks for.
pub(super) fn spec(kind: WorkloadKind, group: &WorkloadGroup, place: &Spot) -> WorkloadSpec {
    let number = |value, default, field| at_least_zero(value, default, field, place);
    let replicas = number(group.replicas, 1, "replicas");
    match kind {
        WorkloadKind::Deployment => {
            WorkloadSpec::Deployment { replicas, max_surge: max_surge(group, place) }
        }
        WorkloadKind::ReplicaSet => {
            let revision = group.revision.unwrap_or(1);
            let max_replicas = number(group.max_replicas, 0, "maxReplicas");
            WorkloadSpec::ReplicaSet { replicas, revision, max_replicas }
        }
        WorkloadKind::StatefulSet => WorkloadSpec::StatefulSet {
            replicas,
            parallel: group.pod_management_policy == Some(PodManagementPolicy::Parallel),
            first_ordinal: number(group.ordinals.map(|o| o.start), 0, "ordinals"),
        },
        WorkloadKind::DaemonSet => WorkloadSpec::DaemonSet,
        WorkloadKind::Job => WorkloadSpec::Job(job(group, place)),
    }
}

/// How many pods there may be beyond `replicas` amid a rollout (`pkg/apis/apps/v1/defaults.go`: 25 %).
fn max_surge(group: &WorkloadGroup, place: &Spot) -> IntOrPercent {
    let default = IntOrPercent::Percent(25);
    let Some(written) = &group.max_surge else { return default };
    place.part("maxSurge").take(checks::number_or_share(written, "25%")).unwrap_or(default)
}

/// What a Job asks for.
fn job(group: &WorkloadGroup, place: &Spot) -> JobSpec {
    let number = |value, default, field| at_least_zero(value, default, field, place);
    let parallelism = number(group.parallelism, 1, "parallelism");
    // `pkg/apis/batch/v1/defaults.go`: with neither it is one pod.
    let completions = group.completions.map(|n| number(Some(n), 1, "completions"));
    let completions = completions.or(group.parallelism.is_none().then_some(1));
    let backoff_limit = number(group.backoff_limit, 6, "backoffLimit");
    let rules = group.pod_failure_policy.iter().flat_map(|p| &p.rules);
    let on_failure = group.template.restart_policy == Some(RestartPolicy::OnFailure);
    // `pkg/apis/batch/validation/validation.go: validatePodReplacementPolicy`
    if group.pod_failure_policy.is_some()
        && group.pod_replacement_policy == Some(PodReplacementPolicy::TerminatingOrFailed)
    {
        place
            .part("podReplacementPolicy")
            .say("Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\"");
    }
    let policy = place.part("template").part("restartPolicy");
    if group.template.restart_policy == Some(RestartPolicy::Always) {
        policy.say("Unsupported value: \"Always\": supported values: \"OnFailure\", \"Never\"");
    }
    if on_failure && group.pod_failure_policy.is_some() {
        policy.say("only \"Never\" is supported when podFailurePolicy is specified");
    }
    JobSpec {
        parallelism,
        completions,
        backoff_limit,
        pod_replacement_policy: group.pod_replacement_policy,
        pod_failure_policy: rules
            .filter(|r| !r.on_pod_conditions.is_empty())
            .map(failure_rule)
            .collect(),
        restart_never: !on_failure,
    }
}

/// A rule of a Job's failure policy: any of its conditions is enough.
fn failure_rule(written: &language::PodFailurePolicyRule) -> PodFailurePolicyRule {
    let mut statuses = [false; 3];
    for condition in &written.on_pod_conditions {
        let matched = condition.status.unwrap_or(ConditionStatus::True);
        statuses[PodFailurePolicyRule::place(matched)] = true;
    }
    PodFailurePolicyRule { action: written.action, statuses }
}
