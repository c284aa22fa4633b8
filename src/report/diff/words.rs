//! What is said of facts that differ between two runs, and the chain of causes that led to one.

use crate::analysis::diff::{COUNTS, Fate, Group, Pair, Way};
use crate::analysis::words::{of_several, ranges};
use crate::analysis::{causes, words};
use crate::report::Source;
use crate::report::prelude::*;
use crate::report::text::{PLAIN, RED, YELLOW, from_to};

/// To the millisecond, and to the tenth of a second where it is longer than ten.
fn rounded(d: Dur) -> String {
    let unit = if d >= Dur::from_secs(10) { 100 } else { 1 };
    short(Dur::from_millis((d.as_millis() + unit / 2) / unit * unit))
}

/// `5s earlier in B`, `only in A`.
pub(super) fn how(way: Way, shift: Option<(Dur, Dur)>) -> String {
    let by = shift.map_or(String::new(), |(least, most)| {
        let (least, most) = (rounded(least), rounded(most));
        if least == most { least } else { format!("{least} to {most}") }
    });
    match way {
        Way::OnlyA => "only in A".to_owned(),
        Way::OnlyB => "only in B".to_owned(),
        Way::Earlier => format!("{by} earlier in B"),
        Way::Later => format!("{by} later in B"),
        Way::Both => format!("{by} earlier or later in B"),
        Way::Otherwise => "otherwise in B".to_owned(),
    }
}

/// What is told of either run beside what happened in it.
type Details = [Option<String>; 2];

/// The same of what differs between two runs, with its details.
pub(super) fn changed(way: Way, details: &Details, shift: Option<(Dur, Dur)>) -> String {
    let text = |of: &Option<String>| of.clone().unwrap_or_default();
    match (way, details) {
        (Way::Otherwise, [a, b]) if a == b => "elsewhere in B".to_owned(),
        (Way::Otherwise, [a, b]) => format!("{} in A, {} in B", text(a), text(b)),
        _ => how(way, shift),
    }
}

/// The colour of what differs in that way.
pub(super) fn colour(way: Way, what: &str) -> anstyle::Style {
    match way {
        Way::OnlyA | Way::OnlyB if what.starts_with("evicted") => RED,
        Way::OnlyA | Way::OnlyB => YELLOW,
        _ => PLAIN,
    }
}

/// What is told of it beside, behind a space.
pub(super) fn detail(details: &Details) -> String {
    match details {
        [None, None] => String::new(),
        [Some(a), Some(b)] if a == b => format!(" {a}"),
        [Some(a), Some(b)] => format!(" ({a} in A, {b} in B)"),
        [Some(one), None] | [None, Some(one)] => format!(" {one}"),
    }
}

/// The object of a fact.
pub(super) fn subject_of(pair: &Pair) -> String {
    match (&pair.pod, &pair.node) {
        (Some(pod), Some(node)) => format!("{pod} of {node}"),
        (Some(pod), None) => pod.clone(),
        (None, Some(node)) => node.clone(),
        (None, None) => String::new(),
    }
}

/// Where the pods of a group were bound, if that is what it tells, and in one place.
fn bound_to(g: &Group) -> Option<&str> {
    match &g.details {
        [Some(a), Some(b)] if a != b => None,
        [Some(to), _] | [None, Some(to)] if g.what == "bound" => Some(to),
        _ => None,
    }
}

/// `27 pods of Deployment default/web on b-00..b-08 evicted: 5s earlier in B`
pub(super) fn group_text(g: &Group) -> String {
    let distinct = |of: fn(&Pair) -> Option<&str>| -> Vec<&str> {
        g.pairs.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (nodes, pods) = (distinct(|p| p.node.as_deref()), distinct(|p| p.pod.as_deref()));
    let objects = g.pairs.len();
    let to = bound_to(g);
    let is_on = to.is_none() && !nodes.is_empty();
    let on = if is_on { format!(" on {}", ranges(&nodes)) } else { String::new() };
    let subject = match pods.len() {
        0 => ranges(&nodes),
        1 if to.is_some() => pods[0].to_owned(),
        1 => subject_of(&g.pairs[0]),
        n => {
            let of = g.of.as_ref().map_or(String::new(), |of| format!(" of {of}"));
            format!("{}{of}{on}", counted(n as u64, "pod"))
        }
    };
    let times = match objects.checked_div(pods.len().max(nodes.len()).max(1)) {
        Some(n) if n > 1 => format!(", {} times", grouped(objects as u64)),
        _ => String::new(),
    };
    let several = if pods.is_empty() { nodes.len() > 1 } else { pods.len() > 1 };
    let said = if several { of_several(&g.what) } else { g.what.clone() };
    let what = if subject.is_empty() { said } else { format!("{subject} {said}") };
    let beside = match g.way {
        Way::Otherwise => String::new(),
        _ if g.what == PENDING => why(&g.details),
        _ => to.map_or_else(|| detail(&g.details), |to| format!(" to {to}")),
    };
    format!("{what}{beside}{times}: {}", changed(g.way, &g.details, g.shift()))
}

/// What is said of pods that find no node.
pub(super) const PENDING: &str = "pending";

/// Why pods are pending, in the scheduler's words, unless these differ: other words are noise.
pub(super) fn why(details: &Details) -> String {
    match details {
        [Some(a), Some(b)] if a != b => String::new(),
        [Some(why), _] | [None, Some(why)] => format!(" ({why})"),
        [None, None] => String::new(),
    }
}

/// When the facts of a group happened in a run: `6:45.100`, or the first and the last.
pub(super) fn times(g: &Group, side: usize) -> String {
    let all = g.pairs.iter().filter_map(|p| Some(p.on(side)?.at));
    let span = all.clone().min().zip(all.max());
    span.map_or("–".to_owned(), |(first, last)| from_to(first, last))
}

/// `pods up at worst 10 in A, 9 in B; lost 10 in A, 9 in B`
pub(super) fn fates(a: &Fate, b: &Fate) -> String {
    // Who is not counted has no worst, which comes first here.
    let uncounted = usize::from(a.bill.uncounted || b.bill.uncounted);
    let all = [2, 1, 0, 3, 4, 5].into_iter().skip(uncounted);
    let all = all.map(|i| (COUNTS[i].1, a.counts[i], b.counts[i]));
    let said = |(what, a, b)| format!("{what} {} in A, {} in B", grouped(a), grouped(b));
    all.filter(|(_, a, b)| a != b).map(said).collect::<Vec<_>>().join("; ")
}

/// One of the two runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    /// The run.
    pub(crate) analysis: &'a Analysis<'a>,
    /// Where it came from.
    pub(crate) source: &'a Source,
}

/// Steps of a chain of causes.
const STEPS: usize = 12;

/// The records that led to one, the first cause first, the record itself last.
pub(super) fn steps(analysis: &Analysis<'_>, record: RecordId) -> Vec<(Time, String)> {
    let chain = causes::chain(analysis.trace, record).take(STEPS);
    // That an object exists from the start explains nothing.
    let told = chain.filter(|(id, r)| *id == record || r.at > Time::ZERO);
    let steps: Vec<_> = told.map(|(_, r)| (r.at, words::record(analysis, r))).collect();
    steps.into_iter().rev().collect()
}
