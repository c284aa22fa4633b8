//! StorageClasses (`k8s.io/api/storage/v1/types.go`, v1.34): who makes the volume of a claim that has none, and when.

use super::raw_volumes::RawClaimSpec;
use crate::api::volume::BindingMode;
use crate::import::prelude::*;

/// What is read of them beside their metadata.
pub(super) const STORAGE_FIELDS: [&str; 2] = ["provisioner", "volumeBindingMode"];

/// `storagehelpers.NotSupportedProvisioner`
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// A StorageClass.
pub(super) struct StorageClass {
    /// The driver that makes its volumes; none where nobody does.
    pub(super) driver: Option<String>,
    /// When it makes them; none for the usual way.
    pub(super) binding: Option<BindingMode>,
    /// Since when there is the class, if claims that name none have it.
    default_since: Option<String>,
}

/// Those of an export, by their names.
#[derive(Default)]
pub(super) struct StorageClasses(BTreeMap<String, StorageClass>);

impl StorageClasses {
    /// Takes one in.
    pub(super) fn take(&mut self, name: String, meta: RawMeta, fields: &Fields) {
        let [driver, binding] = STORAGE_FIELDS.map(|field| fields.get(field)?.as_str());
        let driver = driver.filter(|driver| *driver != NO_PROVISIONER).map(str::to_owned);
        // The API server writes `Immediate` where nothing is said.
        let waits = binding == Some("WaitForFirstConsumer");
        let binding = (!waits && driver.is_some()).then_some(BindingMode::Immediate);
        let is_default = meta.annotations.default_class.as_deref() == Some("true");
        let default_since = is_default.then_some(meta.creation_timestamp);
        self.0.insert(name, StorageClass { driver, binding, default_since });
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
