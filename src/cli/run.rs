//! `taintsim run`: simulates scenarios, prints a timeline and a summary of each, and writes a
//! folder of results.

use super::output::RecordsArg;
use super::prelude::*;
use crate::import::Summary;
use crate::lab::replay::played;
use crate::report;
use crate::report::{Report, Source, Style, TableForms, Written};

/// Arguments of `taintsim run`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Scenarios to simulate, one after the other, each with a document of its own where -o json asks
    /// for one; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder for results; those of FILE are in a folder of its name in it, which is replaced
    /// as a whole
    #[arg(long, value_name = "DIR", default_value = "output")]
    out: PathBuf,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the scenarios, such as
    /// `workloads.web.template.tolerations[unreachable].tolerationSeconds=60` or
    /// `flags.kube-controller-manager.node-monitor-grace-period=50s`; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// An eviction was needless if its node was back within this time, a duration such as 90s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    needless_within: Dur,
    #[command(flatten)]
    output: OutputArg<Format>,
    /// Write report.html, too: one file that shows the run in a browser, to zoom into and to search
    #[arg(long)]
    html: bool,
    #[command(flatten)]
    records: RecordsArg,
    /// Print the summary without the timeline; with --quiet, too
    #[arg(long)]
    summary: bool,
    /// Print nothing but mistakes, and what `-o json` asks for: no progress, no report, nor what was
    /// taken from an export that a scenario points at and what was left out
    #[arg(long, short)]
    quiet: bool,
}

/// A scenario that is ready to run.
pub(crate) struct Ready {
    /// What is run.
    pub(crate) plan: Plan,
    /// Where it came from.
    pub(crate) source: Source,
    /// The names of its groups of pods.
    pub(crate) groups: Vec<String>,
    /// What was taken from the export that the scenario points at.
    pub(crate) imported: Option<Summary>,
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    let forms = args.records.forms()?;
    // All scenarios are read before the first one runs: a mistake in the last one is not found an
    // hour later.
    let mut ready: Vec<Ready> = Vec::new();
    let mut problems = Vec::new();
    for file in &args.files {
        match prepare(file, args.change.overrides(args.sets.clone())) {
            Ok(scenario) => ready.push(scenario),
            Err(found) => problems.extend(found.0),
        }
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    for (i, later) in ready.iter().enumerate() {
        if let Some(earlier) = ready[..i].iter().find(|r| r.plan.name == later.plan.name) {
            let place = args.out.join(&later.plan.name);
            let (one, other) = (&earlier.source.file, &later.source.file);
            let message =
                format!("the results of {one} and {other} would both be {}", place.display());
            let help = "run them one by one, with different folders as --out";
            return Err(Failure::input(message, help));
        }
    }
    ready.iter().try_for_each(|scenario| writable(&args.out, &scenario.plan.name))?;
    let mut out = terminal.out();
    for (i, scenario) in ready.iter().enumerate() {
        tell_imported(&scenario.imported, terminal);
        if i > 0 && args.output.form == Format::Text && (args.summary || !args.quiet) {
            writeln!(out)?;
        }
        one(scenario, (args, forms), terminal, &mut out)?;
        out.flush()?;
    }
    Ok(Exit::Fine)
}

/// Reads a scenario, from standard input where the path is `-`.
pub fn load(file: &Path) -> Result<Loaded, Problems> {
    if !is_stdin(file) {
        return scenario::load(file);
    }
    scenario::parse(STDIN, stdin()?, Path::new(""))
}

/// Says what was taken from the export that a scenario points at, and what was left out.
pub(crate) fn tell_imported(imported: &Option<Summary>, terminal: &Terminal) {
    terminal.aside(imported.iter().flat_map(Summary::lines));
}

/// Reads a scenario and changes it as the command line says.
pub(crate) fn prepare(file: &Path, overrides: Overrides) -> Result<Ready, Problems> {
    ready(load(file)?, file.display().to_string(), overrides)
}

/// Makes a scenario ready to run; `file` is what it was read from, for people.
pub(crate) fn ready(loaded: Loaded, file: String, overrides: Overrides) -> Result<Ready, Problems> {
    let plan = scenario::build(&loaded, &overrides)?;
    let seed = scenario::seed(&loaded, &overrides)?;
    let (fingerprint, text, set) =
        (loaded.fingerprint(), loaded.source.text.clone(), overrides.as_sets());
    let source = Source { file, text, fingerprint, set, seed };
    Ok(Ready { plan, groups: loaded.groups(), source, imported: loaded.imported })
}

/// Fails now, and not after a long simulation, where results could not be written.
pub(crate) fn writable(out: &Path, name: &str) -> Result<()> {
    Ok(Folder::create(out, name).map(drop)?)
}

/// The folder that another is made in, and the name of that one there; it is what `of` has.
pub(super) fn place<'o>(out: &'o Path, of: &str) -> Result<(&'o Path, &'o str)> {
    let name = out.file_name().and_then(|n| n.to_str());
    let name = name.ok_or_else(|| {
        let text = format!("{} cannot be the folder of {of}", out.display());
        Failure::input(text, "name a new folder with --out")
    })?;
    let parent = out.parent().filter(|p| !p.as_os_str().is_empty());
    Ok((parent.unwrap_or(Path::new(".")), name))
}

