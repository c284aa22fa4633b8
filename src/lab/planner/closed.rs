//! The cost of each row by formula, where what is chosen is how long pods tolerate a lost node: what
//! simulation adds to it is queueing behind rates and limits, room, and outages that overlap.
//!
//! A pod that is replaced is missing for min(D, T) and a start where D > T; one of a StatefulSet for
//! D, whatever is tolerated, and a start. One that clients still reach is not missing before it is
//! evicted. A machine that stopped is away until it has booted, and its pods start anew.

use crate::api::meta::OwnerReference;
use crate::api::pod::{PodPhase, PodSource, PodTemplate};
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::Toleration;
use crate::api::workload::WorkloadKind;
use crate::lab::sweep::Sweep;
use crate::outages::{Distribution, cost};
use crate::plan::{KubeletMode, Plan, PodPlan, PodStart};
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

impl Closed {
    /// Whether it can be reckoned with, wherever it comes from.
    pub(super) fn is_sound(&self) -> bool {
        super::kept::are_figures(&[self.missing, self.waiting, self.evicted])
    }
}

/// How long a replacement takes to run, in seconds.
const STARTS_S: f64 = 2.0;

/// The closed form of each row.
///
/// # Errors
/// Why there is none, in words: a row is about something else, or outages have no distribution.
pub(super) fn closed(sweep: &Sweep<'_>, drawn: &[Drawn]) -> Result<Vec<Closed>, String> {
    if let Some(other) = sweep
        .axes
        .iter()
        .find(|a| !a.path.ends_with("tolerationSeconds"))
    {
        return Err(format!(
            "there is one for tolerationSeconds alone, and not for `{}`",
            other.path
        ));
    }
    let models = drawn.iter().flat_map(|d| &d.models.list);
    if let Some(record) = models.clone().find(|m| m.is_recorded()) {
        return Err(format!(
            "`{}` is a record, and what it would need is a distribution; `taintsim outages --fit` fits one",
            record.name
        ));
    }
    if models.clone().all(|m| m.away().is_none()) {
        return Err("it knows only of nodes that are away without notice".to_owned());
    }
    Ok(drawn.iter().map(of).collect())
}

/// The models whose outages the closed form leaves out: nodes that are drained first, or taken back.
pub(super) fn left_out(drawn: &Drawn) -> Vec<String> {
    let other = drawn.models.list.iter().filter(|m| m.away().is_none());
    other.map(|m| m.name.clone()).collect()
}

fn of(drawn: &Drawn) -> Closed {
    let plan = &drawn.plan;
    let after = detection(plan);
    let boot = match plan.timing.kubelet {
        KubeletMode::Real(real) => real.boot.as_nanos() as f64 / 1e9,
        KubeletMode::Imitated(_) => 0.0,
    };
    let mut sum = Closed::default();
    for share in shares(plan) {
        let Some(template) = plan.templates.get(share.template as usize) else {
            continue;
        };
        let timeout = seconds(&template.tolerations).map_or(f64::INFINITY, |s| after + s);
        for model in &drawn.models.list {
            for (hits, ended) in hits(drawn, model, share.node) {
                let times = Times {
                    timeout,
                    ended,
                    boot,
                };
                sum.add(&share, model, share.pods * hits, &times);
            }
        }
    }
    sum
}

/// When things come to pass in an outage, in seconds.
struct Times {
    /// A pod is evicted.
    timeout: f64,
    /// Somebody sees to its node.
    ended: f64,
    /// How long a machine that stopped takes to boot.
    boot: f64,
}

