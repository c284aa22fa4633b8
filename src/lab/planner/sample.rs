//! One outage with every value, for whoever wants to see what the values do.

use super::count::{self, GoesOn};
use super::run::Planner;
use crate::language::Problems;
use crate::plan::Plan;
use crate::scenario;
use crate::trace::Trace;

/// An outage of a model, as every row met it.
pub(crate) struct Sample {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// By row the plan that was run, and what happened.
    pub(crate) runs: Vec<(Plan, Trace)>,
}

/// How many outages are tried.
const TRIED: u32 = 8;

impl Planner<'_> {
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
    ) -> Result<Option<Sample>, Problems> {
        let seed = scenario::seed(self.sweep.loaded, &self.sweep.base)?;
        let window = self.sweep.window;
        let mut drawn: Vec<_> = self.drawn()?.into_iter().map(Some).collect();
        let mut drawn: Vec<_> = rows.iter().filter_map(|row| drawn.get_mut(*row)?.take()).collect();
        let mut found = None;
        for number in 0..TRIED {
            let mut runs: Vec<(Plan, Trace)> = Vec::new();
            for drawn in &mut drawn {
                let Some(trace) = count::seen(drawn, (model, seed, number), window, goes_on) else {
                    return Ok(found);
                };
                runs.push((drawn.plan.clone(), trace));
            }
            let figures: Vec<_> =
                runs.iter().map(|(plan, trace)| count::figures(plan, trace, window)).collect();
            let differ = figures.iter().any(|f| *f != figures[0]);
            found = Some(Sample { number: number + 1, runs });
            if differ {
                break;
            }
        }
        Ok(found)
    }
}
