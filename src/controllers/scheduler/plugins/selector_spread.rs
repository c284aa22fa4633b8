//! SelectorSpread (`plugins/selectorspread/selector_spread.go`, up to 1.19;
//! DefaultPodTopologySpread in 1.18): pods of one service or owner are kept apart, first by zone
//! and then by node.

use crate::api::node::zone_key;
use crate::controllers::scheduler::prelude::*;

/// How much zones count against nodes (`zoneWeighting`).
const ZONE_WEIGHTING: f64 = 2.0 / 3.0;

/// The scores of feasible nodes, normalised. A selector that is empty spreads nothing.
pub(crate) fn score(
    namespace: &str,
    selector: &Selector,
    nodes: &[NodeId],
    cache: &Cache,
) -> Vec<i64> {
    let counts: Vec<i64> =
        nodes.iter().map(|id| cache.count_plainly(*id, namespace, Some(selector))).collect();
    let zones: Vec<String> = nodes
        .iter()
        .map(|id| {
            cache
                .node(*id)
                .and_then(|n| n.node.as_ref())
                .map(|n| zone_key(&n.labels, false))
                .unwrap_or_default()
        })
        .collect();
    let mut by_zone: BTreeMap<&str, i64> = BTreeMap::new();
    for (zone, count) in zones.iter().zip(&counts).filter(|(z, _)| !z.is_empty()) {
        *by_zone.entry(zone).or_insert(0) += count;
    }
    let best = MAX_NODE_SCORE as f64;
    let share = |most: i64, count: i64| {
        if most > 0 { best * ((most - count) as f64 / most as f64) } else { best }
    };
    let (most, most_of_zone) =
        (counts.iter().max().copied().unwrap_or(0), by_zone.values().max().copied().unwrap_or(0));
    let of = |(count, zone): (&i64, &String)| {
        let mut score = share(most, *count);
        if let Some(in_zone) = by_zone.get(zone.as_str()) {
            score = score * (1.0 - ZONE_WEIGHTING) + ZONE_WEIGHTING * share(most_of_zone, *in_zone);
        }
        score as i64
    };
    counts.iter().zip(&zones).map(of).collect()
}
