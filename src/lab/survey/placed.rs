//! Which pods are where when losses begin, after a run without one: some are placed before a run, and others only in it.

use crate::api::container::Role;
use crate::lab::placed;
use crate::lab::prelude::*;

/// A pod that has a node, and has not ended, when losses begin.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Placed {
    /// `namespace/name`
    pub(super) name: String,
    /// Its workload, of a Deployment's pod the Deployment.
    pub(super) workload: Option<String>,
    pub(super) node: NodeIndex,
    /// Its template, or that of its workload; index into the plan's.
    pub(super) template: u32,
    /// What else tells it from others with that template.
    pub(super) state: String,
}

/// The pods that have a node just before a time.
pub(super) fn placed(analysis: &Analysis<'_>, at: Time) -> Vec<Placed> {
    let (plan, names, owners) = (analysis.plan, &analysis.trace.names, Owners::new(analysis));
    let planned: BTreeMap<&str, &PodPlan> = plan.pods.iter().map(|p| (&*p.name, p)).collect();
    let templates: BTreeMap<&str, u32> =
        plan.workloads.iter().map(|w| (w.name.as_str(), w.template)).collect();
    placed::placed(analysis, at, |pod, state, node| {
        if !state.exists || state.phase.is_terminal() {
            return None;
        }
        let (name, owner) = (analysis.pod_name(pod), owners.of(analysis, pod));
        let own = planned.get(name);
        let made = || {
            let mut of = [names.owner_of(pod), owner].into_iter().flatten();
            of.find_map(|w| templates.get(names.workload_name(w)).copied())
        };
        let template = own.map(|p| p.template).or_else(made)?;
        let of = plan.templates.get(template as usize)?;
        // Which devices one was given in the run is not known here: it is like no other.
        let devices = match own {
            Some(own) => format!("{:?}", own.devices),
            None if of.devices.is_empty() => String::new(),
            None => name.to_owned(),
        };
        // When one ends that ends by itself depends on when it began.
        let beside = of.containers.iter().filter(|c| c.role != Role::Init).map(|c| &c.life);
        let ends = of.life.iter().chain(beside).any(|life| life.ends.is_some());
        let since = ends.then(|| state.bound_at.as_secs());
        let (phase, ready, deleting) = (state.phase, state.ready, state.deleting);
        Some(Placed {
            name: name.to_owned(),
            workload: owner.map(|w| names.workload_name(w).to_owned()),
            node,
            template,
            state: format!("{phase:?} {ready} {deleting} {devices} {since:?}"),
        })
    })
}
