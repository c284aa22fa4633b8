//! The folder of a run: all its files, written as a whole.
//!
//! The tables of a folder of results.
//!
//! `names.json`: what a trace holds beside its records.
//!
//! The names of a run in the order of their ids, for programs that read `events.jsonl`; whose pods
//! are whose, the tolerations that pods were created with or got later, and how many requests each
//! actor made.

use super::charts::{self, Chart, Drawing, MOST_NODE_LANES};
use super::files::{FileError, Folder, Written};
use super::model::Report;
use super::prelude::*;
use super::tables::{self, About, Form, Table, curves_table, evictions_table, records_table};
use super::{events, html, json, manifest};
use crate::analysis::curves::curves;
use crate::analysis::lanes::lanes;
use crate::api::toleration::Toleration;
use crate::files::Packing;
use crate::trace::Trace;

/// Writes the folder `parent/NAME` of a run, NAME being its scenario's; an earlier one of that name
/// is replaced as a whole. A `page` is written, too, where one is given, and all tables in those
/// forms. `begun` gets the temporary folder as soon as it exists, so that it can be removed if the process is ended early.
///
/// # Errors
/// [`FileError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(crate) fn write_folder(
    report: &Report<'_>,
    parent: &Path,
    (page, forms): (Option<&html::Page>, TableForms),
    begun: impl FnOnce(&Path),
) -> Result<Written, FileError> {
    let analysis = report.analysis;
    let mut folder = Folder::create(parent, &analysis.plan.name)?;
    begun(folder.temporary());
    let mut hash = 0;
    folder.write_large(events::FILE, forms.packing, |out| {
        events::write(out, analysis).map(|written| hash = written)
    })?;
    let evictions = evictions_table(report);
    folder
        .write_large("evictions.csv", forms.packing, |out| tables::csv::write(out, &evictions))?;
    folder.write_large("summary.json", forms.packing.of_a_document(), |out| {
        json::write(out, &json::summary_document(report))
    })?;
    let (lanes, curves) = (lanes(analysis, MOST_NODE_LANES), curves(analysis));
    let (records, courses) = (records_table(analysis), curves_table(&curves, &report.serving));
    let all: [&dyn Table; 3] = [&records, &evictions, &courses];
    write_tables(&mut folder, forms, &all, &report.about())?;
    let heading = report.heading();
    let mut all = vec![("timeline", Chart::Timeline(&lanes)), ("pods", Chart::Pods(&curves))];
    if report.serving.workloads.iter().any(|w| w.id.is_some()) {
        all.push(("workloads", Chart::Workloads(&report.serving)));
    }
    for (name, chart) in all {
        write_drawing(&mut folder, name, &charts::draw(chart, &heading, analysis))?;
    }
    page.map_or(Ok(()), |page| folder.write(html::FILE, |out| html::write(out, page)))?;
    folder.write_large(FILE, forms.packing, |out| write(out, analysis.trace))?;
    // What it takes to run it again.
    folder.write(manifest::SCENARIO, |out| out.write_all(report.source.text.as_bytes()))?;
    report.source.fingerprint.inputs.iter().try_for_each(|input| folder.copy(input))?;
    folder.finish_with(manifest::of_run(report, hash))
}

/// Writes a drawing in both formats.
///
/// # Errors
/// [`FileError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(super) fn write_drawing(
    folder: &mut Folder,
    name: &str,
    drawing: &Drawing,
) -> Result<(), FileError> {
    let svg = drawing.svg().map_err(FileError::Failed)?;
    let png = drawing.png().map_err(FileError::Failed)?;
    folder.write(&format!("{name}.svg"), |out| out.write_all(svg.as_bytes()))?;
    folder.write(&format!("{name}.png"), |out| out.write_all(&png))?;
    Ok(())
}

/// In which forms tables are written, beside those that are always there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TableForms {
    /// When what is text is packed.
    pub(crate) packing: Packing,
    pub(crate) csv: bool,
    /// As Parquet; nothing where [`tables::HAS_PARQUET`] is false.
    pub(crate) parquet: bool,
}

/// Writes these tables in those forms; one that is there already is left out. `about` is what a
/// Parquet file says of itself.
pub(crate) fn write_tables(
    folder: &mut Folder,
    forms: TableForms,
    all: &[&dyn Table],
    about: &About<'_>,
) -> Result<(), FileError> {
    for table in all {
        for (form, is_asked) in [(Form::Csv, forms.csv), (Form::Parquet, forms.parquet)] {
            // Parquet is packed already.
            let name = format!("{}.{}", table.name(), form.ending());
            let packing = if form == Form::Csv { forms.packing } else { Packing::Never };
            if is_asked && !folder.has(&name) {
                folder
                    .write_large(&name, packing, |out| tables::write(out, *table, form, about))?;
            }
        }
    }
    Ok(())
}

/// The name of the file.
const FILE: &str = "names.json";

/// Writes what a trace holds beside its records.
///
/// # Errors
/// Those of `out`.
fn write(out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
    let names = &trace.names;
    let list = |n: usize, name: &dyn Fn(u32) -> String| (0..n as u32).map(name).collect::<Vec<_>>();
    let mut owners: Vec<Option<u32>> =
        (0..names.pods() as u32).map(|p| names.owner_of(PodId(p)).map(|w| w.0)).collect();
    owners.truncate(owners.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    // Pods of a group share their template, so that most are found at the first look.
    let mut lists: Vec<&[Toleration]> = Vec::new();
    let mut templates: Vec<(RecordId, usize)> = Vec::new();
    for (record, template) in &trace.templates {
        let list = template.tolerations.as_slice();
        let last = templates.last().map(|t| t.1).filter(|i| lists[*i] == list);
        let known = last.or_else(|| lists.iter().position(|l| *l == list));
        let index = known.unwrap_or_else(|| {
            lists.push(list);
            lists.len() - 1
        });
        templates.push((*record, index));
    }
    let requests: Map<String, Value> =
        trace.requests.iter().map(|(actor, n)| (actor.as_str().to_owned(), json!(n))).collect();
    let document = json!({
        "version": 1,
        "nodes": list(names.nodes(), &|i| names.node_name(NodeId(i)).to_owned()),
        "pods": list(names.pods(), &|i| names.pod_name(PodId(i)).to_owned()),
        "workloads": list(names.workloads(), &|i| names.workload_name(WorkloadId(i)).to_owned()),
        "texts": list(names.texts(), &|i| names.text_of(TextId(i)).to_owned()),
        "owners": owners,
        "tolerations": lists.iter().map(|l| l.iter().map(toleration).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "templates": templates,
        "requests": requests,
    });
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// A toleration without what is empty.
fn toleration(t: &Toleration) -> Value {
    let all = [
        ("key", t.key.as_str().into()),
        ("operator", t.operator.as_str().into()),
        ("value", t.value.as_str().into()),
        ("effect", t.effect.map(|effect| effect.as_str()).into()),
        ("tolerationSeconds", t.toleration_seconds.into()),
    ];
    let there = all.into_iter().filter(|(_, value): &(_, Value)| *value != "" && !value.is_null());
    there.map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
}
