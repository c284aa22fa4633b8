//! Outages that no file has written: of a survey, or drawn from fault models. They take the place
//! of a plan's timeline, and can be written as entries of one.
//!
//! Both ways come to the same steps; a test builds what was written and compares.

use super::faults::{cutting, healing};
use super::overlap;
use super::primitive::{Primitive, START};
use super::timeline::Written;
use crate::kernel::{Dur, Time};
use crate::language::{
    Cut, DrainFlags, Entry, FlagValue, NodeGroup, NodeSelector, Scenario, Step, duration,
};
use crate::plan::TimelineEntry;
use crate::plan::{
    Action, Connections, Do, DrainOptions, IfNotDrained, Maintenance, NodeIndex, Phase, Plan,
    WatchCache,
};

/// Something that is away for a while.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outage {
    /// When it begins.
    pub at: Time,
    /// How long it lasts; to the end of the run where not given.
    pub lasts: Option<Dur>,
    /// What people call it.
    pub name: String,
    /// What is away.
    pub what: Away,
}

/// What is away, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Away {
    /// Machines are dead.
    Machines(Vec<NodeIndex>),
    /// Nodes are cut off.
    Network(Vec<NodeIndex>, Cut),
    /// Nodes are drained, so many at a time; their machines are off for so long, and come back.
    Maintained(Vec<NodeIndex>, usize, Dur),
    /// Nodes are drained, in no more than this time each.
    Drained(Vec<NodeIndex>, Dur),
    /// Nodes are deleted.
    Deleted(Vec<NodeIndex>),
    /// A node that was deleted joins again.
    Joins(NodeIndex),
    /// The controllers' process is dead.
    Controllers,
    /// The API server answers nobody.
    ApiServer,
}

impl Away {
    /// The nodes that it is about.
    pub(crate) fn nodes(&self) -> &[NodeIndex] {
        match self {
            Self::Machines(n)
            | Self::Network(n, _)
            | Self::Maintained(n, ..)
            | Self::Drained(n, _)
            | Self::Deleted(n) => n,
            Self::Joins(n) => std::slice::from_ref(n),
            Self::Controllers | Self::ApiServer => &[],
        }
    }
}

impl Outage {
    /// The entry of a timeline that says the same.
    pub(crate) fn entry(&self, plan: &Plan) -> Entry {
        let names = |nodes: &[NodeIndex]| {
            let name = |n: &NodeIndex| plan.nodes[*n as usize].name.clone();
            match nodes {
                [one] => (Some(name(one)), None),
                several => {
                    let names = several.iter().map(name).collect();
                    (None, Some(NodeSelector::Nodes(names)))
                }
            }
        };
        let text = |d: Dur| duration::format(d).into();
        let lasts = self.lasts.map(text);
        let step = match &self.what {
            Away::Machines(n) => {
                let (node, nodes) = names(n);
                Step::Crash { node, nodes, duration: lasts }
            }
            Away::Network(n, cut) => {
                let (node, nodes) = names(n);
                Step::Partition {
                    node,
                    nodes,
                    cut: *cut,
                    connections: Connections::Dropped,
                    duration: lasts,
                }
            }
            Away::Maintained(n, at_a_time, off) => {
                let (node, nodes) = names(n);
                Step::Maintain {
                    node,
                    nodes,
                    at_a_time: Some(FlagValue::Int(*at_a_time as i64)),
                    drain: DrainFlags {
                        force: true,
                        delete_emptydir_data: true,
                        ..DrainFlags::default()
                    },
                    off: text(*off),
                    then: None,
                    if_not_drained: Some(IfNotDrained::Skip),
                }
            }
            Away::Drained(n, timeout) => {
                let (node, nodes) = names(n);
                Step::Drain {
                    node,
                    nodes,
                    force: true,
                    ignore_daemonsets: true,
                    delete_emptydir_data: true,
                    disable_eviction: false,
                    grace_period_seconds: None,
                    timeout: Some(text(*timeout)),
                    skip_wait_for_delete_timeout: None,
                }
            }
            Away::Deleted(n) => {
                let (node, nodes) = names(n);
                Step::DeleteNode { node, nodes }
            }
            Away::Joins(n) => Step::AddNode {
                node: NodeGroup {
                    name: Some(plan.nodes[*n as usize].name.clone()),
                    ..NodeGroup::default()
                },
            },
            // Without an end there is none to the end of the run.
            Away::Controllers => Step::ControllerRestart {
                downtime: Some(text(
                    self.lasts.unwrap_or(plan.horizon.since(self.at.min(plan.horizon))),
                )),
                kind: None,
            },
            Away::ApiServer => {
                Step::ApiOutage { watch_cache: WatchCache::Lost, of: None, duration: lasts }
            }
        };
        Entry {
            at: duration::format(self.at.since(Time::ZERO)).into(),
            name: Some(self.name.clone()),
            step,
            every: None,
            times: None,
        }
    }

