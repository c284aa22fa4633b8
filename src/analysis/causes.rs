//! Walks along the causes of records, and finds the entry of the timeline that led to each.

use super::setting::Analysis;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::NodeConditionType;
use crate::kernel::Time;
use crate::plan::{Do, Phase};
use crate::trace::{Record, RecordId, Trace, What};
use std::collections::BTreeMap;

/// The entry of the timeline that something is reckoned from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Since {
    /// When that entry began, or ended.
    pub at: Time,
    /// Index into [`Plan::timeline`](crate::plan::Plan::timeline).
    pub entry: u32,
    /// Whether its end is meant, not its beginning.
    pub ended: bool,
}

/// A record and those that led to it, latest first.
///
/// A cause always comes before its effect in a trace; a link that does not is taken for none, so
/// that the walk ends.
pub fn chain(trace: &Trace, id: RecordId) -> impl Iterator<Item = (RecordId, &Record)> {
    std::iter::successors(trace.get(id).map(|r| (id, r)), move |&(id, r)| {
        if r.cause < id {
            trace.get(r.cause).map(|c| (r.cause, c))
        } else {
            None
        }
    })
}

/// Stands for "no mark".
const NONE: u32 = u32::MAX;

/// A moment of the timeline that things are reckoned from.
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
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let mut m = Marks {
            of_node: vec![Vec::new(); analysis.node_count()],
            ..Marks::default()
        };
        let mut by_moment = m.of_plan(analysis);
        m.of_record.reserve(analysis.trace.len());
        for (id, r) in analysis.trace.iter().enumerate() {
            let inherited = if (r.cause as usize) < id {
                m.of_record[r.cause as usize]
            } else {
                NONE
            };
            let mark = match r.what {
                What::FaultBegan | What::FaultEnded => {
                    let since = Since {
                        at: r.at,
                        entry: r.object,
                        ended: r.what == What::FaultEnded,
                    };
                    let known = (r.object as usize) < analysis.plan.timeline.len();
                    let mark = known.then(|| {
                        *by_moment.entry(since).or_insert_with(|| {
                            m.marks.push(Mark {
                                since,
                                kind: Kind::Other,
                                parent: NONE,
                            });
                            m.marks.len() as u32 - 1
                        })
                    });
                    if let Some(mark) = mark
                        && mark != inherited
                    {
                        m.marks[mark as usize].parent = inherited;
                    }
                    mark.unwrap_or(inherited)
                }
                // A maintenance comes to each node at its own time.
                What::MachineOff | What::MachineOn if m.is_of_maintenance(analysis, inherited) => {
                    let ended = r.what == What::MachineOn;
                    let since = Since {
                        at: r.at,
                        entry: m.marks[inherited as usize].since.entry,
                        ended,
                    };
                    let kind = if ended { Kind::Other } else { Kind::Harm };
                    m.marks.push(Mark {
                        since,
                        kind,
                        parent: inherited,
                    });
                    let mark = m.marks.len() as u32 - 1;
                    if let Some(of_node) = m.of_node.get_mut(r.object as usize) {
                        let place =
                            of_node.partition_point(|&o| m.marks[o as usize].since.at <= r.at);
                        of_node.insert(place, mark);
                    }
                    mark
                }
                // A controller's view of a node rests on the node's last version, whatever made
                // that; what the node went through since tells more.
                What::NodeCondition(NodeConditionType::Ready, status, _) => {
                    let harm = status == ConditionStatus::Unknown;
                    m.later(inherited, m.hit(r.node(), r.at, harm))
                }
                _ => inherited,
            };
            m.of_record.push(mark);
        }
        m
    }

    /// Takes in the moments of a plan; says which mark stands for which.
    fn of_plan(&mut self, analysis: &Analysis<'_>) -> BTreeMap<Since, u32> {
        let mut by_moment = BTreeMap::new();
        // What a partition means to clients is done in one with what it means to kubelets, and no
        // moment of its own.
        let own = analysis
            .plan
            .actions
            .iter()
            .filter(|a| !matches!(a.act, Do::Isolate(_) | Do::Reconnect(_)));
        for a in own {
            let Some(entry) = analysis.plan.timeline.get(a.entry as usize) else {
                continue;
            };
            let since = Since {
                at: a.at,
                entry: a.entry,
                ended: a.phase == Phase::End,
            };
            let recovers = since.ended
                || matches!(
                    a.act,
                    Do::Heal(_) | Do::Boot(_) | Do::ApiUp | Do::HeartbeatPeriod(_, None)
                );
            let kind = match a.act.nodes() {
                _ if recovers => Kind::Other,
                _ if entry.is_fault => Kind::Harm,
                Some(_) => Kind::Action,
                None => Kind::Other,
            };
            let mark = *by_moment.entry(since).or_insert_with(|| {
                self.marks.push(Mark {
                    since,
                    kind,
                    parent: NONE,
                });
                self.marks.len() as u32 - 1
            });
            if !entry.is_fault && !recovers {
                continue;
            }
            match a.act.nodes() {
                Some(nodes) => nodes
                    .iter()
                    .for_each(|&n| self.of_node[analysis.node_id(n).index()].push(mark)),
                None => self.of_all.push(mark),
            }
        }
        by_moment
    }

    /// Whether a mark is the beginning of an entry that ends when the run says so: a maintenance.
    fn is_of_maintenance(&self, analysis: &Analysis<'_>, mark: u32) -> bool {
        let entry = self
            .get(mark)
            .filter(|m| m.kind == Kind::Action)
            .map(|m| m.since.entry);
        entry.is_some_and(|e| {
            analysis
                .plan
                .timeline
                .get(e as usize)
                .is_some_and(|t| t.ends.is_none())
                && analysis.plan.lasts(e)
        })
    }

    fn get(&self, mark: u32) -> Option<&Mark> {
        self.marks.get(mark as usize)
    }

    fn later(&self, a: u32, b: u32) -> u32 {
        let at = |m: u32| self.get(m).map(|m| m.since.at);
        if at(b) > at(a) { b } else { a }
    }

    /// The latest mark up to a time that hit a node, or all; `harm` leaves out what is none.
    fn hit(&self, node: Option<NodeId>, until: Time, harm: bool) -> u32 {
        let latest = |marks: &[u32]| {
            let due = marks.partition_point(|&m| self.marks[m as usize].since.at <= until);
            marks[..due]
                .iter()
                .rev()
                .copied()
                .find(|&m| !harm || self.marks[m as usize].kind == Kind::Harm)
                .unwrap_or(NONE)
        };
        let own = node
            .and_then(|n| self.of_node.get(n.index()))
            .map_or(NONE, |marks| latest(marks));
        self.later(own, latest(&self.of_all))
    }
}

