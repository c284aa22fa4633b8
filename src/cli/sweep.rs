//! `taintsim sweep`: scenarios with several values of a setting, each over the same seeds, in
//! parallel; one table.

use super::html;
use super::output::RecordsArg;
use super::prelude::*;
use super::run::{tell_imported, writable};
use super::shards::{Inputs, PlanShardsArgs, With, Work};
use crate::analysis::below_need::left_out;
use crate::analysis::ranges;
use crate::analysis::serving::BARE;
use crate::lab::sweep::{Outcome as Run, Ran, below_all_along, idle, run_all};
use crate::lab::{Case, Prepared, Sweep};
use crate::language::few;
use crate::report::not_whole_yet;
use crate::report::sweep::columns::{parse, usual};
use crate::report::sweep::{
    Cells, Heading, Layout, Swept, board, document, runs_table, table, tidy, write_folder,
    write_table,
};
use crate::scenario::split_values;
use std::borrow::Cow;

/// Arguments of `taintsim sweep`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SweepArgs {
    /// The scenarios; `-` is standard input. Of several each has rows of its own
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// A setting and the values to try, such as
    /// `workloads.web.template.tolerations[unreachable].tolerationSeconds=60,120,300`; of several
    /// such settings every combination is tried. One value alone holds for all
    #[arg(long = "set", value_name = "PATH=V1,V2,…")]
    sets: Vec<String>,
    /// The settings move together: the first value of each, the second of each, and so on, instead
    /// of every combination
    #[arg(long)]
    zip: bool,
    /// The figures to show, `replica_minutes_missing,evicted`, or of one workload,
    /// `web:longest_below_need_s`; `all` and `web:all` are all of them [default: what decides most
    /// often]
    #[arg(long, value_name = "FIGURE,…")]
    show: Vec<String>,
    /// What the cells of the table say of a figure over the seeds
    #[arg(long, value_enum, default_value_t)]
    cells: Cells,
    /// Show how each row differs from this one, seed by seed: its values, as `300` or `300 / 5m`,
    /// or the number of the row, as `#1`
    #[arg(long, value_name = "ROW")]
    against: Option<String>,
    /// How many seeds to run with each value: --seed and those after it, the same for every value
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder for results; those of FILE are in the folder NAME-sweep in it, which is replaced
    /// as a whole
    #[arg(long, value_name = "DIR", default_value = "output")]
    out: PathBuf,
    #[command(flatten)]
    change: ChangeArgs,
    #[command(flatten)]
    shards: PlanShardsArgs,
    /// An eviction was needless if its node was back within this time, a duration such as 90s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    needless_within: Dur,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// Show no progress, nor what was taken from an export that the scenario points at and what was
    /// left out
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    records: RecordsArg,
    /// Write report.html, too: curves, the table, and a run of each row to move through, in a browser
    #[arg(long)]
    html: bool,
}

