//! Where pods are as outages begin, which the closed form reckons with. Those that are placed are there from the
//! start; where the others go, and how many of them there are, only a run knows.

use crate::analysis::{Owners, Serving};
use crate::api::meta::OwnerReference;
use crate::api::names::WorkloadId;
use crate::api::pod::{PodPhase, PodSource};
use crate::lab::placed::placed;
use crate::lab::prelude::*;
use crate::plan::{PodIndex, PodStart, WorkloadIndex};

/// A pod: one of the plan, or one that a workload's controller made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    Pod(PodIndex),
    Made(WorkloadIndex),
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
