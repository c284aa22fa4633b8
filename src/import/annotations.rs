//! The annotations of objects that say something here.

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

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
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = RawAnnotations;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of annotations")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawAnnotations, A::Error> {
                let mut all = RawAnnotations::default();
                while let Some(key) = map.next_key::<String>()? {
                    let place = match &*key {
                        "kubernetes.io/config.source" => &mut all.source,
                        "scheduler.alpha.kubernetes.io/defaultTolerations" => {
                            &mut all.default_tolerations
                        }
                        "scheduler.alpha.kubernetes.io/tolerationsWhitelist" => {
                            &mut all.tolerations_whitelist
                        }
                        "controller.kubernetes.io/pod-deletion-cost" => &mut all.pod_deletion_cost,
                        "deployment.kubernetes.io/revision" => &mut all.revision,
                        "deployment.kubernetes.io/max-replicas" => &mut all.max_replicas,
                        "storageclass.kubernetes.io/is-default-class" => &mut all.default_class,
                        _ => {
                            let _ = map.next_value::<IgnoredAny>()?;
                            all.mirror |= key == "kubernetes.io/config.mirror";
                            let end = key.strip_prefix(BOOTSTRAP_COMPLETED);
                            all.bootstrap_completed.extend(end.map(str::to_owned));
                            continue;
                        }
                    };
                    *place = Some(map.next_value::<Option<String>>()?.unwrap_or_default());
                }
                Ok(all)
            }
        }
        d.deserialize_map(V)
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
