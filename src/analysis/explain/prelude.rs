//! What nearly every explanation names.

pub(super) use super::explanation::{Explanation, Question, Remedy, Step, until_the_last};
pub(super) use crate::analysis::prelude::*;
pub(super) use crate::analysis::words::{self, ranges, short_taint};
