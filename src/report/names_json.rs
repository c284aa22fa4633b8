//! `names.json`: what a trace holds beside its records.
//!
//! The names of a run in the order of their ids, for programs that read `events.jsonl`; whose pods
//! are whose, the tolerations that pods were created with or got later, and how many requests each
//! actor made.

use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::api::toleration::Toleration;
use crate::trace::{RecordId, Trace};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The name of the file.
pub(crate) const FILE: &str = "names.json";

/// Writes what a trace holds beside its records.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
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
