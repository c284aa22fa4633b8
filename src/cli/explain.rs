//! `taintsim explain`: why something happened to an object, or did not.

use super::finished;
use super::prelude::*;
use crate::analysis::explain::{Question, explain as explained, find};
use crate::language::duration;
use crate::report::absolute;
use crate::report::explain::{document, mermaid, write};

/// How an explanation is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// A JSON document
    Json,
    /// A graph for Mermaid
    Mermaid,
}

/// Arguments of `taintsim explain`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// A scenario, or the folder of a finished run
    #[arg(value_name = "FILE|DIR")]
    run: PathBuf,
    /// A pod, node, workload or zone: `web-3`, `pod/default/web-3`, `node/a-03`, `deployment/web`,
    /// `zone/b`
    #[arg(value_name = "OBJECT")]
    object: String,
    /// Tell how it stood at this time: `17m2s`, or as timelines have it, `17:02.5` [default: the
    /// end of the run]
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Time>,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the scenario; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    output: OutputArg<Format>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn explain(args: &ExplainArgs, terminal: &Terminal) -> Outcome {
    let overrides = args.change.overrides(args.sets.clone());
    let run = finished::open(&args.run, overrides, &terminal.quietly(args.quiet))?;
    let analysis = Analysis::new(&run.ready.plan, &run.trace);
    let horizon = analysis.horizon();
    let until = args.at.unwrap_or(horizon);
    if until > horizon {
        let (until, end) = (absolute(until), absolute(horizon));
        return Err(Problem::new(format!("--at {until} is after the end of the run, {end}")).into());
    }
    // Timelines cut times off behind the millisecond: one that is copied from there takes in what
    // happened in it.
    let behind = match until.as_nanos() % 1_000_000 {
        0 => Dur::from_nanos(999_999),
        _ => Dur::ZERO,
    };
    let until = until.saturating_add(behind).min(horizon);
    let object = find(&analysis, &args.object)?;
    let found =
        explained(Question { analysis: &analysis, until, groups: &run.ready.groups }, &object);
    let clock = run.ready.plan.begins.map(WallClock);
    print_text(terminal, |out| match args.output.form {
        Format::Text => write(out, &found, clock, terminal.style()),
        Format::Json => json::write(out, &document(&found, clock)),
        Format::Mermaid => mermaid(out, &found),
    })
}

/// A time from the start of the run: a duration, or `minutes:seconds`, or `hours:minutes:seconds`.
fn time(text: &str) -> Result<Time, String> {
    let wrong = || format!("{text:?} is no time: write \"17m2s\" or \"17:02.5\"");
    if !text.contains(':') {
        return duration::parse(text).map(|d| Time::from_nanos(d.as_nanos())).map_err(|_| wrong());
    }
    let (clock, seconds) = text.rsplit_once(':').ok_or_else(wrong)?;
    let seconds = duration::parse(&format!("{seconds}s")).ok();
    let seconds = seconds.filter(|s| *s < Dur::from_secs(60)).ok_or_else(wrong)?;
    let digits = |part: &str| {
        let number = part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<u64>().ok());
        number.flatten().filter(|n| *n < 1_000_000)
    };
    let minutes = match clock.split_once(':') {
        None => digits(clock),
        Some((hours, minutes)) => {
            let minutes = digits(minutes).filter(|m| *m < 60);
            digits(hours).zip(minutes).map(|(h, m)| h * 60 + m)
        }
    };
    Ok(Time::from_secs(minutes.ok_or_else(wrong)? * 60).saturating_add(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_timelines_write_them() {
        for (text, ms) in [
            ("17m2s", 1_022_000),
            ("17:02.5", 1_022_500),
            ("1:00:00.001", 3_600_001),
            ("0s", 0),
            ("90:00", 5_400_000),
        ] {
            assert_eq!(time(text), Ok(Time::from_millis(ms)), "{text}");
        }
        for text in [
            "",
            "17",
            "17:60",
            "1:60:00",
            ":",
            "a:b",
            "-1:00",
            "1:2:3:4",
            "99999999999999999999:00",
            "5:-1",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
