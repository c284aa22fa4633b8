//! `names.json`: what a trace holds beside its records.
//!
//! The names of a run in the order of their ids: records name objects by text, and with this file
//! they get back the very ids that they had, so that whatever is made of a trace that was read
//! again is what was made of it when it was simulated. Then whose pods are whose, the tolerations
//! that pods were created with or got later, and how many requests each actor made. Of the
//! templates of pods nothing but tolerations comes back: nobody who reads a finished run asks for
//! more.

use crate::api::names::{Names, NodeId, PodId, TextId, WorkloadId};
use crate::api::pod::PodTemplate;
use crate::api::taint::Effect;
use crate::api::toleration::{Operator, Toleration};
use crate::trace::{Actor, RecordId, Trace};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

/// The name of the file.
pub(crate) const FILE: &str = "names.json";

/// What the file holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    nodes: Vec<String>,
    pods: Vec<String>,
    workloads: Vec<String>,
    texts: Vec<String>,
    /// By pod the workload whose name it carries; pods behind the last one that has an owner are
    /// left out.
    owners: Vec<Option<u32>>,
    /// The different lists of tolerations.
    tolerations: Vec<Vec<Written>>,
    /// By the record that says so, which list a pod got.
    templates: Vec<(RecordId, usize)>,
    /// By actor: the second, and how many requests up to its end.
    requests: BTreeMap<String, Vec<(u64, u64)>>,
}

/// A toleration, as Kubernetes writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    #[serde(default)]
    key: String,
    #[serde(default)]
    operator: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    effect: String,
    toleration_seconds: Option<i64>,
}

/// Writes what a trace holds beside its records.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
    let names = &trace.names;
    let list = |n: usize, name: &dyn Fn(u32) -> String| (0..n as u32).map(name).collect::<Vec<_>>();
    let mut owners: Vec<Option<u32>> =
        (0..names.pods() as u32).map(|p| names.owner_of(PodId(p)).map(|w| w.0)).collect();
    owners.truncate(owners.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    // Pods of a group share their template, so that most are found at the first look.
    let (mut lists, mut templates): (Vec<&[Toleration]>, Vec<(RecordId, usize)>) =
        (Vec::new(), Vec::new());
    for (record, template) in &trace.templates {
        let list = template.tolerations.as_slice();
        let known = templates
            .last()
            .map(|t| t.1)
            .filter(|i| lists[*i] == list)
            .or_else(|| lists.iter().position(|l| *l == list));
        let index = known.unwrap_or_else(|| {
            lists.push(list);
            lists.len() - 1
        });
        templates.push((*record, index));
    }
    let requests: Map<String, Value> =
        trace.requests.iter().map(|(actor, n)| (actor.as_str().to_owned(), json!(n))).collect();
    let document = json!({
        "nodes": list(names.nodes(), &|i| names.node_name(NodeId(i)).to_owned()),
        "pods": list(names.pods(), &|i| names.pod_name(PodId(i)).to_owned()),
        "workloads": list(names.workloads(), &|i| names.workload_name(WorkloadId(i)).to_owned()),
        "texts": list(names.texts(), &|i| names.text_of(TextId(i)).to_owned()),
        "owners": owners,
        "tolerations": lists.iter().map(|l| l.iter().map(toleration).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "templates": templates,
        "requests": requests,
    });
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn toleration(t: &Toleration) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    if !t.key.is_empty() {
        put("key", t.key.as_str().into());
    }
    put("operator", t.operator.as_str().into());
    if !t.value.is_empty() {
        put("value", t.value.as_str().into());
    }
    if let Some(effect) = t.effect {
        put("effect", effect.as_str().into());
    }
    if let Some(seconds) = t.toleration_seconds {
        put("tolerationSeconds", seconds.into());
    }
    map.into()
}

/// Reads it: a trace without records.
///
/// # Errors
/// What is wrong with the text.
pub fn read(text: &[u8]) -> Result<Trace, String> {
    let document: Document = serde_json::from_slice(text).map_err(|e| e.to_string())?;
    let mut trace = Trace::of(names(&document)?);
    let lists: Vec<Vec<Toleration>> = document
        .tolerations
        .into_iter()
        .map(|l| l.into_iter().map(Written::read).collect())
        .collect::<Result<_, _>>()?;
    let shared: Vec<Rc<PodTemplate>> = lists
        .into_iter()
        .map(|tolerations| Rc::new(PodTemplate { tolerations, ..PodTemplate::default() }))
        .collect();
    for (record, index) in document.templates {
        let template = shared
            .get(index)
            .ok_or_else(|| format!("`templates` names list {index}, which is not there"))?;
        if trace.templates.last().is_some_and(|(last, _)| *last > record) {
            return Err("`templates` are out of order".to_owned());
        }
        trace.templates.push((record, template.clone()));
    }
    for (actor, seconds) in document.requests {
        let known = Actor::ALL.into_iter().find(|a| a.as_str() == actor);
        trace.requests.insert(
            known.ok_or_else(|| format!("`requests` has the actor {actor:?}, who is not known"))?,
            seconds,
        );
    }
    Ok(trace)
}

impl Written {
    fn read(self) -> Result<Toleration, String> {
        let operators = [Operator::Equal, Operator::Exists, Operator::Lt, Operator::Gt];
        let operator = operators.into_iter().find(|o| o.as_str() == self.operator);
        let operator = operator
            .ok_or_else(|| format!("a toleration's operator cannot be {:?}", self.operator))?;
        let effect = match self.effect.as_str() {
            "" => None,
            other => Some(
                Effect::parse(other)
                    .ok_or_else(|| format!("a toleration's effect cannot be {other:?}"))?,
            ),
        };
        Ok(Toleration {
            key: self.key,
            operator,
            value: self.value,
            effect,
            toleration_seconds: self.toleration_seconds,
        })
    }
}

fn names(document: &Document) -> Result<Names, String> {
    let mut names = Names::default();
    names.reserve_pods(document.pods.len(), document.pods.iter().map(String::len).sum());
    for name in &document.nodes {
        names.node(name);
    }
    for name in &document.pods {
        names.pod(name);
    }
    for name in &document.workloads {
        names.workload(name);
    }
    for name in &document.texts {
        names.text(name);
    }
    let counts = [
        ("nodes", document.nodes.len(), names.nodes()),
        ("pods", document.pods.len(), names.pods()),
        ("workloads", document.workloads.len(), names.workloads()),
        ("texts", document.texts.len(), names.texts()),
    ];
    if let Some((what, ..)) = counts.into_iter().find(|(_, given, kept)| given != kept) {
        return Err(format!("a name stands twice in `{what}`"));
    }
    for (pod, owner) in document.owners.iter().enumerate() {
        let Some(owner) = *owner else { continue };
        if pod >= names.pods() || owner as usize >= names.workloads() {
            return Err(format!(
                "`owners` gives pod {pod} the workload {owner}, which have no names"
            ));
        }
        names.set_owner(PodId(pod as u32), WorkloadId(owner));
    }
    Ok(names)
}
