//! PodTopologySpread (`plugins/podtopologyspread`), its scores.

use super::super::topology::ABSENT;
use super::pod_topology_spread::{eligible, has_all_keys};
use crate::api::node::{LABEL_HOSTNAME, LABEL_ZONE};
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::SpreadScore;

/// The constraints that pods without any get in scoring, with the selector of their services and
/// owner (`buildDefaultConstraints`).
pub(crate) fn default_constraints(
    cache: &mut Cache,
    namespace: &str,
    selector: &Selector,
) -> Vec<Spread> {
    let (zone, host) = (cache.topologies.key(LABEL_ZONE), cache.topologies.key(LABEL_HOSTNAME));
    let tally = cache.tallies.id(namespace, Some(selector));
    [(host, true, 3), (zone, false, 5)]
        .map(|(key, by_host, max_skew)| Spread {
            key,
            by_host,
            max_skew,
            selector: Some(selector.clone()),
            tally,
            min_domains: 1,
            honor_affinity: true,
            honor_taints: false,
        })
        .into()
}

/// Scores of feasible nodes: those of one class have the same.
pub struct Scores {
    /// By node: its class.
    pub class_of: Vec<u32>,
    /// By class: its score; none for nodes that are not to be scored, and where there is no node of
    /// the class.
    pub of_class: Vec<Option<i64>>,
}

/// Raw scores of feasible nodes (`PreScore` and `Score`), which may come with their places.
pub fn score(
    shape: &Shape,
    constraints: &[Spread],
    all_keys: bool,
    (nodes, places): (&[NodeId], Option<&[u32]>),
    cache: &mut Cache,
    switches: &Switches,
) -> Scores {
    let plain = switches.spread_score == SpreadScore::PlainSum;
    let all_keys = all_keys || plain;
    // The plain sum is about each node for itself.
    let by_place = places
        .filter(|_| !plain)
        .and_then(|places| classes_by_place(constraints, nodes, places, cache));
    let classes = if plain || !cache.indexed {
        None
    } else {
        by_place.or_else(|| classes(shape, constraints, nodes, cache))
    };
    let Classes { class_of, size, known: classes, examples } =
        classes.unwrap_or_else(|| Classes::one_each(nodes));
    let scored: Vec<bool> =
        examples.iter().map(|id| !all_keys || has_all_keys(constraints, cache, *id)).collect();
    let among = nodes_scored(nodes.len(), &class_of, size, &classes, &scored);
    let mut sums = vec![0.0; examples.len()];
    for constraint in constraints {
        let (weight, counts) = if constraint.by_host && !plain {
            let mut counts = Vec::with_capacity(examples.len());
            cache.counts(&examples, &shape.namespace, constraint, |_, count| counts.push(count));
            (normalizing_weight(among), counts)
        } else {
            let by_domain =
                domain_counts(shape, constraint, constraints, all_keys, cache, switches);
            counts_of_domains(&by_domain, constraint.key, &examples, &scored, cache)
        };
        let (weight, more) =
            if plain { (1.0, 0.0) } else { (weight, (constraint.max_skew - 1) as f64) };
        let domains = cache.topologies.all(constraint.key);
        for ((sum, id), count) in sums.iter_mut().zip(&examples).zip(counts) {
            if domains.get(id.index()).is_some_and(|d| *d != ABSENT) {
                *sum += count as f64 * weight + more;
            }
        }
    }
    let mut of_class = vec![None; size];
    for ((class, sum), scored) in classes.into_iter().zip(sums).zip(scored) {
        of_class[class as usize] = scored.then(|| whole(sum, switches.spread_score));
    }
    Scores { class_of, of_class }
}

/// How many of the feasible nodes are scored: those of classes that are.
fn nodes_scored(
    nodes: usize,
    class_of: &[u32],
    size: usize,
    classes: &[u32],
    scored: &[bool],
) -> usize {
    if scored.iter().all(|s| *s) {
        return nodes;
    }
    let mut left_out = vec![false; size];
    classes.iter().zip(scored).for_each(|(class, scored)| left_out[*class as usize] = !scored);
    class_of.iter().filter(|class| !left_out[**class as usize]).count()
}

/// The weight of a constraint on domains of several nodes, and how many pods it counts for a node
/// of each class.
fn counts_of_domains(
    by_domain: &[i64],
    key: KeyId,
    examples: &[NodeId],
    scored: &[bool],
    cache: &Cache,
) -> (f64, Vec<i64>) {
    let domains = cache.topologies.all(key);
    let domain = |id: &NodeId| domains.get(id.index()).copied().unwrap_or(ABSENT) as usize;
    // Nodes without the label count as a domain of their own here.
    let mut seen = vec![false; by_domain.len() + 1];
    for (id, _) in examples.iter().zip(scored).filter(|(_, scored)| **scored) {
        seen[domain(id).min(by_domain.len())] = true;
    }
    let size = seen.iter().filter(|s| **s).count();
    let count = |id| by_domain.get(domain(id)).copied().unwrap_or(0);
    (normalizing_weight(size), examples.iter().map(count).collect())
}

