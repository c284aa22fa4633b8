//! The interleaving of a replayed run as a table: who did what, having seen what.

use super::prelude::*;
use super::text::Printer;
use crate::analysis::properties::Violation;
use crate::lab::replay::{Departure, ReplayedStep};
use crate::report::html::board::{Steps, Taken};
use crate::trace::{Fields, NO_RECORD, Trace};

/// Writes the table, and below it where the run departs from its tape, or what was found.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(
    p: &mut Printer<'_>,
    trace: &Trace,
    steps: &[ReplayedStep],
    violations: &[Violation],
    departure: Option<&Departure>,
) -> io::Result<()> {
    let out = &mut p.out;
    let table = table(trace, steps, violations);
    for line in table.to_string().lines() {
        let line = line.trim_end();
        if p.style.colour && line.trim_start().starts_with('►') {
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

/// The same as JSON: the steps with what each saw and wrote, where the run departs from its tape, and
/// what was found.
pub(crate) fn document(
    plan: &Plan,
    trace: &Trace,
    steps: &[ReplayedStep],
    violations: &[Violation],
    departure: Option<&Departure>,
) -> Value {
    let lanes = lanes(String::new(), trace, steps, violations);
    let step = |taken: &Taken| {
        json!({
            "at_s": taken.at,
            "process": lanes.processes[taken.process],
            "saw": taken.saw,
            "wrote": taken.wrote,
            "mark": taken.mark,
        })
    };
    let violation = |v: &Violation| {
        json!({
            "property": v.property.to_string(),
            "at_s": v.at.as_secs_f64(),
            "text": v.text,
            "records": v.records,
        })
    };
    json!({
        "name": plan.name,
        "kubernetes": plan.profile.release.trim_start_matches('v'),
        "deviations": plan.tape.as_deref().unwrap_or_default().len(),
        "departs": departure.map(|d| d.text.as_str()),
        "violations": violations.iter().map(violation).collect::<Vec<_>>(),
        "steps": lanes.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// A step as it is told.
struct Told<'a> {
    step: &'a ReplayedStep,
    mark: Option<Mark>,
    saw: Vec<String>,
    wrote: Vec<String>,
}

/// What sets a step apart: its sign for people, and its name.
type Mark = (&'static str, &'static str);

/// A choice in it is not the usual one.
const DEVIATION: Mark = ("↕", "deviation");
/// It led to what a violation is about.
const INVOLVED: Mark = ("·", "involved");
/// It is what a violation is about.
const FAULT: Mark = ("►", "fault");

/// The steps, with marks at those that the violations are about.
fn table(trace: &Trace, steps: &[ReplayedStep], violations: &[Violation]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header([
        "",
        "time",
        "process",
        "saw",
        "step and what it wrote",
    ]);
    for told in told(trace, steps, violations) {
        let mark = told.mark.map_or("", |mark| mark.0);
        table.add_row([
            mark.to_owned(),
            format!("{:.6}", told.step.at.as_secs_f64()),
            told.step.process.clone(),
            told.saw.join("\n"),
            told.wrote.join("\n"),
        ]);
    }
    table
}

/// The steps as lanes of processes, in the order in which these first take one.
pub(crate) fn lanes(
    title: String,
    trace: &Trace,
    steps: &[ReplayedStep],
    violations: &[Violation],
) -> Steps {
    let mut processes: Vec<String> = Vec::new();
    let mut taken = Vec::new();
    for told in told(trace, steps, violations) {
        let name = &told.step.process;
        let process = processes.iter().position(|p| p == name).unwrap_or_else(|| {
            processes.push(name.clone());
            processes.len() - 1
        });
        taken.push(Taken {
            at: told.step.at.as_secs_f64(),
            process,
            saw: told.saw,
            wrote: told.wrote,
            mark: told.mark.map(|mark| mark.1),
        });
    }
    Steps { title, processes, steps: taken }
}

fn told<'a>(trace: &Trace, steps: &'a [ReplayedStep], violations: &[Violation]) -> Vec<Told<'a>> {
    let fault: BTreeSet<RecordId> =
        violations.iter().filter_map(|v| v.records.last().copied()).collect();
    let involved: BTreeSet<RecordId> =
        violations.iter().flat_map(|v| v.records.iter().copied()).collect();
    let mut all = Vec::new();
    for step in steps {
        let records = step.records.clone();
        let mark = if records.clone().any(|r| fault.contains(&r)) {
            Some(FAULT)
        } else if records.clone().any(|r| involved.contains(&r)) {
            Some(INVOLVED)
        } else if step.deviations.is_empty() {
            None
        } else {
            Some(DEVIATION)
        };
        let mut wrote: Vec<String> = step.deviations.iter().map(|d| format!("[{d}]")).collect();
        wrote.extend(step.answers.iter().cloned());
        let mut saw: Vec<String> = Vec::new();
        for id in records {
            let Some(r) = trace.get(id) else { continue };
            wrote.push(words(&trace.fields(r)));
            let seen = seen(trace, id, r);
            if !seen.is_empty() && !saw.contains(&seen) {
                saw.push(seen);
            }
        }
        all.push(Told { step, mark, saw, wrote });
    }
    all
}

/// What a record's author had seen, how old that was, and how much had changed since.
fn seen(trace: &Trace, id: RecordId, r: &Record) -> String {
    if r.saw == NO_RECORD || r.saw >= id {
        return String::new();
    }
    let Some(saw) = trace.get(r.saw) else { return String::new() };
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

/// Whether a record stands for a new version of an object.
fn is_change(trace: &Trace, r: &Record) -> bool {
    let what = trace.fields(r).what;
    let own = ["node-queued", "node-silent", "node-heard"];
    ["node-", "pod-", "workload-"].iter().any(|object| what.starts_with(object))
        && !own.contains(&what)
}

/// A record in few words.
fn words(f: &Fields) -> String {
    let mut words = vec![f.what.to_owned()];
    let own = |t: &Option<String>| t.clone().into_iter();
    words.extend(own(&f.pod).chain(own(&f.object)).chain(own(&f.node)));
    words.extend([f.kind, f.status, f.reason.as_deref()].into_iter().flatten().map(str::to_owned));
    words.extend(f.seconds.map(|s| format!("{s}s")));
    words.extend(f.value.map(|v| v.to_string()));
    words.extend(f.replicas.map(|n| n.to_string()));
    words.extend(
        f.added.iter().map(|t| format!("+{t}")).chain(f.removed.iter().map(|t| format!("-{t}"))),
    );
    if f.what != "event" {
        words.extend(own(&f.message));
    }
    words.join(" ")
}
