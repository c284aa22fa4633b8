//! Every run of a sweep: a row for each, with the values of its settings, its seed, every figure of
//! all workloads, then every figure of each workload under its name.

use super::cases::{settings, values};
use super::columns::{Column, Measure};
use super::heading::Heading;
use crate::lab::Case;
use crate::report::tables::{self, Cell, Each, Kind, Table};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

/// The runs of a sweep.
pub(crate) struct RunsTable<'a> {
    settings: Vec<tables::Column>,
    cases: Cow<'a, [Case]>,
    figures: Vec<Column>,
}

impl<'a> RunsTable<'a> {
    /// Those of these rows.
    pub(crate) fn new(heading: &Heading, cases: Cow<'a, [Case]>) -> Self {
        let workloads: BTreeSet<&str> = cases
            .iter()
            .flat_map(|c| &c.runs)
            .flat_map(|r| r.metrics.workloads.iter().map(|w| w.0.as_str()))
            .collect();
        let of_one = |name: &&str| {
            let workload = Some((*name).to_owned());
            let costs = Measure::all().filter(|m| matches!(m, Measure::Cost(_)));
            costs.map(|measure| Column { measure, workload: workload.clone() }).collect::<Vec<_>>()
        };
        let of_one = workloads.iter().flat_map(of_one);
        let figures = Measure::all().map(Column::of_all).chain(of_one).collect();
        RunsTable { settings: settings(heading, &cases), cases, figures }
    }
}

impl Table for RunsTable<'_> {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn columns(&self) -> Vec<tables::Column> {
        let mut all = self.settings.clone();
        all.push(tables::Column::new("seed", Kind::Natural));
        all.extend(self.figures.iter().map(|c| tables::Column::new(c.name(), Kind::Number)));
        all
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        for case in self.cases.iter() {
            for run in &case.runs {
                let mut row = values(case);
                row.push(Cell::Natural(run.seed));
                row.extend(self.figures.iter().map(|c| Cell::number(c.of(&run.metrics))));
                each(&row)?;
            }
        }
        Ok(())
    }
}
