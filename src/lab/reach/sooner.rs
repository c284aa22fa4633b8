//! Other choices of a run that let an object come sooner, or at another time.

use super::instants::{ranked, time_of};
use super::near::Miss;
use crate::api::names::stable_hash;
use crate::kernel::choice::{Deviation, Drawn, Span};
use crate::recorded::Line;
use crate::sim::Searched;
use crate::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// How many others are put before an object that came too soon.
const SWAPS: usize = 4;

/// Which objects should come sooner, and which came instead: those of the first record that only
/// the outcome has, and of the first that only the run has, by the hashes of their names. Of the
/// two records only the earlier one counts.
pub(super) struct Wish {
    pub(super) wanted: Vec<u64>,
    pub(super) instead: Vec<u64>,
}

impl Wish {
    pub(super) fn of(lines: &[Line], wanted: &[Line], trace: &Trace) -> Self {
        let (theirs, ours) = Miss::of(lines, wanted).parts;
        let mut aliases: Vec<(String, String)> = trace.names.aliases().collect();
        aliases.sort_by_key(|(_, alias)| std::cmp::Reverse(alias.len()));
        let hashes = |line: Option<Line>| -> Vec<u64> {
            let Some(line) = line else { return Vec::new() };
            let object = line
                .object
                .split_once('/')
                .map(|(_, name)| name.to_owned())
                .unwrap_or_default();
            let named = |text: &String| {
                stable_hash(&aliases.iter().fold(text.clone(), |text, (name, alias)| {
                    text.replace(alias, name)
                }))
            };
            // What happens to a pod may depend on what happened to its node.
            let is_there = |l: &&Line| {
                !l.node.is_empty() && !l.pod.is_empty() && (l.pod == line.pod || l.pod == object)
            };
            let node = lines
                .iter()
                .rev()
                .find(is_there)
                .map(|l| l.node.clone())
                .unwrap_or_default();
            [line.node, line.pod, object, node]
                .iter()
                .filter(|text| !text.is_empty())
                .map(named)
                .collect()
        };
        let time = |line: &Option<Line>| line.as_ref().map_or(u64::MAX, |l| l.t_ns);
        let (their_time, our_time) = (time(&theirs), time(&ours));
        let theirs = if their_time <= our_time {
            hashes(theirs)
        } else {
            Vec::new()
        };
        let ours = if our_time <= their_time {
            hashes(ours)
        } else {
            Vec::new()
        };
        let only = |these: &[u64], those: &[u64]| {
            these
                .iter()
                .copied()
                .filter(|h| !those.contains(h))
                .collect()
        };
        Self {
            wanted: only(&theirs, &ours),
            instead: only(&ours, &theirs),
        }
    }
}

/// Choices that let a wanted object come before the one that came instead.
pub(super) fn sooner(run: &Searched, parts: u64, wish: &Wish) -> Vec<(u64, Vec<Deviation>)> {
    let mut out = Vec::new();
    for (from, ranks) in ranked(&run.choices) {
        let at = time_of(run, from);
        if at <= parts {
            out.extend(moved(ranks, wish).into_iter().map(|moved| (at, moved)));
        }
    }
    out.extend(all_yield(run, parts));
    let step_of: BTreeMap<u32, usize> = run
        .notes
        .steps
        .iter()
        .enumerate()
        .map(|(i, s)| (s.event, i))
        .collect();
    for asked in &run.notes.asked {
        let at = run
            .notes
            .steps
            .get(asked.step as usize)
            .map_or(u64::MAX, |s| s.at.as_nanos());
        if at > parts {
            break;
        }
        let drawn = run.choices[asked.choice as usize];
        let about = |value: u64| {
            let event = run.notes.candidates[asked.from as usize + value as usize];
            step_of
                .get(&event)
                .map_or(0, |step| run.notes.steps[*step].name.object)
        };
        let taken = about(drawn.value);
        if !wish.wanted.contains(&taken)
            && (wish.instead.is_empty() || wish.instead.contains(&taken))
        {
            let sooner =
                (0..u64::from(asked.count)).filter(|value| wish.wanted.contains(&about(*value)));
            out.extend(sooner.map(|value| {
                (
                    at,
                    vec![Deviation {
                        value,
                        ..drawn.into()
                    }],
                )
            }));
        }
    }
    out
}

/// All of several goroutines that come by a place in one instant let the others go first: then the
/// two halves of what they do have orders of their own.
fn all_yield(run: &Searched, parts: u64) -> Vec<(u64, Vec<Deviation>)> {
    let mut together: BTreeMap<(u64, &str), Vec<Deviation>> = BTreeMap::new();
    for (i, drawn) in run.choices.iter().enumerate() {
        let at = time_of(run, i);
        if at > parts {
            break;
        }
        if drawn.span == Span::Yield && drawn.value == 0 {
            together
                .entry((at, drawn.point))
                .or_default()
                .push(Deviation {
                    value: 1,
                    ..(*drawn).into()
                });
        }
    }
    together
        .into_iter()
        .filter(|(_, all)| all.len() > 1)
        .map(|((at, _), all)| (at, all))
        .collect()
}

/// Puts a wanted object right before the one that came instead, or first, or another before one
/// that came too soon; the rest of an arbitrary order stays as it is.
pub(super) fn moved(ranks: &[Drawn], wish: &Wish) -> Vec<Vec<Deviation>> {
    let mut order: Vec<&Drawn> = ranks.iter().collect();
    order.sort_by_key(|d| d.value);
    let place = |of: &[u64]| order.iter().position(|d| of.contains(&d.object));
    let moves: Vec<(usize, usize)> = match (place(&wish.wanted), place(&wish.instead)) {
        (Some(from), Some(to)) => vec![(from, to)],
        (Some(from), None) if wish.instead.is_empty() => vec![(from, 0)],
        (None, Some(to)) if wish.wanted.is_empty() => (to + 1..order.len())
            .take(SWAPS)
            .map(|from| (from, to))
            .collect(),
        _ => Vec::new(),
    };
    let laid = |(from, to): (usize, usize)| {
        let mut order = order.clone();
        order[to..=from].rotate_right(1);
        order[..=from]
            .iter()
            .enumerate()
            .map(|(place, d)| Deviation {
                value: place as u64,
                ..(**d).into()
            })
            .collect()
    };
    moves
        .into_iter()
        .filter(|(from, to)| from > to)
        .map(laid)
        .collect()
}

/// Drawn durations that make up for the shift: what depends on one of them then comes in the
/// recorded millisecond.
pub(super) fn shifted(run: &Searched, parts: u64, shift: i128) -> Vec<(u64, Vec<Deviation>)> {
    let mut said = BTreeSet::new();
    let mut out = Vec::new();
    for (i, drawn) in run.choices.iter().enumerate() {
        let Span::Range(min, max) = drawn.span else {
            continue;
        };
        let value = u64::try_from(i128::from(drawn.value) + shift)
            .ok()
            .filter(|v| (min..=max).contains(v));
        let at = time_of(run, i);
        if let Some(value) = value
            && at <= parts
            && said.insert((drawn.point, drawn.object, drawn.ordinal))
        {
            out.push((
                at,
                vec![Deviation {
                    value,
                    ..(*drawn).into()
                }],
            ));
        }
    }
    out
}
