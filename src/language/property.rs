//! The properties that must never be violated: their names and bounds.

use super::{duration, names};
use crate::api::spelling;
use crate::kernel::Dur;
use serde::{Deserialize, Serialize};
use std::{fmt, mem};

/// What must never happen in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize, Serialize)]
pub enum Property {
    /// A pod that nobody deletes stays on a node with a NoExecute taint that it does not tolerate, or
    /// no longer, for longer than its bound (1m).
    /// Counted from the time at which it has to go.
    PodStuck(Dur),
    /// Taint eviction deletes a pod although at that moment no taint of its node requires it.
    NeedlessEviction,
    /// A deletion that was decided on for one pod hits its successor of the same name.
    WrongPod,
    /// The countdown of an eviction begins anew although the taint never left and the tolerations
    /// are the same.
    TimerReset,
    /// A taint that a user wrote is removed, or gets another value, by a controller whose taint it
    /// is not.
    TaintLost,
    /// A taint for a condition, or for `spec.unschedulable`, that a controller wrote is there for
    /// longer than its bound (1m) after the condition is over. For its NoExecute taints the end of
    /// their reason is master disruption, too.
    /// Counted from the end of the condition.
    TaintStale(Dur),
    /// A pod that was Ready stays NotReady for longer than its bound (2m30s) although its node is
    /// healthy.
    /// Counted from when the pod turned NotReady and the node is back.
    NeverReady(Dur),
    /// A node is not Ready for longer than its bound (5m) and has no NoExecute taint, while its zone
    /// is tainted at a rate and no other node of it was tainted for that long.
    /// Counted from when the node could have been tainted, as its zone's rate allows it again after each other node.
    NeverTainted(Dur),
    /// A pod, or its successors of the same workload, is evicted from the same node more than
    /// its bound of times (3), each time having been created after the eviction before, and the node having
    /// been without a NoExecute taint for less than an hour since. Evictions for a device's taint count,
    /// too, unless there was none for an hour.
    /// The bound is what is not yet too often.
    EvictLoop(u32),
    /// A node is marked Unknown whose kubelet reaches the API server, or has not done so for
    /// its bound (0s) at most.
    /// The bound is a silence that should be borne.
    FalseUnknown(Dur),
    /// A pod is still Ready on a node that has been Unknown for longer than its bound (1m).
    /// Counted from when the pod was Ready on a node that is Unknown.
    StaleReady(Dur),
    /// Two pods of one name of a StatefulSet run at one time.
    RunsTwice,
    /// The eviction API grants the eviction of a healthy pod although its budget has had no room for
    /// that for longer than its bound (1m).
    /// Counted from when the budget had room last.
    BudgetOverdrawn(Dur),
    /// The scheduler binds a pod to a node that has been cordoned for longer than its bound (1m), and
    /// the pod does not tolerate that.
    /// Counted from when the node was cordoned.
    BoundToCordoned(Dur),
    /// A Job that is not finished has no pod, and nothing happens to it, for longer than its bound
    /// (11m).
    /// Counted from the last that happened to it.
    JobStalled(Dur),
    /// A workload has fewer pods than it asks for, as some were lost, and nothing happens to it for
    /// longer than its bound (1m).
    /// Counted from the last that happened to it, and from the end of a lost pod's grace period.
    NotReplaced(Dur),
    /// A countdown runs for longer than its bound (1m) although no taint of the pod's node requires
    /// it any more.
    /// Counted from when the last such taint went.
    TimerStale(Dur),
    /// The same run twice gives two results.
    Deterministic,
    /// What the scenario expects is not met.
    Expect,
}

