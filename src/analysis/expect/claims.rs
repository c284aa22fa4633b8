//! Claims about every moment: always, never, eventually, until.

use super::figures::{self, Values, asked, named, parts, stretches};
use super::prelude::*;

/// Whether a claim holds over time, as a step function of zero and one.
fn holds(run: &Run<'_>, claim: &Claim) -> Values {
    let over = |claims: &[Claim], all: bool| {
        let each: Vec<Values> = claims.iter().map(|c| holds(run, c)).collect();
        let times: BTreeSet<Time> = each.iter().flatten().map(|v| v.0).collect();
        let at = |t: Time| match all {
            true => each.iter().all(|v| value_at(v, t) == 1),
            false => each.iter().any(|v| value_at(v, t) == 1),
        };
        times.into_iter().map(|t| (t, u64::from(at(t)))).collect()
    };
    match claim {
        Claim::Compare(c) => {
            let holds = |(t, v)| (t, u64::from(c.relation.holds(v, c.limit)));
            run.values(c).into_iter().map(holds).collect()
        }
        Claim::All(claims) => over(claims, true),
        Claim::AnyOf(claims) => over(claims, false),
        Claim::Not(claim) => holds(run, claim).into_iter().map(|(t, v)| (t, 1 - v)).collect(),
    }
}

fn said(claim: &Claim) -> String {
    let list =
        |claims: &[Claim], word: &str| claims.iter().map(said).collect::<Vec<_>>().join(word);
    match claim {
        Claim::Compare(c) => format!("{} {} {}", named(&c.quantity), c.relation.words(), c.limit),
        Claim::All(claims) => format!("({})", list(claims, " and ")),
        Claim::AnyOf(claims) => format!("({})", list(claims, " or ")),
        Claim::Not(claim) => format!("not {}", said(claim)),
    }
}

/// Whether a claim holds, or does not, whatever happens, and why.
pub(super) fn fixed(run: &Run<'_>, claim: &Claim) -> Option<(bool, String)> {
    let list = |claims: &[Claim], all: bool| {
        let each: Vec<_> = claims.iter().map(|c| fixed(run, c)).collect();
        // One decides against all, and for any.
        let decides = each.iter().flatten().find(|one| one.0 != all).cloned();
        decides.or_else(|| each.into_iter().collect::<Option<Vec<_>>>()?.into_iter().next())
    };
    match claim {
        Claim::Compare(c) => figures::fixed(run, c),
        Claim::All(claims) => list(claims, true),
        Claim::AnyOf(claims) => list(claims, false),
        Claim::Not(claim) => fixed(run, claim).map(|(is_so, why)| (!is_so, why)),
    }
}

pub(super) fn comparisons(claim: &Claim) -> Vec<&Comparison> {
    match claim {
        Claim::Compare(c) => vec![c],
        Claim::All(claims) | Claim::AnyOf(claims) => claims.iter().flat_map(comparisons).collect(),
        Claim::Not(claim) => comparisons(claim),
    }
}

/// The figures of a claim in some stretches: `available("web") is 7`, or `is 6 to 7`.
fn figures(run: &Run<'_>, claim: &Claim, during: &[Stretch]) -> String {
    let figure = |c: &Comparison| {
        let values = run.values(c);
        // What begins as a stretch ends is no part of it any more.
        let is_in = |part: &(Time, Time, u64), (from, to): Stretch| part.0 < to || from == to;
        let within = |s: &Stretch| {
            let s = *s;
            parts(&values, s).into_iter().filter(move |p| is_in(p, s)).map(|part| part.2)
        };
        let all: BTreeSet<u64> = during.iter().flat_map(within).collect();
        let least = all.first().copied().unwrap_or_default();
        let most = all.last().filter(|most| **most != least);
        let to = most.map_or(String::new(), |most| format!(" to {most}"));
        format!("{} is {least}{to}", named(&c.quantity))
    };
    comparisons(claim).into_iter().map(figure).collect::<Vec<_>>().join(", ")
}

/// A failure in some stretches of a window, which the records of the moment decide at which the first begins.
fn failed(
    run: &Run<'_>,
    claim: &Claim,
    (expected, got): (String, String),
    during: &[Stretch],
    window: Stretch,
) -> Failed {
    let all = comparisons(claim);
    let asked = during.first().map_or(window, |first| asked(*first, window));
    let never = fixed(run, claim).map(|(_, why)| format!("; {why}, so that it cannot be met"));
    let got = format!("{got} ({}){}", figures(run, claim, during), never.unwrap_or_default());
    figures::failed(run, expected, got, &all, asked)
}

