//! What becomes of an expectation, met, failed with the records that decided it, or one that makes
//! no sense for the run; and the run that expectations are compared with.

use super::super::explain::Object;
use super::super::serving::{BARE, Served, Serving};
use super::super::summary::{DEFAULT_NEEDLESS_WINDOW, with_evictions};
use super::super::workloads::{WorkloadOutcome, workloads};
use crate::analysis::prelude::*;
use std::cell::OnceCell;

/// What became of an expectation in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Why it failed; none if it was met.
    pub failure: Option<Failed>,
    /// Why it says nothing that it was met, where that is so.
    pub(crate) empty: Option<Empty>,
    /// It is met wherever nothing happens.
    pub(crate) is_met_idly: bool,
    /// No violation of a property is wanted, and the run ends before a bound of it is over.
    pub(crate) is_open: bool,
    /// Why it makes no sense for this run, where that is so. It is judged all the same, as one of which nothing came:
    /// the pods that this run lacks another one may have.
    pub(crate) wrong: Option<Wrong>,
}

impl Verdict {
    /// Whether it makes sense for the run, and is met.
    pub fn is_met(&self) -> bool {
        self.failure.is_none() && self.wrong.is_none()
    }
}

/// Why it says nothing that an expectation was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Empty {
    pub(crate) why: String,
    /// What may help.
    pub(crate) help: &'static str,
    /// It is told of some runs alone, too.
    pub(crate) is_open: bool,
}

impl Empty {
    /// Of what this scenario can not break.
    pub(crate) fn of(why: String) -> Self {
        let help = "ask for what this scenario could break, or leave it out";
        Empty { why, help, is_open: false }
    }

    /// Of what the run is too short for.
    pub(super) fn open(why: String) -> Self {
        Empty { why, help: "make `horizon` longer", is_open: true }
    }
}

/// Why an expectation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// What was expected, in words.
    pub(crate) expected: String,
    /// What came instead.
    pub(crate) got: String,
    /// Whether that is less than what was expected, or earlier, or more, or later; equal is otherwise.
    pub(super) way: Ordering,
    /// The records that decided it, in their order; a few at most.
    pub(crate) records: Vec<RecordId>,
    /// The object whose explanation says why, and up to which time where not to the end of the run.
    pub(crate) about: Option<(Object, Option<Time>)>,
}

impl Failed {
    /// With another object, where one is known that says more.
    pub(super) fn about(mut self, object: Option<Object>) -> Self {
        self.about = object.map(|o| (o, None)).or(self.about);
        self
    }
}

/// An expectation that makes no sense for a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    /// What is wrong with it.
    pub(crate) message: String,
    /// What may help.
    pub(crate) help: Option<String>,
}

/// The most records that are named for one expectation.
pub(super) const RECORDS: usize = 6;

/// What several expectations of one run share.
pub(super) struct Run<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) owners: Owners,
    workloads: OnceCell<Vec<(String, WorkloadOutcome)>>,
    serving: OnceCell<Serving>,
}

impl<'a> Run<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (workloads, serving) = (OnceCell::new(), OnceCell::new());
        Run { analysis, owners: Owners::new(analysis), workloads, serving }
    }

    /// What the run meant for each workload, by name, and for the pods without one together.
    pub(super) fn workloads(&self) -> &[(String, WorkloadOutcome)] {
        self.workloads.get_or_init(|| {
            let name =
                |o: &WorkloadOutcome| self.analysis.trace.names.workload_name(o.id).to_owned();
            let own = workloads(self.analysis).outcomes.into_iter().map(|o| (name(&o), o));
            let bare = self.serving().workloads.iter().filter(|w| w.id.is_none());
            let of_bare = |w: &Served| {
                let (wanted, available) = (w.course(|c| c.desired), w.course(|c| c.ready));
                (BARE.to_owned(), WorkloadOutcome { wanted, available, ..Default::default() })
            };
            own.chain(bare.map(of_bare)).collect()
        })
    }

    /// A failure that one of its records explains.
    pub(super) fn failed(&self, expected: String, got: String, records: Vec<RecordId>) -> Failed {
        let analysis = self.analysis;
        let object = |id: RecordId| {
            let r = analysis.trace.get(id)?;
            let object = match r.what {
                What::Zone(_) => Object::Zone(analysis.find_zone(&analysis.zone_told(r))?),
                // What its story tells, evictions, is not what somebody sets it for.
                What::NodeUnschedulable(_) => return None,
                // The controller as a whole concluded that; any node's story has it.
                What::MasterDisruptionEntered | What::MasterDisruptionLeft
                    if analysis.node_count() > 0 =>
                {
                    Object::Node(NodeId(0))
                }
                _ => r.pod().map(Object::Pod).or(r.node().map(Object::Node))?,
            };
            Some((object, Some(r.at)))
        };
        // What the scheduler says of other pods in the same instant explains the least.
        let is_scheduler =
            |id: &&RecordId| analysis.trace.get(**id).is_some_and(|r| r.actor == Actor::Scheduler);
        let first = records.iter().find(|id| !is_scheduler(id)).or(records.first());
        let about = first.and_then(|&id| object(id));
        Failed { expected, got, way: Ordering::Equal, records, about }
    }

    pub(super) fn serving(&self) -> &Serving {
        self.serving.get_or_init(|| with_evictions(self.analysis, DEFAULT_NEEDLESS_WINDOW).1)
    }
}
