//! Claims on devices of nodes, and those that pods have from the start.

use super::prelude::*;
use crate::api::allocator::{FIRST_AVAILABLE_MAX, RESULTS_MAX, allocate, named};
use crate::api::device::{
    DEFAULT_DEVICE_DRIVER, Device, DeviceClaim, DeviceId, DeviceRequest, DeviceResult,
    ExactDeviceRequest, RESERVED_FOR_MAX,
};
use crate::api::names::NodeId;
use crate::api::toleration::Toleration;

/// What claims are read by: the nodes, the claims that exist by themselves, and whether the release has `firstAvailable`.
pub(super) type Known<'a> = (&'a Nodes, &'a SharedClaims, bool);

/// The claims of a template on devices.
pub(super) fn claims(
    written: &[language::DeviceClaim],
    (nodes, shared, lists): Known<'_>,
    namespace: &str,
    place: &Spot,
) -> Vec<DeviceClaim> {
    let mut claims: Vec<DeviceClaim> = Vec::new();
    for (place, w) in place.each(written) {
        let Some(name) = &w.resource_claim_name else {
            claims.push(own_claim(w, (nodes, lists), &place));
            continue;
        };
        let place = place.part("resourceClaimName");
        if w.exactly() != DeviceSubRequest::default() || w.requests.is_some() {
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
    known: (&Nodes, bool),
    complaints: &Complaints,
) -> SharedClaims {
    let mut all = SharedClaims::new();
    for (place, claim) in complaints.at(at!["resourceClaims"]).each(written) {
        let namespace = claim.namespace.as_deref().unwrap_or("default");
        place.part("namespace").take(checks::namespace(namespace));
        place.part("name").take(checks::object_name("claim", &claim.name));
        let spec = place.part("spec");
        if claim.spec.resource_claim_name.is_some() {
            spec.part("resourceClaimName").say("only a pod names a claim");
        }
        let full = format!("{namespace}/{}", claim.name);
        let shared = Some(full.as_str().into());
        let read = DeviceClaim { shared, ..own_claim(&claim.spec, known, &spec) };
        if all.insert(full, read).is_some() {
            place.part("name").say(format!("claim `{}` is declared twice", claim.name));
        }
    }
    all
}

/// What a claim asks for.
fn own_claim(
    w: &language::DeviceClaim,
    (nodes, lists): (&Nodes, bool),
    place: &Spot,
) -> DeviceClaim {
    let list = place.part("requests");
    let requests = match &w.requests {
        None => vec![DeviceRequest::Exactly(exactly(&w.exactly(), nodes, place))],
        Some(several) => {
            check_not_empty(several, &list);
            if w.exactly() != DeviceSubRequest::default() {
                list.say(
                    "what is asked for is given in each of these requests, and not beside them",
                );
            }
            list.each(several).map(|(place, w)| request(w, (nodes, lists), &place)).collect()
        }
    };
    let claim = DeviceClaim { requests, shared: None };
    if claim.requests.len() > RESULTS_MAX || claim.least() > RESULTS_MAX {
        place.say(format!("the scheduler allocates {RESULTS_MAX} devices at most for a claim"));
    }
    claim
}

/// A request of several.
fn request(
    w: &language::DeviceRequest,
    (nodes, lists): (&Nodes, bool),
    place: &Spot,
) -> DeviceRequest {
    let Some(alternatives) = &w.first_available else {
        return DeviceRequest::Exactly(exactly(&w.exactly(), nodes, place));
    };
    let list = place.part("firstAvailable");
    check_not_empty(alternatives, &list);
    if w.exactly() != DeviceSubRequest::default() {
        list.say("what is asked for is given in each of these alternatives, and not beside them");
    }
    if !lists {
        let problem = Problem::new(
            "the API server knows no alternatives without the gate DRAPrioritizedList, which is on from 1.34 on",
        );
        list.add(problem.help("`feature_gates: {\"DRAPrioritizedList\": true}`, from 1.33 on"));
    }
    if alternatives.len() > FIRST_AVAILABLE_MAX {
        list.say(format!("a request has {FIRST_AVAILABLE_MAX} alternatives at most"));
    }
    let of = list.each(alternatives).map(|(place, w)| exactly(w, nodes, &place));
    DeviceRequest::FirstAvailable(of.collect())
}

/// Complains about a list in which nothing is asked for.
fn check_not_empty<T>(list: &[T], place: &Spot) {
    if list.is_empty() {
        let problem = Problem::new("a claim is on one device at least, and this list is empty");
        place.add(problem.help("leave it out for one device"));
    }
}

/// So many devices of a driver, or all.
fn exactly(w: &DeviceSubRequest, nodes: &Nodes, place: &Spot) -> ExactDeviceRequest {
    let driver = w.driver.clone().unwrap_or_else(|| DEFAULT_DEVICE_DRIVER.to_owned());
    let is_for_all = w.allocation_mode == Some(AllocationMode::All);
    match w.count {
        Some(0) => place.part("count").say("a claim is on one device at least"),
        Some(_) if is_for_all => {
            place.part("count").say("must not be given where the allocationMode is All");
        }
        _ => {}
    }
    check_part(place, "driver", Some(&driver), &nodes.plans, &|_, d| &d.driver);
    let tolerations = tolerations(&w.tolerations, &place.part("tolerations")).into();
    let count = (!is_for_all).then(|| w.count.unwrap_or(1));
    ExactDeviceRequest { driver, count, tolerations }
}

/// Tolerations of taints of devices, which have less to say than those of nodes.
fn tolerations(written: &[language::Toleration], place: &Spot) -> Vec<Toleration> {
    for (place, t) in place.each(written) {
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
pub(super) fn check_part<'n>(
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

/// Complains about pods that are on nodes from the start, where these lack the devices that they claim.
pub(super) fn check_start(
    spec: &Scenario,
    (pods, nodes): (&Pods, &Nodes),
    complaints: &Complaints,
) {
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
    let mut in_use: BTreeSet<DeviceId> = BTreeSet::new();
    let mut lacks = None;
    for (pod, node) in that_have_devices(pods) {
        // A claim that several share counts once.
        let is_new =
            |c: &&DeviceClaim| c.shared.as_deref().is_none_or(|name| on.remove(name).is_some());
        let new: Vec<&DeviceClaim> = claims(pod).iter().filter(is_new).collect();
        for request in new.iter().copied().flat_map(|claim| &claim.requests) {
            if let DeviceRequest::Exactly(of) = request {
                *wanted.entry((node, &of.driver)).or_default() += of.count.unwrap_or(1) as usize;
            }
        }
        if pod.devices.is_none() {
            match at_start(&new, (node, &nodes.plans[node as usize]), &in_use) {
                Some(devices) => in_use.extend(devices.iter().flatten().map(|r| r.device)),
                None => lacks = lacks.or(Some((pod, node))),
            }
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
    if let Some((pod, node)) = lacks {
        place.say(format!(
            "pod `{}`, which is on node `{}` from the start, claims devices that it has not or that others there have",
            pod.name, nodes.plans[node as usize].name
        ));
    }
}

/// The devices of claims of a pod that is on a node from the start, where those are in use.
fn at_start(
    claims: &[&DeviceClaim],
    (index, node): (NodeIndex, &NodePlan),
    in_use: &BTreeSet<DeviceId>,
) -> Option<Vec<Vec<DeviceResult>>> {
    let id = NodeId(index);
    let is_in_use = |place| in_use.contains(&DeviceId { node: id, place: place as u32 });
    Some(allocate(claims, (id, &node.devices), true, is_in_use, |_, _| false)?.devices)
}

/// Whether a node on which no pod is has the devices for these claims.
pub(super) fn fit(claims: &[DeviceClaim], node: &NodePlan) -> bool {
    let claims: Vec<&DeviceClaim> = claims.iter().collect();
    at_start(&claims, (0, node), &BTreeSet::new()).is_some()
}

/// What to know of claims on all devices of a node where one has more than a claim is allocated.
pub(super) fn too_many(claims: &[DeviceClaim], nodes: &[NodePlan]) -> Option<String> {
    let is_beyond = |c: &DeviceClaim| nodes.iter().any(|n| c.all_of(&n.devices) > RESULTS_MAX);
    let text = || {
        format!(" A claim is allocated {RESULTS_MAX} devices at most, also one on all of a node.")
    };
    claims.iter().any(is_beyond).then(text)
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
    let mut taken = Taken::new();
    for (pod, node) in that_have_devices(pods) {
        let claims: Vec<&DeviceClaim> =
            pods.templates[pod.template as usize].devices.iter().collect();
        let of = &nodes.plans[node as usize];
        let wrong = match pod.devices.as_deref() {
            None if claims.is_empty() => None,
            None => Some("does not say which devices it has, as others do".to_owned()),
            Some(names) => match named(&claims, (NodeId(node), &of.devices), names) {
                None => Some(misnamed(&claims, of, names)),
                Some(devices) => {
                    let mut each = claims.iter().zip(&devices);
                    each.find_map(|(claim, devices)| taken_twice(claim, devices, of, &mut taken))
                }
            },
        };
        if let Some(wrong) = wrong {
            return place.say(format!("pod `{}` {wrong}", pod.name));
        }
    }
}

/// Devices that pods have, with the names of the claims that several of them share.
type Taken<'a> = BTreeMap<DeviceId, Option<&'a str>>;

/// What is wrong with the devices of a claim, where others have devices, too.
fn taken_twice<'a>(
    claim: &'a DeviceClaim,
    devices: &[DeviceResult],
    node: &NodePlan,
    taken: &mut Taken<'a>,
) -> Option<String> {
    let shared = claim.shared.as_deref();
    devices.iter().find_map(|DeviceResult { device, .. }| {
        let other = taken.insert(*device, shared);
        let of_claim = || taken.values().filter(|s| **s == shared).count();
        if let Some(claimed) = shared.filter(|_| of_claim() > devices.len()) {
            return Some(format!("names other devices of claim `{claimed}` than another pod"));
        }
        other.filter(|other| other.is_none() || *other != shared).map(|_| {
            let name = &node.devices[device.place as usize].name;
            format!("names device `{name}` of node `{}`, which another has", node.name)
        })
    })
}

/// What is wrong with the names of a pod's devices, which are not what it claims.
fn misnamed(claims: &[&DeviceClaim], node: &NodePlan, names: &[String]) -> String {
    let other = || "names other devices than it claims".to_owned();
    let mut drivers = Vec::new();
    for request in claims.iter().copied().flat_map(|claim| &claim.requests) {
        let DeviceRequest::Exactly(ExactDeviceRequest { driver, count: Some(count), .. }) = request
        else {
            return other();
        };
        drivers.extend(std::iter::repeat_n(driver, *count as usize));
    }
    if drivers.len() != names.len() {
        return format!("claims {} and names {}", counted(drivers.len(), "device"), names.len());
    }
    let is_missing = |(driver, name): &(&String, &String)| {
        !node.devices.iter().any(|d| d.driver == **driver && d.name == **name)
    };
    let Some((driver, name)) = drivers.into_iter().zip(names).find(is_missing) else {
        return other();
    };
    format!("names device `{name}` of {driver}, which node `{}` does not have", node.name)
}
