//! Where pods are as outages begin, which the closed form reckons with. Those that are placed are there from the
//! start; where the others go, and how many of them there are, only a run knows. And which nodes suit others like them.

use crate::api::meta::OwnerReference;
use crate::api::node::reaches;
use crate::api::quantity::{Quantity, Resources, add_resources};
use crate::lab::placed::placed;
use crate::lab::prelude::*;
use crate::plan::{PodIndex, PodStart, WorkloadIndex};

/// A pod: one of the plan, or one that a workload's controller made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    Pod(PodIndex),
    Made(WorkloadIndex),
}

impl Whose {
    /// The place of its template.
    pub(super) fn template(self, plan: &Plan) -> Option<usize> {
        let template = match self {
            Self::Pod(pod) => plan.pods.get(pod as usize)?.template,
            Self::Made(workload) => plan.workloads.get(workload as usize)?.template,
        };
        Some(template as usize)
    }
}

/// Pods, each with its node, and whether its workload needs all that it has.
pub(super) type Places = Vec<(NodeIndex, Whose, bool)>;

/// Where pods are just before a time of a run.
pub(super) fn places(analysis: &Analysis<'_>, serving: &Serving, at: Time) -> Places {
    let (plan, names) = (analysis.plan, &analysis.trace.names);
    let known = (0..).zip(&plan.workloads);
    let known = known.filter_map(|(i, w)| Some((names.find_workload(&w.name)?, i)));
    let workloads: BTreeMap<WorkloadId, WorkloadIndex> = known.collect();
    let owners = Owners::new(analysis);
    let needing = serving.workloads.iter().filter(|w| {
        let now = w.counts.iter().take_while(|count| count.0 < at).last();
        now.is_some_and(|(_, count)| count.up == count.needed)
    });
    let needing: BTreeSet<WorkloadId> = needing.filter_map(|w| w.id).collect();
    placed(analysis, at, |pod, state, node| {
        if !state.is_active() {
            return None;
        }
        let planned =
            plan.pods.get(pod.index()).is_some_and(|p| *p.name == *analysis.pod_name(pod));
        let owner = owners.of(analysis, pod);
        let whose = match planned {
            true => Whose::Pod(pod.0),
            false => Whose::Made(*workloads.get(&owner?)?),
        };
        Some((node, whose, owner.is_some_and(|owner| needing.contains(&owner))))
    })
}

/// Where pods are that all are placed; none where workloads make others beside them. What these need only a run knows.
pub(super) fn bound(plan: &Plan) -> Option<Places> {
    let size = plan.size();
    let there = (0..).zip(&plan.pods).filter(|(_, pod)| !is_over(pod));
    let there = there.filter_map(|(i, pod)| Some((pod.node?, Whose::Pod(i), false)));
    (size.to_make + size.daemon_sets == 0).then(|| there.collect())
}

/// By template the first two nodes that suit a pod of it, beside those that are there: who is on one of them may go to the other.
pub(super) fn suiting(plan: &Plan, places: &Places) -> Vec<Vec<NodeIndex>> {
    let mut used = vec![(Resources::new(), 0); plan.nodes.len()];
    for (node, whose, _) in places {
        let template = whose.template(plan).and_then(|t| plan.templates.get(t));
        if let (Some((used, pods)), Some(template)) = (used.get_mut(*node as usize), template) {
            *pods += 1;
            add_resources(used, &template.requests);
        }
    }
    let suits = |template: &PodTemplate, node: &NodePlan, (used, pods): &(Resources, i128)| {
        let amount = |of: &Resources, name: &str| of.get(name).copied().unwrap_or_default();
        let has_room = |(name, asked): (&String, &Quantity)| {
            let all = amount(used, name).checked_add(*asked);
            asked.is_zero() || all.is_some_and(|all| all <= amount(&node.allocatable, name))
        };
        let is_tolerated = |taint: &Taint| {
            taint.effect == Effect::PreferNoSchedule
                || template.tolerations.iter().any(|own| own.tolerates(taint, false))
        };
        node.start != NodeStart::Absent
            && !node.unschedulable
            && *pods < amount(&node.allocatable, "pods").value()
            && template.admits_node(&node.name, &node.labels)
            && template.claims.iter().all(|claim| reaches(&node.labels, &claim.reach))
            && node.taints.iter().all(is_tolerated)
            && template.requests.iter().all(has_room)
    };
    let of = |template: &PodTemplate| {
        let all = (0..).zip(plan.nodes.iter().zip(&used));
        let some = all.filter(|(_, (node, used))| suits(template, node, used));
        some.map(|(i, _)| i).take(2).collect()
    };
    plan.templates.iter().map(of).collect()
}

