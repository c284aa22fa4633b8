//! A difference as a page: what was set otherwise and what came of it, both runs one above the other,
//! and the rest.

use super::costs::{Cells, MANY, ONE, answer, rows_of_many, rows_of_one};
use super::printer::notes;
use super::runs::parting;
use super::seeds::OfSeeds;
use super::words::{Side, group_text};
use super::{runs, seeds};
use crate::analysis::below_need::left_out;
use crate::analysis::diff::{Difference, FEWEST, Settings};
use crate::report::html::board::{Board, Part, Runs, Table};
use crate::report::prelude::*;

/// The page of two runs; `text` is what was printed, and of the page's runs A is `run-a`.
pub(crate) fn board(sides: [Side<'_>; 2], d: &Difference, text: String) -> Board {
    let plans = sides.map(|s| s.analysis.plan);
    let name = &plans[0].name;
    let costs = rows_of_one(&d.costs[0], &d.costs[1], d.tolerance);
    let group = |g| [group_text(g)];
    let differs = Table::new("What differs", ["what"], d.groups.iter().map(group));
    let mut said = causes(&d.settings);
    if d.is_empty() {
        said.push("Both runs came to the same.".to_owned());
    }
    said.extend(answer(&costs));
    said.extend(left_out(&d.all_along));
    said.extend(parting(d).map(|p| format!("They part where {p}")));
    let titles = [format!("{name}: two runs"), "Both runs".to_owned()];
    let heads = (runs::headers(sides), notes(plans, &d.late));
    of((titles, heads), said, (&ONE, costs), differs, text)
}

/// The page of two sides over many seeds; its runs are those of the first seed.
pub(crate) fn board_over_seeds((sides, settings, d): OfSeeds<'_>, text: String) -> Board {
    let plans = sides.map(|s| s.plan);
    let (name, first) = (&plans[0].name, sides[0].source.seed);
    let patterns = d.nearly_all.iter().map(|p| [seeds::often(&[p], d.seeds), seeds::said(p)]);
    let differs = Table::new("What differs in nearly all seeds", ["seeds", "what"], patterns);
    let mut said = causes(settings);
    if d.same == d.seeds {
        said.push("Both sides came to the same in each seed.".to_owned());
    } else if d.seeds < FEWEST {
        said.push(seeds::too_few(d.seeds));
    }
    let costs = rows_of_many(&d.costs, d);
    said.extend(answer(&costs));
    said.extend(left_out(&d.all_along));
    let all = counted(d.seeds, "seed");
    let titles = [format!("{name}: two sides over {all}"), format!("Both runs with seed {first}")];
    let heads = (seeds::headers(sides, d), notes(plans, &d.late));
    of((titles, heads), said, (&MANY, costs), differs, text)
}

/// What was set otherwise, a sentence each.
fn causes(s: &Settings) -> Vec<String> {
    let said = |v: &Option<String>| v.clone().unwrap_or_else(|| "not set".to_owned());
    let release = s.release.iter();
    let release = release.map(|(a, b)| format!("Kubernetes: {a} in A, {b} in B"));
    let others = s.others.iter();
    let others = others.map(|c| format!("{}: {} in A, {} in B", c.name, said(&c.a), said(&c.b)));
    release.chain(others).collect()
}

fn of(
    ([title, of_runs], ([a, b], notes)): ([String; 2], ([String; 2], Vec<String>)),
    said: Vec<String>,
    (heads, costs): (&[&str], Vec<Cells>),
    differs: Table,
    text: String,
) -> Board {
    let mut parts = Vec::new();
    if !said.is_empty() {
        parts.push(Part::list("What B changes", said));
    }
    let named = |of: &str, run: &str| (of.to_owned(), run.to_owned());
    let runs = vec![named("A", "run-a"), named("B", "run-b")];
    parts.push(Part::Runs(Runs { title: of_runs, of: "run".to_owned(), runs, beside: true }));
    let columns = ["figure"].into_iter().chain(heads.iter().copied());
    let row = |(figure, values, _): Cells| -> Vec<String> {
        [figure].into_iter().chain(values).collect()
    };
    let rows: Vec<_> = costs.into_iter().filter(|c| !c.1.is_empty()).map(row).collect();
    if !rows.is_empty() {
        parts.push(Part::Table(Table::new("What it costs; more is worse", columns, rows)));
    }
    if !differs.rows.is_empty() {
        parts.push(Part::Table(differs));
    }
    parts.push(Part::text("As it was printed", text));
    let notes = [format!("A: {a}"), format!("B: {b}")].into_iter().chain(notes).collect();
    Board { title, notes, parts, ..Board::default() }
}
