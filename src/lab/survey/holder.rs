//! What keeps pods where they are not wanted although there is room: budgets that stop every drain while all
//! is well are among it.

use crate::api::taint::{NOT_READY, OUT_OF_SERVICE, UNREACHABLE};
use crate::api::toleration::matching_tolerations;
use crate::api::workload::short_name;
use crate::lab::prelude::*;
use crate::plan::BudgetPlan;
use crate::plan::switches::api_fields::ApiField;

/// Behind the first sentence stands what preemption makes of it.
pub(super) fn first_sentence(why: Option<&str>) -> &str {
    why.and_then(|w| w.split(". ").next()).unwrap_or("no node suits")
}

/// What the scheduler says of nodes without the label of a topologySpreadConstraint.
const NO_LABEL: &str = "missing required label";

/// Taints that hold pods.
const TAINTS: (&str, &str) =
    ("taints of the nodes left", "taints of all nodes left that they do not tolerate");

/// Parts of what the scheduler says of pods for which there is room, and what it means, in brief and
/// with what would change it, where `{…}` is what a release has; the first that is said counts.
const SAID: [(&[&str], &str, &str); 18] = [
    (
        &["PersistentVolume's node affinity", "volume node affinity"],
        "no node left reaches the volumes",
        "their volumes, which no node left reaches: until one that does is back nothing but a copy of the data elsewhere helps",
    ),
    (
        &["max volume count"],
        "the nodes left take no more volumes",
        "all nodes left have as many volumes as their CSINodes allow; more nodes, or nodes that take more, change that",
    ),
    (
        &["CSI driver is not installed"],
        "the nodes left lack the volumes' driver",
        "volumes whose driver the nodes left lack (`preventPodSchedulingIfMissing`); its pods on those change that",
    ),
    (
        &["ReadWriteOncePod"],
        "its claim is in use by the pod on the lost node",
        "a claim with ReadWriteOncePod, which the pod on the lost node uses until it is gone: {frees}",
    ),
    (
        &["unbound immediate"],
        "claims that are not bound",
        "claims that are not bound yet, which whoever provisions them changes",
    ),
    (
        &["available persistent volumes"],
        "no free PersistentVolume suits the claims",
        "claims for which the nodes left reach no free PersistentVolume; such volumes change that",
    ),
    (
        &["free storage"],
        "the nodes left reach too little free storage",
        "claims for which the nodes left reach too little free storage; more of it changes that",
    ),
    (
        &["cannot allocate all claims", "resource claim", "resourceclaim"],
        "devices are taken or tainted",
        "devices: those of the nodes left are taken, or have taints that the claims do not tolerate",
    ),
    (
        &[NO_LABEL],
        "a topologySpreadConstraint on a label that no node left has",
        "a topologySpreadConstraint with DoNotSchedule on a label that the nodes left do not have; \
         the label on nodes, or ScheduleAnyway, changes that",
    ),
    (
        &["topology spread"],
        "a topologySpreadConstraint",
        "a topologySpreadConstraint with DoNotSchedule, for which lost nodes count as before; \
         ScheduleAnyway changes that{honor}",
    ),
    (
        &["anti-affinity"],
        "required pod anti-affinity",
        "required pod anti-affinity; more nodes, or preferring it, changes that",
    ),
    (
        &["pod affinity"],
        "required pod affinity",
        "required pod affinity to pods that no node left has",
    ),
    (
        &["affinity/selector", "node selector", "[NodeAffinity]"],
        "node affinity or nodeSelector",
        "node affinity or nodeSelector; nodes left with such labels would change that",
    ),
    (
        &["ports"],
        "host ports are taken",
        "host ports that are taken on all nodes left; more nodes change that",
    ),
    (&["taint {"], TAINTS.0, TAINTS.1),
    (&["unschedulable"], "the nodes left are cordoned", "the nodes left are cordoned"),
    (
        &["Insufficient"],
        "a resource that no node left has",
        "they ask for a resource that no node left has",
    ),
    // Which taints is not said: it may be those of lost nodes.
    (&["taint"], TAINTS.0, TAINTS.1),
];

/// What keeps pods from nodes that have room, or from being evicted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Holder {
    /// What the scheduler says, by its place in [`SAID`].
    Scheduler(usize),
    Other,
    /// Nodes are tainted one after the other.
    Queue,
    /// They tolerate the taint of a lost node without end.
    Toleration,
    /// Nothing evicts them.
    Nobody,
    /// A pod before them, which is stuck without the loss, too.
    Lower,
}

