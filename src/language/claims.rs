//! Claims about figures of a run: at every moment, or of the whole run.

use crate::language::Tree;
use crate::language::prelude::*;

/// A figure that changes in the course of a run, or that a run comes to. `"*"` stands for all, and
/// `"pods without a workload"` for those together.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quantity {
    /// Pods of a workload that are Running, Ready and not being deleted.
    Available(String),
    /// Pods of a workload that are missing: wanted and not available, once all of them have been
    /// available.
    Unavailable(String),
    /// Pods of a workload that are up, whatever the API says: their machine runs, their containers
    /// have started, clients reach them, if it is no Job.
    Up(String),
    /// Pods of a workload that are desired and not up.
    Missing(String),
    /// Containers of a workload that run, and that clients reach, if it is no Job, although their pod
    /// is being deleted or gone.
    Ghosts(String),
    /// Pods of a workload that the API has as ready and that are not up.
    DeadEndpoints(String),
    /// Pods of a workload that wait to be bound or started.
    Pending(String),
    /// Pods of a workload that are being deleted and still there.
    Terminating(String),
    /// Eviction timers that run for pods of a workload.
    Timers(String),
    /// Pods of a workload that were evicted so far.
    Evicted(String),
    /// Nodes of a zone whose Ready condition is not True.
    NotReadyNodes(String),
    /// Requests that a controller sent to the API server so far, by its name in `events.jsonl`:
    /// `requests("taint-eviction")`.
    Requests(String),
    /// The time in which a workload lacked pods, in all: a duration.
    UnavailableSeconds(String),
    /// The time in which fewer pods of a workload were up than it needs, in all: a duration.
    BelowNeed(String),
    /// The longest stretch of that: a duration.
    LongestBelowNeed(String),
    /// The longest stretch in which a workload lacked pods: a duration.
    LongestGap(String),
}

impl Quantity {
    /// Its word, and what it is of.
    pub(crate) fn parts(&self) -> (String, String) {
        let tree = Tree::of(self);
        let of = tree.parts().first().and_then(Tree::text).unwrap_or_default();
        (tree.word().to_owned(), of.to_owned())
    }

    /// Whether it is a span of time, and one of the whole run.
    pub(crate) fn is_span(&self) -> bool {
        matches!(
            self,
            Self::UnavailableSeconds(_)
                | Self::LongestGap(_)
                | Self::BelowNeed(_)
                | Self::LongestBelowNeed(_)
        )
    }
}

/// A figure beside a limit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Which figure.
    pub(crate) of: Quantity,
    /// The limit: a whole number, or a duration, `"8m"`, for figures that are one.
    pub(crate) is: FlagValue,
}

/// A figure that keeps a limit all the time.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Which figure.
    pub(crate) of: Quantity,
    /// The limit: a whole number, or a duration, `"8m"`, for figures that are one.
    pub(crate) is: FlagValue,
    /// Of `AtMost`: it is above zero for no longer than this at a stretch.
    pub(crate) longest: Option<DurationText>,
    /// Look only at this stretch of the run.
    pub(crate) during: Option<Window>,
}

/// Something that holds or does not hold at each moment of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Claim {
    /// The figure is the limit or more: `AtLeast(of: available("web"), is: 8)`
    AtLeast(Comparison),
    /// The figure is the limit or less: `AtMost(of: terminating("*"), is: 10)`
    AtMost(Comparison),
    /// The figure is the limit: `Equal(of: timers("*"), is: 0)`
    Equal(Comparison),
    /// All of these hold.
    All(Vec<Claim>),
    /// One of these holds.
    AnyOf(Vec<Claim>),
    /// This does not hold.
    Not(Box<Claim>),
    /// Look only at this stretch of the run; stands outermost.
    During {
        /// The stretch.
        between: Window,
        /// What is claimed of it.
        that: Box<Claim>,
    },
    /// A pod is left on a node whose NoExecute taints it does not tolerate, or no longer.
    PodStuck,
    /// A pod is evicted although no taint on its node asks for it.
    NeedlessEviction,
    /// A deletion meant for one pod hits its successor of the same name.
    WrongPod,
    /// A countdown starts again although the taint never left.
    TimerReset,
    /// A taint that a user wrote vanishes by another writer's patch.
    TaintLost,
    /// A taint for a condition outlives the condition.
    TaintStale,
    /// A node is healthy again and its pods stay NotReady.
    NeverReady,
    /// A node is dead for long and never gets a NoExecute taint.
    NeverTainted,
    /// A node is marked Unknown although its kubelet reaches the API server.
    FalseUnknown,
    /// A pod is still Ready on a node that is Unknown.
    StaleReady,
    /// A pod is placed and evicted on the same node again and again.
    EvictLoop,
    /// Two pods of one name of a StatefulSet run at one time.
    RunsTwice,
    /// The eviction API grants more than a disruption budget has room for.
    BudgetOverdrawn,
    /// The scheduler binds a pod to a node that has been cordoned for long.
    BoundToCordoned,
    /// A Job that is not finished has no pod, and nothing happens to it.
    JobStalled,
    /// A workload lacks pods that were lost, and nobody replaces them.
    NotReplaced,
    /// A countdown goes on although no taint requires it any more.
    TimerStale,
    /// A property by its name on the command line, with a bound where it has one:
    /// `Property("pod-stuck(10s)")`
    Property(String),
}
