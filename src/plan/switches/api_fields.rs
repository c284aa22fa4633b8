//! Which fields of objects the API server of a release stores.

use crate::api::words::words;

words! {
    /// A field that the API server of some release does not store (S86): it does not know it, or drops it as a feature
    /// gate is off (`pkg/api/pod/util.go: dropDisabledFields`, and the strategies under `pkg/registry`).
    pub enum ApiField {
        /// `v1.PodSpec`
        TopologySpreadConstraints = "topologySpreadConstraints",
        /// `v1.TopologySpreadConstraint`
        MinDomains = "minDomains",
        /// Both of `v1.TopologySpreadConstraint`.
        NodeInclusionPolicies = "nodeAffinityPolicy, nodeTaintsPolicy",
        /// `v1.TopologySpreadConstraint`
        MatchLabelKeys = "matchLabelKeys",
        /// `v1.PodAffinityTerm`
        NamespaceSelector = "namespaceSelector",
        /// `v1.PodSpec`
        SchedulingGates = "schedulingGates",
        /// `v1.PodSpec`, with the name of its class: such pods neither preempt others nor come before them.
        Priority = "priority",
        /// `v1.PodSpec` and `scheduling/v1.PriorityClass`; what a class says goes into its pods.
        PreemptionPolicy = "preemptionPolicy",
        /// `v1.Container`
        StartupProbe = "startupProbe",
        /// `v1.Container`, of init containers: it makes them sidecars.
        ContainerRestartPolicy = "restartPolicy of init containers",
        /// `v1.Probe`
        ProbeGracePeriod = "terminationGracePeriodSeconds of probes",
        /// `apps/v1.StatefulSetSpec`
        Ordinals = "ordinals",
        /// `apps/v1.StatefulSetSpec`
        MinReadySeconds = "minReadySeconds",
        /// `batch/v1.JobSpec`
        PodFailurePolicy = "podFailurePolicy",
        /// `batch/v1.JobSpec`
        PodReplacementPolicy = "podReplacementPolicy",
        /// `policy/v1.PodDisruptionBudgetSpec`
        UnhealthyPodEvictionPolicy = "unhealthyPodEvictionPolicy",
    }
}
