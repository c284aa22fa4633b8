//! What holds in every run, whatever is simulated: checkers that know the plan and the trace, and
//! nothing of how the model works.
//!
//! Each is a file. They are strict where the readers of traces are lenient, and they are run on
//! every shipped scenario, on every race of the catalogue, on every recorded timeline and on random
//! scenarios (`taintsim soak`). What upstream itself breaks, a race of the catalogue say, is no
//! invariant.

mod capacity;
mod causality;
mod objects;
mod tainting;
mod timers;

use crate::plan::Plan;
use crate::trace::{Record, RecordId, Trace};

/// One record after another is shown to it.
trait Checker {
    /// What is wrong with this record, after all of those before it.
    fn see(&mut self, id: RecordId, record: &Record) -> Option<String>;
}

/// What a run does that no run may do, and in which record; nothing if all is well.
pub fn first_broken(plan: &Plan, trace: &Trace) -> Option<String> {
    let mut checkers: [Box<dyn Checker + '_>; 5] = [
        Box::new(causality::Causality::new(trace)),
        Box::new(objects::Objects::new(plan, trace)),
        Box::new(timers::Timers::default()),
        Box::new(tainting::Tainting::new(plan, trace)),
        Box::new(capacity::Capacity::new(plan, trace)),
    ];
    trace.iter().enumerate().find_map(|(id, record)| {
        let broken = checkers
            .iter_mut()
            .find_map(|c| c.see(id as RecordId, record))?;
        Some(format!(
            "record {id} at {} ({} {:?}): {broken}",
            record.at,
            record.actor.as_str(),
            record.what
        ))
    })
}
