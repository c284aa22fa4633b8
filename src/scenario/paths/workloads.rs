//! Paths into workloads: `workloads.web.replicas`,
//! `workloads.web.template.tolerations[unreachable].tolerationSeconds`.

use super::read::{Segment, names_of};
use super::tolerations::toleration_seconds;
use super::values::{boolean, int32, integer, word};
use crate::language::Problem;
use crate::language::text::did_you_mean_or_list;
use crate::language::text::place::{Place, at};
use crate::language::{
    Controllers, FlagValue, PodManagementPolicy, PodReplacementPolicy, QuantityText, Workload,
};

/// The fields of a workload's own that can be set.
pub(super) fn fields(workload: &Workload) -> &'static [&'static str] {
    match workload {
        Workload::Deployment(_) | Workload::ReplicaSet(_) => {
            &["replicas", "minReadySeconds", "needs"]
        }
        Workload::StatefulSet(_) => &[
            "replicas",
            "minReadySeconds",
            "needs",
            "podManagementPolicy",
        ],
        Workload::DaemonSet(_) => &["minReadySeconds", "needs"],
        Workload::Job(_) => &[
            "parallelism",
            "completions",
            "backoffLimit",
            "needs",
            "podReplacementPolicy",
        ],
    }
}

/// The steps from the workload to the field that was set; nothing if there is no such field.
pub(super) fn field(
    workload: &mut Workload,
    path: &[Segment],
    value: &str,
) -> Result<Option<Place>, Problem> {
    let own = fields(workload);
    let group = workload.group_mut();
    if let [
        Segment {
            name: template,
            index: None,
        },
        Segment {
            name,
            index: Some(key),
        },
        Segment {
            name: field,
            index: None,
        },
    ] = path
        && (template.as_str(), name.as_str(), field.as_str())
            == ("template", "tolerations", "tolerationSeconds")
    {
        let steps = toleration_seconds(&mut group.template.tolerations, key, value)?;
        return Ok(Some([at!["template"], steps].concat()));
    }
    let steps = match names_of(path).as_slice() {
        [name] if own.contains(name) => {
            match *name {
                "replicas" => group.replicas = Some(int32(value)?),
                "minReadySeconds" => group.min_ready_seconds = Some(int32(value)?),
                "needs" => group.needs = Some(FlagValue::Text(value.to_owned())),
                "parallelism" => group.parallelism = Some(int32(value)?),
                "completions" => group.completions = Some(int32(value)?),
                "backoffLimit" => group.backoff_limit = Some(int32(value)?),
                "podManagementPolicy" => {
                    let words = [
                        ("OrderedReady", PodManagementPolicy::OrderedReady),
                        ("Parallel", PodManagementPolicy::Parallel),
                    ];
                    group.pod_management_policy = Some(word(value, &words)?);
                }
                "podReplacementPolicy" => {
                    let failed = ("Failed", PodReplacementPolicy::Failed);
                    let words = [
                        (
                            "TerminatingOrFailed",
                            PodReplacementPolicy::TerminatingOrFailed,
                        ),
                        failed,
                    ];
                    group.pod_replacement_policy = Some(word(value, &words)?);
                }
                _ => return Ok(None),
            }
            at![*name]
        }
        ["template", "terminationGracePeriodSeconds"] => {
            group.template.termination_grace_period_seconds = Some(integer(value)?);
            at!["template", "terminationGracePeriodSeconds"]
        }
        ["template", "priority"] => {
            group.template.priority = Some(int32(value)?);
            at!["template", "priority"]
        }
        ["template", "priorityClassName"] => {
            group.template.priority_class_name = Some(value.to_owned());
            at!["template", "priorityClassName"]
        }
        ["template", "labels", key] => {
            group
                .template
                .labels
                .insert((*key).to_owned(), value.to_owned());
            at!["template", "labels", *key]
        }
        ["template", "requests", resource] => {
            group
                .template
                .requests
                .insert((*resource).to_owned(), QuantityText::from(value));
            at!["template", "requests", *resource]
        }
        _ => return Ok(None),
    };
    Ok(Some(steps))
}

/// The controllers that can be switched off.
pub(super) const CONTROLLERS: [&str; 8] = [
    "pod_gc",
    "deployment",
    "replica_set",
    "stateful_set",
    "daemon_set",
    "job",
    "disruption",
    "scheduler",
];

/// Switches a controller on or off.
pub(super) fn controller(
    controllers: &mut Controllers,
    name: &str,
    value: &str,
) -> Result<(), Problem> {
    let field = match name {
        "pod_gc" => &mut controllers.pod_gc,
        "deployment" => &mut controllers.deployment,
        "replica_set" => &mut controllers.replica_set,
        "stateful_set" => &mut controllers.stateful_set,
        "daemon_set" => &mut controllers.daemon_set,
        "job" => &mut controllers.job,
        "disruption" => &mut controllers.disruption,
        "scheduler" => &mut controllers.scheduler,
        _ => {
            let problem = Problem::new(format!(
                "`{name}` is not a controller that can be switched off"
            ));
            return Err(problem.maybe_help(did_you_mean_or_list(name, &CONTROLLERS)));
        }
    };
    *field = Some(boolean(value)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::super::{known_paths, set};
    use std::path::Path;

    #[test]
    fn paths_of_workloads() {
        let text = "(version: 1, horizon: \"1m\", workloads: [Deployment(name: \"web\", replicas: 3), StatefulSet(names: \"db-{0..1}\"), Job(name: \"sum\")])";
        let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new(""))
            .unwrap()
            .spec;
        for path in known_paths(&spec) {
            let problem = set(&mut spec, &format!("{path}=?"))
                .err()
                .map(|p| p.message)
                .unwrap_or_default();
            assert!(!problem.contains("is not a path"), "{problem}");
        }
        for text in [
            "workloads.web.replicas=7",
            "workloads.*.template.tolerations[unreachable].tolerationSeconds=60",
            "workloads[1].podManagementPolicy=parallel",
            "workloads.db.template.requests.cpu=2",
            "controllers.pod_gc=false",
        ] {
            assert!(set(&mut spec, text).is_ok(), "{text}");
        }
        let group = |i: usize| spec.workloads[i].group().clone();
        assert_eq!(
            (group(0).replicas, spec.controllers.pod_gc),
            (Some(7), Some(false))
        );
        assert_eq!(
            group(1).pod_management_policy,
            Some(crate::language::PodManagementPolicy::Parallel)
        );
        assert!((0..3).all(|i| group(i).template.tolerations[0].toleration_seconds == Some(60)));
        assert_eq!(group(1).template.requests["cpu"].as_str(), "2");
        let problem = |text: &str, spec: &mut _| set(spec, text).unwrap_err().to_string();
        assert_eq!(
            problem("workloads.sum.replicas=2", &mut spec),
            "`workloads.sum.replicas` is not a path that can be set\n  help: did you mean `workloads.web.replicas`?"
        );
        assert_eq!(
            problem("workloads.wbe.replicas=2", &mut spec),
            "there is no workload `wbe`\n  help: did you mean `web`?"
        );
        assert_eq!(
            problem("workloads.db.podManagementPolicy=paralel", &mut spec),
            "`paralel` is none of the values of this field\n  help: did you mean `Parallel`?"
        );
        assert_eq!(
            problem("controllers.podgc=false", &mut spec),
            "`podgc` is not a controller that can be switched off\n  help: did you mean `pod_gc`?"
        );
    }
}
