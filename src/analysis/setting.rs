//! What every analysis of a run shares: the state it started in, the zones, and the names.
//!
//! A trace names nodes and pods by the dense ids of its [`Names`](crate::api::names::Names); a plan
//! by their place in its lists. This module brings the two together once. A run names all of its
//! plan first, nodes in their order.

use super::beneath::*;
use super::causes::{Kind, Marks, Since, chain};
use super::objects::{NO_NODE, NodeState, PodState};
use super::origins;
use super::sorted::as_people_count;
use crate::api::volume::Claim;

/// A finished run, ready to be asked. Borrows plan and trace.
#[derive(Debug)]
pub struct Analysis<'a> {
    /// What was run.
    pub(crate) plan: &'a Plan,
    /// What happened.
    pub trace: &'a Trace,
    /// The zones that nodes of the plan are in, as people count: `z-9` before `z-10`.
    pub zones: Vec<String>,
    /// For each node its zone, an index into [`Analysis::zones`].
    pub(crate) zone_of: Vec<u16>,
    /// The state of each node at the start.
    pub(super) nodes: Vec<NodeState<'a>>,
    /// The state of each pod at the start.
    pub(super) pods: Vec<PodState>,
    /// The entry of the timeline that led to each record.
    pub(super) marks: Marks,
}

impl<'a> Analysis<'a> {
    /// Prepares the analysis of a finished run.
    pub fn new(plan: &'a Plan, trace: &'a Trace) -> Self {
        let count = trace.names.nodes();
        let (zones, zone_of) = zones(plan, count);
        Analysis {
            plan,
            trace,
            zones,
            zone_of,
            nodes: nodes(plan, count),
            pods: pods(plan, trace),
            marks: origins::marks(plan, trace),
        }
    }

    /// The end of the run: the trace's, or the plan's where the trace states none.
    pub fn horizon(&self) -> Time {
        if self.trace.horizon == Time::ZERO { self.plan.horizon } else { self.trace.horizon }
    }

    /// When something is overdue that should have happened `within` a span after `since`, not
    /// counting the time for which a search held up watches or requests meanwhile, several at once or
    /// one; none where that is beyond the end of time.
    pub(crate) fn due(&self, since: Time, within: Dur) -> Option<Time> {
        let (mut due, mut known) = (since.checked_add(within)?, since);
        // In order of its beginning, as it came about.
        for &(at, lasts) in &self.trace.held_up {
            let to = at.saturating_add(lasts);
            if at <= due && to > known {
                due = due.checked_add(to.since(at.max(known)))?;
                known = to;
            }
        }
        Some(due)
    }

    /// How many node names there are; ids are below this.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many pod names there are; ids are below this.
    pub(crate) fn pod_count(&self) -> usize {
        self.pods.len()
    }

    /// The id of a node of the plan: a run gives its nodes their ids in the order of the plan, before all
    /// others.
    pub(crate) fn node_id(&self, index: NodeIndex) -> NodeId {
        NodeId(index)
    }

