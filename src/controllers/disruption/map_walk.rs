//! What Go comes to first when it walks the map of a namespace's pods (`thread_safe_store.go`:
//! `ByIndex`; Go's `internal/runtime/maps`, 1.24 to 1.26).

use crate::controllers::prelude::*;
use crate::kernel::GROUP_SLOTS as SLOTS;

/// Slots of the largest map whose pods have places; in a larger one any pod may be first.
const MOST_SLOTS: usize = 128;
/// The pods that such a map holds, which is never fuller than seven slots of eight.
pub(super) const MOST_PLACED: usize = MOST_SLOTS / SLOTS * (SLOTS - 1);

/// Walks of one process over the maps of its caches.
pub(super) struct MapWalk {
    ctx: Ctx,
    /// The pods' hashes: their seed is another in each process.
    hashes: Shared<BTreeMap<PodId, usize>>,
}

impl MapWalk {
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self { ctx: ctx.clone(), hashes: Shared::default() }
    }

    /// The pod of `wanted`, of several, that a walk over the map of the pods `there`, oldest first, comes to
    /// first. `about` is what the walk is made for.
    pub(super) fn first(&self, about: Object, there: &[PodId], wanted: &[PodId]) -> Option<PodId> {
        let point = self.ctx.point("pod-without-scale");
        let choose = |n: usize| self.ctx.choose(point, about, n as u32) as usize;
        if there.len() > MOST_PLACED {
            return wanted.get(choose(wanted.len())).copied();
        }
        let hash =
            |pod| self.hashes.with(|h| *h.entry(pod).or_insert_with(|| choose(MOST_SLOTS / SLOTS)));
        let places = Places::of(there, hash);
        places.first(choose(places.slots), wanted)
    }
}

/// Where Go keeps the pods of a map: in groups, each filled from its first slot on.
struct Places {
    slots: usize,
    of: BTreeMap<PodId, usize>,
}

impl Places {
    fn of(pods: &[PodId], hash: impl Fn(PodId) -> usize) -> Self {
        let slots = if pods.len() <= SLOTS {
            SLOTS
        } else {
            (pods.len() * SLOTS).div_ceil(SLOTS - 1).next_power_of_two()
        };
        let mut taken = vec![0; slots / SLOTS];
        let mut of = BTreeMap::new();
        for &pod in pods {
            let first = if taken.len() == 1 { 0 } else { hash(pod) };
            // A full group hands on to the next.
            let mut groups = (0..taken.len()).map(|i| (first + i) % taken.len());
            if let Some(group) = groups.find(|g| taken[*g] < SLOTS) {
                of.insert(pod, group * SLOTS + taken[group]);
                taken[group] += 1;
            }
        }
        Self { slots, of }
    }

    /// The pod that a walk finds first that starts at a slot, and goes round.
    fn first(&self, from: usize, wanted: &[PodId]) -> Option<PodId> {
        let way = |pod: &PodId| {
            let place = self.of.get(pod).copied().unwrap_or_default();
            (place + self.slots - from) % self.slots
        };
        wanted.iter().min_by_key(|pod| way(pod)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Places;
    use crate::api::names::PodId;

    fn pods(n: usize) -> Vec<PodId> {
        (0..n).map(|i| PodId(i as u32)).collect()
    }

    /// How often each pod comes first, over all slots at which a walk may start.
    fn counts(places: &Places, wanted: &[PodId]) -> Vec<usize> {
        let mut counts = vec![0; wanted.len()];
        for from in 0..places.slots {
            let first = places.first(from, wanted);
            for (count, pod) in counts.iter_mut().zip(wanted) {
                *count += usize::from(first == Some(*pod));
            }
        }
        counts
    }

    /// Four of eight slots are free, and from those a walk comes to the first pod: 1 + 4 of 8.
    #[test]
    fn a_small_map_mostly_begins_with_its_oldest() {
        let pods = pods(4);
        let places = Places::of(&pods, |_| 0);
        assert_eq!(counts(&places, &pods), [5, 1, 1, 1]);
        // Where only the last two are looked for, the first of them is found from six slots more.
        assert_eq!(counts(&places, &pods[2..]), [7, 1]);
    }

    /// Nine pods take sixteen slots: pods 0 to 4 lie in one group and 5 to 8 in the other. A walk from
    /// one of the three or four free slots behind them comes to the other group's first.
    #[test]
    fn a_larger_map_mostly_begins_with_the_oldest_of_a_group() {
        let pods = pods(9);
        let places = Places::of(&pods, |pod| usize::from(pod.index() > 4));
        assert_eq!(places.slots, 16);
        assert_eq!(counts(&places, &pods), [5, 1, 1, 1, 1, 4, 1, 1, 1]);
    }

    /// All nine want the first group, which has eight slots.
    #[test]
    fn a_full_group_hands_on() {
        let pods = pods(9);
        let places = Places::of(&pods, |_| 0);
        assert_eq!(places.of.get(&pods[8]), Some(&8));
    }
}