fn is_over(pod: &PodPlan) -> bool {
    matches!(pod.start, PodStart::Imported { phase: PodPhase::Succeeded | PodPhase::Failed, .. })
}

/// Whether a pod has no workload, where others have one.
pub(super) fn is_bare(plan: &Plan, template: &PodTemplate) -> bool {
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

#[cfg(test)]
mod tests {
    use super::super::closed::Formula;
    use super::*;
    use crate::scenario::{drawn, parse};
    use std::path::Path;

    /// A pod on the last of three nodes, which stops twelve times a year, for two minutes or for thirty: 16 minutes on average, and two
    /// seconds of a start are 192.4 a year, whatever it tolerates, if no other node is for it: not for its local volume, nor
    /// for one that its zone alone reaches, nor by its labels, its taints, or what others have taken there. Otherwise it
    /// is elsewhere after 49 + 300 s and two: 12 · (122 + 351) / 2 = 47.3 minutes.
    #[test]
    fn who_can_be_on_one_node_alone_waits_for_it() {
        let of = |(cpu, labels, taint): (&str, &str, &str), template: &str, others: &str| {
            let text = format!(
                r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{{0..1}}", zone: "a", capacity: {{"cpu": "{cpu}", "pods": "9"}}, taints: [{taint}]),
                    (name: "n-2", zone: "b", capacity: {{"cpu": "1", "pods": "9"}}, labels: {{{labels}}})],
                workloads: [Deployment(name: "web", replicas: 1, placement: Nodes(["n-2"]), template: (requests: {{"cpu": "1"}}, {template})){others}],
                faults: (models: [(name: "crash", nodes: Nodes(["n-2"]), do: Crash, rate: PerNodeYear(12), lasts: Values(["2m", "30m"]))]))"#
            );
            let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
            let row = drawn(&loaded, &Overrides::default()).expect("it builds");
            let places = bound(&row.plan).expect("all pods are placed");
            Formula::new(&row, places, Dur::from_secs(300), &[]).a_year(&row)
        };
        let plain = ("1", "", "");
        let full = r#", Deployment(name: "api", replicas: 2, placement: Nodes(["n-0", "n-1"]), template: (requests: {"cpu": "1"}))"#;
        for (nodes, template, others, missing, waiting) in [
            (plain, "", "", 47.3, 0.0),
            (plain, r#"volumes: [(claim: "f", node: "n-2")]"#, "", 192.4, 192.4),
            (plain, r#"volumes: [(claim: "f", zone: "b", access: RWX)]"#, "", 192.4, 192.4),
            (("1", r#""gpu": "y""#, ""), r#"nodeSelector: {"gpu": "y"}"#, "", 192.4, 192.4),
            (("1", "", r#""alone:NoSchedule""#), "", "", 192.4, 192.4),
            (("500m", "", ""), "", "", 192.4, 192.4),
            (plain, "", full, 192.4, 192.4),
        ] {
            let found = of(nodes, template, others);
            let off = (found.missing - missing).abs() + (found.waiting - waiting).abs();
            assert!(
                off < 1e-6 && (found.evicted - 6.0).abs() < 1e-6,
                "{nodes:?} {template}: {found:?}"
            );
        }
    }
}
