//! From text to objects: JSON or YAML, one document or several, single objects and lists of any
//! kind.
//!
//! Objects are read in one pass. As kubectl prints `apiVersion` and `kind` before `spec`, the
//! fields of a kind that is modelled go straight into its types, and those of any other kind are
//! passed over. Where the order is another one (`kubectl get --raw`, other tools), they are kept
//! aside until the kind is known. What is needed to name an object in an error is noted in a
//! [`Cursor`] on the way, because a parser knows only lines.
//!
//! Nesting has a limit: 128 levels in JSON (deeper values that nobody reads are passed over without
//! recursion), and that of [`yaml`](super::yaml).

use super::error::{ImportError, Place};
use super::input::Input;
use super::object::{
    NameOnly, RawLeaseSpec, RawMeta, RawNodeSpec, RawNodeStatus, RawPodSpec, RawPodStatus,
};
use super::scheduling::RawBudgetSpec;
use super::workload::{RawWorkloadSpec, RawWorkloadStatus};
use super::yaml;
use crate::api::workload::WorkloadKind;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;

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
    Budget(RawMeta, RawBudgetSpec),
    /// `v1` `Namespace`
    Namespace(RawMeta),
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

/// Reads every object of an input, in order.
///
/// # Errors
/// The text is no JSON or YAML, a value has the wrong type, or a document is no Kubernetes object.
pub(super) fn read(
    input: &Input,
    take: &mut dyn FnMut(Place, Object) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut documents = split(&input.text);
    documents.retain(|d| !is_blank(d.text));
    let several = documents.len() > 1;
    for (i, document) in documents.iter().enumerate() {
        let place = Place {
            file: input.file.clone(),
            document: several.then_some(i + 1),
            ..Place::default()
        };
        let reader = Reader {
            input,
            document,
            place,
        };
        if is_json(document.text) {
            reader.json(take)?
        } else {
            reader.yaml(take)?
        }
    }
    Ok(())
}

/// A document of a file.
struct Document<'a> {
    text: &'a str,
    /// How many lines of the file come before it.
    lines_before: usize,
}

/// Cuts a file at the lines `---` and `...`, which no YAML document may contain at the beginning of
/// a line (YAML 1.2.2, production 206, `c-forbidden`), and JSON cannot.
fn split(text: &str) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let (mut start, mut lines_before) = (0, 0);
    let mut offset = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let marker = ["---", "..."].iter().any(|m| {
            line.strip_prefix(m)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
        });
        if marker {
            documents.push(Document {
                text: &text[start..offset],
                lines_before,
            });
            // What follows the marker on its line belongs to the next document.
            (start, lines_before) = (offset + 3, number);
        }
        offset += line.len();
    }
    documents.push(Document {
        text: &text[start..],
        lines_before,
    });
    documents
}

/// Nothing but white space, comments and directives.
fn is_blank(text: &str) -> bool {
    text.lines().all(|l| {
        let l = l.trim();
        l.is_empty() || l.starts_with('#') || l.starts_with("%YAML") || l.starts_with("%TAG")
    })
}

/// JSON begins with a brace and a quoted name; YAML in flow style seldom quotes.
fn is_json(text: &str) -> bool {
    text.trim_start()
        .strip_prefix('{')
        .is_some_and(|rest| rest.trim().is_empty() || rest.trim_start().starts_with(['"', '}']))
}

/// Reads one document, or several JSON values one after another.
struct Reader<'a> {
    input: &'a Input,
    document: &'a Document<'a>,
    place: Place,
}

