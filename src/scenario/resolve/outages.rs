//! Outages that no file has written: of a survey, or drawn from fault models. They take the place
//! of a plan's timeline, and can be written as entries of one.
//!
//! Both ways come to the same steps; a test builds what was written and compares.

use super::primitive::{Primitive, START, each, failing, lasting, partition};
use super::timeline::Written;
use super::{devices, overlap};
use crate::api::device::DeviceSelector;
use crate::api::taint::OUT_OF_SERVICE;
use crate::scenario::prelude::*;

/// Something that is away for a while.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outage {
    /// When it begins.
    pub(crate) at: Time,
    /// How long it lasts; to the end of the run where not given.
    pub(crate) lasts: Option<Dur>,
    /// What people call it.
    pub(crate) name: String,
    /// The nodes that it is about; none where it is about others.
    pub(crate) nodes: Vec<NodeIndex>,
    /// What is away.
    pub(crate) what: Away,
}

/// What is away, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Away {
    /// Machines are dead.
    Machines,
    /// Nodes are cut off.
    Network(Cut),
    /// Nodes are drained, so many at a time; their machines are off for so long, and come back.
    Maintained(usize, Dur),
    /// Nodes are drained, in no more than this time each.
    Drained(Dur),
    /// Machines are told to go off, and are in this time.
    Told(Dur),
    /// Nodes are tainted as out of service: their machines are off for certain.
    OutOfService,
    /// Nodes are deleted.
    Deleted,
    /// Nodes that were deleted join again.
    Joins,
    /// The controllers' process is dead.
    Controllers,
    /// The API server answers nobody.
    ApiServer,
    /// Drivers publish a taint of devices, or publish it no longer.
    Tainted(Box<DeviceTaintEdit>),
    /// A rule taints devices.
    Rule(Box<NewRule>),
    /// The rule of that name is gone.
    NoRule(String),
}

impl Outage {
    /// How long its entry lasts, if it has an end. Controllers that stay dead do so to the end of the
    /// run.
    fn span(&self, plan: &Plan) -> Option<Dur> {
        match self.what {
            Away::Machines | Away::Network(_) | Away::ApiServer => self.lasts,
            Away::Controllers => {
                Some(self.lasts.unwrap_or(plan.horizon.since(self.at.min(plan.horizon))))
            }
            _ => None,
        }
    }

    /// Whether the nodes were cordoned before: who maintains them does not open what somebody else has closed.
    fn stays_cordoned(&self, plan: &Plan) -> bool {
        self.nodes.iter().all(|n| plan.nodes[*n as usize].unschedulable)
    }

