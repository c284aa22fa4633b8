//! Commands that another program asks for within its own process, as the package for Python does.
//!
//! A question is the words of the command line, so that options mean and refuse the same; a text may
//! stand for a file. The answer is a document in place of print, and nothing is written to any
//! folder. Whoever asks listens to signals itself, and says with [`interrupt()`] that what is under
//! way is to end.

use super::command_line::{Cli, Command};
use super::dispatch::{self, advised, in_words};
use super::output::{Keeping, Tables};
use super::prelude::*;
use super::run::{Ready, progress, ready, simulate};
use super::shards::{Inputs, Work};
use super::terminal::ColorWhen;
use crate::report::tables::Table;
use crate::report::{Report, Source, html};
use clap::{CommandFactory, FromArgMatches};

/// What a command found.
pub struct Answer {
    /// The document that the command prints as JSON.
    pub document: Value,
    /// What it prints for people.
    pub text: String,
    /// Whether every limit was kept that the question names.
    pub is_kept: bool,
    page: Page,
    tables: Tables,
}

impl Answer {
    /// The page that shows it in a browser.
    pub fn page(&self) -> Vec<u8> {
        written(&self.page)
    }

    /// A table of it: `rows` of all commands, `runs` of a sweep, `workloads` of a survey.
    pub fn table(&self, name: &str) -> Option<&dyn Table> {
        let (_, table) = self.tables.iter().find(|(own, _)| *own == name)?;
        Some(&**table)
    }
}

/// A run that is over.
pub struct Ran {
    /// What was run.
    pub plan: Plan,
    /// What happened.
    pub trace: Trace,
    /// Where it came from.
    pub source: Source,
    groups: Vec<String>,
}

impl Ran {
    /// The page that shows the run in a browser.
    pub fn page(&self, report: &Report<'_>) -> Vec<u8> {
        written(&Page::of_run(report, &self.groups))
    }
}

fn written(page: &Page) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Nothing goes wrong in memory.
    let _ = html::write(&mut bytes, page);
    bytes
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Refused {
    /// A scenario, or what is changed in it, is wrong.
    Problems(Problems),
    /// Something else is wrong; the text says what, and what may help.
    Input(String),
    /// Something cannot be read or made.
    Io(String),
    /// It was interrupted.
    Interrupted,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Problems(problems) => Self::Problems(problems),
            Failure::Input(problem) | Failure::Unknown(problem) | Failure::Unfinished(problem) => {
                Self::Problems(Problems::one(problem))
            }
            Failure::Io(text) => Self::Io(text),
            Failure::Interrupted(_) => Self::Interrupted,
            // Not for somebody who shares nothing.
            Failure::Elsewhere(_) => Self::Io("the answer went elsewhere".to_owned()),
        }
    }
}

/// Runs a scenario: from the file of that name, or the text that stands for it.
///
/// # Errors
/// What `taintsim run` would have refused, in the same words.
pub fn run(file: &str, text: Option<Vec<u8>>, overrides: Overrides) -> Result<Ran, Refused> {
    let loaded = match text {
        Some(bytes) => scenario::parse(file, bytes, Path::new("")),
        None => scenario::load(Path::new(file)),
    };
    let refused = |problems| Refused::from(Failure::Problems(problems));
    let ready = ready(loaded.map_err(refused)?, file.to_owned(), overrides).map_err(refused)?;
    let trace = simulate(&ready, &progress(&ready.plan, &Terminal::default().quietly(true)), "")?;
    let Ready { plan, source, groups, .. } = ready;
    Ok(Ran { plan, trace, source, groups })
}

/// Answers a question: one of the commands `sweep`, `survey`, `plan` and `forecast` with its options.
/// Where a word names one of the texts, that is what the file says.
///
/// # Errors
/// What the command would have refused, in the same words.
pub fn ask(words: &[String], texts: BTreeMap<String, Vec<u8>>) -> Result<Answer, Refused> {
    let command = understood(words)?;
    let keeping = Keeping::default();
    let work = Work::asked(Inputs::with_texts(texts), &keeping);
    let terminal = Terminal::new(ColorWhen::Never);
    let exit = unless_endless(|| call(&command, &work, &terminal)).map_err(Failure::Input)??;
    let Some(found) = keeping.into_inner() else {
        let text = "this prints no document: leave out what makes a file or a work plan of it";
        return Err(Failure::Input(Problem::new(text)).into());
    };
    let Found { document, page, tables } = found;
    Ok(Answer { document, text: page.text.clone(), is_kept: exit == Exit::Fine, page, tables })
}

