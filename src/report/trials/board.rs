//! What tests found as a page: the scenarios, their cases, and what is wrong with each.

use super::case::{Came, Case, SCENARIO};
use super::tested::{Tested, counted};
use crate::report::html::board::{Board, Item, Part, Table};
use serde_json::Value;

/// Where a word stands in a table: what failed comes first.
fn rank(word: &str) -> usize {
    let order = ["wrong", "failed", "no expectations", "not run"];
    let place = order.iter().position(|w| *w == word);
    place.unwrap_or(order.len())
}

/// The page of what was tested; `runs` are those that the page holds, by scenario.
pub(crate) fn board(all: &[Tested], runs: Vec<Option<String>>) -> Board {
    let doc = counted(all);
    let mut order: Vec<(&Tested, Option<String>)> = all.iter().zip(runs).collect();
    order.sort_by_key(|(t, _)| rank(t.status().word()));
    let (all, runs): (Vec<&Tested>, Vec<Option<String>>) = order.into_iter().unzip();
    let failures: Vec<Item> = all.iter().copied().flat_map(failures).collect();
    let mut parts = Vec::new();
    let warnings: Vec<String> = all.iter().copied().flat_map(Tested::warned).collect();
    if !failures.is_empty() {
        parts.push(Part::List { title: "What is wrong".to_owned(), items: failures });
    }
    let scenarios = all.iter().map(|t| -> Vec<Value> {
        vec![t.id.as_str().into(), t.status().word().into(), t.expectations.into(), t.runs.into()]
    });
    let columns = ["scenario", "status", "expectations", "runs"];
    let shows = runs.iter().any(Option::is_some);
    let title = if shows { "Scenarios, and a run of each that failed" } else { "Scenarios" };
    parts.push(Part::Table(Table { runs, ..Table::new(title, &columns, scenarios.collect()) }));
    // That a scenario can be read and run is a case, too; called as it, it would seem to be its result.
    let name = |case: &Case| match case.name.as_str() {
        SCENARIO => "the file can be read and run".to_owned(),
        name => name.to_owned(),
    };
    let cases = all.iter().flat_map(|t| t.cases.iter().map(move |c| (*t, c)));
    let mut cases: Vec<(&Tested, &Case)> = cases.collect();
    cases.sort_by_key(|(_, c)| rank(c.came.word()));
    let cases = cases.into_iter().map(|(t, c)| -> Vec<Value> {
        vec![name(c).into(), c.came.word().into(), t.id.as_str().into()]
    });
    let columns = ["case", "status", "scenario"];
    parts.push(Part::Table(Table::new("Cases", &columns, cases.collect())));
    Board { title: "Tests".to_owned(), doc, subtitle: String::new(), notes: warnings, parts }
}

/// What is wrong with a scenario, and the commands that tell more.
fn failures(t: &Tested) -> Vec<Item> {
    let of = |case: &Case| {
        let is = matches!(case.came, Came::Failed(_) | Came::Wrong(_) | Came::Nothing);
        if is { t.told(case) } else { Vec::new() }
    };
    t.cases
        .iter()
        .flat_map(of)
        .map(|(text, notes)| Item {
            text: format!("{}: {text}", t.id),
            command: Some(notes.join("\n")).filter(|n| !n.is_empty()),
        })
        .collect()
}
