//! `names.json`: the names of a run in the order of their ids, and who owns which pod.
//!
//! Records name objects by text; with this file they get back the very ids that they had, so that whatever is made of a trace that
//! was read again is what was made of it when it was simulated.

use crate::api::names::{Names, NodeId, PodId, TextId, WorkloadId};
use serde::Deserialize;
use serde_json::json;
use std::io::{self, Write};

/// The name of the file.
pub const FILE: &str = "names.json";

/// What the file holds.
#[derive(Deserialize)]
struct Tables {
    nodes: Vec<String>,
    pods: Vec<String>,
    workloads: Vec<String>,
    texts: Vec<String>,
    /// By pod the workload whose name it carries; pods behind the last one that has an owner are left out.
    owners: Vec<Option<u32>>,
}

/// Writes the names of a run.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, names: &Names) -> io::Result<()> {
    let list = |n: usize, name: &dyn Fn(u32) -> String| (0..n as u32).map(name).collect::<Vec<_>>();
    let mut owners: Vec<Option<u32>> = (0..names.pods() as u32).map(|p| names.owner_of(PodId(p)).map(|w| w.0)).collect();
    owners.truncate(owners.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    let tables = json!({
        "nodes": list(names.nodes(), &|i| names.node_name(NodeId(i)).to_owned()),
        "pods": list(names.pods(), &|i| names.pod_name(PodId(i)).to_owned()),
        "workloads": list(names.workloads(), &|i| names.workload_name(WorkloadId(i)).to_owned()),
        "texts": list(names.texts(), &|i| names.text_of(TextId(i)).to_owned()),
        "owners": owners,
    });
    serde_json::to_writer(&mut *out, &tables)?;
    out.write_all(b"\n")
}

/// Reads the names of a run.
///
/// # Errors
/// What is wrong with the text.
pub fn read(text: &[u8]) -> Result<Names, String> {
    let tables: Tables = serde_json::from_slice(text).map_err(|e| e.to_string())?;
    let mut names = Names::default();
    names.reserve_pods(tables.pods.len(), tables.pods.iter().map(String::len).sum());
    for name in &tables.nodes {
        names.node(name);
    }
    for name in &tables.pods {
        names.pod(name);
    }
    for name in &tables.workloads {
        names.workload(name);
    }
    for name in &tables.texts {
        names.text(name);
    }
    let counts = [
        ("nodes", tables.nodes.len(), names.nodes()),
        ("pods", tables.pods.len(), names.pods()),
        ("workloads", tables.workloads.len(), names.workloads()),
        ("texts", tables.texts.len(), names.texts()),
    ];
    if let Some((what, ..)) = counts.into_iter().find(|(_, given, kept)| given != kept) {
        return Err(format!("a name stands twice in `{what}`"));
    }
    for (pod, owner) in tables.owners.iter().enumerate() {
        let Some(owner) = *owner else { continue };
        if pod >= names.pods() || owner as usize >= names.workloads() {
            return Err(format!("`owners` gives pod {pod} the workload {owner}, which have no names"));
        }
        names.set_owner(PodId(pod as u32), WorkloadId(owner));
    }
    Ok(names)
}
