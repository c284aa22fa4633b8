//! `taintsim man`: prints a page of the manual, as roff.

use super::failure::MEANINGS;
use super::prelude::*;

/// What commands are called with, a line each; those that need no more than their name have none.
const EXAMPLES: &str = include_str!("examples.txt");

/// What the environment changes.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("COLUMNS", "How wide lines are where there is no terminal to ask."),
    (
        "NO_COLOR",
        "Where it is not empty, nothing is written in colours unless --color=always asks for it.",
    ),
    ("CLICOLOR_FORCE", "Where it is not 0, colours are written where there is no terminal, too."),
];

/// Arguments of `taintsim man`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The command whose page to print; without, that of the program
    command: Option<String>,
}

/// Runs the command; `program` is the command line that the manual describes.
pub(crate) fn man(args: &ManArgs, mut program: clap::Command, terminal: &Terminal) -> Outcome {
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => (program.find_subcommand(name).cloned())
            .ok_or_else(|| Problem::new(format!("there is no command `{name}`")))?,
    };
    let mut text = Vec::new();
    write(&mut text, page, args.command.as_deref())?;
    print_text(terminal, |out| out.write_all(&text))
}

/// Writes a page; the program has none of `command`.
fn write(out: &mut Vec<u8>, mut page: clap::Command, command: Option<&str>) -> io::Result<()> {
    // That of clap_mangen has all options, without what they take.
    let usage = page.render_usage().to_string();
    let subcommands = page.has_subcommands();
    let others = page.get_subcommands().filter(|c| !c.is_hide_set());
    let others: Vec<String> = others.map(|c| format!("taintsim-{}", c.get_name())).collect();
    let man = clap_mangen::Man::new(page).source(concat!("taintsim ", env!("CARGO_PKG_VERSION")));
    man.render_title(out)?;
    man.render_name_section(out)?;
    writeln!(out, ".SH SYNOPSIS\n{}", roff(usage.trim_start_matches("Usage:").trim()))?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if subcommands {
        man.render_subcommands_section(out)?;
    }
    writeln!(out, ".SH \"EXIT STATUS\"")?;
    let exit = |(exit, meaning): (Exit, _)| item(out, &exit.code().to_string(), meaning);
    MEANINGS.into_iter().try_for_each(exit)?;
    writeln!(out, ".SH ENVIRONMENT")?;
    ENVIRONMENT.iter().try_for_each(|(name, meaning)| item(out, name, meaning))?;
    let lines: Vec<&str> = match command {
        None => EXAMPLES.lines().take(4).collect(),
        Some(name) => EXAMPLES.lines().filter(|line| command_of(line) == Some(name)).collect(),
    };
    if !lines.is_empty() {
        writeln!(out, ".SH EXAMPLES")?;
        for line in lines {
            writeln!(out, ".PP\n.EX\ntaintsim {}\n.EE", roff(line))?;
        }
    }
    writeln!(out, ".SH \"SEE ALSO\"")?;
    let see = if command.is_none() { others } else { vec!["taintsim".to_owned()] };
    let see: Vec<String> = see.iter().map(|s| format!("\\fB{}\\fR(1)", roff(s))).collect();
    writeln!(out, "{}", see.join(", "))?;
    if command.is_none() {
        man.render_version_section(out)?;
    }
    Ok(())
}

/// The command that an example is of.
fn command_of(example: &str) -> Option<&str> {
    example.split(' ').next()
}

fn item(out: &mut Vec<u8>, name: &str, text: &str) -> io::Result<()> {
    writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(name), roff(text))
}

/// A text as roff writes it: nothing in it is a command, and a hyphen is one that can be copied.
fn roff(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line::Cli;
    use clap::CommandFactory;

    #[test]
    fn a_synopsis_is_the_usage_of_help() {
        let mut program = Cli::command();
        program.build();
        let mut out = Vec::new();
        write(&mut out, program.find_subcommand("run").unwrap().clone(), Some("run")).unwrap();
        let text = String::from_utf8(out).unwrap();
        let synopsis = text.split(".SH SYNOPSIS\n").nth(1).unwrap().lines().next().unwrap();
        assert!(synopsis.ends_with("run [OPTIONS] <FILE>..."), "{synopsis}");
    }

    /// Every command that people see has examples, but for this one, and each example is a command
    /// line.
    #[test]
    fn examples_are_what_the_program_takes() {
        for line in EXAMPLES.lines() {
            let words = ["taintsim"].into_iter().chain(line.split(' '));
            let parsed = Cli::command().try_get_matches_from(words);
            let parsed = parsed.unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(parsed.subcommand_name(), command_of(line));
        }
        let program = Cli::command();
        let shown = program.get_subcommands().filter(|c| !c.is_hide_set());
        let without: Vec<&str> = shown
            .map(clap::Command::get_name)
            .filter(|n| EXAMPLES.lines().all(|line| command_of(line) != Some(*n)))
            .collect();
        assert_eq!(without, ["man"]);
    }
}
