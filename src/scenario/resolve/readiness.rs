//! Rules of the node readiness controller, and the conditions that agents post.

use super::prelude::*;
use super::primitive::{Reader, Steps, once};
use super::scheduling;
use crate::api::node::NodeConditionType;
use crate::api::readiness::{ConditionRequirement, NodeReadiness, ReadinessSpec};

/// What the key of a rule's taint begins with.
const PREFIX: &str = "readiness.k8s.io/";

/// A rule has no more conditions than these.
const CONDITIONS_MAX: usize = 32;

/// All rules that are written, with their places.
fn written(spec: &Scenario) -> impl Iterator<Item = (&NodeReadinessRule, Place)> {
    let there = spec.node_readiness_rules.iter().enumerate();
    let later = spec.timeline.iter().enumerate().filter_map(|(i, entry)| match &entry.step {
        Step::CreateNodeReadinessRule { rule } => Some((rule, at!["timeline", i, "do", "rule"])),
        _ => None,
    });
    there.map(|(i, rule)| (rule, at!["node_readiness_rules", i])).chain(later)
}

/// The controller, and the rules that exist from the start.
pub(super) fn read(spec: &Scenario, complaints: &Complaints) -> Readiness {
    check_taints(spec, complaints);
    check_deletions(spec, complaints);
    check_bootstraps(spec, complaints);
    let all = &spec.node_readiness_rules;
    let one = |(i, written): (usize, &NodeReadinessRule)| {
        let place = complaints.at(at!["node_readiness_rules", i]);
        if all[..i].iter().any(|before| before.name == written.name) {
            place.part("name").say(format!("rule `{}` is declared twice", written.name));
        }
        rule(written, &place).map(Rc::new)
    };
    Readiness {
        rules: all.iter().enumerate().filter_map(one).collect(),
        before_0_5: is_before_0_5(spec, complaints),
    }
}

/// Whether the controller is one before 0.5.0.
fn is_before_0_5(spec: &Scenario, complaints: &Complaints) -> bool {
    let place = complaints.at(at!["node_readiness_controller"]);
    let version = spec.node_readiness_controller.as_deref();
    match version {
        None => {}
        Some("0.4.1" | "0.5.0") if written(spec).next().is_none() => {
            place.say("there is no rule of the node readiness controller, so that it does not run");
        }
        Some("0.4.1" | "0.5.0") => {}
        Some(other) => {
            let problem = Problem::new(format!("the version {other:?} is not known"));
            place.add(problem.help("`\"0.5.0\"`, or `\"0.4.1\"`"));
        }
    }
    version == Some("0.4.1")
}

/// Complains about two rules of one taint that may select one node: they would undo each other's work, as
/// upstream's webhook says (`validateTaintConflicts`).
fn check_taints(spec: &Scenario, complaints: &Complaints) {
    let mut others: Vec<(&str, Taint, Selector)> = Vec::new();
    for (rule, place) in written(spec) {
        let Ok(taint) = taint(&rule.taint) else { continue };
        // What is wrong with a selector is said elsewhere.
        let selector = rule.node_selector.as_ref().map(LabelSelector::as_selector);
        let Ok(selector) = selector.unwrap_or_else(|| Ok(Selector::default())) else { continue };
        let conflicts = |(name, t, s): &&(&str, Taint, Selector)| {
            *name != rule.name && t.matches(&taint) && s.overlaps(&selector)
        };
        if let Some((other, ..)) = others.iter().find(conflicts) {
            complaints.at(place).part("taint").say(format!(
                "conflicts with rule `{other}`: the same taint key and effect, and nodes that both may select"
            ));
        }
        others.push((&rule.name, taint, selector));
    }
}

/// Complains about entries that delete a rule that there never is.
fn check_deletions(spec: &Scenario, complaints: &Complaints) {
    let known: BTreeSet<&str> = written(spec).map(|(rule, _)| rule.name.as_str()).collect();
    for (i, entry) in spec.timeline.iter().enumerate() {
        let Step::DeleteNodeReadinessRule { rule } = &entry.step else { continue };
        if !known.contains(rule.as_str()) {
            let problem = Problem::new(format!("there is no readiness rule `{rule}`"));
            complaints.at(at!["timeline", i, "do", "rule"]).add(problem.meant(rule, &known));
        }
    }
}

