//! Expectations: what must be true of a run for a scenario to pass as a test.
//!
//! The list of kinds is closed. Those about records (`Evicted`, `Tainted`, …) count what happened
//! and when; `Pending` looks at a moment; `AtLeast`, `AtMost` and `Equal` hold a figure of a
//! workload or of the run to a limit; `Always`, `Never`, `Eventually` and `Until` speak of every
//! moment; `Order` of what comes first, `Whenever` of what follows; `Mostly` of a share of many seeds. What is left out: sums
//! over several figures.

use super::claims::{Claim, Limit};
use super::cluster::{ConditionKind, NodeSelector, PodSelector};
use crate::api::pod::{PodConditionType, PodPhase};
use crate::language::prelude::*;

/// Writes structs with fields of their own and then those of the named groups, which several kinds
/// of expectation have: those that select `pods`, those that select the nodes of a `place`, how
/// `often` and `when` something happens, and `during` which stretch to look.
macro_rules! seen {
    ($($(#[$doc:meta])* $name:ident has $($group:ident)* { $($own:tt)* })*) => {
        $(seen! { @ [$($group)*] [] { $(#[$doc])* $name } $($own)* })*
    };
    (@ [pods $($more:ident)*] [$($known:ident)*] $head:tt $($fields:tt)*) => {
        seen! { @ [$($more)*] [$($known)* pod pods workload label namespace] $head $($fields)*
            /// The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
            pub(crate) pod: Option<String>,
            /// These pods.
            pub(crate) pods: Option<PodSelector>,
            /// The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or
            /// owner.
            pub(crate) workload: Option<String>,
            /// Only pods with labels that match: `"app=web,tier!=cache"`.
            pub(crate) label: Option<String>,
            /// Only pods of that namespace.
            pub(crate) namespace: Option<String>,
        }
    };
    (@ [place $($more:ident)*] [$($known:ident)*] $head:tt $($fields:tt)*) => {
        seen! { @ [$($more)*] [$($known)* node nodes zone] $head $($fields)*
            /// Only on that node; `*` stands for any letters.
            pub(crate) node: Option<String>,
            /// Only on these nodes.
            pub(crate) nodes: Option<NodeSelector>,
            /// Only in that zone.
            pub(crate) zone: Option<String>,
        }
    };
    (@ [often $($more:ident)*] [$($known:ident)*] $head:tt $($fields:tt)*) => {
        seen! { @ [$($more)*] [$($known)* count] $head $($fields)*
            /// How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each
            /// selected object. At least once where not given.
            pub(crate) count: Option<FlagValue>,
        }
    };
    (@ [when $($more:ident)*] [$($known:ident)*] $head:tt $($fields:tt)*) => {
        seen! { @ [$($more)*] [$($known)* at after before between first spread] $head $($fields)*
            /// It happens at exactly these times, to the millisecond, once at each, or as often as
            /// `"3x 10m"` says; with a `count`, once or more.
            pub(crate) at: Option<OneOrMany>,
            /// None of it happens before this time.
            pub(crate) after: Option<TimeText>,
            /// None of it happens after this time.
            pub(crate) before: Option<TimeText>,
            /// All of it happens in this stretch; `after` and `before` in one.
            pub(crate) between: Option<Window>,
            /// The first of it happens in this stretch.
            pub(crate) first: Option<Window>,
            /// From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
            pub(crate) spread: Option<String>,
        }
    };
    (@ [during $($more:ident)*] [$($known:ident)*] $head:tt $($fields:tt)*) => {
        seen! { @ [$($more)*] [$($known)* during] $head $($fields)*
            /// Look only at this stretch of the run; what happens outside of it does not matter.
            pub(crate) during: Option<Window>,
        }
    };
    (@ [] [$($known:ident)*] { $(#[$doc:meta])* $name:ident } $($fields:tt)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($fields)*
        }

        impl $name {
            /// What it has in common with the others.
            pub(crate) fn common(&self) -> Common<'_> {
                let common = &mut Common::default();
                $(common.$known = self.$known.as_ref();)*
                *common
            }
        }
    };
}

/// The fields that several kinds of expectation have; those that a kind lacks are none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Common<'a> {
    pub(crate) pod: Option<&'a String>,
    pub(crate) pods: Option<&'a PodSelector>,
    pub(crate) workload: Option<&'a String>,
    pub(crate) label: Option<&'a String>,
    pub(crate) namespace: Option<&'a String>,
    pub(crate) node: Option<&'a String>,
    pub(crate) nodes: Option<&'a NodeSelector>,
    pub(crate) zone: Option<&'a String>,
    pub(crate) count: Option<&'a FlagValue>,
    pub(crate) at: Option<&'a OneOrMany>,
    pub(crate) after: Option<&'a TimeText>,
    pub(crate) before: Option<&'a TimeText>,
    pub(crate) between: Option<&'a Window>,
    pub(crate) first: Option<&'a Window>,
    pub(crate) spread: Option<&'a String>,
    pub(crate) during: Option<&'a Window>,
}

seen! {
    /// Something that happens to pods.
    PodsSeen has pods place often when during {}
    /// Pods that are evicted.
    EvictedSeen has pods place often when during {
        /// By what, under the names of `evictions.csv`: `taint-eviction`, `api-eviction` (a drain),
        /// `drain-delete`, `pod-eviction-timeout`; by any of them where not given.
        pub(crate) by: Option<String>,
    }
    /// Pods whose deletion begins.
    DeletedSeen has pods place often when during {
        /// By whom, under the names of `events.jsonl`: `user`, `taint-eviction`, `pod-gc`,
        /// `replicaset`, …
        pub(crate) by: Option<String>,
    }
    /// Pods that come into a phase.
    PhaseSeen has pods place often when during {
        /// Which phase.
        pub(crate) phase: PodPhase,
    }
    /// A condition of pods that changes.
    PodConditionSeen has pods place often when during {
        /// Which condition.
        #[serde(rename = "type")]
        pub(crate) kind: PodConditionType,
        /// Its new status.
        pub(crate) status: ConditionStatus,
    }
    /// Events as `kubectl get events` shows them. With pods selected, only events about pods.
    EventSeen has pods place often when during {
        /// Their reason: `"TaintManagerEviction"`.
        pub(crate) reason: String,
        /// A part of their message.
        pub(crate) message: Option<String>,
        /// What they are about: `"Node/b-*"`, `"StatefulSet/default/db"`; `*` stands for any
        /// letters.
        pub(crate) object: Option<String>,
    }
    /// Something that happens to nodes.
    NodesSeen has place often when during {}
    /// Taints of nodes that are added or removed.
    TaintsSeen has place often when during {
        /// Which taint: `"key:Effect"`, `"key=value:Effect"` or `"key"`; `node.kubernetes.io/` may
        /// be left out.
        pub(crate) taint: String,
    }
    /// A condition of nodes that changes.
    ConditionSeen has place often when during {
        /// Which condition.
        #[serde(rename = "type")]
        pub(crate) kind: ConditionKind,
        /// Its new status.
        pub(crate) status: ConditionStatus,
    }
    /// A zone that comes into a state.
    ZoneSeen has place often when during {
        /// Which state.
        pub(crate) state: ZoneState,
    }
    /// The controller concludes that it is itself cut off, or no longer.
    DisruptionSeen has place often when during {
        /// Which of the two.
        pub(crate) state: DisruptionState,
    }
    /// Pods of which none may be evicted.
    NotEvicted has pods place during {
        /// By what, as of `Evicted`.
        pub(crate) by: Option<String>,
    }
    /// Pods that wait at a moment.
    Pending has pods often {
        /// When; at the end of the run where not given.
        pub(crate) at: Option<TimeText>,
        /// A part of the message of their last FailedScheduling event.
        pub(crate) reason: Option<String>,
    }
}

/// What becomes of master disruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum DisruptionState {
    /// Every zone is in FullDisruption; tainting stops.
    Entered,
    /// Some node is Ready again; tainting resumes.
    Left,
}

/// The state of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum ZoneState {
    /// Fewer than `--unhealthy-zone-threshold` of its nodes are not Ready.
    Normal,
    /// So many of them are not Ready.
    PartialDisruption,
    /// None of them is Ready.
    FullDisruption,
}

/// Of what something has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
pub enum Each {
    /// The same pod, or the same node.
    #[default]
    Object,
    /// The same node, on which a pod is or was.
    Node,
    /// The same workload, for each record one of its own.
    Workload,
}

/// One expectation.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Expectation {
    /// Pods are evicted: `Evicted(workload: "web", after: "cut b + 110s", before: "cut b + 4m")`
    Evicted(EvictedSeen),
    /// Pods are not evicted: `NotEvicted(namespace: "kube-system")`
    NotEvicted(NotEvicted),
    /// The deletion of pods begins, by whomever: `Deleted(pod: "web-0", by: "user", count: 1)`
    Deleted(DeletedSeen),
    /// Pod objects are gone: `Gone(workload: "db", count: 1, after: "10m")`
    Gone(PodsSeen),
    /// Pods are created, mostly on no node yet: `Created(workload: "web", count: 20)`
    Created(PodsSeen),
    /// Pods are bound: `Bound(workload: "web", zone: "a", count: "18..20")`
    Bound(PodsSeen),
    /// Pods come into a phase: `Phase(workload: "web", phase: Running, count: 20)`
    Phase(PhaseSeen),
    /// A condition of pods changes:
    /// `PodCondition(workload: "web", type: Ready, status: False, count: 10)`
    PodCondition(PodConditionSeen),
    /// Eviction timers are set: `TimerSet(workload: "web", count: 10)`
    TimerSet(PodsSeen),
    /// Eviction timers are cancelled: `TimerCancelled(pod: "web-0", count: 1)`
    TimerCancelled(PodsSeen),
    /// Pods could not be deleted in five tries: `EvictionFailed(pod: "web-0", count: 1)`
    EvictionFailed(PodsSeen),
    /// Pods wait at a moment, the end of the run where none is given:
    /// `Pending(workload: "web", count: 3, reason: "Insufficient cpu")`
    Pending(Pending),
    /// Taints are added to nodes: `Tainted(zone: "b", taint: "unreachable:NoExecute", count: 12)`
    Tainted(TaintsSeen),
    /// Taints of nodes are removed:
    /// `Untainted(zone: "b", taint: "unreachable:NoExecute", after: "end of cut b")`
    Untainted(TaintsSeen),
    /// A condition of nodes changes:
    /// `Condition(zone: "b", type: Ready, status: Unknown, count: "all")`
    Condition(ConditionSeen),
    /// Nodes are cordoned: `Cordoned(node: "a-00", at: "5m")`
    Cordoned(NodesSeen),
    /// Nodes are uncordoned: `Uncordoned(node: "a-00", after: "10m")`
    Uncordoned(NodesSeen),
    /// A zone comes into a state: `ZoneState(zone: "b", state: FullDisruption, count: 1)`
    ZoneState(ZoneSeen),
    /// Master disruption begins or ends: `MasterDisruption(state: Entered, at: "105s")`
    MasterDisruption(DisruptionSeen),
    /// Events are stored: `Event(reason: "TaintManagerEviction", workload: "web", count: "1..")`
    Event(EventSeen),
    /// The first of each comes in this order:
    /// `Order([Tainted(node: "b-00", taint: "unreachable:NoExecute"), Evicted(node: "b-00")])`
    Order(Vec<Expectation>),
    /// A figure is the limit or more at every moment: `AtLeast(of: available("web"), is: 8)`
    AtLeast(Limit),
    /// A figure is the limit or less at every moment, and above zero no longer than `longest` at a
    /// stretch: `AtMost(of: unavailable("db"), is: 1, longest: "8m")`;
    /// `AtMost(of: longest_gap("db"), is: "8m")`
    AtMost(Limit),
    /// A figure is the limit at every moment, or one of the whole run is:
    /// `Equal(of: evicted("db"), is: 0)`
    Equal(Limit),
    /// It holds at every moment:
    /// `Always(AnyOf([AtLeast(of: available("web"), is: 8), AtMost(of: timers("*"), is: 0)]))`
    Always(Claim),
    /// It holds at no moment, or a property is never violated: `Never(PodStuck)`
    Never(Claim),
    /// A property is violated, as it is where a release has a known defect: `Violates(PodStuck)`
    Violates(Claim),
    /// It holds at some moment:
    /// `Eventually(that: AtMost(of: unavailable("web"), is: 0), after: "cut b", within: "15m")`
    Eventually {
        /// What has to hold.
        that: Claim,
        /// Reckoned from this time; from the start of the run where not given.
        after: Option<TimeText>,
        /// No later than so long after that; by the end of the run where not given.
        within: Option<DurationText>,
    },
    /// It holds until something else does, which does come:
    /// `Until(that: AtMost(of: evicted("*"), is: 0), until: AtLeast(of: not_ready_nodes("b"), is: 12))`
    Until {
        /// What has to hold until then.
        that: Claim,
        /// What has to come.
        until: Claim,
        /// Reckoned from this time; from the start of the run where not given.
        after: Option<TimeText>,
    },
    /// Whenever the one comes, the other follows:
    /// `Whenever(that: Evicted(workload: "web"), then: Phase(workload: "web", phase: Running), each: Workload, within: "60s")`
    Whenever {
        /// What comes. How many and when is not said of it.
        that: Box<Expectation>,
        /// What follows. How many and when is not said of it.
        then: Box<Expectation>,
        /// Of what it follows; of the same pod or node where not given.
        #[serde(default, skip_serializing_if = "is_default")]
        each: Each,
        /// How soon after it; by the end of the run where not given.
        within: Option<DurationText>,
    },
    /// With `seeds`, it holds in so large a part of the runs:
    /// `Mostly(in_at_least: 0.95, that: Evicted(workload: "web", before: "14m"))`
    Mostly {
        /// The part of the runs, above 0 and at most 1.
        in_at_least: f64,
        /// What has to hold in them.
        that: Box<Expectation>,
    },
}
