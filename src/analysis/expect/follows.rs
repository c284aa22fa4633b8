//! Expectations about records that follow others.

use super::never::never;
use super::objects::{Hit, may_be_one};
use super::prelude::*;
use super::seen::subject;
use crate::language::Each;
use crate::trace::ObjectKind;
use std::collections::VecDeque;

/// That the run ends too soon to tell whether anything that came was followed in time.
pub(super) fn undecided(run: &Run<'_>, within: Option<Dur>, that: &[Hit]) -> Option<String> {
    let is_over = |hit: &Hit, within: Dur| hit.at.saturating_add(within) <= run.analysis.horizon();
    let first =
        that.first().filter(|first| within.is_some_and(|within| !is_over(first, within)))?;
    let text =
        "the run ends before it is over how soon something had to follow, even after the first";
    Some(format!("{text}, at {}", time(first.at)))
}

/// Whether whatever came was followed in time. Where the run ended before that was over, it is not known.
pub(super) fn judge(
    run: &Run<'_>,
    parts: &[Sought; 2],
    (each, within): (Each, Option<Dur>),
    (that, then): (&[Hit], &[Hit]),
) -> Option<Failed> {
    let mut following: BTreeMap<Whose, VecDeque<Hit>> = BTreeMap::new();
    for (whose, hit) in then.iter().filter_map(|hit| Some((whose(run, each, hit)?, hit))) {
        following.entry(whose).or_default().push_back(*hit);
    }
    let horizon = run.analysis.horizon();
    let with_it = may_be_one(&parts[0].what, &parts[1].what);
    let comes_first =
        |next: &Hit, hit: &Hit| next.record < hit.record || next.record == hit.record && !with_it;
    // Those that nothing followed in time, and what came of them later.
    let mut alone: Vec<(Hit, Option<Hit>)> = Vec::new();
    for hit in that {
        let last = within.map_or(horizon, |within| hit.at.saturating_add(within));
        let next =
            whose(run, each, hit).and_then(|whose| following.get_mut(&whose)).and_then(|all| {
                // What came before this one came before those after it, too.
                while all.front().is_some_and(|next| comes_first(next, hit)) {
                    all.pop_front();
                }
                let next = all.front().copied()?;
                // One that comes too late for this one may be in time for another.
                if each == Each::Workload && next.at <= last {
                    all.pop_front();
                }
                Some(next)
            });
        if last <= horizon && next.is_none_or(|next| next.at > last) {
            alone.push((*hit, next));
        }
    }
    let (first, next) = alone.first()?;
    let [comes, follows] = [0, 1].map(|i| subject(run, &parts[i]));
    let of = match each {
        Each::Object => "the same object",
        Each::Node => "the same node",
        Each::Workload => "the same workload",
    };
    let soon = within.map_or(String::new(), |within| format!(" within {}", span(within)));
    let more = match alone.len() - 1 {
        0 => String::new(),
        1 => format!(", nor after another of {}", that.len()),
        more => format!(", nor after {more} others of {}", that.len()),
    };
    let why = never(run, &parts[1]).map_or(String::new(), |why| format!("; {why}"));
    let late = next.map_or(String::new(), |next| {
        let later = span(lasted((first.at, next.at)));
        format!(" (the next came at {}, {later} later)", time(next.at))
    });
    let (name, at) = (name(run, first), time(first.at));
    let nowhere = if whose(run, each, first).is_none() { "; it was on no node then" } else { "" };
    let got = format!("none after {name}, at {at}{late}{more}{why}{nowhere}");
    let expected = format!("whenever {comes}, then {follows} of {of}{soon}");
    let records = alone.iter().map(|(hit, _)| hit.record).take(RECORDS).collect();
    let mut failed = run.failed(expected, got, records);
    failed.way = if next.is_some() { Ordering::Greater } else { Ordering::Less };
    // Asked is what nothing came of by when it had to.
    if let Some((object, at)) = &mut failed.about {
        *object = match (each, whose(run, each, first)) {
            (Each::Workload, Some((ObjectKind::Workload, id, _))) => {
                Object::Workload(WorkloadId(id))
            }
            (Each::Node, Some((_, id, _))) => Object::Node(NodeId(id)),
            _ => *object,
        };
        let last = within.map(|within| first.at.saturating_add(within));
        *at = last.filter(|last| *last < horizon);
    }
    Some(failed)
}

/// What has to be the same, by its kind and number; of a pod itself also which one of that name.
type Whose = (ObjectKind, u32, RecordId);

fn whose(run: &Run<'_>, each: Each, hit: &Hit) -> Option<Whose> {
    let record = run.analysis.trace.get(hit.record)?;
    let kind = record.what.kind().1;
    match each {
        Each::Object => Some((kind, hit.object, hit.created)),
        Each::Node => Some((ObjectKind::Node, hit.node?.0, NO_RECORD)),
        Each::Workload => {
            let of_pod = record.pod().and_then(|pod| run.owners.of(run.analysis, pod));
            let own = || run.owners.root_of(record.workload()?);
            let of = of_pod.or_else(own).map(|workload| (ObjectKind::Workload, workload.0));
            let (kind, object) = of.unwrap_or((kind, hit.object));
            Some((kind, object, NO_RECORD))
        }
    }
}

/// What a record is about, by name.
fn name(run: &Run<'_>, hit: &Hit) -> String {
    let Some(record) = run.analysis.trace.get(hit.record) else { return String::new() };
    let pod = record.pod().map(|pod| run.analysis.pod_name(pod));
    let node = || record.node().map(|node| run.analysis.node_name(node));
    let other = || run.analysis.trace.fields(record).object;
    let named = pod.or_else(node).map(str::to_owned).or_else(other);
    named.unwrap_or_else(|| "it".to_owned())
}