fn whole(run: &Run<'_>, during: Stretch) -> String {
    if during == (Time::ZERO, run.analysis.plan.horizon) {
        return String::new();
    }
    format!(" {}", stretch(during))
}

/// It holds (or, for `wanted` false, does not hold) at every moment of the stretch.
pub(super) fn throughout(
    run: &Run<'_>,
    claim: &Claim,
    during: Stretch,
    wanted: bool,
) -> Option<Failed> {
    let values = holds(run, claim);
    let broken = stretches(&parts(&values, during), |holds| (holds == 1) != wanted);
    let first = *broken.first()?;
    let word = if wanted { "always" } else { "never" };
    let expected = format!("{word}{} {}", whole(run, during), said(claim));
    let Some(whole) = run.begins_short(&comparisons(claim), first, during) else {
        let got = format!("otherwise {}{}", stretch(first), further(&broken));
        return Some(failed(run, claim, (expected, got), &broken, during));
    };
    let (begins, end) = (stretch(first), time(during.1));
    let got = format!(
        "otherwise {begins}, before its pods are there: `During(between: (\"{whole}\", \"{end}\"), that: …)` leaves that out"
    );
    // What explains it is what fails all the same.
    let Some(&later) = broken.get(1) else { return Some(run.failed(expected, got, Vec::new())) };
    let got = format!("{got}; later {}{}", stretch(later), further(&broken[1..]));
    Some(failed(run, claim, (expected, got), &broken[1..], during))
}

/// It holds at some moment of the stretch.
pub(super) fn eventually(run: &Run<'_>, claim: &Claim, during: Stretch) -> Option<Failed> {
    let values = holds(run, claim);
    if parts(&values, during).iter().any(|p| p.2 == 1) {
        return None;
    }
    let expected = format!("at some time {} {}", stretch(during), said(claim));
    let later = values.iter().find(|v| v.0 > during.1 && v.1 == 1);
    let way = if later.is_some() { Ordering::Greater } else { Ordering::Less };
    let got = later.map_or("never".to_owned(), |v| {
        format!("after it first at {}{}", time(v.0), late(v.0, during.1))
    });
    Some(Failed { way, ..failed(run, claim, (expected, got), &[(during.1, during.1)], during) })
}

/// Why it says nothing that it holds at some moment of the stretch: it does at the first one, and
/// did all the time before.
pub(super) fn at_once(run: &Run<'_>, claim: &Claim, (from, to): Stretch) -> Option<String> {
    let values = holds(run, claim);
    let first = value_at(&values, from) == 1;
    let broken = parts(&values, (from, to)).iter().find(|p| p.2 == 0).map(|p| p.0);
    let until = broken.map_or(String::new(), |at| format!(" and until {}", time(at)));
    let met = format!("met at {}, its first moment{until}", time(from));
    first.then(|| format!("{met}: it does not say that anything came back"))
}

/// Why it says nothing that the first holds until the second does: the second does at once.
pub(super) fn over_at_once(run: &Run<'_>, until: &Claim, from: Time) -> Option<String> {
    (value_at(&holds(run, until), from) == 1)
        .then(|| format!("it is over at {}, its first moment: nothing is looked at", time(from)))
}

/// The first holds from a time on until the second does, which does come.
pub(super) fn until(run: &Run<'_>, that: &Claim, until: &Claim, from: Time) -> Option<Failed> {
    let horizon = run.analysis.plan.horizon;
    let over = parts(&holds(run, until), (from, horizon));
    let end = over.into_iter().find(|p| p.2 == 1).map(|p| p.0);
    let expected = format!("from {} on {}, until {}", time(from), said(that), said(until));
    let Some(end) = end else {
        let got = format!("no {} by the end of the run", said(until));
        let never = failed(run, until, (expected, got), &[(horizon, horizon)], (from, horizon));
        return Some(Failed { way: Ordering::Less, ..never });
    };
    // At the moment at which the second begins to hold, the first need not any more.
    let all = parts(&holds(run, that), (from, end));
    let broken = all.into_iter().find(|p| p.2 == 0 && !lasted((p.0, end)).is_zero())?;
    let before = span(lasted((broken.0, end)));
    let got = format!("otherwise at {}, {before} before {}", time(broken.0), time(end));
    Some(failed(run, that, (expected, got), &[(broken.0, broken.0)], (from, end)))
}