    /// What stands of it in a plan for people to refer to.
    fn timeline_entry(&self, plan: &Plan) -> TimelineEntry {
        let lasts = match self.what {
            Away::Controllers => {
                Some(self.lasts.unwrap_or(plan.horizon.since(self.at.min(plan.horizon))))
            }
            Away::Machines(_) | Away::Network(..) | Away::ApiServer => self.lasts,
            Away::Maintained(..) | Away::Drained(..) | Away::Deleted(_) | Away::Joins(_) => None,
        };
        TimelineEntry {
            at: self.at,
            name: self.name.clone(),
            ends: lasts.map(|d| self.at.saturating_add(d)),
            is_fault: matches!(self.what, Away::Machines(_) | Away::Network(..) | Away::ApiServer),
        }
    }

    /// Its steps, with offsets from its beginning.
    fn primitives(&self, plan: &Plan) -> Vec<Primitive> {
        let lasting = |begin: Do, end: Do| {
            let end = self.lasts.map(|d| (d, Phase::End, end));
            std::iter::once((START, Phase::Begin, begin)).chain(end).collect()
        };
        match &self.what {
            Away::Machines(n) => lasting(Do::Crash(n.clone()), Do::Boot(n.clone())),
            Away::Network(n, cut) => {
                let mut steps =
                    cutting(n.clone(), (*cut, Connections::Dropped), START, Phase::Begin);
                let end = self.lasts.map(|d| healing(n.clone(), *cut, d, Phase::End));
                steps.extend(end.into_iter().flatten());
                steps
            }
            Away::Maintained(n, at_a_time, off) => {
                let how = Maintenance {
                    at_a_time: *at_a_time,
                    drain: DrainOptions {
                        force: true,
                        ignore_daemonsets: true,
                        delete_emptydir_data: true,
                        ..DrainOptions::default()
                    },
                    off: *off,
                    uncordon: true,
                    if_not_drained: IfNotDrained::Skip,
                };
                vec![(START, Phase::Begin, Do::Maintain(n.clone(), Box::new(how)))]
            }
            Away::Drained(n, timeout) => {
                let how = DrainOptions {
                    force: true,
                    ignore_daemonsets: true,
                    delete_emptydir_data: true,
                    timeout: Some(*timeout),
                    ..DrainOptions::default()
                };
                vec![(START, Phase::Begin, Do::Drain(n.clone(), how))]
            }
            Away::Deleted(n) => vec![(START, Phase::Begin, Do::DeleteNode(n.clone()))],
            Away::Joins(n) => vec![(START, Phase::Begin, Do::AddNode(*n))],
            Away::Controllers => {
                let to_end = plan.horizon.since(self.at.min(plan.horizon));
                let lasts = self.lasts.unwrap_or(to_end);
                vec![(START, Phase::Begin, Do::RestartControllers(lasts))]
            }
            Away::ApiServer => lasting(Do::ApiDown, Do::ApiUp(WatchCache::Lost)),
        }
    }
}

/// Puts outages, which are sorted by time, in the place of a plan's timeline.
pub(crate) fn replace_timeline(plan: &mut Plan, outages: &[Outage]) {
    Written::default().put(plan, outages);
}

impl Written {
    /// Puts outages, which are sorted by time, beside what was written, and both into a plan.
    pub(super) fn put(&self, plan: &mut Plan, outages: &[Outage]) {
        plan.timeline.clone_from(&self.entries);
        let mut actions = self.actions.clone();
        for outage in outages {
            let entry = plan.timeline.len() as u32;
            let steps = outage.primitives(plan);
            plan.timeline.push(outage.timeline_entry(plan));
            actions.extend(steps.into_iter().map(|(offset, phase, act)| Action {
                at: outage.at.saturating_add(offset),
                entry,
                phase,
                act,
            }));
        }
        actions.sort_by_key(|a| a.at);
        plan.actions = overlap::settle(actions);
    }
}

/// Writes outages into a scenario in place of its timeline; its run ends with the plan's.
pub(crate) fn instead(spec: &mut Scenario, plan: &Plan, outages: &[Outage]) {
    spec.timeline = outages.iter().map(|o| o.entry(plan)).collect();
    spec.horizon = duration::format(plan.horizon.since(Time::ZERO)).into();
    // What an export had is written out in the scenario itself.
    spec.cluster = None;
    spec.faults = None;
    // Expectations are about the timeline that was there.
    spec.expect.clear();
    spec.guards.clear();
    (spec.golden, spec.tape) = (None, None);
}
