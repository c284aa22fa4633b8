//! The ways to a violation: which choices have to be held where so that drawn runs come to it now and
//! then, however rare it is by itself.

use super::one;
use super::search::{Explore, Violated};
use crate::kernel::choice::{Drawn, Held};
use crate::lab::prelude::*;

/// How many runs are drawn to see whether a violation comes about with some choices held, of which so
/// many have to have it.
const TRIES: u64 = 6;
const ENOUGH: usize = 3;
/// How many times ranges are made wider, to twice as much each time: from so small a part of a whole one on, 2⁻¹², and a few times
/// more where they may not be as wide.
const ROUNDS: u32 = 12;
const MORE: u32 = 3;

/// Choices that lead to a violation where they are held.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Way {
    /// What happens.
    pub(crate) text: String,
    /// The deviations from the default order that lead there.
    pub(crate) tape: Vec<Deviation>,
    /// The choices to hold, from the default order or not.
    pub(crate) held: Vec<Held>,
}

/// Why a violation has no way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoWay {
    /// A choice of it never comes out so in a drawn run.
    Never,
    /// It may not go on.
    Stopped,
}

impl Way {
    /// How likely each of the choices comes out so by itself, by a run in which they come up.
    pub(super) fn each(&self, run: &[Drawn]) -> impl Iterator<Item = f64> {
        self.held.iter().map(|h| {
            let drawn = place(run, &h.choice);
            drawn.map_or(1.0, |d| d.span.natural_odds((h.choice.value, h.most)))
        })
    }

    /// How likely this run is where these choices are held, half of the time all of them and otherwise each
    /// `part` of the time, beside how likely it is by itself; and whether all came out as they are held.
    pub(super) fn ratio(&self, run: &[Drawn], part: f64) -> (f64, bool) {
        let (mut all, mut whole) = (true, 1.0);
        let of = |h: &Held| {
            let Some(drawn) = place(run, &h.choice) else { return 1.0 };
            let odds = drawn.span.natural_odds((h.choice.value, h.most));
            if odds <= 0.0 {
                return 1.0;
            }
            let is_so = (h.choice.value..=h.most).contains(&drawn.value);
            all &= is_so;
            whole /= odds;
            1.0 - part + if is_so { part / odds } else { 0.0 }
        };
        let each: f64 = self.held.iter().map(of).product();
        (0.5 * each + if all { 0.5 * whole } else { 0.0 }, all)
    }

    /// Whether this is one of its choices, however it came out.
    pub(super) fn holds(&self, drawn: &Drawn) -> bool {
        self.held.iter().any(|h| place(std::slice::from_ref(drawn), &h.choice).is_some())
    }

    /// With the ranges as wide as these runs had them, all of which violate.
    pub(super) fn wider<'a>(mut self, runs: impl Iterator<Item = &'a [Drawn]> + Clone) -> Self {
        for h in &mut self.held {
            let drawn = runs.clone().filter_map(|run| place(run, &h.choice));
            let values = drawn.filter(|d| is_range(d.span)).map(|d| d.value);
            let all: Vec<u64> = values.chain([h.choice.value, h.most]).collect();
            h.choice.value = all.iter().copied().fold(u64::MAX, u64::min);
            h.most = all.into_iter().fold(0, u64::max);
        }
        self
    }
}

/// Whether values that are near each other are alike.
const fn is_range(span: Span) -> bool {
    matches!(span, Span::Range(..) | Span::Bits | Span::Rank)
}

/// A choice of a run.
fn place<'a>(run: &'a [Drawn], of: &Deviation) -> Option<&'a Drawn> {
    run.iter().find(|d| d.point == of.point && d.object == of.object && d.ordinal == of.ordinal)
}

/// The way to a violation of which a tape is known. First all choices of its run are held to what they
/// were; then those that the violation does not need are let go, and ranges made as wide as it allows.
pub(super) fn way(
    search: &Explore<'_>,
    violated: &Violated,
    goes_on: GoesOn<'_>,
) -> Result<Way, NoWay> {
    let mut searcher = Searcher::new((search.plan)());
    let tape = Choices::tape(violated.tape.clone(), Choices::default_order());
    let run = searcher.decided(tape, goes_on);
    let found = Finder { search, violated, searcher: RefCell::new(searcher), goes_on };
    if run.known {
        return Err(NoWay::Stopped);
    }
    let held = |d: &Drawn| Held { choice: (*d).into(), most: d.value };
    let is_possible = |d: &&Drawn| d.span.natural_odds((d.value, d.value)) > 0.0;
    if run.choices.iter().any(|d| !is_possible(&d)) {
        return Err(NoWay::Never);
    }
    let deviating = run.choices.iter().filter(|d| d.deviates());
    let few: Vec<Held> = deviating.map(held).collect();
    let all = if found.violates(&few) { few } else { run.choices.iter().map(held).collect() };
    let (mut all, _) = one::fewest(all, false, &|held| found.violates(held), goes_on);
    widen(&mut all, &run.choices, &|held| found.violates(held));
    if !goes_on() {
        return Err(NoWay::Stopped);
    }
    Ok(Way { text: violated.text.clone(), tape: violated.tape.clone(), held: all })
}

