//! `taintsim soak`: random scenarios of the whole language, run in every way there is, until
//! something does not hold.

use crate::soak::{self, Found, Soaked, Verdict};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use taintsim::cli::{
    Exit, Failure, Outcome, Progress, Stopwatch, Terminal, duration, interrupt, jobs, load,
    write_whole,
};
use taintsim::kernel::Dur;
use taintsim::language::grouped;
use taintsim::scenario::{self, Overrides};

/// Run generated scenarios, and check what has to hold in each of them
#[derive(clap::Args, Debug)]
pub struct SoakArgs {
    /// Run these scenarios, and no random ones
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How long, by the clock on the wall
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Dur>,
    /// How many scenarios
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// The first seed; those after it follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many threads
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// The folder, which exists, that the smallest scenario of each kind of failure is written to
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Run so many healthy clusters instead, with each kind of trouble, and hold every property
    /// against them
    #[arg(long, value_name = "N", conflicts_with_all = ["files", "time", "runs"])]
    healthy: Option<u64>,
    /// Print the scenario of the seed, and do nothing else
    #[arg(long)]
    print: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Scenarios of a soak that is given neither their number nor a time.
const RUNS: u64 = 1_000;
/// How many healthy clusters are run between two looks at them.
const HEALTHY_BATCH: u64 = 16;
/// How many seconds are spent on making one scenario smaller.
const SHRINKING: f64 = 60.0;

/// Runs the command.
pub fn command(args: &SoakArgs, terminal: &Terminal) -> Outcome {
    let schema = taintsim::language::schema();
    let mut out = terminal.out();
    if args.print {
        match args.healthy {
            Some(_) => write!(out, "{}", soak::healthy(args.seed))?,
            None => write!(out, "{}", soak::random(&schema, args.seed).loaded.source.text)?,
        }
        out.flush()?;
        return Ok(Exit::Fine);
    }
    if !args.files.is_empty() {
        return of_files(args, terminal);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs(args.jobs)).build();
    let pool = pool.map_err(|error| Failure::Io(format!("cannot start threads: {error}")))?;
    if let Some(clusters) = args.healthy {
        return of_healthy(args, clusters, &pool, terminal);
    }
    let runs = args.runs.unwrap_or(if args.time.is_some() { u64::MAX } else { RUNS });
    let clock = Stopwatch::start();
    // Said before hours of work, not after them.
    if !args.out.is_dir() {
        let out = args.out.display();
        return Err(Failure::Io(format!("{out} is not a folder")));
    }
    let all = if runs == u64::MAX { 0 } else { runs };
    let progress = Progress::new(&terminal.quietly(args.quiet), "soak", all, |done, _| {
        format!("{} scenarios", grouped(done))
    });
    let mut keeping = Keeping { args, schema: &schema, kept: 0, failed: None };
    let mut goes_on = |done: u64, found: &[Found]| {
        progress.set(done);
        keeping.keep(found);
        !interrupt::asked()
            && keeping.failed.is_none()
            && args.time.is_none_or(|t| clock.seconds() < t.as_nanos() as f64 / 1e9)
    };
    // A panic is one of the things that are looked for; what it says is part of the result.
    let hook = std::panic::take_hook();
    soak::note_panics();
    let soaked = interrupt::heeding(|| {
        soak::soak(&schema, (args.seed, runs), &pool, &soak::results, &mut goes_on)
    });
    progress.clear();
    let was_interrupted = interrupt::asked();
    // What has been asked for ends with the soak; what it found is still to be written.
    interrupt::forget();
    keeping.keep(&soaked.found);
    if let Some(failed) = keeping.failed {
        return Err(failed);
    }
    say(&mut out, &soaked, clock.seconds())?;
    out.flush()?;
    if !was_interrupted {
        write_smallest(args, &schema, &soaked, &clock, &mut out)?;
    }
    std::panic::set_hook(hook);
    if was_interrupted {
        return Err(Failure::Interrupted("interrupted; this is what was found so far".to_owned()));
    }
    Ok(if soaked.found.is_empty() { Exit::Fine } else { Exit::Differs })
}

/// Writes what is found when it is found, as hours may follow.
struct Keeping<'a> {
    args: &'a SoakArgs,
    schema: &'a serde_json::Value,
    kept: usize,
    failed: Option<Failure>,
}

impl Keeping<'_> {
    fn keep(&mut self, found: &[Found]) {
        for one in &found[self.kept..] {
            if let Some(text) = soak::text_of(self.schema, one)
                && let Err(failed) = write_whole(&place(self.args, one), text.as_bytes())
            {
                // After a signal nothing is written; that is made up for at the end.
                if !interrupt::asked() {
                    self.failed = Some(failed);
                }
                return;
            }
            self.kept += 1;
        }
    }
}

/// The file of what was found.
fn place(args: &SoakArgs, found: &Found) -> PathBuf {
    args.out.join(format!("soak-{}.ron", found.seed))
}

