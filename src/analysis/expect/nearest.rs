//! Which pod tells best why something did not come, or not as often, the one that came nearest to losing its node; and which pod or node
//! shows why pods are not up.

use super::prelude::*;
use crate::language::Quantity;

/// How near a pod came to that, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Near {
    /// Its nodes were well.
    Never,
    /// A node was silent, or not Ready, while it was there.
    Faulty,
    /// A node had a NoExecute taint while it was there.
    Tainted,
    /// It had an eviction timer, or its deletion began.
    Timed,
    /// It waits to be bound or started.
    Waits,
}

/// What shows at a time why pods of a figure's workloads are not up where their workload may not: one of them for which
/// there is no node yet, or the node of one that is silent, which nobody has noticed.
pub(super) fn amiss(run: &Run<'_>, c: &Comparison, at: Time) -> Option<Object> {
    use Quantity as Q;
    let is_of_lack =
        matches!(c.quantity, Q::Up(_) | Q::Missing(_) | Q::BelowNeed(_) | Q::LongestBelowNeed(_));
    let waits = is_of_lack || matches!(c.quantity, Q::Available(_) | Q::Pending(_));
    let is_dead = is_of_lack || matches!(c.quantity, Q::DeadEndpoints(_));
    let mut follow = Follow::new(run.analysis);
    while follow.step_until(at).is_some() {}
    let is_its = |pod| run.is_pod_of(c.workloads.as_ref(), pod);
    let is_silent = |node| follow.node(node).health() == Health::Silent;
    let mut its = follow.pods().filter(|(pod, state)| state.exists && is_its(*pod));
    its.find_map(|(pod, state)| match state.node_id() {
        Some(node) => (is_dead && is_silent(node)).then_some(Object::Node(node)),
        None => (waits && state.is_pending()).then_some(Object::Pod(pod)),
    })
}

/// Of these pods the one that came nearest by a time, if one came at least so near. Of those that came as near it
/// is the first. Pods that wait count where `waits`.
pub(super) fn nearest(
    run: &Run<'_>,
    of: &[PodId],
    until: Time,
    (waits, least): (bool, Near),
) -> Option<PodId> {
    let analysis = run.analysis;
    // By pod, where it is one of these: how near it came, and the record with which it came to its node.
    let mut near: Vec<Option<(Near, RecordId)>> = vec![None; analysis.pod_count()];
    of.iter().for_each(|pod| near[pod.index()] = Some((Near::Never, 0)));
    let mut nodes = vec![Last::default(); analysis.node_count()];
    let mut follow = Follow::new(analysis);
    while let Some((id, r, step)) = follow.step_until(until) {
        if let Some((node, before, after)) = step.node {
            [before, after].iter().for_each(|flags| nodes[node.index()].take(id, flags));
        }
        let Some((pod, before, after)) = step.pod else { continue };
        let Some((near, came)) = &mut near[pod.index()] else { continue };
        let timed = match r.what {
            What::TimerSet(_) => true,
            What::Noted(Note::DeviceEvictionSet, seconds) => seconds > 0,
            _ => step.deletion_begins().is_some(),
        };
        if timed {
            *near = Near::Timed.max(*near);
        }
        if before.node_id() != after.node_id() {
            let left = before.node_id().map(|n| nodes[n.index()].since(*came, &follow.node(n)));
            (*near, *came) = (left.unwrap_or(Near::Never).max(*near), id);
        }
    }
    let found = |pod: &PodId| {
        let (near, came) = near[pod.index()]?;
        let state = follow.pod(*pod);
        let on = state.node_id().map(|n| nodes[n.index()].since(came, &follow.node(n)));
        let waiting = (waits && state.is_pending()).then_some(Near::Waits);
        Some((waiting.or(on).unwrap_or(Near::Never).max(near), Reverse(*pod)))
    };
    let best = of.iter().filter_map(found).filter(|(near, _)| *near >= least).max()?;
    Some(best.1.0)
}

/// How that pod stands instead, where it did not go, or none was made or bound; whether `none` was found at all.
pub(super) fn instead(run: &Run<'_>, sought: &Sought, pod: PodId, none: bool) -> Option<String> {
    let (analysis, is_gone) = (run.analysis, matches!(sought.what, Kind::Gone));
    let is_made = matches!(sought.what, Kind::Created | Kind::Bound);
    let mut follow = Follow::new(analysis);
    while follow.step_until(sought.times.during.1).is_some() {}
    let state = follow.pod(pod);
    let node = state.node_id().filter(|_| state.exists)?;
    let (name, on) = (analysis.pod_name(pod), analysis.node_name(node));
    let owner = run.owners.of(analysis, pod).map(|w| analysis.trace.names.workload_name(w));
    let is_of_set = owner.is_some_and(|owner| owner.starts_with("StatefulSet/"));
    if !state.deleting {
        let came = Some(state.bound_at).filter(|at| *at > Time::ZERO);
        let since = came.map_or("the start".to_owned(), time);
        return (is_made && none).then(|| format!("{name} has been on {on} since {since}"));
    }
    let silent = if follow.node(node).silent { ", which does not answer" } else { "" };
    // A StatefulSet's next pod has its name.
    let next = if is_made { ", and no other is made before it is gone" } else { "" };
    (is_gone || is_made && is_of_set)
        .then(|| format!("{name} is Terminating on {on}{silent}{next}"))
}

/// The last records at which a node had a NoExecute taint, and was silent or not Ready.
#[derive(Clone, Copy, Default)]
struct Last {
    tainted: Option<RecordId>,
    faulty: Option<RecordId>,
}

impl Last {
    /// Takes in the state before or after a record.
    fn take(&mut self, id: RecordId, flags: &NodeFlags) {
        if flags.no_execute > 0 {
            self.tainted = Some(id);
        }
        if flags.exists && !flags.is_back() {
            self.faulty = Some(id);
        }
    }

    /// What it was from a record on; `now` is its present state.
    fn since(mut self, came: RecordId, now: &NodeFlags) -> Near {
        self.take(RecordId::MAX, now);
        let is = |last: Option<RecordId>| last.is_some_and(|id| id >= came);
        match (is(self.tainted), is(self.faulty)) {
            (true, _) => Near::Tainted,
            (_, true) => Near::Faulty,
            _ => Near::Never,
        }
    }
}
