//! `taintsim schema`: the JSON Schema of the scenario language.

use super::prelude::*;
use crate::language;

/// Arguments of `taintsim schema`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SchemaArgs {}

/// Runs the command.
pub(crate) fn schema(_: &SchemaArgs, terminal: &Terminal) -> Outcome {
    print_text(terminal, |out| json::write(out, &language::schema()))
}
