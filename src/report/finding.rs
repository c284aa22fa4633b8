//! What was found of a violation, in the form in which Kubernetes takes a report of a bug.

use super::explore::Says;
use super::odds::of_drawn;
use super::places;
use super::prelude::*;
use super::replay::{Replayed, lanes, write as write_steps};
use super::text::{Printer, Style};
use crate::analysis::properties::{Property, Violation};
use crate::lab::explore::Violated;
use crate::lab::shrink::Size;
use crate::trace::Actor;

/// What a search under one release says of it.
pub(crate) struct On<'a> {
    pub(crate) release: &'a str,
    /// What it found; otherwise whether there is more to try.
    pub(crate) found: Result<&'a Violated, Says>,
    pub(crate) runs: u64,
}

/// A violation, with the run of the least scenario that has it.
pub(crate) struct Finding<'a> {
    pub(crate) property: Property,
    /// The scenario that was searched.
    pub(crate) name: &'a str,
    /// The releases that were searched, oldest first.
    pub(crate) on: &'a [On<'a>],
    /// The least scenario: its file, its size, whether nothing can be left out of it, and what it is built to.
    pub(crate) least: &'a str,
    pub(crate) size: Size,
    pub(crate) is_least: bool,
    pub(crate) plan: &'a Plan,
    /// Its run, in which the violation alone is told.
    pub(crate) run: Replayed<'a>,
    pub(crate) violation: &'a Violation,
}

/// What must not happen, by name; the page has a row for each property.
const PROPERTIES: &str = include_str!("../../docs/races.md");

/// Whose work a property is about, where that is one component's.
fn should(property: Property) -> Option<Actor> {
    Some(match property {
        Property::PodStuck { .. }
        | Property::NeedlessEviction
        | Property::WrongPod
        | Property::TimerReset
        | Property::TimerStale { .. }
        | Property::EvictLoop { .. } => Actor::TaintEviction,
        Property::TaintStale { .. }
        | Property::NeverReady { .. }
        | Property::NeverTainted { .. }
        | Property::FalseUnknown { .. }
        | Property::StaleReady { .. } => Actor::NodeLifecycle,
        Property::BoundToCordoned { .. } => Actor::Scheduler,
        Property::JobStalled { .. } => Actor::Job,
        Property::TaintLost
        | Property::RunsTwice
        | Property::BudgetOverdrawn { .. }
        | Property::NotReplaced { .. }
        | Property::Deterministic
        | Property::Expect => return None,
    })
}

/// What a property says must not happen.
fn must_not(property: &Property) -> &'static str {
    let row = |line: &'static str| {
        let (name, text) = line.strip_prefix("| `")?.split_once("` | ")?;
        let name = name.split('(').next();
        (name == Some(property.name())).then(|| text.trim_end_matches([' ', '|']))
    };
    PROPERTIES.lines().find_map(row).unwrap_or_default()
}

