//! Whose pods are: what says so, and otherwise their names. Events of one object are dropped when
//! they are many (`tools/record/events_cache.go`), so that of a workload's pods some have none.

use crate::evidence::prelude::*;

/// The letters of generated names (`apimachinery/pkg/util/rand`).
const GENERATED: &str = "bcdfghjklmnpqrstvwxz2456789";
/// How many of them end a pod's name (`apiserver/pkg/storage/names`).
const SUFFIX: usize = 5;
/// How many a Deployment puts behind its name for a ReplicaSet, at least: those of a number of 32
/// bits, encoded letter by letter (`pod-template-hash`).
const HASH: std::ops::RangeInclusive<usize> = 6..=10;

/// The workloads of the pods of which something is said, `Kind/namespace/name`.
pub(super) fn of(statements: &[Statement]) -> BTreeMap<&str, String> {
    let mut owners: BTreeMap<&str, String> = BTreeMap::new();
    for s in statements {
        if let Said::Created { pod, owner } = &s.said {
            owners.insert(pod, owner.clone());
        }
    }
    let by_name_alone = |o: &String| Some((o.split_once('/')?.1.to_owned(), o.clone()));
    let known: BTreeMap<String, String> = owners.values().filter_map(by_name_alone).collect();
    let pods: BTreeSet<&str> = statements.iter().filter_map(|s| s.said.pod()).collect();
    for pod in pods {
        if !owners.contains_key(pod)
            && let Some(owner) = by_name(pod, &known)
        {
            owners.insert(pod, owner);
        }
    }
    owners
}

/// The workload that a pod's name says: one that is known to be called so, or a ReplicaSet of a
/// Deployment, whose pods' names end in two generated parts.
fn by_name(pod: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let (full, last) = pod.rsplit_once('-')?;
    let number = parent_and_ordinal(pod).is_some();
    let suffix = is_suffix(last);
    if let Some(owner) = known.get(full) {
        let fits = if owner.starts_with("StatefulSet/") { number } else { suffix };
        return fits.then(|| owner.clone());
    }
    let (_, hash) = full.rsplit_once('-')?;
    (suffix && is_template_hash(hash)).then(|| format!("ReplicaSet/{full}"))
}

fn is_generated(text: &str) -> bool {
    text.chars().all(|c| GENERATED.contains(c))
}

/// Whether a part of a name is one that the API server generates.
pub(super) fn is_suffix(part: &str) -> bool {
    part.len() == SUFFIX && is_generated(part)
}

/// Whether a part of a name is a `pod-template-hash`.
pub(super) fn is_template_hash(part: &str) -> bool {
    HASH.contains(&part.len()) && is_generated(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of a real cluster, `tests/real/`.
    #[test]
    fn names_say_whose_pods_are() {
        let known = [
            ("tl/tl-sts", "StatefulSet/tl/tl-sts"),
            ("kube-system/node-agent", "DaemonSet/kube-system/node-agent"),
        ];
        let known = known.map(|(n, o)| (n.to_owned(), o.to_owned())).into();
        let of = |pod: &str| by_name(pod, &known);
        let is = |owner: &str| Some(owner.to_owned());
        assert_eq!(of("tl/tl-sts-11"), is("StatefulSet/tl/tl-sts"));
        assert_eq!(of("tl/tl-sts-kqx6l"), None);
        assert_eq!(of("kube-system/node-agent-cj8k5"), is("DaemonSet/kube-system/node-agent"));
        assert_eq!(of("tl/tl-30-6f54b6cf7f-h78d6"), is("ReplicaSet/tl/tl-30-6f54b6cf7f"));
        // A number says nothing if no such workload is known, and one generated part may be a Job's.
        for pod in ["shop/db-0", "shop/backup-x7k2p", "shop/web", "shop/a-worker-house"] {
            assert_eq!(of(pod), None, "{pod}");
        }
    }
}
