//! Programs beside this one: what only those run who work on taintsim, `taintsim-NAME`, is called as
//! `taintsim NAME` where it was built, as kubectl calls its plugins.

use super::prelude::*;
use clap::error::{ContextKind, ContextValue};
use std::process;

/// The programs that there are.
const TOOLS: [&str; 4] = ["conform", "hunt", "prove", "soak"];

/// Where a command line was not understood because its command is a program of its own: becomes that
/// program, or says why not. `None` says that the mistake is another one.
pub(crate) fn run(error: &clap::Error, arguments: &[OsString]) -> Option<Failure> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let name = TOOLS.iter().find(|tool| *tool == word)?;
    Some(match beside(name) {
        Some(program) => {
            let rest = arguments.iter().filter({
                let mut is_first = true;
                move |a| !(*a == word.as_str() && std::mem::take(&mut is_first))
            });
            become_it(process::Command::new(program).args(rest))
        }
        None => Failure::input(
            format!(
                "`taintsim {name}` is a program of its own, for those who work on taintsim, and not installed"
            ),
            format!("in the sources, `cargo build` makes `taintsim-{name}` beside taintsim"),
        ),
    })
}

/// The program of a tool, in the folder of this one.
fn beside(name: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let program = own.with_file_name(format!("taintsim-{name}{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

/// Goes on as another program, which has the terminal and the signals for itself.
#[cfg(unix)]
fn become_it(program: &mut process::Command) -> Failure {
    let error = std::os::unix::process::CommandExt::exec(program);
    Failure::Io(format!("cannot start {}: {error}", program.get_program().display()))
}

/// Runs another program, and ends as it did.
#[cfg(not(unix))]
fn become_it(program: &mut process::Command) -> Failure {
    match program.status() {
        Ok(status) => process::exit(status.code().unwrap_or(3)),
        Err(error) => {
            Failure::Io(format!("cannot start {}: {error}", program.get_program().display()))
        }
    }
}
