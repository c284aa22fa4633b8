//! A whole scenario file, with the tape in it: the choices in which its run deviates from the default
//! order.

use super::cluster::{Namespace, NodeGroup, PodGroup};
use super::devices::{DeviceTaintRule, ResourceClaim};
use super::expect::Expectation;
use super::faults::Faults;
use super::memory::Memory;
use super::prices::Prices;
use super::readiness::NodeReadinessRule;
use super::scheduling::SchedulerConfiguration;
use super::timeline::Step;
use super::timing::Timing;
use super::workload::{Controllers, PodDisruptionBudget, PriorityClass, Workload};
use crate::language::prelude::*;

/// A whole scenario file: `Scenario(version: 1, horizon: "30m", …)`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["version", "horizon"]))]
pub struct Scenario {
    /// The version of the language; 1 is the only one. A file without one is refused.
    #[schemars(required, extend("const" = 1))]
    pub(crate) version: Option<u32>,
    /// What the scenario is about, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// When the run begins by the clock on the wall, as the API writes times:
    /// `"2026-11-20T04:41:17Z"`. `explain` then says when things happened by that clock.
    pub(crate) begins: Option<String>,
    /// What a person should know beside every figure: `taintsim import` writes what an export has and a
    /// run has not, `["Not simulated: 2 HorizontalPodAutoscalers, which the export has."]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    /// The release whose behaviour is simulated: `"1.32"` is the last patch of a minor, `"1.20.2"`
    /// a patch, `"1.38-alpha"` the pre-release of the minor to come.
    pub kubernetes: Option<String>,
    /// The end of the run. A file without one is refused.
    #[serde(default)]
    pub(crate) horizon: DurationText,
    /// Delays and limits; `Typical` where none is given.
    pub timing: Option<Timing>,
    /// The seed of the random draws; 1 where none is given.
    pub seed: Option<u64>,
    /// Kubernetes feature gates that differ from the release's default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub feature_gates: BTreeMap<String, bool>,
    /// Command-line flags of the components that differ from the release's default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flags: Flags,
    /// When the controllers' process starts; at once where not given.
    pub(crate) controllers_start: Option<DurationText>,
    /// What the controllers remember of the time before the run: `taintsim import` writes it.
    pub(crate) memory: Option<Memory>,
    /// Which controllers run beside those of node failure handling; `Restarted` has all of them
    /// start anew with the run, so that timers of an exported cluster begin again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) controllers: Controllers,
    /// The scheduler's configuration.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) scheduler: SchedulerConfiguration,
    /// A file whose nodes, workloads and pods come behind those written here.
    pub(crate) cluster: Option<Cluster>,
    /// What becomes of pods that exist, those of `cluster` and of `pods`, where `--set` changes the
    /// template of their workload, or a flag the default tolerations; `Rollout` where not given.
    pub(crate) existing: Option<Existing>,
    /// Groups of nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) nodes: Vec<NodeGroup>,
    /// Groups of pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<PodGroup>,
    /// Priorities by name, beside Kubernetes' own two.
    #[serde(default, rename = "priorityClasses", skip_serializing_if = "Vec::is_empty")]
    pub(crate) priority_classes: Vec<PriorityClass>,
    /// How many pods an eviction may take away.
    #[serde(default, rename = "podDisruptionBudgets", skip_serializing_if = "Vec::is_empty")]
    pub(crate) pod_disruption_budgets: Vec<PodDisruptionBudget>,
    /// What namespaces say of the tolerations of their pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) namespaces: Vec<Namespace>,
    /// Claims on devices that exist by themselves, and that pods name and may share.
    #[serde(default, rename = "resourceClaims", skip_serializing_if = "Vec::is_empty")]
    pub(crate) resource_claims: Vec<ResourceClaim>,
    /// Rules that taint devices from the start.
    #[serde(default, rename = "deviceTaintRules", skip_serializing_if = "Vec::is_empty")]
    pub(crate) device_taint_rules: Vec<DeviceTaintRule>,
    /// Rules of the node readiness controller, which runs where a scenario has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) node_readiness_rules: Vec<NodeReadinessRule>,
    /// The version of the node readiness controller: `"0.5.0"`, or `"0.4.1"`, in which the completion of a bootstrap
    /// and its taint do not exclude each other (node-readiness-controller#382); 0.5.0 where not given.
    pub(crate) node_readiness_controller: Option<String>,
    /// What pods are made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) workloads: Vec<Workload>,
    /// How many pods workloads need, by their names, beside what these say themselves: for those
    /// that come from a file. A number, or a share of what they ask for, `"80%"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) needs: BTreeMap<String, FlagValue>,
    /// What goes wrong, and what people do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<Entry>,
    /// How things fail, where no timeline says when: drawn by the seed.
    pub(crate) faults: Option<Faults>,
    /// What figures of a year are worth, for `taintsim plan`.
    pub(crate) prices: Option<Prices>,
    /// Whether each renewal of a lease is among the records, as `lease-renewed`: some thousand a day
    /// of each node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lease_records: bool,
    /// The choices of a run, where they are not the default ones.
    pub tape: Option<Tape>,
    /// What the run must come to, for `taintsim test`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
    /// How many seeds `taintsim test` runs the scenario with: `seed` and those after it; 1 where
    /// not given.
    pub(crate) seeds: Option<u32>,
    /// A file that holds the timeline that the run must have; its path is relative to the scenario.
    /// `taintsim test --update` writes it. `{release}` in its name is the release that is run, for
    /// a file for each of several releases.
    pub(crate) golden: Option<String>,
    /// Settings that the expectations guard, each with a value that must break one of them, as
    /// after `--set`: `"flags.kube-controller-manager.node-monitor-grace-period=60s"`.
    /// `taintsim test --guards` tries them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) guards: Vec<String>,
}

