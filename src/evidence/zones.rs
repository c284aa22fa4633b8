//! Zones of nodes of which no object is left: by their names, or by when they got their taints.
//!
//! A zone's queue has one token in ten seconds (`--node-eviction-rate`), so that nodes which were
//! tainted sooner after each other are of several zones. Names that differ in a number at the end
//! alone are of one zone if no two of them were. Otherwise a node that was tainted without waiting
//! found a zone whose token was there, and one that waited came after another of its zone.

use crate::evidence::prelude::*;

/// From one token of a zone to the next, by default.
const TOKEN_US: i64 = 10 * SECOND_US;
/// By how much what is known of taints' times may be off: a taint that waits behind the client's limiter
/// is seen up to so much after its token.
const UNSURE_US: i64 = 2 * SECOND_US;
/// Who is tainted within this time waited for no token.
const AT_ONCE_US: i64 = 3 * SECOND_US / 2;

/// When a node was given up, and when it was tainted NoExecute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tainted {
    pub(super) unknown_us: i64,
    pub(super) tainted_us: i64,
}

/// The zones of these nodes, by their names; none where all may be of one.
pub(super) fn of(
    nodes: &BTreeSet<String>,
    tainted: &BTreeMap<String, Tainted>,
) -> BTreeMap<String, String> {
    let times = |names: &mut dyn Iterator<Item = &String>| {
        let mut times: Vec<i64> = names.filter_map(|n| Some(tainted.get(n)?.tainted_us)).collect();
        times.sort_unstable();
        times
    };
    if !too_near(&times(&mut nodes.iter())) {
        return BTreeMap::new();
    }
    let mut alike: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for name in nodes {
        alike.entry(stem(name)).or_default().push(name);
    }
    let consistent = |names: &Vec<&String>| !too_near(&times(&mut names.iter().copied()));
    if alike.values().all(consistent) {
        let zone_of = |(stem, names): (&str, Vec<&String>)| -> Vec<(String, String)> {
            names.into_iter().map(|n| (n.clone(), stem.to_owned())).collect()
        };
        return alike.into_iter().flat_map(zone_of).collect();
    }
    by_time(nodes, tainted)
}

/// Whether two of these are nearer to each other than tokens of one zone.
fn too_near(times: &[i64]) -> bool {
    times.windows(2).any(|w| w[1] - w[0] < TOKEN_US - UNSURE_US)
}

/// A name without the number at its end: `worker-b` of `worker-b3.example`.
fn stem(name: &str) -> &str {
    let host = name.split('.').next().unwrap_or(name);
    let stem = host.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = stem.trim_end_matches(['-', '_']);
    if stem.is_empty() { host } else { stem }
}

/// The nodes in the order of their taints, each in the first zone that can have tainted it then; the
/// others where the fewest are.
fn by_time(
    nodes: &BTreeSet<String>,
    tainted: &BTreeMap<String, Tainted>,
) -> BTreeMap<String, String> {
    let mut order: Vec<(&String, &Tainted)> =
        tainted.iter().filter(|(n, _)| nodes.contains(*n)).collect();
    order.sort_by_key(|(name, t)| (t.tainted_us, *name));
    // The last taint of each zone, and its nodes.
    let mut zones: Vec<(i64, Vec<&String>)> = Vec::new();
    for (name, t) in order {
        let waited = t.tainted_us - t.unknown_us > AT_ONCE_US;
        let fits = |last: i64| {
            let gap = t.tainted_us - last;
            if waited { (gap - TOKEN_US).abs() <= UNSURE_US } else { gap >= TOKEN_US - UNSURE_US }
        };
        match zones.iter_mut().find(|(last, _)| fits(*last)) {
            Some(zone) => {
                zone.0 = t.tainted_us;
                zone.1.push(name);
            }
            None => zones.push((t.tainted_us, vec![name])),
        }
    }
    for name in nodes.iter().filter(|n| !tainted.contains_key(*n)) {
        if let Some(zone) = zones.iter_mut().min_by_key(|zone| zone.1.len()) {
            zone.1.push(name);
        }
    }
    let numbered = zones.into_iter().enumerate().flat_map(|(i, (_, names))| {
        let zone = format!("zone-{}", i + 1);
        names.into_iter().map(move |n| (n.clone(), zone.clone()))
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Given up and tainted at these seconds.
    fn tainted(all: &[(&str, i64, i64)]) -> BTreeMap<String, Tainted> {
        let one = |(name, unknown, tainted): &(&str, i64, i64)| {
            let t = Tainted { unknown_us: unknown * SECOND_US, tainted_us: tainted * SECOND_US };
            ((*name).to_owned(), t)
        };
        all.iter().map(one).collect()
    }

    fn zones(nodes: &[&str], all: &[(&str, i64, i64)]) -> Vec<(String, String)> {
        let nodes = nodes.iter().map(|n| (*n).to_owned()).collect();
        of(&nodes, &tainted(all)).into_iter().collect()
    }

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    /// Every ten seconds one: a single queue did that.
    #[test]
    fn what_one_queue_can_do_is_one_zone() {
        let all = [("n-1", 0, 0), ("n-2", 0, 10), ("n-3", 0, 20)];
        assert_eq!(zones(&["n-1", "n-2", "n-3", "n-4"], &all), []);
    }

    /// Two at once are of two zones, and their names say which of the others are of these.
    #[test]
    fn names_tell_zones_if_times_allow_it() {
        let all = [("w-a1", 0, 0), ("w-b1", 0, 0), ("w-b2.example", 0, 10)];
        assert_eq!(
            zones(&["w-a1", "w-a2", "w-b1", "w-b2.example"], &all),
            pairs(&[("w-a1", "w-a"), ("w-a2", "w-a"), ("w-b1", "w-b"), ("w-b2.example", "w-b")])
        );
    }

    /// Two names alike were tainted at once: `n-3` waited for the next token of the first, `n-4`, which
    /// came later, for that of the second; the healthy one goes where fewer are.
    #[test]
    fn otherwise_times_tell_them() {
        let all = [("n-1", 0, 0), ("n-2", 3, 3), ("n-3", 0, 10), ("n-4", 3, 13), ("n-5", 0, 20)];
        assert_eq!(
            zones(&["n-1", "n-2", "n-3", "n-4", "n-5", "n-9"], &all),
            pairs(&[
                ("n-1", "zone-1"),
                ("n-2", "zone-2"),
                ("n-3", "zone-1"),
                ("n-4", "zone-2"),
                ("n-5", "zone-1"),
                ("n-9", "zone-2")
            ])
        );
    }
}
