//! Fault models: how things fail, where no timeline says when.

use super::cluster::NodeSelector;
use super::entry_words::Cut;
use super::spans::Distribution;
use crate::language::prelude::*;

/// How the cluster fails, beside what the timeline says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Faults {
    /// The kinds of faults.
    pub(crate) models: Vec<FaultModel>,
    /// What the provider does about machines that are away for long.
    pub(crate) repair: Option<Repair>,
}

/// One kind of fault: what fails, how often, and for how long.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultModel {
    /// Its name, of which the draws depend.
    pub(crate) name: String,
    /// Each of these nodes fails by itself.
    pub(crate) nodes: Option<NodeSelector>,
    /// Each of these groups of nodes fails as one.
    pub(crate) groups: Option<FaultGroups>,
    /// What happens.
    #[serde(rename = "do")]
    pub(crate) act: FaultAct,
    /// How often.
    pub(crate) rate: Option<FaultRate>,
    /// How long it runs between an outage and the next one, in place of a rate.
    pub(crate) up: Option<Distribution>,
    /// How long an outage lasts.
    pub(crate) lasts: Option<Distribution>,
    /// Which part of a group's nodes an outage takes, above 0 and at most 1; all where not given.
    pub(crate) hits: Option<f64>,
    /// The nodes of a group go down one by one, evenly drawn over this span; at once where not
    /// given.
    pub(crate) within: Option<DurationText>,
    /// Nodes of a group come back each after a time of its own, instead of all at one time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) apart: bool,
    /// Outages as they were recorded, in place of rates and distributions.
    pub(crate) trace: Option<FaultTrace>,
}

/// Groups of nodes that fail as one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum FaultGroups {
    /// The nodes of each zone.
    Zones,
    /// The nodes of each region.
    Regions,
    /// The nodes with the same value of this label: `ByLabel("rack")`.
    ByLabel(String),
    /// All nodes.
    Cluster,
}

/// What a fault does.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) enum FaultAct {
    /// Machines stop, and boot at the end.
    Crash,
    /// Nodes are cut off.
    Partition {
        /// Whom it cuts the nodes off from; everybody where not given.
        #[serde(default, skip_serializing_if = "is_default")]
        cut: Cut,
    },
    /// Nodes are drained, their machines are off for a while and boot.
    Maintain,
    /// A machine is taken back for good, and another one comes in its place.
    Reclaim {
        /// How long before it is told.
        notice: DurationText,
        /// Nobody drains it in that time.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unheeded: bool,
        /// How long until the next machine joins under its name.
        replaced: DurationText,
    },
}

/// How often something fails, on average. A year has 365 days.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum FaultRate {
    /// So many times a year, each node.
    PerNodeYear(f64),
    /// So many times a year, each group.
    PerGroupYear(f64),
}

/// Outages as they were recorded. Where no node of the file is called as one of the cluster, they
/// are dealt out. Each seed begins at another place of the file, and goes on at its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultTrace {
    /// The file; its path is relative to the scenario.
    pub(crate) file: String,
    /// Its form; told by its content where not given.
    pub(crate) format: Option<HistoryFormat>,
}

/// The form of a history of outages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum HistoryFormat {
    /// `node,start,end` with a heading; seconds or RFC 3339. A node without times never failed.
    Csv,
    /// A range of `kube_node_status_condition{condition="Ready"}`, as JSON, one or several.
    Prometheus,
    /// `event_trace.tab` of the Failure Trace Archive.
    Fta,
    /// Machine events of Google's cluster data, CSV of 2011 or JSON lines of 2019.
    Google,
    /// A state file of SimGrid.
    #[cfg_attr(feature = "cli", value(name = "simgrid"))]
    SimGrid,
}

/// What the provider does about machines that are away for long.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repair {
    /// How long a node is away before something is done.
    pub(crate) after: DurationText,
    /// What is done.
    #[serde(rename = "do")]
    pub(crate) act: RepairAct,
    /// How long that takes.
    pub(crate) takes: DurationText,
    /// Nothing is done while more than this part of all nodes is away.
    pub(crate) unless_share: Option<f64>,
}

/// How a machine is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum RepairAct {
    /// It is started again.
    Reboot,
    /// Its node is deleted, and another machine joins under its name.
    Replace,
}
