//! Rules that taint devices, as a scenario has them.

use super::document;
use super::input::Input;
use super::raw_devices::RawRuleSpec;
use super::seeds::Body;
use crate::import::prelude::*;

/// What a rule selects by, in words.
pub(super) fn selected(rule: &DeviceTaintRule) -> String {
    let parts = [("driver", &rule.driver), ("pool", &rule.pool), ("name", &rule.device)];
    let told = |(name, of): (&str, &Option<String>)| Some(format!("the {name} {}", of.as_ref()?));
    parts.into_iter().filter_map(told).collect::<Vec<_>>().join(" and ")
}

/// A rule of that name as a scenario has it.
pub(super) fn rule(name: &str, spec: &RawRuleSpec, zero: Stamp) -> Result<DeviceTaintRule, Wrong> {
    let mut rule = DeviceTaintRule { name: name.to_owned(), ..DeviceTaintRule::default() };
    for (key, value) in spec.device_selector.iter().flatten() {
        let part = match key.as_str() {
            "driver" => &mut rule.driver,
            "pool" => &mut rule.pool,
            "device" => &mut rule.device,
            _ => {
                let alpha = matches!(key.as_str(), "deviceClassName" | "selectors");
                let what = if alpha {
                    "1.33 and 1.34 select by it, which is not simulated; from 1.35 on the API drops it"
                } else {
                    "the API does not know it and drops it"
                };
                return Err(Wrong(format!(
                    "spec.deviceSelector.{key}: {what}, and a selector that is empty then selects every device"
                )));
            }
        };
        *part = field(value, key)?;
    }
    let taint = &spec.taint;
    let effect = &taint.effect;
    if !["NoSchedule", "NoExecute", "None"].contains(&effect.as_str()) {
        return Err(fields::unknown("spec.taint.effect", effect));
    }
    let value = if taint.value.is_empty() { String::new() } else { format!("={}", taint.value) };
    rule.taint = format!("{}{value}:{effect}", taint.key);
    let added = time("timeAdded", &taint.time_added)?;
    rule.added = added.map(|t| seconds(t.seconds_since(zero)));
    Ok(rule)
}

/// The DeviceTaintRules of a file, as kubectl takes them. When their taints were added does not count.
///
/// # Errors
/// There is something else in it, a rule that the API would not have accepted, or one that selects nothing.
pub(crate) fn rules(input: &Input) -> Result<Vec<DeviceTaintRule>> {
    let mut rules = Vec::new();
    document::read(input, &mut |place, meta, body| {
        let wrong = |text: &str| at(&place)(Wrong(text.to_owned()));
        let Body::TaintRule(spec, _) = body else {
            return Err(wrong("is no DeviceTaintRule"));
        };
        if spec.device_selector.is_none() {
            return Err(wrong(
                "has no spec.deviceSelector, and evicts nobody; `deviceSelector: {}` selects every device",
            ));
        }
        let name = fields::name("metadata.name", &meta.name);
        let read = name.and_then(|name| rule(name, &spec, Stamp::default()));
        rules.push(DeviceTaintRule { added: None, ..read.map_err(at(&place))? });
        Ok(())
    })?;
    Ok(rules)
}

/// A part of a selector; null is none.
fn field(value: &Value, key: &str) -> Result<Option<String>, Wrong> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(Wrong(format!("spec.deviceSelector.{key} is no text"))),
    }
}
