//! A survey as JSON. Fields may be added; those that are there keep their names and meanings.

use super::SurveyReport;
use crate::lab::survey::{Evicted, EvictedPod, Finding, Hit, Lost, Measure, Surveyed, Unit};
use crate::report::prelude::*;
use crate::report::tables::{Cell, Column, Field, Kind, Rows};

/// The whole survey: the losses, worst first, each with its figures and the workloads that it
/// touched, and the findings. Times are in minutes or, under names that end in `_s`, in seconds. `at_least` and
/// `not_simulated` say of a loss and of a workload that its figures may be higher.
pub(crate) fn document(report: &SurveyReport<'_>) -> Value {
    let SurveyReport { survey, called, .. } = report;
    let finding = |f: &Finding| json!({ "text": f.text, "loss": f.loss, "object": f.object, "command": called.command(f) });
    json!({
        "version": 1,
        "scenario": report.name,
        "run": report.line,
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
        "workloads": l.damage.hits.iter().map(hit).collect::<Vec<_>>(),
        "evicted_for_devices": l.damage.evicted.as_ref().map(evicted),
        "zones": l.damage.paced.iter().map(|(zone, pace)| json!({ "zone": zone, "stopped": pace.is_stopped() })).collect::<Vec<_>>(),
    })
}

fn evicted(e: &Evicted) -> Value {
    let pod = |p: &EvictedPod| json!({ "pod": p.pod, "workload": p.workload, "after_s": p.after.as_secs_f64() });
    json!({
        "pods": e.pods.iter().map(pod).collect::<Vec<_>>(),
        "again": e.again,
        "preview": e.preview,
    })
}

fn hit(h: &Hit) -> Value {
    json!({
        "workload": h.workload,
        "desired": h.desired,
        "spared": h.spared,
        "down_minutes": minutes(h.down),
        "missing_minutes": h.missing_minutes,
        "pending": h.pending,
        "why_pending": h.why,
        "held": h.held,
        "why_held": h.held_by,
        "cores_missing": h.cores,
        "gibibytes_missing": h.gibibytes,
        "unattached": h.unattached,
        "stuck": h.stuck,
        "left": h.left,
        "evicted_after_s": h.evicted_after.map(Dur::as_secs_f64),
        "not_simulated": h.volumes.are_left_out().then_some("volumes"),
        "still_below_need": is_still_below(h),
    })
}

fn is_still_below(h: &Hit) -> bool {
    h.still.is_some_and(|s| s.below)
}

fn minutes(d: Dur) -> f64 {
    d.as_nanos() as f64 / 60e9
}

/// A row for each loss, worst first.
pub(crate) fn losses(survey: &Surveyed) -> Rows {
    let mut columns = Column::all(&[
        ("lost", Kind::Text),
        ("like", Kind::Texts),
        ("nodes", Kind::Whole),
        ("pods", Kind::Whole),
    ]);
    columns.extend(Measure::ALL.iter().map(|m| Column::new(name(m), Kind::Number)));
    columns.push(Column::new("at_least", Kind::Truth));
    let row = |l: &Lost| {
        let mut row = vec![
            Cell::Text(l.loss.name().into()),
            Cell::Texts(l.loss.like.clone().into()),
            Cell::Whole(l.damage.size.0 as i64),
            Cell::Whole(l.damage.size.1 as i64),
        ];
        row.extend(Measure::ALL.iter().map(|m| Cell::number(Some((m.of)(&l.damage.figures)))));
        row.push(Cell::Truth(l.is_least()));
        row
    };
    Rows { name: "survey", columns, rows: survey.lost.iter().map(row).collect() }
}

/// A row for each workload that a loss touches.
pub(crate) fn workloads(survey: &Surveyed) -> Rows {
    let fields: [Field<(&Lost, &Hit)>; 17] = [
        ("lost", Kind::Text, |(l, _)| Cell::Text(l.loss.name().into())),
        ("workload", Kind::Text, |(_, h)| Cell::text(Some(h.workload.clone()))),
        ("desired", Kind::Whole, |(_, h)| Cell::Whole(h.desired.into())),
        ("spared", Kind::Whole, |(_, h)| Cell::Whole(h.spared.into())),
        ("down_minutes", Kind::Number, |(_, h)| Cell::number(Some(minutes(h.down)))),
        ("missing_minutes", Kind::Number, |(_, h)| Cell::number(Some(h.missing_minutes))),
        ("pending", Kind::Whole, |(_, h)| Cell::Whole(h.pending)),
        ("why_pending", Kind::Text, |(_, h)| Cell::text(h.why.clone())),
        ("cores_missing", Kind::Number, |(_, h)| Cell::number(h.cores)),
        ("gibibytes_missing", Kind::Number, |(_, h)| Cell::number(h.gibibytes)),
        ("unattached", Kind::Whole, |(_, h)| Cell::Whole(h.unattached)),
        ("stuck", Kind::Whole, |(_, h)| Cell::Whole(h.stuck)),
        ("left", Kind::Whole, |(_, h)| Cell::Whole(h.left)),
        ("still_below_need", Kind::Truth, |(_, h)| Cell::Truth(is_still_below(h))),
        ("held", Kind::Whole, |(_, h)| Cell::Whole(h.held)),
        ("evicted_after_s", Kind::Number, |(_, h)| {
            Cell::number(h.evicted_after.map(Dur::as_secs_f64))
        }),
        ("not_simulated", Kind::Text, |(_, h)| {
            Cell::text(h.volumes.are_left_out().then_some("volumes"))
        }),
    ];
    let hits =
        survey.lost.iter().flat_map(|lost| lost.damage.hits.iter().map(move |hit| (lost, hit)));
    Rows::of("workloads", &fields, hits)
}
