//! The objects of a run: those that exist from the start, and those that come later.

use super::settings::KubeletConfig;
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::device::Device;
use crate::api::labels::{LabelSelector, Labels, Selector};
use crate::api::meta::{ConditionStatus, Timestamp};
use crate::api::node::{NodeCondition, NodeConditionType};
use crate::api::pod::{Deletion, PodCondition, PodPhase, Stuck};
use crate::api::quantity::Resources;
use crate::api::readiness::{NodeReadiness, ReadinessSpec};
use crate::api::taint::Taint;
use crate::api::toleration::Toleration;
use crate::api::usage::NodeUsage;
use crate::api::workload::{WorkloadKind, WorkloadSpec};
use crate::kernel::Dur;
use std::rc::Rc;

/// Index into [`nodes`](super::Plan::nodes).
pub type NodeIndex = u32;

/// Index into [`pods`](super::Plan::pods).
pub type PodIndex = u32;

/// Index into [`workloads`](super::Plan::workloads).
pub type WorkloadIndex = u32;

/// Index into [`budgets`](super::Plan::budgets).
pub type BudgetIndex = u32;

/// A node.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Unique among nodes.
    pub name: String,
    /// Its labels, those of zone, region and host name included.
    pub labels: Rc<Labels>,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// Cordoned from the start.
    pub unschedulable: bool,
    /// Its allocatable resources.
    pub allocatable: Rc<Resources>,
    /// `Imitated` kubelets: when the lease is first renewed, and the period from then on; a zero
    /// offset is one period.
    pub lease_offset: Dur,
    /// The period of lease renewals.
    pub lease_period: Dur,
    /// `Imitated` kubelets: when the status is first checked.
    pub status_offset: Dur,
    /// The configuration of its kubelet, where that is not the cluster's.
    pub kubelet: Option<Rc<KubeletConfig>>,
    /// What it uses itself beside its pods, where that is said.
    pub usage: Option<Rc<NodeUsage>>,
    /// The images that it has from the start, beside those of pods that run on it.
    pub images: Rc<[Rc<str>]>,
    /// Its devices.
    pub devices: Rc<[Device]>,
    /// What agents have posted of it from the start.
    pub readiness: Option<Rc<NodeReadiness>>,
    /// The readiness rules whose bootstrap is completed there from the start.
    pub bootstrap_completed: Rc<[String]>,
    /// How it starts.
    pub start: NodeStart,
}

/// How a node starts.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeStart {
    /// Ready, with heartbeat and lease at time zero.
    Ready,
    /// Without conditions, lease and kubelet.
    Silent,
    /// It joins later, or was deleted before the start.
    Absent,
    /// As an export shows it.
    Imported {
        /// Its conditions as exported.
        conditions: Vec<NodeCondition>,
        /// The lease's renewTime in microseconds from the start.
        lease_renewed_us: Option<i64>,
        /// When it was created, where that is before the start and matters.
        created: Option<Timestamp>,
        /// The kubelet does not reach the API server at the start.
        cut: bool,
    },
}

impl NodeStart {
    /// What its Ready condition says at the start, if it has one.
    pub(crate) fn ready(&self) -> Option<ConditionStatus> {
        match self {
            Self::Ready => Some(ConditionStatus::True),
            Self::Silent | Self::Absent => None,
            Self::Imported { conditions, .. } => {
                let mut all = conditions.iter();
                let ready = all.find(|c| c.kind == NodeConditionType::Ready);
                ready.map(|c| c.status)
            }
        }
    }
}

/// A pod.
#[derive(Clone, Debug)]
pub struct PodPlan {
    /// Its namespace and name, `default/web-0`.
    pub name: Box<str>,
    /// Index into [`templates`](super::Plan::templates).
    pub template: u32,
    /// The node it is bound to, index into [`nodes`](super::Plan::nodes).
    pub node: Option<NodeIndex>,
    /// How it starts.
    pub start: PodStart,
    /// The names of the devices that it has from the start, one claim after the other; where not given the first
    /// that are free.
    pub devices: Option<Rc<[String]>>,
    /// How often its containers were started again before, if they run from the start.
    pub restarts: u32,
    /// What keeps it as it is.
    pub stuck: Option<Stuck>,
}

