//! CSIStorageCapacities (`k8s.io/api/storage/v1/types.go`, v1.34): how much storage a driver has, where, and for which
//! StorageClass.

use crate::api::labels::{Labels, Selector};
use crate::api::quantity::Quantity;
use crate::api::volume::storage_capacity_key;
use crate::import::prelude::*;

/// What is read of them.
pub(super) const CAPACITY_FIELDS: [&str; 4] =
    ["storageClassName", "capacity", "maximumVolumeSize", "nodeTopology"];

/// Those of an export.
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
