//! What is reported where a property does not hold.

use crate::analysis::explain::Object;
use crate::analysis::prelude::*;
use crate::language::Property;

/// A place in a run where a property does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What does not hold.
    pub property: Property,
    /// When that was certain.
    pub at: Time,
    /// Until when it lasted, the same moment for what only happens; the end of time where it still does as the run ends.
    pub until: Time,
    /// The pod it is about.
    pub pod: Option<PodId>,
    /// The node it is about, or that the pod is on.
    pub node: Option<NodeId>,
    /// What happened, in one line.
    pub text: String,
    /// The records that decided it, in order.
    pub records: Vec<RecordId>,
    /// Of an expectation that is not met: whether what came is less or more than that, and what explains it.
    pub(crate) missed: Option<(Ordering, Option<Object>)>,
}

/// The places where one property does not hold, as they are found.
pub(super) struct Found {
    /// What does not hold.
    pub(super) property: Property,
    /// Where.
    pub(super) all: Vec<Violation>,
    /// Something that had to happen within a bound had not, and the run ended before that was over.
    pub(super) is_open: bool,
}

impl Found {
    /// One of a pod, a node or both; what is no record is left out.
    pub(super) fn add(
        &mut self,
        at: Time,
        (pod, node): (Option<PodId>, Option<NodeId>),
        text: String,
        records: &[RecordId],
    ) {
        let records: BTreeSet<RecordId> =
            records.iter().copied().filter(|r| *r != NO_RECORD).collect();
        let (records, property) = (records.into_iter().collect(), self.property);
        let (until, missed) = (at, None);
        self.all.push(Violation { property, at, until, pod, node, text, records, missed });
    }

    /// What was found last about that pod, or that node without one, lasts until then.
    pub(super) fn lasts(&mut self, (pod, node): (Option<PodId>, Option<NodeId>), until: Time) {
        let is_its = |v: &&mut Violation| v.pod == pod && (pod.is_some() || v.node == node);
        if let Some(violation) = self.all.iter_mut().rev().find(is_its) {
            violation.until = until;
        }
    }
}
