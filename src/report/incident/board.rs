//! The verdict on a past outage as a page: both times of each eviction, and the reconstruction as
//! a run.

use super::verdict::Verdict;
use crate::kernel::Time;
use crate::report::html::board::{Board, Curve, Line, Part, Runs, Table};
use serde_json::Value;

/// The page of a verdict; `text` is what was printed, `run` the name of the reconstruction's run in
/// the page.
pub(crate) fn board(verdict: &Verdict, text: String, run: Option<String>) -> Board {
    let mut parts = vec![Part::list("Verdict", [format!("{}.", verdict.sentence())])];
    parts.extend(curve(verdict).map(Part::Curve));
    if !verdict.told.is_empty() {
        parts.push(Part::list("What happened", verdict.told.clone()));
    }
    parts.extend(run.map(|run| {
        Part::Runs(Runs {
            title: "As it is simulated".to_owned(),
            of: "course".to_owned(),
            runs: vec![("as it was".to_owned(), run)],
            beside: false,
        })
    }));
    let table = table(verdict);
    if !table.rows.is_empty() {
        parts.push(Part::Table(table));
    }
    parts.push(Part::text("As it was printed", text));
    Board {
        title: "Incident".to_owned(),
        doc: String::new(),
        subtitle: format!("{} seeds; begins at {}", verdict.seeds, verdict.clock.begins()),
        notes: verdict.notes.clone(),
        parts,
    }
}

/// The points of a line, at most.
const POINTS: u64 = 60;

/// How many were evicted by when, as it was recorded and as it was simulated.
fn curve(verdict: &Verdict) -> Option<Curve> {
    let pairs = &verdict.matched.pairs;
    let recorded: Vec<Time> = pairs.iter().map(|p| p.recorded).collect();
    let alone = verdict.matched.only_simulated.iter().map(|(_, at)| *at);
    let simulated: Vec<Time> = pairs.iter().filter_map(|p| p.simulated).chain(alone).collect();
    let last = recorded.iter().chain(&simulated).max()?.as_secs() + 1;
    let step = last.div_ceil(POINTS);
    let times: Vec<Time> = (0..=last.div_ceil(step)).map(|i| Time::from_secs(i * step)).collect();
    let line = |name: &str, of: &[Time]| {
        let by = |t: &Time| Some(of.iter().filter(|at| *at <= t).count() as f64);
        Line {
            name: name.to_owned(),
            values: times.iter().map(by).collect(),
            low: vec![None; times.len()],
            high: vec![None; times.len()],
        }
    };
    Some(Curve {
        title: "How many were evicted by when".to_owned(),
        across: "UTC".to_owned(),
        ticks: times.iter().map(|t| verdict.clock.clock(*t)).collect(),
        at: Some(times.iter().map(|t| t.as_secs() as f64 / 60.0).collect()),
        lines: vec![line("recorded", &recorded), line("simulated", &simulated)],
        ..Curve::default()
    })
}

fn table(verdict: &Verdict) -> Table {
    let rows = verdict.matched.pairs.iter().map(|p| -> Vec<Value> {
        let explained = p.is_explained(verdict.tolerance);
        vec![
            p.pod.as_str().into(),
            verdict.clock.rfc3339(p.recorded).into(),
            p.simulated.map(|at| verdict.clock.rfc3339(at)).into(),
            p.apart_ms().map(|ms| ms as f64 / 1e3).into(),
            (p.share * 100.0).into(),
            if explained { "explained" } else { "not explained" }.into(),
        ]
    });
    let only = verdict.matched.only_simulated.iter().map(|(pod, at)| -> Vec<Value> {
        let at = verdict.clock.rfc3339(*at);
        vec![
            pod.as_str().into(),
            Value::Null,
            at.into(),
            Value::Null,
            Value::Null,
            "only simulated".into(),
        ]
    });
    let columns = ["pod", "recorded", "simulated", "apart, seconds", "% of seeds", "verdict"];
    Table::new("Evictions", &columns, rows.chain(only).collect())
}
