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
        | Property::WrongPod
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
        // The rows of `replay`, without colours and without a limit to their width.
        let mut steps = Vec::new();
        write_steps(&mut Printer::new(&mut steps, Style::default()), self.run)?;
        write!(
            out,
            include_str!("finding.txt"),
            who = who.map_or(String::new(), |who| format!("{who}: ")),
            text = text,
            at = self.violation.at.as_secs_f64(),
            expected = match self.property {
                Property::Expect => "What the scenario below has as `expect`.".to_owned(),
                p => format!("`{p}`: it must not happen that {}.", must_not(&p)),
            },
            parts = self.parts().join(", "),
            choices = match self.size.deviations {
                0 => "every choice is as usual",
                _ => "its `tape` has the choices that are not as usual",
            },
            least = match self.is_least {
                true => "With anything left out of it, it no longer happens, or is less of a harm",
                false => "There was no time to try everything that may be left out of it",
            },
            scenario = self.least,
            steps = String::from_utf8_lossy(&steps),
            source = self.source(),
            name = self.name,
            often = self.often(),
            releases = self.releases(),
            program = env!("CARGO_PKG_VERSION"),
            release = self.plan.profile.release,
        )
    }

    /// Which of Kubernetes' components did what it is about; where that were people or a kubelet, which one should have done something, or something else.
    fn who(&self) -> Option<&'static str> {
        let last = self.violation.records.last().and_then(|r| self.run.trace.get(*r));
        let actor = last.map(|r| r.actor);
        let others = [Actor::User, Actor::Kubelet, Actor::ApiServer];
        actor.filter(|a| !others.contains(a)).or(should(self.property)).map(Actor::as_str)
    }

    /// How large the least scenario is.
    fn parts(&self) -> Vec<String> {
        let of = |n: usize, what: &str| (n > 0).then(|| counted(n as u64, what));
        let size = self.size;
        let (nodes, workloads) = (of(size.nodes, "node"), of(size.workloads, "workload"));
        let parts = [nodes, workloads, of(size.pods, "pod"), of(size.deviations, "choice")];
        parts.into_iter().flatten().collect()
    }

    /// Upstream's functions whose work the steps are.
    fn source(&self) -> String {
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
        let cited: String = cited.map(|(place, who)| format!("- {place}: {who}\n")).collect();
        if cited.is_empty() {
            return cited;
        }
        format!(
            "### In the source\n\nThe functions whose work these steps are, first of what the property is about: whole functions, not the line at fault, from when people or machines first do something. One patch of a minor release stands \
             for the others.\n\n{cited}\n"
        )
    }

    fn often(&self) -> String {
        let often = |on: &On<'_>| {
            let drawn = on.found.ok()?.drawn.map(|(count, of)| of_drawn(count, of));
            let often = drawn.as_deref().unwrap_or(
                "not known, as it takes other times or trouble, or as the search ended early",
            );
            Some(format!("- {}: {often}\n", on.release))
        };
        self.on.iter().filter_map(often).collect()
    }

    fn releases(&self) -> String {
        let said = |on: &On<'_>| {
            let (runs, release) = (counted(on.runs, "run"), on.release);
            match on.found {
                Ok(_) => format!("- {release}: found, in a search of {runs}\n"),
                Err(Says::Exhausted) => format!(
                    "- {release}: not found in {runs}, all that differ little from the usual order\n"
                ),
                Err(Says::Undecided) => format!(
                    "- {release}: not found in {runs}, some of which ended before that could be said\n"
                ),
                Err(Says::NotTried) => format!("- {release}: not tried, as the time was over\n"),
                Err(_) => format!("- {release}: not found in {runs}; there are more\n"),
            }
        };
        self.on.iter().map(said).collect()
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
