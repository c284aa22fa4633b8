//! Devices of nodes, claims on them, and rules that taint them.

use super::checks;
use super::primitive::{Primitive, Reader, once};
use super::select::{Nodes, Pods};
use crate::api::device::{DEFAULT_DEVICE_DRIVER, Device, DeviceClaim, DeviceSelector};
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::{Operator, Toleration};
use crate::language::{self, NodeDevices, Step, names};
use crate::plan::{DeviceTaintEdit, Do, NewRule, NodePlan, PodPlan};
use crate::scenario::prelude::*;
use std::rc::Rc;

/// More devices than this no node has (`ResourceSliceMaxDevices`, of one slice).
const DEVICES_MAX: usize = 128;

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
                let device = Device { driver: driver.clone(), name };
                if all.contains(&device) {
                    place.part("names").say(format!("device `{}` is declared twice", device.name));
                }
                all.push(device);
            }
        }
    }
    if all.len() > DEVICES_MAX {
        place.say(format!("a node has at most {DEVICES_MAX} devices"));
    }
    all.into()
}

/// The claims of a template on devices.
pub(super) fn claims(
    written: &[language::DeviceClaim],
    nodes: &Nodes,
    place: &Spot<'_>,
) -> Vec<DeviceClaim> {
    let one = |(i, w): (usize, &language::DeviceClaim)| {
        let place = place.part(i);
        let driver = w.driver.clone().unwrap_or_else(|| DEFAULT_DEVICE_DRIVER.to_owned());
        let count = w.count.unwrap_or(1);
        if count == 0 {
            place.part("count").say("a claim is on one device at least");
        }
        check_part(&place, "driver", Some(&driver), nodes, |_, d| &d.driver);
        let tolerations = tolerations(&w.tolerations, &place.part("tolerations"));
        DeviceClaim { driver, count, tolerations }
    };
    written.iter().enumerate().map(one).collect()
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
    nodes: &'n Nodes,
    has: impl Fn(&'n NodePlan, &'n Device) -> &'n String,
) {
    let all = nodes.plans.iter().flat_map(|n| n.devices.iter().map(move |d| (n, d)));
    let known: BTreeSet<&str> = all.map(|(n, d)| has(n, d).as_str()).collect();
    let Some(wanted) = wanted.filter(|w| !known.contains(w.as_str())) else { return };
    let known: Vec<&str> = known.into_iter().collect();
    let help = match known.is_empty() {
        true => Some("`devices: [(names: \"gpu-{0..7}\")]` of a group of nodes".to_owned()),
        false => language::did_you_mean_or_list(wanted, &known),
    };
    let problem = Problem::new(format!("no node has a device with the {field} `{wanted}`"));
    place.part(field).add(problem.maybe_help(help));
}

/// The names of the DeviceTaintRules that entries create.
pub(super) fn rules(spec: &Scenario) -> BTreeSet<String> {
    let steps = spec.timeline.iter().filter_map(|entry| match &entry.step {
        Step::CreateDeviceTaintRule { rule } => Some(rule.name.clone()),
        _ => None,
    });
    steps.collect()
}

/// Complains about a node that lacks devices for the pods that are on it from the start.
pub(super) fn check_start(
    spec: &Scenario,
    (pods, nodes): (&Pods, &Nodes),
    complaints: &Complaints,
) {
    let Some(i) = spec.nodes.iter().position(|group| !group.devices.is_empty()) else { return };
    let place = complaints.at(at!["nodes", i, "devices"]);
    let mut wanted: BTreeMap<(NodeIndex, &str), usize> = BTreeMap::new();
    let is_there = |p: &&PodPlan| p.start.phase().is_some_and(|phase| !phase.is_terminal());
    for pod in pods.plans.iter().filter(is_there) {
        let Some(node) = pod.node else { continue };
        for claim in &pods.templates[pod.template as usize].devices {
            *wanted.entry((node, &claim.driver)).or_default() += claim.count as usize;
        }
    }
    for ((node, driver), wanted) in wanted {
        let node = &nodes.plans[node as usize];
        let has = node.devices.iter().filter(|d| d.driver == driver).count();
        if has < wanted {
            place.say(format!(
                "pods that are on node `{}` from the start claim {wanted} devices of {driver}; it has {has}",
                node.name
            ));
            return;
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
        let place = self.at("rule");
        if !self.world.profile.device_taint_eviction.rules {
            let problem = Problem::new(format!(
                "in {} rules are off, with the gate DRADeviceTaintRules",
                self.world.profile.release
            ));
            place.add(problem.help("`feature_gates: {\"DRADeviceTaintRules\": true}`"));
        }
        place.part("name").take(checks::object_name("rule", &rule.name));
        let nodes = self.world.nodes;
        check_part(&place, "driver", rule.driver.as_ref(), nodes, |_, d| &d.driver);
        check_part(&place, "pool", rule.pool.as_ref(), nodes, |n, _| &n.name);
        check_part(&place, "device", rule.device.as_ref(), nodes, |_, d| &d.name);
        if nodes.plans.iter().all(|n| n.devices.is_empty()) {
            place.say("no node has devices");
        }
        let (taint, previews) = place.part("taint").take(taint(&rule.taint))?;
        let selector = DeviceSelector {
            driver: rule.driver.clone(),
            pool: rule.pool.clone(),
            device: rule.device.clone(),
        };
        let name = rule.name.clone();
        once(Do::CreateDeviceTaintRule(Box::new(NewRule { name, selector, taint, previews })))
    }

    /// A rule is deleted.
    fn delete_rule(&mut self, rule: &str) -> Option<Vec<Primitive>> {
        if !self.world.rules.contains(rule) {
            let known: Vec<&str> = self.world.rules.iter().map(String::as_str).collect();
            let problem = Problem::new(format!("no entry creates a rule `{rule}`"));
            let help = language::did_you_mean_or_list(rule, &known);
            self.at("rule").add(problem.maybe_help(help));
        }
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
        check_part(&self.place(), "driver", driver, nodes, |_, d| &d.driver);
        check_part(&self.place(), "device", device, nodes, |_, d| &d.name);
        let (taint, previews) = self.at("taint").take(taint(text))?;
        if previews {
            self.say("taint", "only the taint of a rule may have the effect None");
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
