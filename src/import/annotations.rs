//! The annotations of objects that say something here.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// The annotations that matter here; others may be large and are not kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RawAnnotations {
    /// It is there.
    pub(crate) mirror: bool,
    pub(crate) source: Option<String>,
    /// Of a namespace. A null is an empty text, as in Go.
    pub(crate) default_tolerations: Option<String>,
    /// The same.
    pub(crate) tolerations_whitelist: Option<String>,
    /// Of a pod.
    pod_deletion_cost: Option<String>,
    /// Of a ReplicaSet: of which revision of its Deployment it is, and how many pods all of its sets might have together.
    pub(super) revision: Option<String>,
    pub(super) max_replicas: Option<String>,
    /// Of a node: what those of the node readiness controller end with that say that a bootstrap is completed.
    pub(crate) bootstrap_completed: Vec<String>,
    /// Of a StorageClass.
    pub(crate) default_class: Option<String>,
}

impl<'de> Deserialize<'de> for RawAnnotations {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut all = BTreeMap::<String, Value>::deserialize(d)?;
        let completed = all.keys().filter_map(|key| key.strip_prefix(BOOTSTRAP_COMPLETED));
        let completed = completed.map(str::to_owned).collect();
        let mut text = |key: &str| {
            let text = all.remove(key).map(Option::<String>::deserialize).transpose();
            text.map(|text| text.map(Option::unwrap_or_default)).map_err(D::Error::custom)
        };
        Ok(RawAnnotations {
            source: text("kubernetes.io/config.source")?,
            default_tolerations: text("scheduler.alpha.kubernetes.io/defaultTolerations")?,
            tolerations_whitelist: text("scheduler.alpha.kubernetes.io/tolerationsWhitelist")?,
            pod_deletion_cost: text("controller.kubernetes.io/pod-deletion-cost")?,
            revision: text("deployment.kubernetes.io/revision")?,
            max_replicas: text("deployment.kubernetes.io/max-replicas")?,
            default_class: text("storageclass.kubernetes.io/is-default-class")?,
            bootstrap_completed: completed,
            mirror: all.contains_key("kubernetes.io/config.mirror"),
        })
    }
}

/// What the annotations begin with that say that a bootstrap is completed (`bootstrapAnnotationPrefix`).
const BOOTSTRAP_COMPLETED: &str = "readiness.k8s.io/bootstrap-completed-";

impl RawAnnotations {
    /// That about its deletion's cost, unless it is 0 (`pkg/apis/core/helper/helpers.go:
    /// GetDeletionCostFromPodAnnotations`); what is no number as Go writes it counts as nothing.
    pub(super) fn deletion_cost(&self) -> Option<i32> {
        let text = self.pod_deletion_cost.as_deref()?;
        let cost: i32 = text.parse().ok()?;
        let as_written = text == "0" || !text.starts_with(['+', '0']);
        (as_written && cost != 0).then_some(cost)
    }
}
