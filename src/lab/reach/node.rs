//! A run, and the other choices that may bring it nearer to an outcome.

use super::super::explore::children::children;
use super::beside::Wanted;
use super::instants::{MILLI, time_of};
use super::near::{Near, in_common, shift};
use super::orders::orders;
use super::search::Search;
use super::sooner::{Wish, shifted, sooner};
use super::start::{Other, Start};
use crate::kernel::NEXT;
use crate::kernel::choice::{Deviation, Span};
use crate::recorded::Line;
use crate::sim::{self, Searched};

/// How many of the other choices of a run are kept: the nearest to where it parts.
const NEAREST: usize = 500;

/// How many are kept of those that let a wanted object come sooner.
const SOONER: usize = 50;

/// A run from which the search may go on.
pub(super) struct Node {
    pub(super) start: Start,
    pub(super) lines: Vec<Line>,
    pub(super) near: Near,
    /// How many records it has in common with the outcome, at any place.
    pub(super) right: usize,
    /// Other choices that are left to try, the best last.
    pub(super) left: Vec<Other>,
    /// Choices to let others go first that were not made.
    pub(super) yields: Vec<Deviation>,
    /// The places in `left`, when it was made, of those that let a wanted object come sooner.
    pub(super) sooner: std::ops::Range<usize>,
}

impl Search<'_> {
    /// Runs a tape, and lays out the other choices that may bring it nearer to an outcome.
    pub(super) fn node(
        &mut self,
        start: Start,
        wanted: &[Line],
        times: Option<&Wanted<'_>>,
    ) -> Node {
        let run = sim::search(self.plan, start.choices());
        let (lines, made): (Vec<Line>, Vec<usize>) = self.look(&run).into_iter().unzip();
        let near = Near::of(&lines, wanted);
        let parts = near.until.saturating_add(MILLI);
        let mut left = nearest(&run, parts, shift(&lines, wanted));
        let others = left.len();
        left.extend(soonest(&run, parts, &Wish::of(&lines, wanted, &run.trace)));
        let sooner = others..left.len();
        left.extend(
            times
                .into_iter()
                .flat_map(|times| orders(&run, &made, &lines, times, near.until)),
        );
        let right = if times.is_some() {
            in_common(&lines, wanted)
        } else {
            0
        };
        let open = run
            .choices
            .iter()
            .filter(|d| d.span == Span::Yield && d.value == 0);
        let yields = open
            .map(|d| Deviation {
                value: 1,
                ..(*d).into()
            })
            .collect();
        Node {
            start,
            lines,
            near,
            right,
            left,
            yields,
            sooner,
        }
    }
}

/// The other choices of a run that are nearest to where it parts from the outcome, the nearest
/// last.
fn nearest(run: &Searched, parts: u64, shift: Option<i128>) -> Vec<Other> {
    let mut left: Vec<(bool, u64, Vec<Deviation>)> = children(&run.notes, &run.choices, 0, true)
        .0
        .into_iter()
        .map(|c| {
            let choice = c.choice as usize;
            (
                !matches!(run.choices[choice].span, Span::Turn(_)),
                time_of(run, choice),
                vec![c.deviation()],
            )
        })
        .filter(|(_, at, _)| *at <= parts)
        .collect();
    if let Some(shift) = shift {
        left.extend(
            shifted(run, parts, shift)
                .into_iter()
                .map(|(at, d)| (true, at, d)),
        );
    }
    // They are taken from the end, where the nearest one has to be, and of one instant the first.
    // Turns, which are many, come after all others.
    left.reverse();
    left.sort_by_key(|(other, at, _)| (*other, *at));
    let mut left: Vec<Other> = in_groups(left.into_iter().map(|(_, at, d)| (at, d)).collect())
        .into_iter()
        .map(Other::of)
        .collect();
    let far = left.len().saturating_sub(NEAREST);
    left.drain(..far);
    left
}

/// The choices that let a wanted object come sooner, the nearest last.
fn soonest(run: &Searched, parts: u64, wish: &Wish) -> impl Iterator<Item = Other> {
    let mut sooner = sooner(run, parts, wish);
    sooner.sort_by_key(|(at, _)| *at);
    let far = sooner.len().saturating_sub(SOONER);
    sooner.into_iter().skip(far).map(Other::of)
}

/// How many choices are made at once to see whether any of them matters.
const GROUP: usize = 16;

/// Some choices are made again and again, and most of them change nothing. Puts before several of
/// them one that makes them all at once: if that changes nothing, none of them need be tried.
fn in_groups(left: Vec<(u64, Vec<Deviation>)>) -> Vec<(u64, Vec<Deviation>)> {
    let mut out: Vec<(u64, Vec<Deviation>)> = Vec::with_capacity(left.len());
    let mut group: Vec<Deviation> = Vec::new();
    let mut left = left.into_iter().peekable();
    while let Some((at, deviations)) = left.next() {
        // Of the values of one choice the last is tried first.
        match (&deviations[..], group.last_mut()) {
            ([one], Some(last)) if last.ordinal == one.ordinal => *last = one.clone(),
            ([one], _) if one.point != NEXT => group.push(one.clone()),
            _ => {}
        }
        out.push((at, deviations));
        let goes_on = left.peek().is_some_and(|(_, next)| {
            matches!((&next[..], group.last()), ([n], Some(d)) if n.point == d.point && n.object == d.object && (group.len() < GROUP || n.ordinal == d.ordinal))
        });
        if !goes_on {
            let whole = std::mem::take(&mut group);
            if whole.len() > 1 {
                out.push((at, whole));
            }
        }
    }
    out
}
