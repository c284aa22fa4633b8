//! Walks along the causes of records, and finds the entry of the timeline that led to each.

use super::setting::Analysis;
use crate::api::names::NodeId;
use crate::kernel::Time;
use crate::sim::plan::{Do, Phase};
use crate::trace::{NO_RECORD, Record, RecordId, Trace, What};

/// The entry of the timeline that something is reckoned from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Since {
    /// When that entry began, or ended.
    pub at: Time,
    /// Index into [`Plan::timeline`](crate::sim::plan::Plan::timeline).
    pub entry: u32,
    /// Whether its end is meant, not its beginning.
    pub ended: bool,
}

/// A record and those that led to it, latest first.
///
/// A cause always comes before its effect in a trace; a link that does not is taken for none, so that the walk ends.
pub fn chain(trace: &Trace, id: RecordId) -> impl Iterator<Item = (RecordId, &Record)> {
    std::iter::successors(
        trace.get(id).map(|r| (id, r)),
        move |&(id, r)| {
            if r.cause < id { trace.get(r.cause).map(|c| (r.cause, c)) } else { None }
        },
    )
}

/// For each record the beginning or end of an entry of the timeline that led to it, and for each node the entries
/// that hit it.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// The nearest `FaultBegan` or `FaultEnded` in each record's chain of causes, itself included, or [`NO_RECORD`].
    of_record: Vec<RecordId>,
    /// Per node the faults that hit it, in time order.
    of_node: Vec<Vec<Since>>,
    /// Faults that hit all nodes: of the API server, of watches, of the controllers.
    of_all: Vec<Since>,
    /// Per entry whether it is about nodes or pods. A restart of the controllers or a lag of watches is no cause of its own:
    /// what follows was under way before.
    about_objects: Vec<bool>,
}

impl Marks {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let mut of_record: Vec<RecordId> = Vec::with_capacity(analysis.trace.len());
        for (id, r) in analysis.trace.iter().enumerate() {
            let mark = match r.what {
                What::FaultBegan | What::FaultEnded => id as RecordId,
                _ if (r.cause as usize) < id => of_record[r.cause as usize],
                _ => NO_RECORD,
            };
            of_record.push(mark);
        }
        let mut of_node: Vec<Vec<Since>> = vec![Vec::new(); analysis.node_count()];
        let mut of_all = Vec::new();
        let mut about_objects = vec![false; analysis.plan.timeline.len()];
        for a in &analysis.plan.actions {
            let Some(entry) = analysis.plan.timeline.get(a.entry as usize) else { continue };
            about_objects[a.entry as usize] |= nodes_of(&a.act).is_some();
            if !entry.is_fault {
                continue;
            }
            let since = Since { at: a.at, entry: a.entry, ended: ends(a.phase, &a.act) };
            match nodes_of(&a.act) {
                Some(nodes) => nodes.iter().for_each(|&n| of_node[analysis.node_id(n).index()].push(since)),
                None => of_all.push(since),
            }
        }
        Marks { of_record, of_node, of_all, about_objects }
    }
}

/// Whether an action ends what its entry began: heals and boots do, wherever in the entry they stand.
fn ends(phase: Phase, act: &Do) -> bool {
    phase == Phase::End || matches!(act, Do::Heal(_) | Do::Boot(_) | Do::ApiUp | Do::HeartbeatPeriod(_, None))
}

/// The nodes that an action is about; none means that it is not about certain nodes.
fn nodes_of(act: &Do) -> Option<&[u32]> {
    match act {
        Do::Cut(n)
        | Do::Heal(n)
        | Do::Crash(n)
        | Do::Boot(n)
        | Do::HeartbeatPeriod(n, _)
        | Do::Condition(n, ..)
        | Do::ClockSkew(n, _)
        | Do::DeleteNode(n)
        | Do::Taint(n, _)
        | Do::Cordon(n, _)
        | Do::Label(n, _) => Some(n),
        Do::AddNode(n) => Some(std::slice::from_ref(n)),
        Do::CreatePod(_) | Do::DeletePod(..) | Do::BindPod(..) | Do::PatchTolerations(..) => Some(&[]),
        Do::ApiDown | Do::ApiUp | Do::WatchLag(..) | Do::StallWatches(..) | Do::RestartControllers(_) => None,
    }
}

fn latest(faults: &[Since], until: Time, began: bool) -> Option<Since> {
    let due = faults.partition_point(|s| s.at <= until);
    faults[..due].iter().rev().find(|s| !(began && s.ended)).copied()
}

impl Analysis<'_> {
    fn since(&self, mark: RecordId) -> Option<Since> {
        let r = self.trace.get(mark)?;
        self.plan.timeline.get(r.object as usize)?;
        Some(Since { at: r.at, entry: r.object, ended: r.what == What::FaultEnded })
    }

    fn mark(&self, id: RecordId) -> Option<RecordId> {
        self.marks.of_record.get(id as usize).copied().filter(|&m| m != NO_RECORD)
    }

    fn hit(&self, node: Option<NodeId>, at: Time, began: bool) -> Option<Since> {
        let own = node.and_then(|n| latest(self.marks.of_node.get(n.index())?, at, began));
        let all = latest(&self.marks.of_all, at, began);
        own.max(all)
    }

    /// What the time of a record is given relative to: the nearest beginning or end of an entry of the timeline among its
    /// causes; where there is none, the latest fault that hit `node`.
    pub fn since_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let from_cause = self.mark(id).and_then(|m| self.since(m));
        from_cause.or_else(|| self.hit(node, self.trace.get(id)?.at, false))
    }

    /// What a latency is reckoned from: the nearest beginning of a fault among the record's causes; where there is none, the
    /// nearest beginning of any other entry that is about nodes or pods, a user's taint say; where there is none
    /// either, the latest fault that began and hit `node`.
    pub fn fault_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let mut action = None;
        let mut mark = self.mark(id);
        while let Some(m) = mark {
            match self.since(m) {
                Some(s) if !s.ended && self.plan.timeline[s.entry as usize].is_fault => return Some(s),
                Some(s) if !s.ended && self.marks.about_objects[s.entry as usize] => action = action.or(Some(s)),
                _ => {}
            }
            mark = self.trace.get(m).filter(|r| r.cause < m).and_then(|r| self.mark(r.cause));
        }
        action.or_else(|| self.hit(node, self.trace.get(id)?.at, true))
    }
}
