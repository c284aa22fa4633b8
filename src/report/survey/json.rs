//! A survey as JSON. Fields may be added; those that are there keep their names and meanings.

use super::{Called, Heading};
use crate::lab::survey::{Hit, Lost, Measure, Surveyed, Unit};
use serde_json::{Map, Value, json};

/// The whole survey: the losses, worst first, each with its figures and the workloads that it
/// touched, and the findings. Times are in minutes or, under names that end in `_s`, in seconds. `at_least` and
/// `not_simulated` say of a loss and of a workload that its figures may be higher.
pub(crate) fn document(
    heading: &Heading,
    survey: &Surveyed,
    called: &Called,
    broken: &[String],
) -> Value {
    let finding = |f: &crate::lab::survey::Finding| json!({ "text": f.text, "loss": f.loss, "object": f.object, "command": called.command(f) });
    json!({
        "version": 1,
        "scenario": heading.name,
        "run": heading.line,
        "notes": heading.notes,
        "lost_for_s": heading.lasts.as_nanos() as f64 / 1e9,
        "nodes": survey.size.nodes,
        "pods": survey.size.pods,
        "pods_to_make": survey.size.to_make,
        "losses": survey.losses,
        "asked": survey.asked,
        "rows": survey.lost.iter().map(row).collect::<Vec<_>>(),
        "skipped": survey.skipped,
        "lead": survey.lead,
        "findings": survey.findings.iter().map(finding).collect::<Vec<_>>(),
        "broken": broken,
    })
}

fn row(l: &Lost) -> Value {
    let mut figures = Map::new();
    for measure in Measure::ALL {
        let unit = if measure.unit == Unit::Count { "" } else { "_minutes" };
        figures.insert(format!("{}{unit}", measure.name), (measure.of)(&l.damage.figures).into());
    }
    json!({
        "lost": l.loss.name(),
        "like": l.loss.like,
        "nodes": l.damage.size.0,
        "pods": l.damage.size.1,
        "figures": figures,
        "at_least": l.is_least(),
        "workloads": l.damage.hits.iter().map(hit).collect::<Vec<_>>(),
        "zones": l.damage.paced.iter().map(|(zone, pace)| json!({ "zone": zone, "stopped": pace.is_stopped() })).collect::<Vec<_>>(),
    })
}

fn hit(h: &Hit) -> Value {
    json!({
        "workload": h.workload,
        "desired": h.desired,
        "spared": h.spared,
        "down_minutes": h.down.as_nanos() as f64 / 60e9,
        "missing_minutes": h.missing_minutes,
        "pending": h.pending,
        "why_pending": h.why,
        "held": h.held,
        "why_held": h.held_by,
        "cores_missing": h.cores,
        "gibibytes_missing": h.gibibytes,
        "stuck": h.stuck,
        "left": h.left,
        "evicted_after_s": h.evicted_after.map(|d| d.as_nanos() as f64 / 1e9),
        "not_simulated": h.volumes.then_some("volumes"),
        "still_below_need": h.still.is_some_and(|s| s.below),
    })
}
