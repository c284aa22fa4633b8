//! Pods and ReplicaSets that name no owner though a workload's selector matches them, as in exports
//! whose owner references were taken out. Upstream's controllers adopt such objects and make no others
//! beside them (`pkg/controller/controller_ref_manager.go: ClaimObject`, v1.34); so does an import.

use super::gathered::Gathered;
use super::workload::RawWorkload;
use crate::api::labels::Selector;
use crate::api::workload::parent_and_ordinal;
use crate::import::prelude::*;

/// A workload that adopts what its selector matches.
struct Adopter {
    kind: WorkloadKind,
    namespace: String,
    name: String,
    selector: Selector,
}

impl Adopter {
    /// What is wrong with its selector is told where it is converted.
    fn of(workload: &RawWorkload) -> Option<Self> {
        let selector =
            selector("spec.selector", workload.spec.selector.as_ref()?).ok()?.as_selector().ok()?;
        let (namespace, name) = (workload.namespace.clone(), workload.name.clone());
        (!selector.is_empty()).then_some(Self { kind: workload.kind, namespace, name, selector })
    }

    /// Whether it adopts an object of that name in its namespace: a pod, or a ReplicaSet.
    fn adopts(&self, name: &str, meta: &RawMeta, is_pod: bool) -> bool {
        let suits = match self.kind {
            WorkloadKind::Deployment => !is_pod,
            // `isMemberOf`: a StatefulSet's pods have its name and a number.
            WorkloadKind::StatefulSet => {
                is_pod && parent_and_ordinal(name).is_some_and(|(set, _)| set == self.name)
            }
            _ => is_pod,
        };
        let labels = || fields::labels("metadata.labels", &meta.labels);
        suits && labels().is_ok_and(|labels| self.selector.matches(&labels))
    }
}

impl RawMeta {
    /// Gives it the owner that adopts it, if it is an orphan and there is one; tells whether it did.
    fn adopt(&mut self, all: &[Adopter], (namespace, name): (&str, &str), is_pod: bool) -> bool {
        if self.controller().is_some() || !self.deletion_timestamp.is_empty() {
            return false;
        }
        let suits = |a: &&Adopter| a.namespace == namespace && a.adopts(name, self, is_pod);
        let Some(by) = all.iter().find(suits) else { return false };
        let owner =
            RawOwner { kind: by.kind.as_str().to_owned(), name: by.name.clone(), controller: true };
        self.owner_references.push(owner);
        true
    }
}

impl Gathered {
    /// Gives orphans their owners, and counts the pods among them.
    pub(super) fn adopt(&mut self) {
        let all: Vec<Adopter> = self.workloads.iter().filter_map(Adopter::of).collect();
        let sets = self.workloads.iter_mut().filter(|w| w.kind == WorkloadKind::ReplicaSet);
        sets.for_each(|set| _ = set.meta.adopt(&all, (&set.namespace, &set.name), false));
        for pod in self.pods.iter_mut().filter(|p| !p.is_over()) {
            let adopted = pod.meta.adopt(&all, (&pod.namespace, &pod.name), true);
            self.summary.adopted += usize::from(adopted);
        }
    }
    /// Workloads that say of themselves that they have pods, none of which is in the files:
    /// `shop/web`. Those of a Deployment are its ReplicaSets'.
    pub(super) fn podless(&self) -> Vec<String> {
        let owner = |meta: &RawMeta, namespace: &str| {
            meta.controller().map(|o| format!("{}/{namespace}/{}", o.kind, o.name))
        };
        let of_pods = self.pods.iter().filter_map(|p| owner(&p.meta, &p.namespace));
        let mut have: BTreeSet<String> = of_pods.collect();
        let between = self.workloads.iter().filter(|w| have.contains(&w.full_name()));
        let above: Vec<String> = between.filter_map(|w| owner(&w.meta, &w.namespace)).collect();
        have.extend(above);
        let lacks = |w: &&RawWorkload| {
            w.owner().is_none() && w.status.has_pods() && !have.contains(&w.full_name())
        };
        let lacking = self.workloads.iter().filter(lacks);
        lacking.map(|w| format!("{}/{}", w.namespace, w.name)).collect()
    }
}
