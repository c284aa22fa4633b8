//! Which events exist, by name.
//!
//! An event's name is its object's name and the nanosecond at which it was made
//! (`client-go/tools/internal/events: GenerateEventName`), so two events about one object in one
//! instant collide, and the second is refused.

use crate::api::volume::VolumeId;
use crate::apiserver::prelude::*;
use crate::kernel::search::fold;
use crate::kernel::slot;
use crate::trace::EventText;

/// The name of an event: the object it is about and when it was made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum EventName {
    /// About a node.
    Node(NodeId, Time),
    /// About a pod.
    Pod(PodId, Time),
    /// About a workload.
    Workload(WorkloadId, Time),
    /// About a claim.
    Claim(VolumeId, Time),
}

impl EventName {
    /// A number for searches: names that are the same have the same, and few others.
    pub(super) fn bucket(self) -> u32 {
        let (kind, id, at) = match self {
            Self::Node(id, at) => (0, id.0, at),
            Self::Pod(id, at) => (1, id.0, at),
            Self::Workload(id, at) => (2, id.0, at),
            Self::Claim(id, at) => (3, id.0, at),
        };
        (fold(at.as_nanos(), u64::from(id) << 2 | kind) >> 56) as u32
    }
}

/// The names of the events that exist. The first two of each pod lie in a table: in a large outage
/// most pods have just those.
#[derive(Default)]
pub(super) struct EventStore {
    /// The end of time stands for none.
    first_of_pods: Vec<[Time; 2]>,
    /// By workload, sorted, with their reasons.
    of_workloads: Vec<Vec<(Time, EventText)>>,
    others: BTreeSet<EventName>,
}

impl EventStore {
    pub(super) fn contains(&self, name: EventName) -> bool {
        if let EventName::Pod(pod, at) = name {
            match self.first_of_pods.get(pod.index()) {
                Some(two) if two.contains(&at) => return true,
                // While there is room in the table none of the pod's lie elsewhere.
                Some([_, second]) if *second != Time::MAX => {}
                _ => return false,
            }
        }
        if let EventName::Workload(workload, at) = name {
            return self.reason_of(workload, at).is_some();
        }
        self.others.contains(&name)
    }

    /// The reason with which a workload's event was made.
    pub(super) fn reason_of(&self, workload: WorkloadId, at: Time) -> Option<EventText> {
        let events = self.of_workloads.get(workload.index())?;
        place_of(events, at).ok().map(|place| events[place].1)
    }

    /// Adds a name; false if it is there.
    pub(super) fn insert(&mut self, name: EventName, reason: EventText) -> bool {
        if let EventName::Workload(workload, at) = name {
            let times = slot(&mut self.of_workloads, workload.index());
            place_of(times, at).inspect_err(|free| times.insert(*free, (at, reason))).is_err()
        } else if self.contains(name) {
            false
        } else if let EventName::Pod(pod, at) = name {
            if self.first_of_pods.len() <= pod.index() {
                self.first_of_pods.resize(pod.index() + 1, [Time::MAX; 2]);
            }
            match self.first_of_pods[pod.index()].iter_mut().find(|t| **t == Time::MAX) {
                Some(free) => {
                    *free = at;
                    true
                }
                None => self.others.insert(name),
            }
        } else {
            self.others.insert(name)
        }
    }
}

/// Where a time is, or is to go; most come last.
fn place_of(events: &[(Time, EventText)], at: Time) -> Result<usize, usize> {
    if events.last().is_none_or(|(last, _)| *last < at) {
        Err(events.len())
    } else {
        events.binary_search_by_key(&at, |(made, _)| *made)
    }
}
