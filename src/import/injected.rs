//! Containers that admission webhooks add to pods, such as a mesh's proxy: no template has them, but those that replace the pods
//! get them, too.
//!
//! They are what all pods of a workload have that are its own, and its template lacks, where these have all of what that has: else
//! the pods may be of a template that there was before.

use super::devices::Notes;
use super::gathered::Gathered;
use crate::import::prelude::*;

/// The names of containers, or none where one has none.
fn names(of: &[RawContainer]) -> Option<BTreeSet<&str>> {
    of.iter().map(|c| Some(&*c.name).filter(|name| !name.is_empty())).collect()
}

/// The containers of a list of a template with those beside them that all pods have, in the order of the last of these.
fn with_added(own: &[RawContainer], of_pods: &[&[RawContainer]]) -> Option<Vec<RawContainer>> {
    let known = names(own)?;
    let mut of_all = names(of_pods.last()?)?;
    for of_pod in of_pods {
        let of_pod = names(of_pod)?;
        of_all.retain(|name| of_pod.contains(name));
    }
    if !known.is_subset(&of_all) {
        return None;
    }
    let all = of_pods.last()?.iter().filter(|c| of_all.contains(&*c.name));
    Some(all.map(|c| own.iter().find(|o| o.name == c.name).unwrap_or(c).clone()).collect())
}

/// What a template and pods of it come to.
fn merged(of: &RawPodSpec, pods: &[&RawPod]) -> Option<RawPodSpec> {
    let inits: Vec<_> = pods.iter().map(|p| &p.spec.init_containers[..]).collect();
    let others: Vec<_> = pods.iter().map(|p| &p.spec.containers[..]).collect();
    let init_containers = with_added(&of.init_containers, &inits)?;
    let containers = with_added(&of.containers, &others)?;
    let more =
        init_containers.len() + containers.len() > of.init_containers.len() + of.containers.len();
    let is_whole = !of.containers.is_empty();
    (more && is_whole).then(|| RawPodSpec { init_containers, containers, ..of.clone() })
}

impl Gathered {
    /// Adds to the templates of workloads what was added to their pods; what is told of that.
    pub(super) fn take_injected(&mut self) -> Notes {
        let mut pods: BTreeMap<String, Vec<&RawPod>> = BTreeMap::new();
        for pod in self.pods.iter().filter(|p| !p.is_over()) {
            if let Some(owner) = pod.meta.controller() {
                let owner = format!("{}/{}/{}", owner.kind, pod.namespace, owner.name);
                pods.entry(owner).or_default().push(pod);
            }
        }
        // Of a rollout the pods that were made last are of the template that the Deployment has.
        let newest =
            |pods: &[&RawPod]| pods.iter().map(|p| p.meta.creation_timestamp.clone()).max();
        let mut of_tops: BTreeMap<String, Vec<&RawPod>> = BTreeMap::new();
        for set in self.workloads.iter() {
            let (Some(top), Some(own)) = (set.deployment(), pods.get(&set.full_name())) else {
                continue;
            };
            let known = of_tops.entry(top).or_default();
            if newest(own) >= newest(known) {
                known.clone_from(own);
            }
        }
        pods.extend(of_tops);
        let mut notes = Notes::new();
        let mut all: BTreeMap<String, RawPodSpec> = BTreeMap::new();
        for workload in self.workloads.iter().filter(|w| w.is_over().is_none()) {
            let name = workload.full_name();
            let spec = pods.get(&name).and_then(|of| merged(&workload.spec.template.spec, of));
            all.extend(spec.map(|spec| (name, spec)));
        }
        for workload in self.workloads.iter_mut() {
            let Some(spec) = all.remove(&workload.full_name()) else { continue };
            if workload.owner().is_none() {
                let what = "whose pods have containers that its template lacks, which those that replace them have, too";
                let name = format!("{}/{}", workload.namespace, workload.name);
                notes.entry(("workload", what.to_owned())).or_default().push(name);
            }
            workload.spec.template.spec = spec;
        }
        notes
    }
}
