//! Which thresholds are met, for how long, and what follows from that (`helpers.go`).

use crate::api::quantity::Quantity;
use crate::api::usage::Used;
use crate::controllers::prelude::*;
use crate::plan::switches::kubelet::EvictionMessage;
use crate::plan::{Eviction, Signal, Threshold};

/// What is there of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Observation {
    pub(crate) available: i64,
    pub(crate) capacity: i64,
}

/// What is there, by [`Signal`]; none of what cannot be observed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Observations(pub(crate) [Option<Observation>; Signal::ALL.len()]);

impl Observations {
    fn of(&self, signal: Signal) -> Option<Observation> {
        self.0[signal as usize]
    }

    /// All memory is used.
    pub(crate) fn has_no_memory(&self) -> bool {
        self.of(Signal::MemoryAvailable).is_some_and(|o| o.available == 0)
    }
}

/// Thresholds by their places in the configuration.
pub(crate) type Met = Vec<usize>;

/// Those of some thresholds that are met whatever their grace (`thresholdsMet`).
pub(crate) fn thresholds_met(
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
pub(crate) struct Remembered {
    /// The conditions that are True, in the order of their types.
    pub(crate) conditions: Vec<NodeConditionType>,
    /// When each was last found True.
    last_observed_at: Vec<(NodeConditionType, Time)>,
    /// When each threshold that is met was first found so.
    first_observed_at: Vec<(usize, Time)>,
    /// Those that have been met for their grace, and are not resolved yet.
    met: Met,
}

impl Remembered {
    /// Takes in what is observed now; the thresholds for which pods are to be evicted (`synchronize`, up to its lock).
    pub(crate) fn observe(
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
            let condition = config.thresholds[*place].signal.condition();
            match self.last_observed_at.iter_mut().find(|(c, _)| *c == condition) {
                Some(last) => last.1 = now,
                None => self.last_observed_at.push((condition, now)),
            }
        }
        let period = config.pressure_transition_period;
        let lasts = |of: &&(NodeConditionType, Time)| now.since(of.1) < period;
        self.conditions = self.last_observed_at.iter().filter(lasts).map(|(c, _)| *c).collect();
        self.conditions.sort_unstable();
        let grace_is_over =
            |of: &&(usize, Time)| now.since(of.1) >= config.thresholds[of.0].grace_period;
        self.met = self.first_observed_at.iter().filter(grace_is_over).map(|(p, _)| *p).collect();
        // Memory comes before everything else (`byEvictionPriority`); of the others Go's map decides.
        let mut sorted = self.met.clone();
        sorted.sort_by_key(|p| config.thresholds[*p].signal.resource() != Used::Memory);
        sorted
    }

    /// Whether nothing is short, nor was lately: a look changes nothing until something is.
    pub(crate) fn is_calm(&self) -> bool {
        self.conditions.is_empty() && self.first_observed_at.is_empty() && self.met.is_empty()
    }
}

/// What a pod uses of the resource that is short, and asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consumption {
    pub(crate) used: i64,
    pub(crate) requested: Quantity,
}

/// What is said of a pod that is evicted (`evictionMessage`). It has one container as far as it is known here, `main`.
pub(crate) fn eviction_message(
    switch: EvictionMessage,
    config: &Eviction,
    (to_reclaim, met): (&Threshold, &[usize]),
    observations: &Observations,
    pod: Consumption,
) -> String {
    let resource = to_reclaim.signal.resource();
    let name = resource.as_str();
    let mut message = format!("The node was low on resource: {name}. ");
    let about = met
        .iter()
        .map(|p| &config.thresholds[*p])
        .filter(|t| t.signal.resource() == resource && observations.of(t.signal).is_some());
    if let (EvictionMessage::WithThreshold, Some(t)) = (switch, about.into_iter().next())
        && let Some(seen) = observations.of(t.signal)
    {
        let (quantity, available) = (t.value.of(seen.capacity), binary(t.signal, seen.available));
        message += &format!("Threshold quantity: {quantity}, available: {available}. ");
    }
    let used = Quantity::from_binary(pod.used);
    if matches!(resource, Used::Memory | Used::NodeFs) && used > pod.requested {
        let Consumption { requested, .. } = pod;
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
