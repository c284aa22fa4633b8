//! Finds for each record of a run the moment of the timeline that led to it.

use super::causes::{Kind, Mark, Marks, NONE, Since};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, TextId};
use crate::api::node::{NodeConditionType, zone_key};
use crate::kernel::Time;
use crate::plan::{Do, NodeFault, Phase, Plan};
use crate::trace::{Record, RecordId, Trace, What, ZoneState};
use std::collections::BTreeMap;

/// The marks of a run; `node_ids` gives the id of each node of the plan, and ids are below
/// `node_count`.
pub(super) fn marks(plan: &Plan, trace: &Trace, node_ids: &[NodeId], node_count: usize) -> Marks {
    let mut zones: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    let beta = plan.profile.node_lifecycle.beta_zone_labels;
    for (node, id) in plan.nodes.iter().zip(node_ids) {
        zones.entry(zone_key(&node.labels, beta)).or_default().push(*id);
    }
    let mut finder = Finder {
        plan,
        trace,
        marks: Marks {
            of_node: vec![Vec::new(); node_count],
            off: vec![Vec::new(); node_count],
            ..Marks::default()
        },
        by_moment: BTreeMap::new(),
        zones,
        states: BTreeMap::new(),
    };
    finder.read_plan(node_ids);
    finder.marks.of_record.reserve(trace.len());
    for (id, r) in trace.iter().enumerate() {
        let mark = finder.mark_of(id, r);
        finder.marks.of_record.push(mark);
        if matches!(r.what, What::MachineOff)
            && let Some(off) = finder.marks.off.get_mut(r.object as usize)
        {
            off.push(id as RecordId);
        }
    }
    finder.marks
}

/// Finds the marks of a run.
struct Finder<'a> {
    plan: &'a Plan,
    trace: &'a Trace,
    marks: Marks,
    /// Which mark stands for which moment of the timeline.
    by_moment: BTreeMap<Since, u32>,
    /// The nodes of each zone, by its key.
    zones: BTreeMap<String, Vec<NodeId>>,
    /// How bad each zone's latest state is, by the text of its key.
    states: BTreeMap<u32, u8>,
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
            let Marks { of_node, of_all, .. } = &mut self.marks;
            match a.act.nodes() {
                // A lag or a refusal of requests takes no node away, and its end brings none back.
                None if entry.is_fault => of_all.push(mark),
                Some(nodes) if entry.is_fault || recovers => {
                    nodes.iter().for_each(|n| of_node[node_ids[*n as usize].index()].push(mark));
                }
                _ => {}
            }
        }
    }

    /// The mark of a moment of the timeline; a new one if there is none yet.
    fn mark_at(&mut self, since: Since, kind: Kind) -> u32 {
        let ends = self.plan.timeline.get(since.entry as usize).and_then(|entry| entry.ends);
        let until = if since.ended { since.at } else { ends.unwrap_or(Time::MAX) };
        let new = || self.marks.push(Mark { since, kind, until, parent: NONE });
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
                let hit = self.marks.hit(r.node().as_slice(), r.at, harm);
                self.marks.later(inherited, hit)
            }
            What::Zone(state) => self.of_zone(r, state, inherited),
            What::MasterDisruptionEntered | What::MasterDisruptionLeft => {
                let all: Vec<NodeId> = self.zones.values().flatten().copied().collect();
                let hit = self.marks.hit(&all, r.at, r.what == What::MasterDisruptionEntered);
                self.marks.later(inherited, hit)
            }
            _ => inherited,
        }
    }

    /// The mark of a zone's new state: a fault of its nodes, where the state is a worse one.
    fn of_zone(&mut self, r: &Record, state: ZoneState, inherited: u32) -> u32 {
        let bad = match state {
            ZoneState::FullDisruption => 2,
            ZoneState::PartialDisruption => 1,
            _ => 0,
        };
        let before = self.states.insert(r.object, bad).unwrap_or(0);
        let key = self.trace.names.text_of(TextId(r.object));
        let nodes = self.zones.get(key).map(Vec::as_slice).unwrap_or_default();
        let hit = self.marks.hit(nodes, r.at, bad > before);
        self.marks.later(inherited, hit)
    }

    /// The mark of an entry of the timeline that begins or ends with this record.
    fn of_entry(&mut self, r: &Record, inherited: u32) -> u32 {
        if r.object as usize >= self.plan.timeline.len() {
            return inherited;
        }
        let since = Since { at: r.at, entry: r.object, ended: r.what == What::FaultEnded };
        // Of several actions of one instant the later ones come some nanoseconds after it.
        let first = Since { at: r.at.whole_millis(), entry: 0, ended: false };
        let mut planned = self.by_moment.range(first..=since).map(|(since, _)| *since).rev();
        let is_its = |s: &Since| (s.entry, s.ended) == (since.entry, since.ended);
        let since = planned.find(is_its).unwrap_or(since);
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
            until: if ended { r.at } else { Time::MAX },
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
