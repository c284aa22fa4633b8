//! How the workloads stand at one moment of a run: what waits for a node, what is stuck, what sits
//! on nodes that are away.
//!
//! Definitions:
//! * *pending*: pods that are bound to no node and not being deleted, and that the scheduler has
//!   refused. A pod that is bound and about to start is not, though its phase is Pending.
//! * *unattached*: pods that are bound and not started, of which it was said that a volume cannot be attached to
//!   their node, until all of theirs are.
//! * *stuck*: pods that are still being deleted although their grace period is over, or on a node
//!   that is away: nothing ends that while it is.
//! * *endless*: pods that are bound to a node that is there, and that never start, or never again, as an init container never ends well.
//! * *left*: pods that are not being deleted and sit on a node that is away, so that nothing
//!   replaces them.

use super::prelude::*;

/// How a workload stands at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Moment {
    /// Pods that wait for a node.
    pub(crate) pending: u64,
    /// Why the last of its pods that the scheduler could not place could not be placed.
    pub(crate) why: Option<TextId>,
    /// Pods on a node to which their volumes cannot be attached.
    pub(crate) unattached: u64,
    /// Pods whose deletion does not come to an end.
    pub(crate) stuck: u64,
    /// Pods that never start.
    pub(crate) endless: u64,
    /// Pods on nodes that are away, which nobody has evicted.
    pub(crate) left: u64,
    /// The lowest of those that are stuck or left, and its node.
    pub(crate) lowest: Option<(PodId, NodeId)>,
}

/// How each workload stands just before a time; pods without a workload
/// are under none. Workloads of which nothing is to be said are left out.
pub(crate) fn moment(analysis: &Analysis<'_>, at: Time) -> BTreeMap<Option<WorkloadId>, Moment> {
    let owners = Owners::new(analysis);
    let mut follow = Follow::new(analysis);
    let mut over: BTreeMap<PodId, Time> = BTreeMap::new();
    let mut why: BTreeMap<Option<WorkloadId>, TextId> = BTreeMap::new();
    let mut refused: BTreeSet<PodId> = BTreeSet::new();
    for (id, r) in (0..).zip(analysis.trace.iter()).take_while(|(_, r)| r.at < at) {
        follow.apply(id, r);
        let Some(pod) = r.pod() else { continue };
        match r.what {
            What::PodDeleting(grace) => {
                over.insert(pod, r.at.saturating_add(Dur::from_secs(grace.into())));
            }
            What::PodGone => {
                over.remove(&pod);
                refused.remove(&pod);
            }
            What::PodUnplaced(_) => drop(refused.insert(pod)),
            What::PodMessage(_) => {
                if let Some((text, _)) = analysis.trace.failed_scheduling(r) {
                    refused.insert(pod);
                    why.insert(owners.of(analysis, pod), text);
                }
            }
            _ => {}
        }
    }
    let mut found: BTreeMap<Option<WorkloadId>, Moment> = BTreeMap::new();
    for (pod, state) in follow.pods().filter(|(_, p)| p.exists) {
        let is_over = over.get(&pod).is_some_and(|&t| t < at);
        let away = is_away(&follow, state);
        let waits = state.node == NO_NODE && state.is_pending();
        let pending = waits && refused.contains(&pod);
        let (unattached, left) = (state.is_unattached(), away && state.is_active());
        let stuck = state.deleting && (is_over || away);
        // One that ran starts anew, too, after its machine.
        let is_bound = state.is_active() && !state.ready && state.node != NO_NODE && !away;
        let endless = is_bound && follow.template(pod).is_some_and(|t| t.never_starts());
        if pending || unattached || stuck || endless || left {
            let sum = found.entry(owners.of(analysis, pod)).or_default();
            sum.pending += u64::from(pending);
            sum.unattached += u64::from(unattached);
            sum.stuck += u64::from(stuck);
            sum.endless += u64::from(endless);
            sum.left += u64::from(left);
            let place = |pod| as_people_count(analysis.pod_name(pod));
            if let Some(node) = state.node_id().filter(|_| stuck || left)
                && sum.lowest.is_none_or(|(lowest, _)| place(pod) < place(lowest))
            {
                sum.lowest = Some((pod, node));
            }
        }
    }
    for (of, moment) in &mut found {
        moment.why = why.get(of).copied().filter(|_| moment.pending > 0);
    }
    found
}

/// Whether a pod's node is away.
fn is_away(follow: &Follow<'_>, pod: &PodState) -> bool {
    pod.node_id().is_some_and(|node| !follow.node(node).is_back())
}

/// When the last of the pods is evicted that sit on nodes that are away just before a time, for
/// each workload that has any; none where some of them stay until the run ends.
pub(crate) fn evicted_after(
    analysis: &Analysis<'_>,
    at: Time,
) -> BTreeMap<Option<WorkloadId>, Option<Time>> {
    let owners = Owners::new(analysis);
    let mut follow = Follow::new(analysis);
    let mut records = (0..).zip(analysis.trace.iter()).peekable();
    while let Some((id, r)) = records.next_if(|(_, r)| r.at < at) {
        follow.apply(id, r);
    }
    let sit = follow.pods().filter(|(_, p)| p.is_active() && is_away(&follow, p));
    let mut left: BTreeSet<PodId> = sit.map(|(pod, _)| pod).collect();
    let mut last: BTreeMap<Option<WorkloadId>, Option<Time>> = BTreeMap::new();
    for (_, r) in records {
        if let (Some(pod), What::PodDeleting(_)) = (r.pod(), r.what)
            && left.remove(&pod)
        {
            last.insert(owners.of(analysis, pod), Some(r.at));
        }
    }
    last.extend(left.into_iter().map(|pod| (owners.of(analysis, pod), None)));
    last
}
