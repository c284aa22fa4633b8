//! What all objects share: identity of an object's life, stored times, conditions' status, owners.

use crate::api::prelude::*;
use crate::kernel::{Argument, Time};

/// The identity of one life of an object; never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Uid(pub u64);

impl Argument for Uid {
    fn pack(self) -> u64 {
        self.0
    }

    fn unpack(bits: u64) -> Self {
        Self(bits)
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00000000-0000-0000-0000-{:012x}", self.0)
    }
}

/// A time as the API stores it: whole seconds from the start of the run, negative before it.
///
/// `metav1.Time` is serialised to seconds; a controller that has not read its object back still has
/// nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// So long after it; the start of the run where that is before.
    pub(crate) fn after(self, wait: Dur) -> Time {
        let wait_s = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
        Time::from_secs(u64::try_from(self.0.saturating_add(wait_s)).unwrap_or_default())
    }
}

words! {
    /// The status of a condition.
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(rename = "Status")]
    pub enum ConditionStatus {
        /// It holds.
        True = "True",
        /// It does not hold.
        False = "False",
        /// Nobody knows.
        Unknown = "Unknown",
    }
}

/// The controlling owner of a pod (`metav1.OwnerReference` with `controller: true`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnerReference {
    /// The owner's kind, `DaemonSet` say.
    pub kind: String,
    /// The owner's name.
    pub name: String,
    /// The owner's object, where it is modelled: its name's id and its life.
    pub object: Option<(WorkloadId, Uid)>,
}