/// Runs the command.
pub(crate) fn sweep(args: &SweepArgs, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    args.output.form.fits(false)?;
    let forms = args.records.forms()?;
    let loaded = load_all(&args.files, &work.inputs)?;
    let sweeps = sweeps(args, &loaded)?;
    let jobs = jobs(args.jobs);
    let prepared = sweeps.iter().map(|s| s.prepare(jobs)).collect::<Result<Vec<_>, _>>()?;
    let notes = prepared.iter().flat_map(|p| p.notes.clone());
    let mut heading = heading(&prepared, args, notes.collect(), args.seeds);
    let columns = parse(&args.show, &workloads(&prepared))
        .map_err(|p| Failure::Problems(Problems::one(p)))?;
    let against = args.against.as_deref().map(|text| row(text, &rows(&sweeps))).transpose()?;
    let all: Vec<&Loaded> = loaded.iter().collect();
    if let Some(planned) = work.planned(&args.shards, &args.out, &all, terminal) {
        return planned;
    }
    if work.writes() {
        writable(&args.out, &heading.name)?;
    }
    loaded.iter().for_each(|l| tell_imported(&l.imported, terminal));

    let (ran, after, progress) = run(args, (&sweeps, &prepared), &heading, work.desk(), terminal)?;
    let stopped = ran.seeds < args.seeds;
    if stopped {
        heading = self::heading(&prepared, args, heading.notes, ran.seeds);
        let said = format!("The sweep was interrupted: {} of {} seeds.", ran.seeds, args.seeds);
        heading.notes.push(said);
        // Results of an earlier sweep, which have more seeds than these, stay.
        if args.out.join(&heading.name).exists() {
            heading.name.push_str("-interrupted");
        }
    }
    let all_along = ran.cases.iter().filter_map(|of_file| left_out(&below_all_along(of_file)));
    heading.notes.extend(all_along);
    // What several files share is said once.
    let mut said = BTreeSet::new();
    heading.notes.retain(|note| said.insert(note.clone()));
    heading.notes.extend(change_nothing(&sweeps, &ran.cases));
    heading.notes.extend(sweeps.iter().flat_map(|s| &s.axes).find_map(parted));
    let cases = named(ran.cases, &loaded);
    let late = |c: &Case| c.runs.iter().map(|r| r.metrics.late.clone()).collect();
    let late: Vec<_> = cases.iter().map(|c| (c.values.join(" / "), late(c))).collect();
    heading.notes.extend(not_whole_yet("row", &late));
    heading.notes.extend(out_of_memory(&cases));
    progress.then("writing results");
    let columns = if columns.is_empty() { usual(&cases) } else { columns };
    let layout = Layout { columns, cells: args.cells, against };
    let swept = Swept { heading: &heading, layout: &layout, cases: &cases };
    if work.keep(|| found(swept))? {
        return if stopped { Err(Failure::Interrupted(after)) } else { Ok(Exit::Fine) };
    }
    let page = args.html.then(|| page(&sweeps, swept)).transpose()?;
    // Written to the end even if Ctrl-C comes now: what took an hour is not given up for the second
    // that this takes.
    let written = interrupt::heeding(|| write_folder(swept, &args.out, (page.as_ref(), forms)))?;
    progress.clear();
    let text = |p: &mut Printer<'_>| write_table(p, swept, Some(&written));
    args.output.form.print(terminal, text, || document(swept), || table(swept))?;
    if stopped {
        let (place, seeds) = (written.folder.display(), grouped(heading.seeds));
        let text = format!("{after}; those with the first {seeds} seeds are in {place}");
        return Err(Failure::Interrupted(text));
    }
    Ok(Exit::Fine)
}

/// One sentence for thresholds of several signals, each of which is a row without the others.
fn parted(axis: &Axis) -> Option<String> {
    let thresholds = axis.path.rsplit('.').next()?.starts_with("eviction-");
    let signal = |value: &String| {
        let (signal, _) = value.split_once(['<', '='])?;
        (!value.contains(',')).then(|| signal.to_owned())
    };
    let signals: BTreeSet<String> =
        axis.values.iter().map(signal).collect::<Option<_>>().filter(|_| thresholds)?;
    let all = axis.values.join(",");
    (signals.len() > 1).then(|| {
        format!("No row has all thresholds of `{}`, as commas part its values: `[{all}]`, in brackets, is one.", axis.path)
    })
}

/// A sentence for the settings with which no run of any file is another, and one for those that move no figure of any.
fn change_nothing(sweeps: &[Sweep<'_>], cases: &[Vec<Case>]) -> Vec<String> {
    let idle_in_all = |alike: fn(&Run, &Run) -> bool| {
        let all = sweeps.iter().zip(cases);
        let mut all = all.map(|(sweep, cases)| idle(&sweep.axes, sweep.zipped, cases, alike));
        let (mut first, others) = (all.next().unwrap_or_default(), Vec::from_iter(all));
        first.retain(|path| others.iter().all(|idle| idle.contains(path)));
        first
    };
    let (same, mut still) = (idle_in_all(Run::eq), idle_in_all(Run::has_figures_of));
    still.retain(|path| !same.contains(path));
    let told = |paths: Vec<&str>, does: [&str; 2], so: &str| {
        let names = Vec::from_iter(paths.iter().map(|path| format!("`{path}`"))).join(", ");
        let (does, values) = match paths.len() {
            0 => return None,
            1 => (does[0], "its values"),
            _ => (does[1], "their values"),
        };
        Some(format!("{names} {does} here: {so} with all of {values}"))
    };
    let same = told(same, ["changes nothing", "change nothing"], "every run is the same");
    let still = told(still, ["moves no figure", "move no figure"], "each seed comes to the same");
    let same = same.map(|text| text + ", record by record.");
    let still = still.map(|text| text + ", though not all of it happens alike.");
    same.into_iter().chain(still).collect()
}

/// One sentence for the rows in whose runs nodes ran out of memory.
fn out_of_memory(cases: &[Case]) -> Option<String> {
    let row = |case: &Case| {
        let some = case.runs.iter().map(|r| &r.used_up).filter(|nodes| !nodes.is_empty());
        let nodes: BTreeSet<&str> = some.clone().flatten().map(String::as_str).collect();
        let (times, of) = (grouped(some.count() as u64), grouped(case.runs.len() as u64));
        let named = ranges(&Vec::from_iter(&nodes));
        (!nodes.is_empty())
            .then(|| format!("{} ({named}, in {times} of {of} runs)", case.values.join(" / ")))
    };
    let rows: Vec<String> = cases.iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| {
        format!(
            "Nodes run out of memory with {}: the kernel kills before that, which is not simulated, so that the figures of these rows are not what would happen.",
            rows.join(", ")
        )
    })
}

