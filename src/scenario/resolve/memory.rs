//! What the controllers of an exported cluster remember, looked up.

use super::select::Nodes;
use crate::language::complaints::Complaints;
use crate::language::text::place::{at, with};
use crate::language::{self, Problem, values};
use crate::plan::Memory;

/// Reads what is remembered; a node that is not declared is a mistake.
pub(super) fn memory(
    written: &language::Memory,
    nodes: &Nodes,
    complaints: &mut Complaints,
) -> Memory {
    let mut memory = Memory::default();
    if let Some(office) = &written.office {
        memory.office_us = complaints.take(
            at!["memory", "office"],
            values::past_micros(office.as_str()),
        );
    }
    if let Some(pass) = &written.pass {
        memory.pass = complaints.take(at!["memory", "pass"], values::span(pass.as_str()));
    }
    for (name, text) in &written.leases {
        let place = with(&at!["memory", "leases"], name.as_str());
        let Some(node) = nodes.by_name.get(name) else {
            if !nodes.incomplete {
                complaints.add_name(place, Problem::new(format!("there is no node `{name}`")));
            }
            continue;
        };
        if let Some(us) = complaints.take(place, values::past_micros(text.as_str())) {
            memory.leases_us.insert(*node, us);
        }
    }
    memory
}
