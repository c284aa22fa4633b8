//! On how many nodes a DaemonSet asks for a pod, which no record states.
//!
//! Upstream counts nodes, whatever their pods are (`pkg/controller/daemon/daemon_controller.go:
//! updateDaemonSetStatus`, v1.34). So a DaemonSet asks for each of its pods that exists and is not
//! finished, and for one in place of each that failed or went, until the next one of that node is
//! made. It asks for none any more where the node no longer suits: it is deleted, or has a taint
//! that the pod does not tolerate. Nor does it where the DaemonSet took away a pod that ran, or was
//! deleted itself.
//!
//! What upstream does otherwise: it leaves a node out of its count that failed, because of the
//! taint `not-ready:NoSchedule`. Its pod is missed there all the same.

use super::prelude::*;

/// How many pods each DaemonSet asks for, while walking through a trace.
#[derive(Default)]
pub(super) struct Daemons {
    /// By workload; none for those that are no DaemonSets.
    desired: Vec<Option<u32>>,
    /// The nodes of pods that are not finished; [`NO_NODE`] where none is known.
    places: BTreeMap<PodId, NodeId>,
    /// Pods that are being deleted, and that nobody wants in their place.
    dismissed: BTreeSet<PodId>,
    /// The last pod of a node that lacks one.
    lacking: BTreeMap<(NodeId, WorkloadId), PodId>,
    /// DaemonSets that were deleted.
    deleted: BTreeSet<WorkloadId>,
}

impl Daemons {
    /// As things stand at the start.
    pub(super) fn new(follow: &Follow<'_>, owners: &Owners) -> Self {
        let names = &follow.analysis().trace.names;
        let is_one = |i| names.workload_name(WorkloadId(i)).starts_with("DaemonSet/");
        let desired = (0..names.workloads() as u32).map(|i| is_one(i).then_some(0)).collect();
        let mut daemons = Daemons { desired, ..Daemons::default() };
        let own = |(pod, state): (PodId, &PodState)| {
            let set = owners.of(follow.analysis(), pod)?;
            (state.exists && daemons.desired(set).is_some()).then_some((set, pod, *state))
        };
        let own: Vec<_> = follow.pods().filter_map(own).collect();
        let (finished, others): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|(.., state)| state.phase.is_terminal());
        for (set, pod, state) in finished {
            let node = NodeId(state.node);
            if follow.node(node).exists && daemons.lacking.insert((node, set), pod).is_none() {
                daemons.add(set, 1);
            }
        }
        for (set, pod, state) in others {
            daemons.came(set, pod, NodeId(state.node));
        }
        daemons
    }

    /// How many pods a workload asks for, if it is a DaemonSet.
    pub(super) fn desired(&self, workload: WorkloadId) -> Option<u32> {
        self.desired.get(workload.index()).copied().flatten()
    }

    /// The DaemonSets, each with how many pods it asks for.
    pub(super) fn all(&self) -> impl Iterator<Item = (WorkloadId, u32)> {
        (0..).map(WorkloadId).zip(&self.desired).filter_map(|(set, n)| Some((set, (*n)?)))
    }

    /// Takes in a record that `follow` has taken in with this step. Returns the DaemonSets that may
    /// ask for another number of pods from now on.
    pub(super) fn record(
        &mut self,
        follow: &Follow<'_>,
        owners: &Owners,
        r: &Record,
        step: &Step,
    ) -> Vec<WorkloadId> {
        match r.what {
            What::WorkloadCreated(_) => {
                self.deleted.remove(&WorkloadId(r.object));
                Vec::new()
            }
            What::WorkloadDeleted => {
                let gone = WorkloadId(r.object);
                self.deleted.insert(gone);
                self.give_up(|_, set, _| set == gone)
            }
            What::NodeTaints(_) | What::NodeDeleted => {
                let changed = NodeId(r.object);
                self.give_up(|node, _, pod| node == changed && !suits(follow, node, pod))
            }
            _ => {
                let Some((pod, ..)) = step.pod else { return Vec::new() };
                let owner = owners.of(follow.analysis(), pod);
                let Some(set) = owner.filter(|w| self.desired(*w).is_some()) else {
                    return Vec::new();
                };
                if step.deletion_begins().is_some()
                    && matches!(r.actor, Actor::DaemonSet | Actor::GarbageCollector)
                {
                    self.dismissed.insert(pod);
                }
                self.pod(follow, set, step);
                vec![set]
            }
        }
    }

    fn pod(&mut self, follow: &Follow<'_>, set: WorkloadId, step: &Step) {
        let Some((pod, before, after)) = step.pod else { return };
        let is_there = |p: &PodState| p.exists && !p.phase.is_terminal();
        match (is_there(&before), is_there(&after)) {
            (false, true) => self.came(set, pod, place(follow, pod, &after)),
            (true, false) => {
                let node = self.went(set, pod);
                let is_wanted = !self.dismissed.contains(&pod) && !self.deleted.contains(&set);
                if is_wanted
                    && suits(follow, node, pod)
                    && self.lacking.insert((node, set), pod).is_none()
                {
                    self.add(set, 1);
                }
            }
            // One of which it was not known where it belongs is bound.
            (true, true) if before.node != after.node => {
                self.went(set, pod);
                self.came(set, pod, NodeId(after.node));
            }
            _ => {}
        }
        if !after.exists {
            self.dismissed.remove(&pod);
        }
    }

    fn came(&mut self, set: WorkloadId, pod: PodId, node: NodeId) {
        self.places.insert(pod, node);
        if self.lacking.remove(&(node, set)).is_none() {
            self.add(set, 1);
        }
    }

    /// Returns where it was.
    fn went(&mut self, set: WorkloadId, pod: PodId) -> NodeId {
        self.add(set, -1);
        self.places.remove(&pod).unwrap_or(NodeId(NO_NODE))
    }

    /// Asks for no pod any more on nodes that lack one, where that holds.
    fn give_up(&mut self, is_over: impl Fn(NodeId, WorkloadId, PodId) -> bool) -> Vec<WorkloadId> {
        let mut given_up = Vec::new();
        self.lacking.retain(|(node, set), pod| {
            let over = is_over(*node, *set, *pod);
            if over {
                given_up.push(*set);
            }
            !over
        });
        given_up.iter().for_each(|set| self.add(*set, -1));
        given_up
    }

    fn add(&mut self, set: WorkloadId, more: i32) {
        if let Some(Some(n)) = self.desired.get_mut(set.index()) {
            *n = n.saturating_add_signed(more);
        }
    }
}

