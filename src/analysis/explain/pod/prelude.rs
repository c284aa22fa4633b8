//! What nearly every answer about a pod names.

pub(super) use super::case::{Case, FORCED};
pub(super) use super::seen::{Moment, Seen, Timer, stay};
pub(super) use crate::analysis::explain::prelude::*;
pub(super) use crate::analysis::explain::{node, pending, rules};
