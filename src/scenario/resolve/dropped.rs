//! Fields of objects that the API server of the release does not store. Upstream a user who writes one gets the object
//! without it, and no word; here it is taken out of the plan, and results say so.
//!
//! `pkg/api/pod/util.go: dropDisabledFields`, v1.34, and the strategies of StatefulSets, Jobs and budgets under
//! `pkg/registry`. Left out: other fields that came with 1.6 to 1.9.

use super::listed::{in_short, listed, owners};
use super::prelude::*;
use crate::api::container::{Container, Role};
use crate::api::probe::{Life, ProbeType};
use crate::api::scheduling::SchedulingSpec;
use crate::api::taint;
use crate::api::toleration::Toleration;
use crate::api::workload::JobSpec;
use std::mem::take;

/// Takes out of a plan what the API server of its release drops, and what controllers overwrite, and says of whom;
/// `without_ordinals` are StatefulSets that were declared without theirs, as the names of their pods follow from them.
pub(super) fn drop_fields(plan: &mut Plan, without_ordinals: &[String]) -> Vec<String> {
    let release = Release::parse(&plan.profile.release).map(Release::short).unwrap_or_default();
    let dropped = plan.profile.dropped_fields.clone();
    let sentence = |(field, gate): (ApiField, Option<&str>)| {
        let names = take_out(plan, field, without_ordinals)?;
        let field = field.as_str();
        Some(match gate {
            Some(gate) => format!(
                "{release}'s API server drops `{field}` of {names}: the feature gate {gate} is off."
            ),
            None => {
                format!("{release}'s API server does not know `{field}` of {names}, and drops it.")
            }
        })
    };
    let mut said: Vec<String> = dropped.into_iter().filter_map(sentence).collect();
    said.extend(overwritten(plan));
    said
}

/// Takes out of the templates of DaemonSets for how long their pods tolerate a lost node, and says of whom: the controller
/// overwrites these tolerations (`pkg/controller/daemon/util/daemonset_util.go: AddOrUpdateDaemonPodTolerations`).
fn overwritten(plan: &mut Plan) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for set in plan.workloads.iter().filter(|w| w.kind == WorkloadKind::DaemonSet) {
        let tolerations = &mut plan.templates[set.template as usize].tolerations;
        let is_its = |t: &&mut Toleration| {
            [taint::NOT_READY, taint::UNREACHABLE].contains(&&*t.key)
                && (t.operator, t.effect) == (Operator::Exists, Some(Effect::NoExecute))
        };
        let own = tolerations.iter_mut().filter(is_its);
        if own.filter_map(|t| t.toleration_seconds.take()).count() > 0 {
            names.push(in_short(&set.name));
        }
    }
    let names = listed(names)?;
    Some(format!(
        "`tolerationSeconds` of DaemonSet {names} changes nothing: its controller lets pods tolerate not-ready and unreachable for ever."
    ))
}

/// Takes a field out of all objects that have it; who they are.
fn take_out(plan: &mut Plan, field: ApiField, without_ordinals: &[String]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    match field {
        ApiField::Ordinals => names.extend(without_ordinals.iter().map(String::as_str)),
        ApiField::MinReadySeconds => {
            let sets = plan.workloads.iter_mut().filter(|w| w.kind == WorkloadKind::StatefulSet);
            names.extend(
                sets.filter_map(|w| (take(&mut w.min_ready_seconds) > 0).then_some(&*w.name)),
            );
        }
        ApiField::PodFailurePolicy => {
            names.extend(jobs(plan, |job| !take(&mut job.pod_failure_policy).is_empty()));
        }
        ApiField::PodReplacementPolicy => {
            names.extend(jobs(plan, |job| take(&mut job.pod_replacement_policy).is_some()));
        }
        ApiField::UnhealthyPodEvictionPolicy => {
            let budgets = plan.budgets.iter_mut();
            let had =
                budgets.filter_map(|b| take(&mut b.always_allow_unhealthy).then_some(&*b.name));
            names.extend(had);
        }
        _ => return of_templates(plan, field),
    }
    listed(names.into_iter().map(in_short))
}

