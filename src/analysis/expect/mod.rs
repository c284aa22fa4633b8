//! Expectations compared with a finished run: whether each is met, and if not, what was expected,
//! what came, and which records decided.
//!
//! All of it is a function of the trace. An expectation that speaks of pods that the run never had is
//! `Wrong` for this run.

mod claims;
mod empty;
mod figures;
mod follows;
mod nearest;
mod never;
mod objects;
mod prelude;
mod seen;
mod uncounted;
mod undecided;
mod verdict;
mod words;

use super::evictions::evictions;
use super::properties;
use super::summary::DEFAULT_NEEDLESS_WINDOW;
use objects::Hit;
use prelude::*;
use std::cell::OnceCell;

pub(crate) use empty::{about_nothing, takes_harm};
pub(crate) use verdict::{Empty, Failed, Verdict, Wrong};

/// What became of each expectation, in their order.
pub fn verdicts(expectations: &[Expectation], analysis: &Analysis<'_>) -> Vec<Verdict> {
    judged(expectations, analysis, true)
}

/// The same; only where it `is_told` also whether it says anything that one is met.
fn judged(expectations: &[Expectation], analysis: &Analysis<'_>, is_told: bool) -> Vec<Verdict> {
    let (run, to_come) = (Run::new(analysis), OnceCell::new());
    let mut hits = objects::find(&run, expectations).into_iter();
    let come = || to_come.get_or_init(|| undecided::Coming::after(analysis)).as_slice();
    let verdict = |e: &Expectation| {
        let (mut wrong, mut open) = (None, None);
        let of_records: Vec<&Sought> = e.what.records();
        // All are taken, also after one that is wrong: what is left is the next one's.
        let all = of_records.iter().map(|_| hits.next().unwrap_or_else(|| Ok(Vec::new())));
        let hits: Vec<Vec<Hit>> = all.map(|hits| found(hits, &mut wrong)).collect();
        let failure = match &e.what {
            Expected::Seen(sought) => seen::judge(&run, sought, &hits[0]),
            Expected::Order(parts) => seen::judge_order(&run, parts, &hits),
            Expected::Whenever { parts, each, within } => {
                follows::judge(&run, parts, (*each, *within), (&hits[0], &hits[1]))
            }
            Expected::Pending { pods, count, at, reason } => {
                let fits = found(objects::selected(&run, pods), &mut wrong);
                objects::judge_pending(&run, (pods, &fits), *count, *at, reason.as_deref())
            }
            Expected::Figure { comparison, longest, during } => {
                figures::judge(&run, comparison, *longest, *during)
            }
            Expected::Throughout { claim, stretch, wanted } => {
                claims::throughout(&run, claim, *stretch, *wanted)
            }
            Expected::Eventually(claim, stretch) => claims::eventually(&run, claim, *stretch),
            Expected::Until(that, until, from) => claims::until(&run, that, until, *from),
            Expected::Property { property, stretch, wanted } => {
                let (failure, is_open) = violated(&run, property, *stretch, *wanted);
                open = is_open;
                failure
            }
        };
        let is_met = is_told && failure.is_none() && wrong.is_none();
        let nothing = || empty::says_nothing(&run, &e.what, &hits).map(Empty::of);
        let left_out = || uncounted::why(&run, &e.what);
        let over = open.map(|p| format!("the horizon came before the bound of {p} was over"));
        let under_way = || undecided::why(&run, come(), &e.what, &hits);
        let empty =
            || left_out().or_else(nothing).or_else(|| over.map(Empty::open)).or_else(under_way);
        let empty = is_met.then(empty).flatten();
        let is_met_idly = is_met && empty::is_met_idly(&run, &e.what, analysis.horizon());
        Verdict { failure, empty, is_met_idly, is_open: open.is_some(), wrong }
    };
    expectations.iter().map(verdict).collect()
}

