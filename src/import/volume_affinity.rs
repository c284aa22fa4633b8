//! From where a volume is reached (`spec.nodeAffinity`), as a claim tells it.

use super::node::NamedNode;
use crate::api::node::zone;
use crate::import::prelude::*;

const UNREACHED: &str =
    "not simulated, as no node in the files reaches the volume (by zone, host name or label)";
const PARTLY: &str =
    "not simulated, as the nodes that reach the volume are neither a zone, nor one node, nor all";

/// From where a volume with these terms is reached.
pub(super) fn reached(
    terms: &RawNodeTerms,
    nodes: &[NamedNode],
) -> Result<VolumeClaim, &'static str> {
    let terms = &terms.node_selector_terms;
    let is_reached = |n: &&NamedNode| terms.iter().any(|t| requirements(t).all(|r| fits(r, n)));
    let reached: Vec<&NamedNode> = nodes.iter().filter(is_reached).collect();
    let Some((first, shape)) = reached.first() else { return Err(UNREACHED) };
    // `topology.kubernetes.io/zone`, or what a driver calls it; or a region.
    let of_zones = |r: &RawRequirement| r.key.ends_with("zone") || r.key.ends_with("/region");
    let by_zone = terms.iter().flat_map(requirements).all(of_zones);
    if reached.len() == 1 && !by_zone {
        return Ok(VolumeClaim { node: Some(first.clone()), ..VolumeClaim::default() });
    }
    let of_zone = |n: &NamedNode| zone(&n.1.labels) == zone(&shape.labels);
    let whole = nodes.iter().filter(|n| of_zone(n)).count() == reached.len();
    match zone(&shape.labels) {
        Some(zone) if whole && reached.iter().all(|n| of_zone(n)) => {
            Ok(VolumeClaim { zone: Some(zone.to_owned()), ..VolumeClaim::default() })
        }
        _ if reached.len() == nodes.len() => {
            Ok(VolumeClaim { reach: Some(Reach::Everywhere), ..VolumeClaim::default() })
        }
        _ => Err(PARTLY),
    }
}

fn requirements(term: &RawNodeTerm) -> impl Iterator<Item = &RawRequirement> {
    term.match_expressions.iter().chain(&term.match_fields)
}

/// Whether a node is as a term wants it. A node without the driver's label of its zone is in that
/// of Kubernetes' own label, and one without a host name has its own.
fn fits(wanted: &RawRequirement, (name, shape): &NamedNode) -> bool {
    let key = wanted.key.as_str();
    let value = shape.labels.get(key).map(String::as_str).or(match key {
        "kubernetes.io/hostname" | "metadata.name" => Some(name),
        _ if key.ends_with("/zone") => zone(&shape.labels),
        _ => None,
    });
    let among = value.is_some_and(|v| wanted.values.iter().any(|w| w == v));
    match wanted.operator.as_str() {
        "In" => among,
        "NotIn" => !among,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}
