//! What all runs of a plan have in common.

use crate::api::meta::Uid;
use crate::api::pod::PodTemplate;
use crate::apiserver::Admission;
use crate::sim::prelude::*;

/// What all runs of a plan have in common.
pub(super) struct Common {
    /// The plan without its nodes, pods and templates, which are the most of it.
    pub(super) plan: Rc<Plan>,
    /// Its templates, as they are admitted.
    pub(super) templates: Vec<Rc<PodTemplate>>,
    pub(super) owned_templates: Rc<OwnedTemplates>,
}

/// Templates of pods of the plan whose owner is a workload of the run, by the number that they have
/// without that.
pub(super) type OwnedTemplates = Shared<BTreeMap<(u32, WorkloadId, Uid), Rc<PodTemplate>>>;

impl Common {
    pub(super) fn of(plan: &Plan) -> Self {
        let (notes, nodes, templates, pods) = Default::default();
        Self {
            plan: Rc::new(Plan { notes, nodes, templates, pods, tape: None, ..plan.clone() }),
            templates: admitted(plan).map(Rc::new).collect(),
            owned_templates: Rc::default(),
        }
    }
}

/// The templates of a plan as they are admitted: with the tolerations that the API server adds.
pub(crate) fn admitted(plan: &Plan) -> impl Iterator<Item = PodTemplate> {
    let admission = admission(plan);
    plan.templates.iter().map(move |t| admission.template(t).unwrap_or_else(|| t.clone()))
}

/// How the API server admits objects.
pub(super) fn admission(plan: &Plan) -> Admission {
    let flags = &plan.flags;
    Admission {
        default_toleration_seconds: plan.admission.default_toleration_seconds.then_some((
            flags.default_not_ready_toleration_seconds,
            flags.default_unreachable_toleration_seconds,
        )),
        taint_nodes_by_condition: plan.admission.taint_nodes_by_condition,
        pod_toleration_restriction: plan.admission.pod_toleration_restriction,
        namespaces: plan.namespaces.clone(),
        extended_resource_toleration: plan.admission.extended_resource_toleration,
        validates_ready: plan.profile.workload.job.validates_ready,
    }
}