    /// A node as the plan has it; none for one that the timeline adds.
    pub(crate) fn planned(&self, node: NodeId) -> Option<&'a NodePlan> {
        self.plan.nodes.get(node.index())
    }

    /// A node's name.
    pub(crate) fn node_name(&self, id: NodeId) -> &'a str {
        self.trace.names.node_name(id)
    }

    /// The `namespace/name` of the object of a pod's claim.
    pub(super) fn claim_name(&self, claim: &Claim, pod: PodId) -> String {
        let pod = self.pod_name(pod);
        format!("{}/{}", namespace_of(pod), claim.name_for(short_name(pod)))
    }

    /// A pod's `namespace/name`.
    pub fn pod_name(&self, id: PodId) -> &'a str {
        self.trace.names.pod_name(id)
    }

    /// The name of an entry of the timeline.
    pub(crate) fn entry_name(&self, entry: u32) -> Option<&'a str> {
        self.plan.timeline.get(entry as usize).map(|e| e.name.as_str())
    }

    /// `Deployment default/web` of `Deployment/default/web`.
    pub(crate) fn workload_in_words(&self, id: WorkloadId) -> String {
        self.trace.names.workload_name(id).replacen('/', " ", 1)
    }

    /// The name of a node's zone; empty where nodes carry no zone labels.
    pub(crate) fn zone_name(&self, id: NodeId) -> &str {
        &self.zones[usize::from(self.zone_of[id.index()])]
    }

    /// The name of the zone that a record is about.
    pub(crate) fn zone_told(&self, r: &Record) -> String {
        zone_name(self.trace.names.text_of(TextId(r.object)))
    }

    /// The place of a zone in [`Analysis::zones`], by its name.
    pub(crate) fn find_zone(&self, name: &str) -> Option<u16> {
        self.zones.iter().position(|zone| zone == name).map(|place| place as u16)
    }

    /// How many nodes a zone has, given by its place.
    pub(super) fn zone_size(&self, zone: u16) -> usize {
        self.zone_of.iter().filter(|of| **of == zone).count()
    }

    /// What the time of a record is given relative to: the nearest beginning or end of an entry of
    /// the timeline among its causes; where there is none, the latest fault that hit `node`, or its
    /// end. That a node is Unknown, and all that follows from it, is counted from the fault that it
    /// fell silent by, or from the latest one of a node that did not, whoever wrote its object since.
    pub(crate) fn since_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let marks = &self.marks;
        let hit = || marks.get(marks.hit(node.as_slice(), self.trace.get(id)?.at, |_| true));
        marks.own(id).or_else(hit).map(|m| m.since)
    }

    /// What a latency is counted from: the nearest beginning of a fault among the causes that
    /// [`Analysis::since_of`] goes by; where there is none, the nearest beginning of another entry
    /// that changes nodes or pods, a user's taint say; where there is none either, the latest fault
    /// that began and hit `node`.
    pub(crate) fn fault_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let (marks, own) = (&self.marks, self.marks.own(id));
        // A mark's parent is that of an earlier record, so that the walk ends; a damaged trace ends
        // it at its length.
        let walk = || std::iter::successors(own, |m| marks.get(m.parent)).take(marks.marks.len());
        let action = || walk().find(|m| m.kind == Kind::Action);
        let found = walk().find(|m| m.kind.is_fault()).or_else(action);
        let hit = || marks.get(marks.hit(node.as_slice(), self.trace.get(id)?.at, Kind::is_fault));
        found.or_else(hit).map(|m| m.since)
    }

    /// Whether a record came of it that the machine of a node was told to go off, before it was off.
    /// What takes the place of pods that ended so, or runs there once it has booted again, has such a
    /// cause among its own, and another end.
    pub(crate) fn is_of_shutdown(&self, id: RecordId, node: NodeId) -> bool {
        let told = chain(self.trace, id).find(|(_, r)| r.what == What::FaultBegan);
        let Some((began, told)) = told else { return false };
        let is_its = |a: &Action| match &a.act {
            Do::Fail(nodes, NodeFault::Shutdown(_)) if a.entry == told.object => {
                nodes.contains(&node.0)
            }
            _ => false,
        };
        !self.marks.went_off(node, began, id) && self.plan.actions.iter().any(is_its)
    }

    /// The first moment from a time on, and before another, at which the timeline may take pods
    /// away: a fault, or something that a user does to nodes or pods.
    pub(crate) fn first_harm(&self, from: Time, until: Time) -> Option<Since> {
        self.first(&|a| self.is_harm(a) && (from..until).contains(&a.at))
    }

    /// The same of what may keep pods that are asked for from a time on from being up before another: a harm, or what
    /// holds up their making, as an outage does that is not over by then.
    pub(crate) fn first_hindrance(&self, asked: Time, until: Time) -> Option<Since> {
        let ends = |a: &Action| self.plan.timeline.get(a.entry as usize).and_then(|e| e.ends);
        self.first(&|a| {
            let holds = a.phase != Phase::End && a.act.holds_pods();
            let is_late = a.at >= asked || holds && ends(a).is_some_and(|end| end > asked);
            (holds || self.is_harm(a)) && is_late && a.at < until
        })
    }

    /// Whether it may take pods away.
    fn is_harm(&self, a: &Action) -> bool {
        let is_fault = || self.plan.timeline.get(a.entry as usize).is_some_and(|e| e.is_fault);
        a.phase != Phase::End && (a.act.takes_pods() || is_fault())
    }

    fn first(&self, is_one: &dyn Fn(&Action) -> bool) -> Option<Since> {
        let first = self.plan.actions.iter().filter(|a| is_one(a)).min_by_key(|a| a.at)?;
        Some(Since { at: first.at, entry: first.entry, ended: false })
    }
}

