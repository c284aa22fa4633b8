//! `taintsim report`: renders a finished run again.

use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::file::write_whole;
use super::finished::{self, Finished};
use super::run::{self, Format};
use super::terminal::Terminal;
use crate::analysis::Analysis;
use crate::files::{Escaped, Form};
use crate::language::Problem;
use crate::report::html::{self, Page};
use crate::report::tables::{self, EvictionsTable};
use crate::report::{Report, klog, perfetto};
use std::io::{self, Write};
use std::path::PathBuf;

/// What a run is rendered as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum As {
    /// Timeline and summary, as `run` prints them
    #[default]
    Text,
    /// One JSON document, as `run --format json` prints it
    Json,
    /// A row for each eviction, as in evictions.csv
    Csv,
    /// The lines that the release's controllers write to their logs, in klog's format
    Klog,
    /// One file that shows the run in a browser
    Html,
    /// A trace that opens in the Perfetto UI: a process for each node, a thread for each pod
    Perfetto,
}

/// Arguments of `taintsim report`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// The folder of a run's results, `output/NAME`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What to render the run as
    #[arg(long = "as", value_enum, default_value_t, value_name = "FORMAT")]
    form: As,
    /// With --as klog: how much the controllers tell, as their own option --v [default: 4]
    #[arg(long, value_name = "LEVEL")]
    v: Option<u8>,
    /// The file to write; without it, standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn report(args: &ReportArgs, terminal: &Terminal) -> Outcome {
    if args.v.is_some() && args.form != As::Klog {
        return Err(Failure::Input(
            Problem::new("--v is about log lines").help("give --as klog with it"),
        ));
    }
    let run = finished::read(&args.folder)?;
    match &args.out {
        None => {
            let mut out = terminal.out();
            render(&mut out, &run, args, terminal)?;
            out.flush()?;
        }
        Some(path) => {
            let mut bytes = Vec::new();
            // A file takes no colours, and is as wide as where there is no terminal.
            let plain = Terminal {
                colour: false,
                width: crate::report::Style::default().width,
                ..*terminal
            };
            render(
                &mut Escaped::new(&mut bytes, Form::Plain),
                &run,
                args,
                &plain,
            )
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
        As::Csv => tables::csv::write(out, &EvictionsTable::new(&analysis, &report.workloads)),
        As::Klog => klog::write(out, &analysis, args.v.unwrap_or(4)),
        As::Html => html::write(out, &Page::of_run(&report, &run.ready.groups)),
        As::Perfetto => perfetto::write(out, &analysis),
    }
}