/// Ends what is being answered, in every thread, as soon as it looks; and goes on saying so until
/// [`resume`].
pub fn interrupt() {
    interrupt::ask();
}

/// Takes an [`interrupt()`] back, once nothing is being answered any more.
pub fn resume() {
    interrupt::forget();
}

/// The command that the words say.
fn understood(words: &[String]) -> Result<Command, Refused> {
    let nothing_asked = || Refused::Input("no command is named".to_owned());
    let (command, options) = words.split_first().ok_or_else(nothing_asked)?;
    // Progress and notes would be print.
    let all = ["taintsim", command, "--quiet"].into_iter();
    let all = all.chain(options.iter().map(String::as_str));
    let program = Cli::command().color(clap::ColorChoice::Never);
    let read =
        program.try_get_matches_from(all).and_then(|matches| Cli::from_arg_matches(&matches));
    match read {
        Ok(Cli { command: Some(command), .. }) => Ok(command),
        Ok(Cli { command: None, .. }) => Err(nothing_asked()),
        Err(error) => Err(Refused::Input(in_words(&advised(error).render(), false))),
    }
}

fn call(command: &Command, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    match command {
        Command::Sweep(_) | Command::Survey(_) | Command::Plan(_) | Command::Forecast(_) => {
            dispatch::call(command, work, terminal)
        }
        _ => Err(Failure::Input(Problem::new(
            "only sweep, survey, plan and forecast answer with a document",
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tables;

    /// One node of three is cut off for good; its pod waits a minute.
    const SCENARIO: &str = r#"(version: 1, horizon: "10m", nodes: [(names: "n-{0..2}")],
        pods: [(name: "w", on: Node("n-0"), tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])],
        timeline: [(at: "1m", do: Partition(node: "n-0"))])"#;

    fn answer(words: &[&str]) -> Result<Answer, Refused> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let text = ("<scenario>".to_owned(), SCENARIO.as_bytes().to_vec());
        ask(&words, BTreeMap::from([text]))
    }

    #[test]
    fn a_sweep_over_a_text_answers_with_its_rows_and_its_runs() {
        let set = "pods.w.tolerations[unreachable].tolerationSeconds=60,none";
        let found = answer(&["sweep", "<scenario>", "--set", set, "--seeds", "2"]).ok();
        let found = found.expect("an answer");
        let rows = found.document["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 2);
        let mut csv = Vec::new();
        let runs = found.table("runs").expect("runs");
        tables::csv::write(&mut csv, runs).expect("nothing goes wrong in memory");
        let csv = String::from_utf8(csv).expect("text");
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = csv.lines().map(cells);
        let names = lines.next().expect("a heading");
        let evicted = names.iter().position(|f| f == "evicted");
        let evicted = evicted.expect("the figure");
        let seen: Vec<String> =
            lines.map(|r| format!("{} {} {}", r[0], r[1], r[evicted])).collect();
        // A pod that tolerates for ever is not evicted.
        assert_eq!(seen, ["60 1 1", "60 2 1", "none 1 0", "none 2 0"]);
        assert!(found.is_kept && found.page().starts_with(b"<!doctype html>"));
    }

    #[test]
    fn a_limit_that_is_broken_is_no_refusal() {
        let found = answer(&["survey", "<scenario>", "--lose", "node", "--fail-on", "missing>1"]);
        assert!(!found.expect("an answer").is_kept);
    }

    #[test]
    fn what_is_wrong_is_said_as_on_the_command_line() {
        let Err(Refused::Problems(problems)) =
            answer(&["sweep", "<scenario>", "--set", "pods.x.count=1,2"])
        else {
            panic!("an answer about a group that is not there");
        };
        assert!(problems.to_string().contains("there is no pod group"), "{problems}");
        let Err(Refused::Input(text)) = answer(&["sweep", "<scenario>", "--seed", "many"]) else {
            panic!("an answer about many");
        };
        let said = "invalid value 'many' for '--seed <SEED>': a whole number is wanted";
        assert!(text.contains(said), "{text}");
        assert!(matches!(answer(&["run", "<scenario>"]), Err(Refused::Problems(_))));
    }
}