/// What was found, for whoever asked for it.
fn found(swept: Swept<'_>) -> Result<Found> {
    let runs = runs_table(swept.heading, Cow::Owned(swept.cases.to_vec()));
    let board = |_| board(swept, Vec::new());
    Ok(Found {
        document: document(swept),
        page: html::page(|p| write_table(p, swept, None), board, Vec::new())?,
        tables: vec![("rows", Box::new(tidy(swept))), ("runs", Box::new(runs))],
    })
}

/// The page, with a run of each of the first rows, all with the first seed.
fn page(sweeps: &[Sweep<'_>], swept: Swept<'_>) -> Result<Page> {
    let rows =
        sweeps.iter().flat_map(|s| s.combinations().into_iter().map(move |values| (s, values)));
    let (mut named, mut runs) = (Vec::new(), Vec::new());
    for (i, ((sweep, values), case)) in rows.zip(swept.cases).take(html::RUNS_MAX).enumerate() {
        let name = format!("run-{i}");
        let columns = html::run_for_page(sweep.loaded, sweep.overrides(&values), sweep.window)?;
        named.push((case.values.join(" / "), name.clone()));
        runs.push((name, columns));
    }
    html::page(|p| write_table(p, swept, None), |_| board(swept, named), runs)
}

/// Reads the scenarios, whose rows must be told apart by their names.
fn load_all(files: &[PathBuf], inputs: &Inputs) -> Result<Vec<Loaded>> {
    let loaded = files.iter().map(|f| inputs.load(f)).collect::<Result<Vec<Loaded>, _>>()?;
    let mut names: Vec<&str> = loaded.iter().map(|l| l.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let name = twice[0];
        let text =
            format!("two scenarios are called `{name}`, and their rows could not be told apart");
        return Err(Problem::new(text).into());
    }
    Ok(loaded)
}

/// The sweep of each scenario.
fn sweeps<'a>(args: &SweepArgs, loaded: &'a [Loaded]) -> Result<Vec<Sweep<'a>>> {
    let (axes, fixed) = axes(args)?;
    let base = args.change.overrides(fixed);
    let sweep_of = |loaded| Sweep {
        loaded,
        base: base.clone(),
        axes: axes.clone(),
        zipped: args.zip,
        seeds: args.seeds,
        window: args.needless_within,
    };
    Ok(loaded.iter().map(sweep_of).collect())
}

/// Runs all scenarios with all values and seeds; with what has run comes `interrupted after 3 of 20
/// runs`, and the progress.
fn run(
    args: &SweepArgs,
    (sweeps, prepared): (&[Sweep<'_>], &[Prepared<'_>]),
    heading: &Heading,
    desk: Desk<'_>,
    terminal: &Terminal,
) -> Result<(Ran, String, Progress)> {
    let all = sweeps.iter().try_fold(0_u64, |n, s| n.checked_add(s.size()?)).unwrap_or(u64::MAX);
    let all = desk.share(all);
    let progress = Progress::new(terminal, &heading.scenario, all, |done, all| {
        format!("{} of {} runs", grouped(done), grouped(all))
    });
    let watch = |event| progress.goes_on(event);
    let ran = interrupt::heeding(|| run_all(prepared, &watch, desk))?;
    desk.over()?;
    let done = progress.counted();
    let after = format!("interrupted after {} of {} runs", grouped(done), grouped(all));
    if ran.seeds < args.seeds && ran.seeds == 0 {
        progress.clear();
        let place = args.out.join(&heading.name);
        let text = format!("{after}; nothing was written to {}", place.display());
        return Err(Failure::Interrupted(text));
    }
    Ok((ran, after, progress))
}

