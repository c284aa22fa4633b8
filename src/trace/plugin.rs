//! The scheduler's plugins that can reject a pod, by their names in Kubernetes.

/// A plugin that can reject a pod.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Plugin {
    /// SchedulingGates
    SchedulingGates,
    /// NodeUnschedulable
    NodeUnschedulable,
    /// TaintToleration
    TaintToleration,
    /// NodeAffinity
    NodeAffinity,
    /// NodePorts
    NodePorts,
    /// NodeResourcesFit
    NodeResourcesFit,
    /// PodTopologySpread
    PodTopologySpread,
    /// InterPodAffinity
    InterPodAffinity,
    /// DefaultPreemption, which holds a pod back while its preemption is under way.
    DefaultPreemption,
}

impl Plugin {
    /// All of them.
    pub(crate) const ALL: [Self; 9] = [
        Self::SchedulingGates,
        Self::NodeUnschedulable,
        Self::TaintToleration,
        Self::NodeAffinity,
        Self::NodePorts,
        Self::NodeResourcesFit,
        Self::PodTopologySpread,
        Self::InterPodAffinity,
        Self::DefaultPreemption,
    ];
}

impl Plugin {
    /// Its name in Kubernetes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SchedulingGates => "SchedulingGates",
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::TaintToleration => "TaintToleration",
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::NodeResourcesFit => "NodeResourcesFit",
            Self::PodTopologySpread => "PodTopologySpread",
            Self::InterPodAffinity => "InterPodAffinity",
            Self::DefaultPreemption => "DefaultPreemption",
        }
    }
}
