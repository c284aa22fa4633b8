//! Faults that overlap: a node that two partitions cut off is back when both have ended.
//!
//! The primitive steps of a run know nothing of each other: what recovers has recovered. So
//! beginnings of what holds already, and ends of what something else still holds up, are taken out
//! of the steps here; where another value still holds, as with two clock skews, the end of the later
//! one goes back to the earlier one's value.

use crate::plan::{RefuseVolumes, RegistryFails};
use crate::scenario::prelude::*;

/// Takes overlaps out of actions that are sorted by time.
pub(super) fn settle(actions: Vec<Action>) -> Vec<Action> {
    let mut in_force = InForce::default();
    let mut settled = Vec::with_capacity(actions.len());
    for mut action in actions {
        let back = in_force.take(&mut action);
        let Action { at, entry, .. } = action;
        settled.push(action);
        settled.extend(back.into_iter().map(|(fault, nodes)| {
            let act = Do::Fail(nodes, fault);
            Action { at, entry, phase: Phase::Step, act }
        }));
    }
    settled
}

/// What nodes go back to when something that replaced it has ended.
type Back = Vec<(NodeFault, Vec<NodeIndex>)>;

/// What entries hold up, the latest last.
type Held<T> = Vec<(u32, T)>;

/// An entry has begun to hold up something, or ended; what holds from now on, if anything.
fn turn<T: Clone>(held: &mut Held<T>, entry: u32, begins: Option<T>) -> Option<T> {
    held.retain(|(e, _)| *e != entry);
    held.extend(begins.map(|value| (entry, value)));
    held.last().map(|(_, value)| value.clone())
}

/// The faults in force, each with its entry, the latest last.
#[derive(Default)]
struct InForce {
    nodes: BTreeMap<NodeIndex, Held<NodeFault>>,
    /// Entries that have made nodes fail.
    begun: BTreeSet<u32>,
    no_api: Held<()>,
    no_registry: Held<RegistryFails>,
    no_volumes: Held<RefuseVolumes>,
    lags: BTreeMap<Resource, Held<Dur>>,
    /// When the longest stall of watches ends.
    stalls: BTreeMap<Resource, Time>,
}

impl InForce {
    /// Leaves of an action what changes something.
    fn take(&mut self, action: &mut Action) -> Back {
        let Action { at, entry, phase, .. } = *action;
        let begins = phase != Phase::End;
        match &mut action.act {
            Do::Fail(nodes, fault) => nodes.retain(|n| self.fails(*n, entry, *fault)),
            Do::Recover(nodes, fault) => {
                let (free, back) = self.recover(std::mem::take(nodes), entry, *fault);
                *nodes = free;
                return back;
            }
            Do::ApiDown | Do::ApiUp(_) => {
                let still_down = turn(&mut self.no_api, entry, begins.then_some(())).is_some();
                if still_down {
                    // For another outage: the end is marked, and nothing comes back.
                    action.act = Do::ApiDown;
                }
            }
            Do::Registry(fails) => *fails = turn(&mut self.no_registry, entry, *fails),
            Do::RefuseVolumes(all) => {
                turn(&mut self.no_volumes, entry, all.pop());
                *all = self.no_volumes.iter().rev().map(|(_, held)| held.clone()).collect();
            }
            Do::WatchLag(resource, lag) => {
                let lags = self.lags.entry(*resource).or_default();
                *lag = turn(lags, entry, begins.then_some(*lag)).unwrap_or_default();
            }
            // A longer one that is under way goes on.
            Do::StallWatches(resource, lasts) => {
                let until = self.stalls.entry(*resource).or_default();
                *until = at.saturating_add(*lasts).max(*until);
                *lasts = until.since(at);
            }
            // One that joins again later has a kubelet of its own; one that is cut off goes on, and may be back.
            Do::DeleteNode(nodes) => {
                for node in nodes.iter() {
                    let faults = self.nodes.entry(*node).or_default();
                    faults.retain(|(_, fault)| matches!(fault, NodeFault::Cut(_)));
                }
            }
            Do::AddNode(node) => _ = self.nodes.remove(node),
            _ => {}
        }
        Vec::new()
    }

    /// A fault begins at a node; whether that changes anything.
    fn fails(&mut self, node: NodeIndex, entry: u32, fault: NodeFault) -> bool {
        self.begun.insert(entry);
        let faults = self.nodes.entry(node).or_default();
        let before = faults.iter().rfind(|(_, f)| f.replaces(fault)).map(|(_, f)| *f);
        faults.push((entry, fault));
        before != Some(fault)
    }

