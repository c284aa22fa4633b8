//! The scheduler puts no pod on a node that has no room for it (`noderesources/fit.go`): requests
//! of pods that are not finished, and their number, stay within what the node can allocate.

use std::collections::BTreeMap;
use std::rc::Rc;
use taintsim::api::names::{NodeId, PodId};
use taintsim::api::pod::{PodPhase, PodTemplate};
use taintsim::api::quantity::{Quantity, Resources, add_resources};
use taintsim::kernel::{Dur, Time};
use taintsim::plan::Plan;
use taintsim::trace::{Actor, Record, RecordId, Trace, What};

/// For how long pods that others put on a node may be unknown to the scheduler.
const UNSEEN: Dur = Dur::from_secs(60);

pub(super) struct Capacity<'a> {
    plan: &'a Plan,
    trace: &'a Trace,
    templates: BTreeMap<PodId, Rc<PodTemplate>>,
    /// Of each node its pods that are not finished.
    on: BTreeMap<NodeId, Vec<PodId>>,
    /// When somebody else last put a pod on a node.
    others: BTreeMap<NodeId, Time>,
    taken: usize,
}

impl<'a> Capacity<'a> {
    pub(super) fn new(plan: &'a Plan, trace: &'a Trace) -> Self {
        let mut new = Capacity {
            plan,
            trace,
            templates: BTreeMap::new(),
            on: BTreeMap::new(),
            others: BTreeMap::new(),
            taken: 0,
        };
        for (i, p) in plan.pods.iter().enumerate() {
            let id = PodId(i as u32);
            new.templates.insert(id, Rc::new(plan.templates[p.template as usize].clone()));
            if let (Some(node), true) = (p.node, p.start.runs()) {
                new.on.entry(NodeId(node)).or_default().push(id);
            }
        }
        new
    }

    /// A recorded timeline also has records of those that are there from the start.
    fn stands_on(&mut self, pod: PodId, node: NodeId) {
        let pods = self.on.entry(node).or_default();
        if !pods.contains(&pod) {
            pods.push(pod);
        }
    }

    fn leaves(&mut self, pod: PodId) {
        for pods in self.on.values_mut() {
            pods.retain(|p| *p != pod);
        }
    }

    /// What the newest pod of a node asks for and the node has too little of. Others that need what
    /// it does not ask for may have been put there although the node has too little of that.
    fn full(&self, node: NodeId) -> Option<String> {
        let mut total = Resources::default();
        let pods = self.on.get(&node)?;
        for pod in pods {
            if !add_resources(&mut total, &self.templates.get(pod)?.requests) {
                return Some("its requests cannot be added".to_owned());
            }
        }
        total.insert("pods".to_owned(), Quantity::from_units(pods.len() as i64));
        let allocatable = &self.plan.nodes.get(node.index())?.allocatable;
        let newest = &self.templates.get(pods.last()?)?.requests;
        let counts = |name: &str| name == "pods" || newest.get(name).is_some_and(|q| !q.is_zero());
        total.iter().filter(|(name, _)| counts(name)).find_map(|(name, asked)| {
            // The scheduler counts whole units, and thousandths of a CPU, both rounded up.
            let has = allocatable.get(name).copied()?;
            let rounded =
                if name == "cpu" { has.milli_value() } else { has.value().saturating_mul(1_000) };
            // What the scheduler adds up wraps beyond int64, and then anything fits.
            let counted = if name == "cpu" { asked.milli_value() } else { asked.value() };
            (asked.milli_value() > rounded && i64::try_from(counted).is_ok()).then(|| {
                format!(
                    "{} has {has} of {name}, and its pods ask for {asked}",
                    self.trace.names.node_name(node)
                )
            })
        })
    }
}

impl Capacity<'_> {
    pub(super) fn see(&mut self, id: RecordId, record: &Record) -> Option<String> {
        while let Some((of, template)) =
            self.trace.templates.get(self.taken).filter(|(of, _)| *of <= id)
        {
            if let Some(pod) = self.trace.get(*of).and_then(Record::pod) {
                self.templates.insert(pod, template.clone());
            }
            self.taken += 1;
        }
        let pod = record.pod()?;
        match record.what {
            What::PodCreated(node) => {
                let node = What::created_on(node)?;
                self.stands_on(pod, node);
                self.others.insert(node, record.at);
            }
            What::PodGone | What::PodPhase(PodPhase::Succeeded | PodPhase::Failed) => {
                self.leaves(pod)
            }
            What::PodBound(node) => {
                let node = NodeId(node);
                self.stands_on(pod, node);
                if record.actor != Actor::Scheduler {
                    self.others.insert(node, record.at);
                } else if self.others.get(&node).is_none_or(|at| record.at.since(*at) > UNSEEN) {
                    return self.full(node);
                }
            }
            _ => {}
        }
        None
    }
}
