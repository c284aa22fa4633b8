//! The fields that a path into a template can change, carried from the template to its pods.

use crate::api::taint::Effect;
use crate::language::{DurationText, PodGroup, PodTemplate, QuantityText, Toleration};
use std::collections::BTreeMap;

/// What a path into a template can change, in a template or in pods.
pub(super) struct Fields<'a> {
    labels: &'a mut BTreeMap<String, String>,
    tolerations: &'a mut Vec<Toleration>,
    grace: &'a mut Option<i64>,
    priority: &'a mut Option<i32>,
    priority_class: &'a mut Option<String>,
    requests: &'a mut BTreeMap<String, QuantityText>,
    start: &'a mut Option<DurationText>,
    stop: &'a mut Option<DurationText>,
    exit_code: &'a mut Option<i32>,
}

/// Those of a template.
pub(super) fn of_template(t: &mut PodTemplate) -> Fields<'_> {
    Fields {
        labels: &mut t.labels,
        tolerations: &mut t.tolerations,
        grace: &mut t.termination_grace_period_seconds,
        priority: &mut t.priority,
        priority_class: &mut t.priority_class_name,
        requests: &mut t.requests,
        start: &mut t.pod_start,
        stop: &mut t.pod_stop,
        exit_code: &mut t.exit_code,
    }
}

/// Those of a group of pods.
pub(super) fn of_pod(p: &mut PodGroup) -> Fields<'_> {
    Fields {
        labels: &mut p.labels,
        tolerations: &mut p.tolerations,
        grace: &mut p.termination_grace_period_seconds,
        priority: &mut p.priority,
        priority_class: &mut p.priority_class_name,
        requests: &mut p.requests,
        start: &mut p.pod_start,
        stop: &mut p.pod_stop,
        exit_code: &mut p.exit_code,
    }
}

/// Takes what differs between two states of a template to something that was made from the first.
pub(super) fn carry(before: &PodTemplate, after: &PodTemplate, to: Fields<'_>) {
    let new = |(key, value): &(&String, &String)| before.labels.get(*key) != Some(*value);
    to.labels.extend(after.labels.iter().filter(new).map(|(k, v)| (k.clone(), v.clone())));
    let new = |(key, value): &(&String, &QuantityText)| before.requests.get(*key) != Some(*value);
    to.requests.extend(after.requests.iter().filter(new).map(|(k, v)| (k.clone(), v.clone())));
    if before.termination_grace_period_seconds != after.termination_grace_period_seconds {
        *to.grace = after.termination_grace_period_seconds;
    }
    if before.pod_start != after.pod_start {
        to.start.clone_from(&after.pod_start);
    }
    if before.pod_stop != after.pod_stop {
        to.stop.clone_from(&after.pod_stop);
    }
    if before.exit_code != after.exit_code {
        *to.exit_code = after.exit_code;
    }
    if (before.priority, &before.priority_class_name)
        != (after.priority, &after.priority_class_name)
    {
        // A pod without a priority of its own gets that of its class.
        (*to.priority, *to.priority_class) = (after.priority, after.priority_class_name.clone());
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
        let there = to
            .tolerations
            .iter()
            .position(|t| Some(t) == old)
            .or_else(|| to.tolerations.iter().position(alike));
        match there {
            Some(j) => to.tolerations[j] = toleration.clone(),
            None => to.tolerations.push(toleration.clone()),
        }
    }
}