impl Reader<'_> {
    fn json(
        &self,
        take: &mut dyn FnMut(Place, Object) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut de = serde_json::Deserializer::from_str(self.document.text);
        loop {
            let cursor = Cursor::default();
            let raw = ObjectSeed {
                cursor: &cursor,
                of_list: None,
            }
            .deserialize(&mut de)
            .map_err(|e| {
                let message = if e.is_eof() {
                    "the JSON ends in the middle: is the file cut short?".to_owned()
                } else {
                    without_position(&e)
                };
                self.syntax(&cursor, e.line(), e.column(), message)
            })?;
            raw.flatten(self.place.clone(), take)?;
            if de.end().is_ok() {
                return Ok(());
            }
        }
    }

    fn yaml(
        &self,
        take: &mut dyn FnMut(Place, Object) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let cursor = Cursor::default();
        let raw = yaml::parse(self.document.text, &cursor).map_err(|e| {
            let (line, column) = e
                .location()
                .map_or((0, 0), |l| (l.line() as usize, l.column() as usize));
            self.syntax(&cursor, line, column, yaml::message(&e))
        })?;
        raw.flatten(self.place.clone(), take)
    }

    /// An error of a parser at a line and column of the document, from 1; zero is unknown.
    fn syntax(&self, cursor: &Cursor, line: usize, column: usize, message: String) -> ImportError {
        let mut place = cursor.place(&self.place);
        let mut shown = String::new();
        if line > 0 {
            let number = self.document.lines_before + line;
            place.line = Some(number);
            shown = excerpt(&self.input.text, number, column);
        }
        ImportError::Syntax {
            place: Box::new(place),
            message,
            excerpt: shown,
        }
    }
}

/// serde_json ends its messages with a position, which an error here shows in another way.
fn without_position(e: &serde_json::Error) -> String {
    let text = e.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// The line in question and a caret under the column, both cut to a width that fits a terminal.
fn excerpt(text: &str, line: usize, column: usize) -> String {
    const WIDTH: usize = 100;
    let Some(found) = text.lines().nth(line - 1) else {
        return String::new();
    };
    let column = column.max(1);
    let from = if column > WIDTH {
        column - WIDTH / 2
    } else {
        0
    };
    let shown: String = found
        .chars()
        .skip(from)
        .take(WIDTH)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if shown.trim().is_empty() {
        return String::new();
    }
    format!(
        "\n  | {shown}\n  | {:>width$}",
        "^",
        width = (column - from).min(shown.chars().count() + 1)
    )
}

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

    fn place(&self, document: &Place) -> Place {
        Place {
            item: self.item.get(),
            kind: self.kind.borrow().clone(),
            name: self.name.borrow().clone(),
            ..document.clone()
        }
    }
}

/// What an object's fields are read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Node,
    Pod,
    Lease,
    Workload(WorkloadKind),
    PriorityClass,
    Budget,
    Namespace,
    Other,
    /// Not known before `kind` and, for some kinds, `apiVersion`.
    Unknown,
}

