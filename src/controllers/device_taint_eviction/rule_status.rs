//! What is said of a rule in its status: the condition EvictionInProgress (`maybeUpdateRuleStatus`).

use super::core::{Core, RULE_STATUS_PERIOD, Reason, Rules};
use crate::api::device::{DeviceId, DeviceTaintRule, RuleCondition};
use crate::api::names::{Names, stable_hash};
use crate::controllers::prelude::*;

/// Says how far eviction is, and what it would do where the effect is `None`; not more often than every ten
/// seconds.
pub(super) async fn maybe_update(core: &Core, name: TextId, uid: Uid) -> ApiResult<Dur> {
    // All of it with the mutex held, the request included.
    let held = core.mutex.lock().await;
    let Some(rule) = core.informers.rule(name).filter(|r| r.uid == uid) else {
        return Ok(Dur::ZERO);
    };
    if let Some(said) = rule.status.as_ref().filter(|s| s.observed_generation == rule.generation) {
        let since = core.ctx.now().since(said.last_transition_time.after(Dur::ZERO));
        if since < RULE_STATUS_PERIOD {
            return Ok(RULE_STATUS_PERIOD - since);
        }
    }
    let now = core.client.api().timestamp();
    let last = rule.status.as_ref().map_or(now, |s| s.last_transition_time);
    let mut condition = condition(core, &rule, last);
    if rule.status.as_ref() == Some(&condition) {
        return Ok(Dur::ZERO);
    }
    condition.last_transition_time = now;
    let hash = core.client.api().names(|n| stable_hash(n.text_of(name)));
    let about = Object { id: name.0, hash };
    let apply = move |api: &ApiServer, actor| api.apply_rule_status(actor, (name, uid), condition);
    core.client.call(about, apply).await?;
    drop(held);
    Ok(Dur::ZERO)
}

fn condition(core: &Core, rule: &Rc<DeviceTaintRule>, last: Timestamp) -> RuleCondition {
    let evicted = core.state.with(|s| s.evicted_by.get(&rule.uid).copied().unwrap_or(0));
    let mut message = String::new();
    let reason = if rule.previews {
        // As if it evicted, and no other rule did.
        let alone = BTreeMap::from([(rule.name, rule.clone())]);
        let (slices, allocated) = count_tainted_devices(core, rule);
        let (pods, namespaces) = count_pending_pods(core, rule.uid, &alone);
        message = format!(
            "{} selected. {} selected. {} would be evicted in {} if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
            counted(slices, "published device", "published devices"),
            counted(allocated, "allocated device", "allocated devices"),
            counted(pods, "pod", "pods"),
            counted(namespaces, "namespace", "different namespaces"),
        );
        "NoEffect"
    } else if !rule.evicts() {
        message.push_str("Eviction only happens for the NoExecute effect.");
        "OtherEffect"
    } else {
        let rules = core.state.with(|s| s.evicting_rules.clone());
        let (pods, namespaces) = count_pending_pods(core, rule.uid, &rules);
        if pods > 0 {
            message = format!(
                "{} to be evicted in {}.",
                counted(pods, "pod needs", "pods need"),
                counted(namespaces, "namespace", "different namespaces")
            );
            "PodsPendingEviction"
        } else if evicted > 0 {
            "Completed"
        } else {
            "NotStarted"
        }
    };
    if evicted > 0 {
        let space = if message.is_empty() { "" } else { " " };
        let pods = counted(evicted as usize, "pod", "pods");
        message.push_str(&format!("{space}{pods} evicted since starting the controller."));
    }
    let is_true = reason == "PodsPendingEviction";
    let observed_generation = rule.generation;
    RuleCondition { is_true, reason, message, observed_generation, last_transition_time: last }
}

/// How many pods that are not being deleted a rule is to evict, and in how many namespaces.
fn count_pending_pods(core: &Core, rule: Uid, rules: &Rules) -> (usize, usize) {
    let mut namespaces: BTreeSet<String> = BTreeSet::new();
    let mut count = 0;
    for pod in core.informers.pods().iter().filter(|p| !p.is_terminating()) {
        let eviction = core.pod_eviction_time(pod, rules);
        let is_of = |r: &Reason| matches!(r, Reason::Rule(_, uid, _) if *uid == rule);
        if eviction.is_some_and(|e| e.reasons.iter().any(is_of)) {
            count += 1;
            let name = |n: &mut Names| namespace_of(n.pod_name(pod.id)).to_owned();
            namespaces.insert(core.client.api().names(name));
        }
    }
    (count, namespaces.len())
}

/// How many devices that are published a rule selects, and how many that somebody has.
fn count_tainted_devices(core: &Core, rule: &DeviceTaintRule) -> (usize, usize) {
    let allocated = core.informers.allocated_devices();
    let mut counts = (0, 0);
    for slices in core.informers.slices() {
        let pool = core.informers.name_of(slices.node);
        for (place, device) in (0..).zip(slices.devices.iter()) {
            if rule.selector.matches(device, &pool) {
                counts.0 += 1;
                let id = DeviceId { node: slices.node, place };
                counts.1 += usize::from(allocated.contains(&id));
            }
        }
    }
    counts
}

/// `1 pod`, `2 pods`.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
