//! Why a recorded scenario makes no plan.

/// Why a recorded scenario makes no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It needs what is not modelled: controllers, kinds of objects.
    #[error("not modelled: {}", .0.join(", "))]
    NotModelled(Vec<String>),
    /// It says what cannot be.
    #[error("{0}")]
    Invalid(String),
}

/// It says what cannot be.
pub(super) fn invalid(text: impl Into<String>) -> PlanError {
    PlanError::Invalid(text.into())
}
