//! The scheduler's plugins that can reject a pod, by their names in Kubernetes.

use crate::api::words::words;

words! {
    /// A plugin that can reject a pod.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Plugin {
        /// SchedulingGates
        SchedulingGates = "SchedulingGates",
        /// NodeUnschedulable
        NodeUnschedulable = "NodeUnschedulable",
        /// TaintToleration
        TaintToleration = "TaintToleration",
        /// NodeAffinity
        NodeAffinity = "NodeAffinity",
        /// NodePorts
        NodePorts = "NodePorts",
        /// NodeResourcesFit
        NodeResourcesFit = "NodeResourcesFit",
        /// PodTopologySpread
        PodTopologySpread = "PodTopologySpread",
        /// InterPodAffinity
        InterPodAffinity = "InterPodAffinity",
        /// DefaultPreemption, which holds a pod back while its preemption is under way.
        DefaultPreemption = "DefaultPreemption",
    }
}
