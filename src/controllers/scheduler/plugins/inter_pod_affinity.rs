//! InterPodAffinity (`plugins/interpodaffinity`): pods that are to be near other pods, or away from
//! them. Terminating pods count.

use crate::controllers::scheduler::prelude::*;

/// The weight of an existing pod's required affinity to the new one (`hardPodAffinityWeight`).
const HARD_POD_AFFINITY_WEIGHT: i64 = 1;

/// Counts by topology key and domain.
type Pairs = BTreeMap<(KeyId, u32), i64>;

fn update(pairs: &mut Pairs, key: KeyId, id: NodeId, cache: &Cache, by: i64) {
    if let Some(domain) = cache.topologies.domain(key, id) {
        let count = pairs.entry((key, domain)).or_insert(0);
        *count += by;
        if *count == 0 {
            pairs.remove(&(key, domain));
        }
    }
}

/// Whether any pod is counted in the domain of a node.
fn counts(pairs: &Pairs, key: KeyId, id: NodeId, cache: &Cache) -> bool {
    let domain = cache.topologies.domain(key, id);
    domain.and_then(|d| pairs.get(&(key, d))).is_some_and(|n| *n > 0)
}

/// The topology keys of counts, each once.
fn keys(pairs: &Pairs) -> impl Iterator<Item = KeyId> {
    let mut next = pairs.keys().next().map(|(key, _)| *key);
    std::iter::from_fn(move || {
        let key = next?;
        next = pairs.range((KeyId(key.0 + 1), 0)..).next().map(|((key, _), _)| *key);
        Some(key)
    })
}

/// What the filter needs to know of pods on all nodes (`preFilterState`).
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterState {
    existing_anti: Pairs,
    affinity: Pairs,
    anti: Pairs,
}

impl FilterState {
    /// Counts pods over all nodes; nothing where no pod's affinity matters (`PreFilter`).
    pub(crate) fn of(shape: &Shape, cache: &Cache) -> Option<Self> {
        let mut state = Self::default();
        let own = !shape.affinity.is_empty() || !shape.anti_affinity.is_empty();
        if !own && !cache.any_affinity_to(shape, |other| other.anti_affinity.iter()) {
            return None;
        }
        for &id in cache.list() {
            let Some(info) = cache.node(id) else { continue };
            if own || info.with_affinity > 0 {
                for placed in &info.pods {
                    state.change(shape, &placed.shape, id, cache, 1);
                }
            }
        }
        (own || !state.existing_anti.is_empty()).then_some(state)
    }

    /// Counts a pod of `other` in on a node, or out (`updateWithPod`).
    pub(crate) fn change(
        &mut self,
        shape: &Shape,
        other: &Shape,
        id: NodeId,
        cache: &Cache,
        by: i64,
    ) {
        for term in other.anti_affinity.iter().filter(|t| other.term_matches(t, shape)) {
            update(&mut self.existing_anti, term.key, id, cache, by);
        }
        if shape.affinity_matches(other) {
            for term in &shape.affinity {
                update(&mut self.affinity, term.key, id, cache, by);
            }
        }
        for term in shape.anti_affinity.iter().filter(|t| shape.term_matches(t, other)) {
            update(&mut self.anti, term.key, id, cache, by);
        }
    }

    fn near_enough(&self, shape: &Shape, id: NodeId, cache: &Cache, needs_keys: bool) -> bool {
        let mut all = shape.affinity.iter();
        if needs_keys && all.any(|t| cache.topologies.domain(t.key, id).is_none()) {
            return false;
        }
        // The first of a series of pods that want to be near each other may go anywhere.
        shape.affinity.iter().all(|t| counts(&self.affinity, t.key, id, cache))
            || self.affinity.is_empty() && shape.affinity_matches(shape)
    }

    fn far_enough(&self, shape: &Shape, id: NodeId, cache: &Cache) -> bool {
        !shape.anti_affinity.iter().any(|t| counts(&self.anti, t.key, id, cache))
    }

    fn welcome(&self, id: NodeId, cache: &Cache) -> bool {
        !keys(&self.existing_anti).any(|key| counts(&self.existing_anti, key, id, cache))
    }

    /// Rejects a node where affinity is not met.
    pub(crate) fn filter(
        &self,
        shape: &Shape,
        id: NodeId,
        cache: &Cache,
        switches: &Switches,
    ) -> Verdict {
        let needs_keys = switches.affinity_needs_keys;
        let unwelcome = || {
            let said = (false, "node(s) didn't satisfy existing pods anti-affinity rules");
            (!self.welcome(id, cache)).then_some(said)
        };
        let (unresolvable, reason) = if !needs_keys && let Some(unwelcome) = unwelcome() {
            unwelcome
        } else if !self.near_enough(shape, id, cache, needs_keys) {
            (true, "node(s) didn't match pod affinity rules")
        } else if !self.far_enough(shape, id, cache) {
            (false, "node(s) didn't match pod anti-affinity rules")
        } else if let Some(unwelcome) = unwelcome() {
            unwelcome
        } else {
            return Ok(());
        };
        // Up to 1.21 beside the precise one.
        let also = switches.pod_affinity_also;
        let reasons = also.into_iter().chain([reason]).map(Into::into).collect();
        Err(Rejection { plugin: Plugin::InterPodAffinity, unresolvable, reasons })
    }
}

/// Raw scores of feasible nodes (`PreScore` and `Score`); nothing where no preference applies.
pub(crate) fn score(shape: &Shape, nodes: &[NodeId], cache: &Cache) -> Option<Vec<i64>> {
    let own = !shape.preferred.is_empty();
    if !own
        && !cache.any_affinity_to(shape, |other| {
            other.affinity.iter().chain(other.preferred.iter().map(|(_, term)| term))
        })
    {
        return None;
    }
    let mut sums = Pairs::new();
    let mut touched = false;
    let mut add = |key: KeyId, id: NodeId, weight: i64| {
        if let Some(domain) = cache.topologies.domain(key, id) {
            *sums.entry((key, domain)).or_insert(0) += weight;
            touched = true;
        }
    };
    for &id in cache.list() {
        let Some(info) = cache.node(id) else { continue };
        if !own && info.with_affinity == 0 {
            continue;
        }
        for other in info.pods.iter().map(|p| &*p.shape) {
            let own = shape.preferred.iter().filter(|(_, t)| shape.term_matches(t, other));
            let others = other.preferred.iter().filter(|(_, t)| other.term_matches(t, shape));
            own.chain(others).for_each(|(weight, term)| add(term.key, id, *weight));
            for term in other.affinity.iter().filter(|t| other.term_matches(t, shape)) {
                add(term.key, id, HARD_POD_AFFINITY_WEIGHT);
            }
        }
    }
    let keys: Vec<KeyId> = keys(&sums).collect();
    let of = |id: &NodeId| {
        keys.iter().filter_map(|k| sums.get(&(*k, cache.topologies.domain(*k, *id)?))).sum()
    };
    touched.then(|| nodes.iter().map(of).collect())
}

/// `NormalizeScore`
pub(crate) fn normalize(raw: &[i64], switches: &Switches) -> Vec<i64> {
    let start = (!switches.affinity_scores_by_range).then_some(0);
    let all = || raw.iter().copied().chain(start);
    let (least, most) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
    let span = most - least;
    let of = |s: &i64| {
        if span > 0 {
            (MAX_NODE_SCORE as f64 * ((s - least) as f64 / span as f64)) as i64
        } else {
            0
        }
    };
    raw.iter().map(of).collect()
}
