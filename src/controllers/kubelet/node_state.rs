//! What is known of one kubelet, and of the pods that it runs.

use super::conditions::View;
use super::uplink::{Back, Backoffs, REFLECTORS, Uplink};
use super::walk::Asleep;
use crate::api::meta::{ConditionStatus, Timestamp, Uid};
use crate::api::names::{NodeId, PodId};
use crate::api::pod::PodTemplate;
use crate::client::connection::{Backoff, Link};
use crate::kernel::{Argument, Dur, EventKey, Time};
use crate::plan::Connections;
use std::rc::Rc;

/// What is particular to a node's kubelet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeSettings {
    /// When the lease is first renewed, from the kubelet's start; zero is one period.
    pub lease_offset: Dur,
    /// The period of lease renewals.
    pub lease_period: Dur,
    /// When the status is first checked, from the kubelet's start; zero is one period.
    pub status_offset: Dur,
}

/// One kubelet.
#[derive(Clone, Debug)]
pub(super) struct Kubelet {
    pub(super) settings: NodeSettings,
    /// It is cut off from the API server, and what becomes of its connections.
    pub(super) cut: Option<Connections>,
    /// What its way to the API server is like, outages included, and the way itself since it was
    /// last disturbed. Kubelets that are imitated have none.
    pub(super) link: Link,
    pub(super) uplink: Option<Box<Uplink>>,
    /// When it gets through again, once its way is open.
    pub(super) back: Option<Back>,
    /// The back-offs of its watches, once one has been disturbed.
    pub(super) backoffs: Option<Box<Backoffs>>,
    /// What its container runtime has come to, and when it will notice.
    pub(super) runtime: Option<(Time, ConditionStatus)>,
    /// Its view of a condition changed and was not posted yet.
    pub(super) view_changed: Option<Time>,
    /// The machine is off, or boots.
    pub(super) crashed: bool,
    /// When it has booted, while it does.
    pub(super) boots_until: Option<Time>,
    /// When it first asked for something, if it has started in this run.
    pub(super) began: Option<Time>,
    /// Its process is dead while its machine runs on, or would.
    pub(super) stopped: bool,
    /// It ended: its node was deleted.
    pub(super) gone: bool,
    /// Its own view of its conditions.
    pub(super) view: View,
    /// When it last posted its status, or would have: what the next report counts from.
    pub(super) last_post: Time,
    /// When it last posted its status, with which heartbeat, and when it renewed its lease, and
    /// before that.
    pub(super) posts: [Option<(Time, Timestamp)>; 2],
    pub(super) renewals: [Option<Time>; 2],
    /// Its heartbeats are computed.
    pub(super) asleep: Option<Asleep>,
    /// When something last happened to its node.
    pub(super) woken_at: Option<Time>,
    /// Its heartbeats are simulated to the end of the run.
    pub(super) sleepless: bool,
    /// The numbers of the next ticks of its loops.
    pub(super) ticks: [u32; 2],
    /// By how many nanoseconds its clock is off.
    pub(super) skew_ns: i64,
    /// Heartbeats come only once in this time.
    pub(super) slow: Option<Dur>,
    /// The offset of the next periodic report, ns (S23).
    pub(super) report_offset_ns: i64,
    /// Its next lease renewal and status check.
    pub(super) next: [Next; 2],
    /// Where in their period its syncs of pod statuses are, once that matters.
    pub(super) syncs_at: Option<Dur>,
}

impl Kubelet {
    /// The back-offs of its watches; those of a process that starts are new.
    pub(super) fn backoffs(&self, new: Backoff) -> Backoffs {
        self.backoffs
            .as_deref()
            .copied()
            .unwrap_or([new; REFLECTORS])
    }

    /// Whether its machine runs.
    pub(super) fn is_on(&self) -> bool {
        !self.crashed && !self.gone
    }

    /// Whether its machine runs, and it.
    pub(super) fn runs(&self) -> bool {
        self.is_on() && !self.stopped
    }

