//! Test cases: the scenario itself, and each of its expectations.

use crate::analysis::statistics::share_interval;
use crate::api::words::rows;
use crate::files::STDIN;
use crate::lab::Trial;
use crate::lab::trial::{Failure, Held, Outcome};
use crate::language::{Problem, Problems, duration};
use crate::report::odds::ends;
use crate::report::prelude::*;
use crate::scenario::Overrides;

/// The case that a scenario can be read and run, which every one has.
pub const SCENARIO: &str = "scenario";
/// What a scenario that cannot be read or run has.
pub(super) const MISTAKE: &str = "mistake";

/// A test case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, which depends on what the scenario says and not on its result.
    pub name: String,
    /// What came of it.
    pub came: Came,
}

/// What came of a test case.
#[derive(Clone, Debug)]
pub enum Came {
    /// It was as expected.
    Met,
    /// It was not.
    Failed(Failed),
    /// It cannot be held against a run.
    Wrong(Problems),
    /// The scenario expects nothing.
    Nothing,
    /// It was not tried, because another scenario failed.
    NotRun,
    /// Nobody can say, and why.
    Undecided(String),
}

impl Came {
    /// What is wrong: of what sort, what and where, and what explains it where the scenario is called so.
    pub(super) fn faults(&self, file: &str) -> Vec<(&str, Problem, Vec<String>)> {
        match self {
            Self::Met | Self::NotRun | Self::Undecided(_) => Vec::new(),
            Self::Nothing => {
                let problem = Problem::new("the scenario expects nothing");
                vec![("no expectations", problem, Vec::new())]
            }
            Self::Wrong(all) => all.0.iter().map(|p| (MISTAKE, p.clone(), Vec::new())).collect(),
            Self::Failed(f) => vec![(&*f.kind, f.problem.clone(), f.notes(file))],
        }
    }

    /// The word for it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Undecided(_) => "undecided",
            other => Status::of(other).word(),
        }
    }
}

rows! {
    /// What became of a scenario.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Status {
        /// Everything was as expected.
        Passed = "passed",
        /// Something was not.
        Failed = "failed",
        /// The scenario, or an expectation, is wrong.
        Wrong = "wrong",
        /// It expects nothing.
        NoExpectations = "no expectations",
        /// It was not run, because another one failed.
        NotRun = "not run",
    }

    pub(crate) fn word -> &'static str;
}

impl Status {
    /// That of a case; what nobody can say keeps nothing from having passed.
    pub(super) fn of(came: &Came) -> Self {
        match came {
            Came::Met | Came::Undecided(_) => Self::Passed,
            Came::Failed(_) => Self::Failed,
            Came::Wrong(_) => Self::Wrong,
            Came::Nothing => Self::NoExpectations,
            Came::NotRun => Self::NotRun,
        }
    }
}

/// Something that was not as expected.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Which kind of expectation: `Evicted`, `golden`, `guards`.
    pub(crate) kind: String,
    /// What is wrong, with the place in the file.
    pub(crate) problem: Problem,
    /// What explains it, line by line.
    notes: Vec<String>,
    /// The seed of a run that shows it, where it is a run's.
    pub(crate) seed: Option<u64>,
    /// What to call for more: words before it, the command, and what stands behind the file.
    calls: Vec<[String; 3]>,
}

impl Failed {
    /// Something else than an expectation.
    pub fn other(kind: &str, problem: Problem, notes: Vec<String>) -> Self {
        Self { kind: kind.to_owned(), problem, notes, seed: None, calls: Vec::new() }
    }

    /// An expectation that was not met in a scenario with those changes.
    pub fn new(f: &Failure, runs: usize, overrides: &Overrides) -> Self {
        let records = f.told.records.iter().map(|(id, text)| format!("record {id}: {text}"));
        let why = f.told.why.iter().enumerate();
        let why = why.map(|(i, why)| format!("{}{why}", if i == 0 { "why: " } else { "     " }));
        let notes = records.chain(why).collect();
        // Where there is one run, its seed is the scenario's or the command line's.
        let of_many = runs > 1;
        let of_one = || overrides.clone().with_seed(f.seed);
        let change = arguments(&if of_many { of_one() } else { overrides.clone() });
        let mut calls = Vec::new();
        if let Some((object, at)) = &f.told.about {
            // `explain` takes all of a whole millisecond.
            let at = at.map(|t| t.since(Time::ZERO).whole_millis());
            let at = at.map(|at| format!(" --at {}", duration::format(at)));
            let behind = format!(" {}{}{change}", quoted(object), at.unwrap_or_default());
            calls.push(["more: ".to_owned(), "taintsim explain".to_owned(), behind]);
        }
        if of_many {
            let share =
                f.share.map(|s| format!(", and it had to be met in {} % of them", in_percent(s)));
            let (share, failed) = (share.unwrap_or_default(), f.failed_runs);
            let [low, high] = ends(share_interval(failed as u64, runs as u64));
            let of_all = format!("({low} to {high} of all)");
            let said = format!("not met in {failed} of {runs} runs {of_all}{share}; the first is ");
            calls.push([said, "taintsim run".to_owned(), change]);
        }
        Failed { seed: Some(f.seed), calls, ..Self::other(&f.kind, f.problem.clone(), notes) }
    }