/// Looks for the choices that a violation needs.
struct Finder<'a> {
    search: &'a Explore<'a>,
    violated: &'a Violated,
    searcher: RefCell<Searcher>,
    goes_on: GoesOn<'a>,
}

impl Finder<'_> {
    /// Whether drawn runs come to it often enough with these choices held.
    fn violates(&self, held: &[Held]) -> bool {
        let search = Explore {
            properties: std::slice::from_ref(&self.violated.property),
            ..self.search.clone()
        };
        let (mut have, mut searcher) = (0, self.searcher.borrow_mut());
        (0..TRIES).any(|seed| {
            if !(self.goes_on)() {
                return false;
            }
            let choices = Choices::held(held.to_vec(), Choices::natural(seed));
            let run = searcher.decided(choices, self.goes_on);
            let found = |run: &sim::Searched| {
                let all = one::look(&search, searcher.plan(), &run.trace, Trace::default).found;
                all.iter().any(|f| self.violated.about.is_empty() || f.about == self.violated.about)
            };
            have += usize::from(!run.known && found(&run));
            searcher.take_back(run);
            have >= ENOUGH
        })
    }
}

/// Lets choices come out lower and higher, as far as the violation still comes about: all in turns, each a little more, so that the
/// first does not take what there is for all.
fn widen(held: &mut [Held], run: &[Drawn], violates: &dyn Fn(&[Held]) -> bool) {
    let mut sides: Vec<Side> = held.iter().enumerate().flat_map(|of| Side::of(of, run)).collect();
    for round in 0..=ROUNDS + MORE {
        for side in &mut sides {
            let next = match side.bad {
                None => side.room >> ROUNDS.saturating_sub(round),
                Some(bad) => side.good.midpoint(bad),
            };
            if next <= side.good {
                continue;
            }
            side.put(held, next);
            if violates(held) {
                side.good = next;
            } else {
                side.bad = Some(next);
                side.put(held, side.good);
            }
        }
    }
}

/// One end of the range of a choice that is held.
struct Side {
    /// Which choice.
    at: usize,
    is_low: bool,
    /// What it was in the run that violates.
    value: u64,
    /// How far it may be from that at most.
    room: u64,
    /// How far it is, and how far is too far.
    good: u64,
    bad: Option<u64>,
}

impl Side {
    /// Both ends of a choice whose values are near each other, and of no other one.
    fn of((at, held): (usize, &Held), run: &[Drawn]) -> impl Iterator<Item = Self> {
        let drawn = place(run, &held.choice).filter(|d| is_range(d.span));
        let sides = drawn.map(|d| {
            let (min, max) =
                if let Span::Range(min, max) = d.span { (min, max) } else { (0, u64::MAX) };
            [(true, d.value.saturating_sub(min)), (false, max.saturating_sub(d.value))]
                .map(|(is_low, room)| Side { at, is_low, value: d.value, room, good: 0, bad: None })
        });
        sides.into_iter().flatten()
    }

    /// Puts it so far from where it was.
    fn put(&self, held: &mut [Held], far: u64) {
        match self.is_low {
            true => held[self.at].choice.value = self.value - far,
            false => held[self.at].most = self.value + far,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::choice::Object;

    /// Three numbers of 1 to 21 million that may be 3.374 million more than three together, half of which is what they are on the
    /// average. All may be 0.625 million more, 20 / 2⁵, and the first two twice as much: with the third, 3.75, it is too much. Held
    /// one after the other, the first would have it all.
    #[test]
    fn no_choice_takes_what_there_is_for_all() {
        const LEAST: u64 = 1_000_000;
        let mut choices = Choices::recorded(Choices::default_order());
        for name in ["first", "second", "third"] {
            let point = choices.point(name);
            choices.ask(point, Object::named(1, "object"), Span::Range(LEAST, 21 * LEAST));
        }
        let run = choices.log().to_vec();
        let held = |d: &Drawn| Held { choice: (*d).into(), most: d.value };
        let mut held: Vec<Held> = run.iter().map(held).collect();
        let more = |held: &[Held]| held.iter().map(|h| h.most - LEAST).collect::<Vec<u64>>();
        widen(&mut held, &run, &|held| more(held).iter().sum::<u64>() <= 3_374_000);
        let more = more(&held);
        assert!(more.iter().all(|more| (625_000..=1_500_000).contains(more)), "{more:?}");
        assert!(held.iter().all(|h| h.choice.value == LEAST));
        // What is not as wide as it may be at most is nearly so: there are 3.374 - 3.125 left, and ever less with each halving.
        assert!((3_125_000..=3_374_000).contains(&more.iter().sum::<u64>()), "{more:?}");
    }
}
