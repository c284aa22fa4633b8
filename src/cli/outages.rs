//! `taintsim outages`: what a history of outages says, and which timeout is best for it.

use super::args::duration;
use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::file::write_whole;
use super::output::{OutputArg, TableFormat, table_fits};
use super::terminal::Terminal;
use crate::kernel::Dur;
use crate::language::{HistoryFormat, Problem};
use crate::outages::{Distribution, fits};
use crate::report::json;
use crate::report::outages::{Asked, OutagesTable, Told, chart_png, chart_svg, document, write};
use crate::report::tables::{csv, documents};
use crate::scenario;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// The form of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// node,start,end with a heading; seconds or RFC 3339. A node without times never failed
    Csv,
    /// A range of kube_node_status_condition{condition="Ready"}, as JSON, one or several
    Prometheus,
    /// event_trace.tab of the Failure Trace Archive
    Fta,
    /// Machine events of Google's cluster data, CSV of 2011 or JSON lines of 2019
    Google,
    /// A state file of SimGrid
    Simgrid,
}

/// A table of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum WhichTable {
    /// A row for what was measured and for each fit: which timeout is best by it
    #[default]
    Fits,
    /// A row for each outage of the history, whatever its form
    Outages,
}

/// Arguments of `taintsim outages`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OutagesArgs {
    /// A history of outages, also gzipped
    #[arg(value_name = "HISTORY")]
    file: PathBuf,
    /// Its form [default: told by its content]
    #[arg(long, value_enum)]
    from: Option<Kind>,
    /// Fit distributions to it, with their likelihoods
    #[arg(long)]
    fit: bool,
    /// What an eviction costs, in downtime of the pod: how long its replacement takes, and what else
    /// it is worth
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    price: Dur,
    /// How long it takes from the beginning of an outage until the node is tainted
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "45s")]
    detection: Dur,
    /// Draw what an outage costs by timeout, as PNG or SVG by the name's ending
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// With -o csv: which table [default: fits]
    #[arg(long, value_enum, value_name = "TABLE")]
    table: Option<WhichTable>,
}

/// Runs the command.
pub(crate) fn outages(args: &OutagesArgs, terminal: &Terminal) -> Outcome {
    table_fits(args.table.is_some(), args.output.form)?;
    let history =
        scenario::history(&args.file, args.from.map(Into::into)).map_err(Failure::Input)?;
    let begun_before = history.noticed;
    let history = history.noticed_after(args.detection.as_nanos() as f64 / 1e9);
    let Some(spans) = history.spans() else {
        return Err(Failure::Input(Problem::new("there is no outage in it")));
    };
    let told = Told {
        asked: Asked {
            file: args.file.display().to_string(),
            price: args.price,
            detection: args.detection,
        },
        fits: if args.fit { fits(&spans) } else { Vec::new() },
        measured: Distribution::Measured(Arc::new(spans.clone())),
        begun_before,
        history,
        spans,
    };
    if let Some(chart) = &args.chart {
        let bytes = match chart.extension().and_then(|e| e.to_str()) {
            Some("svg") => chart_svg(&told).map(String::into_bytes),
            Some("png") => chart_png(&told),
            _ => {
                let problem = Problem::new(format!("{} is neither .svg nor .png", chart.display()));
                return Err(Failure::Input(problem));
            }
        };
        write_whole(chart, &bytes.map_err(|e| Failure::Io(e.to_string()))?)?;
    }
    let mut out = terminal.out();
    match args.output.form {
        TableFormat::Text => write(&mut out, &told)?,
        TableFormat::Json => json::write(&mut out, &document(&told))?,
        TableFormat::Csv => match args.table.unwrap_or_default() {
            WhichTable::Fits => csv::write(&mut out, &documents::fits(&document(&told)))?,
            WhichTable::Outages => csv::write(&mut out, &OutagesTable(&told.history))?,
        },
    }
    out.flush()?;
    Ok(Exit::Fine)
}

impl From<Kind> for HistoryFormat {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Csv => Self::Csv,
            Kind::Prometheus => Self::Prometheus,
            Kind::Fta => Self::Fta,
            Kind::Google => Self::Google,
            Kind::Simgrid => Self::SimGrid,
        }
    }
}