/// A score as a whole number.
fn whole(sum: f64, how: SpreadScore) -> i64 {
    // Sums are not below zero, so this is `math.Round`.
    let down = sum as i64;
    if how == SpreadScore::Rounded && sum - down as f64 >= 0.5 { down + 1 } else { down }
}

/// More classes than this are not looked for.
const CLASSES: usize = 1 << 12;

/// Nodes that score alike.
struct Classes {
    /// By node: its class.
    class_of: Vec<u32>,
    /// Classes are below this.
    size: usize,
    /// The classes that there are nodes of, and a node of each.
    known: Vec<u32>,
    examples: Vec<NodeId>,
}

impl Classes {
    fn of(class_of: Vec<u32>, size: usize, nodes: &[NodeId]) -> Self {
        let mut example_of = vec![NodeId(u32::MAX); size];
        class_of.iter().zip(nodes).for_each(|(class, id)| example_of[*class as usize] = *id);
        let known = (0..).zip(example_of).filter(|(_, id)| id.0 != u32::MAX);
        let (known, examples) = known.unzip();
        Self { class_of, size, known, examples }
    }

    /// A class for each node.
    fn one_each(nodes: &[NodeId]) -> Self {
        let known: Vec<u32> = (0..nodes.len() as u32).collect();
        Self { class_of: known.clone(), size: nodes.len(), known, examples: nodes.to_vec() }
    }
}

/// Nodes that differ neither in their domains nor, where single nodes are domains, in how many pods
/// they have score alike. Their class is a number of two digits or so: for each constraint the
/// domain or the count, one higher, as zero stands for the lack of the label.
fn classes(
    shape: &Shape,
    constraints: &[Spread],
    nodes: &[NodeId],
    cache: &mut Cache,
) -> Option<Classes> {
    let (mut class_of, mut size) = (std::mem::take(&mut cache.spare), 1);
    class_of.clear();
    class_of.resize(nodes.len(), 0);
    for constraint in constraints {
        let domains = cache.topologies.domains(constraint.key);
        let most = if constraint.by_host { cache.most(constraint) as usize } else { domains };
        let range = most + 2;
        size *= range;
        if size > CLASSES {
            cache.spare = class_of;
            return None;
        }
        let range = range as u32;
        if constraint.by_host {
            cache.counts(nodes, &shape.namespace, constraint, |i, count| {
                class_of[i] = class_of[i] * range + count as u32 + 1
            });
            let domains = cache.topologies.all(constraint.key);
            let lacks = |id: &NodeId| domains.get(id.index()).is_none_or(|d| *d == ABSENT);
            if cache.topologies.any_without(constraint.key) {
                for (class, _) in class_of.iter_mut().zip(nodes).filter(|(_, id)| lacks(id)) {
                    *class -= *class % range;
                }
            }
        } else {
            let domains = cache.topologies.all(constraint.key);
            let digit = |id: &NodeId| domains.get(id.index()).map_or(0, |d| d.wrapping_add(1));
            for (class, id) in class_of.iter_mut().zip(nodes) {
                *class = *class * range + digit(id);
            }
        }
    }
    Some(Classes::of(class_of, size, nodes))
}

/// As [`classes`], for nodes whose places are known, in the order in which they are tried: what
/// their labels make of them lies by place, and few of them have any of the pods. None where a node
/// lacks the label of its name.
fn classes_by_place(
    constraints: &[Spread],
    nodes: &[NodeId],
    places: &[u32],
    cache: &mut Cache,
) -> Option<Classes> {
    let mut by_host = constraints.iter().filter(|c| c.by_host);
    let host = by_host.next();
    if by_host.next().is_some() || host.is_some_and(|c| cache.topologies.any_without(c.key)) {
        return None;
    }
    let most = host.map_or(0, |host| cache.most(host)) as usize;
    let keys: Vec<KeyId> = constraints.iter().filter(|c| !c.by_host).map(|c| c.key).collect();
    let codes_size = keys
        .iter()
        .try_fold(1, |size: usize, key| size.checked_mul(cache.topologies.domains(*key) + 1))?;
    let size = codes_size.checked_mul(most + 1).filter(|size| *size <= CLASSES)?;
    let mut class_of = std::mem::take(&mut cache.spare);
    let codes = cache.codes_by_place(&keys);
    class_of.clear();
    class_of.extend(places.iter().map(|place| codes[*place as usize]));
    if let Some(host) = host {
        if let Some(counts) = cache.tallies.dense(host.tally) {
            let count = |id: &NodeId| counts.get(id.index()).map_or(0, |n| *n);
            for (class, id) in class_of.iter_mut().zip(nodes) {
                *class += count(id) * codes_size as u32;
            }
        } else {
            let (all, first) = (cache.list().len() as u32, places.first().copied().unwrap_or(0));
            let rank = |place: u32| {
                if place < first { place + all - first } else { place - first }
            };
            cache.each_count(host, |place, count| {
                if let Ok(at) = places.binary_search_by_key(&rank(place), |p| rank(*p)) {
                    class_of[at] += count * codes_size as u32;
                }
            });
        }
    }
    Some(Classes::of(class_of, size, nodes))
}

