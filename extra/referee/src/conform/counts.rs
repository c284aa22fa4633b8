//! How many recordings conform, and the tables of them.

use crate::conformance::Verdict;
use comfy_table::{CellAlignment, Table, presets};

/// How many recordings have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Equal to a recorded outcome, or inside the envelope.
    pub conform: usize,
    /// The recording does not settle it.
    pub undecided: usize,
    /// Something differs.
    pub differ: usize,
    /// The scenario needs something that the model does not have.
    pub not_modelled: usize,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Exact | Verdict::Member(_) | Verdict::Inside => self.conform += 1,
            Verdict::Shape(_) | Verdict::Unrecorded(_) => self.undecided += 1,
            Verdict::Differs(_) => self.differ += 1,
            Verdict::NotModelled(_) => self.not_modelled += 1,
        }
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.conform + self.undecided + self.differ + self.not_modelled
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { conform, undecided, differ, not_modelled } = self;
        write!(
            f,
            "{conform} conform, {undecided} undecided, {differ} differ, {not_modelled} not modelled, of {}",
            self.total()
        )
    }
}

/// A table with a row for each name.
pub(super) fn table<'a>(title: &str, rows: impl Iterator<Item = (&'a str, &'a Counts)>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        title,
        "conform",
        "undecided",
        "differ",
        "not modelled",
        "all",
    ]);
    for (name, c) in rows {
        let numbers =
            [c.conform, c.undecided, c.differ, c.not_modelled, c.total()].map(|n| n.to_string());
        table.add_row(std::iter::once(name.to_owned()).chain(numbers));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
