//! What most parts of this controller name, beside what every controller does. The parts that stand here take the
//! prelude of all controllers themselves.

pub(super) use super::core::Core;
pub(super) use super::health::{Base, HealthMap, Tried};
pub(super) use super::roster::Skipped;
pub(super) use super::taints::Writer;
pub(super) use super::zone_states::{Counted, ZoneConditions};
pub(super) use super::zones::Zones;
pub(super) use crate::controllers::prelude::*;
pub(super) use crate::plan::switches::node_lifecycle::Switches;
pub(super) use crate::trace::ZoneState;
