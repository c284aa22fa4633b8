//! The rows of the timeline: when, how long after what, and what happened.

use super::style::{BOLD, DIM, GREEN, MAGENTA, PLAIN, Printer, RED, YELLOW};
use crate::analysis::clock::{absolute, whole};
use crate::analysis::facts::{Fact, Tone};
use crate::analysis::timeline::Row;
use crate::api::spelling::shortened;
use crate::language::clauses;
use crate::report::model::Report;
use crate::report::prelude::*;
use anstyle::Style as Ansi;
use unicode_width::UnicodeWidthStr;

/// The least that a row has for what happened, beside what it is counted from.
const ROOM: usize = 44;

/// From this many rows on those in which pods are made at the start are told together, and the
/// most of them that are told at all.
const SEVERAL: usize = 4;
const NAMED: usize = 3;

/// Names of entries are shortened to this where they follow a time.
const ENTRY_NAME: usize = 24;

/// Where facts of different workloads or entries are one row.
const TOGETHER: &str = "These are many: what is alike of different workloads or entries is one row. Each by itself: events.jsonl, and report.html (`--html`).";

impl Printer<'_> {
    pub(super) fn timeline(&mut self, report: &Report<'_>) -> io::Result<()> {
        let (made, rows) = start_up(report);
        let cells: Vec<(String, String)> =
            rows.iter().map(|r| (from_to(r.first, r.last), relative(report, r))).collect();
        let widths = cells.iter().map(|(times, after)| (times.width(), after.width()));
        let (first, second) = widths.fold((9, 0), |all, of| (all.0.max(of.0), all.1.max(of.1)));
        if report.rows.is_empty() {
            return writeln!(self.out, "Nothing happened to the nodes and pods of this cluster.\n");
        }
        // Where what happened would be squeezed, what it is counted from stands behind it.
        let behind = first + second + 4 + ROOM > self.style.width;
        if let [first, ..] = &made[..] {
            let until = made.iter().map(|r| r.last).max().unwrap_or(first.last);
            let named = clauses(NAMED, made.iter().map(|r| r.text.as_str()));
            let (from, until) = (whole(first.first), whole(until));
            self.folded(&format!("Pods are made from {from} to {until}: {named}."), 0, DIM)?;
            writeln!(self.out)?;
        }
        for (row, (times, relative)) in rows.iter().zip(&cells) {
            let paint = paint(row.fact);
            write!(self.out, "{times:>first$}  ")?;
            if !behind {
                let pad = second - relative.width();
                let relative = format!("{relative}{:pad$}", "");
                write!(self.out, "{}  ", self.painted(&relative, DIM))?;
                self.folded(&row.text, first + second + 4, paint)?;
            } else if relative.is_empty() {
                self.folded(&row.text, first + 2, paint)?;
            } else {
                self.folded(&format!("{} ({relative})", row.text), first + 2, paint)?;
            }
        }
        if report.together {
            self.folded(TOGETHER, 0, DIM)?;
        }
        writeln!(self.out)
    }
}

/// The rows in which pods are made that nothing of the timeline led to, where there are several and
/// something happens in the run, and the other rows.
fn start_up<'r>(report: &'r Report<'_>) -> (Vec<&'r Row>, Vec<&'r Row>) {
    let harm = report.analysis.first_harm(Time::ZERO, Time::MAX);
    let is_made = |r: &&Row| {
        r.fact.makes_pods() && r.since.is_none() && harm.is_some_and(|harm| r.last < harm.at)
    };
    let (made, others): (Vec<_>, Vec<_>) = report.rows.iter().partition(is_made);
    if made.len() < SEVERAL {
        return (Vec::new(), report.rows.iter().collect());
    }
    (made, others)
}

/// `10:50.500`, or `10:52–12:20` of a row that takes a second or more.
pub(crate) fn from_to(first: Time, last: Time) -> String {
    match last.since(first) < Dur::from_secs(1) {
        true => absolute(first),
        false => format!("{}–{}", whole(first), whole(last)),
    }
}

/// `+50.5s after cut b`, or `+50.5s to 2m20s after cut b`.
pub(crate) fn relative(report: &Report<'_>, r: &Row) -> String {
    let timeline = &report.analysis.plan.timeline;
    let since = r.since.and_then(|since| Some((since, timeline.get(since.entry as usize)?)));
    let Some((since, entry)) = since else { return String::new() };
    let (first, last) =
        (r.first.since(since.at).whole_millis(), r.last.since(since.at).whole_millis());
    let name = shortened(&entry.name, ENTRY_NAME);
    // Sixty seconds apart, milliseconds do not help.
    let rounded = |d: Dur| {
        if r.last.since(r.first) >= Dur::from_secs(10) { Dur::from_secs(d.as_secs()) } else { d }
    };
    // A maintenance reaches each node at its own time.
    let span = match last.saturating_sub(first) < Dur::from_secs(1) {
        true => short(first),
        false => format!("{} to {}", short(rounded(first)), short(rounded(last))),
    };
    let is_maintenance = || entry.ends.is_none() && report.analysis.plan.lasts(since.entry);
    let (before, behind) = match (since.at != entry.at && is_maintenance(), since.ended) {
        (true, false) => ("off in ", ""),
        (true, true) => ("boot in ", ""),
        (false, true) => ("", " ended"),
        (false, false) => ("", ""),
    };
    format!("+{span} after {before}{name}{behind}")
}

/// The colour of a fact.
fn paint(fact: Fact) -> Ansi {
    match fact.look().tone {
        Tone::Entry => BOLD,
        Tone::Bad => RED,
        Tone::Warning => YELLOW,
        Tone::Good => GREEN,
        Tone::Zones => MAGENTA,
        Tone::Plain => PLAIN,
    }
}
