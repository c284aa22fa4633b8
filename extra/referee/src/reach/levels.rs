//! The runs to go on from, by how far they follow the recording, and what is made of them.

use super::exchange::{Exchange, exchanges};
use super::near::{MILLI, Miss, Near};
use super::wish::{Wish, times};
use crate::recorded::Line;
use std::collections::BTreeMap;
use taintsim::kernel::Choices;
use taintsim::kernel::choice::{Deviation, Drawn, Span};
use taintsim::lab::dice::Dice;
use taintsim::sim::Searched;

/// How many of the last levels are kept, and how many runs of each: one run may be at a dead end,
/// and so may all of the last levels, but all runs of a search would not fit into memory.
const LEVELS: usize = 64;
const RUNS: usize = 16;
/// A turn or a yield that is not kept is drawn one time in one of these numbers, and the usual one
/// otherwise: an outcome may need any order, or the usual one but for a few steps.
const TURNS: [u64; 4] = [1, 8, 32, 1 << 20];

/// A run, up to shortly after the point where it parts from the outcome.
pub(super) struct Run {
    near: Near,
    choices: Vec<Drawn>,
    /// Exchanges that were not tried yet, the nearest to where it parts last.
    exchanges: Vec<Exchange>,
    /// Ranks of objects and of events about them, in the recorded order.
    ranks: BTreeMap<u64, u64>,
    /// How many runs were made of it.
    made: usize,
}

impl Run {
    pub(super) fn of(run: &Searched, lines: &[Line], wanted: &[Line], miss: &Miss) -> Self {
        let near = Near::of(lines, wanted);
        let steps = &run.notes.steps;
        // Records are compared by the millisecond, so that a choice up to one later may still come
        // before the record.
        let parts = near.until.saturating_add(MILLI);
        let after = steps.partition_point(|s| s.at.as_nanos() <= parts);
        let all = run.choices.len();
        let kept = steps.get(after).map_or(all, |s| s.choices as usize);
        let mut ranks = times(miss, wanted, &run.trace);
        for step in steps {
            if let Some(rank) = ranks.get(&step.name.object) {
                ranks.insert(step.name.hash(), *rank);
            }
        }
        Self {
            near,
            ranks,
            choices: run.choices[..kept].to_vec(),
            exchanges: exchanges(run, kept, &Wish::of(miss, lines, &run.trace)),
            made: 0,
        }
    }

    /// The choices of another run, made of this one.
    fn next(&mut self, dice: &mut Dice) -> Choices {
        self.made += 1;
        let (seed, turns) = (dice.any(), TURNS[dice.index(TURNS.len())]);
        let base = Choices::loose(seed, turns);
        let aims = dice.once_in(2);
        if !self.ranks.is_empty() && dice.once_in(2) {
            let aimed = self.exchanges.last().filter(|_| aims);
            let place = match aimed {
                Some((place, _)) => *place,
                None => self.place(dice).unwrap_or_default(),
            };
            let tape = self.without_orders(place, dice.once_in(2));
            return Choices::tape(tape, base.ranked(self.ranks.clone()));
        }
        let mut tape: Vec<Deviation> = self.choices.iter().map(|d| (*d).into()).collect();
        match self.exchanges.pop_if(|_| aims) {
            // Of two deviations for one choice the later one holds.
            Some((_, exchange)) => tape.extend(exchange.into_iter().map(Deviation::from)),
            None => tape.truncate(self.place(dice).unwrap_or_default()),
        }
        Choices::tape(tape, base)
    }

    /// Its choices but for those of an order from a place on, and but for all yields if wanted: an
    /// order before a yield may be right where the one behind it is not.
    fn without_orders(&self, place: usize, yields: bool) -> Vec<Deviation> {
        let is_kept = |i: usize, d: &Drawn| match d.span {
            Span::Yield(_) => i < place && !yields,
            Span::Turn(_) | Span::TurnOf(..) => i < place,
            Span::Rank | Span::Place => i < place || !self.ranks.contains_key(&d.object),
            _ => true,
        };
        let kept = self.choices.iter().enumerate();
        kept.filter(|(i, d)| is_kept(*i, d)).map(|(_, d)| (*d).into()).collect()
    }

