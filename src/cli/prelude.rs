//! What nearly every command names: what all commands are made of, and the layers below.
pub(super) use super::args::{ChangeArgs, duration, jobs, once, threads};
pub(super) use super::failure::{Exit, Failure, Outcome, Result, interrupted_if, refuse_if};
pub(super) use super::file::{
    self, STDIN, ScenarioOut, chart_file, is_stdin, no_such_form, replaces_only_by_force,
    replaces_only_reports, shown, stdin, write_chart, write_text, write_whole,
};
pub(super) use super::interrupt;
pub(super) use super::output::{Format, Found, OutputArg, TableFormat, can_print, print_text};
pub(super) use super::progress::{Progress, Stopwatch};
pub(super) use super::terminal::Terminal;
pub(super) use crate::analysis::properties::Property;
pub(super) use crate::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
pub(super) use crate::files::{self, Escaped};
pub(super) use crate::import::{ImportedCluster, Input};
pub(super) use crate::kernel::{Choices, Dur, Time};
pub(super) use crate::lab::endless::unless_endless;
pub(super) use crate::lab::explore::{Explore, Violated};
pub(super) use crate::lab::replay::steps;
pub(super) use crate::lab::tape::{Tape, Texts};
pub(super) use crate::lab::{Axis, Desk, Forecast, Stopped};
pub(super) use crate::language::{Problem, Problems, counted, grouped, legible};
pub(super) use crate::plan::Plan;
pub(super) use crate::report::html::Page;
pub(super) use crate::report::html::board::Board;
pub(super) use crate::report::text::Printer;
pub(super) use crate::report::{Folder, WallClock, json, manifest};
pub(super) use crate::scenario::{self, Loaded, Overrides};
pub(super) use crate::sim;
pub(super) use crate::trace::Trace;
pub(super) use serde::Deserialize;
pub(super) use serde_json::{Value, json};
pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::ffi::OsString;
pub(super) use std::io::{self, Write};
pub(super) use std::path::{Path, PathBuf};
