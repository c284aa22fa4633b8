//! Records: everything that happened in a run, as `events.jsonl` has it, a column for each of its
//! fields; docs/data.md tells them.

use super::table::{Cell, Column, Each, Kind, Streamed, Table};
use crate::report::prelude::*;
use crate::trace::{Actor, BudgetState, Fields, NO_RECORD, Told};

/// A record, and what is told of it.
pub(crate) struct Row<'a> {
    analysis: &'a Analysis<'a>,
    id: RecordId,
    r: &'a Record,
    pub(crate) fields: Fields,
}

impl<'a> Row<'a> {
    /// The records of a run, in their order.
    pub(crate) fn all(analysis: &'a Analysis<'a>) -> impl Iterator<Item = Self> {
        let of = move |(id, r)| Row { analysis, id, r, fields: analysis.trace.fields(r) };
        (0..).zip(analysis.trace.iter()).map(of)
    }

    /// The entry of the timeline that it is about, by its place.
    fn entry(&self) -> Option<u32> {
        let is_about_one = match self.r.what {
            What::FaultBegan | What::FaultEnded | What::Refused(_) | What::CutShort(_) => true,
            What::ControllersStopped => self.r.actor == Actor::User,
            _ => false,
        };
        is_about_one.then_some(self.r.object)
    }

    /// The name of that entry; what stops controllers has none.
    fn entry_name(&self) -> Option<&str> {
        let index = self.entry().filter(|_| self.r.what != What::ControllersStopped)?;
        Some(self.analysis.plan.timeline.get(index as usize)?.name.as_str())
    }

    /// The node that controllers stopped with.
    fn stopped_with(&self) -> Option<&str> {
        let is_one = self.r.what == What::ControllersStopped && self.r.actor != Actor::User;
        is_one.then(|| self.analysis.node_name(NodeId(self.r.object)))
    }

    /// The seconds of a grace period, or those of a timer.
    fn seconds(&self, of_a_deletion: bool) -> Option<u32> {
        self.fields.seconds.filter(|_| matches!(self.r.what, What::PodDeleting(_)) == of_a_deletion)
    }

    /// A field of the disruption budget.
    fn budget<'r>(&self, field: fn(BudgetState) -> Cell<'r>) -> Cell<'r> {
        self.fields.budget.map_or(Cell::Empty, field)
    }

    /// `PodDisruptionBudget/namespace/name`
    fn budget_name(&self) -> Option<&str> {
        self.fields.budget.map(|b| self.analysis.trace.names.workload_name(b.budget))
    }
}

/// A reference to another record, if it is one.
fn reference(id: RecordId) -> Cell<'static> {
    Cell::whole(Some(id).filter(|id| *id != NO_RECORD))
}

/// A column: its name, what it holds, and what stands in it.
pub(crate) type Field = (&'static str, Kind, for<'r> fn(&'r Row<'_>) -> Cell<'r>);

/// What a record has, in the order in which it is told.
pub(crate) const FIELDS: [Field; 32] = [
    ("id", Kind::Whole, |r| Cell::Whole(r.id.into())),
    ("t_ns", Kind::Natural, |r| Cell::Natural(r.r.at.as_nanos())),
    ("actor", Kind::Text, |r| Cell::Text(r.r.actor.as_str().into())),
    ("what", Kind::Text, |r| Cell::Text(r.fields.what.into())),
    ("node", Kind::Text, |r| Cell::text(r.fields.node.as_deref().or_else(|| r.stopped_with()))),
    ("pod", Kind::Text, |r| Cell::text(r.fields.pod.as_deref())),
    ("object", Kind::Text, |r| Cell::text(r.fields.object.as_deref())),
    ("type", Kind::Text, |r| Cell::text(r.fields.kind)),
    ("status", Kind::Text, |r| Cell::text(r.fields.status)),
    ("reason", Kind::Text, |r| Cell::text(r.fields.reason.as_deref())),
    ("message", Kind::Text, |r| Cell::text(r.fields.message.as_deref())),
    ("value", Kind::Truth, |r| r.fields.value.map_or(Cell::Empty, Cell::Truth)),
    ("seconds", Kind::Whole, |r| Cell::whole(r.seconds(false))),
    ("grace", Kind::Whole, |r| Cell::whole(r.seconds(true))),
    ("millis", Kind::Whole, |r| Cell::whole(r.fields.millis)),
    ("count", Kind::Whole, |r| Cell::whole(r.fields.count)),
    ("replicas", Kind::Whole, |r| Cell::whole(r.fields.replicas)),
    ("added", Kind::Texts, |r| Cell::texts(&r.fields.added)),
    ("removed", Kind::Texts, |r| Cell::texts(&r.fields.removed)),
    ("budget", Kind::Text, |r| Cell::text(r.budget_name())),
    ("budget_rule", Kind::Text, |r| r.budget(|b| Cell::Text(b.rule.field().into()))),
    ("budget_amount", Kind::Text, |r| r.budget(|b| Cell::Text(b.rule.amount().to_string().into()))),
    ("budget_expected_pods", Kind::Whole, |r| r.budget(|b| Cell::Whole(b.expected.into()))),
    ("budget_desired_healthy", Kind::Whole, |r| r.budget(|b| Cell::Whole(b.desired.into()))),
    ("budget_current_healthy", Kind::Whole, |r| r.budget(|b| Cell::Whole(b.healthy.into()))),
    ("budget_disruptions_allowed", Kind::Whole, |r| r.budget(|b| Cell::Whole(b.allowed.into()))),
    ("left", Kind::Texts, |r| Cell::texts(&r.fields.left)),
    ("filters", Kind::Texts, |r| {
        Cell::texts(r.fields.filters.iter().map(filter).collect::<Vec<_>>())
    }),
    ("entry", Kind::Text, |r| Cell::text(r.entry_name())),
    ("entry_index", Kind::Whole, |r| Cell::whole(r.entry())),
    ("cause", Kind::Whole, |r| reference(r.r.cause)),
    ("saw", Kind::Whole, |r| reference(r.r.saw)),
];

/// The records of a run, in their order.
pub fn records_table<'a>(analysis: &'a Analysis<'a>) -> impl Table {
    let rows = move |each: &mut Each<'_>| {
        Row::all(analysis).try_for_each(|row| each(&FIELDS.map(|(_, _, cell)| cell(&row))))
    };
    let columns = FIELDS.iter().map(|f| Column::new(f.0, f.1)).collect();
    Streamed { name: "records", columns, rows }
}

/// What a filter said, as the JSON that `events.jsonl` has.
fn filter(told: &Told) -> String {
    let (plugin, reason) = (told.rejection.plugin, &told.rejection.reason);
    json!({ "plugin": plugin, "reason": reason, "count": told.count, "nodes": told.nodes })
        .to_string()
}
