//! Leaves out of a tape what a violation does not need.

use super::one;
use super::search::Explore;
use crate::analysis::properties::Property;
use crate::kernel::Choices;
use crate::kernel::choice::Deviation;
use crate::sim::{self, GoesOn};

/// A shorter tape whose run violates the property, too, and whether no single deviation can be left
/// out of it: it ends where it may not go on.
pub fn shorter(
    search: &Explore<'_>,
    property: Property,
    tape: Vec<Deviation>,
    goes_on: GoesOn<'_>,
) -> (Vec<Deviation>, bool) {
    let properties = [property];
    let search = Explore { properties: &properties, ..search.clone() };
    let plan = (search.plan)();
    let violates = |tape: &[Deviation]| {
        let choices = Choices::tape(tape.to_vec(), Choices::default_order());
        let run = sim::search_watched(&plan, choices, goes_on);
        !run.known && !one::judge(&search, &plan, &run.trace, tape).1.is_empty()
    };
    let mut tape = tape;
    let mut size = tape.len().div_ceil(2);
    while size > 0 && !tape.is_empty() {
        let (mut at, before) = (0, tape.len());
        while at < tape.len() {
            if !goes_on() {
                return (tape, false);
            }
            let mut without = tape.clone();
            without.drain(at..(at + size).min(tape.len()));
            if violates(&without) {
                tape = without;
            } else {
                at += size;
            }
        }
        // Single ones are tried until none can go.
        size = if size == 1 && tape.len() < before { 1 } else { size / 2 };
    }
    (tape, goes_on())
}
