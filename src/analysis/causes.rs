//! The moments of the timeline that led to what happened, for each record and for each node, and
//! walks along the causes of records.

use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::NodeConditionType;
use crate::kernel::Time;
use crate::plan::{Action, Do, NodeFault, Phase, Plan};
use crate::trace::{Record, RecordId, Trace, What};
use std::collections::BTreeMap;

/// The entry of the timeline that something is counted from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Since {
    /// When that entry began, or ended.
    pub(crate) at: Time,
    /// Index into [`Plan::timeline`](crate::plan::Plan::timeline).
    pub(crate) entry: u32,
    /// Whether its end is meant, not its beginning.
    pub(crate) ended: bool,
}

/// Stands for "no mark".
const NONE: u32 = u32::MAX;

/// A moment of the timeline that things are counted from.
#[derive(Clone, Copy, Debug)]
struct Mark {
    since: Since,
    kind: Kind,
    /// What led to it itself, or [`NONE`].
    parent: u32,
}

/// What a moment of the timeline means for nodes and pods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A fault begins.
    Harm,
    /// Nodes or pods are changed by a user.
    Action,
    /// Something ends, or nodes are back; or it is no cause of its own, as a restart of the
    /// controllers or a lag of watches: what follows was under way before.
    Other,
}

/// For each record the moment of the timeline that led to it, and for each node the moments that
/// hit it.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    /// Per record an index into `marks`, or [`NONE`].
    of_record: Vec<u32>,
    /// Per node the marks of faults and recoveries that hit it, in time order.
    of_node: Vec<Vec<u32>>,
    /// The same of faults that hit all nodes: of the API server, of watches, of the controllers.
    of_all: Vec<u32>,
}

impl Marks {
    /// The marks of a run; `node_ids` gives the id of each node of the plan, and ids are below
    /// `node_count`.
    pub(super) fn new(plan: &Plan, trace: &Trace, node_ids: &[NodeId], node_count: usize) -> Self {
        let mut finder = Finder {
            plan,
            marks: Marks { of_node: vec![Vec::new(); node_count], ..Marks::default() },
            by_moment: BTreeMap::new(),
        };
        finder.read_plan(node_ids);
        finder.marks.of_record.reserve(trace.len());
        for (id, r) in trace.iter().enumerate() {
            let mark = finder.mark_of(id, r);
            finder.marks.of_record.push(mark);
        }
        finder.marks
    }

    /// What the time of a record is given relative to; see
    /// [`Analysis::since_of`](super::setting::Analysis::since_of).
    pub(super) fn since(&self, trace: &Trace, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        self.own(id).or_else(|| self.get(self.hit(node, trace.get(id)?.at, false))).map(|m| m.since)
    }

    /// What a latency is counted from; see
    /// [`Analysis::fault_of`](super::setting::Analysis::fault_of).
    pub(super) fn fault(&self, trace: &Trace, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let own = self.own(id);
        // A mark's parent is that of an earlier record, so that the walk ends; a damaged trace ends
        // it at its length.
        let walk = || std::iter::successors(own, |m| self.get(m.parent)).take(self.marks.len());
        let nearest = |kind| walk().find(|m| m.kind == kind);
        let found = nearest(Kind::Harm).or_else(|| nearest(Kind::Action));
        found.or_else(|| self.get(self.hit(node, trace.get(id)?.at, true))).map(|m| m.since)
    }

    /// The mark that led to a record.
    fn own(&self, id: RecordId) -> Option<&Mark> {
        self.get(*self.of_record.get(id as usize)?)
    }

    fn get(&self, mark: u32) -> Option<&Mark> {
        self.marks.get(mark as usize)
    }

    fn push(&mut self, mark: Mark) -> u32 {
        self.marks.push(mark);
        self.marks.len() as u32 - 1
    }

    fn later(&self, a: u32, b: u32) -> u32 {
        let at = |m: u32| self.get(m).map(|m| m.since.at);
        if at(b) > at(a) { b } else { a }
    }

    /// The latest mark up to a time that hit a node, or all; `harm` asks for faults only.
    fn hit(&self, node: Option<NodeId>, until: Time, harm: bool) -> u32 {
        let latest = |marks: &Vec<u32>| {
            let due = marks.partition_point(|&m| self.marks[m as usize].since.at <= until);
            let counts = |m: &u32| !harm || self.marks[*m as usize].kind == Kind::Harm;
            marks[..due].iter().rev().copied().find(counts).unwrap_or(NONE)
        };
        let own = node.and_then(|n| self.of_node.get(n.index())).map_or(NONE, latest);
        self.later(own, latest(&self.of_all))
    }
}

/// Finds the marks of a run.
struct Finder<'a> {
    plan: &'a Plan,
    marks: Marks,
    /// Which mark stands for which moment of the timeline.
    by_moment: BTreeMap<Since, u32>,
}