/// How much a pod weighs where there is that number of domains: the natural logarithm of two more
/// (`topologyNormalizingWeight`).
///
/// Worked out with additions, multiplications and one division, as by FreeBSD's and Go's libraries,
/// so that it is the same to the last bit everywhere: n = 2^k (1 + f) with f near zero, s = f / (2
/// + f), and log(1 + f) = f - f²/2 + s (f²/2 + R(s²)).
fn normalizing_weight(domains: usize) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// R's coefficients, by powers of s².
    const R: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_659e-1,
    ];
    let n = domains as u64 + 2;
    let mut k = n.ilog2() + 1;
    let mut fraction = n as f64 / (1_u64 << k) as f64;
    if fraction < std::f64::consts::FRAC_1_SQRT_2 {
        fraction *= 2.0;
        k -= 1;
    }
    let (f, k) = (fraction - 1.0, f64::from(k));
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let odd = s2 * (R[0] + s4 * (R[2] + s4 * (R[4] + s4 * R[6])));
    let even = s4 * (R[1] + s4 * (R[3] + s4 * R[5]));
    let half_square = 0.5 * f * f;
    k * LN2_HIGH - ((half_square - (s * (half_square + odd + even) + k * LN2_LOW)) - f)
}

/// Matching pods by domain, over all nodes that count.
fn domain_counts(
    shape: &Shape,
    constraint: &Spread,
    constraints: &[Spread],
    all_keys: bool,
    cache: &mut Cache,
    switches: &Switches,
) -> Vec<i64> {
    let everywhere = !shape.selects_nodes() || !constraint.honor_affinity;
    if everywhere
        && !constraint.honor_taints
        && (!all_keys || constraints.len() == 1)
        && let Some(sums) = cache.domain_sums(constraint)
    {
        return sums.to_vec();
    }
    let mut counts = vec![0; cache.topologies.domains(constraint.key)];
    for &id in cache.list() {
        let Some(info) = cache.node(id) else { continue };
        if all_keys && !has_all_keys(constraints, cache, id)
            || !eligible(shape, constraint, info, switches)
        {
            continue;
        }
        if let Some(domain) = cache.topologies.domain(constraint.key, id) {
            counts[domain as usize] += cache.count(id, &shape.namespace, constraint);
        }
    }
    counts
}

/// `NormalizeScore`, by class: fewer pods are better.
pub fn normalize(raw: &[Option<i64>], how: SpreadScore) -> Vec<i64> {
    let least = raw.iter().flatten().copied().min().unwrap_or(0);
    if how == SpreadScore::PlainSum {
        let total: i64 = raw.iter().flatten().sum();
        let least = if raw.iter().flatten().next().is_some() { least } else { i64::MAX };
        let span = total.wrapping_sub(least);
        let flip = |s: i64| (MAX_NODE_SCORE as f64 * ((total - s) as f64 / span as f64)) as i64;
        let of = |s: &Option<i64>| if span == 0 { MAX_NODE_SCORE } else { s.map_or(0, flip) };
        return raw.iter().map(of).collect();
    }
    let most = raw.iter().flatten().copied().max().unwrap_or(0).max(0);
    let of = |s: i64| {
        if most == 0 { MAX_NODE_SCORE } else { MAX_NODE_SCORE * (most + least - s) / most }
    };
    raw.iter().map(|s| s.map_or(0, of)).collect()
}

#[cfg(test)]
mod tests {
    use super::normalizing_weight;

    /// ln 3, ln 6, ln 102 and ln 5002 from a table of logarithms; upstream's comment gives the
    /// range, 1.09 to 8.52.
    #[test]
    fn weights_are_logarithms() {
        for (domains, ln) in [
            (1, 1.098_612_288_668_109_8),
            (4, 1.791_759_469_228_055),
            (100, 4.624_972_813_284_271),
            (5_000, 8.517_593_111_437_565),
        ] {
            assert!(
                (normalizing_weight(domains) - ln).abs() < 1e-13,
                "{domains}: {}",
                normalizing_weight(domains)
            );
        }
    }
}
