//! Redrawing: what depends on a sequence of draws is found by keeping the choices that led to what
//! is right so far, and drawing the rest anew.
//!
//! Runs that follow an outcome equally far are of one level. A run of one of the last levels is
//! taken, its choices are kept up to somewhere before it parts, and everything behind is drawn; a
//! run that follows for longer opens a level. How far back to go, and how freely to draw turns, is
//! itself drawn, by what has opened levels before.

use super::instants::{MILLI, time_of};
use super::near::{Miss, Near};
use super::search::Search;
use super::start::Start;
use crate::kernel::Choices;
use crate::kernel::choice::{Deviation, Drawn};
use crate::recorded::Line;
use crate::sim::{self, Searched};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// These runs cost less thought than the others, so that there are this many times as many.
const REDRAWN: u64 = 10;
/// How many of the last levels are kept, and how many runs of each.
const LEVELS: usize = 64;
const KEPT: usize = 16;
/// One turn in this number is drawn: every one, a few, hardly any.
const TURNS: [u64; 4] = [1, 8, 32, 1 << 20];
/// By how much the weight of a scale and of a turn rises when they opened a level.
const REWARD: usize = 3;

/// A run, up to shortly after the point where it parts from the outcome.
struct Run {
    choices: Vec<Drawn>,
    lines: Vec<Line>,
    /// How many runs were made of it, and how many of them followed the outcome for longer.
    made: usize,
    nearer: usize,
}

impl Run {
    fn of(run: Searched, lines: Vec<Line>, near: Near) -> Self {
        let parts = near.until.saturating_add(MILLI);
        let kept = (0..run.choices.len())
            .take_while(|i| time_of(&run, *i) <= parts)
            .count();
        let mut choices = run.choices;
        choices.truncate(kept);
        Self {
            choices,
            lines,
            made: 0,
            nearer: 0,
        }
    }

    /// How promising it is.
    fn weight(&self) -> usize {
        (1 + self.nearer) * 1_000 / (1 + self.made)
    }
}

/// Runs that follow the outcome equally far.
struct Level {
    near: Near,
    runs: Vec<Run>,
}

/// Draws of the search itself.
struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    /// 0 half of the time, 1 a quarter of it, and so on.
    fn halving(&mut self) -> usize {
        (self.0.next_u64() | 1 << 63).trailing_zeros() as usize
    }

    /// One of several by weight.
    fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        let is_it = |weight: &usize| {
            let it = left < *weight;
            left = left.saturating_sub(*weight);
            it
        };
        weights.iter().position(is_it).unwrap_or(0)
    }
}

/// What a run was drawn from: which run of which level, how far it goes back (as a power of two),
/// and how freely turns are drawn.
struct Origin {
    level: usize,
    run: usize,
    scale: usize,
    turn: usize,
}

/// The runs to go on from, and what has been of use so far.
struct Pool {
    dice: Dice,
    levels: Vec<Level>,
    scales: [usize; u32::BITS as usize],
    turns: [usize; TURNS.len()],
}

impl Pool {
    /// The choices of another run.
    fn next(&mut self) -> (Choices, Origin) {
        let Self {
            dice,
            levels,
            scales,
            turns,
        } = self;
        // Any level half of the time, else one of the last: what is nearest may be at a dead end.
        let back = if dice.below(2) == 0 {
            dice.below(levels.len())
        } else {
            dice.halving()
        };
        let level = levels.len().saturating_sub(1 + back);
        let weights: Vec<usize> = levels[level].runs.iter().map(Run::weight).collect();
        let at = dice.weighted(&weights);
        let run = &mut levels[level].runs[at];
        run.made += 1;
        // Many choices of some points change nothing, so that half of the time the point is drawn
        // before the place.
        let mut of_point: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        let by_point = dice.below(2) == 0;
        for (i, drawn) in run.choices.iter().enumerate() {
            of_point
                .entry(if by_point { drawn.point } else { "" })
                .or_default()
                .push(i);
        }
        let places = of_point
            .values()
            .nth(dice.below(of_point.len()))
            .map_or(&[][..], |places| places);
        let scale = dice.weighted(&scales[..=places.len().max(1).ilog2() as usize]);
        let back = dice.below((2 << scale).min(places.len() + 1));
        let kept = if back == 0 {
            run.choices.len()
        } else {
            places[places.len() - back] + dice.below(2)
        };
        let turn = dice.weighted(turns);
        let kept = run.choices[..kept].iter().map(|d| (*d).into()).collect();
        (
            Choices::tape(kept, Choices::loose(dice.0.next_u64(), TURNS[turn])),
            Origin {
                level,
                run: at,
                scale,
                turn,
            },
        )
    }

