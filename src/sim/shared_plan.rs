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
        Self {
            plan: Rc::new(without_objects(plan)),
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

fn without_objects(plan: &Plan) -> Plan {
    Plan {
        name: plan.name.clone(),
        doc: plan.doc.clone(),
        begins: plan.begins,
        notes: Vec::new(),
        horizon: plan.horizon,
        profile: plan.profile.clone(),
        flags: plan.flags.clone(),
        timing: plan.timing.clone(),
        eviction: plan.eviction.clone(),
        admission: plan.admission,
        controllers_start: plan.controllers_start,
        warm_start: plan.warm_start,
        memory: plan.memory.clone(),
        nodes: Vec::new(),
        templates: Vec::new(),
        pods: Vec::new(),
        controllers: plan.controllers,
        scheduler: plan.scheduler,
        workloads: plan.workloads.clone(),
        budgets: plan.budgets.clone(),
        namespaces: plan.namespaces.clone(),
        timeline: plan.timeline.clone(),
        actions: plan.actions.clone(),
        has_devices: plan.has_devices,
        provisions: plan.provisions,
        device_taint_rules: plan.device_taint_rules.clone(),
        readiness: plan.readiness.clone(),
        lease_records: plan.lease_records,
        perturb: plan.perturb,
        tape: None,
    }
}
