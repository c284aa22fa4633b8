//! The report as JSON: the document of `run -o json`, and `summary.json`.
//!
//! Times and durations are in seconds, under names that end in `_s`. Fields may be added; those
//! that are there keep their names and meanings.

use super::model::Report;
use super::prelude::*;
use crate::analysis::curves::Steps;
use crate::analysis::serving::Served;
use crate::analysis::timeline::Row;
use crate::analysis::workloads::WorkloadOutcome;
use crate::analysis::{Costs, Spread, Summary, words};
use crate::api::workload::{namespace_of, short_name};
use crate::files::{Escaped, Form};
use crate::trace::EvictionCause;

/// The whole report as one document: `run`, `timeline`, `summary`, `workloads`, and `files`, where
/// some were written.
pub fn document(report: &Report<'_>, folder: Option<&str>, files: &[(String, u64)]) -> Value {
    let mut doc = json!({
        "run": run(report),
        "timeline": report.rows.iter().map(|r| row(report, r)).collect::<Value>(),
        "summary": summary(&report.summary),
        "workloads": workloads(report),
    });
    if let Some(folder) = folder {
        let names: Vec<&str> = files.iter().map(|f| f.0.as_str()).collect();
        doc["files"] = json!({ "folder": folder, "names": names });
    }
    doc
}

/// What is in `summary.json`: `run`, `summary` and `workloads`.
pub fn summary_document(report: &Report<'_>) -> Value {
    json!({ "run": run(report), "summary": summary(&report.summary), "workloads": workloads(report) })
}

/// Writes a document, an object, with the version of all of them: fields may be added, those that
/// are there keep their names and meanings.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, document: &Value) -> io::Result<()> {
    #[derive(serde::Serialize)]
    struct Versioned<'d> {
        version: u32,
        #[serde(flatten)]
        document: &'d Value,
    }
    pretty(out, &Versioned { version: 1, document })
}

/// Writes a value with indentation and a line end.
///
/// # Errors
/// Those of `out`.
pub(crate) fn pretty(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    let mut out = Escaped::new(out, Form::Json);
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")
}

fn run(report: &Report<'_>) -> Value {
    let plan = report.analysis.plan;
    let size = plan.size();
    json!({
        "scenario": plan.name,
        "doc": plan.doc,
        "notes": report.notes(),
        "kubernetes": report.release(),
        "checked_against_recordings": plan.profile.recorded,
        "timing": plan.timing.name,
        "seed": report.source.seed,
        "horizon_s": report.analysis.horizon().as_secs_f64(),
        "nodes": size.nodes,
        "pods": size.pods,
        "pods_to_make": size.to_make,
        "records": report.analysis.trace.len(),
    })
}

fn row(report: &Report<'_>, r: &Row) -> Value {
    let since = r.since.and_then(|s| {
        let entry = report.analysis.plan.timeline.get(s.entry as usize)?;
        Some(json!({
            "entry": entry.name,
            "ended": s.ended,
            "at_s": s.at.as_secs_f64(),
            "first_after_s": r.first.since(s.at).as_secs_f64(),
            "last_after_s": r.last.since(s.at).as_secs_f64(),
        }))
    });
    json!({
        "first_s": r.first.as_secs_f64(),
        "last_s": r.last.as_secs_f64(),
        "since": since,
        "what": r.fact.look().name,
        "nodes": r.nodes.len(),
        "pods": r.pods,
        "count": r.count,
        "record": r.record,
        "text": r.text,
    })
}

fn spread(s: Option<Spread>) -> Value {
    s.map_or(Value::Null, |s| {
        json!({ "count": s.count, "min_s": s.min.as_secs_f64(), "median_s": s.median.as_secs_f64(), "max_s": s.max.as_secs_f64() })
    })
}

