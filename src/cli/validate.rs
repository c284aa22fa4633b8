//! `taintsim validate`: names every mistake of scenarios, and of folders of them.

use super::exit::Exit;
use super::failure::Outcome;
use super::run::load;
use super::scenarios::scenarios;
use super::terminal::Terminal;
use crate::analysis::grouped;
use crate::files::line;
use crate::scenario::{self, Overrides};
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `taintsim validate`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ValidateArgs {
    /// Scenarios to check, folders to search for them (*.ron), or patterns of files; `-` is
    /// standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// Runs the command.
pub(crate) fn validate(args: &ValidateArgs, terminal: &Terminal) -> Outcome {
    let files = scenarios(&args.paths)?;
    if files.is_empty() {
        terminal.error("there is no scenario (*.ron) to check", None);
        return Ok(Exit::Nothing);
    }
    let mut out = terminal.out();
    let (mut mistakes, mut wrong) = (0, 0);
    for file in &files {
        match load(file).and_then(|loaded| scenario::build(&loaded, &Overrides::default())) {
            Ok(plan) => {
                let release = plan.profile.release.trim_start_matches('v');
                let count = |n: usize, what: &str, many: &str| {
                    format!("{} {}", grouped(n as u64), if n == 1 { what } else { many })
                };
                let (nodes, pods) = (
                    count(plan.nodes.len(), "node", "nodes"),
                    count(plan.pods.len(), "pod", "pods"),
                );
                let entries = count(plan.timeline.len(), "entry", "entries");
                writeln!(
                    out,
                    "{}: fine ({nodes}, {pods}, {entries} in the timeline, Kubernetes {release})",
                    line(&file.display().to_string())
                )?;
            }
            Err(problems) => {
                // Both streams in order where they are the same terminal.
                out.flush()?;
                terminal.problems(&problems);
                mistakes += problems.0.len();
                wrong += 1;
            }
        }
    }
    out.flush()?;
    if wrong == 0 {
        return Ok(Exit::Fine);
    }
    let mistakes = if mistakes == 1 {
        "1 mistake".to_owned()
    } else {
        format!("{mistakes} mistakes")
    };
    let files = if files.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{wrong} of {} files", files.len())
    };
    terminal.error(&format!("{mistakes} in {files}"), None);
    Ok(Exit::Input)
}
