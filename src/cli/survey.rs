//! `taintsim survey`: every single loss of a cluster, worst first, and what to know of it.

use super::args::ManyArgs;
use super::given::{KubectlArgs, asked, given};
use super::html::{HtmlArg, RUNS_MAX, page, run_for_page};
use super::prelude::*;
use super::shards::{PlanShardsArgs, With, Work};
use crate::import::device_taint_rules;
use crate::lab::survey::{How, Kind, Limit, Lost, Survey, Surveyed, Wanted};
use crate::language::{DeviceTaintRule, Tree, few};
use crate::report::survey::{Called, SurveyReport, board, document, losses, workloads, write};
use clap::ValueEnum;

/// What a loss can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum As {
    /// A scenario, which `run` and `explain` take
    Scenario,
}

/// A table of a survey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum WhichTable {
    /// A row for each loss
    #[default]
    Losses,
    /// A row for each workload that a loss touches
    Workloads,
}

/// Arguments of `taintsim survey`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SurveyArgs {
    /// A scenario, or what `kubectl get … -o json` printed; `-` is standard input. As
    /// `kubectl taintsim survey` it calls kubectl itself where none is given
    #[arg(value_name = "FILE", conflicts_with_all = ["context", "kubeconfig"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    kubectl: KubectlArgs,
    /// What is lost, each alone: node, zone, region, label=KEY (all nodes with the same value, a
    /// rack say), controller, api, device (each is tainted NoExecute), device=DRIVER/POOL/DEVICE, rule=FILE (what the
    /// DeviceTaintRules of the file would do) [default: node, zone, controller, api]
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = Kind::parse)]
    lose: Vec<Kind>,
    /// Beside the single losses two things at one time, such as zone+node; may be given several times
    #[arg(long, value_name = "KIND+KIND", value_parser = pair)]
    pairs: Vec<(Kind, Kind)>,
    /// Only these losses, by their names in the table, such as node/a-03
    #[arg(long, value_name = "LOSS,…", value_delimiter = ',')]
    only: Vec<String>,
    /// How long everything is lost
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, default_value = "10m")]
    lasts: Dur,
    /// How nodes are lost
    #[arg(long, value_enum, default_value_t)]
    by: How,
    /// End with 1 if a loss comes to more than that: down>5m, pending>0, missing>30, stuck>0; may
    /// be given several times
    #[arg(long, value_name = "FIGURE>VALUE", value_delimiter = ',', value_parser = Limit::parse)]
    fail_on: Vec<Limit>,
    /// How many rows the table has
    #[arg(long, value_name = "N", default_value_t = 8)]
    rows: usize,
    /// Write the one loss of --only as a scenario instead, which `run` and `explain` take
    #[arg(long = "as", value_enum, requires = "only", conflicts_with_all = ["output", "table", "html", "rows", "fail_on"])]
    as_what: Option<As>,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// With -o csv and -o parquet: which table [default: losses]
    #[arg(long, value_enum, value_name = "TABLE")]
    table: Option<WhichTable>,
    /// The folder of the work plan that --plan-shards writes
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    shards: PlanShardsArgs,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    html: HtmlArg,
}

impl SurveyArgs {
    /// Says some of them anew.
    pub(crate) fn with(&mut self, with: &With) -> Result<()> {
        self.many.jobs = with.jobs.or(self.many.jobs);
        no_folder(with.out.is_some() && self.html.html.is_none())?;
        self.html.put_into(&with.folder());
        self.output.say(with.output.as_deref())
    }
}

/// Reads `zone+node`.
fn pair(text: &str) -> Result<(Kind, Kind), String> {
    let (a, b) = text
        .split_once('+')
        .ok_or_else(|| format!("{text:?} is no pair: write two kinds, such as zone+node"))?;
    Ok((Kind::parse(a)?, Kind::parse(b)?))
}

/// Refuses a folder for results where nothing would be in it.
fn no_folder(is_vain: bool) -> Result<()> {
    let help = "-o with json, csv and parquet prints them, `--html=FILE` writes a page; with --plan-shards --out is the folder of the work plan";
    refuse_if(is_vain, "survey writes no folder of results, and --out names one", help)
}

