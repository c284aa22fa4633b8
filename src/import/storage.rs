//! StorageClasses: who makes the volume of a claim that has none, and when; CSIStorageCapacities: how much storage a driver
//! has, where, and for which class (`k8s.io/api/storage/v1/types.go`, v1.34); and from where a volume is reached
//! (`spec.nodeAffinity`).

use super::node::NamedNode;
use super::raw_volumes::RawClaimSpec;
use crate::api::labels::{Labels, Selector};
use crate::api::node::zone;
use crate::api::quantity::Quantity;
use crate::api::volume::{BindingMode, storage_capacity_key};
use crate::import::prelude::*;

/// What is read of StorageClasses beside their metadata.
pub(super) const STORAGE_FIELDS: [&str; 3] =
    ["provisioner", "volumeBindingMode", "allowedTopologies"];

/// What is read of CSIStorageCapacities.
pub(super) const CAPACITY_FIELDS: [&str; 4] =
    ["storageClassName", "capacity", "maximumVolumeSize", "nodeTopology"];

const UNREACHED: &str =
    "not simulated, as no node in the files reaches the volume (by zone, host name or label)";
const PARTLY: &str =
    "not simulated, as the nodes that reach the volume are neither a zone, nor one node, nor all";

/// `storagehelpers.NotSupportedProvisioner`
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Of one that names other topologies.
const NOT_ZONES: &str =
    "without its `allowedTopologies`, which are not zones; a run has its volumes made anywhere";

raw! {
    /// `v1.TopologySelectorTerm`
    struct RawTopologyTerm {
        match_label_expressions: Vec<RawRequirement>,
    }
}

/// A StorageClass.
pub(super) struct StorageClass {
    pub(super) name: String,
    /// The driver that makes its volumes; none where nobody does.
    pub(super) driver: Option<String>,
    /// When it makes them; none for the usual way.
    pub(super) binding: Option<BindingMode>,
    /// The zones in which it has volumes made, all if empty; none where it names anything but zones.
    zones: Option<Vec<String>>,
    /// Since when there is the class, if claims that name none have it.
    default_since: Option<String>,
}

impl StorageClass {
    /// The zones in which it has a volume made, where not in all; what is made with its claim and reached from everywhere
    /// is in none.
    pub(super) fn allowed_topologies(&self, reached_from_everywhere: bool) -> Vec<String> {
        let matters = self.binding.is_none() || !reached_from_everywhere;
        self.zones.clone().filter(|_| matters).unwrap_or_default()
    }
}

/// The StorageClasses of an export, by their names.
#[derive(Default)]
pub(super) struct StorageClasses(BTreeMap<String, StorageClass>);

impl StorageClasses {
    /// Takes one in.
    pub(super) fn take(&mut self, name: String, meta: RawMeta, fields: &Fields) {
        let [driver, binding, terms] = STORAGE_FIELDS.map(|field| fields.get(field));
        let [driver, binding] = [driver, binding].map(|text| text?.as_str());
        let zones = terms.map_or(Some(Vec::new()), zones);
        let driver = driver.filter(|driver| *driver != NO_PROVISIONER).map(str::to_owned);
        // The API server writes `Immediate` where nothing is said.
        let waits = binding == Some("WaitForFirstConsumer");
        let binding = (!waits && driver.is_some()).then_some(BindingMode::Immediate);
        let is_default = meta.annotations.default_class.as_deref() == Some("true");
        let default_since = is_default.then_some(meta.creation_timestamp);
        let class = StorageClass { name: name.clone(), driver, binding, zones, default_since };
        self.0.insert(name, class);
    }

    /// Who makes volumes.
    pub(super) fn drivers(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter_map(|class| class.driver.as_deref())
    }

