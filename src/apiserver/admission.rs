//! Admission plugins (`plugin/pkg/admission/defaulttolerationseconds`, `…/nodetaint`,
//! `…/podtolerationrestriction`, `…/extendedresourcetoleration`). Priority is settled before a run.
//! Left out: the configuration file of PodTolerationRestriction, with defaults and a whitelist for
//! the whole cluster.

use super::pod_tolerations::{merge, verify_against_whitelist};
use super::{ApiError, ApiResult};
use crate::api::taint::{Effect, MEMORY_PRESSURE, NOT_READY, UNREACHABLE};
use crate::api::toleration::Toleration;
use crate::apiserver::prelude::*;
use crate::plan::NamespaceTolerations;

/// Which plugins are on, and their flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admission {
    /// DefaultTolerationSeconds: seconds for not-ready and for unreachable.
    pub default_toleration_seconds: Option<(i64, i64)>,
    /// TaintNodesByCondition: a node is created with not-ready:NoSchedule.
    pub taint_nodes_by_condition: bool,
    /// PodTolerationRestriction: pods that are not BestEffort tolerate memory pressure, and
    /// namespaces can add tolerations and limit them.
    pub pod_toleration_restriction: bool,
    /// What namespaces say of their pods' tolerations, by their names; those that say nothing are
    /// left out.
    pub(crate) namespaces: BTreeMap<String, NamespaceTolerations>,
    /// ExtendedResourceToleration: pods tolerate taints named like the extended resources they ask
    /// for.
    pub extended_resource_toleration: bool,
    /// Validation refuses the status of a Job with more ready pods than active ones.
    pub(crate) validates_ready: bool,
}

impl Admission {
    /// DefaultTolerationSeconds, on create and update of pods (`admission.go: Admit`): operator and
    /// seconds of an existing toleration of the key, or of every key, are not looked at. `None` if
    /// nothing is missing.
    pub(crate) fn default_tolerations(&self, pod: &PodTemplate) -> Option<PodTemplate> {
        let (not_ready, unreachable) = self.default_toleration_seconds?;
        let missing = |key: &str| {
            !pod.tolerations.iter().any(|t| {
                (t.key == key || t.key.is_empty())
                    && (t.effect.is_none() || t.effect == Some(Effect::NoExecute))
            })
        };
        let add: Vec<Toleration> = [(NOT_READY, not_ready), (UNREACHABLE, unreachable)]
            .into_iter()
            .filter(|(key, _)| missing(key))
            .map(|(key, seconds)| Toleration::exists(key, Effect::NoExecute, Some(seconds)))
            .collect();
        if add.is_empty() {
            return None;
        }
        let mut pod = pod.clone();
        pod.tolerations.extend(add);
        Some(pod)
    }

    /// What admission adds to a template whatever the namespace, for templates that many pods
    /// share. `None` if nothing is missing.
    pub(crate) fn template(&self, pod: &PodTemplate) -> Option<PodTemplate> {
        if self.restricts() { self.default_tolerations(pod) } else { self.mutated(pod, None) }
    }

    /// All plugins that look at a pod on create, in the order of
    /// `kubeapiserver/options/plugins.go`. `None` if nothing is missing.
    ///
    /// # Errors
    /// Its tolerations are not on the whitelist of its namespace, unless it was `admitted` before.
    pub(crate) fn new_pod(
        &self,
        pod: &PodTemplate,
        namespace: &str,
        admitted: bool,
    ) -> ApiResult<Option<PodTemplate>> {
        let said =
            if self.pod_toleration_restriction { self.namespaces.get(namespace) } else { None };
        let changed = self.mutated(pod, said.and_then(|n| n.defaults.as_deref()));
        self.whitelisted(changed.as_ref().unwrap_or(pod), said.filter(|_| !admitted))?;
        Ok(changed)
    }

    /// All plugins that look at a pod on update: the default tolerations of its namespace are for
    /// new pods only.
    ///
    /// # Errors
    /// Its tolerations are not on the whitelist of its namespace.
    pub(crate) fn changed_pod(&self, pod: PodTemplate, namespace: &str) -> ApiResult<PodTemplate> {
        let said =
            if self.pod_toleration_restriction { self.namespaces.get(namespace) } else { None };
        let changed = self.mutated(&pod, None).unwrap_or(pod);
        self.whitelisted(&changed, said)?;
        Ok(changed)
    }

