//! NodeAffinity (`plugins/nodeaffinity/node_affinity.go`,
//! `component-helpers/scheduling/corev1/nodeaffinity`): node selector, required and preferred node
//! affinity.

use crate::api::scheduling::NodeSelectorTerm;
use crate::controllers::scheduler::prelude::*;

/// Whether node selector and required node affinity admit a node (`RequiredNodeAffinity.Match`).
pub(crate) fn matches(shape: &Shape, name: &str, labels: &Labels) -> bool {
    shape.template.admits_node(name, labels)
}

/// Rejects a node that node selector or required affinity exclude.
pub(crate) fn filter(shape: &Shape, name: &str, labels: &Labels, message: &'static str) -> Verdict {
    if matches(shape, name, labels) {
        Ok(())
    } else {
        Err(Rejection::unresolvable(Plugin::NodeAffinity, message))
    }
}

/// The nodes that required affinity names (`PreFilter`): none if it does not name all its nodes;
/// empty if its terms contradict each other.
pub(crate) fn named_nodes(terms: &[NodeSelectorTerm]) -> Option<Vec<&str>> {
    let mut nodes: Vec<&str> = Vec::new();
    for term in terms {
        let mut named = term.match_fields.iter().filter(|f| f.is).map(|f| f.name.as_str());
        let first = named.next()?;
        if named.all(|other| other == first) {
            nodes.push(first);
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    (!terms.is_empty()).then_some(nodes)
}

/// The weights of the preferred terms that match, without normalisation.
pub(crate) fn score(shape: &Shape, name: &str, labels: &Labels) -> i64 {
    let Some(spec) = shape.spec() else { return 0 };
    spec.preferred_nodes
        .iter()
        .filter(|(_, t)| t.matches(name, labels))
        .map(|(w, _)| i64::from(*w))
        .sum()
}

/// `DefaultNormalizeScore`
pub(crate) fn normalize(raw: i64, max: i64) -> i64 {
    if max == 0 { raw } else { MAX_NODE_SCORE * raw / max }
}

/// Whether a node that was added or relabelled may help a pod that this plugin rejected.
pub(crate) fn hint(
    shape: &Shape,
    event: ClusterEvent,
    old: Option<&Labels>,
    new: Option<(&str, &Labels)>,
) -> bool {
    let Some((name, new)) = new else { return false };
    matches(shape, name, new)
        && (event == ClusterEvent::NodeAdd || old.is_none_or(|o| !matches(shape, name, o)))
}
