//! Groups of workloads to workloads.

use super::pods::{Lookup, pod_template};
use super::prelude::*;
use super::workload_fields::*;
use super::workload_pods::Set;
use crate::plan::PodStart;
use std::cell::OnceCell;

impl Workloads {
    /// Declares a workload, or several that are alike, with the pods that it starts with.
    pub(super) fn declare(
        &mut self,
        written: &Workload,
        place: &Spot,
        created_later: bool,
        pods: &mut Pods,
        lookup: &Lookup,
    ) -> Vec<WorkloadIndex> {
        let (kind, group) = (written.kind(), written.group());
        check_own_fields(kind, group, place);
        let Some(names) = names(&called(group, place)) else {
            self.incomplete = true;
            return Vec::new();
        };
        let namespace = group.namespace.as_deref().unwrap_or("default");
        place.part("namespace").take(checks::namespace(namespace));
        let of = (namespace, &place.part("template"));
        let mut template = pod_template(&group.template, of, false, lookup);
        if kind == WorkloadKind::Job {
            let policy = group.template.restart_policy;
            template.restart_policy = policy.unwrap_or(RestartPolicy::Never);
        }
        let node = group.template.node_name.as_ref().and_then(|name| {
            let place = place.part("template").part("nodeName");
            place.take(lookup.nodes.named(name))
        });
        let mut spec = spec(kind, group, place);
        if let WorkloadSpec::StatefulSet { first_ordinal, .. } = &mut spec
            && lookup.profile.dropped_fields.contains_key(&ApiField::Ordinals)
            && std::mem::take(first_ordinal) != 0
        {
            let sets = names.iter().map(|name| format!("{}/{namespace}/{name}", kind.as_str()));
            self.without_ordinals.extend(sets);
        }
        let min_ready_seconds = at_least_zero(group.min_ready_seconds, 0, "minReadySeconds", place);
        if let Some(selector) = &group.selector {
            check_selector(selector, &template, place);
        }
        let owner =
            group.deployment.as_ref().and_then(|name| self.deployment(namespace, name, place));
        let needs = group.needs.as_ref().and_then(|n| needed(n, place.part("needs")));
        let like = WorkloadPlan {
            name: String::new(),
            kind,
            owner,
            selector: Rc::new(group.selector.clone().unwrap_or_default()),
            template: 0,
            node,
            min_ready_seconds,
            needs,
            spec,
        };
        let on = OnceCell::new();
        let mut set =
            Set { group, place, created_later, namespace, template, like, on, pods, lookup };
        names.iter().filter_map(|name| set.one(self, name)).collect()
    }

    /// Declares the pods whose names are known although their controller creates them, except
    /// those that are there.
    pub(super) fn name_pods(&mut self, pods: &mut Pods) {
        for Numbered { set, of, names, template } in self.numbered.drain(..) {
            let first = pods.plans.len() as u32;
            for name in names {
                let name: Box<str> = name.into();
                if !pods.by_name.contains_key(&name) {
                    pods.by_name.insert(name.clone(), pods.plans.len() as u32);
                    let start = PodStart::Absent;
                    pods.plans.push(PodPlan {
                        name,
                        template,
                        node: None,
                        start,
                        devices: None,
                        restarts: 0,
                        stuck: None,
                    });
                }
            }
            pods.groups.push(PodsOf { name: set, of, pods: first..pods.plans.len() as u32 });
        }
    }

    /// Takes in how many pods workloads need, by their names.
    pub(super) fn need(&mut self, needs: &BTreeMap<String, FlagValue>, complaints: &Complaints) {
        for (name, value) in needs {
            let place = complaints.at(at!["needs"]).part(name);
            let index = place.take(self.named(name));
            if let (Some(index), Some(read)) = (index, needed(value, place)) {
                self.plans[index as usize].needs = Some(read);
            }
        }
    }

    /// The Deployment that a ReplicaSet names.
    fn deployment(&self, namespace: &str, name: &str, place: &Spot) -> Option<WorkloadIndex> {
        let found = self.by_name.get(&format!("Deployment/{namespace}/{name}")).copied();
        if found.is_none() && !self.incomplete {
            let all = self.plans.iter().filter(|w| w.kind == WorkloadKind::Deployment);
            let help = did_you_mean(name, all.map(|w| short_name(&w.name)));
            let text = format!("there is no Deployment `{namespace}/{name}` before this");
            place.part("deployment").add(Problem::new(text).maybe_help(help));
        }
        found
    }
}
