//! What changed in the scheduler from release to release, as far as tainted nodes are concerned.

use crate::kernel::Dur;

/// How a pod learns that taints kept it off a node (`pkg/scheduler/framework/plugins/tainttoleration`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaintMessage {
    /// "node(s) had taints that the pod didn't tolerate", up to 1.17.
    Plain,
    /// "node(s) had taint {k: v}, that the pod didn't tolerate", 1.18 to 1.23.
    NamesTaint,
    /// "node(s) had untolerated taint {k: v}", 1.24 to 1.34.
    Untolerated,
    /// "node(s) had untolerated taint(s)", from 1.35.
    UntoleratedPlural,
}

/// What changed in the scheduler from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Pods are queued again only by changes that may help them (S27, gate SchedulerQueueingHints).
    pub queueing_hints: bool,
    /// The weight of the score TaintToleration: 1 up to 1.22, 3 from 1.23 (S28).
    pub taint_toleration_weight: i64,
    /// How long a pod may stay unschedulable before it is tried again unasked: 60 s up to 1.23, 5 min from 1.24 (S29).
    pub unschedulable_flush: Dur,
    /// The text for pods that no node takes because of taints.
    pub taint_message: TaintMessage,
}
