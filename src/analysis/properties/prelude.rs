//! What nearly every property names.

pub(super) use super::bound::Bound;
pub(super) use super::violation::Found;
pub(super) use super::walk::Walk;
pub(super) use crate::analysis::prelude::*;
