//! Conditions from the words of a scenario to those of the API.

use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::language::{ConditionKind, Status};

/// The type of a condition.
pub(super) fn condition_kind(kind: ConditionKind) -> NodeConditionType {
    match kind {
        ConditionKind::Ready => NodeConditionType::Ready,
        ConditionKind::MemoryPressure => NodeConditionType::MemoryPressure,
        ConditionKind::DiskPressure => NodeConditionType::DiskPressure,
        ConditionKind::PIDPressure => NodeConditionType::PidPressure,
        ConditionKind::NetworkUnavailable => NodeConditionType::NetworkUnavailable,
        ConditionKind::OutOfDisk => NodeConditionType::OutOfDisk,
    }
}

/// The status of a condition.
pub(super) fn status(status: Status) -> ConditionStatus {
    match status {
        Status::True => ConditionStatus::True,
        Status::False => ConditionStatus::False,
        Status::Unknown => ConditionStatus::Unknown,
    }
}