    fn add(&mut self, run: Searched, lines: Vec<Line>, near: Near, origin: Option<Origin>) {
        let place = self.levels.partition_point(|l| l.near < near);
        if let Some(origin) = origin.filter(|o| place > o.level) {
            self.levels[origin.level].runs[origin.run].nearer += 1;
            if place == self.levels.len() {
                self.scales[origin.scale] += REWARD;
                self.turns[origin.turn] += REWARD;
            }
        }
        if self.levels.get(place).is_none_or(|l| l.near != near) {
            self.levels.insert(
                place,
                Level {
                    near,
                    runs: Vec::new(),
                },
            );
        }
        let runs = &mut self.levels[place].runs;
        if runs.len() == KEPT {
            let worst = (0..KEPT).min_by_key(|i| runs[*i].weight()).unwrap_or(0);
            runs.swap_remove(worst);
        }
        runs.push(Run::of(run, lines, near));
        if self.levels.len() > LEVELS {
            self.levels.remove(0);
        }
    }
}

impl Search<'_> {
    /// Looks for an outcome from what came nearest before, and from the runs that began the search.
    pub(super) fn redraw(&mut self, outcome: usize, starts: &[(Vec<Deviation>, Vec<Line>)]) {
        let wanted = &self.outcomes[outcome].lines;
        let end = self.reach.runs + REDRAWN * self.budget;
        let dice = Dice(ChaCha8Rng::seed_from_u64(outcome as u64));
        let mut pool = Pool {
            dice,
            levels: Vec::new(),
            scales: [1; u32::BITS as usize],
            turns: [1; TURNS.len()],
        };
        let drawn = starts.iter().map(|(tape, _)| Start {
            tape: tape.clone(),
            ..Start::default()
        });
        let mut firsts = self.nearest.remove(&outcome).into_iter().chain(drawn);
        while self.reach.runs < end && !self.reach.tapes.contains_key(&outcome) {
            let (choices, origin) = match firsts.next() {
                Some(start) => (start.choices(), None),
                None => {
                    let (choices, origin) = pool.next();
                    (choices, Some(origin))
                }
            };
            let run = sim::search(self.plan, choices);
            let lines: Vec<Line> = self.look(&run).into_iter().map(|(line, _)| line).collect();
            let near = Near::of(&lines, wanted);
            pool.add(run, lines, near, origin);
        }
        if !self.reach.tapes.contains_key(&outcome)
            && let Some(run) = pool.levels.last().and_then(|l| l.runs.last())
        {
            self.missed(outcome, Miss::of(&run.lines, wanted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_keep_to_their_weights() {
        let mut dice = Dice(ChaCha8Rng::seed_from_u64(1));
        let mut count = |f: &mut dyn FnMut(&mut Dice) -> usize| {
            let mut counts = [0_i32; 3];
            (0..4_000).for_each(|_| counts[f(&mut dice).min(2)] += 1);
            counts
        };
        // The draws are fixed, so this cannot flicker; the standard deviation of 1,000 of 4,000 is
        // sqrt(4000 * 1/4 * 3/4) = 27.
        let near = |counts: [i32; 3], wanted: [i32; 3]| {
            counts.iter().zip(wanted).all(|(c, w)| (c - w).abs() < 110)
        };
        let weighted = count(&mut |dice| dice.weighted(&[1, 0, 3]));
        assert!(
            near(weighted, [1_000, 0, 3_000]) && weighted[1] == 0,
            "{weighted:?}"
        );
        let halving = count(&mut Dice::halving);
        assert!(near(halving, [2_000, 1_000, 1_000]), "{halving:?}");
    }

    #[test]
    fn a_run_promises_less_the_more_was_made_of_it_in_vain() {
        let run = |made, nearer| {
            Run {
                choices: Vec::new(),
                lines: Vec::new(),
                made,
                nearer,
            }
            .weight()
        };
        assert!(run(0, 0) > run(5, 1) && run(5, 1) > run(5, 0) && run(5, 0) > run(50, 1));
    }
}