/// All rows; of several scenarios the name of each is the first value of its rows.
fn named(mut cases: Vec<Vec<Case>>, loaded: &[Loaded]) -> Vec<Case> {
    if loaded.len() > 1 {
        for (of_file, loaded) in cases.iter_mut().zip(loaded) {
            of_file.iter_mut().for_each(|case| case.values.insert(0, loaded.name.clone()));
        }
    }
    cases.concat()
}

impl SweepArgs {
    /// Says some of them anew.
    pub(crate) fn with(&mut self, with: &With) -> Result<()> {
        self.jobs = with.jobs.or(self.jobs);
        self.out = with.folder();
        self.output.say(with.output.as_deref())
    }
}

/// The values of each row, in their order; of several files the first is the scenario's name.
fn rows(sweeps: &[Sweep<'_>]) -> Vec<Vec<String>> {
    let of = |s: &Sweep<'_>| {
        let name = (sweeps.len() > 1).then(|| s.loaded.name.clone());
        let row = move |values| name.iter().cloned().chain::<Vec<String>>(values).collect();
        s.combinations().into_iter().map(row)
    };
    sweeps.iter().flat_map(of).collect()
}

/// The row that `--against` names: by its values, or as `#1`.
fn row(text: &str, rows: &[Vec<String>]) -> Result<usize> {
    let parts: Vec<&str> = text.split('/').map(str::trim).collect();
    let named =
        rows.iter().position(|values| values.join(" / ") == text.trim() || *values == parts);
    let numbered = || {
        text.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1).filter(|i| *i < rows.len())
    };
    named.or_else(numbered).ok_or_else(|| {
        if rows.len() < 2 {
            let text = format!("there is one row alone, and no `{text}` to hold it against");
            let help = "give a setting several values: --set PATH=60,120,300";
            return Failure::input(text, help);
        }
        let names = few(8, rows.iter().map(|r| format!("`{}`", r.join(" / "))));
        let text = format!("there is no row `{text}` to hold the others against");
        Failure::input(text, format!("one of {names}, or its number, `#1`"))
    })
}

/// The workloads of all plans of the first rows.
fn workloads(prepared: &[Prepared<'_>]) -> Vec<String> {
    let all = prepared.iter().flat_map(|p| p.first.workloads.iter().map(String::as_str));
    let all: BTreeSet<&str> = all.chain([BARE]).collect();
    all.into_iter().map(str::to_owned).collect()
}

/// The settings with several values, and the others as `PATH=VALUE`.
fn axes(args: &SweepArgs) -> Result<(Vec<Axis>, Vec<String>)> {
    let (mut axes, mut fixed): (Vec<Axis>, Vec<String>) = (Vec::new(), Vec::new());
    let mut problems = Vec::new();
    for text in &args.sets {
        match split_values(text) {
            Err(problem) => problems.push(problem),
            Ok((path, values)) if values.len() > 1 => axes.push(Axis { path, values }),
            Ok(_) => fixed.push(text.clone()),
        }
    }
    if problems.is_empty() { Ok((axes, fixed)) } else { Err(Failure::Problems(Problems(problems))) }
}

fn heading(prepared: &[Prepared<'_>], args: &SweepArgs, notes: Vec<String>, seeds: u64) -> Heading {
    let (sweep, first) = (prepared[0].sweep, &prepared[0].first);
    let mut axes = sweep.axes.clone();
    let names: Vec<String> = prepared.iter().map(|p| p.sweep.loaded.name.clone()).collect();
    let several = prepared.len() > 1;
    let more = if several { format!("-and-{}-more", prepared.len() - 1) } else { String::new() };
    let rows: Vec<_> = prepared.iter().map(|p| (&p.first, p.cases[0].1.start)).collect();
    let file = |(file, p): (&PathBuf, &Prepared<'_>)| {
        (file.display().to_string(), p.sweep.loaded.fingerprint())
    };
    if several {
        axes.insert(0, Axis { path: "scenario".to_owned(), values: names.clone() });
    }
    Heading {
        name: format!("{}{more}-sweep", first.name),
        scenario: names.join(", "),
        doc: if several { String::new() } else { first.doc.clone() },
        line: Heading::describe(&rows, &axes, seeds),
        unchecked: rows.iter().any(|(row, _)| !row.recorded),
        notes,
        axes,
        fixed: sweep.base.as_sets(),
        files: args.files.iter().zip(prepared).map(file).collect(),
        seeds,
        window: args.needless_within,
    }
}
