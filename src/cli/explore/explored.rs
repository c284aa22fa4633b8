//! The page of a search: what it says of each property, and the steps of the runs in which one does
//! not hold.

use crate::analysis::Analysis;
use crate::analysis::properties::{Property, Violation, check};
use crate::cli::failure::Failure;
use crate::cli::html::plain;
use crate::kernel::Choices;
use crate::lab::explore::Violated;
use crate::lab::replay::steps;
use crate::lab::tape::Texts;
use crate::plan::Plan;
use crate::report::explore::{Says, Searched, answer, write};
use crate::report::html::Page;
use crate::report::html::board::{Board, Part, Steps, Table};
use crate::report::replay::lanes;
use crate::scenario::Loaded;
use crate::sim;
use serde_json::Value;

/// More runs are left to `replay`.
const RUNS: usize = 8;

/// The page of a search under one or several releases; `plan_of` makes the plan of one.
pub(super) fn page(
    loaded: &Loaded,
    plan_of: &dyn Fn(&str) -> Plan,
    searches: &[Searched<'_>],
    properties: &[Property],
) -> Result<Page, Failure> {
    let text = plain(|out, style| searches.iter().try_for_each(|s| write(out, s, style)))?;
    let found =
        Part::List { title: "What was found".to_owned(), items: answer(searches, properties) };
    let mut parts = vec![found, Part::Table(table(searches, properties))];
    for searched in searches {
        let plan = plan_of(&searched.release);
        let left = RUNS.saturating_sub(parts.len() - 2);
        for (violated, tape) in searched.report.violations.iter().zip(&searched.tapes).take(left) {
            parts.push(Part::Steps(taken(&plan, violated, tape)));
        }
    }
    parts.push(Part::text("Report", String::from_utf8_lossy(&text).into_owned()));
    let board = Board {
        title: format!("{}: interleavings", loaded.name),
        doc: loaded.spec.doc.clone(),
        parts,
        ..Board::default()
    };
    Ok(Page::of_board(&board, text, Vec::new()))
}

/// What the search says of each property, by release.
fn table(searches: &[Searched<'_>], properties: &[Property]) -> Table {
    let mut columns = vec!["property".to_owned()];
    columns.extend(searches.iter().map(|s| s.release.clone()));
    let row = |p: &Property| -> Vec<Value> {
        let says = searches.iter().map(|s| Says::of(s.report, p).words().into());
        std::iter::once(p.to_string().into()).chain(says).collect()
    };
    let rows: Vec<Vec<Value>> = properties.iter().map(row).collect();
    Table { title: "Properties".to_owned(), columns, runs: vec![None; rows.len()], rows }
}

/// The steps of the run in which a property does not hold.
fn taken(plan: &Plan, violated: &Violated, tape: &str) -> Steps {
    let choices = Choices::tape(violated.tape.clone(), Choices::default_order());
    let run = sim::search(plan, choices);
    let violations: Vec<Violation> = check(&violated.property, &Analysis::new(plan, &run.trace));
    let title =
        format!("{} on {}: {} ({tape})", violated.property, plan.profile.release, violated.text);
    lanes(title, &run.trace, &steps(&run, &Texts::of(&run), &violations, None), &violations)
}
