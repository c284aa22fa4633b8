//! Who is evicted first (`helpers.go: rankMemoryPressure, rankDiskPressureFunc, rankPIDPressure`).

use crate::api::pod::PodSource;
use crate::api::quantity::Quantity;
use crate::api::usage::Used;
use crate::controllers::prelude::*;
use crate::plan::Signal;
use std::cmp::Reverse;

/// The priority from which on a pod is critical (`scheduling.SystemCriticalPriority`).
const SYSTEM_CRITICAL_PRIORITY: i32 = 2_000_000_000;

/// Whether a pod is never evicted, and always admitted (`kubelettypes.IsCriticalPod`).
pub(crate) fn is_critical(template: &PodTemplate) -> bool {
    template.source != PodSource::Api
        || template.priority.is_some_and(|p| p >= SYSTEM_CRITICAL_PRIORITY)
}

/// A pod that may be evicted, and what it uses of what is short.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) uid: Uid,
    pub(crate) pod: Rc<Pod>,
    pub(crate) used: i64,
}

/// What comes first has the least of it: whether it exceeds what it asked for, its priority, how much it uses beyond that.
pub(crate) type Rank = (Reverse<bool>, i32, Reverse<i128>);

/// What a pod asks for.
pub(crate) fn request(template: &PodTemplate, used: Used) -> Quantity {
    template.requests.get(used.as_str()).copied().unwrap_or_default()
}

/// The place of a pod among others. Of inodes upstream takes off the request of bytes, and so it is here; `by_count`: among pods of
/// one priority those with most processes come first.
pub(crate) fn rank(signal: Signal, template: &PodTemplate, used: i64, by_count: bool) -> Rank {
    let resource = signal.resource();
    let priority = template.priority.unwrap_or(0);
    let over = |of: Used| i128::from(used) - request(template, of).value();
    let exceeds = Quantity::from_units(used) > request(template, resource);
    match resource {
        Used::Pids => {
            (Reverse(false), priority, Reverse(if by_count { i128::from(used) } else { 0 }))
        }
        Used::Memory => (Reverse(exceeds), priority, Reverse(over(Used::Memory))),
        _ => (Reverse(exceeds), priority, Reverse(over(Used::NodeFs))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MI: i64 = 1 << 20;

    fn pod(requests: &[(&str, &str)], priority: i32) -> PodTemplate {
        let read = |(name, text): &(&str, &str)| {
            ((*name).to_owned(), Quantity::parse(text).expect("is one"))
        };
        PodTemplate {
            requests: requests.iter().map(read).collect(),
            priority: Some(priority),
            ..PodTemplate::default()
        }
    }

    /// The names of pods in the order in which they are evicted.
    fn order(
        signal: Signal,
        by_count: bool,
        pods: &[(&'static str, PodTemplate, i64)],
    ) -> Vec<&'static str> {
        let mut sorted: Vec<_> = pods.iter().collect();
        sorted.sort_by_key(|(_, template, used)| rank(signal, template, *used, by_count));
        sorted.into_iter().map(|(name, ..)| *name).collect()
    }

    /// `TestOrderedByExceedsRequestMemory`, `TestOrderedByMemory`, `TestOrderedByPriorityMemory`: those that use more than they ask for come
    /// first, the lower priority before the higher, and among equals whoever uses most beyond its request: 300 of none, 400 of
    /// 200 is 200 beyond, 400 of 100 and 400 of 300.
    #[test]
    fn memory_goes_by_excess_priority_and_use_beyond_the_request() {
        let memory = |request: &'static str| [("memory", request)];
        let pods = [
            ("within", pod(&memory("500Mi"), 0), 400 * MI),
            ("within-low", pod(&memory("500Mi"), -10), 400 * MI),
            ("beyond-200", pod(&memory("200Mi"), 0), 400 * MI),
            ("beyond-300", pod(&[], 0), 300 * MI),
            ("beyond-high", pod(&memory("100Mi"), 10_000), 4000 * MI),
            ("beyond-100", pod(&memory("300Mi"), 0), 400 * MI),
        ];
        assert_eq!(
            order(Signal::MemoryAvailable, true, &pods),
            ["beyond-300", "beyond-200", "beyond-100", "beyond-high", "within-low", "within"]
        );
    }

    /// `TestOrderedByInodes`, and `disk` in `helpers.go`: inodes are never asked for, and what is taken off is the request of bytes.
    #[test]
    fn inodes_are_weighed_against_bytes() {
        let disk = [("ephemeral-storage", "100")];
        let pods =
            [("few", pod(&[], 0), 50), ("many-asks", pod(&disk, 0), 120), ("none", pod(&[], 0), 0)];
        assert_eq!(order(Signal::NodeFsInodesFree, true, &pods), ["few", "many-asks", "none"]);
        let bytes = [
            ("asks", pod(&disk, 0), 120),
            ("no", pod(&[], 0), 119),
            ("within", pod(&disk, -1), 99),
        ];
        assert_eq!(order(Signal::NodeFsAvailable, true, &bytes), ["no", "asks", "within"]);
    }

    /// `TestOrderedByProcess`, `rankPIDPressure`: the request counts for nothing; up to 1.18 the number does not count either.
    #[test]
    fn processes_go_by_priority_and_number() {
        let pods = [("low", pod(&[], -1), 1), ("few", pod(&[], 0), 10), ("many", pod(&[], 0), 50)];
        assert_eq!(order(Signal::PidAvailable, true, &pods), ["low", "many", "few"]);
        assert_eq!(order(Signal::PidAvailable, false, &pods), ["low", "few", "many"]);
    }

    #[test]
    fn static_pods_and_those_of_the_system_are_critical() {
        assert!(is_critical(&pod(&[], 2_000_001_000)) && is_critical(&pod(&[], 2_000_000_000)));
        assert!(!is_critical(&pod(&[], 1_999_999_999)) && !is_critical(&PodTemplate::default()));
        assert!(is_critical(&PodTemplate { source: PodSource::File, ..PodTemplate::default() }));
    }
}
