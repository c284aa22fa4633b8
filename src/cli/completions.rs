//! `taintsim completions`: prints a shell's completions.

use super::complete::Names;
use super::prelude::*;
use clap_complete::Shell;

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
    print_text(terminal, |out| out.write_all(text(args.shell, program).as_bytes()))
}

/// What a shell reads.
fn text(shell: Shell, program: &clap::Command) -> String {
    let mut shown = shown(program);
    // Into memory first: the generator panics where its writer fails.
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut shown, "taintsim", &mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match shell {
        Shell::Bash => with_files(&text, &shown).replacen(HEAD, BASH, 1),
        Shell::Fish => with_names_in_fish(&text, &shown),
        Shell::Zsh => with_names_in_zsh(&text, &shown),
        _ => text,
    }
}

/// Where the generator's own begins, in Bash and Zsh.
const HEAD: &str = "_taintsim() {\n";

/// What the scenario of the command line has names for comes first; the rest is the generator's.
const BASH: &str = r#"_taintsim() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        printf -v word %q "$word"
        COMPREPLY+=("$word")
    done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -gt 0 ]]; then
        # What Bash broke off at a `=` stays where it is.
        [[ ${COMP_WORDS[COMP_CWORD-1]} == = || ${COMP_WORDS[COMP_CWORD]} == = ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
        return 0
    fi
"#;

const ZSH: &str = r#"_taintsim_names() {
    local -a names
    names=(${(f)"$(taintsim complete -- "${(@)words[1,CURRENT]}" 2>/dev/null)"})
    names=("${(@)names#$IPREFIX}")
    if (( ! $#names )); then
        _default
    elif [[ $names[1] == *= ]]; then
        compadd -S '' -a names
    else
        compadd -a names
    fi
}

_taintsim() {
"#;

const FISH: &str = r#"function __taintsim_names
    set -l words (commandline -opc)
    taintsim complete -- $words[2..] (commandline -ct) 2>/dev/null | string replace -r '^(--[^=]*=)?(.*)' '$2\t'
end
"#;

/// The arguments that a scenario has names for.
fn named(program: &clap::Command) -> impl Iterator<Item = &clap::Arg> {
    let all = program.get_subcommands().flat_map(clap::Command::get_arguments);
    all.filter(|arg| Names::of(arg).is_some())
}

/// The command line without the commands that its help does not show; the generators do show them,
/// and a command cannot lose one of its own.
fn shown(program: &clap::Command) -> clap::Command {
    let commands = program.get_subcommands().filter(|c| !c.is_hide_set());
    let shown = clap::Command::new("taintsim").version(env!("CARGO_PKG_VERSION"));
    shown.args(program.get_arguments()).subcommands(commands)
}

/// In Zsh, they stand where the generator offers files.
fn with_names_in_zsh(text: &str, program: &clap::Command) -> String {
    const FILES: &str = ":_default";
    let begins = |arg: &clap::Arg| format!("':{} -- ", arg.get_id());
    let ends = |arg: &clap::Arg| {
        let name = arg.get_value_names().and_then(|names| names.first());
        format!(":{}{FILES}", name.map_or("", |n| n.as_str()))
    };
    let is_of = |line: &str, arg: &clap::Arg| {
        line.contains(&ends(arg)) || arg.is_positional() && line.starts_with(&begins(arg))
    };
    let mut whole = String::new();
    for line in text.lines() {
        // With two colons what follows the first file is no command line any more: it has no
        // options, and `words` has not the file.
        let line = &line.replacen("'*::", "'*:", usize::from(line.contains(" -- ")));
        let is_named = named(program).any(|arg| is_of(line, arg));
        whole += &line.replace(FILES, if is_named { ":_taintsim_names" } else { FILES });
        whole.push('\n');
    }
    whole.replacen(HEAD, ZSH, 1)
}

/// In Fish, an option has its list, and what stands alone one of its command.
fn with_names_in_fish(text: &str, program: &clap::Command) -> String {
    const NAMES: &str = " -f -a '(__taintsim_names)'";
    let mut whole = FISH.to_owned();
    for line in text.lines() {
        let is_of = |arg: &clap::Arg| {
            let long = arg.get_long().map(|long| format!(" -l {long} "));
            long.is_some_and(|long| line.contains(&long)) && line.ends_with(" -r")
        };
        whole.push_str(line);
        if named(program).any(is_of) {
            whole.push_str(NAMES);
        }
        whole.push('\n');
    }
    for command in program.get_subcommands() {
        if command.get_positionals().any(|arg| Names::of(arg).is_some()) {
            let (name, names) = (command.get_name(), NAMES.replace(" -f", ""));
            let is_used = format!("\"__fish_taintsim_using_subcommand {name}\"");
            whole += &format!("complete -c taintsim -n {is_used}{names}\n");
        }
    }
    whole
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
            whole += &format!("{before}COMPREPLY=(){after}");
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
    use super::{Shell, text};
    use crate::cli::command_line::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_shell_has_the_commands_of_the_help_and_no_other() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let text = text(shell, &Cli::command());
            // What the shells call themselves is in their text, whatever is listed.
            let all = Cli::command();
            for one in all.get_subcommands().filter(|c| c.get_name() != "complete") {
                let name = one.get_name();
                let is_there =
                    text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name);
                assert_eq!(is_there, !one.is_hide_set(), "{shell}: {name}");
            }
        }
    }

    #[test]
    fn options_that_a_scenario_has_names_for_ask_for_them() {
        let asks = |shell, needle: &str| {
            let text = text(shell, &Cli::command());
            let lines = text.lines().filter(|l| l.contains(needle)).count();
            assert!(lines > 0, "{shell}: {needle}");
            let asking =
                text.lines().filter(|l| l.contains(needle) && l.contains("taintsim_names"));
            (asking.count(), lines)
        };
        // sweep, run, test, diff, explain, survey, plan and so on: whoever has the option.
        let all = Cli::command();
        let takers = all
            .get_subcommands()
            .filter(|c| !c.is_hide_set() && c.get_arguments().any(|a| a.get_long() == Some("set")));
        let takers = takers.count();
        assert_eq!(asks(Shell::Zsh, "'*--set=["), (takers, takers));
        assert_eq!(asks(Shell::Fish, " -l set "), (takers, takers));
        assert_eq!(asks(Shell::Zsh, "':object -- "), (1, 1));
        assert_eq!(asks(Shell::Zsh, "--horizon=["), (0, 1));
    }

    #[test]
    fn bash_offers_files_where_a_command_takes_them() {
        let text = text(Shell::Bash, &Cli::command());
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
