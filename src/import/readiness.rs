//! Rules of the node readiness controller, and what it and agents have written to nodes: conditions of the types
//! that rules ask for, and which bootstraps are completed. Other conditions that no kubelet posts change nothing.

use super::device_claims::named;
use super::devices::Notes;
use super::gathered::Gathered;
use super::node::{self, NodeShape};
use crate::api::node::NodeConditionType;
use crate::import::prelude::*;

/// What an export says of node readiness.
#[derive(Default)]
pub(super) struct Readiness {
    /// The rules, by name.
    pub(super) rules: Vec<NodeReadinessRule>,
    /// The names of those that end with the bootstrap, by what the annotation of a node whose bootstrap is completed
    /// ends with: their uid, or their name, as up to 0.3.
    bootstraps: BTreeMap<String, String>,
    /// Those that were not taken.
    pub(super) notes: Notes,
}

impl Readiness {
    pub(super) fn of(gathered: &Gathered) -> Result<Self> {
        let mut all = Self::default();
        for (name, (place, raw)) in gathered.readiness_rules.by_name() {
            if let Some(note) = left_out(raw) {
                all.notes.entry(note).or_default().push(named(name, place));
                continue;
            }
            let rule = rule(raw).map_err(at(place))?;
            if rule.enforcement_mode == EnforcementMode::BootstrapOnly {
                let ends = [raw.meta.uid.clone(), name.clone()];
                all.bootstraps.extend(ends.map(|end| (end, name.clone())));
            }
            all.rules.push(rule);
        }
        Ok(all)
    }

    /// Whether a condition is none of a kubelet's, and a rule asks for it.
    pub(super) fn asks_for(&self, kind: &str) -> bool {
        let mut asked = self.rules.iter().flat_map(|r| &r.conditions);
        NodeConditionType::parse(kind).is_none() && asked.any(|c| c.kind == kind)
    }

    /// Writes into a node's shape what agents and the controller have written to it.
    pub(super) fn tell_of_node(&self, node: &RawNode, shape: &mut NodeShape) -> Result<(), Wrong> {
        for c in node.status.conditions.iter().filter(|c| self.asks_for(&c.r#type)) {
            let status = fields::word("status.conditions: status", &c.status)?;
            shape.asked_conditions.insert(c.r#type.clone(), status);
        }
        let ends = node.meta.annotations.bootstrap_completed.iter();
        shape.bootstrap_completed = ends.filter_map(|e| self.bootstraps.get(e).cloned()).collect();
        Ok(())
    }
}

/// Why a rule is left out, if it is, behind its kind.
fn left_out(raw: &RawRule) -> Option<(&'static str, String)> {
    let RawReadinessSpec { conditions, others, dry_run, .. } = &raw.spec;
    if *dry_run {
        let what = "left out, as it changes nothing but its own status".to_owned();
        return Some(("dryRun NodeReadinessRule", what));
    }
    let of_conditions = (conditions.iter().enumerate())
        .flat_map(|(i, c)| c.others.keys().map(move |field| format!("conditions[{i}].{field}")));
    let unknown = others.keys().cloned().chain(of_conditions).next();
    let why = match unknown {
        Some(field) => format!("spec.{field} is"),
        None if !raw.meta.deletion_timestamp.is_empty() => "a deletion under way is".to_owned(),
        None => return None,
    };
    Some((RULE, format!("left out, as {why} not simulated")))
}

/// A rule as a scenario has it.
fn rule(raw: &RawRule) -> Result<NodeReadinessRule, Wrong> {
    let spec = &raw.spec;
    let condition_policy = match &*spec.condition_policy {
        "" | "allOf" => None,
        "anyOf" => Some(ConditionPolicy::AnyOf),
        other => return Err(fields::unknown("spec.conditionPolicy", other)),
    };
    let enforcement_mode = match &*spec.enforcement_mode {
        "bootstrap-only" => EnforcementMode::BootstrapOnly,
        "continuous" => EnforcementMode::Continuous,
        other => return Err(fields::unknown("spec.enforcementMode", other)),
    };
    let condition = |c: &RawConditionRequirement| {
        let default = Some(&c.default_status).filter(|s| !s.is_empty());
        Ok(ConditionRequirement {
            kind: c.r#type.clone(),
            required_status: fields::word("spec.conditions: requiredStatus", &c.required_status)?,
            default_status: default
                .map(|s| fields::word("spec.conditions: defaultStatus", s))
                .transpose()?,
        })
    };
    let selector = selector("spec.nodeSelector", &spec.node_selector)?;
    Ok(NodeReadinessRule {
        name: raw.name.clone(),
        conditions: spec.conditions.iter().map(condition).collect::<Result<_, Wrong>>()?,
        condition_policy,
        enforcement_mode,
        taint: node::taint(&spec.taint, "spec.taint.effect", Stamp::default())?.to_string(),
        node_selector: Some(selector).filter(|s| *s != Default::default()),
    })
}
