//! Exports from commands: kubectl with the person's own context and rights, which only reads, or
//! whatever command prints one.

use super::args::ForecastArgs;
use crate::cli::failure::Failure;
use crate::import::{Input, KUBECTL};
use crate::language::Problem;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The name of the program as a plugin of kubectl.
const PLUGIN: &str = "kubectl-taintsim";
/// How much of what a command says on standard error is repeated.
const SAID_CHARS: usize = 400;

/// Whether the program was called as a plugin of kubectl.
pub(super) fn is_plugin() -> bool {
    let called = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_stem().unwrap_or_default();
    name == PLUGIN
}

/// What `kubectl get` prints of the cluster, with its events where the person may read them: they tell
/// when passes of the node lifecycle controller come, and what the scheduler tried.
pub(super) fn get(args: &ForecastArgs) -> Result<Input, Failure> {
    let with_events = KUBECTL.replacen(" -A", ",events -A", 1);
    run(args, &with_events).or_else(|_| run(args, KUBECTL))
}

fn run(args: &ForecastArgs, line: &str) -> Result<Input, Failure> {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or("kubectl"));
    if let Some(context) = &args.context {
        command.arg("--context").arg(context);
    }
    if let Some(file) = &args.kubeconfig {
        command.arg("--kubeconfig").arg(file);
    }
    command.args(words);
    printed("kubectl get", &mut command)
}

/// What a command line of the shell prints.
pub(super) fn shell(line: &str) -> Result<Input, Failure> {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.arg("/C");
        command
    } else {
        let mut command = Command::new("sh");
        command.arg("-c");
        command
    };
    command.arg(line);
    printed(line, &mut command)
}

fn printed(name: &str, command: &mut Command) -> Result<Input, Failure> {
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Failure::Io(format!("cannot run `{name}`: {e}")))?;
    if !status.success() {
        let said = String::from_utf8_lossy(&stderr);
        let said: String = said.trim().chars().take(SAID_CHARS).collect();
        let problem = Problem::new(format!("`{name}` ended with {status}"));
        return Err(Failure::Input(match said.is_empty() {
            true => problem,
            false => problem.help(said),
        }));
    }
    Input::from_bytes(name, stdout).map_err(|e| Failure::Input(Problem::new(e.to_string())))
}
