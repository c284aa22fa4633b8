//! The cost of each row by formula, where what is chosen is how long pods tolerate a lost node: what
//! simulation adds to it is queueing behind rates and limits, room, and outages that overlap.
//!
//! A pod that is replaced is missing for min(D, T) and a start where D > T; one of a StatefulSet for
//! D, whatever is tolerated, and a start.

use crate::api::pod::PodTemplate;
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::Toleration;
use crate::api::workload::WorkloadKind;
use crate::lab::sweep::Sweep;
use crate::outages::{Distribution, cost};
use crate::plan::Plan;
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
    for pod in &plan.pods {
        let (Some(node), Some(template)) = (pod.node, plan.templates.get(pod.template as usize))
        else {
            continue;
        };
        let waits = waits(template);
        let timeout = seconds(&template.tolerations).map_or(f64::INFINITY, |s| after + s);
        for model in &drawn.models.list {
            let (Some(lasts), rate) = (&model.lasts, hits(model, node)) else {
                continue;
            };
            let evicted = rate * survival(lasts, timeout);
            sum.evicted += evicted;
            if waits {
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
