//! What few pods say about where they may be placed, with the fields of the Kubernetes API.

use crate::api::labels::{self, LabelSelector};
use crate::api::taint::Effect;
use crate::api::toleration::{self, Operator};
use crate::api::words::rows;
use crate::language::prelude::*;
use crate::plan::Strategy;

/// `v1.Affinity`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct Affinity {
    /// Which nodes.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) node_affinity: NodeAffinity,
    /// Beside which pods.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) pod_affinity: PodAffinity,
    /// Away from which pods.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) pod_anti_affinity: PodAffinity,
}

/// `v1.NodeAffinity`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeAffinity {
    /// One of its terms must match.
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub(crate) required: Option<NodeTerms>,
    /// Terms that should match.
    #[serde(default, rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) preferred: Vec<PreferredNodes>,
}

/// `v1.NodeSelector`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeTerms {
    /// One of them must match.
    #[serde(rename = "nodeSelectorTerms")]
    pub(crate) terms: Vec<NodeTerm>,
}

/// `v1.PreferredSchedulingTerm`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreferredNodes {
    /// 1 to 100.
    pub(crate) weight: i32,
    /// The term.
    pub(crate) preference: NodeTerm,
}

/// `v1.NodeSelectorTerm`: all of it must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct NodeTerm {
    /// Conditions on labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) match_expressions: Vec<NodeRequirement>,
    /// Conditions on `metadata.name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) match_fields: Vec<NodeRequirement>,
}

/// `v1.NodeSelectorRequirement`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeRequirement {
    /// The label, or `metadata.name`.
    pub(crate) key: String,
    /// How it is compared.
    pub(crate) operator: NodeOperator,
    /// The values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<String>,
}

rows! {
    /// `v1.NodeSelectorOperator`
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
    pub(crate) enum NodeOperator {
        /// One of the values.
        In = labels::Operator::In,
        /// None of the values.
        NotIn = labels::Operator::NotIn,
        /// There is such a label.
        Exists = labels::Operator::Exists,
        /// There is no such label.
        DoesNotExist = labels::Operator::DoesNotExist,
        /// The label is an integer above the value.
        Gt = labels::Operator::GreaterThan,
        /// The label is an integer below the value.
        Lt = labels::Operator::LessThan,
    }

    /// The same among those of labels.
    pub(crate) fn of_labels -> labels::Operator;
}

/// `v1.PodAffinity` and `v1.PodAntiAffinity`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PodAffinity {
    /// Terms that must hold.
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<PodAffinityTerm>,
    /// Terms that should hold.
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preferred: Vec<WeightedPods>,
}

/// `v1.WeightedPodAffinityTerm`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightedPods {
    /// 1 to 100.
    pub(crate) weight: i32,
    /// The term.
    #[serde(rename = "podAffinityTerm")]
    pub(crate) term: PodAffinityTerm,
}

/// `v1.PodAffinityTerm`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PodAffinityTerm {
    /// Which pods; none where not given.
    pub(crate) label_selector: Option<LabelSelector>,
    /// Their namespaces; the pod's own where not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// `()` is every namespace.
    pub(crate) namespace_selector: Option<EveryNamespace>,
    /// The node label that says which nodes are together.
    pub topology_key: String,
}

/// An empty selector: every namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EveryNamespace {}

/// `v1.TopologySpreadConstraint`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct TopologySpreadConstraint {
    /// How uneven it may be.
    pub max_skew: i32,
    /// The node label that says which nodes are together.
    pub topology_key: String,
    /// Whether it must hold.
    pub(crate) when_unsatisfiable: WhenUnsatisfiable,
    /// Which pods are counted; none where not given.
    pub(crate) label_selector: Option<LabelSelector>,
    /// With fewer domains than this the least count is zero.
    pub min_domains: Option<i32>,
    /// Whether node selector and node affinity say which nodes count; `Honor` where not given.
    pub(crate) node_affinity_policy: Option<InclusionPolicy>,
    /// Whether taints say which nodes count; `Ignore` where not given.
    pub(crate) node_taints_policy: Option<InclusionPolicy>,
    /// The pod's own values of these labels are added to the selector.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
}

/// `whenUnsatisfiable`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum WhenUnsatisfiable {
    /// The pod waits.
    DoNotSchedule,
    /// It only counts in the score.
    ScheduleAnyway,
}

/// `nodeAffinityPolicy`, `nodeTaintsPolicy`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum InclusionPolicy {
    /// Nodes that do not suit do not count.
    Honor,
    /// All nodes count.
    Ignore,
}

/// A port of the node that a container takes (`v1.ContainerPort`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct HostPort {
    /// The port.
    pub(crate) host_port: u16,
    /// `TCP` where not given.
    pub protocol: Option<Protocol>,
    /// The address; all of them where not given.
    #[serde(default, rename = "hostIP", skip_serializing_if = "String::is_empty")]
    pub host_ip: String,
}

/// `v1.Protocol`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[expect(clippy::upper_case_acronyms, reason = "the API spells them so")]
pub(crate) enum Protocol {
    /// TCP
    TCP,
    /// UDP
    UDP,
    /// SCTP
    SCTP,
}

/// `v1.PodSchedulingGate`
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchedulingGate {
    /// Its name.
    pub(crate) name: String,
}

/// `spec.preemptionPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
pub(crate) enum PreemptionPolicy {
    /// It makes pods of lower priority leave.
    PreemptLowerPriority,
    /// It waits.
    Never,
}

/// What of `KubeSchedulerConfiguration` may be set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SchedulerConfiguration {
    /// `percentageOfNodesToScore`; where not given, it depends on the size of the cluster.
    pub(crate) percentage_of_nodes_to_score: Option<u32>,
    /// `scoringStrategy.type` of the plugin NodeResourcesFit.
    pub(crate) scoring_strategy: Option<Strategy>,
    /// The plugin DefaultPreemption is on, which it is where not given.
    pub(crate) preemption: Option<bool>,
}

/// A toleration as in the Kubernetes API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Toleration {
    /// The taint's key; none with `Exists` tolerates everything.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// How values are compared; `Equal` where not given.
    pub operator: Option<Operator>,
    /// The value to compare with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The taint's effect; every effect where not given.
    pub effect: Option<Effect>,
    /// How long a NoExecute taint is tolerated; for ever where not given.
    pub toleration_seconds: Option<i64>,
}

impl Toleration {
    /// As the API has it.
    pub(crate) fn of_api(&self) -> toleration::Toleration {
        toleration::Toleration {
            key: self.key.clone(),
            operator: self.operator.unwrap_or_default(),
            value: self.value.clone(),
            effect: self.effect,
            toleration_seconds: self.toleration_seconds,
        }
    }
}
