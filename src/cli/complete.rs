//! `taintsim complete`: what can stand where somebody presses the Tab key, for the completions of
//! shells. They know the options by themselves; this reads the scenario of the command line.

use super::finished;
use super::prelude::*;
use crate::analysis::explain;
use crate::lab::survey::{Wanted, losses};
use clap::Command;

/// Arguments of `taintsim complete`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CompleteArgs {
    /// The words after the program's name, the last one as far as it is written
    #[arg(value_name = "WORD", allow_hyphen_values = true, trailing_var_arg = true)]
    words: Vec<String>,
}

/// What an argument takes that a scenario has names for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// Paths of settings, with what is to come after them.
    Settings,
    /// What `explain` explains.
    Objects,
    /// What `survey` loses.
    Losses,
    /// Nodes and zones.
    Nodes,
}

impl Names {
    /// By what an argument's value is called in the help.
    pub(super) fn of(arg: &clap::Arg) -> Option<Self> {
        match arg.get_value_names()?.first()?.as_str() {
            name if name.starts_with("PATH=") => Some(Self::Settings),
            "OBJECT" => Some(Self::Objects),
            "LOSS,…" => Some(Self::Losses),
            "NODES[@TIME]" => Some(Self::Nodes),
            _ => None,
        }
    }

    /// All there are in a scenario, or in the folder of a run.
    fn all(self, file: &Path) -> Result<Vec<String>> {
        if self == Self::Objects && file.is_dir() {
            let ready = finished::stored(file)?;
            let trace = begun(&ready.plan, ready.source.seed);
            return Ok(explain::names(&Analysis::new(&ready.plan, &trace)));
        }
        let loaded = super::run::load(file)?;
        let plan = scenario::build(&loaded, &Overrides::default())?;
        Ok(match self {
            Self::Settings => {
                let spec = scenario::changed(&loaded, &Overrides::default())?;
                let all = scenario::settings(&spec, &plan);
                all.into_iter().map(|s| s.path + "=").collect()
            }
            Self::Objects => {
                let trace = begun(&plan, scenario::seed(&loaded, &Overrides::default())?);
                explain::names(&Analysis::new(&plan, &trace))
            }
            Self::Losses | Self::Nodes => {
                let (losses, _) = losses(&plan, &Wanted::default(), &[])?;
                let names = losses.into_iter().flat_map(|loss| {
                    let name = loss.name();
                    std::iter::once(name).chain(loss.like)
                });
                let called = |name: String| match self {
                    // As forecasts call nodes and zones; the control plane's parts are none.
                    Self::Nodes => match name.strip_prefix("node/") {
                        Some(node) => Some(node.to_owned()),
                        None => Some(name).filter(|n| n.starts_with("zone/")),
                    },
                    _ => Some(name),
                };
                names.filter_map(called).collect()
            }
        })
    }
}

/// A run as far as nobody waits for it: of one with more work than this, what is there by then.
fn begun(plan: &Plan, seed: u64) -> Trace {
    // A report comes every 65,536 events.
    const REPORTS: u32 = 4;
    if let Some(trace) = plan.tape.as_ref().and_then(|_| sim::play(plan, &|| true)) {
        return trace;
    }
    let mut reports = 0;
    let mut goes_on = |_| {
        reports += 1;
        reports < REPORTS
    };
    sim::run_watched(plan, Choices::seeded(seed), &mut goes_on).0
}

/// Runs the command; `program` is the command line to complete. It is silent where there is nothing
/// to say: whoever presses a key has not asked for what is wrong.
pub(crate) fn complete(args: &CompleteArgs, program: Command, terminal: &Terminal) -> Outcome {
    let words = candidates(&glued(&args.words), program).unwrap_or_default();
    print_text(terminal, |out| words.iter().try_for_each(|word| writeln!(out, "{word}")))
}

fn candidates(words: &[String], mut program: Command) -> Option<Vec<String>> {
    // Options that all commands have are with each of them then.
    program.build();
    let (last, before) = words.split_last()?;
    let is_command = |word: &String| program.find_subcommand(word).is_some();
    let at = before.iter().position(is_command)?;
    let command = program.find_subcommand(&before[at])?;
    let before = Before::of(command, &before[at + 1..]);
    let (names, head, begun) = before.asks(command, last)?;
    // Reading anything else could wait for ever.
    let is_there = |word: &&&str| Path::new(word).is_file() || Path::new(word).is_dir();
    let file = before.positionals.iter().find(is_there)?;
    let all = names.all(Path::new(file)).ok()?;
    // Of a list only the last one is being written.
    let (list, begun) = match begun.rsplit_once(',') {
        Some((list, begun)) if names == Names::Losses => (format!("{list},"), begun),
        _ => (String::new(), begun),
    };
    let mut found: Vec<String> = (all.iter().map(String::as_str))
        .flat_map(|name| {
            // Objects are found by their short names as well.
            let short = (names == Names::Objects && !begun.is_empty() && !begun.contains('/'))
                .then(|| name.rsplit('/').next())
                .flatten();
            std::iter::once(name).chain(short)
        })
        .filter(|name| name.starts_with(begun))
        .map(|name| format!("{head}{list}{name}"))
        .collect();
    found.sort();
    found.dedup();
    Some(found)
}

/// The words of a command before the one that is being written.
struct Before<'a> {
    /// Those that are neither options nor their values.
    positionals: Vec<&'a str>,
    /// The option at the end whose value is to come.
    open: Option<&'a clap::Arg>,
}

