//! A survey as a page: what a person should know, a heat map of losses against workloads, and the
//! table of all losses.

use super::SurveyReport;
use super::table::{left_out, runs, words};
use crate::analysis::size_in_words;
use crate::lab::survey::{Finding, Lost, Measure, Surveyed, Unit};
use crate::report::html::board::{Board, Heat, Item, Part, Table};
use crate::report::prelude::*;

/// More losses, and more workloads, are left to the table.
const ROWS: usize = 60;
const COLUMNS: usize = 24;

/// The page of a survey; `held` has for the first losses the names of their runs in the page.
pub(crate) fn board(report: &SurveyReport<'_>, held: &[Option<String>]) -> Board {
    let SurveyReport { survey, called, broken, .. } = report;
    let run_of = |i: usize| held.get(i).cloned().flatten();
    let mut parts = Vec::new();
    for (title, texts) in [("Limits that are broken", broken), ("First of all", &survey.lead)] {
        if !texts.is_empty() {
            parts.push(Part::list(title, texts.iter().cloned()));
        }
    }
    if !survey.findings.is_empty() {
        let item = |f: &Finding| Item { text: f.text.clone(), command: called.command(f) };
        let items = survey.findings.iter().map(item).collect();
        parts.push(Part::List { title: "Findings".to_owned(), items });
    }
    let heat = heat(survey, &run_of);
    if !heat.columns.is_empty() {
        parts.push(Part::Heat(heat));
    }
    parts.push(Part::Table(table(survey, &run_of)));
    let mut notes = vec![format!("{}.", runs(report))];
    notes.extend(left_out(report));
    notes.push(words(|_| true));
    if survey.losses < survey.asked {
        notes.push(format!("Interrupted: {} of {} losses.", survey.losses, survey.asked));
    }
    let lasts = short(report.lasts);
    Board {
        title: format!("{}: survey", report.name),
        doc: format!("Everything that can be lost, each alone for {lasts}: what it costs."),
        subtitle: format!("{}; {}", size_in_words(&survey.size), report.line),
        notes,
        parts,
    }
}

/// Replica-minutes missing by loss and workload; the workloads that lose most come first.
fn heat(survey: &Surveyed, run_of: &dyn Fn(usize) -> Option<String>) -> Heat {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for hit in survey.lost.iter().flat_map(|l| &l.damage.hits) {
        *sums.entry(&hit.workload).or_default() += hit.missing_minutes;
    }
    let mut columns: Vec<(&str, f64)> = sums.into_iter().collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let left_out = left_out_of_heat(survey.lost.len(), columns.len());
    columns.truncate(COLUMNS);
    let lost = &survey.lost[..survey.lost.len().min(ROWS)];
    let value = |l: &Lost, name: &str| {
        let hit = l.damage.hits.iter().find(|h| h.workload == name);
        hit.map(|h| h.missing_minutes)
    };
    Heat {
        title: "What each loss costs each workload, in replica-minutes missing".to_owned(),
        unit: "replica-minutes missing".to_owned(),
        left_out,
        rows: lost.iter().map(|l| l.loss.name()).collect(),
        columns: columns.iter().map(|c| c.0.to_owned()).collect(),
        values: lost.iter().map(|l| columns.iter().map(|c| value(l, c.0)).collect()).collect(),
        runs: (0..lost.len()).map(run_of).collect(),
    }
}

/// Which losses and workloads the heat map has not, of so many.
fn left_out_of_heat(losses: usize, workloads: usize) -> Vec<String> {
    let (rows, columns) = (losses.saturating_sub(ROWS), workloads.saturating_sub(COLUMNS));
    let losses = (rows > 0).then(|| {
        let more = counted(rows, "more loss");
        format!("The {ROWS} worst losses, and {more} that the table below has.")
    });
    let workloads = (columns > 0).then(|| {
        let (more, lose) =
            (counted(columns, "more workload"), if columns == 1 { "loses" } else { "lose" });
        format!("The {COLUMNS} workloads that lose most, and {more} that {lose} less, which `-o json` has.")
    });
    losses.into_iter().chain(workloads).collect()
}

fn table(survey: &Surveyed, run_of: &dyn Fn(usize) -> Option<String>) -> Table {
    let heading = |m: &Measure| {
        let minutes = if m.unit == Unit::Count { "" } else { ", minutes" };
        let name = match m.name {
            "down" => "longest below need",
            "workloads" => "workloads below need",
            "lost" => "requests lost",
            "not_back" => "not back",
            name => name,
        };
        format!("{name}{minutes}")
    };
    let mut columns: Vec<String> = ["lost", "alike", "nodes", "pods"].map(str::to_owned).into();
    columns.extend(Measure::ALL.iter().map(heading));
    columns.extend(["why not back", "zones slowed or stopped", "not simulated"].map(str::to_owned));
    let row = |l: &Lost| {
        let (nodes, pods) = l.damage.size;
        let mut cells: Vec<Value> =
            vec![l.loss.name().into(), l.loss.like.len().into(), nodes.into(), pods.into()];
        cells.extend(Measure::ALL.iter().map(|m| Value::from((m.of)(&l.damage.figures))));
        cells.push(l.why_not_back().join(", ").into());
        let paced = l.damage.paced.iter().map(|(zone, pace)| {
            format!("{zone} {}", if pace.is_stopped() { "stopped" } else { "slowed" })
        });
        cells.push(paced.collect::<Vec<_>>().join(", ").into());
        cells.push(if l.is_least() { "volumes: figures are the least" } else { "" }.into());
        cells
    };
    let runs = (0..survey.lost.len()).map(run_of).collect();
    Table { runs, ..Table::new("Losses, the worst first", columns, survey.lost.iter().map(row)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 60 rows and 24 columns: of 61 losses one is left out, of 40 workloads sixteen.
    #[test]
    fn what_the_heat_map_has_not_is_told() {
        assert!(left_out_of_heat(ROWS, COLUMNS).is_empty());
        let said = left_out_of_heat(61, 40);
        assert!(said[0].starts_with("The 60 worst losses, and 1 more loss that "), "{said:?}");
        assert!(
            said[1].starts_with(
                "The 24 workloads that lose most, and 16 more workloads that lose less"
            ),
            "{said:?}"
        );
        assert_eq!(left_out_of_heat(60, 25).len(), 1);
    }
}
