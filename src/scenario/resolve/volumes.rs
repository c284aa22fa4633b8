//! Claims of pods.

use super::prelude::*;
use crate::api::node::is_in_zone;
use crate::api::quantity::Quantity;
use crate::api::volume::{
    AccessMode, BindingMode, Claim, DEFAULT_DRIVER, Reach, storage_capacity_key,
};

/// The claims of a template. Those without a name get it from [`name_claims`].
pub(super) fn claims(written: &[VolumeClaim], place: &Spot) -> Vec<Claim> {
    (0..).zip(written).map(|(i, w)| claim(w, &place.part(i))).collect()
}

fn claim(written: &VolumeClaim, place: &Spot) -> Claim {
    let name = match written.claim.as_deref() {
        Some(size) if Quantity::parse(size).is_ok() => String::new(),
        Some(name) => {
            let help = "a claim is said by its name, or by its size: `\"10Gi\"`";
            let named = checks::object_name("claim", name).map_err(|problem| problem.help(help));
            place.part("claim").take(named);
            name.to_owned()
        }
        None => String::new(),
    };
    place.read("volume", &written.volume, |name| checks::object_name("volume", name));
    let access = written.access.unwrap_or_default();
    let reach = reach(written, access, place);
    let is_local = matches!(reach, Reach::Node(_));
    if is_local && written.attach == Some(true) {
        place.part("attach").say("a local volume is not attached");
    }
    let attach = written.is_attached();
    if is_local && written.driver.is_some() {
        place.part("driver").say("no limit counts a local volume: it has no driver");
    }
    let driver = || written.driver.clone().unwrap_or_else(|| DEFAULT_DRIVER.to_owned());
    let provision = place.read("provision", &written.provision, values::span);
    let binding = written.binding.unwrap_or_default();
    if binding == BindingMode::Immediate && matches!(reach, Reach::Node(None)) {
        let help =
            "a local volume is made once there is a node: say which `node`, or leave `binding` out";
        let problem = Problem::new("no node is chosen yet when the volume is made").help(help);
        place.part("binding").add(problem);
    }
    let allowed_topologies = allowed_topologies(written, &reach, place);
    let storage = storage(written, place);
    let (volume, assumed) = (written.volume.clone(), written.assumed);
    let driver = (!is_local).then(driver);
    Claim {
        name,
        per_pod: false,
        access,
        reach,
        allowed_topologies,
        storage,
        attach,
        driver,
        volume,
        binding,
        provision,
        assumed,
    }
}

/// The zones in which its volume may be made, where it is not there yet.
fn allowed_topologies(written: &VolumeClaim, reach: &Reach, place: &Spot) -> Vec<String> {
    let place = place.part("allowedTopologies");
    let is_there = written.zone.is_some() || written.node.is_some() || written.volume.is_some();
    let is_immediate = written.binding == Some(BindingMode::Immediate);
    if !written.allowed_topologies.is_empty() && is_there {
        let problem = Problem::new("where this volume lies is said already");
        place.add(problem.help("leave it out beside `zone`, `node` and the name of a `volume`"));
    } else if !written.allowed_topologies.is_empty() && is_immediate && *reach == Reach::Everywhere
    {
        place.say(
            "a volume that is made with its claim, and reached from everywhere, is in no zone",
        );
    }
    written.allowed_topologies.clone()
}

/// What its volume asks of the storage that nodes have for its StorageClass.
fn storage(written: &VolumeClaim, place: &Spot) -> Option<(String, Quantity)> {
    let named = written.claim.as_ref().and_then(|claim| Quantity::parse(claim).ok());
    let size =
        written.size.as_ref().map_or(named, |size| place.part("size").take(checks::amount(size)));
    let Some(class) = &written.storage_class_name else {
        if written.size.is_some() {
            let help = "`storageClassName`, of which nodes say how much storage they have";
            let problem = Problem::new("nobody asks for this size").help(help);
            place.part("size").add(problem);
        }
        return None;
    };
    let place = place.part("storageClassName");
    if written.binding == Some(BindingMode::Immediate) {
        place.say(
            "the scheduler asks for storage only where a volume is made once a node is chosen",
        );
    } else if size.is_none() {
        place.add(Problem::new("the size of this volume is not said").help("`size: \"10Gi\"`"));
    }
    Some((storage_capacity_key(class), size?))
}

fn reach(written: &VolumeClaim, access: AccessMode, place: &Spot) -> Reach {
    use language::Reach as R;
    let (zone, node) = (&written.zone, &written.node);
    match written.reach {
        _ if zone.is_some() && node.is_some() => {
            place.say("a volume is reached from a `zone` or from a `node`, not both");
            Reach::Everywhere
        }
        Some(R::Everywhere) if zone.is_some() || node.is_some() => {
            let text = "what is reached from everywhere has neither `zone` nor `node`";
            place.part("reach").say(text);
            Reach::Everywhere
        }
        Some(R::Zone) if node.is_some() => {
            place.part("node").say("what is reached from a zone has no `node`");
            Reach::Everywhere
        }
        Some(R::Node) if zone.is_some() => {
            place.part("zone").say("what is reached from a node has no `zone`");
            Reach::Everywhere
        }
        Some(R::Everywhere) => Reach::Everywhere,
        Some(R::Node) => Reach::Node(node.clone()),
        None if node.is_some() => Reach::Node(node.clone()),
        None if access.is_multi_attach_allowed() && zone.is_none() => Reach::Everywhere,
        Some(R::Zone) | None => Reach::Zone(zone.clone()),
    }
}

/// Says of the claims of a workload's pods, or of pods without one, which pods share them, and gives
/// names to those that have none.
pub(super) fn name_claims(claims: &mut [Claim], owner: Option<(&str, &str)>) {
    let of_set = owner.is_some_and(|(kind, _)| kind == WorkloadKind::StatefulSet.as_str());
    for (i, claim) in (1..).zip(claims) {
        claim.per_pod |= of_set;
        if claim.name.is_empty() {
            let number = if i == 1 { String::new() } else { format!("-{i}") };
            claim.name = match owner {
                Some((_, name)) if !of_set => format!("{name}-data{number}"),
                _ => format!("data{number}"),
            };
            claim.per_pod |= owner.is_none();
        }
    }
}

/// Names zones of claims as a run does, and complains about nodes and zones that the scenario does not have.
pub(super) fn find_places(claims: &mut [Claim], nodes: &super::select::Nodes, place: &Spot) {
    for (i, claim) in (0..).zip(claims) {
        let place = place.part(i);
        for zone in &mut claim.allowed_topologies {
            *zone = nodes.zone(zone).map_or_else(|_| zone.clone(), |(named, _)| named);
        }
        match &mut claim.reach {
            Reach::Node(Some(name)) => {
                place.part("node").take(nodes.named(name));
            }
            Reach::Zone(Some(zone)) => match nodes.zone(zone) {
                Ok((named, _)) => *zone = named,
                // The zones of that name of all regions.
                Err(_) if nodes.plans.iter().any(|n| is_in_zone(&n.labels, zone)) => {}
                nowhere => drop(place.part("zone").take(nowhere)),
            },
            _ => {}
        }
    }
}
