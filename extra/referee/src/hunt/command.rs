//! `taintsim hunt`: the command.

use super::cluster::Cluster;
use super::corpus::{Corpus, Settings, Tried};
use super::known::Known;
use super::results::Results;
use super::small::{Small, small};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use taintsim::cli::{
    Exit, Failure, Format, Outcome, OutputArg, Progress, Stopwatch, Terminal, duration, interrupt,
    jobs, releases,
};
use taintsim::kernel::Dur;
use taintsim::language::grouped;

/// Search generated clusters for races until its time is over
#[derive(clap::Args, Debug)]
pub struct HuntArgs {
    /// How long, by the clock on the wall [default: as long as --clusters takes, or until Ctrl-C]
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    time: Option<Dur>,
    /// How many clusters in this call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    clusters: Option<u64>,
    /// The folder that what is found is kept in. A second call with the same settings goes on
    /// where the first stopped; folders of several hunts become one where their files are copied
    /// together
    #[arg(long, value_name = "DIR", default_value = "hunt")]
    corpus: PathBuf,
    /// The releases of Kubernetes
    #[arg(long, value_name = "RELEASES", default_value = "1.35..1.37")]
    releases: String,
    /// Which part of the clusters, such as 2/8; no two parts have one in common
    #[arg(long, value_name = "K/N", default_value = "1/1", value_parser = shard)]
    shard: (u64, u64),
    /// How many runs of each cluster, in rounds of 16
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: u64,
    /// The first seed; those after it follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many threads; they do not change what is kept [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder of the catalogue, whose races are no news
    #[arg(long, value_name = "DIR", default_value = "scenarios/races")]
    races: PathBuf,
    #[command(flatten)]
    output: OutputArg<Format>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// How many clusters each thread has between two looks at them.
const EACH: u64 = 4;

fn shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((shard, of)) if (1..=of).contains(&shard) => Ok((shard, of)),
        _ => Err("expected a part of all, as in 2/8, the first of which is 1".to_owned()),
    }
}

/// What a cluster came to.
pub(super) struct Done {
    tried: Tried,
    /// Its kinds of violations in the order in which they were found, and of those of which no cause is known what is
    /// left when they were made small.
    found: Vec<(String, Option<Small>)>,
}

/// Runs the command.
pub fn command(args: &HuntArgs, terminal: &Terminal) -> Outcome {
    let releases = releases(Some(&args.releases))?.into_iter().flatten().collect();
    let known = Known::of(&args.races)?;
    let settings = Settings::new(args.seed, args.shard, releases, args.runs);
    let mut corpus = Corpus::open(&args.corpus, settings)?;
    for skipped in &corpus.skipped {
        terminal.note(&format!("skipped {skipped}"));
    }
    let threads = jobs(args.jobs);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Io(format!("cannot start threads: {error}")))?;
    let before: BTreeSet<String> = corpus.causes.keys().cloned().collect();
    let clock = Stopwatch::start();
    let seconds = args.time.map_or(f64::INFINITY, |t| t.as_nanos() as f64 / 1e9);
    let goes_on = || !interrupt::asked() && clock.seconds() < seconds;
    let terminal = &terminal.quietly(args.quiet);
    let all = args.clusters.unwrap_or(0);
    let progress = Progress::new(terminal, "hunt", all, |done, all| match all {
        0 => format!("{} clusters", grouped(done)),
        _ => format!("{} of {} clusters", grouped(done), grouped(all)),
    });
    let here = interrupt::heeding(|| {
        let mut here = Tried::default();
        let mut left = args.clusters.unwrap_or(u64::MAX);
        while left > 0 && goes_on() {
            let count = left.min(EACH * threads as u64);
            let done = some(&corpus, count, &pool, &goes_on);
            // Nothing but the time or Ctrl-C ends a cluster before its end.
            if done.is_empty() {
                break;
            }
            left -= done.len() as u64;
            // What was asked for by Ctrl-C is done: nothing more is begun, and this is still written.
            let was_asked = interrupt::asked();
            interrupt::forget();
            let kept = keep(&mut corpus, done);
            if was_asked {
                interrupt::ask();
            }
            here.add(&kept?);
            progress.set(here.clusters);
        }
        Ok::<Tried, Failure>(here)
    })?;
    progress.clear();
    let results = Results::new(&corpus, &known, &before, here, clock.seconds());
    let mut out = terminal.out();
    results.print(args.output.form == Format::Json, &mut out)?;
    if interrupt::asked() {
        return Err(Failure::Interrupted("interrupted; this is what was found so far".to_owned()));
    }
    Ok(if results.is_news() { Exit::Differs } else { Exit::Fine })
}

/// The next clusters, as many as were done of those that come first.
pub(super) fn some(
    corpus: &Corpus,
    count: u64,
    pool: &ThreadPool,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Vec<Done> {
    let progress = &corpus.progress;
    let one = |number: u64| {
        let settings = &progress.settings;
        let seed = settings.seed_of(progress.tried.clusters + number);
        let of_it = || of_one(seed, settings, &progress.causes, pool, goes_on);
        // What is a defect, or a run without an end, has been said on standard error. The hunt goes on.
        catch_unwind(AssertUnwindSafe(of_it)).unwrap_or_else(|_| {
            let tried = Tried { clusters: 1, given_up: vec![seed], ..Tried::default() };
            Some(Done { tried, found: Vec::new() })
        })
    };
    // They are begun in their order, so that little is lost of what is done when the time is up.
    let mut all: Vec<(u64, Option<Done>)> =
        pool.install(|| (0..count).par_bridge().map(|number| (number, one(number))).collect());
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map_while(|(_, done)| done).collect()
}

/// The cluster of a seed; none where it may not go on.
fn of_one(
    seed: u64,
    settings: &Settings,
    causes: &BTreeMap<String, String>,
    pool: &ThreadPool,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Option<Done> {
    let cluster = Cluster::drawn(seed, &settings.releases);
    let runs = cluster.hunt(settings.runs, pool, goes_on)?;
    let mut found = Vec::new();
    for raw in &runs.found {
        let is_known = causes.contains_key(&raw.key());
        let small = if is_known { None } else { Some(small(&cluster, raw, goes_on)?) };
        found.push((raw.key(), small));
    }
    let tried = Tried {
        clusters: 1,
        runs: runs.runs,
        releases: BTreeMap::from([(cluster.release, 1)]),
        kinds: runs.by_kind,
        ..Tried::default()
    };
    Some(Done { tried, found })
}

/// Writes what is new, and then that it was done; what was tried.
pub(super) fn keep(corpus: &mut Corpus, done: Vec<Done>) -> Result<Tried, Failure> {
    let mut here = Tried::default();
    for Done { mut tried, found } in done {
        let mut causes = BTreeSet::new();
        for (key, small) in found {
            let cause = match (corpus.progress.causes.get(&key), small) {
                (Some(cause), _) => cause.clone(),
                (None, Some(small)) => corpus.add(&small)?.0,
                // What is known stays known.
                (None, None) => continue,
            };
            corpus.progress.causes.insert(key, cause.clone());
            causes.insert(cause);
        }
        tried.causes = causes.into_iter().map(|cause| (cause, 1)).collect();
        here.add(&tried);
    }
    corpus.progress.tried.add(&here);
    corpus.note()?;
    Ok(here)
}
