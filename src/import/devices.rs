//! From ResourceSlices, claims, classes and rules to the devices of nodes, and to what pods and templates claim of
//! them (dynamic resource allocation).
//!
//! Told are devices of single nodes and claims, each of whose requests asks for devices of a class of one driver: those that
//! were made for one pod from a template, and those that pods name themselves. Devices that other claims have are left out, as
//! nobody else gets them.
//! What is not told is noted by name, with its place in the files.

use super::device_claims::{Claims, Note, User, made, named, requests};
use super::device_rules::{rule, selected};
use super::gathered::Gathered;
use super::node::{self, DeviceShape, NamedNode};
use super::pod::PodShape;
use super::raw_devices::{RawDeviceClaim, RawDevices, RawResult, RawSliceSpec};
use super::workload::RawWorkload;
use crate::api::device::DEFAULT_DEVICE_DRIVER;
use crate::import::prelude::*;
use crate::plan::Profile;

/// What was not taken: objects with their places, by their kind and by what is to be said of them.
pub(super) type Notes = BTreeMap<(&'static str, String), Vec<String>>;

const NO_NODE: &str = "whose node is not in the files, left out";
const NOT_OF_A_NODE: &str =
    "left out, as devices that no single node has (allNodes, nodeSelector) are not simulated";
const COUNTERS: &str = "left out, as partitions with shared counters are not simulated";
const SHARED_DEVICE: &str = "left out, as devices that several claims may have are not simulated";
const CONDITIONS: &str = "left out, as binding conditions are not simulated";
const TWICE: &str = "left out, as the driver has another of that name on the node";
const OF_OTHERS: &str = "left out, as claims that are not simulated have them";
const OTHER_THAN: &str = "not simulated, as they have other than they ask for";
const NOT_RESERVED: &str =
    "not simulated, as they are not reserved for all pods that name them and run";
const SHARED: &str = "not simulated, as several pods share them, though they were made for one";
const TWO_HAVE: &str = "not simulated, as another claim has a device of theirs, too";
const NO_SELECTOR: &str = "without a deviceSelector, which evicts nobody, left out (up to 1.37.0 the scheduler takes it for one that \
                           selects every device, and keeps new pods off)";

/// What an export says of devices.
#[derive(Default)]
pub(super) struct Devices {
    /// Those of each node, in the order in which they are allocated.
    nodes: BTreeMap<String, Vec<DeviceShape>>,
    /// What pods claim and have, by `namespace/name`; of others it is not simulated.
    pods: BTreeMap<String, Told>,
    /// What templates of workloads claim, by `Kind/namespace/name`.
    workloads: BTreeMap<String, Vec<DeviceClaim>>,
    /// The claims that pods name, by `namespace/name`.
    pub(super) claims: BTreeMap<String, ResourceClaim>,
    /// The rules, by name.
    pub(super) rules: Vec<DeviceTaintRule>,
    /// What was not taken.
    pub(super) notes: Notes,
}

/// What a pod claims, and the devices that it has.
#[derive(Clone, Default)]
struct Told {
    claims: Vec<DeviceClaim>,
    devices: Vec<String>,
}

impl Devices {
    /// What there is of them, where that release simulates them.
    pub(super) fn of(
        gathered: &Gathered,
        nodes: &[NamedNode],
        zero: Stamp,
        profile: &Profile,
    ) -> Result<Self> {
        let (raw, mut devices) = (&gathered.devices, Self::default());
        if !profile.device_taint_eviction.taints {
            let what = format!(
                "not simulated in {}, but from 1.33 on, with the gate DRADeviceTaints, in 1.33 with DynamicResourceAllocation, too",
                profile.release
            );
            for (place, _) in raw.slices.placed() {
                devices.note((("ResourceSlice", what.clone()), named(&place.name, place)));
            }
            return Ok(devices);
        }
        if raw.slices.len() == 0 {
            return Ok(devices);
        }
        devices.take_slices(raw, nodes, zero)?;
        let claims = Claims { raw, made: made(gathered) };
        devices.take_pods(gathered, &claims);
        devices.take_workloads(gathered, &claims);
        devices.take_rules(raw, zero)?;
        Ok(devices)
    }

    /// Gives nodes their devices.
    pub(super) fn tell_of_nodes(&mut self, nodes: &mut [NamedNode]) {
        for (name, shape) in nodes {
            shape.devices = self.nodes.remove(name).unwrap_or_default();
        }
    }

    /// Writes into a pod's shape what it claims, and what it has.
    pub(super) fn tell_of_pod(&self, pod: &RawPod, shape: &mut PodShape) {
        if let Some(told) = self.pods.get(&pod.full_name()) {
            shape.template.resource_claims.clone_from(&told.claims);
            shape.devices.clone_from(&told.devices);
        }
    }

    /// Writes into a workload's template what its pods claim.
    pub(super) fn tell_of_workload(&self, workload: &RawWorkload, template: &mut PodTemplate) {
        if let Some(claims) = self.workloads.get(&workload.full_name()) {
            template.resource_claims.clone_from(claims);
        }
    }

    fn note(&mut self, (key, object): Note) {
        let all = self.notes.entry(key).or_default();
        if !all.contains(&object) {
            all.push(object);
        }
    }

    /// The devices of nodes: those of the newest generation of each pool, in the order of drivers, pools and slices.
    fn take_slices(&mut self, raw: &RawDevices, nodes: &[NamedNode], zero: Stamp) -> Result<()> {
        fn pool(slice: &RawSliceSpec) -> (&str, &str) {
            (&slice.driver, &slice.pool.name)
        }
        let mut newest: BTreeMap<(&str, &str), i64> = BTreeMap::new();
        for slice in raw.slices.iter() {
            let known = newest.entry(pool(slice)).or_insert(i64::MIN);
            *known = slice.pool.generation.max(*known);
        }
        let known: BTreeSet<&str> = nodes.iter().map(|(name, _)| name.as_str()).collect();
        let mut slices: Vec<_> = raw.slices.by_name().collect();
        slices.sort_by_key(|(_, (_, slice))| pool(slice));
        for (name, (place, slice)) in slices {
            if newest.get(&pool(slice)) != Some(&slice.pool.generation) {
                continue;
            }
            let why = match () {
                () if slice.shared_counters.0 => COUNTERS,
                () if slice.node_name.is_empty() => NOT_OF_A_NODE,
                () if !known.contains(&*slice.node_name) => NO_NODE,
                () => {
                    self.take_slice(slice, place, zero)?;
                    continue;
                }
            };
            self.note((("ResourceSlice", why.to_owned()), named(name, place)));
        }
        Ok(())
    }

    fn take_slice(&mut self, slice: &RawSliceSpec, place: &Place, zero: Stamp) -> Result<()> {
        let RawSliceSpec { driver, node_name, .. } = slice;
        let mut all = self.nodes.remove(node_name).unwrap_or_default();
        for (i, device) in slice.devices.iter().enumerate() {
            let is_there = all.iter().any(|d| d.driver == *driver && d.name == device.name);
            let why = match () {
                () if device.consumes_counters.0 => Some(COUNTERS),
                () if device.allow_multiple_allocations => Some(SHARED_DEVICE),
                () if device.binding_conditions.0 => Some(CONDITIONS),
                () => is_there.then_some(TWICE),
            };
            if let Some(why) = why {
                let name = format!("{node_name}/{}", device.name);
                self.note((("device", why.to_owned()), named(&name, place)));
                continue;
            }
            // One with the effect None is there to be read.
            let that_count = device.taints.iter().filter(|t| t.effect != "None");
            let field = format!("spec.devices[{i}].taints: effect");
            let taints = that_count.map(|t| node::taint(t, &field, zero).map_err(at(place)));
            all.push(DeviceShape {
                driver: driver.clone(),
                pool: Some(slice.pool.name.clone()).filter(|pool| pool != node_name),
                name: device.name.clone(),
                taints: taints.collect::<Result<_, _>>()?,
            });
        }
        self.nodes.insert(node_name.clone(), all);
        Ok(())
    }

    /// What pods claim and have. Devices of claims that are not told are left out: they are not free.
    fn take_pods(&mut self, gathered: &Gathered, claims: &Claims<'_>) {
        let mut taken = Taken::new();
        let mut told_claims = BTreeSet::new();
        for (place, pod) in gathered.pods.placed() {
            let known = pod.node().is_none_or(|n| self.nodes.contains_key(n));
            if pod.spec.resource_claims.is_empty() || !known {
                continue;
            }
            match self.of_pod(pod, place, claims, &mut taken) {
                Ok(told) => {
                    let made = pod.spec.resource_claims.iter();
                    told_claims.extend(made.filter_map(|of| pod.made_claim(&of.name)));
                    let names = told.claims.iter().filter_map(|c| c.resource_claim_name.as_ref());
                    told_claims.extend(names.map(|name| format!("{}/{name}", pod.namespace)));
                    self.pods.insert(pod.full_name(), told);
                }
                Err(note) => self.note(note),
            }
        }
        for (name, (place, claim)) in claims.raw.claims.by_name() {
            if told_claims.contains(name) {
                continue;
            }
            for has in claim.status.allocation.devices.results.iter().filter(|r| !r.admin_access) {
                let Some((node, at)) = self.find(has) else { continue };
                self.nodes.entry(node.clone()).and_modify(|all| drop(all.remove(at)));
                let device = named(&format!("{node}/{}", has.device), place);
                self.note((("device", OF_OTHERS.to_owned()), device));
            }
        }
    }

    /// Where the device stands that was allocated.
    fn find(&self, has: &RawResult) -> Option<(String, usize)> {
        self.nodes.iter().find_map(|(node, all)| {
            let is_it = |d: &DeviceShape| {
                d.driver == has.driver
                    && d.name == has.device
                    && d.pool.as_ref().unwrap_or(node) == &has.pool
            };
            Some((node.clone(), all.iter().position(is_it)?))
        })
    }

    fn of_pod(
        &mut self,
        pod: &RawPod,
        place: &Place,
        claims: &Claims<'_>,
        taken: &mut Taken,
    ) -> Result<Told, Note> {
        let mut told = Told::default();
        let has_devices = pod.node().is_some() && !pod.is_over();
        let full_name = pod.full_name();
        let user = ("pod", &*full_name, place);
        for of in &pod.spec.resource_claims {
            let name = match (&of.resource_claim_name, pod.made_claim(&of.name)) {
                (Some(name), _) => format!("{}/{name}", pod.namespace),
                (None, Some(name)) => name,
                (None, None) if has_devices => return Err(missing(user, &of.name)),
                (None, None) => {
                    told.claims.push(claims.of_template(&pod.namespace, of, user)?);
                    continue;
                }
            };
            let (place, claim) =
                claims.raw.claims.get(&name).ok_or_else(|| missing(user, &name))?;
            let of_claim = |why: String| (("ResourceClaim", why), named(&name, place));
            let (is_named, reserved) =
                (of.resource_claim_name.is_some(), &claim.status.reserved_for);
            if !is_named && reserved.len() > 1 {
                return Err(of_claim(SHARED.to_owned()));
            }
            let asked = claims.asked(&claim.spec).map_err(of_claim)?;
            told.claims.push(match is_named {
                true => self.named_claim(claim, asked.clone()),
                false => asked.clone(),
            });
            if !has_devices {
                continue;
            }
            if is_named && !reserved.iter().any(|of| of.name == pod.name) {
                return Err(of_claim(NOT_RESERVED.to_owned()));
            }
            let devices = self.allocated(claim, &asked, (pod, name.clone()), taken);
            told.devices.extend(devices.map_err(of_claim)?);
        }
        Ok(told)
    }

    /// Takes in a claim that a pod or a workload names, with what it asks for; how these tell of it.
    fn named_claim(&mut self, claim: &RawDeviceClaim, spec: DeviceClaim) -> DeviceClaim {
        let namespace = Some(claim.namespace.clone()).filter(|n| n != "default");
        let told = ResourceClaim { name: claim.name.clone(), namespace, spec };
        self.claims.insert(claim.full_name(), told);
        let resource_claim_name = Some(claim.name.clone());
        DeviceClaim { resource_claim_name, ..DeviceClaim::default() }
    }

    /// The names of the devices that a claim of a pod has, one request after the other.
    fn allocated(
        &self,
        claim: &RawDeviceClaim,
        asked: &DeviceClaim,
        (pod, name): (&RawPod, String),
        taken: &mut Taken,
    ) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        for (request, asked) in claim.spec.devices.requests.iter().zip(requests(asked)) {
            let results = &claim.status.allocation.devices.results;
            // Of several alternatives that of which it has devices.
            let mut alternatives = request.alternatives().into_iter().zip(&asked);
            let found = alternatives.find_map(|((name, _), of)| {
                let its: Vec<&RawResult> = results.iter().filter(|r| r.request == name).collect();
                (!its.is_empty()).then_some((of, its))
            });
            let (of, of_request) = found.ok_or(OTHER_THAN)?;
            // Up to 1.35 the first of all devices of a later one counts as one of the first alternative (S123).
            let is_all = of.allocation_mode == Some(AllocationMode::All);
            let is_whole = of_request.iter().all(|has| has.driver == driver(of))
                && of_request.len() == self.count(of, pod);
            let others = asked.first().filter(|_| is_all && !is_whole).unwrap_or(of);
            if of_request.len() != self.count(others, pod) {
                return Err(OTHER_THAN.to_owned());
            }
            for (i, has) in of_request.into_iter().enumerate() {
                let node = self.find(has).map(|(node, _)| node);
                let of_driver = has.driver == driver(if i == 0 { of } else { others });
                let Some(node) = node.filter(|n| Some(n.as_str()) == pod.node() && of_driver)
                else {
                    return Err(format!(
                        "not simulated, as no ResourceSlice in the files has the device {}/{}/{} of {}",
                        has.driver,
                        has.pool,
                        has.device,
                        pod.node().unwrap_or_default()
                    ));
                };
                let device = (node, has.driver.clone(), has.device.clone());
                if *taken.entry(device).or_insert_with(|| name.clone()) != name {
                    return Err(TWO_HAVE.to_owned());
                }
                names.push(has.device.clone());
            }
        }
        Ok(names)
    }

    /// How many devices a request asks for on the node of a pod.
    fn count(&self, asked: &DeviceSubRequest, pod: &RawPod) -> usize {
        let driver = driver(asked);
        let all = pod.node().and_then(|node| self.nodes.get(node));
        match asked.allocation_mode {
            Some(AllocationMode::All) => {
                all.into_iter().flatten().filter(|d| d.driver == driver).count()
            }
            _ => asked.count.unwrap_or(1) as usize,
        }
    }

    fn take_workloads(&mut self, gathered: &Gathered, claims: &Claims<'_>) {
        for (place, workload) in gathered.workloads.placed() {
            let full_name = workload.full_name();
            let user = (workload.kind.as_str(), &*full_name, place);
            let asked = |of: &RawPodClaim| {
                let Some(name) = &of.resource_claim_name else {
                    return claims.of_template(&workload.namespace, of, user);
                };
                let name = format!("{}/{name}", workload.namespace);
                let found = claims.raw.claims.get(&name);
                let (place, claim) = found.ok_or_else(|| missing(user, &name))?;
                let asked = claims.asked(&claim.spec);
                let of_claim = |why| (("ResourceClaim", why), named(&name, place));
                Ok(self.named_claim(claim, asked.map_err(of_claim)?))
            };
            // Those that are named are taken in, whatever there is to say of others.
            let all: Vec<_> = workload.pod_spec().resource_claims.iter().map(asked).collect();
            let all: Result<Vec<DeviceClaim>, Note> = all.into_iter().collect();
            match all {
                Ok(all) => drop(self.workloads.insert(full_name, all)),
                Err(note) if workload.is_over().is_none() => self.note(note),
                Err(_) => {}
            }
        }
    }

    fn take_rules(&mut self, raw: &RawDevices, zero: Stamp) -> Result<()> {
        for (name, (place, spec)) in raw.rules.by_name() {
            if spec.device_selector.is_none() {
                let what = NO_SELECTOR.to_owned();
                self.note((("DeviceTaintRule", what), named(name, place)));
                continue;
            }
            let rule = rule(name, spec, zero).map_err(at(place))?;
            let mut all =
                self.nodes.iter().flat_map(|(node, all)| all.iter().map(move |d| (node, d)));
            let is =
                |wanted: &Option<String>, has: &String| wanted.as_ref().is_none_or(|w| w == has);
            let is_selected = |(node, d): (&String, &DeviceShape)| {
                is(&rule.driver, &d.driver)
                    && is(&rule.pool, d.pool.as_ref().unwrap_or(node))
                    && is(&rule.device, &d.name)
            };
            if all.any(is_selected) {
                self.rules.push(rule);
                continue;
            }
            let what = format!("left out, as no device that was taken has {}", selected(&rule));
            self.note((("DeviceTaintRule", what), named(name, place)));
        }
        Ok(())
    }
}

fn driver(asked: &DeviceSubRequest) -> &str {
    asked.driver.as_deref().unwrap_or(DEFAULT_DEVICE_DRIVER)
}

/// The claims that have devices, by node, driver and name of these.
type Taken = BTreeMap<(String, String, String), String>;

/// Somebody who names a claim that is not there.
fn missing((kind, user, place): User<'_>, claim: &str) -> Note {
    let what = format!(
        "whose ResourceClaim {claim} is not in the files, so that its devices are not simulated"
    );
    ((kind, what), named(user, place))
}
