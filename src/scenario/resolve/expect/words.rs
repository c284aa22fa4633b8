//! The words of expectations, and what they stand for in the API and in records.

use crate::api::pod::PodConditionType;
use crate::language;
use crate::trace::ZoneState;

/// The word that an expectation begins with.
pub(super) fn word(e: &language::Expectation) -> &'static str {
    use language::Expectation as E;
    match e {
        E::Evicted(_) => "Evicted",
        E::NotEvicted(_) => "NotEvicted",
        E::Deleted(_) => "Deleted",
        E::Gone(_) => "Gone",
        E::Created(_) => "Created",
        E::Bound(_) => "Bound",
        E::Phase(_) => "Phase",
        E::PodCondition(_) => "PodCondition",
        E::TimerSet(_) => "TimerSet",
        E::TimerCancelled(_) => "TimerCancelled",
        E::EvictionFailed(_) => "EvictionFailed",
        E::Pending(_) => "Pending",
        E::Tainted(_) => "Tainted",
        E::Untainted(_) => "Untainted",
        E::Condition(_) => "Condition",
        E::Cordoned(_) => "Cordoned",
        E::Uncordoned(_) => "Uncordoned",
        E::ZoneState(_) => "ZoneState",
        E::MasterDisruption(_) => "MasterDisruption",
        E::Event(_) => "Event",
        E::Order(_) => "Order",
        E::AtLeast(_) => "AtLeast",
        E::AtMost(_) => "AtMost",
        E::Equal(_) => "Equal",
        E::Always(_) => "Always",
        E::Never(_) => "Never",
        E::Violates(_) => "Violates",
        E::Eventually { .. } => "Eventually",
        E::Until { .. } => "Until",
        E::Mostly { .. } => "Mostly",
    }
}

pub(super) fn pod_condition(kind: language::PodConditionType) -> PodConditionType {
    match kind {
        language::PodConditionType::Ready => PodConditionType::Ready,
        language::PodConditionType::DisruptionTarget => PodConditionType::DisruptionTarget,
    }
}

pub(super) fn zone_state(state: language::ZoneState) -> ZoneState {
    match state {
        language::ZoneState::Normal => ZoneState::Normal,
        language::ZoneState::PartialDisruption => ZoneState::PartialDisruption,
        language::ZoneState::FullDisruption => ZoneState::FullDisruption,
    }
}