/// How a pod starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PodStart {
    /// Pending; its kubelet starts it.
    Pending,
    /// Pending; its kubelet is at it.
    Starting(Begun),
    /// Running and Ready.
    Running,
    /// It is created later.
    Absent,
    /// As an export shows it.
    Imported {
        /// `status.phase`
        phase: PodPhase,
        /// The condition Ready.
        ready: Option<PodCondition>,
        /// The condition DisruptionTarget.
        disruption_target: Option<PodCondition>,
        /// It was being deleted.
        deletion: Option<Deletion>,
    },
}

/// How far the start of a pod is, whose volumes are attached and mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Begun {
    /// How much of it is over, while none of its containers was started.
    pub waited: Dur,
    /// The place of the container that is started next, or runs, in the order in which they start.
    pub turn: Option<usize>,
    /// For how long that one has run, if it does.
    pub ran: Option<Dur>,
}

impl PodStart {
    /// Its phase at the start, if it is there.
    pub(crate) fn phase(&self) -> Option<PodPhase> {
        match self {
            Self::Pending | Self::Starting(_) => Some(PodPhase::Pending),
            Self::Running => Some(PodPhase::Running),
            Self::Absent => None,
            Self::Imported { phase, .. } => Some(*phase),
        }
    }

    /// Whether it is there and has not ended.
    pub fn runs(&self) -> bool {
        self.phase().is_some_and(|phase| !phase.is_terminal())
    }

    /// Whether it is Ready at the start.
    pub(crate) fn is_ready(&self) -> bool {
        match self {
            Self::Running => true,
            Self::Imported { ready, .. } => {
                ready.is_some_and(|r| r.status == ConditionStatus::True)
            }
            Self::Pending | Self::Starting(_) | Self::Absent => false,
        }
    }

    /// Whether it is being deleted at the start.
    pub(crate) fn is_deleting(&self) -> bool {
        matches!(self, Self::Imported { deletion: Some(_), .. })
    }
}

/// The node readiness controller and its rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readiness {
    /// Rules that exist from the start.
    pub rules: Vec<Rc<ReadinessSpec>>,
    /// It is one before 0.5.0, in which the completion of a bootstrap and its taint do not exclude each other
    /// (node-readiness-controller#382).
    pub before_0_5: bool,
}

/// A workload that a user made.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    /// `Kind/namespace/name`
    pub name: String,
    /// Which controller it belongs to.
    pub kind: WorkloadKind,
    /// The workload that owns it, index into [`workloads`](super::Plan::workloads): the Deployment
    /// of an imported ReplicaSet.
    pub owner: Option<WorkloadIndex>,
    /// `spec.selector`
    pub selector: Rc<LabelSelector>,
    /// `spec.template`, index into [`templates`](super::Plan::templates).
    pub template: u32,
    /// The node the template names, index into [`nodes`](super::Plan::nodes).
    pub node: Option<NodeIndex>,
    /// `spec.minReadySeconds`
    pub min_ready_seconds: i32,
    /// How many of its pods have to be up for it to do its work, where the scenario says so.
    pub needs: Option<IntOrPercent>,
    /// The rest of its spec.
    pub spec: WorkloadSpec,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug)]
pub struct BudgetPlan {
    /// `PodDisruptionBudget/namespace/name`
    pub name: String,
    /// `spec.selector`
    pub selector: Selector,
    /// What it asks for.
    pub rule: BudgetRule,
    /// `spec.unhealthyPodEvictionPolicy` is `AlwaysAllow`.
    pub always_allow_unhealthy: bool,
}

/// What the annotations of a namespace say of its pods' tolerations; an annotation without a value
/// is an empty list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceTolerations {
    /// `scheduler.alpha.kubernetes.io/defaultTolerations`
    pub defaults: Option<Vec<Toleration>>,
    /// `scheduler.alpha.kubernetes.io/tolerationsWhitelist`; an empty one lets everything in.
    pub whitelist: Option<Vec<Toleration>>,
}
