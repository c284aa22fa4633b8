//! `taintsim completions`: prints a shell's completions.

use super::exit::Exit;
use super::failure::Outcome;
use super::terminal::Terminal;
use clap_complete::Shell;
use std::io::Write;

/// Arguments of `taintsim completions`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Runs the command; `program` is the command line to complete.
pub(crate) fn completions(
    args: &CompletionsArgs,
    program: &clap::Command,
    terminal: &Terminal,
) -> Outcome {
    let mut out = terminal.out();
    out.write_all(text(args.shell, program).as_bytes())?;
    out.flush()?;
    Ok(Exit::Fine)
}

/// What a shell reads.
fn text(shell: Shell, program: &clap::Command) -> String {
    let mut shown = shown(program);
    // Into memory first: the generator panics where its writer fails.
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut shown, "taintsim", &mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if shell == Shell::Bash {
        with_files(&text, &shown)
    } else {
        text
    }
}

/// The command line without the commands that its help does not show; the generators do show them,
/// and a command cannot lose one of its own.
fn shown(program: &clap::Command) -> clap::Command {
    let commands = program.get_subcommands().filter(|c| !c.is_hide_set());
    clap::Command::new("taintsim")
        .version(env!("CARGO_PKG_VERSION"))
        .args(program.get_arguments())
        .subcommands(commands)
}

/// In Bash, files where a command takes them. The generator offers all options to whom has typed
/// nothing yet, and files to nobody but whom has begun one; where it offers nothing, Bash offers
/// files. Options come when a `-` is typed.
fn with_files(text: &str, program: &clap::Command) -> String {
    const HEAD: &str = "\n        taintsim__subcmd__";
    let mut sections = text.split(HEAD);
    let mut whole = sections.next().unwrap_or_default().to_owned();
    for section in sections {
        whole.push_str(HEAD);
        let name = section.split_once(')').map_or("", |(name, _)| name);
        if program.find_subcommand(name).is_some_and(takes_files) {
            let section = section.replace("${cur} == -* || ${COMP_CWORD} -eq 2", "${cur} == -*");
            // What it falls back to: the end of the section.
            let (before, after) = section
                .rsplit_once("COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )")
                .unwrap_or((&section, ""));
            whole.push_str(&format!("{before}COMPREPLY=(){after}"));
        } else {
            whole.push_str(section);
        }
    }
    whole
}

/// Whether a command's first word is free: a file, or what no list holds.
fn takes_files(command: &clap::Command) -> bool {
    let first = command.get_positionals().next();
    first.is_some_and(|word| word.get_possible_values().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::command_line::command;
    use super::{Shell, text};

    #[test]
    fn every_shell_has_the_commands_of_the_help_and_no_other() {
        for shell in [
            Shell::Bash,
            Shell::Elvish,
            Shell::Fish,
            Shell::PowerShell,
            Shell::Zsh,
        ] {
            let text = text(shell, &command());
            for one in command().get_subcommands() {
                let name = one.get_name();
                let is_there = text
                    .split(|c: char| !c.is_alphanumeric() && c != '-')
                    .any(|word| word == name);
                assert_eq!(is_there, !one.is_hide_set(), "{shell}: {name}");
            }
        }
    }

    #[test]
    fn bash_offers_files_where_a_command_takes_them() {
        let text = text(Shell::Bash, &command());
        let ends = |name: &str| {
            let section = text
                .split(&format!("\n        taintsim__subcmd__{name})"))
                .nth(1)
                .and_then(|s| s.split("\n            ;;").next())
                .unwrap_or_else(|| panic!("{name} has no section"));
            let lines: Vec<&str> = section.lines().map(str::trim).collect();
            let first = lines.iter().find(|l| l.starts_with("if [["));
            let last = lines.iter().rfind(|l| l.starts_with("COMPREPLY="));
            (
                first.is_some_and(|f| f.contains("COMP_CWORD")),
                last.is_some_and(|l| *l == "COMPREPLY=()"),
            )
        };
        assert_eq!(ends("run"), (false, true));
        assert_eq!(ends("diff"), (false, true));
        // Shells are listed, and a page of the schema takes nothing.
        assert_eq!(ends("completions"), (true, false));
        assert_eq!(ends("schema"), (true, false));
    }
}
