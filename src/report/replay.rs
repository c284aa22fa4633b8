//! The interleaving of a replayed run as a table: who did what, having seen what.

use super::results::*;
use crate::analysis::properties::Violation;
use crate::lab::replay::{Departure, ReplayedStep};
use crate::report::html::board::{Steps, Taken};
use crate::trace::{Actor, Fields, Note, Trace, What};

/// A run that was replayed.
#[derive(Clone, Copy)]
pub(crate) struct Replayed<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) steps: &'a [ReplayedStep],
    /// What was found in it.
    pub(crate) violations: &'a [Violation],
    /// Where it departs from its tape.
    pub(crate) departure: Option<&'a Departure>,
}

/// Writes the table, and below it where the run departs from its tape, or what was found.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(p: &mut Printer<'_>, run: Replayed<'_>) -> io::Result<()> {
    let out = &mut p.out;
    for line in table(run).to_string().lines() {
        let line = line.trim_end();
        match p.style.colour && line.trim_start().starts_with('►') {
            true => writeln!(out, "\u{1b}[1;31m{line}\u{1b}[0m")?,
            false => writeln!(out, "{line}")?,
        }
    }
    writeln!(out)?;
    if let Some(d) = run.departure {
        return writeln!(out, "the replay departs from its tape here: {}", d.text);
    }
    run.violations.iter().try_for_each(|v| writeln!(out, "► {}: {}", v.property, v.text))
}

