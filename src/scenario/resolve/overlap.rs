//! Faults that overlap: a node that two partitions cut off is back when both have ended.
//!
//! The primitive steps of a run know nothing of each other: "heal" heals. So beginnings of what
//! already holds, and ends of what something else still holds up, are taken out of the steps here;
//! where another value still holds, as with two clock skews, the end of the later one goes back to
//! the earlier one's value.

use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::kernel::{Dur, Time};
use crate::plan::{Action, Connections, Do, NodeIndex, Phase, Resource, RuntimeFails};
use std::collections::{BTreeMap, BTreeSet};

/// What a fault holds while it lasts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Cut(NodeIndex),
    Network(NodeIndex),
    Crash(NodeIndex),
    Kubelet(NodeIndex),
    Heartbeats(NodeIndex),
    Condition(NodeIndex, NodeConditionType),
    Runtime(NodeIndex),
    Clock(NodeIndex),
    Api,
    Watch(Resource),
    Stall(Resource),
}

/// What it is held at.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    On,
    Cut(Connections),
    Period(Dur),
    Status(ConditionStatus),
    Runtime(RuntimeFails),
    Skew(i64),
    Lag(Dur),
    Until(Time),
}

/// The entries that hold it, the latest last, each with its value.
type Holders = BTreeMap<Held, Vec<(u32, Value)>>;

/// Takes overlaps out of actions that are sorted by time.
pub(super) fn settle(actions: Vec<Action>) -> Vec<Action> {
    let mut holders = Holders::new();
    actions.into_iter().flat_map(|action| settled(action, &mut holders)).collect()
}

/// Begins to hold; whether that changes anything.
fn begin(holders: &mut Holders, held: Held, owner: u32, value: Value) -> bool {
    let stack = holders.entry(held).or_default();
    let changes = stack.last().is_none_or(|(_, v)| *v != value);
    stack.push((owner, value));
    changes
}

/// What the end of an owner's hold leads to.
enum After {
    /// Nothing changes: it is not held by that owner, or somebody else's value counts.
    Same,
    /// Nobody holds it any more.
    Free,
    /// Another value counts from now on.
    Back(Value),
}

fn end(holders: &mut Holders, held: Held, owner: u32) -> After {
    let Some(stack) = holders.get_mut(&held) else {
        return After::Same;
    };
    let Some(i) = stack.iter().rposition(|(o, _)| *o == owner) else {
        return After::Same;
    };
    let (_, old) = stack.remove(i);
    let top = stack.last().copied();
    let was_top = i == stack.len();
    match top {
        None => {
            holders.remove(&held);
            After::Free
        }
        Some((_, value)) if was_top && value != old => After::Back(value),
        Some(_) => After::Same,
    }
}

/// What stays of an action when parts of it are taken out.
#[derive(Clone, Copy)]
struct Of {
    at: Time,
    entry: u32,
    phase: Phase,
}

impl Of {
    fn one(self, act: Do) -> Vec<Action> {
        let Self { at, entry, phase } = self;
        vec![Action { at, entry, phase, act }]
    }

    /// The action, and one more for each value that nodes go back to.
    fn with_back(
        self,
        act: Do,
        back: Vec<(Value, Vec<NodeIndex>)>,
        again: &dyn Fn(Value, Vec<NodeIndex>) -> Option<Do>,
    ) -> Vec<Action> {
        let mut all = self.one(act);
        all.extend(back.into_iter().filter_map(|(value, nodes)| {
            Some(Action {
                at: self.at,
                entry: self.entry,
                phase: Phase::Step,
                act: again(value, nodes)?,
            })
        }));
        all
    }
}

/// Begins to hold something of each node; the nodes for which that changes anything.
fn begin_all(
    holders: &mut Holders,
    owner: u32,
    nodes: Vec<NodeIndex>,
    held: impl Fn(NodeIndex) -> Held,
    value: Value,
) -> Vec<NodeIndex> {
    nodes.into_iter().filter(|&n| begin(holders, held(n), owner, value)).collect()
}

/// Begins to hold something of each node that has no value.
fn hold(
    holders: &mut Holders,
    owner: u32,
    nodes: Vec<NodeIndex>,
    held: fn(NodeIndex) -> Held,
) -> Vec<NodeIndex> {
    begin_all(holders, owner, nodes, held, Value::On)
}

