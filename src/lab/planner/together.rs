//! Settings that are chosen each for itself, tried together: what they do to each other, through
//! clients' limits, the rates of zones and the room that there is, at their ends and at the values
//! that the answer recommends. Beside that one outage with every value, for whoever wants to see what the
//! values do, and whole years.
//!
//! One outage at a time meets pods where they are now. In a year they stay where earlier outages have
//! put them, until somebody rolls them out anew: several of a workload may come to be on one node, and
//! go at one time. And a machine that failed may fail again while it is still empty. So what is
//! recommended is run for some whole years, too, and both are told.

use super::answer::answer;
use super::apart::{AS_IT_IS, alone, changed};
use super::count::{self, Counting};
use super::kept::Kept;
use super::run::Planner;
use super::spec::{Bound, Objective, Only};
use crate::lab::prelude::*;

/// What settings cost together beside what each of them costs alone.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Extra {
    /// Their values.
    pub(crate) values: Vec<String>,
    /// What they cost more than what is set now, added up one by one.
    pub(crate) sum: f64,
    /// What they cost more than that together.
    pub(crate) extra: f64,
    /// Where that lies, as sure as asked for of all that were tried together.
    pub(crate) interval: Interval,
    /// They touch each other: that is more than chance, and more than is nothing to choose by.
    pub(crate) touches: bool,
}

impl Extra {
    /// How much more or less than one by one they may cost together.
    pub(crate) fn most(&self) -> f64 {
        self.interval.low.abs().max(self.interval.high.abs())
    }
}

/// So many years.
const YEARS: u64 = 8;

/// Figures of a year, each with where it lies.
type Figures = Vec<(f64, Interval)>;

/// An outage of a model, as every row met it.
pub(crate) struct Sample {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// By row the plan that was run, and what happened.
    pub(crate) runs: Vec<(Plan, Trace)>,
}

/// How many outages are tried.
const TRIED: u32 = 8;

fn is_together(values: &[String]) -> bool {
    changed(values).count() > 1
}

impl Planner<'_> {
    /// A plan in which the values that are recommended are tried together, as often as all others
    /// were: of each setting the best one, before those that are as good. The best ones all at a
    /// time, and each of the others beside the best ones of the other settings. None where nothing
    /// is to be tried that was not.
    pub(crate) fn beside(&self, kept: &Kept, recommended: &[Vec<String>]) -> Option<Self> {
        self.apart.as_ref()?;
        let best: Vec<String> =
            recommended.iter().filter_map(|values| values.first().cloned()).collect();
        let mut together = vec![best.clone()];
        for (axis, values) in recommended.iter().enumerate() {
            for value in values.iter().skip(1) {
                let mut row = best.clone();
                row[axis].clone_from(value);
                together.push(row);
            }
        }
        together.retain(|row| is_together(row) && !kept.rows.contains(row));
        if together.is_empty() || best.len() != self.sweep.axes.len() {
            return None;
        }
        let mut rows = vec![vec![AS_IT_IS.to_owned(); best.len()]];
        for row in &together {
            for (axis, value) in changed(row) {
                let alone = alone(best.len(), axis, value);
                if !rows.contains(&alone) {
                    rows.push(alone);
                }
            }
        }
        rows.extend(together);
        let only = Some(kept.only(rows, kept.moments.n()));
        Some(Self { apart: None, now: Some(0), only, ..self.clone() })
    }

    /// A plan of some whole years with these values; none where whole years are counted already.
    pub(crate) fn whole_years(&self, kept: &Kept, values: &[String]) -> Option<Self> {
        (self.counting.0 == Counting::Outages && values.len() == self.sweep.axes.len()).then(|| {
            Self {
                counting: (Counting::Years, "beside single outages".to_owned()),
                apart: None,
                now: Some(0),
                only: Some(kept.only(vec![values.to_vec()], YEARS)),
                ..self.clone()
            }
        })
    }

    /// The first outage of a model in which not all of these rows come to the same, of the first
    /// few; or the last of these. None where there is none to be seen.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub(crate) fn sample(
        &self,
        model: usize,
        rows: &[usize],
        goes_on: GoesOn<'_>,
    ) -> Result<Option<Sample>> {
        let seed = scenario::seed(self.sweep.loaded, &self.sweep.base)?;
        let window = self.sweep.window;
        let all = self.rows();
        let rows: Vec<_> = rows.iter().filter_map(|row| all.get(*row).cloned()).collect();
        let mut drawn = self.drawn_of(&rows, goes_on)?;
        let mut found = None;
        for number in 0..TRIED {
            let (mut runs, mut figures) = (Vec::new(), Vec::new());
            for drawn in &mut drawn {
                let seen = count::seen(drawn, (model, seed, number), window, goes_on);
                let Some((trace, own)) = seen else { return Ok(found) };
                runs.push((drawn.plan.clone(), trace));
                figures.push(own);
            }
            let differ = figures.iter().any(|f| *f != figures[0]);
            found = Some(Sample { number: number + 1, runs });
            if differ {
                break;
            }
        }
        Ok(found)
    }
}

