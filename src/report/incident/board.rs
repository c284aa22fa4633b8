//! The verdict on a past outage as a page: both times of each eviction, and the reconstruction as
//! a run.

use super::verdict::Verdict;
use crate::report::html::board::{Board, Part, Runs, Table};
use serde_json::Value;

/// The page of a verdict; `text` is what was printed, `run` the name of the reconstruction's run in
/// the page.
pub(crate) fn board(verdict: &Verdict, text: String, run: Option<String>) -> Board {
    let mut parts = vec![Part::text("Verdict", text), Part::Table(table(verdict))];
    parts.extend(run.map(|run| {
        Part::Runs(Runs {
            title: "As it is simulated".to_owned(),
            of: "course".to_owned(),
            runs: vec![("as it was".to_owned(), run)],
            beside: false,
        })
    }));
    Board {
        title: "Incident".to_owned(),
        doc: verdict.sentence(),
        subtitle: format!(
            "{} seeds; begins at {}",
            verdict.seeds,
            verdict.clock.begins()
        ),
        notes: verdict.notes.clone(),
        parts,
    }
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
            if explained {
                "explained"
            } else {
                "not explained"
            }
            .into(),
        ]
    });
    let only = verdict
        .matched
        .only_simulated
        .iter()
        .map(|(pod, at)| -> Vec<Value> {
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
    let columns = [
        "pod",
        "recorded",
        "simulated",
        "apart, seconds",
        "% of seeds",
        "verdict",
    ];
    Table::new("Evictions", &columns, rows.chain(only).collect())
}