impl Finder<'_> {
    /// Takes in the moments of the plan.
    fn read_plan(&mut self, node_ids: &[NodeId]) {
        for a in &self.plan.actions {
            // What a partition means to clients happens together with what it means to kubelets, and
            // is no moment of its own.
            if let Do::Fail(_, NodeFault::Isolated) | Do::Recover(_, NodeFault::Isolated) = a.act {
                continue;
            }
            let Some(entry) = self.plan.timeline.get(a.entry as usize) else { continue };
            let since = Since { at: a.at, entry: a.entry, ended: a.phase == Phase::End };
            let recovers = since.ended || matches!(a.act, Do::Recover(..) | Do::ApiUp(_));
            let kind = match a.act.nodes() {
                _ if recovers => Kind::Other,
                _ if entry.is_fault => Kind::Harm,
                Some(_) => Kind::Action,
                None => Kind::Other,
            };
            let mark = self.mark_at(since, kind);
            if !entry.is_fault && !recovers {
                continue;
            }
            let Marks { of_node, of_all, .. } = &mut self.marks;
            let hit = |n: &u32| of_node[node_ids[*n as usize].index()].push(mark);
            a.act.nodes().map_or_else(|| of_all.push(mark), |nodes| nodes.iter().for_each(hit));
        }
    }

    /// The mark of a moment of the timeline; a new one if there is none yet.
    fn mark_at(&mut self, since: Since, kind: Kind) -> u32 {
        let new = || self.marks.push(Mark { since, kind, parent: NONE });
        *self.by_moment.entry(since).or_insert_with(new)
    }

    /// The mark that led to a record, given the marks of all records before it.
    fn mark_of(&mut self, id: usize, r: &Record) -> u32 {
        let inherited =
            if (r.cause as usize) < id { self.marks.of_record[r.cause as usize] } else { NONE };
        match r.what {
            What::FaultBegan | What::FaultEnded => self.of_entry(r, inherited),
            // A maintenance comes to each node at its own time.
            What::MachineOff | What::MachineOn if self.is_of_maintenance(inherited) => {
                self.of_maintenance(r, inherited)
            }
            // A controller's view of a node is that of the node's last version, whoever wrote that;
            // what happened to the node since explains more.
            What::NodeCondition(NodeConditionType::Ready, status, _) => {
                let harm = status == ConditionStatus::Unknown;
                let hit = self.marks.hit(r.node(), r.at, harm);
                self.marks.later(inherited, hit)
            }
            _ => inherited,
        }
    }

    /// The mark of an entry of the timeline that begins or ends with this record.
    fn of_entry(&mut self, r: &Record, inherited: u32) -> u32 {
        if r.object as usize >= self.plan.timeline.len() {
            return inherited;
        }
        let since = Since { at: r.at, entry: r.object, ended: r.what == What::FaultEnded };
        let mark = self.mark_at(since, Kind::Other);
        if mark != inherited {
            self.marks.marks[mark as usize].parent = inherited;
        }
        mark
    }

    /// The mark of a machine that a maintenance turns off or on with this record.
    fn of_maintenance(&mut self, r: &Record, inherited: u32) -> u32 {
        let ended = r.what == What::MachineOn;
        let marks = &mut self.marks;
        let mark = marks.push(Mark {
            since: Since { at: r.at, entry: marks.marks[inherited as usize].since.entry, ended },
            kind: if ended { Kind::Other } else { Kind::Harm },
            parent: inherited,
        });
        if let Some(of_node) = marks.of_node.get_mut(r.object as usize) {
            let place = of_node.partition_point(|&o| marks.marks[o as usize].since.at <= r.at);
            of_node.insert(place, mark);
        }
        mark
    }

    /// Whether a mark is the beginning of an entry that ends when the run says so: a maintenance.
    fn is_of_maintenance(&self, mark: u32) -> bool {
        let mark = self.marks.get(mark).filter(|m| m.kind == Kind::Action);
        mark.map(|m| m.since.entry).is_some_and(|entry| {
            let planned = self.plan.timeline.get(entry as usize);
            planned.is_some_and(|t| t.ends.is_none()) && self.plan.lasts(entry)
        })
    }
}

/// Whether a record came of it that a machine was told to go off.
pub(crate) fn is_of_shutdown(plan: &Plan, trace: &Trace, id: RecordId) -> bool {
    let is_shutdown = |a: &&Action| matches!(a.act, Do::Fail(_, NodeFault::Shutdown(_)));
    let mut shutdowns = plan.actions.iter().filter(is_shutdown);
    let root = chain(trace, id).find(|(_, r)| r.what == What::FaultBegan);
    root.is_some_and(|(_, r)| shutdowns.any(|a| a.entry == r.object))
}

/// A record and those that led to it, latest first.
///
/// A cause always comes before its effect in a trace; a link that does not is left out, so
/// that the walk ends.
pub(crate) fn chain(trace: &Trace, id: RecordId) -> impl Iterator<Item = (RecordId, &Record)> {
    std::iter::successors(trace.get(id).map(|r| (id, r)), move |&(id, r)| {
        if r.cause < id { trace.get(r.cause).map(|c| (r.cause, c)) } else { None }
    })
}
