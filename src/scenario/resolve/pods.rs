//! Pod groups to pods, and how far each is when the run starts.

use super::checks;
use super::pod_names::called;
use super::pod_templates::{Lookup, template};
use super::select::{Pods, PodsOf};
use crate::api::meta::Timestamp;
use crate::api::pod::{Deletion, PodCondition, PodReason, PodTemplate};
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::{self, Placement, PodGroup, PodStart as Written, names, values};
use crate::plan::{NodeIndex, PodIndex, PodPlan, PodStart};

impl Pods {
    /// Keeps a template; pods refer to it by this number.
    pub(super) fn template(&mut self, template: PodTemplate) -> u32 {
        self.templates.push(template);
        self.templates.len() as u32 - 1
    }

    /// Declares the pods of a group. `created_later` is for pods that an entry of the timeline
    /// creates.
    pub(super) fn declare(
        &mut self,
        group: &PodGroup,
        place: &Place,
        created_later: bool,
        lookup: &Lookup<'_>,
        complaints: &mut Complaints,
    ) -> Vec<PodIndex> {
        let first = self.plans.len() as PodIndex;
        let pods = self.places(group, place, lookup.nodes, complaints);
        let template = template(group, place, created_later, lookup, complaints);
        let start = start(group, place, created_later, complaints);
        let Some(pods) = pods else {
            self.incomplete = true;
            return Vec::new();
        };
        let namespace = group.namespace.as_deref().unwrap_or("default");
        if let Err(problem) = checks::namespace(namespace) {
            complaints.add(with(place, "namespace"), problem);
        }
        let template = self.template(template);
        self.add(
            namespace,
            pods,
            template,
            start,
            created_later,
            &called(group, place).at(),
            complaints,
        );
        let declared = first..self.plans.len() as PodIndex;
        for text in [
            group.name.as_deref(),
            group.names.as_ref().and_then(|n| n.texts().first()).map(|t| names::stem(t)),
        ]
        .into_iter()
        .flatten()
        {
            self.groups.push(PodsOf {
                name: text.to_owned(),
                of: format!("pods/{namespace}"),
                pods: declared.clone(),
            });
        }
        declared.collect()
    }

    /// Declares pods one by one. `place` is that of their names.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is another part of a pod; a struct would only rename them"
    )]
    pub(super) fn add(
        &mut self,
        namespace: &str,
        pods: Vec<(String, Option<NodeIndex>)>,
        template: u32,
        start: PodStart,
        created_later: bool,
        place: &Place,
        complaints: &mut Complaints,
    ) {
        for (name, node) in pods {
            if let Err(problem) = checks::object_name("pod", &name) {
                complaints.add(place.clone(), problem);
                self.incomplete = true;
                break;
            }
            let full: Box<str> = format!("{namespace}/{name}").into();
            let known = self.by_name.entry(full.clone()).or_insert(self.plans.len() as PodIndex);
            // A pod that is created later may be another life of a name.
            if *known != self.plans.len() as PodIndex && !created_later {
                complaints.say(place.clone(), format!("pod `{full}` is declared twice"));
                break;
            }
            self.plans.push(PodPlan { name: full, template, node, start });
        }
    }
}

/// How the pods of a group start.
fn start(
    group: &PodGroup,
    place: &Place,
    created_later: bool,
    complaints: &mut Complaints,
) -> PodStart {
    let place = with(place, "start");
    let bound = group.on != Placement::Unbound;
    match &group.start {
        None if created_later => PodStart::Absent,
        Some(_) if created_later => {
            complaints.say(place, "a pod that is created later starts when its kubelet starts it");
            PodStart::Absent
        }
        Some(Written::Pending) => PodStart::Pending,
        Some(Written::Running) if !bound => {
            complaints.say(place, "a pod that is bound to no node cannot be running");
            PodStart::Pending
        }
        None if !bound => PodStart::Pending,
        None | Some(Written::Running) => PodStart::Running,
        Some(Written::Imported { phase, ready, disruption_target, deletion }) => {
            let (ready, disruption_target) = (
                condition(ready, &with(&place, "ready"), complaints),
                condition(disruption_target, &with(&place, "disruptionTarget"), complaints),
            );
            let deletion = deletion
                .as_ref()
                .and_then(|d| read_deletion(d, &with(&place, "deletion"), complaints));
            PodStart::Imported { phase: *phase, ready, disruption_target, deletion }
        }
    }
}

/// A condition that an imported pod has.
fn condition(
    written: &Option<language::PodCondition>,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<PodCondition> {
    let c = written.as_ref()?;
    let time = values::stored_seconds(c.last_transition_time.as_str());
    Some(PodCondition {
        status: c.status,
        reason: match c.reason {
            None => PodReason::None,
            Some(language::PodReason::DeletionByTaintManager) => PodReason::DeletionByTaintManager,
            Some(language::PodReason::DeletionByPodGC) => PodReason::DeletionByPodGc,
            Some(language::PodReason::EvictionByEvictionAPI) => PodReason::EvictionByEvictionApi,
            Some(language::PodReason::PreemptionByScheduler) => PodReason::PreemptionByScheduler,
        },
        last_transition_time: Timestamp(complaints.take(with(place, "lastTransitionTime"), time)?),
    })
}

/// The deletion of an imported pod that has begun.
fn read_deletion(
    written: &language::Deletion,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Deletion> {
    if written.grace_period_seconds < 0 {
        complaints.say(with(place, "gracePeriodSeconds"), "must be greater than or equal to 0");
    }
    let time = values::stored_seconds(written.timestamp.as_str());
    Some(Deletion {
        timestamp: Timestamp(complaints.take(with(place, "timestamp"), time)?),
        grace_period_seconds: written.grace_period_seconds,
    })
}