impl Analysis<'_> {
    /// What the time of a record is given relative to: the nearest beginning or end of an entry of
    /// the timeline among its causes; where there is none, the latest fault that hit `node`, or its
    /// end. A change of a node's Ready condition, and all that follows from it, is reckoned from
    /// the latest fault of the node if that is later.
    pub fn since_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let marks = &self.marks;
        let own = marks.of_record.get(id as usize).and_then(|&m| marks.get(m));
        own.or_else(|| marks.get(marks.hit(node, self.trace.get(id)?.at, false)))
            .map(|m| m.since)
    }

    /// What a latency is reckoned from: the nearest beginning of a fault among the causes that
    /// [`Analysis::since_of`] goes by; where there is none, the nearest beginning of another entry
    /// that changes nodes or pods, a user's taint say; where there is none either, the latest fault
    /// that began and hit `node`.
    pub fn fault_of(&self, id: RecordId, node: Option<NodeId>) -> Option<Since> {
        let marks = &self.marks;
        let own = marks.of_record.get(id as usize).and_then(|&m| marks.get(m));
        // A mark's parent is that of an earlier record, so that the walk ends; a damaged trace ends
        // it at its length.
        let walk = || std::iter::successors(own, |m| marks.get(m.parent)).take(marks.marks.len());
        let nearest = |kind| walk().find(|m| m.kind == kind);
        let found = nearest(Kind::Harm).or_else(|| nearest(Kind::Action));
        found
            .or_else(|| marks.get(marks.hit(node, self.trace.get(id)?.at, true)))
            .map(|m| m.since)
    }
}