impl Closed {
    /// Adds what so many outages of a pod of a model come to a year.
    fn add(&mut self, share: &Share, model: &Model, rate: f64, times: &Times) {
        let Some(lasts) = model.away() else {
            return;
        };
        let stops = model.stops_machines();
        let boot = if stops { times.boot } else { 0.0 };
        let (timeout, ended) = (times.timeout, times.ended);
        // The mean time away, no more than that.
        let away = |most: f64| most.min(boot) + cost(lasts, (most - boot).max(0.0), 0.0);
        let longer = |than: f64| survival(lasts, than - boot);
        let evicted = if timeout < ended {
            rate * longer(timeout)
        } else {
            0.0
        };
        self.evicted += evicted;
        let given_up = timeout.min(ended);
        // Who is cut off from the API server alone serves on until it is given up.
        let serves = if model.is_reached() {
            rate * cost(lasts, given_up, 0.0)
        } else {
            0.0
        };
        // One that waits is not replaced while its node is away, and started anew there if it was evicted.
        let (until, starts) = match (stops, share.waits) {
            (true, true) => (ended, rate),
            (true, false) => (given_up, rate),
            (false, true) => (ended, evicted),
            (false, false) => (given_up, rate * longer(given_up)),
        };
        let missing = rate * away(until) + starts * STARTS_S;
        let missing = (missing - serves) / 60.0;
        self.missing += missing;
        self.waiting += if share.waits { missing } else { 0.0 };
    }
}

/// So many pods of a template are on a node, on average.
struct Share {
    node: u32,
    template: u32,
    /// Whether they are not replaced while their node is away.
    waits: bool,
    pods: f64,
}

/// Whether nobody misses a pod: it is over, or belongs to its machine. One without a workload is not
/// counted beside workloads, as in the runs (see `count::figures`).
pub(super) fn is_nobodys(plan: &Plan, pod: &PodPlan, template: &PodTemplate) -> bool {
    is_over(pod) || template.source != PodSource::Api || is_bare(plan, template)
}

fn is_over(pod: &PodPlan) -> bool {
    matches!(
        pod.start,
        PodStart::Imported {
            phase: PodPhase::Succeeded | PodPhase::Failed,
            ..
        }
    )
}

/// Whether a pod has no workload, where others have one.
fn is_bare(plan: &Plan, template: &PodTemplate) -> bool {
    let is_kept = |o: &OwnerReference| WorkloadKind::parse(&o.kind).is_some();
    !plan.workloads.is_empty() && !template.owner.as_ref().is_some_and(is_kept)
}

/// How many pods no figure counts, as they have no workload.
pub(crate) fn bare_pods(plan: &Plan) -> usize {
    let is_left_out = |pod: &&PodPlan| {
        let template = plan.templates.get(pod.template as usize);
        let bare = |t: &PodTemplate| t.source == PodSource::Api && is_bare(plan, t);
        pod.start != PodStart::Absent && !is_over(pod) && template.is_some_and(bare)
    };
    plan.pods.iter().filter(is_left_out).count()
}

/// Where pods are: those that are bound, and those that a workload's controller makes at first, on
/// any node as likely as on another.
fn shares(plan: &Plan) -> Vec<Share> {
    let bound = plan.pods.iter().filter_map(|pod| {
        let template = plan.templates.get(pod.template as usize)?;
        let share = Share {
            node: pod.node?,
            template: pod.template,
            waits: waits(template),
            pods: 1.0,
        };
        (!is_nobodys(plan, pod, template)).then_some(share)
    });
    let mut all: Vec<Share> = bound.collect();
    let nodes = plan.nodes.len();
    for (index, had) in plan.make_up() {
        let workload = &plan.workloads[index as usize];
        let made = f64::from(workload.spec.replicas()) - had as f64;
        if makes_up(workload.kind) && made > 0.0 {
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

/// How often a year a model takes a node, and when somebody sees to it that it is away, by what fails.
fn hits<'a>(
    drawn: &'a Drawn,
    model: &'a Model,
    node: u32,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    let objects = model.objects.len().max(1) as f64;
    let of_one = model.hits * model.per_year() / objects;
    let own = model
        .objects
        .iter()
        .filter(move |o| o.nodes.contains(&node));
    own.map(move |o| (of_one, ended(drawn, model.taken(o))))
}

/// When somebody sees to nodes that are away: then their pods are gone with them, or run again. Never,
/// where too many are away at one time.
fn ended(drawn: &Drawn, taken: usize) -> f64 {
    let Some(repair) = drawn.models.repair else {
        return f64::INFINITY;
    };
    let most = repair.unless_share * drawn.plan.nodes.len() as f64;
    if repair.unless_share < 1.0 && taken as f64 > most {
        return f64::INFINITY;
    }
    repair.after + if repair.replaces { 0.0 } else { repair.takes }
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
