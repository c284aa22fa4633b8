//! Words that entries of the timeline take: whom a partition cuts off, and who leads after a restart.

use crate::language::prelude::*;

/// Whom a partition cuts nodes off from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Cut {
    /// From everybody: kubelets cannot report, and nobody reaches their pods.
    #[default]
    Network,
    /// From the API server alone: kubelets cannot report, and clients still reach the pods.
    ApiServer,
}

/// Who takes over when the controllers' process has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum RestartKind {
    /// Another process that stands by, once the old lease has run out.
    Standby,
    /// The same one, started again: it waits out its own old lease.
    Same,
}
