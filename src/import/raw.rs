//! Objects and lists as they were read, and what they are once their kind is known.

use super::error::{ImportError, Place};
use super::event::EVENT_FIELDS;
use super::fields::Fields;
use super::object::{
    CLASS_FIELDS, RawLeaseSpec, RawMeta, RawNodeSpec, RawNodeStatus, RawPodSpec, RawPodStatus,
};
use super::scheduling::{RawBudgetSpec, RawBudgetStatus};
use super::workload::{RawWorkloadSpec, RawWorkloadStatus};
use crate::api::workload::WorkloadKind;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Takes an object in.
pub(super) type Take<'t> = dyn FnMut(Place, RawMeta, Body) -> Result<(), ImportError> + 't;

/// An object but for its metadata, as its kind has it.
#[derive(Debug, Default)]
#[expect(
    clippy::large_enum_variant,
    reason = "handed over one at a time and taken apart at once; a box would only add a copy"
)]
pub(super) enum Body {
    /// Not known before `kind` and, for some kinds, `apiVersion`.
    #[default]
    Unknown,
    /// `v1` `Node`
    Node(RawNodeSpec, RawNodeStatus),
    /// `v1` `Pod`
    Pod(RawPodSpec, RawPodStatus),
    /// `coordination.k8s.io` `Lease`
    Lease(RawLeaseSpec),
    /// `apps` and `batch`: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job
    Workload(WorkloadKind, Box<RawWorkloadSpec>, RawWorkloadStatus),
    /// `scheduling.k8s.io` `PriorityClass`
    PriorityClass(Fields),
    /// `policy` `PodDisruptionBudget`
    Budget(RawBudgetSpec, RawBudgetStatus),
    /// `v1` `Namespace`
    Namespace,
    /// `v1` or `events.k8s.io` `Event`
    Event(Fields),
    /// Anything else, of which only the name is read.
    Other,
}

/// The name of a field beside `metadata` that some kind has, if it is one.
pub(super) fn part(name: &str) -> Option<&'static str> {
    let all = ["spec", "status"].iter().chain(&CLASS_FIELDS).chain(&EVENT_FIELDS);
    all.copied().find(|field| *field == name)
}

impl Body {
    /// The body of such an object before any field is read; unknown while more has to be known of it.
    fn empty(api_version: Option<&str>, kind: Option<&str>) -> Self {
        let (body, fits): (Self, fn(&str) -> bool) = match kind {
            None => return Self::Unknown,
            Some("Node") => {
                (Self::Node(RawNodeSpec::default(), RawNodeStatus::default()), |v| v == "v1")
            }
            Some("Pod") => {
                (Self::Pod(RawPodSpec::default(), RawPodStatus::default()), |v| v == "v1")
            }
            Some("Namespace") => (Self::Namespace, |v| v == "v1"),
            Some("Event") => {
                (Self::Event(Fields::new()), |v| v == "v1" || v.starts_with("events.k8s.io/"))
            }
            Some("Lease") => {
                (Self::Lease(RawLeaseSpec::default()), |v| v.starts_with("coordination.k8s.io/"))
            }
            Some("PodDisruptionBudget") => {
                (Self::Budget(RawBudgetSpec::default(), RawBudgetStatus::default()), |v| {
                    v.starts_with("policy/")
                })
            }
            Some("PriorityClass") => {
                (Self::PriorityClass(Fields::new()), |v| v.starts_with("scheduling.k8s.io/"))
            }
            Some(other) => {
                let Some(kind) = WorkloadKind::parse(other) else { return Self::Other };
                let (spec, status) = (Box::default(), RawWorkloadStatus::default());
                // Up to 1.15 all but StatefulSets were in `extensions`, too.
                (
                    Self::Workload(kind, spec, status),
                    match kind {
                        WorkloadKind::Job => |v| v.starts_with("batch/"),
                        _ => |v| v.starts_with("apps/") || v == "extensions/v1beta1",
                    },
                )
            }
        };
        match api_version {
            None => Self::Unknown,
            // Other groups have kinds of these names, too: `longhorn.io` has a `Node`.
            Some(v) if fits(v) => body,
            Some(_) => Self::Other,
        }
    }

