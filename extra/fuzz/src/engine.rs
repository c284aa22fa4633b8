//! The loop: change an input, give it to the reader, watch time, memory and panics, keep what is
//! new, make small what fails.
//!
//! No instrumented build tells which way an input took, which would need a nightly compiler.
//! Instead what a reader says of an input is taken for its way: the words of the error, or the
//! shape of the result. An input that ends as none before it joins the pool.

use crate::mutate::Mutator;
use crate::target::{Check, Outcome, Target, refused};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, process, thread};

/// So much later what has not ended is ended: until then it may end, and be made small.
const GRACE: Duration = Duration::from_secs(10);

/// How many inputs are kept beside the first ones.
const POOL_MAX: usize = 256;

/// Up to how many kept ones those that were refused are kept as well: from what is whole come more
/// that are.
const REFUSED_MAX: usize = 64;

/// How many ways are told apart.
const WAYS_MAX: usize = 100_000;

/// What makes a reader hold more is not kept: from a scenario of 10,000 pods come others, and each
/// takes as long as a thousand small ones. Time would say the same, but not the same in every run.
const KEPT_MIB_MAX: f32 = 2.0;

/// How many tries and how long making an input small takes at most.
const SHRINK: (usize, Duration) = (4_000, Duration::from_secs(60));

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until {
    /// After so many inputs.
    pub(crate) runs: u64,
    /// After this time.
    pub(crate) time: Duration,
}

/// What came of a target.
#[derive(Debug)]
pub(crate) struct Report {
    /// How many inputs it was given.
    pub(crate) inputs: u64,
    /// How many of them were taken; the others were refused.
    pub(crate) taken: u64,
    /// How long that took.
    pub(crate) took: Duration,
    /// In how many ways they ended.
    pub(crate) ways: usize,
    /// The longest that one took.
    pub(crate) slowest: Duration,
    /// The most that one held.
    pub(crate) peak_mib: f32,
    /// What failed.
    pub(crate) failures: Vec<Failure>,
}

/// An input that fails.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Why.
    pub(crate) what: String,
    /// Where it was written.
    pub(crate) file: PathBuf,
}

/// Where failing inputs are written.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// The folder.
    pub(crate) folder: &'a Path,
}

impl Place<'_> {
    fn keep(&self, target: &str, input: &[u8]) -> PathBuf {
        let mut hash = DefaultHasher::new();
        hash.write(input);
        let file = self.folder.join(format!("{target}-{:016x}", hash.finish()));
        if let Err(error) = fs::create_dir_all(self.folder).and_then(|()| fs::write(&file, input)) {
            eprintln!("cannot write {}: {error}", file.display());
        }
        file
    }
}

/// The input under way, for whoever watches that it ends.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The longest that one input may take.
    longest: Duration,
    now: Mutex<(Vec<u8>, Option<Instant>, &'static str)>,
}

impl Watch {
    /// Begins to watch: an input that does not end is written to the folder, and the program ends.
    pub(crate) fn start(folder: &Path, longest: Duration) -> Arc<Self> {
        let (watch, folder) =
            (Arc::new(Watch { longest, now: Mutex::default() }), folder.to_path_buf());
        let watching = Arc::clone(&watch);
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                let now = watching.now.lock().unwrap_or_else(PoisonError::into_inner);
                if now.1.is_some_and(|since| since.elapsed() > longest + GRACE) {
                    let file = Place { folder: &folder }.keep(now.2, &now.0);
                    eprintln!(
                        "{}: an input has not ended after {longest:?}; it is in {}",
                        now.2,
                        file.display()
                    );
                    process::exit(1);
                }
            }
        });
        watch
    }

    fn begin(&self, target: &'static str, input: &[u8]) -> Instant {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.0.clear();
        now.0.extend_from_slice(input);
        let begun = Instant::now();
        (now.1, now.2) = (Some(begun), target);
        begun
    }

    fn end(&self) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).1 = None;
    }
}

/// What the last panic said, and where it was.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Whether an input is under way; a panic elsewhere is the harness's own.
static UNDER_WAY: AtomicBool = AtomicBool::new(false);

/// Panics of readers are kept instead of printed.
pub(crate) fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let text = format!("panic at {place}: {}", info.payload_as_str().unwrap_or_default());
        if !UNDER_WAY.load(Ordering::Relaxed) {
            eprintln!("{text}");
        }
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }));
}

/// One target under way.
struct Bench<'a> {
    target: &'static Target,
    check: Check,
    watch: &'a Watch,
    slowest: Duration,
    peak_mib: f32,
}

