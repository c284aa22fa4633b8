//! Redrawing: what hangs on a sequence of draws is found by keeping what led to the records that are right, and drawing the rest anew.
//!
//! Runs that follow an outcome equally far are of one level. From one of the last levels a run is taken, its choices are kept up to
//! somewhere before it parts, and everything behind is drawn; a run that follows for longer opens a level.

use super::{MILLI, Miss, Near, Search, Start, time_of};
use crate::kernel::Choices;
use crate::kernel::choice::{Deviation, Drawn};
use crate::scenario::recorded::Line;
use crate::sim::{self, Searched};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Of one level so many runs are kept.
const KEPT: usize = 16;
/// How often turns are drawn: hardly ever, always, sometimes.
const TURNS: [u64; 4] = [1 << 20, 1, 8, 32];

struct Run {
    /// All choices up to where it parts.
    choices: Vec<Drawn>,
    lines: Vec<Line>,
}

struct Level {
    near: Near,
    runs: Vec<Run>,
    seen: usize,
}

impl Run {
    fn of(run: Searched, lines: Vec<Line>, near: Near) -> Self {
        let to = (0..run.choices.len()).collect::<Vec<_>>().partition_point(|i| time_of(&run, *i) <= near.until.saturating_add(MILLI));
        let mut choices = run.choices;
        choices.truncate(to);
        Self { choices, lines }
    }
}

impl Search<'_> {
    pub(super) fn redraw(&mut self, outcome: usize, starts: &[(Vec<Deviation>, Vec<Line>)]) {
        let wanted = &self.outcomes[outcome].lines;
        let budget: u64 = std::env::var("REDRAW").ok().and_then(|v| v.parse().ok()).unwrap_or(self.budget);
        let end = self.reach.runs + budget;
        let mut rng = ChaCha8Rng::seed_from_u64(outcome as u64);
        let mut below = |n: usize| (rng.next_u64() % n.max(1) as u64) as usize;
        let mut levels: Vec<Level> = Vec::new();
        let mut firsts: Vec<Start> = self.best.remove(&outcome).into_iter().collect();
        firsts.extend(starts.iter().map(|(tape, _)| Start { tape: tape.clone(), ..Start::default() }));
        let mut firsts = firsts.into_iter();
        while self.reach.runs < end && !self.reach.tapes.contains_key(&outcome) {
            let choices = match firsts.next() {
                Some(start) => Choices::tape(start.tape, Choices::ordered(start.orders, Choices::default_order())),
                None => {
                    let back = below(1 << 16).checked_ilog2().map_or(16, |log| 15 - log as usize);
                    let level = &levels[levels.len() - 1 - back.min(levels.len() - 1)];
                    let run = &level.runs[below(level.runs.len())];
                    let scale = below(1 + run.choices.len().max(1).ilog2() as usize);
                    let back = below((2_usize << scale).min(run.choices.len() + 1));
                    let kept = run.choices[..run.choices.len() - back].iter().map(|d| (*d).into()).collect();
                    let turns = TURNS[below(TURNS.len())];
                    Choices::tape(kept, Choices::loose(below(usize::MAX) as u64, turns))
                }
            };
            let run = sim::search(self.plan, choices, &mut |_| false);
            if let Ok(t) = std::env::var("REDRAW_AT") {
                let t: u64 = t.parse().unwrap();
                let names: Vec<String> = run
                    .notes
                    .steps
                    .iter()
                    .filter(|s| s.at.as_nanos() / MILLI == t)
                    .map(|s| format!("{}:{:x}", s.name.what, s.name.object & 0xfff))
                    .collect();
                eprintln!("steps at {t}: {}", names.join(" "));
                let turns: Vec<String> = run
                    .notes
                    .asked
                    .iter()
                    .filter(|a| run.notes.steps[a.step as usize].at.as_nanos() / MILLI == t)
                    .map(|a| format!("{}of{}", run.choices[a.choice as usize].value, a.count))
                    .collect();
                eprintln!("turns: {}", turns.join(" "));
            }
            let lines: Vec<Line> = self.look(&run).into_iter().map(|(line, _)| line).collect();
            let near = Near::of(&lines, wanted);
            let place = levels.partition_point(|l| l.near < near);
            if std::env::var("REDRAW_LOG").is_ok() && place == levels.len() {
                eprintln!("outcome {outcome} run {} near {near:?}", self.reach.runs);
            }
            if levels.get(place).is_none_or(|l| l.near != near) {
                levels.insert(place, Level { near, runs: Vec::new(), seen: 0 });
            }
            let level = &mut levels[place];
            level.seen += 1;
            if level.runs.len() < KEPT {
                level.runs.push(Run::of(run, lines, near));
            } else {
                let i = below(level.seen);
                if i < KEPT {
                    level.runs[i] = Run::of(run, lines, near);
                }
            }
        }
        if self.reach.tapes.contains_key(&outcome) {
            self.reach.missed.remove(&outcome);
        } else if let Some(run) = levels.last().and_then(|l| l.runs.last()) {
            let miss = Miss::of(&run.lines, wanted);
            if self.reach.missed.get(&outcome).is_none_or(|before| before.shared < miss.shared) {
                self.reach.missed.insert(outcome, miss);
            }
        }
    }
}