    /// A fault of nodes ends: those that recover, and what others go back to. An entry that made no
    /// node fail itself ends it whatever made them fail.
    fn recover(
        &mut self,
        mut nodes: Vec<NodeIndex>,
        entry: u32,
        fault: NodeFault,
    ) -> (Vec<NodeIndex>, Back) {
        if !self.begun.contains(&entry) {
            for n in &nodes {
                let Some(faults) = self.nodes.get_mut(n) else { continue };
                faults.retain(|(_, f)| !f.replaces(fault));
            }
            return (nodes, Vec::new());
        }
        let is_own = |(e, f): &(u32, NodeFault)| *e == entry && f.replaces(fault);
        let mut back = Back::new();
        nodes.retain(|n| {
            let Some(faults) = self.nodes.get_mut(n) else { return false };
            let Some(i) = faults.iter().rposition(is_own) else { return false };
            let (_, ended) = faults.remove(i);
            let left = faults.iter().rposition(|(_, f)| f.replaces(fault));
            if let Some(j) = left.filter(|j| *j < i && faults[*j].1 != ended) {
                let value = faults[j].1;
                match back.iter_mut().find(|(v, _)| *v == value) {
                    Some((_, nodes)) => nodes.push(*n),
                    None => back.push((value, vec![*n])),
                }
            }
            left.is_none()
        });
        (nodes, back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Connections;

    fn run(steps: &[(u64, u32, Phase, Do)]) -> Vec<(u64, Do)> {
        let actions = steps.iter().map(|(s, entry, phase, act)| Action {
            at: Time::from_secs(*s),
            entry: *entry,
            phase: *phase,
            act: act.clone(),
        });
        settle(actions.collect()).into_iter().map(|a| (a.at.as_secs(), a.act)).collect()
    }

    use Phase::{Begin, End};

    fn cut(nodes: Vec<NodeIndex>) -> Do {
        Do::Fail(nodes, NodeFault::Cut(Connections::Dropped))
    }

    fn heal(nodes: Vec<NodeIndex>) -> Do {
        Do::Recover(nodes, NodeFault::Cut(Connections::Dropped))
    }

    #[test]
    fn a_node_is_back_when_both_partitions_have_ended() {
        let steps = [
            (10, 0, Begin, cut(vec![0, 1])),
            (12, 1, Begin, cut(vec![1, 2])),
            (13, 0, End, heal(vec![0, 1])),
            (20, 1, End, heal(vec![1, 2])),
        ];
        let expected = [
            (10, cut(vec![0, 1])),
            (12, cut(vec![2])),
            (13, heal(vec![0])),
            (20, heal(vec![1, 2])),
        ];
        assert_eq!(run(&steps), expected);
    }

    /// A kubelet goes on without its node; one that joins under its name was never cut off.
    #[test]
    fn a_node_that_is_deleted_while_it_is_cut_off_may_be_back() {
        let deleted = [(10, 0, Begin, cut(vec![0])), (12, 1, Phase::Step, Do::DeleteNode(vec![0]))];
        let end = (20, 0, End, heal(vec![0]));
        let back = run(&[&deleted[..], std::slice::from_ref(&end)].concat());
        assert_eq!(back.last(), Some(&(20, heal(vec![0]))));
        let joins = (15, 2, Phase::Step, Do::AddNode(0));
        let back = run(&[&deleted[..], &[joins, end]].concat());
        assert_eq!(back.last(), Some(&(20, heal(vec![]))));
    }

    #[test]
    fn an_inner_fault_changes_nothing() {
        let steps = [
            (10, 0, Begin, Do::Fail(vec![0], NodeFault::Off)),
            (11, 1, Begin, Do::Fail(vec![0], NodeFault::Off)),
            (12, 1, End, Do::Recover(vec![0], NodeFault::Off)),
            (13, 0, End, Do::Recover(vec![0], NodeFault::Off)),
        ];
        let expected = [
            (10, Do::Fail(vec![0], NodeFault::Off)),
            (11, Do::Fail(vec![], NodeFault::Off)),
            (12, Do::Recover(vec![], NodeFault::Off)),
            (13, Do::Recover(vec![0], NodeFault::Off)),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn values_go_back_to_what_still_holds() {
        let (ahead, behind) = (NodeFault::ClockSkew(5), NodeFault::ClockSkew(-7));
        let steps = [
            (10, 0, Begin, Do::Fail(vec![0], ahead)),
            (11, 1, Begin, Do::Fail(vec![0, 1], behind)),
            (12, 1, End, Do::Recover(vec![0, 1], behind)),
            (13, 0, End, Do::Recover(vec![0], ahead)),
        ];
        let expected = [
            (10, Do::Fail(vec![0], ahead)),
            (11, Do::Fail(vec![0, 1], behind)),
            (12, Do::Recover(vec![1], behind)),
            (12, Do::Fail(vec![0], ahead)),
            (13, Do::Recover(vec![0], ahead)),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn a_short_stall_does_not_end_a_longer_one() {
        let (leases, d) = (Resource::Leases, Dur::from_secs);
        let steps = [
            (10, 0, Begin, Do::StallWatches(leases, d(30))),
            (15, 1, Begin, Do::StallWatches(leases, d(5))),
        ];
        let expected =
            [(10, Do::StallWatches(leases, d(30))), (15, Do::StallWatches(leases, d(25)))];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn healing_by_name_ends_every_partition_of_a_node() {
        let steps = [
            (10, 0, Begin, cut(vec![0, 1])),
            (11, 1, Begin, heal(vec![0])),
            (12, 2, Begin, cut(vec![0])),
            (20, 0, End, heal(vec![0, 1])),
        ];
        let expected =
            [(10, cut(vec![0, 1])), (11, heal(vec![0])), (12, cut(vec![0])), (20, heal(vec![1]))];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn clients_are_back_when_the_last_partition_that_kept_them_out_has_ended() {
        use Phase::{Begin, End, Step};
        // From 10 s to 13 s nobody reaches the node; from 12 s to 20 s its kubelet cannot report.
        let found = run(&[
            (10, 0, Begin, cut(vec![0])),
            (10, 0, Step, Do::Fail(vec![0], NodeFault::Isolated)),
            (12, 1, Begin, cut(vec![0])),
            (13, 0, End, heal(vec![0])),
            (13, 0, Step, Do::Recover(vec![0], NodeFault::Isolated)),
            (20, 1, End, heal(vec![0])),
        ]);
        let expected = [
            (10, cut(vec![0])),
            (10, Do::Fail(vec![0], NodeFault::Isolated)),
            (12, cut(vec![])),
            (13, heal(vec![])),
            (13, Do::Recover(vec![0], NodeFault::Isolated)),
            (20, heal(vec![0])),
        ];
        assert_eq!(found, expected);
        // Healed by an entry of its own, whatever cut it off; the end of the partition then has
        // nothing left to end.
        let found = run(&[
            (10, 0, Begin, Do::Fail(vec![0, 1], NodeFault::Isolated)),
            (12, 1, Begin, Do::Recover(vec![0], NodeFault::Isolated)),
            (20, 0, End, Do::Recover(vec![0, 1], NodeFault::Isolated)),
        ]);
        assert_eq!(
            found,
            [
                (10, Do::Fail(vec![0, 1], NodeFault::Isolated)),
                (12, Do::Recover(vec![0], NodeFault::Isolated)),
                (20, Do::Recover(vec![1], NodeFault::Isolated))
            ]
        );
    }

    /// The first partition was healed and has nothing left to end, while another keeps clients out.
    #[test]
    fn what_was_healed_does_not_end_again() {
        use Phase::{Begin, End, Step};
        let found = run(&[
            (10, 0, Begin, cut(vec![0])),
            (10, 0, Step, Do::Fail(vec![0], NodeFault::Isolated)),
            (12, 1, Begin, heal(vec![0])),
            (12, 1, Step, Do::Recover(vec![0], NodeFault::Isolated)),
            (20, 2, Begin, cut(vec![0])),
            (20, 2, Step, Do::Fail(vec![0], NodeFault::Isolated)),
            (30, 0, End, heal(vec![0])),
            (30, 0, Step, Do::Recover(vec![0], NodeFault::Isolated)),
            (40, 2, End, heal(vec![0])),
            (40, 2, Step, Do::Recover(vec![0], NodeFault::Isolated)),
        ]);
        let end: Vec<_> = found.into_iter().filter(|(at, _)| *at >= 30).collect();
        let expected = [
            (30, heal(vec![])),
            (30, Do::Recover(vec![], NodeFault::Isolated)),
            (40, heal(vec![0])),
            (40, Do::Recover(vec![0], NodeFault::Isolated)),
        ];
        assert_eq!(end, expected);
    }
}
