//! What a changed template means for the pods of its workload: the fields that a path into a template
//! can change are carried to its pods.

use super::reached::{Owners, Reached, full_names, is_failing, stands};
use crate::language::PodTemplate;
use crate::scenario::prelude::*;

/// The templates that changed, before and after, by the numbers of their workloads.
type Changes = BTreeMap<usize, (PodTemplate, PodTemplate)>;

/// Takes changed templates to the pods and ReplicaSets of their workloads.
pub(super) fn templates(spec: &mut Scenario, was: &Scenario) -> Vec<Reached> {
    let changed = |i: usize| {
        let (before, after) = (was.workloads.get(i)?, spec.workloads.get(i)?);
        let (before, after) = (&before.group().template, &after.group().template);
        (before != after).then(|| (i, (before.clone(), after.clone())))
    };
    let changes: Changes = (0..spec.workloads.len()).filter_map(changed).collect();
    if changes.is_empty() {
        return Vec::new();
    }
    let owners = Owners::new(spec);
    carry_to_sets(spec, &owners, &changes);
    let keep = spec.existing == Some(Existing::Keep);
    carry_to_pods(spec, &owners, &changes, keep)
        .into_iter()
        .filter_map(|((owner, other), groups)| {
            let said = said(&spec.workloads[owner], other, keep)?;
            Some(Reached { groups, said })
        })
        .collect()
}

/// Takes a changed template of a Deployment to its ReplicaSets: what it says now is what its next
/// pods are made from, and the ReplicaSet is the one that makes them.
fn carry_to_sets(spec: &mut Scenario, owners: &Owners, changes: &Changes) {
    for i in 0..spec.workloads.len() {
        let owner = full_names(&spec.workloads[i]).first().and_then(|full| owners.named(full));
        if let Some((before, after)) =
            owner.filter(|o| *o != i && !changes.contains_key(&i)).and_then(|o| changes.get(&o))
        {
            carry(before, after, &mut spec.workloads[i].group_mut().template);
        }
    }
}

/// Takes changed templates to pods: the groups that are reached, by their workload and by whether
/// anything differs.
fn carry_to_pods(
    spec: &mut Scenario,
    owners: &Owners,
    changes: &Changes,
    keep: bool,
) -> BTreeMap<(usize, bool), Vec<usize>> {
    let mut reached: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
    for p in 0..spec.pods.len() {
        let Some(owner) = owners.of(&spec.pods[p]).filter(|_| stands(&spec.pods[p])) else {
            continue;
        };
        let Some((before, after)) = changes.get(&owner) else { continue };
        let mut template = spec.pods[p].template();
        carry(before, after, &mut template);
        if spec.workloads[owner].kind() == WorkloadKind::DaemonSet {
            // A DaemonSet's controller overwrites what a template says of the taints of failing nodes
            // (`pkg/controller/daemon/util/ daemonset_util.go: AddOrUpdateDaemonPodTolerations`).
            let failing = template.tolerations.iter_mut().filter(|t| is_failing(t));
            failing.for_each(|t| t.toleration_seconds = None);
        }
        let made = spec.pods[p].clone().with_template(template);
        let other = made != spec.pods[p];
        if other && !keep {
            spec.pods[p] = made;
        }
        reached.entry((owner, other)).or_default().push(p);
    }
    reached
}

/// The sentence about the pods of a workload. `other`: a rollout changes them.
fn said(workload: &Workload, other: bool, keep: bool) -> Option<String> {
    let of = format!(" of {} {}", workload.kind().as_str(), written(workload.group()));
    let said = match (other, keep, workload.kind()) {
        (true, true, _) => "stay as they are, without what its template says now (existing: Keep)",
        (true, false, WorkloadKind::ReplicaSet | WorkloadKind::Job) => {
            "changed as if made anew from its template"
        }
        (true, false, _) => "changed as by a rollout",
        (false, ..) => return None,
    };
    Some(format!("{of} {said}"))
}

/// `shop/web`
fn written(group: &WorkloadGroup) -> String {
    let several = || group.names.as_ref().and_then(|n| n.texts().first());
    let name = group.name.as_ref().or_else(several).map_or("?", String::as_str);
    format!("{}/{name}", group.namespace.as_deref().unwrap_or("default"))
}

/// Takes what differs between two states of a template to something that was made from the first.
fn carry(before: &PodTemplate, after: &PodTemplate, to: &mut PodTemplate) {
    let new = |(key, value): &(&String, &String)| before.labels.get(*key) != Some(*value);
    to.labels.extend(after.labels.iter().filter(new).map(|(k, v)| (k.clone(), v.clone())));
    let new = |(key, value): &(&String, &QuantityText)| before.requests.get(*key) != Some(*value);
    to.requests.extend(after.requests.iter().filter(new).map(|(k, v)| (k.clone(), v.clone())));
    macro_rules! carry {
        ($($field:ident)*) => {$(
            if before.$field != after.$field {
                to.$field.clone_from(&after.$field);
            }
        )*};
    }
    carry! {
        termination_grace_period_seconds pod_start image init_containers containers pod_stop
        exit_code usage readiness_probe liveness_probe startup_probe serves_after serves_for ends restart_policy
    }
    if (before.priority, &before.priority_class_name)
        != (after.priority, &after.priority_class_name)
    {
        // A pod without a priority of its own gets that of its class.
        to.priority = after.priority;
        to.priority_class_name.clone_from(&after.priority_class_name);
    }
    for (i, toleration) in after.tolerations.iter().enumerate() {
        let old = before.tolerations.get(i);
        if old == Some(toleration) {
            continue;
        }
        // The template's own, or what admission had added because the template had none.
        let alike = |t: &Toleration| {
            (&t.key, t.operator, &t.value)
                == (&toleration.key, toleration.operator, &toleration.value)
                && (t.effect == toleration.effect
                    || t.effect.is_none() && toleration.effect == Some(Effect::NoExecute))
        };
        let there = to.tolerations.iter().position(|t| Some(t) == old);
        match there.or_else(|| to.tolerations.iter().position(alike)) {
            Some(j) => to.tolerations[j] = toleration.clone(),
            None => to.tolerations.push(toleration.clone()),
        }
    }
}