fn workloads(report: &Report<'_>) -> Value {
    let names = &report.analysis.trace.names;
    let steps = |steps: &Steps| -> Value {
        steps.iter().map(|(at, n)| json!([at.as_secs_f64(), n])).collect()
    };
    let by_api = |o: &WorkloadOutcome| {
        json!({
            "wanted": steps(&o.wanted),
            "available": steps(&o.available),
            "least_available": o.least_available,
            "unavailable_s": o.unavailable.as_secs_f64(),
            "longest_gap_s": o.longest_gap.as_secs_f64(),
            "lost": o.lost,
            "replacements": o.replaced,
            "pending": o.pending,
            "why_pending": o.why_pending.map(|t| names.text_of(t)),
            "unattached": o.unattached,
            "why_unattached": o.why_unattached.map(|t| names.text_of(t)),
            "starting": o.starting,
            "stuck_terminating": o.stuck,
        })
    };
    let one = |w: &Served| {
        let mut all = match w.id {
            None => json!({ "kind": null, "namespace": null, "name": w.name }),
            Some(_) => json!({
            "kind": w.name.split('/').next().unwrap_or_default(),
            "namespace": namespace_of(&w.name),
            "name": short_name(&w.name),
            }),
        };
        extend(&mut all, costs(&w.costs));
        all["costs_from_s"] = w.from.map(Time::as_secs_f64).into();
        let late = w.late(report.analysis).is_some() || w.held_up.is_some();
        all["not_whole_at_first_fault"] = late.into();
        all["ended"] = w.ended.map_or(Value::Null, |r| {
            let f = report.analysis.trace.fields(&r);
            let waits = words::awaited(report.analysis, &r, report.analysis.horizon()).is_some();
            json!({ "at_s": r.at.as_secs_f64(), "failed": w.has_failed(), "reason": f.reason, "message": f.message, "finished": !waits })
        });
        for (key, figure) in Served::FIGURES {
            all[key] = steps(&w.course(figure));
        }
        let outcome = report.workloads.outcomes.iter().find(|o| Some(o.id) == w.id);
        extend(&mut all, outcome.map_or(Value::Null, by_api));
        all
    };
    report.serving.workloads.iter().map(one).collect()
}

/// Adds the fields of another object, if it is one.
pub(crate) fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// Every figure under its name.
fn costs(costs: &Costs) -> Value {
    let value = |f: Figure| match f.is_count() {
        true => Value::from(f.of(costs) as u64),
        false => Value::from(f.of(costs)),
    };
    Figure::ALL.into_iter().map(|f| (f.name().to_owned(), value(f))).collect::<Map<_, _>>().into()
}

fn summary(s: &Summary) -> Value {
    let m = &s.metrics;
    let deletions: Map<String, Value> =
        s.deletions.iter().map(|(actor, n)| (actor.as_str().to_owned(), Value::from(*n))).collect();
    let evicted = |c: &EvictionCause| Value::from(s.evicted_by.get(c).copied().unwrap_or(0));
    let evicted_by: Map<String, Value> =
        EvictionCause::ALL.iter().map(|c| (c.as_str().to_owned(), evicted(c))).collect();
    let nodes = |h: Health| s.end.nodes[h.index()];
    let mut all = costs(&m.costs);
    extend(
        &mut all,
        json!({
            "needless_window_s": m.window.as_secs_f64(),
            "pods_kept": s.kept,
            "pending_timers": s.pending_timers,
            "evictions_failed": s.evictions_failed,
            "evicted_by_cause": evicted_by,
            "evictions_refused": s.evictions_refused,
            "nodes_not_drained": s.nodes_not_drained,
            "refused": s.refused,
            "deletions": deletions,
            "nodes_unknown": s.nodes_unknown,
            "nodes_tainted": s.nodes_tainted,
            "detection_latency": spread(m.detection),
            "tainting_latency": spread(m.tainting),
            "eviction_latency": spread(m.eviction),
            "end": {
                "nodes": {
                    "ready": nodes(Health::Ready),
                    "silent": nodes(Health::Silent),
                    "unknown": nodes(Health::Unknown),
                    "not_ready": nodes(Health::NotReady),
                    "no_execute": s.end.nodes_no_execute,
                },
                "pods": {
                    "running_and_ready": s.end.available,
                    "ready_and_not_up": s.end.dead,
                    "running_not_ready": s.end.not_ready,
                    "pending": s.end.pending,
                    "terminating": s.end.terminating,
                    "finished": s.end.finished,
                },
            },
        }),
    );
    let (pulled, waited, longest) = s.pulls;
    let if_any = [
        ("nodes_tainted_by_others", s.nodes_tainted_by_others),
        ("pods_shut_down", s.shut_down),
        ("images_pulled", pulled),
        ("waited_for_pulls_ms", waited.as_millis()),
        ("longest_wait_for_a_pull_ms", longest.as_millis()),
        ("pulls_failed", s.pulls_failed),
        ("volumes_refused", s.volumes_refused),
    ];
    for (name, count) in if_any.into_iter().filter(|(_, count)| *count > 0) {
        all[name] = count.into();
    }
    all
}
