//! One forecast, or one after the other.

use super::courses::{Courses, ForecastArgs};
use crate::analysis::course::Happening;
use crate::cli::file::{replaces_only_by_force, write_chart};
use crate::cli::given;
use crate::cli::html::page;
use crate::cli::import::read;
use crate::cli::prelude::*;
use crate::cli::shards::Work;
use crate::import::KUBECTL;
use crate::report::forecast::{
    Basis, Outlook, board, changes, chart, document, table, write, write_beside,
};
use crate::report::short;
use crate::report::tables::csv;

/// A deletion in at least this part of the seeds is one that will be.
const LIKELY: f64 = 0.5;
/// The longest stretch of waiting in which nobody looks whether Ctrl-C was pressed.
const NAP: Dur = Dur::from_millis(100);

/// A forecast that was printed, kept for what has changed since.
type Printed = (Basis, Vec<(String, Forecast)>);

/// Runs the command.
pub(crate) fn forecast(args: &ForecastArgs, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    replaces_only_by_force(args.chart.as_deref(), args.force)?;
    args.output.form.fits(false)?;
    args.html.fits()?;
    if args.output.form == TableFormat::Parquet && args.watch.is_some() && args.times != Some(1) {
        let problem = Problem::new("a file of Parquet takes no rows of later exports");
        return Err(problem.help("look once, with `--times 1`, or take csv").into());
    }
    let mut before: Option<Printed> = None;
    let mut exports = 0;
    loop {
        let looked = inputs(args, work).and_then(|inputs| Courses::of(&inputs, args));
        let mut courses = match looked {
            Ok(courses) => courses,
            // In an outage the API server may well be away for a while.
            Err(why) if before.is_some() => {
                _ = why.report(terminal);
                terminal.note(&format!("it looks again in {}", short(args.every)));
                wait(args.every)?;
                continue;
            }
            Err(why) => return Err(why),
        };
        if !args.quiet && before.is_none() {
            courses.taken.iter().for_each(|line| terminal.note(line));
        }
        let forecasts = courses.run(args, terminal)?;
        let printed = (courses.basis, forecasts);
        if work.keep(|| found(&printed))? {
            return Ok(exit(args, &printed));
        }
        print(args, terminal, &printed, before.as_ref())?;
        exports += 1;
        let last = args.watch.is_none() || args.times.is_some_and(|times| exports >= times);
        if last {
            return Ok(exit(args, &printed));
        }
        before = Some(printed);
        wait(args.every)?;
    }
}

/// The export, from wherever it comes.
fn inputs(args: &ForecastArgs, work: &Work<'_>) -> Result<Vec<Input>> {
    match &args.watch {
        Some(command) if command.trim() == "kubectl" => Ok(vec![asked(args)?]),
        Some(command) => Ok(vec![input_of(command, given::shell(command)?)?]),
        None if !args.files.is_empty() => args.files.iter().map(|file| input(file, work)).collect(),
        None if given::is_plugin() => Ok(vec![asked(args)?]),
        None => Err(Failure::input(
            "no export is given",
            format!(
                "`{KUBECTL} | taintsim forecast -`, or `taintsim forecast --watch kubectl`, or `kubectl taintsim forecast`"
            ),
        )),
    }
}

/// The export that kubectl is asked for.
fn asked(args: &ForecastArgs) -> Result<Input> {
    input_of(given::SAID, args.kubectl.get()?)
}

fn input_of(name: &str, bytes: Vec<u8>) -> Result<Input> {
    Ok(Input::from_bytes(name, bytes)?)
}

/// An export from a file, or a text that stands for one.
fn input(file: &Path, work: &Work<'_>) -> Result<Input> {
    match work.inputs.text_of(file) {
        Some(text) => input_of(&file.display().to_string(), text.to_vec()),
        None => read(file),
    }
}

fn print(
    args: &ForecastArgs,
    terminal: &Terminal,
    (basis, forecasts): &Printed,
    before: Option<&Printed>,
) -> Result<()> {
    let outlooks = Outlook::all(basis, forecasts);
    let Some((base, others)) = outlooks.split_first() else { return Ok(()) };
    let was = before.map(|(basis, forecasts)| Outlook::all(basis, forecasts));
    let changed = was.and_then(|was| Some(changes(was.first()?, base)));
    let form = args.output.form;
    if form == TableFormat::Csv && before.is_some() {
        // Those of one export after the other are one table; `at` tells them apart.
        print_text(terminal, |out| csv::write_on(out, &table(base, others)))?;
    } else {
        let text = |p: &mut Printer<'_>| {
            if let Some(changed) = &changed {
                writeln!(p.out)?;
                for line in changed {
                    writeln!(p.out, "* {line}")?;
                }
            }
            write(p, base, args.all)?;
            write_beside(p, &outlooks)
        };
        let document = || {
            let mut whole = document(base, others);
            if let Some(changed) = &changed {
                whole["changes"] = changed.clone().into();
            }
            whole
        };
        form.print(terminal, text, document, || table(base, others))?;
    }
    if let Some(file) = &args.chart {
        write_chart(file, &chart(base))?;
    }
    args.html.write(|| page_of(&outlooks))
}

/// What was found, for whoever asked for it.
fn found((basis, forecasts): &Printed) -> Result<Found> {
    let outlooks = Outlook::all(basis, forecasts);
    let Some((base, others)) = outlooks.split_first() else {
        return Err(Failure::Io("a forecast has a course".to_owned()));
    };
    Ok(Found {
        document: document(base, others),
        page: page_of(&outlooks)?,
        tables: vec![("rows", Box::new(table(base, others)))],
    })
}

/// The page of a forecast, which the next export's replaces.
fn page_of(outlooks: &[Outlook<'_>]) -> Result<Page> {
    let print = |p: &mut Printer<'_>| {
        for outlook in outlooks.iter().take(1) {
            write(p, outlook, false)?;
        }
        write_beside(p, outlooks)
    };
    page(print, |text| board(outlooks, text), Vec::new())
}

fn exit(args: &ForecastArgs, (_, forecasts): &Printed) -> Exit {
    let comes = |f: &Forecast| {
        let mut deleted = f.happenings.iter().filter(|h| h.what == Happening::PodDeleted);
        deleted.any(|h| h.when.share >= LIKELY)
    };
    Exit::fine_if(!args.exit_code || !forecasts.first().is_some_and(|(_, base)| comes(base)))
}

/// Waits for the next export.
#[expect(clippy::disallowed_methods, reason = "exports are made by the clock on the wall")]
fn wait(every: Dur) -> Result<()> {
    let mut left = every;
    while !left.is_zero() {
        if interrupt::heeding(interrupt::asked) {
            return Err(Failure::Interrupted("stopped".to_owned()));
        }
        let nap = left.min(NAP);
        std::thread::sleep(std::time::Duration::from_nanos(nap.as_nanos()));
        left = left.saturating_sub(nap);
    }
    Ok(())
}
