//! Objects and lists as they were read, and what they are once their kind is known.

use super::error::{ImportError, Place};
use super::event::RawEvent;
use super::object::{RawLeaseSpec, RawMeta, RawNodeSpec, RawNodeStatus, RawPodSpec, RawPodStatus};
use super::scheduling::{RawBudgetSpec, RawBudgetStatus};
use super::workload::{RawWorkloadSpec, RawWorkloadStatus};
use crate::api::workload::WorkloadKind;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// An object of a kind that is modelled, or the name of one that is not.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "handed over one at a time and taken apart at once; a box would only add a copy"
)]
pub(super) enum Object {
    /// `v1` `Node`
    Node(RawMeta, RawNodeSpec, RawNodeStatus),
    /// `v1` `Pod`
    Pod(RawMeta, RawPodSpec, RawPodStatus),
    /// `coordination.k8s.io` `Lease`
    Lease(RawMeta, RawLeaseSpec),
    /// `apps` and `batch`: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job
    Workload(WorkloadKind, RawMeta, RawWorkloadSpec, RawWorkloadStatus),
    /// `scheduling.k8s.io` `PriorityClass`
    PriorityClass(RawMeta, RawClass),
    /// `policy` `PodDisruptionBudget`
    Budget(RawMeta, RawBudgetSpec, RawBudgetStatus),
    /// `v1` `Namespace`
    Namespace(RawMeta),
    /// `v1` or `events.k8s.io` `Event`
    Event(RawEvent),
    /// Anything else: its kind.
    Other(String),
}

/// What a priority class says beside its name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RawClass {
    pub value: i32,
    pub global_default: bool,
    pub preemption_policy: Option<String>,
}

/// What an object's fields are read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Node,
    Pod,
    Lease,
    Workload(WorkloadKind),
    PriorityClass,
    Budget,
    Namespace,
    Event,
    Other,
    /// Not known before `kind` and, for some kinds, `apiVersion`.
    Unknown,
}

/// The role of an object; unknown while more has to be read.
pub(super) fn role(api_version: Option<&str>, kind: Option<&str>) -> Role {
    let (role, fits): (Role, fn(&str) -> bool) = match kind {
        None => return Role::Unknown,
        Some("Node") => (Role::Node, |v| v == "v1"),
        Some("Pod") => (Role::Pod, |v| v == "v1"),
        Some("Namespace") => (Role::Namespace, |v| v == "v1"),
        Some("Event") => (Role::Event, |v| v == "v1" || v.starts_with("events.k8s.io/")),
        Some("Lease") => (Role::Lease, |v| v.starts_with("coordination.k8s.io/")),
        Some("Job") => (Role::Workload(WorkloadKind::Job), |v| v.starts_with("batch/")),
        Some("PodDisruptionBudget") => (Role::Budget, |v| v.starts_with("policy/")),
        Some("PriorityClass") => (Role::PriorityClass, |v| v.starts_with("scheduling.k8s.io/")),
        Some(other) => match WorkloadKind::parse(other) {
            // Up to 1.15 all but StatefulSets were in `extensions`, too.
            Some(kind) => {
                (Role::Workload(kind), |v| v.starts_with("apps/") || v == "extensions/v1beta1")
            }
            None => return Role::Other,
        },
    };
    match api_version {
        None => Role::Unknown,
        // Other groups have kinds of these names, too: `longhorn.io` has a `Node`.
        Some(v) if fits(v) => role,
        Some(_) => Role::Other,
    }
}

/// A part of an object, read as its kind demands.
#[derive(Debug, Default)]
pub(super) enum Part<N, P> {
    #[default]
    Absent,
    Node(N),
    Pod(P),
    Lease(RawLeaseSpec),
    Workload(Box<RawWorkloadSpec>),
    Budget(RawBudgetSpec),
    WorkloadStatus(RawWorkloadStatus),
    BudgetStatus(RawBudgetStatus),
    Aside(Value),
}

/// An object, or a list, as it was read.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) api_version: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) meta: RawMeta,
    pub(super) spec: Part<RawNodeSpec, RawPodSpec>,
    pub(super) status: Part<RawNodeStatus, RawPodStatus>,
    /// Of a priority class, or of an event.
    pub(super) class: BTreeMap<&'static str, Value>,
    pub(super) items: Option<Vec<Raw>>,
}