/// Ends to hold something of each node: the nodes that are free again, and those whose value goes
/// back, by value.
fn end_all(
    holders: &mut Holders,
    owner: u32,
    nodes: Vec<NodeIndex>,
    held: &dyn Fn(NodeIndex) -> Held,
) -> (Vec<NodeIndex>, Vec<(Value, Vec<NodeIndex>)>) {
    let (mut free, mut back): (Vec<NodeIndex>, Vec<(Value, Vec<NodeIndex>)>) =
        (Vec::new(), Vec::new());
    for node in nodes {
        match end(holders, held(node), owner) {
            After::Same => {}
            After::Free => free.push(node),
            After::Back(value) => match back.iter_mut().find(|(v, _)| *v == value) {
                Some((_, nodes)) => nodes.push(node),
                None => back.push((value, vec![node])),
            },
        }
    }
    (free, back)
}

/// Nodes that clients reach again: at the end of a partition those that nothing else cuts off; by
/// an entry of its own all of them, whatever cut them off.
fn reconnected(holders: &mut Holders, owner: u32, nodes: Vec<NodeIndex>) -> Vec<NodeIndex> {
    let own = |n: NodeIndex| {
        holders.get(&Held::Network(n)).is_some_and(|hands| hands.iter().any(|(o, _)| *o == owner))
    };
    if nodes.iter().any(|&n| own(n)) {
        end_all(holders, owner, nodes, &Held::Network).0
    } else {
        nodes.iter().for_each(|&n| drop(holders.remove(&Held::Network(n))));
        nodes
    }
}

/// The lag of a watch when one of its lags has ended; `none` is none at all.
fn lag_left(holders: &mut Holders, owner: u32, resource: Resource, none: Dur) -> Dur {
    match end(holders, Held::Watch(resource), owner) {
        After::Free => none,
        After::Back(Value::Lag(lag)) => lag,
        After::Same | After::Back(_) => {
            match holders.get(&Held::Watch(resource)).and_then(|s| s.last()) {
                Some((_, Value::Lag(lag))) => *lag,
                _ => none,
            }
        }
    }
}

/// Until when a watch stalls once another stall begins: a longer one that is under way goes on.
fn stalled_until(holders: &mut Holders, owner: u32, resource: Resource, own: Time) -> Time {
    let stack = holders.entry(Held::Stall(resource)).or_default();
    let until =
        stack.iter().fold(
            own,
            |latest, (_, value)| {
                if let Value::Until(t) = value { latest.max(*t) } else { latest }
            },
        );
    stack.push((owner, Value::Until(own)));
    until
}

/// Nothing of these nodes is held any more: one that joins again later has a kubelet of its own.
fn forget(holders: &mut Holders, nodes: &[NodeIndex]) {
    let gone: BTreeSet<NodeIndex> = nodes.iter().copied().collect();
    holders.retain(|held, _| match held {
        Held::Cut(n)
        | Held::Network(n)
        | Held::Crash(n)
        | Held::Kubelet(n)
        | Held::Heartbeats(n)
        | Held::Condition(n, _)
        | Held::Runtime(n)
        | Held::Clock(n) => !gone.contains(n),
        Held::Api | Held::Watch(_) | Held::Stall(_) => true,
    });
}

/// Container runtimes that fail, or of which one failure ends.
fn runtime(
    of: Of,
    nodes: Vec<NodeIndex>,
    fails: Option<RuntimeFails>,
    holders: &mut Holders,
) -> Vec<Action> {
    if let Some(how) = fails {
        let changing = begin_all(holders, of.entry, nodes, Held::Runtime, Value::Runtime(how));
        return of.one(Do::Runtime(changing, fails));
    }
    let (free, back) = end_all(holders, of.entry, nodes, &Held::Runtime);
    of.with_back(Do::Runtime(free, None), back, &|value, nodes| match value {
        Value::Runtime(how) => Some(Do::Runtime(nodes, Some(how))),
        _ => None,
    })
}

/// Nodes that reach the API server again: at the end of a partition those that nothing else cuts
/// off; by an entry of its own all of them, whatever cut them off.
fn healed(of: Of, nodes: Vec<NodeIndex>, holders: &mut Holders) -> Vec<Action> {
    if of.phase == Phase::Begin {
        nodes.iter().for_each(|&n| drop(holders.remove(&Held::Cut(n))));
        return of.one(Do::Heal(nodes));
    }
    let (free, back) = end_all(holders, of.entry, nodes, &Held::Cut);
    of.with_back(Do::Heal(free), back, &|value, nodes| match value {
        Value::Cut(how) => Some(Do::Cut(nodes, how)),
        _ => None,
    })
}