/// The node that a pod is on, or that it is made for.
fn place(follow: &Follow<'_>, pod: PodId, state: &PodState) -> NodeId {
    let made_for = || {
        let name = follow.template(pod)?.target_node_name()?;
        follow.analysis().trace.names.find_node(name)
    };
    state.node_id().or_else(made_for).unwrap_or(NodeId(NO_NODE))
}

/// Whether a node that lacks a pod is to have one like this.
fn suits(follow: &Follow<'_>, node: NodeId, pod: PodId) -> bool {
    let operators = follow.analysis().plan.profile.workload.daemon_set.comparison_operators;
    let is_tolerated = |t: &Taint| {
        t.effect == Effect::PreferNoSchedule
            || is_failure_key(&t.key)
            || follow.tolerations(pod).iter().any(|own| own.tolerates(t, operators))
    };
    follow.node(node).exists && follow.taints(node).iter().all(|held| is_tolerated(held.taint))
}

#[cfg(test)]
mod tests {
    use super::super::tests::synthetic::{Run, ms, taint};
    use super::super::workloads::workloads;
    use super::*;
    use crate::api::taint::NOT_READY;

    /// How many pods a DaemonSet with one pod asks for. `story` is told the node and that pod; at
    /// 100 s the next pod of the node is made.
    fn wanted(story: impl FnOnce(&mut Run, u32, u32)) -> Vec<(u64, u32)> {
        let mut run = Run::new("d", ms(200_000));
        let node = run.node("n", "a");
        let old = run.pod("default/logs-a", node);
        let (set, _) = run.workload("DaemonSet/default/logs", "DaemonSet/default/other");
        run.owned(old, set);
        let next = run.replica("default/logs-b", set);
        story(&mut run, node, old);
        run.created(ms(100_000), next, node, &[]);
        let (plan, trace) = run.finish();
        let outcomes = workloads(&Analysis::new(&plan, &trace)).outcomes;
        let own = outcomes.into_iter().find(|o| o.id == WorkloadId(set)).expect("is a workload");
        own.wanted.into_iter().map(|(at, n)| (at.as_secs(), n)).collect()
    }

    /// The pod fails at 60 s, and its DaemonSet deletes it at 61 s.
    fn fails(run: &mut Run, pod: u32) {
        let failed = What::PodPhase(PodPhase::Failed);
        run.record(ms(60_000), NO_RECORD, Actor::Kubelet, failed, pod);
        run.record(ms(61_000), NO_RECORD, Actor::DaemonSet, What::PodGone, pod);
    }

    #[test]
    fn a_pod_that_failed_or_went_is_wanted_until_the_next_one_is_made() {
        assert_eq!(wanted(|run, _, old| fails(run, old)), [(0, 1)]);
        let gone = |run: &mut Run, _, old| {
            run.record(ms(60_000), NO_RECORD, Actor::User, What::PodGone, old);
        };
        assert_eq!(wanted(gone), [(0, 1)]);
        // A node that fails is to have its pod all the same.
        let on_a_failing_node = |run: &mut Run, node, old| {
            fails(run, old);
            let not_ready = [taint(NOT_READY, Effect::NoSchedule)];
            run.taints(ms(80_000), NO_RECORD, Actor::NodeLifecycle, node, &not_ready, &[]);
        };
        assert_eq!(wanted(on_a_failing_node), [(0, 1)]);
    }

    #[test]
    fn none_is_wanted_where_the_node_does_not_suit() {
        let tainted = |run: &mut Run, node, old| {
            fails(run, old);
            let own = [taint("x", Effect::NoSchedule)];
            run.taints(ms(80_000), NO_RECORD, Actor::User, node, &own, &[]);
        };
        assert_eq!(wanted(tainted), [(0, 1), (80, 0), (100, 1)]);
        let tainted_before = |run: &mut Run, node, old| {
            let own = [taint("x", Effect::NoExecute)];
            run.taints(ms(50_000), NO_RECORD, Actor::User, node, &own, &[]);
            run.record(ms(60_000), NO_RECORD, Actor::TaintEviction, What::PodGone, old);
        };
        assert_eq!(wanted(tainted_before), [(0, 1), (60, 0), (100, 1)]);
        let deleted = |run: &mut Run, node, old| {
            fails(run, old);
            run.record(ms(80_000), NO_RECORD, Actor::User, What::NodeDeleted, node);
        };
        assert_eq!(wanted(deleted), [(0, 1), (80, 0), (100, 1)]);
    }

    #[test]
    fn none_is_wanted_of_a_daemon_set_that_takes_its_pod_away() {
        let taken = |run: &mut Run, _, old| {
            run.record(ms(60_000), NO_RECORD, Actor::DaemonSet, What::PodDeleting(30), old);
            run.record(ms(61_000), NO_RECORD, Actor::Kubelet, What::PodGone, old);
        };
        assert_eq!(wanted(taken), [(0, 1), (61, 0), (100, 1)]);
    }
}