/// A folder that was not written, because it could not be or somebody asked for an end.
pub(super) fn not_written(error: impl Into<Failure>, folder: &Path) -> Failure {
    if !interrupt::asked() {
        return error.into();
    }
    Failure::Interrupted(format!("interrupted; nothing was written to {}", folder.display()))
}

fn one(
    scenario: &Ready,
    (args, forms): (&RunArgs, TableForms),
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Result<()> {
    let Ready { plan, source, groups, .. } = scenario;
    let progress = progress(plan, terminal);
    let nothing = format!("; nothing was written to {}", args.out.join(&plan.name).display());
    let trace = simulate(scenario, &progress, &nothing)?;
    progress.then("writing results");
    let analysis = Analysis::new(plan, &trace);
    let report = Report::new(&analysis, source, args.needless_within);
    let page = args.html.then(|| Page::of_run(&report, groups));
    let written = write(&report, &args.out, (page.as_ref(), forms))?;
    progress.clear();
    match args.output.form {
        Format::Text if args.summary => {
            let mut p = Printer::new(out, terminal.style());
            p.header(&report)?;
            p.rest(&report, Some(&written))?;
        }
        Format::Text if args.quiet => {}
        Format::Json if args.summary => json::write(out, &json::summary_document(&report))?,
        form => print(out, &report, Some(&written), form, terminal.style())?,
    }
    Ok(())
}

/// Prints the report of a run.
pub(crate) fn print(
    out: &mut dyn Write,
    report: &Report<'_>,
    written: Option<&Written>,
    format: Format,
    style: Style,
) -> io::Result<()> {
    match format {
        Format::Text => report::text::write(out, report, written, style),
        Format::Json => {
            let folder = written.map(|w| w.folder.display().to_string());
            let files = written.map_or(&[][..], |w| &w.files);
            json::write(out, &json::document(report, folder.as_deref(), files))
        }
    }
}

/// The progress of a simulation.
pub(crate) fn progress(plan: &Plan, terminal: &Terminal) -> Progress {
    Progress::new(terminal, &plan.name, plan.horizon.as_millis(), |done, all| {
        let clock = |ms| report::short(Dur::from_secs(ms / 1000));
        format!("{} of {} simulated", clock(done), clock(all))
    })
}

/// Runs a scenario to its end; `meant` says what became of the work where Ctrl-C ends it.
pub(crate) fn simulate(scenario: &Ready, progress: &Progress, meant: &str) -> Result<Trace> {
    let of_file = |given_up: Problem| given_up.about(&scenario.source.file);
    if scenario.plan.tape.is_some() {
        let play = || interrupt::heeding(|| played(&scenario.plan, &|| !interrupt::asked()));
        let run = unless_endless(play).map_err(of_file)?;
        let interrupted = || Failure::Interrupted(format!("interrupted{meant}"));
        let (trace, departure) = run.ok_or_else(interrupted)?;
        if let Some(d) = departure {
            let text = format!("the run departs from its tape: {}", d.text);
            progress
                .note(&format!("{text}; `taintsim replay {}` shows where", scenario.source.file));
        }
        return Ok(trace);
    }
    let mut reached = Time::ZERO;
    let mut goes_on = |now: Time| {
        reached = now;
        progress.set(now.as_millis());
        !interrupt::asked()
    };
    let choices = Choices::seeded(scenario.source.seed);
    let run = || interrupt::heeding(|| sim::run_watched(&scenario.plan, choices, &mut goes_on));
    let (trace, finished) = unless_endless(run).map_err(of_file)?;
    if finished && !interrupt::asked() {
        return Ok(trace);
    }
    progress.clear();
    let Plan { name, horizon, .. } = &scenario.plan;
    let at = report::short(Dur::from_secs(reached.as_secs()));
    let all = report::short(Dur::from_nanos(horizon.as_nanos()));
    Err(Failure::Interrupted(format!("interrupted after {at} of {all} of {name}{meant}")))
}

fn write(report: &Report<'_>, out: &Path, also: (Option<&Page>, TableForms)) -> Result<Written> {
    let write = || report::write_folder(report, out, also, interrupt::unfinished);
    let written = interrupt::writing(write);
    written.map_err(|error| not_written(error, &out.join(&report.analysis.plan.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::DEFAULT_NEEDLESS_WINDOW;

    #[test]
    fn the_default_window_is_the_one_of_the_figures() {
        assert_eq!(duration("5m"), Ok(DEFAULT_NEEDLESS_WINDOW));
    }
}
