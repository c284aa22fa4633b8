//! What must hold of every run: both modes give the same trace, no invariant is broken, nothing
//! panics, it ends, and its results can be written.

use crate::invariants::first_broken;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use taintsim::kernel::{Choices, Dur, Endless};
use taintsim::plan::Plan;
use taintsim::scenario::Loaded;
use taintsim::sim;
use taintsim::trace::Trace;

/// How a run failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// What two failures have in common that are of one kind: what happened, without its numbers
    /// and names.
    pub kind: String,
    /// What happened.
    pub text: String,
}

/// The result of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything holds; the number stands for all that was written of the run.
    Fine(u64),
    /// It would take too long: it has very many events, as a heartbeat in each millisecond has, or
    /// no end.
    TooLong,
    /// Something does not hold.
    Failed(Failed),
}

/// Whatever else must hold of a run; it gives a number that stands for all that was written of it.
///
/// # Errors
/// What does not hold.
pub type Also<'a> = &'a (dyn Fn(&Loaded, &Plan, &Trace) -> Result<u64, String> + Sync);

/// A run is left when it has had this number of times 65,536 events.
const LONGEST: u32 = 4;
/// Both runs of a tape are left when they have had this number of times 4,096 events.
const LONGEST_TAPE: u32 = 100;

/// The kind of a run whose clock does not go on.
const SPINS: &str = "the clock stands still";
/// A run in which pods are made again and again without delay.
const REMAKES: &str = "pods are made again without end";

thread_local! {
    /// Where the last panic of this thread was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic is not printed on standard error, but noted for the verdict.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place =
            info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        PLACE.with(|p| p.replace(place));
    }));
}

/// Runs a plan in both modes, and checks everything that must hold.
pub fn check(loaded: &Loaded, plan: &Plan, seed: u64, also: Also<'_>) -> Verdict {
    caught(|| held(loaded, plan, seed, also)).unwrap_or_else(|failed| {
        let timing = &plan.timing;
        let takes_no_time =
            [timing.request, timing.response, timing.watch].iter().all(|d| d.min == Dur::ZERO);
        // Where nothing takes any time, controllers may undo each other's work for ever, or make pods that kubelets refuse;
        // upstream's would, too.
        if failed.kind == REMAKES || takes_no_time && failed.kind == SPINS {
            Verdict::TooLong
        } else {
            Verdict::Failed(failed)
        }
    })
}

/// Does something that must not panic.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Failed> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        if let Some(endless) = payload.downcast_ref::<Endless>() {
            let kind = if matches!(endless, Endless::Remakes { .. }) { REMAKES } else { SPINS };
            return Failed { kind: kind.to_owned(), text: endless.to_string() };
        }
        let text = payload.downcast_ref::<String>().cloned();
        let text = text
            .or_else(|| payload.downcast_ref::<&str>().map(|t| (*t).to_owned()))
            .unwrap_or_default();
        let place = PLACE.with(RefCell::take);
        Failed { kind: format!("panic at {place}: {}", without_numbers(&text)), text }
    })
}

fn held(loaded: &Loaded, plan: &Plan, seed: u64, also: Also<'_>) -> Verdict {
    let trace = if plan.tape.is_some() {
        let left = Cell::new(LONGEST_TAPE);
        let goes_on = || left.replace(left.get().saturating_sub(1)) > 0;
        let (Some(run), Some(again)) = (sim::play(plan, &goes_on), sim::play(plan, &goes_on))
        else {
            return Verdict::TooLong;
        };
        if let Some(text) = difference(&run, &again) {
            return failed("the same tape again", text);
        }
        run
    } else {
        let mut left = LONGEST;
        let mut goes_on = |_| {
            left = left.saturating_sub(1);
            left > 0
        };
        let (trace, ended) = sim::run_watched(plan, Choices::seeded(seed), &mut goes_on);
        let (eager, eager_ended) =
            sim::run_eager_watched(plan, Choices::seeded(seed), &mut goes_on);
        if !ended || !eager_ended {
            return Verdict::TooLong;
        }
        if let Some(text) = difference(&trace, &eager) {
            return failed("modes differ", text);
        }
        trace
    };
    if let Some(text) = first_broken(plan, &trace) {
        let said = text.split_once("): ").map_or(text.as_str(), |(_, said)| said).to_owned();
        return Verdict::Failed(Failed {
            kind: format!("invariant: {}", without_numbers(&said)),
            text,
        });
    }
    match also(loaded, plan, &trace) {
        Ok(digest) => Verdict::Fine(digest),
        Err(text) => failed("what is written", text),
    }
}

fn failed(kind: &str, text: String) -> Verdict {
    Verdict::Failed(Failed { kind: kind.to_owned(), text })
}

/// The first record in which two traces differ, causes left aside: a version that was skipped
/// cannot be a cause.
fn difference(a: &Trace, b: &Trace) -> Option<String> {
    let said = |trace: &Trace, i: usize| {
        trace
            .iter()
            .nth(i)
            .map(|r| format!("{} {} {:?}", r.at.as_nanos(), r.actor.as_str(), trace.fields(r)))
    };
    let same = |(x, y): (&taintsim::trace::Record, &taintsim::trace::Record)| {
        (x.at, x.actor) == (y.at, y.actor) && a.fields(x) == b.fields(y)
    };
    let first = a
        .iter()
        .zip(b.iter())
        .position(|pair| !same(pair))
        .or_else(|| (a.len() != b.len()).then(|| a.len().min(b.len())))?;
    Some(format!("record {first}: {:?} and {:?}", said(a, first), said(b, first)))
}

/// A text without digits and names, the same for failures of one kind.
fn without_numbers(text: &str) -> String {
    let words = text.split(' ').filter(|w| !w.contains(|c: char| c.is_ascii_digit() || c == '/'));
    words.take(8).collect::<Vec<_>>().join(" ")
}
