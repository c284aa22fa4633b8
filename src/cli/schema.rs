//! `taintsim schema`: the JSON Schema of the scenario language.

use super::failure::{Exit, Outcome};
use super::terminal::Terminal;
use crate::{language, report};
use std::io::Write;

/// Arguments of `taintsim schema`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SchemaArgs {}

/// Runs the command.
pub(crate) fn schema(_: &SchemaArgs, terminal: &Terminal) -> Outcome {
    let mut out = terminal.out();
    report::json::write(&mut out, &language::schema())?;
    out.flush()?;
    Ok(Exit::Fine)
}