/// Makes each scenario that failed smaller for a while, and writes that in its place.
fn write_smallest(
    args: &SoakArgs,
    schema: &serde_json::Value,
    soaked: &Soaked,
    clock: &Stopwatch,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for found in &soaked.found {
        let begun = clock.seconds();
        let smallest = soak::smallest(schema, found, &soak::results, &mut || {
            !interrupt::asked() && clock.seconds() - begun < SHRINKING
        });
        let Some(text) = smallest else { continue };
        let path = place(args, found);
        write_whole(&path, text.as_bytes())?;
        writeln!(out, "seed {}: {}", found.seed, path.display())?;
        out.flush()?;
    }
    Ok(())
}

/// Runs scenarios that exist, each as a random one would be run.
fn of_files(args: &SoakArgs, terminal: &Terminal) -> Outcome {
    let mut out = terminal.out();
    let mut exit = Exit::Fine;
    for file in &args.files {
        let loaded = load(file)?;
        let plan = scenario::build(&loaded, &Overrides::default())?;
        let seed = scenario::seed(&loaded, &Overrides::default())?;
        let shown = file.display();
        match soak::check(&loaded, &plan, seed, &soak::results) {
            Verdict::Fine(digest) => {
                writeln!(out, "{shown}: everything holds; digest {digest:016x}")?
            }
            Verdict::TooLong => writeln!(out, "{shown}: left as too long")?,
            Verdict::Failed(failed) => {
                exit = Exit::Differs;
                writeln!(out, "{shown}: {}\n  {}", failed.kind, failed.text)?;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Runs healthy clusters, and writes the scenario of each that raises an alarm.
fn of_healthy(
    args: &SoakArgs,
    clusters: u64,
    pool: &rayon::ThreadPool,
    terminal: &Terminal,
) -> Outcome {
    let mut out = terminal.out();
    let terminal = &terminal.quietly(args.quiet);
    let progress = Progress::new(terminal, "healthy", clusters, |done, all| {
        format!("{} of {} clusters", grouped(done), grouped(all))
    });
    let (mut done, mut runs) = (0, 0);
    let mut count: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    while done < clusters && !interrupt::asked() {
        let some = HEALTHY_BATCH.min(clusters - done) as u32;
        let seed = |i: u32| args.seed.wrapping_add(done).wrapping_add(i.into());
        let found: Vec<_> = pool.install(|| {
            (0..some).into_par_iter().with_max_len(1).map(|i| soak::alarms(seed(i))).collect()
        });
        done += u64::from(some);
        progress.set(done);
        for (alarms, ran) in found {
            runs += ran;
            for alarm in alarms {
                let file = args.out.join(format!("healthy-{}.ron", alarm.seed));
                write_whole(&file, soak::healthy(alarm.seed).as_bytes())?;
                writeln!(
                    out,
                    "{}: {}\n  taintsim explore {} {}",
                    alarm.property,
                    alarm.text,
                    file.display(),
                    alarm.again
                )?;
                *count.entry((alarm.property, alarm.trouble)).or_default() += 1;
            }
        }
        out.flush()?;
    }
    progress.clear();
    for ((property, trouble), clusters) in &count {
        let with = if trouble.is_empty() { "without trouble" } else { trouble };
        writeln!(out, "{property}, {with}: {} clusters", grouped(*clusters))?;
    }
    writeln!(out, "{} runs of {} healthy clusters", grouped(runs), grouped(done))?;
    out.flush()?;
    Ok(if count.is_empty() { Exit::Fine } else { Exit::Differs })
}

fn say(out: &mut dyn Write, soaked: &Soaked, took: f64) -> std::io::Result<()> {
    let Soaked { runs, too_long, digest, found, used } = soaked;
    writeln!(
        out,
        "{} scenarios run, {} left as too long, in {took:.0} s; digest {digest:016x}",
        grouped(*runs),
        grouped(*too_long)
    )?;
    let all = soak::everything();
    let unused: Vec<&str> =
        all.iter().filter(|w| !used.contains_key(*w)).map(String::as_str).collect();
    writeln!(
        out,
        "{} of {} fields and words of the language, flags, plugins and gates came up; not: {}",
        all.len() - unused.len(),
        all.len(),
        unused.join(", ")
    )?;
    for Found { seed, failed, times } in found {
        writeln!(
            out,
            "seed {seed}, {} times: {}\n  {}",
            grouped(*times),
            failed.kind,
            failed.text
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::Failed;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        soak: SoakArgs,
    }

    /// Whatever ends the soak afterwards, what it found is in its folder.
    #[test]
    fn what_is_found_is_written_when_it_is_found() {
        let folder = std::env::temp_dir().join(format!("taintsim-soak-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let out = folder.to_str().expect("its name");
        let schema = taintsim::language::schema();
        let mut keeping = Keeping {
            args: &Line::parse_from(["soak", "--out", out]).soak,
            schema: &schema,
            kept: 0,
            failed: None,
        };
        let found = [7, 8].map(|seed| Found {
            seed,
            failed: Failed { kind: "k".to_owned(), text: "t".to_owned() },
            times: 1,
        });
        for (n, one) in found.iter().enumerate() {
            keeping.keep(&found[..=n]);
            let text = std::fs::read_to_string(place(keeping.args, one)).expect("it is there");
            let random = soak::random(&schema, one.seed).loaded;
            assert_eq!(text, random.source.text.to_string());
        }
        std::fs::remove_dir_all(&folder).expect("it is removed");
    }
}
