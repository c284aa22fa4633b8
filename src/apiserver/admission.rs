//! Admission plugins (`plugin/pkg/admission/defaulttolerationseconds`, `…/nodetaint`, `…/podtolerationrestriction`,
//! `…/extendedresourcetoleration`). Priority is settled before a run. Left out: the default tolerations and whitelists that
//! PodTolerationRestriction reads from annotations of namespaces, which are not modelled.

use crate::api::pod::PodTemplate;
use crate::api::taint::{Effect, MEMORY_PRESSURE, NOT_READY, Taint, UNREACHABLE};
use crate::api::toleration::{Operator, Toleration};

/// Which plugins are on, and their flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// DefaultTolerationSeconds: seconds for not-ready and for unreachable.
    pub default_toleration_seconds: Option<(i64, i64)>,
    /// TaintNodesByCondition: a node is created with not-ready:NoSchedule.
    pub taint_nodes_by_condition: bool,
    /// PodTolerationRestriction: pods that are not BestEffort tolerate memory pressure.
    pub pod_toleration_restriction: bool,
    /// ExtendedResourceToleration: pods tolerate taints named like the extended resources they ask for.
    pub extended_resource_toleration: bool,
}

impl Admission {
    /// DefaultTolerationSeconds, on create and update of pods (`admission.go: Admit`): operator and seconds of an existing
    /// toleration of the key, or of every key, are not looked at. `None` if nothing is missing.
    pub fn default_tolerations(&self, pod: &PodTemplate) -> Option<PodTemplate> {
        let (not_ready, unreachable) = self.default_toleration_seconds?;
        let missing = |key: &str| {
            !pod.tolerations
                .iter()
                .any(|t| (t.key == key || t.key.is_empty()) && (t.effect.is_none() || t.effect == Some(Effect::NoExecute)))
        };
        let add: Vec<Toleration> = [(NOT_READY, not_ready), (UNREACHABLE, unreachable)]
            .into_iter()
            .filter(|(key, _)| missing(key))
            .map(|(key, seconds)| Toleration {
                key: key.to_owned(),
                operator: Operator::Exists,
                value: String::new(),
                effect: Some(Effect::NoExecute),
                toleration_seconds: Some(seconds),
            })
            .collect();
        if add.is_empty() {
            return None;
        }
        let mut pod = pod.clone();
        pod.tolerations.extend(add);
        Some(pod)
    }

    /// All plugins that change a pod on create, in the order of `kubeapiserver/options/plugins.go`. `None` if nothing is missing.
    pub fn new_pod(&self, pod: &PodTemplate) -> Option<PodTemplate> {
        let with_defaults = self.default_tolerations(pod);
        let so_far = with_defaults.as_ref().unwrap_or(pod);
        let mut add = Vec::new();
        if self.pod_toleration_restriction && !so_far.is_best_effort() {
            add.push(MEMORY_PRESSURE);
        }
        if self.extended_resource_toleration {
            add.extend(
                so_far.requests.iter().filter(|(name, amount)| is_extended(name) && !amount.is_zero()).map(|(name, _)| name.as_str()),
            );
        }
        let add: Vec<Toleration> = add
            .into_iter()
            .map(|key| Toleration {
                key: key.to_owned(),
                operator: Operator::Exists,
                value: String::new(),
                effect: Some(Effect::NoSchedule),
                toleration_seconds: None,
            })
            .filter(|t| !so_far.tolerations.contains(t))
            .collect();
        if add.is_empty() {
            return with_defaults;
        }
        let mut pod = so_far.clone();
        pod.tolerations.extend(add);
        Some(pod)
    }

    /// TaintNodesByCondition, on create of nodes (`admission.go: Admit`).
    pub fn taint_new_node(&self, taints: &mut Vec<Taint>) {
        let taint = Taint::new(NOT_READY, Effect::NoSchedule);
        if self.taint_nodes_by_condition && !taints.iter().any(|t| t.matches(&taint)) {
            taints.push(taint);
        }
    }
}

/// Whether a resource is none of Kubernetes' own (`pkg/apis/core/v1/helper/helpers.go: IsExtendedResourceName`).
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::quantity::Quantity;

    const ALL: Admission = Admission {
        default_toleration_seconds: Some((300, 300)),
        taint_nodes_by_condition: true,
        pod_toleration_restriction: true,
        extended_resource_toleration: true,
    };

    fn keys(requests: &[&str]) -> Vec<String> {
        let requests = requests.iter().map(|r| ((*r).to_owned(), Quantity::from_units(1))).collect();
        let pod = PodTemplate { requests, ..PodTemplate::default() };
        ALL.new_pod(&pod).expect("default tolerations are missing").tolerations.into_iter().map(|t| t.key).collect()
    }

    /// The reference, §7: memory pressure for pods of a QoS class other than BestEffort, and one toleration per extended resource,
    /// after the default ones.
    #[test]
    fn tolerations_are_added_in_the_order_of_the_plugins() {
        assert_eq!(keys(&[]), [NOT_READY, UNREACHABLE]);
        assert_eq!(keys(&["cpu"]), [NOT_READY, UNREACHABLE, MEMORY_PRESSURE]);
        assert_eq!(keys(&["nvidia.com/gpu", "hugepages-2Mi", "attachable.kubernetes.io/x"]), [NOT_READY, UNREACHABLE, "nvidia.com/gpu"]);
        let admitted = ALL.new_pod(&PodTemplate::default()).expect("default tolerations are missing");
        assert_eq!(ALL.new_pod(&admitted), None, "what is there is not added again");
    }
}
