//! Which pod tells best why something did not come, or not as often, the one that came nearest to losing its node; and which pod or node
//! shows why pods are not up.

use super::prelude::*;

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

impl Near {
    /// What a node in that state makes of its pods.
    fn of(flags: &NodeFlags) -> Self {
        match flags {
            _ if flags.no_execute > 0 => Self::Tainted,
            _ if flags.exists && !flags.is_back() => Self::Faulty,
            _ => Self::Never,
        }
    }
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
    let mut nodes = vec![BTreeMap::new(); analysis.node_count()];
    let mut follow = Follow::new(analysis);
    while let Some((id, r, step)) = follow.step_until(until) {
        if let Some((node, before, after)) = step.node {
            nodes[node.index()].extend([before, after].map(|flags| (Near::of(&flags), id)));
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
            let left = before.node_id().map(|n| since(&nodes[n.index()], *came, &follow.node(n)));
            (*near, *came) = (left.unwrap_or(Near::Never).max(*near), id);
        }
    }
    let found = |pod: &PodId| {
        let (near, came) = near[pod.index()]?;
        let state = follow.pod(*pod);
        let on = state.node_id().map(|n| since(&nodes[n.index()], came, &follow.node(n)));
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

/// How near a node brought its pods to that from a record on, by the last records at which it was what; `now` is its present state.
fn since(last: &BTreeMap<Near, RecordId>, came: RecordId, now: &NodeFlags) -> Near {
    let were = last.iter().filter(|(_, id)| **id >= came).map(|(near, _)| *near);
    were.max().max(Some(Near::of(now))).unwrap_or(Near::Never)
}
