//! The cost of each row by formula, where what is chosen is how long pods tolerate a lost node: what
//! simulation adds to it is queueing behind rates and limits, room, and outages that overlap.
//!
//! A pod that is replaced is missing for min(D, T) and a start where D > T; one of a StatefulSet for
//! D, whatever is tolerated, and a start.

use crate::api::pod::PodTemplate;
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::Toleration;
use crate::api::workload::{WorkloadKind, namespace_of};
use crate::lab::sweep::Sweep;
use crate::outages::{Distribution, cost};
use crate::plan::{Plan, PodPlan, PodStart, WorkloadPlan};
use crate::scenario::{Drawn, Model};
use serde::{Deserialize, Serialize};

/// From the beginning of an outage to the taint, in seconds: the grace period from the last
/// heartbeat on, which was five seconds ago on average, and some four until passes have seen both.
pub(super) fn detection(plan: &Plan) -> f64 {
    (plan.flags.node_monitor_grace_period.as_nanos() as f64 / 1e9 - 1.0).max(1.0)
}

/// What a year comes to by formula.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Closed {
    /// Replica-minutes missing.
    pub missing: f64,
    /// Those of them that are of StatefulSets, and so no toleration changes but for starts.
    pub waiting: f64,
    /// Evictions.
    pub evicted: f64,
}

/// How long a replacement takes to run, in seconds.
const STARTS_S: f64 = 2.0;

/// The closed form of each row; none where a row is about something else.
pub(super) fn closed(sweep: &Sweep<'_>, drawn: &[Drawn]) -> Option<Vec<Closed>> {
    let all_about_it = sweep
        .axes
        .iter()
        .all(|a| a.path.ends_with("tolerationSeconds"));
    if !all_about_it
        || drawn
            .iter()
            .any(|d| d.models.list.iter().any(Model::is_recorded))
    {
        return None;
    }
    Some(drawn.iter().map(of).collect())
}

fn of(drawn: &Drawn) -> Closed {
    let plan = &drawn.plan;
    let after = detection(plan);
    let mut sum = Closed::default();
    for share in shares(plan) {
        let Some(template) = plan.templates.get(share.template as usize) else {
            continue;
        };
        let timeout = seconds(&template.tolerations).map_or(f64::INFINITY, |s| after + s);
        for model in &drawn.models.list {
            let (Some(lasts), rate) = (&model.lasts, share.pods * hits(model, share.node)) else {
                continue;
            };
            let evicted = rate * survival(lasts, timeout);
            sum.evicted += evicted;
            if share.waits {
                // Not replaced while its node is away, and started anew there if it was evicted.
                let missing = (rate * lasts.mean() + evicted * STARTS_S) / 60.0;
                sum.missing += missing;
                sum.waiting += missing;
            } else {
                sum.missing += rate * cost(lasts, timeout, STARTS_S) / 60.0;
            }
        }
    }
    sum
}

/// So many pods of a template are on a node, on average.
struct Share {
    node: u32,
    template: u32,
    /// Whether they are not replaced while their node is away.
    waits: bool,
    pods: f64,
}

/// Where pods are: those that are bound, and those that a workload's controller makes at first, on
/// any node as likely as on another.
fn shares(plan: &Plan) -> Vec<Share> {
    let bound = plan.pods.iter().filter_map(|pod| {
        Some(Share {
            node: pod.node?,
            template: pod.template,
            waits: waits(plan.templates.get(pod.template as usize)?),
            pods: 1.0,
        })
    });
    let mut all: Vec<Share> = bound.collect();
    // An export has the pods that there are.
    let is_imported = |p: &PodPlan| matches!(p.start, PodStart::Imported { .. });
    if plan.pods.iter().any(is_imported) {
        return all;
    }
    let nodes = plan.nodes.len();
    for workload in plan.workloads.iter().filter(|w| makes_up(w.kind)) {
        let made = f64::from(workload.spec.replicas()) - had(plan, workload) as f64;
        if workload.owner.is_none() && made > 0.0 {
            all.extend((0..nodes as u32).map(|node| Share {
                node,
                template: workload.template,
                waits: workload.kind == WorkloadKind::StatefulSet,
                pods: made / nodes as f64,
            }));
        }
    }
    all
}

/// How many pods of a workload there are at the start.
fn had(plan: &Plan, workload: &WorkloadPlan) -> usize {
    let Ok(selector) = workload.selector.as_selector() else {
        return 0;
    };
    let selects = |t: &PodTemplate| t.owner.is_some() && selector.matches(&t.labels);
    let own: Vec<bool> = plan.templates.iter().map(selects).collect();
    let namespace = namespace_of(&workload.name);
    let is_own = |pod: &&PodPlan| {
        pod.start != PodStart::Absent
            && own.get(pod.template as usize) == Some(&true)
            && pod.name.split('/').next() == Some(namespace)
    };
    plan.pods.iter().filter(is_own).count()
}

/// Whether a workload of that kind has as many pods as it asks for, for as long as it is there.
const fn makes_up(kind: WorkloadKind) -> bool {
    matches!(
        kind,
        WorkloadKind::Deployment | WorkloadKind::ReplicaSet | WorkloadKind::StatefulSet
    )
}

/// Whether a pod of a template is not replaced while its node is away.
pub(super) fn waits(template: &PodTemplate) -> bool {
    let owner = template.owner.as_ref().map(|o| o.kind.as_str());
    owner == Some(WorkloadKind::StatefulSet.as_str())
}

fn survival(lasts: &Distribution, timeout: f64) -> f64 {
    if timeout.is_infinite() {
        0.0
    } else {
        lasts.survival(timeout)
    }
}

/// How often a year a model takes a node.
fn hits(model: &Model, node: u32) -> f64 {
    let objects = model.objects.len().max(1) as f64;
    let of_one = model.per_year() / objects;
    let own = model
        .objects
        .iter()
        .filter(|o| o.nodes.contains(&node))
        .count() as f64;
    own * of_one * model.hits
}

/// How long a pod tolerates an unreachable node, in seconds; none for ever.
pub(super) fn seconds(tolerations: &[Toleration]) -> Option<f64> {
    let taint = Taint::new("node.kubernetes.io/unreachable", Effect::NoExecute);
    let mut least: Option<f64> = None;
    let mut any = false;
    for t in tolerations.iter().filter(|t| t.tolerates(&taint, false)) {
        any = true;
        if let Some(s) = t.toleration_seconds {
            let s = s.max(0) as f64;
            least = Some(least.map_or(s, |l: f64| l.min(s)));
        }
    }
    // Who says nothing is given 300 s by the API server.
    if any { least } else { Some(300.0) }
}
