//! Reads objects and lists from a deserializer, in one pass, with a note of how far it has got; what
//! they are once their kind is known.

use super::error::PART;
use super::event::EVENT_FIELDS;
use super::fields::or_default;
use super::kubelet_config;
use super::raw_devices::{
    RawClassSpec, RawDeviceClaimSpec, RawDeviceClaimStatus, RawRuleSpec, RawSliceSpec,
    RawTemplateSpec,
};
use super::raw_volumes::{
    RawAttachmentSpec, RawClaimSpec, RawClaimStatus, RawCsiNodeSpec, RawDriverSpec, RawVolumeSpec,
};
use super::scheduling::{RawBudgetSpec, RawBudgetStatus};
use super::storage::{CAPACITY_FIELDS, STORAGE_FIELDS};
use super::workload::{RawWorkloadSpec, RawWorkloadStatus};
use crate::import::prelude::*;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::cell::{Cell, RefCell};
use std::fmt;

/// How far reading has got, for messages.
#[derive(Default)]
pub(super) struct Cursor {
    item: Cell<Option<usize>>,
    kind: RefCell<String>,
    name: RefCell<String>,
}

impl Cursor {
    fn begin(&self) {
        self.kind.borrow_mut().clear();
        self.name.borrow_mut().clear();
    }

    /// The place of the object at hand in a document.
    pub(super) fn place(&self, document: &Place) -> Place {
        let (kind, name) = (self.kind.borrow().clone(), self.name.borrow().clone());
        Place { item: self.item.get(), kind, name, ..document.clone() }
    }
}

/// Reads one object, or a document: an object, or an array of objects, which is a list without its
/// head.
pub(super) struct ObjectSeed<'c> {
    cursor: &'c Cursor,
    is_document: bool,
    /// The kind and API version of the items, where the list has said them before its items.
    of_list: Option<(&'c str, Option<&'c str>)>,
}

impl<'c> ObjectSeed<'c> {
    /// Reads a document.
    pub(super) const fn document(cursor: &'c Cursor) -> Self {
        Self { cursor, is_document: true, of_list: None }
    }
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = Raw;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Raw, D::Error> {
        if self.is_document { d.deserialize_any(self) } else { d.deserialize_map(self) }
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_> {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of the Kubernetes API, with `kind` and `metadata`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        self.cursor.begin();
        let mut raw = Raw::default();
        if let Some((kind, api_version)) = self.of_list {
            self.cursor.kind.replace(kind.to_owned());
            raw.kind = Some(kind.to_owned());
            raw.api_version = api_version.map(str::to_owned);
        }
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "apiVersion" => raw.api_version = map.next_value()?,
                "kind" => {
                    raw.kind = map.next_value()?;
                    self.cursor.kind.replace(raw.kind.clone().unwrap_or_default());
                }
                "metadata" => {
                    raw.meta = metadata(&mut map, raw.body())?;
                    self.cursor.name.replace(raw.meta.name.clone());
                }
                "items" if raw.items.is_some() => return Err(A::Error::duplicate_field("items")),
                "items" if raw.kind.as_deref().is_none_or(|k| k.ends_with("List")) => {
                    let list_kind = raw.kind.clone().unwrap_or_default();
                    let of = list_kind.strip_suffix("List").filter(|k| !k.is_empty());
                    let of_list = of.map(|k| (k, raw.api_version.as_deref()));
                    raw.items = map.next_value_seed(ItemsSeed { cursor: self.cursor, of_list })?;
                    self.cursor.begin();
                }
                // What a kubelet answers at `/configz`, which has neither kind nor version.
                "kubeletconfig" => {
                    let (version, kind) = KUBELET_CONFIG;
                    (raw.api_version, raw.kind) = (Some(version.to_owned()), Some(kind.to_owned()));
                    self.cursor.kind.replace(kind.to_owned());
                    let all: BTreeMap<String, Box<RawValue>> =
                        map.next_value::<Option<_>>()?.unwrap_or_default();
                    let known =
                        all.into_iter().filter_map(|(name, value)| Some((part(&name)?, value)));
                    raw.aside.extend(known);
                }
                name => match (part(name), raw.body()) {
                    (None, _) => drop(map.next_value::<IgnoredAny>()?),
                    (Some(field), Body::Unknown) => {
                        drop(raw.aside.insert(field, map.next_value()?));
                    }
                    (Some(field), body) => map.next_value_seed(PartSeed { body, field })?,
                },
            }
        }
        Ok(raw)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Raw, A::Error> {
        self.cursor.begin();
        let items = ItemsSeed { cursor: self.cursor, of_list: None };
        Ok(Raw { kind: Some("List".to_owned()), items: items.visit_seq(seq)?, ..Raw::default() })
    }
}

