//! Node-pressure eviction: pods are evicted because their node runs short of something (`pkg/kubelet/eviction`, 1.37, with
//! what differs from 1.18 on as switches).
//!
//! Here is what can be told from figures alone: which thresholds are met, for how long, and what is said of that (`helpers.go`),
//! whom that meets (`helpers.go: rankMemoryPressure, rankDiskPressureFunc, rankPIDPressure`), and what a kubelet remembers and whom
//! it admits meanwhile. What is used is in `stats`, the loop in `eviction_manager`.
//!
//! What is used is stated, and measured in the instant in which it is asked for. Left out are limits of local storage
//! (`localStorageEviction`), notifications of the kernel (`--kernel-memcg-notification`, off by default), swap, the container
//! filesystem on a disk of its own, and the kernel's own killing of processes where nothing is left before the loop looks.

use crate::api::quantity::Quantity;
use crate::api::taint::MEMORY_PRESSURE;
use crate::controllers::kubelet::prelude::*;
use crate::plan::Threshold;
use crate::plan::switches::kubelet::EvictionMessage;
use std::cmp::Reverse;

/// What is there of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Observation {
    pub(super) available: i64,
    pub(super) capacity: i64,
}

/// What is there, by [`Signal`]; none of what cannot be observed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Observations(pub(super) [Option<Observation>; Signal::ALL.len()]);

impl Observations {
    fn of(&self, signal: Signal) -> Option<Observation> {
        self.0[signal as usize]
    }

    /// All memory is used.
    pub(super) fn has_no_memory(&self) -> bool {
        self.of(Signal::MemoryAvailable).is_some_and(|o| o.available == 0)
    }
}

/// Thresholds by their places in the configuration.
pub(super) type Met = Vec<usize>;

/// Those of some thresholds that are met whatever their grace (`thresholdsMet`).
pub(super) fn thresholds_met(
    config: &Eviction,
    of: impl IntoIterator<Item = usize>,
    observations: &Observations,
    enforce_min_reclaim: bool,
) -> Met {
    let is_met = |place: &usize| {
        let t = &config.thresholds[*place];
        let Some(seen) = observations.of(t.signal) else { return false };
        let mut wanted = t.value.of(seen.capacity);
        if let Some(more) = t.min_reclaim.filter(|_| enforce_min_reclaim) {
            wanted = wanted.checked_add(more.of(seen.capacity)).unwrap_or(wanted);
        }
        wanted > Quantity::from_units(seen.available)
    };
    of.into_iter().filter(is_met).collect()
}

/// What a manager remembers from one look to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// The conditions that are True, in the order of their types.
    pub(super) conditions: Vec<NodeConditionType>,
    /// When each was last found True.
    last_observed_at: BTreeMap<NodeConditionType, Time>,
    /// When each threshold that is met was first found so.
    first_observed_at: Vec<(usize, Time)>,
    /// Those that have been met for their grace, and are not resolved yet.
    met: Met,
}

impl Remembered {
    /// Takes in what is observed now; the thresholds for which pods are to be evicted (`synchronize`, up to its lock).
    pub(super) fn observe(
        &mut self,
        config: &Eviction,
        observations: &Observations,
        now: Time,
    ) -> Met {
        let all = 0..config.thresholds.len();
        let mut thresholds = thresholds_met(config, all, observations, false);
        for place in thresholds_met(config, self.met.iter().copied(), observations, true) {
            if !thresholds.contains(&place) {
                thresholds.push(place);
            }
        }
        let before = std::mem::take(&mut self.first_observed_at);
        let first = |place: usize| before.iter().find(|(p, _)| *p == place).map_or(now, |b| b.1);
        self.first_observed_at = thresholds.iter().map(|p| (*p, first(*p))).collect();
        for place in &thresholds {
            self.last_observed_at.insert(config.thresholds[*place].signal.condition(), now);
        }
        let period = config.pressure_transition_period;
        let observed = self.last_observed_at.iter();
        let lasting = observed.filter(|(_, at)| now.since(**at) < period);
        self.conditions = lasting.map(|(condition, _)| *condition).collect();
        let grace_is_over =
            |of: &&(usize, Time)| now.since(of.1) >= config.thresholds[of.0].grace_period;
        self.met = self.first_observed_at.iter().filter(grace_is_over).map(|(p, _)| *p).collect();
        // Memory comes before everything else (`byEvictionPriority`); of the others Go's map decides.
        let mut sorted = self.met.clone();
        sorted.sort_by_key(|p| config.thresholds[*p].signal.resource() != Used::Memory);
        sorted
    }

    /// Whether nothing is short, nor was lately: a look changes nothing until something is.
    pub(super) fn is_calm(&self) -> bool {
        self.conditions.is_empty() && self.first_observed_at.is_empty() && self.met.is_empty()
    }

    /// Why a pod is not admitted, if it is not (`managerImpl.Admit`): a critical one always is, any other never while
    /// anything but memory is short. While memory is, one is that asks for CPU or memory, or tolerates the taint.
    pub(super) fn refuses(&self, template: &PodTemplate) -> Option<String> {
        let tolerates = || {
            let taint = Taint::new(MEMORY_PRESSURE, Effect::NoSchedule);
            template.tolerations.iter().any(|t| t.tolerates(&taint, false))
        };
        let only_memory = self.conditions == [NodeConditionType::MemoryPressure];
        if self.conditions.is_empty()
            || template.is_critical()
            || only_memory && (!template.is_best_effort() || tolerates())
        {
            return None;
        }
        let names: Vec<&str> = self.conditions.iter().map(|c| c.as_str()).collect();
        Some(format!("The node had condition: [{}]. ", names.join(" ")))
    }
}

