//! `taintsim outages`: what a history of outages says, and which timeout is best for it.

use super::html::{HtmlArg, page};
use super::prelude::*;
use crate::language::HistoryFormat;
use crate::outages::{Distribution, Noticing, fits};
use crate::report::outages::{Told, board, chart, document, fits_table, outages_table, write};
use std::sync::Arc;

/// A table of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum WhichTable {
    /// A row for what was measured and for each fit: which timeout is best by it
    #[default]
    Fits,
    /// A row for each outage of the history, whatever its form
    Outages,
}

/// Detection varies by so many seconds either way: of heartbeats, which are ten seconds apart, and
/// of passes, which are five.
const EITHER_WAY_S: f64 = 7.5;
/// A pass comes every so many seconds, and takes the taint of a node off that is heard again.
const PASS_S: f64 = 5.0;

/// When nodes are tainted, from the beginning of an outage.
fn detection(text: &str) -> Result<Noticing, String> {
    let seconds = |text: &str| duration(text).map(Dur::as_secs_f64);
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (seconds(from)?, seconds(to)?),
        None => {
            let middle = seconds(text)?;
            // None is before its outage, and the middle stays what was said.
            let either_way = EITHER_WAY_S.min(middle);
            (middle - either_way, middle + either_way)
        }
    };
    let noticing = Noticing { from, to, back: PASS_S };
    (from <= to).then_some(noticing).ok_or_else(|| "it ends before it begins".to_owned())
}

/// Arguments of `taintsim outages`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OutagesArgs {
    /// A history of outages, also gzipped; `-` is standard input
    #[arg(value_name = "HISTORY")]
    file: PathBuf,
    /// Its form [default: told by its content]
    #[arg(long, value_enum)]
    from: Option<HistoryFormat>,
    /// Fit distributions to it, with their likelihoods
    #[arg(long)]
    fit: bool,
    /// What an eviction costs, in downtime of the pod: how long its replacement takes, and what else
    /// it is worth
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    price: Dur,
    /// How long it takes from the beginning of an outage until the node is tainted: a range, or its
    /// middle, as heartbeats and passes make a difference of 15s. That is 35s..50s up to 1.31, where
    /// the grace period is 40s, 45s..60s in 1.32 and 1.33, where it is 50s, and 40s..55s from 1.34 on,
    /// which taints a node a pass sooner; the default holds for all
    #[arg(long, value_name = "FROM..TO", value_parser = detection, default_value = "35s..60s")]
    detection: Noticing,
    /// Draw what an outage costs by toleration, as PNG or SVG by the name's ending
    #[arg(long, value_name = "FILE", value_parser = chart_file)]
    chart: Option<PathBuf>,
    /// Replace the chart's file where it is there
    #[arg(long, requires = "chart")]
    force: bool,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// With -o csv and -o parquet: which table [default: fits]
    #[arg(long, value_enum, value_name = "TABLE")]
    table: Option<WhichTable>,
    #[command(flatten)]
    html: HtmlArg,
}

/// Runs the command.
pub(crate) fn outages(args: &OutagesArgs, terminal: &Terminal) -> Outcome {
    args.output.form.fits(args.table.is_some())?;
    replaces_only_by_force(args.chart.as_deref(), args.force, std::slice::from_ref(&args.file))?;
    args.html.fits()?;
    let noticing = args.detection;
    let from_stdin = is_stdin(&args.file);
    let history = match from_stdin {
        true => scenario::history_of(STDIN, stdin()?, args.from)?,
        false => scenario::history(&args.file, args.from)?,
    };
    let begun_before = history.noticed;
    let history = history.noticed_after(noticing.middle());
    let Some(spans) = history.spans() else {
        return Err(Failure::Input(Problem::new("there is no outage in it")));
    };
    let told = Told {
        file: shown(&args.file),
        from_stdin,
        price: args.price,
        noticing,
        fits: if args.fit { fits(&spans) } else { Vec::new() },
        measured: Distribution::Measured(Arc::new(spans.clone())),
        begun_before,
        history,
        spans,
    };
    if let Some(file) = &args.chart {
        write_chart(file, &chart(&told))?;
    }
    let table = || match args.table.unwrap_or_default() {
        WhichTable::Fits => fits_table(&told),
        WhichTable::Outages => outages_table(&told.history),
    };
    args.output.form.print(terminal, |p| write(p, &told), || document(&told), table)?;
    args.html.write(|| page(|p| write(p, &told), |text| board(&told, text), Vec::new()))?;
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::{OutagesArgs, detection};
    use crate::analysis::metrics;
    use crate::kernel::{Choices, Dur};
    use crate::scenario::{Overrides, drawn, parse};
    use crate::sim;
    use std::path::Path;

    #[test]
    fn a_single_time_is_the_middle() {
        let of = |text| detection(text).map(|n| (n.from, n.to));
        assert_eq!(of("45s"), Ok((37.5, 52.5)));
        assert_eq!(of("5s"), Ok((0.0, 10.0)));
        assert_eq!(of("0s"), Ok((0.0, 0.0)));
    }

    /// A heartbeat is up to ten seconds old when its node falls silent, the grace period is 40 s up to 1.31 and 50 s after that, a pass
    /// every five seconds finds the node, and up to 1.33 the next one taints it: 40 - 10 + 5 to 40 + 5 + 5 s, ten more, and 50 - 10 to
    /// 50 + 5. In a run of twenty something else may come between.
    #[test]
    fn the_default_holds_for_all_releases() {
        let command = <OutagesArgs as clap::Args>::augment_args(clap::Command::new("outages"));
        let arg =
            command.get_arguments().find(|arg| arg.get_id() == "detection").expect("it is one");
        let default = arg.get_default_values()[0].to_str().expect("it is text");
        let default = detection(default).expect("it can be read");
        let text = r#"Scenario(version: 1, horizon: "4m", nodes: [(names: "n-{0..3}")],
            timeline: [(at: "90s", do: Partition(node: "n-0", duration: "2m"))])"#;
        let loaded = parse("d.ron", text.into(), Path::new("")).expect("a scenario");
        for (release, from, to) in
            [("1.31", 35.0, 50.0), ("1.33", 45.0, 60.0), ("1.34", 40.0, 55.0)]
        {
            assert!(default.from <= from && to <= default.to, "{release}: {default:?}");
            let of_release =
                Overrides { kubernetes: Some(release.to_owned()), ..Overrides::default() };
            let mut drawn = drawn(&loaded, &of_release).expect(release);
            let tainted = |seed: u64| {
                let plan = drawn.of(seed);
                let found =
                    metrics(plan, &sim::run(plan, Choices::seeded(seed)), Dur::from_secs(300));
                found.tainting.expect("it is tainted").median.as_secs_f64()
            };
            let all: Vec<f64> = (1..=40).map(tainted).collect();
            let within = all.iter().filter(|s| (from..=to).contains(*s)).count();
            assert!(within >= 38, "{release}: {all:?}");
        }
    }
}
