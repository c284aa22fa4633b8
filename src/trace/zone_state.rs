//! The states of a zone.

/// The state of a zone (`node_lifecycle_controller.go: ZoneState`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ZoneState {
    /// Not looked at yet.
    Initial,
    /// Normal.
    Normal,
    /// At least the unhealthy-zone threshold of its nodes, and more than two, are not ready.
    PartialDisruption,
    /// No node is ready.
    FullDisruption,
    /// The empty string upstream leaves for a zone that lost its nodes between two loops.
    Empty,
}

impl ZoneState {
    /// The word Kubernetes uses.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "Initial",
            Self::Normal => "Normal",
            Self::PartialDisruption => "PartialDisruption",
            Self::FullDisruption => "FullDisruption",
            Self::Empty => "",
        }
    }
}
