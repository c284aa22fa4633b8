//! Pods for which something is overdue: a deadline for each pod, reckoned anew when it, its node or
//! its node's taints change.
//!
//! `pod-stuck`: a pod has to go, and nobody deletes it.
//!
//! A pod has to go when a NoExecute taint of its node is not tolerated, or was tolerated for a time
//! that is over; a time that new tolerations shorten is over when they come at the earliest. Left
//! out: pods that have ended, which hold nothing.
//!
//! `never-ready`: a node is healthy again, and a pod on it that was Ready stays NotReady.
//!
//! The default bound is what a kubelet may take that does look again. Its watch of pods pauses for
//! 30 s at the longest and by jitter for twice that; a server that has forgotten where the watch was
//! makes that two pauses; and pod statuses are looked at every 10 s: 2 × 60 s + 10 s. The rest of
//! the 150 s is for requests. A run that ends before the bound is over says nothing.
//!
//! `stale-ready`: a node is Unknown, and a pod on it stays Ready.
//!
//! A node whose kubelet itself says that it is not ready is another matter: its pods may well be.
//!
//! `timer-stale`: a countdown runs, and no taint of the node requires it any more.
//!
//! One that ends before the bound is over is `needless-eviction`'s business.

use super::prelude::*;
use super::walk::{Life, short};
use crate::kernel::Spread;

/// A pod whose deadline is looked at, with the walk as far as it has come.
struct Looked<'w, 'a> {
    walk: &'w Walk<'a>,
    id: PodId,
    state: PodState,
}

impl<'w, 'a> Looked<'w, 'a> {
    fn new(walk: &'w Walk<'a>, id: PodId) -> Self {
        Self { walk, id, state: walk.follow.pod(id) }
    }

    fn life(&self) -> Life {
        self.walk.life(self.id)
    }

    /// The node that it is on, if that is in such a health.
    fn node_if(&self, health: impl Fn(NodeFlags) -> bool) -> Option<NodeId> {
        self.state.node_id().filter(|n| health(self.walk.follow.node(*n)))
    }

    /// Since when the health of its node is what it is.
    fn node_since(&self) -> Time {
        self.state.node_id().map_or(Time::ZERO, |n| self.walk.healthy_at[n.index()])
    }

    /// The record since which its Ready condition and the health of its node are what they are; the start of the run has none.
    fn last(&self) -> RecordId {
        let health = self.state.node_id().map(|n| self.walk.health[n.index()]);
        let both = health.into_iter().chain([self.life().ready]);
        both.filter(|id| *id != NO_RECORD).max().unwrap_or(NO_RECORD)
    }
}

/// The violations of those pods that for a span of time are what they may not be, each life of a pod at
/// most once. `since` says from when on a pod is, `tell` what is wrong with one of which that is said
/// at that time, by its name and its node's, and which record shows it beside its creation.
fn overdue<'a>(
    analysis: &'a Analysis<'a>,
    found: &mut Found,
    within: Dur,
    since: impl Fn(&Looked<'_, 'a>) -> Option<Time>,
    tell: impl Fn(&Looked<'_, 'a>, [&str; 2], Time) -> (String, RecordId),
) {
    let mut walk = Walk::new(analysis);
    // Before a pod's first record nothing is known of what it tolerates.
    let mut deadlines: Vec<Option<Time>> = vec![None; analysis.pods.len()];
    let mut told = vec![false; deadlines.len()];
    let bound = Bound::new(analysis, within);
    let deadline = |walk: &Walk<'a>, pod| bound.due(since(&Looked::new(walk, pod))?);
    let add = |found: &mut Found, walk: &Walk<'a>, pod: PodId, at: Time| {
        let looked = Looked::new(walk, pod);
        let names = [analysis.pod_name(pod), walk.node_of(&looked.state)];
        let (text, shown) = tell(&looked, names, at);
        let node = looked.state.node_id();
        found.add(at, (Some(pod), node), text, &[looked.life().created, shown]);
        found.lasts((Some(pod), node), Time::MAX);
    };
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        // What about a node may change the deadlines of its pods.
        let concerns_pods = matches!(
            r.what,
            What::NodeTaints(_)
                | What::NodeDeleted
                | What::NodeCreated
                | What::NodeCondition(..)
                | What::NodeSilent
                | What::NodeHeard
        );
        let node = r.node().filter(|_| concerns_pods);
        let mut overdue = |walk: &Walk<'a>, pod: PodId| {
            if let Some(at) = deadlines.get(pod.index()).copied().flatten()
                && at < r.at
                && !std::mem::replace(&mut told[pod.index()], true)
            {
                add(found, walk, pod, at);
            }
        };
        match node {
            Some(node) => walk.pods_on(node).for_each(|pod| overdue(&walk, pod)),
            None => r.pod().into_iter().for_each(|pod| overdue(&walk, pod)),
        }
        let step = walk.apply(id, r);
        let mut reckon = |walk: &Walk<'a>, pod: PodId| {
            let due = deadline(walk, pod);
            if told[pod.index()] && due.is_none_or(|at| at > r.at) {
                found.lasts((Some(pod), None), r.at);
            }
            due
        };
        match (node, step.pod) {
            _ if r.what == What::ControllersStopped => {
                // Timers died with their process.
                let all = (0..).map(PodId).zip(&mut deadlines).filter(|(_, d)| d.is_some());
                all.for_each(|(pod, d)| *d = reckon(&walk, pod));
            }
            (Some(node), _) => {
                walk.pods_on(node).for_each(|pod| deadlines[pod.index()] = reckon(&walk, pod))
            }
            // What a pod tolerates comes with its creation, also with that of one from the start, by
            // which nothing else changes.
            (_, Some((pod, before, after)))
                if before != after
                    || matches!(r.what, What::PodCreated(_) | What::PodTolerations) =>
            {
                deadlines[pod.index()] = reckon(&walk, pod);
                told[pod.index()] &= !matches!(r.what, What::PodCreated(_));
            }
            _ => {}
        }
    }
    let (horizon, mut is_open) = (analysis.horizon(), false);
    for (pod, at) in deadlines.iter().enumerate() {
        let id = PodId(pod as u32);
        match at.filter(|_| !told[pod]) {
            Some(at) if at <= horizon => add(found, &walk, id, at),
            Some(_) => is_open |= since(&Looked::new(&walk, id)).is_some_and(|s| s <= horizon),
            None => {}
        }
    }
    found.is_open = is_open;
}

