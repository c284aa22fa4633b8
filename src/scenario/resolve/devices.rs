//! Devices of nodes, claims on them, and rules that taint them.

use super::prelude::*;
use super::primitive::{Reader, Steps, once};
use crate::api::device::{
    DEFAULT_DEVICE_DRIVER, Device, DeviceClaim, DeviceSelector, RESERVED_FOR_MAX,
};
use crate::api::toleration::Toleration;

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
    for (i, of) in written.iter().enumerate() {
        let place = place.part(i);
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
    place: &Spot,
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
            let text =
                "what a claim asks for is given where it stands itself, under `resourceClaims`";
            place.say(text);
        }
        let full = format!("{namespace}/{name}");
        match shared.get(&full) {
            Some(claim) if claims.contains(claim) => place.say("this claim is named twice"),
            Some(claim) => claims.push(claim.clone()),
            None => {
                let text = format!("there is no claim `{full}` under `resourceClaims`");
                place.add(Problem::new(text).meant(&full, shared.keys()));
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
fn own_claim(w: &language::DeviceClaim, nodes: &Nodes, place: &Spot) -> DeviceClaim {
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
fn tolerations(written: &[language::Toleration], place: &Spot) -> Vec<Toleration> {
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
    place: &Spot,
    field: &'static str,
    wanted: Option<&String>,
    nodes: &'n [NodePlan],
    has: &dyn Fn(&'n NodePlan, &'n Device) -> &'n str,
) {
    let all = nodes.iter().flat_map(|n| n.devices.iter().map(move |d| (n, d)));
    let known: BTreeSet<&str> = all.map(|(n, d)| has(n, d)).collect();
    let Some(wanted) = wanted.filter(|w| !known.contains(w.as_str())) else { return };
    let problem = Problem::new(format!("no node has a device with the {field} `{wanted}`"));
    let help = "`devices: [(names: \"gpu-{0..7}\")]` of a group of nodes";
    place.part(field).add(problem.meant(wanted, known).or_help(help));
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

/// Complains about pods that are on nodes from the start, where these lack the devices that they claim.
fn check_start(spec: &Scenario, (pods, nodes): (&Pods, &Nodes), complaints: &Complaints) {
    check_named(spec, (pods, nodes), complaints);
    let claims = |pod: &PodPlan| &pods.templates[pod.template as usize].devices;
    let shared = complaints.at(at!["resourceClaims"]);
    let mut on: BTreeMap<&str, NodeIndex> = BTreeMap::new();
    let mut pods_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (pod, node) in that_have_devices(pods) {
        for name in claims(pod).iter().filter_map(|c| c.shared.as_deref()) {
            let number = pods_of.entry(name).or_default();
            *number += 1;
            if *number > RESERVED_FOR_MAX {
                return shared.say(format!(
                    "claim `{name}` may be reserved for {RESERVED_FOR_MAX} pods, and more are on a node from the start"
                ));
            }
            if *on.entry(name).or_insert(node) != node {
                return shared.say(format!("pods that are on several nodes from the start share claim `{name}`, whose devices are those of one node"));
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
            return place.say(format!(
                "pods that are on node `{}` from the start claim {} of {driver}; it has {has}",
                node.name,
                counted(wanted, "device")
            ));
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
                    let text = format!("names other devices of claim `{claimed}` than another pod");
                    return Some(text);
                }
                other.is_some_and(|other| other.is_none() || other != shared).then(|| {
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
    let taint = checks::taint(&text)?;
    if taint.effect == Effect::PreferNoSchedule {
        return Err(Problem::new("a device has no taint with the effect PreferNoSchedule")
            .help("`NoSchedule`, `NoExecute`, and for a rule `None`, which only says what NoExecute would do"));
    }
    Ok((taint, previews))
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
        let (taint, previews) = self.at("taint").take(taint(text))?;
        if previews {
            self.at("taint").say(ONLY_RULES_PREVIEW);
        }
        let n = n?;
        if n.iter().all(|n| nodes.plans[*n as usize].devices.is_empty()) {
            self.place().say("none of these nodes has devices");
        }
        let selector =
            DeviceSelector { driver: driver.clone(), pool: None, device: device.clone() };
        once(Do::TaintDevices(n, Box::new(DeviceTaintEdit { selector, taint, adds })))
    }
}
