//! Volumes of pods on lost nodes: which they are, and from where they are reached.

use super::losses::is_there;
use super::placed::Placed;
use crate::api::node::{is_in_zone, named_zone};
use crate::api::volume::{Claim, Reach};
use crate::api::workload::short_name;
use crate::lab::prelude::*;

/// A volume of a pod on a lost node, which another node could not use at once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub(crate) struct Kept {
    /// Its claim, `shop/data`.
    pub(super) claim: String,
    /// Its name, where that is known.
    pub(super) volume: Option<String>,
    /// It has to be attached to a node.
    pub(super) attach: bool,
    /// The one place from where it is reached, `zone a` or `node a-0`; none: from all nodes.
    pub(super) from: Option<String>,
    /// Nothing is left of that place.
    pub(super) out_of_reach: bool,
}

/// The volumes of pods on lost nodes, by workload, and those of a pod without one by its name.
pub(super) fn kept(
    plan: &Plan,
    lost: &[NodeIndex],
    pods: &[&Placed],
) -> BTreeMap<String, BTreeSet<Kept>> {
    let mut all: BTreeMap<String, BTreeSet<Kept>> = BTreeMap::new();
    for pod in pods {
        let Some(template) = plan.templates.get(pod.template as usize) else { continue };
        let volumes = template.claims.iter().filter_map(|claim| of_claim(plan, pod, claim, lost));
        let name = pod.workload.as_ref().unwrap_or(&pod.name);
        all.entry(name.clone()).or_default().extend(volumes);
    }
    all
}

fn of_claim(plan: &Plan, pod: &Placed, claim: &Claim, lost: &[NodeIndex]) -> Option<Kept> {
    let labels = |n: NodeIndex| &plan.nodes[n as usize].labels;
    let name_of = |n: NodeIndex| plan.nodes[n as usize].name.as_str();
    let is_left = |n: &NodeIndex| is_there(plan, *n) && lost.binary_search(n).is_err();
    let left = || (0..plan.nodes.len() as NodeIndex).filter(is_left);
    let is_left_of = |zone: &str| left().any(|n| is_in_zone(labels(n), zone));
    let (from, out_of_reach) = match &claim.reach {
        Reach::Everywhere => (None, false),
        Reach::Zone(said) => match said.clone().or_else(|| named_zone(labels(pod.node))) {
            None => (None, false),
            Some(zone) => (Some(format!("zone {zone}")), !is_left_of(&zone)),
        },
        Reach::Node(said) => {
            let name = said.as_deref().unwrap_or(name_of(pod.node));
            (Some(format!("node {name}")), !left().any(|n| name_of(n) == name))
        }
    };
    (claim.attach || from.is_some()).then(|| Kept {
        claim: format!("{}/{}", namespace_of(&pod.name), claim.name_for(short_name(&pod.name))),
        volume: claim.volume.clone(),
        attach: claim.attach,
        from,
        out_of_reach,
    })
}
