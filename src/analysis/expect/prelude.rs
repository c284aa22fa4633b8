//! What every kind of expectation names.

pub(super) use super::verdict::{Failed, RECORDS, Run, Wrong};
pub(super) use super::words::{self, further, late, span, stretch, time};
pub(super) use crate::analysis::explain::Object;
pub(super) use crate::analysis::prelude::*;
pub(super) use crate::language::Quantity;
pub(super) use crate::scenario::expectations::{
    Claim, Comparison, Count, Expectation, Expected, Kind, Pods, Sought, Stretch,
};
