//! Admission plugins (`plugin/pkg/admission/defaulttolerationseconds`, `…/nodetaint`).

use crate::api::pod::PodTemplate;
use crate::api::taint::{Effect, NOT_READY, Taint, UNREACHABLE};
use crate::api::toleration::{Operator, Toleration};

/// Which plugins are on, and their flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// DefaultTolerationSeconds: seconds for not-ready and for unreachable.
    pub default_toleration_seconds: Option<(i64, i64)>,
    /// TaintNodesByCondition: a node is created with not-ready:NoSchedule.
    pub taint_nodes_by_condition: bool,
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

    /// TaintNodesByCondition, on create of nodes (`admission.go: Admit`).
    pub fn taint_new_node(&self, taints: &mut Vec<Taint>) {
        let taint = Taint::new(NOT_READY, Effect::NoSchedule);
        if self.taint_nodes_by_condition && !taints.iter().any(|t| t.matches(&taint)) {
            taints.push(taint);
        }
    }
}
