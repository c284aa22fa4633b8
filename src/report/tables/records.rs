//! Records: everything that happened in a run, as `events.jsonl` has it, a column for each of its
//! fields; docs/data.md tells them.

use super::table::{Cell, Column, Each, Kind, Table};
use crate::report::events::Entry;
use crate::report::prelude::*;
use crate::trace::{Fields, NO_RECORD, Stand, Told};

const COLUMNS: [(&str, Kind); 32] = [
    ("id", Kind::Whole),
    ("t_ns", Kind::Natural),
    ("actor", Kind::Text),
    ("what", Kind::Text),
    ("node", Kind::Text),
    ("pod", Kind::Text),
    ("object", Kind::Text),
    ("type", Kind::Text),
    ("status", Kind::Text),
    ("reason", Kind::Text),
    ("message", Kind::Text),
    ("value", Kind::Truth),
    ("seconds", Kind::Whole),
    ("grace", Kind::Whole),
    ("millis", Kind::Whole),
    ("count", Kind::Whole),
    ("replicas", Kind::Whole),
    ("added", Kind::Texts),
    ("removed", Kind::Texts),
    ("budget", Kind::Text),
    ("budget_rule", Kind::Text),
    ("budget_amount", Kind::Text),
    ("budget_expected_pods", Kind::Whole),
    ("budget_desired_healthy", Kind::Whole),
    ("budget_current_healthy", Kind::Whole),
    ("budget_disruptions_allowed", Kind::Whole),
    ("left", Kind::Texts),
    ("filters", Kind::Texts),
    ("entry", Kind::Text),
    ("entry_index", Kind::Whole),
    ("cause", Kind::Whole),
    ("saw", Kind::Whole),
];

/// The records of a run, in their order.
#[derive(Clone, Copy, Debug)]
pub struct RecordsTable<'a> {
    analysis: &'a Analysis<'a>,
}

impl<'a> RecordsTable<'a> {
    /// Those of a run.
    pub fn new(analysis: &'a Analysis<'a>) -> Self {
        RecordsTable { analysis }
    }
}

impl Table for RecordsTable<'_> {
    fn name(&self) -> &'static str {
        "records"
    }

    fn columns(&self) -> Vec<Column> {
        Column::all(&COLUMNS)
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        for (id, r) in self.analysis.trace.iter().enumerate() {
            each(&row(self.analysis, id as RecordId, r))?;
        }
        Ok(())
    }
}

fn row<'a>(analysis: &'a Analysis<'a>, id: RecordId, r: &Record) -> [Cell<'a>; COLUMNS.len()] {
    let Fields {
        what,
        node,
        pod,
        object,
        kind,
        status,
        reason,
        message,
        value,
        seconds,
        millis,
        count,
        replicas,
        added,
        removed,
        budget,
        left,
        filters,
    } = analysis.trace.fields(r);
    let about = Entry::of(analysis, r);
    let is_deletion = matches!(r.what, What::PodDeleting(_));
    let [name, rule, amount, expected, desired, current, allowed] = stand(budget);
    let reference = |id: RecordId| Cell::whole(Some(id).filter(|id| *id != NO_RECORD));
    [
        Cell::Whole(id.into()),
        Cell::Natural(r.at.as_nanos()),
        Cell::Text(r.actor.as_str().into()),
        Cell::Text(what.into()),
        Cell::text(node.or_else(|| about.node.map(str::to_owned))),
        Cell::text(pod),
        Cell::text(object),
        Cell::text(kind),
        Cell::text(status),
        Cell::text(reason),
        Cell::text(message),
        value.map_or(Cell::Empty, Cell::Truth),
        Cell::whole(seconds.filter(|_| !is_deletion)),
        Cell::whole(seconds.filter(|_| is_deletion)),
        Cell::whole(millis),
        Cell::whole(count),
        Cell::whole(replicas),
        Cell::texts(added),
        Cell::texts(removed),
        name,
        rule,
        amount,
        expected,
        desired,
        current,
        allowed,
        Cell::texts(left),
        Cell::texts(filters.iter().map(filter).collect()),
        Cell::text(about.name),
        Cell::whole(about.index),
        reference(r.cause),
        reference(r.saw),
    ]
}

/// A disruption budget: its name, what it asks for, and its status.
fn stand<'a>(budget: Option<Stand>) -> [Cell<'a>; 7] {
    let Some(b) = budget else {
        return [const { Cell::Empty }; 7];
    };
    let [expected, desired, current, allowed] = b.status.map(|n| Cell::Whole(n.into()));
    [
        Cell::Text(b.name.into()),
        Cell::Text(b.rule.into()),
        Cell::Text(b.amount.into()),
        expected,
        desired,
        current,
        allowed,
    ]
}

/// What a filter said, as the JSON that `events.jsonl` has.
fn filter(told: &Told) -> String {
    let (plugin, reason) = (told.rejection.plugin, &told.rejection.reason);
    json!({ "plugin": plugin, "reason": reason, "count": told.count, "nodes": told.nodes })
        .to_string()
}
