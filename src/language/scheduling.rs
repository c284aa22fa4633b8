//! What few pods say about where they may be placed, with the fields of the Kubernetes API.

use super::labels::LabelSelector;
use serde::{Deserialize, Serialize};

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// `v1.Affinity`
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct Affinity {
    /// Which nodes.
    #[serde(rename = "nodeAffinity", skip_serializing_if = "is_default")]
    pub node_affinity: NodeAffinity,
    /// Beside which pods.
    #[serde(rename = "podAffinity", skip_serializing_if = "is_default")]
    pub pod_affinity: PodAffinity,
    /// Away from which pods.
    #[serde(rename = "podAntiAffinity", skip_serializing_if = "is_default")]
    pub pod_anti_affinity: PodAffinity,
}

/// `v1.NodeAffinity`
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct NodeAffinity {
    /// One of its terms must match.
    #[serde(
        rename = "requiredDuringSchedulingIgnoredDuringExecution",
        skip_serializing_if = "Option::is_none"
    )]
    pub required: Option<NodeTerms>,
    /// Terms that should match.
    #[serde(
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub preferred: Vec<PreferredNodes>,
}

/// `v1.NodeSelector`
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct NodeTerms {
    /// One of them must match.
    #[serde(rename = "nodeSelectorTerms")]
    pub terms: Vec<NodeTerm>,
}

/// `v1.PreferredSchedulingTerm`
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct PreferredNodes {
    /// 1 to 100.
    pub weight: i32,
    /// The term.
    pub preference: NodeTerm,
}

/// `v1.NodeSelectorTerm`: all of it must match.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct NodeTerm {
    /// Conditions on labels.
    #[serde(rename = "matchExpressions", skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<NodeRequirement>,
    /// Conditions on `metadata.name`.
    #[serde(rename = "matchFields", skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<NodeRequirement>,
}

/// `v1.NodeSelectorRequirement`
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct NodeRequirement {
    /// The label, or `metadata.name`.
    pub key: String,
    /// How it is compared.
    pub operator: NodeOperator,
    /// The values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// `v1.NodeSelectorOperator`
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
pub enum NodeOperator {
    /// One of the values.
    In,
    /// None of the values.
    NotIn,
    /// There is such a label.
    Exists,
    /// There is no such label.
    DoesNotExist,
    /// The label is an integer above the value.
    Gt,
    /// The label is an integer below the value.
    Lt,
}

/// `v1.PodAffinity` and `v1.PodAntiAffinity`
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct PodAffinity {
    /// Terms that must hold.
    #[serde(
        rename = "requiredDuringSchedulingIgnoredDuringExecution",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub required: Vec<PodAffinityTerm>,
    /// Terms that should hold.
    #[serde(
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub preferred: Vec<WeightedPods>,
}

/// `v1.WeightedPodAffinityTerm`
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct WeightedPods {
    /// 1 to 100.
    pub weight: i32,
    /// The term.
    #[serde(rename = "podAffinityTerm")]
    pub term: PodAffinityTerm,
}

/// `v1.PodAffinityTerm`
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct PodAffinityTerm {
    /// Which pods; none where not given.
    #[serde(default, rename = "labelSelector", skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Their namespaces; the pod's own where not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// `()` is every namespace.
    #[serde(default, rename = "namespaceSelector", skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<EveryNamespace>,
    /// The node label that says which nodes are together.
    #[serde(rename = "topologyKey")]
    pub topology_key: String,
}

/// An empty selector: every namespace.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct EveryNamespace {}

/// `v1.TopologySpreadConstraint`
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct TopologySpreadConstraint {
    /// How uneven it may be.
    #[serde(rename = "maxSkew")]
    pub max_skew: i32,
    /// The node label that says which nodes are together.
    #[serde(rename = "topologyKey")]
    pub topology_key: String,
    /// Whether it must hold.
    #[serde(rename = "whenUnsatisfiable")]
    pub when_unsatisfiable: WhenUnsatisfiable,
    /// Which pods are counted; none where not given.
    #[serde(default, rename = "labelSelector", skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// With fewer domains than this the least count is zero.
    #[serde(default, rename = "minDomains", skip_serializing_if = "Option::is_none")]
    pub min_domains: Option<i32>,
    /// Whether node selector and node affinity say which nodes count; `Honor` where not given.
    #[serde(default, rename = "nodeAffinityPolicy", skip_serializing_if = "Option::is_none")]
    pub node_affinity_policy: Option<InclusionPolicy>,
    /// Whether taints say which nodes count; `Ignore` where not given.
    #[serde(default, rename = "nodeTaintsPolicy", skip_serializing_if = "Option::is_none")]
    pub node_taints_policy: Option<InclusionPolicy>,
    /// The pod's own values of these labels are added to the selector.
    #[serde(default, rename = "matchLabelKeys", skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
}

/// `whenUnsatisfiable`
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
pub enum WhenUnsatisfiable {
    /// The pod waits.
    DoNotSchedule,
    /// It only counts in the score.
    ScheduleAnyway,
}

/// `nodeAffinityPolicy`, `nodeTaintsPolicy`
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
pub enum InclusionPolicy {
    /// Nodes that do not suit do not count.
    Honor,
    /// All nodes count.
    Ignore,
}

/// A port of the node that a container takes (`v1.ContainerPort`).
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct HostPort {
    /// The port.
    #[serde(rename = "hostPort")]
    pub host_port: u16,
    /// `TCP` where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// The address; all of them where not given.
    #[serde(default, rename = "hostIP", skip_serializing_if = "String::is_empty")]
    pub host_ip: String,
}

/// `v1.Protocol`
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[expect(clippy::upper_case_acronyms, reason = "the API spells them so")]
pub enum Protocol {
    /// TCP
    TCP,
    /// UDP
    UDP,
    /// SCTP
    SCTP,
}

/// `v1.PodSchedulingGate`
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct SchedulingGate {
    /// Its name.
    pub name: String,
}

/// `spec.preemptionPolicy`
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
pub enum PreemptionPolicy {
    /// It makes pods of lower priority leave.
    PreemptLowerPriority,
    /// It waits.
    Never,
}

/// What of `KubeSchedulerConfiguration` may be set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SchedulerConfiguration {
    /// `percentageOfNodesToScore`; where not given, it depends on the size of the cluster.
    #[serde(rename = "percentageOfNodesToScore", skip_serializing_if = "Option::is_none")]
    pub percentage_of_nodes_to_score: Option<u32>,
    /// `scoringStrategy.type` of the plugin NodeResourcesFit.
    #[serde(rename = "scoringStrategy", skip_serializing_if = "Option::is_none")]
    pub scoring_strategy: Option<ScoringStrategy>,
    /// The plugin DefaultPreemption is on, which it is where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption: Option<bool>,
}

impl SchedulerConfiguration {
    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        is_default(self)
    }
}

/// Which nodes are liked better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
pub enum ScoringStrategy {
    /// Emptier ones.
    LeastAllocated,
    /// Fuller ones.
    MostAllocated,
}