    /// Whether a pod's namespace matters.
    pub(crate) fn restricts(&self) -> bool {
        self.pod_toleration_restriction && !self.namespaces.is_empty()
    }

    /// `podtolerationrestriction/admission.go: Validate`, which comes when all plugins have changed
    /// what they change; it asks the same of the pod as it was in between, and what comes after
    /// that is only added.
    fn whitelisted(&self, pod: &PodTemplate, said: Option<&NamespaceTolerations>) -> ApiResult {
        let whitelist = said.and_then(|n| n.whitelist.as_deref()).unwrap_or_default();
        if verify_against_whitelist(&pod.tolerations, whitelist) {
            Ok(())
        } else {
            Err(ApiError::NotWhitelisted)
        }
    }

    fn mutated(&self, pod: &PodTemplate, defaults: Option<&[Toleration]>) -> Option<PodTemplate> {
        let added = |key: &str| Toleration::exists(key, Effect::NoSchedule, None);
        let with_defaults = self.default_tolerations(pod);
        if !self.pod_toleration_restriction && !self.extended_resource_toleration {
            return with_defaults;
        }
        let so_far = with_defaults.as_ref().unwrap_or(pod);
        let mut tolerations = so_far.tolerations.clone();
        if self.pod_toleration_restriction {
            let pressure = (!so_far.is_best_effort()).then(|| added(MEMORY_PRESSURE));
            let extra: Vec<Toleration> =
                defaults.unwrap_or_default().iter().cloned().chain(pressure).collect();
            if !extra.is_empty() {
                tolerations = merge(tolerations, extra);
            }
        }
        if self.extended_resource_toleration {
            for (name, amount) in &so_far.requests {
                let toleration = added(name);
                if is_extended(name) && !amount.is_zero() && !tolerations.contains(&toleration) {
                    tolerations.push(toleration);
                }
            }
        }
        if tolerations == so_far.tolerations {
            return with_defaults;
        }
        Some(PodTemplate { tolerations, ..so_far.clone() })
    }

    /// TaintNodesByCondition, on create of nodes (`admission.go: Admit`).
    pub(crate) fn taint_new_node(&self, taints: &mut Vec<Taint>) {
        let taint = Taint::new(NOT_READY, Effect::NoSchedule);
        if self.taint_nodes_by_condition && !taints.iter().any(|t| t.matches(&taint)) {
            taints.push(taint);
        }
    }
}

