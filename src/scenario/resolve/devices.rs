//! Devices of nodes, claims on them, and rules that taint them.

use super::checks;
use super::primitive::{Primitive, Reader, once};
use super::select::{Nodes, Pods};
use crate::api::device::{
    DEFAULT_DEVICE_DRIVER, Device, DeviceClaim, DeviceSelector, RESERVED_FOR_MAX,
};
use crate::api::taint::Effect;
use crate::api::toleration::{Operator, Toleration};
use crate::language::{self, NodeDevices, Step, names};
use crate::plan::{DeviceTaintEdit, NewRule, NodePlan, Plan, PodPlan, Profile};
use crate::scenario::prelude::*;
use std::rc::Rc;

/// More devices than this no node has: eight slices of 128 each (`ResourceSliceMaxDevices`).
const DEVICES_MAX: usize = 1024;

/// The devices of the nodes of a group. `known`: the release has device taints that are simulated.
pub(super) fn of_group(written: &[NodeDevices], place: &Spot<'_>, known: bool) -> Rc<[Device]> {
    if !written.is_empty() && !known {
        let problem =
            Problem::new("devices are simulated from 1.36 on, with the gate DRADeviceTaints");
        place.add(problem.help("`kubernetes: \"1.37\"`"));
    }
    let mut all: Vec<Device> = Vec::new();
    for (i, of) in written.iter().enumerate() {
        let place = place.part(i);
        let driver = of.driver.clone().unwrap_or_else(|| DEFAULT_DEVICE_DRIVER.to_owned());
        place.part("driver").take(checks::object_name("driver", &driver));
        if let Some(pool) = &of.pool {
            place.part("pool").take(checks::object_name("pool", pool));
        }
        let taints = published(of, &place);
        for text in of.names.texts() {
            let expanded = match names::expand(text, DEVICES_MAX as u64) {
                Ok(expanded) => expanded,
                Err(error) => {
                    place.part("names").say(error.to_string());
                    continue;
                }
            };
            for name in expanded {
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
fn published(of: &NodeDevices, place: &Spot<'_>) -> Vec<Taint> {
    let mut taints = Vec::new();
    for (i, text) in of.taints.iter().enumerate() {
        let place = place.part("taints").part(i);
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

/// The claims of a template on devices.
pub(super) fn claims(
    written: &[language::DeviceClaim],
    (nodes, shared): (&Nodes, &SharedClaims),
    namespace: &str,
    place: &Spot<'_>,
) -> Vec<DeviceClaim> {
    let mut claims: Vec<DeviceClaim> = Vec::new();
    for (i, w) in written.iter().enumerate() {
        let place = place.part(i);
        let Some(name) = &w.resource_claim_name else {
            claims.push(own_claim(w, nodes, &place));
            continue;
        };
        let place = place.part("resourceClaimName");
        if w.driver.is_some() || w.count.is_some() || !w.tolerations.is_empty() {
            place.say(
                "what a claim asks for is given where it stands itself, under `resourceClaims`",
            );
        }
        let full = format!("{namespace}/{name}");
        match shared.get(&full) {
            Some(claim) if claims.contains(claim) => place.say("this claim is named twice"),
            Some(claim) => claims.push(claim.clone()),
            None => {
                let problem =
                    Problem::new(format!("there is no claim `{full}` under `resourceClaims`"));
                let known: Vec<&str> = shared.keys().map(String::as_str).collect();
                place.add(problem.maybe_help(language::did_you_mean_or_list(&full, &known)));
            }
        }
    }
    claims
}

/// The claims that exist by themselves, by `namespace/name`.
pub(super) type SharedClaims = BTreeMap<String, DeviceClaim>;

/// The claims that exist by themselves.
pub(super) fn shared(
    written: &[language::ResourceClaim],
    nodes: &Nodes,
    complaints: &Complaints,
) -> SharedClaims {
    let mut all = SharedClaims::new();
    for (i, claim) in written.iter().enumerate() {
        let place = complaints.at(at!["resourceClaims", i]);
        let namespace = claim.namespace.as_deref().unwrap_or("default");
        place.part("namespace").take(checks::namespace(namespace));
        place.part("name").take(checks::object_name("claim", &claim.name));
        let spec = place.part("spec");
        if claim.spec.resource_claim_name.is_some() {
            spec.part("resourceClaimName").say("only a pod names a claim");
        }
        let full = format!("{namespace}/{}", claim.name);
        let shared = Some(full.as_str().into());
        let read = DeviceClaim { shared, ..own_claim(&claim.spec, nodes, &spec) };
        if all.insert(full, read).is_some() {
            place.part("name").say(format!("claim `{}` is declared twice", claim.name));
        }
    }
    all
}

/// What a claim asks for.
fn own_claim(w: &language::DeviceClaim, nodes: &Nodes, place: &Spot<'_>) -> DeviceClaim {
    let driver = w.driver.clone().unwrap_or_else(|| DEFAULT_DEVICE_DRIVER.to_owned());
    let count = w.count.unwrap_or(1);
    if count == 0 {
        place.part("count").say("a claim is on one device at least");
    }
    check_part(place, "driver", Some(&driver), &nodes.plans, &|_, d| &d.driver);
    let tolerations = tolerations(&w.tolerations, &place.part("tolerations"));
    DeviceClaim { driver, count, tolerations, shared: None }
}

/// Tolerations of taints of devices, which have less to say than those of nodes.
fn tolerations(written: &[language::Toleration], place: &Spot<'_>) -> Vec<Toleration> {
    for (i, t) in written.iter().enumerate() {
        let place = place.part(i);
        if t.effect == Some(Effect::PreferNoSchedule) {
            place.part("effect").say("a device has no taint with the effect PreferNoSchedule");
        }
        if matches!(t.operator, Some(Operator::Lt | Operator::Gt)) {
            place.part("operator").say("for devices there are `Equal` and `Exists`");
        }
    }
    checks::read_tolerations(written, place, false)
}

/// Complains about a driver, pool or device that no node has.
fn check_part<'n>(
    place: &Spot<'_>,
    field: &'static str,
    wanted: Option<&String>,
    nodes: &'n [NodePlan],
    has: &dyn Fn(&'n NodePlan, &'n Device) -> &'n str,
) {
    let all = nodes.iter().flat_map(|n| n.devices.iter().map(move |d| (n, d)));
    let known: BTreeSet<&str> = all.map(|(n, d)| has(n, d)).collect();
    let Some(wanted) = wanted.filter(|w| !known.contains(w.as_str())) else { return };
    let known: Vec<&str> = known.into_iter().collect();
    let help = match known.is_empty() {
        true => Some("`devices: [(names: \"gpu-{0..7}\")]` of a group of nodes".to_owned()),
        false => language::did_you_mean_or_list(wanted, &known),
    };
    let problem = Problem::new(format!("no node has a device with the {field} `{wanted}`"));
    place.part(field).add(problem.maybe_help(help));
}

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
    let place = complaints.at(at!["deviceTaintRules"]);
    let mut names = BTreeSet::new();
    let mut rules = Vec::new();
    for (i, rule) in spec.device_taint_rules.iter().enumerate() {
        let place = place.part(i);
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
pub(crate) fn rule_for(rule: &language::DeviceTaintRule, plan: &Plan) -> Result<NewRule, Problem> {
    let complaints = Complaints::default();
    let rule = new_rule(rule, &plan.nodes, &plan.profile, &complaints.at(at![]));
    match (complaints.first(), rule) {
        (None, Some(rule)) => Ok(rule),
        (problem, _) => Err(problem.unwrap_or_else(|| Problem::new("it is no rule"))),
    }
}

/// A rule, checked.
fn new_rule(
    rule: &language::DeviceTaintRule,
    nodes: &[NodePlan],
    profile: &Profile,
    place: &Spot<'_>,
) -> Option<NewRule> {
    if !profile.device_taint_eviction.rules {
        let problem = Problem::new(format!(
            "in {} rules are off, with the gate DRADeviceTaintRules",
            profile.release
        ));
        place.add(problem.help("`feature_gates: {\"DRADeviceTaintRules\": true}`"));
    }
    place.part("name").take(checks::object_name("rule", &rule.name));
    check_part(place, "driver", rule.driver.as_ref(), nodes, &|_, d| &d.driver);
    check_part(place, "pool", rule.pool.as_ref(), nodes, &|n, d| d.pool(&n.name));
    check_part(place, "device", rule.device.as_ref(), nodes, &|_, d| &d.name);
    if nodes.iter().all(|n| n.devices.is_empty()) {
        place.say("no node has devices");
    }
    let (taint, previews) = place.part("taint").take(taint(&rule.taint))?;
    let added = |text: &language::DurationText| {
        place.part("added").take(values::stored_seconds(text.as_str())).map(Timestamp)
    };
    let selector = DeviceSelector {
        driver: rule.driver.clone(),
        pool: rule.pool.clone(),
        device: rule.device.clone(),
    };
    let taint = Taint { time_added: rule.added.as_ref().and_then(added), ..taint };
    Some(NewRule { name: rule.name.clone(), selector, taint, previews })
}

/// Complains about pods that are on nodes from the start, where these lack the devices that they claim.
fn check_start(spec: &Scenario, (pods, nodes): (&Pods, &Nodes), complaints: &Complaints) {
    check_named(spec, (pods, nodes), complaints);
    let claims = |pod: &PodPlan| &pods.templates[pod.template as usize].devices;
    let mut on: BTreeMap<&str, NodeIndex> = BTreeMap::new();
    let mut pods_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (pod, node) in that_have_devices(pods) {
        for name in claims(pod).iter().filter_map(|c| c.shared.as_deref()) {
            let number = pods_of.entry(name).or_default();
            *number += 1;
            if *number > RESERVED_FOR_MAX {
                let place = complaints.at(at!["resourceClaims"]);
                place.say(format!(
                    "claim `{name}` may be reserved for {RESERVED_FOR_MAX} pods, and more are on a node from the start"
                ));
                return;
            }
            if *on.entry(name).or_insert(node) != node {
                let place = complaints.at(at!["resourceClaims"]);
                place.say(format!("pods that are on several nodes from the start share claim `{name}`, whose devices are those of one node"));
                return;
            }
        }
    }
    let Some(i) = spec.nodes.iter().position(|group| !group.devices.is_empty()) else { return };
    let place = complaints.at(at!["nodes", i, "devices"]);
    let mut wanted: BTreeMap<(NodeIndex, &str), usize> = BTreeMap::new();
    for (pod, node) in that_have_devices(pods) {
        // A claim that several share counts once.
        let is_new =
            |c: &&DeviceClaim| c.shared.as_deref().is_none_or(|name| on.remove(name).is_some());
        for claim in claims(pod).iter().filter(is_new) {
            *wanted.entry((node, &claim.driver)).or_default() += claim.count as usize;
        }
    }
    for ((node, driver), wanted) in wanted {
        let node = &nodes.plans[node as usize];
        let has = node.devices.iter().filter(|d| d.driver == driver).count();
        if has < wanted {
            place.say(format!(
                "pods that are on node `{}` from the start claim {} of {driver}; it has {has}",
                node.name,
                counted(wanted, "device")
            ));
            return;
        }
    }
}

/// The pods that are on a node from the start and have not ended.
fn that_have_devices(pods: &Pods) -> impl Iterator<Item = (&PodPlan, NodeIndex)> {
    let is_there = |p: &&PodPlan| p.start.phase().is_some_and(|phase| !phase.is_terminal());
    pods.plans.iter().filter(is_there).filter_map(|p| Some((p, p.node?)))
}

/// Complains about devices that pods name as theirs and that are not, or that two have.
fn check_named(spec: &Scenario, (pods, nodes): (&Pods, &Nodes), complaints: &Complaints) {
    let Some(i) = spec.pods.iter().position(|group| !group.devices.is_empty()) else { return };
    let place = complaints.at(at!["pods", i, "devices"]);
    let mut taken: BTreeMap<(NodeIndex, &str, &str), Option<&str>> = BTreeMap::new();
    for (pod, node) in that_have_devices(pods) {
        let claims = &pods.templates[pod.template as usize].devices;
        let count: u64 = claims.iter().map(|c| u64::from(c.count)).sum();
        let of = &nodes.plans[node as usize];
        let of_claims = claims.iter().flat_map(|c| std::iter::repeat_n(c, c.count as usize));
        let wrong = match pod.devices.as_deref() {
            None => {
                (count > 0).then(|| "does not say which devices it has, as others do".to_owned())
            }
            Some(named) if named.len() as u64 != count => {
                Some(format!("claims {} and names {}", counted(count, "device"), named.len()))
            }
            Some(named) => of_claims.zip(named).find_map(|(claim, name)| {
                let driver = &claim.driver;
                if !of.devices.iter().any(|d| d.driver == *driver && d.name == *name) {
                    return Some(format!(
                        "names device `{name}` of {driver}, which node `{}` does not have",
                        of.name
                    ));
                }
                let shared = claim.shared.as_deref();
                let other = taken.insert((node, driver.as_str(), name.as_str()), shared);
                if let Some(claimed) = shared
                    && taken.values().filter(|s| **s == shared).count() > claim.count as usize
                {
                    return Some(format!(
                        "names other devices of claim `{claimed}` than another pod"
                    ));
                }
                let is_its = |other: Option<&str>| other.is_some() && other == shared;
                other.is_some_and(|other| !is_its(other)).then(|| {
                    format!("names device `{name}` of node `{}`, which another has", of.name)
                })
            }),
        };
        if let Some(wrong) = wrong {
            return place.say(format!("pod `{}` {wrong}", pod.name));
        }
    }
}

/// A taint of devices: `"key=value:NoExecute"`. Whether its effect is `None`.
fn taint(text: &str) -> Result<(Taint, bool), Problem> {
    let (text, previews) = match text.strip_suffix(":None") {
        Some(rest) => (format!("{rest}:NoExecute"), true),
        None => (text.to_owned(), false),
    };
    let edit = checks::taint_edit(std::slice::from_ref(&text))?;
    let [taint] = edit.add.as_slice() else {
        return Err(Problem::new(format!("`{text}` removes a taint")));
    };
    if taint.effect == Effect::PreferNoSchedule {
        return Err(Problem::new("a device has no taint with the effect PreferNoSchedule")
            .help("`NoSchedule`, `NoExecute`, and for a rule `None`, which only says what NoExecute would do"));
    }
    Ok((taint.clone(), previews))
}

impl Reader<'_> {
    /// An entry about devices.
    pub(super) fn of_devices(&mut self) -> Option<Vec<Primitive>> {
        match self.step {
            Step::CreateDeviceTaintRule { rule } => self.create_rule(rule),
            Step::UpdateDeviceTaintRule { rule } => self.update_rule(rule),
            Step::DeleteDeviceTaintRule { rule } => self.delete_rule(rule),
            Step::TaintDevices { driver, device, taint, .. } => {
                self.taint_devices((driver.as_ref(), device.as_ref()), taint, true)
            }
            Step::UntaintDevices { driver, device, taint, .. } => {
                self.taint_devices((driver.as_ref(), device.as_ref()), taint, false)
            }
            _ => None,
        }
    }

    /// A rule that taints devices is created.
    fn create_rule(&mut self, rule: &language::DeviceTaintRule) -> Option<Vec<Primitive>> {
        let rule = new_rule(rule, &self.world.nodes.plans, self.world.profile, &self.at("rule"))?;
        once(Do::CreateDeviceTaintRule(Box::new(rule)))
    }

    /// The spec of a rule changes.
    fn update_rule(&mut self, rule: &language::DeviceTaintRule) -> Option<Vec<Primitive>> {
        let place = self.at("rule");
        self.check_rule(&rule.name, &place.part("name"));
        let rule = new_rule(rule, &self.world.nodes.plans, self.world.profile, &place)?;
        once(Do::UpdateDeviceTaintRule(Box::new(rule)))
    }

    /// Complains about a rule that never exists.
    fn check_rule(&self, rule: &str, place: &Spot<'_>) {
        if !self.world.rules.contains(rule) {
            let known: Vec<&str> = self.world.rules.iter().map(String::as_str).collect();
            let problem = Problem::new(format!("no entry creates a rule `{rule}`"));
            let help = language::did_you_mean_or_list(rule, &known);
            place.add(problem.maybe_help(help));
        }
    }

    /// A rule is deleted.
    fn delete_rule(&mut self, rule: &str) -> Option<Vec<Primitive>> {
        self.check_rule(rule, &self.at("rule"));
        once(Do::DeleteDeviceTaintRule(rule.to_owned()))
    }

    /// Drivers publish a taint of devices, or publish it no longer.
    fn taint_devices(
        &mut self,
        (driver, device): (Option<&String>, Option<&String>),
        text: &str,
        adds: bool,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes();
        let nodes = self.world.nodes;
        check_part(&self.place(), "driver", driver, &nodes.plans, &|_, d| &d.driver);
        check_part(&self.place(), "device", device, &nodes.plans, &|_, d| &d.name);
        let (taint, previews) = self.at("taint").take(taint(text))?;
        if previews {
            self.at("taint").say(ONLY_RULES_PREVIEW);
        }
        let n = n?;
        if n.iter().all(|n| nodes.plans[*n as usize].devices.is_empty()) {
            self.place().say("none of these nodes has devices");
        }
        let selector =
            DeviceSelector { driver: driver.cloned(), pool: None, device: device.cloned() };
        once(Do::TaintDevices(n, Box::new(DeviceTaintEdit { selector, taint, adds })))
    }
}
