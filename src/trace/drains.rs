//! What evicts pods, and what records of evictions and drains refer to: how a budget stood, and how
//! the drain of a node ended.

use super::record::{Actor, Record};
use crate::api::budget::BudgetRule;
use crate::api::names::{PodId, TextId, WorkloadId};
use crate::api::words::{rows, words};
use crate::kernel::Dur;

words! {
    /// What evicts a pod.
    ///
    /// A deletion is an eviction where the node is to be rid of the pod: for its taints, for its
    /// failure, for a drain; or a kubelet has the pod fail. Not among them are preemptions, which make room for another pod, and
    /// deletions by the pod garbage collector, the owner, or a user's `kubectl delete`; those the
    /// summary counts by who deleted.
    pub enum EvictionCause {
        /// The taint eviction controller: a NoExecute taint that the pod does not tolerate, or no
        /// longer.
        Taint = "taint-eviction": "taints",
        /// The device taint eviction controller: a NoExecute taint of a device that the pod has.
        DeviceTaint = "device-taint-eviction": "device taints",
        /// The node lifecycle controller, up to 1.26: `--pod-eviction-timeout`.
        Timeout = "pod-eviction-timeout": "--pod-eviction-timeout",
        /// The eviction API (`pods/eviction`), which keeps to budgets: `kubectl drain`.
        Api = "api-eviction": "the eviction API (drain)",
        /// `kubectl drain --disable-eviction`: a deletion, which no budget stops.
        DrainDelete = "drain-delete": "drain --disable-eviction",
        /// Its kubelet, as the node is short of something: the pod has Failed, and is not deleted.
        Pressure = "node-pressure": "node pressure",
    }

    /// Who or what evicts, in words that follow "by".
    pub(crate) fn by -> &'static str;
}

impl EvictionCause {
    /// The cause, where a record begins the deletion of a pod, or has it fail, and evicts it by that; `asked` is
    /// what asked for that just before.
    pub(crate) fn of(r: &Record, asked: Option<Self>) -> Option<Self> {
        let asked = asked.filter(|_| matches!(r.actor, Actor::User | Actor::Kubelet));
        Self::of_controller(r.actor).or(asked)
    }

    /// That for which a controller evicts.
    pub(crate) fn of_controller(actor: Actor) -> Option<Self> {
        match actor {
            Actor::TaintEviction => Some(Self::Taint),
            Actor::DeviceTaintEviction => Some(Self::DeviceTaint),
            Actor::NodeLifecycle => Some(Self::Timeout),
            _ => None,
        }
    }
}

/// Stands for "no budget": none selects the pod, or none had to be asked.
pub(crate) const NO_BUDGET: u32 = u32::MAX;

rows! {
    /// Why the eviction API refuses an eviction (`pkg/registry/core/pod/storage/eviction.go`). Its word, as `events.jsonl` has it, is the status
    /// code, and what lies behind it where one code has two reasons.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub(crate) enum Refusal {
        /// It was not refused: the state is recorded for another reason.
        None = "",
        /// 429: `disruptionsAllowed` is zero.
        NotAllowed = "429",
        /// 429: the disruption controller has not looked at the budget since its spec changed.
        NotObserved = "429 not observed",
        /// 403: more than 2000 evictions that were granted do not show yet, or `disruptionsAllowed` is
        /// negative.
        NotKept = "403",
        /// 500: several budgets select the pod; the first of them is recorded.
        Several = "500",
    }

    pub(crate) fn as_str -> &'static str;
}

impl Refusal {
    /// Whether kubectl asks again, after 5 s (`pkg/drain/drain.go: evictPods`); the rest fails the drain.
    pub(crate) fn is_tried_again(self) -> bool {
        matches!(self, Self::NotAllowed | Self::NotObserved)
    }
}

/// A disruption budget at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BudgetState {
    /// `PodDisruptionBudget/namespace/name`
    pub(crate) budget: WorkloadId,
    /// What it asks for.
    pub(crate) rule: BudgetRule,
    /// `status.expectedPods`: how many pods there should be.
    pub(crate) expected: i32,
    /// `status.desiredHealthy`: how many of them have to be healthy.
    pub(crate) desired: i32,
    /// `status.currentHealthy`: how many are.
    pub(crate) healthy: i32,
    /// `status.disruptionsAllowed`
    pub(crate) allowed: i32,
    /// Why an eviction was refused.
    pub(crate) refusal: Refusal,
}

impl BudgetState {
    /// Whether it can never allow an eviction while this many pods are wanted, even if all of them
    /// are healthy, because it asks for all of them.
    pub(crate) fn never_allows(&self) -> bool {
        self.expected > 0 && self.desired >= self.expected && self.refusal == Refusal::NotAllowed
    }
}

words! {
    /// How kubectl finished with a node that it drained, in the words of `events.jsonl`.
    pub enum DrainOutcome {
        /// Every pod that had to go is gone.
        Drained = "drained",
        /// `--timeout` was over before.
        TimedOut = "timed out",
        /// kubectl or the API server refused: a pod that no flag lets go, a pod with two budgets.
        Refused = "refused",
    }
}

/// How the drain of a node ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrainEnd {
    /// How.
    pub outcome: DrainOutcome,
    /// How long kubectl took for this node.
    pub(crate) took: Dur,
    /// How many pods went.
    pub(crate) gone: u32,
    /// The pods that should have gone and did not.
    pub left: Vec<PodId>,
    /// What kubectl prints of it; of a node that is drained nothing.
    pub(crate) words: TextId,
}
