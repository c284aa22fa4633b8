//! Which pods of a ReplicaSet go first (`pkg/controller/controller_utils.go: ActivePodsWithRanks`).
//!
//! Left out: restart counts, which no modelled object has.

use crate::controllers::prelude::*;
use std::cmp::Ordering;

/// A pod and how many active pods of related ReplicaSets are on its node.
pub(super) struct Ranked {
    pub(super) pod: Rc<Pod>,
    pub(super) rank: usize,
    /// What its uid is compared by: upstream's are random (`uuid.NewUUID`). Of those that have the same the older one's is
    /// lower.
    pub(super) uid: u64,
}

/// What a ReplicaSet looks at beside what all controllers look at (`ActivePods`).
#[derive(Clone, Copy, Default)]
pub(super) struct Rules {
    /// Pods that cost less go first (gate PodDeletionCost).
    pub(super) deletion_cost: bool,
    /// Ages are compared by their logarithm (gate LogarithmicScaleDown).
    pub(super) logarithmic: bool,
}

/// Sorts pods so that those that are deleted first come first. The rules may go round in circles, for which the standard library
/// has panics: uids are asked where times differ, and what comes after that where they do not.
pub(super) fn sorted(mut pods: Vec<Ranked>, now: Time, rules: Rules) -> Vec<Ranked> {
    if pods.len() < 2 {
        return pods;
    }
    let behind = sorted(pods.split_off(pods.len() / 2), now, rules).into_iter();
    let (mut behind, mut all) = (behind.peekable(), Vec::with_capacity(2 * pods.len() + 1));
    for a in sorted(pods, now, rules) {
        while let Some(b) = behind.next_if(|b| compare(b, &a, now, rules).is_lt()) {
            all.push(b);
        }
        all.push(a);
    }
    all.extend(behind);
    all
}

fn compare(a: &Ranked, b: &Ranked, now: Time, rules: Rules) -> Ordering {
    let logarithmic = rules.logarithmic;
    let cost = |pod: &Pod| {
        if rules.deletion_cost { pod.template.deletion_cost } else { 0 }
    };
    let (p, q) = (&*a.pod, &*b.pod);
    p.node
        .is_some()
        .cmp(&q.node.is_some())
        .then_with(|| phase(p).cmp(&phase(q)))
        .then_with(|| p.is_ready().cmp(&q.is_ready()))
        .then_with(|| cost(p).cmp(&cost(q)))
        .then_with(|| b.rank.cmp(&a.rank))
        .then_with(|| {
            let since =
                |pod: &Pod| pod.ready.filter(|_| pod.is_ready()).map(|c| c.last_transition_time);
            match (since(p), since(q)) {
                (Some(s), Some(t)) => younger_first(s, t, a, b, now, logarithmic),
                _ => Ordering::Equal,
            }
        })
        .then_with(|| {
            younger_first(p.creation_timestamp, q.creation_timestamp, a, b, now, logarithmic)
        })
}

fn phase(pod: &Pod) -> u8 {
    if pod.phase == PodPhase::Pending { 0 } else { 2 }
}

/// The one with the later time first; with the logarithmic rule times whose ages have the same
/// magnitude are distinguished by uid.
fn younger_first(
    s: Timestamp,
    t: Timestamp,
    a: &Ranked,
    b: &Ranked,
    now: Time,
    logarithmic: bool,
) -> Ordering {
    if s == t {
        return Ordering::Equal;
    }
    if !logarithmic {
        return t.cmp(&s);
    }
    magnitude(s, now)
        .cmp(&magnitude(t, now))
        .then_with(|| (a.uid, a.pod.uid).cmp(&(b.uid, b.pod.uid)))
}

/// The logarithm of an age in nanoseconds to base two, rounded down; -1 for no age
/// (`logarithmicRankDiff`).
fn magnitude(t: Timestamp, now: Time) -> i64 {
    let age = i128::from(now.as_nanos()) - i128::from(t.0) * 1_000_000_000;
    if age <= 0 { -1 } else { i64::from(age.ilog2()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 s is 2^30.9 ns and 1 s 2^29.9 ns, so they differ; 5 s (2^32.2) and 6 s (2^32.5) do not.
    #[test]
    fn ages_are_compared_by_magnitude() {
        let now = Time::from_nanos(10_000_000_000);
        assert_eq!([9, 8, 5, 4, 10].map(|t| magnitude(Timestamp(t), now)), [29, 30, 32, 32, -1]);
    }
}
