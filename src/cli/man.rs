//! `taintsim man`: prints a page of the manual, as roff.

use super::failure::MEANINGS;
use super::prelude::*;

/// What a command is called with, for its page; those that need no more than their name have none.
const EXAMPLES: [(&str, &[&str]); 25] = [
    ("run", &["run first.ron", "run first.ron --html --set workloads.web.replicas=20"]),
    ("test", &["test scenarios/", "test first.ron -o junit"]),
    (
        "diff",
        &[
            "diff first.ron --against 1.26",
            "diff first.ron --against-set workloads.web.replicas=20 --seeds 50",
        ],
    ),
    ("explain", &["explain first.ron pod/web-1", "explain first.ron node/a-0"]),
    ("report", &["report output/first -o klog", "report output/first -o perfetto"]),
    ("sweep", &["sweep first.ron --set workloads.web.replicas=10,20 --seeds 20"]),
    ("survey", &["survey first.ron --lose zone"]),
    (
        "plan",
        &[
            "plan first.ron --preset on-prem --choose flags.kube-controller-manager.node-monitor-grace-period=40s,60s",
        ],
    ),
    ("faults", &["faults first.ron --preset cloud --for 720h", "faults --show on-prem"]),
    ("outages", &["outages history.csv"]),
    ("shard", &["shard plan 0"]),
    ("gather", &["gather plan"]),
    ("explore", &["explore first.ron --runs 1000"]),
    ("replay", &["replay output/first-explore/taint-lost-1.tape.ron"]),
    ("odds", &["odds first.ron --of pod-stuck"]),
    ("shrink", &["shrink output/first-explore/taint-lost-1.tape.ron"]),
    ("import", &["import cluster.json --out cluster.ron"]),
    ("forecast", &["forecast cluster.json", "forecast cluster.json --dies zone/b"]),
    ("incident", &["incident cluster.json events.json"]),
    ("settings", &["settings first.ron toleration"]),
    ("validate", &["validate first.ron"]),
    ("init", &["init first.ron"]),
    ("schema", &["schema"]),
    ("playground", &["playground --out site"]),
    ("completions", &["completions bash"]),
];

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
fn write(out: &mut Vec<u8>, page: clap::Command, command: Option<&str>) -> io::Result<()> {
    let subcommands = page.has_subcommands();
    let others = page.get_subcommands().filter(|c| !c.is_hide_set());
    let others: Vec<String> = others.map(|c| format!("taintsim-{}", c.get_name())).collect();
    let man = clap_mangen::Man::new(page).source(concat!("taintsim ", env!("CARGO_PKG_VERSION")));
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
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
        None => EXAMPLES[..2].iter().flat_map(|e| e.1).copied().collect(),
        Some(name) => EXAMPLES.iter().filter(|e| e.0 == name).flat_map(|e| e.1).copied().collect(),
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

    /// Every command that people see has examples, but for this one, and each example is a command
    /// line.
    #[test]
    fn examples_are_what_the_program_takes() {
        for (name, lines) in EXAMPLES {
            for line in lines {
                let words = ["taintsim"].into_iter().chain(line.split(' '));
                let parsed = Cli::command().try_get_matches_from(words);
                let parsed = parsed.unwrap_or_else(|e| panic!("{line}: {e}"));
                assert_eq!(parsed.subcommand_name(), Some(name));
            }
        }
        let program = Cli::command();
        let shown = program.get_subcommands().filter(|c| !c.is_hide_set());
        let without: Vec<&str> = shown
            .map(clap::Command::get_name)
            .filter(|n| EXAMPLES.iter().all(|e| e.0 != *n))
            .collect();
        assert_eq!(without, ["man"]);
    }
}
