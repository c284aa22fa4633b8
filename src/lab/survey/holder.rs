//! What keeps pods where they are not wanted although there is room.

use super::hit::Hit;

/// Behind the first sentence stands what preemption makes of it.
pub(super) fn first_sentence(why: Option<&str>) -> &str {
    why.and_then(|w| w.split(". ").next()).unwrap_or("no node suits")
}

/// What keeps pods from nodes that have room, or from being evicted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Holder {
    Spread,
    AntiAffinity,
    Affinity,
    NodeAffinity,
    Ports,
    Taints,
    Cordoned,
    NoSuchResource,
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
        let parts = first_sentence(Some(why)).split(", ");
        let parts: Vec<&str> = parts
            .filter(|p| {
                !p.contains("node.kubernetes.io/unreachable")
                    && !p.contains("node.kubernetes.io/not-ready")
            })
            .collect();
        let words = [
            ("topology spread", Self::Spread),
            ("anti-affinity", Self::AntiAffinity),
            ("pod affinity", Self::Affinity),
            ("affinity/selector", Self::NodeAffinity),
            ("node selector", Self::NodeAffinity),
            ("ports", Self::Ports),
            ("taint", Self::Taints),
            ("unschedulable", Self::Cordoned),
            ("Insufficient", Self::NoSuchResource),
        ];
        let is_said = |word: &str| parts.iter().any(|p| p.contains(word));
        let found = words.iter().find(|(word, _)| is_said(word));
        found.map_or(Self::Other, |(_, holder)| *holder)
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
            Self::Spread => {
                "a topologySpreadConstraint with DoNotSchedule, for which lost nodes count as before; \
                 ScheduleAnyway changes that, or, where the lost domain alone holds them, nodeTaintsPolicy: Honor"
            }
            Self::AntiAffinity => {
                "required pod anti-affinity; more nodes, or preferring it, changes that"
            }
            Self::Affinity => "required pod affinity to pods that no node left has",
            Self::NodeAffinity => {
                "node affinity or nodeSelector; nodes left with such labels would change that"
            }
            Self::Ports => "host ports that are taken on all nodes left; more nodes change that",
            Self::Taints => "taints of all nodes left that they do not tolerate",
            Self::Cordoned => "the nodes left are cordoned",
            Self::NoSuchResource => "they ask for a resource that no node left has",
            Self::Other | Self::Queue | Self::Nobody => "no node suits",
        }
    }
}
