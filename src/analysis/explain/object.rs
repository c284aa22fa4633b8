//! From what a person calls an object to the object.

use super::super::workloads::Owners;
use crate::analysis::prelude::*;
use crate::api::spelling;
use crate::api::workload::short_name;

/// An object that can be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// A pod.
    Pod(PodId),
    /// A node.
    Node(NodeId),
    /// A workload that nobody owns.
    Workload(WorkloadId),
    /// A zone, an index into [`Analysis::zones`].
    Zone(u16),
}

impl Object {
    /// The name by which [`find`] finds it: `pod/default/web-3`.
    pub(crate) fn name(self, analysis: &Analysis<'_>) -> String {
        match self {
            Self::Pod(id) => format!("pod/{}", analysis.pod_name(id)),
            Self::Node(id) => format!("node/{}", analysis.node_name(id)),
            Self::Zone(id) => format!("zone/{}", analysis.zones[usize::from(id)]),
            Self::Workload(id) => {
                let (kind, full) =
                    analysis.trace.names.workload_name(id).split_once('/').unwrap_or_default();
                format!("{}/{full}", kind.to_lowercase())
            }
        }
    }
}

/// Why a name is no object.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObjectError {
    /// Nothing is called that.
    #[error("there is no pod, node, workload or zone `{name}` in this run")]
    Unknown {
        /// As the person wrote it.
        name: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// Several objects are called that.
    #[error("`{name}` may be any of {}", .candidates.join(", "))]
    Ambiguous {
        /// As the person wrote it.
        name: String,
        /// Names that say which.
        candidates: Vec<String>,
    },
}

/// Candidates that are listed.
const LISTED: usize = 6;

/// Finds an object: `default/web-3`, `web-3`, `pod/web-3`, `node/a-03`, `a-03`, `deployment/web`,
/// `web`, `zone/b`, `b`.
///
/// # Errors
/// No object is called that, or several are.
pub fn find(analysis: &Analysis<'_>, name: &str) -> Result<Object, ObjectError> {
    let all = all(analysis);
    let kinds = [
        "pod",
        "node",
        "zone",
        "deployment",
        "replicaset",
        "statefulset",
        "daemonset",
        "job",
        "workload",
    ];
    let (kind, rest) = match name.split_once('/') {
        Some((kind, rest)) if kinds.contains(&kind.to_lowercase().as_str()) => {
            (Some(kind.to_lowercase()), rest)
        }
        _ => (None, name),
    };
    let is_kind = |n: &Named| match kind.as_deref() {
        None => true,
        Some("workload") => matches!(n.object, Object::Workload(_)),
        Some(kind) => n.kind.eq_ignore_ascii_case(kind),
    };
    let found: Vec<&Named> = all
        .iter()
        .filter(|n| is_kind(n) && (n.full == rest || short_name(n.full) == rest))
        .collect();
    match found[..] {
        [one] => Ok(one.object),
        [] => {
            let names = all.iter().filter(|n| is_kind(n)).map(|n| n.full);
            let near = nearest(rest, names).map(|near| match &kind {
                Some(kind) => format!("{kind}/{near}"),
                None => near.to_owned(),
            });
            Err(ObjectError::Unknown { name: name.to_owned(), near })
        }
        _ => {
            let mut candidates: Vec<String> = found
                .iter()
                .take(LISTED)
                .map(|n| format!("{}/{}", n.kind.to_lowercase(), n.full))
                .collect();
            if found.len() > LISTED {
                candidates.push(format!("{} more", found.len() - LISTED));
            }
            Err(ObjectError::Ambiguous { name: name.to_owned(), candidates })
        }
    }
}

/// The name that was perhaps meant, with its namespace where one was written.
fn nearest<'a>(name: &str, full: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let names = full.map(|full| if name.contains('/') { full } else { short_name(full) });
    // Whoever names a group of pods gets its first one.
    let begins =
        names.clone().find(|n| n.strip_prefix(name).is_some_and(|more| more.starts_with('-')));
    spelling::nearest(name, names).or(begins)
}

/// The names of all objects, as [`Object::name`] has them.
pub(crate) fn names(analysis: &Analysis<'_>) -> Vec<String> {
    let all = all(analysis);
    let names = all.iter().map(|n| n.object.name(analysis));
    names.collect()
}

/// An object with its name.
struct Named<'a> {
    kind: &'a str,
    /// `namespace/name`, or the name of what has no namespace.
    full: &'a str,
    object: Object,
}

fn all<'a>(analysis: &'a Analysis<'a>) -> Vec<Named<'a>> {
    let names = &analysis.trace.names;
    let owners = Owners::new(analysis);
    let mut all = Vec::new();
    for i in 0..names.workloads() as u32 {
        let id = WorkloadId(i);
        let Some((kind, full)) = names.workload_name(id).split_once('/') else {
            continue;
        };
        // Budgets are interned with them, and ReplicaSets that a Deployment made are parts of it.
        if kind != "PodDisruptionBudget" && owners.root_of(id) == Some(id) {
            all.push(Named { kind, full, object: Object::Workload(id) });
        }
    }
    all.extend((0..analysis.pod_count() as u32).map(PodId).map(|id| Named {
        kind: "pod",
        full: analysis.pod_name(id),
        object: Object::Pod(id),
    }));
    let nodes = (0..analysis.node_count() as u32).map(NodeId);
    all.extend(nodes.map(|id| Named {
        kind: "node",
        full: analysis.node_name(id),
        object: Object::Node(id),
    }));
    let zones = analysis.zones.iter().zip(0..).filter(|(zone, _)| !zone.is_empty());
    all.extend(zones.map(|(zone, i)| Named { kind: "zone", full: zone, object: Object::Zone(i) }));
    all
}