impl Kept {
    /// So many replications of some rows, beside these.
    fn only(&self, rows: Vec<Vec<String>>, n: u64) -> Only {
        let always_below = self.always_below.clone();
        Only { rows, n, delta: self.delta, always: self.always.clone(), always_below }
    }

    /// The value of each setting that is recommended at these prices and limits.
    pub(crate) fn chosen(
        &self,
        objective: &Objective,
        within: &[Bound],
        confidence: f64,
    ) -> Vec<String> {
        let chosen = |part: &Self| {
            part.rows[answer(part, objective, within, confidence).recommended()].clone()
        };
        self.each_apart().iter().flat_map(chosen).collect()
    }

    /// Of each setting that was chosen for itself the best value, and then those that are as good.
    pub(crate) fn recommended(&self, objective: &Objective, confidence: f64) -> Vec<Vec<String>> {
        let of = |part: &Self| {
            let answer = answer(part, objective, &[], confidence);
            let others = answer.same.iter().filter(|row| **row != answer.best);
            let rows = [&answer.best].into_iter().chain(others);
            rows.map(|row| part.rows[*row].concat()).collect()
        };
        self.each_apart().iter().map(of).collect()
    }

    /// Whether settings were tried together at these values, or need not be.
    pub(crate) fn is_tried(&self, values: &[String]) -> bool {
        let all = [Some(self), self.tried.as_deref()];
        !is_together(values)
            || all.into_iter().flatten().any(|k| k.rows.iter().any(|r| r == values))
    }

    /// What settings that were chosen each for itself cost more together than one by one, wherever
    /// they were tried together.
    pub(crate) fn extras(&self, objective: &Objective, confidence: f64) -> Vec<Extra> {
        if self.apart.is_empty() {
            return Vec::new();
        }
        let rows = |kept: &Self| -> Vec<usize> {
            (0..kept.rows.len()).filter(|row| is_together(&kept.rows[*row])).collect()
        };
        let all = [Some(self), self.tried.as_deref()].into_iter().flatten();
        let all = all.flat_map(|kept| rows(kept).into_iter().map(move |row| (kept, row)));
        let all: Vec<(&Self, usize)> = all.collect();
        let each = 1.0 - (1.0 - confidence) / all.len().max(1) as f64;
        all.into_iter().map(|(kept, row)| kept.extra(objective, row, each)).collect()
    }

    fn extra(&self, objective: &Objective, row: usize, confidence: f64) -> Extra {
        let values = &self.rows[row];
        // The rows that change one of these values alone.
        let alone: Vec<usize> = changed(values)
            .filter_map(|(axis, value)| {
                let is = |r: &Vec<String>| r[axis] == *value && !is_together(r);
                self.rows.iter().position(is)
            })
            .collect();
        let mut all = vec![(row, 1.0)];
        all.extend(alone.iter().map(|row| (*row, -1.0)));
        all.push((0, alone.len() as f64 - 1.0));
        let (extra, variance) = self.cost(objective, &all);
        let interval = self.interval((extra, variance), confidence);
        let half = (interval.high - interval.low) / 2.0;
        let cost = |row: usize| self.cost(objective, &[(row, 1.0)]).0;
        Extra {
            values: values.clone(),
            sum: alone.iter().map(|r| cost(*r) - cost(0)).sum(),
            extra,
            interval,
            touches: extra.abs() > half.max(self.nothing(objective)),
        }
    }

    /// The values of which whole years were run, and how many.
    pub(crate) fn years_of(&self) -> Option<(&[String], u64)> {
        let years = self.whole_years.as_deref()?;
        Some((years.rows.first()?, years.moments.n()))
    }

    /// What whole years came to, and the same values one outage at a time, as sure as this.
    pub(crate) fn by_years(&self, confidence: f64) -> Option<[Figures; 2]> {
        let years = self.whole_years.as_deref()?;
        let values = years.rows.first()?;
        let of = |kept: &Self, row: usize| {
            kept.figures(row).into_iter().zip(kept.spans(row, confidence)).collect()
        };
        let alone = [Some(self), self.tried.as_deref()].into_iter().flatten().find_map(|k| {
            let row = k.rows.iter().position(|r| r == values)?;
            Some(of(k, row))
        })?;
        Some([of(years, 0), alone])
    }
}
