//! A line of `events.jsonl`, and what its fields say by themselves.

use crate::api::meta::ConditionStatus;
use crate::api::names::{Names, NodeId, PodId};
use crate::trace::RecordId;
use serde::Deserialize;

/// A line as it was written; see [`Fields`](crate::trace::Fields).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    pub(super) id: RecordId,
    pub(super) t_ns: u64,
    pub(super) actor: String,
    pub(super) what: String,
    pub(super) node: Option<String>,
    pub(super) pod: Option<String>,
    pub(super) object: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) value: Option<bool>,
    pub(super) seconds: Option<u32>,
    pub(super) grace: Option<u32>,
    pub(super) millis: Option<u32>,
    pub(super) count: Option<u32>,
    pub(super) replicas: Option<i32>,
    #[serde(default)]
    pub(super) added: Vec<String>,
    #[serde(default)]
    pub(super) removed: Vec<String>,
    pub(super) budget: Option<Stand>,
    #[serde(default)]
    pub(super) left: Vec<String>,
    #[serde(default)]
    pub(super) filters: Vec<Filter>,
    #[serde(rename = "entry")]
    _entry: Option<String>,
    pub(super) entry_index: Option<u32>,
    pub(super) cause: Option<RecordId>,
    pub(super) saw: Option<RecordId>,
}

/// A disruption budget; see [`Stand`](crate::trace::Stand).
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Stand {
    pub(super) name: String,
    pub(super) rule: String,
    pub(super) amount: String,
    pub(super) expected_pods: i32,
    pub(super) desired_healthy: i32,
    pub(super) current_healthy: i32,
    pub(super) disruptions_allowed: i32,
}

/// A filter that rejected nodes, or the pod; see [`Told`](crate::trace::Told).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    pub(super) plugin: String,
    pub(super) reason: String,
    #[serde(rename = "count")]
    _count: usize,
    pub(super) nodes: Vec<String>,
}

impl Line {
    /// The number of its node.
    pub(super) fn node(&self, names: &Names) -> Result<u32, String> {
        node_of(names, self.node.as_deref()).map(|n| n.0)
    }

    /// The number of its pod.
    pub(super) fn pod(&self, names: &Names) -> Result<u32, String> {
        pod_of(names, self.pod.as_deref()).map(|p| p.0)
    }

    /// The number of the workload or budget that it is about.
    pub(super) fn workload(&self, names: &Names) -> Result<u32, String> {
        let name = self.object.as_deref().ok_or("`object` is missing")?;
        names
            .find_workload(name)
            .map(|w| w.0)
            .ok_or_else(|| format!("`{name}` is no name of this run"))
    }

    /// The number of its zone.
    pub(super) fn zone(&self, names: &Names) -> Result<u32, String> {
        // `region:\0:zone`, written without the zero byte; neither part can hold a colon.
        let zone = self.object.as_deref().unwrap_or("").replacen("::", ":\0:", 1);
        text_of(names, &zone)
    }

    /// The number of its message.
    pub(super) fn words(&self, names: &Names) -> Result<u32, String> {
        text_of(names, self.message.as_deref().unwrap_or(""))
    }

    /// The place of its entry in the timeline.
    pub(super) fn entry(&self) -> Result<u32, String> {
        self.entry_index.ok_or_else(|| "`entry_index` is missing".to_owned())
    }

    /// The status of its condition.
    pub(super) fn condition(&self) -> Result<ConditionStatus, String> {
        find(CONDITION, ConditionStatus::as_str, "status", self.status.as_deref())
    }

    /// The value that its `type` names.
    pub(super) fn kind<T: Copy, const N: usize>(
        &self,
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> Result<T, String> {
        find(all, word, "type", self.kind.as_deref())
    }

    /// The value that its `status` names.
    pub(super) fn status<T: Copy, const N: usize>(
        &self,
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> Result<T, String> {
        find(all, word, "status", self.status.as_deref())
    }

    /// The value that its `reason` names; one that is missing is the empty word.
    pub(super) fn reason<T: Copy, const N: usize>(
        &self,
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> Result<T, String> {
        let reason = Some(self.reason.as_deref().unwrap_or(""));
        find(all, word, "reason", reason)
    }
}

/// What the status of a condition can be.
const CONDITION: [ConditionStatus; 3] =
    [ConditionStatus::True, ConditionStatus::False, ConditionStatus::Unknown];

/// The value that is written as that word.
pub(super) fn find<T: Copy, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
    field: &str,
    text: Option<&str>,
) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("`{field}` is missing"))?;
    all.into_iter()
        .find(|t| word(*t) == text)
        .ok_or_else(|| format!("`{field}` cannot be {text:?}"))
}

/// A node by its name.
pub(super) fn node_of(names: &Names, name: Option<&str>) -> Result<NodeId, String> {
    let name = name.ok_or("`node` is missing")?;
    names.find_node(name).ok_or_else(|| format!("the node `{name}` is no name of this run"))
}

/// A pod by its name.
pub(super) fn pod_of(names: &Names, name: Option<&str>) -> Result<PodId, String> {
    let name = name.ok_or("`pod` is missing")?;
    names.find_pod(name).ok_or_else(|| format!("the pod `{name}` is no name of this run"))
}

/// The number of a text.
fn text_of(names: &Names, text: &str) -> Result<u32, String> {
    names
        .find_text(text)
        .map(|t| t.0)
        .ok_or_else(|| format!("the text {text:?} is no name of this run"))
}

/// A number that the line must have.
pub(super) fn number(name: &str, n: Option<u32>) -> Result<u32, String> {
    n.ok_or_else(|| format!("`{name}` is missing"))
}
