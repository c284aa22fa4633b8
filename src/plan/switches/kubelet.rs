//! What changed in kubelets from release to release.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use crate::kernel::Dur;

/// What the status loop's first try reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FirstTry {
    /// The API server's cache, by GET with resourceVersion 0.
    #[default]
    Get,
    /// The kubelet's own informer, which knows of a change only once the watch has delivered it.
    Informer,
}

/// The offset of the periodic status report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReportOffset {
    /// There is none.
    #[default]
    None,
    /// Up to half the period, after a change only, and no forced first report after a restart
    /// (1.32.0 to 1.32.2).
    AfterChange,
    /// Up to half the period, after a change or the first report (1.34 on).
    AfterChangeOrFirst,
}

/// What becomes of a pod whose containers run, and which a kubelet does not admit when it has just
/// started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RefusedAtStart {
    /// It has failed at once, and its containers end within its own grace (up to 1.21).
    #[default]
    FailsAtOnce,
    /// It has failed once its kubelet has told its pod workers of all pods, and with the next sync
    /// of pod statuses; its containers run on until it is deleted (1.22 to 1.26).
    RunsOn,
    /// The same, but its containers end within a second, from 1.28 on within two (1.27 on).
    Ends,
}

/// What is written of a pod that a kubelet ends because its machine goes off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ShutdownPhase {
    /// It has failed as soon as it is to end, while its containers still run (up to 1.21).
    #[default]
    FailedBefore,
    /// It has failed once its containers have ended, except for a pod of a Job, which is as its
    /// containers exited (1.22 to 1.26).
    Failed,
    /// Once its containers have ended: it has succeeded if all of them exited with 0, and failed
    /// otherwise (1.27 on).
    ByExitCode,
}

/// What a grace period of no seconds means to a kubelet that ends a pod because its machine goes off, or because it is
/// deleted or evicted so (`calculateEffectiveGracePeriod`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NoSeconds {
    /// Containers are killed at once; those of a pod that is deleted have two seconds, as they always have at least, and no
    /// longer where they are being stopped already (up to 1.21).
    #[default]
    Kills,
    /// The pod's own grace period, which a machine's end cuts short (1.22 to 1.30).
    IsPodsOwn,
    /// A second, which a hard threshold asks for itself (1.31 on).
    IsOne,
}

/// What is said of a pod that is evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EvictionMessage {
    /// That it exceeds its request (up to 1.25).
    #[default]
    Exceeds,
    /// The threshold, and the larger consumption (1.26 on).
    WithThreshold,
}

/// What changed in node-pressure eviction from release to release. What is older than 1.18 was not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EvictionSwitches {
    /// That of a soft threshold is no longer than the pod's own (S53).
    pub(crate) soft_grace_is_capped: bool,
    /// A pod has failed before its containers end (S54).
    pub(crate) fails_first: bool,
    /// It gets the condition DisruptionTarget (S55, gate PodDisruptionConditions).
    pub(crate) disruption_target: bool,
    /// What is said of it (S56).
    pub(crate) message: EvictionMessage,
    /// Of pods of one priority those with most processes come first (S57).
    pub(crate) ranks_processes: bool,
    /// There is a hard threshold of 5 % for imagefs.inodesFree by default (S58).
    pub(crate) image_inodes_by_default: bool,
}

/// What changed in how kubelets probe containers and start them again. What is older than 1.18 was not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LifeSwitches {
    /// A container is probed from when its pod comes on, and for readiness as soon as it is seen to run or has started;
    /// before, a worker begins at some time within its period, and probes only once in that (S61).
    pub(crate) probes_at_once: bool,
    /// Such a readiness probe out of turn begins the period anew (S62).
    pub(crate) resets_period: bool,
    /// A pod whose container is not started again yet is looked at when the back-off is over, and half as much later at
    /// most; before, every 10 to 15 s (S63).
    pub(crate) waits_for_backoff: bool,
    /// A kubelet that starts leaves containers as ready as they were; before, they are not ready until they are probed. With
    /// that a container that follows one which was killed counts as started as that did (S64, gate
    /// ChangeContainerStatusOnKubeletRestart).
    pub(crate) keeps_results: bool,
    /// How long the back-off of a container is that fails again and again: first, and at most (S65, gate
    /// ReduceDefaultCrashLoopBackOffDecay).
    pub(crate) crash_loop_backoff: (Dur, Dur),
    /// There is `crashLoopBackOff.maxContainerRestartPeriod` (S65, gate KubeletCrashLoopBackOffMax).
    pub(crate) max_container_restart_period: bool,
    /// The event of a back-off names the container and its pod (S67).
    pub(crate) back_off_says_which: bool,
    /// What the event of a pull says (S72).
    pub(crate) pulled: Pulled,
    /// Of an image that is there it is looked up whether the pod's secrets give access to it, and said that they do (S73,
    /// gate KubeletEnsureSecretPulledImages).
    pub(crate) checks_pulled_secrets: bool,
    /// There is `maxParallelImagePulls` (S74).
    pub(crate) max_parallel_image_pulls: bool,
}

