//! Exchanges: choices of a run with which a wanted object changes places with the one that came
//! instead.

use super::wish::Wish;
use std::collections::{BTreeMap, BTreeSet};
use taintsim::kernel::choice::{Drawn, Span};
use taintsim::sim::Searched;

/// Choices made otherwise, all at once, and the place of the first of them in the run.
pub(super) type Exchange = (usize, Vec<Drawn>);

/// The exchanges among the first `kept` choices of a run, the nearest to their end last.
pub(super) fn exchanges(run: &Searched, kept: usize, wish: &Wish) -> Vec<Exchange> {
    let mut out = in_orders(&run.choices[..kept], wish);
    out.extend(in_turns(run, kept, wish));
    out.sort_by_key(|(place, _)| *place);
    out
}

/// Two objects change places in an arbitrary order. Where only one of them is known, the wanted one
/// comes first, the other one last.
pub(super) fn in_orders(choices: &[Drawn], wish: &Wish) -> Vec<Exchange> {
    let mut out = Vec::new();
    for (from, order) in arbitrary_orders(choices) {
        let mut order: Vec<&Drawn> = order.iter().collect();
        order.sort_by_key(|d| d.value);
        let place = |of: &[u64]| order.iter().position(|d| of.contains(&d.object));
        let (later, sooner) = match (place(&wish.wanted), place(&wish.instead)) {
            (Some(wanted), Some(instead)) => (wanted, instead),
            (Some(wanted), None) if wish.instead.is_empty() => (wanted, 0),
            (None, Some(instead)) if wish.wanted.is_empty() => (order.len() - 1, instead),
            _ => continue,
        };
        if sooner < later {
            order.swap(sooner, later);
            // Only up to the later of the two: what comes behind has greater values already.
            let places = order[..=later].iter().zip(0..);
            out.push((from, places.map(|(d, value)| Drawn { value, ..**d }).collect()));
        }
    }
    out
}

/// The arbitrary orders of two or more objects, each with the place at which it begins.
fn arbitrary_orders(choices: &[Drawn]) -> Vec<(usize, &[Drawn])> {
    let (mut out, mut from) = (Vec::new(), 0);
    while from < choices.len() {
        let mut seen = BTreeSet::new();
        let mut is_next = |d: &Drawn| {
            matches!(d.span, Span::Rank | Span::Place)
                && d.point == choices[from].point
                && seen.insert(d.object)
        };
        let len = choices[from..].iter().take_while(|d| is_next(d)).count();
        if len > 1 {
            out.push((from, &choices[from..from + len]));
        }
        from += len.max(1);
    }
    out
}

/// Of the events of an instant one about a wanted object comes next, where one about the other
/// object came.
fn in_turns(run: &Searched, kept: usize, wish: &Wish) -> Vec<Exchange> {
    let notes = &run.notes;
    let objects = notes.steps.iter().map(|s| (s.event, s.name.object));
    let about: BTreeMap<u32, u64> = objects.collect();
    let mut out = Vec::new();
    let is_kept = |place: u32| (place as usize) < kept;
    for asked in notes.asked.iter().take_while(|a| is_kept(a.choice)) {
        let drawn = run.choices[asked.choice as usize];
        let object = |value: u64| {
            let event = notes.candidates[asked.from as usize + value as usize];
            about.get(&event).copied().unwrap_or(0)
        };
        let is_wanted = |value: &u64| wish.wanted.contains(&object(*value));
        let came_instead = wish.instead.is_empty() || wish.instead.contains(&object(drawn.value));
        if came_instead
            && !is_wanted(&drawn.value)
            && let Some(value) = (0..u64::from(asked.count)).find(is_wanted)
        {
            out.push((asked.choice as usize, vec![Drawn { value, ..drawn }]));
        }
    }
    out
}
