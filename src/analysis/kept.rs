//! Volumes of pods on lost nodes: which they are, from where they are reached, and whether a node is left there.

use super::prelude::*;
use crate::api::node::{is_in_zone, named_zone};
use crate::api::volume::{Claim, Reach};
use crate::language::listed;
use serde::{Deserialize, Serialize};

/// A volume of a pod on a lost node, which another node could not use at once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub(crate) struct Kept {
    /// Its claim, `shop/data`.
    pub(crate) claim: String,
    /// Its name, where that is known.
    pub(crate) volume: Option<String>,
    /// It has to be attached to a node.
    pub(crate) attach: bool,
    /// The one place from where it is reached, `zone a` or `node a-0`; none: from all nodes.
    pub(crate) from: Option<String>,
    /// Nothing is left of that place.
    pub(crate) out_of_reach: bool,
}

impl Kept {
    /// The volumes of a pod of this template, `namespace/name`, on a lost node; `is_left` says which nodes are not lost.
    pub(crate) fn of(
        plan: &Plan,
        pod: &str,
        template: &PodTemplate,
        node: NodeIndex,
        is_left: impl Fn(NodeIndex) -> bool,
    ) -> BTreeSet<Self> {
        let node = plan.nodes.get(node as usize);
        let left = || (0..).zip(&plan.nodes).filter(|(n, _)| is_left(*n)).map(|(_, node)| node);
        let of_claim = |claim: &Claim| {
            let (from, out_of_reach) = match &claim.reach {
                Reach::Everywhere => (None, false),
                Reach::Zone(said) => match said.clone().or_else(|| named_zone(&node?.labels)) {
                    None => (None, false),
                    Some(zone) => {
                        let is_lost = !left().any(|n| is_in_zone(&n.labels, &zone));
                        (Some(format!("zone {zone}")), is_lost)
                    }
                },
                Reach::Node(said) => {
                    let name = said.as_ref().unwrap_or(&node?.name);
                    (Some(format!("node {name}")), !left().any(|n| n.name == *name))
                }
            };
            (claim.attach || from.is_some()).then(|| Kept {
                claim: format!("{}/{}", namespace_of(pod), claim.name_for(short_name(pod))),
                volume: claim.volume.clone(),
                attach: claim.attach,
                from,
                out_of_reach,
            })
        };
        template.claims.iter().filter_map(of_claim).collect()
    }

    /// `volume pv-1 of claim shop/data`, `volumes of claims db/data-0, db/data-1 and 3 more`, and whether
    /// it is one.
    pub(crate) fn named(all: &[&Self]) -> (String, bool) {
        let by_claim: BTreeMap<&str, &Self> = all.iter().map(|k| (k.claim.as_str(), *k)).collect();
        let all: Vec<&Self> = by_claim.into_values().collect();
        match all.as_slice() {
            [one] => {
                let volume = one.volume.as_ref().map_or(String::new(), |name| format!(" {name}"));
                (format!("volume{volume} of claim {}", one.claim), true)
            }
            all => {
                let claims: Vec<&str> = all.iter().map(|k| k.claim.as_str()).collect();
                (format!("volumes of claims {}", listed(&claims)), false)
            }
        }
    }

    /// Of these the volumes that no node left reaches: which, from where they are reached, and what frees
    /// them. None if there are none.
    pub(crate) fn out_of_reach(all: &BTreeSet<&Self>) -> Option<String> {
        let all: Vec<&Self> = all.iter().copied().filter(|k| k.out_of_reach).collect();
        let places: BTreeSet<&str> = all.iter().filter_map(|k| k.from.as_deref()).collect();
        let places: Vec<&str> = places.into_iter().collect();
        let (names, one) = Self::named(&all);
        let back = match (places.iter().any(|place| place.starts_with("node ")), places.len()) {
            (_, 0) => return None,
            (true, 1) => "the node's return",
            (true, _) => "the return of these",
            (false, _) => "a node there, back, or new once the lost ones are deleted",
        };
        let it = if one { "it" } else { "them" };
        let reached = match (one, places.len()) {
            (true, _) => "which is reached from",
            (false, 1) => "which are reached from",
            (false, _) => "each of which is reached from one of",
        };
        Some(format!(
            "{names}, {reached} {} alone. What frees {it}: {back}; else only a copy of the data elsewhere helps",
            listed(&places)
        ))
    }
}
