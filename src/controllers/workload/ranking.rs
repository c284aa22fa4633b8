//! Which pods of a ReplicaSet go first (`pkg/controller/controller_utils.go: ActivePodsWithRanks`), and which of a Job
//! (`ActivePods`).

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

/// What is looked at beside what every release looks at.
#[derive(Clone, Copy, Default)]
pub(super) struct Rules {
    /// Pods that cost less go first (gate PodDeletionCost).
    pub(super) deletion_cost: bool,
    /// Ages are compared by their logarithm (gate LogarithmicScaleDown).
    pub(super) logarithmic: bool,
    /// Restarts of sidecars count.
    pub(super) sidecar_restarts: bool,
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
    // `compareMaxContainerRestarts`
    let restarts = |pod: &Pod| {
        (pod.restarts.most, if rules.sidecar_restarts { pod.restarts.sidecars } else { 0 })
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
        .then_with(|| restarts(q).cmp(&restarts(p)))
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
    use crate::api::container::{Restarts, Role};

    /// 2 s is 2^30.9 ns and 1 s 2^29.9 ns, so they differ; 5 s (2^32.2) and 6 s (2^32.5) do not.
    #[test]
    fn ages_are_compared_by_magnitude() {
        let now = Time::from_nanos(10_000_000_000);
        assert_eq!([9, 8, 5, 4, 10].map(|t| magnitude(Timestamp(t), now)), [29, 30, 32, 32, -1]);
    }

    /// `compareMaxContainerRestarts`: 3 of one container are more than 2 of each of two, whose sum is 4; where the greatest are
    /// alike that of sidecars tells, where it counts. Init containers never do.
    #[test]
    fn restarts_are_compared_by_the_greatest() {
        let pod = |restarts: &[(Role, u32)]| {
            let mut pod = Pod::pending(PodId(0), Rc::default(), None);
            pod.restarts = Restarts::default();
            restarts.iter().for_each(|(role, count)| pod.restarts.add(*role, *count));
            Ranked { pod: Rc::new(pod), rank: 0, uid: 0 }
        };
        let (three, twice) =
            (pod(&[(Role::Beside, 3)]), pod(&[(Role::Beside, 2), (Role::Beside, 2)]));
        let (sidecar, init) = (
            pod(&[(Role::Sidecar, 5), (Role::Beside, 2)]),
            pod(&[(Role::Init, 9), (Role::Beside, 2)]),
        );
        for (sidecar_restarts, by_sidecar) in [(false, Ordering::Equal), (true, Ordering::Less)] {
            let rules = Rules { sidecar_restarts, ..Rules::default() };
            assert!(compare(&three, &twice, Time::ZERO, rules).is_lt());
            assert!(compare(&twice, &init, Time::ZERO, rules).is_eq());
            assert_eq!(compare(&sidecar, &init, Time::ZERO, rules), by_sidecar);
        }
    }
}
