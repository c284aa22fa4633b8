//! What nearly every command names: what all commands are made of, and the layers below.
pub(super) use super::args::{ChangeArgs, duration, jobs};
pub(super) use super::failure::{Exit, Failure, Outcome, Result};
pub(super) use super::interrupt;
pub(super) use super::output::{OutputArg, TableFormat, print_text};
pub(super) use super::progress::Progress;
pub(super) use super::terminal::Terminal;
pub(super) use crate::analysis::{Analysis, grouped};
pub(super) use crate::kernel::{Dur, Time};
pub(super) use crate::language::{Problem, Problems};
pub(super) use crate::plan::Plan;
pub(super) use crate::report::json;
pub(super) use crate::report::text::Printer;
pub(super) use crate::scenario::{self, Loaded, Overrides};
pub(super) use crate::trace::Trace;
pub(super) use serde_json::{Value, json};
pub(super) use std::io::{self, Write};
pub(super) use std::path::{Path, PathBuf};