    /// What explains it, line by line; `file` is how the scenario is called.
    pub fn notes(&self, file: &str) -> Vec<String> {
        // What came by standard input is given there again.
        let file = if file == STDIN { "-" } else { &quoted(file) };
        let calls = self.calls.iter();
        let calls = calls.map(|[said, command, rest]| format!("{said}`{command} {file}{rest}`"));
        self.notes.iter().cloned().chain(calls).collect()
    }
}

/// The cases of a scenario's expectations, in the order of the file: each is called what it says
/// there.
pub fn cases(trial: &Trial<'_>, outcome: &Outcome) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (e, held) in trial.expectations().list.iter().zip(&outcome.held) {
        let said = trial.loaded.source.text.get(e.bytes.clone());
        let said = said.map(one_line).filter(|s| !s.is_empty());
        let said = said.unwrap_or_else(|| e.kind.to_owned());
        let again = |n: usize| if n == 1 { said.clone() } else { format!("{said} ({n})") };
        let name =
            (1..).map(again).find(|name| cases.iter().all(|c| c.name != *name)).unwrap_or_default();
        let came = match held {
            Held::Met => Came::Met,
            Held::Failed(f) => Came::Failed(Failed::new(f, outcome.runs, &trial.overrides)),
            Held::Wrong(problem) => Came::Wrong(Problems::one(problem.clone())),
        };
        cases.push(Case { name, came });
    }
    cases
}

/// What the file says, without comments, line ends and what else formatting may change.
fn one_line(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '"' => {
                let mut escaped = false;
                let is_end = |b: char| {
                    let end = b == '"' && !escaped;
                    escaped = b == '\\' && !escaped;
                    end
                };
                let end = rest[1..].find(is_end).map_or(rest.len(), |i| i + 2);
                out.push_str(&rest[..end]);
                end
            }
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |i| i + 2),
            ')' | ']' | '}' => {
                out.truncate(out.trim_end_matches([' ', ',']).len());
                out.push(c);
                1
            }
            _ if c.is_whitespace() => {
                if !out.is_empty() && !out.ends_with([' ', '(', '[', '{']) {
                    out.push(' ');
                }
                c.len_utf8()
            }
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[end..];
    }
    out.truncate(out.trim_end().len());
    out
}

/// Changes as arguments of a command line.
fn arguments(overrides: &Overrides) -> String {
    overrides.words().iter().map(|word| format!(" {}", quoted(word))).collect()
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=:,./@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A share in percent as people write it, to a ten thousandth: 0.56 is not quite so as a binary number.
fn in_percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_said_as_it_was_written() {
        let said =
            [0.56, 0.55, 0.999, 0.95, 1.0, 0.07, 0.999_95].map(|s| in_percent(s).to_string());
        assert_eq!(said, ["56", "55", "99.9", "95", "100", "7", "99.995"]);
    }

    #[test]
    fn a_case_is_called_what_the_file_says_however_it_is_laid_out() {
        let name = r#"Evicted(pod: "a // b", at: ["3x 5m", "6m"])"#;
        assert_eq!(one_line(name), name);
        assert_eq!(
            one_line(
                "Evicted(\n    pod: \"a // b\", // not c\n    at: [\n\"3x 5m\", /* and */ \"6m\",\n],\n)"
            ),
            name
        );
        assert_eq!(
            one_line(r#"Pending(reason: "say \" ) ,  \\", )"#),
            r#"Pending(reason: "say \" ) ,  \\")"#
        );
        assert_eq!(one_line("Evicted(pod: \"no end"), "Evicted(pod: \"no end");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("pod/default/web-0"), "pod/default/web-0");
        assert_eq!(
            quoted("pods.web.tolerations[unreachable].tolerationSeconds=1"),
            "'pods.web.tolerations[unreachable].tolerationSeconds=1'"
        );
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
