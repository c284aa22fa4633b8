//! What was still being made when something of the timeline came, so that what it lacked is not counted.

use super::prelude::*;
use crate::language::listed;
use std::cmp::Reverse;

/// What to know of workloads that something hit before they were first whole.
pub(super) fn still_being_made(came: &str, workloads: &[String]) -> String {
    let workloads: Vec<&str> = workloads.iter().map(String::as_str).collect();
    format!(
        "Still being made when {came}, so that what was missing before is not counted: {}. \
         Give workloads a `placement`, or let the timeline begin once they are whole.",
        listed(&workloads)
    )
}

/// One sentence for all workloads that something hit before they were first whole, by in how many
/// runs that was so: of each row, or whatever they are called, its name and the workloads of each of its runs.
pub(crate) fn not_whole_yet(called: &str, rows: &[(String, Vec<Vec<String>>)]) -> Option<String> {
    let runs = || rows.iter().flat_map(|(_, runs)| runs);
    let mut late: BTreeMap<&String, u64> = BTreeMap::new();
    runs().flatten().for_each(|name| *late.entry(name).or_default() += 1);
    let all = grouped(runs().count() as u64);
    let mut late: Vec<_> = late.into_iter().collect();
    late.sort_by_key(|(_, in_runs)| Reverse(*in_runs));
    // Which rows these are, where it is not in all of them.
    let rows_of = |name: &String| {
        let its = rows.iter().filter(|(_, runs)| runs.iter().any(|late| late.contains(name)));
        let its: Vec<&str> = its.map(|(row, _)| row.as_str()).collect();
        let s = if its.len() == 1 { "" } else { "s" };
        (its.len() < rows.len()).then(|| format!(", of {called}{s} {}", listed(&its)))
    };
    let named = late.iter().map(|(name, in_runs)| {
        let named = name.replacen('/', " ", 1);
        let rows = rows_of(name).unwrap_or_default();
        format!("{named} (in {} of {all} runs{rows})", grouped(*in_runs))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| still_being_made("the timeline began", &named))
}