/// The same as JSON: the steps with what each saw and wrote, where the run departs from its tape, and
/// what was found.
pub(crate) fn document(plan: &Plan, run: Replayed<'_>) -> Value {
    let lanes = lanes(String::new(), run);
    let step = |Taken { at, process, saw, wrote, mark }: &Taken| {
        let process = &lanes.processes[*process];
        let saw: Vec<_> = saw.iter().filter(|line| !line.is_empty()).collect();
        json!({ "at_s": at, "process": process, "saw": saw, "wrote": wrote, "mark": mark })
    };
    let violation = |v: &Violation| {
        let (property, at) = (v.property.to_string(), v.at.as_secs_f64());
        json!({ "property": property, "at_s": at, "text": v.text, "records": v.records })
    };
    json!({
        "scenario": plan.name,
        "kubernetes": plan.profile.released(),
        "deviations": plan.tape.as_deref().unwrap_or_default().len(),
        "departs": run.departure.map(|d| d.text.as_str()),
        "violations": run.violations.iter().map(violation).collect::<Vec<_>>(),
        "steps": lanes.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// A choice in it is not the usual one.
const DEVIATION: &str = "deviation";
/// It led to what a violation is about.
const INVOLVED: &str = "involved";
/// It is what a violation is about.
const FAULT: &str = "fault";

/// The steps, with marks at those that the violations are about.
fn table(run: Replayed<'_>) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["", "time", "process", "saw", "step and what it wrote"]);
    let lanes = lanes(String::new(), run);
    for Taken { at, process, saw, wrote, mark } in lanes.steps {
        let sign = match mark {
            Some(FAULT) => "►",
            Some(INVOLVED) => "·",
            Some(_) => "↕",
            None => "",
        };
        let (time, process) = (format!("{at:.6}"), lanes.processes[process].clone());
        table.add_row([sign.to_owned(), time, process, saw.join("\n"), wrote.join("\n")]);
    }
    table
}

/// The steps as lanes of processes, in the order in which these first take one.
pub(crate) fn lanes(title: String, run: Replayed<'_>) -> Steps {
    let Replayed { trace, steps, violations, .. } = run;
    let fault: BTreeSet<_> = violations.iter().filter_map(|v| v.records.last().copied()).collect();
    let involved: BTreeSet<_> = violations.iter().flat_map(|v| &v.records).copied().collect();
    let mut processes: Vec<String> = Vec::new();
    let mut taken = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let process = processes.iter().position(|p| *p == step.process).unwrap_or_else(|| {
            processes.push(step.process.clone());
            processes.len() - 1
        });
        let records = step.records.clone();
        let any_of = |of: &BTreeSet<RecordId>| records.clone().any(|r| of.contains(&r));
        let mark = match any_of(&fault) {
            true => Some(FAULT),
            false if any_of(&involved) => Some(INVOLVED),
            false => (!step.deviations.is_empty()).then_some(DEVIATION),
        };
        let mut wrote: Vec<String> = step.deviations.iter().map(|d| format!("[{d}]")).collect();
        // What was seen stands beside the first of the lines that go by it.
        let mut saw = vec![String::new(); wrote.len()];
        for (answer, by) in &step.answers {
            wrote.push(answer.clone());
            let seen = by.map(|by| seen(trace, &steps[..i], by, (step.at, None)));
            saw.push(seen.unwrap_or_default());
        }
        for id in records {
            let Some(r) = trace.get(id) else { continue };
            wrote.push(words(&trace.fields(r)));
            let by = Some(r.saw).filter(|saw| *saw < id);
            let seen = by.map(|by| seen(trace, &steps[..i], by, (r.at, Some(r.actor))));
            let seen = seen.unwrap_or_default();
            saw.push(if saw.contains(&seen) { String::new() } else { seen });
        }
        taken.push(Taken { at: step.at.as_secs_f64(), process, saw, wrote, mark });
    }
    Steps { title, processes, steps: taken }
}

/// What somebody had seen, how old that was by then, and how many steps had changed it since, of those before.
fn seen(
    trace: &Trace,
    earlier: &[ReplayedStep],
    id: RecordId,
    (at, who): (Time, Option<Actor>),
) -> String {
    let Some(saw) = trace.get(id) else { return String::new() };
    let same = |x: &Record| match (saw.node(), saw.pod()) {
        (Some(n), _) => x.node() == Some(n),
        (_, Some(p)) => x.pod() == Some(p),
        _ => x.workload().is_some() && x.workload() == saw.workload(),
    };
    let since = earlier.iter().rev().take_while(|s| s.records.start > id);
    let change = |s: &ReplayedStep| {
        let mut records = s.records.clone().filter_map(|id| trace.get(id));
        records.find(|x| same(x) && is_change(x)).map(|x| x.actor)
    };
    let by: Vec<_> = since.filter_map(change).collect();
    let own = by.iter().filter(|actor| Some(**actor) == who).count();
    let age = at.since(saw.at).as_nanos() as f64 / 1e9;
    let mut stale = match by.len() {
        0 => String::new(),
        n => format!(", {} behind", counted(n as u64, "change")),
    };
    stale += &match own {
        0 => String::new(),
        n if n == by.len() => ", by itself".to_owned(),
        n => format!(", {n} of them by itself"),
    };
    format!("{} ({age:.6} s old{stale})", words(&trace.fields(saw)))
}

/// Whether a record stands for a new version of an object, as others read it.
fn is_change(r: &Record) -> bool {
    let posted = Note::AgentCondition;
    matches!(
        r.what,
        What::NodeCreated
            | What::NodeDeleted
            | What::NodeCondition(..)
            | What::NodeTaints(_)
            | What::NodeUnschedulable(_)
            | What::PodCreated(_)
            | What::PodBound(_)
            | What::PodTolerations
            | What::PodPhase(_)
            | What::PodCondition(..)
            | What::PodConditionGone(_)
            | What::PodDeleting(_)
            | What::PodGone
            | What::WorkloadCreated(_)
            | What::WorkloadScaled(_)
            | What::WorkloadDeleted
    ) || matches!(r.what, What::Noted(note, _) if note == posted)
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
    words.extend(f.added.iter().map(|t| format!("+{t}")));
    words.extend(f.removed.iter().map(|t| format!("-{t}")));
    // Two events of one reason differ in their messages alone; those of others are long.
    let of_taints = |reason: &str| reason.ends_with("TaintManagerEviction");
    if f.what != "event" || f.reason.as_deref().is_some_and(of_taints) {
        words.extend(own(&f.message));
    }
    words.join(" ")
}