/// An action without what overlaps; further actions where values go back to different ones.
fn settled(action: Action, holders: &mut Holders) -> Vec<Action> {
    let of = Of { at: action.at, entry: action.entry, phase: action.phase };
    match action.act {
        Do::Cut(nodes, how) => {
            of.one(Do::Cut(begin_all(holders, of.entry, nodes, Held::Cut, Value::Cut(how)), how))
        }
        Do::Heal(nodes) => healed(of, nodes, holders),
        Do::Isolate(nodes) => of.one(Do::Isolate(hold(holders, of.entry, nodes, Held::Network))),
        Do::Reconnect(nodes) => of.one(Do::Reconnect(reconnected(holders, of.entry, nodes))),
        Do::Crash(nodes) => of.one(Do::Crash(hold(holders, of.entry, nodes, Held::Crash))),
        Do::Boot(nodes) => of.one(Do::Boot(end_all(holders, of.entry, nodes, &Held::Crash).0)),
        Do::StopKubelet(n) => of.one(Do::StopKubelet(hold(holders, of.entry, n, Held::Kubelet))),
        Do::StartKubelet(n) => {
            let (free, _) = end_all(holders, of.entry, n, &Held::Kubelet);
            of.one(Do::StartKubelet(free))
        }
        Do::HeartbeatPeriod(nodes, Some(period)) => of.one(Do::HeartbeatPeriod(
            begin_all(holders, of.entry, nodes, Held::Heartbeats, Value::Period(period)),
            Some(period),
        )),
        Do::HeartbeatPeriod(nodes, None) => {
            let (free, back) = end_all(holders, of.entry, nodes, &Held::Heartbeats);
            of.with_back(Do::HeartbeatPeriod(free, None), back, &|value, nodes| match value {
                Value::Period(period) => Some(Do::HeartbeatPeriod(nodes, Some(period))),
                _ => None,
            })
        }
        Do::Condition(nodes, kind, status) if of.phase != Phase::End => {
            let held = |n| Held::Condition(n, kind);
            let changing = begin_all(holders, of.entry, nodes, held, Value::Status(status));
            of.one(Do::Condition(changing, kind, status))
        }
        Do::Condition(nodes, kind, healthy) => {
            let (free, back) = end_all(holders, of.entry, nodes, &|n| Held::Condition(n, kind));
            of.with_back(Do::Condition(free, kind, healthy), back, &|value, nodes| match value {
                Value::Status(status) => Some(Do::Condition(nodes, kind, status)),
                _ => None,
            })
        }
        Do::Runtime(nodes, fails) => runtime(of, nodes, fails, holders),
        Do::ClockSkew(nodes, skew) if of.phase != Phase::End => of.one(Do::ClockSkew(
            begin_all(holders, of.entry, nodes, Held::Clock, Value::Skew(skew)),
            skew,
        )),
        Do::ClockSkew(nodes, _) => {
            let (free, back) = end_all(holders, of.entry, nodes, &Held::Clock);
            of.with_back(Do::ClockSkew(free, 0), back, &|value, nodes| match value {
                Value::Skew(skew) => Some(Do::ClockSkew(nodes, skew)),
                _ => None,
            })
        }
        Do::ApiDown => {
            begin(holders, Held::Api, of.entry, Value::On);
            of.one(Do::ApiDown)
        }
        Do::ApiUp(cache) => match end(holders, Held::Api, of.entry) {
            After::Free => of.one(Do::ApiUp(cache)),
            // Still down for another outage: the end is marked, and nothing comes back.
            After::Same | After::Back(_) => of.one(Do::ApiDown),
        },
        Do::WatchLag(resource, lag) if of.phase != Phase::End => {
            begin(holders, Held::Watch(resource), of.entry, Value::Lag(lag));
            of.one(Do::WatchLag(resource, lag))
        }
        Do::WatchLag(resource, none) => {
            let left = lag_left(holders, of.entry, resource, none);
            of.one(Do::WatchLag(resource, left))
        }
        Do::StallWatches(resource, lasts) => {
            let until = stalled_until(holders, of.entry, resource, of.at.saturating_add(lasts));
            of.one(Do::StallWatches(resource, until.since(of.at)))
        }
        Do::DeleteNode(nodes) => {
            forget(holders, &nodes);
            of.one(Do::DeleteNode(nodes))
        }
        other => of.one(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_node_is_back_when_both_partitions_have_ended() {
        let steps = [
            (10, 0, Begin, Do::Cut(vec![0, 1], Connections::Dropped)),
            (12, 1, Begin, Do::Cut(vec![1, 2], Connections::Dropped)),
            (13, 0, End, Do::Heal(vec![0, 1])),
            (20, 1, End, Do::Heal(vec![1, 2])),
        ];
        let expected = [
            (10, Do::Cut(vec![0, 1], Connections::Dropped)),
            (12, Do::Cut(vec![2], Connections::Dropped)),
            (13, Do::Heal(vec![0])),
            (20, Do::Heal(vec![1, 2])),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn an_inner_fault_changes_nothing() {
        let steps = [
            (10, 0, Begin, Do::Crash(vec![0])),
            (11, 1, Begin, Do::Crash(vec![0])),
            (12, 1, End, Do::Boot(vec![0])),
            (13, 0, End, Do::Boot(vec![0])),
        ];
        let expected = [
            (10, Do::Crash(vec![0])),
            (11, Do::Crash(vec![])),
            (12, Do::Boot(vec![])),
            (13, Do::Boot(vec![0])),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn values_go_back_to_what_still_holds() {
        let steps = [
            (10, 0, Begin, Do::ClockSkew(vec![0], 5)),
            (11, 1, Begin, Do::ClockSkew(vec![0, 1], -7)),
            (12, 1, End, Do::ClockSkew(vec![0, 1], 0)),
            (13, 0, End, Do::ClockSkew(vec![0], 0)),
        ];
        let expected = [
            (10, Do::ClockSkew(vec![0], 5)),
            (11, Do::ClockSkew(vec![0, 1], -7)),
            (12, Do::ClockSkew(vec![1], 0)),
            (12, Do::ClockSkew(vec![0], 5)),
            (13, Do::ClockSkew(vec![0], 0)),
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
            (10, 0, Begin, Do::Cut(vec![0, 1], Connections::Dropped)),
            (11, 1, Begin, Do::Heal(vec![0])),
            (12, 2, Begin, Do::Cut(vec![0], Connections::Dropped)),
            (20, 0, End, Do::Heal(vec![0, 1])),
        ];
        let expected = [
            (10, Do::Cut(vec![0, 1], Connections::Dropped)),
            (11, Do::Heal(vec![0])),
            (12, Do::Cut(vec![0], Connections::Dropped)),
            (20, Do::Heal(vec![1])),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn clients_are_back_when_the_last_partition_that_kept_them_out_has_ended() {
        use Phase::{Begin, End, Step};
        // From 10 s to 13 s nobody reaches the node; from 12 s to 20 s its kubelet cannot report.
        let found = run(&[
            (10, 0, Begin, Do::Cut(vec![0], Connections::Dropped)),
            (10, 0, Step, Do::Isolate(vec![0])),
            (12, 1, Begin, Do::Cut(vec![0], Connections::Dropped)),
            (13, 0, End, Do::Heal(vec![0])),
            (13, 0, Step, Do::Reconnect(vec![0])),
            (20, 1, End, Do::Heal(vec![0])),
        ]);
        let expected = [
            (10, Do::Cut(vec![0], Connections::Dropped)),
            (10, Do::Isolate(vec![0])),
            (12, Do::Cut(vec![], Connections::Dropped)),
            (13, Do::Heal(vec![])),
            (13, Do::Reconnect(vec![0])),
            (20, Do::Heal(vec![0])),
        ];
        assert_eq!(found, expected);
        // Healed by an entry of its own, whatever cut it off; the end of the partition then has
        // nothing left to end.
        let found = run(&[
            (10, 0, Begin, Do::Isolate(vec![0, 1])),
            (12, 1, Begin, Do::Reconnect(vec![0])),
            (20, 0, End, Do::Reconnect(vec![0, 1])),
        ]);
        assert_eq!(
            found,
            [
                (10, Do::Isolate(vec![0, 1])),
                (12, Do::Reconnect(vec![0])),
                (20, Do::Reconnect(vec![1]))
            ]
        );
    }
}