/// Something that happens at a time, once or several times.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When: `"10m"`, or relative to a named entry, `"cut b + 50s"`, `"end of cut b + 5s"`.
    pub at: TimeText,
    /// A name that others can refer to.
    pub(crate) name: Option<String>,
    /// What happens.
    #[serde(rename = "do")]
    pub step: Step,
    /// It happens again this long after each beginning; with `times`.
    pub(crate) every: Option<DurationText>,
    /// How often it happens in all; with `every`.
    pub(crate) times: Option<u32>,
}

/// What becomes of pods that exist where a setting says something else of new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum Existing {
    /// They are changed as a rollout would have done: each as if made anew from its template, and
    /// admitted under the flags.
    #[serde(alias = "rollout")]
    Rollout,
    /// They stay as they are; only pods that come later are made from what is set.
    #[serde(alias = "keep")]
    Keep,
}

/// Where nodes and pods come from, apart from the scenario itself.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) enum Cluster {
    /// A file with what `kubectl get nodes,pods,… -A -o yaml` or `-o json` printed; its path is
    /// relative to the scenario.
    From(String),
}

/// Flags by component, under the names they have on the command line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = {
    "^kube-(apiserver|controller-manager)$":
        { "type": "object", "additionalProperties": { "$ref": "#/$defs/FlagValue" } }
}))]
pub struct Flags {
    /// kube-controller-manager
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kube_controller_manager: BTreeMap<String, FlagValue>,
    /// kube-apiserver
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kube_apiserver: BTreeMap<String, FlagValue>,
    /// kubelet, of every node whose group has none of that name; also `node-lease-duration-seconds`, a
    /// field of its configuration file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kubelet: BTreeMap<String, FlagValue>,
}

impl Flags {
    /// Those of a component, which is named as its field.
    pub(crate) fn component(&self, name: &str) -> &BTreeMap<String, FlagValue> {
        match name {
            "kube_controller_manager" => &self.kube_controller_manager,
            "kube_apiserver" => &self.kube_apiserver,
            _ => &self.kubelet,
        }
    }

    /// The same, to be changed.
    pub(crate) fn component_mut(&mut self, name: &str) -> &mut BTreeMap<String, FlagValue> {
        match name {
            "kube_controller_manager" => &mut self.kube_controller_manager,
            "kube_apiserver" => &mut self.kube_apiserver,
            _ => &mut self.kubelet,
        }
    }
}

/// What an export says beside its objects, and where they begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exported {
    /// Its release, where the scenario says none and that is taken.
    pub(crate) release: Option<String>,
    /// Flags of the control plane, read from its pods.
    pub(crate) flags: Flags,
    /// Its feature gates.
    pub(crate) feature_gates: BTreeMap<String, bool>,
    /// How many pod groups the scenario writes itself; those behind them are the export's.
    pub(crate) own_pods: usize,
    /// The same of node groups.
    pub(crate) own_nodes: usize,
}

/// The choices of a run: `tape: (choices: 1, deviations: [("next", "eviction:default/db-0", 0,
/// 1)])`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tape {
    /// The number of the choice format that it was written in.
    pub choices: u32,
    /// The release that it was found on, `1.34.4`, and is a tape of; one without is tried on
    /// whatever release the scenario runs as.
    pub release: Option<String>,
    /// Which kinds of trouble are left to the choices: `stale`, `crash`, `coalesce`, `request`, and of
    /// one alone `request of taint-eviction`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perturb: Vec<String>,
    /// The property that the run violates.
    pub property: Option<String>,
    /// The deviations from the default order.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
}

/// An object without a name as a tape writes it.
#[must_use]
pub(crate) fn object_text_of_number(number: u64) -> String {
    match number {
        0 => String::new(),
        1..=0xffff => format!("#{number}"),
        _ => format!("{number:#018x}"),
    }
}

/// Point, object, ordinal, value: the how many-th choice for the object at the point, from 0, and
/// what to choose.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Deviation(pub String, pub String, pub u32, pub u64);
