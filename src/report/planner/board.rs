//! A plan as a page: what each value costs, downtime beside needless evictions, what the answer
//! leans on, how bad a year may be, and the table.

use super::folder;
use super::text::{Section, sections};
use super::told::{Told, shown};
use crate::lab::planner::{FIGURES, Kept, OWN, Sensitivity};
use crate::report::charts::{Line as PlaneLine, Plane};
use crate::report::html::board::{Bar, Board, Curve, Line, Part, Runs, Table};
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
        parts.push(front(told));
        if !told.answer.sensitivities.is_empty() {
            parts.push(leans(told));
        }
        parts.extend(folder::years(told).map(|plane| Part::Curve(years(&plane))));
        parts.push(Part::Table(table(told)));
        parts.push(list("What it rests on", rest));
        parts.extend(runs.next().flatten().map(Part::Runs));
    }
    let first = all.first();
    Board {
        title: format!("{}: plan", kept.scenario),
        doc: String::new(),
        subtitle: first.map(Told::subtitle).unwrap_or_default(),
        notes: first.map(|t| t.source.notes.clone()).unwrap_or_default(),
        parts,
    }
}

/// Sections, each a sentence of a list.
fn list(title: &str, sections: Vec<Section>) -> Part {
    Part::list(title, sections.into_iter().map(|(head, text)| format!("{head}: {text}")))
}

/// The chart of costs, whose rows are those of the table.
fn cost(told: &Told<'_>) -> Curve {
    let a = told.answer;
    let plane = folder::cost(told);
    let mut lines: Vec<Line> = plane.lines.into_iter().map(Line::from).collect();
    lines[0].name = format!("simulated, {} a year", told.objective.unit);
    let mut marks = vec![(a.best, folder::best(told))];
    if a.now != a.best {
        marks.push((a.now, format!("now: {}", told.name(a.now))));
    }
    Curve {
        title: folder::title(told),
        across: plane.across,
        ticks: plane.ticks.into_iter().map(|(_, name)| name).collect(),
        at: None,
        lines,
        flat: folder::flat(told),
        marks,
        highest: plane.highest[1],
    }
}

fn front(told: &Told<'_>) -> Part {
    let Plane { across, up, marks: points, spans, highest, .. } = folder::front(told);
    let yet = if told.answer.wanted.is_some() { ", not known yet" } else { "" };
    let title = format!("Downtime beside needless evictions{yet}");
    Part::Points { title, across, up, points, spans, highest }
}

fn leans(told: &Told<'_>) -> Part {
    let of = |s: &Sensitivity| {
        let [low, high] = s.range();
        Bar { name: s.name.clone(), low, mark: s.costs[1], high }
    };
    Part::Bars {
        title: folder::LEANS.to_owned(),
        unit: folder::unit_of_best(told),
        marks: folder::AS_IT_IS,
        rows: told.answer.sensitivities.iter().map(of).collect(),
    }
}

/// The chart of years, whose points are not those of the table.
fn years(plane: &Plane) -> Curve {
    let mut at: Vec<f64> = plane.lines.iter().flat_map(|l| l.points.iter().map(|p| p.0)).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let line = |l: &PlaneLine| Line {
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
    let mut columns = vec![told.settings(), "cost".to_owned()];
    columns.push(match told.least() {
        "best" => "more than the best".to_owned(),
        _ => format!("more than {}", told.name(told.answer.best)),
    });
    columns.extend(figures.iter().map(|f| FIGURES[*f].name().replace('_', " ")));
    for workload in &told.kept.own {
        columns.extend(OWN.map(|f| format!("{workload}: {}", f.name().replace('_', " "))));
    }
    columns.push("breaks".to_owned());
    let row = |r: usize| {
        let row = &told.answer.rows[r];
        let mut cells: Vec<Value> = vec![told.name(r).into()];
        let costs = [(row.cost, row.interval), (row.more, row.more_interval)];
        let of_all = figures.iter().map(|f| (row.figures[*f], row.spans[*f]));
        let all = costs.into_iter().chain(of_all).chain(row.own.iter().flatten().copied());
        cells.extend(all.map(|(value, span)| vec![value, span.low, span.high].into()));
        cells.push(row.breaks.join(", ").into());
        cells
    };
    Table::new("All values: figures of a year", columns, (0..told.answer.rows.len()).map(row))
}
