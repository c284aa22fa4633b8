//! A plan as a page: what each value costs, downtime beside needless evictions, what the answer
//! leans on, how bad a year may be, and the table.

use super::charts;
use super::text::{Section, sections};
use super::told::{Told, shown};
use crate::lab::planner::{FIGURES, Kept, OWN};
use crate::report::charts::Plane;
use crate::report::html::board::{Bar, Board, Curve, Item, Line, Part, Points, Runs, Table};
use serde_json::Value;

/// The page of a plan, of each setting if there are several: what a person acts on, what that looks
/// like, and what it rests on. `runs` are those that the page holds of each setting, if it holds any.
pub(crate) fn board(all: &[Told<'_>], kept: &Kept, runs: Vec<Option<Runs>>) -> Board {
    let mut parts = Vec::new();
    let mut runs = runs.into_iter();
    for told in all {
        let (first, rest) = sections(told);
        let title = told.kept.paths.join(" / ");
        parts.push(list(&format!("Answer: {title}"), first));
        parts.push(Part::Curve(cost(told)));
        parts.push(Part::Points(front(told)));
        if !told.answer.sensitivities.is_empty() {
            parts.push(leans(told));
        }
        parts.extend(charts::years(told).map(|plane| Part::Curve(years(&plane))));
        parts.push(Part::Table(table(told)));
        parts.push(list("What it rests on", rest));
        parts.extend(runs.next().flatten().map(Part::Runs));
    }
    let first = all.first();
    let subtitle = |t: &Told<'_>| format!("{}; {}; {} replications", t.faults, t.line, t.answer.n);
    Board {
        title: format!("{}: plan", kept.scenario),
        doc: String::new(),
        subtitle: first.map(subtitle).unwrap_or_default(),
        notes: first.map(|t| t.notes.clone()).unwrap_or_default(),
        parts,
    }
}

/// Sections, each a sentence of a list.
fn list(title: &str, sections: Vec<Section>) -> Part {
    let of = |(head, text): Section| Item { text: format!("{head}: {text}"), command: None };
    Part::List { title: title.to_owned(), items: sections.into_iter().map(of).collect() }
}

fn cost(told: &Told<'_>) -> Curve {
    let a = told.answer;
    let flat = a.same.iter().min().zip(a.same.iter().max());
    let of_best = a.rows[a.best].closed;
    let mut lines = vec![Line {
        name: format!("simulated, {} a year", told.objective.unit),
        values: a.rows.iter().map(|r| Some(r.more)).collect(),
        low: a.rows.iter().map(|r| Some(r.more_interval.low)).collect(),
        high: a.rows.iter().map(|r| Some(r.more_interval.high)).collect(),
    }];
    if a.rows.iter().any(|r| r.closed.is_some()) {
        lines.push(Line {
            name: "by formula".to_owned(),
            values: a.rows.iter().map(|r| Some(r.closed? - of_best?)).collect(),
            ..Line::default()
        });
    }
    let mut marks = vec![(a.best, charts::best(told))];
    if a.now != a.best {
        marks.push((a.now, format!("now: {}", told.name(a.now))));
    }
    Curve {
        title: charts::title(told),
        across: told.settings(),
        ticks: (0..a.rows.len()).map(|r| told.name(r)).collect(),
        at: None,
        lines,
        flat: flat.filter(|(from, to)| from != to).map(|(from, to)| (*from, *to)),
        marks,
        highest: charts::highest(told),
    }
}

fn front(told: &Told<'_>) -> Points {
    let of = |r: usize| {
        let row = &told.answer.rows[r];
        (row.figures[4], row.figures[0], told.name(r))
    };
    Points {
        title: "Downtime beside needless evictions".to_owned(),
        across: "needless evictions a year".to_owned(),
        up: "replica-minutes missing a year".to_owned(),
        points: (0..told.answer.rows.len()).map(of).collect(),
        highest: charts::highest_of_front(told),
    }
}

fn leans(told: &Told<'_>) -> Part {
    let of = |s: &crate::lab::planner::Sensitivity| Bar {
        name: s.name.clone(),
        low: s.costs[0].min(s.costs[2]),
        mark: s.costs[1],
        high: s.costs[0].max(s.costs[2]),
    };
    Part::Bars {
        title: "What the cost leans on: a third and three times of each".to_owned(),
        unit: format!("{} a year, of the recommended value", told.objective.unit),
        marks: "as it is",
        rows: told.answer.sensitivities.iter().map(of).collect(),
    }
}

/// The chart of years, whose points are not those of the table.
fn years(plane: &Plane) -> Curve {
    let mut at: Vec<f64> = plane.lines.iter().flat_map(|l| l.points.iter().map(|p| p.0)).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let line = |l: &crate::report::charts::Line| Line {
        name: l.name.clone(),
        // Shares fall in steps: at a cost it is the share of the years that cost as much or more.
        values: at.iter().map(|x| l.points.iter().find(|p| p.0 >= *x).map(|p| p.1)).collect(),
        ..Line::default()
    };
    Curve {
        title: format!("How bad a year may be: {}", plane.up),
        across: plane.across.clone(),
        ticks: at.iter().map(|x| format!("{x:.0}")).collect(),
        lines: plane.lines.iter().map(line).collect(),
        at: Some(at),
        ..Curve::default()
    }
}

fn table(told: &Told<'_>) -> Table {
    let figures = shown(told);
    let mut columns = vec![
        told.settings(),
        "cost".to_owned(),
        "from".to_owned(),
        "to".to_owned(),
        "more than the best".to_owned(),
    ];
    columns.extend(figures.iter().map(|f| FIGURES[*f].name().replace('_', " ")));
    for workload in &told.kept.own {
        columns.extend(OWN.map(|f| format!("{workload}: {}", f.name().replace('_', " "))));
    }
    columns.push("breaks".to_owned());
    let row = |r: usize| {
        let row = &told.answer.rows[r];
        let mut cells: Vec<Value> = vec![told.name(r).into()];
        cells.extend(
            [row.cost, row.interval.low, row.interval.high, row.more]
                .iter()
                .chain(figures.iter().map(|f| &row.figures[*f]))
                .chain(row.own.iter().flatten().map(|(mean, _)| mean))
                .map(|v| Value::from(*v)),
        );
        cells.push(row.breaks.join(", ").into());
        cells
    };
    let rows: Vec<Vec<Value>> = (0..told.answer.rows.len()).map(row).collect();
    Table {
        title: "All values: figures of a year".to_owned(),
        columns,
        runs: vec![None; rows.len()],
        rows,
    }
}
