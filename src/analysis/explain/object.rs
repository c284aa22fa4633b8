//! From what a person calls an object to the object.

use super::prelude::*;
use crate::api::spelling;
use crate::language::Problem;

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
    /// Its kind, and `namespace/name`, or the name of what has no namespace.
    fn called<'a>(self, analysis: &'a Analysis<'a>) -> (&'a str, &'a str) {
        match self {
            Self::Pod(id) => ("pod", analysis.pod_name(id)),
            Self::Node(id) => ("node", analysis.node_name(id)),
            Self::Zone(id) => ("zone", &analysis.zones[usize::from(id)]),
            Self::Workload(id) => {
                analysis.trace.names.workload_name(id).split_once('/').unwrap_or_default()
            }
        }
    }

    /// The name by which [`find`] finds it: `pod/default/web-3`.
    pub(crate) fn name(self, analysis: &Analysis<'_>) -> String {
        let (kind, full) = self.called(analysis);
        format!("{}/{full}", kind.to_lowercase())
    }
}

/// Candidates that are listed.
const LISTED: usize = 6;

/// Finds an object: `default/web-3`, `web-3`, `pod/web-3`, `node/a-03`, `a-03`, `deployment/web`,
/// `web`, `zone/b`, `b`.
///
/// # Errors
/// No object is called that, or several are.
pub fn find(analysis: &Analysis<'_>, name: &str) -> Result<Object, Problem> {
    let is_any = |kind: &str| {
        let mut kinds = WorkloadKind::ALL.iter().map(|kind| kind.as_str());
        ["pod", "node", "zone", "workload"].contains(&kind)
            || kinds.any(|of| of.eq_ignore_ascii_case(kind))
    };
    let begins = name.split_once('/').map(|(kind, rest)| (kind.to_lowercase(), rest));
    let (kind, rest) = match begins {
        Some((kind, rest)) if is_any(&kind) => (Some(kind), rest),
        _ => (None, name),
    };
    let is_kind = |object: &Object| match kind.as_deref() {
        None => true,
        Some("workload") => matches!(object, Object::Workload(_)),
        Some(kind) => object.called(analysis).0.eq_ignore_ascii_case(kind),
    };
    let mut all = all(analysis);
    all.retain(is_kind);
    let is_it = |object: &&Object| {
        let (_, full) = object.called(analysis);
        full == rest || short_name(full) == rest
    };
    let found: Vec<&Object> = all.iter().filter(is_it).collect();
    match found[..] {
        [one] => Ok(*one),
        [] => {
            let names = all.iter().map(|object| object.called(analysis).1);
            let problem = format!("there is no pod, node, workload or zone `{name}` in this run");
            Err(Problem::new(problem).help(match (nearest(rest, names), &kind) {
                (Some(near), Some(kind)) => format!("did you mean `{kind}/{near}`?"),
                (Some(near), None) => format!("did you mean `{near}`?"),
                (None, _) => "objects are named `pod/web-3`, `node/a-03`, `deployment/web`, `zone/b`, or without what stands before the slash".to_owned(),
            }))
        }
        _ => {
            let candidates = few(LISTED, found.iter().map(|object| object.name(analysis)));
            let problem = Problem::new(format!("`{name}` may be any of {candidates}"));
            Err(problem.help("say which, with what stands before its name"))
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
    all(analysis).into_iter().map(|object| object.name(analysis)).collect()
}

fn all(analysis: &Analysis<'_>) -> Vec<Object> {
    let names = &analysis.trace.names;
    let owners = Owners::new(analysis);
    // Budgets are interned with them, and ReplicaSets that a Deployment made are parts of it.
    let is_one = |id: &WorkloadId| {
        !names.workload_name(*id).starts_with("PodDisruptionBudget/")
            && owners.root_of(*id) == Some(*id)
    };
    let workloads = (0..names.workloads() as u32).map(WorkloadId).filter(is_one);
    let pods = (0..analysis.pod_count() as u32).map(PodId);
    let nodes = (0..analysis.node_count() as u32).map(NodeId);
    let zones = (0..).zip(&analysis.zones).filter(|(_, name)| !name.is_empty());
    (workloads.map(Object::Workload))
        .chain(pods.map(Object::Pod))
        .chain(nodes.map(Object::Node))
        .chain(zones.map(|(zone, _)| Object::Zone(zone)))
        .collect()
}
