//! The rows of the timeline: when, how long after what, and what happened.

use super::costs::whole_ms;
use super::printer::Printer;
use super::style::{BOLD, DIM, GREEN, MAGENTA, PLAIN, RED, YELLOW};
use crate::analysis::clock::{absolute, short, whole};
use crate::analysis::facts::Fact;
use crate::analysis::timeline::Row;
use crate::kernel::Dur;
use crate::report::model::Report;
use crate::trace::DrainOutcome;
use anstyle::Style as Ansi;
use std::io;

/// Names of entries are shortened to this where they follow a time.
const ENTRY_NAME: usize = 24;

impl Printer<'_> {
    pub(super) fn timeline(&mut self, report: &Report<'_>) -> io::Result<()> {
        let cells: Vec<(String, String)> = report
            .rows
            .iter()
            .map(|r| (times(r), relative(report, r)))
            .collect();
        let width = |least: usize, of: &dyn Fn(&(String, String)) -> &str| {
            cells
                .iter()
                .map(|c| of(c).chars().count())
                .max()
                .unwrap_or(0)
                .max(least)
        };
        let (first, second) = (width(9, &|c| &c.0), width(0, &|c| &c.1));
        if report.rows.is_empty() {
            writeln!(
                self.out,
                "Nothing happened to the nodes and pods of this cluster.\n"
            )?;
            return Ok(());
        }
        for (row, (times, relative)) in report.rows.iter().zip(&cells) {
            let relative = self.painted(&format!("{relative:second$}"), DIM);
            write!(self.out, "{times:>first$}  {relative}  ")?;
            self.folded(&row.text, first + second + 4, paint(row.fact))?;
        }
        writeln!(self.out)
    }
}

/// `10:50.500`, or `10:52–12:20` of a row that takes a second or more.
fn times(r: &Row) -> String {
    if r.last.since(r.first) < Dur::from_secs(1) {
        absolute(r.first)
    } else {
        format!("{}–{}", whole(r.first), whole(r.last))
    }
}

/// `+50.5s after cut b`, or `+50.5s to 2m20s after cut b`.
fn relative(report: &Report<'_>, r: &Row) -> String {
    let Some(since) = r.since else {
        return String::new();
    };
    let Some(entry) = report.analysis.plan.timeline.get(since.entry as usize) else {
        return String::new();
    };
    let (first, last) = (
        whole_ms(r.first.since(since.at)),
        whole_ms(r.last.since(since.at)),
    );
    let mut name: String = entry.name.chars().take(ENTRY_NAME).collect();
    if entry.name.chars().count() > ENTRY_NAME {
        name.push('…');
    }
    // Sixty seconds apart, milliseconds do not help.
    let rounded = |d: Dur| {
        if r.last.since(r.first) >= Dur::from_secs(10) {
            Dur::from_secs(d.as_secs())
        } else {
            d
        }
    };
    let span = if last.saturating_sub(first) < Dur::from_secs(1) {
        short(first)
    } else {
        format!("{} to {}", short(rounded(first)), short(rounded(last)))
    };
    // A maintenance reaches each node at its own time.
    match (since.at != entry.at && entry.ends.is_none(), since.ended) {
        (true, false) => format!("+{span} after off in {name}"),
        (true, true) => format!("+{span} after boot in {name}"),
        (false, true) => format!("+{span} after {name} ended"),
        (false, false) => format!("+{span} after {name}"),
    }
}

/// The colour of a fact.
fn paint(fact: Fact) -> Ansi {
    match fact {
        Fact::EntryBegan(_) | Fact::EntryEnded(_) => BOLD,
        Fact::Evicted(_)
        | Fact::EvictedBy(_)
        | Fact::EvictionFailed
        | Fact::CutShort(..)
        | Fact::Refused(..)
        | Fact::ControllersStopped => RED,
        Fact::Silent
        | Fact::MachineOff
        | Fact::Unknown
        | Fact::NotReady
        | Fact::Tainted(_)
        | Fact::ConditionTrue(_)
        | Fact::PodFailed => YELLOW,
        Fact::PodPending(_) | Fact::ReplicaPending(..) | Fact::EvictionRefused(_) => YELLOW,
        Fact::DrainEnded(DrainOutcome::Drained) => GREEN,
        Fact::DrainEnded(_) => RED,
        Fact::Zone(..) | Fact::MasterDisruptionEntered | Fact::MasterDisruptionLeft => MAGENTA,
        Fact::Heard
        | Fact::MachineOn
        | Fact::Ready
        | Fact::Untainted(_)
        | Fact::TimerCancelled
        | Fact::ConditionFalse(_)
        | Fact::ControllersStarted => GREEN,
        Fact::NodeJoined
        | Fact::NodeDeleted
        | Fact::Budget(..)
        | Fact::Cordoned
        | Fact::Uncordoned
        | Fact::PodCreated
        | Fact::PodBound
        | Fact::ReplicaCreated(_)
        | Fact::ReplicaBound(_)
        | Fact::ReplicaRunning(_)
        | Fact::TimerSet(_)
        | Fact::PodDeleted(_)
        | Fact::PodSucceeded
        | Fact::PodGone => PLAIN,
    }
}