/// Whether a resource is none of Kubernetes' own (`pkg/apis/core/v1/helper/helpers.go:
/// IsExtendedResourceName`).
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::quantity::Quantity;
    use crate::api::toleration::Operator;

    const ALL: Admission = Admission {
        default_toleration_seconds: Some((300, 300)),
        taint_nodes_by_condition: true,
        pod_toleration_restriction: true,
        namespaces: BTreeMap::new(),
        extended_resource_toleration: true,
        validates_ready: false,
    };

    fn create(admission: &Admission, pod: &PodTemplate) -> ApiResult<Option<PodTemplate>> {
        admission.new_pod(pod, "testNamespace", false)
    }

    fn keys(requests: &[&str]) -> Vec<String> {
        let requests =
            requests.iter().map(|r| ((*r).to_owned(), Quantity::from_units(1))).collect();
        let pod = PodTemplate { requests, ..PodTemplate::default() };
        create(&ALL, &pod)
            .unwrap()
            .expect("default tolerations are missing")
            .tolerations
            .into_iter()
            .map(|t| t.key)
            .collect()
    }

    /// Upstream's order of plugins: memory pressure for pods of a QoS class other than BestEffort,
    /// and one toleration per extended resource, come after the default tolerations.
    #[test]
    fn tolerations_are_added_in_the_order_of_the_plugins() {
        assert_eq!(keys(&[]), [NOT_READY, UNREACHABLE]);
        assert_eq!(keys(&["cpu"]), [NOT_READY, UNREACHABLE, MEMORY_PRESSURE]);
        assert_eq!(
            keys(&["nvidia.com/gpu", "hugepages-2Mi", "attachable.kubernetes.io/x"]),
            [NOT_READY, UNREACHABLE, "nvidia.com/gpu"]
        );
        let admitted = create(&ALL, &PodTemplate::default())
            .unwrap()
            .expect("default tolerations are missing");
        assert_eq!(create(&ALL, &admitted), Ok(None), "what is there is not added again");
    }

    fn equal(value: &str) -> Toleration {
        let (key, value) = ("testKey".to_owned(), value.to_owned());
        Toleration {
            key,
            operator: Operator::Equal,
            value,
            effect: Some(Effect::NoSchedule),
            toleration_seconds: None,
        }
    }

    /// A case of upstream's TestPodAdmission: the namespace's defaults, its whitelist, whether the
    /// pod asks for cpu, its own tolerations, and what it ends up with, if it is let in.
    type Case<'a> =
        (Option<&'a [&'a str]>, Option<&'a [&'a str]>, bool, &'a [&'a str], Option<&'a [&'a str]>);

    fn check((defaults, whitelist, burstable, own, merged): Case<'_>) {
        let list = |values: &[&str]| values.iter().map(|v| equal(v)).collect::<Vec<_>>();
        let said =
            NamespaceTolerations { defaults: defaults.map(list), whitelist: whitelist.map(list) };
        let namespaces = BTreeMap::from([("testNamespace".to_owned(), said)]);
        let admission = Admission { default_toleration_seconds: None, namespaces, ..ALL };
        let requests =
            burstable.then(|| ("cpu".to_owned(), Quantity::from_units(1))).into_iter().collect();
        let pod = PodTemplate { tolerations: list(own), requests, ..PodTemplate::default() };
        let pressure = || Toleration {
            value: String::new(),
            operator: Operator::Exists,
            key: MEMORY_PRESSURE.to_owned(),
            ..equal("")
        };
        let expected = merged.map(|m| {
            m.iter()
                .map(|v| if *v == MEMORY_PRESSURE { pressure() } else { equal(v) })
                .collect::<Vec<_>>()
        });
        let admitted = create(&admission, &pod)
            .map(|changed| changed.unwrap_or_else(|| pod.clone()).tolerations);
        assert_eq!(
            admitted,
            expected.ok_or(ApiError::NotWhitelisted),
            "{defaults:?} {whitelist:?} {own:?}"
        );
        // On update the defaults are not added, and the whitelist is consulted again. In other
        // namespaces, and for pods admitted before, it is not.
        let updated =
            admission.changed_pod(pod.clone(), "testNamespace").map(|p| p.tolerations.len());
        assert_eq!(
            updated,
            Ok(own.len() + usize::from(burstable)),
            "{defaults:?} {whitelist:?} {own:?}"
        );
        assert!(
            admission.new_pod(&pod, "other", false).is_ok()
                && admission.new_pod(&pod, "testNamespace", true).is_ok()
        );
    }

    /// The cases of upstream's TestPodAdmission that need no defaults or whitelist of the cluster.
    #[test]
    fn namespaces_add_defaults_and_have_whitelists() {
        let cases: [Case<'_>; 10] = [
            (Some(&["v"]), None, false, &["v"], Some(&["v"])),
            (Some(&["v"]), None, false, &[], Some(&["v"])),
            (Some(&["v"]), None, false, &["v1"], Some(&["v1", "v"])),
            (Some(&[]), None, false, &["v1"], Some(&["v1"])),
            (Some(&["v"]), Some(&["v"]), false, &[], Some(&["v"])),
            (Some(&[]), None, false, &[], Some(&[])),
            (None, Some(&[]), false, &["v"], Some(&["v"])),
            (Some(&["v"]), Some(&["v1"]), false, &[], None),
            (Some(&["v"]), Some(&[]), true, &[], Some(&["v", MEMORY_PRESSURE])),
            (Some(&[]), Some(&[]), false, &["v", "v1"], Some(&["v", "v1"])),
        ];
        cases.into_iter().for_each(check);
    }
}
