//! What is said of the life of a pod's containers: the probes of `v1.Container`, and what these would find.
//!
//! What a probe finds is stated: from when on a container serves, for how long, and when it ends by itself.

use crate::api::prelude::*;

/// `v1.Probe`, without how it asks and how long it waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// `initialDelaySeconds`
    pub(crate) initial_delay: Dur,
    /// `periodSeconds`
    pub(crate) period: Dur,
    /// `successThreshold`
    pub(crate) success_threshold: u32,
    /// `failureThreshold`
    pub(crate) failure_threshold: u32,
    /// `terminationGracePeriodSeconds`: the grace of a container that this probe ends, where it is not the pod's.
    pub(crate) grace: Option<Dur>,
}

words! {
    /// Which of a container's probes (`pkg/kubelet/prober`, `probeType`).
    pub enum ProbeType {
        /// One that fails has the container killed.
        Liveness = "liveness",
        /// It says whether the container is ready.
        Readiness = "readiness",
        /// The others begin once it has succeeded.
        Startup = "startup",
    }

    /// `spec.restartPolicy`
    #[derive(Default, Deserialize, Serialize, JsonSchema)]
    pub enum RestartPolicy {
        /// A container that ends is started again.
        #[default]
        Always = "Always",
        /// A container that fails is started again; one that exits with 0 has done its work.
        OnFailure = "OnFailure",
        /// No container is started again: its pod has succeeded or failed with it.
        Never = "Never",
    }
}

impl RestartPolicy {
    /// Whether a container that exited like that is started again (`ShouldContainerBeRestarted`).
    pub(crate) fn restarts(self, exit_code: i32) -> bool {
        match self {
            Self::Always => true,
            Self::OnFailure => exit_code != 0,
            Self::Never => false,
        }
    }
}

/// What is particular about the life of a pod's containers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Life {
    /// By [`ProbeType`].
    pub(crate) probes: [Option<Probe>; 3],
    /// From a container's start until it serves; at once where it is not said.
    pub(crate) serves_after: Option<Spread>,
    /// For how long it serves; until its end where it is not said.
    pub(crate) serves_for: Option<Spread>,
    /// From a container's start to its end, and what it exits with.
    pub(crate) ends: Option<(Spread, i32)>,
    /// How long a container has run already that runs from the start of the run.
    pub(crate) ran: Dur,
}

impl Life {
    /// One of its probes.
    pub(crate) fn probe(&self, which: ProbeType) -> Option<&Probe> {
        self.probes[which as usize].as_ref()
    }
}