    /// Whether what it sends now arrives.
    pub(super) fn gets_through(&self, now: Time) -> bool {
        self.runs()
            && self.cut.is_none()
            && self.link == Link::Open
            && self.back.is_none_or(|b| b.connection <= now)
    }

    /// From when on it hears of what becomes of pods now; none while nothing gets through.
    pub(super) fn hears_from(&self, now: Time) -> Option<Time> {
        let open = self.runs() && self.cut.is_none() && self.link == Link::Open;
        open.then(|| self.back.map_or(now, |b| b.pods.max(now)))
    }

    /// Whether it knows what has become of its node.
    pub(super) fn knows_its_node(&self, now: Time) -> bool {
        self.back
            .is_none_or(|b| b.node <= now || b.live && b.status == now)
    }
}

/// The next run of a loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Next {
    pub(super) at: Time,
    pub(super) key: Option<EventKey>,
}

/// Which of a kubelet's loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loop {
    Lease = 0,
    Status = 1,
}

/// A tick of a loop of a node's kubelet.
#[derive(Clone, Copy)]
pub(super) struct Tick {
    pub(super) node: NodeId,
    pub(super) which: Loop,
}

impl Argument for Tick {
    fn pack(self) -> u64 {
        u64::from(self.node.0) | (self.which as u64) << 32
    }

    fn unpack(bits: u64) -> Self {
        let which = match bits >> 32 {
            0 => Loop::Lease,
            _ => Loop::Status,
        };
        Self {
            node: NodeId(bits as u32),
            which,
        }
    }
}

/// What a kubelet has to do for one life of a pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) pod: PodId,
    pub(super) node: NodeId,
    pub(super) start: Time,
    /// When it is to have stopped; the end of time while it is not to stop.
    pub(super) stop: Time,
    pub(super) started: bool,
    /// Its containers run.
    pub(super) up: bool,
    /// Its kubelet heard of it before it was cut off, so that it starts its containers even so; the
    /// same of its end.
    pub(super) start_known: bool,
    pub(super) stop_known: bool,
    /// The object is gone, and containers of it still run: for how long they take to stop once
    /// their kubelet hears of it.
    pub(super) orphaned: Option<Dur>,
    /// It is the mirror of a static pod, is gone, and is to be created again.
    pub(super) missing: bool,
    /// Whether its kubelet took it in.
    pub(super) admission: Admission,
    /// What is to come of it if it was not.
    pub(super) refused: Option<Refused>,
    /// Its machine stopped while its containers ran, and the runtime knows nothing of them any more.
    pub(super) forgotten: bool,
    /// When its kubelet finds that its containers have stopped.
    pub(super) found_stopped: Option<Time>,
    /// Its status was read, to be told that it has ended.
    pub(super) read: bool,
    /// When the pod is removed, once its phase is terminal.
    pub(super) removal: Option<Time>,
}

/// What a kubelet made of a pod when it heard of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It has not heard of it.
    Open,
    /// It runs it.
    Admitted,
    /// It turned it away.
    Refused,
}

/// What is to come of a pod that its kubelet does not admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// When its status is first written.
    pub(super) tell: Time,
    /// From when on it may say that it has failed.
    pub(super) fails: Time,
    /// When the object is removed, if it is being deleted.
    pub(super) removal: Option<Time>,
    /// Its kubelet had just started.
    pub(super) at_start: bool,
}

impl Due {
    /// Moves the end of a pod that is to stop.
    pub(super) fn stop_at(&mut self, at: Time) {
        if self.stop != Time::MAX {
            self.stop = at;
        }
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) nodes: Vec<Option<Kubelet>>,
    /// By uid.
    pub(super) due: Vec<Option<Due>>,
    /// Uids of the pods of each node, in order of arrival.
    pub(super) pods_of: Vec<Vec<Uid>>,
    /// What mirrors of static pods are to be created again from, by the uid of those that are gone.
    pub(super) mirrors: Vec<(Uid, Rc<PodTemplate>)>,
}
