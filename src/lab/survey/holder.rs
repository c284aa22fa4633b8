//! What keeps pods where they are not wanted although there is room.

use super::hit::Hit;

/// Behind the first sentence stands what preemption makes of it.
pub(super) fn first_sentence(why: Option<&str>) -> &str {
    why.and_then(|w| w.split(". ").next()).unwrap_or("no node suits")
}

/// Parts of what the scheduler says of pods for which there is room, and what it means, with what
/// would change it; the first that is said counts.
const SAID: [(&[&str], &str); 8] = [
    (
        &["topology spread"],
        "a topologySpreadConstraint with DoNotSchedule, for which lost nodes count as before; \
         ScheduleAnyway changes that, or, where the lost domain alone holds them, nodeTaintsPolicy: Honor",
    ),
    (&["anti-affinity"], "required pod anti-affinity; more nodes, or preferring it, changes that"),
    (&["pod affinity"], "required pod affinity to pods that no node left has"),
    (
        &["affinity/selector", "node selector"],
        "node affinity or nodeSelector; nodes left with such labels would change that",
    ),
    (&["ports"], "host ports that are taken on all nodes left; more nodes change that"),
    (&["taint"], "taints of all nodes left that they do not tolerate"),
    (&["unschedulable"], "the nodes left are cordoned"),
    (&["Insufficient"], "they ask for a resource that no node left has"),
];

/// What keeps pods from nodes that have room, or from being evicted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Holder {
    /// What the scheduler says, by its place in [`SAID`].
    Scheduler(usize),
    Other,
    /// Nodes are tainted one after the other.
    Queue,
    /// Nothing evicts them.
    Nobody,
}

impl Holder {
    /// From the words of the scheduler, which found no node although there was room. That lost
    /// nodes are tainted says nothing.
    pub(super) fn of(why: &str) -> Self {
        let is_lost = |part: &&str| {
            ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"]
                .iter()
                .any(|taint| part.contains(taint))
        };
        let parts = first_sentence(Some(why)).split(", ").filter(|part| !is_lost(part));
        let parts: Vec<&str> = parts.collect();
        let is_said = |word: &&str| parts.iter().any(|part| part.contains(word));
        let found = SAID.iter().position(|(words, _)| words.iter().any(is_said));
        found.map_or(Self::Other, Self::Scheduler)
    }

    pub(super) fn of_later(hit: &Hit) -> Self {
        match hit.evicted_after {
            Some(_) => Self::Queue,
            None => Self::Nobody,
        }
    }

    /// What it is, and what would change it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Scheduler(place) => SAID[place].1,
            Self::Other | Self::Queue | Self::Nobody => "no node suits",
        }
    }
}