/// Reads `metadata`, of objects that are only counted just the name.
fn metadata<'de, A: MapAccess<'de>>(map: &mut A, body: &Body) -> Result<RawMeta, A::Error> {
    if matches!(body, Body::Other | Body::Event(_)) {
        let NameOnly { name, namespace, r#continue } =
            map.next_value::<Option<_>>()?.unwrap_or_default();
        Ok(RawMeta { name, namespace, r#continue, ..RawMeta::default() })
    } else {
        Ok(map.next_value::<Option<RawMeta>>()?.unwrap_or_default())
    }
}

/// Reads a field of an object whose kind is known.
struct PartSeed<'b> {
    body: &'b mut Body,
    field: &'static str,
}

impl<'de> DeserializeSeed<'de> for PartSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        self.body.read(self.field, d)
    }
}

/// Reads the items of a list; null is none.
struct ItemsSeed<'c> {
    cursor: &'c Cursor,
    of_list: Option<(&'c str, Option<&'c str>)>,
}

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_> {
    type Value = Option<Vec<Raw>>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_> {
    type Value = Option<Vec<Raw>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let outer = self.cursor.item.get();
        let mut items = Vec::new();
        loop {
            self.cursor.item.set(Some(items.len() + 1));
            self.cursor.begin();
            let ItemsSeed { cursor, of_list } = self;
            match seq.next_element_seed(ObjectSeed { cursor, is_document: false, of_list })? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        self.cursor.item.set(outer);
        Ok(Some(items))
    }
}

/// Takes an object in.
pub(super) type Take<'t> = dyn FnMut(Place, RawMeta, Body) -> Result<()> + 't;

/// The name of a field beside `metadata` that some kind has, if it is one.
fn part(name: &str) -> Option<&'static str> {
    let all = ["spec", "status"].iter().chain(&CLASS_FIELDS).chain(&EVENT_FIELDS).copied();
    all.chain(STORAGE_FIELDS)
        .chain(CAPACITY_FIELDS)
        .chain(kubelet_config::fields())
        .find(|field| *field == name)
}

