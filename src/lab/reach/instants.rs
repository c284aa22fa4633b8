//! When the choices of a run were made, and which of them are one arbitrary order.

use crate::kernel::choice::{Drawn, Span};
use crate::sim::Searched;
use std::collections::BTreeSet;

/// Records are compared by the millisecond, so that a choice up to one later may still come before
/// a record.
pub(super) const MILLI: u64 = 1_000_000;

/// When a choice was made.
pub(super) fn time_of(run: &Searched, choice: usize) -> u64 {
    let step = run
        .notes
        .steps
        .partition_point(|s| s.choices as usize <= choice)
        .saturating_sub(1);
    run.notes
        .steps
        .get(step)
        .map_or(u64::MAX, |s| s.at.as_nanos())
}

/// The arbitrary orders among the choices of a run, each with the place at which it begins.
pub(super) fn ranked(choices: &[Drawn]) -> Vec<(usize, &[Drawn])> {
    let (mut out, mut from) = (Vec::new(), 0);
    while from < choices.len() {
        let mut seen = BTreeSet::new();
        let mut is_next = |d: &Drawn| {
            matches!(d.span, Span::Rank | Span::Place)
                && d.point == choices[from].point
                && seen.insert(d.object)
        };
        let ranked = choices[from..].iter().take_while(|d| is_next(d)).count();
        if ranked > 1 {
            out.push((from, &choices[from..from + ranked]));
        }
        from += ranked.max(1);
    }
    out
}
