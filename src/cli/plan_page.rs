//! The page of a plan: what it says, and an outage under each of the first values.

use super::html;
use super::prelude::*;
use super::run::ready;
use crate::lab::planner::{Kept, Planner, Sample};
use crate::report::html::board::Runs;
use crate::report::planner::{Told, board, write};

/// What makes the runs of a page, and whether there is time for them.
pub(super) type Until<'a> = (&'a Planner<'a>, &'a dyn Fn() -> bool);

/// The page of a plan; with an outage as the first rows met it, those of each setting where
/// several were chosen each for itself.
pub(super) fn page(all: &[Told<'_>], kept: &Kept, planner: Option<Until<'_>>) -> Result<Page> {
    let (mut named, mut runs) = (Vec::new(), Vec::new());
    let most = html::RUNS_MAX / all.len().max(1);
    for (setting, told) in all.iter().enumerate() {
        let Some(planner) = planner.filter(|_| most > 1) else { break };
        let rows = kept.apart.get(setting).map(|group| group.rows.clone());
        let mut rows = rows.unwrap_or_else(|| (0..kept.rows.len()).collect());
        rows.truncate(most);
        let (mut of_setting, pages) = looked((told, setting), planner, &rows)?;
        if let Some(of) = of_setting.as_mut().filter(|_| all.len() > 1) {
            // Settings of several workloads share their last names.
            of.of = told.kept.paths.join(" / ");
        }
        named.push(of_setting);
        runs.extend(pages);
    }
    html::page(|p| write(p, all), |_| board(all, kept, named), runs)
}

/// What a slider moves through, and the runs that it names.
type Looked = (Option<Runs>, Vec<(String, Vec<u8>)>);

/// An outage of the model that costs most, with each of these values of a setting.
fn looked(
    (told, setting): (&Told<'_>, usize),
    (planner, goes_on): Until<'_>,
    rows: &[usize],
) -> Result<Looked> {
    let shares = &told.answer.shares;
    let most = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let is = |(name, _): &&(String, f64)| most.is_some_and(|m| m.0 == *name);
    let models = &told.kept.models;
    let model = models.iter().position(|m| is(&m)).unwrap_or(0);
    let sample = match planner.sample(model, rows, goes_on) {
        Err(Stopped::Asked) => None,
        sample => sample?,
    };
    let Some(Sample { number, runs }) = sample else { return Ok((None, Vec::new())) };
    let sweep = &planner.sweep;
    let ready =
        ready(sweep.loaded.clone(), sweep.loaded.source.name.to_string(), sweep.base.clone())?;
    let (mut named, mut pages) = (Vec::new(), Vec::new());
    for (row, (plan, trace)) in runs.iter().enumerate() {
        let analysis = Analysis::new(plan, trace);
        let name = format!("run-{setting}-{row}");
        named.push((told.name(row), name.clone()));
        pages.push((name, html::columns(&analysis, &ready, sweep.window)));
    }
    let title = format!("One outage, number {number} of {}", models[model].0);
    Ok((Some(Runs { title, of: told.settings(), runs: named, beside: false }), pages))
}