/// Complains about bootstraps of rules that do not exist from the start, or have none.
fn check_bootstraps(spec: &Scenario, complaints: &Complaints) {
    let has_one = |r: &&NodeReadinessRule| r.enforcement_mode == EnforcementMode::BootstrapOnly;
    let rules = spec.node_readiness_rules.iter().filter(has_one);
    let known: Vec<&str> = rules.map(|r| r.name.as_str()).collect();
    for (i, group) in spec.nodes.iter().enumerate() {
        for (j, rule) in group.bootstrap_completed.iter().enumerate() {
            if !known.contains(&&**rule) {
                let text =
                    format!("no readiness rule `{rule}` with BootstrapOnly exists from the start");
                let place = complaints.at(at!["nodes", i, "bootstrapCompleted", j]);
                place.add(Problem::new(text).meant(rule, &known));
            }
        }
    }
}

/// The taint of a rule.
fn taint(text: &str) -> Result<Taint, Problem> {
    let taint = checks::taint(text)?;
    if !taint.key.starts_with(PREFIX) {
        return Err(Problem::new(format!("taint key must start with '{PREFIX}'")));
    }
    Ok(taint)
}

/// A rule, as upstream's validation lets it pass.
fn rule(written: &NodeReadinessRule, place: &Spot) -> Option<ReadinessSpec> {
    place.part("name").take(checks::object_name("rule", &written.name));
    let bootstrap_only = written.enforcement_mode == EnforcementMode::BootstrapOnly;
    let any_of = written.condition_policy == Some(ConditionPolicy::AnyOf);
    if bootstrap_only && any_of {
        let problem = "anyOf conditionPolicy is not supported with bootstrap-only enforcementMode";
        place.part("conditionPolicy").say(problem);
    }
    if !(1..=CONDITIONS_MAX).contains(&written.conditions.len()) {
        let text = format!("a rule has between 1 and {CONDITIONS_MAX} conditions");
        place.part("conditions").say(text);
    }
    let mut conditions: Vec<ConditionRequirement> = Vec::new();
    for (place, c) in place.part("conditions").each(&written.conditions) {
        place.part("type").take(condition_type(&c.kind));
        if bootstrap_only && c.default_status.is_some() {
            let problem = "defaultStatus should not be used with bootstrap-only enforcementMode";
            place.part("defaultStatus").say(problem);
        }
        if conditions.iter().any(|other| other.kind == c.kind) {
            place.part("type").say(format!("the condition {} is given twice", c.kind));
        }
        conditions.push(ConditionRequirement {
            kind: c.kind.clone(),
            required: c.required_status,
            default: c.default_status.unwrap_or(ConditionStatus::Unknown),
        });
    }
    let selector = match &written.node_selector {
        Some(selector) => scheduling::selector(selector, &place.part("nodeSelector")),
        None => Some(Selector::default()),
    };
    Some(ReadinessSpec {
        name: written.name.clone(),
        conditions,
        any_of,
        bootstrap_only,
        taint: place.part("taint").take(taint(&written.taint))?,
        selector: selector?,
    })
}

/// A type of a condition, `CniReady` or `example.com/CniReady`.
fn condition_type(kind: &str) -> Result<(), Problem> {
    checks::label(kind, "").map_err(|_| Problem::new(format!("`{kind}` is no type of a condition")))
}

/// A type of a condition that no kubelet posts.
fn of_agents(kind: &str) -> Result<(), Problem> {
    match NodeConditionType::parse(kind) {
        None => condition_type(kind),
        Some(_) => Err(Problem::new(format!("the condition {kind} is the kubelet's own"))
            .help(format!("`Condition(node: …, type: {kind}, status: …)` in the timeline"))),
    }
}

/// What agents have posted of the nodes of a group.
pub(super) fn of_group(
    written: &BTreeMap<String, ConditionStatus>,
    place: &Spot,
) -> Option<Rc<NodeReadiness>> {
    for kind in written.keys() {
        place.part(kind).take(of_agents(kind));
    }
    (!written.is_empty())
        .then(|| Rc::new(NodeReadiness { conditions: written.clone(), ..NodeReadiness::default() }))
}

impl Reader<'_> {
    /// A rule of the node readiness controller is created.
    pub(super) fn create_readiness_rule(&mut self, written: &NodeReadinessRule) -> Steps {
        once(Do::CreateReadinessRule(Rc::new(rule(written, &self.at("rule"))?)))
    }

    /// An agent posts a condition.
    pub(super) fn set_condition(&mut self, kind: &str, status: ConditionStatus) -> Steps {
        self.at("type").take(of_agents(kind));
        once(Do::SetCondition(self.nodes()?, kind.to_owned(), status))
    }
}
