//! StorageClasses (`k8s.io/api/storage/v1/types.go`, v1.34): who makes the volume of a claim that has none, and when.

use super::raw_volumes::RawClaimSpec;
use crate::api::volume::BindingMode;
use crate::import::prelude::*;

/// What is read of them beside their metadata.
pub(super) const STORAGE_FIELDS: [&str; 3] =
    ["provisioner", "volumeBindingMode", "allowedTopologies"];

/// `storagehelpers.NotSupportedProvisioner`
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Of one that names other topologies.
const NOT_ZONES: &str =
    "without its `allowedTopologies`, which are not zones; a run has its volumes made anywhere";

raw! {
    /// `v1.TopologySelectorTerm`
    struct RawTopologyTerm {
        match_label_expressions: Vec<RawTopologyRequirement>,
    }

    /// `v1.TopologySelectorLabelRequirement`
    struct RawTopologyRequirement {
        key: String,
        values: Vec<String>,
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

/// Those of an export, by their names.
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