/// Runs the command.
pub(crate) fn survey(args: &SurveyArgs, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.many.quiet);
    args.output.form.fits(args.table.is_some())?;
    if work.writes() {
        args.html.fits()?;
    }
    no_folder(args.out.is_some() && !args.shards.is_asked())?;
    let is_scenario = args.as_what.is_some();
    (args.shards).refuses(is_scenario, "--as scenario", "leave one of them out")?;
    let help = "write what `kubectl get` prints to a file";
    (args.shards).refuses(args.file.is_none(), "a cluster that kubectl is asked for", help)?;
    let loaded = match &args.file {
        Some(file) => given(file, &work.inputs, terminal)?,
        None => asked(&args.kubectl, "survey", terminal)?,
    };
    let (kinds, pairs, only) = (args.lose.clone(), args.pairs.clone(), args.only.clone());
    let survey = Survey {
        loaded: &loaded,
        overrides: args.many.overrides(),
        wanted: Wanted { kinds, pairs, only, rules: rules(args, work)? },
        how: args.by,
        lasts: args.lasts,
        window: args.many.needless_within,
    };
    survey.check()?;
    if args.as_what == Some(As::Scenario) {
        return as_scenario(&survey, terminal);
    }
    survey.losses()?;
    let out = args.out.as_deref().unwrap_or(Path::new(""));
    if let Some(planned) = work.planned(&args.shards, out, &[&loaded], terminal) {
        return planned;
    }
    let done = run(&survey, jobs(args.many.jobs), work.desk(), terminal)?;
    let report = reported(args, &survey, &done)?;
    if !work.keep(|| found(&report))? {
        let table = || match args.table.unwrap_or_default() {
            WhichTable::Losses => losses(&done),
            WhichTable::Workloads => workloads(&done),
        };
        args.output.form.print(terminal, |p| write(p, &report), || document(&report), table)?;
        args.html.write(|| {
            let (named, runs) = worst(&survey, &done)?;
            page(|p| write(p, &report), |_| board(&report, &named), runs)
        })?;
    }
    if done.losses < done.asked {
        let (ran, all) = (grouped(done.losses as u64), grouped(done.asked as u64));
        return Err(Failure::Interrupted(format!("interrupted after {ran} of {all} losses")));
    }
    Ok(Exit::fine_if(report.broken.is_empty()))
}

/// The rules of the files that are named.
fn rules(args: &SurveyArgs, work: &Work<'_>) -> Result<BTreeMap<String, Vec<DeviceTaintRule>>> {
    let mut rules = BTreeMap::new();
    for kind in args.lose.iter().chain(args.pairs.iter().flat_map(|(a, b)| [a, b])) {
        if let Kind::Rule(file) = kind {
            let bytes = work.inputs.read(Path::new(file))?;
            rules.insert(file.clone(), device_taint_rules(&Input::from_bytes(file, bytes)?)?);
        }
    }
    Ok(rules)
}

/// Writes a single loss as a scenario.
fn as_scenario(survey: &Survey<'_>, terminal: &Terminal) -> Outcome {
    let losses = survey.losses()?;
    let [loss] = losses.as_slice() else {
        let problem = Problem::new("a scenario has one loss, and --only names several");
        return Err(Failure::Input(problem));
    };
    let spec = survey.as_scenario(loss)?;
    write_text(None, &Tree::of(&spec).file(), terminal)
}

fn run(survey: &Survey<'_>, jobs: usize, desk: Desk<'_>, terminal: &Terminal) -> Result<Surveyed> {
    let all: usize = survey.losses()?.iter().map(|loss| loss.count()).sum();
    let all = desk.share(all as u64);
    let progress = Progress::new(terminal, &survey.loaded.name, all, |done, all| {
        format!("{} of {} losses", grouped(done), grouped(all))
    });
    let watch = |event| progress.goes_on(event);
    let ran = progress.during(|| survey.run(jobs, &watch, desk));
    let first = || "interrupted before the first loss".to_owned();
    let ran = ran.map_err(|why| Failure::stopped(why, first))?;
    desk.over()?;
    Ok(ran)
}

