//! The interleaving of a replayed run as a table: who did what, having seen what.

use crate::analysis::properties::Violation;
use crate::kernel::choice::Deviation;
use crate::lab::tape::Texts;
use crate::sim::Searched;
use crate::trace::{Fields, NO_RECORD, Record, RecordId, Trace};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Where a replay departs from its tape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The step at which that is certain.
    pub step: usize,
    /// What is otherwise.
    pub text: String,
}

/// Finds where a replay departs from its tape: a choice asked for with another span than the tape's
/// value fits into, or not asked for at all by the time that a later one of the tape is.
pub fn departure(run: &Searched, tape: &[Deviation], texts: &Texts) -> Option<Departure> {
    let place = |d: &Deviation| {
        run.choices
            .iter()
            .position(|c| c.point == d.point && c.object == d.object && c.ordinal == d.ordinal)
    };
    let step_of = |choice: usize| {
        run.notes
            .steps
            .partition_point(|s| s.choices as usize <= choice)
            .saturating_sub(1)
    };
    for (i, d) in tape.iter().enumerate() {
        match place(d) {
            Some(at) if run.choices[at].value != d.value => {
                let text = format!(
                    "the tape says {}; here {} is the most there is",
                    texts.choice(d),
                    run.choices[at].value
                );
                return Some(Departure {
                    step: turn_of(run, at, step_of(at)),
                    text,
                });
            }
            Some(_) => {}
            None => {
                let later = tape[i + 1..].iter().find_map(place);
                let step = later.map_or(run.notes.steps.len().saturating_sub(1), |at| {
                    turn_of(run, at, step_of(at))
                });
                return Some(Departure {
                    step,
                    text: format!("a choice of the tape did not come up: {}", texts.choice(d)),
                });
            }
        }
    }
    None
}

/// The step that a choice led to, if it was one of turn; else the step it was made in.
fn turn_of(run: &Searched, choice: usize, made_in: usize) -> usize {
    run.notes
        .asked
        .iter()
        .find(|a| a.choice as usize == choice)
        .map_or(made_in, |a| a.step as usize)
}

/// Writes the table. Steps that wrote nothing are left out, but for those that a deviation brought
/// about.
///
/// # Errors
/// Those of the writer.
pub fn write(
    out: &mut dyn Write,
    run: &Searched,
    texts: &Texts,
    violations: &[Violation],
    departure: Option<&Departure>,
    colour: bool,
) -> io::Result<()> {
    let trace = &run.trace;
    let fault: BTreeSet<RecordId> = violations
        .iter()
        .filter_map(|v| v.records.last().copied())
        .collect();
    let involved: BTreeSet<RecordId> = violations
        .iter()
        .flat_map(|v| v.records.iter().copied())
        .collect();
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header([
        "",
        "time",
        "process",
        "saw",
        "step and what it wrote",
    ]);
    let mut before = 0;
    for (i, step) in run.notes.steps.iter().enumerate() {
        if departure.is_some_and(|d| i > d.step) {
            break;
        }
        let after = run.records.get(i).copied().unwrap_or(before);
        let records = before..after;
        before = after;
        let from = step.choices as usize;
        let to = run
            .notes
            .steps
            .get(i + 1)
            .map_or(run.choices.len(), |s| s.choices as usize);
        let turn = run
            .notes
            .asked
            .iter()
            .find(|a| a.step as usize == i)
            .map(|a| a.choice as usize);
        let deviated: Vec<String> = turn
            .into_iter()
            .chain(from..to)
            .filter(|c| run.choices[*c].deviates() && (turn == Some(*c) || !is_turn(run, *c)))
            .map(|c| texts.choice(&run.choices[c].into()))
            .collect();
        if records.is_empty() && deviated.is_empty() {
            continue;
        }
        let mark = if records.clone().any(|r| fault.contains(&r)) {
            "►"
        } else if records.clone().any(|r| involved.contains(&r)) {
            "·"
        } else if deviated.is_empty() {
            ""
        } else {
            "↕"
        };
        let mut wrote: Vec<String> = deviated.into_iter().map(|d| format!("[{d}]")).collect();
        let mut saw: Vec<String> = Vec::new();
        for id in records {
            let Some(r) = trace.get(id) else { continue };
            wrote.push(words(&trace.fields(r)));
            let seen = seen(trace, id, r);
            if !seen.is_empty() && !saw.contains(&seen) {
                saw.push(seen);
            }
        }
        let process = texts.name(step.name);
        table.add_row([
            mark.to_owned(),
            format!("{:.6}", step.at.as_secs_f64()),
            process,
            saw.join("\n"),
            wrote.join("\n"),
        ]);
    }
    for line in table.to_string().lines() {
        let line = line.trim_end();
        if colour && line.trim_start().starts_with('►') {
            writeln!(out, "\u{1b}[1;31m{line}\u{1b}[0m")?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out)?;
    if let Some(d) = departure {
        return writeln!(out, "the replay departs from its tape here: {}", d.text);
    }
    for v in violations {
        writeln!(out, "► {}: {}", v.property, v.text)?;
    }
    Ok(())
}

fn is_turn(run: &Searched, choice: usize) -> bool {
    matches!(
        run.choices[choice].span,
        crate::kernel::choice::Span::Turn(_)
    )
}

/// What a record's author had seen, how old that was, and how much had changed since.
fn seen(trace: &Trace, id: RecordId, r: &Record) -> String {
    if r.saw == NO_RECORD || r.saw >= id {
        return String::new();
    }
    let Some(saw) = trace.get(r.saw) else {
        return String::new();
    };
    let same = |x: &Record| match (saw.node(), saw.pod()) {
        (Some(n), _) => x.node() == Some(n),
        (_, Some(p)) => x.pod() == Some(p),
        _ => x.workload().is_some() && x.workload() == saw.workload(),
    };
    let changes = trace
        .iter()
        .take(id as usize)
        .skip(r.saw as usize + 1)
        .filter(|x| same(x) && is_change(trace, x))
        .count();
    let age = r.at.since(saw.at).as_nanos() as f64 / 1e9;
    let stale = match changes {
        0 => String::new(),
        1 => ", 1 change behind".to_owned(),
        n => format!(", {n} changes behind"),
    };
    format!("{} ({age:.6} s old{stale})", words(&trace.fields(saw)))
}

/// Whether a record tells of a new version of an object.
fn is_change(trace: &Trace, r: &Record) -> bool {
    let what = trace.fields(r).what;
    let own = ["node-queued", "node-silent", "node-heard"];
    ["node-", "pod-", "workload-"]
        .iter()
        .any(|object| what.starts_with(object))
        && !own.contains(&what)
}

/// A record in few words.
fn words(f: &Fields) -> String {
    let mut words = vec![f.what.to_owned()];
    let own = |t: &Option<String>| t.clone().into_iter();
    words.extend(own(&f.pod).chain(own(&f.object)).chain(own(&f.node)));
    words.extend(
        [f.kind, f.status, f.reason]
            .into_iter()
            .flatten()
            .map(str::to_owned),
    );
    words.extend(f.seconds.map(|s| format!("{s}s")));
    words.extend(f.value.map(|v| v.to_string()));
    words.extend(f.replicas.map(|n| n.to_string()));
    words.extend(
        f.added
            .iter()
            .map(|t| format!("+{t}"))
            .chain(f.removed.iter().map(|t| format!("-{t}"))),
    );
    if f.what != "event" {
        words.extend(own(&f.message));
    }
    words.join(" ")
}