pub(super) fn pod_stuck<'a>(analysis: &'a Analysis<'a>, found: &mut Found, within: Dur) {
    let due = |pod: &Looked<'_, 'a>| pod.walk.due(pod.id, &pod.state, false);
    let since = |pod: &Looked<'_, 'a>| {
        due(pod).filter(|_| pod.state.is_active()).map(|d| d.at.max(pod.life().tolerations_at))
    };
    let tell = |pod: &Looked<'_, 'a>, [name, node]: [&str; 2], at: Time| {
        let due = due(pod);
        let why = due.map_or(String::new(), |d| {
            let tolerated = match d.seconds {
                0 => ", not tolerated".to_owned(),
                seconds => format!(", tolerated for {seconds}s"),
            };
            format!(": it has {} since {:#}{tolerated}", short(&d.taint), d.taint.since)
        });
        let text = format!("{name} is still on {node} at {at:#}{why}");
        (text, due.map_or(NO_RECORD, |d| d.taint.record))
    };
    overdue(analysis, found, within, since, tell)
}

pub(super) fn never_ready<'a>(analysis: &'a Analysis<'a>, found: &mut Found, within: Dur) {
    let start = match analysis.plan.timing.kubelet {
        KubeletMode::Imitated(kubelet) => kubelet.start,
        KubeletMode::Real(kubelet) => kubelet.pod_start,
    };
    let own = analysis.plan.templates.iter().filter_map(|t| t.start.as_ref());
    let start = own.map(Spread::most).fold(start, Dur::max);
    let since = |pod: &Looked<'_, 'a>| {
        let (state, life) = (&pod.state, pod.life());
        let node = pod.node_if(NodeFlags::is_back)?;
        // What its own containers make not ready is no race, nor is a pull with each of their starts.
        let template = pod.walk.follow.template(pod.id);
        let probed = template.map_or(Some(Dur::ZERO), PodTemplate::probed)?;
        let lost = state.exists
            && state.phase == PodPhase::Running
            && !state.ready
            && !state.deleting
            && life.was_ready;
        // Containers that a boot starts anew take their time.
        let booted = pod.walk.booted_at[node.index()].saturating_add(start);
        lost.then(|| pod.node_since().max(life.ready_at).max(booted).saturating_add(probed))
    };
    let tell = |pod: &Looked<'_, 'a>, [name, node]: [&str; 2], at: Time| {
        let (lost, back) = (pod.life().ready_at, pod.node_since());
        let text = format!(
            "{name} has been NotReady since {lost:#} and still is at {at:#} although {node} has been healthy since {back:#}"
        );
        (text, pod.last())
    };
    overdue(analysis, found, within, since, tell)
}

pub(super) fn stale_ready<'a>(analysis: &'a Analysis<'a>, found: &mut Found, within: Dur) {
    let since = |pod: &Looked<'_, 'a>| {
        pod.node_if(|node| node.health() == Health::Unknown)?;
        pod.state.is_available().then(|| pod.node_since().max(pod.life().ready_at))
    };
    let tell = |pod: &Looked<'_, 'a>, [name, node]: [&str; 2], at: Time| {
        let unknown = pod.node_since();
        let text = format!(
            "{name} is still Ready at {at:#} although {node} has been Unknown since {unknown:#}"
        );
        (text, pod.last())
    };
    overdue(analysis, found, within, since, tell)
}

pub(super) fn timer_stale<'a>(analysis: &'a Analysis<'a>, found: &mut Found, within: Dur) {
    let bound = Bound::new(analysis, within);
    let set = |pod: &Looked<'_, 'a>| {
        let timer = pod.walk.follow.timer(&pod.state)?;
        Some((timer, analysis.trace.get(timer)?))
    };
    let since = |pod: &Looked<'_, 'a>| {
        let (_, r) = set(pod)?;
        let What::TimerSet(seconds) = r.what else { return None };
        let tainted_at = pod.walk.tainted_at[pod.state.node_id()?.index()];
        let since = r.at.max(tainted_at).max(pod.life().tolerations_at);
        let ends = r.at.saturating_add(Dur::from_secs(seconds.into()));
        let lasts = bound.due(since).is_some_and(|over| over < ends);
        let required = pod.walk.due(pod.id, &pod.state, false).is_some();
        (lasts && !required).then_some(since)
    };
    let tell = |pod: &Looked<'_, 'a>, [name, node]: [&str; 2], at: Time| {
        let (timer, began) = set(pod).map_or((NO_RECORD, Time::ZERO), |(timer, r)| (timer, r.at));
        let text = format!(
            "the countdown of {name} that began at {began:#} still runs at {at:#} although no taint of {node} requires it"
        );
        (text, timer)
    };
    overdue(analysis, found, within, since, tell)
}
