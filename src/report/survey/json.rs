//! A survey as JSON. Fields may be added; those that are there keep their names and meanings.

use super::SurveyReport;
use crate::lab::survey::{
    Evicted, EvictedPod, Finding, Hit, Lost, Measure, PressedNode, Surveyed, Unit, Why,
};
use crate::report::json::extend;
use crate::report::results::*;

/// The whole survey: the losses, worst first, each with its figures and the workloads that it
/// touched, and the findings. Times are in minutes or, under names that end in `_s`, in seconds. `at_least` and
/// `not_simulated` say of a loss and of a workload that its figures may be higher.
pub(crate) fn document(report: &SurveyReport<'_>) -> Value {
    let SurveyReport { survey, called, .. } = report;
    let finding = |f: &Finding| json!({ "text": f.text, "lost": f.loss, "object": f.object, "command": called.command(f) });
    json!({
        "scenario": report.name,
        "run": report.line,
        "basis": report.basis,
        "notes": report.notes,
        "lost_for_s": report.lasts.as_secs_f64(),
        "nodes": survey.size.nodes,
        "pods": survey.size.pods,
        "pods_to_make": survey.size.to_make,
        "losses": survey.losses,
        "asked": survey.asked,
        "rows": survey.lost.iter().map(row).collect::<Vec<_>>(),
        "skipped": survey.skipped,
        "lead": survey.lead,
        "findings": survey.findings.iter().map(finding).collect::<Vec<_>>(),
        "broken": report.broken,
    })
}

/// The name of a figure, with the unit of times.
fn name(measure: &Measure) -> String {
    let unit = if measure.unit == Unit::Count { "" } else { "_minutes" };
    format!("{}{unit}", measure.name)
}

fn row(l: &Lost) -> Value {
    let figure = |m: &Measure| (name(m), (m.of)(&l.damage.figures).into());
    let figures: Map<String, Value> = Measure::ALL.iter().map(figure).collect();
    json!({
        "lost": l.loss.name(),
        "like": l.loss.like,
        "nodes": l.damage.size.0,
        "pods": l.damage.size.1,
        "figures": figures,
        "at_least": l.is_least(),
        "why_not_back": l.why_not_back(),
        "workloads": l.damage.hits.iter().map(|hit| object(&fields(), hit)).collect::<Vec<_>>(),
        "evicted_for_devices": l.damage.evicted.as_ref().map(evicted),
        "node_pressure": l.damage.pressed.0.iter().map(pressed).collect::<Vec<_>>(),
        "zones": l.damage.paced.iter().map(|(zone, pace)| json!({ "zone": zone, "stopped": pace.is_stopped() })).collect::<Vec<_>>(),
    })
}

fn pressed((node, p): (&String, &PressedNode)) -> Value {
    let mut pressed = json!({ "node": node });
    extend(&mut pressed, json!(p));
    pressed
}

fn evicted(e: &Evicted) -> Value {
    let pod = |p: &EvictedPod| json!({ "pod": p.pod, "workload": p.workload, "after_s": p.after.as_secs_f64() });
    let pods: Vec<Value> = e.pods.iter().map(pod).collect();
    json!({ "pods": pods, "again": e.again, "preview": e.preview })
}

/// What is told of a workload that a loss touches.
fn fields<'h>() -> [Field<&'h Hit>; 19] {
    [
        ("workload", Kind::Text, |h| Cell::text(Some(h.workload.clone()))),
        ("desired", Kind::Whole, |h| Cell::Whole(h.desired.into())),
        ("spared", Kind::Whole, |h| Cell::Whole(h.spared.into())),
        ("down_minutes", Kind::Number, |h| Cell::number(Some(h.down.as_nanos() as f64 / 60e9))),
        ("missing_minutes", Kind::Number, |h| Cell::number(Some(h.missing_minutes))),
        ("pending", Kind::Whole, |h| Cell::Whole(h.pending)),
        ("why_pending", Kind::Text, |h| Cell::text(h.why.clone())),
        ("held", Kind::Whole, |h| Cell::Whole(h.held)),
        ("why_held", Kind::Text, |h| Cell::text(h.held_by.clone())),
        ("cores_missing", Kind::Number, |h| Cell::number(h.cores)),
        ("gibibytes_missing", Kind::Number, |h| Cell::number(h.gibibytes)),
        ("unattached", Kind::Whole, |h| Cell::Whole(h.unattached)),
        ("stuck", Kind::Whole, |h| Cell::Whole(h.stuck)),
        ("left", Kind::Whole, |h| Cell::Whole(h.left)),
        ("evicted_after_s", Kind::Number, |h| Cell::number(h.evicted_after.map(Dur::as_secs_f64))),
        ("not_simulated", Kind::Text, |h| Cell::text(h.not_simulated.then_some("volumes"))),
        ("still_below_need", Kind::Truth, |h| Cell::Truth(h.still.is_some_and(|s| s.below))),
        ("not_back", Kind::Whole, |h| Cell::Whole(h.not_back)),
        ("why_not_back", Kind::Text, |h| Cell::text(h.why_not_back.map(Why::word))),
    ]
}

/// A row for each loss, worst first.
pub(crate) fn losses(survey: &Surveyed) -> Rows {
    let of_it: [Field<&Lost>; 4] = [
        ("lost", Kind::Text, |l| Cell::Text(l.loss.name().into())),
        ("like", Kind::Texts, |l| Cell::Texts(l.loss.like.clone().into())),
        ("nodes", Kind::Whole, |l| Cell::Whole(l.damage.size.0 as i64)),
        ("pods", Kind::Whole, |l| Cell::Whole(l.damage.size.1 as i64)),
    ];
    let mut columns = columns(&of_it);
    columns.extend(Measure::ALL.iter().map(|m| Column::new(name(m), Kind::Number)));
    columns.push(Column::new("at_least", Kind::Truth));
    columns.push(Column::new("why_not_back", Kind::Texts));
    let rows = survey.lost.iter().map(|l| {
        let mut row = cells(&of_it, l);
        row.extend(Measure::ALL.iter().map(|m| Cell::number(Some((m.of)(&l.damage.figures)))));
        row.extend([Cell::Truth(l.is_least()), Cell::Texts(l.why_not_back().into())]);
        row
    });
    Rows { name: "survey", columns, rows: rows.collect() }
}

/// A row for each workload that a loss touches.
pub(crate) fn workloads(survey: &Surveyed) -> Rows {
    // What came later is at the end, and why volumes are held in the document alone.
    const PLACES: [usize; 18] = [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16, 7, 14, 15, 17, 18];
    let fields = PLACES.map(|place| fields()[place]);
    let mut named = vec![Column::new("lost", Kind::Text)];
    named.extend(columns(&fields));
    let hits = survey.lost.iter().flat_map(|l| l.damage.hits.iter().map(move |hit| (l, hit)));
    let rows =
        hits.map(|(l, hit)| [vec![Cell::Text(l.loss.name().into())], cells(&fields, hit)].concat());
    Rows { name: "workloads", columns: named, rows: rows.collect() }
}