impl Bench<'_> {
    /// How an input ends, and how many MiB it held.
    fn once(&mut self, input: &[u8]) -> (Outcome, f32) {
        let held = crate::HEAP.current_usage_as_mb();
        crate::HEAP.reset_peak_usage();
        let begun = self.watch.begin(self.target.name, input);
        UNDER_WAY.store(true, Ordering::Relaxed);
        let ended = panic::catch_unwind(AssertUnwindSafe(|| (self.check)(input)));
        UNDER_WAY.store(false, Ordering::Relaxed);
        self.watch.end();
        let (took, mib) = (begun.elapsed(), crate::HEAP.peak_usage_as_mb() - held);
        self.slowest = self.slowest.max(took);
        self.peak_mib = self.peak_mib.max(mib);
        let ended = ended.unwrap_or_else(|payload| {
            // What a panic left half done is of no use.
            self.check = (self.target.check)();
            // A run in which nothing takes any time may have no end, and says so.
            if payload.is::<taintsim::kernel::Endless>() {
                return refused(0);
            }
            Err(PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone())
        });
        if took > self.watch.longest {
            return (Err(format!("it took more than {:?}", self.watch.longest)), mib);
        }
        if mib > self.target.kind.memory_mib_max() {
            return (
                Err(format!("it held more than {} MiB", self.target.kind.memory_mib_max())),
                mib,
            );
        }
        (ended, mib)
    }

    /// A smaller input that fails in the same way.
    fn shrink(&mut self, input: &[u8], kind: &str) -> Vec<u8> {
        let (mut best, begun, mut tries) = (input.to_vec(), Instant::now(), 0);
        let mut part = best.len().div_ceil(2);
        while part > 0 {
            let mut at = 0;
            while at < best.len() {
                if tries >= SHRINK.0 || begun.elapsed() > SHRINK.1 {
                    return best;
                }
                tries += 1;
                let smaller = [&best[..at], &best[(at + part).min(best.len())..]].concat();
                if self.once(&smaller).0.is_err_and(|what| kind_of(&what) == kind) {
                    best = smaller;
                } else {
                    at += part;
                }
            }
            part /= 2;
        }
        best
    }
}

/// Failures that are one: a panic's place, or the words before the first colon.
fn kind_of(what: &str) -> String {
    let words = if what.starts_with("panic at ") {
        what.split(": ").next()
    } else {
        what.split(':').next()
    };
    words.unwrap_or_default().to_owned()
}

/// Gives a target inputs until it is enough.
pub(crate) fn run(
    target: &'static Target,
    seed: u64,
    until: Until,
    watch: &Watch,
    place: &Place<'_>,
) -> Report {
    let begun = Instant::now();
    let mut name = DefaultHasher::new();
    name.write(target.name.as_bytes());
    let mut rng = Rng::with_seed(seed ^ name.finish());
    let mut pool = (target.seeds)();
    let first = pool.len();
    let mutator =
        Mutator { words: target.words, most: target.kind.length_max(), text: target.text };
    let mut bench =
        Bench { target, check: (target.check)(), watch, slowest: Duration::ZERO, peak_mib: 0.0 };
    let (mut ways, mut known, mut failures) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let (mut inputs, mut taken, mut input, mut told) = (0, 0, Vec::new(), begun);
    // Looking at the clock costs as much as a small input.
    while inputs < until.runs && (inputs % 16 != 0 || begun.elapsed() < until.time) {
        // The pool's first inputs come as they are.
        match pool.get(inputs as usize).filter(|_| inputs < first as u64) {
            Some(given) => input.clone_from(given),
            None => mutator.fill(&mut rng, &pool, first, &mut input),
        }
        inputs += 1;
        let (ended, mib) = bench.once(&input);
        match ended {
            Ok(way) => {
                taken += u64::from(way.taken);
                let room = if way.taken { POOL_MAX } else { REFUSED_MAX };
                if ways.len() < WAYS_MAX
                    && ways.insert(way)
                    && mib <= KEPT_MIB_MAX
                    && pool.len() < first + room
                {
                    pool.push(input.clone());
                }
            }
            Err(what) => {
                let kind = kind_of(&what);
                if known.insert(kind.clone()) {
                    let small = bench.shrink(&input, &kind);
                    let what = bench.once(&small).0.err().unwrap_or(what);
                    let file = place.keep(target.name, &small);
                    eprintln!(
                        "{}: {what}\n  with {:?}",
                        target.name,
                        String::from_utf8_lossy(&small[..small.len().min(2_000)])
                    );
                    failures.push(Failure { what, file });
                }
            }
        }
        if inputs % 1024 == 0 && told.elapsed() > Duration::from_secs(30) {
            told = Instant::now();
            eprintln!(
                "{}: {inputs} inputs in {} s, {} ways",
                target.name,
                begun.elapsed().as_secs(),
                ways.len()
            );
        }
    }
    Report {
        inputs,
        taken,
        took: begun.elapsed(),
        ways: ways.len(),
        slowest: bench.slowest,
        peak_mib: bench.peak_mib,
        failures,
    }
}

/// Gives a target one input.
pub(crate) fn one(target: &'static Target, input: &[u8], watch: &Watch) -> Outcome {
    Bench { target, check: (target.check)(), watch, slowest: Duration::ZERO, peak_mib: 0.0 }
        .once(input)
        .0
}