impl Finding<'_> {
    /// Writes it as Markdown, under the headings of Kubernetes' form for bugs.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = &self.violation.text;
        let who = self.who().filter(|who| !text.starts_with(who));
        let who = who.map_or(String::new(), |who| format!("{who}: "));
        writeln!(out, "# {who}{text}\n")?;
        writeln!(out, "## What happened?\n\n{text}.\n")?;
        let at = self.violation.at.as_secs_f64();
        writeln!(out, "That was certain at {at:.6} s of the run below.\n")?;
        writeln!(out, "## What did you expect to happen?\n")?;
        match self.property {
            Property::Expect => writeln!(out, "What the scenario below has as `expect`.\n")?,
            p => writeln!(out, "`{p}`: it must not happen that {}.\n", must_not(&p))?,
        }
        self.reproduce(out)?;
        writeln!(out, "## Anything else we need to know?\n")?;
        self.interleaving(out)?;
        self.source(out)?;
        self.often(out)?;
        self.releases(out)?;
        self.missing(out)
    }

    /// Which of Kubernetes' components did what it is about; where that were people or a kubelet, which one should have done something, or something else.
    fn who(&self) -> Option<&'static str> {
        let last = self.violation.records.last().and_then(|r| self.run.trace.get(*r));
        let actor = last.map(|r| r.actor);
        let others = [Actor::User, Actor::Kubelet, Actor::ApiServer];
        actor.filter(|a| !others.contains(a)).or(should(self.property)).map(Actor::as_str)
    }

    fn reproduce(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "## How can we reproduce it (as minimally and precisely as possible)?\n")?;
        let of = |n: usize, what: &str| (n > 0).then(|| counted(n as u64, what));
        let size = self.size;
        let (nodes, workloads) = (of(size.nodes, "node"), of(size.workloads, "workload"));
        let parts = [nodes, workloads, of(size.pods, "pod"), of(size.deviations, "choice")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let least = match self.is_least {
            true => "With anything left out of it, it no longer happens",
            false => "There was no time to try everything that may be left out of it",
        };
        let choices = match size.deviations {
            0 => "every choice is as usual",
            _ => "its `tape` has the choices that are not as usual",
        };
        writeln!(
            out,
            "`scenario.ron`, {}; its `timeline` is what people and machines do, with times from the beginning of the run, and {choices}: usual are the shortest \
             latencies, and what is due at one time in the order in which it came. {least}.\n\n```ron\n{}```\n",
            parts.join(", "),
            self.least
        )?;
        writeln!(
            out,
            "```console\n$ taintsim test scenario.ron     # it happens, as the scenario expects\n$ taintsim replay scenario.ron   # the steps below\n```\n\n\
             `tape.ron` is the run that was found, of the scenario that was searched.\n"
        )
    }

    /// The rows of `replay`, without colours and without a limit to their width.
    fn interleaving(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "### The interleaving\n\nEach step with when it was (in seconds), who took it (of a request that arrives at the API server: who sent it), which version of an object it had \
             seen, how old that was and by how many changes it was behind, and what it read without success or wrote. `►` is what the property is about, `·` what \
             led there, `↕` what came about by a choice of the tape.\n\n```text"
        )?;
        let mut p = Printer::new(out, Style::default());
        write_steps(&mut p, self.run)?;
        writeln!(out, "```\n")
    }

    /// Upstream's functions whose work the steps are.
    fn source(&self, out: &mut dyn Write) -> io::Result<()> {
        let steps = lanes(String::new(), self.run);
        let found = self.on.iter().filter(|on| on.found.is_ok());
        let mut releases: Vec<&str> = found.filter_map(|on| places::known(on.release)).collect();
        releases.extend(places::newest().filter(|newest| !releases.contains(newest)));
        let component = match self.who() {
            Some("taint-eviction") => "eviction",
            who => who.unwrap_or_default(),
        };
        let acting = places::acting(&steps, component);
        let cited = acting.iter().filter_map(|a| Some((a.cited(&releases)?, a.by())));
        let cited: Vec<String> = cited.map(|(place, who)| format!("- {place}: {who}")).collect();
        if cited.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "### In the source\n\nThe functions whose work these steps are, first of what the property is about: whole functions, not the line at fault, from when people or machines first do something. One patch of a minor release stands \
             for the others.\n"
        )?;
        cited.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)
    }

    fn often(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = self.name;
        writeln!(
            out,
            "### How often\n\nOf `{name}` as it was searched, each choice drawn about as often as upstream comes to it; in brackets what holds the true part in 95 of 100 cases:\n"
        )?;
        for on in self.on {
            let Ok(v) = on.found else { continue };
            let often = v.drawn.map(|(count, of)| of_drawn(count, of));
            let often = often.as_deref().unwrap_or(
                "not known, as it takes other times or trouble, or as the search ended early",
            );
            writeln!(out, "- {}: {often}", on.release)?;
        }
        writeln!(out)
    }

    fn releases(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "## Kubernetes version\n")?;
        for on in self.on {
            let (runs, release) = (counted(on.runs, "run"), on.release);
            let said = match on.found {
                Ok(_) => format!("found, in a search of {runs}"),
                Err(Says::Exhausted) => {
                    format!("not found in {runs}, all that differ little from the usual order")
                }
                Err(_) => format!("not found in {runs}; there are more"),
            };
            writeln!(out, "- {release}: {said}")?;
        }
        let (program, release) = (env!("CARGO_PKG_VERSION"), &self.plan.profile.release);
        writeln!(
            out,
            "\nBy taintsim {program}, which simulates these releases. The scenario and the steps above are those of {release}.\n"
        )
    }

    /// What a maintainer would ask for, and is not here.
    fn missing(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "## What is missing\n\n\
             - A run of upstream's own controllers: this one is of a model of them, which is held to recordings. `taintsim prove tape.ron` records them, where the recorder is.\n\
             - A Go test. Those in `extra/recorder/reports/` are written by hand.\n\
             - A search of the tracker for reports of the same."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_has_a_row_of_the_page() {
        for name in Property::NAMES {
            let property = Property::parse(name).expect("it is one");
            assert!(must_not(&property).len() > 20, "{name}: {:?}", must_not(&property));
        }
        let wrong = Property::WrongPod;
        assert_eq!(
            must_not(&wrong),
            "a deletion meant for one pod hits its successor of the same name"
        );
    }
}
