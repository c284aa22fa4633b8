//! Runs all checkers over a trace.

use super::capacity::Capacity;
use super::causality::Causality;
use super::checker::Checker;
use super::objects::Objects;
use super::tainting::Tainting;
use super::timers::Timers;
use crate::plan::Plan;
use crate::trace::Trace;

/// What a run does that no run may do, and in which record; nothing if all is well.
pub fn first_broken(plan: &Plan, trace: &Trace) -> Option<String> {
    let mut checkers: [Box<dyn Checker + '_>; 5] = [
        Box::new(Causality::new(trace)),
        Box::new(Objects::new(plan, trace)),
        Box::new(Timers::default()),
        Box::new(Tainting::new(plan, trace)),
        Box::new(Capacity::new(plan, trace)),
    ];
    (0..).zip(trace.iter()).find_map(|(id, record)| {
        let broken = checkers.iter_mut().find_map(|c| c.see(id, record))?;
        Some(format!(
            "record {id} at {} ({} {:?}): {broken}",
            record.at,
            record.actor.as_str(),
            record.what
        ))
    })
}
