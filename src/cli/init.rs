//! `taintsim init`: writes a commented scenario to start from.

use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::file::write_whole;
use super::terminal::Terminal;
use crate::scenario::{self, Problem};
use std::io::Write;
use std::path::PathBuf;

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
    if args.file.as_os_str() == "-" {
        let mut out = terminal.out();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        return Ok(Exit::Fine);
    }
    let shown = args.file.display();
    if args.file.symlink_metadata().is_ok() && !args.force {
        let problem = Problem::new(format!("{shown} exists; it is left as it is"));
        return Err(Failure::Input(problem.help("name another file, or replace this one with --force")));
    }
    write_whole(&args.file, text.as_bytes())?;
    terminal.note(&format!("Wrote {shown}. Run it with: taintsim run {shown}"));
    Ok(Exit::Fine)
}