/// The names of the zones, as people count, and for each of `count` nodes the place of its own.
fn zones(plan: &Plan, count: usize) -> (Vec<String>, Vec<u16>) {
    let beta = plan.profile.node_lifecycle.beta_zone_labels;
    let of_nodes: Vec<String> =
        plan.nodes.iter().map(|n| zone_name(&zone_key(&n.labels, beta))).collect();
    let distinct: BTreeSet<&String> = of_nodes.iter().collect();
    let mut zones: Vec<String> = distinct.into_iter().cloned().collect();
    zones.sort_by(|a, b| as_people_count(a).cmp(&as_people_count(b)));
    let places: BTreeMap<&String, u16> = zones.iter().zip(0..).collect();
    let mut zone_of = vec![0; count];
    for (place, zone) in zone_of.iter_mut().zip(&of_nodes) {
        *place = places.get(zone).copied().unwrap_or(0);
    }
    (zones, zone_of)
}

/// The state of each of `count` nodes at the start.
fn nodes(plan: &Plan, count: usize) -> Vec<NodeState<'_>> {
    let mut nodes = vec![NodeState::default(); count];
    for (state, n) in nodes.iter_mut().zip(&plan.nodes) {
        state.at_creation = &n.taints;
        match &n.start {
            NodeStart::Absent => {}
            NodeStart::Ready => state.create(Time::ZERO, n.start.ready(), false),
            NodeStart::Silent => state.create(Time::ZERO, None, true),
            NodeStart::Imported { cut, .. } => state.create(Time::ZERO, n.start.ready(), *cut),
        }
    }
    nodes
}

/// The state of each pod at the start.
fn pods(plan: &Plan, trace: &Trace) -> Vec<PodState> {
    let names = &trace.names;
    let mut pods = vec![PodState::default(); names.pods()];
    for (i, p) in plan.pods.iter().enumerate() {
        // Ids go by the order of the plan, but behind a name that has several lives: that saves the search.
        let same = PodId(i as u32);
        let is_same = same.index() < names.pods() && names.pod_name(same) == &*p.name;
        let id = if is_same { Some(same) } else { names.find_pod(&p.name) };
        let state = PodState::at_start(p.start, p.node.unwrap_or(NO_NODE));
        if let Some((id, state)) = id.zip(state) {
            pods[id.index()] = state;
        }
    }
    pods
}

/// A zone by its name: `zone b`, or the nodes that have none.
pub(super) fn zone_in_words(name: &str) -> String {
    if name.is_empty() { "nodes without a zone".to_owned() } else { format!("zone {name}") }
}

/// A taint's key without the prefix that all of Kubernetes' own share.
pub(crate) fn short_key(key: &str) -> &str {
    key.strip_prefix("node.kubernetes.io/")
        .or_else(|| key.strip_prefix("node.alpha.kubernetes.io/"))
        .unwrap_or(key)
}
