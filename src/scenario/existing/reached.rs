//! Which pods a setting reaches, whose they are, which of their tolerations are about failing nodes, and
//! the sentence about them.

use crate::scenario::prelude::*;

/// Pod groups that a setting reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Places in [`Scenario::pods`](crate::language::Scenario::pods).
    pub(super) groups: Vec<usize>,
    /// The rest of the sentence about them, behind "3 existing pods".
    pub(super) said: String,
}

impl Reached {
    /// The sentence, with the numbers of pods that the groups stand for; nothing if there are none.
    pub(crate) fn sentence(&self, pods: &dyn Fn(usize) -> usize) -> Option<String> {
        let count: usize = self.groups.iter().map(|&i| pods(i)).sum();
        (count > 0).then(|| {
            format!("{count} existing {}{}", if count == 1 { "pod" } else { "pods" }, self.said)
        })
    }
}

/// Whether a rollout would replace these pods: not those that have ended, or that go already.
pub(super) fn stands(pod: &PodGroup) -> bool {
    !pod.start.as_ref().is_some_and(|start| {
        start.is_over() || matches!(start, PodStart::Imported { deletion: Some(_), .. })
    })
}

/// Whether a toleration is of a taint of failing nodes, as admission writes it.
pub(super) fn is_failing(t: &Toleration) -> bool {
    (t.key == NOT_READY || t.key == UNREACHABLE)
        && t.operator == Some(Operator::Exists)
        && t.effect == Some(Effect::NoExecute)
}

/// A workload's namespace, kind and name, in this order.
type Full = (String, &'static str, String);

/// The full names of a group of workloads.
pub(super) fn full_names(workload: &Workload) -> Vec<Full> {
    let group = workload.group();
    let namespace = group.namespace.as_deref().unwrap_or("default");
    let several = group.names.as_ref().map_or(&[][..], |n| n.texts());
    let texts = group.name.as_ref().map_or(several, std::slice::from_ref);
    // Texts that are no names are complained about elsewhere.
    let names = texts.iter().flat_map(|text| names::expand(text, 100_000).unwrap_or_default());
    names.map(|name| (namespace.to_owned(), workload.kind().as_str(), name)).collect()
}

/// Finds the workload that a pod belongs to in the eyes of people: its owner, or the Deployment of
/// the ReplicaSet that owns it.
pub(super) struct Owners(BTreeMap<Full, usize>);

impl Owners {
    /// The number of the workload of that name, of the Deployment where it is a ReplicaSet of one.
    pub(super) fn named(&self, full: &Full) -> Option<usize> {
        self.0.get(full).copied()
    }

    pub(super) fn new(spec: &Scenario) -> Self {
        let mut all = BTreeMap::new();
        let each = || spec.workloads.iter().enumerate();
        each().for_each(|(i, w)| all.extend(full_names(w).into_iter().map(|full| (full, i))));
        for (_, set) in each().filter(|(_, w)| w.kind() == WorkloadKind::ReplicaSet) {
            let Some(deployment) = &set.group().deployment else { continue };
            for full in full_names(set) {
                if let Some(&i) = all.get(&(full.0.clone(), "Deployment", deployment.clone())) {
                    all.insert(full, i);
                }
            }
        }
        Self(all)
    }

    /// The number of the workload that a pod belongs to.
    pub(super) fn of(&self, pod: &PodGroup) -> Option<usize> {
        let owner = pod.owner.as_ref()?;
        let kind = WorkloadKind::parse(&owner.kind)?.as_str();
        let namespace = pod.namespace.as_deref().unwrap_or("default").to_owned();
        let own = self.0.get(&(namespace.clone(), kind, owner.name.clone()));
        own.copied().or_else(|| {
            // A ReplicaSet that is not in the files: its name is the Deployment's and the hash that
            // its pods carry.
            let hash = pod.labels.get("pod-template-hash").filter(|_| kind == "ReplicaSet")?;
            let deployment = owner.name.strip_suffix(hash.as_str())?.strip_suffix('-')?;
            self.0.get(&(namespace, "Deployment", deployment.to_owned())).copied()
        })
    }
}