/// What was found; nothing where that makes no sense for the run, of which the first mistake is kept.
fn found<T: Default>(found: Result<T, Wrong>, wrong: &mut Option<Wrong>) -> T {
    found.unwrap_or_else(|mistake| {
        wrong.get_or_insert(mistake);
        T::default()
    })
}

/// The expectations that a run does not meet, by their places in the list: what a search or a
/// replay takes for violations. One that has to be met in a share of the runs only, and one that
/// cannot be held against this run, is none.
pub fn violations(
    expectations: &[Expectation],
    analysis: &Analysis<'_>,
) -> Vec<(usize, properties::Violation)> {
    decided(expectations, analysis).0
}

/// The same, and whether the run ends too soon to tell of any of them.
pub(crate) fn decided(
    expectations: &[Expectation],
    analysis: &Analysis<'_>,
) -> (Vec<(usize, properties::Violation)>, bool) {
    let violation = |(i, (verdict, e)): (usize, (Verdict, &Expectation))| {
        let f = verdict.failure.filter(|_| e.share.is_none() && verdict.wrong.is_none())?;
        let last = f.records.iter().filter_map(|&id| analysis.trace.get(id)).map(|r| r.at).max();
        let at = last.unwrap_or(analysis.horizon());
        let violation = properties::Violation {
            property: properties::Property::Expect,
            at,
            until: at,
            pod: None,
            node: None,
            text: format!("{}: expected {}, got {}", e.kind, f.expected, f.got),
            records: f.records,
            missed: Some((f.way, f.about.map(|(object, _)| object))),
        };
        Some((i, violation))
    };
    let all = judged(expectations, analysis, false);
    let is_open = all.iter().any(|verdict| verdict.is_open);
    (all.into_iter().zip(expectations).enumerate().filter_map(violation).collect(), is_open)
}

/// What is called needless elsewhere and violates nothing.
fn unlike(run: &Run<'_>, property: &properties::Property) -> String {
    if *property != properties::Property::NeedlessEviction {
        return String::new();
    }
    let all = evictions(run.analysis);
    match all.iter().filter(|e| e.is_needless(DEFAULT_NEEDLESS_WINDOW)).count() {
        0 => String::new(),
        n => format!(
            "; summaries call {} needless, whose node was back soon, which is no violation",
            counted(n, "eviction")
        ),
    }
}

/// A property, violated where it should not be, or the other way round; and the property, where the run may end too soon
/// to tell whether it is violated.
fn violated(
    run: &Run<'_>,
    property: &properties::Property,
    (from, to): Stretch,
    wanted: bool,
) -> (Option<Failed>, Option<properties::Property>) {
    let (mut found, is_open) = properties::decided(property, run.analysis);
    let open = (is_open && !wanted && to >= run.analysis.horizon()).then_some(*property);
    // One of before lasts on, as far as it does.
    found.retain(|v| v.at <= to && (v.at >= from || v.until > from));
    let Some(first) = found.first().filter(|_| !wanted) else {
        let expected = format!("a violation of {property}");
        let none = || run.failed(expected, format!("none{}", unlike(run, property)), Vec::new());
        return ((wanted && found.is_empty()).then(none), open);
    };
    let mut got = format!("{}: {}", time(first.at), first.text);
    if first.at < from {
        got += &format!(", which lasts until after {}", time(from));
    }
    if found.len() > 1 {
        got += &format!(", and {} more", found.len() - 1);
    }
    let records = first.records.iter().copied().take(RECORDS).collect();
    let failed = run.failed(format!("no violation of {property}"), got, records);
    // What led there is explained as of when it was certain, not as of the first step on the way.
    let object = first.pod.map(Object::Pod).or(first.node.map(Object::Node));
    // Why it was evicted, or was not, is another question than why it was bound.
    let is_bound = matches!(property, properties::Property::BoundToCordoned(_));
    let about = object.map(|object| (object, Some(first.at))).or(failed.about);
    let about = about.filter(|_| !is_bound);
    (Some(Failed { about, ..failed }), open)
}
