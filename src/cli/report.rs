//! `taintsim report`: renders a finished run, which is run again for that.

use super::finished::{self, Finished};
use super::prelude::*;
use super::run;
use crate::analysis::curves::curves;
use crate::report::html;
use crate::report::tables::{self, Form, Table, curves_table, evictions_table, records_table};
use crate::report::{Report, klog, perfetto};

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
    /// Whether a report of that kind begins like that. Log lines are told by their date and their
    /// process: a run begins with a year, and its process is 1. Real ones hardly do.
    fn begins(self, text: &str) -> bool {
        let begins = |mark: &str| text.starts_with(mark);
        match self {
            Self::Text => text.contains("\n  Kubernetes "),
            Self::Csv => begins("time_s,pod,") || begins("time_s,workload,") || begins("id,t_ns,"),
            Self::Klog => text.get(1..6) == Some("0101 ") && text.get(21..30) == Some("       1 "),
            Self::Json => begins("{") && text.contains("\n  \"run\": {"),
            Self::Perfetto => begins("{\"displayTimeUnit\""),
            Self::Parquet => begins("PAR1"),
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

/// A table of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum WhichTable {
    /// A row for each eviction
    #[default]
    Evictions,
    /// A row for each record
    Records,
    /// How many pods and nodes were in which state, over time
    Curves,
}

/// Runs the command.
pub(crate) fn report(args: &ReportArgs, terminal: &Terminal) -> Outcome {
    fits(args)?;
    if let Some(path) = &args.out {
        replaces_only_reports(path, |text| args.form.begins(text))?;
    }
    let run = finished::read(&args.folder, false, terminal)?;
    match &args.out {
        None => {
            let binary = (args.form == As::Parquet).then_some(Form::Parquet);
            let mut out = terminal.out_as(binary);
            render(&mut out, &run, args, terminal)?;
            out.flush()?;
        }
        Some(path) => {
            let mut bytes = Vec::new();
            // A file takes no colours, and is as wide as where there is no terminal.
            let width = crate::report::Style::default().width;
            let plain = Terminal { colour: false, width, ..*terminal };
            render(&mut Escaped::new(&mut bytes, args.form.written()), &run, args, &plain)
                .map_err(|e| Failure::write(path, &e))?;
            write_whole(path, &bytes)?;
        }
    }
    Ok(Exit::Fine)
}

fn render(
    out: &mut dyn Write,
    run: &Finished,
    args: &ReportArgs,
    terminal: &Terminal,
) -> io::Result<()> {
    let analysis = Analysis::new(&run.ready.plan, &run.trace);
    let report = Report::new(&analysis, &run.ready.source, run.window);
    match args.form {
        As::Text => run::print(out, &report, run.written.as_ref(), Format::Text, terminal),
        As::Json => run::print(out, &report, run.written.as_ref(), Format::Json, terminal),
        As::Csv => table(out, &report, args, Form::Csv),
        As::Parquet => table(out, &report, args, Form::Parquet),
        As::Klog => klog::write(out, &analysis, args.v.unwrap_or(4)),
        As::Html => html::write(out, &Page::of_run(&report, &run.ready.groups)),
        As::Perfetto => perfetto::write(out, &analysis),
    }
}

/// Refuses options that do not go together, before anything is read.
fn fits(args: &ReportArgs) -> Result<()> {
    if args.v.is_some() && args.form != As::Klog {
        return Err(Failure::input("--v is about log lines", "give -o klog with it"));
    }
    if args.table.is_some() && !matches!(args.form, As::Csv | As::Parquet) {
        return Err(Failure::input("--table is about tables", "give -o csv or -o parquet with it"));
    }
    if args.form == As::Parquet { can_print(Form::Parquet, args.out.as_deref()) } else { Ok(()) }
}

/// Writes the table that is asked for.
fn table(
    out: &mut dyn Write,
    report: &Report<'_>,
    args: &ReportArgs,
    form: Form,
) -> io::Result<()> {
    let analysis = report.analysis;
    let mut write = |table: &dyn Table| tables::write(out, table, form, &report.about());
    match args.table.unwrap_or_default() {
        WhichTable::Evictions => write(&evictions_table(report)),
        WhichTable::Records => write(&records_table(analysis)),
        WhichTable::Curves => write(&curves_table(&curves(analysis), &report.serving)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eleven hours into a run as at its start, and neither another day nor another process.
    #[test]
    fn log_lines_of_a_run_are_told_by_their_day_and_process() {
        let line = |at: &str, process: &str| {
            As::Klog.begins(&format!("I{at}.950626 {process:>7} controller_utils.go:1] a"))
        };
        assert!(line("0101 00:05:45", "1") && line("0101 11:05:45", "1"));
        assert!(!line("0102 00:05:45", "1") && !line("0101 11:05:45", "17"));
    }
}