    /// The place of one of its choices. How far back it is has no scale: from 2 to 4 choices is as
    /// likely as from 200 to 400.
    fn place(&self, dice: &mut Dice) -> Option<usize> {
        // Of some points there are many choices, most of which change nothing, so that half of the
        // time the point is drawn before the place.
        let by_point = dice.once_in(2);
        let mut of_point: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, drawn) in self.choices.iter().enumerate() {
            let point = if by_point { drawn.point } else { "" };
            of_point.entry(point).or_default().push(place);
        }
        let places = of_point.values().nth(dice.index(of_point.len()))?;
        let scale = dice.index(places.len().ilog2() as usize + 1);
        let back = dice.index((2 << scale).min(places.len()));
        places.iter().nth_back(back).copied()
    }
}

/// Runs by how near they come; those that come equally near are a level.
pub(super) struct Levels {
    levels: BTreeMap<Near, Vec<Run>>,
    dice: Dice,
}

impl Levels {
    pub(super) fn new(seed: u64) -> Self {
        Self { levels: BTreeMap::new(), dice: Dice::new(seed) }
    }

    /// The choices of another run, made of one of those that are here.
    pub(super) fn next(&mut self) -> Choices {
        let Self { levels, dice } = self;
        // Any level half of the time, else one of the last.
        let back = if dice.once_in(2) {
            dice.index(levels.len())
        } else {
            dice.halving().min(levels.len().saturating_sub(1))
        };
        let level = levels.values_mut().nth_back(back);
        let run = level.and_then(|level| level.iter_mut().min_by_key(|run| run.made));
        run.map_or_else(Choices::default_order, |run| run.next(dice))
    }

    pub(super) fn add(&mut self, run: Run) {
        let level = self.levels.entry(run.near).or_default();
        if level.len() == RUNS {
            let most = (0..RUNS).max_by_key(|i| level[*i].made);
            level.swap_remove(most.unwrap_or_default());
        }
        level.push(run);
        if self.levels.len() > LEVELS {
            self.levels.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taintsim::kernel::choice::Object;

    const CHOICES: usize = 256;

    /// A run of choices that are all different, and how many of them another one made of it keeps.
    fn kept(exchanges: Vec<Exchange>, seed: u64) -> usize {
        let drawn = |ordinal: usize| Drawn {
            point: "point",
            object: 0,
            ordinal: ordinal as u32,
            span: Span::Range(0, 1 << 40),
            value: ordinal as u64,
        };
        let mut run = Run {
            near: Near::default(),
            choices: (0..CHOICES).map(drawn).collect(),
            exchanges,
            ranks: BTreeMap::new(),
            made: 0,
        };
        let mut choices = run.next(&mut Dice::new(seed));
        let point = choices.point("point");
        let range = Span::Range(0, 1 << 40);
        let mut is_kept = |i: &usize| choices.ask(point, Object::NONE, range) == *i as u64;
        (0..CHOICES).take_while(|i| is_kept(i)).count()
    }

    #[test]
    fn a_new_draw_begins_at_a_near_place_more_often_than_at_a_far_one() {
        let kept: Vec<usize> = (0..400).map(|seed| kept(Vec::new(), seed)).collect();
        let from =
            |range: std::ops::Range<usize>| kept.iter().filter(|n| range.contains(n)).count();
        // Of nine scales, 2 to 512 choices, three do not go back by more than eight, and the others
        // do not with a probability of a half, a quarter and so on: (3 + 1) / 9. Only the last two
        // go back by more than a half of 256, one of them half of the time; both are cut to 256.
        assert!(
            (140..=215).contains(&from(CHOICES - 8..CHOICES)),
            "{}",
            from(CHOICES - 8..CHOICES)
        );
        assert!((20..=70).contains(&from(0..CHOICES / 2)), "{}", from(0..CHOICES / 2));
        assert_eq!(from(CHOICES..usize::MAX), 0, "something is drawn anew");
    }

    #[test]
    fn an_exchange_leaves_all_else_and_is_tried_once() {
        let exchange = || {
            let other = Drawn {
                point: "point",
                object: 0,
                ordinal: 7,
                span: Span::Range(0, 1 << 40),
                value: 1_000,
            };
            vec![(7, vec![other])]
        };
        let exchanged = (0..100).filter(|seed| kept(exchange(), *seed) == 7).count();
        assert!((30..=70).contains(&exchanged), "half of the time: {exchanged}");
    }
}