impl<'a> Before<'a> {
    fn of(command: &'a Command, words: &'a [String]) -> Self {
        let mut before = Self { positionals: Vec::new(), open: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match option(command, word) {
                Some(arg) if arg.get_action().takes_values() && !arg.is_require_equals_set() => {
                    before.open = words.next().is_none().then_some(arg);
                }
                _ if word.starts_with('-') && word != "-" => {}
                _ => before.positionals.push(word),
            }
        }
        before
    }

    /// What is asked for where the last word stands: of which kind the names are, what of the word
    /// stands before them, and how far a name is written.
    fn asks<'w>(&self, command: &Command, last: &'w str) -> Option<(Names, &'w str, &'w str)> {
        if let Some((word, begun)) = last.split_once('=')
            && let Some(arg) = option(command, word)
        {
            return Some((Names::of(arg)?, &last[..=word.len()], begun));
        }
        let positional = || command.get_positionals().nth(self.positionals.len());
        let arg = self.open.or_else(|| positional().filter(|_| !last.starts_with('-')))?;
        Some((Names::of(arg)?, "", last))
    }
}

/// The option that a word is, `--set` or `-o`.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a clap::Arg> {
    let is_it = |arg: &&clap::Arg| {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        [short, long].iter().flatten().any(|own| own == word)
    };
    command.get_arguments().find(is_it)
}

/// Bash breaks words at `=`: what belongs together is put together again.
fn glued(words: &[String]) -> Vec<String> {
    let mut glued: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in words {
        // What a shell would take off.
        let word = word.replace(['\\', '"', '\''], "");
        match glued.last_mut() {
            Some(last) if is_open || word == "=" => last.push_str(&word),
            _ => glued.push(word.clone()),
        }
        is_open = word == "=";
    }
    glued
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line::Cli;
    use clap::CommandFactory;

    fn those(line: &[&str]) -> Vec<String> {
        let words: Vec<String> = line.iter().map(|&w| w.to_owned()).collect();
        candidates(&glued(&words), Cli::command()).unwrap_or_default()
    }

    const FILE: &str = "scenarios/zone-partition.ron";

    #[test]
    fn settings_come_from_the_scenario_of_the_line_and_its_release() {
        let found = those(&["run", FILE, "--set", "nodes.a.cap"]);
        let wanted = ["cpu", "memory", "pods"].map(|r| format!("nodes.a.capacity.{r}="));
        assert_eq!(found, wanted);
        assert_eq!(those(&["plan", FILE, "--choose", "horiz"]), ["horizon="]);
        assert_eq!(those(&["diff", "--set", "horiz", FILE]), [""; 0]);
        // As Bash breaks it, and as one word.
        for line in [&["run", FILE, "--set", "=", "horiz"][..], &["run", FILE, "--set=horiz"]] {
            assert_eq!(those(line), ["--set=horizon="]);
        }
    }

    #[test]
    fn objects_are_offered_by_kind_and_by_their_short_names() {
        assert_eq!(those(&["explain", FILE, "zone/"]), ["zone/a", "zone/b"]);
        assert_eq!(those(&["explain", FILE, "--at", "5m", "a-00"]), ["a-00"]);
        assert_eq!(those(&["explain", FILE, "node/a-00"]), ["node/a-00"]);
        // The first word is a file, which the shell offers by itself.
        assert_eq!(those(&["explain", "sc"]), [""; 0]);
    }

    /// 4 x 65,536 events end a run of two machines that come and go every second for a day, some
    /// hours before its end.
    #[test]
    fn nobody_waits_for_a_long_run() {
        let text = r#"Scenario(version: 1, horizon: "24h", nodes: [(names: "n-{0..1}")], timeline: [
            (at: "1s", do: Flap(nodes: All, down: "500ms", up: "500ms", times: 80000))])"#;
        let loaded = scenario::parse("long.ron", text.as_bytes().to_vec(), Path::new("."))
            .expect("a scenario");
        let plan = scenario::build(&loaded, &Overrides::default()).expect("a plan");
        let trace = begun(&plan, 1);
        let last = trace.iter().last().expect("records").at;
        assert!(
            last < plan.horizon.saturating_sub(crate::kernel::Dur::from_secs(3_600)),
            "{last:?}"
        );
        let names = explain::names(&Analysis::new(&plan, &trace));
        assert!(names.contains(&"node/n-0".to_owned()));
    }

    #[test]
    fn losses_and_nodes_are_offered_and_of_a_list_the_last() {
        assert_eq!(those(&["survey", FILE, "--only", "zone/"]), ["zone/a", "zone/b"]);
        assert_eq!(those(&["survey", FILE, "--only", "zone/a,node/gpu-0"]), ["zone/a,node/gpu-0"]);
        assert_eq!(those(&["forecast", FILE, "--dies", "gpu-"]), ["gpu-0", "gpu-1"]);
    }

    #[test]
    fn options_and_their_values_are_no_files() {
        for line in [
            &["explain", "-o", "json", "-q", FILE, "zone/a"][..],
            &["--color", "never", "explain", FILE, "--color", "never", "zone/a"],
            &["survey", "--html", FILE, "--only", "zone/a"],
            // The folder is there, and is no scenario.
            &["survey", "--out", "scenarios", "-j", "2", FILE, "--only", "zone/a"],
        ] {
            assert_eq!(those(line), ["zone/a"], "{line:?}");
        }
    }

    #[test]
    fn what_no_scenario_has_names_for_is_left_to_the_shell() {
        for line in [
            &["run", FILE, "--seed", ""][..],
            &["run", ""],
            &["run", "missing.ron", "--set", ""],
            &["nonsense", FILE, "--set", ""],
            &["run", "Cargo.toml", "--set", ""],
            &[],
        ] {
            assert_eq!(those(line), [""; 0], "{line:?}");
        }
    }
}