impl Raw {
    /// Hands over the object, or the objects of the list.
    pub(super) fn flatten(
        mut self,
        place: Place,
        take: &mut dyn FnMut(Place, Object) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let name = match (&self.meta.namespace, &self.meta.name) {
            (Some(namespace), Some(name)) => format!("{namespace}/{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => String::new(),
        };
        let place = Place { kind: self.kind.clone().unwrap_or_default(), name, ..place };
        let wrong =
            |message: String| ImportError::Object { place: Box::new(place.clone()), message };
        let list = || self.items.is_some().then(|| "List".to_owned());
        let Some(kind) = self.kind.take().or_else(list) else {
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
        let object = self.object(kind).map_err(wrong)?;
        take(place, object)
    }

    /// The single object that it is.
    fn object(self, kind: String) -> Result<Object, String> {
        let object = match role(self.api_version.as_deref(), Some(&kind)) {
            Role::Unknown => return Err("has no `apiVersion`".to_owned()),
            Role::Other => Object::Other(kind),
            Role::Node => Object::Node(self.meta, self.spec.node()?, self.status.node()?),
            Role::Pod => Object::Pod(self.meta, self.spec.pod()?, self.status.pod()?),
            Role::Lease => Object::Lease(self.meta, self.spec.lease()?),
            Role::Workload(kind) => Object::Workload(
                kind,
                self.meta,
                self.spec.workload()?,
                self.status.workload_status()?,
            ),
            Role::PriorityClass => {
                let part = |name: &str| self.class.get(name).cloned().unwrap_or_default();
                let class = RawClass {
                    value: convert(part("value"))?,
                    global_default: convert(part("globalDefault"))?,
                    preemption_policy: convert(part("preemptionPolicy"))?,
                };
                Object::PriorityClass(self.meta, class)
            }
            Role::Budget => {
                Object::Budget(self.meta, self.spec.budget()?, self.status.budget_status()?)
            }
            Role::Event => Object::Event(RawEvent::new(self.meta.name, self.class)),
            Role::Namespace => Object::Namespace(self.meta),
        };
        Ok(object)
    }
}

/// The part as that of a kind, converted now if it was kept aside; the kind is known by then.
impl<N: Default + for<'de> Deserialize<'de>, P: Default + for<'de> Deserialize<'de>> Part<N, P> {
    fn node(self) -> Result<N, String> {
        match self {
            Part::Node(n) => Ok(n),
            Part::Aside(v) => convert(v),
            _ => Ok(N::default()),
        }
    }

    fn pod(self) -> Result<P, String> {
        match self {
            Part::Pod(p) => Ok(p),
            Part::Aside(v) => convert(v),
            _ => Ok(P::default()),
        }
    }

    fn lease(self) -> Result<RawLeaseSpec, String> {
        match self {
            Part::Lease(l) => Ok(l),
            Part::Aside(v) => convert(v),
            _ => Ok(RawLeaseSpec::default()),
        }
    }

    fn workload(self) -> Result<RawWorkloadSpec, String> {
        match self {
            Part::Workload(w) => Ok(*w),
            Part::Aside(v) => convert(v),
            _ => Ok(RawWorkloadSpec::default()),
        }
    }

    fn budget(self) -> Result<RawBudgetSpec, String> {
        match self {
            Part::Budget(b) => Ok(b),
            Part::Aside(v) => convert(v),
            _ => Ok(RawBudgetSpec::default()),
        }
    }

    fn budget_status(self) -> Result<RawBudgetStatus, String> {
        match self {
            Part::BudgetStatus(s) => Ok(s),
            Part::Aside(v) => convert(v),
            _ => Ok(RawBudgetStatus::default()),
        }
    }

    fn workload_status(self) -> Result<RawWorkloadStatus, String> {
        match self {
            Part::WorkloadStatus(s) => Ok(s),
            Part::Aside(v) => convert(v),
            _ => Ok(RawWorkloadStatus::default()),
        }
    }
}

fn convert<T: Default + for<'de> Deserialize<'de>>(value: Value) -> Result<T, String> {
    if value.is_null() {
        Ok(T::default())
    } else {
        serde_json::from_value(value).map_err(|e| e.to_string())
    }
}
