//! What nearly every file of this layer names: of the layers below, and what a run is looked at with.

pub(super) use super::beneath::*;
pub(super) use super::causes::{Since, Told, chain, within_life};
pub(super) use super::clock::{absolute, apart, lasted, short, to_the_millisecond};
pub(super) use super::costs::{Costs, Figure};
pub(super) use super::objects::{Held, NodeFlags, is_failure_key};
pub(super) use super::owners::Owners;
pub(super) use super::setting::{Analysis, short_key, zone_in_words};
pub(super) use super::sorted::as_people_count;
pub(super) use super::state::{Follow, Health, NO_NODE, PodState, Step};
pub(super) use super::steps::{Steps, set, value_at};
