//! The folder of a run: all its files, written as a whole.

use super::charts::{self, Chart, ChartError, Drawing, MOST_NODE_LANES};
use super::file_error::FileError;
use super::files::{Folder, Written};
use super::model::Report;
use super::table_files::{TableForms, write_tables};
use super::tables::{self, CurvesTable, EvictionsTable, RecordsTable};
use super::{events, html, json, manifest, names_json};
use crate::analysis::{curves::curves, lanes::lanes};
use std::path::Path;

/// Why the folder of a run could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    /// A file or folder cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

/// Writes the folder `parent/NAME` of a run, NAME being its scenario's; an earlier one of that name
/// is replaced as a whole. A `page` is written, too, where one is given, and all tables in those
/// forms. `begun` gets the temporary folder as soon as it exists, so that it can be removed if the process is ended early.
///
/// # Errors
/// [`OutputError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(crate) fn write_folder(
    report: &Report<'_>,
    parent: &Path,
    (page, forms): (Option<&html::Page>, TableForms),
    begun: impl FnOnce(&Path),
) -> Result<Written, OutputError> {
    let analysis = report.analysis;
    let mut folder = Folder::create(parent, &analysis.plan.name)?;
    begun(folder.temporary());
    let mut hash = 0;
    folder.write_large(events::FILE, forms.packing, |out| {
        hash = events::write(out, analysis)?;
        Ok(())
    })?;
    let evictions = EvictionsTable::new(analysis, &report.workloads, report.summary.metrics.window);
    folder
        .write_large("evictions.csv", forms.packing, |out| tables::csv::write(out, &evictions))?;
    folder.write_large("summary.json", forms.packing.of_a_document(), |out| {
        json::write(out, &json::summary_document(report))
    })?;
    let (lanes, curves) = (lanes(analysis, MOST_NODE_LANES), curves(analysis));
    let (records, courses) =
        (RecordsTable::new(analysis), CurvesTable::new(&curves, &report.serving));
    let all: [&dyn tables::Table; 3] = [&records, &evictions, &courses];
    write_tables(&mut folder, forms, &all, &report.about())?;
    let heading = report.heading();
    let mut all = vec![("timeline", Chart::Timeline(&lanes)), ("pods", Chart::Pods(&curves))];
    if report.serving.workloads.iter().any(|w| w.id.is_some()) {
        all.push(("workloads", Chart::Workloads(&report.serving)));
    }
    for (name, chart) in all {
        write_drawing(&mut folder, name, &charts::draw(chart, &heading, analysis))?;
    }
    if let Some(page) = page {
        folder.write(html::FILE, |out| html::write(out, page))?;
    }
    folder.write_large(names_json::FILE, forms.packing, |out| {
        names_json::write(out, analysis.trace)
    })?;
    // What it takes to run it again.
    folder.write(manifest::SCENARIO, |out| out.write_all(report.source.text.as_bytes()))?;
    for input in &report.source.fingerprint.inputs {
        folder.copy(input)?;
    }
    Ok(folder.finish_with(manifest::of_run(report, hash))?)
}

/// Writes a drawing in both formats.
///
/// # Errors
/// [`OutputError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(super) fn write_drawing(
    folder: &mut Folder,
    name: &str,
    drawing: &Drawing,
) -> Result<(), OutputError> {
    let (svg, png) = (drawing.svg()?, drawing.png()?);
    folder.write(&format!("{name}.svg"), |out| out.write_all(svg.as_bytes()))?;
    folder.write(&format!("{name}.png"), |out| out.write_all(&png))?;
    Ok(())
}
