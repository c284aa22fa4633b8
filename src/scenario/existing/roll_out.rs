//! Takes what changed to the pods that exist, and what another default of the admission plugin
//! DefaultTolerationSeconds means for those that have the former one.

use super::reached::{Owners, Reached, is_failing, stands};
use super::templates::templates;
use crate::scenario::prelude::*;

/// Takes what changed in templates and in the default tolerations' flags to the pods that exist.
/// `was` is the scenario before its settings were changed.
pub(crate) fn roll_out(
    spec: &mut Scenario,
    was: &Scenario,
    exported: Option<&Exported>,
) -> Vec<Reached> {
    let mut reached = templates(spec, was);
    for key in [NOT_READY, UNREACHABLE] {
        reached.extend(defaults(spec, was, exported, key));
    }
    reached
}

/// The seconds that the plugin gives where no flag says otherwise.
const DEFAULT_SECONDS: i64 = 300;

fn seconds_of(flags: &Flags, flag: &str) -> Option<i64> {
    match flags.kube_apiserver.get(flag)? {
        FlagValue::Int(n) => Some(*n),
        FlagValue::Text(text) => text.parse().ok(),
        FlagValue::Bool(_) | FlagValue::Float(_) => None,
    }
}

/// Takes another default of the plugin DefaultTolerationSeconds to the pods that have the former
/// one.
fn defaults(
    spec: &mut Scenario,
    was: &Scenario,
    exported: Option<&Exported>,
    key: &str,
) -> Option<Reached> {
    let short = key.trim_start_matches("node.kubernetes.io/");
    let flag = &format!("default-{short}-toleration-seconds");
    let new = seconds_of(&spec.flags, flag)?;
    if is_disabled(&spec.flags) {
        return None;
    }
    let of_export = exported.map(|e| seconds_of(&e.flags, flag).unwrap_or(DEFAULT_SECONDS));
    let of_file = [Some(DEFAULT_SECONDS), seconds_of(&was.flags, flag)];
    let former = |p: usize| match (of_export, exported) {
        (Some(seconds), Some(e)) if p >= e.own_pods => [Some(seconds), None],
        _ => of_file,
    };
    let added = |t: &Toleration, p: usize| {
        t.key == key
            && is_failing(t)
            && t.toleration_seconds.is_some_and(|s| s != new && former(p).contains(&Some(s)))
    };
    let candidates: Vec<usize> = (0..spec.pods.len())
        .filter(|&p| stands(&spec.pods[p]) && spec.pods[p].tolerations.iter().any(|t| added(t, p)))
        .collect();
    if candidates.is_empty() {
        return None;
    }
    let owners = Owners::new(spec);
    let own = |p: usize| is_stated(spec, p, &owners, exported, key);
    let groups: Vec<usize> = candidates.into_iter().filter(|&p| !own(p)).collect();
    let keep = spec.existing == Some(Existing::Keep);
    let mut seconds: Vec<i64> = Vec::new();
    for &p in &groups {
        for toleration in spec.pods[p].tolerations.iter_mut().filter(|t| added(t, p)) {
            seconds.extend(toleration.toleration_seconds);
            if !keep {
                toleration.toleration_seconds = Some(new);
            }
        }
    }
    let said = said(seconds, short, keep);
    Some(Reached { groups, said })
}

/// Whether the plugin is switched off.
fn is_disabled(flags: &Flags) -> bool {
    let disabled = flags.kube_apiserver.get("disable-admission-plugins");
    let disabled = disabled.map(ToString::to_string).unwrap_or_default();
    disabled.split(',').any(|name| name.trim() == "DefaultTolerationSeconds")
}

/// Whether somebody stated a toleration of that taint for these pods: in the defaults of their
/// namespace, in the template of their workload, or for the pods themselves.
fn is_stated(
    spec: &Scenario,
    p: usize,
    owners: &Owners,
    exported: Option<&Exported>,
    key: &str,
) -> bool {
    let states = |t: &Toleration| {
        (t.key == key || t.key.is_empty()) && t.effect.is_none_or(|e| e == Effect::NoExecute)
    };
    let pod = &spec.pods[p];
    let namespace = pod.namespace.as_deref().unwrap_or("default");
    let own = spec.namespaces.iter().find(|n| n.name.as_deref() == Some(namespace));
    let defaults = own.and_then(|n| n.default_tolerations.as_ref());
    if defaults.is_some_and(|all| all.iter().any(states)) {
        return true;
    }
    match owners.of(pod) {
        Some(owner) => spec.workloads[owner].group().template.tolerations.iter().any(states),
        // A pod that is written without an owner has what somebody wrote; in an export nobody
        // can tell.
        None => pod.owner.is_none() && exported.is_none_or(|e| p < e.own_pods),
    }
}

/// The sentence about pods that admission had given these seconds.
fn said(mut seconds: Vec<i64>, short: &str, keep: bool) -> String {
    seconds.sort_unstable();
    seconds.dedup();
    let seconds = seconds.iter().map(|s| format!("{s} s")).collect::<Vec<_>>().join(" or ");
    let those = format!("the {seconds} for {short} that DefaultTolerationSeconds had added");
    match keep {
        true => format!(" keep {those} (existing: Keep)"),
        false => format!(" changed as by a rollout: those with {those}"),
    }
}