/// A kind that is read: its name, its groups with the slash behind them, or its versions, and its body
/// before any field is read.
type Kind = (&'static str, &'static [&'static str], fn() -> Body);

/// Writes the kinds that are read, with their groups: those of which `spec` and `status` are, and those of which fields beside
/// `metadata` are.
macro_rules! kinds {
    (
        objects { $($kind:ident($spec:ty, $status:ty) = $name:expr, $groups:expr;)* }
        workloads { $($workload:ident = $workload_groups:expr;)* }
        fields { $($other:ident = $other_name:expr, $other_groups:expr;)* }
    ) => {
        const KINDS: &[Kind] = &[
            $(($name, &$groups, || Body::$kind(Default::default(), Default::default())),)*
            $((stringify!($workload), &$workload_groups, || {
                Body::Workload(WorkloadKind::$workload, Default::default(), Default::default())
            }),)*
            $(($other_name, &$other_groups, || Body::$other(Fields::new())),)*
        ];

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
            $($kind($spec, $status),)*
            Workload(WorkloadKind, Box<RawWorkloadSpec>, RawWorkloadStatus),
            $($other(Fields),)*
            /// Anything else, of which only the name is read.
            Other,
        }

        impl Body {
            /// Reads a field as the kind demands, or passes over it.
            fn read<'de, D: Deserializer<'de>>(
                &mut self,
                field: &'static str,
                d: D,
            ) -> Result<(), D::Error> {
                match (self, field) {
                    $((Self::$kind(spec, _), "spec") => *spec = or_default(d)?,)*
                    $((Self::$kind(_, status), "status") => *status = or_default(d)?,)*
                    (Self::Workload(_, spec, _), "spec") => *spec = or_default(d)?,
                    (Self::Workload(_, _, status), "status") => *status = or_default(d)?,
                    $((Self::$other(all), field) => _ = all.insert(field, Value::deserialize(d)?),)*
                    _ => drop(IgnoredAny::deserialize(d)?),
                }
                Ok(())
            }
        }
    };
}

kinds! {
    objects {
        Node(RawNodeSpec, RawNodeStatus) = "Node", ["v1"];
        Pod(RawPodSpec, RawPodStatus) = "Pod", ["v1"];
        Namespace(IgnoredAny, IgnoredAny) = "Namespace", ["v1"];
        Lease(RawLeaseSpec, IgnoredAny) = "Lease", ["coordination.k8s.io/"];
        Budget(RawBudgetSpec, RawBudgetStatus) = "PodDisruptionBudget", ["policy/"];
        Claim(RawClaimSpec, RawClaimStatus) = "PersistentVolumeClaim", ["v1"];
        Volume(RawVolumeSpec, IgnoredAny) = "PersistentVolume", ["v1"];
        Driver(RawDriverSpec, IgnoredAny) = "CSIDriver", ["storage.k8s.io/"];
        CsiNode(RawCsiNodeSpec, IgnoredAny) = "CSINode", ["storage.k8s.io/"];
        Attachment(RawAttachmentSpec, IgnoredAny) = "VolumeAttachment", ["storage.k8s.io/"];
        Slice(RawSliceSpec, IgnoredAny) = "ResourceSlice", RESOURCE;
        DeviceClaim(RawDeviceClaimSpec, RawDeviceClaimStatus) = "ResourceClaim", RESOURCE;
        ClaimTemplate(RawTemplateSpec, IgnoredAny) = "ResourceClaimTemplate", RESOURCE;
        DeviceClass(RawClassSpec, IgnoredAny) = "DeviceClass", RESOURCE;
        TaintRule(RawRuleSpec, IgnoredAny) = "DeviceTaintRule", ["resource.k8s.io/"];
        Readiness(RawReadinessSpec, IgnoredAny) = RULE, ["readiness.node.x-k8s.io/"];
    }
    workloads {
        Deployment = APPS;
        ReplicaSet = APPS;
        StatefulSet = APPS;
        DaemonSet = APPS;
        Job = ["batch/"];
    }
    fields {
        PriorityClass = "PriorityClass", ["scheduling.k8s.io/"];
        StorageClass = "StorageClass", ["storage.k8s.io/"];
        StorageCapacity = "CSIStorageCapacity", ["storage.k8s.io/"];
        Event = "Event", ["v1", "events.k8s.io/"];
        Kubelet = KUBELET_CONFIG.1, ["kubelet.config.k8s.io/"];
    }
}

/// From 1.34, 1.33 and 1.32 on; the last has some fields in other places. Those before go with releases without
/// taints of devices.
const RESOURCE: [&str; 3] =
    ["resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"];

/// The API version and the kind of a kubelet's configuration.
const KUBELET_CONFIG: (&str, &str) = ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration");

/// Up to 1.15 they were in `extensions`, too.
const APPS: [&str; 2] = ["apps/", "extensions/v1beta1"];

impl Body {
    /// The body of such an object before any field is read; unknown while more has to be known of it.
    fn empty(api_version: Option<&str>, kind: Option<&str>) -> Self {
        let Some(kind) = kind else { return Self::Unknown };
        let known = KINDS.iter().find(|(name, ..)| *name == kind);
        let Some((_, groups, empty)) = known else { return Self::Other };
        match api_version {
            None => Self::Unknown,
            // Other groups have kinds of these names, too: `longhorn.io` has a `Node`.
            Some(v) if groups.iter().any(|g| v == *g || g.ends_with('/') && v.starts_with(g)) => {
                empty()
            }
            Some(_) => Self::Other,
        }
    }
}

/// An object, or a list, as it was read.
#[derive(Default)]
pub(super) struct Raw {
    api_version: Option<String>,
    kind: Option<String>,
    meta: RawMeta,
    body: Body,
    /// Fields that stood before the kind, as JSON that is kept aside until it is known.
    aside: BTreeMap<&'static str, Box<RawValue>>,
    items: Option<Vec<Raw>>,
}

impl Raw {
    /// The body, of its kind as soon as that is known.
    fn body(&mut self) -> &mut Body {
        if matches!(self.body, Body::Unknown) {
            self.body = Body::empty(self.api_version.as_deref(), self.kind.as_deref());
        }
        &mut self.body
    }

    /// Whether it is a list without its kind, or with a beginning of that.
    pub(super) fn is_list_without_kind(&self) -> bool {
        let is_beginning = |kind: &String| kind != "List" && "List".starts_with(kind.as_str());
        self.items.is_some() && self.kind.as_ref().is_none_or(is_beginning)
    }

    /// Hands over the object, or the objects of the list.
    pub(super) fn flatten(mut self, place: Place, take: &mut Take<'_>) -> Result<()> {
        let name = match (&self.meta.namespace, &self.meta.name) {
            (Some(namespace), name) if !name.is_empty() => format!("{namespace}/{name}"),
            (_, name) => name.clone(),
        };
        let place = Place { kind: self.kind.clone().unwrap_or_default(), name, ..place };
        let wrong = |message: String| at(&place)(Wrong(message));
        let list = || self.items.is_some().then(|| "List".to_owned());
        let Some(kind) = self.kind.clone().or_else(list) else {
            return Err(wrong("has no `kind`: not an object of the Kubernetes API".to_owned()));
        };
        if let Some(items) = self.items.take().filter(|_| kind.ends_with("List")) {
            if !self.meta.r#continue.is_empty() {
                return Err(wrong(PART.to_owned()));
            }
            let of = kind.strip_suffix("List").filter(|k| !k.is_empty());
            for (i, mut item) in items.into_iter().enumerate() {
                item.kind = item.kind.or_else(|| of.map(str::to_owned));
                item.api_version = item.api_version.or_else(|| self.api_version.clone());
                item.flatten(Place { item: Some(i + 1), ..place.clone() }, take)?;
            }
            return Ok(());
        }
        if kind == "Table" {
            let what = "holds a Table, with only a part of each object";
            return Err(ImportError::other_output(&place.file, what));
        }
        let aside = std::mem::take(&mut self.aside);
        let body = self.body();
        if matches!(body, Body::Unknown) {
            return Err(wrong("has no `apiVersion`".to_owned()));
        }
        for (field, json) in aside {
            let mut value = serde_json::Deserializer::from_str(json.get());
            body.read(field, &mut value).map_err(|e| wrong(Wrong::from(e).0))?;
        }
        take(place, self.meta, self.body)
    }
}