/// Which losses break which limits, or may break them for all that is known, a sentence each.
fn broken(args: &SurveyArgs, done: &Surveyed) -> Vec<String> {
    let named = |losses: Vec<&Lost>| {
        Some(few(1, losses.iter().map(|l| l.loss.name()))).filter(|named| !named.is_empty())
    };
    let of = |limit: &Limit| {
        let (too_much, others): (Vec<&Lost>, Vec<&Lost>) =
            done.lost.iter().partition(|l| limit.is_broken(&l.damage.figures));
        let is_open = |l: &&Lost| limit.measure.rises_with_volumes && l.is_least();
        let text = &limit.text;
        let broken = named(too_much).map(|n| format!("--fail-on '{text}': {n}"));
        let open = named(others.into_iter().filter(is_open).collect())
            .map(|n| format!("--fail-on '{text}': not known of {n}, as volumes are not simulated"));
        [broken, open]
    };
    args.fail_on.iter().flat_map(of).flatten().collect()
}

/// What was found, for whoever asked for it.
fn found(report: &SurveyReport<'_>) -> Result<Found> {
    Ok(Found {
        document: document(report),
        page: page(|p| write(p, report), |_| board(report, &[]), Vec::new())?,
        tables: vec![
            ("rows", Box::new(losses(report.survey))),
            ("workloads", Box::new(workloads(report.survey))),
        ],
    })
}

/// Runs of a page: for each loss the name of its run, and each run under its name.
type Runs = (Vec<Option<String>>, Vec<(String, Vec<u8>)>);

/// The worst losses as runs of a page.
fn worst(survey: &Survey<'_>, done: &Surveyed) -> Result<Runs> {
    let (mut named, mut runs) = (Vec::new(), Vec::new());
    for (i, lost) in done.lost.iter().take(RUNS_MAX).enumerate() {
        let loaded = Loaded { spec: survey.as_scenario(&lost.loss)?, ..survey.loaded.clone() };
        let name = format!("run-{i}");
        let columns = run_for_page(&loaded, Overrides::default(), survey.window)?;
        named.push(Some(name.clone()));
        runs.push((name, columns));
    }
    Ok((named, runs))
}

fn reported<'a>(
    args: &SurveyArgs,
    survey: &Survey<'_>,
    done: &'a Surveyed,
) -> Result<SurveyReport<'a>, Problems> {
    let plan = scenario::build(survey.loaded, &survey.overrides)?;
    let (line, mut basis) = args.many.ran_by(survey.loaded, &plan, args.file.as_deref())?;
    basis["by"] = args.by.to_possible_value().map(|by| by.get_name().to_owned()).into();
    Ok(SurveyReport {
        name: survey.loaded.name.clone(),
        line,
        basis,
        notes: plan.notes,
        lasts: args.lasts,
        rows: args.rows,
        survey: done,
        called: called(args),
        broken: broken(args, done),
    })
}

/// The options that whoever wants to see a loss has to give, too.
fn called(args: &SurveyArgs) -> Called {
    let mut options = args.kubectl.options();
    if !args.lose.is_empty() {
        let all: Vec<String> = args.lose.iter().map(Kind::written).collect();
        options.extend(["--lose".to_owned(), all.join(",")]);
    }
    for (a, b) in &args.pairs {
        options.extend(["--pairs".to_owned(), format!("{}+{}", a.written(), b.written())]);
    }
    if args.lasts != Dur::from_secs(600) {
        let lasts = crate::language::duration::format(args.lasts);
        options.extend(["--for".to_owned(), lasts]);
    }
    options.extend(args.many.overrides().words());
    let by = args.by.to_possible_value().filter(|_| args.by != How::Machine);
    let by = by.map(|by| by.get_name().to_owned());
    let within = Some(args.many.needless_within).filter(|w| *w != DEFAULT_NEEDLESS_WINDOW);
    let within = within.map(crate::language::duration::format);
    Called {
        file: args.file.as_deref().map(|file| file.display().to_string()),
        options,
        by,
        within,
    }
}