    /// Reads a field as the kind demands, or passes over it.
    pub(super) fn read<'de, D: Deserializer<'de>>(
        &mut self,
        field: &'static str,
        d: D,
    ) -> Result<(), D::Error> {
        match (self, field) {
            (Self::Node(spec, _), "spec") => *spec = or_default(d)?,
            (Self::Node(_, status), "status") => *status = or_default(d)?,
            (Self::Pod(spec, _), "spec") => *spec = or_default(d)?,
            (Self::Pod(_, status), "status") => *status = or_default(d)?,
            (Self::Lease(spec), "spec") => *spec = or_default(d)?,
            (Self::Workload(_, spec, _), "spec") => **spec = or_default(d)?,
            (Self::Workload(_, _, status), "status") => *status = or_default(d)?,
            (Self::Budget(spec, _), "spec") => *spec = or_default(d)?,
            (Self::Budget(_, status), "status") => *status = or_default(d)?,
            (Self::PriorityClass(all), field) if CLASS_FIELDS.contains(&field) => {
                all.insert(field, Value::deserialize(d)?);
            }
            (Self::Event(all), field) if EVENT_FIELDS.contains(&field) => {
                all.insert(field, Value::deserialize(d)?);
            }
            _ => drop(IgnoredAny::deserialize(d)?),
        }
        Ok(())
    }
}

/// Reads a value; null is the default.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    d: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(d)?.unwrap_or_default())
}

/// An object, or a list, as it was read.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) api_version: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) meta: RawMeta,
    pub(super) body: Body,
    /// Fields that stood before the kind, kept aside until it is known.
    pub(super) aside: Fields,
    pub(super) items: Option<Vec<Raw>>,
}

impl Raw {
    /// The body, of its kind as soon as that is known.
    pub(super) fn body(&mut self) -> &mut Body {
        if matches!(self.body, Body::Unknown) {
            self.body = Body::empty(self.api_version.as_deref(), self.kind.as_deref());
        }
        &mut self.body
    }

    /// Hands over the object, or the objects of the list.
    pub(super) fn flatten(mut self, place: Place, take: &mut Take<'_>) -> Result<(), ImportError> {
        let name = match (&self.meta.namespace, &self.meta.name) {
            (Some(namespace), Some(name)) => format!("{namespace}/{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => String::new(),
        };
        let place = Place { kind: self.kind.clone().unwrap_or_default(), name, ..place };
        let wrong =
            |message: String| ImportError::Object { place: Box::new(place.clone()), message };
        let list = || self.items.is_some().then(|| "List".to_owned());
        let Some(kind) = self.kind.clone().or_else(list) else {
            return Err(wrong("has no `kind`: not an object of the Kubernetes API".to_owned()));
        };
        if let Some(items) = self.items.take().filter(|_| kind.ends_with("List")) {
            let of = kind.strip_suffix("List").filter(|k| !k.is_empty());
            for (i, mut item) in items.into_iter().enumerate() {
                item.kind = item.kind.or_else(|| of.map(str::to_owned));
                item.api_version = item.api_version.or_else(|| self.api_version.clone());
                let place = Place { item: Some(i + 1), ..place.clone() };
                item.flatten(place, take)?;
            }
            return Ok(());
        }
        if kind == "Table" {
            return Err(ImportError::OtherOutput {
                file: place.file.clone(),
                what: "holds a Table, with only a part of each object".to_owned(),
            });
        }
        let aside = std::mem::take(&mut self.aside);
        let body = self.body();
        if matches!(body, Body::Unknown) {
            return Err(wrong("has no `apiVersion`".to_owned()));
        }
        for (field, value) in aside {
            body.read(field, value).map_err(|e| wrong(e.to_string()))?;
        }
        take(place, self.meta, self.body)
    }
}
