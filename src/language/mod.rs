//! The scenario language: the types of a scenario file, field by field, exactly as they are
//! written; its text ([`text`]); and how single values in it are read: durations, names with
//! ranges, flags of components.
//!
//! Fields of Kubernetes objects have Kubernetes' own names (`terminationGracePeriodSeconds`);
//! fields of the language itself are in snake case. Texts with a syntax of their own (durations,
//! quantities, taints, names with ranges) are kept as written; [`crate::scenario`] reads them, so
//! that all mistakes of a file are reported at once.

mod api_client;
mod claims;
mod cluster;
pub(crate) mod complaints;
mod devices;
pub mod duration;
mod entry_words;
pub(crate) mod eviction;
mod expect;
mod faults;
mod flag_values;
pub(crate) mod flags;
mod image;
mod maintain;
mod memory;
pub mod names;
mod numbers;
pub(crate) mod plugins;
mod prelude;
pub(crate) mod prices;
mod probes;
mod readiness;
mod scenario;
mod scheduling;
mod shape;
mod spans;
pub mod text;
mod texts;
mod timeline;
mod timing;
mod toleration;
pub(crate) mod values;
mod volumes;
mod workload;

pub use api_client::ApiClient;
pub(crate) use claims::{Claim, Comparison, Limit, Quantity};
pub(crate) use cluster::{
    Condition, ConditionKind, Deletion, Namespace, NodeGroup, NodeSelector, NodeStart, Owner,
    Placement, PodCondition, PodGroup, PodReason, PodSelector, PodStart,
};
pub(crate) use complaints::{Complaints, Spot};
pub use devices::DeviceTaintRule;
pub use devices::ResourceClaim;
pub(crate) use devices::{DeviceClaim, NodeDevices};
pub use entry_words::{Cut, RestartKind};
pub use expect::Each;
pub(crate) use expect::{Common, DisruptionState, Expectation, Pending, ZoneState};
pub(crate) use faults::{
    FaultAct, FaultGroups, FaultModel, FaultRate, Faults, HistoryFormat, Repair, RepairAct,
};
pub use flags::known as known_flags;
pub(crate) use image::{Image, PullPolicy};
pub(crate) use maintain::{Afterwards, DrainFlags};
pub(crate) use memory::{Counted, Failures, Memory, Waiting};
pub(crate) use numbers::counted;
pub use numbers::grouped;
pub use plugins::PLUGINS;
pub(crate) use prices::Prices;
pub(crate) use probes::{Ends, Probe};
pub use readiness::NodeReadinessRule;
pub(crate) use readiness::{ConditionPolicy, ConditionRequirement, EnforcementMode};
pub(crate) use scenario::{Cluster, Existing, Exported, Flags, object_text_of_number};
pub use scenario::{Deviation, Entry, Scenario, Tape};
pub(crate) use scheduling::{
    Affinity, EveryNamespace, HostPort, InclusionPolicy, NodeAffinity, NodeOperator,
    NodeRequirement, NodeTerm, NodeTerms, PodAffinity, PodAffinityTerm, PreemptionPolicy,
    PreferredNodes, Protocol, SchedulerConfiguration, SchedulingGate, TopologySpreadConstraint,
    WeightedPods, WhenUnsatisfiable,
};
pub use shape::{Kind, Shape, schema};
pub use spans::{Distribution, HowLong};
pub(crate) use text::place::{Place, at};
pub use text::{Problem, Problems, Source};
pub(crate) use text::{Tree, did_you_mean, did_you_mean_or_list};
pub(crate) use texts::Window;
pub use texts::{DelayText, DurationText, FlagValue, OneOrMany, QuantityText, TimeText, UsageText};
pub use timeline::Step;
pub(crate) use timing::{AttacherTiming, ClientLimit};
pub use timing::{ClientLimits, KubeletTiming, Timing};
pub(crate) use toleration::Toleration;
pub(crate) use volumes::{Reach, VolumeClaim};
pub(crate) use workload::{
    Controllers, Ordinals, PodConditionKind, PodDisruptionBudget, PodFailurePolicy,
    PodFailurePolicyOnPodConditions, PodFailurePolicyRule, PodManagementPolicy, PodTemplate,
    PriorityClass, UnhealthyPodEvictionPolicy, Workload, WorkloadGroup,
};
