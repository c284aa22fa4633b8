//! Devices of nodes, and rules that taint them.

use super::device_claims::{check_part, check_start};
use super::prelude::*;
use super::primitive::{Reader, START, Steps, once};
use crate::api::device::{DEFAULT_DEVICE_DRIVER, Device, DeviceSelector};

/// More devices than this no node has: eight slices of 128 each (`ResourceSliceMaxDevices`).
const DEVICES_MAX: usize = 1024;

/// The devices of the nodes of a group. `known`: the release has device taints that are simulated.
pub(super) fn of_group(written: &[NodeDevices], place: &Spot, known: bool) -> Rc<[Device]> {
    if !written.is_empty() && !known {
        let problem =
            Problem::new("devices are simulated from 1.33 on, with the gate DRADeviceTaints");
        place.add(problem.help("`kubernetes: \"1.37\"`; before 1.36 `feature_gates: {\"DRADeviceTaints\": true}`, and in 1.33 `\"DynamicResourceAllocation\": true` beside it"));
    }
    let mut all: Vec<Device> = Vec::new();
    for (place, of) in place.each(written) {
        let driver = of.driver.clone().unwrap_or_else(|| DEFAULT_DEVICE_DRIVER.to_owned());
        place.part("driver").take(checks::object_name("driver", &driver));
        place.read("pool", &of.pool, |pool| checks::object_name("pool", pool));
        let taints = published(of, &place);
        for text in of.names.texts() {
            let expanded = names::expand(text, DEVICES_MAX as u64).map_err(Problem::new);
            for name in place.part("names").take(expanded).unwrap_or_default() {
                place.part("names").take(checks::object_name("device", &name));
                if all.iter().any(|d| d.driver == driver && d.name == name) {
                    place.part("names").say(format!("device `{name}` is declared twice"));
                }
                let (pool, taints) = (of.pool.clone(), taints.clone());
                all.push(Device { driver: driver.clone(), name, pool, taints });
            }
        }
    }
    if all.len() > DEVICES_MAX {
        place.say(format!("a node has at most {DEVICES_MAX} devices"));
    }
    all.into()
}

/// The taints that a driver publishes from the start.
fn published(of: &NodeDevices, place: &Spot) -> Vec<Taint> {
    let mut taints = Vec::new();
    for (place, text) in place.part("taints").each(&of.taints) {
        match place.take(taint(text)) {
            Some((_, true)) => place.say(ONLY_RULES_PREVIEW),
            Some((taint, false)) => taints.push(taint),
            None => {}
        }
    }
    checks::times_added(&mut taints, &of.taints_added, &place.part("taintsAdded"));
    taints
}

const ONLY_RULES_PREVIEW: &str = "only the taint of a rule may have the effect None";

/// The names of the DeviceTaintRules that are there or that entries create.
pub(super) fn rules(spec: &Scenario) -> BTreeSet<String> {
    let steps = spec.timeline.iter().filter_map(|entry| match &entry.step {
        Step::CreateDeviceTaintRule { rule } => Some(rule),
        _ => None,
    });
    spec.device_taint_rules.iter().chain(steps).map(|rule| rule.name.clone()).collect()
}

/// The rules that are there from the start. Complains about pods that are on nodes from the start, where these lack the
/// devices that they claim.
pub(super) fn at_start(
    spec: &Scenario,
    (pods, nodes): (&Pods, &Nodes),
    profile: &Profile,
    complaints: &Complaints,
) -> Vec<NewRule> {
    check_start(spec, (pods, nodes), complaints);
    let mut names = BTreeSet::new();
    let mut rules = Vec::new();
    let written = complaints.at(at!["deviceTaintRules"]);
    for (place, rule) in written.each(&spec.device_taint_rules) {
        if !names.insert(&rule.name) {
            place.part("name").say(format!("rule `{}` is declared twice", rule.name));
        }
        rules.extend(new_rule(rule, &nodes.plans, profile, &place));
    }
    rules
}

/// A rule as a scenario has it.
pub(super) fn written(rule: &NewRule) -> language::DeviceTaintRule {
    let DeviceSelector { driver, pool, device } = rule.selector.clone();
    let mut taint = rule.taint.to_string();
    if rule.previews {
        taint = taint.replace(":NoExecute", ":None");
    }
    language::DeviceTaintRule { name: rule.name.clone(), driver, pool, device, taint, added: None }
}

/// A rule that somebody may apply to the cluster of a plan.
///
/// # Errors
/// It names what no node has, or the release knows no rules.
pub(crate) fn rule_for(rule: &DeviceTaintRule, plan: &Plan) -> Result<NewRule, Problem> {
    let complaints = Complaints::default();
    let rule = new_rule(rule, &plan.nodes, &plan.profile, &complaints.at(at![]));
    match (complaints.first(), rule) {
        (None, Some(rule)) => Ok(rule),
        (problem, _) => Err(problem.unwrap_or_else(|| Problem::new("it is no rule"))),
    }
}

