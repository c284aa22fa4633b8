//! How figures are kept for another process: spans of time as whole nanoseconds, kinds of workload
//! by their place in the list of all. The types themselves are in the simulation, which knows
//! nothing of files.

use crate::api::workload::WorkloadKind;
use crate::kernel::Dur;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Serialize for Dur {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_nanos().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Dur {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(Self::from_nanos)
    }
}

impl Serialize for WorkloadKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let place = Self::ALL.iter().position(|k| k == self).unwrap_or_default();
        (place as u32).serialize(to)
    }
}

impl<'de> Deserialize<'de> for WorkloadKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let place = u32::deserialize(from)? as usize;
        let kind = Self::ALL.get(place).copied();
        kind.ok_or_else(|| D::Error::custom("there is no such kind of workload"))
    }
}
