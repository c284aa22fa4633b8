//! The cost of each row by formula, where what is chosen is how long pods tolerate a lost node: what
//! simulation adds to it is queueing behind rates and limits, room, and the order of StatefulSets.

use crate::api::taint::{Effect, Taint};
use crate::api::toleration::Toleration;
use crate::lab::sweep::Sweep;
use crate::outages::{Distribution, cost};
use crate::plan::Plan;
use crate::scenario::{Drawn, Model};

/// From the beginning of an outage to the taint, in seconds: the grace period from the last
/// heartbeat on, which was five seconds ago on average, and some four until passes have seen both.
fn detection(plan: &Plan) -> f64 {
    (plan.flags.node_monitor_grace_period.as_nanos() as f64 / 1e9 - 1.0).max(1.0)
}

/// For each row the replica-minutes missing in a year if evictions cost nothing, and the evictions;
/// none where a row is about something else.
pub(super) fn closed(sweep: &Sweep<'_>, drawn: &[Drawn]) -> Option<Vec<(f64, f64)>> {
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

fn of(drawn: &Drawn) -> (f64, f64) {
    let plan = &drawn.plan;
    let after = detection(plan);
    let mut sum = (0.0, 0.0);
    for pod in plan.pods.iter().filter(|p| p.node.is_some()) {
        let Some(template) = plan.templates.get(pod.template as usize) else {
            continue;
        };
        let Some(node) = pod.node else { continue };
        for model in &drawn.models.list {
            let (Some(lasts), rate) = (&model.lasts, hits(model, node)) else {
                continue;
            };
            let timeout = match seconds(&template.tolerations) {
                Some(s) => after + s,
                None => f64::INFINITY,
            };
            sum.0 += rate * cost(lasts, timeout, 2.0) / 60.0;
            sum.1 += rate * survival(lasts, timeout);
        }
    }
    sum
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
fn seconds(tolerations: &[Toleration]) -> Option<f64> {
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
