//! What is reported where a property does not hold.

use super::property::Property;
use crate::api::names::{NodeId, PodId};
use crate::kernel::Time;
use crate::trace::RecordId;

/// A place in a run where a property does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What does not hold.
    pub(crate) property: Property,
    /// When that was certain.
    pub(crate) at: Time,
    /// The pod it is about.
    pub(crate) pod: Option<PodId>,
    /// The node it is about, or that the pod is on.
    pub node: Option<NodeId>,
    /// What happened, in one line.
    pub text: String,
    /// The records that decided it, in order.
    pub(crate) records: Vec<RecordId>,
}