fn role(api_version: Option<&str>, kind: Option<&str>) -> Role {
    let (role, fits): (Role, fn(&str) -> bool) = match kind {
        None => return Role::Unknown,
        Some("Node") => (Role::Node, |v| v == "v1"),
        Some("Pod") => (Role::Pod, |v| v == "v1"),
        Some("Namespace") => (Role::Namespace, |v| v == "v1"),
        Some("Lease") => (Role::Lease, |v| v.starts_with("coordination.k8s.io/")),
        Some("Job") => (Role::Workload(WorkloadKind::Job), |v| {
            v.starts_with("batch/")
        }),
        Some("PodDisruptionBudget") => (Role::Budget, |v| v.starts_with("policy/")),
        Some("PriorityClass") => (Role::PriorityClass, |v| v.starts_with("scheduling.k8s.io/")),
        Some(other) => match WorkloadKind::parse(other) {
            // Up to 1.15 all but StatefulSets were in `extensions`, too.
            Some(kind) => (Role::Workload(kind), |v| {
                v.starts_with("apps/") || v == "extensions/v1beta1"
            }),
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
enum Part<N, P> {
    #[default]
    Absent,
    Node(N),
    Pod(P),
    Lease(RawLeaseSpec),
    Workload(Box<RawWorkloadSpec>),
    Budget(RawBudgetSpec),
    WorkloadStatus(RawWorkloadStatus),
    Aside(Value),
}

/// An object, or a list, as it was read.
#[derive(Default)]
pub(super) struct Raw {
    api_version: Option<String>,
    kind: Option<String>,
    meta: RawMeta,
    spec: Part<RawNodeSpec, RawPodSpec>,
    status: Part<RawNodeStatus, RawPodStatus>,
    /// Of a priority class.
    class: BTreeMap<&'static str, Value>,
    pub(super) items: Option<Vec<Raw>>,
}

impl Raw {
    /// Hands over the object, or the objects of the list.
    fn flatten(
        self,
        place: Place,
        take: &mut dyn FnMut(Place, Object) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let name = match (&self.meta.namespace, &self.meta.name) {
            (Some(namespace), Some(name)) => format!("{namespace}/{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => String::new(),
        };
        let place = Place {
            kind: self.kind.clone().unwrap_or_default(),
            name,
            ..place
        };
        let wrong = |message: String| ImportError::Object {
            place: Box::new(place.clone()),
            message,
        };
        let Some(kind) = self.kind else {
            return Err(wrong(
                "has no `kind`: not an object of the Kubernetes API".to_owned(),
            ));
        };
        if let Some(items) = self.items.filter(|_| kind.ends_with("List")) {
            let of = kind.strip_suffix("List").filter(|k| !k.is_empty());
            for (i, mut item) in items.into_iter().enumerate() {
                item.kind = item.kind.or_else(|| of.map(str::to_owned));
                item.api_version = item.api_version.or_else(|| self.api_version.clone());
                let place = Place {
                    item: Some(i + 1),
                    ..place.clone()
                };
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
        let role = role(self.api_version.as_deref(), Some(&kind));
        let object = match role {
            Role::Unknown => return Err(wrong("has no `apiVersion`".to_owned())),
            Role::Other => Object::Other(kind),
            Role::Node => Object::Node(
                self.meta,
                self.spec.node().map_err(wrong)?,
                self.status.node().map_err(wrong)?,
            ),
            Role::Pod => Object::Pod(
                self.meta,
                self.spec.pod().map_err(wrong)?,
                self.status.pod().map_err(wrong)?,
            ),
            Role::Lease => Object::Lease(self.meta, self.spec.lease().map_err(wrong)?),
            Role::Workload(kind) => Object::Workload(
                kind,
                self.meta,
                self.spec.workload().map_err(wrong)?,
                self.status.workload_status().map_err(wrong)?,
            ),
            Role::PriorityClass => {
                let part = |name: &str| self.class.get(name).cloned().unwrap_or_default();
                let class = RawClass {
                    value: convert(part("value")).map_err(wrong)?,
                    global_default: convert(part("globalDefault")).map_err(wrong)?,
                    preemption_policy: convert(part("preemptionPolicy")).map_err(wrong)?,
                };
                Object::PriorityClass(self.meta, class)
            }
            Role::Budget => Object::Budget(self.meta, self.spec.budget().map_err(wrong)?),
            Role::Namespace => Object::Namespace(self.meta),
        };
        take(place, object)
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

/// Reads one object.
pub(super) struct ObjectSeed<'c> {
    pub(super) cursor: &'c Cursor,
    /// The kind and API version of the items, where the list has said them before its items.
    pub(super) of_list: Option<(&'c str, Option<&'c str>)>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Field {
    ApiVersion,
    Kind,
    Metadata,
    Spec,
    Status,
    Items,
    Value,
    GlobalDefault,
    PreemptionPolicy,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_> {
    type Value = Raw;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Raw, D::Error> {
        d.deserialize_map(self)
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
        while let Some(field) = map.next_key::<Field>()? {
            let role = role(raw.api_version.as_deref(), raw.kind.as_deref());
            match field {
                Field::ApiVersion => raw.api_version = map.next_value()?,
                Field::Kind => {
                    raw.kind = map.next_value()?;
                    self.cursor
                        .kind
                        .replace(raw.kind.clone().unwrap_or_default());
                }
                Field::Metadata => {
                    raw.meta = if role == Role::Other {
                        let only: Option<NameOnly> = map.next_value()?;
                        let only = only.unwrap_or_default();
                        RawMeta {
                            name: only.name,
                            namespace: only.namespace,
                            ..RawMeta::default()
                        }
                    } else {
                        map.next_value::<Option<RawMeta>>()?.unwrap_or_default()
                    };
                    self.cursor
                        .name
                        .replace(raw.meta.name.clone().unwrap_or_default());
                }
                Field::Spec => {
                    raw.spec = match role {
                        Role::Node => {
                            Part::Node(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Role::Pod => Part::Pod(map.next_value::<Option<_>>()?.unwrap_or_default()),
                        Role::Lease => {
                            Part::Lease(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Role::Workload(_) => Part::Workload(Box::new(
                            map.next_value::<Option<_>>()?.unwrap_or_default(),
                        )),
                        Role::Budget => {
                            Part::Budget(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Role::Unknown => Part::Aside(map.next_value()?),
                        Role::PriorityClass | Role::Namespace | Role::Other => pass_over(&mut map)?,
                    }
                }
                Field::Status => {
                    raw.status = match role {
                        Role::Node => {
                            Part::Node(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Role::Pod => Part::Pod(map.next_value::<Option<_>>()?.unwrap_or_default()),
                        Role::Unknown => Part::Aside(map.next_value()?),
                        Role::Workload(_) => {
                            Part::WorkloadStatus(map.next_value::<Option<_>>()?.unwrap_or_default())
                        }
                        Role::Lease
                        | Role::PriorityClass
                        | Role::Budget
                        | Role::Namespace
                        | Role::Other => pass_over(&mut map)?,
                    }
                }
                Field::Items if raw.items.is_some() => {
                    return Err(A::Error::duplicate_field("items"));
                }
                Field::Items if raw.kind.as_deref().is_none_or(|k| k.ends_with("List")) => {
                    let list_kind = raw.kind.clone();
                    let of = list_kind
                        .as_deref()
                        .and_then(|k| k.strip_suffix("List"))
                        .filter(|k| !k.is_empty());
                    let of_list = of.map(|k| (k, raw.api_version.as_deref()));
                    raw.items = map.next_value_seed(ItemsSeed {
                        cursor: self.cursor,
                        of_list,
                    })?;
                    self.cursor.begin();
                }
                // kubectl prints `globalDefault` before the kind.
                Field::Value | Field::GlobalDefault | Field::PreemptionPolicy
                    if matches!(role, Role::PriorityClass | Role::Unknown) =>
                {
                    let name = match field {
                        Field::Value => "value",
                        Field::GlobalDefault => "globalDefault",
                        _ => "preemptionPolicy",
                    };
                    raw.class.insert(name, map.next_value()?);
                }
                Field::Items
                | Field::Value
                | Field::GlobalDefault
                | Field::PreemptionPolicy
                | Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(raw)
    }
}

fn pass_over<'de, A: MapAccess<'de>, N, P>(map: &mut A) -> Result<Part<N, P>, A::Error> {
    map.next_value::<IgnoredAny>()?;
    Ok(Part::Absent)
}

/// Reads the items of a list; null is none.
pub(super) struct ItemsSeed<'c> {
    pub(super) cursor: &'c Cursor,
    pub(super) of_list: Option<(&'c str, Option<&'c str>)>,
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
            match seq.next_element_seed(ObjectSeed {
                cursor: self.cursor,
                of_list: self.of_list,
            })? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        self.cursor.item.set(outer);
        Ok(Some(items))
    }
}
