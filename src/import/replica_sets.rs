//! ReplicaSets that are not in the files although their Deployment and their pods are, as in exports by
//! `kubectl get nodes,pods,deployments`. Without them a run would take the pods for nobody's, and the
//! Deployment would make as many again.
//!
//! Which Deployment one belongs to is in its name, the Deployment's with the hash that its pods have as a
//! label (`pkg/controller/deployment/sync.go: getNewReplicaSet`, v1.34). What it says of pods is taken from
//! the Deployment's template. The only one of a Deployment has as many replicas as that asks for, one of
//! several, as in the middle of a rollout, as many as it has pods.

use super::gathered::Gathered;
use super::workload::{RawWorkload, RawWorkloadSpec, RawWorkloadStatus};
use crate::import::prelude::*;

/// The label that tells the pods of one template from those of others.
const POD_TEMPLATE_HASH: &str = "pod-template-hash";

/// A ReplicaSet that pods tell of.
struct Told {
    deployment: String,
    namespace: String,
    name: String,
    hash: String,
    /// Its pods that are neither over nor being deleted.
    pods: i32,
}

impl Told {
    /// The one that a pod tells of: its owner, or where it names none that whose name its own begins with.
    fn by(pod: &RawPod) -> Option<Self> {
        let hash = pod.meta.labels.get(POD_TEMPLATE_HASH)?.clone()?;
        let name = match pod.meta.controller() {
            Some(owner) => Some(&*owner.name).filter(|_| owner.kind == "ReplicaSet")?,
            None => pod.name.rsplit_once('-')?.0,
        };
        let deployment = name.strip_suffix(&*hash)?.strip_suffix('-')?.to_owned();
        let (namespace, name) = (pod.namespace.clone(), name.to_owned());
        Some(Self { deployment, namespace, name, hash, pods: 0 })
    }

    /// It, of that Deployment, with this number of replicas.
    fn as_workload(&self, of: &RawWorkload, replicas: Option<i32>) -> RawWorkload {
        let with_hash = |labels: &mut Texts| {
            labels.insert(POD_TEMPLATE_HASH.to_owned(), Some(self.hash.clone()));
        };
        let mut spec = RawWorkloadSpec { replicas, ..of.spec.clone() };
        with_hash(&mut spec.template.metadata.labels);
        spec.selector.iter_mut().for_each(|s| with_hash(&mut s.match_labels));
        let owner =
            RawOwner { kind: of.kind.as_str().to_owned(), name: of.name.clone(), controller: true };
        RawWorkload {
            kind: WorkloadKind::ReplicaSet,
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            meta: RawMeta { owner_references: vec![owner], ..RawMeta::default() },
            spec,
            status: RawWorkloadStatus::default(),
        }
    }
}

/// The Deployments of the files with several ReplicaSets that have pods: `Deployment/namespace/name`.
pub(super) fn rollouts(workloads: &Named<RawWorkload>) -> BTreeSet<String> {
    let mut sets: BTreeMap<String, usize> = BTreeMap::new();
    let active = |w: &&RawWorkload| w.kind == WorkloadKind::ReplicaSet && w.is_over().is_none();
    for deployment in workloads.iter().filter(active).filter_map(RawWorkload::deployment) {
        *sets.entry(deployment).or_default() += 1;
    }
    sets.retain(|deployment, sets| *sets > 1 && workloads.contains(deployment));
    sets.into_keys().collect()
}

impl Gathered {
    /// Makes those that are not there, as if they stood where their Deployments do.
    pub(super) fn make_replica_sets(&mut self) -> Result<()> {
        let full = |kind: WorkloadKind, namespace: &str, name: &str| {
            format!("{}/{namespace}/{name}", kind.as_str())
        };
        let mut told: BTreeMap<String, Told> = BTreeMap::new();
        for pod in self.pods.iter().filter(|p| !p.is_over()) {
            let Some(set) = Told::by(pod) else { continue };
            let name = full(WorkloadKind::ReplicaSet, &set.namespace, &set.name);
            if !self.workloads.contains(&name) {
                let lives = pod.meta.deletion_timestamp.is_empty();
                told.entry(name).or_insert(set).pods += i32::from(lives);
            }
        }
        // How many ReplicaSets each Deployment has.
        let mut sets: BTreeMap<String, usize> = BTreeMap::new();
        let of = |set: &Told| full(WorkloadKind::Deployment, &set.namespace, &set.deployment);
        told.values().for_each(|set| *sets.entry(of(set)).or_default() += 1);
        for set in self.workloads.iter().filter(|w| w.kind == WorkloadKind::ReplicaSet) {
            let Some(owner) = set.owner() else { continue };
            *sets.entry(full(WorkloadKind::Deployment, &set.namespace, owner)).or_default() += 1;
        }
        for (name, set) in told {
            let Some((place, deployment)) = self.workloads.get(&of(&set)) else { continue };
            let is_only = sets.get(&of(&set)) == Some(&1);
            if !is_only && set.pods == 0 {
                continue;
            }
            let replicas = if is_only { deployment.spec.replicas } else { Some(set.pods) };
            let (place, made) = (place.clone(), set.as_workload(deployment, replicas));
            self.summary.made_sets.insert(format!("{}/{}", set.namespace, set.name));
            self.workloads.add(name, place, made)?;
        }
        Ok(())
    }
}