    /// Those of which something is left out.
    pub(super) fn note(&self) -> Option<((&'static str, String), Vec<String>)> {
        let is_cut = |class: &&StorageClass| class.zones.is_none() && class.driver.is_some();
        let names: Vec<String> = self.0.values().filter(is_cut).map(|c| c.name.clone()).collect();
        (!names.is_empty()).then(|| (("StorageClass", NOT_ZONES.to_owned()), names))
    }

    /// That of a claim: the one that it names, or the default one, of several the newest
    /// (`pkg/volume/util/storageclass.go: GetDefaultClass`).
    pub(super) fn of(&self, claim: &RawClaimSpec) -> Option<&StorageClass> {
        if let Some(name) = &claim.storage_class_name {
            return self.0.get(name);
        }
        let defaults = self.0.values().rev().filter(|class| class.default_since.is_some());
        defaults.max_by_key(|class| &class.default_since)
    }
}

/// The zones that terms name, by Kubernetes' own label or a driver's, where they name nothing else.
fn zones(terms: &Value) -> Option<Vec<String>> {
    let terms = Option::<Vec<RawTopologyTerm>>::deserialize(terms).ok()?.unwrap_or_default();
    let mut zones = BTreeSet::new();
    for term in terms {
        let [only] = &term.match_label_expressions[..] else { return None };
        if !only.key.ends_with("zone") {
            return None;
        }
        zones.extend(only.values.iter().cloned());
    }
    Some(zones.into_iter().collect())
}

/// The CSIStorageCapacities of an export.
#[derive(Default)]
pub(super) struct StorageCapacities {
    /// The drivers that keep them (`CSIDriver`, `storageCapacity`).
    pub(super) drivers: BTreeSet<String>,
    /// The class, how large a volume may be (`volumeLimit`), and for which nodes.
    all: Vec<(String, Quantity, Selector)>,
}

impl StorageCapacities {
    /// Takes one in. What is for no nodes, or has no size, is for nobody.
    pub(super) fn take(&mut self, fields: &Fields) -> Result<(), Wrong> {
        let [class, capacity, most, nodes] = CAPACITY_FIELDS.map(|field| fields.get(field));
        let class = class.and_then(Value::as_str).unwrap_or_default().to_owned();
        let text = |value: Option<&Value>| value?.as_str().map(str::to_owned);
        let (Some(limit), Some(nodes)) = (text(most).or_else(|| text(capacity)), nodes) else {
            return Ok(());
        };
        let limit = Quantity::parse(&limit).map_err(|e| Wrong(format!("capacity: {e}")))?;
        let raw = RawSelector::deserialize(nodes);
        let raw = raw.map_err(|e| Wrong(format!("nodeTopology: {e}")))?;
        let nodes = selector("nodeTopology", &raw)?.as_selector();
        let nodes = nodes.map_err(|e| Wrong(format!("nodeTopology: {e}")))?;
        self.all.push((class, limit, nodes));
        Ok(())
    }

    /// Whether a driver's volumes of that class are only made where one of them has the room.
    pub(super) fn are_asked(&self, driver: &str, class: &str) -> bool {
        self.drivers.contains(driver) && self.all.iter().any(|(of, ..)| of == class)
    }

    /// What a node of these labels has, by resources of the node.
    pub(super) fn of(&self, labels: &Labels) -> BTreeMap<String, QuantityText> {
        let mut most: BTreeMap<&str, Quantity> = BTreeMap::new();
        for (class, limit, _) in self.all.iter().filter(|(.., nodes)| nodes.matches(labels)) {
            let largest = most.entry(class).or_insert(*limit);
            *largest = (*largest).max(*limit);
        }
        let resource = |(class, limit): (&str, Quantity)| {
            (storage_capacity_key(class), limit.to_string().into())
        };
        most.into_iter().map(resource).collect()
    }
}

/// From where a volume with these terms is reached.
pub(super) fn reached(
    terms: &RawNodeTerms,
    nodes: &[NamedNode],
) -> Result<VolumeClaim, &'static str> {
    let terms = &terms.node_selector_terms;
    let is_reached = |n: &&NamedNode| terms.iter().any(|t| requirements(t).all(|r| fits(r, n)));
    let reached: Vec<&NamedNode> = nodes.iter().filter(is_reached).collect();
    let Some((first, shape)) = reached.first() else { return Err(UNREACHED) };
    // `topology.kubernetes.io/zone`, or what a driver calls it; or a region.
    let of_zones = |r: &RawRequirement| r.key.ends_with("zone") || r.key.ends_with("/region");
    let by_zone = terms.iter().flat_map(requirements).all(of_zones);
    if reached.len() == 1 && !by_zone {
        return Ok(VolumeClaim { node: Some(first.clone()), ..VolumeClaim::default() });
    }
    let of_zone = |n: &NamedNode| zone(&n.1.labels) == zone(&shape.labels);
    let whole = nodes.iter().filter(|n| of_zone(n)).count() == reached.len();
    match zone(&shape.labels) {
        Some(zone) if whole && reached.iter().all(|n| of_zone(n)) => {
            Ok(VolumeClaim { zone: Some(zone.to_owned()), ..VolumeClaim::default() })
        }
        _ if reached.len() == nodes.len() => {
            Ok(VolumeClaim { reach: Some(Reach::Everywhere), ..VolumeClaim::default() })
        }
        _ => Err(PARTLY),
    }
}

fn requirements(term: &RawNodeTerm) -> impl Iterator<Item = &RawRequirement> {
    term.match_expressions.iter().chain(&term.match_fields)
}

/// Whether a node is as a term wants it. A node without the driver's label of its zone is in that
/// of Kubernetes' own label, and one without a host name has its own.
fn fits(wanted: &RawRequirement, (name, shape): &NamedNode) -> bool {
    let key = wanted.key.as_str();
    let value = shape.labels.get(key).map(String::as_str).or(match key {
        "kubernetes.io/hostname" | "metadata.name" => Some(name),
        _ if key.ends_with("/zone") => zone(&shape.labels),
        _ => None,
    });
    let among = value.is_some_and(|v| wanted.values.iter().any(|w| w == v));
    match wanted.operator.as_str() {
        "In" => among,
        "NotIn" => !among,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}