    /// The entry of a timeline that says the same.
    pub(crate) fn entry(&self, plan: &Plan) -> Entry {
        let name = |n: &NodeIndex| plan.nodes[*n as usize].name.clone();
        let (node, nodes) = match &self.nodes[..] {
            [one] => (Some(name(one)), None),
            several => (None, Some(NodeSelector::Nodes(several.iter().map(name).collect()))),
        };
        let text = |d: Dur| duration::format(d).into();
        let duration = self.span(plan).map(text);
        let step = match self.what.clone() {
            Away::Machines => Step::Crash { node, nodes, duration },
            Away::Network(cut) => {
                let connections = Connections::Dropped;
                Step::Partition { node, nodes, cut, connections, duration }
            }
            Away::Maintained(at_a_time, off) => Step::Maintain {
                node,
                nodes,
                at_a_time: Some(FlagValue::Int(at_a_time as i64)),
                drain: DrainFlags {
                    force: true,
                    delete_emptydir_data: true,
                    ..DrainFlags::default()
                },
                off: text(off),
                then: self.stays_cordoned(plan).then_some(Afterwards::Leave),
                if_not_drained: Some(IfNotDrained::Skip),
            },
            Away::Drained(timeout) => Step::Drain {
                node,
                nodes,
                force: true,
                ignore_daemonsets: true,
                delete_emptydir_data: true,
                disable_eviction: false,
                grace_period_seconds: None,
                timeout: Some(text(timeout)),
                skip_wait_for_delete_timeout: None,
            },
            Away::Told(at_most) => {
                Step::Shutdown { node, nodes, duration: None, at_most: Some(text(at_most)) }
            }
            Away::OutOfService => {
                let taint = OneOrMany::One(out_of_service().to_string());
                Step::Taint { node, nodes, taint, overwrite: false }
            }
            Away::Deleted => Step::DeleteNode { node, nodes },
            Away::Joins => Step::AddNode { node: NodeGroup { name: node, ..NodeGroup::default() } },
            Away::Controllers => Step::ControllerRestart { downtime: duration, kind: None },
            Away::Tainted(edit) => {
                let DeviceTaintEdit { selector, taint, adds } = *edit;
                let (taint, DeviceSelector { driver, device, .. }) = (taint.to_string(), selector);
                match adds {
                    true => Step::TaintDevices { node, nodes, driver, device, taint },
                    false => Step::UntaintDevices { node, nodes, driver, device, taint },
                }
            }
            Away::Rule(rule) => Step::CreateDeviceTaintRule { rule: devices::written(&rule) },
            Away::NoRule(rule) => Step::DeleteDeviceTaintRule { rule },
            Away::ApiServer => {
                Step::ApiOutage { watch_cache: WatchCache::Lost, of: None, duration }
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

    /// Its steps, with offsets from its beginning.
    fn primitives(&self, plan: &Plan) -> Vec<Primitive> {
        let span = self.span(plan);
        let drained = |timeout| DrainOptions {
            force: true,
            ignore_daemonsets: true,
            delete_emptydir_data: true,
            timeout,
            ..DrainOptions::default()
        };
        let nodes = || self.nodes.clone();
        let act = match self.what.clone() {
            Away::Machines => return failing(&self.nodes, &[NodeFault::Off], span),
            Away::Told(at_most) => {
                return failing(&self.nodes, &[NodeFault::Shutdown(Some(at_most))], span);
            }
            Away::Network(cut) => {
                let faults = partition(cut, Connections::Dropped);
                return failing(&self.nodes, &faults, span);
            }
            Away::Maintained(at_a_time, off) => {
                let how = Maintenance {
                    at_a_time,
                    drain: drained(None),
                    off,
                    uncordon: !self.stays_cordoned(plan),
                    if_not_drained: IfNotDrained::Skip,
                };
                Do::Maintain(nodes(), Box::new(how))
            }
            Away::Drained(timeout) => Do::Drain(nodes(), drained(Some(timeout))),
            Away::OutOfService => {
                let edit = TaintEdit { add: vec![out_of_service()], ..TaintEdit::default() };
                Do::Taint(nodes(), edit)
            }
            Away::Deleted => Do::DeleteNode(nodes()),
            Away::Joins => return each(&self.nodes, Do::AddNode),
            Away::Controllers => Do::RestartControllers(span.unwrap_or_default()),
            Away::Tainted(edit) => Do::TaintDevices(nodes(), edit),
            Away::Rule(rule) => Do::CreateDeviceTaintRule(rule),
            Away::NoRule(rule) => Do::DeleteDeviceTaintRule(rule),
            Away::ApiServer => return lasting(Do::ApiDown, Do::ApiUp(WatchCache::Lost), span),
        };
        vec![(START, Phase::Begin, act)]
    }
}

/// What people taint a node with whose machine is off for certain.
fn out_of_service() -> Taint {
    Taint { value: "nodeshutdown".to_owned(), ..Taint::new(OUT_OF_SERVICE, Effect::NoExecute) }
}

/// Puts outages, which are sorted by time, in the place of a plan's timeline.
pub(crate) fn replace_timeline(plan: &mut Plan, outages: &[Outage]) {
    Written::default().put(plan, outages);
}

impl Written {
    /// Puts outages, which are sorted by time, beside what was written, and both into a plan.
    pub(super) fn put(&self, plan: &mut Plan, outages: &[Outage]) {
        let mut all = self.clone();
        for outage in outages {
            let steps = outage.primitives(plan);
            all.push(outage.at, outage.name.clone(), outage.span(plan), steps);
        }
        all.actions.sort_by_key(|a| a.at);
        plan.timeline = all.entries;
        plan.actions = overlap::settle(all.actions);
    }
}

/// Writes outages into a scenario in place of its timeline; its run ends with the plan's.
pub(crate) fn instead(spec: &mut Scenario, plan: &Plan, outages: &[Outage]) {
    spec.timeline = outages.iter().map(|o| o.entry(plan)).collect();
    spec.horizon = duration::format(plan.horizon.since(Time::ZERO)).into();
    // It tells of the timeline that was there.
    spec.doc.clear();
    // What an export had is written out in the scenario itself.
    spec.cluster = None;
    spec.faults = None;
    // Expectations are about the timeline that was there.
    spec.expect.clear();
    spec.guards.clear();
    (spec.golden, spec.tape) = (None, None);
}
