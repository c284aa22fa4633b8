//! The words of expectations, and what they stand for in the API and in records.

use crate::api::pod::{PodConditionType, PodPhase};
use crate::scenario::spec;
use crate::trace::ZoneState;

/// The word that an expectation begins with.
pub(super) fn word(e: &spec::Expectation) -> &'static str {
    use spec::Expectation as E;
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

pub(super) fn phase(phase: spec::Phase) -> PodPhase {
    match phase {
        spec::Phase::Pending => PodPhase::Pending,
        spec::Phase::Running => PodPhase::Running,
        spec::Phase::Succeeded => PodPhase::Succeeded,
        spec::Phase::Failed => PodPhase::Failed,
    }
}

pub(super) fn pod_condition(kind: spec::PodConditionType) -> PodConditionType {
    match kind {
        spec::PodConditionType::Ready => PodConditionType::Ready,
        spec::PodConditionType::DisruptionTarget => PodConditionType::DisruptionTarget,
    }
}

pub(super) fn zone_state(state: spec::ZoneState) -> ZoneState {
    match state {
        spec::ZoneState::Normal => ZoneState::Normal,
        spec::ZoneState::PartialDisruption => ZoneState::PartialDisruption,
        spec::ZoneState::FullDisruption => ZoneState::FullDisruption,
    }
}
