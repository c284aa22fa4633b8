//! What it takes to write scenarios: `taintsim init`, a commented one to start from, and `taintsim schema`,
//! the JSON Schema of their language.

use super::prelude::*;
use crate::language;

/// Arguments of `taintsim init`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// The file to write; `-` is standard output
    #[arg(value_name = "FILE", default_value = "scenario.ron")]
    file: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub(crate) fn init(args: &InitArgs, terminal: &Terminal) -> Outcome {
    let text = scenario::starter();
    let to_file = Some(args.file.as_path()).filter(|f| f.as_os_str() != "-");
    replaces_only_by_force(to_file, args.force, &[])?;
    write_text(to_file, text, terminal)?;
    if let Some(shown) = to_file.filter(|f| file::is_kept(f)).map(Path::display) {
        terminal.note(&format!("Wrote {shown}. Run it with: taintsim run {shown}"));
    }
    Ok(Exit::Fine)
}

/// Arguments of `taintsim schema`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SchemaArgs {}

/// Runs the command.
pub(crate) fn schema(_: &SchemaArgs, terminal: &Terminal) -> Outcome {
    print_text(terminal, |out| json::pretty(out, &language::schema()))
}
