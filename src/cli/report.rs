//! `taintsim report`: renders a finished run, which is run again for that.

use super::finished::{self, Finished};
use super::prelude::*;
use super::run;
use crate::analysis::curves::curves;
use crate::api::words::rows;
use crate::report::html;
use crate::report::tables::{self, Form, Table, curves_table, evictions_table, records_table};
use crate::report::{Report, Style, klog, perfetto};

/// What a run is rendered as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum As {
    /// Timeline and summary, as `run` prints them
    #[default]
    Text,
    /// One JSON document, as `run -o json` prints it
    Json,
    /// A table as CSV, the evictions where --table names no other
    Csv,
    /// The same as Parquet, for DuckDB, pandas and Polars
    Parquet,
    /// The lines that the release's controllers write to their logs, in klog's format
    Klog,
    /// One file that shows the run in a browser
    Html,
    /// A trace that opens in the Perfetto UI: a process for each node, a thread for each pod
    Perfetto,
}

impl As {
    /// Whether a report of that kind, of that table, begins and ends like that.
    fn is_one(self, table: WhichTable, text: &str, end: &[u8]) -> bool {
        let begins = |mark: &str| text.starts_with(mark);
        match self {
            Self::Text => {
                let said = |line: &str| line.contains(", timing ") && line.contains(", seed ");
                let is_head = |line: &str| line.starts_with("  Kubernetes ") && said(line);
                text.lines().nth(1).is_some_and(|l| l.starts_with("  "))
                    && text.lines().any(is_head)
            }
            Self::Csv => begins(table.names().1),
            Self::Parquet => {
                // A name and its value, with their lengths before them.
                let said = String::from_utf8_lossy(end);
                let named = said.split_once("taintsim.table").and_then(|(_, rest)| rest.get(2..));
                begins("PAR1") && named.is_some_and(|rest| rest.starts_with(table.names().0))
            }
            Self::Json => begins("{") && text.contains("\n  \"run\": {"),
            Self::Perfetto => begins("{\"displayTimeUnit\""),
            Self::Klog => begins(klog::HEAD),
            Self::Html => html::is_page(text.as_bytes()),
        }
    }

    /// How it is written to a file.
    fn written(self) -> files::Form {
        if self == Self::Parquet { files::Form::Binary } else { files::Form::Plain }
    }
}

/// Arguments of `taintsim report`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// The folder of a run's results, `output/NAME`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What to render the run as
    #[arg(long = "output", short = 'o', aliases = ["as", "format"], overrides_with = "form", value_enum, default_value_t, value_name = "FORMAT")]
    form: As,
    /// With -o csv and -o parquet: which table [default: evictions]
    #[arg(long, value_enum, value_name = "TABLE")]
    table: Option<WhichTable>,
    /// With -o klog: how much the controllers tell, as their own option --v [default: 4]
    #[arg(long, value_name = "LEVEL")]
    v: Option<u8>,
    /// The file to write; without it, standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

rows! {
    /// A table of a run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
    enum WhichTable {
        /// A row for each eviction
        #[default]
        Evictions = ("evictions", "time_s,pod,"),
        /// A row for each record
        Records = ("records", "id,t_ns,"),
        /// How many pods and nodes were in which state, over time
        Curves = ("curves", "time_s,workload,"),
    }

    /// Its name, and how it begins as CSV.
    fn names -> (&'static str, &'static str);
}

/// Runs the command.
pub(crate) fn report(args: &ReportArgs, terminal: &Terminal) -> Outcome {
    fits(args)?;
    if let Some(path) = &args.out {
        replaces_only_reports(path, |text| {
            let end = files::ending(path, file::MARK).unwrap_or_default();
            args.form.is_one(args.table.unwrap_or_default(), text, &end)
        })?;
    }
    let run = finished::read(&args.folder, terminal)?;
    match &args.out {
        None => {
            let binary = (args.form == As::Parquet).then_some(Form::Parquet);
            let mut out = terminal.out_as(binary);
            render(&mut out, &run, args, terminal.style())?;
            out.flush()?;
        }
        Some(path) => {
            let head = if args.form == As::Klog { klog::HEAD } else { "" };
            let mut bytes = head.as_bytes().to_vec();
            // A file takes no colours, and is as wide as where there is no terminal.
            let mut out = Escaped::new(&mut bytes, args.form.written());
            render(&mut out, &run, args, Style::default()).map_err(|e| Failure::write(path, &e))?;
            drop(out);
            write_whole(path, &bytes)?;
        }
    }
    Ok(Exit::Fine)
}

