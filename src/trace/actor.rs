//! Who does things in a run.

use crate::api::words::words;

words! {
    /// Who did it, under the name that recorded timelines use.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Actor {
        /// The scenario's user, and faults.
        User = "user",
        /// A kubelet.
        Kubelet = "kubelet",
        /// The node lifecycle controller.
        NodeLifecycle = "node-lifecycle",
        /// The taint eviction controller (up to 1.28 the taint manager within the node lifecycle
        /// controller).
        TaintEviction = "taint-eviction",
        /// The API server itself: admission.
        ApiServer = "api-server",
        /// The pod garbage collector.
        PodGc = "pod-gc",
        /// The garbage collector of owner references.
        GarbageCollector = "garbage-collector",
        /// The Deployment controller.
        Deployment = "deployment",
        /// The ReplicaSet controller.
        ReplicaSet = "replicaset",
        /// The StatefulSet controller.
        StatefulSet = "statefulset",
        /// The DaemonSet controller.
        DaemonSet = "daemonset",
        /// The Job controller.
        Job = "job",
        /// The cloud controllers.
        Cloud = "cloud",
        /// The disruption controller, which keeps the status of PodDisruptionBudgets.
        Disruption = "disruption",
        /// The scheduler.
        Scheduler = "scheduler",
    }
}