impl Holder {
    /// From the words of the scheduler, which found no node although there was room. That lost
    /// nodes are tainted says nothing.
    pub(super) fn of(why: &str) -> Self {
        let is_lost = |part: &&str| {
            [UNREACHABLE, NOT_READY, OUT_OF_SERVICE].iter().any(|taint| part.contains(taint))
        };
        let parts = first_sentence(Some(why)).split(", ").filter(|part| !is_lost(part));
        let mut parts: Vec<&str> = parts.collect();
        // Nodes without the label say something only where no other node refuses by the skew.
        if parts.iter().any(|part| part.contains("topology spread") && !part.contains(NO_LABEL)) {
            parts.retain(|part| !part.contains(NO_LABEL));
        }
        let is_said = |word: &&str| parts.iter().any(|part| part.contains(word));
        let found = SAID.iter().position(|(words, ..)| words.iter().any(is_said));
        found.map_or(Self::Other, Self::Scheduler)
    }

    /// What it is, and what would change it in a plan's release.
    pub(super) fn words(self, plan: &Plan) -> String {
        let Self::Scheduler(place) = self else { return "no node suits".to_owned() };
        let honors = !plan.profile.dropped_fields.contains_key(&ApiField::NodeInclusionPolicies);
        let honor = match honors {
            true => ", or, where the lost domain alone holds them, nodeTaintsPolicy: Honor",
            false => "",
        };
        SAID[place].2.replace("{honor}", honor).replace("{frees}", &Frees::of(plan).pod())
    }

    /// What it is, in a few words.
    pub(super) fn brief(self) -> &'static str {
        let Self::Scheduler(place) = self else { return "no node left suits" };
        SAID[place].1
    }

    /// Whether it is that no node left reaches their volumes.
    pub(super) fn is_volumes(self) -> bool {
        self == Self::Scheduler(0)
    }
}

/// Whether pods tolerate the taint of a node that is lost for as long as it is.
pub(super) fn tolerates_for_good(plan: &Plan, template: &PodTemplate) -> bool {
    let lost = Taint::new(UNREACHABLE, Effect::NoExecute);
    let operators = plan.profile.taint_eviction.comparison_operators;
    matching_tolerations(&[lost], &template.tolerations, operators)
        .is_some_and(|used| used.iter().all(|t| t.toleration_seconds.is_none()))
}

/// Disruption budgets that allow no eviction while all is well, so that no node with one of their
/// pods can be drained: a sentence, and the first such node.
pub(super) fn blocked(plan: &Plan) -> Option<(String, String)> {
    let all: Vec<Blocked<'_>> = plan.budgets.iter().filter_map(|b| blocks(plan, b)).collect();
    let nodes: BTreeSet<NodeIndex> = all.iter().flat_map(|b| b.nodes.clone()).collect();
    let first = &plan.nodes[*all.first()?.nodes.first()? as usize].name;
    let names = few(3, nodes.iter().map(|n| plan.nodes[*n as usize].name.as_str()));
    let text = match all.as_slice() {
        [Blocked { name, desired, expected, healthy, .. }] => format!(
            "budget {name} allows no eviction while all is well (it needs {desired} of {expected} pods, {healthy} healthy): no drain of {names} comes to its end"
        ),
        all => {
            let [budgets, nodes] = [all.len(), nodes.len()].map(|n| grouped(n as u64));
            let blocked = few(3, all.iter().map(|b| b.name));
            format!(
                "{budgets} budgets allow no eviction while all is well ({blocked}): no drain of any of {nodes} nodes comes to its end ({names})"
            )
        }
    };
    Some((text, first.clone()))
}

/// A budget that allows no eviction.
struct Blocked<'a> {
    name: &'a str,
    desired: i32,
    expected: i32,
    healthy: i32,
    /// Where its pods are.
    nodes: BTreeSet<NodeIndex>,
}

fn blocks<'a>(plan: &Plan, budget: &'a BudgetPlan) -> Option<Blocked<'a>> {
    let is_its = |p: &&PodPlan| {
        let template = plan.templates.get(p.template as usize);
        namespace_of(&budget.name) == p.name.split('/').next().unwrap_or_default()
            && template.is_some_and(|t| budget.selector.matches(&t.labels))
    };
    let exists = |p: &&PodPlan| p.start.runs() && !p.start.is_deleting();
    let pods: Vec<&PodPlan> = plan.pods.iter().filter(is_its).filter(exists).collect();
    let expected = i32::try_from(pods.len()).ok()?;
    let healthy = i32::try_from(pods.iter().filter(|p| p.start.is_ready()).count()).ok()?;
    let desired = match budget.rule {
        crate::api::budget::BudgetRule::MinAvailable(n) => n.of(expected),
        crate::api::budget::BudgetRule::MaxUnavailable(n) => expected - n.of(expected),
        // It lets none go.
        crate::api::budget::BudgetRule::Neither => expected,
    };
    if expected == 0 || healthy > desired {
        return None;
    }
    let nodes = pods.iter().filter_map(|p| p.node).collect();
    Some(Blocked { name: short_name(&budget.name), desired, expected, healthy, nodes })
}