impl Property {
    /// Each by its name, with the bound that it has where none is given.
    const ALL: [(&'static str, Self); 19] = [
        ("pod-stuck", Self::PodStuck(Dur::from_secs(60))),
        ("needless-eviction", Self::NeedlessEviction),
        ("wrong-pod", Self::WrongPod),
        ("timer-reset", Self::TimerReset),
        ("taint-lost", Self::TaintLost),
        ("taint-stale", Self::TaintStale(Dur::from_secs(60))),
        ("never-ready", Self::NeverReady(Dur::from_secs(150))),
        ("never-tainted", Self::NeverTainted(Dur::from_secs(300))),
        ("evict-loop", Self::EvictLoop(3)),
        ("false-unknown", Self::FalseUnknown(Dur::ZERO)),
        ("stale-ready", Self::StaleReady(Dur::from_secs(60))),
        ("runs-twice", Self::RunsTwice),
        ("budget-overdrawn", Self::BudgetOverdrawn(Dur::from_secs(60))),
        ("bound-to-cordoned", Self::BoundToCordoned(Dur::from_secs(60))),
        ("job-stalled", Self::JobStalled(Dur::from_secs(660))),
        ("not-replaced", Self::NotReplaced(Dur::from_secs(60))),
        ("timer-stale", Self::TimerStale(Dur::from_secs(60))),
        ("deterministic", Self::Deterministic),
        ("expect", Self::Expect),
    ];

    /// The names of all properties.
    pub const NAMES: [&'static str; 19] = {
        let (mut names, mut place) = ([""; 19], 0);
        while place < names.len() {
            names[place] = Self::ALL[place].0;
            place += 1;
        }
        names
    };

    /// Whether a single run can violate it, and not only what is compared with it: another run, or what its scenario
    /// expects.
    pub(crate) fn is_of_a_run(&self) -> bool {
        !matches!(self, Self::Deterministic | Self::Expect)
    }

    /// The spelling of the command line and of scenarios.
    pub fn name(&self) -> &'static str {
        let is_of_kind = |p: &Self| mem::discriminant(p) == mem::discriminant(self);
        Self::ALL.iter().find(|(_, p)| is_of_kind(p)).map_or("", |(name, _)| name)
    }

    /// The span that is its bound, where it has such a one.
    fn span(&mut self) -> Option<&mut Dur> {
        match self {
            Self::PodStuck(within)
            | Self::TaintStale(within)
            | Self::NeverReady(within)
            | Self::NeverTainted(within)
            | Self::StaleReady(within)
            | Self::BudgetOverdrawn(within)
            | Self::BoundToCordoned(within)
            | Self::JobStalled(within)
            | Self::NotReplaced(within)
            | Self::TimerStale(within)
            | Self::FalseUnknown(within) => Some(within),
            _ => None,
        }
    }

    /// Reads a name, `pod-stuck` or `PodStuck`, with a bound in brackets where there is one:
    /// `pod-stuck(10s)`, `evict-loop(5)`.
    ///
    /// # Errors
    /// An unknown name, a bound that cannot be read, a bound of a property that has none.
    pub fn parse(text: &str) -> Result<Self, PropertyError> {
        let (name, bound) = match text.trim().split_once('(') {
            None => (text.trim(), None),
            Some((name, rest)) => {
                let open = || format!("{text:?}: a bound stands in brackets, as in pod-stuck(10s)");
                let bound = rest.strip_suffix(')').ok_or_else(|| PropertyError(open()))?;
                (name.trim(), Some(bound.trim()))
            }
        };
        let kebab = names::apart(name, '-');
        let Some((_, mut property)) = Self::ALL.into_iter().find(|(known, _)| *known == kebab)
        else {
            let help = match spelling::nearest(&kebab, Self::NAMES) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known are {}", Self::NAMES.join(", ")),
            };
            return Err(PropertyError(format!("there is no property {name:?}; {help}")));
        };
        let Some(bound) = bound else { return Ok(property) };
        let unreadable = |why: &str| PropertyError(format!("the bound of {kebab}: {why}"));
        if let Self::EvictLoop(more_than) = &mut property {
            let number = bound.parse();
            *more_than = number.map_err(|_| unreadable("expected a whole number"))?;
        } else {
            let span =
                property.span().ok_or_else(|| PropertyError(format!("{kebab} has no bound")))?;
            *span = duration::parse(bound).map_err(|e| unreadable(&e.to_string()))?;
        }
        Ok(property)
    }
}

/// The name, and the bound where there is one; reads back the same.
impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match *self {
            Self::EvictLoop(more_than) => write!(f, "({more_than})"),
            mut other => match other.span() {
                Some(span) => write!(f, "({})", duration::format(*span)),
                None => Ok(()),
            },
        }
    }
}

/// Why a text is not a property.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PropertyError(pub String);
