//! What a path leads into: an element of a list of the scenario, or the scenario itself.

use crate::language::Shape;

/// What a path leads into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Scenario,
    Nodes,
    Pods,
    Workloads,
    Budgets,
    Timeline,
}

impl Target {
    /// An element of the list of that name.
    pub(super) fn of(list: &str) -> Option<Self> {
        Some(match list {
            "nodes" => Self::Nodes,
            "pods" => Self::Pods,
            "workloads" => Self::Workloads,
            "podDisruptionBudgets" => Self::Budgets,
            "timeline" => Self::Timeline,
            _ => return None,
        })
    }

    /// What it is called in messages.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Nodes => "node group",
            Self::Pods => "pod group",
            Self::Workloads => "workload",
            Self::Budgets => "disruption budget",
            Self::Timeline => "entry",
        }
    }

    /// Its type.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Scenario => Shape::scenario(),
            Self::Nodes => Shape::of("NodeGroup"),
            Self::Pods => Shape::of("PodGroup"),
            Self::Workloads => Shape::of("Workload"),
            Self::Budgets => Shape::of("PodDisruptionBudget"),
            Self::Timeline => Shape::of("Entry"),
        }
    }
}