fn render(out: &mut dyn Write, run: &Finished, args: &ReportArgs, style: Style) -> io::Result<()> {
    let analysis = Analysis::new(&run.ready.plan, &run.trace);
    let report = Report::new(&analysis, &run.ready.source, run.window);
    let which = args.table.unwrap_or_default();
    match args.form {
        As::Text => run::print(out, &report, run.written.as_ref(), Format::Text, style),
        As::Json => run::print(out, &report, run.written.as_ref(), Format::Json, style),
        As::Csv => table(out, &report, which, Form::Csv),
        As::Parquet => table(out, &report, which, Form::Parquet),
        As::Klog => klog::write(out, &analysis, args.v.unwrap_or(4)),
        As::Html => html::write(out, &Page::of_run(&report, &run.ready.groups)),
        As::Perfetto => perfetto::write(out, &analysis),
    }
}

/// Refuses options that do not go together, before anything is read.
fn fits(args: &ReportArgs) -> Result<()> {
    let is_other = args.v.is_some() && args.form != As::Klog;
    refuse_if(is_other, "--v is about log lines", "give -o klog with it")?;
    let is_other = args.table.is_some() && !matches!(args.form, As::Csv | As::Parquet);
    refuse_if(is_other, "--table is about tables", "give -o csv or -o parquet with it")?;
    if args.form == As::Parquet { can_print(Form::Parquet, args.out.as_deref()) } else { Ok(()) }
}

/// Writes the table that is asked for.
fn table(out: &mut dyn Write, report: &Report<'_>, of: WhichTable, form: Form) -> io::Result<()> {
    let analysis = report.analysis;
    let mut write = |table: &dyn Table| tables::write(out, table, form, &report.about());
    match of {
        WhichTable::Evictions => write(&evictions_table(report)),
        WhichTable::Records => write(&records_table(analysis)),
        WhichTable::Curves => write(&curves_table(&curves(analysis), &report.serving)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text and a log by their heads, a table by its name.
    #[test]
    fn what_a_report_may_replace_is_told_by_what_only_it_has() {
        let text = |text: &str| As::Text.is_one(WhichTable::Evictions, text, b"");
        assert!(text("zp\n  Zone b.\n  Kubernetes 1.34.12, timing Typical, seed 1, 22 nodes\n"));
        assert!(text("zp\n  Kubernetes 1.34.12, timing Typical, seed 1, 22 nodes\n"));
        assert!(!text("Postmortem\n\n- Cluster\n  Kubernetes 1.34, 22 nodes\nMany hours\n"));
        let end = b"\x18\x0etaintsim.table\x18\x09evictions\x00PAR1";
        let parquet = |table, end: &[u8]| As::Parquet.is_one(table, "PAR1", end);
        assert!(parquet(WhichTable::Evictions, end));
        assert!(!parquet(WhichTable::Records, end) && !parquet(WhichTable::Evictions, b"PAR1"));
        let csv = |table| As::Csv.is_one(table, "time_s,pod,namespace", b"");
        assert!(csv(WhichTable::Evictions));
        assert!(!csv(WhichTable::Records) && !csv(WhichTable::Curves));
        let line = "I0101 03:12:45.123456       1 node_lifecycle_controller.go:1035] \"Node\"";
        let log = |text: &str| As::Klog.is_one(WhichTable::Evictions, text, b"");
        assert!(!log(line) && log(&format!("{}{line}", klog::HEAD)));
        let of_a_node = klog::HEAD.replace("taintsim", "node-1");
        assert!(!log(&format!("Log file created at: 2026/11/30 22:13:04\n{of_a_node}{line}")));
    }
}
