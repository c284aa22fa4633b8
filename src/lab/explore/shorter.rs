//! Leaves out of a tape what a violation does not need.

use super::one;
use super::search::Explore;
use crate::analysis::properties::Property;
use crate::kernel::choice::Deviation;

/// A shorter tape whose run violates the property, too: no single deviation can be left out of it.
pub fn shorter(search: &Explore<'_>, property: Property, tape: Vec<Deviation>) -> Vec<Deviation> {
    let properties = [property];
    let search = Explore {
        properties: &properties,
        ..search.clone()
    };
    let plan = (search.plan)();
    let violates = |tape: &[Deviation]| {
        let trace = one::run(&plan, tape).trace;
        !one::judge(&search, &plan, &trace, tape).1.is_empty()
    };
    let mut tape = tape;
    let mut size = tape.len().div_ceil(2);
    while size > 0 && !tape.is_empty() {
        let (mut at, before) = (0, tape.len());
        while at < tape.len() {
            let mut without = tape.clone();
            without.drain(at..(at + size).min(tape.len()));
            if violates(&without) {
                tape = without;
            } else {
                at += size;
            }
        }
        // Single ones are tried until none can go.
        size = if size == 1 && tape.len() < before {
            1
        } else {
            size / 2
        };
    }
    tape
}
