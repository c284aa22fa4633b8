//! A pod in the queue (`framework.QueuedPodInfo`), and where it waits.

use super::framework::Plugins;
use super::shape::Shape;
use crate::controllers::prelude::*;
use crate::trace::Plugin;
use std::cmp::Reverse;

/// A pod in the queue.
#[derive(Clone, Debug)]
pub struct QueuedPod {
    /// The pod as last seen.
    pub pod: Rc<Pod>,
    /// What the scheduler makes of it.
    pub(crate) shape: Rc<Shape>,
    /// When it came, or came back.
    pub(crate) timestamp: Time,
    /// How often it was tried.
    pub(crate) attempts: u32,
    /// How often plugins rejected it.
    pub(super) rejections: u32,
    /// How often in a row it failed without being rejected.
    pub(super) errors: u32,
    /// Who rejected it last.
    pub rejected_by: Plugins,
    /// Who keeps it from being tried.
    pub(super) gated_by: Option<Plugin>,
    /// Its place among pods of one priority that came at the same time.
    pub(super) sequence: u64,
    /// The record that made it wait where it does.
    pub(crate) cause: u32,
    /// Its last try, where that was before the run.
    pub(super) before: Option<Before>,
}

/// A try before the run, whose time has no other place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Before {
    /// When the back-off after it ends; zero if it is over.
    pub(super) backoff_ends: Time,
    /// How long before the start it was.
    pub(super) tried_ago: Dur,
}

/// The order of pods that are tried next.
pub(super) type ActiveKey = (Reverse<i32>, Time, u64, PodId);

impl QueuedPod {
    /// A pod that was not tried yet.
    pub(super) fn new(
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        now: Time,
        sequence: u64,
        cause: u32,
    ) -> Self {
        QueuedPod {
            pod: pod.clone(),
            shape: shape.clone(),
            timestamp: now,
            attempts: 0,
            rejections: 0,
            errors: 0,
            rejected_by: Plugins::default(),
            gated_by: None,
            sequence,
            cause,
            before: None,
        }
    }

    pub(super) fn active_key(&self) -> ActiveKey {
        (Reverse(self.shape.priority), self.timestamp, self.sequence, self.pod.id)
    }
}

/// Where a pod waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Active,
    Backoff(Time),
    ErrorBackoff(Time),
    Unschedulable,
}

/// Where a pod goes that comes back or is moved (`queueingStrategy`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strategy {
    Skip,
    AfterBackoff,
}
