//! What nearly every explanation names.

pub(super) use super::explanation::{Explanation, Question, Remedy, Step, until_the_last};
pub(super) use crate::analysis::objects::is_no_execute;
pub(super) use crate::analysis::prelude::*;
pub(super) use crate::analysis::words::{self, ranges, short_taint};
pub(super) use crate::analysis::workloads::Owners;
pub(super) use crate::api::workload::short_name;
