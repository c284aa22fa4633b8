//! Faults that overlap: a node that two partitions cut off is back when both have ended.
//!
//! The primitive steps of a run know nothing of each other: "heal" heals. So beginnings of what
//! already holds, and ends of what something else still holds up, are taken out of the steps here;
//! where another value still holds, as with two clock skews, the end of the later one goes back to
//! the earlier one's value.

use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::kernel::{Dur, Time};
use crate::plan::{Action, Do, NodeIndex, Phase, WatchedResource};
use std::collections::{BTreeMap, BTreeSet};

/// What a fault holds in its hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Cut(NodeIndex),
    Network(NodeIndex),
    Crash(NodeIndex),
    Heartbeats(NodeIndex),
    Condition(NodeIndex, NodeConditionType),
    Clock(NodeIndex),
    Api,
    Watch(WatchedResource),
    Stall(WatchedResource),
}

/// What it is held at.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    On,
    Period(Dur),
    Status(ConditionStatus),
    Skew(i64),
    Lag(Dur),
    Until(Time),
}

/// Whose hands hold it, the latest last.
type Holders = BTreeMap<Held, Vec<(u32, Value)>>;

/// Takes overlaps out of actions that are sorted by time.
pub(super) fn settle(actions: Vec<Action>) -> Vec<Action> {
    let mut holders = Holders::new();
    actions
        .into_iter()
        .flat_map(|action| settled(action, &mut holders))
        .collect()
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

/// An action without what overlaps; further actions where values go back to different ones.
fn settled(action: Action, holders: &mut Holders) -> Vec<Action> {
    let Action {
        at,
        entry,
        phase,
        act,
    } = action;
    let ends = phase == Phase::End;
    let one = |act: Do| {
        vec![Action {
            at,
            entry,
            phase,
            act,
        }]
    };
    let beginning = |nodes: Vec<NodeIndex>,
                     held: fn(NodeIndex) -> Held,
                     value: Value,
                     holders: &mut Holders|
     -> Vec<NodeIndex> {
        nodes
            .into_iter()
            .filter(|&n| begin(holders, held(n), entry, value))
            .collect()
    };
    // Nodes that are free again, and those whose value goes back, by value.
    let ending =
        |nodes: Vec<NodeIndex>, held: &dyn Fn(NodeIndex) -> Held, holders: &mut Holders| {
            let (mut free, mut back): (Vec<NodeIndex>, Vec<(Value, Vec<NodeIndex>)>) =
                (Vec::new(), Vec::new());
            for node in nodes {
                match end(holders, held(node), entry) {
                    After::Same => {}
                    After::Free => free.push(node),
                    After::Back(value) => match back.iter_mut().find(|(v, _)| *v == value) {
                        Some((_, nodes)) => nodes.push(node),
                        None => back.push((value, vec![node])),
                    },
                }
            }
            (free, back)
        };
    let with_back = |act: Do,
                     back: Vec<(Value, Vec<NodeIndex>)>,
                     again: &dyn Fn(Value, Vec<NodeIndex>) -> Option<Do>| {
        let mut all = one(act);
        all.extend(back.into_iter().filter_map(|(value, nodes)| {
            Some(Action {
                at,
                entry,
                phase: Phase::Step,
                act: again(value, nodes)?,
            })
        }));
        all
    };
    match act {
        Do::Cut(nodes) => one(Do::Cut(beginning(nodes, Held::Cut, Value::On, holders))),
        // By name of its own: whatever cut them off.
        Do::Heal(nodes) if phase == Phase::Begin => {
            nodes
                .iter()
                .for_each(|&n| drop(holders.remove(&Held::Cut(n))));
            one(Do::Heal(nodes))
        }
        Do::Heal(nodes) => one(Do::Heal(ending(nodes, &Held::Cut, holders).0)),
        Do::Isolate(nodes) => one(Do::Isolate(beginning(
            nodes,
            Held::Network,
            Value::On,
            holders,
        ))),
        Do::Reconnect(nodes) => {
            // The end of a partition, or an entry of its own: then whatever cut them off.
            let own = |n: NodeIndex| {
                holders
                    .get(&Held::Network(n))
                    .is_some_and(|hands| hands.iter().any(|(owner, _)| *owner == entry))
            };
            if nodes.iter().any(|&n| own(n)) {
                one(Do::Reconnect(ending(nodes, &Held::Network, holders).0))
            } else {
                nodes
                    .iter()
                    .for_each(|&n| drop(holders.remove(&Held::Network(n))));
                one(Do::Reconnect(nodes))
            }
        }
        Do::Crash(nodes) => one(Do::Crash(beginning(nodes, Held::Crash, Value::On, holders))),
        Do::Boot(nodes) => one(Do::Boot(ending(nodes, &Held::Crash, holders).0)),
        Do::HeartbeatPeriod(nodes, Some(period)) => one(Do::HeartbeatPeriod(
            beginning(nodes, Held::Heartbeats, Value::Period(period), holders),
            Some(period),
        )),
        Do::HeartbeatPeriod(nodes, None) => {
            let (free, back) = ending(nodes, &Held::Heartbeats, holders);
            with_back(
                Do::HeartbeatPeriod(free, None),
                back,
                &|value, nodes| match value {
                    Value::Period(period) => Some(Do::HeartbeatPeriod(nodes, Some(period))),
                    _ => None,
                },
            )
        }
        Do::Condition(nodes, kind, status) if !ends => {
            let changing = nodes
                .into_iter()
                .filter(|&n| {
                    begin(
                        holders,
                        Held::Condition(n, kind),
                        entry,
                        Value::Status(status),
                    )
                })
                .collect();
            one(Do::Condition(changing, kind, status))
        }
        Do::Condition(nodes, kind, healthy) => {
            let (free, back) = ending(nodes, &|n| Held::Condition(n, kind), holders);
            with_back(
                Do::Condition(free, kind, healthy),
                back,
                &|value, nodes| match value {
                    Value::Status(status) => Some(Do::Condition(nodes, kind, status)),
                    _ => None,
                },
            )
        }
        Do::ClockSkew(nodes, skew) if !ends => one(Do::ClockSkew(
            beginning(nodes, Held::Clock, Value::Skew(skew), holders),
            skew,
        )),
        Do::ClockSkew(nodes, _) => {
            let (free, back) = ending(nodes, &Held::Clock, holders);
            with_back(Do::ClockSkew(free, 0), back, &|value, nodes| match value {
                Value::Skew(skew) => Some(Do::ClockSkew(nodes, skew)),
                _ => None,
            })
        }
        Do::ApiDown => {
            begin(holders, Held::Api, entry, Value::On);
            one(Do::ApiDown)
        }
        Do::ApiUp => match end(holders, Held::Api, entry) {
            After::Free => one(Do::ApiUp),
            // Still down for another outage: the end is marked, and nothing comes back.
            After::Same | After::Back(_) => one(Do::ApiDown),
        },
        Do::WatchLag(resource, lag) if !ends => {
            begin(holders, Held::Watch(resource), entry, Value::Lag(lag));
            one(Do::WatchLag(resource, lag))
        }
        Do::WatchLag(resource, none) => {
            let left = match end(holders, Held::Watch(resource), entry) {
                After::Free => none,
                After::Back(Value::Lag(lag)) => lag,
                After::Same | After::Back(_) => {
                    match holders.get(&Held::Watch(resource)).and_then(|s| s.last()) {
                        Some((_, Value::Lag(lag))) => *lag,
                        _ => none,
                    }
                }
            };
            one(Do::WatchLag(resource, left))
        }
        // A longer stall that is under way goes on.
        Do::StallWatches(resource, lasts) => {
            let stack = holders.entry(Held::Stall(resource)).or_default();
            let own = at.saturating_add(lasts);
            let until = stack.iter().fold(own, |latest, (_, value)| {
                if let Value::Until(t) = value {
                    latest.max(*t)
                } else {
                    latest
                }
            });
            stack.push((entry, Value::Until(own)));
            one(Do::StallWatches(resource, until.since(at)))
        }
        Do::DeleteNode(nodes) => {
            // A node that joins again later has a kubelet of its own.
            let gone: BTreeSet<NodeIndex> = nodes.iter().copied().collect();
            holders.retain(|held, _| match held {
                Held::Cut(n)
                | Held::Network(n)
                | Held::Crash(n)
                | Held::Heartbeats(n)
                | Held::Condition(n, _)
                | Held::Clock(n) => !gone.contains(n),
                Held::Api | Held::Watch(_) | Held::Stall(_) => true,
            });
            one(Do::DeleteNode(nodes))
        }
        other => one(other),
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
        settle(actions.collect())
            .into_iter()
            .map(|a| (a.at.as_secs(), a.act))
            .collect()
    }

    use Phase::{Begin, End};

    #[test]
    fn a_node_is_back_when_both_partitions_have_ended() {
        let steps = [
            (10, 0, Begin, Do::Cut(vec![0, 1])),
            (12, 1, Begin, Do::Cut(vec![1, 2])),
            (13, 0, End, Do::Heal(vec![0, 1])),
            (20, 1, End, Do::Heal(vec![1, 2])),
        ];
        let expected = [
            (10, Do::Cut(vec![0, 1])),
            (12, Do::Cut(vec![2])),
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
        let (leases, d) = (WatchedResource::Leases, Dur::from_secs);
        let steps = [
            (10, 0, Begin, Do::StallWatches(leases, d(30))),
            (15, 1, Begin, Do::StallWatches(leases, d(5))),
        ];
        let expected = [
            (10, Do::StallWatches(leases, d(30))),
            (15, Do::StallWatches(leases, d(25))),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn healing_by_name_ends_every_partition_of_a_node() {
        let steps = [
            (10, 0, Begin, Do::Cut(vec![0, 1])),
            (11, 1, Begin, Do::Heal(vec![0])),
            (12, 2, Begin, Do::Cut(vec![0])),
            (20, 0, End, Do::Heal(vec![0, 1])),
        ];
        let expected = [
            (10, Do::Cut(vec![0, 1])),
            (11, Do::Heal(vec![0])),
            (12, Do::Cut(vec![0])),
            (20, Do::Heal(vec![1])),
        ];
        assert_eq!(run(&steps), expected);
    }

    #[test]
    fn clients_are_back_when_the_last_partition_that_kept_them_out_has_ended() {
        use Phase::{Begin, End, Step};
        // From 10 s to 13 s nobody reaches the node; from 12 s to 20 s its kubelet cannot report.
        let found = run(&[
            (10, 0, Begin, Do::Cut(vec![0])),
            (10, 0, Step, Do::Isolate(vec![0])),
            (12, 1, Begin, Do::Cut(vec![0])),
            (13, 0, End, Do::Heal(vec![0])),
            (13, 0, Step, Do::Reconnect(vec![0])),
            (20, 1, End, Do::Heal(vec![0])),
        ]);
        let expected = [
            (10, Do::Cut(vec![0])),
            (10, Do::Isolate(vec![0])),
            (12, Do::Cut(vec![])),
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