/// The names of Jobs of which something is taken.
fn jobs(plan: &mut Plan, takes: fn(&mut JobSpec) -> bool) -> impl Iterator<Item = &str> {
    plan.workloads.iter_mut().filter_map(move |w| {
        let WorkloadSpec::Job(job) = &mut w.spec else { return None };
        takes(job).then_some(&*w.name)
    })
}

/// Takes a field out of the templates of pods.
fn of_templates(plan: &mut Plan, field: ApiField) -> Option<String> {
    let names = owners(plan, |template| {
        let of_scheduling =
            |spec: &Rc<SchedulingSpec>| take_from_spec(&mut (**spec).clone(), field);
        let of_life = |life: &Rc<Life>| take_from_life(&mut (**life).clone(), field);
        take_priority(&mut template.clone(), field)
            || template.scheduling.as_ref().is_some_and(of_scheduling)
            || template.lives().any(of_life)
            || template.containers.iter().any(|c| take_sidecar(&mut c.clone(), field))
    })?;
    for template in &mut plan.templates {
        take_priority(template, field);
        if let Some(spec) = &mut template.scheduling
            && take_from_spec(Rc::make_mut(spec), field)
            && **spec == SchedulingSpec::default()
        {
            template.scheduling = None;
        }
        if let Some(life) = &mut template.life
            && take_from_life(Rc::make_mut(life), field)
            && **life == Life::default()
        {
            template.life = None;
        }
        for container in &mut template.containers {
            take_from_life(Rc::make_mut(&mut container.life), field);
            take_sidecar(container, field);
        }
    }
    Some(names)
}

/// Takes a field out of what the scheduler reads of a pod; whether it was there.
fn take_from_spec(spec: &mut SchedulingSpec, field: ApiField) -> bool {
    let before = spec.clone();
    for constraint in &mut spec.topology_spread {
        match field {
            ApiField::MinDomains => constraint.min_domains = 1,
            ApiField::MatchLabelKeys => constraint.match_label_keys.clear(),
            ApiField::NodeInclusionPolicies => {
                (constraint.honor_affinity, constraint.honor_taints) = (true, false);
            }
            _ => {}
        }
    }
    match field {
        ApiField::TopologySpreadConstraints => spec.topology_spread.clear(),
        ApiField::SchedulingGates => spec.gates.clear(),
        ApiField::PreemptionPolicy => spec.never_preempts = false,
        ApiField::NamespaceSelector => {
            for of in [&mut spec.pod_affinity, &mut spec.pod_anti_affinity] {
                let preferred = of.preferred.iter_mut().map(|(_, term)| term);
                of.required.iter_mut().chain(preferred).for_each(|t| t.all_namespaces = false);
            }
        }
        _ => {}
    }
    *spec != before
}

/// Takes out a priority and the name of its class; whether there was one.
fn take_priority(template: &mut PodTemplate, field: ApiField) -> bool {
    field == ApiField::Priority
        && (take(&mut template.priority).is_some_and(|p| p != 0)
            || !take(&mut template.priority_class_name).is_empty())
}

/// Takes out that an init container is a sidecar; whether it was. Nobody waits for more than its end then, which may never come.
fn take_sidecar(container: &mut Container, field: ApiField) -> bool {
    let is_it = field == ApiField::ContainerRestartPolicy && container.role == Role::Sidecar;
    if is_it {
        container.role = Role::Init;
    }
    is_it
}

/// Takes a field out of what is said of a container's probes; whether it was there.
fn take_from_life(life: &mut Life, field: ApiField) -> bool {
    match field {
        ApiField::StartupProbe => life.probes[ProbeType::Startup as usize].take().is_some(),
        ApiField::ProbeGracePeriod => {
            let graces = life.probes.iter_mut().flatten().filter_map(|probe| probe.grace.take());
            graces.count() > 0
        }
        _ => false,
    }
}