/// A rule, checked.
fn new_rule(
    rule: &DeviceTaintRule,
    nodes: &[NodePlan],
    profile: &Profile,
    place: &Spot,
) -> Option<NewRule> {
    if !profile.device_taint_eviction.rules {
        let release = &profile.release;
        let text = format!("in {release} rules are off, with the gate DRADeviceTaintRules");
        let help = "`feature_gates: {\"DRADeviceTaintRules\": true}`";
        place.add(Problem::new(text).help(help));
    }
    place.part("name").take(checks::object_name("rule", &rule.name));
    check_part(place, "driver", rule.driver.as_ref(), nodes, &|_, d| &d.driver);
    check_part(place, "pool", rule.pool.as_ref(), nodes, &|n, d| d.pool(&n.name));
    check_part(place, "device", rule.device.as_ref(), nodes, &|_, d| &d.name);
    if nodes.iter().all(|n| n.devices.is_empty()) {
        place.say("no node has devices");
    }
    let (taint, previews) = place.part("taint").take(taint(&rule.taint))?;
    if previews && !profile.device_taint_eviction.work_queue {
        place.part("taint").say("rules may have the effect None from 1.35 on");
    }
    let time_added = place.read("added", &rule.added, values::stored_seconds).map(Timestamp);
    let language::DeviceTaintRule { name, driver, pool, device, .. } = rule.clone();
    let selector = DeviceSelector { driver, pool, device };
    Some(NewRule { name, selector, taint: Taint { time_added, ..taint }, previews })
}

/// A taint of devices: `"key=value:NoExecute"`. Whether its effect is `None`.
fn taint(text: &str) -> Result<(Taint, bool), Problem> {
    let (text, previews) = match text.strip_suffix(":None") {
        Some(rest) => (format!("{rest}:NoExecute"), true),
        None => (text.to_owned(), false),
    };
    let taint = checks::taint(&text)?;
    if taint.effect == Effect::PreferNoSchedule {
        return Err(Problem::new("a device has no taint with the effect PreferNoSchedule")
            .help("`NoSchedule`, `NoExecute`, and for a rule `None`, which only says what NoExecute would do"));
    }
    Ok((taint, previews))
}

/// Taints that devices are to lose: that one, or those of a key with any effect that devices have. As with nodes, a `-` may
/// stand behind it.
fn removed(text: &str) -> Result<Vec<(Taint, bool)>, Problem> {
    let text = text.strip_suffix('-').unwrap_or(text);
    let effects: &[&str] = if text.contains(':') { &[""] } else { &[":NoSchedule", ":NoExecute"] };
    effects.iter().map(|effect| taint(&format!("{text}{effect}"))).collect()
}

impl Reader<'_> {
    /// A rule that taints devices is created.
    pub(super) fn create_rule(&mut self, rule: &DeviceTaintRule) -> Steps {
        let rule = new_rule(rule, &self.world.nodes.plans, self.world.profile, &self.at("rule"))?;
        once(Do::CreateDeviceTaintRule(Box::new(rule)))
    }

    /// The spec of a rule changes.
    pub(super) fn update_rule(&mut self, rule: &DeviceTaintRule) -> Steps {
        let place = self.at("rule");
        self.check_rule(&rule.name, &place.part("name"));
        let rule = new_rule(rule, &self.world.nodes.plans, self.world.profile, &place)?;
        once(Do::UpdateDeviceTaintRule(Box::new(rule)))
    }

    /// Complains about a rule that never exists.
    fn check_rule(&self, rule: &str, place: &Spot) {
        if !self.world.rules.contains(rule) {
            let problem = Problem::new(format!("no entry creates a rule `{rule}`"));
            place.add(problem.meant(rule, self.world.rules));
        }
    }

    /// A rule is deleted.
    pub(super) fn delete_rule(&mut self, rule: &str) -> Steps {
        self.check_rule(rule, &self.at("rule"));
        once(Do::DeleteDeviceTaintRule(rule.to_owned()))
    }

    /// Drivers publish a taint of devices, or publish it no longer.
    pub(super) fn taint_devices(
        &mut self,
        [driver, device]: [&Option<String>; 2],
        text: &str,
        adds: bool,
    ) -> Steps {
        let n = self.nodes();
        let nodes = self.world.nodes;
        check_part(&self.place(), "driver", driver.as_ref(), &nodes.plans, &|_, d| &d.driver);
        check_part(&self.place(), "device", device.as_ref(), &nodes.plans, &|_, d| &d.name);
        let taints = if adds { taint(text).map(|taint| vec![taint]) } else { removed(text) };
        let taints = self.at("taint").take(taints)?;
        if taints.iter().any(|(_, previews)| *previews) {
            self.at("taint").say(ONLY_RULES_PREVIEW);
        }
        let n = n?;
        if n.iter().all(|n| nodes.plans[*n as usize].devices.is_empty()) {
            self.place().say("none of these nodes has devices");
        }
        let selector =
            DeviceSelector { driver: driver.clone(), pool: None, device: device.clone() };
        let edit = |taint| Box::new(DeviceTaintEdit { selector: selector.clone(), taint, adds });
        let act = |(phase, (taint, _))| (START, phase, Do::TaintDevices(n.clone(), edit(taint)));
        Some([Phase::Begin, Phase::Step].into_iter().zip(taints).map(act).collect())
    }
}