/// What changed in how kubelets delete images that nobody uses. What is older than 1.18 was not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImageGcSwitches {
    /// What is said where too little can be deleted (S93).
    pub(crate) too_little: TooLittle,
    /// Images that a kubelet finds when it starts were found then; before, they count as old (S94).
    pub(crate) found_at_start: bool,
    /// There is `imageMaximumGCAge` (S95, gate ImageMaximumGCAge).
    pub(crate) maximum_age: bool,
}

/// What a kubelet says where it cannot delete as many images as it is to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TooLittle {
    /// How many bytes it wanted to free, and freed.
    #[default]
    WantedToFree,
    /// How many bytes it attempted to free, and found to be eligible.
    AttemptedToFree,
    /// How much of the disk is used, and how many bytes it freed.
    Insufficient,
}

/// What a kubelet says of an image that it has pulled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pulled {
    /// Which it is.
    #[default]
    Image,
    /// And how long that took, its wait included.
    Took,
    /// And how long that took without its wait, and with it.
    Waited,
    /// And how large it is.
    Size,
}

/// What changed in kubelets from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// Kubelets renew leases (1.14 on); before, every status update is posted.
    pub(crate) leases: bool,
    /// 4 % jitter on lease renewals (S6).
    pub(crate) lease_jitter: bool,
    /// 4 % jitter on the status loop (S7).
    pub(crate) status_jitter: bool,
    /// Pods that do not tolerate a NoExecute taint are rejected (S9).
    pub(crate) no_execute_admission: bool,
    /// The event of a pod that is rejected says why (S32).
    pub(crate) rejection_says_why: bool,
    /// One that starts asks for its pods only once it has its node, for which it looks every second
    /// (S35).
    pub(crate) waits_for_node: bool,
    /// It looks whether a volume is attached also before it has reported it as in use, which fails and
    /// backs off (S40).
    pub(crate) verifies_unreported: bool,
    /// What becomes of running pods that a kubelet does not admit when it starts (S33).
    pub(crate) refused_at_start: RefusedAtStart,
    /// A pod object is removed only once its phase is terminal (S30).
    pub(crate) terminal_phase_before_removal: bool,
    /// What the status loop's first try reads (S22).
    pub(crate) first_try: FirstTry,
    /// The offset of the periodic report (S23).
    pub(crate) report_offset: ReportOffset,
    /// Pods are ended before their machine goes off, where there are grace periods for that (S44).
    pub(crate) graceful_shutdown: bool,
    /// Those grace periods may go by priority (S45).
    pub(crate) shutdown_by_priority: bool,
    /// Pods are ended by priority, one group after the other, and a group without pods takes no time;
    /// before, critical pods are ended when the time of the others is over, whether there are any or
    /// not (S46).
    pub(crate) shutdown_in_groups: bool,
    /// What is written of a pod that is ended so (S47).
    pub(crate) shutdown_phase: ShutdownPhase,
    /// With it comes the condition DisruptionTarget (S48).
    pub(crate) shutdown_disruption_target: bool,
    /// What no seconds of grace mean then (S49), and to a pod that is deleted (S101) or evicted (S52).
    pub(crate) no_seconds: NoSeconds,
    /// Containers have at least two seconds, whatever grace their kubelet asks for (S49, S101).
    pub(crate) two_seconds: bool,
    /// The event of a pod that is refused meanwhile has the reason NodeShutdown; before, Shutdown
    /// (S50).
    pub(crate) shutdown_says_node: bool,
    /// The node has an event that says that it is told to go off (S50).
    pub(crate) shutdown_event: bool,
    /// `nodeStatusReportFrequency`'s default: 1 min in 1.13 to 1.16, 5 min from 1.17.
    pub(crate) report_frequency: Dur,
    /// Node-pressure eviction.
    pub(crate) eviction: EvictionSwitches,
    /// Probes and restarts.
    pub(crate) life: LifeSwitches,
    /// Images that nobody uses.
    pub(crate) images: ImageGcSwitches,
}