/// What is said of a pod that is evicted (`evictionMessage`), by what it uses of the resource that is short, and asks for: all of
/// that is told of its main container.
pub(super) fn eviction_message(
    switch: EvictionMessage,
    config: &Eviction,
    (to_reclaim, met): (&Threshold, &[usize]),
    observations: &Observations,
    (used, requested): (i64, Quantity),
) -> String {
    let resource = to_reclaim.signal.resource();
    let name = resource.as_str();
    let mut message = format!("The node was low on resource: {name}. ");
    let about = |place: &usize| {
        let t = &config.thresholds[*place];
        let seen = observations.of(t.signal).filter(|_| t.signal.resource() == resource);
        seen.map(|seen| (t, seen))
    };
    if let (EvictionMessage::WithThreshold, Some((t, seen))) = (switch, met.iter().find_map(about))
    {
        let (quantity, available) = (t.value.of(seen.capacity), binary(t.signal, seen.available));
        message += &format!("Threshold quantity: {quantity}, available: {available}. ");
    }
    let used = Quantity::from_binary(used);
    if matches!(resource, Used::Memory | Used::NodeFs) && used > requested {
        message += &match switch {
            EvictionMessage::Exceeds => {
                format!(
                    "Container main was using {used}, which exceeds its request of {requested}. "
                )
            }
            EvictionMessage::WithThreshold => format!(
                "Container main was using {used}, request is {requested}, has larger consumption of {name}. "
            ),
        };
    }
    message
}

/// An amount as upstream writes it: bytes with binary suffixes, anything else with decimal ones.
fn binary(signal: Signal, amount: i64) -> Quantity {
    match signal.resource() {
        Used::Memory | Used::NodeFs => Quantity::from_binary(amount),
        _ => Quantity::from_units(amount),
    }
}

/// A pod that may be evicted, and what it uses of what is short.
pub(super) struct Candidate {
    pub(super) uid: Uid,
    pub(super) pod: Rc<Pod>,
    pub(super) used: i64,
}

/// What comes first has the least of it: whether it exceeds what it asked for, its priority, how much it uses beyond that.
pub(super) type Rank = (Reverse<bool>, i32, Reverse<i128>);

/// What a pod asks for.
pub(super) fn request(template: &PodTemplate, used: Used) -> Quantity {
    template.requests.get(used.as_str()).copied().unwrap_or_default()
}

/// The place of a pod among others. Of inodes upstream takes off the request of bytes, and so it is here; `by_count`: among pods of
/// one priority those with most processes come first.
pub(super) fn rank(signal: Signal, template: &PodTemplate, used: i64, by_count: bool) -> Rank {
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

/// What is short on each node, as far as its kubelet knows.
pub(super) type Pressure = ByNode<Remembered>;

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

    /// xorshift64*, as `ranks_test.go` of the recorder has it.
    fn next(state: &mut u64, below: u64) -> u64 {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % below
    }

    /// A checksum (FNV-1a) of the places of pods in random sets of two to eight, no two of which use as much.
    fn ranks(signal: Signal, sets: u32) -> u64 {
        let resource = signal.resource().as_str();
        let of_priority = |priority| {
            [0, 256, 512, 768, 1024].map(|mi| match mi {
                0 => pod(&[], priority),
                _ => pod(&[(resource, &format!("{mi}Mi"))], priority),
            })
        };
        let templates = [-10, 0, 0, 7, 100, 1000].map(of_priority);
        let (mut state, mut sum) = (88_172_645_463_325_252, 0xcbf2_9ce4_8422_2325_u64);
        for _ in 0..sets {
            let count = 2 + next(&mut state, 7);
            let mut places: Vec<(Rank, u64)> = (0..count)
                .map(|i| {
                    let priority = next(&mut state, 6);
                    let request = next(&mut state, 5);
                    let used = next(&mut state, 6) as i64 * 256 * MI + i as i64 + 1;
                    let template = &templates[priority as usize][request as usize];
                    (rank(signal, template, used, true), i)
                })
                .collect();
            places.sort();
            for (_, i) in places {
                sum = (sum ^ (u64::from(b'0') + i)).wrapping_mul(0x100_0000_01b3);
            }
        }
        sum
    }

    /// Upstream's `rankMemoryPressure`, `rankDiskPressureFunc` and `rankPIDPressure` of 1.37.1, linked, rank them so
    /// (`extra/recorder/build --pressure`).
    const RANKED: [(Signal, u64, u64); 3] = [
        (Signal::MemoryAvailable, 0x734b_8be2_c343_6f3e, 0x302f_1e93_4035_8ce0),
        (Signal::NodeFsAvailable, 0x734b_8be2_c343_6f3e, 0x302f_1e93_4035_8ce0),
        (Signal::PidAvailable, 0x0cea_740b_bf22_21c4, 0xbe92_3937_8870_1f12),
    ];

    #[test]
    fn random_sets_are_ranked_as_upstream_does() {
        for (signal, tenth, _) in RANKED {
            assert_eq!(ranks(signal, 100_000), tenth, "{}", signal.as_str());
        }
    }

    #[test]
    #[ignore = "takes half a minute where nothing is optimised"]
    fn a_million_random_sets_are_ranked_as_upstream_does() {
        for (signal, _, all) in RANKED {
            assert_eq!(ranks(signal, 1_000_000), all, "{}", signal.as_str());
        }
    }

    #[test]
    fn static_pods_and_those_of_the_system_are_critical() {
        assert!(pod(&[], 2_000_001_000).is_critical() && pod(&[], 2_000_000_000).is_critical());
        assert!(!pod(&[], 1_999_999_999).is_critical() && !PodTemplate::default().is_critical());
        assert!(PodTemplate { source: PodSource::File, ..PodTemplate::default() }.is_critical());
    }
}
