//! The folder of a sweep, written as a whole.

use super::cases::table;
use super::chart::figures;
use super::heading::{Heading, Swept};
use super::json::document;
use super::runs::RunsTable;
use crate::files::Fingerprint;
use crate::lab::Case;
use crate::report::charts::draw_figures;
use crate::report::output::write_drawing;
use crate::report::{
    Folder, OutputError, TableForms, Written, html, json, manifest, tables, write_tables,
};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::Path;

/// Writes the folder `parent/NAME` of a sweep; an earlier one of that name is replaced as a whole;
/// a `page` is part of it where one is given, and its runs in those forms.
///
/// # Errors
/// [`OutputError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(crate) fn write_folder(
    swept: Swept<'_>,
    parent: &Path,
    (page, forms): (Option<&html::Page>, TableForms),
) -> Result<Written, OutputError> {
    let Swept { heading, cases, .. } = swept;
    let mut folder = Folder::create(parent, &heading.name)?;
    let table = table(swept);
    folder.write("sweep.csv", |out| tables::csv::write(out, &table))?;
    folder.write("sweep.json", |out| json::write(out, &document(swept)))?;
    let runs = RunsTable::new(heading, Cow::Borrowed(cases));
    folder.write_large("runs.csv", forms.packing, |out| tables::csv::write(out, &runs))?;
    let about = [("scenario", heading.scenario.clone())];
    write_tables(&mut folder, forms, &[&table, &runs], &about)?;
    write_drawing(&mut folder, "sweep", &draw_figures(&figures(swept)))?;
    if let Some(page) = page {
        folder.write(html::FILE, |out| html::write(out, page))?;
    }
    Ok(folder.finish_with(came_from(heading, cases))?)
}

fn came_from(heading: &Heading, cases: &[Case]) -> Value {
    let axes: Vec<Value> =
        heading.axes.iter().map(|a| json!({ "path": a.path, "values": a.values })).collect();
    let of = |(file, of): &(String, Fingerprint)| {
        manifest::scenario(&heading.scenario, file, of, &heading.fixed)
    };
    let scenarios: Vec<Value> = heading.files.iter().map(of).collect();
    json!({
        "scenario": scenarios.first(),
        "more_scenarios": scenarios.get(1..).unwrap_or_default(),
        "sweep": axes,
        "first_seed": cases.first().and_then(|c| c.runs.first()).map(|r| r.seed),
        "seeds": heading.seeds,
        "needless_window_s": heading.window.as_secs_f64(),
        "runs": cases.iter().map(|c| c.runs.len()).sum::<usize>(),
    })
}
