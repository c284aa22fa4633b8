//! PodDisruptionBudgets (`k8s.io/api/policy/v1`).

use super::labels::Selector;
use super::meta::{Timestamp, Uid};
use crate::api::prelude::*;

/// A number, or a share of the pods there should be (`intstr.IntOrString`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntOrPercent {
    /// A number of pods.
    Int(i32),
    /// A percentage of the pods.
    Percent(i32),
}

impl IntOrPercent {
    /// Reads `3` or `25%`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_suffix('%') {
            Some(share) => share.parse().ok().filter(|n| *n >= 0).map(Self::Percent),
            None => text.parse().ok().filter(|n| *n >= 0).map(Self::Int),
        }
    }

    /// Of `total`, a share rounded up (`GetScaledValueFromIntOrPercent`).
    pub fn of(self, total: i32) -> i32 {
        match self {
            Self::Int(n) => n,
            Self::Percent(share) => {
                let hundredths = i64::from(share) * i64::from(total);
                let rounded = hundredths.div_euclid(100) + i64::from(hundredths % 100 != 0);
                i32::try_from(rounded).unwrap_or(i32::MAX)
            }
        }
    }
}

impl std::fmt::Display for IntOrPercent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Percent(share) => write!(f, "{share}%"),
        }
    }
}

rows! {
    /// `spec.minAvailable` or `spec.maxUnavailable`
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum BudgetRule {
        /// `spec.minAvailable`
        MinAvailable(IntOrPercent) = "minAvailable",
        /// `spec.maxUnavailable`
        MaxUnavailable(IntOrPercent) = "maxUnavailable",
        /// Neither, which the API takes: no pod is expected, and so none may go
        /// (`pkg/controller/disruption/disruption.go: getExpectedPodCount`).
        Neither = "neither",
    }

    /// The name of its field.
    pub(crate) fn field -> &'static str;
}

impl BudgetRule {
    /// Whether how many pods are expected follows from what the controllers of pods ask for.
    pub(crate) fn counts_by_scale(self) -> bool {
        match self {
            Self::MinAvailable(amount) => matches!(amount, IntOrPercent::Percent(_)),
            Self::MaxUnavailable(_) => true,
            Self::Neither => false,
        }
    }

    /// What it asks for.
    pub(crate) fn amount(self) -> IntOrPercent {
        match self {
            Self::MinAvailable(amount) | Self::MaxUnavailable(amount) => amount,
            Self::Neither => IntOrPercent::Int(0),
        }
    }
}

/// `status` of a budget.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BudgetStatus {
    /// `observedGeneration`
    pub(crate) observed_generation: i64,
    /// `disruptionsAllowed`
    pub(crate) disruptions_allowed: i32,
    /// `currentHealthy`
    pub(crate) current_healthy: i32,
    /// `desiredHealthy`
    pub(crate) desired_healthy: i32,
    /// `expectedPods`
    pub(crate) expected_pods: i32,
    /// `disruptedPods`: pods whose eviction was granted and not seen yet, and when.
    pub(crate) disrupted_pods: BTreeMap<PodId, Timestamp>,
    /// The condition DisruptionAllowed is False with reason SyncFailed.
    pub(crate) sync_failed: bool,
}

/// A PodDisruptionBudget, one version of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Budget {
    /// `PodDisruptionBudget/namespace/name`
    pub id: WorkloadId,
    /// This life of the object.
    pub uid: Uid,
    /// The version of the object.
    pub resource_version: u64,
    /// `metadata.generation`
    pub generation: i64,
    /// `metadata.namespace`
    pub namespace: Rc<str>,
    /// `spec.selector`
    pub selector: Rc<Selector>,
    /// What it asks for.
    pub rule: BudgetRule,
    /// `spec.unhealthyPodEvictionPolicy` is `AlwaysAllow`; otherwise `IfHealthyBudget`.
    pub always_allow_unhealthy: bool,
    /// `status`
    pub status: BudgetStatus,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares are rounded up: 25 % of 10 is 2.5, so 3.
    #[test]
    fn shares_round_up() {
        let of = |text, total| IntOrPercent::parse(text).map(|n| n.of(total));
        assert_eq!(
            [of("25%", 10), of("50%", 10), of("3", 10), of("0%", 10)],
            [3, 5, 3, 0].map(Some)
        );
        assert_eq!([of("-1", 1), of("x%", 1), of("", 1)], [None; 3]);
    }
}
